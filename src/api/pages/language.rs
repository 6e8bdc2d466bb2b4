//! The language of a page or a sheet.

use axum::http::{HeaderMap, header};
use model::messages::{Language, text};
use std::collections::BTreeMap;

/// The one that a visitor prefers (RFC 9110, 12.5.4); English unless Russian is preferred to it.
pub(crate) fn preferred(headers: &HeaderMap) -> Language {
    let fields = headers.get_all(header::ACCEPT_LANGUAGE).iter();
    let text: Vec<&str> = fields.filter_map(|field| field.to_str().ok()).collect();
    let weight = |wanted: Language| {
        let ranges = text.iter().flat_map(|field| field.split(','));
        let weights = ranges.filter_map(|range| {
            let (name, weight) = range.split_once(';').unwrap_or((range, ""));
            let name = name.trim().to_ascii_lowercase();
            let own = name.split('-').next() == Some(wanted.word());
            let weight = weight
                .trim()
                .strip_prefix("q=")
                .map_or(Some(1.0), |q| q.trim().parse().ok());
            weight.filter(|_| own)
        });
        weights.fold(0.0_f64, f64::max)
    };
    if weight(Language::Russian) > weight(Language::English) {
        Language::Russian
    } else {
        Language::English
    }
}

/// Words around the number of a sheet's page.
pub(crate) fn numbering(language: Language) -> [String; 2] {
    ["paper-page", "paper-of"].map(|name| text(language, name, &BTreeMap::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(accept: &str) -> &'static str {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_LANGUAGE, accept.parse().unwrap());
        preferred(&headers).word()
    }

    #[test]
    fn the_preferred_language_is_taken() {
        assert_eq!(preferred(&HeaderMap::new()), Language::English);
        for (accept, tag) in [
            ("ru", "ru"),
            ("ru-RU,ru;q=0.9,en;q=0.8", "ru"),
            ("RU", "ru"),
            ("en,ru;q=0.5", "en"),
            ("de,ru;q=0.4,en;q=0.3", "ru"),
            ("de", "en"),
            ("ru;q=0", "en"),
            ("ru;q=x", "en"),
            ("*", "en"),
            ("rut", "en"),
        ] {
            assert_eq!(told(accept), tag, "{accept}");
        }
    }
}

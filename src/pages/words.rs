//! The language of pages: what a visitor prefers, the choice that is stored, and texts by name.

use crate::components::reply::{self, local};
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use model::messages::{self, Language};
use std::collections::BTreeMap;

/// The cookie that stores the choice of a language; it has the code of one.
pub(crate) const LANGUAGE: &str = "language";
/// How long the choice is stored, seconds.
const STORED: u32 = 365 * 24 * 3600;

/// The language that a visitor prefers (RFC 9110, 12.5.4), among those that there are.
pub fn preferred(headers: &HeaderMap, otherwise: Language) -> Language {
    let fields = headers.get_all(header::ACCEPT_LANGUAGE).iter();
    let text: Vec<&str> = fields.filter_map(|field| field.to_str().ok()).collect();
    let weight = |wanted: Language| {
        let ranges = text.iter().flat_map(|field| field.split(','));
        let weights = ranges.filter_map(|range| {
            let (name, weight) = range.split_once(';').unwrap_or((range, ""));
            let name = name.trim().to_ascii_lowercase();
            let own = name.split('-').next() == Some(wanted.word());
            let weight = weight.trim().strip_prefix("q=");
            let weight = weight.map_or(Some(1.0), |q| q.trim().parse().ok());
            weight.filter(|_| own)
        });
        weights.fold(0.0_f64, f64::max)
    };
    let all = Language::ALL.map(|language| (language, weight(language)));
    let best = all.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
    let mut liked = all.iter().filter(|(_, weight)| *weight > 0.0 && *weight >= best);
    let first = liked.next().map(|(language, _)| *language);
    match (first, liked.next()) {
        (Some(one), None) => one,
        _ => otherwise,
    }
}

/// A text without values.
pub(crate) fn text(language: Language, name: &str) -> String {
    messages::text(language, name, &BTreeMap::new())
}

pub(crate) fn text_of(language: Language, name: &str, key: &str, value: &str) -> String {
    let values = BTreeMap::from([(key.to_owned(), value.to_owned())]);
    messages::text(language, name, &values)
}

/// `POST /language`: stores the choice, and goes back.
pub(crate) async fn choose(body: Bytes) -> Response {
    let form = Form::read(&body);
    let chosen = form.get(LANGUAGE).and_then(Language::parse);
    let mut response = reply::see(local(form.get("next")));
    if let Some(chosen) = chosen {
        let cookie = format!("{LANGUAGE}={}; Path=/; Max-Age={STORED}; SameSite=Lax; HttpOnly", chosen.word());
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
    response
}

/// The fields of a sent form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form(pub(crate) Vec<(String, String)>);

impl Form {
    /// Reads a body, or the query of an address.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// The first value of a field; none where it is not there or empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut own = self.0.iter().filter(|(own, _)| own == name);
        own.next().map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Whether a field was sent, perhaps empty.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    pub(crate) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> + 'f {
        let own = self.0.iter().filter(move |(own, _)| own == name);
        own.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preferred_language_is_taken() {
        for (accept, otherwise, tag) in [
            ("", "en", "en"),
            ("", "ru", "ru"),
            ("ru", "en", "ru"),
            ("ru-RU,ru;q=0.9,en;q=0.8", "en", "ru"),
            ("RU", "en", "ru"),
            ("en,ru;q=0.5", "ru", "en"),
            ("de,ru;q=0.4,en;q=0.3", "en", "ru"),
            ("de", "ru", "ru"),
            ("ru;q=0", "en", "en"),
            ("ru;q=x", "en", "en"),
            ("*", "ru", "ru"),
            ("rut", "en", "en"),
            ("en,ru", "ru", "ru"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, accept.parse().unwrap());
            let otherwise = Language::parse(otherwise).unwrap();
            assert_eq!(preferred(&headers, otherwise).word(), tag, "{accept}");
        }
    }

    #[test]
    fn what_waits_says_how_long_in_words_that_follow_their_number() {
        for (days, russian, english) in [
            ("0", "сегодня", "today"),
            ("1", "1 день", "1 day"),
            ("3", "3 дня", "3 days"),
            ("11", "11 дней", "11 days"),
            ("21", "21 день", "21 days"),
        ] {
            let age = |language| text_of(language, "page-age", "days", days);
            let both = (age(Language::Russian), age(Language::English));
            assert_eq!(both, (russian.to_owned(), english.to_owned()));
        }
    }
}

//! The language of what people read: of pages, and of sentences about what is wrong (docs/errors.md, *Language*). A
//! request that prefers Russian is answered with Russian sentences; all others with English ones, as if languages did not
//! exist.

use crate::layers::shared::Inner;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use model::messages::{Language, Sentence, sentence};
use std::cell::Cell;

tokio::task_local! {
    static READER: Reader;
}

/// Who reads the answer to a request, and what was said so far.
#[derive(Debug)]
struct Reader {
    language: Language,
    /// A sentence in that language.
    own: Cell<bool>,
    /// One that exists in English only.
    english: Cell<bool>,
}

/// Wraps every request.
pub(crate) async fn spoken(request: Request, next: impl Inner) -> Response {
    let language = preferred(request.headers());
    if language == Language::English {
        return next.run(request).await;
    }
    let reader = Reader {
        language,
        own: Cell::new(false),
        english: Cell::new(false),
    };
    let answering = async {
        let mut response = next.run(request).await;
        READER.with(|reader| reader.tell(response.headers_mut()));
        response
    };
    READER.scope(reader, answering).await
}

impl Reader {
    /// Names the languages of what was said.
    fn tell(&self, headers: &mut HeaderMap) {
        let (own, english) = (self.own.get(), self.english.get());
        if !own && !english {
            return;
        }
        let chosen = HeaderValue::from_static("Accept-Language");
        headers.append(header::VARY, chosen);
        let languages = match (self.language, english) {
            _ if !own => return,
            (language, false) => language.word().to_owned(),
            (language, true) => format!("{}, {}", language.word(), Language::English.word()),
        };
        if let Ok(languages) = HeaderValue::try_from(languages) {
            let told = headers.entry(header::CONTENT_LANGUAGE);
            told.or_insert(languages);
        }
    }
}

/// The language in which the request that runs now is answered.
pub(crate) fn current() -> Language {
    let language = READER.try_with(|reader| reader.language);
    language.unwrap_or_default()
}

/// A sentence in the language of the request.
pub(crate) fn said(what: &Sentence) -> String {
    said_of(what, None)
}

/// A sentence about a fault with a code. Where it exists in English only, the reader gets what the code means, and the
/// English sentence with it.
pub(crate) fn said_of(what: &Sentence, code: Option<&str>) -> String {
    let own = READER.try_with(|reader| {
        if let Some(text) = what.in_language(reader.language) {
            reader.own.set(true);
            return Some(text);
        }
        reader.english.set(true);
        let meaning = sentence::by_code(reader.language, code?)?;
        reader.own.set(true);
        Some(format!("{meaning} ({what})"))
    });
    own.ok()
        .flatten()
        .unwrap_or_else(|| what.english().into_owned())
}

/// What a code means, as a title; `english` is its title in English.
pub(crate) fn titled(code: &str, english: &'static str) -> String {
    let own = READER.try_with(|reader| {
        let meaning = sentence::by_code(reader.language, code);
        let said = if meaning.is_some() {
            &reader.own
        } else {
            &reader.english
        };
        said.set(true);
        meaning
    });
    own.ok().flatten().unwrap_or_else(|| english.to_owned())
}

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

//! The language of what people read: of pages, and of sentences about what is wrong (docs/errors.md, *Language*). A
//! request that prefers Russian is answered with Russian sentences; all others with English ones, as if languages did not
//! exist.

use crate::layers::shared::InnerService;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use model::error::{Error, Result};
use model::messages::{Language, Sentence, sentence, stored, text};
use model::query::qs::Tree;
use std::cell::Cell;
use std::collections::BTreeMap;

tokio::task_local! {
    static READER: Reader;
}

/// Who reads the answer to a request, and what was said so far.
#[derive(Debug)]
struct Reader {
    language: Language,
    own: Cell<bool>,
    /// One that exists in English only.
    english: Cell<bool>,
}

pub(crate) async fn spoken(request: Request, next: impl InnerService) -> Response {
    match preferred(request.headers()) {
        Language::English => next.run(request).await,
        other => spoken_in(other, request, next).await,
    }
}

/// Wraps requests that are made within another one, whose reader may have chosen another language.
pub(crate) async fn spoken_within(request: Request, next: Next) -> Response {
    spoken_in(preferred(request.headers()), request, next).await
}

async fn spoken_in(language: Language, request: Request, next: impl InnerService) -> Response {
    let reader = Reader { language, own: Cell::new(false), english: Cell::new(false) };
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
            let field = headers.entry(header::CONTENT_LANGUAGE);
            field.or_insert(languages);
        }
    }
}

/// The language in which the request that runs now is answered.
pub(crate) fn current() -> Language {
    let language = READER.try_with(|reader| reader.language);
    language.unwrap_or_default()
}

pub(crate) fn said(what: &Sentence) -> String {
    said_of(what, None)
}

/// A text for the reader of the request, and a note in which language it is said; none: there is no reader, or it exists
/// in English only.
fn own(text: impl FnOnce(Language) -> Option<String>) -> Option<String> {
    let own = READER.try_with(|reader| {
        let text = text(reader.language);
        let said = match text {
            Some(_) => &reader.own,
            None => &reader.english,
        };
        said.set(true);
        text
    });
    own.ok().flatten()
}

/// A sentence about a fault with a code. Where it exists in English only, the reader gets what the code means, and the
/// English sentence with it.
pub(crate) fn said_of(what: &Sentence, code: Option<&str>) -> String {
    let meaning = |code| own(|language| sentence::by_code(language, code));
    own(|language| what.in_language(language))
        .or_else(|| Some(format!("{} ({what})", meaning(code?)?)))
        .unwrap_or_else(|| what.english().into_owned())
}

/// A sentence that was written in English with its code, before it was known who reads it.
pub(crate) fn said_again(english: &str, code: &str) -> String {
    let translated = |language| Some(stored(language, english, code)).filter(|text| text != english);
    own(translated).unwrap_or_else(|| english.to_owned())
}

/// What a code means, as a title; `english` is its title in English.
pub(crate) fn titled(code: &str, english: &'static str) -> String {
    own(|language| sentence::by_code(language, code)).unwrap_or_else(|| english.to_owned())
}

/// The one that a visitor prefers (RFC 9110, 12.5.4); English unless Russian is preferred to it.
pub(crate) fn preferred(headers: &HeaderMap) -> Language {
    pages::preferred(headers, Language::English)
}

/// The language of a file: that of `language`, else the preferred one. Links have the parameter, since a browser says
/// what it prefers and not what was chosen on a page.
///
/// # Errors
/// [`Error::Query`] for a language that there is not.
pub(crate) fn chosen(headers: &HeaderMap, query: &Tree) -> Result<Language> {
    match query.get("language") {
        None => Ok(preferred(headers)),
        Some(word) => {
            let word = word.as_text().and_then(Language::parse);
            word.ok_or_else(|| Error::Query(vec!["language".to_owned()]))
        }
    }
}

/// Words around the number of a sheet's page.
pub(crate) fn numbering(language: Language) -> [String; 2] {
    ["paper-page", "paper-of"].map(|name| text(language, name, &BTreeMap::new()))
}

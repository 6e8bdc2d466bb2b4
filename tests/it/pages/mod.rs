//! Pages for people (docs/pages.md): what each shows to whom, what forms do, and that a page is never more than the API.

mod face;
mod filled;
mod help;
mod home;
mod language;
mod law;
mod packages;
mod passing;
mod records;
mod requests;
mod signing;
mod statements;

use crate::rest::stage::Answer;
use crate::rest::world::World;
use serde_json::Value;

/// What a browser says of itself on every request.
pub(crate) const BROWSER: [(&str, &str); 2] =
    [("accept", "text/html,application/xhtml+xml,*/*;q=0.8"), ("accept-language", "en")];

/// A page as a caller sees it.
pub(crate) async fn page(w: &World<'_>, who: &str, path: &str) -> Answer {
    w.send(who, "GET", path, &BROWSER, "").await
}

/// A page as a caller with a Russian browser sees it.
pub(crate) async fn russian(w: &World<'_>, who: &str, path: &str) -> Answer {
    let headers = [BROWSER[0], ("accept-language", "ru")];
    w.send(who, "GET", path, &headers, "").await
}

/// A form that a caller sends.
pub(crate) async fn send(w: &World<'_>, who: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
    let mut headers = BROWSER.to_vec();
    headers.push(("content-type", "application/x-www-form-urlencoded"));
    w.send(who, "POST", path, &headers, form(fields)).await
}

/// The page behind a link of that text on a page.
pub(crate) async fn linked(w: &World<'_>, who: &str, path: &str, text: &str) -> Answer {
    let way = filled::link(&page(w, who, path).await, text);
    page(w, who, &way).await
}

/// Fields as the body of a form.
pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields);
    form.finish()
}

/// Where an answer sends the visitor.
pub(crate) fn goes(answer: &Answer) -> &str {
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.header("location")
}

/// The id of the record whose page an answer sends to.
pub(crate) fn id_of(answer: &Answer) -> i64 {
    let id = goes(answer).rsplit('/').next().unwrap();
    id.parse().unwrap()
}

/// What every page must have.
pub(crate) fn assert_sound(answer: &Answer, what: &str) {
    let text = &answer.text;
    assert!(text.starts_with("<!DOCTYPE html><html lang=\""), "{what}: {text}");
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{what}");
    let policy = answer.header("content-security-policy");
    for rule in ["default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(rule), "{what}: {policy}");
    }
    assert_eq!(answer.header("cache-control"), "private, no-store", "{what}");
    assert_eq!(text.matches("<h1").count(), 1, "{what}: {text}");
    assert!(text.contains("<title>") && text.contains("<main id=\"main\""), "{what}: {text}");
    // One script, of this service, and nothing within the page.
    assert_eq!(text.matches("<script").count(), 1, "{what}");
    assert!(!text.contains(" style=\"") && !text.contains(" onclick"), "{what}: {text}");
    assert!(!text.contains("page-"), "{what} has a name in place of its text: {text}");
}

/// A document of the REST face as a caller reads it.
pub(crate) async fn doc(w: &World<'_>, who: &str, path: &str) -> Value {
    let answer = ask!(w, who, "GET {path}" => 200);
    answer.json()
}

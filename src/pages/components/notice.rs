//! A notice of what was done, shown once at the top of the page that follows. A cookie has its name there and the id of
//! the record, not the text, and ends with that page.

use crate::components::reply;
use crate::visitor::{DONE, OF, Visitor};
use crate::words::{text, text_of};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use maud::{Markup, html};
use model::display::{heading, title};
use model::messages::{self, labels};
use model::registry::{Collection, Move, Registry, States};
use std::fmt::Display;

/// How long it waits for the next page, seconds.
const WAITS: u32 = 60;

/// What was done with a record, as the next page says it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Notice {
    Made,
    /// So many of them were made.
    Entered(usize),
    Saved,
    Deleted,
    Moved(&'static States, &'static Move),
    Acted(&'static str),
    /// What the button with this text of pages does.
    Pressed(&'static str),
}

impl Notice {
    fn word(self, c: &Collection) -> String {
        let slug = c.slug;
        match self {
            Self::Made => format!("made/{slug}"),
            Self::Entered(number) => format!("entered/{slug}/{number}"),
            Self::Saved => format!("saved/{slug}"),
            Self::Deleted => format!("deleted/{slug}"),
            Self::Moved(states, step) => format!("moved/{slug}/{}/{}", states.path, step.to),
            Self::Acted(action) => format!("acted/{slug}/{action}"),
            Self::Pressed(name) => format!("pressed/{slug}/{name}"),
        }
    }

    /// Sends the visitor to the page that tells it.
    pub(crate) fn see(self, c: &Collection, address: &str) -> Response {
        let mut response = reply::see(address);
        put(&mut response, &self.word(c), WAITS);
        response
    }

    /// Sends the visitor to the page that tells it, and of which record.
    pub(crate) fn tell(self, c: &Collection, id: &dyn Display, address: &str) -> Response {
        self.tell_undone(c, id, address, None)
    }

    /// The same, with the record whose deletion takes it back.
    pub(crate) fn tell_undone(
        self,
        c: &Collection,
        id: &dyn Display,
        address: &str,
        made: Option<(&Collection, i64)>,
    ) -> Response {
        let made = made.map(|(of, id)| format!("{OF}{}/{id}", of.slug)).unwrap_or_default();
        let mut response = reply::see(address);
        put(&mut response, &format!("{}{OF}{id}{made}", self.word(c)), WAITS);
        response
    }
}

fn put(response: &mut Response, word: &str, seconds: u32) {
    let cookie = format!("{DONE}={word}; Path=/; Max-Age={seconds}; SameSite=Lax; HttpOnly");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// The notice for the top of a page.
pub(crate) fn markup(registry: &Registry, visitor: &Visitor) -> Markup {
    let word = visitor.cookie(DONE).map(|word| word.split(OF).next().unwrap_or_default());
    let sentence = word.and_then(|word| sentence(registry, visitor, word));
    let undo = visitor.cookie(DONE).and_then(|done| undo(registry, done));
    html! {
        @if let Some(sentence) = sentence {
            p class="done" role="status" {
                (sentence)
                @if let Some(undo) = undo { " " a href=(undo) { (text(visitor.language, "page-undo")) } }
            }
        }
    }
}

/// The page that asks whether to delete the record by which something was done.
fn undo(registry: &Registry, done: &str) -> Option<String> {
    let (slug, id) = done.split(OF).nth(2)?.split_once('/')?;
    let (c, id) = (registry.get(slug)?, id.parse::<i64>().ok()?);
    Some(format!("/book/{}/{id}/delete", c.slug))
}

/// None for a word that no page wrote.
fn sentence(registry: &Registry, visitor: &Visitor, word: &str) -> Option<String> {
    let language = visitor.language;
    let parts: Vec<&str> = word.split('/').collect();
    let c = registry.get(parts.get(1)?)?;
    let title = visitor.done.as_ref().map(|doc| title(registry, language, c, doc));
    let heading = visitor.done.as_ref().map(|doc| heading(registry, language, c, doc));
    let called = heading.unwrap_or_else(|| labels::collection(language, c.slug));
    let what = |name: &str| text_of(language, name, "what", &called);
    let of = |done: String| match &title {
        Some(title) => format!("{done} – {title}"),
        None => done,
    };
    match *parts.as_slice() {
        ["made", _] => Some(what("page-done-made")),
        ["entered", _, number] => {
            let whole = number.bytes().all(|one| one.is_ascii_digit());
            whole.then(|| text_of(language, "page-done-entered", "number", number))
        }
        ["saved", _] => Some(what("page-done-saved")),
        ["deleted", _] => Some(what("page-done-deleted")),
        ["moved", _, path, to] => labels::done(language, c.slug, path, to).map(of),
        ["acted", _, name] => labels::acted(language, c.slug, name).map(of),
        ["pressed", _, name] => messages::known(language, &format!("{name}.done")).map(of),
        _ => None,
    }
}

/// Ends the cookie with the page that shows it.
pub(crate) async fn end(request: Request, next: Next) -> Response {
    let carries = |headers: &HeaderMap| {
        let fields = headers.get_all(header::COOKIE).iter();
        let mut pairs = fields.filter_map(|field| field.to_str().ok()).flat_map(|field| field.split(';'));
        pairs.any(|pair| pair.trim().split_once('=').is_some_and(|(own, _)| own == DONE))
    };
    let has_notice = carries(request.headers());
    let mut response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    if has_notice && kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
        put(&mut response, "", 0);
    }
    response
}

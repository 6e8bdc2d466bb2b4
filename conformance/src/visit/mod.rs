//! A visit to a server: its base address, its collections and data sets, and the data that was read.

pub(crate) mod feeds;
pub(crate) mod lists;
mod open;
pub(crate) mod seeded;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ade::catalog::CollectionEntry;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use url::Url;

use crate::client::{Ask, Client, Exchange, Who};
use crate::options::{Options, Progress};

pub(crate) use self::feeds::{DataSet, Reading};
pub(crate) use self::lists::{Listing, Page};

/// Characters that are not encoded in a segment or a value (RFC 3986, unreserved).
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encoded.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

/// A location that the caller may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) scheme: String,
    pub(crate) id: String,
}

impl Location {
    pub(crate) fn path(&self) -> String {
        format!("/locations/{}/{}", encoded(&self.scheme), encoded(&self.id))
    }

    /// A location of that scheme that no server has.
    pub(crate) fn unknown(&self) -> Self {
        Self { scheme: self.scheme.clone(), id: "ade-conformance-0000".to_owned() }
    }

    /// As it stands in documents.
    pub(crate) fn identifier(&self) -> Value {
        json!({"scheme": self.scheme, "id": self.id})
    }
}

/// A collection of the catalogue as the server answered for it.
#[derive(Debug)]
pub(crate) enum Offer {
    /// The collection is offered; its first page.
    Yes(Page),
    /// 401, 403, 404, 405, 410 or 501.
    No,
    /// Any other answer.
    Unclear(Arc<Exchange>),
}

/// A collection and the answer of the server.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) entry: &'static CollectionEntry,
    pub(crate) offer: Offer,
}

impl Offered {
    pub(crate) fn page(&self) -> Option<&Page> {
        match &self.offer {
            Offer::Yes(page) => Some(page),
            _ => None,
        }
    }
}

/// The state of a run.
pub(crate) struct Visit<'p> {
    pub(crate) options: Options,
    pub(crate) client: Client,
    pub(crate) progress: &'p dyn Progress,
    /// The address below which the standard's paths are, without a slash at the end.
    pub(crate) base: Url,
    /// The answer to `/locations`.
    pub(crate) locations: Option<Page>,
    /// The locations that the caller may read, as far as they are known.
    pub(crate) places: Vec<Location>,
    /// The location that is tested.
    pub(crate) place: Option<Location>,
    pub(crate) offered: Vec<Offered>,
    /// The answer to `/datasets`.
    pub(crate) datasets: Option<Arc<Exchange>>,
    /// Answers 406 to requests that accept anything.
    pub(crate) refused_any: Vec<Arc<Exchange>>,
    pub(crate) login_url: Option<Url>,
    listings: OnceCell<Vec<Listing>>,
    readings: OnceCell<Vec<Reading>>,
    /// Bytes of the stored collections and data sets.
    held: AtomicUsize,
    /// Data that was not read.
    pub(crate) left_out: Notes,
    /// Documents of this run that came back with differences.
    pub(crate) changed: Notes,
    /// Valid documents of this run that were refused.
    pub(crate) refused: Notes,
    /// Documents that could not be retracted.
    pub(crate) left_behind: Notes,
}

/// What the summary of a run lists, in words, each once.
#[derive(Default)]
pub(crate) struct Notes(Mutex<Vec<String>>);

impl Notes {
    pub(crate) fn add(&self, words: impl Into<String>) {
        let words = words.into();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains(&words) {
            all.push(words);
        }
    }

    pub(crate) fn all(&self) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }
}

impl Visit<'_> {
    /// An address below the base; `path` begins with a slash and is encoded already.
    pub(crate) fn url(&self, path: &str) -> Url {
        below(&self.base, path)
    }

    /// The answer to an account at an address below the base.
    pub(crate) async fn get_by(&self, who: Who, path: &str) -> Arc<Exchange> {
        self.client.send(Ask::get(&self.url(path)).by(who)).await
    }

    /// The address of a collection.
    pub(crate) fn collection(&self, entry: &CollectionEntry) -> Option<Url> {
        if entry.scoped {
            let place = self.place.as_ref()?;
            Some(self.url(&format!("{}/{}", place.path(), entry.name)))
        } else {
            Some(self.url(&format!("/{}", entry.name)))
        }
    }

    /// An address that a server wrote, absolute or relative to the address of the answer.
    pub(crate) fn link(&self, from: &Exchange, link: &str) -> Option<Url> {
        from.answered_from.join(link).ok()
    }

    /// Whether the sign-in of the caller may be sent to an address.
    pub(crate) fn ours(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    /// Counts stored bytes.
    pub(crate) fn hold(&self, bytes: usize) {
        self.held.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Whether the bound of stored bytes is reached.
    pub(crate) fn too_much(&self) -> bool {
        self.held.load(Ordering::Relaxed) >= self.options.bounds.held
    }

    /// Collections that answered with a page.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (&'static CollectionEntry, &Page)> {
        self.offered.iter().filter_map(|o| Some((o.entry, o.page()?)))
    }

    /// The page of a collection, if it is offered.
    pub(crate) fn page_of(&self, name: &str) -> Option<&Page> {
        self.pages().find(|(entry, _)| entry.name == name).map(|(_, page)| page)
    }
}

/// An address below another.
pub(crate) fn below(base: &Url, path: &str) -> Url {
    let text = format!("{}{path}", base.as_str().trim_end_matches('/'));
    Url::parse(&text).unwrap_or_else(|_| base.clone())
}

/// The address with one more parameter, encoded as a client should.
pub(crate) fn with(url: &Url, parameters: &[(&str, &str)]) -> Url {
    let mut url = url.clone();
    let added: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    let query = match url.query() {
        Some(before) if !before.is_empty() => format!("{before}&{}", added.join("&")),
        _ => added.join("&"),
    };
    url.set_query(Some(&query));
    url
}

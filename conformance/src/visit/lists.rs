//! Collections, page by page.

use std::collections::BTreeSet;
use std::sync::Arc;

use ade::catalog::CollectionEntry;
use serde_json::{Map, Value};
use url::Url;

use super::{Location, Visit};
use crate::client::{Ask, Exchange, Who};
use crate::document;

/// An answer that is a collection, or almost.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) exchange: Arc<Exchange>,
    /// Its documents; elements that are not objects are left out.
    pub(crate) members: Vec<Value>,
    pub(crate) view: Map<String, Value>,
    /// Whether it is an object with an array `member`, or with neither member nor documents.
    pub(crate) well_formed: bool,
}

impl Page {
    /// Reads an answer of 200; arrays are read as well, and judged by the checks.
    pub(crate) fn read(exchange: Arc<Exchange>) -> Self {
        let mut json = exchange.read().unwrap_or_default();
        let object = json.as_object();
        let form = object.is_some_and(|o| match o.get("member") {
            Some(member) => member.is_array(),
            // A collection with documents has them in `member`.
            None => o.get("view").is_some_and(|view| {
                let total = view.get("totalItems").and_then(Value::as_u64);
                total.unwrap_or(0) == 0
            }),
        });
        let view = match json.get_mut("view").map(Value::take) {
            Some(Value::Object(view)) => view,
            _ => Map::new(),
        };
        let members = match &mut json {
            Value::Array(all) => std::mem::take(all),
            Value::Object(all) => match all.get_mut("member").map(Value::take) {
                Some(Value::Array(all)) => all,
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let well_formed = form && members.iter().all(Value::is_object);
        Self { exchange, members, view, well_formed }
    }

    /// By what its documents are known again, in their order.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.members.iter().map(document::key).collect()
    }

    /// The locations that it lists.
    pub(crate) fn places(&self) -> impl Iterator<Item = Location> {
        self.members.iter().filter_map(place)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.view.get(name).and_then(Value::as_u64)
    }

    pub(crate) fn link(&self, name: &str) -> Option<&str> {
        self.view.get(name).and_then(Value::as_str).filter(|link| !link.is_empty())
    }
}

/// The location that a document describes.
pub(super) fn place(document: &Value) -> Option<Location> {
    let (scheme, id) = document::identifier(document, "/identifier")?;
    Some(Location { scheme, id })
}

/// A collection, read along `next`.
#[derive(Debug, Clone)]
pub(crate) struct Listing {
    pub(crate) name: String,
    pub(crate) entry: &'static CollectionEntry,
    pub(crate) url: Url,
    pub(crate) pages: Vec<Page>,
    /// Whether it was read to its end.
    pub(crate) complete: bool,
    /// The answer to a `next` link that has no page.
    pub(crate) lost: Option<Arc<Exchange>>,
    /// A `next` link that repeats an earlier one.
    pub(crate) circle: Option<String>,
}

impl Listing {
    pub(crate) fn documents(&self) -> impl Iterator<Item = &Value> {
        self.pages.iter().flat_map(|page| &page.members)
    }

    pub(crate) fn last(&self) -> Option<&Page> {
        self.pages.last()
    }
}

impl Visit<'_> {
    /// Reads on from a first page, as that account.
    pub(crate) async fn follow(
        &self,
        entry: &'static CollectionEntry,
        url: Url,
        first: Page,
        most: usize,
        who: Who,
    ) -> Listing {
        let mut listing = Listing {
            name: entry.name.clone(),
            entry,
            url,
            pages: vec![first],
            complete: false,
            lost: None,
            circle: None,
        };
        let mut seen = BTreeSet::new();
        seen.insert(listing.url.to_string());
        while let Some(page) = listing.last() {
            let Some(link) = page.link("next") else {
                listing.complete = page.well_formed;
                break;
            };
            let Some(url) = self.link(&page.exchange, link).filter(|u| self.ours(u)) else {
                break;
            };
            if !seen.insert(url.to_string()) {
                listing.circle = Some(link.to_owned());
                break;
            }
            if listing.pages.len() >= most || self.too_much() {
                break;
            }
            let exchange = self.client.send(Ask::get(&url).by(who)).await;
            if exchange.unsent {
                break;
            }
            if exchange.status != 200 || exchange.not_json().is_some() {
                listing.lost = Some(exchange);
                break;
            }
            self.hold(exchange.body.len());
            listing.pages.push(Page::read(exchange));
        }
        listing
    }

    /// Every collection that is offered, read as far as the bounds allow.
    pub(crate) async fn listings(&self) -> &[Listing] {
        self.listings
            .get_or_init(|| async {
                let firsts: Vec<_> = self.pages().collect();
                let total = u64::try_from(firsts.len()).ok();
                self.progress.stage("Reading collections", total);
                let mut remaining = self.options.bounds.pages_in_all;
                let mut all = Vec::new();
                for (entry, page) in firsts {
                    self.progress.step(&entry.name);
                    let most = self.options.bounds.pages.min(remaining.saturating_add(1));
                    let url = page.exchange.url.clone();
                    let listing = self.follow(entry, url, page.clone(), most, Who::Main).await;
                    remaining = remaining.saturating_sub(listing.pages.len().saturating_sub(1));
                    let cut = listing.lost.is_none() && listing.circle.is_none();
                    let end = listing.pages.len() >= most || self.too_much();
                    if !listing.complete && cut && end {
                        self.left_out.add(format!(
                            "{}: read to page {}, not to its end",
                            entry.name,
                            listing.pages.len()
                        ));
                    }
                    all.push(listing);
                }
                all
            })
            .await
    }

    /// The pages of collections that were read already, without further requests.
    pub(crate) fn read_so_far(&self) -> Vec<(&'static CollectionEntry, &Page)> {
        match self.listings.get() {
            Some(all) => all.iter().flat_map(|l| l.pages.iter().map(|p| (l.entry, p))).collect(),
            None => self.pages().collect(),
        }
    }

    /// A list under filters, read to its end if the bounds allow.
    pub(crate) async fn filtered(&self, entry: &'static CollectionEntry, url: &Url) -> Result<Listing, Arc<Exchange>> {
        let exchange = self.client.get(url).await;
        if exchange.status != 200 || exchange.not_json().is_some() {
            return Err(exchange);
        }
        let page = Page::read(exchange);
        let most = self.options.bounds.pages;
        Ok(self.follow(entry, url.clone(), page, most, Who::Main).await)
    }
}

//! A client of the feed: follows it by token, page by page, and keeps what it heard.

use super::draw::Draw;
use super::stage::Side;
use herdbook::exchange::{Feed, Position};
use herdbook::registry::Principal;
use serde_json::Value;
use std::collections::BTreeMap;
use tokio::sync::watch;

/// Data set (as resource type), source, key, location.
pub(super) type Key = (String, String, String, String);

/// What a client holds of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    /// Epoch milliseconds.
    pub(super) modified: i64,
    pub(super) deleted: bool,
    pub(super) body: String,
}

/// The key and state that a document tells of itself.
pub(super) fn held(body: &str) -> (Key, Held) {
    let doc: Value = serde_json::from_str(body).unwrap();
    let text = |pointer: &str| {
        let value = doc.pointer(pointer).and_then(Value::as_str);
        value
            .unwrap_or_else(|| panic!("{pointer} is missing: {body}"))
            .to_owned()
    };
    let key = (
        text("/resourceType"),
        text("/meta/source"),
        text("/meta/sourceId"),
        text("/location/id"),
    );
    let held = Held {
        modified: ade::time::parse(&text("/meta/modified")).unwrap(),
        deleted: doc.pointer("/meta/isDeleted") == Some(&Value::Bool(true)),
        body: body.to_owned(),
    };
    (key, held)
}

pub(super) struct Reader {
    pub(super) name: &'static str,
    pub(super) principal: Principal,
    pub(super) dataset: Option<&'static str>,
    pub(super) state: BTreeMap<Key, Held>,
    /// What is wrong with the pages it saw.
    pub(super) faults: Vec<String>,
    /// Where it began.
    pub(super) start: i64,
    token: String,
    old: Vec<String>,
    draw: Draw,
    /// Time of the latest change along the present chain.
    chain: i64,
}

impl Reader {
    /// Begins where the book stands now.
    pub(super) async fn begin(
        name: &'static str,
        principal: Principal,
        dataset: Option<&'static str>,
        side: &Side,
        draw: Draw,
    ) -> Self {
        let (seq, generation) = side.exchange.standing(&side.book.store).await.unwrap();
        let set = dataset.unwrap_or("everything");
        let token = Position::new(&principal, set, generation, seq).seal(&side.book.keys);
        Self {
            name,
            principal,
            dataset,
            state: BTreeMap::new(),
            faults: Vec::new(),
            start: seq,
            old: vec![token.clone()],
            token,
            draw,
            chain: 0,
        }
    }

    /// Follows until the writers are done, and then to the end.
    pub(super) async fn follow(
        mut self,
        sides: Vec<Side>,
        mut done: watch::Receiver<bool>,
    ) -> Self {
        let mut news: Vec<_> = sides
            .iter()
            .map(|s| s.book.store.watch().subscribe())
            .collect();
        loop {
            let at = self.draw.below(sides.len());
            news[at].borrow_and_update();
            // Noted before the page is read: a page that is empty then is the end.
            let ended = *done.borrow_and_update();
            if self.draw.once_in(30) && !ended {
                self.token = self.old[self.draw.below(self.old.len())].clone();
                self.chain = 0;
            }
            let more = self.page(&sides[at]).await;
            if ended && !more {
                return self;
            }
            if !more {
                tokio::select! {
                    heard = news[at].changed() => heard.unwrap(),
                    ended = done.changed() => ended.unwrap(),
                }
            }
        }
    }

    /// Reads a page; whether it brought something.
    async fn page(&mut self, side: &Side) -> bool {
        let set = self.dataset.unwrap_or("everything");
        let (store, keys) = (&side.book.store, &side.book.keys);
        let (newest, generation) = side.exchange.standing(store).await.unwrap();
        let place = Position::open(&self.token, keys, &self.principal, set, generation, newest);
        let after = place.expect("a token goes on").seq;
        let location = self.principal.organization;
        let limit = 1 + self.draw.below(9);
        let feed = Feed {
            dataset: self.dataset,
            location,
            after,
            limit,
            bytes: 1 << 20,
        };
        let page = side.exchange.changes(store, feed).await.unwrap();
        let text = format!("[{}]", String::from_utf8(page.bodies).unwrap());
        let bodies: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(&text).unwrap();
        if bodies.len() != page.count || page.count > limit {
            self.faults.push(format!(
                "{} of {} bodies, limit {limit}",
                bodies.len(),
                page.count
            ));
        }
        if (page.last > after) != (page.count > 0) || page.last < after {
            self.faults
                .push(format!("from {after} to {} with {}", page.last, page.count));
        }
        for body in bodies {
            self.take(body.get());
        }
        let next = Position::new(&self.principal, set, generation, page.last);
        self.token = next.seal(keys);
        self.old.push(self.token.clone());
        page.count > 0
    }

    fn take(&mut self, body: &str) {
        let (key, new) = held(body);
        if new.modified < self.chain {
            self.faults
                .push(format!("{key:?}: {} after {}", new.modified, self.chain));
        }
        self.chain = new.modified;
        if let Some(had) = self.state.get(&key)
            && had.modified > new.modified
        {
            self.faults.push(format!(
                "{key:?} went back from {} to {}",
                had.modified, new.modified
            ));
        }
        self.state.insert(key, new);
    }
}

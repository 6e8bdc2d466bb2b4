//! A client of the feed: follows it by token, page by page, and stores what it received.

use super::draw::Draw;
use super::stage::Side;
use exchange::{Cursor, Feed};
use feed_oracle::{Answer, Chain, Key, PageRequest, Profile, Repeats, Resource, State};
use model::registry::Principal;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::sync::watch;

/// The key and state of a document.
pub(super) fn read(body: &str) -> Resource {
    let doc: Value = serde_json::from_str(body).unwrap();
    let read = Resource::read(&Profile::herdbook(), doc, body);
    read.unwrap_or_else(|violation| panic!("{violation}"))
}

/// Clocks stand still for much of a schedule: a resource that changes and changes back has the same state with the same
/// time under a new number. And a reader that goes back to an older token gets resources again that it holds.
fn promised() -> Profile {
    Profile { repeats: Repeats::WhenBusy, ..Profile::herdbook() }
}

fn feed_of<'a>(caller: &'a Principal, dataset: Option<&'a str>) -> exchange::Chain<'a> {
    exchange::Chain { caller, dataset: dataset.unwrap_or("everything"), filter: 0 }
}

pub(super) struct Reader {
    pub(super) name: &'static str,
    pub(super) principal: Principal,
    pub(super) dataset: Option<&'static str>,
    pub(super) states: BTreeMap<Key, State>,
    /// The bodies of what it holds, byte for byte.
    pub(super) bodies: BTreeMap<Key, String>,
    /// States that came along the present chain, in order.
    pub(super) heard: Vec<(Key, State)>,
    /// The faults of the pages that it saw.
    pub(super) faults: Vec<String>,
    /// Where it began.
    pub(super) start: i64,
    token: String,
    old: Vec<String>,
    draw: Draw,
    chain: Chain,
}

impl Reader {
    /// Begins at the present end of the feed.
    pub(super) async fn begin(
        name: &'static str,
        principal: Principal,
        dataset: Option<&'static str>,
        side: &Side,
        draw: Draw,
    ) -> Self {
        let feed_state = side.exchange.feeds().feed_state(&side.book.store).await.unwrap();
        let seq = feed_state.newest;
        let of = feed_of(&principal, dataset);
        let token = Cursor::new(of, feed_state, seq).seal(&side.book.keys);
        Self {
            name,
            principal,
            dataset,
            states: BTreeMap::new(),
            bodies: BTreeMap::new(),
            heard: Vec::new(),
            faults: Vec::new(),
            start: seq,
            old: vec![token.clone()],
            token,
            draw,
            chain: Chain::new(promised()),
        }
    }

    /// Follows until the writers are done, and then to the end.
    pub(super) async fn follow(mut self, sides: Vec<Side>, mut done: watch::Receiver<bool>) -> Self {
        let mut news: Vec<_> = sides.iter().map(|s| s.book.store.watch().subscribe()).collect();
        loop {
            let at = self.draw.below(sides.len());
            news[at].borrow_and_update();
            // Noted before the page is read: a page that is empty then is the end.
            let ended = *done.borrow_and_update();
            if self.draw.once_in(30) && !ended {
                self.token = self.old[self.draw.below(self.old.len())].clone();
                self.chain = Chain::new(promised());
                self.heard.clear();
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

    /// Reads a page; returns whether it had resources.
    async fn page(&mut self, side: &Side) -> bool {
        let of = feed_of(&self.principal, self.dataset);
        let (store, keys) = (&side.book.store, &side.book.keys);
        let feed_state = side.exchange.feeds().feed_state(store).await.unwrap();
        let place = Cursor::open(&self.token, keys, of, feed_state);
        let place = place.expect("a token goes on");
        let after = place.seq;
        let limit = 1 + self.draw.below(9);
        let feed = Feed {
            datasets: self.dataset.as_slice(),
            locations: self.principal.organization.as_slice(),
            after,
            limit,
            bytes: 1 << 20,
        };
        let page = side.exchange.feeds().changes(store, feed).await.unwrap();
        let text = format!("[{}]", String::from_utf8(page.bodies.to_vec()).unwrap());
        let bodies: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(&text).unwrap();
        if bodies.len() != page.count || page.count > limit {
            self.faults.push(format!("{} of {} bodies, limit {limit}", bodies.len(), page.count));
        }
        if (page.last > after) != (page.count > 0) || page.last < after {
            self.faults.push(format!("from {after} to {} with {}", page.last, page.count));
        }
        // The page as the face writes it, judged as any client would.
        let next = place.moved(page.last, page.within).seal(keys);
        let (context, end) =
            (json!({"id": "@context"}), json!({"id": "@continuation", "token": next, "current": !page.more}));
        let mut parts = vec![context.to_string()];
        parts.extend(bodies.iter().map(|body| body.get().to_owned()));
        parts.push(end.to_string());
        let request = PageRequest { since: Some(std::mem::replace(&mut self.token, next.clone())), limit: Some(limit) };
        let answer = Answer::new(200, [], format!("[{}]", parts.join(",")));
        match self.chain.page(&request, &answer, &self.states) {
            Err(violation) => self.faults.push(violation.to_string()),
            Ok(judged) => {
                self.faults.extend(judged.violations.iter().map(ToString::to_string));
                for (resource, body) in judged.page.resources.into_iter().zip(&bodies) {
                    self.bodies.insert(resource.key.clone(), body.get().to_owned());
                    self.heard.push((resource.key.clone(), resource.state));
                    self.states.insert(resource.key, resource.state);
                }
            }
        }
        self.old.push(next);
        page.count > 0
    }
}

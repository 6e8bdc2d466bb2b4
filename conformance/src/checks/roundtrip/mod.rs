//! Round trip: each optional member and each code of each type that is taken by POST comes back as it was sent.

mod fit;
mod judge;
mod probe;

use std::collections::BTreeSet;
use std::sync::Arc;

use ade::catalog::{CollectionEntry, Verb};
use ade::schema::Standard;
use serde_json::Value;

use self::judge::Judge;
use self::probe::{Ground, Wish};
use super::sending::{Courier, allowed, animal};
use super::{Check, check};
use crate::client::Exchange;
use crate::clock;
use crate::compare::Difference;
use crate::document;
use crate::tally::Tally;
use crate::visit::{Page, Visit};

pub(super) static CHECKS: &[Check] = &[check!(all => "roundtrip.members", "roundtrip.values",
    "roundtrip.codes", "roundtrip.order", "roundtrip.invented", "roundtrip.valid",
    "roundtrip.refusal-named")];

/// Movements and deaths are sent for animals of the run only.
const MOVE: [&str; 4] = ["births", "deaths", "arrivals", "departures"];
/// The same for many animals; without animals of the run they name numbers that no animal has.
const MOVE_MANY: [&str; 4] = ["group-births", "group-deaths", "group-arrivals", "group-departures"];
/// Animals that documents are about: two, for lists of them.
const ANIMALS: usize = 2;
const DAY: i64 = 86_400;

async fn all(v: &Visit<'_>, t: &mut Tally<'_>) {
    if !allowed(v, t) {
        return;
    }
    let known = animals(v);
    let Some(place) = v.place.as_ref().filter(|_| !known.is_empty()) else {
        return t.none_offered("no location with an animal is known to send to");
    };
    t.none_offered("the server takes no single documents");
    t.skip("roundtrip.refusal-named", "nothing that was sent was refused");
    let now = clock::now();
    let mut ground = Ground {
        place: (place.scheme.clone(), place.id.clone()),
        animals: known,
        run: String::new(),
        time: now.as_second() - 10 * DAY - i64::from(now.subsec_nanosecond()) % 3_600,
    };
    let taking: Vec<(&'static CollectionEntry, &Page)> =
        v.pages().filter(|(entry, _)| entry.scoped && entry.allows(Verb::Post)).collect();
    let own = own_animals(v, &ground, &taking).await;
    if let Some((_, identifiers)) = &own {
        ground.animals.clone_from(identifiers);
    }
    let mut remaining = v.options.bounds.probes_in_all;
    for (entry, page) in taking {
        if own.is_none() && MOVE.contains(&entry.name.as_str()) {
            v.left_out.add(format!("round trip: {} (the server takes no animal that the run made up)", entry.name));
            continue;
        }
        if remaining == 0 {
            v.left_out.add(format!("round trip: {} (too many documents)", entry.name));
            continue;
        }
        v.progress.step(&format!("roundtrip {}", entry.name));
        let Some(mut prober) = Prober::new(v, entry, page, &ground, remaining) else {
            continue;
        };
        if own.is_none() && MOVE_MANY.contains(&entry.name.as_str()) {
            for (at, (_, id)) in prober.ground.animals.iter_mut().enumerate() {
                *id = format!("{}-{at}", prober.courier.run);
            }
        }
        prober.run(t).await;
        remaining = remaining.saturating_sub(prober.next);
        prober.courier.clean().await;
    }
    if let Some((courier, _)) = own {
        courier.clean().await;
    }
}

/// Two animals of the location, females if there are any: most events are theirs.
fn animals(v: &Visit<'_>) -> Vec<(String, String)> {
    let page = v.page_of("animals");
    let mut all: Vec<&Value> = page.iter().flat_map(|page| &page.members).collect();
    all.retain(|one| document::alive(one));
    all.sort_by_key(|one| one.get("gender").is_none_or(|gender| gender != "Female"));
    let each = all.into_iter();
    let mut found: Vec<(String, String)> =
        each.filter_map(|one| document::identifier(one, "/identifier")).take(ANIMALS).collect();
    if found.is_empty() {
        found.extend(animal(v));
    }
    found
}

/// Sends animals that documents can be about, so that nothing is stated about existing animals.
async fn own_animals<'v>(
    v: &'v Visit<'v>,
    ground: &Ground,
    taking: &[(&'static CollectionEntry, &Page)],
) -> Option<(Courier<'v>, Vec<(String, String)>)> {
    let (entry, page) = taking.iter().find(|(entry, _)| entry.name == "animals")?;
    let mut prober = Prober::new(v, entry, page, ground, ANIMALS)?;
    let none = BTreeSet::new();
    let mut all = Vec::new();
    for _ in 0..ANIMALS {
        let (response, e) = prober.send(&none, 0, &none).await?;
        let identifier = document::identifier(&response, "/identifier");
        if !e.ok() || e.disguised() || !prober.courier.comes(&response).await {
            prober.courier.clean().await;
            return None;
        }
        all.extend(identifier);
    }
    Some((prober.courier, all))
}

/// Sends the documents of one type.
struct Prober<'v> {
    courier: Courier<'v>,
    resource: &'static str,
    ground: Ground,
    /// Optional members that the server requires.
    needed: BTreeSet<&'static str>,
    /// Documents that were sent.
    next: usize,
    most: usize,
    /// Whether the list is read, since addresses of documents have no answer.
    by_list: bool,
}

impl<'v> Prober<'v> {
    fn new(
        v: &'v Visit<'v>,
        entry: &'static CollectionEntry,
        page: &Page,
        ground: &Ground,
        most: usize,
    ) -> Option<Self> {
        let courier = Courier::new(v, entry, page, "trip");
        let resource = Standard::get().resource(&entry.resource)?.name;
        let mut ground = ground.clone();
        ground.run.clone_from(&courier.run);
        Some(Self {
            courier,
            resource,
            ground,
            needed: BTreeSet::new(),
            next: 0,
            most: most.min(v.options.bounds.probes),
            by_list: false,
        })
    }

    /// Sends one document; `None` if no more may be sent.
    async fn send(
        &mut self,
        members: &BTreeSet<&'static str>,
        turn: usize,
        first: &BTreeSet<&'static str>,
    ) -> Option<(Value, Arc<Exchange>)> {
        if self.next >= self.most {
            let name = &self.courier.entry.name;
            let words = format!("round trip: {name}: not all members and codes were sent");
            self.courier.visit.left_out.add(words);
            return None;
        }
        let wish = Wish { resource: self.resource, members, turn, first, number: self.next };
        let original = probe::document(&self.ground, &wish)?;
        self.next += 1;
        let e = self.courier.post(&original).await;
        Some((original, e))
    }

    /// The document as it is returned now: at the address that the server gave, or in the list.
    async fn read(&mut self, original: &Value, e: &Exchange) -> Option<(Value, Option<Arc<Exchange>>)> {
        let v = self.courier.visit;
        let link = e.header("location").filter(|_| !self.by_list);
        let url = link.and_then(|link| v.link(e, link));
        if let Some(url) = url.filter(|url| v.ours(url)) {
            let there = v.client.get(&url).await;
            let pair = document::pair(original);
            let read = there.json().filter(|_| there.ok());
            if let Some(came) = read.filter(|came| document::pair(came) == pair) {
                return Some((came.clone(), Some(Arc::clone(&there))));
            }
        }
        let all = self.courier.until(original, |all| !all.is_empty()).await;
        self.by_list = true;
        let pair = document::pair(original);
        let came = all.into_iter().find(|one| document::pair(one) == pair)?;
        Some((came, None))
    }

    async fn run(&mut self, t: &mut Tally<'_>) {
        let mut judge = Judge::new(self.courier.visit, self.courier.entry, self.resource);
        let every: BTreeSet<&'static str> = probe::optional(self.resource).into_iter().collect();
        let Some(groups) = self.fit(t, &mut judge, every).await else {
            return;
        };
        for members in groups {
            for turn in 1..probe::turns(self.resource, &members) {
                if !self.turn(t, &mut judge, &members, turn).await {
                    return;
                }
            }
        }
    }

    /// Sends the same members with other codes; returns whether to go on.
    async fn turn(
        &mut self,
        t: &mut Tally<'_>,
        judge: &mut Judge<'_>,
        members: &BTreeSet<&'static str>,
        turn: usize,
    ) -> bool {
        let mut first = BTreeSet::new();
        for _ in 0..3 {
            let Some((response, e)) = self.send(members, turn, &first).await else {
                return false;
            };
            if e.ok() && !e.disguised() {
                self.compare(t, judge, &response, &e, turn).await;
                return true;
            }
            if !e.refused() {
                return false;
            }
            // A code that is refused is not sent again in this document.
            let named = judge.named(&response, &e);
            judge.refused(t, &named, &e);
            let before = first.len();
            first.extend(named);
            if first.len() == before {
                return true;
            }
        }
        true
    }

    /// Reads a document that was accepted, and judges it; `None` if it is not found again.
    async fn compare(
        &mut self,
        t: &mut Tally<'_>,
        judge: &mut Judge<'_>,
        document: &Value,
        e: &Arc<Exchange>,
        turn: usize,
    ) -> Option<()> {
        let (came, there) = self.read(document, e).await?;
        let found = judge.differences(document, &came, e);
        // A difference that another member of the document caused does not occur where a member is sent alone.
        let optional = probe::optional(self.resource);
        let together = optional.iter().filter(|name| document.get(**name).is_some());
        if together.count() > self.needed.len() + 1 {
            for name in optional {
                let own: Vec<Difference> = found
                    .iter()
                    .filter(|one| judge::top(&one.pointer) == name && judge.to_confirm(one))
                    .cloned()
                    .collect();
                if !own.is_empty() && self.next < self.most {
                    self.confirm(judge, &own, name, turn).await;
                }
            }
        }
        let at = there.as_ref().unwrap_or(e);
        judge.tell(t, (document, &came), &found, at);
        Some(())
    }

    /// Sends a member by itself, and notes which of the differences it causes.
    async fn confirm(&mut self, judge: &mut Judge<'_>, own: &[Difference], name: &'static str, turn: usize) {
        let mut chosen = self.needed.clone();
        chosen.insert(name);
        let Some((response, e)) = self.send(&chosen, turn, &BTreeSet::new()).await else {
            return;
        };
        if !e.ok() || e.disguised() {
            return;
        }
        if let Some((came, _)) = self.read(&response, &e).await {
            let found = judge.differences(&response, &came, &e);
            judge.alone(own, &found);
        }
    }
}

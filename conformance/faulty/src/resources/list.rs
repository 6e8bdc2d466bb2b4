//! Lists: the locations, the collections of one, and searches over all of them.

use super::filter::Wanted;
use crate::book::Record;
use crate::fault::Fault;
use crate::mode::Mode;
use crate::seed::{LOCATION_SCHEME, LOCATIONS, SOURCE};
use crate::spoil;
use crate::watch::Demands;
use crate::wire::answer::{Answer, Problem};
use crate::wire::request::Request;
use crate::world::World;
use ade::catalog::CollectionEntry;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A list before it is cut into pages: ascending numbers and their items.
type Items = Vec<(u64, Item)>;

/// An item of a list; records are serialised with their page.
#[derive(Clone)]
enum Item {
    Plain(Value),
    Stored(Arc<Record>),
}

impl World {
    /// `GET /locations`.
    pub(crate) fn locations(&self, who: &str, request: &Request) -> Answer {
        let seen = |place: &usize| self.sees(who, *place) || self.is(Fault::LocationsLeak);
        let hidden = |place: &usize| self.is(Fault::LocationNotListed) && *place == 1;
        let places = (0..LOCATIONS.len()).filter(|place| seen(place) && !hidden(place));
        let places = places.chain(self.is(Fault::LocationTwice).then_some(0));
        let items = places.filter_map(|place| {
            let one = LOCATIONS.get(place)?;
            let identifier = json!({"scheme": LOCATION_SCHEME, "id": one.id});
            let mut document = json!({
                "resourceType": "icarLocationResource",
                "meta": {"source": SOURCE, "sourceId": format!("locations:{place}"),
                    "modified": "2026-01-10T08:00:00Z", "created": "2026-01-10T08:00:00Z"},
                "location": identifier, "identifier": identifier,
                "name": one.name, "timeZoneId": "Europe/Berlin",
            });
            spoil::location(self, &mut document);
            Some((place as u64 + 1, Item::Plain(document)))
        });
        self.pages(request, items.collect(), &[])
    }

    /// `GET /service-sires`: the males of all places that the caller sees.
    pub(crate) fn sires(
        &self,
        who: &str,
        entry: &'static CollectionEntry,
        request: &Request,
    ) -> Result<Answer, Vec<Problem>> {
        let (wanted, ignored) = Wanted::read(self, entry, request)?;
        let book = self.book();
        let males = book.records().filter(|one| {
            one.collection == "animals"
                && !one.deleted
                && self.sees(who, one.place)
                && (self.is(Fault::SiresFemale) || one.document.get("gender") == Some(&json!("Male")))
                && wanted.fits(self, &book, one)
        });
        let items = males.map(|one| (one.id, Item::Plain(one.document.clone()))).collect();
        drop(book);
        Ok(self.pages(request, items, &ignored))
    }

    /// `GET` of a collection of a place.
    pub(crate) fn list(
        &self,
        place: usize,
        entry: &'static CollectionEntry,
        request: &Request,
    ) -> Result<Answer, Vec<Problem>> {
        let (wanted, ignored) = Wanted::read(self, entry, request)?;
        let book = self.book();
        let here = |one: &Record| {
            let foreign = self.is(Fault::ForeignItem) && one.source_id.ends_with(":S2");
            (one.place == place || foreign) && one.collection == entry.name && !hides(self, one)
        };
        let found = book.records().filter(|one| here(one) && wanted.fits(self, &book, one));
        let mut items: Items = found.map(|one| (one.id, Item::Stored(Arc::clone(one)))).collect();
        drop(book);
        if self.is(Fault::OrderEachTime) && !items.is_empty() {
            let turn = self.requests.load(std::sync::atomic::Ordering::Relaxed) as usize;
            let documents: Vec<Item> = items.iter().map(|(_, item)| item.clone()).collect();
            let count = documents.len();
            for (at, (_, item)) in items.iter_mut().enumerate() {
                if let Some(other) = documents.get((at + turn) % count) {
                    *item = other.clone();
                }
            }
        }
        if items.is_empty() && self.is(Fault::EmptyListIs404) {
            return Err(Problem::new(404, "resource-not-found", "Nothing was found.").into());
        }
        Ok(self.pages(request, items, &ignored))
    }

    /// `GET` of one resource.
    pub(crate) fn one(&self, place: usize, entry: &CollectionEntry, id: &str) -> Option<Answer> {
        let book = self.book();
        let found = book
            .records()
            .find(|one| one.collection == entry.name && one.place == place && one.id.to_string() == id && !one.deleted);
        found.map(|one| Answer::json(200, &self.tell(one)))
    }

    fn written(&self, item: &Item) -> Value {
        match item {
            Item::Plain(document) => document.clone(),
            Item::Stored(record) => self.tell(record),
        }
    }

    /// A record as it is returned.
    pub(crate) fn tell(&self, record: &Record) -> Value {
        let mut document = record.document.clone();
        spoil::document(self, record, &mut document);
        document
    }

    /// The page of a list that is requested.
    fn pages(&self, request: &Request, items: Items, ignored: &[String]) -> Answer {
        let size = self.page_size(request);
        let total = items.len();
        let mut start = match request.number::<u64>("after") {
            Some(after) => items.iter().take_while(|(id, _)| *id <= after).count(),
            None => {
                let page = request.number::<usize>("page").unwrap_or(1);
                page.saturating_sub(1).saturating_mul(size)
            }
        };
        let cutting = Cutting { world: self, request, items: &items, size };
        if start > 0 && self.is(Fault::PageSkipsItem) {
            start += 1;
        }
        let mut end = (start + size).min(total);
        let view = cutting.view(start, total);
        if start > 0 && self.is(Fault::PageRepeatsItem) {
            start -= 1;
        }
        if self.is(Fault::DropsLastItem) && end == start + size {
            end -= 1;
        }
        let mut members: Vec<Value> =
            items.get(start..end).unwrap_or_default().iter().map(|(_, item)| self.written(item)).collect();
        if self.is(Fault::OrderChanges) && start > 0 {
            // Like a list without an order: the last page repeats the members of the first.
            members = items.iter().take(members.len()).map(|(_, item)| self.written(item)).collect();
        }
        let demands = Demands {
            next: view.get("next").and_then(Value::as_str).map(str::to_owned),
            links: ["first", "prev", "next", "last"]
                .iter()
                .filter_map(|name| view.get(*name)?.as_str().map(str::to_owned))
                .collect(),
            list: true,
            ..Demands::default()
        };
        let mut body = Map::new();
        let bare = self.has(Mode::NoView) && total <= size;
        if !bare && !self.is(Fault::ViewMissing) {
            body.insert("view".to_owned(), Value::Object(view));
        }
        let name = match self.is(Fault::ItemsNotMember) {
            true => "items",
            false => "member",
        };
        let member = match members.len() {
            0 if self.is(Fault::EmptyListIsNull) => Value::Null,
            1 if self.is(Fault::SingleNotList) => members.pop().unwrap_or_default(),
            _ => Value::Array(members),
        };
        body.insert(name.to_owned(), member);
        let mut answer = Answer::json(200, &self.shape(Value::Object(body)));
        if self.is(Fault::BareArray) {
            let read: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            let members = read.get("member").cloned().unwrap_or_default();
            answer.body = members.to_string().into_bytes();
        }
        answer.demands = demands;
        if !ignored.is_empty() {
            answer.set(ade::IGNORED_FILTERS_HEADER, ignored.join(","));
        }
        answer
    }
}

/// Whether a list leaves a record out.
fn hides(world: &World, record: &Record) -> bool {
    if record.deleted {
        return !world.is(Fault::TombstonesInList);
    }
    world.is(Fault::PostNotStored) && record.source != SOURCE
}

struct Cutting<'w> {
    world: &'w World,
    request: &'w Request,
    items: &'w Items,
    size: usize,
}

impl Cutting<'_> {
    fn view(&self, start: usize, total: usize) -> Map<String, Value> {
        let world = self.world;
        let pages = total.div_ceil(self.size).max(1);
        let current = start / self.size + 1;
        let mut view = Map::new();
        let mut put = |name: &str, value: Value| {
            view.insert(name.to_owned(), value);
        };
        let number = |value: usize| match world.is(Fault::TotalsAsText) {
            true => json!(value.to_string()),
            false => json!(value),
        };
        let said = match () {
            () if world.is(Fault::TotalOffByOne) => total + 1,
            () if world.is(Fault::TotalWithoutFilter) && !self.plain() => total + 7,
            () if world.is(Fault::TotalOfPage) => self.size.min(total.saturating_sub(start)),
            () => total,
        };
        put("totalItems", number(said));
        put("totalPages", number(pages + usize::from(world.is(Fault::TotalPagesWrong))));
        let larger = usize::from(world.is(Fault::PageLargerThanSaid));
        put("pageSize", number(self.size - larger));
        let stuck = world.is(Fault::CurrentPageStuck);
        put("currentPage", number(if stuck { 1 } else { current }));
        let first = usize::from(world.is(Fault::FirstLeadsElsewhere));
        put("first", json!(self.link(first)));
        if start > 0 {
            put("prev", json!(self.link(current.saturating_sub(2))));
        }
        let last = match world.is(Fault::LastLeadsElsewhere) {
            true => pages.saturating_sub(2),
            false => pages - 1,
        };
        put("last", json!(self.link(last)));
        let next = match current < pages {
            true if world.is(Fault::NextMissing) => None,
            true if world.is(Fault::NextBroken) => Some(format!("{}x", self.link(current))),
            true if world.is(Fault::NextIsThis) && current > 1 => Some(self.link(current - 1)),
            true if world.is(Fault::NextNotAddress) => Some(format!("page {}", current + 1)),
            true => Some(self.link(current)),
            false if world.is(Fault::NextForEver) => Some(self.link(current)),
            false => None,
        };
        if let Some(next) = next {
            put("next", json!(next));
        }
        view
    }

    /// Whether only pages were requested, without filters.
    fn plain(&self) -> bool {
        let mut names = self.request.query.iter().map(|(name, _)| name.as_str());
        names.all(|name| matches!(name, "page" | "after" | "pageSize"))
    }

    /// The address of a page, counted from 0.
    fn link(&self, page: usize) -> String {
        let (world, request) = (self.world, self.request);
        let paging = ["page", "after"];
        let others = request.raw_query.split('&').filter(|pair| {
            let name = pair.split('=').next().unwrap_or_default();
            !pair.is_empty() && !paging.contains(&name)
        });
        let mut query: Vec<String> = others.map(str::to_owned).collect();
        if world.is(Fault::NextLosesFilter) {
            query.clear();
        }
        query.push(format!("page={}", page + 1));
        if page > 0 {
            let before = (page * self.size).min(self.items.len()).saturating_sub(1);
            let after = self.items.get(before).map_or(0, |(id, _)| *id);
            query.push(format!("after={after}"));
        }
        let query = query.join("&");
        if world.is(Fault::LinksToAnotherHost) {
            return format!("http://internal.example:8080{}?{query}", request.path);
        }
        let path = request.path.trim_end_matches('/');
        if world.is(Fault::NextBroken) && page > 0 {
            return format!("{}{path}/none?{query}", request.origin);
        }
        if world.has(Mode::RelativeLinks) {
            return format!("?{query}");
        }
        format!("{}{path}{}?{query}", request.origin, world.slash())
    }
}

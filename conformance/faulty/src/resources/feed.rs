//! Data sets, and their changes.

use crate::book::Record;
use crate::fault::Fault;
use crate::mode::Mode;
use crate::seed::LOCATIONS;
use crate::token::{Bad, Standing};
use crate::watch::Demands;
use crate::wire::answer::{Answer, Problem, object};
use crate::wire::request::Request;
use crate::world::World;
use ade::catalog::{Catalog, CollectionEntry};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The data set that has all others.
pub(crate) const EVERYTHING: &str = "everything";
/// Seconds that a call may wait.
pub(crate) const WAIT: u64 = 60;

/// A page of changes, and whether the call may wait for a later one.
pub(crate) struct Page {
    pub(crate) answer: Answer,
    pub(crate) idle: bool,
}

/// The requested part of a data set.
struct Choice {
    set: Option<&'static CollectionEntry>,
    types: Vec<String>,
    places: Vec<usize>,
    /// Written into tokens.
    word: String,
}

impl World {
    /// A data set by its name; `None` inside means all of them.
    pub(crate) fn set(&self, name: &str) -> Result<Option<&'static CollectionEntry>, Problem> {
        if name == EVERYTHING {
            return Ok(None);
        }
        let entry = Catalog::get().collection(name);
        let entry = entry.filter(|one| one.name == name && self.offers(one) && one.scoped);
        entry.map(Some).ok_or_else(|| Problem::new(404, "collection-unknown", format!("There is no data set {name}.")))
    }

    /// `GET /datasets`.
    pub(crate) fn sets(&self, request: &Request) -> Answer {
        let mut all: Vec<Value> = Vec::new();
        for name in crate::seed::collections().iter().copied() {
            if let Ok(Some(entry)) = self.set(name) {
                all.push(self.describe(request, &entry.name, Some(entry)));
            }
        }
        all.push(self.describe(request, EVERYTHING, None));
        if self.is(Fault::DatasetTwice) {
            all.extend(all.first().cloned());
        }
        let body = match self.is(Fault::DatasetsWrapped) {
            true => json!({"view": {}, "member": all}),
            false => Value::Array(all),
        };
        Answer::json(200, &self.shape(body))
    }

    /// The description of a data set in `GET /datasets` and `GET /datasets/{name}`.
    pub(crate) fn describe(&self, request: &Request, name: &str, entry: Option<&'static CollectionEntry>) -> Value {
        let slash = self.slash();
        let origin = match self.has(Mode::RelativeLinks) {
            true => "",
            false => &request.origin,
        };
        let url = format!("{origin}/ade/v1/datasets/{name}");
        let dead = match self.is(Fault::DatasetAddressDead) {
            true => "-none",
            false => "",
        };
        let types: Vec<&str> = match entry {
            Some(_) if self.is(Fault::ContainedTypesWrong) => vec!["icarDeviceResource2"],
            Some(entry) => vec![&entry.resource],
            None => {
                let all = crate::seed::collections().iter();
                let all = all.filter_map(|name| Catalog::get().collection(name));
                let types: BTreeSet<&str> = all.map(|one| one.resource.as_str()).collect();
                types.into_iter().collect()
            }
        };
        let changes = format!("{url}{dead}/changes{slash}");
        let has_changes = !self.is(Fault::DatasetWithoutChanges);
        object([
            ("name", Some(json!(name))),
            ("url", Some(json!(format!("{url}{slash}")))),
            ("changes", has_changes.then(|| json!(changes))),
            ("containedTypes", Some(json!(types))),
            ("wait", (!self.has(Mode::Sparse)).then(|| json!(WAIT))),
        ])
    }

    fn choice(&self, who: &str, name: &str, request: &Request) -> Result<Choice, Vec<Problem>> {
        let set = self.set(name)?;
        let mut types: Vec<String> =
            request.parameters("types").flat_map(|text| text.split(',').map(str::to_owned)).collect();
        types.sort_unstable();
        let schemes: Vec<&str> = request.parameters("location-scheme").collect();
        let ids: Vec<&str> = request.parameters("location-id").collect();
        let mut places: Vec<usize> = Vec::new();
        for (at, id) in ids.iter().enumerate() {
            let scheme = schemes.get(at).or_else(|| schemes.first()).copied().unwrap_or_default();
            let place = self.place(who, scheme, id).map_err(|mut one| {
                one.parameter = Some("location-id".into());
                vec![one]
            })?;
            places.push(place);
        }
        if ids.is_empty() || self.is(Fault::FeedLocationsIgnored) {
            let seen = |place: &usize| self.sees(who, *place) || self.is(Fault::FeedLeaksLocation);
            places = (0..LOCATIONS.len()).filter(seen).collect();
        }
        let word = match types.is_empty() && ids.is_empty() {
            true => String::new(),
            false => format!("{} {places:?}", types.join(",")),
        };
        if self.is(Fault::TypesIgnored) {
            types.clear();
        }
        Ok(Choice { set, types, places, word })
    }

    /// `GET /datasets/{name}/changes`.
    pub(crate) fn changes(&self, who: &str, name: &str, request: &Request) -> Result<Page, Vec<Problem>> {
        let choice = match self.choice(who, name, request) {
            Err(_) if self.set(name).is_err() && self.is(Fault::UnknownSetEmpty) => {
                Choice { set: None, types: vec!["none".to_owned()], places: Vec::new(), word: String::new() }
            }
            other => other?,
        };
        let last = self.book().change();
        let bounds = ["limit", "pageSize"];
        let limit = bounds.iter().find_map(|name| request.parameter(name));
        let limit = match limit.map(str::parse::<usize>) {
            Some(Err(_) | Ok(0)) => {
                return Err(Problem::parameter("limit", "limit must be a number from 1.").into());
            }
            Some(Ok(limit)) => limit.min(1_000),
            None if self.has(Mode::TinyPages) => 3,
            None => self.options.changes,
        };
        let limit = match self.is(Fault::LimitIgnored) {
            true => self.options.changes,
            false => limit,
        };
        let standing = Standing {
            set: name.to_owned(),
            account: who.to_owned(),
            filter: choice.word.clone(),
            change: 0,
            epoch: self.epoch(),
        };
        let (mut start, mut anew) = match request.parameter("since") {
            None if request.parameter("from") == Some("now") && !self.is(Fault::FromNowIgnored) => (last, None),
            Some(_) if request.parameter("from").is_some() && !self.is(Fault::FromNowWithSince) => {
                let detail = "from does not go together with since.";
                return Err(Problem::parameter("from", detail).into());
            }
            None => (0, None),
            Some(since) => self.since(&standing, since, last)?,
        };
        if self.is(Fault::FullSyncForEver) {
            (start, anew) = (0, Some("expired"));
        }
        if self.is(Fault::SinceIgnored) {
            start = 0;
        }
        let (mut found, mut more) = self.page_of(&choice, start, limit);
        let mut standing = standing;
        if anew.is_some() && self.options.disturb.full_sync_after > 0 {
            // As the standard says: the client asks without a token, and this page is of no use.
            (found, more) = (Vec::new(), None);
            standing.epoch = u64::MAX;
        }
        Ok(self.write(request, &standing, (start, anew), (&found, more)))
    }

    /// The position of a token; the word of a full sync, if it begins anew.
    fn since(&self, own: &Standing, since: &str, last: u64) -> Result<(u64, Option<&'static str>), Vec<Problem>> {
        let bad = |kind: &'static str, detail: &str| vec![Problem::parameter("since", detail).kind(kind)];
        let believe = self.is(Fault::ForgedTokenAccepted);
        // The suffix that this fault adds to a token is removed when the token comes back.
        let since = match self.is(Fault::TokenNeedsEscape) {
            true => since.trim_end_matches("+/="),
            false => since,
        };
        let read = match Standing::read(since, believe) {
            Ok(read) => read,
            Err(_) if self.is(Fault::BadTokenBeginsAnew) => return Ok((0, None)),
            Err(_) if self.is(Fault::BadTokenCrashes) => {
                return Err(Problem::new(500, "internal", "index out of bounds").into());
            }
            Err(_) if self.is(Fault::BadTokenEmptyPage) => return Ok((last, None)),
            Err(Bad::Forged) if self.is(Fault::ForgedTokenEmptyPage) => return Ok((last, None)),
            Err(Bad::Forged) if !self.is(Fault::ForgedCalledMalformed) => {
                return Err(bad("token-forged", "since was not signed by this service."));
            }
            Err(_) => {
                let detail = "since is not a token of this service.";
                return Err(bad("token-malformed", detail));
            }
        };
        let another = read.set != own.set && !self.is(Fault::OtherSetTokenAccepted)
            || read.account != own.account && !self.is(Fault::OtherClientTokenAccepted);
        if another {
            let detail = "since was given for another data set or client.";
            return Err(bad("token-foreign", detail));
        }
        if read.filter != own.filter && !self.is(Fault::OtherFilterTokenAccepted) {
            return Err(bad("token-filter", "since was given for other filters."));
        }
        if read.epoch != own.epoch {
            return Ok((0, Some("expired")));
        }
        if read.change > last {
            return Ok((0, Some("restored")));
        }
        Ok((read.change, None))
    }

    /// The changes behind a place, and whether there are more.
    fn page_of(&self, choice: &Choice, start: u64, limit: usize) -> (Vec<Arc<Record>>, Option<i64>) {
        let book = self.book();
        let wanted = |one: &&Arc<Record>| {
            let kind = one.document.get("resourceType").and_then(Value::as_str);
            let lacks = choice.set.is_none() && self.is(Fault::EverythingLacksSet) && one.collection == "remarks"
                || self.is(Fault::FeedLacksLocation) && one.place == 0
                || self.is(Fault::FeedLacksTombstones) && one.deleted;
            one.change > start
                && choice.set.is_none_or(|set| set.name == one.collection)
                && (choice.types.is_empty() || choice.types.iter().any(|own| kind == Some(own.as_str())))
                && choice.places.contains(&one.place)
                && !lacks
        };
        let mut found: Vec<Arc<Record>> = book.records().filter(wanted).cloned().collect();
        drop(book);
        found.sort_unstable_by_key(|one| one.change);
        let more = found.get(limit).map(|one| one.modified);
        found.truncate(limit);
        (found, more)
    }

    /// The elements of a page but for its continuation.
    fn elements(&self, standing: &Standing, found: &[Arc<Record>], last: bool) -> Vec<Value> {
        let mut resources: Vec<Value> = found.iter().map(|one| self.element(one)).collect();
        if self.is(Fault::FeedOrder) {
            resources.reverse();
        }
        if self.is(Fault::FeedRepeats)
            && let Some(first) = resources.first().cloned()
        {
            resources.push(first);
        }
        if self.is(Fault::FeedDropsLast) && !last {
            resources.pop();
        }
        let mut elements = Vec::with_capacity(resources.len() + 2);
        let description = format!("Changes of the data set {}", standing.set);
        let context = json!({"id": "@context", "description": description});
        if !self.is(Fault::ContextMissing) && !self.is(Fault::ContextLast) {
            elements.push(context.clone());
        }
        elements.extend(resources);
        if self.is(Fault::ContextLast) {
            elements.push(context);
        }
        elements
    }

    fn write(
        &self,
        request: &Request,
        standing: &Standing,
        (start, anew): (u64, Option<&'static str>),
        (found, more): (&[Arc<Record>], Option<i64>),
    ) -> Page {
        let mut end = found.last().map_or(start, |one| one.change);
        if more.is_some() && self.is(Fault::FeedSkipsAtBoundary) {
            end += 1;
        }
        if self.is(Fault::TokenRewinds) && start > 0 {
            end = start.saturating_sub(1).min(end);
        }
        if self.is(Fault::TokenNeverMoves) {
            end = start;
        }
        let idle = found.is_empty();
        let given = Standing { change: end, ..standing.clone() };
        let mut token = given.write_longer(if self.is(Fault::TokenTooLong) { 600 } else { 0 });
        if self.is(Fault::TokenNeedsEscape) {
            token.push_str("+/=");
        }
        let mut elements = self.elements(standing, found, more.is_none());
        let current = more.is_none();
        let said = current || self.is(Fault::CurrentTooEarly);
        let marked = !self.has(Mode::Sparse) && !self.is(Fault::CurrentMissing);
        let oldest = more.filter(|_| marked && !said && !self.is(Fault::PendingMissing));
        let continuation = object([
            ("id", Some(json!("@continuation"))),
            ("token", (!self.is(Fault::TokenMissing)).then(|| json!(token))),
            ("current", marked.then(|| json!(said))),
            ("pendingSince", oldest.map(|at| json!(ade::time::format_shortest(at)))),
        ]);
        match () {
            () if self.is(Fault::ContinuationMissing) => {}
            () if self.is(Fault::ContinuationMissingAtEnd) && current => {}
            () if self.is(Fault::ContinuationFirst) => elements.insert(1, continuation),
            () => elements.push(continuation),
        }
        if idle && self.is(Fault::EmptyPageIsEmptyList) {
            elements.clear();
        }
        let body = match self.is(Fault::ChangesWrapped) {
            true => json!({"member": elements}),
            false => Value::Array(elements),
        };
        let mut answer = Answer::json(200, &self.shape(body));
        if idle && self.is(Fault::EmptyPageIs204) {
            answer.status = 204;
            answer.body.clear();
        }
        if let Some(word) = anew {
            answer.set("icar-full-sync", "true");
            answer.set("X-ICAR-ADE-Full-Sync-Reason", word);
        }
        if self.is(Fault::FullSyncOnFirst) && request.parameter("since").is_none() {
            answer.set("icar-full-sync", "true");
        }
        answer.demands = Demands {
            set: Some(standing.set.clone()),
            token: Some(given.write()),
            full_sync: anew.is_some(),
            current,
            ..Demands::default()
        };
        Page { answer, idle: idle && anew.is_none() }
    }

    /// A record as the feed returns it.
    fn element(&self, record: &Record) -> Value {
        let mut element = self.tell(record);
        crate::spoil::element(self, record, &mut element);
        element
    }
}

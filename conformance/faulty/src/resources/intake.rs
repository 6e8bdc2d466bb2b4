//! Intake: one resource, a batch, a push.

use crate::book::{Book, Outcome};
use crate::fault::Fault;
use crate::mode::Mode;
use crate::seed::{LOCATION_SCHEME, LOCATIONS};
use crate::watch::Demands;
use crate::wire::answer::{Answer, Problem, object};
use crate::wire::request::Request;
use crate::world::World;
use ade::catalog::{Catalog, CollectionEntry};
use serde_json::{Value, json};

/// Elements of a batch or a push at most.
pub(crate) const MOST: usize = 10_000;

/// The identity of a checked element.
fn name(element: &Value) -> String {
    let text = |pointer| element.pointer(pointer).and_then(Value::as_str);
    let (source, id) = (text("/meta/source"), text("/meta/sourceId"));
    format!("{} {}", source.unwrap_or_default(), id.unwrap_or_default())
}

/// The names of the elements of a batch.
pub(crate) fn names(body: &[u8]) -> Vec<String> {
    let read: Option<Vec<Value>> = serde_json::from_slice(body).ok();
    read.unwrap_or_default().iter().map(name).collect()
}

fn is_tombstone(element: &Value) -> bool {
    element.pointer("/meta/isDeleted") == Some(&Value::Bool(true))
}

impl World {
    /// `POST` of one resource.
    pub(crate) fn post(
        &self,
        place: usize,
        entry: &'static CollectionEntry,
        request: &Request,
    ) -> Result<Answer, Vec<Problem>> {
        let mut sent = request.json(self.is(Fault::AnyContentTypeAccepted))?;
        let lost = match sent.as_object_mut() {
            Some(members) if self.has(Mode::LossTold) => members.remove("responsible").is_some(),
            Some(members) if self.has(Mode::Excludes) && members.contains_key("priority") => {
                members.remove("severity");
                false
            }
            _ => false,
        };
        let mut book = self.book();
        let checked = self.check(&book, place, entry, &sent, "");
        if !checked.is_empty() {
            if self.is(Fault::RefusedButStored) && sent.is_object() {
                book.store(entry, place, &sent, self.now());
            }
            if self.is(Fault::InvalidAccepted) {
                return Ok(Answer::json(200, &sent));
            }
            return Err(checked);
        }
        let body = sent.pointer("/location/id").and_then(Value::as_str);
        let named = LOCATIONS.iter().position(|one| Some(one.id) == body);
        let named = named.filter(|_| self.is(Fault::BodyLocationBelieved));
        let at = named.unwrap_or(place);
        if is_tombstone(&sent) && self.is(Fault::RetractUnknownRefused) {
            let known = book.records().any(|one| {
                !one.deleted && one.place == at && format!("{} {}", one.source, one.source_id) == name(&sent)
            });
            if !known {
                return Err(Problem::new(404, "resource-not-found", "It is not there.").into());
            }
        }
        let (id, outcome) = book.store(entry, at, &sent, self.now());
        if outcome == Outcome::Unchanged && self.is(Fault::RepeatRefused) {
            return Err(Problem::new(409, "conflict", "It is there already.").into());
        }
        let stored = book.records().find(|one| one.id == id);
        let stored = stored.map(|one| one.document.clone());
        self.tell_change(&book);
        drop(book);
        let stored = stored.unwrap_or_else(|| {
            json!({
                "resourceType": entry.resource,
                "location": {"scheme": LOCATION_SCHEME, "id": LOCATIONS.get(place).map_or("", |p| p.id)},
                "meta": sent.get("meta"),
            })
        });
        let path = request.path.trim_end_matches('/');
        let mut body = match self.is(Fault::AnswerIsOther) {
            true => json!({"ok": true}),
            false => self.shape(stored),
        };
        if let Some(members) = body.as_object_mut().filter(|_| lost) {
            let warning = json!([{"severity": "Warning", "title": "It is not stored.", "instance": "/responsible"}]);
            members.insert("warnings".to_owned(), warning);
        }
        let created = outcome == Outcome::Created;
        let mut answer = Answer::json(if created { 201 } else { 200 }, &body);
        if created && !self.is(Fault::CreatedWithoutAddress) {
            answer.set("Location", format!("{path}/{id}"));
        }
        if created && self.is(Fault::CreatedAddressDead) {
            answer.set("Location", format!("{path}/{id}/none"));
        }
        if (created && self.has(Mode::BareCreated)) || (!created && self.is(Fault::StoredEmpty)) {
            answer.body.clear();
        }
        Ok(answer)
    }

    /// `POST` of a batch: each element is accepted or refused on its own.
    pub(crate) fn batch(
        &self,
        place: usize,
        entry: &'static CollectionEntry,
        request: &Request,
    ) -> Result<Answer, Vec<Problem>> {
        let sent = request.json(self.is(Fault::AnyContentTypeAccepted))?;
        let elements = match sent {
            Value::Array(elements) if elements.is_empty() && self.is(Fault::EmptyBatchCrashes) => {
                return Err(Problem::new(500, "internal", "no first element").into());
            }
            Value::Array(elements) => elements,
            one if self.is(Fault::BatchOfOneAccepted) => vec![one],
            _ => {
                let problem = Problem::new(400, "body-shape", "a JSON array is expected");
                return Err(problem.into());
            }
        };
        if elements.len() > MOST || (elements.len() > 50 && self.has(Mode::SmallBatches)) {
            return Err(Problem::new(413, "body-too-large", "too many elements").into());
        }
        let before = self.book().clone();
        let mut results = Vec::new();
        let mut demands = Demands::default();
        let mut book = self.book();
        for element in &elements {
            let problems = self.check(&book, place, entry, element, "");
            if problems.is_empty() {
                let (id, outcome) = book.store(entry, place, element, self.now());
                demands.stored.push(name(element));
                results.push(self.result(element, id, outcome));
            } else {
                demands.refused += 1;
                if self.is(Fault::BatchStoresRejected) && element.is_object() {
                    book.store(entry, place, element, self.now());
                }
                if !self.is(Fault::BatchResultMissing) {
                    results.push(self.refusal(element, &problems));
                }
                if self.is(Fault::BatchStopsAtFirst) {
                    break;
                }
            }
        }
        if demands.refused > 0 && self.is(Fault::BatchAllOrNothing) {
            *book = before.clone();
        }
        if self.is(Fault::BatchLastNotStored) && demands.refused == 0 && elements.len() > 2 {
            let last = elements.last().map(name);
            *book = before;
            for element in elements.iter().filter(|one| Some(name(one)) != last) {
                book.store(entry, place, element, self.now());
            }
        }
        self.tell_change(&book);
        drop(book);
        if self.is(Fault::BatchOrder) {
            results.reverse();
        }
        let body = match self.is(Fault::BatchResultsWrapped) {
            true => json!({"results": results}),
            false => Value::Array(results),
        };
        let refused = demands.refused > 0 && self.is(Fault::BatchPartIs400);
        let mut answer = Answer::json(if refused { 400 } else { 200 }, &self.shape(body));
        answer.demands = demands;
        Ok(answer)
    }

    fn result(&self, element: &Value, id: u64, outcome: Outcome) -> Value {
        let (status, severity) = match outcome {
            Outcome::Created => (201, "Information"),
            Outcome::Stale => (200, "Warning"),
            _ => (200, "Information"),
        };
        let message = json!([{"type": outcome.word(), "severity": severity, "status": status,
            "title": outcome.word()}]);
        let id = Some(id).filter(|id| *id > 0 && !self.is(Fault::BatchIdMissing));
        let meta = !self.is(Fault::BatchMetaMissing);
        object([
            ("id", id.map(|id| json!(id.to_string()))),
            ("meta", meta.then(|| json!(element.get("meta")))),
            ("messages", Some(message)),
        ])
    }

    fn refusal(&self, element: &Value, problems: &[Problem]) -> Value {
        let severity = match () {
            () if self.is(Fault::BatchSeverityMild) => "Information",
            () if self.is(Fault::BatchSeverityUnknown) => "Fatal",
            () => "Error",
        };
        let placed = !self.is(Fault::BatchPlaceMissing);
        let messages = problems.iter().map(|one| {
            object([
                ("type", Some(json!(one.kind))),
                ("severity", Some(json!(severity))),
                ("status", Some(json!(one.status))),
                ("title", Some(json!(one.title()))),
                ("detail", Some(json!(one.detail))),
                ("instance", one.pointer.as_ref().filter(|_| placed).map(|at| json!(at))),
            ])
        });
        let messages = match () {
            () if self.is(Fault::BatchRefusalSilent) => None,
            () if self.is(Fault::BatchMessagesAsText) => Some(json!("refused")),
            () => Some(messages.collect()),
        };
        let meta = element.get("meta");
        object([
            ("meta", meta.filter(|_| !self.is(Fault::BatchMetaMissing)).cloned()),
            ("id", self.is(Fault::BatchRefusedHasId).then(|| json!("0"))),
            ("messages", messages),
        ])
    }

    /// `POST` to a data set: all or nothing. `set` is none for all data sets together.
    pub(crate) fn push(
        &self,
        who: &str,
        set: Option<&'static CollectionEntry>,
        request: &Request,
    ) -> Result<Answer, Vec<Problem>> {
        let sent = request.json(self.is(Fault::AnyContentTypeAccepted))?;
        if request.header(ade::FULL_SYNC_HEADER).is_some() && !self.is(Fault::PushTakesFullSync) {
            let detail = "icar-full-sync belongs to answers.";
            return Err(Problem::new(400, "field-value", detail).kind("full-sync-header").into());
        }
        let Value::Array(elements) = sent else {
            let problem = Problem::new(400, "body-shape", "a JSON array is expected");
            return Err(problem.into());
        };
        let mut book = self.book();
        let before = book.clone();
        let mut problems = Vec::new();
        let begins = elements.first().and_then(|one| one.get("id")) == Some(&json!("@context"));
        if !begins && self.is(Fault::PushNeedsContext) {
            problems.push(Problem::new(400, "body-shape", "the context is missing"));
        }
        for (at, element) in elements.iter().enumerate() {
            let mark = element.get("id").and_then(Value::as_str);
            if matches!(mark, Some("@context" | "@continuation")) && element.get("resourceType").is_none() {
                continue;
            }
            let pointer = format!("/{at}");
            match self.pushed(&book, who, set, element, &pointer) {
                Ok((entry, place)) => {
                    book.store(entry, place, element, self.now());
                }
                Err(found) if self.is(Fault::PushSilent) => drop(found),
                Err(found) => problems.extend(found),
            }
        }
        if !problems.is_empty() {
            if !self.is(Fault::PushNotAtomic) {
                *book = before;
            }
            return Err(problems);
        }
        if self.is(Fault::PushNotStored) {
            *book = before;
        }
        self.tell_change(&book);
        Ok(Answer {
            status: match self.is(Fault::PushAccepted) {
                true => 202,
                false => 200,
            },
            ..Answer::default()
        })
    }

    /// The place and collection of an element of a push.
    fn pushed(
        &self,
        book: &Book,
        who: &str,
        set: Option<&'static CollectionEntry>,
        element: &Value,
        at: &str,
    ) -> Result<(&'static CollectionEntry, usize), Vec<Problem>> {
        let kind = element.get("resourceType").and_then(Value::as_str);
        let missing = |member: &str| {
            let detail = "Is required in an exchange.";
            vec![Problem::new(400, "field-missing", detail).at(format!("{at}{member}"))]
        };
        let kind = kind.ok_or_else(|| missing("/resourceType"))?;
        let entry = match set {
            Some(entry) => Some(entry),
            None => {
                let mut all = Catalog::get().collections().iter();
                all.find(|one| one.resource == kind && self.offers(one))
            }
        };
        let other = || {
            let detail = format!("{kind} does not belong here.");
            vec![Problem::new(400, "field-value", detail).kind("other-resource").at(format!("{at}/resourceType"))]
        };
        let entry = entry.ok_or_else(other)?;
        let text = |pointer| element.pointer(pointer).and_then(Value::as_str);
        let (scheme, id) = (text("/location/scheme"), text("/location/id"));
        let (scheme, id) = scheme.zip(id).ok_or_else(|| missing("/location"))?;
        let place = match LOCATIONS.iter().position(|one| one.id == id) {
            Some(place) if self.is(Fault::PushRightsIgnored) => place,
            _ => self.own_place(who, scheme, id).map_err(|mut one| {
                one.pointer = Some(format!("{at}/location").into());
                vec![one]
            })?,
        };
        if is_tombstone(element) && self.is(Fault::PushRefusesTombstones) {
            let detail = "Deletions are not taken.";
            return Err(Problem::new(400, "field-value", detail).at(format!("{at}/meta/isDeleted")).into());
        }
        let found = self.check(book, place, entry, element, at);
        match found.is_empty() {
            true => Ok((entry, place)),
            false => Err(found),
        }
    }

    /// All faults of an element. Tombstones need their identity only.
    fn check(&self, book: &Book, place: usize, entry: &CollectionEntry, element: &Value, at: &str) -> Vec<Problem> {
        if !element.is_object() {
            return vec![Problem::new(400, "body-shape", "a JSON object is expected").at(at)];
        }
        let mut problems = Vec::new();
        let mut document = element.clone();
        let kind = element.get("resourceType").and_then(Value::as_str);
        let other = kind.filter(|kind| *kind != entry.resource && !self.is(Fault::OtherTypeTaken));
        if let Some(kind) = other {
            let detail = format!("{} is expected, not {kind}.", entry.resource);
            let problem = Problem::new(400, "field-value", detail).kind("other-resource");
            problems.push(problem.at(format!("{at}/resourceType")));
        } else if let Some(members) = document.as_object_mut() {
            members.insert("resourceType".to_owned(), json!(entry.resource));
        }
        for member in ["/meta/source", "/meta/sourceId"] {
            let text = element.pointer(member).and_then(Value::as_str);
            if text.unwrap_or_default().is_empty() && element.get("meta").is_none_or(Value::is_object) {
                let problem = Problem::new(400, "field-missing", "Is required.").kind("missing");
                problems.push(problem.at(format!("{at}{member}")));
            }
        }
        if is_tombstone(element) {
            return problems;
        }
        for fault in ade::validate(&entry.resource, &document) {
            if self.overlooks(fault.code) {
                continue;
            }
            let at = format!("{at}{}", fault.pointer);
            let is_at = |one: &Problem| one.pointer.as_deref() == Some(at.as_str());
            if problems.iter().any(is_at) {
                continue;
            }
            let code = match fault.code {
                ade::FaultCode::Missing => "field-missing",
                _ => "field-value",
            };
            let problem = Problem::new(400, code, fault.message).kind(fault.code.as_str());
            problems.push(problem.at(at));
        }
        if self.is(Fault::UnknownMemberRefused) {
            for fault in ade::unknown_members(&entry.resource, &document) {
                let problem = Problem::new(400, "field-value", "No such member.");
                problems.push(problem.at(format!("{at}{}", fault.pointer)));
            }
        }
        if self.is(Fault::RefusalUnexplained) && entry.name == "attention-events" && element.get("device").is_some() {
            problems.push(Problem::new(400, "field-value", "It is not taken."));
        }
        if self.has(Mode::NoDevices) && element.get("device").is_some() {
            let problem = Problem::new(400, "field-value", "No devices are stored here.");
            problems.push(problem.at(format!("{at}/device")));
        }
        let animal = element.get("animal").filter(|one| one.is_object());
        if problems.is_empty()
            && let Some(animal) = animal
            && !book.has_animal(place, animal)
        {
            let detail = "There is no such animal at this location.";
            problems.push(Problem::new(422, "animal-not-found", detail).at(format!("{at}/animal")));
        }
        problems
    }

    /// Whether a fault of a document is ignored.
    fn overlooks(&self, code: ade::FaultCode) -> bool {
        match self.options.fault {
            Some(Fault::MissingTaken) => code == ade::FaultCode::Missing,
            Some(Fault::CodeTaken) => code == ade::FaultCode::NotInEnum,
            Some(Fault::TypeTaken) => code == ade::FaultCode::WrongType,
            Some(Fault::LocalTimeTaken) => code == ade::FaultCode::BadFormat,
            _ => false,
        }
    }

    fn tell_change(&self, book: &Book) {
        self.changed.send_replace(book.change());
    }
}

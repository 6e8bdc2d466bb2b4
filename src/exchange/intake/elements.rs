//! Intake of documents that become elements of a list of a row which they name, as an animal that joins a set. Elements
//! are recognised by the sender's pair, or by our own key; the collection handles the effects on the row.

use crate::documents::names::select_named;
use crate::intake::DocumentIntake;
use crate::intake::delivery::{DocumentAnswer, State, refusal, refused};
use crate::intake::issues::{foreign, unknown_row};
use crate::projection::related::rows_by_id;
use mapping::{Element, Intake, Mapping};
use model::error::{Error, Issue, Result};
use model::fast::{IndexMap, IndexSet};
use model::parallel;
use model::record::{Record, Value, time};
use model::registry::{BookReader, Principal};
use model::said;
use ops::{Item, Outcome, WriteTransaction};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use store::Ty;

/// `meta.source`, `meta.sourceId`.
type Pair = (String, String);

/// Keys looked up together.
const TOGETHER: usize = 500;

/// The rows that documents name, with their lists as they become.
#[derive(Default)]
struct ElementLists {
    rows: IndexMap<i64, Record>,
    lists: IndexMap<i64, Vec<Json>>,
    /// Rows of the location, which documents may name.
    here: IndexSet<i64>,
    row_by_pair: IndexMap<Pair, i64>,
    /// The rows of the location that senders named, by the pair.
    row_by_sender_key: IndexMap<Pair, i64>,
}

impl ElementLists {
    fn list(&mut self, id: i64) -> Option<&mut Vec<Json>> {
        self.lists.get_mut(&id)
    }

    /// The element of a sender's pair.
    fn find(&self, pair: &Pair) -> Option<(i64, usize)> {
        let id = *self.row_by_pair.get(pair)?;
        let own = |row: &Json| {
            let text = |name: &str| row.get(name).and_then(Json::as_str);
            text("source") == Some(&pair.0) && text("sourceId") == Some(&pair.1)
        };
        Some((id, self.lists.get(&id)?.iter().position(own)?))
    }

    /// The element of our own key, which begins with the number of the row.
    fn find_own(&self, mapping: &Mapping, key: &str) -> Option<(i64, usize)> {
        let id = own_row(key)?;
        let row = self.rows.get(&id).filter(|_| self.here.contains(&id))?;
        let at = mapping.element_named(row, self.lists.get(&id)?, key)?;
        Some((id, at))
    }

    fn remove(&mut self, (id, at): (i64, usize)) {
        if let Some(list) = self.list(id).filter(|list| at < list.len()) {
            list.remove(at);
        }
    }
}

impl DocumentIntake {
    /// Takes in documents of one mapping and location, no two of the same pair. A caller who may write at the location
    /// may report who joined its sets, regardless of who created them; no member joins later than `latest`.
    pub(crate) async fn write_elements(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (mapping, element): (&Mapping, &Element),
        (location, latest): (i64, i64),
        docs: &[&Json],
    ) -> Result<Vec<DocumentAnswer>> {
        if !caller.sees_all() && caller.organization != Some(location) {
            return Ok(docs.iter().map(|_| DocumentAnswer::refused(Error::forbidden())).collect());
        }
        // Elements are found by their documents: what this intake wrote before must have its own.
        work.project(&self.projector).await?;
        let place = (location, latest);
        let (answers, refused) = self.element_run(work, (mapping, element), place, docs).await?;
        if !refused || docs.len() == 1 {
            return Ok(answers);
        }
        // One at fault does not hinder the others.
        let mut answers = Vec::with_capacity(docs.len());
        for doc in docs.chunks(1) {
            answers.extend(self.element_run(work, (mapping, element), place, doc).await?.0);
        }
        Ok(answers)
    }

    /// The answers, and whether the rows were refused: then nothing was written.
    async fn element_run(
        &self,
        work: &mut WriteTransaction<'_>,
        (mapping, element): (&Mapping, &Element),
        (location, latest): (i64, i64),
        docs: &[&Json],
    ) -> Result<(Vec<DocumentAnswer>, bool)> {
        let names = self.names(work, mapping, docs, location).await?;
        let read = parallel::map(docs, |doc| mapping.intake(doc, &names));
        let mut lists = self.lists(work, (mapping, element), location, docs, &read).await?;
        let mut answers = Vec::with_capacity(docs.len());
        for (doc, intake) in docs.iter().zip(read) {
            let place = ElementWriter { mapping, element, latest };
            answers.push(place.apply(&mut lists, self.rules.source(), doc, intake));
        }
        let c = work.collection(mapping.collection())?;
        let slug = self.rules.slug(mapping);
        let mut items = Vec::new();
        for (id, list) in &lists.lists {
            let before = lists.rows.get(id).map_or(&[][..], |row| row.get(element.slot).rows());
            if before == list.as_slice() {
                continue;
            }
            let filled = (!list.is_empty()).then(|| Value::json(Json::Array(list.clone())));
            items.push(Item::update(*id, Vec::new()).with_server(vec![(element.slot, filled.unwrap_or_default())]));
        }
        if items.is_empty() {
            return Ok((answers.into_iter().map(|a| a.of(slug)).collect(), false));
        }
        let system = Arc::new(Principal::system());
        let outcomes = work.write_groups(c, &system, vec![items]).await?;
        let mut issues = Vec::new();
        for outcome in outcomes.into_iter().flatten() {
            if let Outcome::Refused(error) = outcome {
                issues.extend(refusal(error).into_iter().map(|mut issue| {
                    issue.path = format!("/{}", element.by);
                    issue
                }));
            }
        }
        let with_issues = |mut answer: DocumentAnswer| {
            let wrote = !matches!(answer.state, State::Rejected | State::Unchanged);
            if !issues.is_empty() && wrote {
                answer.issues.extend(issues.iter().cloned());
                answer = DocumentAnswer::rejected(answer.issues);
            }
            answer.of(slug)
        };
        Ok((answers.into_iter().map(with_issues).collect(), !issues.is_empty()))
    }

    /// The rows that documents name or already have an element in.
    async fn lists(
        &self,
        work: &mut WriteTransaction<'_>,
        (mapping, element): (&Mapping, &Element),
        location: i64,
        docs: &[&Json],
        read: &[Intake],
    ) -> Result<ElementLists> {
        let mut lists = ElementLists::default();
        let pairs: IndexSet<&Pair> = read.iter().map(|intake| &intake.pair).collect();
        let pairs: Vec<&Pair> = pairs.into_iter().collect();
        lists.row_by_pair = rows_by_pair(work, (mapping.dataset(), location), &pairs, false).await?;
        let ours = |intake: &Intake| own_row(own_key(mapping, self.rules.source(), &intake.pair)?);
        lists.row_by_sender_key = self.sent_rows(work, element, location, docs, read).await?;
        let rows = docs.iter().filter_map(|doc| row_of(element, doc)).chain(lists.row_by_sender_key.values().copied());
        let rows: IndexSet<i64> = rows.chain(read.iter().filter_map(ours)).collect();
        let rows: Vec<i64> = rows.into_iter().collect();
        let of = self.rules.mappings().get(&element.of);
        if let Some(of) = of.filter(|of| of.collection() == mapping.collection()) {
            lists.here = self.here(work, of, location, &rows).await?;
        }
        let ids: IndexSet<i64> = (lists.row_by_pair.values().chain(&lists.here)).copied().collect();
        lists.rows = rows_by_id(work, mapping, ids).await?;
        lists.lists = lists.rows.iter().map(|(id, row)| (*id, row.get(element.slot).rows().to_vec())).collect();
        Ok(lists)
    }

    /// The rows that documents name by the key under which the same source sent them here.
    async fn sent_rows(
        &self,
        work: &mut WriteTransaction<'_>,
        element: &Element,
        location: i64,
        docs: &[&Json],
        read: &[Intake],
    ) -> Result<IndexMap<Pair, i64>> {
        let pairs = docs.iter().zip(read).filter_map(|(doc, intake)| {
            let name = doc.get(&element.by)?.as_str()?;
            let plain = !name.contains('\0') && !intake.pair.0.contains('\0');
            plain.then(|| (intake.pair.0.clone(), name.to_owned()))
        });
        let pairs: IndexSet<Pair> = pairs.collect();
        let pairs: Vec<&Pair> = pairs.iter().collect();
        rows_by_pair(work, (element.of.as_str(), location), &pairs, true).await
    }
}

/// The rows of documents by the pairs under which they were sent.
async fn rows_by_pair(
    work: &mut WriteTransaction<'_>,
    place: (&str, i64),
    pairs: &[&Pair],
    live: bool,
) -> Result<IndexMap<Pair, i64>> {
    let mut rows = IndexMap::default();
    for piece in pairs.chunks(TOGETHER) {
        let sources = piece.iter().map(|pair| pair.0.as_str());
        let mut sql = select_named(", record", place, sources, piece.iter().map(|pair| pair.1.as_str()));
        if live {
            sql.push(" AND deleted = ").bind(Ty::Bool, false);
        }
        let sql = if piece.len() > 1 { sql.one_off() } else { sql };
        for row in work.tx().rows(sql).await? {
            let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
            rows.extend(row.int(2).map(|id| ((text(0), text(1)), id)));
        }
    }
    Ok(rows)
}

/// What a document says of the lists.
struct ElementWriter<'m> {
    mapping: &'m Mapping,
    element: &'m Element,
    /// The latest time of an event that is accepted.
    latest: i64,
}

impl ElementWriter<'_> {
    fn apply(&self, lists: &mut ElementLists, source: &str, doc: &Json, mut intake: Intake) -> DocumentAnswer {
        let key = own_key(self.mapping, source, &intake.pair);
        let ours = key.is_some();
        let position = if let Some(key) = key { lists.find_own(self.mapping, key) } else { lists.find(&intake.pair) };
        let element = position.and_then(|(id, at)| lists.lists.get(&id)?.get(at)).cloned();
        let has_source = |row: &Json| row.get("source").is_some_and(|text| !text.is_null());
        match &element {
            Some(row) if ours && has_source(row) => return foreign(intake.issues),
            None if ours && !intake.deleted => return unknown_row(intake.issues),
            _ => {}
        }
        if intake.deleted {
            if let Some(position) = position {
                lists.remove(position);
            }
            return DocumentAnswer::new(State::Deleted, position.map(|(id, _)| id), intake.issues);
        }
        let new = self.read(lists, doc, &mut intake, ours);
        let Some((id, new)) = new.filter(|_| !refused(&intake.issues)) else {
            return DocumentAnswer::rejected(intake.issues);
        };
        let (Some(old), Some((had, at))) = (element, position) else {
            if let Some(list) = lists.list(id) {
                list.push(new);
            }
            lists.row_by_pair.insert(intake.pair, id);
            return DocumentAnswer::new(State::Created, Some(id), intake.issues);
        };
        if ours {
            self.named_by(&old, &new, id != had, &mut intake.issues);
            if refused(&intake.issues) {
                return DocumentAnswer::rejected(intake.issues);
            }
        } else if old.get(&self.element.animal) != new.get(&self.element.animal) {
            intake.issues.push(Issue::warning(
                "/animal",
                "animal-changed",
                "This resource belonged to another animal until now.",
            ));
        }
        let mut new = new;
        if let (Some(new), Some(name)) = (new.as_object_mut(), old.get("id")) {
            new.insert("id".to_owned(), name.clone());
        }
        if had == id && same(&old, &new) {
            return DocumentAnswer::new(State::Unchanged, Some(id), intake.issues);
        }
        if had == id {
            if let Some(place) = lists.list(id).and_then(|list| list.get_mut(at)) {
                *place = new;
            }
        } else {
            lists.remove((had, at));
            if let Some(list) = lists.list(id) {
                list.push(new);
            }
            lists.row_by_pair.insert(intake.pair, id);
        }
        DocumentAnswer::new(State::Updated, Some(id), intake.issues)
    }

    /// The row that a document names, and the element that it becomes there.
    fn read(&self, lists: &ElementLists, doc: &Json, intake: &mut Intake, ours: bool) -> Option<(i64, Json)> {
        // What the sender calls a row comes first: it need not know our numbers.
        let name = doc.get(&self.element.by).and_then(Json::as_str);
        let called = name.map(|name| (intake.pair.0.clone(), name.to_owned()));
        let row = called.and_then(|pair| lists.row_by_sender_key.get(&pair).copied());
        let row = row.or_else(|| row_of(self.element, doc)).filter(|id| lists.here.contains(id));
        if row.is_none() {
            intake.issues.push(Issue::error(
                format!("/{}", self.element.by),
                "set-not-found",
                said!("This location has no such resource in {dataset}.", dataset = &self.element.of),
            ));
        }
        let at = (doc.get("eventDateTime").and_then(Json::as_str)).and_then(ade::time::parse);
        if at.is_some_and(|at| at > self.latest) {
            let message = "This time is in the future.";
            intake.issues.push(Issue::error("/eventDateTime", "event-in-future", message));
        }
        let animal = self.mapping.element_animal(intake);
        let mut extra = std::mem::take(&mut intake.extra);
        extra.retain(|name, _| *name != self.element.by && name != "eventDateTime");
        let (id, at, animal) = (row?, at?, animal?);
        let (source, key) = &intake.pair;
        let mut new = json!({"id": format!("{source}#{key}")});
        let members = new.as_object_mut()?;
        members.insert(self.element.animal.clone(), animal.into());
        members.insert(self.element.at.clone(), time::to_iso(at).into());
        if !ours {
            members.insert("source".to_owned(), source.as_str().into());
            members.insert("sourceId".to_owned(), key.as_str().into());
        }
        if let Some(name) = self.element.extra.as_ref().filter(|_| !extra.is_empty()) {
            members.insert(name.clone(), Json::Object(extra));
        }
        Some((id, new))
    }

    /// What our own key is made of does not change under it.
    fn named_by(&self, old: &Json, new: &Json, moved: bool, issues: &mut Vec<Issue>) {
        let differs = |name: &str| old.get(name) != new.get(name);
        let parts = [
            (moved, self.element.by.as_str()),
            (differs(&self.element.animal), "animal"),
            (differs(&self.element.at), "eventDateTime"),
        ];
        for (_, name) in parts.into_iter().filter(|(changed, _)| *changed) {
            let message = "The name of this resource contains this value; retract the resource, and send another.";
            issues.push(Issue::error(format!("/{name}"), "field-value", message));
        }
    }
}

/// Elements without what is not filled.
fn same(one: &Json, other: &Json) -> bool {
    let filled = |row: &Json| {
        let mut row = row.as_object().cloned().unwrap_or_default();
        row.retain(|_, value| !value.is_null());
        row
    };
    filled(one) == filled(other)
}

/// The number of the row that a document names, by the `id` of its document or its key.
fn row_of(element: &Element, doc: &Json) -> Option<i64> {
    let name = doc.get(&element.by)?.as_str()?;
    let number = name.strip_prefix(element.of.as_str()).and_then(|key| key.strip_prefix(':')).unwrap_or(name);
    number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse().ok()).flatten()
}

fn own_key<'p>(mapping: &Mapping, source: &str, pair: &'p Pair) -> Option<&'p str> {
    let key = pair.1.strip_prefix(mapping.dataset())?.strip_prefix(':')?;
    (pair.0 == source).then_some(key)
}

fn own_row(key: &str) -> Option<i64> {
    key.split(':').next()?.parse().ok()
}

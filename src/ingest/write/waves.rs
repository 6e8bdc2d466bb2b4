//! A batch, written wave by wave: rows that name rows of the same batch come after them, and rows
//! with the same key after each other.

use super::keys::{Keys, Values};
use super::numbers::recognise;
use super::outcome::{errors, imported};
use super::references::{Resolved, Wait, at, at_mut, records_of, remove, resolve};
use super::shown_times::put_instants;
use super::states::{follow_reasons, undated};
use super::unique_numbers::duplicates;
use super::{Conflict, ImportBatch, ImportRow, ImportedRow, PackageRules, Patience, RowIdSet, RowOutcome};
use model::error::{Error, Issue, Result, Severity};
use model::record::{Record, Value};
use model::registry::{Caller, Collection, Field, ID, Kind, Principal, Verb, Writer, is_no_parent};
use model::said;
use ops::{Item, MOST_ID, WriteTransaction, parse_body};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A row that is ready to be written.
struct Ready {
    place: usize,
    id: Option<i64>,
    resolved: Resolved,
    /// Values by slot, as sent.
    body: Vec<(usize, Value)>,
    issues: Vec<Issue>,
    /// Values that cannot be read and are left out.
    left_out: Vec<Issue>,
}

pub(super) async fn write_batch(
    work: &mut WriteTransaction<'_>,
    caller: &Arc<Principal>,
    batch: ImportBatch,
    record_ids: &mut RowIdSet,
) -> Result<Vec<ImportedRow>> {
    let keys = Keys::of(batch.collection, caller.caller == Caller::Farm);
    let mut batch = batch;
    without_unknown_parents(&mut batch);
    records_of(work, &mut batch).await?;
    recognise(work, &mut batch).await?;
    let mut results: Vec<Option<ImportedRow>> = batch.rows.iter().map(|_| None).collect();
    // Of a row that could not be read nothing else is to be said.
    for (place, row) in batch.rows.iter().enumerate() {
        let unread: Vec<Issue> = (row.issues.iter()).filter(|issue| issue.path.is_empty()).cloned().collect();
        if !unread.is_empty() {
            set(&mut results, place, RowOutcome::Refused(unread), false);
        }
    }
    let read = |place: &usize| results.get(*place).is_some_and(Option::is_none);
    let mut open: Vec<usize> = (0..batch.rows.len()).filter(read).collect();
    let mut final_try = false;
    while !open.is_empty() {
        let rows: Vec<&ImportRow> = open.iter().filter_map(|at| batch.rows.get(*at)).collect();
        let mut tried = resolve(work, &batch, &rows, final_try).await?;
        follow_reasons(work, batch.collection, &mut tried).await?;
        put_instants(work, batch.collection, &mut tried).await?;
        let (wave, waiting) = split(&batch, &keys, &open, tried);
        let progress = !wave.is_empty();
        if !progress && !final_try {
            // What waits for rows of other batches goes on waiting; the rest is refused.
            let waits = |at: &usize| match waiting.get(at) {
                Some(Some(Wait::Relation)) => batch.patience != Patience::None,
                Some(Some(Wait::Text)) => batch.patience == Patience::All,
                _ => false,
            };
            for place in open.iter().filter(|at| waits(at)) {
                set(&mut results, *place, RowOutcome::Waits, false);
            }
            open.retain(|at| !waits(at));
            final_try = true;
            continue;
        }
        if !progress {
            return Err(Error::internal("rows of an import wait for nothing"));
        }
        let places: BTreeSet<usize> = wave.iter().map(|ready| ready.place).collect();
        write_wave(work, caller, &batch, &keys, wave, record_ids, &mut results).await?;
        open.retain(|at| !places.contains(at));
    }
    let lost = || Error::internal("a row of an import has no outcome");
    results.into_iter().map(|row| row.ok_or_else(lost)).collect()
}

/// What says that a parent is not known says nothing: the book keeps the parent that it has.
fn without_unknown_parents(batch: &mut ImportBatch) {
    for field in &batch.collection.fields {
        if !field.names_parent {
            continue;
        }
        for row in &mut batch.rows {
            if at(&row.body, &field.path).is_some_and(says_no_parent) {
                remove(&mut row.body, &field.path);
            }
        }
    }
}

/// Whether a number of a parent, or a relation by one of its fields, names none.
fn says_no_parent(value: &Json) -> bool {
    match value {
        Json::String(text) => is_no_parent(text),
        Json::Number(number) => number.as_i64() == Some(0),
        Json::Object(name) => name.len() == 1 && name.values().all(says_no_parent),
        _ => false,
    }
}

/// Rows that can be written now, and what the others wait for (nothing: an earlier row with the same key).
fn split(
    batch: &ImportBatch,
    keys: &Keys,
    open: &[usize],
    tried: Vec<Resolved>,
) -> (Vec<Ready>, BTreeMap<usize, Option<Wait>>) {
    let c = batch.collection;
    let serial = c.serial.and_then(|path| c.slot(path)).filter(|slot| *slot != ID);
    let mut wave = Vec::new();
    let mut waiting = BTreeMap::new();
    let mut used_keys = BTreeSet::new();
    let mut busy: BTreeSet<i64> = BTreeSet::new();
    for (place, mut resolved) in open.iter().copied().zip(tried) {
        let id = batch.rows.get(place).and_then(|row| row.id);
        if resolved.waits.is_some() {
            waiting.insert(place, resolved.waits);
            continue;
        }
        let (body, issues, left_out) = read_row(batch, &mut resolved);
        let values: Values = body.iter().cloned().collect();
        let own = if let Some(id) = id { vec![(usize::MAX, vec![id.to_string()])] } else { keys.filled(&values) };
        let of = serial.and_then(|slot| values.get(&slot)?.int());
        if own.iter().any(|key| used_keys.contains(key)) || of.is_some_and(|of| busy.contains(&of)) {
            used_keys.extend(own);
            waiting.insert(place, None);
            continue;
        }
        used_keys.extend(own);
        busy.extend(of);
        wave.push(Ready { place, id, resolved, body, issues, left_out });
    }
    (wave, waiting)
}

/// A row as values, the faults that refuse it, and those of values that are left out of it.
fn read_row(batch: &ImportBatch, resolved: &mut Resolved) -> (Vec<(usize, Value)>, Vec<Issue>, Vec<Issue>) {
    let c = batch.collection;
    let (body, issues) = parse_body(c, &resolved.body, None);
    // A name that means nothing comes first: the reader of bodies then does not add that the field is missing.
    let issues = [resolved.issues.clone(), issues].concat();
    let (issues, left_out) = sorted_out(batch, issues);
    // A member that is left out must not take its whole list along.
    let mut members = false;
    for issue in &left_out {
        members |= without_member(&mut resolved.body, &issue.path);
    }
    if members { (parse_body(c, &resolved.body, None).0, issues, left_out) } else { (body, issues, left_out) }
}

/// Faults that refuse a row, and those of values that are left out of it.
fn sorted_out(batch: &ImportBatch, issues: Vec<Issue>) -> (Vec<Issue>, Vec<Issue>) {
    let Some(package) = &batch.rules.package else { return (issues, Vec::new()) };
    let errors = issues.into_iter().filter(|issue| issue.severity == Severity::Error);
    errors.partition(|issue| package.refuses(batch.collection, issue))
}

impl PackageRules {
    /// Whether a fault of a value refuses its row. Other values are left out of it, with a remark.
    pub(crate) fn refuses(&self, c: &Collection, issue: &Issue) -> bool {
        // Such a column may be misread as a whole, and its rows with it.
        if ["notation-contradicts", "column-unconfirmed", "scale-unknown"].contains(&issue.code.as_ref()) {
            return true;
        }
        let path = without_places(&issue.path);
        let field = c.member(&path).or_else(|| c.fields.iter().find(|f| within(&path, &f.path)));
        let required = |one: &String| *one == path || within(one, &path);
        field.is_none_or(Field::must_come) || c.decides(&path) || self.required.iter().any(required)
    }
}

/// Whether a path lies below another one.
pub(crate) fn within(path: &str, whole: &str) -> bool {
    path.strip_prefix(whole).is_some_and(|rest| rest.starts_with('.'))
}

/// A path without the places of rows: `shows.0.date` is `shows.date`.
pub(crate) fn without_places(path: &str) -> String {
    path.split('.').filter(|part| !part.bytes().all(|b| b.is_ascii_digit())).collect::<Vec<_>>().join(".")
}

/// Takes a member of a row of a list out of a body; whether the path is one.
fn without_member(body: &mut Map<String, Json>, path: &str) -> bool {
    let Some((member, at)) = path.rsplit_once('.').map(|(at, member)| (member, at)) else { return false };
    let Some((list, place)) = at.rsplit_once('.') else { return false };
    let Ok(place) = place.parse::<usize>() else { return false };
    let row = at_mut(body, list).and_then(|rows| rows.as_array_mut()?.get_mut(place)?.as_object_mut());
    row.is_some_and(|row| row.shift_remove(member).is_some())
}

async fn write_wave(
    work: &mut WriteTransaction<'_>,
    caller: &Arc<Principal>,
    batch: &ImportBatch,
    keys: &Keys,
    wave: Vec<Ready>,
    record_ids: &mut RowIdSet,
    results: &mut [Option<ImportedRow>],
) -> Result<()> {
    let c = batch.collection;
    let values: Vec<Values> = wave.iter().map(|ready| ready.body.iter().cloned().collect()).collect();
    let searches: Vec<(Option<i64>, &Values)> = wave.iter().map(|ready| ready.id).zip(&values).collect();
    let candidates = keys.candidates(work, &searches).await?;
    let number_faults = duplicates(work, batch, &values, &candidates).await?;
    let mut items = Vec::new();
    let mut places = Vec::new();
    let mut left_out: BTreeMap<usize, Vec<Issue>> = BTreeMap::new();
    let rows = wave.into_iter().zip(number_faults);
    for (((mut ready, faults), candidates), values) in rows.zip(candidates).zip(&values) {
        ready.issues.extend(faults);
        let place = ready.place;
        let incomplete = ready.resolved.incomplete;
        let ready_left_out = ready.left_out.clone();
        let of_other = is_of_other_farm(batch, &candidates);
        match decide(batch, keys, &ready, candidates, values, record_ids) {
            Decision::Outcome(imported) => {
                if let RowOutcome::Unchanged(id) | RowOutcome::Skipped(id) = imported {
                    record_ids.insert(id);
                }
                // A row of the book that is not to be changed is not completed either.
                let changes = batch.rules.conflict == Conflict::Update;
                set(results, place, imported, incomplete && changes);
            }
            Decision::Write(item) => {
                items.push(item.with_server(stamps(batch, c)));
                places.push((place, incomplete, of_other));
            }
        }
        match results.get_mut(place) {
            Some(Some(row)) => row.left_out = ready_left_out,
            _ => {
                left_out.insert(place, ready_left_out);
            }
        }
    }
    let verbs: Vec<Verb> = items.iter().map(|item| item.verb).collect();
    let outcomes = work.write(c, caller, items).await?;
    for ((written, verb), outcome) in places.into_iter().zip(verbs).zip(outcomes) {
        let (place, incomplete, of_other) = written;
        let (imported, change, notes) = imported(batch, (verb, of_other), outcome, record_ids)?;
        set(results, place, imported, incomplete);
        if let Some(Some(row)) = results.get_mut(place) {
            row.left_out = left_out.remove(&place).unwrap_or_default();
            row.left_out.extend(notes);
            row.change = change;
        }
    }
    Ok(())
}

/// What the server adds to rows of a package.
fn stamps(batch: &ImportBatch, c: &Collection) -> Vec<(usize, Value)> {
    let stamps = batch.rules.package.iter().flat_map(|package| &package.stamps);
    stamps.filter_map(|(path, value)| Some((c.slot(path)?, value.clone()))).collect()
}

enum Decision {
    Outcome(RowOutcome),
    Write(Box<Item>),
}

/// What is to be done with a row, given the rows of the book that it may be.
fn decide(
    batch: &ImportBatch,
    keys: &Keys,
    ready: &Ready,
    mut candidates: Vec<Record>,
    values: &Values,
    record_ids: &RowIdSet,
) -> Decision {
    let c = batch.collection;
    let body = ready.body.clone();
    let mut issues = ready.issues.clone();
    let sound = issues.iter().all(|i| i.severity < Severity::Error);
    let filled = keys.filled(values);
    let key_path = || match ready.id {
        Some(_) => "id".to_owned(),
        None => keys.path(&filled),
    };
    match ready.id {
        // Where a part of the key must come, the reader of bodies says so.
        None if filled.is_empty() && sound && !keys.must_come() => {
            let message = "The row has no id and no key by which it could be recognised.";
            issues.push(Issue::error("id", "no-key", message));
        }
        Some(id) if !(1..=MOST_ID).contains(&id) => {
            let message = "This must be an id: 1, 2, …";
            issues.push(Issue::error("id", "wrong-type", message));
        }
        _ => {}
    }
    let id_of = |record: &Record| record.get(ID).int().unwrap_or_default();
    let is_same = |record: &Record| equal(c, record, &with_row_ids(c, ready, &body, record));
    if candidates.len() > 1 && sound {
        // One of them may be just as the file has it.
        let new = |record: &Record| !record_ids.contains(id_of(record));
        match (candidates.iter()).position(|record| new(record) && is_same(record)) {
            Some(at) => candidates = vec![candidates.swap_remove(at)],
            None => issues.push(ambiguous(candidates.len())),
        }
    }
    let old = candidates.into_iter().next();
    issues.extend(undated(c, old.as_ref(), &body));
    if let Some(old) = &old
        && !batch.completes
        && batch.joins().is_none()
        && record_ids.contains(id_of(old))
    {
        if batch.rules.package.is_some() && sound && is_same(old) {
            return Decision::Outcome(RowOutcome::Skipped(id_of(old)));
        }
        let message = "An earlier row of the files has the same key.";
        issues.push(Issue::error(key_path(), "duplicate-row", message));
        return refused(issues);
    }
    let Some(old) = old else {
        if batch.joins().is_some() && sound {
            issues.push(Issue::error(key_path(), "invalid-relation", "The book has no such record."));
        }
        return create(batch, ready.id, body, issues);
    };
    let id = id_of(&old);
    let body = match batch.joins() {
        None => with_row_ids(c, ready, &body, &old),
        Some((list, members)) => join_list(c, list, members, &body, &old),
    };
    let sound = issues.iter().all(|i| i.severity < Severity::Error);
    if sound && equal(c, &old, &body) {
        return Decision::Outcome(RowOutcome::Unchanged(id));
    }
    match batch.rules.conflict {
        Conflict::Skip if sound && !batch.completes => Decision::Outcome(RowOutcome::Skipped(id)),
        Conflict::Refuse if sound && !batch.completes => {
            issues.push(Issue::error(key_path(), "exists", "The book has this row with other values."));
            refused(issues)
        }
        _ => Decision::Write(Box::new(Item::update(id, body).with_issues(issues))),
    }
}

/// A row that the book does not have.
fn create(batch: &ImportBatch, id: Option<i64>, body: Vec<(usize, Value)>, mut issues: Vec<Issue>) -> Decision {
    if batch.joins().is_some() {
        return refused(issues);
    }
    // Ids in packages are those of rows that the sender reads: none is created with one.
    if batch.rules.package.is_some() && id.is_some() {
        issues.push(Issue::error("id", "resource-not-found", "Not Found"));
        return refused(issues);
    }
    let mut item = Item::create(body).with_issues(issues);
    item.id = id.filter(|id| (1..=MOST_ID).contains(id));
    Decision::Write(Box::new(item))
}

fn refused(issues: Vec<Issue>) -> Decision {
    Decision::Outcome(RowOutcome::Refused(errors(issues)))
}

fn ambiguous(count: usize) -> Issue {
    let message = said!("{count} rows of the book have this key: give the id.", count = count);
    Issue::error("id", "ambiguous-key", message)
}

/// Values with the ids that the rows of a list have in the book, where the file has none: the same
/// rows are the same rows.
fn with_row_ids(c: &Collection, ready: &Ready, body: &[(usize, Value)], old: &Record) -> Vec<(usize, Value)> {
    let fit = |(slot, value): &(usize, Value)| {
        let Some(field) = c.fields.get(*slot) else { return (*slot, value.clone()) };
        let (Kind::Rows(_), Some(Json::Array(rows))) = (&field.kind, value.as_json()) else {
            return (*slot, value.clone());
        };
        let entries = at(&ready.resolved.body, &field.path).and_then(Json::as_array);
        let mut rows = rows.clone();
        for (place, row) in rows.iter_mut().enumerate() {
            let has_id = entries.and_then(|s| s.get(place)?.get("id")).is_some();
            let stored = old.get(*slot).rows().get(place).and_then(|r| r.get("id"));
            if let (false, Some(id), Some(row)) = (has_id, stored, row.as_object_mut()) {
                row.insert("id".to_owned(), id.clone());
            }
        }
        (*slot, Value::json(Json::Array(rows)))
    };
    body.iter().map(fit).collect()
}

/// The list of a record with the row that was sent: in the place of the one that has the same members, or behind all.
fn join_list(
    c: &Collection,
    list: &str,
    members: &[String],
    body: &[(usize, Value)],
    old: &Record,
) -> Vec<(usize, Value)> {
    let Some(slot) = c.slot(list) else { return Vec::new() };
    let stated = body.iter().find(|(at, _)| *at == slot).and_then(|(_, value)| value.rows().first().cloned());
    let mut rows = old.get(slot).rows().to_vec();
    let Some(Json::Object(stated)) = stated else { return Vec::new() };
    match rows.iter().position(|row: &Json| members.iter().all(|member| row.get(member) == stated.get(member))) {
        Some(at) => {
            if let Some(Json::Object(row)) = rows.get_mut(at) {
                row.extend(stated.into_iter().filter(|(name, _)| name != "id"));
            }
        }
        None => rows.push(Json::Object(stated)),
    }
    vec![(slot, Value::json(Json::Array(rows)))]
}

/// Whether the book has all values that a row sends.
fn equal(c: &Collection, old: &Record, body: &[(usize, Value)]) -> bool {
    body.iter().all(|(slot, value)| {
        let Some(field) = c.fields.get(*slot) else { return true };
        let stamp = *slot == c.created_slot() || *slot == c.updated_slot();
        if *slot == ID || field.writer == Writer::Server || stamp {
            return true;
        }
        old.get(*slot) == value
    })
}

/// Whether a row of a package is an animal of another farm, which the sender reads.
fn is_of_other_farm(batch: &ImportBatch, candidates: &[Record]) -> bool {
    let c = batch.collection;
    let owner = c.access.subjects.first().and_then(|path| c.slot(path)).filter(|_| c.naming.numbers.is_some());
    let (Some(package), Some(owner)) = (&batch.rules.package, owner) else { return false };
    candidates.iter().filter_map(|row| row.get(owner).int()).any(|owner| owner != package.organization)
}

fn set(results: &mut [Option<ImportedRow>], place: usize, outcome: RowOutcome, incomplete: bool) {
    if let Some(slot) = results.get_mut(place) {
        let incomplete = incomplete && !matches!(outcome, RowOutcome::Refused(_) | RowOutcome::Waits);
        *slot = Some(ImportedRow { outcome, incomplete, left_out: Vec::new(), change: None });
    }
}

//! Findings of a part of the book in place of those that are stored of it.

use super::rows::{key_of, key_of_row, rows};
use super::scope::{Key, Scope, SourcedFinding};
use super::visibility::Readers;
use super::{SLUG, Slots, status};
use crate::collections::dictionaries::lookups::related;
use crate::collections::events::history::Amendments;
use checks::{Rule, Severity, checks};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Command, HookContext, ID, Lookup, Test};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that are looked through, and deleted, at once.
const STEP: i64 = 2_000;

/// What is read of stored findings.
const FIELDS: &[&str] = &[
    "code",
    "collection",
    "recordId",
    "path",
    "severity",
    "animal",
    "herd",
    "submission",
    "source",
    "organization",
    "message.en",
    "message.ru",
];

/// How many rows each check has, by its code: those to be corrected, and notes.
pub type Tally = BTreeMap<String, (u64, u64)>;

/// Puts the findings of a part of the book in place of the stored ones: new ones are inserted, changed ones amended,
/// mended ones deleted; one that is found again as it is costs nothing. Then `checkStatus` of the rows follows.
///
/// # Errors
/// Those of the context.
pub async fn store(context: &mut dyn HookContext, scope: &Scope, findings: &[SourcedFinding]) -> Result<Tally> {
    replace(context, scope, findings).await.map(|(tally, _)| tally)
}

/// Stores findings; answers what made the rows that came or changed, too.
pub(super) async fn replace(
    context: &mut dyn HookContext,
    scope: &Scope,
    findings: &[SourcedFinding],
) -> Result<(Tally, BTreeSet<Key>)> {
    let c = context.collection(SLUG)?;
    let s = Slots::get();
    let readers = Readers::of(context, findings.iter().map(|sourced| &sourced.finding)).await?;
    let rows = rows(scope, findings, &readers);
    let mut tally = Tally::new();
    for ((code, ..), row) in &rows {
        let (fix, note) = tally.entry(code.clone()).or_default();
        match row.severity {
            Severity::Fix => *fix += 1,
            Severity::Note => *note += 1,
        }
    }
    let stored = stored(context, scope).await?;
    let mut existing: BTreeMap<Key, &Record> =
        (stored.iter()).filter_map(|row| Some((key_of_row(row)?, row))).collect();
    // A row may stand in another part: of another herd or another mother, whose animal this one was.
    let elsewhere = rows.iter().filter(|(key, row)| {
        let own = row.source.is_some() && row.source == row.animal;
        !own && !existing.contains_key(*key)
    });
    let elsewhere: BTreeSet<i64> = elsewhere.map(|((_, _, record, _), _)| *record).collect();
    let elsewhere = related(context, SLUG, "recordId", elsewhere, FIELDS).await?;
    let adopted = elsewhere.iter().filter_map(|row| Some((key_of_row(row)?, row)));
    for (key, row) in adopted.filter(|(key, _)| rows.contains_key(key)) {
        existing.entry(key).or_insert(row);
    }
    let mut touched: BTreeSet<i64> = BTreeSet::new();
    let mut changed: BTreeSet<Key> = BTreeSet::new();
    let (mut fresh, mut amendments) = (Vec::new(), Amendments::default());
    let now = context.now();
    for (key, row) in &rows {
        let Some(old) = existing.remove(key) else {
            if scope.leaves(key) {
                continue;
            }
            fresh.push(row.row(c.width(), key, now));
            changed.insert(key.clone());
            touched.extend(row.animal);
            continue;
        };
        let values = row.values();
        if values.iter().any(|(slot, value)| old.get(*slot) != value) {
            let last = [(s.last, Value::Time(now))];
            amendments.note(old, values.into_iter().chain(last));
            if !scope.leaves(key) {
                changed.insert(key.clone());
            }
            touched.extend(row.animal);
            touched.extend(old.get(s.animal).int());
        }
    }
    touched.extend(existing.values().filter_map(|row| row.get(s.animal).int()));
    let gone: Vec<i64> = existing.values().filter_map(|row| row.get(ID).int()).collect();
    remove(context, gone).await?;
    amendments.write(context, SLUG).await?;
    context.log(SLUG, fresh).await?;
    if let Scope::Animals(animals) = scope {
        touched.extend(animals);
    }
    let whole = !matches!(scope, Scope::Written(..));
    status::follow(context, &touched, whole).await?;
    Ok((tally, changed))
}

async fn stored(context: &mut dyn HookContext, scope: &Scope) -> Result<Vec<Record>> {
    match scope {
        Scope::Animals(animals) => related(context, SLUG, "source", animals.iter().copied(), FIELDS).await,
        Scope::Written(animals, coverage) => {
            let rows = related(context, SLUG, "source", animals.iter().copied(), FIELDS).await?;
            let in_scope =
                |row: &Record| key_of_row(row).is_some_and(|(_, slug, id, path)| coverage.knows(&slug, &path, id));
            Ok(rows.into_iter().filter(in_scope).collect())
        }
        Scope::Herd(herd) => related(context, SLUG, "herd", [*herd], FIELDS).await,
        Scope::Package(package) => related(context, SLUG, "submission", [*package], FIELDS).await,
        Scope::Across(animals) => {
            let lookup = Lookup::by_ids("animal", animals.iter().copied());
            let lookup = lookup.is_in("code", across()).fields(FIELDS);
            context.find(SLUG, lookup).await
        }
    }
}

/// The codes of the checks across the book.
fn across() -> Vec<Value> {
    let across = checks().filter(|check| matches!(check.rule, Rule::Book(_)));
    across.map(|check| Value::from(check.code)).collect()
}

async fn remove(context: &mut dyn HookContext, ids: Vec<i64>) -> Result<()> {
    let commands = ids.into_iter().map(Command::Delete).collect();
    context.write(SLUG, commands).await.map(drop)
}

/// What makes the rows of some findings.
#[derive(Debug, Clone, Default)]
pub struct Keys(BTreeSet<Key>);

impl Keys {
    /// Adds those of findings.
    pub fn add(&mut self, findings: &[SourcedFinding]) {
        self.0.extend(findings.iter().map(|sourced| key_of(&sourced.finding)));
    }
}

/// Deletes findings across the book, after an id, that are none of these; says where to go on.
///
/// # Errors
/// Those of the context.
pub async fn forget_mended(context: &mut dyn HookContext, keys: &Keys, after: i64) -> Result<Option<i64>> {
    let lookup = Lookup::default()
        .is_in("code", across())
        .test("id", Test::From(Value::Int(after + 1)))
        .order(&["id"])
        .limit(STEP)
        .fields(FIELDS);
    let rows = context.find(SLUG, lookup).await?;
    let mended = |row: &&Record| key_of_row(row).is_some_and(|key| !keys.0.contains(&key));
    let mended: Vec<&Record> = rows.iter().filter(mended).collect();
    let animals = mended.iter().filter_map(|row| row.get(Slots::get().animal).int());
    let animals: BTreeSet<i64> = animals.collect();
    remove(context, mended.iter().filter_map(|row| row.get(ID).int()).collect()).await?;
    status::follow(context, &animals, true).await?;
    Ok(rows.last().and_then(|row| row.get(ID).int()))
}

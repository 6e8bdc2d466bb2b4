//! Rows that follow from raw documents: evaluations of centres, scores of
//! classifiers. The row of an animal and a day is made anew of all resources that speak of it, so that it
//! follows from them in whatever order they come (docs/design/exchange.md, *Raw documents*).

use crate::documents::raw::{COLUMNS, RawDocument};
use crate::intake::DocumentIntake;
use crate::intake::delivery::refusal;
use mapping::{Mapping, StatementRule};
use model::error::{Issue, Result, Severity};
use model::fast::IndexMap;
use model::record::{Record, Value};
use model::registry::{BookReader, Caller, Collection, ID, Lookup, Principal};
use ops::{Item, Outcome, WriteTransaction};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::{Sql, Ty};

/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Animals of one statement.
const TOGETHER: usize = 500;
/// The code of what the book could not take over.
const NOT_STORED: &str = "not-kept";

/// A row: its animal, its day, and what tells it from others of the day.
type Key = (i64, i64, Vec<String>);

/// Where a statement comes from, ordered so that later ones count.
#[derive(Debug, PartialEq, PartialOrd)]
struct Provenance {
    modified: Option<i64>,
    pair: (String, String),
    sender: Option<i64>,
}

/// What resources say of a row.
#[derive(Debug, Default)]
struct RowStatements {
    at: i64,
    kind: Vec<(usize, Value)>,
    statements: Vec<(Provenance, Vec<(usize, Value)>)>,
}

impl DocumentIntake {
    /// What a resource says that the book has no place for.
    pub(crate) fn unsupported_statements(&self, mapping: &Mapping, doc: &Json) -> Vec<Issue> {
        let rule = self.rules.mappings().stating(mapping.dataset()).and_then(Mapping::stated);
        rule.map_or_else(Vec::new, |rule| rule.read(doc).1)
    }

    /// Brings the rows of animals to what the resources of a data set say of them; `fresh` are the
    /// senders of those that came just now. Gives what the book refused, by animal.
    pub(crate) async fn restate(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        animals: &BTreeSet<i64>,
        fresh: &IndexMap<i64, Option<i64>>,
    ) -> Result<IndexMap<i64, Vec<Issue>>> {
        let mut refused: IndexMap<i64, Vec<Issue>> = IndexMap::default();
        let Some(file) = self.rules.mappings().stating(mapping.dataset()) else { return Ok(refused) };
        let c = work.collection(file.collection())?;
        let system =
            Arc::new(Principal { caller: Caller::System, user: caller.user, ip: caller.ip, ..Principal::anonymous() });
        let animals: Vec<i64> = animals.iter().copied().collect();
        for piece in animals.chunks(TOGETHER) {
            let statements = self.row_statements(work, file.collection(), piece, fresh).await?;
            let rows = work.find(c.slug, Lookup::by_ids("animal", piece.iter().copied())).await?;
            let Some(rule) = file.stated() else { continue };
            let (gone, items) = compared(c, rule, statements, &rows);
            work.write(c, &system, gone).await?;
            let about: Vec<i64> = items.iter().map(|(animal, _)| *animal).collect();
            let items = items.into_iter().map(|(_, item)| item).collect();
            let outcomes = work.write(c, &system, items).await?;
            for (animal, outcome) in about.into_iter().zip(outcomes) {
                if let Outcome::Refused(error) = outcome {
                    let issues = refusal(error).into_iter().map(|issue| Issue {
                        severity: Severity::Warning,
                        path: String::new(),
                        code: NOT_STORED.into(),
                        ..issue
                    });
                    refused.entry(animal).or_default().extend(issues);
                }
            }
        }
        Ok(refused)
    }

    /// What all resources that make rows of a collection say of animals.
    async fn row_statements(
        &self,
        work: &mut WriteTransaction<'_>,
        collection: &str,
        animals: &[i64],
        fresh: &IndexMap<i64, Option<i64>>,
    ) -> Result<BTreeMap<Key, RowStatements>> {
        let files =
            || self.rules.mappings().iter().filter(move |m| m.stated().is_some() && m.collection() == collection);
        let columns: Vec<String> = COLUMNS.split(", ").map(|name| format!("k.{name}")).collect();
        let mut sql = Sql::new("SELECT ");
        sql.push(&columns.join(", ")).push(
            ", s.organization FROM exchange_kept k LEFT JOIN exchange_sent s \
             ON s.location = k.organization AND s.source = k.source \
             AND s.source_id = k.source_id AND s.dataset = k.dataset WHERE k.animal IN ",
        );
        sql.bind_list(Ty::Int, animals.iter().copied().map(Value::Int)).push(" AND k.dataset IN ");
        sql.bind_list(Ty::Text, files().map(|m| Value::from(m.dataset())));
        let mut by_key: BTreeMap<Key, RowStatements> = BTreeMap::new();
        for row in work.tx().rows(sql.one_off()).await? {
            let document = RawDocument::read(&row);
            let file = files().find(|m| m.dataset() == document.dataset);
            let (Some(rule), Some(animal)) = (file.and_then(Mapping::stated), document.animal) else { continue };
            let Ok(doc) = serde_json::from_str::<Json>(&document.body) else { continue };
            let modified = doc.pointer("/meta/modified").and_then(Json::as_str).and_then(ade::time::parse);
            let sender = fresh.get(&document.id).copied().unwrap_or_else(|| row.int(9));
            for statement in rule.read(&doc).0 {
                let kinds = statement.kind.iter().map(|(_, kind)| format!("{kind:?}"));
                let day = statement.at.div_euclid(DAY);
                let target = by_key.entry((animal, day, kinds.collect())).or_default();
                target.at = day.saturating_mul(DAY);
                target.kind = statement.kind;
                let provenance =
                    Provenance { modified, pair: (document.source.clone(), document.source_id.clone()), sender };
                target.statements.push((provenance, statement.values));
            }
        }
        Ok(by_key)
    }
}

/// What has to be deleted, and what to be written for each animal, so that the rows say what is
/// wanted. Of two senders the one that spoke last counts.
fn compared(
    c: &Collection,
    rule: &StatementRule,
    expected: BTreeMap<Key, RowStatements>,
    rows: &[Record],
) -> (Vec<Item>, Vec<(i64, Item)>) {
    let animal = c.at("animal");
    let kinds: Vec<usize> = rule.kinds().collect();
    let slots: BTreeSet<usize> = rule.slots().collect();
    let key = |row: &Record| -> Option<Key> {
        let day = row.get(rule.date).time()?.div_euclid(DAY);
        let kinds = kinds.iter().map(|slot| row.get(*slot));
        let kinds = kinds.filter(|kind| !kind.is_null()).map(|kind| format!("{kind:?}"));
        Some((row.get(animal).int()?, day, kinds.collect()))
    };
    let mut existing: BTreeMap<Key, &Record> =
        (rows.iter()).filter(|row| row.get(rule.flag).truth()).filter_map(|row| Some((key(row)?, row))).collect();
    let mut items = Vec::new();
    for (key, mut row_expected) in expected {
        row_expected
            .statements
            .sort_by(|(one, _), (other, _)| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
        let Some(sender) = row_expected.statements.last().map(|(provenance, _)| provenance.sender) else { continue };
        let mut values: BTreeMap<usize, Value> = slots.iter().map(|slot| (*slot, Value::Null)).collect();
        let own = row_expected.statements.into_iter().filter(|(provenance, _)| provenance.sender == sender);
        values.extend(own.flat_map(|(_, values)| values));
        let [accredited, association] = &rule.set;
        let set = if sender.is_some() { accredited } else { association };
        values.extend(set.iter().cloned());
        values.extend(row_expected.kind);
        values.insert(rule.date, Value::Time(row_expected.at));
        values.insert(rule.sender, sender.into());
        values.insert(rule.flag, Value::Bool(true));
        values.insert(animal, Value::Int(key.0));
        match existing.remove(&key) {
            Some(row) => {
                values.retain(|slot, value| row.get(*slot) != value);
                if let (Some(id), false) = (row.get(ID).int(), values.is_empty()) {
                    items.push((key.0, Item::update(id, values.into_iter().collect())));
                }
            }
            None => {
                values.retain(|_, value| !value.is_null());
                items.push((key.0, Item::create(values.into_iter().collect())));
            }
        }
    }
    (existing.values().filter_map(|row| row.get(ID).int()).map(Item::delete).collect(), items)
}

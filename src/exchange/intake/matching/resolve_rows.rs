//! Matches documents to rows by source key or own id, and computes the difference.

use crate::documents::names::Names;
use crate::intake::DocumentIntake;
use crate::projection::related::{RelatedRecords, rows_by_id};
use mapping::{Intake, Mapping, Row};
use model::error::{Issue, Result};
use model::fast::{IndexMap, IndexSet};
use model::record::{Record, Value};
use model::registry::{BookReader, ID, Lookup, Test};
use ops::WriteTransaction;
use serde_json::Value as Json;
use store::{Sql, Ty};

/// The row that a document is about.
pub(crate) enum Target {
    Row(i64),
    /// None yet: a new one.
    Absent,
    /// Our own id, but no document of this location has it.
    Unknown,
    /// Our own id for a resource that another source sent.
    Foreign,
    /// One that the other side has recorded.
    Matched(i64, MatchKind),
}

/// How a document refers to a row that the other side has recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchKind {
    /// It comes to the row.
    Joins,
    /// It came before, and says something else.
    Corrects,
    /// It is retracted.
    Leaves,
}

impl DocumentIntake {
    /// The rows of documents, found by the sender's pair or by our own id.
    pub(crate) async fn resolve_rows(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        location: i64,
        read: &[Intake],
    ) -> Result<Vec<Target>> {
        let c = work.collection(mapping.collection())?;
        let mut by_pair: IndexMap<(String, String), i64> = IndexMap::default();
        let path = |slot: usize| c.fields.get(slot).map_or("", |f| f.path.as_str());
        if let (Some((source, source_id)), Some(scope)) = (mapping.pair(), mapping.scope()) {
            let keys: IndexSet<&String> =
                (read.iter()).filter(|i| !matches!(i.row, Row::Id(_))).map(|i| &i.pair.1).collect();
            if !keys.is_empty() {
                let keys = keys.into_iter().cloned().map(Value::Text).collect();
                let sources: IndexSet<&String> = read.iter().map(|i| &i.pair.0).collect();
                let sources = sources.into_iter().cloned().map(Value::Text).collect();
                // All parts of the unique key, or the look-up scans the whole herd.
                let lookup = Lookup::default()
                    .test(path(scope), Test::In(vec![Value::Int(location)]))
                    .is_in(path(source), sources)
                    .is_in(path(source_id), keys);
                let lookup = match mapping.dataset_slot() {
                    Some(slot) => lookup.is_in(path(slot), vec![mapping.dataset().into()]),
                    None => lookup,
                };
                for row in work.find(c.slug, lookup.fields(&[path(source), path(source_id)])).await? {
                    let text = |slot| row.get(slot).text().unwrap_or_default().to_owned();
                    if let Some(id) = row.get(ID).int() {
                        by_pair.insert((text(source), text(source_id)), id);
                    }
                }
            }
        }
        let ours: Vec<i64> = (read.iter())
            .filter_map(|i| match i.row {
                Row::Id(id) => Some(id),
                _ => None,
            })
            .collect();
        let ours = self.here(work, mapping, location, &ours).await?;
        let foreign = self.rows_of_senders(work, mapping, location, &ours).await?;
        Ok((read.iter())
            .map(|intake| match intake.row {
                Row::Id(id) if foreign.contains(&id) => Target::Foreign,
                Row::Id(id) if ours.contains(&id) => Target::Row(id),
                Row::Id(_) => Target::Unknown,
                Row::Pair => by_pair.get(&intake.pair).map_or(Target::Absent, |id| Target::Row(*id)),
                Row::PairOr(id) => Target::Row(by_pair.get(&intake.pair).copied().unwrap_or(id)),
            })
            .collect())
    }

    /// Which of these rows a sender sent to this location: here only that sender's pair may
    /// change them. At locations that they moved to with their animal, our own pair does.
    async fn rows_of_senders(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        location: i64,
        rows: &IndexSet<i64>,
    ) -> Result<IndexSet<i64>> {
        let (Some((source, _)), false) = (mapping.pair(), rows.is_empty()) else { return Ok(IndexSet::default()) };
        let c = work.collection(mapping.collection())?;
        let path = |slot: usize| c.fields.get(slot).map_or("", |f| f.path.as_str());
        let mut lookup = Lookup::by_ids("id", rows.iter().copied()).test(path(source), Test::Filled);
        if let Some(scope) = mapping.scope() {
            lookup = lookup.is_in(path(scope), vec![Value::Int(location)]);
        }
        let records = work.find(c.slug, lookup.fields(&["id"])).await?;
        Ok(records.iter().filter_map(|row| row.get(ID).int()).collect())
    }

    /// Which rows have a live document at a location.
    pub(crate) async fn here(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        location: i64,
        records: &[i64],
    ) -> Result<IndexSet<i64>> {
        if records.is_empty() {
            return Ok(IndexSet::default());
        }
        // By the key of rows; the location is compared here, as in `bodies`.
        let mut sql = Sql::new("SELECT d.record, d.location FROM ");
        sql.keyed(
            work.tx().dialect(),
            ("exchange_documents", "d", "record"),
            (Ty::Int, records.iter().copied().map(Value::Int)),
            |sql| {
                sql.push(" AND d.dataset = ").name_number(mapping.dataset());
                sql.push(" AND d.collection = ").name_number(mapping.collection());
                sql.push(" AND d.deleted = ").bind(Ty::Bool, false);
            },
        );
        let rows = work.tx().rows(sql.one_off()).await?;
        Ok((rows.iter()).filter(|r| r.int(1) == Some(location)).filter_map(|r| r.int(0)).collect())
    }

    /// Removes from the documents every value that equals what we serve, so that an echo of our own document is no
    /// change. A part stores only its latest document: returns the indexes of documents that are older than their row.
    pub(crate) async fn settle(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        docs: &[&Json],
        rows: &[Target],
        read: &mut [Intake],
    ) -> Result<IndexSet<usize>> {
        let ids: IndexSet<i64> = (rows.iter().zip(read.iter()))
            .filter(|(_, intake)| !intake.deleted && !intake.refused())
            .filter_map(|(row, _)| match row {
                Target::Row(id) => Some(*id),
                Target::Absent | Target::Unknown | Target::Foreign | Target::Matched(..) => None,
            })
            .collect();
        let mut late = IndexSet::default();
        if ids.is_empty() {
            return Ok(late);
        }
        let records = rows_by_id(work, mapping, ids).await?;
        let related = RelatedRecords::load(work, mapping, self.rules.fields(), records.values()).await?;
        for (at, ((row, intake), doc)) in rows.iter().zip(read).zip(docs).enumerate() {
            let record = match row {
                Target::Row(id) if !intake.deleted && !intake.refused() => records.get(id),
                _ => None,
            };
            let Some(record) = record else { continue };
            if mapping.is_part() && older(mapping, record, &related, intake, doc) {
                late.insert(at);
            } else {
                mapping.settle(doc, record, &related, intake);
                let animal = mapping.animal_slot().map(|slot| (slot, record.get(slot)));
                let other = |(slot, had): (usize, &Value)| {
                    let mut fields = intake.fields.iter();
                    !had.is_null() && fields.any(|(s, new_value)| *s == slot && new_value != had)
                };
                if animal.is_some_and(other) {
                    intake.issues.push(Issue::warning(
                        "/animal",
                        "animal-changed",
                        "This resource belonged to another animal until now.",
                    ));
                }
            }
        }
        Ok(late)
    }
}

/// Whether the row of a part already has a later document under another pair.
fn older(mapping: &Mapping, record: &Record, related: &RelatedRecords, intake: &Intake, doc: &Json) -> bool {
    let mut served = Vec::new();
    mapping.render(record, related, &mut served);
    let date = doc.get("eventDateTime").and_then(Json::as_str).and_then(ade::time::parse);
    served.iter().any(|had| {
        let other = (&had.source, &had.source_id) != (&intake.pair.0, &intake.pair.1);
        other && had.event_at.zip(date).is_some_and(|(had, sent)| sent < had)
    })
}

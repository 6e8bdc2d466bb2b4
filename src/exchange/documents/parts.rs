//! Documents of several rows (docs/design/exchange.md, *Special documents*): rows with the same
//! pair of a sender are one document, in the order of their numbers. They are rendered, read and
//! written together, and what a document changes is changed in all its rows or in none.

use crate::documents::stored_document::Documents;
use crate::documents::wordings::{Readings, WordingSource};
use crate::intake::DocumentIntake;
use crate::intake::delivery::{DocumentAnswer, State, complete, lacking, pointed, put, refusal};
use crate::intake::issues::{foreign, unknown_row};
use crate::projection::plan;
use crate::projection::projector::Projector;
use crate::projection::related::RelatedRecords;
use mapping::{Intake, Mapping, RenderedDocument, Row};
use model::error::{Issue, Result};
use model::fast::{IndexMap, IndexSet};
use model::parallel;
use model::record::{Record, Value};
use model::registry::{BookReader, Collection, ID, Lookup, Principal};
use ops::{Item, Outcome, Touched, WriteTransaction};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::sync::Arc;

/// What the rows of one document share: organisation, source, key.
type Key = (i64, String, String);

/// Rows looked up together.
const TOGETHER: usize = 1_000;

/// A document by its rows, or a row by itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Group {
    Pair(Key),
    Row(i64),
}

/// Slots of what the rows of a document share, and of their number.
#[derive(Clone, Copy)]
struct Slots {
    scope: usize,
    source: usize,
    source_id: usize,
    dataset: usize,
    part: usize,
}

impl Slots {
    fn of(mapping: &Mapping) -> Option<Self> {
        let (source, source_id) = mapping.pair()?;
        Some(Self {
            scope: mapping.scope()?,
            source,
            source_id,
            dataset: mapping.dataset_slot()?,
            part: mapping.parts()?,
        })
    }

    /// Whether a document came to this location under a sender's pair: there it changes under that alone.
    fn sent_here(self, ours: &str, location: i64, rows: &[Record]) -> bool {
        rows.first().is_some_and(|row| {
            let source = row.get(self.source).text();
            let home = row.get(self.scope).int() == Some(location);
            home && source.is_some_and(|source| source != ours)
        })
    }

    fn group(self, mapping: &Mapping, row: &Record) -> Option<Group> {
        let id = row.get(ID).int()?;
        let text = |slot: usize| row.get(slot).text().map(str::to_owned);
        let ours = row.get(self.dataset).text() == Some(mapping.dataset());
        let pair = (row.get(self.scope).int().filter(|_| ours)).zip(text(self.source).zip(text(self.source_id)));
        Some(if let Some((scope, (source, key))) = pair { Group::Pair((scope, source, key)) } else { Group::Row(id) })
    }
}

/// Documents and their rows, in order.
type Groups = IndexMap<Group, Vec<Record>>;

impl Projector {
    /// [`Projector::refresh`] for documents of several rows: whichever row changed, the whole
    /// document is rendered.
    pub(crate) async fn refresh_parts(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        rows: IndexSet<i64>,
        touched: &Touched,
        source: WordingSource<'_, '_>,
    ) -> Result<()> {
        let Some(slots) = Slots::of(mapping) else { return Ok(()) };
        let c = work.collection(mapping.collection())?;
        let ids: Vec<i64> = rows.into_iter().collect();
        for piece in ids.chunks(TOGETHER) {
            let present = self.records(work, mapping, piece, touched).await?;
            let mut groups: Groups = Groups::default();
            // Rows that are gone leave their document to the others.
            let gone = (piece.iter()).filter_map(|id| {
                let touch = touched.get(&(c.slug, *id)).filter(|t| t.gone)?;
                touch.old.as_ref()
            });
            let mut ids_of: IndexMap<Group, Vec<i64>> = IndexMap::default();
            for row in present.values().map(Cow::as_ref).chain(gone) {
                if let Some(group) = slots.group(mapping, row) {
                    ids_of.entry(group.clone()).or_default().push(row.get(ID).int().unwrap_or_default());
                    groups.entry(group).or_default();
                }
            }
            let keys: Vec<Key> = (groups.keys())
                .filter_map(|g| match g {
                    Group::Pair(key) => Some(key.clone()),
                    Group::Row(_) => None,
                })
                .collect();
            for row in self.rows_of_keys(work, mapping, slots, &keys).await? {
                if let Some(group) = slots.group(mapping, &row) {
                    groups.entry(group).or_default().push(row);
                }
            }
            for row in present.values() {
                if let Some(group @ Group::Row(_)) = slots.group(mapping, row) {
                    groups.entry(group).or_default().push(row.as_ref().clone());
                }
            }
            let related = RelatedRecords::load(work, mapping, self.rules.fields(), groups.values().flatten()).await?;
            let members = groups.iter().filter_map(|(group, rows)| {
                let mut ids: IndexSet<i64> = rows.iter().filter_map(|r| r.get(ID).int()).collect();
                ids.extend(ids_of.get(group).into_iter().flatten().copied());
                Some((*ids.first()?, ids, rows))
            });
            let members: Vec<(i64, IndexSet<i64>, &Vec<Record>)> = members.collect();
            let row_ids: Vec<i64> = (members.iter().flat_map(|(_, ids, _)| ids)).copied().collect();
            let mut stored = self.stored(work, mapping, &row_ids).await?;
            for (first, ids, _) in &members {
                let had: Vec<_> = (ids.iter()).filter_map(|id| stored.swap_remove(id)).flatten().collect();
                stored.insert(*first, had);
            }
            let worded = parallel::map(&members, |(first, _, rows)| {
                let rows: Vec<&Record> = rows.iter().collect();
                let mut rendered: Vec<RenderedDocument> = Vec::new();
                mapping.render_parts(&rows, &related, &mut rendered);
                let had = stored.get(first).map_or(&[][..], Vec::as_slice);
                let readings = self.word(mapping, &mut rendered, had, source);
                ((*first, rendered), readings)
            });
            let (documents, readings): (Documents, Vec<Readings>) = worded.into_iter().unzip();
            source.note(readings.into_iter().flatten());
            self.write(work, mapping, plan(mapping, documents, stored, touched, c.slug)).await?;
        }
        Ok(())
    }

    /// The rows of documents, in the order of their numbers.
    async fn rows_of_keys(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        slots: Slots,
        keys: &[Key],
    ) -> Result<Vec<Record>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let c = work.collection(mapping.collection())?;
        let path = |slot: usize| c.fields.get(slot).map_or("", |f| f.path.as_str());
        let scopes: IndexSet<i64> = keys.iter().map(|k| k.0).collect();
        let sources: IndexSet<&String> = keys.iter().map(|k| &k.1).collect();
        let ids: IndexSet<&String> = keys.iter().map(|k| &k.2).collect();
        let texts = |set: IndexSet<&String>| set.into_iter().cloned().map(Value::Text).collect();
        let fields: Vec<&str> = mapping.own_fields().iter().map(String::as_str).collect();
        let lookup = Lookup::default()
            .is_in(path(slots.scope), scopes.into_iter().map(Value::Int).collect())
            .is_in(path(slots.source), texts(sources))
            .is_in(path(slots.source_id), texts(ids))
            .is_in(path(slots.dataset), vec![mapping.dataset().into()])
            .fields(&fields);
        let requested: IndexSet<&Key> = keys.iter().collect();
        let mut rows = work.find(c.slug, lookup).await?;
        rows.retain(|row| match slots.group(mapping, row) {
            Some(Group::Pair(key)) => requested.contains(&key),
            _ => false,
        });
        rows.sort_by_key(|row| (row.get(slots.part).int(), row.get(ID).int()));
        Ok(rows)
    }
}

impl DocumentIntake {
    /// Writes documents of which each may have several rows.
    pub(crate) async fn write_parts(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        location: i64,
        docs: &[&Json],
    ) -> Result<Vec<DocumentAnswer>> {
        let Some(slots) = Slots::of(mapping) else { return Ok(Vec::new()) };
        let names = self.names(work, mapping, docs, location).await?;
        let mut read = parallel::map(docs, |doc| mapping.intake(doc, &names));
        let targets = self.resolve_parts(work, mapping, slots, location, &read).await?;
        // New rows need what the others have already.
        let shared: Vec<Vec<(usize, Value)>> = read.iter().map(|i| i.fields.clone()).collect();
        let all = targets.iter().flatten().flatten();
        let related = RelatedRecords::load(work, mapping, self.rules.fields(), all).await?;
        for ((doc, intake), rows) in docs.iter().zip(&mut read).zip(&targets) {
            if let Some(rows) = rows.as_ref().filter(|_| !intake.deleted && !intake.refused()) {
                let rows: Vec<&Record> = rows.iter().collect();
                mapping.settle_parts(doc, &rows, &related, intake);
            }
        }
        let c = work.collection(mapping.collection())?;
        let mut answers: Vec<Option<DocumentAnswer>> = Vec::with_capacity(docs.len());
        let mut groups = Vec::new();
        let mut places = Vec::new();
        for (at, ((intake, rows), shared)) in read.into_iter().zip(targets).zip(shared).enumerate() {
            let own = matches!(intake.row, Row::Id(_));
            answers.push(match rows {
                _ if intake.refused() => Some(DocumentAnswer::rejected(intake.issues)),
                Some(rows) if own && slots.sent_here(self.rules.source(), location, &rows) => {
                    Some(foreign(intake.issues))
                }
                None if own => Some(unknown_row(intake.issues)),
                None if intake.deleted => Some(DocumentAnswer::new(State::Deleted, None, intake.issues)),
                Some(rows) if adds_abroad(slots, location, &intake, &rows) => {
                    let mut issues = intake.issues;
                    let at = mapping.pointer_of_parts().unwrap_or_default();
                    let message = "These belong to the former owner, and get no new ones; send new \
                                   ones as a resource of your own.";
                    issues.push(Issue::error(at, "field-value", message));
                    Some(DocumentAnswer::rejected(issues))
                }
                rows => {
                    let rows = rows.unwrap_or_default();
                    groups.push(self.part_items(mapping, slots, (&intake, &shared), &rows));
                    places.push((at, intake, rows.is_empty()));
                    None
                }
            });
        }
        let outcomes = work.write_groups(c, caller, groups).await?;
        for ((at, intake, fresh), outcomes) in places.into_iter().zip(outcomes) {
            put(&mut answers, at, whole(mapping, c, intake, fresh, outcomes));
        }
        Ok(complete(answers))
    }

    /// The rows of the documents that are meant, by the sender's pair or by our own.
    async fn resolve_parts(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        slots: Slots,
        location: i64,
        read: &[Intake],
    ) -> Result<Vec<Option<Vec<Record>>>> {
        let key_of = |intake: &Intake| (location, intake.pair.0.clone(), intake.pair.1.clone());
        let keys: Vec<Key> = read.iter().map(key_of).collect();
        let mut by_key: IndexMap<Key, Vec<Record>> = IndexMap::default();
        let ours: Vec<String> =
            (read.iter()).filter(|i| matches!(i.row, Row::Id(_))).map(|i| i.pair.1.clone()).collect();
        // Our own key names a document by its first row, wherever it came from.
        let mut group_by_key: IndexMap<String, Group> = IndexMap::default();
        for (key, row) in self.first_rows(work, mapping, location, &ours).await? {
            group_by_key.extend(slots.group(mapping, &row).map(|group| (key, group)));
        }
        let mut all = keys.clone();
        all.extend(group_by_key.values().filter_map(|g| match g {
            Group::Pair(key) => Some(key.clone()),
            Group::Row(_) => None,
        }));
        for row in self.projector.rows_of_keys(work, mapping, slots, &all).await? {
            if let Some(Group::Pair(key)) = slots.group(mapping, &row) {
                by_key.entry(key).or_default().push(row);
            }
        }
        let alone: Vec<i64> = (group_by_key.values())
            .filter_map(|g| match g {
                Group::Row(id) => Some(*id),
                Group::Pair(_) => None,
            })
            .collect();
        let none = Touched::default();
        let alone = self.projector.records(work, mapping, &alone, &none).await?;
        Ok((read.iter().zip(keys))
            .map(|(intake, key)| match (&intake.row, group_by_key.get(&intake.pair.1)) {
                (Row::Id(_), Some(Group::Pair(key))) => by_key.get(key).cloned(),
                (Row::Id(_), Some(Group::Row(id))) => alone.get(id).map(|r| vec![r.as_ref().clone()]),
                _ => by_key.get(&key).cloned(),
            })
            .collect())
    }

    /// The first rows of live documents of a location by our own keys.
    async fn first_rows(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        location: i64,
        keys: &[String],
    ) -> Result<Vec<(String, Record)>> {
        let number = |key: &String| key.rsplit(':').next().and_then(|n| n.parse::<i64>().ok());
        let ids: IndexMap<i64, &String> = keys.iter().filter_map(|k| Some((number(k)?, k))).collect();
        let row_ids: Vec<i64> = ids.keys().copied().collect();
        let here: Vec<i64> = self.here(work, mapping, location, &row_ids).await?.into_iter().collect();
        let none = Touched::default();
        let rows = self.projector.records(work, mapping, &here, &none).await?;
        Ok((rows.into_iter()).filter_map(|(id, row)| Some(((*ids.get(&id)?).clone(), row.into_owned()))).collect())
    }

    /// What a document makes of its rows: one per element, in their order.
    fn part_items(
        &self,
        mapping: &Mapping,
        slots: Slots,
        (intake, shared): (&Intake, &[(usize, Value)]),
        rows: &[Record],
    ) -> Vec<Item> {
        let id = |row: &Record| row.get(ID).int().unwrap_or_default();
        if intake.deleted {
            return rows.iter().map(|row| Item::delete(id(row))).collect();
        }
        let first = rows.first();
        let text = |slot: usize| first.and_then(|row| row.get(slot).text());
        // What came without a pair gets our own, once it has to hold rows together.
        let pair = match text(slots.source).zip(text(slots.source_id)) {
            Some((source, key)) => Some((source.to_owned(), key.to_owned())),
            None if first.is_none() || intake.parts.len() > 1 => Some(intake.pair.clone()),
            None => None,
        };
        let last = rows.iter().filter_map(|row| row.get(slots.part).int()).max();
        let mut items = Vec::new();
        for (at, part) in intake.parts.iter().enumerate() {
            let row = rows.get(at);
            let mut body = if row.is_some() { intake.fields.clone() } else { shared.to_vec() };
            body.extend(part.iter().cloned());
            let mut server: Vec<(usize, Value)> = Vec::new();
            let place = i64::try_from(at).unwrap_or_default();
            let number =
                match row {
                    Some(row) => row.get(slots.part).int(),
                    None => Some(last.map_or(place, |last| {
                        last + 1 + i64::try_from(at.saturating_sub(rows.len())).unwrap_or_default()
                    })),
                };
            if let Some((source, key)) = &pair {
                server.extend([
                    (slots.source, Value::Text(source.clone())),
                    (slots.source_id, Value::Text(key.clone())),
                    (slots.dataset, Value::Text(mapping.dataset().to_owned())),
                    (slots.part, Value::Int(number.unwrap_or(place))),
                ]);
            }
            if let Some(slot) = mapping.extra() {
                let extra =
                    (at == 0 && !intake.extra.is_empty()).then(|| Value::json(Json::Object(intake.extra.clone())));
                server.push((slot, extra.unwrap_or(Value::Null)));
            }
            items.push(match row {
                Some(row) => Item::update(id(row), body).with_server(server),
                None => {
                    let is_server = self.servers(mapping);
                    let (more, new): (Vec<_>, Vec<_>) =
                        (intake.new.iter().cloned()).partition(|(slot, _)| is_server(*slot));
                    body.extend(new);
                    server.extend(more);
                    Item::create(body).with_server(server)
                }
            });
        }
        items.extend(rows.iter().skip(intake.parts.len()).map(|row| Item::delete(id(row))));
        items
    }
}

/// Whether a document gets more rows at another location than that of the rows it has: rows
/// belong to who owned the animal when they were made, and a document to one of them.
fn adds_abroad(slots: Slots, location: i64, intake: &Intake, rows: &[Record]) -> bool {
    let home = |row: &Record| row.get(slots.scope).int() == Some(location);
    !intake.deleted && intake.parts.len() > rows.len() && !rows.iter().all(home)
}

fn whole(
    mapping: &Mapping,
    c: &'static Collection,
    intake: Intake,
    fresh: bool,
    outcomes: Vec<Outcome>,
) -> DocumentAnswer {
    let mut answer = DocumentAnswer::new(State::Unchanged, None, intake.issues).of(c.slug);
    let (mut changed, mut refused) = (false, false);
    for (at, outcome) in outcomes.into_iter().enumerate() {
        let messages = match outcome {
            Outcome::Done(change, more) => {
                answer.record = answer.record.or(Some(change.id));
                changed = true;
                more
            }
            Outcome::Unchanged(id, _, more) => {
                answer.record = answer.record.or(Some(id));
                more
            }
            Outcome::Refused(error) => {
                refused = true;
                answer.forbidden |= matches!(error, model::error::Error::Forbidden(_));
                refusal(error)
            }
        };
        let part = |issue: &Issue| mapping.pointer_of_part(c.slot(&issue.path)?, at);
        for mut issue in messages {
            if let Some(instead) = lacking(mapping, c, &issue, at) {
                issue = instead;
            } else if let Some(at) = part(&issue) {
                issue.path = at;
            }
            answer.issues.extend(pointed(mapping, c, vec![issue]).next().filter(|i| !answer.issues.contains(i)));
        }
    }
    answer.state = match (refused, intake.deleted, fresh, changed) {
        (true, ..) => State::Rejected,
        (_, true, ..) => State::Deleted,
        (_, _, true, _) => State::Created,
        (_, _, _, true) => State::Updated,
        _ => State::Unchanged,
    };
    answer.record = answer.record.filter(|_| !refused);
    answer
}

//! Documents that several rows share: all rows of one location and one day make one
//! ([`Mapping::is_by_day`]). Each is stored under one of its rows. When that row moves elsewhere
//! another row takes its place; the document is deleted only with the last one.

use crate::documents::stored_document::{PendingDocument, StoredDocument};
use crate::lists::paths::located;
use crate::projection::Plan;
use crate::projection::projector::Projector;
use mapping::{Mapping, RenderedDocument};
use model::error::{Error, Result};
use model::fast::IndexMap;
use model::record::{Record, Value};
use model::registry::{BookReader, ID, Lookup};
use ops::WriteTransaction;
use std::borrow::Cow;
use std::collections::BTreeMap;
use store::{Sql, Ty};

/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Look-ups of one statement.
const TOGETHER: usize = 100;

/// Location and key of a document of the book.
type LocationKey = (i64, String);

impl Projector {
    /// What happens to the documents that rendered rows share with others. `stored` are the documents
    /// that are stored under these rows.
    pub(crate) async fn shared(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        rendered: Vec<(i64, Vec<RenderedDocument>)>,
        stored: IndexMap<i64, Vec<StoredDocument>>,
    ) -> Result<Plan> {
        let mut by_location: IndexMap<LocationKey, (i64, RenderedDocument)> = IndexMap::default();
        for (record, documents) in rendered {
            for document in documents {
                if let Some(location) = document.location {
                    let place = (location, document.source_id.clone());
                    by_location.entry(place).or_insert((record, document));
                }
            }
        }
        let keys: Vec<&str> = by_location.keys().map(|(_, key)| key.as_str()).collect();
        let mut there = self.by_key(work, mapping.dataset(), &keys).await?;
        let mut plan = Plan::default();
        let mut widowed = Vec::new();
        for document in stored.into_values().flatten().filter(|f| !f.deleted) {
            if !by_location.contains_key(&(document.location, document.source_id.clone())) {
                widowed.push(document);
            }
        }
        for ((location, key), (record, document)) in by_location {
            let before = there.swap_remove(&(location, key));
            let same = before
                .as_ref()
                .is_some_and(|f| !f.deleted && document.body.is(f.body.as_bytes(), f.modified, f.created));
            if same {
                continue;
            }
            plan.ready.push(PendingDocument {
                record,
                location,
                created: before.as_ref().map(|f| f.created),
                stored: None,
                revives: before.as_ref().is_none_or(|f| f.deleted),
                document,
            });
        }
        let mut heirs = Vec::new();
        for piece in widowed.chunks(TOGETHER) {
            heirs.extend(self.heirs(work, mapping, piece).await?);
        }
        let mut moved = Vec::new();
        for (document, heir) in widowed.into_iter().zip(heirs) {
            match heir {
                Some(record) => moved.push((document.id, record)),
                None => plan.gone.push((document, "deleted")),
            }
        }
        self.moved(work, &moved).await?;
        Ok(plan)
    }

    /// Puts the days of rows on the clocks of their places: by these they share documents.
    pub(crate) async fn on_days(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        records: &mut IndexMap<i64, Cow<'_, Record>>,
    ) -> Result<()> {
        let c = work.collection(mapping.collection())?;
        let rows = records.values().map(|row| row.as_ref().clone()).collect();
        let placed = c.hooks.placed(c, work, rows).await?;
        for (record, placed) in records.values_mut().zip(placed) {
            *record = Cow::Owned(placed);
        }
        Ok(())
    }

    /// Another row of the location and day of each document.
    async fn heirs(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        widowed: &[StoredDocument],
    ) -> Result<Vec<Option<i64>>> {
        let (Some(location), Some(event)) = (mapping.location_path(), mapping.event_path()) else {
            return Err(Error::internal("no location or no day to share by"));
        };
        let c = work.collection(mapping.collection())?;
        let date = (c.field(event).map(|f| f.column.clone()))
            .ok_or_else(|| Error::internal(format!("{} has no {event}", c.slug)))?;
        let mut sql = Sql::default();
        for (place, document) in widowed.iter().enumerate() {
            let Some(day) = document.event_at.map(|t| t.div_euclid(DAY) * DAY) else { continue };
            let first = sql.text().is_empty();
            sql.push(if first { "" } else { " UNION ALL " }).push("SELECT * FROM (SELECT ");
            sql.bind(Ty::Int, i64::try_from(place).unwrap_or(i64::MAX));
            sql.push(", t.\"id\" FROM ").name(&c.table).push(" t");
            let owner = located(self.rules.registry(), c, &location, &mut sql)?;
            sql.push(&format!(" WHERE {owner} = ")).bind(Ty::Int, document.location);
            sql.push(" AND t.").name(&date).push(" >= ");
            // A time of this day of a place may be of the UTC day beside it.
            sql.bind(Ty::Time, Value::Time(day.saturating_sub(DAY))).push(" AND t.").name(&date).push(" < ");
            sql.bind(Ty::Time, Value::Time(day.saturating_add(2 * DAY))).push(") AS s");
        }
        let mut heirs = vec![None; widowed.len()];
        if sql.text().is_empty() {
            return Ok(heirs);
        }
        let mut near: Vec<(usize, i64)> = Vec::new();
        for row in work.tx().rows(sql.one_off()).await? {
            near.extend(row.int(0).and_then(|at| usize::try_from(at).ok()).zip(row.int(1)));
        }
        let lookup = Lookup::by_ids("id", near.iter().map(|(_, id)| *id)).fields(&[event]);
        let rows = work.find(c.slug, lookup).await?;
        let rows = c.hooks.placed(c, work, rows).await?;
        let day = |at: i64| at.div_euclid(DAY);
        let slot = c.at(event);
        let days: BTreeMap<i64, i64> =
            (rows.iter()).filter_map(|row| Some((row.get(ID).int()?, day(row.get(slot).time()?)))).collect();
        near.sort_unstable();
        for (at, id) in near {
            let own = widowed.get(at).and_then(|document| document.event_at).map(day);
            if let Some(place) = heirs.get_mut(at).filter(|place| place.is_none())
                && own.is_some()
                && days.get(&id).copied() == own
            {
                *place = Some(id);
            }
        }
        Ok(heirs)
    }

    /// Puts documents under other rows; what they say stays, and so does their place.
    async fn moved(&self, work: &mut WriteTransaction<'_>, moved: &[(i64, i64)]) -> Result<()> {
        for piece in moved.chunks(TOGETHER) {
            let mut sql = Sql::new("UPDATE exchange_documents SET record = v.column2 FROM (VALUES ");
            sql.bind_rows([Ty::Int, Ty::Int], (piece.iter()).map(|(id, record)| [*id, *record].map(Value::Int)));
            sql.push(") AS v WHERE exchange_documents.id = v.column1");
            // Readers do not notice it.
            work.tx().run(sql.one_off().read_by_seq()).await?;
        }
        Ok(())
    }
}

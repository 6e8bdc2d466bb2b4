//! The members of the sets of animals that locations offer, as part of the feed: an animal that joins brings along the
//! documents that are older than the reader's place; an animal that leaves withdraws the documents that the reader has
//! (`docs/feed-profile.md`, P9). Each member occurs once, at its latest place in commit order, as documents do; so the
//! server stores no state per reader.

use crate::documents::gone;
use crate::documents::names::{Names, name_of};
use crate::documents::stored_document::PendingDocument;
use crate::feed::Changes;
use crate::feed::Feeds;
use crate::projection::Plan;
use crate::projection::projector::Projector;
use futures_util::StreamExt;
use mapping::Mapping;
use model::error::Result;
use model::record::Value;
use ops::WriteTransaction;
use std::collections::{BTreeMap, BTreeSet};
use store::{JoinedBodies, Row, Sql, Store, Ty, pieces};

/// Why a document is withdrawn from who reads a set.
const LEFT: &str = "left-set";

/// A set of animals as a reader goes through it.
#[derive(Debug, Clone, Copy)]
pub struct SetFeed<'a> {
    pub set: i64,
    pub location: i64,
    /// Data sets; none: all.
    pub datasets: &'a [&'a str],
    /// Joins and leaves up to here were in force when reading began.
    pub base: i64,
    /// After this sequence number.
    pub after: i64,
    /// At that number, after this document.
    pub within: i64,
    /// The largest number of documents.
    pub limit: usize,
    /// No further document once the page has this number of bytes.
    pub bytes: usize,
}

impl Projector {
    /// Records which animals joined and left, when documents of sets are written.
    pub(crate) async fn note_members(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        plan: &Plan,
    ) -> Result<()> {
        if mapping.dataset() != self.rules.mappings().sets() {
            return Ok(());
        }
        for PendingDocument { record, document, .. } in &plan.ready {
            let now: BTreeSet<i64> = document.members.iter().flatten().copied().collect();
            self.note_members_of_set(work, *record, &now).await?;
        }
        for (document, _) in &plan.gone {
            (self.note_members_of_set(work, document.record, &BTreeSet::new())).await?;
        }
        Ok(())
    }

    async fn note_members_of_set(&self, work: &mut WriteTransaction<'_>, set: i64, now: &BTreeSet<i64>) -> Result<()> {
        let sql = Sql::new("SELECT animal, member FROM exchange_members WHERE animal_set = ");
        let rows = work.tx().rows(sql.with(Ty::Int, set)).await?;
        let was: BTreeMap<i64, bool> = (rows.iter()).filter_map(|row| Some((row.int(0)?, row.truth(1)?))).collect();
        let joined = (now.iter().copied()).filter(|id| was.get(id) != Some(&true));
        let departed = (was.iter()).filter(|(id, member)| **member && !now.contains(id));
        let moved: Vec<(i64, bool)> =
            (joined.map(|id| (id, true))).chain(departed.map(|(id, _)| (*id, false))).collect();
        for piece in pieces(&moved, 4) {
            let rows = piece.iter().map(|(animal, member)| {
                let seq = work.tx().next_seq();
                [set.into(), (*animal).into(), seq.into(), Value::Bool(*member)]
            });
            let types = [Ty::Int, Ty::Int, Ty::Int, Ty::Bool];
            let mut sql = Sql::insert("exchange_members (animal_set, animal, seq, member)", types, rows);
            sql.push(" ON CONFLICT (animal_set, animal) DO UPDATE SET seq = excluded.seq, member = excluded.member");
            work.tx().run(sql.one_off()).await?;
        }
        Ok(())
    }
}

impl Feeds {
    /// The place of the last join or leave of a set; 0: there was none.
    pub async fn last_move(&self, store: &Store, set: i64) -> Result<i64> {
        let sql = Sql::new("SELECT max(seq) FROM exchange_members WHERE animal_set = ");
        let rows = store.rows(sql.with(Ty::Int, set)).await?;
        Ok(rows.first().and_then(|row| row.int(0)).unwrap_or(0))
    }

    /// A page of the feed of a set of animals, read as one statement: in commit order the
    /// documents about its members, at the place of each join those about who joined, and
    /// at the place of each leave the withdrawal of those about who left.
    pub async fn changes_of_set(&self, store: &Store, feed: SetFeed<'_>) -> Result<Changes> {
        let mut rows = store.stream(self.of_set(&feed));
        let mut bodies = JoinedBodies::default();
        let mut page = Changes { last: feed.after, within: feed.within, ..Changes::default() };
        while let Some(row) = rows.next().await {
            let row = row?;
            if page.count >= feed.limit || bodies.len() >= feed.bytes {
                page.more = true;
                page.pending_since = row.int(4);
                break;
            }
            match row.truth(2) {
                Some(true) => bodies.add(self.withdrawal(&row).as_bytes()),
                _ => bodies.add_from(&row, 3)?,
            }
            page.count += 1;
            page.last = row.int(0).unwrap_or(page.last);
            page.within = row.int(1).unwrap_or(0);
        }
        page.bodies = bodies;
        Ok(page)
    }

    fn of_set(&self, feed: &SetFeed<'_>) -> Sql {
        let columns = format!(
            "d.modified, {} AS resource_type, {} AS source, d.source_id, d.location, d.created",
            name_of("d.resource_type"),
            name_of("d.source")
        );
        let kinds = |sql: &mut Sql| {
            sql.push(" AND d.location = ").bind(Ty::Int, feed.location);
            if !feed.datasets.is_empty() {
                sql.push(" AND d.dataset").in_name_numbers(feed.datasets.iter().copied());
            }
        };
        let mut sql = Sql::new("SELECT * FROM (SELECT d.seq AS k, 0 AS w, ");
        sql.bind(Ty::Bool, false).push(" AS gone, d.body, ").push(&columns);
        let members = " FROM exchange_members AS m JOIN exchange_documents AS d \
             ON d.animal = m.animal WHERE m.animal_set = ";
        sql.push(members).bind(Ty::Int, feed.set).push(" AND m.member = ").bind(Ty::Bool, true);
        kinds(&mut sql);
        sql.push(" AND d.seq > ").bind(Ty::Int, feed.after);
        // What is older than a join comes with it.
        sql.push(" AND (m.seq < d.seq OR m.seq <= ").bind(Ty::Int, feed.base).push(")");
        sql.push(" UNION ALL SELECT m.seq, d.id, (CASE WHEN m.member OR d.deleted THEN ");
        sql.bind(Ty::Bool, false).push(" ELSE ").bind(Ty::Bool, true).push(" END), d.body, ").push(&columns);
        sql.push(members).bind(Ty::Int, feed.set).push(" AND m.seq > ").bind(Ty::Int, feed.base).push(" AND (m.seq > ");
        sql.bind(Ty::Int, feed.after).push(" OR (m.seq = ").bind(Ty::Int, feed.after).push(" AND d.id > ");
        sql.bind(Ty::Int, feed.within).push("))");
        kinds(&mut sql);
        // A document that is newer than a join comes in its own place. Tombstones come too: a member that left and
        // joined again occurs here once, and the reader may have documents that were deleted in between. The reader
        // never had a document that first appeared after a leave.
        sql.push(" AND (CASE WHEN m.member THEN d.seq < m.seq ELSE d.id < m.seq END)) AS f");
        sql.push(" ORDER BY k, w LIMIT ");
        let limit = i64::try_from(feed.limit).unwrap_or(i64::MAX);
        sql.bind(Ty::Int, limit.saturating_add(1));
        sql.at(feed.location)
    }

    /// A live document as one that the reader of a set may no longer see.
    fn withdrawal(&self, row: &Row) -> String {
        let text = |at: usize| row.text(at).unwrap_or_default();
        gone(
            self.rules.location_scheme(),
            text(5),
            (text(6), text(7)),
            row.int(8).unwrap_or_default(),
            (row.int(4).unwrap_or_default(), row.int(9).unwrap_or_default()),
            LEFT,
        )
    }
}

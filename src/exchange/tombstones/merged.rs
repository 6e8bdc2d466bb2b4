//! A location that was merged into another: what is stored for it beside the rows of collections
//! moves along. The rows themselves were moved by the write, and their documents follow them.

use crate::documents::raw::RawDocument;
use crate::projection::projector::Projector;
use mapping::LOCATIONS;
use model::error::Result;
use model::registry::Collection;
use ops::{Touched, WriteTransaction};
use store::{Sql, Ty};

impl Projector {
    /// Moves what was sent to locations that this transaction merged into others.
    pub(crate) async fn merge(&self, work: &mut WriteTransaction<'_>, touched: &Touched) -> Result<()> {
        let Some(slot) = (self.rules.registry().get(LOCATIONS)).and_then(|c| c.merged_slot()) else { return Ok(()) };
        let merged = touched.iter().filter_map(|((slug, id), touch)| {
            let fresh = *slug == LOCATIONS && touch.slots.contains(slot);
            let old = touch.old.as_ref()?.get(slot).int();
            let into = touch.new.as_ref()?.get(slot).int()?;
            (fresh && old.is_none()).then_some((*id, into))
        });
        for (from, into) in merged.collect::<Vec<_>>() {
            self.move_raw_documents(work, from, into).await?;
            move_last_states(work, from, into).await?;
        }
        Ok(())
    }

    /// Raw documents of both locations under one pair: only one of them could stay.
    pub(crate) async fn rival_raw_documents(
        &self,
        work: &mut WriteTransaction<'_>,
        c: &'static Collection,
        (from, into): (i64, i64),
    ) -> Result<Vec<(String, String)>> {
        if c.slug != LOCATIONS {
            return Ok(Vec::new());
        }
        let sql = Sql::new(
            "SELECT a.dataset, count(*) FROM exchange_kept a JOIN exchange_kept b \
             ON b.dataset = a.dataset AND b.source_id = a.source_id AND b.source = a.source \
             AND b.organization = ",
        )
        .with(Ty::Int, into)
        .and(" WHERE a.organization = ")
        .with(Ty::Int, from)
        .and(" GROUP BY a.dataset ORDER BY a.dataset");
        let rows = work.tx().rows(sql.one_off()).await?;
        let remarks = rows.iter().filter_map(|row| {
            let text = format!("{} documents have the same source and sourceId", row.int(1)?);
            Some((row.text(0)?.to_owned(), text))
        });
        Ok(remarks.collect())
    }

    async fn move_raw_documents(&self, work: &mut WriteTransaction<'_>, from: i64, into: i64) -> Result<()> {
        let sql = RawDocument::select().and("organization = ").with(Ty::Int, from).and(" ORDER BY id");
        let mut rows = RawDocument::all(work, sql.one_off()).await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in &mut rows {
            row.organization = into;
        }
        let sql = Sql::new("UPDATE exchange_kept SET organization = ")
            .with(Ty::Int, into)
            .and(" WHERE organization = ")
            .with(Ty::Int, from);
        work.tx().run(sql.one_off()).await?;
        self.place(work, rows).await
    }
}

/// The last states of resources, and batches that wait.
async fn move_last_states(work: &mut WriteTransaction<'_>, from: i64, into: i64) -> Result<()> {
    // Where both have a state of a pair, that of the other location stays.
    for words in [
        "DELETE FROM exchange_sent WHERE EXISTS (SELECT 1 FROM exchange_sent o \
         WHERE o.source = exchange_sent.source AND o.source_id = exchange_sent.source_id \
         AND o.dataset = exchange_sent.dataset AND o.location = ",
        "DELETE FROM exchange_said WHERE EXISTS (SELECT 1 FROM exchange_said o \
         WHERE o.source = exchange_said.source AND o.source_id = exchange_said.source_id \
         AND o.dataset = exchange_said.dataset AND o.location = ",
    ] {
        let sql = Sql::new(words).with(Ty::Int, into).and(") AND location = ").with(Ty::Int, from);
        work.tx().run(sql.one_off()).await?;
    }
    for (table, column) in [
        ("exchange_sent", "location"),
        ("exchange_sent", "organization"),
        ("exchange_said", "location"),
        ("exchange_batches", "location"),
        ("exchange_batches", "organization"),
    ] {
        let mut sql = Sql::new("UPDATE ");
        sql.name(table).push(" SET ").name(column).push(" = ").bind(Ty::Int, into).push(" WHERE ").name(column);
        sql.push(" = ").bind(Ty::Int, from);
        work.tx().run(sql.one_off()).await?;
    }
    Ok(())
}

//! Renders rows again, and compares them with their stored documents; the same text is not written. While some rows
//! are rendered and compared on other threads, the database reads the next ones.

use crate::documents::packed::PackedDocuments;
use crate::documents::wordings::WordingSource;
use crate::lists::keys::{KeyIndex, entries};
use crate::projection::projector::Projector;
use crate::projection::related::RelatedRecords;
use crate::projection::{Plan, plan};
use mapping::Mapping;
use model::error::{Error, Result};
use model::fast::IndexSet;
use model::parallel;
use model::record::Record;
use model::registry::ID;
use ops::{Book, Touched, WriteTransaction};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long one transaction goes on, for which the writes of others wait. Between two of them nothing is
/// read in advance.
const TURN: Duration = Duration::from_millis(200);
/// Rows that are read and compared together.
const PIECE: i64 = 2_000;

/// Rows, and their documents as they are stored.
struct RowChunk {
    records: Vec<Record>,
    related: RelatedRecords,
    stored: PackedDocuments,
    indexed: KeyIndex,
    last: i64,
}

fn ids(records: &[Record]) -> Vec<i64> {
    (records.iter()).filter_map(|r| r.get(ID).int()).collect()
}

impl Projector {
    /// Renders rows whose documents may be there.
    pub(super) async fn rerender_all<P: FnMut(u64, u64) + Send>(
        &self,
        book: &Book,
        all: u64,
        mut progress: P,
    ) -> Result<(u64, P)> {
        let mut done = 0;
        let names: Vec<String> = (self.rules.mappings().iter()).map(|m| m.name().to_owned()).collect();
        for name in names {
            let mut after = 0;
            loop {
                let (this, name) = (self.clone(), name.clone());
                let step = book.transact(move |work| {
                    Box::pin(async move {
                        let mapping = this.mapping(&name)?;
                        // Documents that rows share are found by what is written of them already.
                        match mapping.parts().is_none() && !mapping.is_by_day() {
                            true => this.compare(work, mapping, after).await,
                            false => this.refresh_next(work, mapping, after).await,
                        }
                    })
                });
                let Some((rows, last)) = step.await? else { break };
                after = last;
                done += rows as u64;
                progress(done, all);
            }
        }
        Ok((done, progress))
    }

    pub(super) fn mapping(&self, name: &str) -> Result<&Mapping> {
        let mapping = self.rules.mappings().named(name);
        mapping.ok_or_else(|| Error::internal("a mapping went away"))
    }

    /// Documents that several rows may share: how many rows, and the last id.
    async fn refresh_next(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        after: i64,
    ) -> Result<Option<(usize, i64)>> {
        let Some((rows, last)) = self.read_next(work, mapping, &["id"], (after, PIECE)).await? else { return Ok(None) };
        let ids: IndexSet<i64> = rows.iter().filter_map(|r| r.get(ID).int()).collect();
        let records: Vec<i64> = ids.iter().copied().collect();
        let (none, present) = (Touched::default(), WordingSource::Present);
        self.refresh(work, mapping, ids, &none, present).await?;
        // What reads the same was not written, but may be found by other words now.
        self.refresh_keys(work, mapping, &records).await?;
        Ok(Some((rows.len(), last)))
    }

    /// Documents of rows that share none with others: how many rows, and the last id.
    async fn compare(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        after: i64,
    ) -> Result<Option<(usize, i64)>> {
        let begun = Instant::now();
        let mut end = None;
        let mut rows = 0;
        let mut piece = self.read_piece(work, mapping, after).await?;
        // After a change it is likely that the next documents differ, too.
        let mut changed = false;
        while let Some(read) = piece.take() {
            let (ids, last) = (ids(&read.records), read.last);
            rows += ids.len();
            end = Some((rows, last));
            let more = begun.elapsed() < TURN;
            let (this, name) = (self.clone(), mapping.name().to_owned());
            let comparing = parallel::beside(move || this.compared(&name, read));
            let ahead = more && !changed;
            if ahead {
                piece = self.read_piece(work, mapping, last).await?;
            }
            let (plan, well_indexed) = comparing.await??;
            changed = !plan.is_empty();
            if changed {
                self.write(work, mapping, plan).await?;
            }
            if !well_indexed {
                self.refresh_keys(work, mapping, &ids).await?;
            }
            // One row may take over the document of another: what was read ahead may be over.
            if more && (changed || !ahead) {
                piece = self.read_piece(work, mapping, last).await?;
            }
        }
        Ok(end)
    }

    async fn read_piece(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        after: i64,
    ) -> Result<Option<RowChunk>> {
        let own: Vec<&str> = mapping.own_fields().iter().map(String::as_str).collect();
        let Some((records, related, last)) = self.read_related(work, mapping, &own, (after, PIECE)).await? else {
            return Ok(None);
        };
        let stored = self.read_stored(work, mapping, &ids(&records)).await?;
        let indexed = self.indexed_of(work, &stored.live()).await?;
        Ok(Some(RowChunk { records, related, stored, indexed, last }))
    }

    /// The differences between rows and their stored documents, and whether their index of values is complete.
    fn compared(&self, mapping: &str, read: RowChunk) -> Result<(Plan, bool)> {
        let mapping = self.mapping(mapping)?;
        let RowChunk { records, related, stored, indexed, .. } = read;
        let stored_documents = stored.unpack();
        let compared = parallel::map(&records, |record| {
            let id = record.get(ID).int().unwrap_or_default();
            let had = stored_documents.get(&id).map_or(&[][..], Vec::as_slice);
            let mut documents = Vec::new();
            mapping.render(record, &related, &mut documents);
            self.word(mapping, &mut documents, had, WordingSource::Present);
            let well_indexed = (had.iter().filter(|document| !document.deleted)).all(|document| {
                let now = entries(mapping, &document.body);
                indexed.get(&document.id).unwrap_or(&BTreeSet::new()) == &now
            });
            ((id, documents), well_indexed)
        });
        let (documents, well): (Vec<_>, Vec<bool>) = compared.into_iter().unzip();
        let plan = plan(mapping, documents, stored_documents, &Touched::default(), self.rules.slug(mapping)).settled();
        Ok((plan, well.into_iter().all(|well| well)))
    }
}

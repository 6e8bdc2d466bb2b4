//! Rendering everything anew, after mappings, prefix or the standard changed. Each chunk
//! is a normal transaction; documents that read the same keep their place.

use crate::documents::wordings::Source;
use crate::feed::token::FeedState;
use crate::projection::projector::Projector;
use indexmap::IndexSet;
use model::error::{Error, Result};
use model::registry::{BookReader, ID, Lookup, Test};
use ops::{Book, Touched};
use store::{Sql, Store, Ty};

/// Rows of one transaction.
const CHUNK: i64 = 500;

impl Projector {
    /// Whether the documents were rendered by these mappings.
    pub async fn is_current(&self, store: &Store) -> Result<bool> {
        let generation = FeedState::read(store).await?.generation;
        Ok(generation == self.rules.mappings().generation())
    }

    /// Takes the present mappings for those of a book that has no documents yet.
    pub async fn begin(&self, book: &Book) -> Result<()> {
        let sql = Sql::new("SELECT 1 FROM exchange_documents LIMIT 1");
        let generation = FeedState::read(&book.store).await?.generation;
        if generation == 0 && book.store.rows(sql).await?.is_empty() {
            self.set_generation(book).await?;
        }
        Ok(())
    }

    /// Renders all rows of all mappings; `progress` is called with the rows done and all rows.
    pub async fn reproject(
        &self,
        book: &Book,
        mut progress: impl FnMut(u64, u64) + Send,
    ) -> Result<u64> {
        let mut all = 0;
        for mapping in self.rules.mappings().iter() {
            let c = self.rules.registry().get(mapping.collection());
            let table = c.map_or("", |c| c.table.as_str());
            let mut sql = Sql::new("SELECT count(*) FROM ");
            sql.name(table);
            let rows = book.store.rows(sql).await?;
            all += rows
                .first()
                .and_then(|r| r.int(0))
                .unwrap_or(0)
                .unsigned_abs();
        }
        all += self.raw_count(&book.store).await?;
        let mut done = 0;
        progress(done, all);
        let names: Vec<String> = self
            .rules
            .mappings()
            .iter()
            .map(|m| m.name().to_owned())
            .collect();
        for name in names {
            let mut after = 0;
            loop {
                let (this, name) = (self.clone(), name.clone());
                let rows = book
                    .transact(move |work| {
                        Box::pin(async move {
                            let mapping = this
                                .rules
                                .mappings()
                                .named(&name)
                                .ok_or_else(|| Error::internal("a mapping went away"))?;
                            let lookup = Lookup::default()
                                .test("id", Test::From(model::record::Value::Int(after + 1)))
                                .fields(&["id"])
                                .limit(CHUNK);
                            let rows = work.find(mapping.collection(), lookup).await?;
                            let ids: IndexSet<i64> =
                                rows.iter().filter_map(|r| r.get(ID).int()).collect();
                            let (none, present) = (Touched::new(), Source::Present);
                            this.refresh(work, mapping, ids.clone(), &none, present)
                                .await?;
                            // What reads the same was not written, but may be found by other
                            // words now.
                            let records: Vec<i64> = ids.iter().copied().collect();
                            this.index_again(work, mapping, &records).await?;
                            Ok(ids)
                        })
                    })
                    .await?;
                let Some(last) = rows.last() else { break };
                after = *last;
                done += rows.len() as u64;
                progress(done, all);
            }
        }
        let mut after = 0;
        while let Some((rows, last)) = self.rerender_raw(book, after, CHUNK).await? {
            after = last;
            done += rows;
            progress(done, all);
        }
        self.set_generation(book).await?;
        Ok(done)
    }

    /// Records that the documents are those of the present mappings. Tokens of another generation
    /// end with that.
    pub async fn set_generation(&self, book: &Book) -> Result<()> {
        let value = self.rules.mappings().generation().to_string();
        book.transact(move |work| {
            Box::pin(async move {
                let sql =
                    Sql::new("INSERT INTO exchange_state (name, value) VALUES ('generation', ")
                        .with(Ty::Text, value.as_str())
                        .and(") ON CONFLICT (name) DO UPDATE SET value = excluded.value");
                work.tx().next_seq();
                work.tx().run(sql).await.map(|_| ())
            })
        })
        .await
    }
}

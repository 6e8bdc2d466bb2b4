//! Rendering everything anew, after mappings, prefix or the standard changed. Each chunk
//! is a normal transaction; documents that read the same keep their place.

use crate::documents::wordings::WordingSource;
use crate::feed::token::FeedState;
use crate::projection::projector::Projector;
use crate::projection::related::RelatedRecords;
use crate::projection::{Plan, plan};
use mapping::Mapping;
use model::error::{Error, Result};
use model::fast::IndexMap;
use model::parallel;
use model::record::{Record, Value};
use model::registry::{BookReader, ID, Lookup, Test};
use ops::{Book, Touched, WriteTransaction};
use store::bulk::{drop_indexes, make_indexes};
use store::schema::{Index, Table};
use store::{Sql, Store, set_state};

/// Raw documents of one transaction.
const CHUNK: i64 = 500;
/// The generation of a book whose documents are still to be made: no mappings have this digest, and
/// [`Projector::begin`] does not take it for a new book.
const LOADING: u64 = 1;
/// The generation of a book whose rows are all loaded, with what follows from them.
const LOADED: u64 = 2;
/// Rows that are rendered together where no document is there yet.
const FIRST: i64 = 2_000;
/// From so many rows on, indexes are made at the end.
const MANY: u64 = 5_000;
/// From so many rows on, the documents of a load are made in several transactions.
const PIECES: u64 = 200_000;
/// Rows of one of them.
const PIECE: usize = 50_000;

/// Whether an index is made when all documents are there. By their rows they are found meanwhile.
fn is_made_last(table: &Table, index: &Index) -> bool {
    match table.name.as_str() {
        "exchange_documents" => index.columns != ["dataset", "record"],
        "exchange_keys" => true,
        _ => false,
    }
}

/// Whether all rows of a book are there, with what follows from them and the indexes of their tables.
///
/// # Errors
/// [`Error::Malformed`] for a book whose load broke off; the errors of the store.
pub async fn whole(store: &Store) -> Result<()> {
    match FeedState::read(store).await?.generation {
        LOADING => Err(Error::Malformed("Filling this book broke off. Make it anew.".into())),
        _ => Ok(()),
    }
}

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
    ///
    /// # Errors
    /// [`Error::Malformed`] for a book whose load broke off: what follows from its rows is missing.
    /// The errors of the store.
    pub async fn reproject(&self, book: &Book, mut progress: impl FnMut(u64, u64) + Send + 'static) -> Result<u64> {
        whole(&book.store).await?;
        let mut all = 0;
        for mapping in self.rules.mappings().iter() {
            let c = self.rules.registry().get(mapping.collection());
            let table = c.map_or("", |c| c.table.as_str());
            let mut sql = Sql::new("SELECT count(*) FROM ");
            sql.name(table);
            let rows = book.store.rows(sql).await?;
            all += rows.first().and_then(|r| r.int(0)).unwrap_or(0).unsigned_abs();
        }
        all += self.raw_count(&book.store).await?;
        progress(0, all);
        let is_first = book.store.rows(Sql::new("SELECT 1 FROM exchange_documents LIMIT 1")).await?.is_empty();
        let is_load = FeedState::read(&book.store).await?.generation == LOADED;
        let pieces = (self.pieces).or_else(|| (all >= PIECES).then_some(PIECE));
        let (mut done, mut progress) = match (is_first, pieces.filter(|_| is_load)) {
            (true, Some(rows)) => self.render_in_pieces(book, rows, all, progress).await?,
            (true, None) => self.render_first(book, all, progress).await?,
            (false, _) => self.rerender_all(book, all, progress).await?,
        };
        let mut after = 0;
        while let Some((rows, last)) = self.rerender_raw(book, after, CHUNK).await? {
            after = last;
            done += rows;
            progress(done, all);
        }
        self.set_generation(book).await?;
        Ok(done)
    }

    /// The documents of a book that has none: nothing is looked for among them, and their plain indexes are made at the
    /// end. One transaction, so that an end in the middle leaves no book without indexes.
    async fn render_first<P: FnMut(u64, u64) + Send + 'static>(
        &self,
        book: &Book,
        all: u64,
        mut progress: P,
    ) -> Result<(u64, P)> {
        let this = self.clone();
        book.transact(move |work| {
            Box::pin(async move {
                let registry = this.rules.registry();
                let many = all >= MANY;
                if many {
                    drop_indexes(work.tx(), registry, is_made_last).await?;
                }
                let mut done = 0;
                for mapping in this.rules.mappings().iter() {
                    let mut report = |rows| {
                        done += rows;
                        progress(done, all);
                    };
                    this.render_next(work, mapping, (0, usize::MAX), &mut report).await?;
                }
                if many {
                    make_indexes(work.tx(), registry, is_made_last).await?;
                }
                Ok((done, progress))
            })
        })
        .await
    }

    /// Renders the rows of a load in transactions of so many: in the log of a single one, SQLite would look ever
    /// longer for pages. As long as not all documents are there, the load is not done.
    async fn render_in_pieces<P: FnMut(u64, u64) + Send + 'static>(
        &self,
        book: &Book,
        rows: usize,
        all: u64,
        mut progress: P,
    ) -> Result<(u64, P)> {
        let registry = self.rules.registry();
        self.forget_generation(book).await?;
        book.transact(move |work| Box::pin(async move { drop_indexes(work.tx(), registry, is_made_last).await }))
            .await?;
        let names: Vec<String> = (self.rules.mappings().iter()).map(|m| m.name().to_owned()).collect();
        let mut done = 0;
        for name in names {
            let mut after = 0;
            loop {
                let (this, name) = (self.clone(), name.clone());
                let piece = book.transact(move |work| {
                    Box::pin(async move {
                        let mut report = |rows| {
                            done += rows;
                            progress(done, all);
                        };
                        let mapping = this.mapping(&name)?;
                        let last = this.render_next(work, mapping, (after, rows), &mut report).await?;
                        Ok((last, done, progress))
                    })
                });
                let last;
                (last, done, progress) = piece.await?;
                match last {
                    Some(last) => after = last,
                    None => break,
                }
            }
        }
        book.transact(move |work| Box::pin(async move { make_indexes(work.tx(), registry, is_made_last).await }))
            .await?;
        self.loaded(book).await?;
        Ok((done, progress))
    }

    /// The documents of the rows of a mapping after an id, about so many at most; the last id, if there are more rows.
    async fn render_next(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        range: (i64, usize),
        report: &mut (dyn FnMut(u64) + Send),
    ) -> Result<Option<i64>> {
        // Documents that rows share are found by what is written of them already.
        match mapping.parts().is_none() && !mapping.is_by_day() {
            true => self.render_alone(work, mapping, range, report).await,
            false => self.render_shared(work, mapping, range, report).await,
        }
    }

    /// Documents of rows that share none with others. They are rendered while the database writes
    /// those before them, and reads those behind them.
    async fn render_alone(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        (after, most): (i64, usize),
        report: &mut (dyn FnMut(u64) + Send),
    ) -> Result<Option<i64>> {
        let own: Vec<&str> = mapping.own_fields().iter().map(String::as_str).collect();
        let mut piece = self.read_related(work, mapping, &own, (after, FIRST)).await?;
        let mut before: Option<(Plan, usize)> = None;
        let (mut rendered, mut end) = (0, None);
        while let Some((records, related, last)) = piece.take() {
            let (this, name) = (self.clone(), mapping.name().to_owned());
            let rows = records.len();
            let rendering = parallel::beside(move || this.rendered(&name, &records, &related));
            if let Some((plan, rows)) = before.take() {
                self.write(work, mapping, plan).await?;
                report(rows as u64);
            }
            rendered += rows;
            match rendered < most {
                true => {
                    piece = self.read_related(work, mapping, &own, (last, FIRST)).await?;
                }
                false => end = Some(last),
            }
            before = Some((rendering.await??, rows));
        }
        if let Some((plan, rows)) = before {
            self.write(work, mapping, plan).await?;
            report(rows as u64);
        }
        Ok(end)
    }

    /// The documents of rows that have none.
    fn rendered(&self, mapping: &str, records: &[Record], related: &RelatedRecords) -> Result<Plan> {
        let mapping = self.mapping(mapping)?;
        let rendered = parallel::map(records, |record| {
            let mut documents = Vec::new();
            mapping.render(record, related, &mut documents);
            (record.get(ID).int().unwrap_or_default(), documents)
        });
        let (stored, none) = (IndexMap::default(), Touched::default());
        Ok(plan(mapping, rendered, stored, &none, self.rules.slug(mapping)).settled())
    }

    /// The next rows of a mapping after an id, so many at most, what they relate to, and the last id.
    pub(super) async fn read_related(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        fields: &[&str],
        range: (i64, i64),
    ) -> Result<Option<(Vec<Record>, RelatedRecords, i64)>> {
        let Some((records, last)) = self.read_next(work, mapping, fields, range).await? else { return Ok(None) };
        let related = RelatedRecords::load(work, mapping, self.rules.fields(), records.iter()).await?;
        Ok(Some((records, related, last)))
    }

    /// Documents that several rows may share.
    async fn render_shared(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        (mut after, most): (i64, usize),
        report: &mut (dyn FnMut(u64) + Send),
    ) -> Result<Option<i64>> {
        let none = Touched::default();
        let mut rendered = 0;
        while let Some((records, last)) = (self.read_next(work, mapping, &["id"], (after, FIRST))).await? {
            let ids = records.iter().filter_map(|r| r.get(ID).int()).collect();
            self.refresh(work, mapping, ids, &none, WordingSource::Present).await?;
            after = last;
            rendered += records.len();
            report(records.len() as u64);
            if rendered >= most {
                return Ok(Some(after));
            }
        }
        Ok(None)
    }

    /// The next rows of a mapping after an id, so many at most, and the last id.
    pub(super) async fn read_next(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        fields: &[&str],
        (after, limit): (i64, i64),
    ) -> Result<Option<(Vec<Record>, i64)>> {
        let lookup = Lookup::default().test("id", Test::From(Value::Int(after + 1))).fields(fields).limit(limit);
        let mut records = work.find(mapping.collection(), lookup).await?;
        records.sort_by_key(|record| record.get(ID).int());
        let last = records.last().and_then(|record| record.get(ID).int());
        Ok(last.map(|last| (records, last)))
    }

    /// Records that the documents are those of the present mappings. Tokens of another generation end with that.
    pub async fn set_generation(&self, book: &Book) -> Result<()> {
        self.store_generation(book, self.rules.mappings().generation()).await
    }

    /// Records that the documents are of no mappings: rows are loaded, and the documents are made afterwards.
    pub async fn forget_generation(&self, book: &Book) -> Result<()> {
        self.store_generation(book, LOADING).await
    }

    /// Records that all rows are loaded, with what follows from them: documents may be made.
    pub async fn loaded(&self, book: &Book) -> Result<()> {
        self.store_generation(book, LOADED).await
    }

    async fn store_generation(&self, book: &Book, generation: u64) -> Result<()> {
        let value = generation.to_string();
        book.transact(move |work| {
            Box::pin(async move {
                let sql = set_state("generation", &value);
                work.tx().next_seq();
                work.tx().run(sql).await.map(|_| ())
            })
        })
        .await
    }
}

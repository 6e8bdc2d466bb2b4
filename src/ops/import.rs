//! Rows of files that another program wrote (docs/import.md): relations are named by what people
//! have, rows are recognised by their keys, and every row passes the pipeline of single writes.
//! Must not know how files are read.

mod coming;
mod keys;
mod numbers;
mod references;
mod seen;
mod waves;

use super::{Book, Work};
pub use coming::ComingNames;
use futures_util::future::BoxFuture;
use model::error::{Error, Issue, Result};
use model::record::{Record, Value};
use model::registry::{Collection, Kind, Principal, Rule, Verb, Writer};
pub use seen::SeenRows;
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
pub use waves::without_places;

/// What becomes of a row that the book has with other values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conflict {
    /// The values of the file are written.
    #[default]
    Update,
    /// The row of the book stays.
    Skip,
    /// The row of the file is refused.
    Refuse,
}

/// A row of a file: a body as in REST, whose relations may also be texts (the number, code or name
/// of the row, or `field:value`) or objects with one member (`{"identNumber": "…"}`).
#[derive(Debug, Clone, Default)]
pub struct ImportRow {
    /// The id in the book, if the file has one.
    pub id: Option<i64>,
    /// The fields.
    pub body: Map<String, Json>,
    /// Faults found while reading.
    pub issues: Vec<Issue>,
}

/// What holds for all rows of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportRules {
    /// What becomes of rows that the book has with other values.
    pub conflict: Conflict,
    /// Identifier schemes: collection and name, with the path of the field that they mean.
    pub schemes: BTreeMap<(String, String), String>,
    /// The rows are a package of a farm.
    pub package: Option<PackageRules>,
}

/// What holds for rows that a farm sends as a package.
#[derive(Debug, Clone, Default)]
pub struct PackageRules {
    /// The farm. Of several rows with a name, its own is meant; the rows are about its animals only.
    pub organization: i64,
    /// Paths whose values a row must have. Other values that cannot be read are left out, and told.
    pub required: Vec<String>,
    /// What the server adds to rows that are written: path and value, where the collection has the path.
    pub stamps: Vec<(&'static str, Value)>,
    /// The list whose rows these are, and the members by which one is recognised: they join those that the record has.
    pub list: Option<(&'static str, Vec<String>)>,
}

/// How long rows wait for rows of the same collection that they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patience {
    /// For everything that the files bring.
    All,
    /// Only for relations: a text that names a row stays a text.
    Relations,
    /// For nothing: what is not there does not come.
    #[default]
    None,
}

/// Rows of one collection, written in one transaction.
#[derive(Debug)]
pub struct ImportBatch {
    /// The collection.
    pub collection: &'static Collection,
    /// The rows, in the order of the file.
    pub rows: Vec<ImportRow>,
    /// What holds for them.
    pub rules: Arc<ImportRules>,
    /// Which rows wait for rows of other batches.
    pub patience: Patience,
    /// The names of the rows of this collection that the files bring; none: any may come.
    pub coming: Option<Arc<ComingNames>>,
    /// Collections whose rows come only after all of this one: what names them is left out, and
    /// the row is to be completed.
    pub later: BTreeSet<&'static str>,
    /// The rows were written before, and are completed.
    pub completes: bool,
}

impl ImportBatch {
    /// The list that the rows join, and the members by which one of its rows is recognised.
    fn joins(&self) -> Option<(&'static str, &[String])> {
        let (list, members) = self.rules.package.as_ref()?.list.as_ref()?;
        Some((list, members))
    }
}

/// What became of a row.
#[derive(Debug)]
pub enum Imported {
    /// The book has a new row.
    Created(i64),
    /// A row of the book was changed.
    Updated(i64),
    /// The book has the row as it is.
    Unchanged(i64),
    /// The book has the row with other values, which stay.
    Skipped(i64),
    /// Nothing of it was written.
    Refused(Vec<Issue>),
    /// It names a row that may still come; nothing of it was written.
    Waits,
}

/// What became of a row, and whether relations to rows that come later are missing.
#[derive(Debug)]
pub struct ImportedRow {
    /// What became of it.
    pub imported: Imported,
    /// Whether it is to be completed when all files are read.
    pub incomplete: bool,
    /// Values that were left out, with the reason.
    pub left_out: Vec<Issue>,
    /// The row that was changed, before and after.
    pub change: Option<Box<(Record, Record)>>,
}

/// Why rows of a collection cannot be imported; none if they can.
pub fn closed_to_import(c: &Collection) -> Option<&'static str> {
    if c.auth {
        return Some("accounts are created by `herdbook user add` or by invitations");
    }
    if c.opens || c.invites || c.fields.iter().any(|f| f.shown_once || f.digest.is_some()) {
        return Some("its tokens are shown once, to whoever creates the row");
    }
    if c.notifies.is_some() || c.fields.iter().any(|f| f.keyed.is_some()) {
        return Some("its keys are made by the server");
    }
    if c.upload.is_some() {
        return Some("its rows are files, which are uploaded");
    }
    if c.file
        .is_some_and(|path| c.field(path).is_some_and(|f| f.required))
    {
        return Some("its rows need files, which are uploaded");
    }
    match c.access.rule(Verb::Create) {
        Rule::Nobody => Some("only the server writes it"),
        _ => None,
    }
}

/// Whether an import takes values of a field.
pub fn imports(c: &Collection, slot: usize) -> bool {
    c.fields.get(slot).is_some_and(|f| {
        let stamp = slot == c.created_slot() || slot == c.updated_slot();
        (f.writer != Writer::Server || stamp) && !matches!(f.kind, Kind::Password)
    })
}

impl Work<'_> {
    /// Writes a batch. Refused rows leave no trace, the others are stored. Answers come in the order
    /// of the rows.
    ///
    /// # Errors
    /// `Error::Unavailable`, `Error::Overloaded` or `Error::Late` when the database fails or is busy.
    pub async fn import(
        &mut self,
        caller: &Arc<Principal>,
        batch: ImportBatch,
        seen: &mut SeenRows,
    ) -> Result<Vec<ImportedRow>> {
        let before = std::mem::replace(&mut self.caller, Arc::clone(caller));
        let package = batch
            .rules
            .package
            .as_ref()
            .map(|package| package.organization);
        let outer = self.package_of(package);
        // Files of another program tell what was; packages of farms bring what is new.
        let quiet = std::mem::replace(&mut self.quiet, package.is_none());
        // A wave has one row of each subject at most.
        let later = self.begin_later();
        let mut done = waves::written(self, caller, batch, seen).await;
        if later {
            let behind = self.behind();
            if done.is_ok()
                && let Err(error) = self.catch_up(&behind).await
            {
                done = Err(error);
            }
        }
        (self.caller, self.package, self.quiet) = (before, outer, quiet);
        done
    }

    /// From here on, rows are those of a package of this farm, or of none; answers what was said before. They are written
    /// by the right to send packages.
    pub fn package_of(&mut self, farm: Option<i64>) -> Option<i64> {
        std::mem::replace(&mut self.package, farm)
    }

    /// Counts one more part of an import that may be resumed; answers the number of the part. It is
    /// committed with the rows, so that the count says which parts are in the book.
    ///
    /// # Errors
    /// As [`Work::import`].
    pub async fn count_part(&mut self, import: &str) -> Result<i64> {
        self.tx().allocate(&sequence(import), 1).await
    }

    /// Keeps ids free for rows that files bring with theirs: rows that the book writes on the way get
    /// higher ones.
    ///
    /// # Errors
    /// As [`Work::import`].
    pub async fn reserve_ids(&mut self, ids: &[(&'static Collection, i64)]) -> Result<()> {
        for (c, highest) in ids {
            self.tx()
                .reserve(&c.table, (*highest).clamp(0, MOST_ID))
                .await?;
        }
        Ok(())
    }

    /// Forgets the count of an import that ended.
    ///
    /// # Errors
    /// As [`Work::import`].
    pub async fn forget_parts(&mut self, import: &str) -> Result<()> {
        let sql = store::Sql::new("DELETE FROM book_ids WHERE name = ")
            .with(store::Ty::Text, sequence(import).as_str());
        self.tx().run(sql).await.map(|_| ())
    }
}

/// The highest id of a file: more than a book has.
const MOST_ID: i64 = 9_000_000_000_000_000;

/// The sequence that counts the parts of an import.
fn sequence(import: &str) -> String {
    format!("import:{import}")
}

/// A transaction in which writes are tried and of which nothing stays.
pub struct Rehearsal<'t> {
    book: &'t RehearsedBook,
    tx: &'t mut store::Tx,
}

/// What of a book a rehearsal needs.
struct RehearsedBook {
    registry: &'static model::registry::Registry,
    projection: Arc<dyn super::Projection>,
    keys: Arc<secure::keys::KeyRing>,
    around: super::Around,
}

impl std::fmt::Debug for Rehearsal<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rehearsal")
    }
}

impl Rehearsal<'_> {
    /// One part, with its projection, as a transaction of its own would be.
    ///
    /// # Errors
    /// Those of the job, and of the database.
    pub async fn part<T, F>(&mut self, job: F) -> Result<T>
    where
        F: for<'w, 't> FnOnce(&'w mut Work<'t>) -> BoxFuture<'w, Result<T>> + Send,
        T: Send,
    {
        let book = self.book;
        let mut work = Work::new(book.registry, self.tx)
            .with_keys(Arc::clone(&book.keys))
            .within(book.around.clone());
        let answer = job(&mut work).await?;
        work.project(book.projection.as_ref()).await?;
        Ok(answer)
    }
}

impl Book {
    /// Parts of an import that were counted with [`Work::count_part`].
    ///
    /// # Errors
    /// Those of the database.
    pub async fn counted_parts(&self, import: &str) -> Result<i64> {
        let sql = store::Sql::new("SELECT next FROM book_ids WHERE name = ")
            .with(store::Ty::Text, sequence(import).as_str());
        let rows = self.store.rows(sql).await?;
        let next = rows.first().and_then(|row| row.int(0));
        Ok(next.map_or(0, |next| next - 1))
    }

    /// Runs a job in one transaction, and undoes it whatever comes of it.
    ///
    /// # Errors
    /// Those of the job, and of the database.
    pub async fn rehearse<F>(&self, job: F) -> Result<()>
    where
        F: for<'w, 't> FnOnce(&'w mut Rehearsal<'t>) -> BoxFuture<'w, Result<()>> + Send + 'static,
    {
        let book = RehearsedBook {
            registry: self.registry,
            projection: Arc::clone(&self.projection),
            keys: Arc::clone(&self.keys),
            around: self.around(),
        };
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let rehearsed = self.store.write(move |tx| {
            Box::pin(async move {
                job(&mut Rehearsal { book: &book, tx }).await?;
                end.store(true, Ordering::Relaxed);
                // Only an error undoes a transaction.
                Err::<(), Error>(Error::Malformed("rehearsed".into()))
            })
        });
        match rehearsed.await {
            Err(_) if ended.load(Ordering::Relaxed) => Ok(()),
            other => other,
        }
    }
}

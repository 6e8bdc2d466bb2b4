//! The import of a folder of files by collection (docs/import.md): files that another program wrote, read as the tables
//! of packages are, and written in the order in which collections name each other, without review. What differs from a
//! package: the name of a file says the collection, unknown columns refuse the folder, ids are those of the book, rows
//! may be about any animal, and a cell that cannot be read refuses its row.

mod files;
mod journal;
mod order;
mod read;
mod report;
mod run;
mod scan;

use crate::write::Conflict;
use exchange::Exchange;
use indexmap::IndexMap;
use model::error::{Error, Result};
use model::registry::Principal;
use ops::Book;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use sheets::Encoding;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are written in one transaction.
const TOGETHER: usize = 2_000;

#[derive(Debug, Clone)]
pub struct FolderOptions {
    /// Nothing is written: all of it is one transaction that is undone.
    pub dry_run: bool,
    /// What becomes of a row that the book has with other values.
    pub conflict: Conflict,
    /// File for the rows that were refused; beside it stands `<FILE>.journal` until the import is done.
    pub report: PathBuf,
    /// Columns that the book does not know are left out, instead of refusing the folder.
    pub skip_unknown: bool,
    /// Encoding of text files without a mark.
    pub encoding: Encoding,
    /// Who imports, as it was said: another one begins anew.
    pub user: Option<String>,
}

/// Number of rows by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub created: u64,
    pub updated: u64,
    /// Rows that the book had as they are.
    pub unchanged: u64,
    /// Rows that the book had otherwise, which stay.
    pub skipped: u64,
    pub refused: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.created += other.created;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.skipped += other.skipped;
        self.refused += other.refused;
    }

    pub fn all(self) -> u64 {
        self.created + self.updated + self.unchanged + self.skipped + self.refused
    }

    /// By name.
    pub fn json(self) -> Json {
        json!(self)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Rows by collection, in the order in which the collections were written.
    pub collections: IndexMap<&'static str, Counts>,
    /// Columns whose values the book computes itself, by file.
    pub ignored: IndexMap<String, Vec<String>>,
    /// Whether it went on where an earlier run was broken off.
    pub resumed: bool,
}

impl ImportSummary {
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.collections.values().for_each(|c| total.add(*c));
        total
    }
}

/// Called with rows that are done: their number among all, and whether an earlier run did them.
pub type Watch = Arc<dyn Fn(u64, bool) + Send + Sync>;

/// Imports a folder of files by collection; `watch` is made when the number of rows is known.
///
/// # Errors
/// [`Error::Invalid`] with every file and column that the book does not know, before anything is
/// written; [`Error::Malformed`] for files that cannot be read; those of the database. What was
/// committed stays, and the same call goes on from there.
pub async fn import_folder(
    (book, exchange): (&Book, &Exchange),
    folder: &Path,
    options: &FolderOptions,
    caller: Principal,
    watch: impl FnOnce(u64) -> Watch,
) -> Result<ImportSummary> {
    let plan = scan::planned(book.registry, folder, options, book.clock.now())?;
    let watch = watch(plan.rows);
    let done = run::run(book, plan, options, (Arc::new(caller), exchange.rules().schemes_of_names(), watch)).await?;
    if !options.dry_run {
        while exchange.projector().work_off(book).await? {}
    }
    Ok(done)
}

fn fault(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::Malformed(format!("{}: {why}", path.display()).into())
}

/// The file beside a report in which an import stores how far it is.
fn journal_of(report: &Path) -> PathBuf {
    let mut name = OsString::from(report);
    name.push(".journal");
    PathBuf::from(name)
}

//! A folder of files beside a book, and what an import of it did.

use crate::rest::stage::{Stage, Template};
use cli::{Counts, ImportSummary, OpenBook, RowOptions, import_rows};
use model::error::{Error, Result};
use std::path::PathBuf;
use std::sync::Arc;
use store::{Dialect, Sql};
use tempfile::TempDir;

/// Two farms, as a file.
pub(super) const FARMS: &str = "name,inn\nAlpha,1\nBeta,2\n";

/// A folder with files for a book.
pub(super) struct Desk<'s> {
    pub(super) stage: &'s Stage,
    pub(super) dir: TempDir,
    pub(super) options: RowOptions,
}

impl<'s> Desk<'s> {
    pub(super) fn new(stage: &'s Stage) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("rows")).unwrap();
        let options = RowOptions { report: dir.path().join("report.csv"), ..RowOptions::default() };
        Self { stage, dir, options }
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.dir.path().join("rows")
    }

    /// Writes a file.
    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.folder().join(name), content).unwrap();
        self
    }

    pub(super) async fn tried(&self) -> Result<ImportSummary> {
        let opened = OpenBook { book: Arc::clone(&self.stage.book), exchange: self.stage.exchange.clone() };
        import_rows(&opened, &self.folder(), &self.options).await
    }

    /// Imports; what became of the rows of each collection.
    pub(super) async fn import(&self) -> ImportSummary {
        self.tried().await.unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// Imports, and nothing is refused.
    pub(super) async fn all(&self) -> Counts {
        let total = self.import().await.total();
        assert_eq!(total.refused, 0, "{}", self.report().join("\n"));
        total
    }

    /// An import that is refused as a whole, and writes nothing.
    pub(super) async fn refused(&self) -> Vec<String> {
        let before = content(self.stage).await;
        let error = self.tried().await.unwrap_err();
        assert_eq!(content(self.stage).await, before);
        match error {
            Error::Invalid(issues) => {
                (issues.into_iter()).map(|issue| format!("{}: {}", issue.path, issue.message)).collect()
            }
            Error::Malformed(why) => vec![why.to_string()],
            other => panic!("{other:?}"),
        }
    }

    /// Lines of the report, without its head.
    pub(super) fn report(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.options.report).unwrap();
        let mut lines = text.lines().map(str::to_owned);
        assert_eq!(lines.next().unwrap(), "file,row,field,code,value,reason");
        lines.collect()
    }

    /// File, row, field and code of each line of the report.
    pub(super) fn places(&self) -> Vec<String> {
        let mut reader = csv::Reader::from_path(&self.options.report).unwrap();
        let records = reader.records().map(Result::unwrap);
        let place = |record: csv::StringRecord| format!("{}:{} {} {}", &record[0], &record[1], &record[2], &record[3]);
        records.map(place).collect()
    }

    pub(super) async fn number(&self, sql: &str) -> i64 {
        let rows = self.stage.book.store.rows(Sql::new(sql)).await.unwrap();
        rows[0].int(0).unwrap()
    }

    /// The texts of a statement's first column.
    pub(super) async fn texts(&self, sql: &str) -> Vec<String> {
        let rows = self.stage.book.store.rows(Sql::new(sql)).await.unwrap();
        let text = |row: &store::Row| row.text(0).unwrap_or("-").to_owned();
        rows.iter().map(text).collect()
    }
}

/// A stage on SQLite alone: for what files say, which is read above the database.
pub(super) async fn once(test: impl AsyncFn(&Stage)) {
    let empty = Template::empty(Dialect::Sqlite).await;
    Stage::show(empty.expect("SQLite is there"), &test).await;
}

/// Everything in a book but what counts commits.
pub(super) async fn content(stage: &Stage) -> Vec<String> {
    let all = crate::support::untouched::content(&stage.book.store).await;
    let counts = |line: &&str| !line.starts_with("book_sequence: ");
    all.lines().filter(counts).map(str::to_owned).collect()
}

pub(super) fn counts(created: u64, updated: u64, unchanged: u64, refused: u64) -> Counts {
    Counts { created, updated, unchanged, refused, ..Counts::default() }
}

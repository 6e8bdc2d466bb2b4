//! A file of a package that was opened, whatever it has: tables, or documents of the exchange.

use crate::files::documents::DocumentFile;
use crate::files::file::{FileRows, PackageFile};
use crate::files::file_fault::FileFault;
use crate::files::sheet::FileRow;
use crate::meanings::known_columns::KnownColumns;
use crate::packages::deliver::DocumentWriter;
use crate::packages::pending::UnknownColumn;
use crate::packages::piece::{Intake, RecordIds};
use crate::packages::queue::FileSummary;
use crate::packages::rows::PackageRow;
use exchange::Exchange;
use model::error::Result;
use model::registry::{Principal, Registry};
use ops::WriteTransaction;
use serde_json::Value as Json;
use sheets::Source;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) enum InputFile {
    Tables(Box<PackageFile>),
    Documents(DocumentFile),
}

impl InputFile {
    /// Opens a file: what it is, is seen in its content. A stated set holds for tables.
    pub(crate) fn open(
        registry: &'static Registry,
        exchange: &Exchange,
        source: Source,
        known_columns: KnownColumns,
        dataset: Option<&str>,
    ) -> std::result::Result<Self, FileFault> {
        match DocumentFile::open(&source, exchange, registry)? {
            Some(documents) => Ok(Self::Documents(documents)),
            None => {
                PackageFile::open(registry, source, known_columns, dataset).map(|file| Self::Tables(Box::new(file)))
            }
        }
    }

    /// Decides how its dates and numbers are written: as was stored of its sheets (`stored`) when it was read before, or by its rows.
    pub(crate) fn decide_notations(&mut self, stored: Option<&Json>, now: i64) {
        match (self, stored) {
            (Self::Tables(file), Some(stored)) => file.take_notations(stored),
            (Self::Tables(file), None) => file.decide_notations(now),
            (Self::Documents(_), _) => {}
        }
    }

    /// What is known of the file before its rows are read.
    pub(crate) fn summary(&self) -> FileSummary {
        match self {
            Self::Tables(file) => file.summary(),
            Self::Documents(file) => file.summary(),
        }
    }

    pub(crate) fn rows(&self) -> InputRows<'_> {
        match self {
            Self::Tables(file) => InputRows::Tables(Box::new(file.rows())),
            Self::Documents(file) => InputRows::Documents(file, 0),
        }
    }
}

/// The rows of a file, one after another.
pub(crate) enum InputRows<'f> {
    Tables(Box<FileRows<'f>>),
    Documents(&'f DocumentFile, usize),
}

impl InputRows<'_> {
    pub(crate) fn next(&mut self) -> std::result::Result<Option<FileRow>, FileFault> {
        match self {
            Self::Tables(rows) => rows.next(),
            Self::Documents(file, at) => {
                let row = file.row(*at);
                *at = at.saturating_add(1);
                Ok(row)
            }
        }
    }

    /// Columns with values that nobody knows.
    pub(crate) fn unknown(self) -> Vec<UnknownColumn> {
        match self {
            Self::Tables(rows) => rows.unknown(),
            Self::Documents(..) => Vec::new(),
        }
    }
}

#[derive(Debug)]
pub(crate) enum RowWriter {
    Rows(Intake),
    Documents(DocumentWriter),
}

impl RowWriter {
    /// For a file; `package` is none where none is made of it.
    pub(crate) fn new(
        (exchange, schemes): (&Exchange, &crate::Schemes),
        registry: &'static Registry,
        caller: Arc<Principal>,
        organization: i64,
        package: Option<i64>,
        file: &InputFile,
    ) -> Self {
        match file {
            InputFile::Tables(file) => {
                Self::Rows(Intake::new(caller, organization, package, file.sheets.clone(), schemes))
            }
            InputFile::Documents(_) => Self::documents(exchange, registry, caller, organization),
        }
    }

    pub(crate) fn documents(
        exchange: &Exchange,
        registry: &'static Registry,
        caller: Arc<Principal>,
        organization: i64,
    ) -> Self {
        Self::Documents(DocumentWriter { caller, organization, exchange: exchange.clone(), registry })
    }

    /// As whom rows are written.
    pub(crate) fn caller(&self) -> &Arc<Principal> {
        match self {
            Self::Rows(intake) => &intake.caller,
            Self::Documents(writer) => &writer.caller,
        }
    }

    pub(crate) async fn write(
        &self,
        work: &mut WriteTransaction<'_>,
        rows: &[FileRow],
        record_ids: &mut RecordIds,
    ) -> Result<Vec<PackageRow>> {
        match self {
            Self::Rows(intake) => intake.write(work, rows, record_ids).await,
            Self::Documents(writer) => writer.write(work, rows, record_ids).await,
        }
    }
}

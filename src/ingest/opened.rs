//! A file of a package that was opened, whatever it has: tables, or documents of the exchange.

use crate::deliver::DocumentWriter;
use crate::documents::DocumentFile;
use crate::file::{FileRows, PackageFile};
use crate::known_columns::KnownColumns;
use crate::pending::UnknownColumn;
use crate::piece::{Intake, Seen};
use crate::queue::SeenFile;
use crate::rows::PackageRow;
use crate::sheet::FileRow;
use crate::unread::Unread;
use exchange::Exchange;
use model::error::Result;
use model::registry::{Principal, Registry};
use ops::WriteTransaction;
use serde_json::Value as Json;
use sheets::Source;
use std::sync::Arc;

/// A file that was opened.
#[derive(Debug)]
pub(crate) enum Opened {
    Tables(Box<PackageFile>),
    Documents(DocumentFile),
}

impl Opened {
    /// Opens a file: what it is, is seen in its content. A stated set holds for tables.
    pub(crate) fn open(
        registry: &'static Registry,
        exchange: &Exchange,
        source: Source,
        known: KnownColumns,
        dataset: Option<&str>,
    ) -> std::result::Result<Self, Unread> {
        match DocumentFile::open(&source, exchange, registry)? {
            Some(documents) => Ok(Self::Documents(documents)),
            None => PackageFile::open(registry, source, known, dataset)
                .map(|file| Self::Tables(Box::new(file))),
        }
    }

    /// Decides how its dates and numbers are written: as was stored of its sheets (`told`) when it was read before, or by its rows.
    pub(crate) fn decide_notations(&mut self, told: Option<&Json>, now: i64) {
        match (self, told) {
            (Self::Tables(file), Some(told)) => file.take_notations(told),
            (Self::Tables(file), None) => file.decide_notations(now),
            (Self::Documents(_), _) => {}
        }
    }

    /// What is known of the file before its rows are read.
    pub(crate) fn seen(&self) -> SeenFile {
        match self {
            Self::Tables(file) => file.seen(),
            Self::Documents(file) => file.seen(),
        }
    }

    /// Its rows.
    pub(crate) fn rows(&self) -> OpenedRows<'_> {
        match self {
            Self::Tables(file) => OpenedRows::Tables(Box::new(file.rows())),
            Self::Documents(file) => OpenedRows::Documents(file, 0),
        }
    }
}

/// The rows of a file, one after another.
pub(crate) enum OpenedRows<'f> {
    Tables(Box<FileRows<'f>>),
    Documents(&'f DocumentFile, usize),
}

impl OpenedRows<'_> {
    /// The next row.
    pub(crate) fn next(&mut self) -> std::result::Result<Option<FileRow>, Unread> {
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

/// Writes the rows of a file.
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
        file: &Opened,
    ) -> Self {
        match file {
            Opened::Tables(file) => {
                let sheets = file.sheets.clone();
                Self::Rows(Intake::new(caller, organization, package, sheets, schemes))
            }
            Opened::Documents(_) => Self::documents(exchange, registry, caller, organization),
        }
    }

    /// For documents.
    pub(crate) fn documents(
        exchange: &Exchange,
        registry: &'static Registry,
        caller: Arc<Principal>,
        organization: i64,
    ) -> Self {
        Self::Documents(DocumentWriter {
            caller,
            organization,
            exchange: exchange.clone(),
            registry,
        })
    }

    /// As whom rows are written.
    pub(crate) fn caller(&self) -> &Arc<Principal> {
        match self {
            Self::Rows(intake) => &intake.caller,
            Self::Documents(writer) => &writer.caller,
        }
    }

    /// Writes rows. What became of each, in their order.
    pub(crate) async fn write(
        &self,
        work: &mut WriteTransaction<'_>,
        rows: &[FileRow],
        seen: &mut Seen,
    ) -> Result<Vec<PackageRow>> {
        match self {
            Self::Rows(intake) => intake.write(work, rows, seen).await,
            Self::Documents(writer) => writer.write(work, rows, seen).await,
        }
    }
}

//! Rows that wait for other records are tried again, of all packages (docs/packages.md, *Rows*).

use crate::files::input_file::RowWriter;
use crate::files::read_ahead::PIECE;
use crate::files::sheet::{FileRow, PackageSheet};
use crate::meanings::known_columns::KnownColumns;
use crate::packages::intake::Reader;
use crate::packages::outcomes::store_outcomes;
use crate::packages::piece::{Intake, RecordIds};
use crate::packages::queue::{self, OpenPackage};
use crate::packages::rows::{RowState, StoredRow, packages_that_wait, waiting_rows};
use model::error::Result;
use model::registry::{Caller, Registry};
use ops::WriteTransaction;
use serde_json::Value as Json;
use std::sync::Arc;

/// How long rows of a package that wait rest between two tries, milliseconds.
const REST: i64 = 600_000;
/// Packages whose rows wait, of one look.
const WAITING: i64 = 500;

impl Reader {
    /// Tries rows again that wait for other records, of all packages; how many were taken.
    pub async fn try_waiting(&self) -> Result<usize> {
        let (mut after, mut written) = (0, 0);
        loop {
            let from = after;
            let packages =
                self.book.transact(move |work| Box::pin(async move { packages_that_wait(work, from, WAITING).await }));
            let packages = packages.await?;
            let Some(last) = packages.last() else { return Ok(written) };
            after = *last;
            for id in packages {
                written += self.try_package(id).await?;
            }
        }
    }

    async fn try_package(&self, id: i64) -> Result<usize> {
        let package = self.book.transact(move |work| Box::pin(async move { queue::package(work, id).await }));
        let now = self.book.clock.now();
        let due = |package: &OpenPackage| package.tried.is_none_or(|at| now.saturating_sub(at) >= REST);
        let Some(package) = package.await?.filter(|package| package.open && due(package)) else { return Ok(0) };
        let Some(user) = package.user else { return Ok(0) };
        let caller = Arc::new(self.book.account(user).await?);
        if caller.caller == Caller::Anonymous {
            return Ok(0);
        }
        let known_columns = self.known_columns(&package).await?;
        let registry = self.book.registry;
        let (names, intake) = match has_documents(&package) {
            true => (vec![String::new()], RowWriter::documents(&self.exchange, registry, caller, package.organization)),
            false => {
                let sheets = stored_sheets(registry, &known_columns, package.sheets.as_ref());
                let names = sheets.iter().map(|sheet| sheet.name.clone()).collect();
                (names, RowWriter::Rows(Intake::new(caller, package.organization, Some(id), sheets, &self.schemes)))
            }
        };
        let intake = Arc::new(intake);
        let package = Arc::new(package);
        let (mut after, mut written) = (0, 0);
        loop {
            let (package, intake, names) = (Arc::clone(&package), Arc::clone(&intake), names.clone());
            let piece = self
                .book
                .transact(move |work| Box::pin(async move { try_piece(work, &package, &intake, &names, after).await }));
            let Some((last, more)) = piece.await? else {
                self.book.transact(move |work| Box::pin(async move { queue::note_try(work, id).await })).await?;
                return Ok(written);
            };
            after = last;
            written += more;
        }
    }
}

/// Tries a piece of rows that wait; the last position, and how many were taken.
async fn try_piece(
    work: &mut WriteTransaction<'_>,
    package: &OpenPackage,
    intake: &RowWriter,
    names: &[String],
    after: i64,
) -> Result<Option<(i64, usize)>> {
    let stored = waiting_rows(work, package.id, after, i64::try_from(PIECE).unwrap_or(i64::MAX)).await?;
    let Some(last) = stored.last().map(|row| row.position) else { return Ok(None) };
    let file_rows: Vec<FileRow> = stored.iter().filter_map(|row| file_row(row, names)).collect();
    let rows = intake.write(work, &file_rows, &mut RecordIds::new()).await?;
    let written: Vec<_> = rows.into_iter().filter(|row| row.state != RowState::Held).collect();
    let count = written.len();
    if count > 0 {
        store_outcomes(work, package, written, &vec![RowState::Held; count]).await?;
    }
    Ok(Some((last, count)))
}

pub(crate) fn file_row(row: &StoredRow, names: &[String]) -> Option<FileRow> {
    let name = row.sheet.as_deref().unwrap_or_default();
    Some(FileRow {
        position: row.position,
        sheet: names.iter().position(|one| one == name)?,
        line: row.line,
        cells: row.cells.clone(),
        broken: None,
    })
}

/// Whether the file of a package has documents of the exchange.
pub(crate) fn has_documents(package: &OpenPackage) -> bool {
    let sheets = package.sheets.as_ref().and_then(Json::as_array);
    sheets.is_some_and(|sheets| sheets.iter().any(|sheet| sheet.get("exchange").is_some()))
}

/// The sheets of a file as they are stored with the package, under what is known of columns now.
pub(crate) fn stored_sheets(
    registry: &'static Registry,
    known_columns: &KnownColumns,
    stored: Option<&Json>,
) -> Vec<PackageSheet> {
    let all = stored.and_then(Json::as_array).into_iter().flatten();
    let sheets = all.filter_map(|sheet| {
        let set = sheet.get("set")?.as_str()?;
        let set = registry.package_sets().find(|(_, one)| one.name == set)?;
        let columns = sheet.get("columns")?.as_array()?;
        let title = |column: &Json| Some(column.get("title")?.as_str()?.to_owned());
        let titles: Vec<String> = columns.iter().map(|column| title(column).unwrap_or_default()).collect();
        let mut read = match sheet.get("dialect") {
            Some(_) => known_columns.stored_part(registry, set, sheet, &titles),
            None => PackageSheet::new(registry, set, known_columns, &titles),
        };
        read.take_notations(sheet);
        read.name = sheet.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
        Some(read)
    });
    sheets.collect()
}

//! Rows of a package as a table: the columns of the file as they were, and beside them what became of each row, so
//! that the table can be mended and sent again.

use crate::files::sheet::PackageSheet;
use crate::meanings::file_column::BESIDE;
use crate::packages::intake;
use crate::packages::queue::package as package_of;
use crate::packages::rows::{RowState, RowWithReasons, StoredRow, rows_with_reasons};
use crate::packages::waiting::{has_documents, stored_sheets};
use crate::values::notation::{Content, Notation};
use domain::collections::packages::Mapping;
use model::error::{Error, Result};
use model::messages::Language;
use ops::Book;
use serde_json::json;

/// Rows that are read at once.
const STEP: i64 = 2_000;

/// A table of the rows of a package, piece by piece.
#[derive(Debug)]
pub struct TableRows {
    package: i64,
    language: Language,
    states: Vec<RowState>,
    after: i64,
    /// Documents of the exchange, which are lines of JSON and no table.
    documents: bool,
    sheets: Vec<(String, Vec<TableColumn>)>,
    /// The sheet whose header was given last.
    begun: Option<String>,
}

/// A column, and how its dates or numbers were read.
#[derive(Debug)]
struct TableColumn {
    title: String,
    read: Option<(Content, Notation)>,
}

#[derive(Debug, Clone)]
pub enum TableLine {
    /// The header of a sheet: its name, and the titles of its columns.
    Sheet(String, Vec<String>),
    Row(Vec<String>),
}

impl TableLine {
    pub fn cells(self) -> Vec<String> {
        match self {
            Self::Sheet(_, cells) | Self::Row(cells) => cells,
        }
    }
}

/// The table of a package, of rows in some states (none: all), with reasons in a language.
///
/// # Errors
/// [`Error::NotFound`] when there is no such package; the errors of the database.
pub async fn table(book: &Book, package: i64, states: Vec<RowState>, language: Language) -> Result<TableRows> {
    let open_package = book.transact(move |work| Box::pin(async move { package_of(work, package).await }));
    let open_package = open_package.await?.ok_or(Error::NotFound)?;
    let documents = has_documents(&open_package);
    let mapping = Mapping::read(book.registry, open_package.mapping.as_ref());
    let known_columns = intake::known_columns(book, mapping.unwrap_or_default()).await?;
    let sheets = stored_sheets(book.registry, &known_columns, open_package.sheets.as_ref());
    Ok(TableRows {
        package,
        language,
        states,
        after: 0,
        documents,
        sheets: sheets.into_iter().map(columns).collect(),
        begun: None,
    })
}

fn columns(sheet: PackageSheet) -> (String, Vec<TableColumn>) {
    let c = sheet.collection;
    let columns = sheet
        .columns
        .into_iter()
        .map(|column| TableColumn { read: column.content(c).zip(Some(column.notation)), title: column.title });
    (sheet.name, columns.collect())
}

impl TableRows {
    /// Whether they are documents of the exchange: [`TableRows::next`] then gives lines of one text, a document each with
    /// state and reason as members that are not read when it is sent again.
    pub fn are_documents(&self) -> bool {
        self.documents
    }

    /// The next lines: of each sheet its header, then its rows; none at the end.
    pub async fn next(&mut self, book: &Book) -> Result<Option<Vec<TableLine>>> {
        let (package, states, part) = (self.package, self.states.clone(), (self.after, STEP));
        let language = self.language;
        let rows = book.transact(move |work| {
            Box::pin(async move { rows_with_reasons(work, language, package, &states, part).await })
        });
        let rows = rows.await?;
        let mut lines = Vec::new();
        if self.documents {
            for row in rows {
                self.after = row.row.position;
                lines.push(TableLine::Row(vec![with_reasons(&row)]));
            }
            return Ok((!lines.is_empty()).then_some(lines));
        }
        if rows.is_empty() && self.begun.is_none() {
            lines.extend(self.begin(self.sheets.first().map(|(name, _)| name.clone()).unwrap_or_default()));
        }
        for row in rows {
            self.after = row.row.position;
            lines.extend(self.begin(row.row.sheet.clone().unwrap_or_default()));
            let added = [row.row.state.word().to_owned(), row.row.line.to_string(), row.reasons.join(" ")];
            let cells = self.beyond_doubt(&row.row);
            lines.push(TableLine::Row(line(cells, self.columns(), added)));
        }
        Ok((!lines.is_empty()).then_some(lines))
    }

    fn begin(&mut self, sheet: String) -> Option<TableLine> {
        if self.begun.as_ref() == Some(&sheet) {
            return None;
        }
        let titles = self.columns_of(&sheet).iter().map(|column| column.title.clone()).collect();
        self.begun = Some(sheet.clone());
        Some(TableLine::Sheet(sheet, line(titles, self.columns(), BESIDE.map(str::to_owned))))
    }

    fn columns_of(&self, sheet: &str) -> &[TableColumn] {
        self.sheets.iter().find(|(name, _)| name == sheet).map(|(_, columns)| columns.as_slice()).unwrap_or_default()
    }

    /// The cells of a row. The rows that decided how its columns are read may be missing in the table.
    fn beyond_doubt(&self, row: &StoredRow) -> Vec<String> {
        let mut columns = self.columns_of(row.sheet.as_deref().unwrap_or_default()).iter();
        let cells = row.cells.iter().map(|cell| {
            let read = columns.next().and_then(|column| column.read.as_ref());
            read.and_then(|(content, notation)| notation.beyond_doubt(*content, cell)).unwrap_or_else(|| cell.clone())
        });
        cells.collect()
    }

    /// Columns of the widest sheet.
    fn columns(&self) -> usize {
        self.sheets.iter().map(|(_, columns)| columns.len()).max().unwrap_or_default()
    }
}

/// A document as it was sent, with what became of it as its last members.
fn with_reasons(row: &RowWithReasons) -> String {
    let [state, line, reason] = BESIDE;
    let text = row.row.cells.first().map(String::as_str).unwrap_or_default().trim_end();
    let added = json!({state: row.row.state.word(), line: row.row.line, reason: row.reasons.join(" ")}).to_string();
    let members = text.strip_suffix('}').map(str::trim_end).filter(|begun| begun.starts_with('{'));
    let text = match (members, added.strip_prefix('{')) {
        (Some("{") | None, _) | (_, None) => added,
        (Some(members), Some(more)) => format!("{members},{more}"),
    };
    // A line each: in JSON, breaks stand between members only.
    text.replace(['\r', '\n'], " ")
}

fn line(mut cells: Vec<String>, columns: usize, added: [String; 3]) -> Vec<String> {
    cells.resize(columns, String::new());
    cells.extend(added);
    cells
}

//! Workbooks as rows, sheet by sheet. Every sheet with rows has a header of its own, which may stand below
//! titles.

use super::fault;
use super::folder::RowFile;
use super::recognised::options;
use super::row::{FileRow, read_id};
use ingest::{Column, Meaning, Notation, Profiles, meaning};
use model::error::{Issue, Result};
use model::registry::{Collection, Registry};
use ops::ImportRow;
use sheets::{Book, Epoch, Row, Table, Value};
use std::sync::Arc;

/// A workbook that is being read.
pub(super) struct Workbook {
    book: Book,
    tables: Vec<SheetTable>,
    heads: Vec<Vec<String>>,
    /// The sheet whose rows are being read, and its rows.
    at: usize,
    open: Option<Table>,
    collection: &'static Collection,
    registry: &'static Registry,
}

/// A sheet with a header.
struct SheetTable {
    sheet: usize,
    /// File and sheet, for people.
    name: Arc<str>,
    columns: Vec<Option<Column>>,
    notations: Vec<Notation>,
    ids: bool,
    epoch: Option<Epoch>,
}

impl Workbook {
    /// Opens a workbook and finds the headers of its sheets. Sheets without rows are passed over, and where
    /// `skips`, those without a header too.
    pub(super) fn open(registry: &'static Registry, file: &RowFile, skips: bool) -> Result<Self> {
        let broken = |why: sheets::Fault| fault(&file.path, why);
        let book = Book::open(file.path.clone(), &options()).map_err(broken)?;
        let mut workbook = Self {
            tables: Vec::new(),
            heads: Vec::new(),
            at: 0,
            open: None,
            collection: file.collection,
            registry,
            book,
        };
        let names = workbook.book.sheets();
        let several = names.len() > 1;
        for (sheet, name) in names.iter().enumerate() {
            let mut table = workbook.table(sheet).map_err(broken)?;
            let Some(header) = table.header.take() else {
                if !skips && table.next().map_err(broken)?.is_some() {
                    let slug = file.collection.slug;
                    let why =
                        format!("sheet {name:?}: none of the first rows has two columns of {slug}");
                    return Err(fault(&file.path, why));
                }
                continue;
            };
            let heads: Vec<String> = header
                .cells
                .iter()
                .map(|cell| cell.shown().trim().to_owned())
                .collect();
            let columns: Vec<Option<Column>> =
                heads.iter().map(|head| workbook.takes(head)).collect();
            let ids = columns.iter().flatten().any(Column::is_id);
            let name = match several {
                true => format!("{} ({name})", file.name),
                false => file.name.clone(),
            };
            let notations = file.notations_of(workbook.tables.len(), columns.len());
            workbook.heads.push(heads);
            workbook.tables.push(SheetTable {
                sheet,
                name: name.into(),
                columns,
                notations,
                ids,
                epoch: workbook.book.epoch(),
            });
        }
        match workbook.tables.is_empty() && !skips {
            true => Err(fault(&file.path, "has no header")),
            false => Ok(workbook),
        }
    }

    /// The headers of all sheets.
    pub(super) fn heads(&self) -> &[Vec<String>] {
        &self.heads
    }

    fn takes(&self, head: &str) -> Option<Column> {
        match meaning(self.registry, self.collection, head) {
            Meaning::Takes(column) => Some(column),
            Meaning::Ignored | Meaning::Unknown(_) => None,
        }
    }

    fn table(&self, sheet: usize) -> std::result::Result<Table, sheets::Fault> {
        Table::find(self.book.rows(sheet)?, |head| self.takes(head).is_some())
    }

    /// How the columns of each sheet are written, by all rows.
    pub(super) fn notations(&self, file: &RowFile, now: i64) -> Result<Vec<Vec<Notation>>> {
        let mut decided = Vec::new();
        for sheet in &self.tables {
            let broken = |why: sheets::Fault| fault(&file.path, format!("{}: {why}", sheet.name));
            let columns = sheet.columns.iter().map(Option::as_ref);
            let mut profiles = Profiles::new(self.collection, columns, now);
            let mut table = self.table(sheet.sheet).map_err(broken)?;
            while let Some(row) = table.next().map_err(broken)? {
                for (place, cell) in row.cells.iter().enumerate() {
                    profiles.see(place, cell, sheet.epoch);
                }
            }
            decided.push(profiles.decided());
        }
        Ok(decided)
    }

    /// The next row of the sheets, one after another.
    pub(super) fn next(&mut self, file: &RowFile) -> Result<Option<FileRow>> {
        while let Some(sheet) = self.tables.get(self.at) {
            let broken = |why: sheets::Fault| fault(&file.path, format!("{}: {why}", sheet.name));
            let mut table = match self.open.take() {
                Some(table) => table,
                None => self.table(sheet.sheet).map_err(broken)?,
            };
            if let Some(row) = table.next().map_err(broken)? {
                self.open = Some(table);
                return Ok(Some(FileRow {
                    line: row.number,
                    place: Some(Arc::clone(&sheet.name)),
                    row: sheet.row(self.collection, &row),
                }));
            }
            self.at += 1;
        }
        Ok(None)
    }
}

impl SheetTable {
    fn row(&self, c: &Collection, cells: &Row) -> ImportRow {
        let mut row = ImportRow::default();
        let wants = self.columns.len();
        if cells.cells.iter().skip(wants).any(|cell| !cell.is_empty()) {
            let has = cells.cells.len();
            let message = format!("The row has {has} columns, and the header {wants}.");
            row.issues.push(Issue::error("", "columns", message));
            return row;
        }
        let columns = self.columns.iter().zip(&self.notations);
        for ((column, notation), cell) in columns.zip(&cells.cells) {
            let Some(column) = column else { continue };
            let path = column.field(c).map_or("", |field| &field.path);
            if cell.value == Value::Error {
                let message = format!("The formula of this cell has the error {}.", cell.text);
                row.issues.push(Issue::error(path, "cell-error", message));
                continue;
            }
            let text = notation.text_of(c, column, cell, self.epoch);
            if let Some(fault) = notation.fault(c, column, path, &text) {
                row.issues.push(fault);
                continue;
            }
            let Some(value) = ingest::value(c, column, notation, &text, self.ids) else {
                continue;
            };
            match column.is_id() {
                true => read_id(&mut row, &value),
                false => column.put(c, &mut row.body, value),
            }
        }
        row
    }
}

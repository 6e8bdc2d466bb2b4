//! Rows of a package as a table: the columns of the file as they were, and beside them what became of each row, so
//! that the table can be mended and sent again.

use crate::sheet::BESIDE;
use domain::collections::packages::{self, RowState};
use model::error::{Error, Result};
use ops::Book;
use serde_json::Value as Json;

/// Rows that are read at once.
const STEP: i64 = 2_000;
/// Characters at which spreadsheets take a text for a formula. An apostrophe before them makes it a text again.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A table of the rows of a package, piece by piece.
#[derive(Debug)]
pub struct TableRows {
    package: i64,
    states: Vec<RowState>,
    behind: i64,
    titles: Vec<(String, Vec<String>)>,
    /// The sheet whose header was told last.
    begun: Option<String>,
}

/// The table of a package, of rows in some states (none: all).
///
/// # Errors
/// [`Error::NotFound`] when there is no such package; the errors of the database.
pub async fn table(book: &Book, package: i64, states: Vec<RowState>) -> Result<TableRows> {
    let found =
        book.transact(move |work| Box::pin(async move { packages::package(work, package).await }));
    let found = found.await?.ok_or(Error::NotFound)?;
    let sheets = found
        .sheets
        .as_ref()
        .and_then(Json::as_array)
        .into_iter()
        .flatten();
    let titles = sheets.filter_map(|sheet| {
        let name = sheet.get("name")?.as_str()?.to_owned();
        let columns = sheet.get("columns")?.as_array()?;
        let title = |column: &Json| {
            column
                .get("title")
                .and_then(Json::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Some((name, columns.iter().map(title).collect()))
    });
    Ok(TableRows {
        package,
        states,
        behind: 0,
        titles: titles.collect(),
        begun: None,
    })
}

impl TableRows {
    /// The next lines: of each sheet its header, then its rows; none at the end.
    ///
    /// # Errors
    /// The errors of the database.
    pub async fn next(&mut self, book: &Book) -> Result<Option<Vec<Vec<String>>>> {
        let (package, states, behind) = (self.package, self.states.clone(), self.behind);
        let rows = book.transact(move |work| {
            Box::pin(async move { packages::told_rows(work, package, &states, behind, STEP).await })
        });
        let rows = rows.await?;
        let mut lines = Vec::new();
        if rows.is_empty() && self.begun.is_none() {
            lines.extend(
                self.begin(
                    self.titles
                        .first()
                        .map(|(name, _)| name.clone())
                        .unwrap_or_default(),
                ),
            );
        }
        for told in rows {
            self.behind = told.row.position;
            let sheet = told.row.sheet.clone().unwrap_or_default();
            lines.extend(self.begin(sheet));
            let beside = [
                told.row.state.word().to_owned(),
                told.row.line.to_string(),
                told.reasons.join(" "),
            ];
            let cells = told.row.cells.iter().map(|cell| plain(cell)).collect();
            lines.push(line(cells, self.columns(), beside));
        }
        Ok((!lines.is_empty()).then_some(lines))
    }

    /// The header of a sheet, where its rows begin.
    fn begin(&mut self, sheet: String) -> Option<Vec<String>> {
        if self.begun.as_ref() == Some(&sheet) {
            return None;
        }
        let titles = self.titles.iter().find(|(name, _)| *name == sheet);
        let titles = titles.map(|(_, titles)| titles.clone()).unwrap_or_default();
        self.begun = Some(sheet);
        Some(line(titles, self.columns(), BESIDE.map(str::to_owned)))
    }

    /// Columns of the widest sheet.
    fn columns(&self) -> usize {
        self.titles
            .iter()
            .map(|(_, titles)| titles.len())
            .max()
            .unwrap_or_default()
    }
}

fn line(mut cells: Vec<String>, columns: usize, beside: [String; 3]) -> Vec<String> {
    cells.resize(columns, String::new());
    cells.extend(beside);
    cells
}

/// A text that no spreadsheet takes for a formula; numbers stay numbers.
fn plain(text: &str) -> String {
    let number = text.replace(',', ".").parse::<f64>().is_ok();
    match text.starts_with(FORMULA) && !number {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

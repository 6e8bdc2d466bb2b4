//! Rows of a package as a table: the columns of the file as they were, and beside them what became of each row, so
//! that the table can be mended and sent again.

use crate::sheet::BESIDE;
use crate::waiting::has_documents;
use domain::collections::packages::{self, RowState};
use model::error::{Error, Result};
use model::messages::Language;
use ops::Book;
use serde_json::{Value as Json, json};

/// Rows that are read at once.
const STEP: i64 = 2_000;

/// A table of the rows of a package, piece by piece.
#[derive(Debug)]
pub struct TableRows {
    package: i64,
    /// Of the reasons.
    language: Language,
    states: Vec<RowState>,
    behind: i64,
    /// Documents of the exchange, which are lines of JSON and no table.
    documents: bool,
    titles: Vec<(String, Vec<String>)>,
    /// The sheet whose header was told last.
    begun: Option<String>,
}

/// A line of the table.
#[derive(Debug, Clone)]
pub enum TableLine {
    /// The header of a sheet: its name, and the titles of its columns.
    Sheet(String, Vec<String>),
    /// A row.
    Row(Vec<String>),
}

impl TableLine {
    /// Its cells.
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
pub async fn table(
    book: &Book,
    package: i64,
    states: Vec<RowState>,
    language: Language,
) -> Result<TableRows> {
    let found =
        book.transact(move |work| Box::pin(async move { packages::package(work, package).await }));
    let found = found.await?.ok_or(Error::NotFound)?;
    let documents = has_documents(&found);
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
        language,
        states,
        behind: 0,
        documents,
        titles: titles.collect(),
        begun: None,
    })
}

impl TableRows {
    /// Whether they are documents of the exchange: [`TableRows::next`] then gives lines of one text, a document each with
    /// state and reason as members that are not read when it is sent again.
    pub fn are_documents(&self) -> bool {
        self.documents
    }

    /// The next lines: of each sheet its header, then its rows; none at the end.
    ///
    /// # Errors
    /// The errors of the database.
    pub async fn next(&mut self, book: &Book) -> Result<Option<Vec<TableLine>>> {
        let (package, states, part) = (self.package, self.states.clone(), (self.behind, STEP));
        let language = self.language;
        let rows = book.transact(move |work| {
            Box::pin(
                async move { packages::told_rows(work, language, package, &states, part).await },
            )
        });
        let rows = rows.await?;
        let mut lines = Vec::new();
        if self.documents {
            for told in rows {
                self.behind = told.row.position;
                lines.push(TableLine::Row(vec![with_reasons(&told)]));
            }
            return Ok((!lines.is_empty()).then_some(lines));
        }
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
            let cells = told.row.cells.clone();
            lines.push(TableLine::Row(line(cells, self.columns(), beside)));
        }
        Ok((!lines.is_empty()).then_some(lines))
    }

    /// The header of a sheet, where its rows begin.
    fn begin(&mut self, sheet: String) -> Option<TableLine> {
        if self.begun.as_ref() == Some(&sheet) {
            return None;
        }
        let titles = self.titles.iter().find(|(name, _)| *name == sheet);
        let titles = titles.map(|(_, titles)| titles.clone()).unwrap_or_default();
        self.begun = Some(sheet.clone());
        let titles = line(titles, self.columns(), BESIDE.map(str::to_owned));
        Some(TableLine::Sheet(sheet, titles))
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

/// A document as it was sent, with what became of it as its last members.
fn with_reasons(told: &packages::ToldRow) -> String {
    let [state, line, reason] = BESIDE;
    let text = told
        .row
        .cells
        .first()
        .map(String::as_str)
        .unwrap_or_default()
        .trim_end();
    let beside =
        json!({state: told.row.state.word(), line: told.row.line, reason: told.reasons.join(" ")})
            .to_string();
    let members = text
        .strip_suffix('}')
        .map(str::trim_end)
        .filter(|begun| begun.starts_with('{'));
    let text = match (members, beside.strip_prefix('{')) {
        (Some("{") | None, _) | (_, None) => beside,
        (Some(members), Some(more)) => format!("{members},{more}"),
    };
    // A line each: in JSON, breaks stand between members only.
    text.replace(['\r', '\n'], " ")
}

fn line(mut cells: Vec<String>, columns: usize, beside: [String; 3]) -> Vec<String> {
    cells.resize(columns, String::new());
    cells.extend(beside);
    cells
}

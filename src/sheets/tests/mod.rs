//! Files of programs and files that are made to harm. `files/make.py` made the committed ones.

mod forms;
mod harm;
mod pack;

use crate::{Book, Fault, Options, Row, Source, Value};

/// The rows of a sheet as `number: text|text`, with a letter for what a cell is.
fn row_text(row: &Row) -> String {
    let cell = |cell: &crate::Cell| {
        let sort = match cell.value {
            Value::Empty | Value::Text => "",
            Value::Number(_) => "n ",
            Value::Date(_) => "d ",
            Value::Bool(_) => "b ",
            Value::Error => "e ",
        };
        format!("{sort}{}", cell.display_text())
    };
    let cells: Vec<String> = row.cells.iter().map(cell).collect();
    format!("{}: {}", row.number, cells.join("|"))
}

pub(crate) fn rows(book: &Book, sheet: usize) -> Result<Vec<String>, Fault> {
    let mut rows = book.rows(sheet)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(row_text(&row));
    }
    Ok(all)
}

pub(crate) fn open(bytes: &[u8]) -> Result<Book, Fault> {
    Book::open(Source::from(bytes.to_vec()), &Options::default())
}

/// All rows of the first sheet.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<String>, Fault> {
    rows(&open(bytes)?, 0)
}

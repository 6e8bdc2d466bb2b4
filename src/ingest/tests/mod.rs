//! Files as they are read without a book: bytes, columns, notation, rows.

mod cells;
mod headers;
mod order;

use crate::files::file::PackageFile;
use crate::files::file_fault::FileFault;
use crate::files::sheet::{PackageSheet, SetRow};
use crate::meanings::known_columns::KnownColumns;
use domain::collections::registry;
use model::record::time;
use sheets::Source;

/// When files are read.
const NOW: &str = "2026-03-01T09:00:00Z";

/// A file, and its rows with the place of their sheet.
struct ReadFile {
    sheets: Vec<PackageSheet>,
    rows: Vec<(usize, SetRow)>,
}

fn read(bytes: Vec<u8>, set: Option<&str>) -> Result<ReadFile, FileFault> {
    let mut file = PackageFile::open(registry().unwrap(), Source::from(bytes), KnownColumns::default(), set)?;
    file.decide_notations(time::parse(NOW).unwrap());
    let (mut all, mut rows) = (file.rows(), Vec::new());
    while let Some(row) = all.next()? {
        rows.push((row.sheet, file.sheets[row.sheet].read(&row.cells)));
    }
    drop(all);
    Ok(ReadFile { sheets: file.sheets, rows })
}

/// A table as text. Semicolons within cells are quoted in any table, as they would be taken for the delimiter.
fn csv(rows: &[Vec<String>], delimiter: &str) -> String {
    let quoted = |cell: &String| match cell.contains(['"', '\n', '\r', ';']) || cell.contains(delimiter) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    rows.iter().map(|row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(delimiter) + "\r\n").collect()
}

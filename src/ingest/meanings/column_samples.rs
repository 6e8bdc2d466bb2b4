//! What a preview shows of each column: where its meaning comes from, and sample cells with what they mean.

use crate::files::file::PackageFile;
use crate::files::input_file::InputFile;
use crate::files::sheet::{FileRow, PackageSheet};
use crate::meanings::file_column::{FileColumn, Means};
use crate::values::cell_value::cell_value;
use model::registry::Collection;
use serde_json::{Value as Json, json};

/// Longest sample that is shown, characters.
const SAMPLE: usize = 60;

#[derive(Debug, Default)]
pub(crate) struct ColumnSamples(Vec<Vec<Samples>>);

/// Of a column: the first cell, the first that decided how it is written, and the first that differs.
#[derive(Debug, Clone, Default)]
struct Samples {
    first: Option<Sample>,
    deciding: Option<Sample>,
    other: Option<Sample>,
}

#[derive(Debug, Clone)]
struct Sample {
    line: i64,
    cell: String,
}

impl ColumnSamples {
    /// Of a file; documents have no columns.
    pub(crate) fn of(file: &InputFile) -> Self {
        match file {
            InputFile::Tables(file) => {
                let sheets = file.sheets.iter();
                Self(sheets.map(|sheet: &PackageSheet| vec![Samples::default(); sheet.columns.len()]).collect())
            }
            InputFile::Documents(_) => Self::default(),
        }
    }

    pub(crate) fn see(&mut self, file: &InputFile, row: &FileRow) {
        let InputFile::Tables(file) = file else { return };
        let (Some(sheet), Some(all)) = (file.sheets.get(row.sheet), self.0.get_mut(row.sheet)) else { return };
        if sheet.is_no_record(&row.cells) {
            return;
        }
        for ((column, samples), cell) in sheet.columns.iter().zip(all).zip(&row.cells) {
            let cell = cell.trim();
            if !cell.is_empty() {
                samples.see(sheet.collection, column, (cell, row.line));
            }
        }
    }

    /// Adds the samples to the sheets of the answer.
    pub(crate) fn tell(self, file: &InputFile, json: &mut Json) {
        let InputFile::Tables(file) = file else { return };
        for ((sheet_json, sheet), samples) in json.as_array_mut().into_iter().flatten().zip(&file.sheets).zip(self.0) {
            let columns = sheet_json.get_mut("columns").and_then(Json::as_array_mut).into_iter().flatten();
            for ((column_json, column), samples) in columns.zip(&sheet.columns).zip(samples) {
                if let Json::Object(members) = column_json {
                    let source = source(file, sheet, column);
                    members.insert("source".to_owned(), json!(source));
                    members.insert("samples".to_owned(), samples.json(sheet.collection, column));
                }
            }
        }
    }
}

impl Samples {
    fn see(&mut self, c: &Collection, column: &FileColumn, (cell, line): (&str, i64)) {
        let sample = || Some(Sample { line, cell: cell.to_owned() });
        let decides =
            self.deciding.is_none() && column.content(c).is_some_and(|content| column.notation.decides(content, cell));
        match &self.first {
            None => self.first = sample(),
            Some(first) if self.other.is_none() && first.cell != cell => self.other = sample(),
            Some(_) => {}
        }
        if decides {
            self.deciding = sample();
        }
    }

    fn json(self, c: &Collection, column: &FileColumn) -> Json {
        let first_line = self.first.as_ref().map(|first| first.line);
        let deciding = self.deciding.as_ref().map(|one| one.line);
        // Where the first one decided, another value is the second sample.
        let second = self.deciding.filter(|one| Some(one.line) != first_line).or(self.other);
        let samples = self.first.into_iter().chain(second).map(|sample| {
            let known = column.means.taken();
            let value = known.and_then(|(known, _)| cell_value(c, known, &column.notation, &sample.cell));
            let cell: String = sample.cell.chars().take(SAMPLE).collect();
            let decides = deciding == Some(sample.line);
            json!({"cell": cell, "value": value, "line": sample.line, "decides": decides})
        });
        Json::Array(samples.collect())
    }
}

/// Where the meaning of a column comes from; none: nobody knows it.
fn source(file: &PackageFile, sheet: &PackageSheet, column: &FileColumn) -> Option<&'static str> {
    if matches!(column.means, Means::Unknown(_)) {
        return None;
    }
    if sheet.id_column().is_some() {
        return Some("book");
    }
    file.known_columns.source(sheet.set.name, &column.title).or(match sheet.collection.field(column.title.trim()) {
        Some(_) => Some("path"),
        None => Some("heading"),
    })
}

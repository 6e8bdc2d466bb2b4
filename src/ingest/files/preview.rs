//! What would become of a file: its first rows are written in a transaction of which nothing stays.

use crate::Schemes;
use crate::files::documents::document;
use crate::files::file_fault::FileFault;
use crate::files::input_file::{InputFile, RowWriter};
use crate::files::sheet::FileRow;
use crate::meanings::column_samples::ColumnSamples;
use crate::packages::intake;
use crate::packages::pending::UnknownColumn;
use crate::packages::piece::RecordIds;
use crate::packages::rows::{PackageRow, RowState};
use domain::collections::packages::Mapping;
use exchange::Exchange;
use model::error::{Error, Result};
use model::registry::Principal;
use ops::Book;
use serde_json::{Map, Value as Json, json};
use sheets::Source;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Rows that are tried. The writer of the book is held meanwhile.
const TRIED: usize = 500;
/// Rows that are shown.
const SHOWN: usize = 20;
/// Faults that are shown.
const FAULTS: usize = 100;

#[derive(Debug, Clone)]
pub struct PreviewFile {
    pub path: PathBuf,
    pub organization: i64,
    pub dataset: Option<String>,
    /// What the sender states of it.
    pub mapping: Mapping,
}

/// What would become of a file.
#[derive(Debug, Clone)]
pub struct Preview(pub Json);

/// A file as it was read, before its rows are tried.
struct FileReading {
    file: InputFile,
    rows: Vec<FileRow>,
    all: i64,
    unknown: Vec<UnknownColumn>,
    samples: ColumnSamples,
    broken: Option<FileFault>,
}

/// Reads a file whole, and tries its first rows as the caller.
///
/// # Errors
/// The errors of the database. What is wrong with the file is part of the answer.
pub async fn preview(
    book: &Arc<Book>,
    caller: &Arc<Principal>,
    (exchange, schemes): (&Exchange, &Schemes),
    of: PreviewFile,
) -> Result<Preview> {
    let known_columns = intake::known_columns(book, of.mapping).await?.with_dialects(exchange);
    let registry = book.registry;
    let (of_exchange, now) = (exchange.clone(), book.clock.now());
    let reading = tokio::task::spawn_blocking(move || {
        let mut file =
            InputFile::open(registry, &of_exchange, Source::Path(of.path), known_columns, of.dataset.as_deref())?;
        file.decide_notations(None, now);
        Ok(look(file))
    });
    let reading: std::result::Result<FileReading, FileFault> = reading.await.map_err(Error::internal)?;
    let reading = match reading {
        Ok(reading) => reading,
        Err(why) => {
            return Ok(Preview(json!({"fault": {"code": why.code, "message": why.message}})));
        }
    };
    let intake =
        RowWriter::new((exchange, schemes), registry, Arc::clone(caller), of.organization, None, &reading.file);
    let values: Vec<Json> = reading.rows.iter().take(SHOWN).map(|row| values(&reading.file, row)).collect();
    let results: Arc<Mutex<Vec<PackageRow>>> = Arc::default();
    let (tell, rows) = (Arc::clone(&results), reading.rows);
    let rehearsed = book.rehearse(move |rehearsal| {
        Box::pin(async move {
            let part = rehearsal
                .part(move |work| Box::pin(async move { intake.write(work, &rows, &mut RecordIds::new()).await }));
            *tell.lock().await = part.await?;
            Ok(())
        })
    });
    rehearsed.await?;
    let rows = std::mem::take(&mut *results.lock().await);
    Ok(Preview(answer(&reading.file, &rows, values, reading.all, &reading.unknown, reading.samples, reading.broken)))
}

fn values(file: &InputFile, row: &FileRow) -> Json {
    match file {
        InputFile::Tables(file) => {
            let sheet = file.sheets.get(row.sheet);
            let read = sheet.map(|sheet| sheet.read(&row.cells));
            read.map_or(Json::Null, |read| Json::Object(read.row.body))
        }
        InputFile::Documents(_) => {
            document(row.cells.first().map(String::as_str).unwrap_or_default()).unwrap_or_default()
        }
    }
}

fn look(file: InputFile) -> FileReading {
    let (mut tried, mut all, mut broken) = (Vec::new(), 0, None);
    let mut samples = ColumnSamples::of(&file);
    let unknown = {
        let mut rows = file.rows();
        loop {
            match rows.next() {
                Ok(Some(row)) => {
                    all += 1;
                    samples.see(&file, &row);
                    if tried.len() < TRIED {
                        tried.push(row);
                    }
                }
                Ok(None) => break,
                Err(why) => {
                    broken = Some(why);
                    break;
                }
            }
        }
        rows.unknown()
    };
    FileReading { file, rows: tried, all, unknown, samples, broken }
}

fn answer(
    file: &InputFile,
    rows: &[PackageRow],
    values: Vec<Json>,
    all: i64,
    unknown: &[UnknownColumn],
    samples: ColumnSamples,
    broken: Option<FileFault>,
) -> Json {
    let mut summary = file.summary();
    samples.tell(file, &mut summary.sheets);
    let count = |state: RowState| rows.iter().filter(|row| row.state == state).count();
    let docs = rows.iter().zip(values).map(|(row, values)| {
        json!({
            "sheet": row.sheet, "line": row.line, "ident": row.ident, "dataset": row.dataset,
            "state": row.state.word(), "values": values, "faults": row.faults,
        })
    });
    let faults = rows.iter().flat_map(|row| {
        row.faults.iter().map(|fault| {
            let mut entry = Map::new();
            entry.insert("sheet".to_owned(), json!(row.sheet));
            entry.insert("line".to_owned(), json!(row.line));
            entry.insert("ident".to_owned(), json!(row.ident));
            if let Json::Object(members) = json!(fault) {
                entry.extend(members);
            }
            Json::Object(entry)
        })
    });
    let of_sheets = |name: &str| -> Vec<&Json> {
        let lists = summary.sheets.as_array().into_iter().flatten().filter_map(|sheet| sheet.get(name)?.as_array());
        lists.flatten().collect()
    };
    let (unread, questions) = (of_sheets("unread"), of_sheets("questions"));
    let unknown = unknown.iter().map(|column| {
        json!({"title": column.title, "dataset": column.dataset, "rows": column.rows, "samples": column.samples})
    });
    json!({
        "fault": broken.map(|why| json!({"code": why.code, "message": why.message})),
        "unread": unread, "questions": questions,
        "form": summary.form, "encoding": summary.encoding, "encodingScore": summary.encoding_score,
        "dataset": summary.set.map(|(set, _)| set), "kind": summary.set.map(|(_, kind)| kind), "sheets": summary.sheets,
        "unknownColumns": unknown.collect::<Vec<_>>(),
        "rows": all, "tried": rows.len(),
        "created": count(RowState::Created), "updated": count(RowState::Updated),
        "unchanged": count(RowState::Unchanged), "skipped": count(RowState::Skipped), "held": count(RowState::Held),
        "docs": docs.collect::<Vec<_>>(), "faults": faults.take(FAULTS).collect::<Vec<_>>(),
    })
}

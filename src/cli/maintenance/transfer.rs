//! `herdbook export` and `import`: a whole book as a folder of lines of JSON, and back, also into
//! the other database (docs/backup.md, *Moving a book*).

use crate::filling::import::{RowOptions, import as import_files};
use crate::open::own;
use crate::progress::{Unit, progress};
use crate::{Exit, announce, registry};
use clap::Args;
use config::Settings;
use indexmap::IndexMap;
use indicatif::ProgressBar;
use model::clock::Clock;
use model::error::{Error, Issue, Result};
use model::parallel;
use model::registry::Registry;
use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::Store;
use store::transfer::{FilledColumns, TableFile, clear, index, table_files};

/// The form of the folder.
const FORM: u64 = 1;
/// Describes the folder; written last, so that a part of a book is not taken for one.
const CONTENTS: &str = "book.json";
/// Lines that are written together.
const TOGETHER: usize = 2_000;

/// Flags of `export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Folder to write to; it must be empty, or not exist yet.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Flags of `import`.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Folder that `export` wrote, with `book.json`; or one with files by collection: animals.csv,
    /// milk-tests.2025.ndjson, … (.csv, .tsv, .ndjson, .jsonl, each also with .gz).
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    #[command(flatten)]
    rows: RowOptions,
}

/// How much was exported or imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferCounts {
    /// Number of rows.
    pub rows: u64,
    /// Number of tables that have some.
    pub tables: usize,
}

pub(crate) async fn export(options: &Export, settings: &Settings) -> Result<()> {
    let store = open_store(settings).await?;
    let moved = export_to(&store, registry(settings)?, &options.folder).await;
    store.close().await;
    announce_counts("exported", &options.folder, &moved?);
    Ok(())
}

/// Of the two forms of a folder, the one that it has.
pub(crate) async fn import(options: &Import, settings: &Settings) -> Result<ExitCode> {
    if !options.folder.join(CONTENTS).exists() {
        return import_files(&options.folder, &options.rows, settings).await;
    }
    if options.rows.given() {
        let why = format!("is a whole book ({CONTENTS}), which takes none of these flags");
        return Err(fault(&options.folder, why));
    }

    let store = open_store(settings).await?;
    let moved = match store.begin_load().await {
        Ok(()) => import_from(&store, registry(settings)?, &options.folder).await,
        Err(error) => Err(error),
    };
    store.close().await;
    announce_counts("imported", &options.folder, &moved?);
    Ok(Exit::Done.into())
}

fn announce_counts(event: &str, folder: &Path, moved: &TransferCounts) {
    announce(&json!({
        "event": event, "folder": folder.display().to_string(),
        "tables": moved.tables, "rows": moved.rows,
    }));
}

/// A migrated book that was filled to the end, without its faces.
async fn open_store(settings: &Settings) -> Result<Store> {
    let url = settings.database_url.reveal();
    let store = Store::open(url, settings.durability, Clock::system(), false).await?;
    let own = async { own(&store, registry(settings)?).await };
    if let Err(error) = own.await {
        store.close().await;
        return Err(error);
    }
    Ok(store)
}

/// Writes a whole book into an empty folder. Other writers wait until it is done, so that all tables are of one moment.
///
/// # Errors
/// [`Error::Malformed`] when the folder has files or cannot be written; those of the database.
pub async fn export_to(store: &Store, registry: &'static Registry, folder: &Path) -> Result<TransferCounts> {
    std::fs::create_dir_all(folder).map_err(|why| fault(folder, why))?;
    if std::fs::read_dir(folder).map_err(|why| fault(folder, why))?.next().is_some() {
        return Err(fault(folder, "the folder is not empty"));
    }
    let tables = table_files(registry)?;
    let migrations = store.migrations().await?.applied;
    let bar = progress(0, Unit::Rows);
    let (place, progress_bar) = (folder.to_owned(), bar.clone());
    let counts = store.write(move |tx| {
        Box::pin(async move {
            let mut all = 0;
            for table in &tables {
                all += table.count(tx).await?;
            }
            progress_bar.set_length(all);
            let mut counts = IndexMap::new();
            for table in &tables {
                let count = write_file(tx, table, &place, &progress_bar).await?;
                if count > 0 {
                    counts.insert(table.name.clone(), count);
                }
            }
            Ok(counts)
        })
    });
    let counts = counts.await;
    bar.finish_and_clear();
    let counts = counts?;
    let contents = json!({"form": FORM, "migrations": migrations, "rows": counts});
    let file = folder.join(CONTENTS);
    std::fs::write(&file, format!("{contents:#}\n")).map_err(|why| fault(&file, why))?;
    Ok(moved(&counts))
}

async fn write_file(tx: &mut store::Tx, table: &TableFile, folder: &Path, bar: &ProgressBar) -> Result<u64> {
    let path = path_of(folder, table);
    let (mut file, mut count, mut after) = (None, 0, None);
    loop {
        let (lines, last) = table.page(tx, after.as_deref()).await?;
        let Some(last) = last else { break };
        let out = match &mut file {
            Some(out) => out,
            none => {
                let made = File::create_new(&path).map_err(|why| fault(&path, why))?;
                none.insert(BufWriter::new(made))
            }
        };
        for line in &lines {
            writeln!(out, "{line}").map_err(|why| fault(&path, why))?;
        }
        count += lines.len() as u64;
        bar.inc(lines.len() as u64);
        after = Some(last);
    }
    if let Some(mut out) = file {
        out.flush().map_err(|why| fault(&path, why))?;
        out.get_ref().sync_all().map_err(|why| fault(&path, why))?;
    }
    Ok(count)
}

/// Fills an empty book from a folder, in one transaction: however it ends, the book has all rows or none.
///
/// # Errors
/// [`Error::Malformed`] when the book is not empty, or the folder is none of a book of this release;
/// [`Error::Invalid`] for a line that does not fit, with file and number of the line; those of the
/// database.
pub async fn import_from(store: &Store, registry: &'static Registry, folder: &Path) -> Result<TransferCounts> {
    let counts = contents(folder, store.migrations().await?.known)?;
    let tables = table_files(registry)?;
    let unknown = |name: &&String| !tables.iter().any(|table| table.name == **name);
    if let Some(name) = counts.keys().find(unknown) {
        return Err(fault(&folder.join(CONTENTS), format!("the book has no table {name}")));
    }
    let bar = progress(counts.values().sum(), Unit::Rows);
    let (place, progress_bar, expected) = (folder.to_owned(), bar.clone(), counts.clone());
    let done = store.write(move |tx| {
        Box::pin(async move {
            clear(tx, registry).await?;
            for table in &tables {
                let Some(count) = expected.get(&table.name) else {
                    continue;
                };
                let line_count = read_file(tx, table, &place, &progress_bar).await?;
                if line_count != *count {
                    let why = format!("has {line_count} lines, and {CONTENTS} says {count}");
                    return Err(fault(&path_of(&place, table), why));
                }
            }
            index(tx, registry).await
        })
    });
    let done = done.await;
    bar.finish_and_clear();
    done?;
    Ok(moved(&counts))
}

async fn read_file(tx: &mut store::Tx, table: &TableFile, folder: &Path, bar: &ProgressBar) -> Result<u64> {
    let path = path_of(folder, table);
    let file = File::open(&path).map_err(|why| fault(&path, why))?;
    let mut lines = BufReader::new(file).lines();
    let (mut filled, mut count) = (FilledColumns::default(), 0_u64);
    loop {
        let together: Vec<String> =
            (lines.by_ref().take(TOGETHER)).collect::<std::io::Result<_>>().map_err(|why| fault(&path, why))?;
        if together.is_empty() {
            break;
        }
        // The next lines are read, by all processors, while the database writes these.
        let read = parallel::into_map(together, |line| table.read(&line));
        let mut rows = Vec::with_capacity(read.len());
        for row in read {
            count += 1;
            rows.push(row.map_err(|error| at(&path, count, error))?);
        }
        table.send(tx, &mut filled, &rows).await?;
        bar.inc(rows.len() as u64);
    }
    tx.finish_sends().await?;
    Ok(count)
}

/// Rows by table, as the folder says.
fn contents(folder: &Path, migrations: usize) -> Result<IndexMap<String, u64>> {
    let path = folder.join(CONTENTS);
    let text = std::fs::read_to_string(&path).map_err(|why| fault(&path, why))?;
    let read: Json = serde_json::from_str(&text).map_err(|why| fault(&path, why))?;
    let number = |name: &str| read.get(name).and_then(Json::as_u64);
    if number("form") != Some(FORM) {
        return Err(fault(&path, format!("is not of form {FORM}")));
    }
    if number("migrations") != u64::try_from(migrations).ok() {
        let why = format!(
            "was exported after {} migrations, and this program has {migrations}: migrate the other \
             book to the release of this program, and export it again",
            number("migrations").unwrap_or_default()
        );
        return Err(fault(&path, why));
    }
    let rows = read.get("rows").and_then(Json::as_object);
    let rows = rows.into_iter().flatten();
    rows.map(|(name, count)| {
        let count = count.as_u64();
        let count = count.ok_or_else(|| fault(&path, format!("{name} has no count")))?;
        Ok((name.clone(), count))
    })
    .collect()
}

fn path_of(folder: &Path, table: &TableFile) -> PathBuf {
    folder.join(format!("{}.ndjson", table.name))
}

fn moved(counts: &IndexMap<String, u64>) -> TransferCounts {
    TransferCounts { rows: counts.values().sum(), tables: counts.len() }
}

fn fault(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::Malformed(format!("{}: {why}", path.display()).into())
}

fn at(path: &Path, line: u64, error: Error) -> Error {
    let Error::Invalid(issues) = error else {
        return error;
    };
    let placed =
        issues.into_iter().map(|issue| Issue { path: format!("{}:{line}: {}", path.display(), issue.path), ..issue });
    Error::Invalid(placed.collect())
}

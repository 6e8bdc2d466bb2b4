//! The files of a folder and the collections that they belong to: `<collection>[.<anything>].csv`,
//! `.tsv`, `.ndjson` or `.jsonl`, each also with `.gz`; `.xlsx`, `.xls`, `.ods`.

use super::{fault, journal_of};
use crate::files::file::PackageFile;
use crate::meanings::known_columns::KnownColumns;
use crate::values::notation::Notation;
use crate::write::closed_to_import;
use model::error::{Issue, Result};
use model::registry::{Collection, Registry, nearest};
use sheets::{Limits, Source};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub(super) struct RowFile {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) collection: &'static Collection,
    pub(super) source: Source,
    /// Whether it has a JSON object in each line; else it has tables.
    pub(super) lines: bool,
    /// What stands between its cells, if its name says so.
    pub(super) delimiter: Option<u8>,
    pub(super) limits: Limits,
    pub(super) bytes: u64,
    /// When it was changed last, nanoseconds.
    pub(super) changed: u128,
    /// How the columns of its tables are written, once that was decided.
    pub(super) notations: Vec<Vec<Notation>>,
}

/// The files of a folder by name, and what is wrong with others.
pub(super) fn files(registry: &'static Registry, folder: &Path, report: &Path) -> Result<(Vec<RowFile>, Vec<Issue>)> {
    let (mut files, mut issues) = (Vec::new(), Vec::new());
    let entries = std::fs::read_dir(folder).map_err(|why| fault(folder, why))?;
    let own: Vec<Option<PathBuf>> =
        [report.to_owned(), journal_of(report)].iter().map(|own| own.canonicalize().ok()).collect();
    for entry in entries {
        let entry = entry.map_err(|why| fault(folder, why))?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_own = path.canonicalize().ok().is_some_and(|p| own.contains(&Some(p)));
        if name.starts_with('.') || is_own {
            continue;
        }
        let about = path.metadata().map_err(|why| fault(&path, why))?;
        if about.is_dir() {
            let message = "is a folder; files stand in the folder itself";
            issues.push(Issue::error(name, "not-a-file", message));
            continue;
        }
        match file(registry, &name, path) {
            Ok(file) => {
                let changed = about.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
                files.push(RowFile { bytes: about.len(), changed: changed.unwrap_or_default().as_nanos(), ..file });
            }
            Err(message) => issues.push(Issue::error(name, "unknown-file", message)),
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    issues.sort_by(|a, b| a.path.cmp(&b.path));
    if files.is_empty() && issues.is_empty() {
        return Err(fault(folder, "the folder has no files"));
    }
    Ok((files, issues))
}

fn file(registry: &'static Registry, name: &str, path: PathBuf) -> Result<RowFile, String> {
    let lower = name.to_lowercase();
    let (rest, zipped) = match lower.strip_suffix(".gz") {
        Some(rest) => (rest, true),
        None => (lower.as_str(), false),
    };
    let (stem, ending) = rest.rsplit_once('.').unwrap_or((rest, ""));
    let workbook = matches!(ending, "xlsx" | "xls" | "ods") && !zipped;
    let lines = matches!(ending, "ndjson" | "jsonl");
    if !workbook && !lines && !matches!(ending, "csv" | "tsv") {
        return Err(
            "is neither .csv, .tsv, .ndjson nor .jsonl (nor one of them with .gz), nor .xlsx, .xls, .ods".into()
        );
    }
    let slug = stem.split('.').next().unwrap_or_default();
    let Some(collection) = registry.get(slug) else {
        let near = nearest(slug, registry.iter().map(|c| c.slug));
        let hint = match near {
            Some(near) => format!("; did you mean {near}?"),
            // The columns of a file with another name may say it.
            None => recognized(registry, path)
                .map_or_else(String::new, |slug| format!("; its columns are those of {slug}: name it {slug}.{name}")),
        };
        return Err(format!("there is no collection {slug}{hint}"));
    };
    if let Some(why) = closed_to_import(collection) {
        return Err(format!("{slug} are not imported: {why}"));
    }
    Ok(RowFile {
        source: if zipped { Source::Gzip(path.clone()) } else { Source::Path(path.clone()) },
        path,
        name: name.to_owned(),
        collection,
        lines,
        delimiter: (ending == "tsv").then_some(b'\t'),
        limits: limits(workbook),
        bytes: 0,
        changed: 0,
        notations: Vec::new(),
    })
}

/// Limits of a file that the operator of the server reads: packages have less. Texts are read row by row, and a row has at
/// most 4 MiB.
fn limits(workbook: bool) -> Limits {
    match workbook {
        true => Limits { file_bytes: 4 << 30, unpacked_bytes: 64 << 30, rows: 1 << 20, ..Limits::default() },
        false => Limits { file_bytes: u64::MAX, rows: u64::MAX, cell_bytes: 256 << 10, ..Limits::default() },
    }
}

/// The collection whose rows a table surely has, by its columns.
fn recognized(registry: &'static Registry, path: PathBuf) -> Option<&'static str> {
    let file = PackageFile::open(registry, Source::Path(path), KnownColumns::default(), None).ok()?;
    let first = file.sheets.first()?;
    // Rows of lists, and of one kind, are not all of a file of the collection.
    let whole = first.set.list.is_none() && !first.set.is_one_kind(first.collection);
    (first.sure && whole).then_some(first.collection.slug)
}

//! The files of a folder and the collections that they belong to: `<collection>[.<anything>].csv`,
//! `.tsv`, `.ndjson` or `.jsonl`, each also with `.gz`; `.xlsx`, `.xls`, `.ods`.

use super::recognised::recognised;
use super::{fault, journal_of};
use ingest::Notation;
use model::error::{Issue, Result};
use model::registry::{Collection, Registry, nearest};
use ops::closed_to_import;
use std::path::{Path, PathBuf};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A table; with tabs if its name says so.
    Table { tabs: bool },
    /// A JSON object in each line.
    Lines,
    /// Sheets, each a table.
    Workbook,
}

/// A file of rows of one collection.
#[derive(Debug, Clone)]
pub(super) struct RowFile {
    pub(super) path: PathBuf,
    /// Its name, for people.
    pub(super) name: String,
    pub(super) collection: &'static Collection,
    pub(super) form: Form,
    pub(super) zipped: bool,
    pub(super) bytes: u64,
    /// When it was changed last, nanoseconds.
    pub(super) changed: u128,
    /// How the columns of its tables are written, once that was decided.
    pub(super) notations: Vec<Vec<Notation>>,
}

impl RowFile {
    /// How the columns of one of its tables are written.
    pub(super) fn notations_of(&self, table: usize, columns: usize) -> Vec<Notation> {
        let mut notations = self.notations.get(table).cloned().unwrap_or_default();
        notations.resize(columns, Notation::default());
        notations
    }
}

/// The files of a folder by name, and what is wrong with others.
pub(super) fn files(
    registry: &'static Registry,
    folder: &Path,
    report: &Path,
) -> Result<(Vec<RowFile>, Vec<Issue>)> {
    let (mut found, mut issues) = (Vec::new(), Vec::new());
    let entries = std::fs::read_dir(folder).map_err(|why| fault(folder, why))?;
    let own: Vec<Option<PathBuf>> = [report.to_owned(), journal_of(report)]
        .iter()
        .map(|own| own.canonicalize().ok())
        .collect();
    for entry in entries {
        let entry = entry.map_err(|why| fault(folder, why))?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_own = path
            .canonicalize()
            .ok()
            .is_some_and(|p| own.contains(&Some(p)));
        if name.starts_with('.') || is_own {
            continue;
        }
        let about = path.metadata().map_err(|why| fault(&path, why))?;
        if about.is_dir() {
            let message = "is a folder; files stand in the folder itself";
            issues.push(Issue::error(name, "not-a-file", message));
            continue;
        }
        match read_name(registry, &name, &path) {
            Ok((collection, form, zipped)) => {
                let changed = about.modified().ok();
                let changed = changed.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
                found.push(RowFile {
                    path,
                    name,
                    collection,
                    form,
                    zipped,
                    bytes: about.len(),
                    changed: changed.unwrap_or_default().as_nanos(),
                    notations: Vec::new(),
                });
            }
            Err(message) => issues.push(Issue::error(name, "unknown-file", message)),
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    issues.sort_by(|a, b| a.path.cmp(&b.path));
    if found.is_empty() && issues.is_empty() {
        return Err(fault(folder, "the folder has no files"));
    }
    Ok((found, issues))
}

fn read_name(
    registry: &'static Registry,
    name: &str,
    path: &Path,
) -> Result<(&'static Collection, Form, bool), String> {
    let lower = name.to_lowercase();
    let (rest, zipped) = match lower.strip_suffix(".gz") {
        Some(rest) => (rest, true),
        None => (lower.as_str(), false),
    };
    let (stem, form) = match rest.rsplit_once('.') {
        Some((stem, "csv")) => (stem, Form::Table { tabs: false }),
        Some((stem, "tsv")) => (stem, Form::Table { tabs: true }),
        Some((stem, "ndjson" | "jsonl")) => (stem, Form::Lines),
        Some((stem, "xlsx" | "xls" | "ods")) if !zipped => (stem, Form::Workbook),
        _ => {
            return Err(
                "is neither .csv, .tsv, .ndjson nor .jsonl (nor one of them with .gz), nor .xlsx, .xls, .ods".into(),
            );
        }
    };
    let slug = stem.split('.').next().unwrap_or_default();
    let Some(collection) = registry.get(slug) else {
        let near = nearest(slug, registry.iter().map(|c| c.slug));
        // Files with names of their own may have columns that tell.
        let columns = || match form {
            Form::Lines => None,
            Form::Table { .. } | Form::Workbook => recognised(registry, path),
        };
        let hint = match near {
            Some(near) => format!("; did you mean {near}?"),
            None => columns().map_or_else(String::new, |slug| {
                format!("; its columns are those of {slug}: name it {slug}.{name}")
            }),
        };
        return Err(format!("there is no collection {slug}{hint}"));
    };
    match closed_to_import(collection) {
        Some(why) => Err(format!("{slug} are not imported: {why}")),
        None => Ok((collection, form, zipped)),
    }
}

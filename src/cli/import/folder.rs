//! The files of a folder and the collections that they belong to: `<collection>[.<anything>].csv`,
//! `.tsv`, `.ndjson` or `.jsonl`, each also with `.gz`.

use super::{fault, journal_of};
use model::error::{Issue, Result};
use model::registry::{Collection, Registry};
use ops::closed_to_import;
use std::path::{Path, PathBuf};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A table; with tabs if its name says so.
    Table { tabs: bool },
    /// A JSON object in each line.
    Lines,
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
        match read_name(registry, &name) {
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
        _ => {
            return Err(
                "is neither .csv, .tsv, .ndjson nor .jsonl (nor one of them with .gz)".into(),
            );
        }
    };
    let slug = stem.split('.').next().unwrap_or_default();
    let Some(collection) = registry.get(slug) else {
        let near = nearest(slug, registry.iter().map(|c| c.slug));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        return Err(format!("there is no collection {slug}{hint}"));
    };
    match closed_to_import(collection) {
        Some(why) => Err(format!("{slug} are not imported: {why}")),
        None => Ok((collection, form, zipped)),
    }
}

/// The name that is most like another one, if any is.
pub(super) fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    let most = (wanted.len() / 3).max(1);
    names
        .map(|name| (distance(&wanted, &name.to_lowercase()), name))
        .filter(|(far, _)| *far <= most)
        .min()
        .map(|(_, name)| name)
}

/// Letters to be changed, added or taken away (Levenshtein).
fn distance(from: &[char], to: &str) -> usize {
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (line, letter) in to.chars().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(line + 1);
        for ((other, pair), before) in from.iter().zip(row.windows(2)).zip(0..) {
            let [diagonal, above]: [usize; 2] = pair.try_into().unwrap_or_default();
            let left: usize = next.get(before).copied().unwrap_or_default();
            let changed = diagonal + usize::from(*other != letter);
            next.push(changed.min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_name_is_proposed_if_it_is_near() {
        let names = ["animals", "milk-tests", "weighings"];
        let near = |wanted| nearest(wanted, names.into_iter());
        assert_eq!(near("animal"), Some("animals"));
        assert_eq!(near("Milk_Tests"), Some("milk-tests"));
        assert_eq!(near("wieghings"), Some("weighings"));
        assert_eq!(near("cows"), None);
        assert_eq!(near(""), None);
    }
}

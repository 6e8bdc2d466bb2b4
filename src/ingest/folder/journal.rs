//! How far an import is, beside its report: a line of JSON for each part, written before the part is committed. The
//! book counts the parts that were committed, so that a run that was broken off goes on exactly behind the last one.

use super::scan::Plan;
use super::{Counts, FolderOptions, fault, journal_of};
use crate::write::Patience;
use model::error::{Error, Result};
use ops::Book;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The form of the file.
const FORM: u64 = 1;

/// What is done with the rows of a collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    /// They are written.
    #[default]
    Write,
    /// Relations to rows that came later are added.
    Complete,
}

/// Rows that were written in one transaction.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct JournalPart {
    #[serde(rename = "part")]
    pub(super) number: i64,
    pub(super) collection: String,
    pub(super) phase: Phase,
    /// How often the files of the collection were read before.
    pub(super) pass: u64,
    /// Which rows waited for others.
    pub(super) patience: Patience,
    /// Rows of the collection up to this one are done in this pass.
    pub(super) until: i64,
    pub(super) waits: Numbers,
    /// Rows that are to be completed.
    pub(super) incomplete: Numbers,
    /// Ids of rows that came by files.
    pub(super) ids: Numbers,
    pub(super) counts: Counts,
    pub(super) report: u64,
}

/// Numbers, as first and last of each run of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Numbers(Vec<[i64; 2]>);

impl Numbers {
    pub(super) fn push(&mut self, number: i64) {
        match self.0.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => self.0.push([number, number]),
        }
    }

    /// All of them, in the order in which they were added.
    pub(super) fn iter(&self) -> impl Iterator<Item = i64> {
        self.0.iter().flat_map(|[first, last]| *first..=*last)
    }

    /// How many they are.
    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|[first, last]| last.abs_diff(*first).saturating_add(1)).fold(0, u64::saturating_add)
    }
}

/// The journal of an import that is under way.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// Distinguishes the import in the book.
    pub(super) import: String,
}

impl Journal {
    /// Begins one, or goes on with the one of a run that was broken off, whose parts it answers. A
    /// journal of other files or flags is begun anew.
    pub(super) async fn open(book: &Book, plan: &Plan, options: &FolderOptions) -> Result<(Self, Vec<JournalPart>)> {
        let path = journal_of(&options.report);
        let about = about(plan, options);
        if let Some((journal, parts)) = Self::resumed(book, &path, &about).await? {
            return Ok((journal, parts));
        }
        let import = uuid::Uuid::new_v4().simple().to_string();
        let mut file = File::create(&path).map_err(|why| fault(&path, why))?;
        let head = json!({"form": FORM, "import": import, "about": about});
        writeln!(file, "{head}").map_err(|why| fault(&path, why))?;
        file.sync_data().map_err(|why| fault(&path, why))?;
        Ok((Self { file, path, import }, Vec::new()))
    }

    async fn resumed(book: &Book, path: &Path, about: &Json) -> Result<Option<(Self, Vec<JournalPart>)>> {
        let own = |why| fault(path, why);
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(own(why)),
        };
        let mut reader = BufReader::new(&file);
        let mut line = String::new();
        // A file of something else is no journal, nor is one whose first line was cut off.
        let Ok(mut at) = reader.read_line(&mut line) else { return Ok(None) };
        let head: Json = serde_json::from_str(&line).unwrap_or_default();
        let import = head.get("import").and_then(Json::as_str);
        let same = head.get("form") == Some(&json!(FORM)) && head.get("about") == Some(about);
        let Some(import) = import.filter(|_| same && line.ends_with('\n')) else { return Ok(None) };
        let committed = book.counted_parts(import).await?;
        let mut parts = Vec::new();
        loop {
            line.clear();
            let read = reader.read_line(&mut line).map_err(own)?;
            let part: Option<JournalPart> = serde_json::from_str(&line).ok();
            let Some(part) = part.filter(|part| part.number <= committed && line.ends_with('\n')) else { break };
            at += read;
            parts.push(part);
        }
        drop(reader);
        let last = parts.last().map_or(0, |part| part.number);
        if last != committed {
            let why = format!("names {last} parts, and the book has {committed}: delete the journal to begin again");
            return Err(fault(path, why));
        }
        // What was written of a part that was not committed.
        file.set_len(at as u64).map_err(own)?;
        file.seek(SeekFrom::End(0)).map_err(own)?;
        Ok(Some((Self { file, path: path.to_owned(), import: import.to_owned() }, parts)))
    }

    /// Adds a part, which is to be committed next.
    pub(super) fn add(&mut self, part: &JournalPart) -> Result<()> {
        let own = |why| fault(&self.path, why);
        let line = serde_json::to_string(part).map_err(Error::internal)? + "\n";
        self.file.write_all(line.as_bytes()).map_err(own)?;
        self.file.sync_data().map_err(own)
    }

    /// The import is done.
    pub(super) fn end(self) -> Result<()> {
        std::fs::remove_file(&self.path).map_err(|why| fault(&self.path, why))
    }
}

/// What a journal belongs to: these files, read in this way.
fn about(plan: &Plan, options: &FolderOptions) -> Json {
    let files = plan.collections.iter().flat_map(|one| &one.files);
    let files: Vec<Json> = files
        .map(|file| {
            let path = file.path.display().to_string();
            json!([path, file.bytes, file.changed.to_string()])
        })
        .collect();
    json!({
        "files": files, "conflict": format!("{:?}", options.conflict),
        "encoding": format!("{:?}", options.encoding), "user": options.user,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

#[cfg(test)]
mod tests {
    use super::Numbers;
    use serde_json::json;

    #[test]
    fn runs_of_numbers_are_two_numbers() {
        for numbers in [vec![], vec![5], vec![1, 2, 3, 7, 9, 10]] {
            let mut runs = Numbers::default();
            numbers.iter().for_each(|number| runs.push(*number));
            assert_eq!(runs.count(), numbers.len() as u64);
            let read: Numbers = serde_json::from_value(json!(runs)).unwrap();
            assert_eq!(read, runs);
            assert_eq!(runs.iter().collect::<Vec<_>>(), numbers);
        }
        assert!(serde_json::from_value::<Numbers>(json!([[1]])).is_err());
    }
}

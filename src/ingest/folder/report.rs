//! The file of refused rows and remarks: one line for each, as a table.

use super::fault;
use crate::write::{ImportRow, at};
use csv::WriterBuilder;
use model::error::{Issue, Result};
use ops::plain;
use serde_json::Value as Json;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The first line.
const HEAD: [&str; 6] = ["file", "row", "field", "code", "value", "reason"];
/// Longest value, characters.
const LONGEST: usize = 200;

/// A report that is being written.
#[derive(Debug)]
pub(super) struct Report {
    file: File,
    path: PathBuf,
    bytes: u64,
}

/// A row that was refused, or written with remarks.
#[derive(Debug)]
pub(super) struct Refusal<'r> {
    pub(super) file: &'r str,
    pub(super) line: u64,
    pub(super) row: &'r ImportRow,
    pub(super) issues: &'r [Issue],
}

impl Report {
    /// A new report; what stood there is replaced.
    pub(super) fn begin(path: &Path) -> Result<Self> {
        let mut report =
            Self { file: File::create(path).map_err(|why| fault(path, why))?, path: path.to_owned(), bytes: 0 };
        report.lines(&[HEAD.map(str::to_owned)])?;
        report.keep()?;
        Ok(report)
    }

    /// Goes on behind what an earlier run wrote.
    pub(super) fn go_on(path: &Path, bytes: u64) -> Result<Self> {
        let own = |why| fault(path, why);
        let mut file = OpenOptions::new().write(true).open(path).map_err(own)?;
        let has = file.metadata().map_err(own)?.len();
        if has < bytes {
            return Err(fault(path, "is shorter than its journal says: delete the journal to begin again"));
        }
        file.set_len(bytes).map_err(own)?;
        file.seek(SeekFrom::End(0)).map_err(own)?;
        Ok(Self { file, path: path.to_owned(), bytes })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn add(&mut self, refusal: &Refusal<'_>) -> Result<()> {
        let lines: Vec<[String; 6]> = (refusal.issues.iter())
            .map(|issue| {
                [
                    plain(refusal.file.to_owned()),
                    refusal.line.to_string(),
                    plain(issue.path.clone()),
                    issue.code.to_string(),
                    plain(value(refusal.row, &issue.path)),
                    plain(issue.message.english().into_owned()),
                ]
            })
            .collect();
        self.lines(&lines)
    }

    fn lines(&mut self, lines: &[[String; 6]]) -> Result<()> {
        let mut writer = WriterBuilder::new().from_writer(Vec::new());
        for line in lines {
            writer.write_record(line).map_err(|why| fault(&self.path, why))?;
        }
        let text = writer.into_inner().map_err(|why| fault(&self.path, why))?;
        self.file.write_all(&text).map_err(|why| fault(&self.path, why))?;
        self.bytes += text.len() as u64;
        Ok(())
    }

    /// Writes it through to the disk.
    pub(super) fn keep(&self) -> Result<()> {
        self.file.sync_data().map_err(|why| fault(&self.path, why))
    }
}

/// What the row has at a path, or at the nearest one above it.
fn value(row: &ImportRow, path: &str) -> String {
    if path == "id" {
        return row.id.map_or_else(String::new, |id| id.to_string());
    }
    let mut wanted = path;
    loop {
        if let Some(value) = at(&row.body, wanted) {
            return text(value);
        }
        match wanted.rsplit_once('.') {
            Some((above, _)) => wanted = above,
            None => return String::new(),
        }
    }
}

fn text(value: &Json) -> String {
    let text = match value {
        Json::String(text) => text.clone(),
        // A relation by one field of the other row.
        Json::Object(members) if members.len() == 1 => {
            members.values().next().and_then(Json::as_str).map_or_else(|| value.to_string(), str::to_owned)
        }
        other => other.to_string(),
    };
    text.chars().take(LONGEST).collect()
}

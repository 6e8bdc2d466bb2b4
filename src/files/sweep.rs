//! Files that no row names: left by a process that was stopped between the disk and the book.

use super::{Fault, Folder, blocking, gone};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How old content must be before it is taken for left behind. A write is over long before,
/// or its content grows younger with each piece.
const SURELY_OVER: Duration = Duration::from_secs(3_600);

/// The key in the name of a file: `<key>` or `<key>-<size>`.
pub(super) fn key_of(name: &OsStr) -> Option<String> {
    let name = name.to_str()?;
    let key = name.split('-').next()?;
    let plain = key.len() == 32 && key.bytes().all(|b| b.is_ascii_alphanumeric());
    plain.then(|| key.to_owned())
}

impl Folder {
    /// The shelves that content stands on, for [`Folder::old`].
    pub async fn shelves(&self) -> Result<Vec<PathBuf>, Fault> {
        let root = self.root.clone();
        let arriving = self.arriving();
        let listed = blocking(move || -> std::io::Result<Vec<PathBuf>> {
            if !root.exists() {
                return Ok(Vec::new());
            }
            let mut shelves = Vec::new();
            for entry in std::fs::read_dir(&root)? {
                let path = entry?.path();
                if path.is_dir() && path != arriving {
                    shelves.push(path);
                }
            }
            Ok(shelves)
        });
        Ok(listed.await??)
    }

    /// Keys of the content on a shelf that was written long enough ago for its row to be in the book, if it ever will.
    pub async fn old(&self, shelf: PathBuf) -> Result<Vec<String>, Fault> {
        let folder = self.clone();
        let listed = blocking(move || -> std::io::Result<Vec<String>> {
            let before = folder.long_ago()?;
            // Content is as young as the youngest file made of it.
            let mut keys: BTreeMap<String, bool> = BTreeMap::new();
            for (path, written) in files(&shelf)? {
                if let Some(key) = path.file_name().and_then(key_of) {
                    let old = keys.entry(key).or_insert(true);
                    *old = *old && written < before;
                }
            }
            let old = keys.into_iter().filter(|(_, old)| *old);
            Ok(old.map(|(key, _)| key).collect())
        });
        Ok(listed.await??)
    }

    /// Removes what began to arrive long ago and never was complete; answers how many.
    pub async fn clear_arriving(&self) -> Result<usize, Fault> {
        let folder = self.clone();
        let cleared = blocking(move || -> std::io::Result<usize> {
            let arriving = folder.arriving();
            if !arriving.exists() {
                return Ok(0);
            }
            let before = folder.long_ago()?;
            let mut cleared = 0;
            for (path, written) in files(&arriving)? {
                if written < before {
                    gone(std::fs::remove_file(&path))?;
                    cleared += 1;
                }
            }
            Ok(cleared)
        });
        Ok(cleared.await??)
    }

    /// By the clock of the folder itself, which may be on another machine.
    fn long_ago(&self) -> std::io::Result<SystemTime> {
        let arriving = self.arriving();
        std::fs::create_dir_all(&arriving)?;
        let probe = super::draft::write(&arriving, b"")?;
        let now = std::fs::metadata(probe.path())?.modified()?;
        Ok(now.checked_sub(SURELY_OVER).unwrap_or(SystemTime::UNIX_EPOCH))
    }
}

/// Files of a folder with the time of their last writing; files that disappear meanwhile are skipped.
fn files(folder: &Path) -> std::io::Result<Vec<(PathBuf, SystemTime)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if let Ok(about) = entry.metadata()
            && about.is_file()
        {
            files.push((entry.path(), about.modified()?));
        }
    }
    Ok(files)
}

//! The index of SQLite's log: a small file that all processes over a book map, whose head
//! changes with every commit of any of them (SQLite, "WAL-mode file format", 2.1).
//!
//! SQLite keeps its locks on that very file, and POSIX drops all locks of a process on a file as soon as it closes any
//! descriptor of it. A file opened and closed here would take the locks of our own connections away, and another
//! process, finding none, would cut the file off under us. So all stores of a process share one descriptor of a book,
//! which stays open for as long as one of them does.

use std::path::PathBuf;

/// The beginning of a SQLite log's index.
pub(crate) type Head = [u8; 48];

#[derive(Debug)]
pub(crate) struct Index {
    path: PathBuf,
    #[cfg(unix)]
    opened: std::sync::RwLock<Option<std::sync::Arc<Opened>>>,
}

#[cfg(unix)]
#[derive(Debug)]
struct Opened {
    file: std::fs::File,
    identity: (u64, u64),
}

/// The files that are open in this process.
#[cfg(unix)]
static OPEN: std::sync::Mutex<Vec<std::sync::Weak<Opened>>> = std::sync::Mutex::new(Vec::new());

impl Index {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            #[cfg(unix)]
            opened: std::sync::RwLock::default(),
        }
    }

    /// The header of the log's index, which is stored twice. None while it is being written, and
    /// on systems where the mapped file cannot be read this way.
    #[cfg(unix)]
    pub(crate) fn head(&self) -> Option<Head> {
        use std::os::unix::fs::FileExt;
        let mut both = [0_u8; 96];
        self.opened()?.file.read_exact_at(&mut both, 0).ok()?;
        let (first, second) = both.split_at(48);
        (first == second).then(|| first.try_into().ok()).flatten()
    }

    #[cfg(not(unix))]
    pub(crate) fn head(&self) -> Option<Head> {
        let _ = &self.path;
        None
    }

    /// The present file: the last connection to a book removes it, and the next one makes another.
    /// One that was removed has no name left.
    #[cfg(unix)]
    fn opened(&self) -> Option<std::sync::Arc<Opened>> {
        use std::os::unix::fs::MetadataExt;
        use std::sync::{Arc, PoisonError};
        let current = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = current.as_ref()
            && current.file.metadata().ok()?.nlink() > 0
        {
            return Some(Arc::clone(current));
        }
        drop(current);
        let identity = |file: &std::fs::Metadata| (file.dev(), file.ino());
        let now = identity(&std::fs::metadata(&self.path).ok()?);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|file| file.strong_count() > 0);
        let shared = |open: &[std::sync::Weak<Opened>], one| {
            open.iter().filter_map(std::sync::Weak::upgrade).find(|file| file.identity == one)
        };
        let index = match shared(&open, now) {
            Some(index) => index,
            None => {
                let file = std::fs::File::open(&self.path).ok()?;
                let identity = identity(&file.metadata().ok()?);
                if let Some(current) = shared(&open, identity) {
                    // Another one exists since; closing this would take its locks.
                    std::mem::forget(file);
                    return Some(current);
                }
                let opened = Arc::new(Opened { file, identity });
                open.push(Arc::downgrade(&opened));
                opened
            }
        };
        drop(open);
        let mut current = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::clone(&index));
        Some(index)
    }
}

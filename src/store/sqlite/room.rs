//! Whether there is room beside a book. A small write may succeed on a full disk: the log of the
//! book has places that can be overwritten. A larger one cannot.

use std::fs::File;
use std::io::{ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// What has to be free, bytes: a batch changes some hundred pages.
const ROOM: usize = 1_048_576;

/// False when the disk of a file is full. Costs no write to the disk where that is not: the
/// bytes are gone before they would reach it.
pub(crate) fn has_room(book: &Path) -> bool {
    let mut name = book.as_os_str().to_owned();
    name.push("-room");
    let tried = filled(&PathBuf::from(&name));
    // It may be gone: another process tries the same.
    let _ = std::fs::remove_file(&name);
    // Other faults are reported by a write.
    !tried.is_err_and(|fault| {
        matches!(fault.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
    })
}

fn filled(file: &Path) -> Result<()> {
    File::create(file)?.write_all(&vec![0; ROOM])
}

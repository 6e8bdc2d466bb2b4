//! What the operating system lets the process do.

use std::path::Path;

/// Memory comes in pages of the usual size. The allocator asks for large ones, of which the first
/// used byte takes the whole: a third of the memory of a server at rest.
pub(crate) fn use_small_pages() {
    #[cfg(target_os = "linux")]
    {
        // Large pages are no fault, only a waste.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
}

/// Every file that this process creates from now on (books, their logs, backups, uploads, emails)
/// is for its own user only; what the caller's umask forbids besides stays forbidden.
pub(crate) fn keep_files_private() {
    #[cfg(unix)]
    {
        use rustix::fs::Mode;
        use rustix::process::umask;
        let others = Mode::RWXG | Mode::RWXO;
        let before = umask(others);
        umask(before | others);
    }
}

/// An embedded book that older programs, or who copied it, left open to others on the machine
/// is for its own user only from now on, where it belongs to the one who runs this.
pub(crate) fn keep_book_private(file: &Path) {
    #[cfg(unix)]
    {
        use std::fs::{Permissions, metadata, set_permissions};
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        for end in ["", "-wal", "-shm"] {
            let mut name = file.as_os_str().to_owned();
            name.push(end);
            let path = Path::new(&name);
            let Ok(about) = metadata(path) else { continue };
            let mode = about.permissions().mode();
            if !about.is_file() || mode & 0o077 == 0 {
                continue;
            }
            let own = about.uid() == rustix::process::geteuid().as_raw();
            let closed = own && set_permissions(path, Permissions::from_mode(mode & 0o700)).is_ok();
            let path = path.display();
            if closed {
                tracing::info!(%path, "other users of this machine could access the database; its permissions are fixed now");
            } else {
                tracing::warn!(%path, "other users of this machine can access the database");
            }
        }
    }
    #[cfg(not(unix))]
    let _ = file;
}

/// How many files the process may open, after asking for as many as it can have; none where it is unknown.
pub(crate) fn files() -> Option<usize> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        // The lower one is a courtesy to programs that ask after files by number.
        let wanted = Rlimit { current: maximum, maximum };
        let raised = current != maximum && setrlimit(Resource::Nofile, wanted).is_ok();
        let files = if raised { maximum } else { current };
        files.and_then(|files| usize::try_from(files).ok())
    }
    #[cfg(not(unix))]
    None
}

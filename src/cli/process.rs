//! What the operating system lets the process do.

/// Whatever this process makes from now on (books, their logs, backups, uploads, letters) is
/// for its own user only; what the caller's umask forbids besides stays forbidden.
pub(super) fn keep_files_private() {
    #[cfg(unix)]
    {
        use rustix::fs::Mode;
        use rustix::process::umask;
        let others = Mode::RWXG | Mode::RWXO;
        let before = umask(others);
        umask(before | others);
    }
}

/// How many files the process may open, after asking for as many as it can have; none where
/// nobody knows.
pub(super) fn files() -> Option<usize> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        // The lower one is a courtesy to programs that ask after files by number.
        let wanted = Rlimit {
            current: maximum,
            maximum,
        };
        let raised = current != maximum && setrlimit(Resource::Nofile, wanted).is_ok();
        let files = if raised { maximum } else { current };
        files.and_then(|files| usize::try_from(files).ok())
    }
    #[cfg(not(unix))]
    None
}

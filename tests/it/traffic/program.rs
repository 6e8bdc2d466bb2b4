//! The program itself; its log is read afterwards.

use crate::support::program::{Server, done, herdbook, migrated};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A server, and the folder of its book.
pub(super) struct Served {
    server: Server,
    dir: TempDir,
}

impl Served {
    /// A filled book, with these variables.
    pub(super) fn start(log: &str, variables: &[(&str, &str)]) -> Self {
        let dir = migrated();
        done(dir.path(), &["generate", "--animals", "60"]);
        let words = ["serve", "--listen", "127.0.0.1:0", "--log", log];
        let mut serve = herdbook(dir.path(), &words);
        serve.envs(variables.iter().copied());
        let server = Server::of(dir.path(), serve);
        Self { server, dir }
    }

    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.server.url)
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// Stops it, and gives its log.
    pub(super) fn stop(self) -> String {
        self.server.stop()
    }
}

pub(super) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

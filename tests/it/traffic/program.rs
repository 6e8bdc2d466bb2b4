//! The program itself; its log is read afterwards.

use crate::support::book::SECRET;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Ends with the test, however that ends.
pub(super) struct Served {
    pub(super) url: String,
    dir: TempDir,
    child: Child,
}

impl Served {
    /// A filled book, with these variables.
    pub(super) fn start(log: &str, variables: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let program = |words: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_herdbook"));
            command.args(words).current_dir(dir.path()).env_clear();
            command.env("HERDBOOK_SECURITY_SECRET", SECRET);
            command
        };
        let before: [&[&str]; 2] = [&["migrate"], &["generate", "--animals", "60"]];
        for words in before {
            let done = program(words).output().unwrap();
            let told = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{words:?}: {told}");
        }
        let mut serve = program(&["serve", "--listen", "127.0.0.1:0", "--log", log]);
        serve.envs(variables.iter().copied());
        // A file, so that a full pipe stops nothing.
        serve.stderr(File::create(dir.path().join("log")).unwrap());
        let mut child = serve.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = lines.next().expect("a line").unwrap();
        let ready: serde_json::Value = serde_json::from_str(&ready).unwrap();
        let url = ready["url"].as_str().unwrap().to_owned();
        Self { url, dir, child }
    }

    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// Stops it, and gives its log.
    pub(super) fn stop(mut self) -> String {
        let pid = self.child.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(killed.unwrap().success());
        let ended = self.child.wait().unwrap();
        let log = read(&self.dir.path().join("log"));
        assert!(ended.success(), "{log}");
        log
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

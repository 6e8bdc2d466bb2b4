//! Upgrades: a migration that landed is never edited, and a book of each released schema comes
//! to the present one with all that is in it (docs/operations.md).
//!
//! `HERDBOOK_BLESS=1` with these tests adds what a new migration needs here, its line among the
//! checksums and its book; it never changes what is there.

mod books;
mod together;

use crate::support::root;
use sha2::{Digest, Sha384};
use std::fs;

/// A migration file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct File {
    /// The folder: `sqlite` or `postgres`.
    pub(crate) folder: &'static str,
    /// `0001_core`.
    pub(crate) name: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn version(&self) -> &str {
        self.name.split_once('_').expect(&self.name).0
    }
}

pub(crate) fn blessed() -> bool {
    std::env::var("HERDBOOK_BLESS").is_ok_and(|value| value == "1")
}

/// All migrations of a database, in order.
pub(crate) fn files(folder: &'static str) -> Vec<File> {
    let entries = fs::read_dir(root().join("migrations").join(folder)).unwrap();
    let mut files: Vec<File> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            File {
                folder,
                name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
                text: fs::read_to_string(&path).unwrap(),
            }
        })
        .collect();
    files.sort();
    files
}

/// An edit of a migration that landed locks out every book that has it: the program knows by the
/// checksum that it is not the one that was applied.
#[test]
fn what_landed_is_never_edited() {
    let list = root().join("migrations/checksums.txt");
    let mut landed = fs::read_to_string(&list).unwrap_or_default();
    let mut found = 0;
    for file in [files("sqlite"), files("postgres")].concat() {
        let digest = Sha384::digest(file.text.as_bytes());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("{}/{}.sql", file.folder, file.name);
        let line = landed.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        found += 1;
        match line {
            Some(known) => assert_eq!(
                known, digest,
                "migrations/{name} was edited; put it back and write the next one (docs/operations.md)"
            ),
            None if blessed() => landed.push_str(&format!("{name} {digest}\n")),
            None => panic!("migrations/checksums.txt lacks {name}: HERDBOOK_BLESS=1 adds it"),
        }
    }
    assert_eq!(landed.lines().count(), found, "a migration that landed is gone");
    if blessed() {
        fs::write(&list, landed).unwrap();
    }
}

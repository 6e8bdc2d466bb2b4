//! The lists and the folders.

use super::{POSTGRES, SQLITE};
use std::path::Path;

/// The lists name every file of their folder, by its name and with its text.
#[test]
fn every_file_is_embedded() {
    for (folder, files) in [("sqlite", SQLITE), ("postgres", POSTGRES)] {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../migrations")
            .join(folder);
        let mut found: Vec<_> = std::fs::read_dir(&dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        let listed: Vec<_> = files
            .iter()
            .map(|(version, description, _)| format!("{version:04}_{description}.sql"))
            .collect();
        assert_eq!(found, listed, "{folder}");
        for ((_, _, text), name) in files.iter().zip(&found) {
            assert_eq!(std::fs::read_to_string(dir.join(name)).unwrap(), *text);
        }
    }
}

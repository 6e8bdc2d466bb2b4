//! Where the official files of ADE 1.5.1 lie, if they are at hand. They are test data and no part of
//! the repository.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder with the official files: `HERDBOOK_ADE_OFFICIAL`, or `../shared/ade-1.5` beside the
/// repository. Prints one line when there is none.
pub(crate) fn official() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/ade-1.5");
    let folder = std::env::var_os("HERDBOOK_ADE_OFFICIAL").map_or(beside, PathBuf::from);
    if folder.join("ade-1.5.bundle.json").is_file() {
        return Some(folder);
    }
    println!(
        "skipped: the official ADE files are not at {}",
        folder.display()
    );
    None
}

pub(crate) fn read(path: &Path) -> Value {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

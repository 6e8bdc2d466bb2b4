//! Lists the mapping files of the book and its dialects of files, so that adding one is adding a file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Code tables and lists, which all other files use.
const FIRST: &str = "codes.toml";

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../mappings");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("mappings.rs"), list(&folder)?)?;
    fs::write(out.join("dialects.rs"), list(&folder.join("dialects"))?)
}

/// Name and text of each file of a folder.
fn list(folder: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == "toml") {
            files.push(path);
        }
    }
    files.sort_by_key(|path| (!path.ends_with(FIRST), path.clone()));
    let mut list = "&[".to_owned();
    for path in &files {
        let name = path.file_name().unwrap_or_default();
        let _ = write!(list, "({:?}, include_str!({:?})),", name.to_string_lossy(), path);
    }
    list.push(']');
    Ok(list)
}

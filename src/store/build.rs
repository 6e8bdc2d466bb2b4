//! Lists the migrations of both databases, so that adding one is adding a file.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../migrations");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for dialect in ["sqlite", "postgres"] {
        let folder = folder.join(dialect);
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder)? {
            files.push(entry?.path());
        }
        files.sort();
        let mut list = "&[".to_owned();
        for path in &files {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let parts = name.split_once('_').and_then(|(number, name)| Some((number.parse::<i64>().ok()?, name)));
            let Some((version, description)) = parts else {
                return Err(io::Error::other(format!("{} is not named 0001_description.sql", path.display())));
            };
            let _ = write!(list, "({version}, {description:?}, include_str!({path:?})),");
        }
        list.push(']');
        fs::write(out.join(format!("{dialect}.rs")), list)?;
    }
    Ok(())
}

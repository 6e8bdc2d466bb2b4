//! Test data: the official files of ADE 1.5.1, if they are at hand, and generated documents.

pub(crate) mod generate;

use std::path::Path;

use serde_json::Value;

pub(crate) use test_support::official;

pub(crate) fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

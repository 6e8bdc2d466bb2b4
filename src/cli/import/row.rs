//! A row of any file, and its id.

use model::error::Issue;
use ops::ImportRow;
use serde_json::Value as Json;
use std::sync::Arc;

/// A row with its place in the file.
#[derive(Debug)]
pub(super) struct FileRow {
    /// The line at which it begins, from 1.
    pub(super) line: u64,
    /// File and sheet, where the file has several.
    pub(super) place: Option<Arc<str>>,
    pub(super) row: ImportRow,
}

/// Takes the id of a row.
pub(super) fn read_id(row: &mut ImportRow, value: &Json) {
    let id = match value {
        Json::Number(number) => number.as_i64(),
        Json::String(text) => text.parse().ok(),
        Json::Null => return,
        _ => None,
    };
    row.id = id;
    if id.is_none() {
        let message = "This must be an id: 1, 2, …";
        row.issues.push(Issue::error("id", "wrong-type", message));
    }
}

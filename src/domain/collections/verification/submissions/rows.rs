//! The rows of a package, one after another, and each in the form in which it is signed
//! (docs/packages.md).

use crate::collections::people::trust::signed_collections;
use model::canonical::{NoDouble, canonical};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::signing::PACKAGE_OF_ROW;
use model::registry::{BookReader, Class, Collection, ID, Kind, Lookup, Test, Writer};
use serde_json::{Map, Value as Json, json};

/// Rows read at once.
const STEP: i64 = 2_000;

/// A place among the rows of a package: collections in the order of the registry, rows by id.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowCursor {
    collection: usize,
    after: i64,
}

/// The next rows of a package, all of one collection, and those fields of them (none named: all);
/// none at the end.
pub(super) async fn next(
    context: &mut dyn BookReader,
    package: i64,
    cursor: &mut RowCursor,
    fields: &[&str],
) -> Result<Option<(&'static Collection, Vec<Record>)>> {
    let all = signed_collections()?;
    while let Some(c) = all.get(cursor.collection) {
        let rows = context.find(c.slug, of(package, cursor.after).fields(fields)).await?;
        if let Some(last) = rows.last().and_then(|row| row.get(ID).int()) {
            cursor.after = last;
            return Ok(Some((c, rows)));
        }
        *cursor = RowCursor { collection: cursor.collection + 1, after: 0 };
    }
    Ok(None)
}

/// The rows of a package after an id, as many as are read at once.
pub(super) fn of(package: i64, after: i64) -> Lookup {
    Lookup::by_ids(PACKAGE_OF_ROW, [package]).test("id", Test::From(Value::Int(after + 1))).limit(STEP)
}

/// The filled fields of a row that callers write and every reader of the row sees, by path.
pub(super) fn members(c: &Collection, row: &Record) -> Map<String, Json> {
    let mut members = Map::new();
    for (slot, field) in c.fields.iter().enumerate() {
        let value = row.get(slot);
        let own = field.writer != Writer::Server && field.class == Class::Row && !matches!(field.kind, Kind::Password);
        if own && !value.is_null() {
            members.insert(field.path.clone(), value.to_json());
        }
    }
    members
}

/// A row as it is signed: `{"collection":…,"fields":{path: value},"id":…}` in the form of RFC 8785,
/// without an end of line.
///
/// # Errors
/// [`NoDouble`] for a number that this form does not have.
pub(super) fn line(c: &Collection, row: &Record) -> Result<String, NoDouble> {
    let id = row.get(ID).int();
    canonical(&json!({"collection": c.slug, "fields": members(c, row), "id": id}))
}

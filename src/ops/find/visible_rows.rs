//! Rows as a caller sees them, for interfaces that make documents of their own: found by numbers that the caller may
//! query, with the fields that the caller may see; all other fields are empty. Must not know what documents are made.

use crate::Book;
use crate::document::Reader;
use crate::find::readable;
use crate::write::stored;
use model::error::Result;
use model::query::{Cmp, Filter};
use model::record::{Record, Value};
use model::registry::{Collection, Field, ID, Principal};
use std::sync::Arc;
use store::{Scan, Sql, Ty, condition};

#[derive(Debug, Clone, Default)]
pub struct RowSelection {
    /// Rows with these ids; none: any.
    pub ids: Option<Vec<i64>>,
    /// Rows where one of these fields has one of its values; none: any.
    pub any: Vec<(String, Vec<String>)>,
    /// Rows where each of these fields has this value.
    pub all: Vec<(String, String)>,
    /// Rows after this one, by id.
    pub after: Option<i64>,
    /// The largest number of rows.
    pub limit: u64,
}

impl Book {
    /// Rows in the order of their ids, read by one statement. A field that the caller does not
    /// see is neither read nor compared, row by row.
    ///
    /// # Errors
    /// [`model::error::Error::Forbidden`] when the collection is closed to the caller; errors of
    /// the database.
    pub async fn visible_rows(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        selection: &RowSelection,
        fields: &[String],
    ) -> Result<Vec<Record>> {
        let reader = self.reader(caller);
        let gate = reader.gate();
        let field_filter = |path: &str| {
            let slot = c.slot(path)?;
            Some((slot, gate.sees(c, c.fields.get(slot)?.class)))
        };
        let mut parts = vec![readable(&reader, c)?];
        if let Some(ids) = &selection.ids {
            parts.push(Filter::any_of(ID, ids.iter().copied().map(Value::Int).collect()));
        }
        if !selection.any.is_empty() {
            let any = selection.any.iter().filter_map(|(path, values)| {
                let (slot, sees) = field_filter(path)?;
                let field = c.fields.get(slot)?;
                let values = values.iter().map(|v| Value::Text(field.spell(v.clone())));
                Some(Filter::and([sees, Filter::any_of(slot, values.collect())]))
            });
            parts.push(Filter::or(any));
        }
        for (path, value) in &selection.all {
            let test = field_filter(path).map(|(slot, sees)| Filter::and([sees, Filter::eq(slot, value.as_str())]));
            parts.push(test.unwrap_or(Filter::False));
        }
        if let Some(after) = selection.after {
            parts.push(Filter::Cmp(ID, Cmp::Gt(Value::Int(after))));
        }
        rows_among(&reader, c, Filter::and(parts), fields, selection.limit).await
    }
}

/// Rows that fulfil a condition, in the order of their ids, with the fields that the caller sees.
pub(super) async fn rows_among(
    reader: &Reader,
    c: &'static Collection,
    filter: Filter,
    fields: &[String],
    limit: u64,
) -> Result<Vec<Record>> {
    if matches!(filter, Filter::False) {
        return Ok(Vec::new());
    }
    let gate = reader.gate();
    let columns: Vec<(usize, &Field, Filter)> = (fields.iter())
        .filter_map(|path| {
            let slot = c.slot(path)?;
            let field = c.fields.get(slot)?;
            (slot != ID && field.stored()).then(|| (slot, field, gate.sees(c, field.class)))
        })
        .collect();
    let mut scan = Scan::new(reader.store.dialect());
    let mut sql = Sql::new("SELECT a.\"id\"");
    for (_, field, sees) in &columns {
        if matches!(sees, Filter::True) {
            sql.push(", a.").name(&field.column);
            continue;
        }
        sql.push(", CASE WHEN ");
        condition(&mut scan, &mut sql, c, "a", sees);
        sql.push(" THEN a.").name(&field.column).push(" END");
    }
    sql.push(" FROM ").name(&c.table).push(" a WHERE ");
    condition(&mut scan, &mut sql, c, "a", &filter);
    sql.push(" ORDER BY a.\"id\" LIMIT ").bind(Ty::Int, i64::try_from(limit).unwrap_or(i64::MAX));
    let rows = reader.rows(if sql.width() > 64 { sql.one_off() } else { sql });
    let record = |row: &store::Row| {
        let mut record = Record::partial(c.width());
        record.set(ID, row.int(0));
        for (at, (slot, field, _)) in columns.iter().enumerate() {
            record.set(*slot, stored(field, row.value(at + 1, Ty::of(field))));
        }
        record
    };
    Ok(rows.await?.iter().map(record).collect())
}

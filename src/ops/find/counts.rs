//! Counts of rows by the values of some fields (docs/dialect.md, *Counts*). One statement, over the rows that the caller
//! reads. Only fields that a declaration offers for it.

use crate::Book;
use crate::find::list_query;
use crate::write::stored;
use model::error::{Error, Result};
use model::query::qs::Tree;
use model::record::Value;
use model::registry::{Class, Collection, Field, Principal};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Scan, Sql, Ty, condition};

/// Groups of one answer at most, the largest ones.
const MOST: u32 = 1_000;

impl Book {
    /// How many rows fulfil a condition among those that the caller reads, by the values of these fields, the most first.
    ///
    /// # Errors
    /// `Error::Query` where a field is not one by which rows are counted; otherwise as [`Book::list`].
    pub async fn counts(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        filter: Option<&Tree>,
        by: &[&str],
    ) -> Result<Vec<(Vec<Value>, u64)>> {
        // Whoever reads the row reads these.
        let field = |path: &&str| c.field(path).filter(|f| c.ui.counts_by.contains(path) && f.class == Class::Row);
        let fields: Vec<&Field> = by.iter().filter_map(field).collect();
        // Each once: a statement has so many columns at most.
        let distinct: BTreeSet<&str> = by.iter().copied().collect();
        if fields.len() != by.len() || distinct.len() != by.len() || fields.is_empty() {
            return Err(Error::Query(vec!["by".to_owned()]));
        }
        self.measure().await;
        let reader = self.reader(caller);
        let list_query = list_query(&reader, c, filter, &[])?;
        let mut sql = Sql::new("SELECT count(*)");
        for field in &fields {
            sql.push(", a.").name(&field.column);
        }
        sql.push(" FROM ").name(&c.table).push(" a WHERE ");
        let mut scan = Scan::new(self.store.dialect());
        condition(&mut scan, &mut sql, c, "a", &list_query.filter);
        let places: Vec<String> = (2..fields.len() + 2).map(|place| place.to_string()).collect();
        let places = places.join(", ");
        sql.push(&format!(" GROUP BY {places} ORDER BY 1 DESC, {places} LIMIT {MOST}"));
        let rows = reader.rows(reader.fits(sql)?).await?;
        let group = |row: &store::Row| {
            let values = fields.iter().enumerate().map(|(at, field)| stored(field, row.value(at + 1, Ty::of(field))));
            Some((values.collect(), u64::try_from(row.int(0)?).ok()?))
        };
        Ok(rows.iter().filter_map(group).collect())
    }
}

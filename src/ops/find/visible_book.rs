//! The book as a caller reads it, for rules of the domain: rows that the caller does not read are not there, and fields
//! that the caller does not see are empty.

use super::readable;
use super::visible_rows::rows_among;
use crate::Book;
use crate::document::Reader;
use async_trait::async_trait;
use model::error::{Error, Result};
use model::query::{Cmp, Filter};
use model::record::Record;
use model::registry::{BookReader, Class, Collection, ID, Lookup, Principal, Series, Test};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub struct VisibleBook(Reader);

impl Book {
    /// The book as a caller reads it, as of now.
    pub fn visible(&self, caller: &Arc<Principal>) -> VisibleBook {
        VisibleBook(self.reader(caller))
    }
}

impl VisibleBook {
    /// A comparison of a field; only rows on which the caller sees the field can fulfil it.
    fn test(&self, c: &'static Collection, path: &str, test: &Test) -> Result<Filter> {
        let fault = || Error::internal(format!("{} has no field {path}", c.slug));
        let slot = c.slot(path).ok_or_else(fault)?;
        let class = c.fields.get(slot).ok_or_else(fault)?.class;
        let test = match test {
            Test::In(values) => Filter::any_of(slot, values.clone()),
            Test::Empty => Filter::Cmp(slot, Cmp::Null),
            Test::Filled => Filter::Cmp(slot, Cmp::Null).negate(),
            Test::From(value) => Filter::Cmp(slot, Cmp::Ge(value.clone())),
            Test::Before(value) => Filter::Cmp(slot, Cmp::Lt(value.clone())),
        };
        Ok(Filter::and([self.0.gate().sees(c, class), test]))
    }

    async fn rows(&self, c: &'static Collection, lookup: Lookup, also: Filter) -> Result<Vec<Record>> {
        if lookup.order.iter().any(|path| path != "id") {
            return Err(Error::internal("what a caller reads comes in the order of ids"));
        }
        let mut parts = vec![readable(&self.0, c)?, also];
        for (at, (path, test)) in lookup.all.iter().enumerate() {
            let instead = lookup.instead.iter().filter(|_| at == 0);
            let either = std::iter::once(path).chain(instead).map(|path| self.test(c, path, test));
            parts.push(Filter::or(either.collect::<Result<Vec<_>>>()?));
        }
        let fields = match lookup.fields.is_empty() {
            true => c.fields.iter().map(|field| field.path.clone()).collect(),
            false => lookup.fields,
        };
        let limit = lookup.limit.and_then(|limit| u64::try_from(limit).ok()).unwrap_or(u64::MAX);
        rows_among(&self.0, c, Filter::and(parts), &fields, limit).await
    }
}

#[async_trait]
impl BookReader for VisibleBook {
    fn now(&self) -> i64 {
        self.0.now
    }

    fn caller(&self) -> &Principal {
        &self.0.caller
    }

    fn collection(&self, slug: &str) -> Result<&'static Collection> {
        self.0.registry.get(slug).ok_or_else(|| Error::internal(format!("no collection {slug}")))
    }

    async fn find(&mut self, slug: &str, lookup: Lookup) -> Result<Vec<Record>> {
        self.rows(self.collection(slug)?, lookup, Filter::True).await
    }

    async fn count(&mut self, slug: &str, lookup: Lookup, most: i64) -> Result<i64> {
        let rows = self.find(slug, lookup.fields(&["id"]).limit(most)).await?;
        Ok(i64::try_from(rows.len()).unwrap_or(most))
    }

    async fn series(
        &mut self,
        slug: &str,
        relation: &str,
        ids: &[i64],
        fields: &[&str],
    ) -> Result<BTreeMap<i64, Series>> {
        let c = self.collection(slug)?;
        let all: Vec<&str> = std::iter::once(relation).chain(fields.iter().copied()).collect();
        let rows = self.find(slug, Lookup::by_ids(relation, ids.iter().copied()).fields(&all)).await?;
        let mut series: BTreeMap<i64, Series> = BTreeMap::new();
        for row in &rows {
            let (id, owner) = (row.get(ID).int(), row.get(c.at(relation)).int());
            let values = fields.iter().map(|path| row.get(c.at(path)).clone());
            if let Some((id, owner)) = id.zip(owner) {
                series.entry(owner).or_insert_with(|| Series::new(fields.len())).push(id, values);
            }
        }
        Ok(series)
    }

    async fn reads(&mut self, slug: &str, class: Class, ids: BTreeSet<i64>) -> Result<BTreeSet<i64>> {
        let c = self.collection(slug)?;
        let rows = self.rows(c, Lookup::by_ids("id", ids).fields(&["id"]), self.0.gate().sees(c, class)).await?;
        Ok(rows.iter().filter_map(|row| row.get(ID).int()).collect())
    }
}

//! Operations on many rows at once: which rows they are, and writing a part of them in one
//! transaction. Must not know HTTP.

use crate::access::Decision;
use crate::find::list_query;
use crate::{Ask, Book, Item, Outcome, handling};
use model::error::{Error, Result};
use model::query::Filter;
use model::registry::{Collection, Principal, Verb};
use std::sync::Arc;

impl Book {
    /// The ids of the rows that fulfil a condition and that the caller may read and write, in the requested order and
    /// up to the requested limit. None if there is no condition, or one that excludes no row: a caller that means every
    /// row must say so, for example by `id exists`.
    ///
    /// # Errors
    /// [`Error::Forbidden`] when the collection is closed to the caller, for reading or for
    /// this; those of [`Book::list`].
    pub async fn targets(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        verb: Verb,
        ask: &Ask,
    ) -> Result<Option<Vec<i64>>> {
        let Some(tree) = &ask.filter else { return Ok(None) };
        self.measure().await;
        let reader = self.reader(caller);
        let Decision::Rows(writable) = reader.gate().write(c, verb) else { return Err(Error::forbidden()) };
        if matches!(crate::ask::condition(reader.gate(), c, tree)?, Filter::True) {
            return Ok(None);
        }
        let list_query = list_query(&reader, c, Some(tree), &ask.sort)?;
        let filter = Filter::and([writable, list_query.filter]);
        let sql = reader.select_ids(c, &filter, &list_query.orders, (ask.limit > 0).then_some(ask.limit))?;
        let rows = reader.rows(sql).await?;
        Ok(Some(rows.iter().filter_map(|row| row.int(0)).collect()))
    }

    /// As [`Book::write`], except that a value which must be unique and is not refuses all
    /// of the items (docs/writing.md, *Update and delete by condition*).
    ///
    /// # Errors
    /// The error of the first refused item; errors of the database.
    pub async fn write_together(
        &self,
        caller: Arc<Principal>,
        c: &'static Collection,
        items: Vec<Item>,
    ) -> Result<Vec<Outcome>> {
        let prepared = self.prepared(&caller, c, items).await?;
        let written = self.transact(move |work| {
            Box::pin(async move {
                let (mut outcomes, surveyed) = prepared.write(work, c).await?;
                let taken = |outcome: &Outcome| {
                    matches!(outcome, Outcome::Refused(Error::Invalid(issues))
                        if issues.iter().any(|issue| issue.code == "not-unique"))
                };
                match outcomes.iter().position(taken) {
                    None => Ok((outcomes, surveyed)),
                    Some(at) => match outcomes.swap_remove(at) {
                        Outcome::Refused(error) => Err(error),
                        _ => Err(Error::internal("a refused item has no error")),
                    },
                }
            })
        });
        let (outcomes, surveyed) = written.await?;
        handling::note(&outcomes);
        handling::surveyed(surveyed);
        Ok(outcomes)
    }
}

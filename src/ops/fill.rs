//! Filling a book with rows that bring their ids: a synthetic book, a moved one. They pass
//! the same pipeline as every write, as the system.

use super::{Book, Item, NoProjection, Outcome, Projection, parse_body};
use model::error::{Error, Issue, Result};
use model::record::Value;
use model::registry::{Principal, Verb};
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// A row with its id.
#[derive(Debug, Clone)]
pub struct FillRow {
    /// Slug of the collection.
    pub collection: &'static str,
    /// The id of the row.
    pub id: i64,
    /// Fields by path, as in a body; marks such as `~` do not apply.
    pub data: Map<String, Json>,
    /// Values by path that a body cannot contain (verifiers).
    pub hidden: Vec<(&'static str, Value)>,
}

impl Book {
    /// Writes rows of one collection in one transaction; if one is refused, none is written.
    ///
    /// # Errors
    /// [`Error::Invalid`] with what was refused, by collection and id; those of the store.
    pub async fn fill(&self, rows: Vec<FillRow>) -> Result<usize> {
        self.filled(rows, Arc::clone(&self.projection)).await
    }

    /// The same for a book whose documents are made when all rows are there: nothing is projected.
    ///
    /// # Errors
    /// The same.
    pub async fn load(&self, rows: Vec<FillRow>) -> Result<usize> {
        self.filled(rows, Arc::new(NoProjection)).await
    }

    async fn filled(&self, rows: Vec<FillRow>, projection: Arc<dyn Projection>) -> Result<usize> {
        let Some(first) = rows.first() else {
            return Ok(0);
        };
        let slug = first.collection;
        let c = (self.registry.get(slug))
            .ok_or_else(|| Error::internal(format!("no collection {slug}")))?;
        let count = rows.len();
        let ids: Vec<i64> = rows.iter().map(|r| r.id).collect();
        let items: Vec<Item> = (rows.into_iter())
            .map(|row| {
                let (body, issues) = parse_body(c, &row.data, None);
                let server = (row.hidden.into_iter())
                    .map(|(p, v)| (c.at(p), v))
                    .collect();
                Item {
                    verb: Verb::Create,
                    id: Some(row.id),
                    body,
                    server,
                    issues,
                    strict: false,
                }
            })
            .collect();
        self.transact_with(projection, move |work| {
            Box::pin(async move {
                // What happened to the rows happened elsewhere.
                work.quietly();
                let system = Arc::new(Principal::system());
                let outcomes = work.write(c, &system, items).await?;
                let mut faults = Vec::new();
                for (id, outcome) in ids.iter().zip(outcomes) {
                    if let Outcome::Refused(error) = outcome {
                        let path = format!("{slug}/{id}");
                        faults.push(Issue::error(path, "refused", error.to_string()));
                    }
                }
                if faults.is_empty() {
                    Ok(())
                } else {
                    Err(Error::Invalid(faults))
                }
            })
        })
        .await?;
        Ok(count)
    }
}

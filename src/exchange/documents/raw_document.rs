//! The row of a raw document, and the events that the animals of a group got by it.

use model::fast::IndexSet;
use ops::WriteTransaction;
use serde::{Deserialize, Serialize};
use store::{Row, Sql};

/// A row of `exchange_kept`.
#[derive(Debug, Clone)]
pub(crate) struct RawDocument {
    pub id: i64,
    pub dataset: String,
    /// The organisation whose location it was sent to.
    pub organization: i64,
    pub source: String,
    pub source_id: String,
    pub animal: Option<i64>,
    pub created: i64,
    /// The rows that its animals got (`groups`), as JSON.
    pub parts: Option<String>,
    pub body: String,
}

/// The columns, in the order that [`RawDocument::read`] expects.
pub(crate) const COLUMNS: &str = "id, dataset, organization, source, source_id, animal, created, parts, body";

impl RawDocument {
    /// Selects rows; a condition follows.
    pub(crate) fn select() -> Sql {
        Sql::new("SELECT ").and(COLUMNS).and(" FROM exchange_kept WHERE ")
    }

    /// The rows that a statement of [`RawDocument::select`] finds.
    pub(crate) async fn all(work: &mut WriteTransaction<'_>, sql: Sql) -> model::error::Result<Vec<Self>> {
        Ok(work.tx().rows(sql).await?.iter().map(Self::read).collect())
    }

    pub(crate) fn read(row: &Row) -> Self {
        let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
        Self {
            id: row.int(0).unwrap_or_default(),
            dataset: text(1),
            organization: row.int(2).unwrap_or_default(),
            source: text(3),
            source_id: text(4),
            animal: row.int(5),
            created: row.int(6).unwrap_or_default(),
            parts: row.text(7).map(str::to_owned),
            body: row.compressed(8).unwrap_or_default(),
        }
    }

    /// `meta.source`, `meta.sourceId`.
    pub(crate) fn pair(&self) -> (&str, &str) {
        (&self.source, &self.source_id)
    }

    /// The record number of its document: negative, so that it is none of a collection's row.
    pub(crate) fn record(&self) -> i64 {
        -self.id
    }

    pub(crate) fn parts(&self) -> Parts {
        self.parts.as_deref().map(serde_json::from_str).and_then(Result::ok).unwrap_or_default()
    }
}

/// What the animals of a group's event got: keys of their events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parts {
    pub into: String,
    pub keys: IndexSet<String>,
}

impl Parts {
    pub(crate) fn text(&self) -> Option<String> {
        let filled = !self.keys.is_empty();
        filled.then(|| serde_json::to_string(self).ok()).flatten()
    }
}

//! What is known of a column that nobody knows: its values, and what farms stated of columns of its title
//! (docs/packages.md, *Mapping*).

use crate::collections::slots::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Lookup, Test};
use serde_json::Value as Json;

/// Packages whose mappings are looked at, the latest first.
const PACKAGES: i64 = 500;

slots!(
    /// Slots of `pending-columns`.
    Columns of "pending-columns" {
        title: "title", dataset: "dataset", samples: "samples", organizations: "organizations",
    }
);
slots!(
    /// Slots of `data-submissions` that say what their sender stated.
    Packages of "data-submissions" { mapping: "mapping" }
);

/// A column that is not recognised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingColumn {
    /// Its header.
    pub title: String,
    /// The set of the table.
    pub dataset: Option<String>,
    /// Some of the values.
    pub samples: Vec<String>,
    /// Farms whose files had it.
    pub organizations: Vec<i64>,
}

/// A column by the id of its row.
///
/// # Errors
/// The errors of the reader.
pub async fn pending_column(
    context: &mut dyn BookReader,
    id: i64,
) -> Result<Option<PendingColumn>> {
    let s = Columns::get();
    let rows = context
        .find("pending-columns", Lookup::by_ids("id", [id]))
        .await?;
    let column = |row: &Record| {
        let text = |slot: usize| row.get(slot).text().unwrap_or_default().to_owned();
        let samples = row.get(s.samples).rows().iter();
        PendingColumn {
            title: text(s.title),
            dataset: Some(text(s.dataset)).filter(|set| !set.is_empty()),
            samples: samples
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
            organizations: row.get(s.organizations).ids().to_vec(),
        }
    };
    Ok(rows.first().map(column))
}

/// What farms stated of the columns of packages that were read and not rejected.
///
/// # Errors
/// The errors of the reader.
pub async fn stated_mappings(
    context: &mut dyn BookReader,
    organizations: Vec<i64>,
) -> Result<Vec<Json>> {
    if organizations.is_empty() {
        return Ok(Vec::new());
    }
    let s = Packages::get();
    let open = ["uploaded", "checking", "checked", "accepted"];
    let lookup = Lookup::by_ids("organization", organizations)
        .is_in("status", open.map(Value::from).to_vec())
        .test("intake.readAt", Test::Filled)
        .test("mapping", Test::Filled)
        .fields(&["mapping"])
        .order(&["-id"])
        .limit(PACKAGES);
    let rows = context.find("data-submissions", lookup).await?;
    let mapping = |row: &Record| row.get(s.mapping).as_json().cloned();
    Ok(rows.iter().filter_map(mapping).collect())
}

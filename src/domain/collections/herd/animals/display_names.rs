//! How sentences for people call animals: by name and number where the caller reads them, else by id, which the caller
//! knows.

use super::view::Animal;
use crate::collections::dictionaries::lookups::by_id;
use model::error::Result;
use model::registry::{BookReader, Class};
use std::collections::{BTreeMap, BTreeSet};

/// The name of each animal for the caller.
pub(crate) async fn display_names(
    reader: &mut dyn BookReader,
    ids: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, String>> {
    let ids: BTreeSet<i64> = ids.into_iter().collect();
    let read = reader.reads("animals", Class::Row, ids.clone()).await?;
    let rows = by_id(reader, "animals", read, &["identNumber", "name"]).await?;
    let name = |id: i64| {
        let name = rows.get(&id).and_then(|row| Animal(row).called());
        (id, name.unwrap_or_else(|| id.to_string()))
    };
    Ok(ids.into_iter().map(name).collect())
}

/// Names of animals as a list within a sentence.
pub(crate) async fn list_of(reader: &mut dyn BookReader, ids: impl IntoIterator<Item = i64>) -> Result<String> {
    let all: Vec<String> = display_names(reader, ids).await?.into_values().collect();
    Ok(all.join(", "))
}

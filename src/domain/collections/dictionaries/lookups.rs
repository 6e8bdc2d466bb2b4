//! Set-based reading for hooks: one look-up for many rows, none for no rows.

use model::error::Result;
use model::record::Record;
use model::registry::{BookReader, Change, Draft, ID, Lookup, Verb};
use std::collections::{BTreeMap, BTreeSet};

/// Ids in one look-up; more need several.
pub(crate) const CHUNK: usize = 5_000;

/// Rows by id.
///
/// # Errors
/// The errors of the reader.
pub async fn by_id(
    context: &mut dyn BookReader,
    slug: &str,
    ids: impl IntoIterator<Item = i64>,
    fields: &[&str],
) -> Result<BTreeMap<i64, Record>> {
    let rows = related(context, slug, "id", ids, fields).await?;
    Ok(keyed(rows))
}

/// Rows by their id.
pub(crate) fn keyed(rows: Vec<Record>) -> BTreeMap<i64, Record> {
    (rows.into_iter()).filter_map(|r| Some((r.get(ID).int()?, r))).collect()
}

/// Rows whose relation is one of the ids, ordered by id.
pub(crate) async fn related(
    context: &mut dyn BookReader,
    slug: &str,
    path: &str,
    ids: impl IntoIterator<Item = i64>,
    fields: &[&str],
) -> Result<Vec<Record>> {
    let ids: Vec<i64> = ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let mut rows = Vec::new();
    for chunk in ids.chunks(CHUNK) {
        let lookup = Lookup::by_ids(path, chunk.iter().copied()).fields(fields);
        rows.extend(context.find(slug, lookup).await?);
    }
    Ok(rows)
}

/// Rows by the value of a relation slot.
pub(crate) fn grouped(rows: Vec<Record>, slot: usize) -> BTreeMap<i64, Vec<Record>> {
    let mut groups: BTreeMap<i64, Vec<Record>> = BTreeMap::new();
    for row in rows {
        if let Some(id) = row.get(slot).int() {
            groups.entry(id).or_default().push(row);
        }
    }
    groups
}

/// The ids that a relation slot names in the drafts, as they will be.
pub(crate) fn related_ids(drafts: &[Draft], slot: usize) -> BTreeSet<i64> {
    drafts.iter().filter_map(|d| d.new.get(slot).int()).collect()
}

/// What a relation slot names before and after.
pub(crate) fn touched(changes: &[Change], slot: usize) -> BTreeSet<i64> {
    (changes.iter()).flat_map(|c| [&c.old, &c.new]).filter_map(|r| r.as_ref()?.get(slot).int()).collect()
}

/// The drafts that write (create, update). Faults of single values do not prevent other rules from
/// being checked, so that a caller gets all faults at once; a value that cannot be read is empty
/// here.
pub(crate) fn written(drafts: &mut [Draft]) -> impl Iterator<Item = &mut Draft> {
    (drafts.iter_mut()).filter(|d| d.verb != Verb::Delete)
}

//! What a package brought that is replaced is taken back, by the rights of whoever sends the new one
//! (docs/packages.md, *Replacing*).

use crate::packages::changes::{is_made, merged, taken_back};
use crate::packages::piece::RecordIds;
use crate::packages::queue::{OpenPackage, PACKAGES};
use crate::packages::rows::{RowState, StoredRow, stored_rows};
use domain::collections::packages::by_id;
use domain::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::signing::PACKAGE_OF_ROW;
use model::registry::{BookReader, Collection, HookContext, Lookup, Principal};
use ops::{Item, Outcome, WriteTransaction};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows of the former package that are looked at together.
const STEP: i64 = 2_000;
/// Rows that made, changed or found records.
const TAKEN: [RowState; 3] = [RowState::Created, RowState::Updated, RowState::Unchanged];

slots!(Slots of "data-submissions" { removed: "intake.removed" });

/// Takes back what the next rows of the former package brought, behind a position, and this one does not have; the last
/// position, none at the end. `record_ids` are the records of this one.
pub(crate) async fn take_back(
    work: &mut WriteTransaction<'_>,
    package: &OpenPackage,
    caller: &Arc<Principal>,
    record_ids: &RecordIds,
    after: i64,
) -> Result<Option<i64>> {
    let Some(former) = package.replaces else { return Ok(None) };
    let Some((last, all)) = former_records(work, former, after).await? else { return Ok(None) };
    let mut removed = 0;
    for FormerRecords { collection: c, made, changed } in all {
        let outcomes = work.write(c, caller, made.into_iter().map(Item::delete).collect()).await?;
        removed += outcomes.iter().filter(|outcome: &&Outcome| matches!(outcome, Outcome::Done(..))).count();
        let others =
            changed.into_iter().filter(|(id, _)| c.slot(PACKAGE_OF_ROW).is_some() || is_missing(c, *id, record_ids));
        let items = others.map(|(id, values)| went_back(c, id, values)).collect();
        // What is refused stays as it is: the book has reasons that the package does not know.
        work.write(c, caller, items).await?;
    }
    removed_more(work, package.id, removed).await?;
    Ok(Some(last))
}

/// Whether the new package surely has no row about a record.
fn is_missing(c: &Collection, id: i64, record_ids: &RecordIds) -> bool {
    !record_ids.get(c.slug).is_some_and(|ids| ids.contains(id))
}

fn went_back(c: &Collection, id: i64, values: Vec<(usize, Value)>) -> Item {
    let own = c.slot(PACKAGE_OF_ROW);
    let (server, body) = values.into_iter().partition(|(slot, _)| Some(*slot) == own);
    Item::update(id, body).with_server(server)
}

/// What some rows of a package brought to a collection, as far as it may be taken back.
#[derive(Debug)]
struct FormerRecords {
    collection: &'static Collection,
    made: Vec<i64>,
    /// Records that it changed, with the values of before that still are as it left them.
    changed: Vec<(i64, Vec<(usize, Value)>)>,
}

/// What the next rows of a package brought, behind a position, and the last position; none at the end: records
/// that are still its own and not verified. Of collections whose records belong to no package (animals) only changes:
/// the caller must know whether somebody else brought them too.
async fn former_records(
    context: &mut dyn BookReader,
    former: i64,
    after: i64,
) -> Result<Option<(i64, Vec<FormerRecords>)>> {
    let rows = stored_rows(context, former, &TAKEN, after, STEP).await?;
    let Some(last) = rows.last().map(|row| row.position) else { return Ok(None) };
    let mut by_collection: BTreeMap<String, BTreeMap<i64, StoredRow>> = BTreeMap::new();
    for row in rows {
        if let Some((slug, id)) = row.record.clone() {
            let rows = by_collection.entry(slug).or_default();
            match rows.get_mut(&id) {
                // Documents of one record, one after another.
                Some(first) => {
                    let made = first.state == RowState::Created;
                    first.before = merged(made, first.before.as_ref(), row.before);
                }
                None => {
                    rows.insert(id, row);
                }
            }
        }
    }
    let mut all = Vec::new();
    for (slug, rows) in by_collection {
        let c = context.collection(&slug)?;
        let records = by_id(context, c.slug, rows.keys().copied(), &[]).await?;
        let own = (c.slot(PACKAGE_OF_ROW)).zip(c.slot("verification"));
        let may = |record: &Record| {
            own.is_none_or(|(submission, verification)| {
                record.get(submission).int() == Some(former) && record.get(verification).text() != Some("verified")
            })
        };
        let (mut made, mut changed) = (Vec::new(), Vec::new());
        for (id, record) in records.iter().filter(|(_, record)| may(record)) {
            let Some(row) = rows.get(id) else { continue };
            let before = row.before.as_ref();
            if row.state == RowState::Created || before.is_some_and(is_made) {
                made.extend(own.map(|_| *id));
            } else if let Some(before) = before {
                let values = taken_back(c, before, record);
                changed.extend((!values.is_empty()).then_some((*id, values)));
            }
        }
        all.push(FormerRecords { collection: c, made, changed });
    }
    Ok(Some((last, all)))
}

/// Counts records of the former package that were deleted.
async fn removed_more(context: &mut dyn HookContext, id: i64, more: usize) -> Result<()> {
    let slot = Slots::get().removed;
    let rows = context.find(PACKAGES, Lookup::by_ids("id", [id]).fields(&["intake.removed"])).await?;
    let removed = rows.first().and_then(|row| row.get(slot).int());
    let all = Value::Int(removed.unwrap_or_default().saturating_add(i64::try_from(more).unwrap_or(i64::MAX)));
    context.amend(PACKAGES, vec![(id, vec![(slot, all)])]).await
}

//! What a package brought that another one replaces, and how it is taken back (docs/packages.md, *Replacing*).

use super::IntakeSlots;
use super::changed::{again, is_made, taken_back};
use super::intake::PACKAGES;
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::verification::submission_rows::{RowState, StoredRow, stored_rows};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::signing::PACKAGE_OF_ROW;
use model::registry::{BookReader, Collection, HookContext, Lookup};
use std::collections::BTreeMap;

/// Rows that made, changed or found records.
const TAKEN: [RowState; 3] = [RowState::Created, RowState::Updated, RowState::Unchanged];

/// What some rows of a package brought to a collection, as far as it may be taken back.
#[derive(Debug)]
pub struct Brought {
    /// The collection.
    pub collection: &'static Collection,
    /// Records that it made.
    pub made: Vec<i64>,
    /// Records that it changed, with the values of before that still are as it left them.
    pub changed: Vec<(i64, Vec<(usize, Value)>)>,
}

/// What the next rows of a package brought, behind a position, and the last position; none at the end. Told are records
/// that are still its own and not verified. Of collections whose records belong to no package (animals) only changes are
/// told: whether somebody else brought them too, is for the caller to know.
///
/// # Errors
/// The errors of the reader.
pub async fn brought(
    context: &mut dyn BookReader,
    former: i64,
    behind: i64,
    most: i64,
) -> Result<Option<(i64, Vec<Brought>)>> {
    let rows = stored_rows(context, former, &TAKEN, behind, most).await?;
    let Some(last) = rows.last().map(|row| row.position) else {
        return Ok(None);
    };
    let mut by_collection: BTreeMap<String, BTreeMap<i64, StoredRow>> = BTreeMap::new();
    for row in rows {
        if let Some((slug, id)) = row.record.clone() {
            let rows = by_collection.entry(slug).or_default();
            match rows.get_mut(&id) {
                // Documents of one record, one after another.
                Some(first) => {
                    let made = first.state == RowState::Created;
                    first.before = again(made, first.before.as_ref(), row.before);
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
                record.get(submission).int() == Some(former)
                    && record.get(verification).text() != Some("verified")
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
        all.push(Brought {
            collection: c,
            made,
            changed,
        });
    }
    Ok(Some((last, all)))
}

/// Counts records of the former package that were deleted.
///
/// # Errors
/// The errors of the context.
pub async fn removed(context: &mut dyn HookContext, id: i64, more: usize) -> Result<()> {
    let slot = IntakeSlots::get().removed;
    let lookup = Lookup::by_ids("id", [id]).fields(&["intake.removed"]);
    let rows = context.find(PACKAGES, lookup).await?;
    let known = rows.first().and_then(|row| row.get(slot).int());
    let more = i64::try_from(more).unwrap_or(i64::MAX);
    let all = Value::Int(known.unwrap_or_default().saturating_add(more));
    context.amend(PACKAGES, vec![(id, vec![(slot, all)])]).await
}

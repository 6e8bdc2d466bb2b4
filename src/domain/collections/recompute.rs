//! Everything that the book derives of its animals (docs/derived.md), computed anew from their rows: after an upgrade
//! by whose rules old rows mean something else.

use super::{evaluation, events, herd};
use model::error::Result;
use model::record::Value;
use model::registry::{HookContext, ID, Lookup, Test};
use std::collections::BTreeSet;

/// Animals of one step.
const STEP: i64 = 200;

/// One step: computes the animals behind an id anew, of which only what differs is written. Tells the last of them and
/// how many there were; none at the end of the book.
///
/// # Errors
/// The errors of the hook context.
pub async fn recompute(context: &mut dyn HookContext, after: i64) -> Result<Option<(i64, usize)>> {
    let lookup = Lookup::default()
        .test("id", Test::From(Value::Int(after.saturating_add(1))))
        .fields(&["id"])
        .order(&["id"])
        .limit(STEP);
    let rows = context.find("animals", lookup).await?;
    let ids: BTreeSet<i64> = rows.iter().filter_map(|row| row.get(ID).int()).collect();
    let Some(last) = ids.last().copied() else {
        return Ok(None);
    };
    events::rezoned(context, &ids).await?;
    evaluation::recompute(context, &ids).await?;
    let animals = ids.len();
    herd::animals::descent::kinship::recompute(context, ids).await?;
    Ok(Some((last, animals)))
}

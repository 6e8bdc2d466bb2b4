//! How many rows of a package have cells that were mended after the file was sent (docs/packages.md, *Rows*).

use super::IntakeSlots;
use crate::collections::slots::slots;
use crate::collections::verification::submission_rows::SLUG;
use model::error::Result;
use model::record::Value;
use model::registry::{HookContext, ID, Lookup, Test};

slots!(Rows of "submission-rows" { mended });

/// Counts the rows that were mended.
///
/// # Errors
/// The errors of the context.
pub async fn count_mended(context: &mut dyn HookContext, package: i64) -> Result<()> {
    let lookup = Lookup::by_ids("submission", [package]).test("mended", Test::Filled).fields(&["id"]);
    let rows = context.find(SLUG, lookup).await?;
    let rows = match rows.len() {
        0 => Value::Null,
        rows => Value::Int(i64::try_from(rows).unwrap_or(i64::MAX)),
    };
    let counted = vec![(IntakeSlots::get().mended, rows)];
    context.amend("data-submissions", vec![(package, counted)]).await
}

/// Forgets what was mended of a package: it got another file.
pub(super) async fn forget(context: &mut dyn HookContext, package: i64) -> Result<()> {
    let lookup = Lookup::by_ids("submission", [package]).test("mended", Test::Filled).fields(&["id"]);
    let rows = context.find(SLUG, lookup).await?;
    let mended = Rows::get().mended;
    let none = (rows.iter().filter_map(|row| row.get(ID).int())).map(|id| (id, vec![(mended, Value::Null)]));
    let none = none.collect();
    context.amend(SLUG, none).await?;
    count_mended(context, package).await
}

//! Changes by time alone: a fresh cow becomes an early one, a calf a heifer, a silent lactation ends. The other views
//! follow from writes; these are looked for now and then, by computing every animal anew that did not leave.

use super::health_events::present_health;
use super::history::refresh;
use model::error::Result;
use model::record::Value;
use model::registry::{HookContext, ID, Lookup, Test};
use std::collections::BTreeSet;

/// Animals of one step.
const STEP: i64 = 300;

/// The position of a pass over the book; begins with the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RefreshPass {
    after: i64,
}

/// One step of a pass: computes some animals anew, of which only what differs is written, and says where to go on; none
/// at the end of the pass.
///
/// # Errors
/// The errors of the hook context.
pub async fn refresh_step(context: &mut dyn HookContext, at: RefreshPass) -> Result<Option<RefreshPass>> {
    let lookup = Lookup::default()
        .is_in("state", vec!["alive".into()])
        .test("id", Test::From(Value::Int(at.after + 1)))
        .fields(&["id"])
        .limit(STEP);
    let rows = context.find("animals", lookup).await?;
    let ids: BTreeSet<i64> = rows.iter().filter_map(|r| r.get(ID).int()).collect();
    refresh(context, &ids).await?;
    present_health(context, &ids).await?;
    Ok(ids.last().map(|last| RefreshPass { after: *last }))
}

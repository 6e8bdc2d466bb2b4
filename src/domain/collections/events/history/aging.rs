//! Changes by time alone: a fresh cow becomes an early one, a dry one comes close to calving. The
//! other views follow from writes; these are looked for now and then.

use super::refresh;
use crate::derive::DAY_MS;
use crate::derive::current::{EARLY_DAYS, TRANSITION_DAYS};
use model::error::Result;
use model::record::Value;
use model::registry::{HookContext, ID, Lookup, Test};
use std::collections::BTreeSet;

/// Animals of one step.
const STEP: i64 = 300;

/// Stages that end by themselves: the stage, the date that it is counted from, and after
/// how many days (negative: before that date).
const STAGES: [(&str, &str, i64); 3] = [
    ("fresh", "current.lastCalvingDate", TRANSITION_DAYS),
    ("early", "current.lastCalvingDate", EARLY_DAYS),
    ("dry", "current.expectedCalvingDate", -TRANSITION_DAYS),
];

/// The position of a pass over the book; begins with the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Aging {
    stage: usize,
    after: i64,
}

/// One step of a pass: recomputes animals whose stage is over, and says where to go on;
/// none at the end of the pass.
///
/// # Errors
/// The errors of the hook context.
pub async fn age(context: &mut dyn HookContext, at: Aging) -> Result<Option<Aging>> {
    let Some((stage, date, days)) = STAGES.get(at.stage) else {
        return Ok(None);
    };
    // A whole day more: a stage lasts through its last day.
    let over = context.now() - context.now().rem_euclid(DAY_MS) - days * DAY_MS;
    let lookup = Lookup::default()
        .is_in("current.lactationStatus", vec![(*stage).into()])
        .test(date, Test::Before(Value::Time(over)))
        .test("id", Test::From(Value::Int(at.after + 1)))
        .fields(&["id"])
        .limit(STEP);
    let rows = context.find("animals", lookup).await?;
    let ids: BTreeSet<i64> = rows.iter().filter_map(|r| r.get(ID).int()).collect();
    let Some(last) = ids.last().copied() else {
        return Ok(Some(Aging {
            stage: at.stage + 1,
            after: 0,
        }));
    };
    refresh(context, &ids).await?;
    Ok(Some(Aging {
        stage: at.stage,
        after: last,
    }))
}

//! The weekly email about the work lists of a farm (docs/letters.md): which farms are to get one, and that each gets one a
//! week. The lists are counted elsewhere.

use crate::collections::dictionaries::lookups::by_id;
use crate::collections::people::notices::{Notice, acting, notify};
use crate::collections::slots::slots;
use model::error::Result;
use model::letter::Template;
use model::record::Value;
use model::registry::{HookContext, ID, Lookup, Test};
use std::collections::BTreeSet;

/// Organisations of one step.
const STEP: i64 = 50;

slots!(Organizations of "organizations" { week: "workLetterWeek" });

/// Members whose people wish such emails and got none in a week yet, which the day of its beginning names: some of them
/// at a time; none at the end.
///
/// # Errors
/// The errors of the hook context.
pub async fn next_work_letters(context: &mut dyn HookContext, week: i64) -> Result<Option<Vec<i64>>> {
    let members = |written: Test| {
        Lookup::default()
            .is_in("membership", vec!["member".into()])
            .test("workLetterWeek", written)
            .fields(&["id"])
            .order(&["id"])
            .limit(STEP)
    };
    let mut rows = context.find("organizations", members(Test::Empty)).await?;
    rows.extend(context.find("organizations", members(Test::Before(Value::Time(week)))).await?);
    let ids: BTreeSet<i64> = rows.iter().filter_map(|row| row.get(ID).int()).collect();
    if ids.is_empty() {
        return Ok(None);
    }
    let wishing = acting(context, Template::WorkLists, &ids).await?;
    let others = ids.difference(&wishing).copied();
    written(context, others.collect(), week).await?;
    Ok(Some(wishing.into_iter().collect()))
}

/// Writes to the people of an organisation how many animals its work lists have, where there are any, unless that was
/// done this week.
///
/// # Errors
/// The errors of the hook context.
pub async fn write_work_letter(
    context: &mut dyn HookContext,
    (organization, week): (i64, i64),
    counts: &[(&str, u64)],
) -> Result<()> {
    let rows = by_id(context, "organizations", [organization], &["workLetterWeek"]).await?;
    let before = rows.get(&organization).and_then(|row| row.get(Organizations::get().week).time());
    if rows.is_empty() || before.is_some_and(|before| before >= week) {
        return Ok(());
    }
    written(context, vec![organization], week).await?;
    if counts.iter().all(|(_, count)| *count == 0) {
        return Ok(());
    }
    let notice = Notice::new(Template::WorkLists, organization);
    let notice = counts.iter().fold(notice, |notice, (list, count)| notice.with(list, &count.to_string()));
    notify(context, vec![notice]).await
}

async fn written(context: &mut dyn HookContext, organizations: Vec<i64>, week: i64) -> Result<()> {
    let week = |id: i64| (id, vec![(Organizations::get().week, Value::Time(week))]);
    let rows: Vec<_> = organizations.into_iter().map(week).collect();
    match rows.is_empty() {
        true => Ok(()),
        false => context.amend("organizations", rows).await,
    }
}

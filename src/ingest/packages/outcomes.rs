//! What became of rows, as the package counts it: records get their package, which has counts and reasons
//! (docs/packages.md, *Rows*).

use crate::packages::changes;
use crate::packages::queue::{OpenPackage, PACKAGES};
use crate::packages::rows::{PackageRow, RowFault, RowState, StoredRow, store};
use domain::collections::packages::{by_id, placed, row_id};
use domain::derive::{day_of, instant_of};
use domain::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{HookContext, ID, Lookup};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Rows and values that the package itself lists.
const MAX_ENTRIES: usize = 50;

slots!(
    /// Slots of `data-submissions` that count rows.
    Slots of "data-submissions" {
        rows: "intake.rows", created: "intake.created", updated: "intake.updated",
        unchanged: "intake.unchanged", skipped: "intake.skipped", held: "intake.held",
        issues: "intake.issues", value_issues: "intake.valueIssues", done: "intake.done", status,
        remark: "review.comment",
    }
);

/// Stores rows with what became of them; `before` are their states until now, none of rows that are read. Their records
/// belong to the package from now on, unless they are verified, or of another one that is being checked and is not
/// replaced.
pub(crate) async fn store_outcomes(
    context: &mut dyn HookContext,
    package: &OpenPackage,
    mut rows: Vec<PackageRow>,
    before: &[RowState],
) -> Result<()> {
    subjects(context, package, &mut rows).await?;
    count(context, package.id, &rows, before).await?;
    store(context, package.id, package.organization, rows).await
}

/// Animal and day of each record, and the records that the package adopts.
async fn subjects(context: &mut dyn HookContext, package: &OpenPackage, rows: &mut [PackageRow]) -> Result<()> {
    let mut by_collection: BTreeMap<&'static str, BTreeSet<i64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.record.is_some()) {
        by_collection.entry(row.collection).or_default().extend(row.record);
    }
    for (slug, ids) in by_collection {
        let c = context.collection(slug)?;
        let Some(path) = c.animal else {
            for row in rows.iter_mut().filter(|row| row.collection == slug) {
                row.animal = row.record.filter(|_| c.lineage.is_some());
            }
            continue;
        };
        let mut fields = vec![path];
        fields.extend(c.happens);
        let packaged = c.slot("submission").zip(c.slot("verification"));
        if packaged.is_some() {
            fields.extend(["submission", "verification"]);
        }
        let records = by_id(context, slug, ids, &fields).await?;
        let records = placed(context, slug, records.into_values().collect()).await?;
        let records: BTreeMap<i64, Record> =
            (records.into_iter()).filter_map(|record| Some((record.get(ID).int()?, record))).collect();
        // Records that the right to send packages does not write belong to packages that wrote them alone.
        let open = c.package_sets.is_empty() || c.opens_to_packages();
        let mut adopted = Vec::new();
        for row in rows.iter_mut().filter(|row| row.collection == slug) {
            let Some(record) = row.record.and_then(|id| records.get(&id)) else { continue };
            row.animal = record.get(c.at(path)).int();
            row.date = c.happens.and_then(|day| record.get(c.at(day)).time()).map(|at| instant_of(day_of(at)));
            let Some((submission, verification)) = packaged else { continue };
            let (of, state) = (record.get(submission).int(), record.get(verification).text());
            let replaced = of.is_some() && of == package.replaces && state != Some("verified");
            let wrote = matches!(row.state, RowState::Created | RowState::Updated);
            let free = (state == Some("unverified") && (open || wrote)) || replaced;
            if row.state != RowState::Held && free && of != Some(package.id) {
                row.before = changes::adopted(row.before.take(), of, package.id);
                let values = vec![(submission, Value::Int(package.id)), (verification, "unverified".into())];
                adopted.extend(row.record.map(|id| (id, values)));
            }
        }
        context.amend(slug, adopted).await?;
    }
    for row in rows {
        let before = row.before.take();
        row.before = before.map(|before| changes::taken_over(before, package.replaces));
    }
    Ok(())
}

async fn count(context: &mut dyn HookContext, id: i64, rows: &[PackageRow], before: &[RowState]) -> Result<()> {
    let n = Slots::get();
    let packages = context.find(PACKAGES, Lookup::by_ids("id", [id])).await?;
    let Some(record) = packages.first() else { return Ok(()) };
    let states = [
        (RowState::Created, n.created),
        (RowState::Updated, n.updated),
        (RowState::Unchanged, n.unchanged),
        (RowState::Skipped, n.skipped),
        (RowState::Held, n.held),
    ];
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let mut values = Vec::new();
    let mut held = 0;
    for (state, slot) in states {
        let more = number(rows.iter().filter(|row| row.state == state).count());
        let less = number(before.iter().filter(|was| **was == state).count());
        let now = record.get(slot).int().unwrap_or_default().saturating_add(more - less);
        values.push((slot, Value::Int(now)));
        if state == RowState::Held {
            held = now;
        }
    }
    // With its last held row mended, what was sent back comes again.
    if held == 0 && before.contains(&RowState::Held) && record.get(n.status).text() == Some("uploaded") {
        values.push((n.remark, Value::Null));
    }
    if before.is_empty() {
        let all = record.get(n.rows).int().unwrap_or_default() + number(rows.len());
        let done = rows.iter().map(|row| row.position).max();
        values.push((n.rows, Value::Int(all)));
        values.extend(done.map(|done| (n.done, Value::Int(done))));
        values.extend(issues([n.issues, n.value_issues].map(|slot| record.get(slot).rows().to_vec()), rows));
    }
    context.amend(PACKAGES, vec![(id, values)]).await
}

/// Lists with the package what is wrong with rows now, in place of what was wrong with them (`before`).
pub(crate) async fn replace_issues(
    context: &mut dyn HookContext,
    id: i64,
    rows: &[PackageRow],
    before: &[StoredRow],
) -> Result<()> {
    let n = Slots::get();
    let packages = context.find(PACKAGES, Lookup::by_ids("id", [id])).await?;
    let Some(record) = packages.first() else { return Ok(()) };
    let is_former = |entry: &Json| {
        let (line, ident) = (entry.get("row"), entry.get("ident"));
        before.iter().any(|row| {
            let same = ident.and_then(Json::as_str) == row.ident.as_deref();
            same && line.and_then(Json::as_i64) == Some(row.line)
        })
    };
    let others = |slot: usize| -> Vec<Json> {
        record.get(slot).rows().iter().filter(|entry| !is_former(entry)).cloned().collect()
    };
    context.amend(PACKAGES, vec![(id, Vec::from(issues([n.issues, n.value_issues].map(others), rows)))]).await
}

/// The rows that were not taken and the values that were left out (`lists`), with those of more rows.
fn issues(lists: [Vec<Json>; 2], rows: &[PackageRow]) -> [(usize, Value); 2] {
    let [mut issues, mut value_issues] = lists;
    for row in rows {
        for fault in &row.faults {
            tell(row, fault, &mut issues, &mut value_issues);
        }
    }
    let n = Slots::get();
    [(n.issues, Value::json(Json::Array(issues))), (n.value_issues, Value::json(Json::Array(value_issues)))]
}

fn tell(row: &PackageRow, fault: &RowFault, issues: &mut Vec<Json>, value_issues: &mut Vec<Json>) {
    let is_written = !matches!(row.state, RowState::Held | RowState::Skipped);
    let entries = if is_written { value_issues } else { issues };
    if entries.len() >= MAX_ENTRIES {
        return;
    }
    let id = row_id();
    entries.push(match is_written {
        true => {
            json!({"id": id, "row": row.line, "ident": row.ident, "columnTitle": fault.column, "reason": fault.message})
        }
        false => json!({"id": id, "row": row.line, "ident": row.ident, "reason": fault.message}),
    });
}

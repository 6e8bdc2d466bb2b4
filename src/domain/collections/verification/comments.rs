//! Comments of a farm and of the Association on a record of both: rows are added, and stay as they were written.

use crate::collections::dictionaries::lookups::written;
use model::error::Issue;
use model::record::{Record, Value, time};
use model::registry::review::comment;
use model::registry::{BookReader, Caller, Change, Decl, Draft, instant, long_text, rows, select};
use model::said;
use serde_json::{Value as Json, json};

/// Most comments on one record.
const MOST: usize = 500;

pub(crate) fn comments() -> Decl {
    rows(
        comment::LIST,
        [
            long_text(comment::TEXT).required().doc("What was written."),
            select(comment::ROLE, "farm|association").doc("The side that wrote it, said by the server."),
            instant(comment::AT).doc("When, said by the server."),
        ],
    )
    .doc("Comments of the farm and of the Association. Rows that are sent are added; those that are there stay.")
    .into()
}

/// The last comment that a change brought, if the Association wrote it.
pub(crate) fn of_association(change: &Change, slot: usize) -> Option<Value> {
    let rows = |row: &Record| row.get(slot).rows().to_vec();
    let (new, old) = (change.new.as_ref().map(rows)?, change.old.as_ref().map(rows)?);
    let last = new.last().filter(|_| new.len() > old.len())?;
    let text = last.get(comment::TEXT).and_then(Json::as_str);
    text.filter(|_| last.get(comment::ROLE) == Some(&json!("association"))).map(Value::from)
}

/// Adds the rows that were sent to those that are there.
pub(crate) fn add(context: &dyn BookReader, drafts: &mut [Draft], slot: usize) {
    let caller = context.caller();
    if caller.caller == Caller::System {
        return;
    }
    let role = if caller.sees_all() { "association" } else { "farm" };
    let at = time::to_iso(context.now());
    for draft in written(drafts).filter(|draft| draft.changes(slot)) {
        let mut all = draft.old.as_ref().map(|old| old.get(slot).rows().to_vec()).unwrap_or_default();
        let mut issues = Vec::new();
        for (place, row) in draft.new.get(slot).rows().iter().enumerate() {
            let member = |name: &str| row.get(name).cloned().unwrap_or_default();
            match all.iter().find(|one| one.get("id") == row.get("id")) {
                Some(own) if own.get(comment::TEXT) == row.get(comment::TEXT) => {}
                Some(_) => {
                    let message = "A comment stays as it was written.";
                    issues.push(Issue::error(
                        format!("{}.{place}.{}", comment::LIST, comment::TEXT),
                        "not-allowed",
                        message,
                    ));
                }
                None if member(comment::TEXT).as_str().is_none_or(|text| text.trim().is_empty()) => {
                    let path = format!("{}.{place}.{}", comment::LIST, comment::TEXT);
                    issues.push(Issue::error(path, "required", "This field is required."));
                }
                None => all.push(json!({
                    "id": member("id"), (comment::TEXT): member(comment::TEXT), (comment::ROLE): role,
                    (comment::AT): at,
                })),
            }
        }
        if all.len() > MOST {
            issues.push(Issue::error(comment::LIST, "too-many", said!("At most {limit} rows.", limit = MOST)));
        }
        draft.issues.extend(issues);
        draft.new.set(slot, Value::json(Json::Array(all)));
    }
}

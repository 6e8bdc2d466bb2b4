//! Comments of a farm and of the Association on a record of both: rows are added, and stay as they were written.

use crate::collections::dictionaries::lookups::written;
use crate::collections::people::notices::Notice;
use model::error::Issue;
use model::letter::Template;
use model::record::{Value, time};
use model::registry::review::comment;
use model::registry::{BookReader, Change, Decl, Draft, ROLES, instant, long_text, rows, select};
use model::said;
use serde_json::{Value as Json, json};

/// Most comments on one record.
const MOST: usize = 500;

pub(crate) fn comments() -> Decl {
    rows(
        comment::LIST,
        [
            long_text(comment::TEXT).required().doc("What was written."),
            select(comment::ROLE, ROLES).doc("The side that wrote it, said by the server."),
            instant(comment::AT).doc("When, said by the server."),
        ],
    )
    .doc("Comments of the farm and of the Association. Rows that are sent are added; those that are there stay.")
    .into()
}

/// Tells the other side of the comments that a change brought; `templates` are those for the farm and for the
/// Association.
pub(crate) fn notice(
    change: &Change,
    slot: usize,
    [to_farm, to_association]: [Template; 2],
    (organization, assignee): (i64, Option<i64>),
) -> Option<Notice> {
    let before = change.old.as_ref().map_or(0, |old| old.get(slot).rows().len());
    let new = change.new.as_ref()?.get(slot).rows().get(before..).filter(|rows| !rows.is_empty())?;
    let notice = match new.first()?.get(comment::ROLE)?.as_str()? {
        "farm" => Notice::of_association(to_association, organization, assignee),
        _ => Notice::new(to_farm, organization),
    };
    let texts: Vec<&str> = new.iter().filter_map(|row| row.get(comment::TEXT)?.as_str()).map(str::trim).collect();
    Some(notice.with_remark(&Value::from(texts.join(" / "))))
}

/// Adds the rows that were sent to those that are there.
pub(crate) fn add(context: &dyn BookReader, drafts: &mut [Draft], slot: usize) {
    let Some(role) = context.caller().role() else {
        return;
    };
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

//! The rules of generic events: which types are written, and what their results are.

use super::Events;
use crate::collections::dictionaries::codes::{LACTATION_STATUS, REPRODUCTION_STATUS};
use crate::collections::dictionaries::lookups::written;
use model::record::Record;
use model::registry::{Caller, Draft, Principal};
use model::said;

/// `adeResult` of insemination results.
const CHECK_RESULT: &str = "pregnant|multiple|empty|unknown";

pub(super) fn check(caller: &Principal, drafts: &mut [Draft]) {
    let s = Events::get();
    let system = caller.caller == Caller::System;
    for draft in written(drafts) {
        // Left empty it is what a row without it would have been.
        if draft.new.get(s.status).is_null() {
            draft.new.set(s.status, "accepted");
        }
        if !system {
            current_type(draft);
        }
        result(draft);
    }
}

fn is(row: &Record, kind: &str) -> bool {
    row.get(Events::get().kind).text() == Some(kind)
}

/// Rows of the old types stay as they are.
fn current_type(draft: &mut Draft) {
    let old = |row: &Record| {
        let kinds = ["exteriorScore", "calving", "insemination", "milkTest", "vetTreatment"];
        kinds.iter().any(|kind| is(row, kind))
    };
    let unchanged = draft.old.as_ref() == Some(&draft.new);
    if !unchanged && (old(&draft.new) || draft.old.as_ref().is_some_and(old)) {
        let message = "Events of this type have a collection of their own; they are not written here.";
        draft.fault("type", "retired-type", message);
    }
}

/// Types whose result is a word of an enumeration.
fn result(draft: &mut Draft) {
    let s = Events::get();
    let words = match draft.new.get(s.kind).text() {
        Some("lactationStatus") => LACTATION_STATUS,
        Some("reproStatus") => REPRODUCTION_STATUS,
        Some("pregnancyCheck") => CHECK_RESULT,
        _ => return,
    };
    if !draft.changes(s.kind) && !draft.changes(s.result) {
        return;
    }
    // An observation without a result records that the animal was looked at.
    let result = draft.new.get(s.result).text();
    if result.is_some_and(|result| !words.split('|').any(|word| word == result)) {
        let message = said!("The result must be one of {list}.", list = words.replace('|', ", "));
        draft.fault("result", "not-an-option", message);
    }
}

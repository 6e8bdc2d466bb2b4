//! Who a test day is of: the owner of the animal, or a laboratory that the Association accredited and
//! that sent it by mandate. Only the latter makes a test day official; a farm states nothing of the
//! kind, and what it corrects is its own statement from then on (docs/derived.md, *Test days*).

use crate::collections::dictionaries::lookups::written;
use crate::collections::slots::slots;
use model::error::Issue;
use model::record::{Record, Value};
use model::registry::{Collection, Draft, Principal};

/// The accreditation of laboratories.
const LABORATORY: &str = "laboratory";

slots!(Tests of "milk-tests" { official, laboratory, source, number: "lactationNumber" });

/// Fills who a test day is of, and refuses what the caller may not say of it.
pub(super) fn fill_recorder(c: &Collection, caller: &Principal, drafts: &mut [Draft]) {
    if caller.sees_all() {
        return;
    }
    let s = Tests::get();
    let accredited = caller.activities.iter().any(|one| one == LABORATORY);
    let laboratory = caller.sender.filter(|_| accredited);
    let by_hand = if caller.sender.is_some() { "api" } else { "owner" };
    for draft in written(drafts) {
        if let Some(sender) = laboratory {
            draft.new.set(s.source, "lab");
            draft.new.set(s.laboratory, sender);
            draft.new.set(s.official, true);
            continue;
        }
        let of_laboratory = |row: &Record| row.get(s.source).text() == Some("lab") || row.get(s.official).truth();
        match &draft.old {
            Some(old) if of_laboratory(old) => {
                let measured = |slot: &usize| *slot != s.number && c.writable(*slot);
                if (0..c.width()).filter(measured).any(|slot| draft.changes(slot)) {
                    draft.new.set(s.official, false);
                    draft.new.set(s.laboratory, Value::Null);
                    if draft.new.get(s.source).text() == Some("lab") {
                        draft.new.set(s.source, by_hand);
                    }
                }
            }
            _ if draft.new.get(s.source).text() != Some("lab") => {}
            _ => {
                let message = "Laboratories send their test days themselves, by mandate.";
                let issue = Issue::error("source", "forbidden-field", message);
                draft.refused.push(issue);
            }
        }
    }
}

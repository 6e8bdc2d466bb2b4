//! Rows that say what accredited organisations sent by the exchange (docs/derived.md, *Evaluations*): their
//! resources make them, and only these change them.

use model::error::Issue;
use model::record::Record;
use model::registry::{Caller, Class, Collection, Decl, Draft, Principal, Verb, boolean, fields, relation};

/// Who sent a row, and whether by the exchange.
pub(super) fn sender_fields() -> Vec<Decl> {
    fields![
        relation("sentBy", "organizations").server()
            => "Accredited organisation that sent it; empty: the Association.",
        boolean("byExchange").server().class(Class::Hidden)
            => "The row says what resources of the exchange say.",
    ]
}

/// Refuses what would make such a row differ from the resources.
pub(super) fn refuse_changes(c: &Collection, caller: &Principal, drafts: &mut [Draft]) {
    if caller.caller == Caller::System {
        return;
    }
    let flag = c.at("byExchange");
    let run = c.slot("run");
    for draft in drafts {
        // What a run computed is what its digest stands for.
        let of_run = |old: &Record| run.is_some_and(|slot| !old.get(slot).is_null());
        if draft.verb == Verb::Update && draft.old.as_ref().is_some_and(of_run) {
            let message = "A run of the evaluation computed this row; it can be deleted.";
            draft.refused.push(Issue::error("id", "of-run", message));
        }
        if draft.old.as_ref().is_some_and(|old| old.get(flag).truth()) {
            let message = "Its sender corrects this row by the exchange.";
            draft.refused.push(Issue::error("id", "of-exchange", message));
        }
    }
}

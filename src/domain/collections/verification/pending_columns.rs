//! Unrecognised columns of uploaded files: the Association decides what they mean
//! (docs/model/pending-columns.md).

use crate::collections::dictionaries::lookups::written;
use crate::collections::events::measures::JSON_BYTES;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::record::Value;
use model::registry::{
    Access, Collection, Move, Rule, Set, States, Verb, Who, group, instant, int, json, long_text,
    relation, relations, select, text, text_n,
};

/// The collection.
pub(crate) fn pending_columns() -> Collection {
    let access = Access::read(Rule::Assoc)
        .create(Rule::Admin)
        .update(Rule::Assoc)
        .delete(Rule::Admin);
    let fields = vec![
        relation("ownerOrg", "organizations")
            .server()
            .doc("Organisation whose file had it first.")
            .into(),
        text("title")
            .required()
            .doc("Header as it was written.")
            .into(),
        text("normalized")
            .required()
            .unique()
            .indexed()
            .doc("Normalised header, by which headers are compared; one row for all farms.")
            .into(),
        text_n("dataset", 20).doc("Data set of the file.").into(),
        select("status", "new|accepted|declined|duplicate")
            .default("new")
            .indexed()
            .doc("What the Association decided.")
            .into(),
        text_n("mapsTo", 60).doc("Field that it means.").into(),
        group(
            "decision",
            [
                long_text("comment").doc("Remark on the decision.").into(),
                relation("decidedBy", "users")
                    .server()
                    .doc("User who decided.")
                    .into(),
                instant("decidedAt").server().into(),
            ],
        ),
        int("seenTimes")
            .counted()
            .default(1)
            .doc("In how many files it was seen.")
            .into(),
        int("rowsWithValue")
            .counted()
            .doc("How many rows had a value in it.")
            .into(),
        instant("firstSeenAt").server().into(),
        instant("lastSeenAt").server().indexed().into(),
        json("samples")
            .bytes(JSON_BYTES)
            .doc("Some of the values.")
            .into(),
        relations("organizations", "organizations")
            .doc("Organisations whose files had it.")
            .into(),
    ];
    Collection::new("pending-columns", access, fields)
        .singular("Unrecognised Column")
        .states(steps())
        .hooks(Behaviour)
        .doc("Columns of uploaded files that are not recognised.")
}

fn steps() -> States {
    let decided = |to| {
        Move::new(&["new"], to)
            .by(Who::Association)
            .set("decision.decidedBy", Set::Me)
            .set("decision.decidedAt", Set::Now)
    };
    States::of("status")
        .with(decided("accepted").doc("Further uploads recognise the header."))
        .with(decided("declined"))
        .with(decided("duplicate"))
}

slots!(
    /// Slots of `pending-columns`.
    Slots of "pending-columns" { first: "firstSeenAt", last: "lastSeenAt" }
);

hooks!(Behaviour {
    check(context, drafts) {
        let (s, now) = (Slots::get(), context.now());
        for draft in written(drafts).filter(|d| d.verb == Verb::Create) {
            for slot in [s.first, s.last] {
                if draft.new.get(slot).is_null() {
                    draft.new.set(slot, Value::Time(now));
                }
            }
        }
        Ok(())
    }
});

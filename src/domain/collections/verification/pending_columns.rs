//! Unrecognised columns of uploaded files: the Association decides what they mean
//! (docs/model/pending-columns.md).

use crate::collections::dictionaries::lookups::written;
use crate::collections::events::measures::JSON_BYTES;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::record::Value;
use model::registry::{
    Access, Collection, Move, Rule, Set, States, Verb, Who, fields, group, instant, int, json,
    long_text, relation, relations, select, text, text_n,
};

/// The collection.
pub(crate) fn pending_columns() -> Collection {
    let access = Access::read(Rule::Assoc)
        .create(Rule::Admin)
        .update(Rule::Assoc)
        .delete(Rule::Admin);
    let fields = fields![
        relation("ownerOrg", "organizations").server() => "Organisation whose file had it first.",
        text("title").required() => "Header as it was written.",
        text("normalized").required().unique().indexed()
            => "Normalised header, by which headers are compared; one row for all farms.",
        text_n("dataset", 20) => "Data set of the file.",
        select("status", "new|accepted|declined|duplicate").default("new").indexed()
            => "What the Association decided.",
        text_n("mapsTo", 60) => "Field that it means.",
        group("decision", fields![
            long_text("comment") => "Remark on the decision.",
            relation("decidedBy", "users").server() => "User who decided.",
            instant("decidedAt").server(),
        ]),
        int("seenTimes").counted().default(1) => "In how many files it was seen.",
        int("rowsWithValue").counted() => "How many rows had a value in it.",
        instant("firstSeenAt").server(),
        instant("lastSeenAt").server().indexed(),
        json("samples").bytes(JSON_BYTES) => "Some of the values.",
        relations("organizations", "organizations") => "Organisations whose files had it.",
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

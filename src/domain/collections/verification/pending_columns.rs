//! Unrecognised columns of uploaded files: the Association decides what they mean.

use crate::collections::dictionaries::lookups::written;
use crate::collections::events::measures::JSON_BYTES;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::collections::verification::submissions::intake;
use crate::collections::verification::submissions::mapping::is_field;
use model::record::Value;
use model::registry::{
    Access, Assignee, Class, Collection, Move, Rule, Set, States, Verb, Who, Wording, fields,
    group, instant, int, json, long_text, relation, relations, select, text, text_n,
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
        text_n("dataset", 20).wording(Wording::Set) => "Data set of the file.",
        select("status", "new|accepted|declined|duplicate").default("new").indexed()
            => "What the Association decided.",
        text_n("mapsTo", 60).wording(Wording::PathInSet("dataset")) => "Field that it means.",
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
        relations("submissions", "data-submissions").server().class(Class::Hidden)
            => "Packages that are read again when it is decided.",
    ];
    Collection::new("pending-columns", access, fields)
        .singular("Unrecognised Column")
        .states(steps())
        .waits(Assignee::Association, "status", &["new"])
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
        .with(
            decided("accepted")
                .needs(&["mapsTo"])
                .doc("Further uploads recognise the header."),
        )
        .with(decided("declined"))
        .with(decided("duplicate"))
}

slots!(
    /// Slots of `pending-columns`.
    Slots of "pending-columns" {
        dataset: "dataset", status: "status", maps_to: "mapsTo", first: "firstSeenAt", last: "lastSeenAt",
        submissions: "submissions",
    }
);

hooks!(Behaviour {
    check(context, drafts) {
        let (s, now) = (Slots::get(), context.now());
        for draft in written(drafts) {
            if draft.verb == Verb::Create {
                for slot in [s.first, s.last] {
                    if draft.new.get(slot).is_null() {
                        draft.new.set(slot, Value::Time(now));
                    }
                }
            }
            let path = draft.new.get(s.maps_to).text().unwrap_or_default().to_owned();
            let accepted = draft.new.get(s.status).text() == Some("accepted");
            let set = draft.new.get(s.dataset).text().unwrap_or_default().to_owned();
            let registry = crate::collections::registry()?;
            let moved = draft.changes(s.status);
            // The move itself says so.
            let lacks = moved && path.trim().is_empty();
            if accepted && !lacks && (moved || draft.changes(s.maps_to))
                && !is_field(registry, Some(set.as_str()).filter(|set| !set.is_empty()), &path)
            {
                let message = "The set of the column has no such field.";
                draft.fault("mapsTo", "no-such-field", message);
            }
        }
        Ok(())
    }
    effects(context, changes) {
        let s = Slots::get();
        let decided = changes.iter().filter_map(|change| {
            let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
            (old.get(s.status) != new.get(s.status)).then_some(new)
        });
        let again = decided.flat_map(|row| row.get(s.submissions).ids().to_vec()).collect();
        intake::read_again(context, again).await
    }
});

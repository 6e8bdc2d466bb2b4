//! What unrecognised columns and values of uploaded files have in common: the Association decides what they mean.

use crate::collections::events::measures::JSON_BYTES;
use model::record::Value;
use model::registry::{
    Access, Assignee, Class, Collection, Decl, Draft, Hooks, Move, Rule, Set, States, Verb, Who, fields, group,
    instant, int, json, long_text, relation, relations, select,
};

/// A collection of them; `means` is the field that says what one means.
pub(super) fn pending(
    slug: &'static str,
    fields: Vec<Decl>,
    means: &'static [&'static str],
    accepted: &'static str,
    hooks: impl Hooks,
) -> Collection {
    let access = Access::read(Rule::Assoc).create(Rule::Admin).update(Rule::Assoc).delete(Rule::Admin);
    let mut all: Vec<Decl> = fields![
        relation("ownerOrg", "organizations").server() => "Organisation whose file had it first.",
    ];
    all.extend(fields);
    Collection::new(slug, access, all)
        .states(steps(means, accepted))
        .waits(Assignee::Association, "status", &["new"])
        .hooks(hooks)
}

fn steps(means: &'static [&'static str], accepted: &'static str) -> States {
    let decided = |to| {
        Move::new(&["new"], to)
            .by(Who::Association)
            .set("decision.decidedBy", Set::Me)
            .set("decision.decidedAt", Set::Now)
    };
    States::of("status")
        .with(decided("accepted").needs(means).doc(accepted))
        .with(decided("declined"))
        .with(decided("duplicate"))
}

/// The state of one.
pub(super) fn status() -> Decl {
    select("status", "new|accepted|declined|duplicate")
        .default("new")
        .indexed()
        .doc("What the Association decided.")
        .into()
}

/// The decision, and where it was seen.
pub(super) fn sightings(rows: &'static str, samples: &'static str) -> Vec<Decl> {
    fields![
        group("decision", fields![
            long_text("comment") => "Remark on the decision.",
            relation("decidedBy", "users").server() => "User who decided.",
            instant("decidedAt").server(),
        ]),
        int("seenTimes").counted().default(1) => "In how many files it was seen.",
        int("rowsWithValue").counted().doc(rows),
        instant("firstSeenAt").server(),
        instant("lastSeenAt").server().indexed(),
        json("samples").bytes(JSON_BYTES).doc(samples),
        relations("organizations", "organizations") => "Organisations whose files had it.",
        relations("submissions", "data-submissions").server().class(Class::Hidden)
            => "Packages that are read again when it is decided.",
    ]
}

/// A new one was seen now, where nothing else is stated.
pub(super) fn stamp(draft: &mut Draft, stamps: [usize; 2], now: i64) {
    for slot in stamps.into_iter().filter(|_| draft.verb == Verb::Create) {
        if draft.new.get(slot).is_null() {
            draft.new.set(slot, Value::Time(now));
        }
    }
}

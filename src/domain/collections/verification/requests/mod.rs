//! Requests of farms to the Association: to verify or register animals, to correct what
//! is locked, to join (docs/requests.md).

mod decide;
mod hooks;
mod preview;
mod proposed;

pub use preview::decision_preview;

use crate::collections::events::measures::JSON_BYTES;
use crate::collections::slots::slots;
use crate::collections::verification::comments::comments;
use crate::collections::verification::submissions::findings;
use model::registry::{
    Access, Allowance, Assignee, Capability, Collection, Decl, Feature, Move, News, Rule, Set, States, Verb, Who,
    Writer, fields, group, instant, int, json, long_text, moves, relation, relations, rows, select, text, text_n,
};

/// Animals of one request.
const ANIMALS_MAX: usize = 200;

pub(crate) fn verification_requests() -> Collection {
    let access = Access::read(Rule::Farm)
        .create(Rule::Own(Capability::Submit))
        .update(Rule::Assoc)
        .delete(Rule::Admin)
        .subjects(&["organization"])
        .allow(Allowance {
            verb: Verb::Update,
            who: "organization",
            only: &["status", "comments"],
            days: None,
            when: &[],
        });
    let mut fields = heading();
    fields.extend([review(), comments()]);
    Collection::new("verification-requests", access, fields)
        .stock("organization", "requestedBy")
        .sort("-requestedAt")
        .sought(&["number"])
        // A later request cancels an earlier one of the same animals.
        .serial("id")
        .states(steps())
        .assigned("review.assignee")
        .waits(Assignee::Association, "status", &["new", "checking"])
        .news(News {
            party: "organization",
            at: "review.decidedAt",
            happened: None,
            of: &[("status", &["approved", "rejected"])],
            filled: None,
            shows: &["purpose", "status", "review.approvedCount", "review.heldCount", "review.comment"],
        })
        .hooks(hooks::Behaviour)
        .feature(Feature::Requests)
        .doc("Requests of farms to the Association.")
}

fn steps() -> States {
    let farm = Who::Party(Capability::Submit, "organization");
    let decided = |to| {
        Move::new(&["checking"], to)
            .by(Who::Association)
            .unlike("requestedBy")
            .asks(&["review.comment"])
            .set("review.decidedBy", Set::Me)
            .set("review.decidedAt", Set::Now)
            .log("verification-decided")
            .says("The Association decides, by another user than the one who asked.")
    };
    moves![States::of("status");
        Move::begin("new").by(Who::Farm(Capability::Submit)).by(Who::Association).log("verification-requested")
            => "Animals without an open fix get trust level 1. Purpose registration: their registration becomes applied; membership: the membership of the farm becomes pending. Open requests of the same purpose whose animals are all among these are cancelled.",
        Move::new(&["new"], "checking").by(Who::Association).set("review.assignee", Set::MeIfEmpty)
            => "The checks run over its animals, and `proposed.before` is read again.",
        decided("approved")
            => "Animals with an open fix, with a finding of the review, or with another owner are [held back](requests.md#what-is-held-back). For the others, the purposes trust and certificate set trust level 3, registration registers the animals, and correction writes the proposed values. Purpose membership makes the farm a member.",
        decided("rejected").grave()
            => "Purposes trust and certificate: trust −1 unless verified before; registration: refused; membership: none. Animals that have another owner now keep their trust, and their application ends.",
        Move::new(&["new", "checking"], "cancelled").by(farm).grave().set("withdrawnAt", Set::Now)
            .says("The farm that asked cancels.")
            => "Applications without another open request, and pending membership, go back to none. The server cancels on resubmission.",
    ]
}

fn heading() -> Vec<Decl> {
    fields![
        text_n("number", 16).server().unique().indexed() => "Cyrillic В, year, number of the year: В-2026-001.",
        select("status", "new|checking|approved|rejected|cancelled").default("new").indexed()
            => "State of the request.",
        select("purpose", "trust|certificate|membership|registration|correction").default("trust")
            => "Purpose of the request; it decides what an approval does.",
        relation("organization", "organizations").required().session() => "Organisation that makes the request.",
        relation("requestedBy", "users").server() => "User who made the request.",
        instant("requestedAt").server().indexed(),
        relations("animals", "animals").first() => "Own animals, 200 at most; none for membership.",
        long_text("comment") => "Remark.",
        rows("proposed", [
            relation("animal", "animals").required().doc("One of the animals."),
            text("path").required().doc("Path of the field."),
            json("value").bytes(JSON_BYTES).doc("Proposed value."),
            json("before").bytes(JSON_BYTES).doc("What the book has, written by the server: when the request is made, when it is taken, and when it is approved."),
        ]) => "Values that a correction writes: of single fields, not of lists.",
        instant("withdrawnAt").server(),
        text("withdrawnFor").server() => "Number of the request that replaced it.",
    ]
}

fn review() -> Decl {
    group(
        "review",
        fields![
            relation("assignee", "users").among("role", "expert,admin").writer(Writer::Association)
                => "User of the Association who is responsible for it.",
            relation("decidedBy", "users").server() => "User who decided.",
            instant("decidedAt").server(),
            long_text("comment").writer(Writer::Association) => "Remark on the decision.",
            int("approvedCount").server() => "Animals that were approved.",
            int("heldCount").server() => "Animals that were held back.",
            rows("held", [
                relation("animal", "animals").required().doc("The animal."),
                text_n("code", 40).required().words(reasons()).doc(
                    "Why: the code of an open check that its farm reads, `review` (a finding of this review), `foreign-animal` (it has another owner now), or `withdrawn` (its registration was)."),
            ]).server() => "The animals that the approval held back, a row for each reason.",
            findings().writer(Writer::Association),
            rows("dismissed", [
                relation("animal", "animals").required().doc("The animal."),
                text("code").required().words(check_codes()).doc("Code of the check."),
                long_text("reason").required().doc("Why the finding does not hold."),
                relation("by", "users").doc("User who dismissed it."),
                instant("at").doc("When."),
            ]).writer(Writer::Association)
                => "Findings of the checks that do not hold. They are dismissed in `check-findings` with the same reason, and opened again when the row is taken out.",
        ],
    )
}

fn check_codes() -> impl Iterator<Item = &'static str> {
    checks::checks().map(|check| check.code)
}

/// Why an approval holds an animal back.
fn reasons() -> impl Iterator<Item = &'static str> {
    check_codes().chain(preview::REASONS)
}

slots!(Slots of "verification-requests" {
    number, status, purpose, organization, requested_by: "requestedBy", requested_at: "requestedAt", animals,
    proposed, approved: "review.approvedCount", held: "review.heldCount", findings: "review.findings",
    dismissed: "review.dismissed", held_rows: "review.held", decided_by: "review.decidedBy",
    decided_at: "review.decidedAt", comment: "review.comment", comments,
    assignee: "review.assignee",
});

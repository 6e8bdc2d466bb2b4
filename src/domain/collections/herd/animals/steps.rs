//! The state machines of animals (docs/states.md, *animals · state* and the next ones).

use crate::collections::herd::movements::buyers;
use model::registry::{Capability, Fits, FittingReason, Move, Set, States, Who, moves};

/// Days within which a farm takes an archived animal back.
const RESTORE_DAYS: i64 = 30;

/// Reasons and buyers of an animal that leaves.
pub(super) static FITS: Fits = Fits {
    kind: "state",
    reason: FittingReason {
        relation: "disposalReason",
        word: "state",
        words: &[("sold", "sold"), ("culled", "culled"), ("dead", "dead")],
    },
    receiver: buyers("disposalOrganization", &["sold"]),
    only: &[],
    unfit: &[],
};

/// Alive, sold, culled, dead: written through to the closing movement.
pub(super) fn state() -> States {
    let moved = |one: Move| {
        one.by(Who::Farm(Capability::Move))
            .by(Who::Association)
            .silent()
            .says("Recording a movement needs the right to move animals.")
    };
    let leave = |to| {
        moved(Move::new(&["alive"], to))
            .grave()
            .asks(&["disposalDate", "disposalReason"])
            .doc("Records the closing movement.")
    };
    let sold = leave("sold")
        .asks(&["disposalDate", "disposalReason", "disposalOrganization"])
        .apart(&[("disposalOrganization", "owner")]);
    States::of("state")
        .with(moved(Move::begin("sold")).doc("Records the closing movement."))
        .with(moved(Move::begin("culled")).doc("Records the closing movement."))
        .with(moved(Move::begin("dead")).doc("Records the closing movement."))
        .with(sold)
        .with(leave("culled"))
        .with(leave("dead"))
        .with(moved(Move::new(&["sold", "culled", "dead"], "alive")).doc(
            "Deletes the closing movement. Only the user who recorded it may do this, within 30 days, or an admin.",
        ))
}

/// Archived and restored.
pub(super) fn archived() -> States {
    let owner = Who::Farm(Capability::Data);
    let archive = |one: Move| {
        one.by(owner).by(Who::Association).set("archivedAt", Set::Now).set("archivedBy", Set::Me).log("animal-archived")
    };
    moves![States::of("archived");
        archive(Move::begin("true")),
        archive(Move::new(&["false"], "true")),
        Move::new(&["true"], "false").by_within(owner, RESTORE_DAYS, "archivedAt").by(Who::Association)
            .set("archivedAt", Set::Empty).set("archivedBy", Set::Empty).log("animal-restored")
            .says("After 30 days only the Association takes an animal back."),
    ]
}

/// How far the animal's data were confirmed; follows from what others decide.
pub(super) fn trust() -> States {
    let level = |from, to, doc| Move::new(from, to).by(Who::System).doc(doc);
    moves![States::of("trustLevel");
        level(&["0"], "1", "Submitted in a package or request without an open fix."),
        level(&["0", "1"], "2", "A genotype report that names its laboratory was issued."),
        level(&["2"], "1", "That report was revoked; the animal had been submitted."),
        level(&["2"], "0", "That report was revoked."),
        level(&["-1", "0", "1", "2"], "3", "A package was accepted, or a request approved."),
        level(&["0", "1", "2"], "-1", "The Association rejected a package or request."),
        level(&["-1"], "0", "The owner corrected the card."),
    ]
}

/// Registration in the herd book.
pub(super) fn registration() -> States {
    let decided = |from, to| Move::new(from, to).by(Who::Association).log("registration-decided");
    moves![States::of("registration.status");
        Move::new(&["none", "refused"], "applied").by(Who::System) => "A request of purpose registration was made.",
        Move::new(&["applied"], "none").by(Who::System) => "The request was cancelled, or the animal held back.",
        decided(&["applied"], "registered").set("registration.registeredAt", Set::Now)
            => "Gets a number: category, year, seven digits.",
        decided(&["applied"], "refused").grave(),
        decided(&["registered"], "withdrawn").grave(),
        decided(&["withdrawn"], "registered") => "Keeps its number.",
    ]
}

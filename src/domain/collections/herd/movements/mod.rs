//! Movements: sales, leases, transfers, imports, culls, deaths and absences (docs/model/movements.md), from
//! which the owner, herd and state of an animal follow.

mod course;
mod hooks;
mod ownership;
mod rules;
mod view;

pub(crate) use view::{Closing, last};

use crate::collections::dictionaries::codes::{DEATH_METHOD, DISPOSAL_METHOD};
use crate::collections::events::{Key, hidden_source, source};
use model::registry::{
    Access, Allowance, Capability, Class, Collection, Decl, Move, Rule, Set, States, Verb, Who,
    boolean, day, group, long_text, number, relation, select, text, text_n,
};

/// Kinds of movements.
const KINDS: &str = "sale|lease|transfer|import|cull|death|absence";

/// The collection.
pub(crate) fn movements() -> Collection {
    let mut fields = course();
    fields.extend(details());
    fields.extend(confirmation());
    fields.extend(source("ade", "adeExtra", Key::DataSet));
    fields.extend(arrival());
    Collection::new("movements", access(), fields)
        .animal("animal")
        .happens("date")
        .serial("animal")
        .index(&["animal", "date"])
        .unique(&["from", "ade.source", "ade.sourceId", "ade.dataset"])
        .unique(&["to", "adeTo.source", "adeTo.sourceId"])
        .hooks(hooks::Behaviour)
        .states(confirming())
        .states(releasing())
        .subject("movement", Some("animal"), &["from", "to"])
        .doc("Movements of animals between organisations and herds, and out of the book.")
}

fn access() -> Access {
    Access::read(Rule::Farm)
        .create(Rule::Own(Capability::Move))
        .update(Rule::Assoc)
        .delete(Rule::Admin)
        .subjects(&["from", "to"])
        .allow(Allowance {
            verb: Verb::Update,
            who: "from",
            only: &["confirmation", "released"],
            days: None,
            when: &[],
        })
        .allow(Allowance {
            verb: Verb::Update,
            who: "recordedBy",
            only: &["note"],
            days: None,
            when: &[],
        })
        .allow(Allowance {
            verb: Verb::Delete,
            who: "recordedBy",
            only: &[],
            days: Some(30),
            // A movement that both confirmed is deleted only with the consent of both: the giver
            // releases it.
            when: &[
                "confirmation=none",
                "confirmation=pending",
                "confirmation=refused",
                "released",
            ],
        })
}

fn course() -> Vec<Decl> {
    vec![
        relation("animal", "animals")
            .required()
            .cascade()
            .doc("The animal that moves.")
            .into(),
        day("date")
            .required()
            .indexed()
            .doc("Day of the movement.")
            .into(),
        select("kind", KINDS)
            .required()
            .indexed()
            .doc("What happened. An absence changes neither owner nor state; its receiver is the owner when the animal comes back.")
            .into(),
        relation("from", "organizations")
            .doc("Giver; the owner of the animal when left out.")
            .into(),
        relation("to", "organizations")
            .doc("Receiver; none for culls and deaths.")
            .into(),
        relation("fromHerd", "herds").doc("Herd it left.").into(),
        relation("toHerd", "herds")
            .doc("Herd of the receiver that it came to.")
            .into(),
        relation("reason", "disposal-reasons")
            .doc("Reason for leaving.")
            .into(),
        select("deathMethod", DEATH_METHOD)
            .doc("How the animal died; takes precedence over the method of the reason.")
            .into(),
        select("disposalMethod", DISPOSAL_METHOD)
            .doc("What became of the carcass.")
            .into(),
    ]
}

fn details() -> Vec<Decl> {
    vec![
        group(
            "consignment",
            vec![
                text_n("number", 40)
                    .doc("Number of the consignment note.")
                    .into(),
                text_n("vehicle", 40)
                    .doc("Registration of the vehicle.")
                    .into(),
                text("operator").doc("Haulier.").into(),
                text_n("declaration", 60)
                    .doc("Number of the veterinary or customs declaration.")
                    .into(),
            ],
        ),
        number("weight")
            .range(0.0, 5_000.0)
            .doc("Live weight at the movement, kg.")
            .into(),
        text("basis")
            .doc("Contract or act on which the movement is based.")
            .into(),
        long_text("note").doc("Remark.").into(),
    ]
}

/// A recorder who was not the giver waits for the confirmation of the giver (docs/states.md,
/// *movements · confirmation*).
fn confirming() -> States {
    let recorded = |to| {
        let one = Move::begin(to).by(Who::Farm(Capability::Move));
        one.by(Who::Association).log("movement-recorded")
    };
    let decided = |to, applied: bool| {
        Move::new(&["pending"], to)
            .by(Who::Party(Capability::Move, "from"))
            .by(Who::Association)
            .set("applied", Set::To(applied.into()))
            .set("confirmedBy", Set::Me)
            .log("movement-confirmed")
            .says("The seller confirms.")
    };
    States::of("confirmation")
        .begun_by_server()
        .with(recorded("none").doc(
            "Recorded by the giver or the Association, or the giver does not take part, or the \
             animal comes back to its owner; applies.",
        ))
        .with(recorded("pending").doc("Recorded by the receiver of a registered giver; waits."))
        .with(decided("confirmed", true).doc("The movement applies."))
        .with(decided("refused", false).doc("The movement never applies."))
}

/// A confirmed movement is deleted by its recorder only after the giver let it go.
fn releasing() -> States {
    let released = |from, to| {
        Move::new(from, to)
            .by(Who::Party(Capability::Move, "from"))
            .by(Who::Association)
            .says("The seller releases a confirmed movement.")
    };
    States::of("released")
        .begun_by_server()
        .with(
            released(&["false"], "true")
                .doc("The user who recorded it may delete it within 30 days."),
        )
        .with(released(&["true"], "false"))
}

/// The arrival that the receiver sent of the movement, beside the document of the giver, and whose
/// document came to a movement that others had recorded.
fn arrival() -> Vec<Decl> {
    let mut fields = hidden_source("adeTo", "adeToExtra");
    let joined = |name, doc: &'static str| boolean(name).server().class(Class::Hidden).doc(doc);
    fields.push(
        joined(
            "joinedFrom",
            "The document of the giver came to a movement that others had recorded.",
        )
        .into(),
    );
    fields.push(
        joined(
            "joinedTo",
            "The document of the receiver came to a movement that others had recorded.",
        )
        .into(),
    );
    fields
}

fn confirmation() -> Vec<Decl> {
    vec![
        boolean("applied")
            .server()
            .default(true)
            .doc("The movement took effect; only the latest applied one decides.")
            .into(),
        select("confirmation", "none|pending|confirmed|refused")
            .default("none")
            .doc("Whether the seller has to confirm what the buyer recorded.")
            .into(),
        relation("confirmedBy", "users")
            .server()
            .doc("User who confirmed or refused the movement.")
            .into(),
        boolean("released")
            .default(false)
            .doc("The giver agrees that the user who recorded the confirmed movement deletes it.")
            .into(),
        boolean("outside")
            .server()
            .class(Class::Hidden)
            .doc("The receiver did not take part in the book at that time, so the animal left the book.")
            .into(),
        relation("recordedBy", "users")
            .server()
            .doc("User who recorded the movement.")
            .into(),
    ]
}

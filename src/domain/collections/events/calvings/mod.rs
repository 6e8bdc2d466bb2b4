//! Calvings, abortions and dryings-off (docs/model/calvings.md).

mod hooks;
mod progeny;

use crate::collections::events::event;
use crate::collections::events::measures::{LIFE_DAYS, MOST_CALVES, MOST_CALVINGS};
use model::registry::{
    Collection, Decl, Field, boolean, day, int, long_text, number, relation, relations, rows,
    select, text_n,
};

/// The collection.
pub(crate) fn calvings() -> Collection {
    let mut fields = course();
    fields.extend(calves());
    fields.extend(gestation());
    let natural = &["animal", "date", "eventType"];
    event("calvings", natural, fields, hooks::Calving)
        .sort("number")
        .serial("animal")
        .index(&["animal", "number"])
        .doc("Calvings, abortions and dryings-off of cows.")
}

fn course() -> Vec<Decl> {
    vec![
        int("number")
            .filled()
            .range(1.0, MOST_CALVINGS)
            .doc("Parity: number of the calving; the next one when left out.")
            .into(),
        day("date").required().indexed().doc("Day of the event.").into(),
        select("eventType", "calving|abortion|dryOff")
            .default("calving")
            .indexed()
            .doc("What happened; empty counts as calving.")
            .into(),
        select(
            "result",
            "one|twins|triplets|multiple|multipleMixed|unknown",
        )
        .doc("How many calves.")
        .into(),
        int("milkingDays")
            .range(0.0, LIFE_DAYS)
            .doc("Days from calving to drying-off; computed when both dates are known.")
            .into(),
        day("dryOffDate")
            .doc("Day of the drying-off with this number; writing it creates, moves or removes that row.")
            .into(),
        select("ease", "easy|assisted|hard|veterinary|surgery")
            .doc("How hard the calving was.")
            .into(),
    ]
}

fn calves() -> Vec<Decl> {
    let count = |name, doc| -> Decl { int(name).range(0.0, MOST_CALVES).doc(doc).into() };
    vec![
        number("calfWeight")
            .range(0.0, 1_000.0)
            .doc("Mean weight of the calves at birth, kg.")
            .into(),
        count("liveHeifers", "Female calves alive."),
        count("liveBulls", "Male calves alive."),
        count("stillborn", "Calves not alive."),
        relations("calves", "animals")
            .doc("Calves that are in the book.")
            .into(),
        progeny().into(),
    ]
}

fn progeny() -> Field {
    rows(
        "progeny",
        [
            select("sex", "female|male|unknown")
                .required()
                .doc("Sex of the calf."),
            select(
                "birthStatus",
                "alive|stillborn|aborted|diedBeforeTagging|diedAfterTagging|slaughtered|euthanised",
            )
            .default("alive")
            .doc("What became of the calf."),
            int("size")
                .range(1.0, 5.0)
                .doc("Size from 1, extra small, to 5, extra large."),
            number("weight")
                .range(0.0, 1_000.0)
                .doc("Weight at birth, kg."),
            text_n("tag", 20).doc("Ear tag of the calf."),
            text_n("name", 60).doc("Name of the calf."),
            relation("animal", "animals").doc("The calf in the book."),
        ],
    )
    .doc("The calves one by one; the counts, `calves` and the weight are computed from them.")
}

fn gestation() -> Vec<Decl> {
    vec![
        relation("insemination", "inseminations")
            .server()
            .doc("The insemination that led to it.")
            .into(),
        int("gestationDays")
            .server()
            .doc("Days since that insemination.")
            .into(),
        boolean("embryoTransfer")
            .server()
            .doc("That insemination was an embryo transfer.")
            .into(),
        long_text("comment").doc("Remark.").into(),
    ]
}

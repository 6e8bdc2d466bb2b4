//! Inseminations with the pregnancy check that belongs to them (docs/model/inseminations.md).

use crate::collections::dictionaries::SEXED;
use crate::collections::dictionaries::codes::PREGNANCY_METHOD;
use crate::collections::dictionaries::lookups::{named, written};
use crate::collections::evaluation::served;
use crate::collections::events::history::{
    Inseminations, Meanings, fill, fill_number, follow, of_service, parities,
};
use crate::collections::events::measures::{MOST_CALVES, MOST_CALVINGS};
use crate::collections::events::{EventKind, event, hidden_source};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    BookReader, Caller, Change, Collection, Decl, Draft, HookContext, boolean, day, group, int,
    long_text, number, relation, select, text, text_n,
};
use std::collections::BTreeMap;

/// The collection.
pub(crate) fn inseminations() -> Collection {
    let mut fields = service();
    fields.extend(material());
    fields.extend(outcome());
    fields.extend(hidden_source("checkAde", "checkAdeExtra"));
    let natural = &["animal", "date", "bull"];
    event("inseminations", natural, fields, Insemination)
        .index(&["animal", "lactationNumber"])
        .index(&["bull", "date"])
        .doc("Inseminations, natural services and embryo transfers.")
}

fn service() -> Vec<Decl> {
    vec![
        int("lactationNumber")
            .range(0.0, MOST_CALVINGS)
            .doc(
                "Number of the last calving before it, 0 for heifers; from calvings when left out.",
            )
            .into(),
        day("date")
            .required()
            .indexed()
            .doc("Day of the insemination.")
            .into(),
        day("endDate")
            .doc("Last day of a run with the bull.")
            .into(),
        relation("bull", "animals").doc("Sire in the book.").into(),
        text_n("bullText", 60)
            .doc("Sire that is not in the book.")
            .into(),
        relation("semenType", "semen-types")
            .doc("Kind of semen.")
            .into(),
        relation("method", "reproduction-methods")
            .doc("Way of insemination.")
            .into(),
        number("doses")
            .range(0.0, 1_000.0)
            .default(1.0)
            .doc("Doses used.")
            .into(),
        int("attemptNumber")
            .range(1.0, 1_000.0)
            .doc("Number of the attempt since the last calving.")
            .into(),
        relation("technician", "technicians")
            .doc("Person who inseminated.")
            .into(),
        boolean("farmStock")
            .doc("The semen came from the farm's own stock.")
            .into(),
    ]
}

fn material() -> Vec<Decl> {
    vec![
        group(
            "straw",
            [
                text_n("number", 40).doc("Number of the straw.").into(),
                text_n("batch", 40).doc("Batch of the semen.").into(),
                text("centre").doc("Collection centre.").into(),
                day("collectedOn").doc("Day of collection.").into(),
                select("sexed", SEXED)
                    .default("none")
                    .doc("Sex that the semen was sorted for.")
                    .into(),
                int("sexedPercent")
                    .range(0.0, 100.0)
                    .doc("Purity of the sorting, %.")
                    .into(),
            ],
        ),
        group(
            "embryo",
            [
                text_n("number", 40).doc("Number of the embryo.").into(),
                relation("donor", "animals").doc("Genetic mother.").into(),
                relation("sire", "animals").doc("Genetic father.").into(),
                text("centre").doc("Centre that collected it.").into(),
                day("collectedOn").doc("Day of collection.").into(),
            ],
        ),
    ]
}

fn outcome() -> Vec<Decl> {
    vec![
        relation("result", "insemination-results")
            .doc("Outcome by the latest pregnancy check.")
            .into(),
        day("pregnancyCheckDate")
            .indexed()
            .doc("Day of the latest pregnancy check.")
            .into(),
        select("pregnancyCheckMethod", PREGNANCY_METHOD)
            .doc("How pregnancy was checked.")
            .into(),
        int("foetusCount")
            .range(0.0, MOST_CALVES)
            .doc("Foetuses seen.")
            .into(),
        relation("check", "events")
            .server()
            .doc("Pregnancy check from which the four preceding fields are computed; empty when they were entered here.")
            .into(),
        day("expectedCalving")
            .server()
            .doc("Insemination + 279 days, embryo transfer + 272.")
            .into(),
        int("daysOpen")
            .server()
            .doc("Days from the last calving to this insemination.")
            .into(),
        select("source", "manual|import|api")
            .default("manual")
            .doc("How the row came into the book.")
            .into(),
        long_text("comment").doc("Remark.").into(),
    ]
}

#[derive(Debug)]
struct Insemination;

impl EventKind for Insemination {
    async fn check(
        &self,
        context: &mut dyn BookReader,
        drafts: &mut [Draft],
        _animals: &BTreeMap<i64, Record>,
    ) -> Result<()> {
        check(context, drafts).await
    }

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        served(context, changes).await?;
        follow(context, changes, Inseminations::get().animal).await
    }
}

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Inseminations::get();
    let calvings = parities(context, named(drafts, s.animal)).await?;
    let meanings = Meanings::load(context, drafts.iter().map(|d| &d.new)).await?;
    let system = context.caller().caller == Caller::System;
    for draft in written(drafts) {
        // A value that a caller enters no longer comes from the check.
        let checked = [s.result, s.checked, s.checked_by, s.foetuses];
        if !system && draft.old.is_some() && checked.iter().any(|slot| draft.changes(*slot)) {
            draft.new.set(s.check, Value::Null);
        }
        let id = draft.new.get(s.animal).int();
        let own = (id.and_then(|id| calvings.get(&id))).map_or(&[][..], Vec::as_slice);
        fill_number(draft, s.number, s.date, own, Some(0));
        let values = of_service(&draft.new, own, &meanings);
        fill(draft, values);
    }
    Ok(())
}

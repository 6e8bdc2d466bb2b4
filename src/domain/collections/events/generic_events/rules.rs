//! The rules of generic events: which types are written, what their results are, and that
//! a pregnancy check belongs to its insemination.

use super::Events;
use crate::collections::dictionaries::codes::{LACTATION_STATUS, REPRODUCTION_STATUS};
use crate::collections::dictionaries::lookups::written;
use crate::collections::events::history::{Inseminations, parities, services_of};
use crate::derive::day_of;
use crate::derive::lactation::{CalvingEvent, CalvingRow};
use model::error::{Issue, Result};
use model::record::Record;
use model::registry::{BookReader, Caller, Draft, ID};
use std::collections::BTreeMap;

/// `adeResult` of insemination results.
const CHECK_RESULT: &str = "pregnant|multiple|empty|unknown";

pub(super) async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Events::get();
    let system = context.caller().caller == Caller::System;
    for draft in written(drafts) {
        // Left empty it is what a row without it would have been.
        if draft.new.get(s.status).is_null() {
            draft.new.set(s.status, "accepted");
        }
        if !system {
            current_type(draft);
        }
        result(draft);
    }
    carried(context, drafts).await
}

fn is(row: &Record, kind: &str) -> bool {
    row.get(Events::get().kind).text() == Some(kind)
}

/// Rows of the old types stay as they are.
fn current_type(draft: &mut Draft) {
    let old = |row: &Record| {
        let kinds = [
            "exteriorScore",
            "calving",
            "insemination",
            "milkTest",
            "vetTreatment",
        ];
        kinds.iter().any(|kind| is(row, kind))
    };
    let unchanged = draft.old.as_ref() == Some(&draft.new);
    if !unchanged && (old(&draft.new) || draft.old.as_ref().is_some_and(old)) {
        let message =
            "Events of this type have a collection of their own; they are not written here.";
        draft
            .issues
            .push(Issue::error("type", "retired-type", message));
    }
}

/// Types whose result is a word of an enumeration.
fn result(draft: &mut Draft) {
    let s = Events::get();
    let words = match draft.new.get(s.kind).text() {
        Some("lactationStatus") => LACTATION_STATUS,
        Some("reproStatus") => REPRODUCTION_STATUS,
        Some("pregnancyCheck") => CHECK_RESULT,
        _ => return,
    };
    if !draft.changes(s.kind) && !draft.changes(s.result) {
        return;
    }
    let told = draft.new.get(s.result).text();
    if told.is_none_or(|told| !words.split('|').any(|word| word == told)) {
        let message = format!("The result must be one of {}.", words.replace('|', ", "));
        draft
            .issues
            .push(Issue::error("result", "not-an-option", message));
    }
}

/// A pregnancy check is a part of its insemination; only one without stands here.
async fn carried(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Events::get();
    let asks = |d: &Draft| {
        is(&d.new, "pregnancyCheck")
            && [s.kind, s.date, s.animal]
                .iter()
                .any(|slot| d.changes(*slot))
    };
    let animals: Vec<i64> = written(drafts)
        .filter(|d| asks(d))
        .filter_map(|d| d.new.get(s.animal).int())
        .collect();
    if animals.is_empty() {
        return Ok(());
    }
    let services = services_of(context, animals.iter().copied()).await?;
    let calvings = parities(context, animals).await?;
    for draft in written(drafts).filter(|d| asks(d)) {
        let Some(animal) = draft.new.get(s.animal).int() else {
            continue;
        };
        let Some(date) = draft.new.get(s.date).time() else {
            continue;
        };
        let ended = ended(&calvings, animal, date);
        let at = |row: &Record| row.get(Inseminations::get().date).time().map(day_of);
        let carrier = (services.get(&animal).into_iter().flatten())
            .filter(|row| at(row) <= Some(day_of(date)) && at(row) > ended)
            .max_by_key(|row| at(row));
        if let Some(id) = carrier.and_then(|row| row.get(ID).int()) {
            let message = format!("The check belongs to insemination {id}.");
            draft
                .issues
                .push(Issue::error("type", "carried-by-insemination", message));
        }
    }
    Ok(())
}

/// Day of the last calving or abortion before a day: what was served before it is over.
fn ended(calvings: &BTreeMap<i64, Vec<CalvingRow>>, animal: i64, date: i64) -> Option<i64> {
    (calvings.get(&animal).into_iter().flatten())
        .filter(|row| row.event != CalvingEvent::DryOff && day_of(row.date) <= day_of(date))
        .map(|row| day_of(row.date))
        .max()
}

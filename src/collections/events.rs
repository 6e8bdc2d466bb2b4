//! What all events share (model, section 3.2): the base fields, and the rules that hold
//! for every kind. Knows no single kind of event.

use super::animals::{Animal, Slots};
use super::lookups::{by_id, named, written};
use crate::derive::day_of;
use crate::error::{Issue, Result};
use crate::record::Record;
use crate::registry::{
    Access, Caller, Capability, Class, Collection, Decl, Desk, Draft, Principal, Rule, Scope, Verb,
    group, json, relation, select, text,
};
use std::collections::BTreeMap;

/// Verification of an event (model, section 4).
const VERIFICATION: &str = "unverified|pending|verified|rejected";

/// Declares an event collection: base fields, rules, indexes and the key of the sender.
pub(super) fn event(slug: &'static str, natural: &[&'static str], own: Vec<Decl>) -> Collection {
    let mut fields: Vec<Decl> = vec![
        relation("animal", "animals")
            .required()
            .cascade()
            .doc("The animal that the event is about.")
            .into(),
        owner_org(),
    ];
    fields.extend(own);
    fields.extend(verification());
    fields.extend(source("ade", "adeExtra"));
    Collection::new(slug, rules(), fields)
        .animal("animal")
        .natural(natural)
        .index(&["animal", "date"])
        .index(&["ownerOrg", "date"])
        .unique(&["ownerOrg", "ade.source", "ade.sourceId"])
}

fn rules() -> Access {
    Access::read(Rule::Event {
        scope: Scope::Production,
        card: true,
    })
    .write(Rule::Own(Capability::Data))
    .subjects(&["ownerOrg"])
    .write_subjects(&["animal.owner"])
}

fn owner_org() -> Decl {
    relation("ownerOrg", "organizations")
        .server()
        .session()
        .doc("Owner of the animal when the row was made; kept when the animal is sold.")
        .into()
}

fn verification() -> Vec<Decl> {
    vec![
        select("verification", VERIFICATION)
            .server()
            .default("unverified")
            .indexed()
            .doc("Whether the Association confirmed the row; a correction by the owner undoes it.")
            .into(),
        select("checkStatus", "ok|note|fix")
            .server()
            .class(Class::Private)
            .doc("Gravest open finding of the automatic checks.")
            .into(),
    ]
}

/// The sender's pair of an exchanged row, and the members that no field holds.
pub(super) fn source(name: &str, extra: &str) -> Vec<Decl> {
    vec![
        group(
            name,
            [
                text("source")
                    .server()
                    .class(Class::Private)
                    .doc("System that sent the row by the exchange.")
                    .into(),
                text("sourceId")
                    .server()
                    .class(Class::Private)
                    .doc("Key of the row in the system that sent it.")
                    .into(),
            ],
        ),
        json(extra)
            .server()
            .class(Class::Hidden)
            .doc("Members of the exchanged document that no field holds; they are sent back.")
            .into(),
    ]
}

/// The same pair, hidden: for a second document that lives in the same row.
pub(super) fn hidden_source(name: &str, extra: &str) -> Vec<Decl> {
    vec![
        group(
            name,
            [
                text("source")
                    .server()
                    .class(Class::Hidden)
                    .doc("System that sent the second document of the row.")
                    .into(),
                text("sourceId")
                    .server()
                    .class(Class::Hidden)
                    .doc("Key of the second document in the system that sent it.")
                    .into(),
            ],
        ),
        json(extra)
            .server()
            .class(Class::Hidden)
            .doc("Members of the second document that no field holds.")
            .into(),
    ]
}

/// Where the shared fields of an event collection are.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventSlots {
    /// `animal`
    pub(super) animal: usize,
    /// `date`
    pub(super) date: usize,
    owner_org: usize,
    verification: usize,
}

impl EventSlots {
    /// Those of a collection made by [`event`].
    pub(super) fn of(collection: &Collection) -> Self {
        Self {
            animal: collection.at("animal"),
            date: collection.at("date"),
            owner_org: collection.at("ownerOrg"),
            verification: collection.at("verification"),
        }
    }
}

/// What rules on events need of the animals.
pub(super) const SUBJECT: &[&str] = &["owner", "herd", "sex", "birthDate"];

/// The animals that the drafts are about.
pub(super) async fn subjects(
    desk: &mut dyn Desk,
    drafts: &[Draft],
    animal: usize,
) -> Result<BTreeMap<i64, Record>> {
    by_id(desk, "animals", named(drafts, animal), SUBJECT).await
}

/// Stamps new rows with the present owner of the animal.
pub(super) async fn stamp(
    collection: &Collection,
    desk: &mut dyn Desk,
    drafts: &mut [Draft],
) -> Result<()> {
    let s = EventSlots::of(collection);
    let new = |d: &Draft| d.verb == Verb::Create;
    if !drafts.iter().any(new) {
        return Ok(());
    }
    let animals = subjects(desk, drafts, s.animal).await?;
    // The system may bring the owner of former days along.
    let system = desk.caller().caller == Caller::System;
    let given = |d: &Draft| system && !d.new.get(s.owner_org).is_null();
    for draft in drafts.iter_mut().filter(|d| new(d) && !given(d)) {
        let animal = draft.new.get(s.animal).int();
        if let Some(animal) = animal.and_then(|id| animals.get(&id)) {
            let owner = Animal(animal).link(Slots::get().owner);
            draft.new.set(s.owner_org, owner);
        }
    }
    Ok(())
}

/// The rules of all events: not in the future, not before birth, milk, calvings and
/// services of females only, and what becomes of a verified row.
pub(super) fn check(
    collection: &Collection,
    caller: &Principal,
    now: i64,
    drafts: &mut [Draft],
    animals: &BTreeMap<i64, Record>,
    females_only: bool,
) {
    let s = EventSlots::of(collection);
    for draft in drafts.iter_mut() {
        signature(collection, caller, draft, s.verification);
    }
    for draft in written(drafts) {
        let animal = draft
            .new
            .get(s.animal)
            .int()
            .and_then(|id| animals.get(&id));
        let fresh = draft.changes(s.animal) || draft.changes(s.date);
        let Some(animal) = animal.map(Animal).filter(|_| fresh) else {
            continue;
        };
        if let Some(date) = draft.new.get(s.date).time() {
            draft
                .issues
                .extend(dated("date", date, now, animal.birth()));
        }
        if females_only && !animal.female() {
            let message = format!("{} of a male animal.", collection.singular);
            draft
                .issues
                .push(Issue::error("animal", "event-vs-sex", message));
        }
    }
}

/// Faults of a day of an event: in the future, before birth. Both by UTC day.
pub(super) fn dated(path: &str, date: i64, now: i64, birth: Option<i64>) -> Option<Issue> {
    if day_of(date) > day_of(now) {
        let message = "The date lies in the future.";
        return Some(Issue::error(path, "event-in-future", message));
    }
    birth
        .filter(|birth| day_of(date) < day_of(*birth))
        .map(|_| {
            let message = "The date lies before the birth of the animal.";
            Issue::error(path, "event-before-birth", message)
        })
}

/// A verified row loses its signature when its owner corrects it; only the Association
/// deletes it (model, section 2.5). Intake acts for an organisation, so it counts as one.
fn signature(collection: &Collection, caller: &Principal, draft: &mut Draft, slot: usize) {
    let owner = caller.caller != Caller::Association && caller.organization.is_some();
    let verified = (draft.old.as_ref()).is_some_and(|o| o.get(slot).text() == Some("verified"));
    if !owner || !verified {
        return;
    }
    match draft.verb {
        Verb::Delete => {
            let message = "A verified row is deleted by the Association only.";
            draft.refused.push(Issue::error("id", "verified", message));
        }
        _ => {
            let corrected = (0..collection.width())
                .any(|slot| collection.writable(slot) && draft.changes(slot));
            if corrected {
                draft.new.set(slot, "unverified");
            }
        }
    }
}

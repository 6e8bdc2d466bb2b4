//! What all events share (docs/design/collections.md, *Events*): the base fields, and the rules
//! that hold for every kind. Knows no single kind of event.

pub(crate) mod calvings;
pub(crate) mod daily_milkings;
pub(crate) mod generic_events;
pub(crate) mod health_events;
pub(crate) mod history;
pub(crate) mod inseminations;
pub(crate) mod measures;
pub(crate) mod milk_tests;
pub(crate) mod milking_visits;
mod recorders;
pub(crate) mod refresh_pass;
mod sires;
pub(crate) mod weighings;

use crate::collections::days::{Clocks, Place, placed, put_drafts};
use crate::collections::dictionaries::lookups::{by_id, keyed, related, related_ids, written};
use crate::collections::herd::animals::{Animal, Slots, sexes};
use crate::derive::day_of;
use futures_util::future::BoxFuture;
use model::error::{Issue, Result};
use model::messages::day_value;
use model::record::Record;
use model::registry::{
    Access, BookReader, Caller, Capability, Change, Class, Collection, Decl, Draft, Field, HookContext, Hooks, Move,
    Principal, Rule, Scope, States, Verb, Who, boolean, fields, group, int, json, moves, relation, select, text,
    text_n,
};
use model::said;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![
        calvings::calvings(),
        inseminations::inseminations(),
        milk_tests::milk_tests(),
        weighings::weighings(),
        milking_visits::milking_visits(),
        daily_milkings::daily_milkings(),
        health_events::health_events(),
        generic_events::events(),
    ]
}

/// Verification of an event (docs/states.md, *calvings · verification*).
pub(super) const VERIFICATION: &str = "unverified|pending|verified|rejected";

/// What one kind of event adds to what all share.
pub(super) trait EventKind: fmt::Debug + Send + Sync + 'static {
    /// The field that says when it happened.
    const DATE: &'static str = "date";
    /// Whether an opened card opens the rows.
    const CARD: bool = true;
    /// What the sender's pair is a key of.
    const KEY: Key = Key::Row;

    /// Whether all such events are of females only.
    const OF_FEMALES: bool = true;

    /// Whether the event is one of females only.
    fn female(&self, _draft: &Draft) -> bool {
        Self::OF_FEMALES
    }

    /// Fills fields before access is decided; the owner is stamped already.
    fn prepare(&self, _context: &mut dyn BookReader, _drafts: &mut [Draft]) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// Further fields that are read of the animals that new rows name, together with those of [`SUBJECT`]: what
    /// follows from the rows will ask for them. None in a load, where that is computed later.
    fn foreseen(&self) -> &'static [&'static str] {
        &[]
    }

    /// Own rules and computed fields, after the rules of all events. `animals` are those
    /// that the drafts name, with the fields of [`SUBJECT`].
    fn check(
        &self,
        _context: &mut dyn BookReader,
        _drafts: &mut [Draft],
        _animals: &BTreeMap<i64, Record>,
    ) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// What follows from written rows.
    fn effects(&self, _context: &mut dyn HookContext, _changes: &[Change]) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }
}

/// What the pair of a sender is a key of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// One row of the collection.
    Row,
    /// One row for each of the data sets that share the collection: senders number each kind of
    /// record separately.
    DataSet,
    /// One row for each data set; a document may have several rows.
    Part,
}

/// The hooks of an event collection.
#[derive(Debug)]
struct Behaviour<K>(K);

impl<K: EventKind> Hooks for Behaviour<K> {
    fn prepare<'a>(
        &'a self,
        collection: &'static Collection,
        context: &'a mut dyn BookReader,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let foreseen = self.0.foreseen();
            let new = drafts.iter().any(|d| d.verb == Verb::Create);
            if new && !foreseen.is_empty() && !context.loads() {
                let fields = [SUBJECT, foreseen].concat();
                let animals = related_ids(drafts, collection.at("animal"));
                // They are known from here on.
                by_id(context, "animals", animals, &fields).await?;
            }
            stamp(collection, context, drafts).await?;
            let days = put_drafts(context, collection, drafts).await?;
            self.0.prepare(context, drafts).await?;
            days.put_back(drafts);
            Ok(())
        })
    }

    fn check<'a>(
        &'a self,
        collection: &'static Collection,
        context: &'a mut dyn BookReader,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let s = EventSlots::of(collection, K::DATE);
            let animals = subjects(context, drafts, s.animal).await?;
            let clocks = Clocks::of(context, animals.values().map(Place::of)).await?;
            let caller = context.caller().clone();
            let days = put_drafts(context, collection, drafts).await?;
            for draft in drafts.iter_mut() {
                signature(collection, &caller, draft, s.verification);
            }
            for draft in written(drafts) {
                let female = self.0.female(draft);
                fits(collection, &s, K::DATE, &clocks, draft, &animals, female);
            }
            sexes::check(collection, context, drafts).await?;
            self.0.check(context, drafts, &animals).await?;
            days.put_back(drafts);
            Ok(())
        })
    }

    fn effects<'a>(
        &'a self,
        _collection: &'static Collection,
        context: &'a mut dyn HookContext,
        changes: &'a [Change],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.0.effects(context, changes))
    }

    fn placed<'a>(
        &'a self,
        collection: &'static Collection,
        context: &'a mut dyn BookReader,
        rows: Vec<Record>,
    ) -> BoxFuture<'a, Result<Vec<Record>>> {
        Box::pin(placed(context, collection.slug, rows))
    }
}

/// Headings of the column with the animal, in all sets about animals.
pub(crate) const ANIMAL_HEADINGS: &str = "Инд.№|корова|животное|cow|animal id|индивидуальный номер|номер|\
    номер животного|идентификационный номер|идент номер|унж|унж уникальный номер животного|life number";

/// Headings of columns with another number of the animal, in all sets about animals: the field of
/// the number, or none where programs put several numbers there.
pub(crate) const ANIMAL_NUMBERS: [(Option<&str>, &str); 5] = [
    (Some("altIds.earTag"), "Бирка|ушная бирка|номер бирки|ушной номер|ear tag|tag no"),
    (Some("altIds.chipNumber"), "Чип|номер чипа|транспондер|электронная бирка|rfid|eid"),
    (
        Some("altIds.inventoryNumber"),
        "Технологический номер|инвентарный номер|инв номер|ninv|рабочий номер|номер коровы|herd number",
    ),
    (Some("fgias.unsm"), "УНСМ|номер маркирования"),
    (None, "VID|visual id"),
];

/// Headings of the column with the name of the animal, which is no key.
pub(crate) const ANIMAL_NAMES: &str = "Кличка|кличка животного|кличка коровы|имя|animal name|cow name";

/// Declares an event collection: base fields, rules, hooks, indexes and the key of the
/// sender.
pub(super) fn event<K: EventKind>(slug: &'static str, natural: &[&'static str], own: Vec<Decl>, kind: K) -> Collection {
    let animal = relation("animal", "animals").required().cascade().doc("The animal that the event is about.");
    let animal = if K::OF_FEMALES { animal.among("sex", "female") } else { animal };
    let mut fields: Vec<Decl> = vec![animal.into(), owner_org()];
    fields.extend(readers());
    fields.extend(own);
    fields.extend(verification());
    fields.extend(source("ade", "adeExtra", K::KEY));
    let mut key = vec!["ownerOrg", "ade.source", "ade.sourceId"];
    key.extend((K::KEY != Key::Row).then_some("ade.dataset"));
    key.extend((K::KEY == Key::Part).then_some("ade.part"));
    Collection::new(slug, rules(K::CARD), fields)
        .animal("animal")
        .happens(K::DATE)
        .revised(Class::Production)
        .natural(natural)
        .headings(&[("animal", ANIMAL_HEADINGS), (K::DATE, "дата|date")])
        .also_named("animal", &ANIMAL_NUMBERS)
        .unread(ANIMAL_NAMES)
        .hooks(Behaviour(kind))
        .states(verifying())
        .index(&["animal", K::DATE])
        .index(&["ownerOrg", K::DATE])
        .index(&["animalOwner", K::DATE])
        .unique(&key)
}

/// Who reads a row about an animal, repeated from it, so that lists read no animals (docs/design/access.md, *Readers
/// of events*).
pub(super) fn readers() -> Vec<Decl> {
    let hidden = |field: Field, of| field.through(of).class(Class::Hidden).memory();
    fields![
        hidden(relation("animalOwner", "organizations"), "animal.owner") => "Present owner of the animal.",
        hidden(boolean("animalVisible"), "animal.publicVisible") => "Whether the animal is open to everybody.",
        hidden(boolean("animalDetails"), "animal.publicDetails") => "Whether its card and events are.",
    ]
}

fn rules(card: bool) -> Access {
    Access::read(Rule::Event { scope: Scope::Production, card })
        .write(Rule::Own(Capability::Data))
        .subjects(&["ownerOrg"])
        .write_subjects(&["animal.owner"])
}

fn owner_org() -> Decl {
    relation("ownerOrg", "organizations")
        .server()
        .session()
        .doc("Owner of the animal when the row was created; a sale of the animal does not change it.")
        .into()
}

fn verification() -> Vec<Decl> {
    let mut fields = packaged();
    fields.push(
        select("checkStatus", "ok|note|fix")
            .server()
            .class(Class::Private)
            .memory()
            .doc("Gravest open finding of the checks that the owner of the animal reads; empty: not checked yet.")
            .into(),
    );
    fields
}

/// Whether the server filled the field before it.
pub(crate) fn computed(name: &str) -> Decl {
    let field = boolean(name).server().class(Class::Hidden).memory();
    field.doc("The server fills the field before it; empty: somebody stated the value.").into()
}

/// The package that a row came with, and whether it was confirmed.
pub(super) fn packaged() -> Vec<Decl> {
    fields![
        relation("submission", "data-submissions").server() => "The package that the row came with.",
        select("verification", VERIFICATION).server().default("unverified")
            => "Whether the Association confirmed the row; a correction by the owner undoes it.",
    ]
}

/// The verification of a row (docs/states.md, *calvings · verification*).
pub(super) fn verifying() -> States {
    let by_package = |from, to, doc| Move::new(from, to).by(Who::System).silent().doc(doc);
    let decided = |to| Move::new(&["pending"], to).by(Who::Association);
    moves![States::of("verification");
        by_package(&["unverified"], "pending", "Its package is being checked."),
        decided("verified") => "Decided with the package, or for this row alone.",
        decided("rejected").grave() => "Decided with the package, or for this row alone.",
        by_package(&["pending", "verified", "rejected"], "unverified", "The owner corrected the row, or its package was sent back."),
    ]
}

/// The sender's pair of an exchanged row, and the members that no field holds.
pub(super) fn source(name: &str, extra: &str, key: Key) -> Vec<Decl> {
    let mut pair: Vec<Decl> = fields![
        text("source").server().class(Class::Private) => "System that sent the row by the exchange.",
        text("sourceId").server().class(Class::Private) => "Key of the row in the system that sent it.",
    ];
    if key != Key::Row {
        let dataset = text_n("dataset", 40).server().class(Class::Hidden);
        pair.push(dataset.doc("Data set that the row was sent to.").into());
    }
    if key == Key::Part {
        let part = int("part").server().class(Class::Hidden);
        let part = part.doc("Number of the row within the document that it was sent with.");
        pair.push(part.into());
    }
    fields![
        group(name, pair),
        json(extra).server().class(Class::Hidden)
            => "Members of the exchanged document that no field holds; they are sent back.",
    ]
}

/// A hidden source pair for a second document that lives in the same row.
pub(super) fn hidden_source(name: &str, extra: &str) -> Vec<Decl> {
    fields![
        group(name, fields![
            text("source").server().class(Class::Hidden) => "System that sent the second document of the row.",
            text("sourceId").server().class(Class::Hidden)
                => "Key of the second document in the system that sent it.",
        ]),
        json(extra).server().class(Class::Hidden) => "Members of the second document that no field holds.",
    ]
}

/// Where the shared fields of an event collection are.
#[derive(Debug, Clone, Copy)]
struct EventSlots {
    animal: usize,
    date: usize,
    verification: usize,
}

impl EventSlots {
    /// The slots of a collection made by [`event`].
    fn of(collection: &Collection, date: &str) -> Self {
        Self { animal: collection.at("animal"), date: collection.at(date), verification: collection.at("verification") }
    }
}

/// What rules on events need of the animals.
pub(super) const SUBJECT: &[&str] = &["owner", "herd", "entry.owner", "sex", "birthDate"];

/// The animals that the drafts are about, with their days on the clocks of their places.
pub(super) async fn subjects(
    context: &mut dyn BookReader,
    drafts: &[Draft],
    animal: usize,
) -> Result<BTreeMap<i64, Record>> {
    let ids = related_ids(drafts, animal);
    let rows = related(context, "animals", "id", ids, SUBJECT).await?;
    Ok(keyed(placed(context, "animals", rows).await?))
}

/// Stamps new rows with the present owner of the animal.
pub(super) async fn stamp(collection: &Collection, context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let (animal, owner_org) = (collection.at("animal"), collection.at("ownerOrg"));
    let new = |d: &Draft| d.verb == Verb::Create;
    if !drafts.iter().any(new) {
        return Ok(());
    }
    let animals = subjects(context, drafts, animal).await?;
    // The system may bring the owner of former days along.
    let system = context.caller().caller == Caller::System;
    let given = |d: &Draft| system && !d.new.get(owner_org).is_null();
    for draft in drafts.iter_mut().filter(|d| new(d) && !given(d)) {
        let id_of_row = draft.new.get(animal).int();
        if let Some(animal) = id_of_row.and_then(|id| animals.get(&id)) {
            let owner = Animal(animal).link(Slots::get().owner);
            draft.new.set(owner_org, owner);
        }
    }
    Ok(())
}

/// The rules of all events: not in the future, not before birth, milk, calvings and
/// services of females only.
fn fits(
    collection: &Collection,
    s: &EventSlots,
    path: &str,
    clocks: &Clocks,
    draft: &mut Draft,
    animals: &BTreeMap<i64, Record>,
    female: bool,
) {
    let animal = draft.new.get(s.animal).int();
    let animal = animal.and_then(|id| animals.get(&id)).map(Animal);
    let fresh = draft.changes(s.animal) || draft.changes(s.date);
    let Some(animal) = animal.filter(|_| fresh) else {
        return;
    };
    if let Some(date) = draft.new.get(s.date).time() {
        let place = Place::of(animal.0);
        let now = clocks.now(place);
        draft.issues.extend(dated(path, date, now, animal.birth()));
    }
    if female && !animal.female() {
        let message = said!("{event} of a male animal.", event = collection.singular.as_str());
        draft.fault("animal", "event-vs-sex", message);
    }
}

/// Faults of a day of an event: in the future, before birth. All of them on the clock of one place.
pub(super) fn dated(path: &str, date: i64, now: i64, birth: Option<i64>) -> Option<Issue> {
    if day_of(date) > day_of(now) {
        let message = said!("The date {date} lies in the future.", date = day_value(date));
        return Some(Issue::error(path, "event-in-future", message));
    }
    birth.filter(|birth| day_of(date) < day_of(*birth)).map(|_| {
        let message = said!("The date {date} lies before the birth of the animal.", date = day_value(date));
        Issue::error(path, "event-before-birth", message)
    })
}

/// Animals with places where they were, if the days there may differ: what follows from their events is computed anew.
pub(super) async fn moved_away(context: &mut dyn HookContext, places: Vec<(i64, Place)>) -> Result<()> {
    let now = by_id(context, "animals", places.iter().map(|(id, _)| *id), &["owner", "herd"]).await?;
    let all = places.iter().map(|(_, place)| *place).chain(now.values().map(Place::of));
    let clocks = Clocks::of(context, all).await?;
    let differs = |(id, place): &&(i64, Place)| now.get(id).is_some_and(|row| !clocks.agree(*place, Place::of(row)));
    let ids = places.iter().filter(differs).map(|(id, _)| *id).collect();
    rezoned(context, &ids).await
}

/// Animals of one step of [`rezoned`].
const STEP: usize = 200;

/// Computes anew what follows from the days of the events of animals.
pub(super) async fn rezoned(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    let all: Vec<i64> = ids.iter().copied().collect();
    for piece in all.chunks(STEP) {
        let ids: BTreeSet<i64> = piece.iter().copied().collect();
        daily_milkings::recompute_all(context, &ids).await?;
        weighings::recompute(context, &ids).await?;
        history::recompute_all(context, &ids).await?;
    }
    Ok(())
}

/// A row loses its signature when its owner corrects it, and what is checked or rejected
/// is to be checked anew; only the Association deletes a verified one (docs/design/access.md,
/// *Writing*). Intake acts for an organisation, so it counts as one.
pub(super) fn signature(collection: &Collection, caller: &Principal, draft: &mut Draft, slot: usize) {
    let owner = caller.caller != Caller::Association && caller.organization.is_some();
    let word = draft.old.as_ref().and_then(|o| o.get(slot).text());
    let verified = word == Some("verified");
    if !owner || matches!(word, None | Some("unverified")) {
        return;
    }
    match draft.verb {
        Verb::Delete if !verified => {}
        Verb::Delete => {
            let message = "A verified row is deleted by the Association only.";
            draft.refused.push(Issue::error("id", "verified", message));
        }
        _ => {
            let corrected = (0..collection.width()).any(|slot| collection.writable(slot) && draft.changes(slot));
            if corrected {
                draft.new.set(slot, "unverified");
            }
        }
    }
}

//! The passport of an animal: key, number, Latin name, international number, age group,
//! herd, birth (docs/design/derived.md, *Identification*).

use super::view::animal;
use super::view::{Animal, Slots};
use crate::collections::computed::is_left_out;
use crate::collections::days::{Clocks, Place, as_day};
use crate::collections::dictionaries::lookups::{by_id, related_ids, written};
use crate::collections::slots::slots;
use crate::derive::identify::{IdFormat, Passport, international_id, name_latin};
use crate::derive::{DAY_MS, day_of, instant_of};
use model::error::Result;
use model::messages::{Sentence, day_value};
use model::record::{Record, Value};
use model::registry::{BookReader, Draft, Verb};
use model::said;
use std::collections::BTreeMap;

slots!(Breeds of "breeds" { code: "whffCode" });
slots!(
    /// Slots of `herds` that animals read.
    Herds of "herds" { organization }
);

/// Age from which a calf counts as heifer or bull, days.
const GROWN: i64 = 365;

/// Gives a new animal its random key.
pub(super) fn key(draft: &mut Draft) {
    let slot = Slots::get().uuid;
    if draft.verb == Verb::Create && draft.new.get(slot).is_null() {
        draft.new.set(slot, uuid::Uuid::new_v4().to_string());
    }
}

pub(super) async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let ids = related_ids(drafts, s.herd);
    let herds = by_id(context, "herds", ids, &["organization"]).await?;
    let breeds = by_id(context, "breeds", breeds_of(drafts), &["whffCode"]).await?;
    let clocks = Clocks::of(context, drafts.iter().map(|d| Place::of(&d.new))).await?;
    for draft in written(drafts) {
        let now = clocks.now(Place::of(&draft.new));
        shape(draft);
        birth(draft, now);
        shares(draft);
        herd(draft, &herds);
        let latin = draft.new.get(s.name).text().map(name_latin);
        draft.new.set(s.name_latin, latin);
        international(draft, &breeds);
        age_group(draft, now);
    }
    Ok(())
}

fn breeds_of(drafts: &[Draft]) -> impl Iterator<Item = i64> {
    let slot = Slots::get().breed;
    (drafts.iter()).flat_map(move |d| {
        let old = d.old.as_ref().and_then(|o| o.get(slot).int());
        [d.new.get(slot).int(), old].into_iter().flatten()
    })
}

fn shape(draft: &mut Draft) {
    let s = Slots::get();
    if !draft.changes(s.ident) && !draft.changes(s.format) {
        return;
    }
    let format = draft.new.get(s.format).text().and_then(IdFormat::parse);
    let format = format.unwrap_or(IdFormat::Rf);
    if let Some(number) = draft.new.get(s.ident).text()
        && !format.matches(number)
    {
        let message = said!("Expected {format}.", format = Sentence::from(format.expected()));
        draft.fault("identNumber", "id-format", message);
    }
}

fn birth(draft: &mut Draft, now: i64) {
    let s = Slots::get();
    let birth = animal(draft).birth().filter(|_| draft.changes(s.birth));
    if let Some(birth) = birth.filter(|birth| *birth > now + DAY_MS) {
        let message = said!("The birth date {date} lies in the future.", date = day_value(birth));
        draft.fault("birthDate", "birth-in-future", message);
    }
}

fn shares(draft: &mut Draft) {
    let s = Slots::get();
    let share = |slot| draft.new.get(slot).num().unwrap_or(0.0);
    if share(s.share1) + share(s.share2) > 100.0 {
        let message = "The shares of the improving breeds exceed 100 %.";
        draft.fault("improvers.share2", "improver-sum", message);
    }
}

fn herd(draft: &mut Draft, herds: &BTreeMap<i64, Record>) {
    let s = Slots::get();
    if !draft.changes(s.herd) {
        return;
    }
    let herd = animal(draft).link(s.herd).and_then(|id| herds.get(&id));
    let keeper = herd.map(|h| h.get(Herds::get().organization).int());
    if keeper.is_some_and(|keeper| keeper != animal(draft).link(s.owner)) {
        let message = "The herd belongs to another organisation.";
        draft.fault("herd", "foreign-herd", message);
    }
}

/// Computed while no caller gave one: it is empty, or equals what the former passport yields.
fn international(draft: &mut Draft, breeds: &BTreeMap<i64, Record>) {
    let s = Slots::get();
    let present = draft.new.get(s.international).text();
    let former = draft.old.as_ref().and_then(|o| number(Animal(o), breeds));
    if present.is_none() || present == former.as_deref() {
        let number = number(animal(draft), breeds);
        draft.new.set(s.international, number);
    }
}

/// The international number that the passport makes; `breeds` have their `whffCode`.
pub(crate) fn number(animal: Animal<'_>, breeds: &BTreeMap<i64, Record>) -> Option<String> {
    let s = Slots::get();
    let text = |slot| animal.0.get(slot).text();
    let ident = text(s.ident)?;
    let breed = animal.link(s.breed).and_then(|id| breeds.get(&id));
    international_id(&Passport {
        whff_code: breed.and_then(|b| b.get(Breeds::get().code).text()),
        female: animal.female(),
        format: text(s.format).and_then(IdFormat::parse).unwrap_or(IdFormat::Rf),
        ident_number: ident,
        origin_country: text(s.origin_country),
        origin_number: text(s.origin_number),
    })
}

/// By sex and age where it is left out; what calvings make of it follows later.
fn age_group(draft: &mut Draft, now: i64) {
    let s = Slots::get();
    let mut left_out = is_left_out(draft, s.age_group, s.age_group_computed);
    // Who states the day means the group of that time.
    if draft.changes(s.age_group_date) && !draft.new.get(s.age_group_date).is_null() {
        draft.new.set(s.age_group_computed, Value::Null);
        left_out = false;
    }
    if draft.new.get(s.age_group).is_null() {
        let animal = animal(draft);
        let (group, since) = group_of_age(animal.female(), animal.birth(), now).unzip();
        draft.new.set(s.age_group, group);
        if left_out {
            draft.new.set(s.age_group_date, since.map(as_day));
        }
    }
}

/// The age group of an animal that never calved, and the day since which it holds; none where its birth is not known.
pub(crate) fn group_of_age(female: bool, birth: Option<i64>, now: i64) -> Option<(&'static str, i64)> {
    let birth = birth?;
    let grown = instant_of(day_of(birth) + GROWN);
    Some(match day_of(now) < day_of(grown) {
        true => ("calf", birth),
        false if female => ("heifer", grown),
        false => ("bull", grown),
    })
}

//! Index values of animals by profile. The service writes them; what
//! belongs to the animal is repeated here, so that ranking lists need no join.

use super::bases;
use super::built_in::{self, Profile};
use super::estimates::EvaluatedAnimal;
use super::profiles::KINDS;
use super::runs;
use crate::collections::FieldSet;
use crate::collections::dictionaries::lookups::touched;
use crate::collections::evaluation::readable;
use crate::collections::evaluation::views::{self, ASSOCIATION};
use crate::collections::herd::animals::STATES;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::derive::index::{self, BORROWED_VERSION, Index, Standing};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    Change, Class, Collection, Command, Decl, Feature, HookContext, ID, Lookup, Wording, boolean, fields, instant, int,
    json, number, relation, select, text, text_n,
};
use std::collections::{BTreeMap, BTreeSet};

/// The collection.
pub(super) const SLUG: &str = "index-values";

/// The collection.
pub(crate) fn index_values() -> Collection {
    let mut fields = value();
    fields.extend(through());
    // A farm's weights are its own: whoever reads its animals does not read what it makes of them.
    Collection::new(SLUG, readable().only_of("organization"), fields)
        .animal("animal")
        .unique(&["animal", "profileKey"])
        .index(&["profileKey", "value"])
        .index(&["profileKey", "birthYear", "value"])
        .hooks(Behaviour)
        .told_by(&["profileKey"])
        .feature(Feature::IndexValues)
        .columns(&["animal", "profileKey", "value", "reliability", "percentile", "rank", "cohort"])
        .doc("Values of the animals by selection indexes; computed by the service.")
}

fn value() -> Vec<Decl> {
    fields![
        relation("animal", "animals").required().cascade() => "The animal.",
        text_n("profileKey", 40).required().indexed().wording(Wording::WordsOr(built_in::keys().map(String::from).into(), "profileName"))
            => "Key of a built-in profile, or `own:` and the id of one of `index-profiles`.",
        text("profileName") => "Name of the profile.",
        relation("organization", "organizations").cascade()
            => "Organisation whose profile it is; empty for built-in profiles and those of the Association.",
        select("kind", KINDS) => "Kind of the profile.",
        json("weights").wording(Wording::Keys("index-profiles", "weights.trait")) => "Weights that were used, by trait.",
        text_n("baseVersion", 40).words([BORROWED_VERSION]) => "Base against which the value is expressed.",
        relation("evaluation", "animal-evaluations") => "Evaluation from which it was computed.",
        number("value").required().indexed() => "Value of the index, on the scale of the profile.",
        number("reliability") => "Reliability, %; empty when unknown.",
        int("percentile").memory() => "Share of the cohort that ranks below the animal and half of those that are equal, %, 0 to 99. Empty, as the cohort and the rank, while it is not computed and where the cohort has fewer than five animals.",
        int("cohort").memory() => "Number of animals in the cohort.",
        boolean("cohortSameYear").memory()
            => "Whether the cohort is the animals born in the same year; otherwise, where that year has fewer than 30, it is the whole book. Of a farm's profile it is among its own animals.",
        int("rank").memory() => "Place in the cohort, from 1 for the highest value.",
        int("used") => "Number of traits with a value.",
        instant("computedAt").server().indexed() => "When it was computed.",
    ]
}

fn through() -> Vec<Decl> {
    fields![
        relation("owner", "organizations").through("animal.owner") => "Owner of the animal.",
        boolean("publicVisible").through("animal.publicVisible") => "Whether the animal is open to everybody.",
        boolean("publicDetails").through("animal.publicDetails").class(Class::Hidden).memory()
            => "Whether its card and evaluation are.",
        boolean("archived").through("animal.archived") => "Whether the animal was archived.",
        select("state", STATES).through("animal.state") => "State of the animal.",
        int("birthYear").year_of("animal.birthDate") => "Year of birth of the animal.",
    ]
}

slots!(Values of "index-values" {
    animal, profile: "profileKey", name: "profileName", organization, kind, weights, base: "baseVersion", evaluation,
    value, reliability, used, percentile, cohort, same_year: "cohortSameYear", rank,
});

hooks!(Behaviour {
    effects(context, changes) {
        let s = Values::get();
        let is_association = |row: &Record| row.get(s.profile).text() == Some(ASSOCIATION);
        // Only this profile replaces an evaluation on the animal.
        let ours: Vec<Change> = (changes.iter())
            .filter(|c| c.old.iter().chain(&c.new).any(is_association))
            .cloned()
            .collect();
        views::evaluated(context, &touched(&ours, s.animal)).await
    }
});

/// What the row of a value says, beyond the animal, the key and the cohort.
fn content(
    profile: &Profile,
    version: &str,
    animal: &EvaluatedAnimal,
    index: Index,
) -> [(usize, &'static str, Value); 9] {
    let s = Values::get();
    [
        (s.name, "profileName", profile.name.as_str().into()),
        (s.organization, "organization", profile.organization.into()),
        (s.kind, "kind", profile.kind_word().into()),
        (s.weights, "weights", profile.weights_by_trait()),
        (s.base, "baseVersion", version.into()),
        (s.evaluation, "evaluation", animal.evaluation.into()),
        (s.value, "value", index.value.into()),
        (s.reliability, "reliability", index.reliability.into()),
        (s.used, "used", index.used.into()),
    ]
}

/// Where the value of a row stands; nothing where that is not known or not published.
pub(super) fn stands(standing: Option<(Standing, bool)>) -> [(usize, Value); 4] {
    let s = Values::get();
    let standing = standing.filter(|(standing, _)| standing.is_public());
    let number = |of: fn(Standing) -> i64| Value::from(standing.map(|(standing, _)| of(standing)));
    [
        (s.percentile, number(Standing::percentile)),
        (s.cohort, number(|standing| standing.all)),
        (s.same_year, Value::from(standing.map(|(_, same_year)| same_year))),
        (s.rank, number(Standing::rank)),
    ]
}

/// Values that differ from those before, and what follows from them.
#[derive(Debug, Default)]
pub(super) struct ValueChanges {
    /// The rows, without those that went.
    pub(super) rows: BTreeSet<i64>,
    /// Subjects of the runs that find out where the values stand, with their organisations.
    pub(super) subjects: BTreeMap<String, Option<i64>>,
}

impl ValueChanges {
    /// Notes the profile of a value.
    fn note(&mut self, key: &str, organization: Option<i64>) {
        self.subjects.insert(runs::ranking_subject(key).to_owned(), organization);
    }

    /// Notes the profile of a row.
    pub(super) fn note_row(&mut self, row: &Record) {
        let s = Values::get();
        self.note(row.get(s.profile).text().unwrap_or_default(), row.get(s.organization).int());
    }
}

/// The values that animals have, by all profiles or by one.
async fn stored(
    context: &mut dyn HookContext,
    ids: &BTreeSet<i64>,
    only: Option<&str>,
) -> Result<BTreeMap<(i64, String), Record>> {
    let s = Values::get();
    let lookup = Lookup::by_ids("animal", ids.iter().copied()).fields(Values::PATHS);
    let lookup = match only {
        Some(key) => lookup.is_in("profileKey", vec![key.into()]),
        None => lookup,
    };
    let rows = context.find(SLUG, lookup).await?.into_iter();
    let keyed = rows.filter_map(|row| {
        let key = (row.get(s.animal).int()?, row.get(s.profile).text()?.to_owned());
        Some((key, row))
    });
    Ok(keyed.collect())
}

/// Computes the values of animals by profiles, of which only what differs is written: a value by each profile that
/// applies to an animal with an evaluation in force, and no other one. Where `only` names a profile, values by others
/// stay as they are.
pub(super) async fn compute(
    context: &mut dyn HookContext,
    ids: &BTreeSet<i64>,
    animals: &BTreeMap<i64, EvaluatedAnimal>,
    profiles: &[Profile],
    only: Option<&str>,
) -> Result<ValueChanges> {
    let s = Values::get();
    let mut changes = ValueChanges::default();
    let mut left = stored(context, ids, only).await?;
    if left.is_empty() && animals.is_empty() {
        return Ok(changes);
    }
    let (version, base) = bases::active(context).await?;
    let (mut commands, mut standings, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let now = Value::Time(context.now());
    for (id, animal) in animals {
        for profile in profiles.iter().filter(|one| one.applies(animal.owner)) {
            let index = index::index(profile.kind, &profile.weights, &base, &animal.estimates);
            let Some(index) = index else {
                continue;
            };
            let row = left.remove(&(*id, profile.key.clone()));
            let content = content(profile, &version, animal, index);
            let same = |row: &Record| content.iter().all(|(slot, _, value)| row.get(*slot) == value);
            if row.as_ref().is_some_and(same) {
                continue;
            }
            let differs = row.as_ref().is_none_or(|row| row.get(s.value) != &Value::Num(index.value));
            if differs {
                changes.note(&profile.key, profile.organization);
                places.push(commands.len());
            }
            let mut fields: Vec<(String, Value)> =
                (content.into_iter()).map(|(_, path, value)| (path.to_owned(), value)).collect();
            fields.push(("computedAt".to_owned(), now.clone()));
            match row.and_then(|row| row.get(ID).int()) {
                Some(row_id) => {
                    if differs {
                        standings.push((row_id, stands(None).to_vec()));
                    }
                    commands.push(Command::Update(row_id, fields));
                }
                None => {
                    fields.push(("animal".to_owned(), (*id).into()));
                    fields.push(("profileKey".to_owned(), profile.key.as_str().into()));
                    commands.push(Command::Create(fields));
                }
            }
        }
    }
    for row in left.values() {
        commands.extend(row.get(ID).int().map(Command::Delete));
        changes.note_row(row);
    }
    if !commands.is_empty() {
        let ids = context.write(SLUG, commands).await?;
        changes.rows = places.iter().filter_map(|place| ids.get(*place).copied()).collect();
        context.amend(SLUG, standings).await?;
    }
    Ok(changes)
}

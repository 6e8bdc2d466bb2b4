//! Index values of animals by profile. The service writes them; what
//! belongs to the animal is repeated here, so that ranking lists need no join.

use super::profiles::KINDS;
use super::views::ASSOCIATION;
use super::{readable, views};
use crate::collections::dictionaries::lookups::touched;
use crate::collections::herd::animals::STATES;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::record::Record;
use model::registry::{
    Change, Collection, Decl, boolean, fields, instant, int, json, number, relation, select, text,
    text_n,
};

/// The collection.
pub(crate) fn index_values() -> Collection {
    let mut fields = value();
    fields.extend(through());
    Collection::new("index-values", readable(), fields)
        .animal("animal")
        .unique(&["animal", "profileKey"])
        .index(&["profileKey", "value"])
        .hooks(Behaviour)
        .doc("Values of the animals by selection indexes; computed by the service.")
}

fn value() -> Vec<Decl> {
    fields![
        relation("animal", "animals").required().cascade() => "The animal.",
        text_n("profileKey", 40).required().indexed()
            => "Key of a built-in profile, or `own:` and the id of one of `index-profiles`.",
        text("profileName") => "Name of the profile.",
        select("kind", KINDS) => "Kind of the profile.",
        json("weights") => "Weights that were used, by trait.",
        text_n("baseVersion", 40) => "Base against which the value is expressed.",
        relation("evaluation", "animal-evaluations") => "Evaluation from which it was computed.",
        number("value").required().indexed() => "Value of the index, on the scale of the profile.",
        number("reliability") => "Reliability, %; empty when unknown.",
        int("percentile") => "Share of the cohort that ranks below the animal, %.",
        int("cohort") => "Number of animals in the cohort.",
        boolean("cohortSameYear")
            => "Whether the cohort is the animals born in the same year; otherwise it is the whole book.",
        int("used") => "Number of traits with a value.",
        instant("computedAt").server().indexed() => "When it was computed.",
    ]
}

fn through() -> Vec<Decl> {
    fields![
        relation("owner", "organizations").through("animal.owner") => "Owner of the animal.",
        boolean("publicVisible").through("animal.publicVisible") => "Whether the animal is open to everybody.",
        boolean("archived").through("animal.archived") => "Whether the animal was archived.",
        select("state", STATES).through("animal.state") => "State of the animal.",
        int("birthYear").year_of("animal.birthDate") => "Year of birth of the animal.",
    ]
}

slots!(Values of "index-values" { animal, profile: "profileKey" });

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

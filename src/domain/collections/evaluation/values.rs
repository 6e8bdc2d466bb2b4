//! Index values of animals by profile (docs/model/index-values.md). The service writes them; what
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
    Change, Collection, Decl, boolean, instant, int, json, number, relation, select, text, text_n,
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
    vec![
        relation("animal", "animals")
            .required()
            .cascade()
            .doc("The animal.")
            .into(),
        text_n("profileKey", 40)
            .required()
            .indexed()
            .doc("Key of a built-in profile, or `own:` and the id of one of `index-profiles`.")
            .into(),
        text("profileName").doc("Name of the profile.").into(),
        select("kind", KINDS).doc("Kind of the profile.").into(),
        json("weights")
            .doc("Weights that were used, by trait.")
            .into(),
        text_n("baseVersion", 40)
            .doc("Base against which the value is expressed.")
            .into(),
        relation("evaluation", "animal-evaluations")
            .doc("Evaluation from which it was computed.")
            .into(),
        number("value")
            .required()
            .indexed()
            .doc("Value of the index, on the scale of the profile.")
            .into(),
        number("reliability")
            .doc("Reliability, %; empty when unknown.")
            .into(),
        int("percentile")
            .doc("Share of the cohort that ranks below the animal, %.")
            .into(),
        int("cohort")
            .doc("Number of animals in the cohort.")
            .into(),
        boolean("cohortSameYear")
            .doc("Whether the cohort is the animals born in the same year; otherwise it is the whole book.")
            .into(),
        int("used").doc("Number of traits with a value.").into(),
        instant("computedAt")
            .server()
            .indexed()
            .doc("When it was computed.")
            .into(),
    ]
}

fn through() -> Vec<Decl> {
    vec![
        relation("owner", "organizations")
            .through("animal.owner")
            .doc("Owner of the animal.")
            .into(),
        boolean("publicVisible")
            .through("animal.publicVisible")
            .doc("Whether the animal is open to everybody.")
            .into(),
        boolean("archived")
            .through("animal.archived")
            .doc("Whether the animal was archived.")
            .into(),
        select("state", STATES)
            .through("animal.state")
            .doc("State of the animal.")
            .into(),
        int("birthYear")
            .year_of("animal.birthDate")
            .doc("Year of birth of the animal.")
            .into(),
    ]
}

slots!(
    /// Slots of `index-values`.
    Values of "index-values" { animal: "animal", profile: "profileKey" }
);

hooks!(Behaviour {
    effects(context, changes) {
        let s = Values::get();
        let shown = |row: &Record| row.get(s.profile).text() == Some(ASSOCIATION);
        // Only this profile replaces an evaluation on the animal.
        let ours: Vec<Change> = (changes.iter())
            .filter(|c| c.old.iter().chain(&c.new).any(shown))
            .cloned()
            .collect();
        views::evaluated(context, &touched(&ours, s.animal)).await
    }
});

//! Evaluation of animals (docs/design/collections.md, *Evaluation*): breeding values, exterior,
//! grading, and the indexes made of them. What follows from them on the animals is in [`views`].

mod averages;
mod current;
mod current_mark;
mod evaluations;
mod exchange_rows;
mod exteriors;
mod gradings;
mod indexes;
pub(super) mod ranks;
mod runs;
mod services;
mod traits;
mod views;

use averages::lactation_averages;
pub use averages::{AVERAGES_JOB, queue_averages, store_averages_of_farm, store_averages_of_many};
pub(super) use evaluations::animal_evaluations;
pub(super) use exteriors::animal_exteriors;
pub(super) use gradings::{GRADES, gradings};
pub use indexes::{Goal, INDEX_JOB, IndexRun, give_index_run_up, index_step};
pub(super) use indexes::{follow as follow_indexes, follow_births, merge_profiles};
use indexes::{index_bases, index_profiles, index_runs, index_values};
pub(super) use runs::evaluation_runs;
pub use runs::{
    BreedingValues, EVALUATION_JOB, EvaluationResults, EvaluationRun, RELEASE_JOB, begin_evaluation, clear_step,
    fail_evaluation, finish_evaluation, give_release_up, note_step, release_step, store_breeding_values,
};
pub(super) use services::{count_services, recounted};
pub use traits::LINEAR;
pub(super) use traits::{COMPOSITES, TRAITS, composites, deviations, reliability, scores};
pub(super) use views::ASSOCIATION;

use crate::collections::Switches;
use crate::collections::days::{Clocks, Place};
use crate::collections::dictionaries::lookups::written;
use crate::collections::events::{self, dated};
use crate::collections::herd::animals::Animal;
use model::error::Result;
use model::registry::{Access, BookReader, Class, Collection, Decl, Draft, HookContext, Rule, Scope, fields, relation};
use std::collections::BTreeSet;

/// The declarations of this section, in the order of the book.
pub(crate) fn declared(switches: Switches) -> Vec<Collection> {
    vec![
        animal_evaluations(),
        animal_exteriors(),
        gradings(switches),
        index_profiles(),
        index_values(),
        index_bases(),
        evaluation_runs(),
        index_runs(),
        lactation_averages(),
    ]
}

/// Computes anew which rows of animals are in force, and what follows.
pub(super) async fn recompute(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    for place in [evaluations::place(), exteriors::place()] {
        current::follow(place, context, animals).await?;
    }
    Ok(())
}

/// Declares one of the three collections that evaluate an animal: base fields, index, and
/// who reads it. `date` names the day of the row.
fn evaluation(slug: &'static str, date: &'static str, write: Rule, own: Vec<Decl>) -> Collection {
    let mut fields: Vec<Decl> = fields![
        relation("animal", "animals").required().cascade() => "The animal that was evaluated.",
        relation("ownerOrg", "organizations").server().session()
            => "Owner of the animal when the row was created; a sale of the animal does not change it.",
    ];
    fields.extend(events::readers());
    fields.extend(own);
    fields.extend(events::packaged());
    let access = readable().write(write).subjects(&["ownerOrg"]).write_subjects(&["animal.owner"]);
    Collection::new(slug, access, fields)
        .animal("animal")
        .happens(date)
        .revised(Class::Evaluation)
        .states(events::verifying())
        .index(&["animal", date])
        .index(&["animalOwner", date])
}

/// R EVENT(evaluation)
fn readable() -> Access {
    Access::read(Rule::Event { scope: Scope::Evaluation, card: true })
}

/// Where the shared fields are.
#[derive(Debug, Clone, Copy)]
struct Base {
    animal: usize,
    date: usize,
    verification: usize,
    /// A row may be older than its animal: embryos are evaluated too.
    before_birth: bool,
}

/// What holds for all three: no day in the future, exteriors and gradings of living animals
/// only, and what becomes of a verified row (docs/design/access.md, *Writing*).
async fn check(collection: &Collection, context: &mut dyn BookReader, drafts: &mut [Draft], base: Base) -> Result<()> {
    let animals = events::subjects(context, drafts, base.animal).await?;
    let clocks = Clocks::of(context, animals.values().map(Place::of)).await?;
    let caller = context.caller().clone();
    for draft in drafts.iter_mut() {
        events::signature(collection, &caller, draft, base.verification);
    }
    let path = collection.fields.get(base.date).map(|f| f.path.as_str());
    for draft in written(drafts) {
        let fresh = draft.changes(base.animal) || draft.changes(base.date);
        let date = draft.new.get(base.date).time().filter(|_| fresh);
        let animal = draft.new.get(base.animal).int();
        let animal = animal.and_then(|id| animals.get(&id)).map(Animal);
        let birth = animal.and_then(Animal::birth).filter(|_| !base.before_birth);
        if let (Some(path), Some(date)) = (path, date) {
            let place = animal.map(|animal| Place::of(animal.0)).unwrap_or_default();
            let date = clocks.day(place, date);
            draft.issues.extend(dated(path, date, clocks.now(place), birth));
        }
    }
    Ok(())
}

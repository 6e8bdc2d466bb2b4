//! Animals, their events and what follows from them.

mod averages;
mod evaluation;
mod events;
mod gradings;
mod identifiers;
mod indexes;
mod kinship;
mod kinship_with;
mod mating_plans;
mod merging;
mod more_events;
mod movements;
pub(crate) mod states;
mod work_lists;

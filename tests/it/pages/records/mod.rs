//! Pages of records: lists, forms, actions, searches.

mod actions;
mod births;
mod card;
mod conditions;
mod deeds;
mod evaluation;
pub(crate) mod forms;
mod grid;
mod links;
mod lists;
mod mating;
mod means;
mod merging;
mod rows;
mod searches;

//! Pages of records: lists, forms, actions, searches.

mod actions;
mod card;
pub(crate) mod forms;
mod links;
mod lists;
mod means;
mod merging;
mod rows;
mod searches;

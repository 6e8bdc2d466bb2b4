//! The ADE face over HTTP, on each database.

mod animals_sent;
mod arrivals;
mod batch_cost;
mod batches;
mod births;
mod births_beside;
mod bulls;
mod catalogue;
mod corrections;
mod departures;
mod deployed;
mod discovery;
mod dry;
mod errors;
mod events;
mod examples;
mod examples_out;
mod feeds;
mod feeds_ahead;
mod feeds_narrowed;
mod feeds_of_sets;
mod feeds_waited;
mod feeds_whole;
mod filters;
mod forms;
mod full_sync_ends;
mod full_sync_model;
mod full_syncs;
mod full_syncs_late;
mod groups;
mod identifiers;
mod later;
mod mandates;
mod mandates_unseen;
mod ownership;
mod paging;
mod pregnancy_checks;
mod pushes;
mod raw_documents;
mod reading;
mod refusals;
mod rendered_again;
mod resends;
mod retention;
mod round_trip;
mod rules;
mod schemata;
mod senders;
mod sending;
mod sets;
mod sets_sent;
mod shadowed;
mod shown;
mod simulated;
mod sorting;
mod stage;
mod strict;
mod traces;
mod units;
mod unseen;
mod xml;

/// Documents by the schemas, as the tests of the crate `ade` make them.
#[path = "../../../ade/tests/it/support/generate.rs"]
#[expect(dead_code, reason = "bad documents are the business of that crate")]
mod generate;

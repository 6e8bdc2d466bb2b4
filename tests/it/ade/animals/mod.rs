//! Animals and sets of animals that partners send.

mod arrivals;
mod births;
mod births_limits;
mod bulls;
mod corrections;
mod departures;
mod groups;
mod identifiers;
mod sets;
mod sets_of_partners;

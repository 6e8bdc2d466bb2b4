//! Kinship and matings of the records of a collection ([`Feature::Mating`](model::registry::Feature::Mating);
//! docs/mating.md).
//!
//! | Route | What |
//! |---|---|
//! | `GET /api/<slug>/<id>/kinship?with=1,2` | how closely a record is related to others ([`kinship`]) |
//! | `POST /api/<slug>/mating-plan` | which bull each of some females is to be mated with ([`plan`]) |

mod answer;
pub(crate) mod kinship;
mod mates;
mod pedigrees;
pub(crate) mod plan;
mod planning;
mod recommendations;
mod request;
mod sheets;

pub(crate) use pedigrees::Pedigrees;
pub use pedigrees::read_pedigrees;

/// What a plan is called in its address, and its workbook.
pub(crate) const PLAN: &str = "mating-plan";
/// The most records whose kinship with one is computed in one request.
pub(crate) const WITH_MAX: usize = 500;
/// Records up to which common ancestors are named.
pub(crate) const NAMING_MAX: usize = 20;
/// Females of a plan at most.
pub(crate) const FEMALES_MAX: usize = 2_000;
/// Bulls of a plan at most.
pub(crate) const BULLS_MAX: usize = 200;
/// Pairs of a plan at most whose exclusions are answered as JSON, which is made in memory; a workbook has them row by row.
pub(crate) const EXCLUSIONS_MAX: usize = 50_000;
/// The greatest expected inbreeding of calves unless the plan says otherwise, %: that of the calf of first cousins.
pub(crate) const INBREEDING: f64 = 6.25;
/// Bulls that are named after the first.
pub(crate) const ALTERNATIVES: usize = 2;

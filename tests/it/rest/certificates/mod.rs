//! Certificates, cards and protocols on paper.

mod cards;
mod checks;
pub(crate) mod issue;
mod many;
mod printed;

//! Parents and births of animals, what tests say of descent, and what follows for inbreeding.

pub(crate) mod births;
pub(crate) mod family;
pub(crate) mod genetics;
pub(crate) mod kinship;
pub(crate) mod mates;
pub(crate) mod parent_numbers;
pub(crate) mod parentage;
pub(crate) mod parents;
pub(crate) mod sexes;

//! Files over REST: what is taken and what is not, names, smaller pictures, reading by ranges, the gallery of
//! animals, and what is left on the disk.

pub(crate) mod form;
mod gallery;
mod pictures;
mod ranges;
mod refusals;
mod sweeping;
mod taking;

//! Files over REST: accepted and refused uploads, names, smaller pictures, reading by ranges, the gallery of
//! animals, and leftover files on the disk.

pub(crate) mod form;
mod gallery;
mod pictures;
mod ranges;
mod refusals;
mod sweeping;
mod taking;

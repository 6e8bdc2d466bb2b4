//! The checks of animals, their events, herds and packages; those of production and reproduction have folders of their own.

pub(crate) mod cycles;
pub(crate) mod evaluation;
pub(crate) mod herd;
pub(crate) mod herd_test_days;
pub(crate) mod lifecycle;
pub(crate) mod package;
pub(crate) mod passport;
pub(crate) mod pedigree;
pub(crate) mod rfid;

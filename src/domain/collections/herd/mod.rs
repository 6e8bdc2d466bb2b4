//! Animals, their herds, and how they come and go.

pub(crate) mod animals;
pub(crate) mod herds;
pub(crate) mod movements;
pub(crate) mod saved_searches;
pub(crate) mod work;

use model::registry::Collection;

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![animals::animals(), herds::herds(), movements::movements(), saved_searches::saved_searches()]
}

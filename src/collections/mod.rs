//! The collections of the herd book: one file each, with its declaration, its typed view
//! and its behaviour. Sees the registry, records and pure calculations; knows neither SQL
//! nor any face.

mod access_grants;
mod animals;
mod calvings;
mod codes;
mod dictionaries;
mod events;
mod herds;
mod history;
mod inseminations;
mod lookups;
mod milk_tests;
mod movements;
mod organizations;
mod removals;
mod slots;
mod users;
mod weighings;

pub use organizations::placeholder;

pub use history::{Aging, age};

use crate::error::{Error, Issue, Result};
use crate::registry::Registry;
use std::sync::OnceLock;

static REGISTRY: OnceLock<std::result::Result<Registry, Vec<Issue>>> = OnceLock::new();

/// Declares everything and checks it.
///
/// # Errors
/// Every fault in the declarations, with collection and path.
pub fn build() -> std::result::Result<Registry, Vec<Issue>> {
    let mut all = vec![
        animals::animals(),
        herds::herds(),
        movements::movements(),
        calvings::calvings(),
        inseminations::inseminations(),
        milk_tests::milk_tests(),
        weighings::weighings(),
        users::users(),
        organizations::organizations(),
        access_grants::access_grants(),
        removals::animal_removals(),
    ];
    all.extend(dictionaries::dictionaries());
    all.push(removals::ade_tombstones());
    Registry::build(all)
}

/// The registry, built once.
///
/// # Errors
/// `Error::Invalid` with what [`build`] found; not to be seen in a released program,
/// since a test builds the same.
pub fn registry() -> Result<&'static Registry> {
    (REGISTRY.get_or_init(build).as_ref()).map_err(|issues| Error::Invalid(issues.clone()))
}

#[cfg(test)]
mod declared;
#[cfg(test)]
mod tests;

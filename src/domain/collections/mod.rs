//! The collections of the herd book: one file each, with its declaration, its typed view
//! and its behaviour. Sees the registry, records and pure calculations; knows neither SQL
//! nor any face.

mod access_grants;
mod access_requests;
mod animal_gallery;
mod animals;
mod api_keys;
mod assignments;
mod calvings;
pub mod check_facts;
mod check_settings;
mod clarifications;
mod codes;
mod daily_milkings;
mod datasets;
mod dictionaries;
mod documents;
mod evaluation;
mod events;
mod generic_events;
mod genotype_consents;
mod health_events;
mod herds;
mod history;
mod inseminations;
mod invitations;
mod logs;
mod lookups;
mod measures;
mod media;
mod milk_tests;
mod milking_visits;
mod movements;
mod organizations;
mod pending_columns;
mod pictures;
mod platform;
mod purging;
mod quotas;
mod removals;
mod requests;
mod saved_searches;
mod share_links;
mod sharing;
mod slots;
mod submissions;
mod taking_part;
mod trust;
mod users;
mod webhooks;
mod weighings;

pub use assignments::overdue;
pub use organizations::placeholder;

pub use history::{Aging, age};
pub use invitations::{Acceptance, accept};
pub use purging::purge;

use model::error::{Error, Issue, Result};
use model::registry::{Collection, Registry};
use std::sync::OnceLock;

/// A registry, or every fault in it.
type Built = std::result::Result<Registry, Vec<Issue>>;

/// What an installation decides about the rules (docs/design/registry.md, *Switches*). A switch
/// chooses between access declarations when the program starts; it never adds, drops or changes a
/// field, so tables, slots and documents are those of every installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Switches {
    /// `gradings.write`: gradings are written by the owner of the animal, instead of by
    /// uploads and the service only.
    pub gradings_write: bool,
}

/// Declares everything and checks it.
///
/// # Errors
/// Every fault in the declarations, with collection and path.
pub fn build(switches: Switches) -> Built {
    Registry::build(declared_all(switches))
}

/// All declarations under these switches, in the order of their sections
/// (docs/design/collections.md, *Collections*), not yet checked against each other.
pub fn declared_all(switches: Switches) -> Vec<Collection> {
    let herd = vec![
        animals::animals(),
        herds::herds(),
        movements::movements(),
        saved_searches::saved_searches(),
    ];
    let events = vec![
        calvings::calvings(),
        inseminations::inseminations(),
        milk_tests::milk_tests(),
        weighings::weighings(),
        milking_visits::milking_visits(),
        daily_milkings::daily_milkings(),
        health_events::health_events(),
        generic_events::events(),
    ];
    let evaluation = vec![
        evaluation::animal_evaluations(),
        evaluation::animal_exteriors(),
        evaluation::gradings(switches),
        evaluation::index_profiles(),
        evaluation::index_values(),
        evaluation::index_bases(),
    ];
    let verification = vec![
        submissions::data_submissions(),
        assignments::upload_assignments(),
        requests::verification_requests(),
        check_settings::check_settings(),
        check_settings::check_thresholds(),
        pending_columns::pending_columns(),
    ];
    let documents = vec![
        documents::documents(),
        media::media(),
        animal_gallery::animal_gallery(),
    ];
    let people = vec![
        users::users(),
        organizations::organizations(),
        invitations::invitations(),
    ];
    let access = vec![
        access_requests::access_requests(),
        access_grants::access_grants(),
        genotype_consents::genotype_consents(),
        share_links::share_links(),
    ];
    let logs = vec![
        logs::animal_revisions(),
        logs::operations(),
        logs::access_views(),
        removals::animal_removals(),
    ];
    // All but the first two are beyond the herd-book model (docs/design/collections.md,
    // *Platform*).
    let platform = vec![
        platform::bench_runs(),
        platform::check_runs(),
        webhooks::webhooks(),
        webhooks::webhook_deliveries(),
        quotas::quotas(),
        api_keys::api_keys(),
        clarifications::clarifications(),
    ];
    let exchange = vec![removals::ade_tombstones()];
    let sections = [
        ("Herd", herd),
        ("Events", events),
        ("Evaluation", evaluation),
        ("Verification", verification),
        ("Documents", documents),
        ("People", people),
        ("Access", access),
        ("Logs", logs),
        ("Dictionaries", dictionaries::dictionaries()),
        ("Platform", platform),
        ("Exchange", exchange),
    ];
    (sections.into_iter())
        .flat_map(|(name, all)| all.into_iter().map(|c| c.section(name)))
        .collect()
}

/// The registry with all switches off, which is enough for whoever needs the fields only.
///
/// # Errors
/// As [`registry_with`].
pub fn registry() -> Result<&'static Registry> {
    registry_with(Switches::default())
}

/// The registry of an installation, built once for each setting of the switches.
///
/// # Errors
/// `Error::Invalid` with what [`build`] found; not to be seen in a released program,
/// since a test builds the same.
pub fn registry_with(switches: Switches) -> Result<&'static Registry> {
    static CLOSED: OnceLock<Built> = OnceLock::new();
    static GRADINGS: OnceLock<Built> = OnceLock::new();
    let built = if switches.gradings_write {
        &GRADINGS
    } else {
        &CLOSED
    };
    (built.get_or_init(|| build(switches)).as_ref())
        .map_err(|issues| Error::Invalid(issues.clone()))
}

#[cfg(test)]
mod declared;
#[cfg(test)]
mod tests;

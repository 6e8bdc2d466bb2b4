//! The exchange store (docs/design/exchange.md, *Exchange*): documents rendered at write time,
//! their feed, and intake. It knows the mappings and the store, and nothing of HTTP.

mod address;
mod animal_sets;
mod attempts;
mod batches;
mod bodies;
mod change_rate;
mod dependents;
mod documents;
mod elements;
mod execution_order;
mod feed;
mod full_sync;
mod full_sync_end;
mod groups;
mod intake;
mod intake_stats;
mod issues;
mod keys;
mod last_states;
mod list;
mod logged;
mod members;
mod merged;
mod notices;
mod ownership_moves;
mod parts;
mod paths;
mod project;
mod raw_documents;
mod related;
mod reproject;
mod resolve;
mod resolve_rows;
mod retention;
mod retract;
mod several;
mod shadowed;
mod shared;
mod sires;
mod statistics;
mod token;

pub use address::{LOCATIONS, record_key};
pub use animal_sets::AnimalSet;
pub use batches::{Batch, Element, Order, Part, Stage};
pub use change_rate::{Behind, ChangeRate, Flawed, Read};
pub use feed::{Changes, Feed};
pub use full_sync::{FullSync, Scope, SyncStage};
pub use full_sync_end::{Affected, AffectedResource, Ending, SyncOutcome};
pub use intake::{Answer, Delivery, IntakeOptions, State};
pub use intake_stats::LastIntake;
pub use keys::{Number, Sought, Test};
pub use list::{Asked, Page, PageCursor, Turn};
pub use members::SetFeed;
pub use notices::{EVERYTHING, Head, Heard, set_name, set_number};
pub use retention::{Dropped, HORIZON};
pub use sires::{Herd, Sires};
pub use statistics::Period;
pub use token::{Chain, Cursor, FeedState, ResyncReason, Stale, mark};

use indexmap::IndexSet;
use mapping::{Mapping, Mappings};
use model::registry::{Collection, Registry};
use related::Fields;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::{Notify, OnceCell};

/// Dependants that one transaction renders.
const AT_ONCE: usize = 300;

/// The exchange side of a book. Cheap to clone.
#[derive(Clone)]
pub struct Exchange(Arc<Inner>);

struct Inner {
    registry: &'static Registry,
    mappings: Arc<Mappings>,
    fields: Fields,
    source: String,
    queue: Notify,
    /// Data sets with a mapping of which documents are still kept.
    leftovers: OnceCell<IndexSet<String>>,
    /// Told of batches that wait.
    batches: Notify,
    /// What became of documents that came in.
    tally: intake_stats::Tally,
    /// Dependants of one change that are rendered in its transaction; more of them wait
    /// in the queue, which is worked off in chunks of as many.
    at_once: usize,
}

impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Exchange({:x})", self.0.mappings.generation())
    }
}

impl Exchange {
    /// Over compiled mappings, which several may share.
    pub fn new(
        registry: &'static Registry,
        mappings: impl Into<Arc<Mappings>>,
        settings: &mapping::Settings,
    ) -> Self {
        let mappings = mappings.into();
        let mut fields = Fields::new();
        for hop in mappings.iter().flat_map(Mapping::relations) {
            let list = fields.entry(hop.collection.clone()).or_default();
            for field in &hop.fields {
                if !list.contains(field) {
                    list.push(field.clone());
                }
            }
        }
        Self(Arc::new(Inner {
            registry,
            mappings,
            fields,
            source: settings.source.clone(),
            queue: Notify::new(),
            leftovers: OnceCell::new(),
            batches: Notify::new(),
            tally: intake_stats::Tally::default(),
            at_once: AT_ONCE,
        }))
    }

    /// With another number of dependants that one transaction renders, at least one. Call
    /// it before the exchange is shared.
    #[must_use]
    pub fn at_once(mut self, dependants: usize) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.at_once = dependants.max(1);
        }
        self
    }

    /// All mappings.
    pub fn mappings(&self) -> &Mappings {
        &self.0.mappings
    }

    /// Scheme of location identifiers.
    pub fn location_scheme(&self) -> &str {
        self.0.mappings.location_scheme()
    }

    /// `meta.source` of what the book serves as its own.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Returns when dependants were queued; a worker then calls [`Exchange::work_off`].
    pub async fn queued(&self) {
        self.0.queue.notified().await;
    }

    fn wake(&self) {
        self.0.queue.notify_one();
    }

    fn fields(&self) -> &Fields {
        &self.0.fields
    }

    fn tally(&self) -> &intake_stats::Tally {
        &self.0.tally
    }

    fn registry(&self) -> &'static Registry {
        self.0.registry
    }

    /// The collection's slug as the registry holds it.
    fn slug(&self, mapping: &Mapping) -> &'static str {
        (self.0.registry.get(mapping.collection())).map_or("", |c| c.slug)
    }

    fn own_slots(&self, mapping: &Mapping, c: &Collection) -> BTreeSet<usize> {
        mapping
            .own_fields()
            .iter()
            .filter_map(|p| c.slot(p))
            .collect()
    }

    /// Hops that look back at rows of a collection, with the relation that they look by.
    fn reverse_hops<'a, 'c>(
        &self,
        mapping: &'a Mapping,
        slug: &'c str,
    ) -> impl Iterator<Item = (usize, &'a str)> + use<'a, 'c> {
        use mapping::Via;
        (mapping.relations().iter().enumerate()).filter_map(move |(at, hop)| match &hop.via {
            Via::Reverse(relation) if hop.collection == slug => Some((at, relation.as_str())),
            _ => None,
        })
    }
}

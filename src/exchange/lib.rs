//! The exchange store (docs/design/exchange.md, *Exchange*): documents rendered at write time,
//! their feed, and intake. It knows the mappings and the store, and nothing of HTTP.

mod batches;
mod documents;
mod feed;
mod full_sync;
mod intake;
mod lists;
mod projection;
mod tombstones;

pub use batches::batch::{Batch, Element, Order, Part, Stage};
pub use feed::animal_sets::AnimalSet;
pub use feed::change_rate::{Backlog, ChangeRate, Read, RefusedBatch};
pub use feed::members::SetFeed;
pub use feed::notices::{EVERYTHING, Head, Heard, set_name, set_number};
pub use feed::token::{Chain, Cursor, FeedState, ResyncReason, Stale, mark};
pub use feed::{Changes, Feed};
pub use full_sync::ending::{Affected, AffectedResource, Ending, SyncOutcome};
pub use full_sync::{FullSync, Scope, SyncStage};
pub use intake::delivery::{Answer, Delivery, IntakeOptions, State};
pub use intake::stats::LastIntake;
pub use lists::address::{LOCATIONS, record_key};
pub use lists::keys::{Number, Sought, Test};
pub use lists::list::{Asked, Page, PageCursor, Turn};
pub use lists::sires::{Herd, Sires};
pub use lists::statistics::Period;
pub use tombstones::retention::{Dropped, HORIZON};

use indexmap::IndexSet;
use mapping::{Mapping, Mappings};
use model::registry::{Collection, Registry};
use projection::related::Fields;
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
    /// Data sets with a mapping of which documents are still stored.
    leftovers: OnceCell<IndexSet<String>>,
    /// Notified of batches that wait.
    batches: Notify,
    /// The outcome of incoming documents.
    tally: intake::stats::Tally,
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
            tally: intake::stats::Tally::default(),
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

    fn tally(&self) -> &intake::stats::Tally {
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

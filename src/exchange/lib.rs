//! The exchange store (docs/design/exchange.md, *Exchange*): documents rendered at write time,
//! their feed, and intake. It knows the mappings and the store, and nothing of HTTP.

mod batches;
mod documents;
mod feed;
mod full_sync;
mod intake;
mod lists;
mod projection;
mod rules;
mod tombstones;

pub use batches::Batches;
pub use batches::batch::{Batch, BatchElement, BatchOrder, BatchPart, BatchStage};
pub use feed::animal_sets::AnimalSet;
pub use feed::change_rate::{Backlog, ChangeRate, ReadPosition, RefusedBatch};
pub use feed::members::SetFeed;
pub use feed::notices::{LastChange, NoticeScope, set_name, set_number};
pub use feed::token::{Chain, Cursor, FeedState, ResyncReason, Stale, mark};
pub use feed::{Changes, Feed, Feeds};
pub use full_sync::ending::{EndOptions, Ending};
pub use full_sync::outcome::{Affected, AffectedResource, SyncOutcome};
pub use full_sync::{FullSync, FullSyncs, Scope, SyncStage};
pub use intake::DocumentIntake;
pub use intake::delivery::{Answer, Delivery, IntakeOptions, State};
pub use intake::stats::LastIntake;
pub use lists::Lists;
pub use lists::address::{LOCATIONS, record_key};
pub use lists::keys::{AnimalNumbers, KeyFilter, KeyTest};
pub use lists::list::{ListQuery, Page, PageCursor, Turn};
pub use lists::sires::{SiresPage, SiresQuery};
pub use lists::statistics::Period;
pub use projection::projector::Projector;
pub use projection::reproject::whole;
pub use rules::{EVERYTHING, Rules};
pub use tombstones::retention::{DroppedCounts, HORIZON};

use mapping::Mappings;
use model::registry::Registry;
use projection::projector::AT_ONCE;
use std::sync::Arc;

/// The exchange side of a book: hands out its layers, of which each knows only those before
/// it (docs/design/exchange.md, *Layers*). Cheap to clone.
#[derive(Debug, Clone)]
pub struct Exchange(Arc<Layers>);

#[derive(Debug)]
struct Layers {
    rules: Arc<Rules>,
    projector: Projector,
    feeds: Feeds,
    lists: Lists,
    intake: DocumentIntake,
    batches: Batches,
    full_syncs: FullSyncs,
}

impl Exchange {
    /// Over compiled mappings, which several may share.
    pub fn new(
        registry: &'static Registry,
        mappings: impl Into<Arc<Mappings>>,
        settings: &mapping::Settings,
    ) -> Self {
        let rules = Rules::new(registry, mappings.into(), settings);
        Self::over(Arc::new(rules), AT_ONCE)
    }

    /// With another number of dependents that one transaction renders, at least one. Call
    /// it before the exchange is shared: it makes layers of its own.
    #[must_use]
    pub fn at_once(self, dependents: usize) -> Self {
        Self::over(Arc::clone(&self.0.rules), dependents.max(1))
    }

    fn over(rules: Arc<Rules>, at_once: usize) -> Self {
        let projector = Projector::new(Arc::clone(&rules), at_once);
        let intake = DocumentIntake::new(Arc::clone(&rules), projector.clone());
        Self(Arc::new(Layers {
            feeds: Feeds::new(Arc::clone(&rules)),
            lists: Lists::new(Arc::clone(&rules)),
            batches: Batches::new(Arc::clone(&rules), intake.clone()),
            full_syncs: FullSyncs::new(Arc::clone(&rules), intake.clone()),
            rules,
            projector,
            intake,
        }))
    }

    /// What is offered, and who sends it.
    pub fn rules(&self) -> &Rules {
        &self.0.rules
    }

    /// Renders documents when records change.
    pub fn projector(&self) -> &Projector {
        &self.0.projector
    }

    /// Reads changes in commit order.
    pub fn feeds(&self) -> &Feeds {
        &self.0.feeds
    }

    /// Reads resources by their addresses.
    pub fn lists(&self) -> &Lists {
        &self.0.lists
    }

    /// Takes documents in.
    pub fn intake(&self) -> &DocumentIntake {
        &self.0.intake
    }

    /// Batches as resources.
    pub fn batches(&self) -> &Batches {
        &self.0.batches
    }

    /// Full syncs as resources.
    pub fn full_syncs(&self) -> &FullSyncs {
        &self.0.full_syncs
    }
}

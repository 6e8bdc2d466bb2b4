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
pub use batches::batch::{BATCH_JOB, Batch, BatchElement, BatchOrder, BatchPart, BatchStage};
pub use batches::element::{PART, elements_of};
pub use batches::job::BatchJob;
pub use feed::animal_sets::AnimalSet;
pub use feed::change_rate::{Backlog, ChangeRate, ReadPosition, RefusedBatch};
pub use feed::members::SetFeed;
pub use feed::notices::{LastChange, NoticeScope, set_name, set_number};
pub use feed::token::{Chain, Cursor, FeedState, ResyncReason, Stale, mark};
pub use feed::{Changes, Feed, Feeds};
pub use full_sync::ending::{END_JOB, EndOptions, Ending};
pub use full_sync::job::EndJob;
pub use full_sync::outcome::{Affected, AffectedResource, SyncOutcome};
pub use full_sync::{FullSync, FullSyncs, Scope, SyncStage};
pub use intake::DocumentIntake;
pub use intake::delivery::{Delivery, DocumentAnswer, IntakeOptions, State};
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
use model::error::Result;
use model::registry::{Capability, Principal, Registry};
use ops::Book;
use projection::projector::AT_ONCE;
use std::sync::Arc;

/// Why work that was accepted goes on without its sender.
pub(crate) const FORBIDDEN: &str = "The sender has no longer the right to write here.";

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
    pub fn new(registry: &'static Registry, mappings: impl Into<Arc<Mappings>>, settings: &mapping::Settings) -> Self {
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
            batches: Batches { intake: intake.clone() },
            full_syncs: FullSyncs { intake: intake.clone() },
            rules,
            projector,
            intake,
        }))
    }

    /// The data sets that are offered, and their senders.
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

    pub fn intake(&self) -> &DocumentIntake {
        &self.0.intake
    }

    pub fn batches(&self) -> &Batches {
        &self.0.batches
    }

    pub fn full_syncs(&self) -> &FullSyncs {
        &self.0.full_syncs
    }

    /// Whether a caller may send by a mandate to a location: resources of a data set, or of any.
    pub fn is_mandated(&self, book: &Book, caller: &Principal, location: i64, dataset: Option<&str>) -> bool {
        let now = book.clock.now();
        match dataset {
            Some(set) => caller.may_send(location, set, now) && self.rules().is_delegated(set),
            None => caller.is_mandated(location, now),
        }
    }

    /// Whether a caller may send to a location: resources of a data set that it may send
    /// ([`Rules::is_sender`]), or of any.
    pub async fn is_destination(
        &self,
        book: &Book,
        caller: &Principal,
        location: i64,
        dataset: Option<&str>,
    ) -> Result<bool> {
        let mandated = self.is_mandated(book, caller, location, dataset);
        let own = !caller.sees_all() && caller.organization == Some(location);
        let accredited = dataset.is_some_and(|set| self.rules().is_accredited(caller, set));
        if mandated || own || !(caller.sees_all() || accredited) {
            return Ok(mandated || own);
        }
        let locations = [location];
        let existing = self.lists().known_locations(&book.store, &locations);
        Ok(!existing.await?.is_empty())
    }

    /// The sender of what was accepted, as it is now, and whether it may still write at these locations.
    async fn sender(
        &self,
        book: &Book,
        user: Option<i64>,
        locations: &[i64],
        dataset: Option<&str>,
    ) -> Result<(Arc<Principal>, bool)> {
        let caller = if let Some(user) = user { book.account(user).await? } else { Principal::anonymous() };
        let is_sender = dataset.is_none_or(|set| self.rules().is_sender(&caller, set));
        let mut may = caller.can(Capability::Data) && is_sender;
        for location in locations {
            may = may && (self.is_destination(book, &caller, *location, dataset)).await?;
        }
        Ok((Arc::new(caller), may))
    }
}

//! The operations on a book: find, create, update, delete, batch. Each resolves the caller's
//! rights, checks, writes and projects in one transaction. Operations know neither HTTP nor ADE:
//! faces call them, and the exchange store is connected by the trait [`Projection`].

#[cfg(test)]
#[macro_use]
extern crate test_attribute;

pub mod access;
pub mod ask;
mod callers;
mod columns;
mod document;
mod files;
mod find;
pub mod handling;
pub mod jobs;
mod quota;
mod requests;
#[cfg(test)]
pub(crate) mod tests;
mod write;

pub use access::permissions::Permissions;
pub use callers::challenges::{Challenge, pose, take};
pub use callers::checks::{Checks, PasswordPermit, WaitPermit};
pub use callers::delays::{Backoff, count_failure, forgiven, is_delayed};
pub use callers::principal::{BY_PASSKEY, ResolvedCaller, SignInState};
pub use callers::unsubscribe::Unsubscription;
pub use callers::view_links::OpenedLink;
pub use document::{Cell, plain};
pub use files::{Readable, RedrawnPictures, file_fault, files_of};
pub use find::lineage::GENERATIONS_MAX;
pub use find::means::{Mean, MeansAsk};
pub use find::view::{View, names_of, select_field};
pub use find::visible_book::VisibleBook;
pub use find::visible_rows::RowSelection;
pub use find::work::{WorkAsk, WorkPlaces};
pub use find::{Ask, Form, Listing, Totals};
pub use handling::{is_dry_run, is_whole, written};
pub use jobs::outbox::SendLetters;
pub use quota::{Allowance, Allowed, Holder, Stock, StoredAmount, Usage};
pub use requests::body::parse_body;
pub use requests::fill::{FillRow, FillSet, LoadPart, Loading};
pub use requests::for_many::{ForManyAsk, LeftOut, MOST_OF_MANY, MadeForMany, OfMany};
pub use requests::idempotency::{Before, FIRST_ANSWER_ONLY, IdempotencyKey, StoredAnswer};
pub use requests::import::{BeforeFile, MOST_ID, Rehearsal};
pub use requests::shown_once::shown_once;
use write::WriteServices;
pub use write::server_fields::accounts::about;
pub use write::{
    Attempt, CHECKED_AT_ONCE, Changes, Item, LOCKED_BY, NewFinding, Outcome, SurveyResult, Touch, Touched,
    WriteTransaction, checked, locked_slots,
};

use ::files::Folder;
use futures_util::future::BoxFuture;
use model::clock::Clock;
use model::error::{Error, Result};
use model::outward::Policy;
use model::record::zone::{TimeZone, usual};
use model::registry::{Collection, Principal, Registry, Rules};
use secure::keys::KeyRing;
use secure::password::Passwords;
use std::sync::{Arc, Mutex, PoisonError};
use store::Store;
use tokio::sync::Semaphore;

/// Data that must follow every write: given the rows that a transaction touched, updates what was
/// made of them, in the same transaction.
pub trait Projection: Send + Sync {
    /// Called once per job, after all its rows are written.
    fn project<'a>(&'a self, work: &'a mut WriteTransaction<'_>, touched: &'a Touched) -> BoxFuture<'a, Result<()>>;

    /// What else both rows of a merger have and only one may: by data set, in words.
    fn rivals<'a>(
        &'a self,
        _work: &'a mut WriteTransaction<'_>,
        _collection: &'static Collection,
        _merger: (i64, i64),
    ) -> BoxFuture<'a, Result<Vec<(String, String)>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Whether outside systems can read a data set of that name.
    fn offers(&self, _dataset: &str) -> bool {
        false
    }

    /// Whether outside systems can send resources of a data set for another organisation.
    fn delegates(&self, _dataset: &str) -> bool {
        false
    }
}

/// Items whose passwords are verifiers.
struct Prepared {
    items: Vec<Item>,
    /// The writer, who may have confirmed the password.
    caller: Arc<Principal>,
    /// Whether the answer reports what the checks find.
    surveyed: bool,
    /// Whether all items are written or none.
    whole: bool,
}

impl Prepared {
    async fn write(
        self,
        work: &mut WriteTransaction<'_>,
        c: &'static Collection,
    ) -> Result<(Vec<Outcome>, SurveyResult)> {
        let outcomes = match self.whole {
            true => work.write_whole(c, &self.caller, self.items).await?,
            false => work.write(c, &self.caller, self.items).await?,
        };
        let mut surveyed = SurveyResult::default();
        if self.surveyed {
            work.set_caller(&self.caller);
            surveyed = work.survey_outcomes(c, &outcomes).await?;
        }
        Ok((outcomes, surveyed))
    }
}

#[derive(Debug)]
pub struct NoProjection;

impl Projection for NoProjection {
    fn project<'a>(&'a self, _work: &'a mut WriteTransaction<'_>, _touched: &'a Touched) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// An open herd book with everything that its operations need.
pub struct Book {
    pub registry: &'static Registry,
    pub store: Store,
    pub clock: Clock,
    /// The projection, which runs with each write.
    pub projection: Arc<dyn Projection>,
    /// Hashes and checks passwords.
    pub passwords: Arc<Passwords>,
    /// Limits how many passwords are checked at the same time.
    pub checks: Checks,
    /// The keys that sign tokens.
    pub keys: Arc<KeyRing>,
    /// Name of the service, which is no password.
    pub service: Arc<str>,
    /// Address of the service, for statements that it signs; may be empty.
    pub address: Arc<str>,
    /// The folder in which files are stored; none: files are refused.
    files: Option<Folder>,
    /// How much may be stored.
    stock: Stock,
    /// What the installation decides about derived values.
    pub rules: Rules,
    /// Rows of a list that are looked through without an index.
    pub list_rows: u64,
    /// The addresses that the server may connect to.
    policy: Arc<Policy>,
    /// Time zone of places that have none of their own.
    zone: TimeZone,
    /// Callers who were looked up lately.
    callers: callers::principal::Callers,
    /// Places of long answers.
    streams: Arc<Semaphore>,
    /// Views and refused sign-ins that are not written yet.
    deferred_log: jobs::deferred_log::DeferredLog,
    /// When keys were used last.
    uses: callers::key_uses::Uses,
    /// Delays of those who guess passwords.
    delays: callers::delays::Delays,
    /// Totals and places in lists that were read lately.
    recall: find::Recall,
}

impl std::fmt::Debug for Book {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Book({:?})", self.store)
    }
}

/// A job with the lifetimes that the store asks for.
fn in_transaction<T, F>(job: F) -> F
where
    F: for<'t> FnOnce(&'t mut store::Tx) -> BoxFuture<'t, Result<T>>,
{
    job
}

type WriteJob = Box<dyn for<'w, 't> FnOnce(&'w mut WriteTransaction<'t>) -> BoxFuture<'w, Result<()>> + Send>;

/// The default name of the service.
const SERVICE: &str = "herdbook";

impl Book {
    /// Puts a book together.
    pub fn new(
        registry: &'static Registry,
        store: Store,
        clock: Clock,
        projection: Arc<dyn Projection>,
        passwords: Arc<Passwords>,
        keys: Arc<KeyRing>,
    ) -> Self {
        Self {
            registry,
            delays: callers::delays::Delays::new(&store, &clock),
            store,
            clock,
            projection,
            passwords,
            checks: Checks::new(callers::checks::USUAL),
            keys,
            service: Arc::from(SERVICE),
            address: Arc::from(""),
            files: None,
            stock: Stock::default(),
            rules: Rules::default(),
            list_rows: u64::MAX,
            policy: Arc::new(Policy::default()),
            zone: usual(),
            callers: callers::principal::callers(),
            streams: Arc::new(Semaphore::new(find::STREAMS)),
            deferred_log: jobs::deferred_log::DeferredLog::default(),
            uses: callers::key_uses::Uses::default(),
            recall: find::Recall::new(),
        }
    }

    /// With more places that the server may connect to by itself than those of the public network.
    #[must_use]
    pub fn with_outward(mut self, policy: Policy) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// The time zone of places that have none of their own.
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// With another time zone of places that have none of their own.
    #[must_use]
    pub fn in_zone(mut self, zone: TimeZone) -> Self {
        self.zone = zone;
        self
    }

    #[must_use]
    pub fn with_password_checks(mut self, at_a_time: usize) -> Self {
        self.checks = Checks::new(at_a_time);
        self
    }

    /// Writes several rows of a collection in one transaction. Each item is independent: one that is refused changes
    /// nothing, and the others are stored. Answers come in the order of the items.
    pub async fn write(
        &self,
        caller: Arc<Principal>,
        collection: &'static Collection,
        items: Vec<Item>,
    ) -> Result<Vec<Outcome>> {
        let prepared = self.prepared(&caller, collection, items).await?;
        let written = self.transact(move |work| Box::pin(async move { prepared.write(work, collection).await }));
        let (outcomes, surveyed) = written.await?;
        handling::note(&outcomes);
        handling::surveyed(surveyed);
        Ok(outcomes)
    }

    /// Does what a write needs before its transaction begins.
    async fn prepared(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        mut items: Vec<Item>,
    ) -> Result<Prepared> {
        let caller = self.confirmed(caller, c, &mut items).await?;
        let mut items = self.with_verifiers(&caller, c, items).await?;
        handling::handled(&mut items);
        Ok(Prepared { items, caller, surveyed: handling::current().is_some(), whole: is_whole() })
    }

    /// What hooks of its writes may use.
    fn services(&self) -> WriteServices {
        WriteServices {
            policy: Arc::clone(&self.policy),
            zone: self.zone.clone(),
            projection: Arc::clone(&self.projection),
            stock: self.stock,
            rules: self.rules,
            service: Arc::clone(&self.service),
            address: Arc::clone(&self.address),
        }
    }

    /// Runs a job over the book in one transaction, with its projection.
    pub async fn transact<T, F>(&self, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'w, 't> FnOnce(&'w mut WriteTransaction<'t>) -> BoxFuture<'w, Result<T>> + Send + 'static,
    {
        self.transact_with(Arc::clone(&self.projection), job).await
    }

    /// Runs a job in a transaction, with another projection of what it touched.
    async fn transact_with<T, F>(&self, projection: Arc<dyn Projection>, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'w, 't> FnOnce(&'w mut WriteTransaction<'t>) -> BoxFuture<'w, Result<T>> + Send + 'static,
    {
        let answer = Arc::new(Mutex::new(None));
        let place = Arc::clone(&answer);
        let job: WriteJob = Box::new(move |work| {
            Box::pin(async move {
                let done = job(work).await?;
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
                Ok(())
            })
        });
        self.run_transaction(projection, job).await?;
        let done = (answer.lock().unwrap_or_else(PoisonError::into_inner)).take();
        done.ok_or_else(|| Error::internal("the job of a transaction has no answer"))
    }

    /// The same for jobs of one type, as a future of one type, so that the transaction is compiled here and not anew for
    /// each job in the crates that have them.
    fn run_transaction(&self, projection: Arc<dyn Projection>, job: WriteJob) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let registry = self.registry;
            let keys = Arc::clone(&self.keys);
            let services = self.services();
            let job = in_transaction(move |tx| {
                Box::pin(async move {
                    let mut work = WriteTransaction::new(registry, tx).with_keys(keys).within(services);
                    job(&mut work).await?;
                    let dropped = work.dropped_files();
                    work.project(projection.as_ref()).await?;
                    Ok(dropped)
                })
            });
            if let Some(handling) = handling::current()
                && let Some(dry) = handling.dry_run(&self.store)
            {
                return dry.run(job).await.map(drop);
            }
            let dropped = self.store.write(job).await?;
            if let Some(folder) = self.files.as_ref().filter(|_| !dropped.is_empty()) {
                folder.remove(dropped).await;
            }
            Ok(())
        })
    }
}

//! The operations on a book: find, create, update, delete, batch. Each resolves the
//! caller's rights, checks, writes and projects in one transaction. Operations have heard
//! neither of HTTP nor of ADE: faces call them, and the exchange store hangs on the trait
//! [`Projection`].

pub mod access;
pub mod ask;
mod body;
mod document;
mod fill;
mod find;
mod principal;
#[cfg(test)]
pub(crate) mod tests;
mod work;

pub use body::parse_body;
pub use fill::FillRow;
pub use find::{Ask, Listing, Totals};
pub use principal::{Known, Standing};
pub use work::{Item, Outcome, Touch, Touched, Work};

use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::registry::{Caller, Collection, Kind, Principal, Registry, Verb};
use crate::secure::keys::KeyRing;
use crate::secure::password::Passwords;
use crate::store::Store;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// What hangs on every write: given the rows that a transaction touched, keeps what was
/// made of them up to date, in the same transaction.
pub trait Projection: Send + Sync + 'static {
    /// Called once per job, after all its rows are written.
    fn project<'a>(
        &'a self,
        work: &'a mut Work<'_>,
        touched: &'a Touched,
    ) -> BoxFuture<'a, Result<()>>;
}

/// Nothing hangs on writes.
#[derive(Debug)]
pub struct NoProjection;

impl Projection for NoProjection {
    fn project<'a>(
        &'a self,
        _work: &'a mut Work<'_>,
        _touched: &'a Touched,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// An open herd book with everything that its operations need.
pub struct Book {
    /// All declarations.
    pub registry: &'static Registry,
    /// The database.
    pub store: Store,
    /// Tells the time.
    pub clock: Clock,
    /// What hangs on writes.
    pub projection: Arc<dyn Projection>,
    /// Makes and checks passwords.
    pub passwords: Arc<Passwords>,
    /// Signs tokens.
    pub keys: Arc<KeyRing>,
    /// Callers who were looked up lately.
    callers: principal::Callers,
    /// Places of long answers.
    streams: Arc<Semaphore>,
}

impl std::fmt::Debug for Book {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Book({:?})", self.store)
    }
}

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
            store,
            clock,
            projection,
            passwords,
            keys,
            callers: principal::callers(),
            streams: Arc::new(Semaphore::new(find::STREAMS)),
        }
    }

    /// Writes several rows of a collection in one transaction. Each item stands for
    /// itself: one that is refused changes nothing, and the others are kept. Answers come
    /// in the order of the items.
    pub async fn write(
        &self,
        caller: Arc<Principal>,
        collection: &'static Collection,
        items: Vec<Item>,
    ) -> Result<Vec<Outcome>> {
        let items = if collection.auth {
            self.with_verifiers(&caller, collection, items).await?
        } else {
            items
        };
        self.transact(move |work| {
            Box::pin(async move { work.write(collection, &caller, items).await })
        })
        .await
    }

    /// Turns passwords into verifiers before the transaction begins: hashing is slow by
    /// design, and nobody else shall wait for it. A changed password ends all sessions.
    async fn with_verifiers(
        &self,
        caller: &Principal,
        c: &'static Collection,
        mut items: Vec<Item>,
    ) -> Result<Vec<Item>> {
        if caller.caller == Caller::Anonymous {
            return Ok(items);
        }
        for item in &mut items {
            let sent = item.body.iter().find_map(|(slot, value)| {
                let field = c.fields.get(*slot)?;
                (field.kind == Kind::Password).then(|| value.text().map(str::to_owned))?
            });
            let Some(password) = sent else { continue };
            let passwords = Arc::clone(&self.passwords);
            let hashed = tokio::task::spawn_blocking(move || passwords.hash(&password))
                .await
                .map_err(Error::internal)?;
            // What cannot be hashed is too long; the field's limits say so.
            let Ok(hash) = hashed else { continue };
            item.server.push((c.at("verifier"), hash.into()));
            if item.verb == Verb::Update {
                let none = serde_json::Value::Array(Vec::new());
                item.server
                    .push((c.at("sessions"), crate::record::Value::Json(none)));
            }
        }
        Ok(items)
    }

    /// Runs a job over the book in one transaction, with its projection.
    pub async fn transact<T, F>(&self, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'w, 't> FnOnce(&'w mut Work<'t>) -> BoxFuture<'w, Result<T>> + Send + 'static,
    {
        let registry = self.registry;
        let projection = Arc::clone(&self.projection);
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let mut work = Work::new(registry, tx);
                    let answer = job(&mut work).await?;
                    work.project(projection.as_ref()).await?;
                    Ok(answer)
                })
            })
            .await
    }
}

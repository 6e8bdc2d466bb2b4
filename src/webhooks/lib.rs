//! Webhooks: a receiver gets a message when a data set changed, and then reads the feed. A message contains no records:
//! only the data set, its highest place in commit order, and where to read.
//!
//! All state is stored in the rows of the registrations, so that any process can continue: the last change that was
//! noted ([`WebhookSender::scan`]), the lease of a row and its holder, when the row is due, and what was delivered
//! ([`WebhookSender::deliver`]). A change that comes while a message is under way, or waits for its next attempt,
//! raises the noted place and is covered by the next message: there is one row per webhook, never a queue.
//!
//! Must not know HTTP faces; reads the book through `ops` and `exchange`.

mod http_request;
mod job;
mod message;
mod outbox;
mod scan;
mod state;
#[cfg(test)]
mod tests;

pub use http_request::{Lookup, SystemLookup};
pub use message::pause;
pub use state::{WebhookState, states, waiting};

use config::Webhooks;
use exchange::Exchange;
use futures_util::future::join_all;
use http_request::{Report, WebhookClient};
use job::Job;
use message::Message;
use model::error::Result;
use model::registry::Capability;
use model::registry::notify::{GONE, NO_RIGHTS, UNREACHABLE};
use ops::Book;
use outbox::{AttemptRecord, Outbox};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Shortest time between two scans for changes.
const PAUSE: Duration = Duration::from_millis(500);
/// How long finished messages are collected before the next ones are taken: an owner of many
/// webhooks at one host waits little, and one claim serves several messages.
const BREATH: Duration = Duration::from_millis(20);
/// How often due messages are looked for without a change, including those that other processes left.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// Time that a message is leased beyond the time that the receiver may take, milliseconds.
const SPARE: i64 = 20_000;
/// The status 410: the receiver no longer exists.
const STATUS_GONE: u16 = 410;

#[derive(Debug)]
pub struct WebhookSender {
    book: Arc<Book>,
    exchange: Exchange,
    settings: Webhooks,
    /// Where data sets are read, without a slash at the end.
    datasets: String,
    client: WebhookClient,
    /// None: the registry has no webhooks.
    outbox: Option<Outbox>,
    /// The place in commit order up to which changes were scanned; below 0: not yet.
    scanned: AtomicI64,
}

impl WebhookSender {
    /// The sender for a book. `datasets` is the public address of the data sets; host names are resolved by `lookup`.
    ///
    /// # Errors
    /// When there are no certificates to check receivers by.
    pub fn new(
        book: Arc<Book>,
        exchange: Exchange,
        settings: Webhooks,
        datasets: &str,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self> {
        Ok(Self {
            client: WebhookClient::new(&settings, lookup)?,
            outbox: Outbox::of(book.registry),
            book,
            exchange,
            settings,
            datasets: datasets.trim_end_matches('/').to_owned(),
            scanned: AtomicI64::new(-1),
        })
    }

    /// Sends due messages until the task is cancelled; woken by the commits of any process.
    pub async fn run(self: Arc<Self>) {
        if self.outbox.is_none() {
            return;
        }
        let mut commits = self.book.store.watch().subscribe();
        let mut under_way: JoinSet<String> = JoinSet::new();
        let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
        let mut next_look = Instant::now();
        loop {
            if Instant::now() >= next_look {
                self.look().await;
                next_look = Instant::now() + PAUSE;
            }
            // One host can hide the others until it has all that it may.
            loop {
                let free = self.settings.concurrency.saturating_sub(under_way.len());
                let jobs = match self.claim(free, &hosts).await {
                    Ok(jobs) => jobs,
                    Err(error) => {
                        tracing::warn!(%error, "webhooks wait");
                        break;
                    }
                };
                if jobs.is_empty() {
                    break;
                }
                for job in jobs {
                    *hosts.entry(job.host.clone()).or_default() += 1;
                    let this = Arc::clone(&self);
                    under_way.spawn(async move {
                        let host = job.host.clone();
                        if let Err(error) = this.work(job).await {
                            tracing::warn!(%error, "a delivery was not noted");
                        }
                        host
                    });
                }
            }
            let news = async {
                tokio::time::sleep_until(next_look).await;
                // The sender lives as long as the book.
                let _ = commits.changed().await;
            };
            tokio::select! {
                () = news => {}
                Some(done) = under_way.join_next() => {
                    release_host(&mut hosts, done);
                    tokio::time::sleep(BREATH).await;
                }
                () = tokio::time::sleep(LOOK_AGAIN) => {}
            }
            while let Some(done) = under_way.try_join_next() {
                release_host(&mut hosts, done);
            }
        }
    }

    /// Records new changes for the webhooks, if there are any.
    async fn look(&self) {
        loop {
            match self.scan().await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(%error, "changes wait to be reported to webhooks");
                    return;
                }
            }
        }
    }

    /// Leases due messages, sends them, and records the results; returns the number of messages.
    pub async fn deliver(&self) -> Result<usize> {
        let jobs = self.claim(self.settings.concurrency, &BTreeMap::new()).await?;
        let attempts = jobs.len();
        for done in join_all(jobs.into_iter().map(|job| self.work(job))).await {
            done?;
        }
        Ok(attempts)
    }

    /// Leases due messages that no other process holds: at most `free`, and not too many of one host.
    async fn claim(&self, free: usize, hosts: &BTreeMap<String, usize>) -> Result<Vec<Job>> {
        let Some(outbox) = &self.outbox else {
            return Ok(Vec::new());
        };
        if free == 0 {
            return Ok(Vec::new());
        }
        let time = i64::try_from(self.settings.timeout.as_millis()).unwrap_or(i64::MAX);
        let lease = time.saturating_add(SPARE);
        let per_host = self.settings.per_host;
        outbox.claim(&self.book, (free, per_host), hosts, lease).await
    }

    async fn work(&self, job: Job) -> Result<()> {
        let Some(outbox) = &self.outbox else {
            return Ok(());
        };
        let now = self.book.clock.now();
        let message = Message::of(&job, now, &self.datasets, self.exchange.rules().location_scheme());
        let allowed = self.may(&job).await?;
        let report = if allowed {
            let keys = outbox.keys(&self.book, &job, self.settings.overlap);
            self.client.send(&job.url, &message, &keys, now).await
        } else {
            Report::failed("The user who registered it may no longer read this.")
        };
        let record = self.attempt_record(&job, &report, allowed);
        outbox.record_attempt(&self.book, job, message, report, record, self.settings.log).await
    }

    /// Whether the user who registered the webhook may still read its data set.
    async fn may(&self, job: &Job) -> Result<bool> {
        let Some(user) = job.created_by else {
            return Ok(false);
        };
        let caller = self.book.account(user).await?;
        let mine = caller.organization.is_some() && caller.organization == job.organization;
        Ok(caller.sees_all() || (mine && caller.can(Capability::Data)))
    }

    /// What is recorded after an attempt.
    fn attempt_record(&self, job: &Job, report: &Report, allowed: bool) -> AttemptRecord {
        let now = self.book.clock.now();
        let overlap = self.settings.overlap;
        let forget = job.former.is_some() && !job.overlaps(now, overlap);
        let record =
            |due, failures, failing_since, disabled| AttemptRecord { due, failures, failing_since, disabled, forget };
        if report.is_success() {
            return record(now.saturating_add(self.settings.interval), 0, 0, None);
        }
        if !allowed {
            return record(job.due, job.failures, job.failing_since, Some(NO_RIGHTS));
        }
        if report.status == Some(STATUS_GONE) {
            return record(job.due, job.failures.saturating_add(1), now, Some(GONE));
        }
        if job.ping.is_some() {
            // A test reports only itself.
            return record(job.due, job.failures, job.failing_since, None);
        }
        let failures = job.failures.saturating_add(1);
        let since = if job.failing_since == 0 { now } else { job.failing_since };
        let hopeless = now.saturating_sub(since) >= self.settings.give_up;
        let due = now.saturating_add(pause(failures, rand::random()));
        record(due, failures, since, hopeless.then_some(UNREACHABLE))
    }
}

/// A host has one message less under way.
fn release_host(hosts: &mut BTreeMap<String, usize>, done: std::result::Result<String, tokio::task::JoinError>) {
    match done {
        Ok(host) => {
            if let Some(count) = hosts.get_mut(&host) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    hosts.remove(&host);
                }
            }
        }
        Err(error) => {
            // The host of the delivery is not known any more; leases keep the other deliveries apart.
            tracing::error!(%error, "a delivery ended by itself");
            hosts.clear();
        }
    }
}

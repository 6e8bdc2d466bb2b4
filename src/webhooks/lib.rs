//! Webhooks: whoever registered one is told that a data set changed, and reads the feed by
//! himself. A message holds no data: the data set, its highest place in commit order, where
//! to read.
//!
//! All that has to outlive a process stands in the rows of the registrations, so that any
//! process goes on: the last change that was noted ([`Courier::scan`]), until when a row is
//! leased to whom, when it is due, and what was delivered ([`Courier::deliver`]). A change
//! that comes while a message is under way, or waits for its next attempt, raises the noted
//! place and is told by the next message: there is one row per webhook, never a queue.
//!
//! Must not know HTTP faces; reads the book through `ops` and `exchange`.

mod job;
mod message;
mod outbox;
mod post;
mod scan;
mod state;
#[cfg(test)]
mod tests;

pub use message::pause;
pub use post::{Lookup, SystemLookup};
pub use state::{WebhookState, states, waiting};

use config::Webhooks;
use exchange::Exchange;
use futures_util::future::join_all;
use job::Job;
use message::Message;
use model::error::Result;
use model::registry::Capability;
use model::registry::notify::{GONE, NO_RIGHTS, UNREACHABLE};
use ops::Book;
use outbox::{Outbox, Settled};
use post::{Post, Report};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Least time between two looks for changes.
const PAUSE: Duration = Duration::from_millis(500);
/// How long is waited for further messages that are done before the next ones are taken:
/// whoever has many webhooks at one host waits little, and taking is shared.
const BREATH: Duration = Duration::from_millis(20);
/// How often is looked for what is due, and what other processes left.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// How much longer than the receiver may take a message is leased, milliseconds.
const SPARE: i64 = 20_000;
/// The receiver is not there any more, and will not be.
const STATUS_GONE: u16 = 410;

/// Sends the webhooks of a book.
#[derive(Debug)]
pub struct Courier {
    book: Arc<Book>,
    exchange: Exchange,
    settings: Webhooks,
    /// Where data sets are read, without a slash at the end.
    datasets: String,
    post: Post,
    /// None: the registry has no webhooks.
    outbox: Option<Outbox>,
    /// Up to where changes were looked for; below 0: not yet.
    scanned: AtomicI64,
}

impl Courier {
    /// Over a book. `datasets` is the address of the data sets as outside systems see it;
    /// names are looked up by `lookup`.
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
            post: Post::new(&settings, lookup)?,
            outbox: Outbox::of(book.registry),
            book,
            exchange,
            settings,
            datasets: datasets.trim_end_matches('/').to_owned(),
            scanned: AtomicI64::new(-1),
        })
    }

    /// Sends what is to be sent, again and again: woken by the commits of any process.
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
                    settled(&mut hosts, done);
                    tokio::time::sleep(BREATH).await;
                }
                () = tokio::time::sleep(LOOK_AGAIN) => {}
            }
            while let Some(done) = under_way.try_join_next() {
                settled(&mut hosts, done);
            }
        }
    }

    /// Notes what is to be told, as far as anything changed.
    async fn look(&self) {
        loop {
            match self.scan().await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(%error, "changes wait to be told to webhooks");
                    return;
                }
            }
        }
    }

    /// Takes what is due, sends it, and notes what became of it; answers how many messages
    /// that were.
    ///
    /// # Errors
    /// Those of the store. A message that does not get through is no error.
    pub async fn deliver(&self) -> Result<usize> {
        let jobs = self
            .claim(self.settings.concurrency, &BTreeMap::new())
            .await?;
        let sent = jobs.len();
        for done in join_all(jobs.into_iter().map(|job| self.work(job))).await {
            done?;
        }
        Ok(sent)
    }

    /// Leases what is due, and nobody else has: so many at most, and not too many of a host.
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
        outbox
            .claim(&self.book, (free, per_host), hosts, lease)
            .await
    }

    async fn work(&self, job: Job) -> Result<()> {
        let Some(outbox) = &self.outbox else {
            return Ok(());
        };
        let now = self.book.clock.now();
        let message = Message::of(&job, now, &self.datasets, self.exchange.location_scheme());
        let allowed = self.may(&job).await?;
        let report = if allowed {
            let keys = outbox.keys(&self.book, &job, self.settings.overlap);
            self.post.send(&job.url, &message, &keys, now).await
        } else {
            Report::failed("Who registered it may not read this any more.")
        };
        let settled = self.judged(&job, &report, allowed);
        outbox
            .settle(&self.book, job, message, report, settled, self.settings.log)
            .await
    }

    /// Whether who registered it may read what it tells of, as he is now.
    async fn may(&self, job: &Job) -> Result<bool> {
        let Some(user) = job.created_by else {
            return Ok(false);
        };
        let caller = self.book.account(user).await?;
        let mine = caller.organization.is_some() && caller.organization == job.organization;
        Ok(caller.sees_all() || (mine && caller.can(Capability::Data)))
    }

    /// What follows from an attempt.
    fn judged(&self, job: &Job, report: &Report, allowed: bool) -> Settled {
        let now = self.book.clock.now();
        let overlap = self.settings.overlap;
        let forget = job.former.is_some() && !job.overlaps(now, overlap);
        let settled = |due, failures, failing_since, disabled| Settled {
            due,
            failures,
            failing_since,
            disabled,
            forget,
        };
        if report.is_success() {
            return settled(now.saturating_add(self.settings.interval), 0, 0, None);
        }
        if !allowed {
            return settled(job.due, job.failures, job.failing_since, Some(NO_RIGHTS));
        }
        if report.status == Some(STATUS_GONE) {
            return settled(job.due, job.failures.saturating_add(1), now, Some(GONE));
        }
        if job.ping.is_some() {
            // A test tells of itself alone.
            return settled(job.due, job.failures, job.failing_since, None);
        }
        let failures = job.failures.saturating_add(1);
        let since = if job.failing_since == 0 {
            now
        } else {
            job.failing_since
        };
        let hopeless = now.saturating_sub(since) >= self.settings.give_up;
        let due = now.saturating_add(pause(failures, rand::random()));
        settled(due, failures, since, hopeless.then_some(UNREACHABLE))
    }
}

/// A host has one message less under way.
fn settled(
    hosts: &mut BTreeMap<String, usize>,
    done: std::result::Result<String, tokio::task::JoinError>,
) {
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
            // Whose it was is not known any more; leases keep the others apart.
            tracing::error!(%error, "a delivery ended by itself");
            hosts.clear();
        }
    }
}

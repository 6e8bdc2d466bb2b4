//! A full sync declares that the resources sent between start and end are the sender's complete set. It is a row with
//! its scope, its lease and the sequence number at which it began. The push that names a resource stores so with the
//! last state of the resource (`exchange_sent.named`), in its own transaction: a stopped process loses nothing, and
//! nothing is left to be cleaned up. The end is in [`crate::full_sync::ending`].

pub(crate) mod ending;
pub(crate) mod job;
pub(crate) mod outcome;
mod steps;

use crate::full_sync::outcome::{Progress, SyncOutcome};
use crate::intake::DocumentIntake;
use crate::intake::delivery::Delivery;
use model::error::{Error, Issue, Result};
use model::messages::Sentence;
use model::record::Value;
use model::registry::{Caller, Principal};
use model::said;
use ops::{Book, WriteTransaction};
use store::{Row, Sql, Ty};

/// Full syncs that one transaction of the purge forgets.
const FORGOTTEN: i64 = 500;

/// What a full sync of a sender covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The data set; none: all of them.
    pub dataset: Option<String>,
    /// The organisations whose locations they are.
    pub locations: Vec<i64>,
    /// Values of `meta.source`.
    pub sources: Vec<String>,
}

impl Scope {
    /// Whether a resource can lie in both.
    fn overlaps(&self, other: &Self) -> bool {
        let set = match (&self.dataset, &other.dataset) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => true,
        };
        let place = self.locations.iter().any(|l| other.locations.contains(l));
        set && place && self.sources.iter().any(|s| other.sources.contains(s))
    }

    /// Why a resource is none of those that are spoken for; its pointer begins with its
    /// place among those that were sent.
    fn outside(&self, at: usize, delivery: &Delivery) -> Option<Issue> {
        let issue = |member: &str, what: &'static str| {
            let path = format!("/{at}{member}");
            let message = said!("The full sync does not cover this {what}.", what = Sentence::from(what));
            Issue::error(path, "outside-full-sync", message)
        };
        if (self.dataset.as_ref()).is_some_and(|set| *set != delivery.dataset) {
            return Some(issue("/resourceType", "type"));
        }
        if !self.locations.contains(&delivery.location) {
            return Some(issue("/location", "location"));
        }
        let source = delivery.doc.pointer("/meta/source").and_then(|s| s.as_str());
        let mine = source.is_some_and(|source| self.sources.iter().any(|s| s == source));
        (!mine).then(|| issue("/meta/source", "source"))
    }
}

/// How far a full sync is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncStage {
    /// It takes pushes.
    Started,
    /// Its end is accepted, and what was not named goes piece by piece.
    Ending,
    /// What was not named is gone.
    Ended,
    /// A later one took its place; nothing was deleted by it.
    Superseded,
    /// No push came in time; nothing was deleted by it.
    Expired,
    /// Its sender gave it up; nothing was deleted by it.
    GivenUp,
}

impl SyncStage {
    /// As it is stored and reported.
    pub fn word(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Ending => "ending",
            Self::Ended => "ended",
            Self::Superseded => "superseded",
            Self::Expired => "expired",
            Self::GivenUp => "given-up",
        }
    }

    fn read(word: &str, over: bool) -> Self {
        let all = [Self::Ending, Self::Ended, Self::Superseded, Self::GivenUp];
        all.into_iter().find(|one| one.word() == word).unwrap_or(if over { Self::Expired } else { Self::Started })
    }
}

#[derive(Debug, Clone)]
pub struct FullSync {
    /// Its name in addresses: random, so that it cannot be guessed.
    pub id: String,
    pub scope: Scope,
    /// The organisation that started it; none: the Association.
    pub organization: Option<i64>,
    pub stage: SyncStage,
    pub pushes: i64,
    /// Resources that they named, each counted once, deleted ones too.
    pub resources: i64,
    /// When it was started, epoch milliseconds.
    pub created: i64,
    /// When it expires unless something is pushed.
    pub due: i64,
    /// When it ended, was superseded or given up.
    pub ended: Option<i64>,
    /// The counts of its end, so far.
    pub outcome: Option<SyncOutcome>,
    /// Its place in commit order.
    pub(super) began: i64,
    /// How far its end is, while it is ending.
    progress: Option<Progress>,
}

impl FullSync {
    /// Whether the caller may act for the organisation that started it.
    pub fn is_own(&self, caller: &Principal) -> bool {
        let may_act = caller.sees_all() || caller.organization.is_some();
        may_act && self.organization == sender_of(caller)
    }

    /// Whether the caller may know of it: one of that organisation, or the Association.
    pub fn is_of(&self, caller: &Principal) -> bool {
        caller.sees_all() || self.is_own(caller)
    }

    /// How many resources it did not name, once its end has looked for them all.
    pub fn unnamed(&self) -> Option<usize> {
        let progress = self.progress.as_ref().filter(|p| p.pass > 0)?;
        Some(progress.unnamed)
    }

    /// Refuses what needs it to be going on.
    pub(super) fn goes_on(&self) -> Result<()> {
        let issue = match self.stage {
            SyncStage::Started => return Ok(()),
            SyncStage::Ending => {
                Issue::error("", ENDING, "This full sync is being ended: what it did not name is being deleted.")
            }
            SyncStage::Ended => Issue::error("", "full-sync-ended", "This full sync has ended."),
            SyncStage::Superseded => Issue::error(
                "",
                "full-sync-superseded",
                "A full sync that was started later replaced it. It deletes nothing.",
            ),
            SyncStage::Expired => Issue::error(
                "",
                "full-sync-expired",
                "Nothing was pushed for too long. It deletes nothing; start another.",
            ),
            SyncStage::GivenUp => Issue::error(
                "",
                "full-sync-given-up",
                "This full sync was given up. It deletes nothing; start another.",
            ),
        };
        Err(Error::Invalid(vec![issue]))
    }
}

/// The organisation that a caller sends for; none: the Association.
pub(super) fn sender_of(caller: &Principal) -> Option<i64> {
    let farm = caller.caller == Caller::Farm;
    caller.organization.filter(|_| farm)
}

/// Of a full sync that is being ended.
const ENDING: &str = "full-sync-ending";

const COLUMNS: &str = "id, dataset, locations, sources, organization, stage, began, pushes, \
    resources, created_at, due, ended_at, outcome";

fn read(row: &Row, now: i64) -> FullSync {
    let text = |at: usize| row.text(at).unwrap_or_default();
    let due = row.int(10).unwrap_or_default();
    let stage = SyncStage::read(text(5), due <= now);
    let done = row.text(12);
    let progress = done.filter(|_| stage == SyncStage::Ending).and_then(Progress::read);
    let outcome = match &progress {
        Some(progress) => Some(progress.outcome.clone()),
        None => done.and_then(|text| serde_json::from_str(text).ok()),
    };
    FullSync {
        id: text(0).to_owned(),
        scope: Scope {
            dataset: row.text(1).map(str::to_owned),
            locations: serde_json::from_str(text(2)).unwrap_or_default(),
            sources: serde_json::from_str(text(3)).unwrap_or_default(),
        },
        organization: row.int(4),
        stage,
        began: row.int(6).unwrap_or_default(),
        pushes: row.int(7).unwrap_or_default(),
        resources: row.int(8).unwrap_or_default(),
        created: row.int(9).unwrap_or_default(),
        due,
        ended: row.int(11),
        outcome,
        progress,
    }
}

fn by_id(id: &str) -> Sql {
    let mut sql = Sql::new("SELECT ");
    sql.push(COLUMNS).push(" FROM exchange_full_syncs WHERE id = ");
    sql.with(Ty::Text, id)
}

/// ` = ?`, or ` IS NULL` for the Association.
pub(super) fn sender_is(sql: &mut Sql, organization: Option<i64>) {
    match organization {
        Some(id) => sql.push(" = ").bind(Ty::Int, id),
        None => sql.push(" IS NULL"),
    };
}

fn list(values: &[impl serde::Serialize]) -> String {
    serde_json::json!(values).to_string()
}

/// Writes how a full sync ended without deleting anything.
fn closed(id: &str, stage: SyncStage, now: i64) -> Sql {
    Sql::new("UPDATE exchange_full_syncs SET stage = ")
        .with(Ty::Text, stage.word())
        .and(", ended_at = ")
        .with(Ty::Int, now)
        .and(" WHERE id = ")
        .with(Ty::Text, id)
}

/// Stores full syncs, and has the intake delete what they did not name. Cheap to clone.
#[derive(Debug, Clone)]
pub struct FullSyncs {
    pub(crate) intake: DocumentIntake,
}

impl FullSyncs {
    /// Starts a full sync that expires when nothing is pushed for `lease` milliseconds. Those of the same organisation
    /// that go on and can name the same resources are superseded: the later start wins, over all processes.
    ///
    /// # Errors
    /// The errors of the store; [`Error::Invalid`] while one of them is being ended.
    pub async fn start_full_sync(&self, book: &Book, caller: &Principal, scope: Scope, lease: i64) -> Result<FullSync> {
        let organization = sender_of(caller);
        let id = uuid::Uuid::new_v4().to_string();
        let done = book.store.write(move |tx| {
            Box::pin(async move {
                let now = tx.now();
                let mut open = Sql::new("SELECT ");
                open.push(COLUMNS)
                    .push(" FROM exchange_full_syncs WHERE (stage = ")
                    .bind(Ty::Text, SyncStage::Ending.word())
                    .push(" OR stage = ")
                    .bind(Ty::Text, SyncStage::Started.word())
                    .push(" AND due > ")
                    .bind(Ty::Int, now)
                    .push(") AND organization");
                sender_is(&mut open, organization);
                let open: Vec<FullSync> = (tx.rows(open).await?.iter())
                    .map(|row| read(row, now))
                    .filter(|other| other.scope.overlaps(&scope))
                    .collect();
                if let Some(ending) = open.iter().find(|other| other.stage == SyncStage::Ending) {
                    let why = said!(
                        "The full sync {id} of some of the same resources is being ended; start \
                         again when it has ended.",
                        id = &ending.id
                    );
                    return Err(Error::Invalid(vec![Issue::error("", ENDING, why)]));
                }
                for other in open {
                    tx.run(closed(&other.id, SyncStage::Superseded, now)).await?;
                }
                let sync = FullSync {
                    id,
                    scope,
                    organization,
                    stage: SyncStage::Started,
                    pushes: 0,
                    resources: 0,
                    created: now,
                    due: now.saturating_add(lease),
                    ended: None,
                    outcome: None,
                    progress: None,
                    // A place of its own: everything that is sent from now on comes after it.
                    began: tx.next_seq(),
                };
                tx.run(entry(&sync)).await?;
                Ok(sync)
            })
        });
        done.await
    }

    pub async fn full_sync(&self, book: &Book, id: &str) -> Result<Option<FullSync>> {
        if id.contains('\0') {
            return Ok(None);
        }
        let rows = book.store.rows(by_id(id)).await?;
        let now = book.clock.now();
        Ok(rows.first().map(|row| read(row, now)))
    }

    /// Gives a full sync up; one that is over already stays what it is. Nothing is deleted.
    ///
    /// # Errors
    /// The errors of the store; [`Error::NotFound`] without such a sync of the caller's
    /// organisation; [`Error::Invalid`] when its end was accepted: what is gone is gone.
    pub async fn give_up_full_sync(&self, book: &Book, caller: &Principal, id: &str) -> Result<()> {
        let (id, caller) = (id.to_owned(), caller.clone());
        book.transact(move |work| {
            Box::pin(async move {
                let sync = FullSync::own(work, &caller, &id).await?;
                match sync.stage {
                    SyncStage::Started => {
                        let sql = closed(&id, SyncStage::GivenUp, work.tx().now());
                        work.tx().run(sql).await.map(|_| ())
                    }
                    SyncStage::Ending | SyncStage::Ended => sync.goes_on(),
                    _ => Ok(()),
                }
            })
        })
        .await
    }
}

impl FullSync {
    /// A full sync that the caller's organisation started, in its state in this transaction.
    pub(super) async fn own(work: &mut WriteTransaction<'_>, caller: &Principal, id: &str) -> Result<FullSync> {
        if id.contains('\0') {
            return Err(Error::NotFound);
        }
        let now = work.tx().now();
        let rows = work.tx().rows(by_id(id)).await?;
        let sync = rows.first().map(|row| read(row, now));
        sync.filter(|sync| sync.is_own(caller)).ok_or(Error::NotFound)
    }

    /// The full sync that a push names, if it is still running and covers all that is pushed.
    pub(super) async fn joined(
        work: &mut WriteTransaction<'_>,
        caller: &Principal,
        id: &str,
        deliveries: &[Delivery],
    ) -> Result<FullSync> {
        let sync = Self::own(work, caller, id).await?;
        sync.goes_on()?;
        let outside: Vec<Issue> =
            (deliveries.iter().enumerate()).filter_map(|(at, delivery)| sync.scope.outside(at, delivery)).collect();
        if outside.is_empty() {
            return Ok(sync);
        }
        Err(Error::Invalid(outside))
    }

    /// Counts a push in, with the resources that it was the first to name, and renews the lease.
    pub(super) async fn advance(&self, work: &mut WriteTransaction<'_>, first: usize, lease: i64) -> Result<()> {
        let now = work.tx().now();
        let sql = Sql::new("UPDATE exchange_full_syncs SET pushes = pushes + 1, resources = resources + ")
            .with(Ty::Int, i64::try_from(first).unwrap_or(i64::MAX))
            .and(", due = ")
            .with(Ty::Int, now.saturating_add(lease))
            .and(" WHERE id = ")
            .with(Ty::Text, self.id.as_str());
        work.tx().run(sql).await.map(|_| ())
    }
}

impl FullSyncs {
    /// Forgets full syncs that were started before a time and do not go on; true when there may be more.
    pub async fn forget_full_syncs(&self, book: &Book, before: i64) -> Result<bool> {
        let now = book.clock.now();
        let old = Sql::new("SELECT id FROM exchange_full_syncs WHERE created_at < ").with(Ty::Int, before).and(" AND ");
        let rows = book.store.rows(over(old, now).and(" ORDER BY created_at LIMIT ").with(Ty::Int, FORGOTTEN)).await?;
        let ids: Vec<Value> = (rows.iter()).filter_map(|row| Some(Value::Text(row.text(0)?.to_owned()))).collect();
        if ids.is_empty() {
            return Ok(false);
        }
        let mut sql = Sql::new("DELETE FROM exchange_full_syncs WHERE id IN ");
        sql.bind_list(Ty::Text, ids);
        // One that was pushed to in between has a later end of its lease.
        Ok(book.store.run(vec![over(sql.and(" AND "), now).one_off()]).await? > 0)
    }
}

/// The condition that a full sync is over.
fn over(sql: Sql, now: i64) -> Sql {
    sql.and("stage <> ")
        .with(Ty::Text, SyncStage::Ending.word())
        .and(" AND (stage <> ")
        .with(Ty::Text, SyncStage::Started.word())
        .and(" OR due <= ")
        .with(Ty::Int, now)
        .and(")")
}

/// The row of a full sync that begins.
fn entry(sync: &FullSync) -> Sql {
    let into = "exchange_full_syncs (id, dataset, locations, sources, \
                organization, stage, began, pushes, resources, created_at, due)";
    let (int, text) = (Ty::Int, Ty::Text);
    let types = [text, text, text, text, int, text, int, int, int, int, int];
    let [id, stage] = [sync.id.as_str(), sync.stage.word()].map(Value::from);
    let [locations, sources] = [list(&sync.scope.locations), list(&sync.scope.sources)].map(Value::Text);
    let (dataset, organization) = (sync.scope.dataset.clone().into(), sync.organization.into());
    let [began, pushes, resources, created, due] = [sync.began, 0, 0, sync.created, sync.due].map(Value::Int);
    let row = [id, dataset, locations, sources, organization, stage, began, pushes, resources, created, due];
    Sql::insert(into, types, [row])
}

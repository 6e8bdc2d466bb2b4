//! The deferred log (docs/design/jobs.md, *Deferred log*): views of animals under grants and refused sign-ins are
//! collected in memory and written later, in batches. The request that causes an entry neither writes nor waits.
//!
//! Entries are held by key, so that many of a kind take one place: a view by animal, viewing organisation and day, a
//! refusal by address and name. Their number is bounded. When it is reached, further views are only counted, in the
//! server's log, and further refusals are joined without a name. A task of the server writes once a minute, and once
//! more before the book is closed.

use crate::{Book, WriteTransaction};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Caller, Collection, HookContext, ID, Lookup, Operation, Principal, Test};
use model::said;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

const DAY: i64 = 86_400_000;
/// Views that lie no further apart are one visit, milliseconds.
const VISIT: i64 = 30 * 60_000;
/// Views that are held.
const VIEWS: usize = 20_000;
/// Refusals that are held.
const REFUSALS: usize = 1_000;
/// Views of one transaction.
const PART: usize = 500;
/// Rows for addresses that tried unknown names, of one batch; more are joined.
const STRANGERS: usize = 50;
/// Longest name of a refused sign-in that is held, bytes.
const NAME: usize = 254;

/// A view: collection, row, viewing organisation, day.
type Key = (&'static str, i64, i64, i64);

/// A collected view of an animal.
#[derive(Debug, Clone)]
struct View {
    user: Option<i64>,
    first: i64,
    last: i64,
    visits: i64,
}

/// A refused sign-in: the name that was given, and the address.
type Stranger = (Option<String>, Option<IpAddr>);

#[derive(Debug, Default)]
struct Entries {
    views: BTreeMap<Key, View>,
    refused: BTreeMap<Stranger, u64>,
    lost: u64,
}

/// Entries that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct DeferredLog {
    entries: Mutex<Entries>,
    /// Held while entries are written, so that closing the book waits for that.
    writing: tokio::sync::Mutex<()>,
    many: Notify,
}

impl DeferredLog {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, key: Key, view: View) {
        let mut entries = self.entries();
        let full = entries.views.len() >= VIEWS;
        match entries.views.get_mut(&key) {
            Some(stored) => {
                if view.first - stored.last <= VISIT {
                    stored.visits -= 1;
                }
                stored.visits += view.visits;
                stored.first = stored.first.min(view.first);
                stored.last = stored.last.max(view.last);
                stored.user = view.user;
            }
            None if full => entries.lost += 1,
            None => {
                entries.views.insert(key, view);
            }
        }
        if entries.views.len() >= VIEWS / 2 {
            self.many.notify_one();
        }
    }

    fn refuse(&self, who: Stranger, times: u64) {
        let mut entries = self.entries();
        let is_listed = entries.refused.contains_key(&who);
        let who = if is_listed || entries.refused.len() < REFUSALS { who } else { (None, None) };
        let count = entries.refused.entry(who).or_default();
        *count = count.saturating_add(times);
    }
}

impl Book {
    /// Notes that a caller read a row. This is logged as a view if the collection logs views and
    /// the row may belong to another organisation that granted access to it.
    pub fn note_view(&self, caller: &Principal, c: &'static Collection, id: i64, now: i64) {
        let foreign = c.logging.viewed && caller.caller == Caller::Farm;
        let Some(my) = caller.organization else { return };
        if !foreign || caller.grants.is_empty() {
            return;
        }
        store::versions::note_view(c.slug, id);
        let view = View { user: caller.user, first: now, last: now, visits: 1 };
        self.deferred_log.add((c.slug, id, my, now.div_euclid(DAY)), view);
    }

    /// Records a refused sign-in under a name.
    pub fn refused(&self, name: &str, ip: Option<IpAddr>) {
        self.deferred_log.refuse(((name.len() <= NAME).then(|| name.to_owned()), ip), 1);
    }

    /// Returns when enough entries are in memory that they should be written soon.
    pub async fn deferred_log_fills(&self) {
        self.deferred_log.many.notified().await;
    }

    /// Writes the entries. Those that cannot be written are held for the next time.
    pub async fn write_deferred_log(&self) -> Result<()> {
        let _alone = self.deferred_log.writing.lock().await;
        let entries = std::mem::take(&mut *self.deferred_log.entries());
        if entries.lost > 0 {
            tracing::warn!(views = entries.lost, "views were not noted: there were too many");
        }
        if !entries.refused.is_empty() {
            let refused = entries.refused.clone();
            if let Err(error) = self.transact(move |work| Box::pin(refusals(work, refused))).await {
                for (who, times) in entries.refused {
                    self.deferred_log.refuse(who, times);
                }
                self.hold(entries.views);
                return Err(error);
            }
        }
        let mut views = entries.views;
        while !views.is_empty() {
            let at = views.keys().nth(PART).copied();
            let rest = at.map_or_else(BTreeMap::new, |at| views.split_off(&at));
            let part = std::mem::replace(&mut views, rest);
            let copy = part.clone();
            if let Err(error) = self.transact(move |work| Box::pin(write_views(work, part))).await {
                self.hold(copy);
                self.hold(views);
                return Err(error);
            }
        }
        Ok(())
    }

    fn hold(&self, views: BTreeMap<Key, View>) {
        for (key, view) in views {
            self.deferred_log.add(key, view);
        }
    }
}

/// A line for each user whose password was tried, and for each address that tried names without an account.
async fn refusals(work: &mut WriteTransaction<'_>, refused: BTreeMap<Stranger, u64>) -> Result<()> {
    let auth = work.registry().iter().find(|c| c.auth);
    let Some(users) = auth else { return Ok(()) };
    let names: BTreeSet<&String> = refused.keys().filter_map(|(name, _)| name.as_ref()).collect();
    let lookup = Lookup::default().is_in("email", names.into_iter().map(|n| Value::from(n.as_str())).collect());
    let rows = work.find(users.slug, lookup.fields(&["email", "organization"])).await?;
    let (email, organization) = (users.at("email"), users.at("organization"));
    let known: BTreeMap<&str, &Record> = (rows.iter()).filter_map(|row| Some((row.get(email).text()?, row))).collect();
    let mut strangers: BTreeMap<Option<IpAddr>, u64> = BTreeMap::new();
    for ((name, ip), times) in &refused {
        let row = name.as_ref().and_then(|name| known.get(name.as_str()));
        let Some(id) = row.and_then(|row| row.get(ID).int()) else {
            let place = strangers.len() < STRANGERS || strangers.contains_key(ip);
            let count = strangers.entry(ip.filter(|_| place)).or_default();
            *count = count.saturating_add(*times);
            continue;
        };
        work.log_operation(Operation {
            organization: row.and_then(|row| row.get(organization).int()),
            subject: Some(("user", users.slug, id)),
            ..refusal(*ip, *times)
        });
    }
    for (ip, times) in strangers {
        work.log_operation(refusal(ip, times));
    }
    Ok(())
}

fn refusal(ip: Option<IpAddr>, times: u64) -> Operation {
    let summary = match times {
        1 => said!("A sign-in was refused."),
        times => said!("{times} sign-ins were refused.", times = times),
    };
    Operation { action: "login-refused", summary: Some(summary.english().into_owned()), ip, ..Operation::default() }
}

/// The slots of `access-views` and `access-grants` that are written and read here.
struct Slots {
    views: &'static Collection,
    grants: &'static Collection,
}

/// Makes or continues the row of each view that a grant opened.
async fn write_views(work: &mut WriteTransaction<'_>, views: BTreeMap<Key, View>) -> Result<()> {
    let Some((slug, ..)) = views.keys().next().copied() else { return Ok(()) };
    let viewed = work.collection(slug)?;
    let s = Slots { views: work.collection("access-views")?, grants: work.collection("access-grants")? };
    let ids: BTreeSet<i64> = views.keys().map(|(_, id, ..)| *id).collect();
    let orgs: BTreeSet<i64> = views.keys().map(|(_, _, org, _)| *org).collect();
    let owners = Lookup::by_ids("id", ids.iter().copied()).fields(&["owner"]);
    let owners: BTreeMap<i64, i64> = (work.find(slug, owners).await?.iter())
        .filter_map(|row| Some((row.get(ID).int()?, row.get(viewed.at("owner")).int()?)))
        .collect();
    let grants = work.find(s.grants.slug, Lookup::by_ids("grantee", orgs.iter().copied())).await?;
    let since = views.keys().map(|(.., day)| *day).min().unwrap_or_default();
    let existing =
        Lookup::by_ids("animal", ids.iter().copied()).test("at", Test::From(Value::Time(since * DAY))).order(&["at"]);
    let existing = work.find(s.views.slug, existing).await?;
    let mut fresh = Vec::new();
    let mut more = Vec::new();
    let mut last_seen: BTreeMap<i64, i64> = BTreeMap::new();
    for ((_, id, org, day), view) in views {
        let Some(owner) = owners.get(&id).copied().filter(|owner| *owner != org) else { continue };
        let live: Vec<&Record> = (grants.iter()).filter(|g| s.opens(g, org, owner, id, view.last)).collect();
        let Some(grant) = live.first().and_then(|g| g.get(ID).int()) else { continue };
        for id in live.iter().filter_map(|g| g.get(ID).int()) {
            let at = last_seen.entry(id).or_default();
            *at = (*at).max(view.last);
        }
        let scopes = s.scopes(&live);
        let before = existing.iter().find(|row| s.same(row, id, org, owner, day));
        match before.and_then(|row| Some((row.get(ID).int()?, row))) {
            Some((row_id, row)) => more.push((row_id, s.continued(row, &view, scopes))),
            None => fresh.push(s.row(&view, [id, org, owner, grant], scopes)),
        }
    }
    work.amend(s.views.slug, more).await?;
    work.log(s.views.slug, fresh).await?;
    let at = s.grants.at("lastSeenAt");
    let times = last_seen.into_iter().map(|(id, when)| (id, vec![(at, Value::Time(when))]));
    work.amend(s.grants.slug, times.collect()).await
}

impl Slots {
    fn opens(&self, grant: &Record, org: i64, owner: i64, animal: i64, when: i64) -> bool {
        let id = |path| grant.get(self.grants.at(path)).int();
        let time = |path| grant.get(self.grants.at(path)).time();
        let made = grant.get(self.grants.created_slot()).time();
        id("grantee") == Some(org)
            && id("owner") == Some(owner)
            && id("animal").is_none_or(|one| one == animal)
            && made.is_none_or(|made| made <= when)
            && time("revokedAt").is_none_or(|end| end > when)
            && time("expiresAt").is_none_or(|end| end > when)
    }

    fn scopes(&self, grants: &[&Record]) -> Value {
        let at = self.grants.at("scopes");
        let mut all: Vec<String> = Vec::new();
        for scope in grants.iter().flat_map(|g| g.get(at).texts()) {
            if !all.contains(scope) {
                all.push(scope.clone());
            }
        }
        Value::Texts(all)
    }

    fn same(&self, row: &Record, animal: i64, org: i64, owner: i64, day: i64) -> bool {
        let id = |path| row.get(self.views.at(path)).int();
        let first = row.get(self.views.at("firstAt")).time();
        id("animal") == Some(animal)
            && id("viewerOrg") == Some(org)
            && id("owner") == Some(owner)
            && first.map(|at| at.div_euclid(DAY)) == Some(day)
    }

    fn continued(&self, row: &Record, view: &View, scopes: Value) -> Vec<(usize, Value)> {
        let at = |path| self.views.at(path);
        let last = row.get(at("at")).time().unwrap_or_default();
        let before = row.get(at("sessions")).int().unwrap_or_default();
        let same = i64::from(view.first - last <= VISIT);
        vec![
            (at("at"), Value::Time(view.last.max(last))),
            (at("sessions"), Value::Int(before + view.visits - same)),
            (at("viewer"), view.user.into()),
            (at("scopes"), scopes),
        ]
    }

    fn row(&self, view: &View, [animal, org, owner, grant]: [i64; 4], scopes: Value) -> Record {
        let at = |path| self.views.at(path);
        let mut row = Record::empty(self.views.width());
        row.set(at("animal"), animal);
        row.set(at("viewerOrg"), org);
        row.set(at("owner"), owner);
        row.set(at("grant"), grant);
        row.set(at("viewer"), view.user);
        row.set(at("scopes"), scopes);
        row.set(at("firstAt"), Value::Time(view.first));
        row.set(at("at"), Value::Time(view.last));
        row.set(at("sessions"), view.visits);
        row
    }
}

//! What the page shows, read by a bounded statement for each part of it.

use crate::AppState;
use crate::observe::traffic::{Class, Client, HOUR, Hour, Reading, Sum, Totals};
use exchange::{Backlog, ReadPosition};
use model::error::Result;
use model::record::Value;
use model::registry::Feature;
use model::registry::notify::ORGANIZATION;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::{QUEUES, Sql, Ty};

/// Hours that are looked back at.
const HOURS: i64 = 24;
/// Batches and webhooks that are shown at most.
const SHOWN: i64 = 100;

/// The whole page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub(super) at: String,
    pub(super) since: String,
    pub(super) hours: Vec<Bar>,
    pub(super) clients: Vec<Row>,
    pub(super) feeds: Vec<Feed>,
    pub(super) batches: Vec<Batch>,
    pub(super) webhooks: Vec<Hook>,
    pub(super) queues: Vec<Queue>,
}

/// An hour of the chart.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Bar {
    pub(super) at: String,
    pub(super) requests: i64,
    pub(super) polls: i64,
    pub(super) not_modified: i64,
    pub(super) errors: i64,
    pub(super) limited: i64,
}

/// An organisation.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Named {
    pub(super) id: i64,
    pub(super) name: Option<String>,
}

/// A client at a face.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) class: &'static str,
    pub(super) organization: Option<Named>,
    pub(super) account: Option<i64>,
    pub(super) api_key: bool,
    pub(super) face: String,
    pub(super) agent: Option<String>,
    pub(super) last_contact: String,
    pub(super) requests: i64,
    pub(super) polls: i64,
    pub(super) polls_per_hour: f64,
    pub(super) not_modified_share: Option<f64>,
    /// Whole seconds; none: reads no feed.
    pub(super) lag_seconds: Option<i64>,
    pub(super) errors: i64,
    pub(super) last_error: Option<String>,
    pub(super) limited: i64,
}

/// How far a client has read a feed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Feed {
    pub(super) organization: Option<Named>,
    pub(super) account: i64,
    pub(super) dataset: String,
    pub(super) told: i64,
    pub(super) told_at: String,
    pub(super) newest: Option<i64>,
    pub(super) newest_at: Option<String>,
    pub(super) up_to_date: Option<bool>,
    pub(super) lag_seconds: Option<i64>,
}

/// A batch of which something was refused.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Batch {
    pub(super) id: String,
    pub(super) location: Named,
    pub(super) dataset: String,
    pub(super) account: Option<i64>,
    pub(super) created: String,
    pub(super) items: i64,
    pub(super) done: i64,
    pub(super) rejected: i64,
}

/// A webhook.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hook {
    pub(super) id: i64,
    pub(super) organization: Option<Named>,
    pub(super) dataset: String,
    pub(super) host: String,
    pub(super) state: &'static str,
    pub(super) reason: Option<String>,
    pub(super) failures: i64,
    pub(super) delivered_at: Option<String>,
}

/// What waits in the book.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Queue {
    pub(super) name: &'static str,
    pub(super) depth: i64,
    pub(super) age_seconds: i64,
}

/// Names of organisations by id.
type Names = BTreeMap<i64, String>;

/// Reads all of it.
///
/// # Errors
/// `Error::Unavailable`, `Error::Overloaded` or `Error::Late` when the database fails or is busy.
pub(super) async fn read(app: &AppState) -> Result<View> {
    let now = app.book.clock.now();
    let store = &app.book.store;
    let totals = app.traffic.totals(store, now, HOURS).await?;
    let since = totals.hours.first().map_or(now, |hour| hour.at);
    let behind = behind(app, &totals.readings).await?;
    let batches = app.exchange.feeds().flawed(store, since, SHOWN).await?;
    let hooks = webhooks::states(app.book.registry, store, SHOWN).await?;
    let ids = (totals.clients.iter().filter_map(|c| c.client.organization))
        .chain(totals.readings.iter().filter_map(|r| r.organization))
        .chain(batches.iter().map(|b| b.location))
        .chain(hooks.iter().filter_map(|h| h.organization));
    let names = names(app, ids.collect()).await?;
    let name = |id: i64| Named {
        id,
        name: names.get(&id).cloned(),
    };
    let feeds: Vec<Feed> = (totals.readings.iter().zip(&behind))
        .map(|(reading, behind)| feed(reading, behind, now, name))
        .collect();
    Ok(View {
        at: ade::time::format(now),
        since: ade::time::format(since),
        clients: (totals.clients.iter())
            .map(|sum| row(sum, &feeds, now, name))
            .collect(),
        hours: bars(&totals),
        feeds,
        batches: (batches.into_iter())
            .map(|batch| Batch {
                id: batch.id,
                location: name(batch.location),
                dataset: batch.dataset,
                account: batch.sender,
                created: ade::time::format(batch.created),
                items: batch.items,
                done: batch.done,
                rejected: batch.rejected,
            })
            .collect(),
        webhooks: (hooks.into_iter())
            .map(|hook| Hook {
                id: hook.id,
                organization: hook.organization.map(name),
                state: state(&hook),
                dataset: hook.dataset,
                host: hook.host,
                reason: hook.reason,
                failures: hook.failures,
                delivered_at: hook.delivered_at.map(ade::time::format),
            })
            .collect(),
        queues: queues(app, now).await?,
    })
}

fn state(hook: &webhooks::WebhookState) -> &'static str {
    match (hook.enabled, hook.failures > 0, hook.waits) {
        (false, ..) => "off",
        (true, true, _) => "failing",
        (true, false, true) => "waiting",
        (true, false, false) => "delivered",
    }
}

fn bars(totals: &Totals) -> Vec<Bar> {
    let bar = |hour: &Hour| Bar {
        at: ade::time::format(hour.at),
        requests: hour.counts.requests,
        polls: hour.counts.polls,
        not_modified: hour.counts.not_modified,
        errors: hour.counts.errors,
        limited: hour.counts.limited,
    };
    totals.hours.iter().map(bar).collect()
}

fn row(sum: &Sum, feeds: &[Feed], now: i64, name: impl Fn(i64) -> Named) -> Row {
    let Client {
        class,
        organization,
        user,
        by_key,
    } = sum.client;
    let counts = &sum.counts;
    let began = now.saturating_sub(sum.first).max(0);
    let hours = ratio(began.max(HOUR), HOUR);
    let polls = ratio(counts.polls, 1);
    // Feeds belong to the exchange, and to accounts; of another face they would say nothing.
    let read = feeds.iter().filter(|feed| {
        sum.face == "ade" && class != Class::Anonymous && Some(feed.account) == user
    });
    Row {
        class: class.word(),
        organization: organization.map(name),
        account: user,
        api_key: by_key,
        face: sum.face.clone(),
        agent: counts.agent.clone(),
        last_contact: ade::time::format(counts.last),
        requests: counts.requests,
        polls: counts.polls,
        polls_per_hour: (polls / hours * 10.0).round() / 10.0,
        not_modified_share: (counts.polls > 0)
            .then(|| (ratio(counts.not_modified, counts.polls) * 1000.0).round() / 1000.0),
        lag_seconds: read.filter_map(|feed| feed.lag_seconds).max(),
        errors: counts.errors,
        last_error: counts.last_error.clone(),
        limited: counts.limited,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "shown with one digit behind the point"
)]
fn ratio(part: i64, whole: i64) -> f64 {
    part as f64 / whole as f64
}

fn feed(reading: &Reading, behind: &Backlog, now: i64, name: impl Fn(i64) -> Named) -> Feed {
    let up_to_date = behind.newest.map(|newest| newest <= reading.seq);
    let since = behind.since.or(behind.newest_at);
    let lag = match up_to_date {
        Some(false) => since.map(|since| now.saturating_sub(since).max(0) / 1000),
        Some(true) => Some(0),
        None => None,
    };
    Feed {
        organization: reading.organization.map(name),
        account: reading.user,
        dataset: reading.dataset.to_string(),
        told: reading.seq,
        told_at: ade::time::format(reading.at),
        newest: behind.newest,
        newest_at: behind.newest_at.map(ade::time::format),
        up_to_date,
        lag_seconds: lag,
    }
}

async fn behind(app: &AppState, readings: &[Reading]) -> Result<Vec<Backlog>> {
    let reads: Vec<ReadPosition<'_>> = (readings.iter())
        .map(|reading| ReadPosition {
            dataset: &reading.dataset,
            location: reading.organization,
            seq: reading.seq,
        })
        .collect();
    app.exchange.feeds().backlogs(&app.book.store, &reads).await
}

/// Names of organisations; the declaration of webhooks says which field names theirs.
async fn names(app: &AppState, ids: BTreeSet<i64>) -> Result<Names> {
    let registry = app.book.registry;
    let whose = registry.with_feature(Feature::Webhooks);
    let whose = whose.and_then(|c| c.field(ORGANIZATION)?.target());
    let Some(c) = whose.and_then(|slug| registry.get(slug)) else {
        return Ok(Names::new());
    };
    let Some(field) = c.field("name").filter(|_| !ids.is_empty()) else {
        return Ok(Names::new());
    };
    let mut sql = Sql::new("SELECT \"id\", ");
    sql.name(&field.column).push(" FROM ").name(&c.table);
    sql.push(" WHERE \"id\" IN ");
    sql.bind_list(Ty::Int, ids.into_iter().map(Value::Int));
    let rows = app.book.store.rows(sql.one_off()).await?;
    let name = |row: &store::Row| Some((row.int(0)?, row.text(1)?.to_owned()));
    Ok(rows.iter().filter_map(name).collect())
}

async fn queues(app: &AppState, now: i64) -> Result<Vec<Queue>> {
    let store = &app.book.store;
    let mut all = Vec::new();
    for queue in QUEUES {
        all.push((queue.name, store.queue_length(queue).await?));
    }
    let hooks = webhooks::waiting(app.book.registry, store).await?;
    all.push(("webhooks", hooks));
    let queues = all.into_iter().map(|(name, waiting)| Queue {
        name,
        depth: waiting.depth,
        age_seconds: (waiting.oldest).map_or(0, |at| now.saturating_sub(at).max(0) / 1000),
    });
    Ok(queues.collect())
}

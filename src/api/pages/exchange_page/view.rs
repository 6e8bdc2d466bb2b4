//! What the page shows, read by a bounded statement for each part of it.

use crate::AppState;
use crate::observe::traffic::{Class, Client, HOUR, Hour, Reading, Sum};
use exchange::{Backlog, ReadPosition};
use model::error::Result;
use model::record::Value;
use model::registry::Feature;
use model::registry::notify::ORGANIZATION;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use store::{QUEUES, Sql, Ty};

/// Hours that are looked back at.
const HOURS: i64 = 24;
/// Batches and webhooks that are shown at most.
const SHOWN: i64 = 100;

/// Names of organisations by id.
type Names = BTreeMap<i64, String>;

pub(super) async fn read(app: &AppState) -> Result<Json> {
    let now = app.book.clock.now();
    let store = &app.book.store;
    let totals = app.traffic.totals(store, now, HOURS).await?;
    let since = totals.hours.first().map_or(now, |hour| hour.at);
    let backlogs = backlogs(app, &totals.readings).await?;
    let batches = app.exchange.feeds().flawed(store, since, SHOWN).await?;
    let hooks = webhooks::states(app.book.registry, store, SHOWN).await?;
    let ids = (totals.clients.iter().filter_map(|c| c.client.organization))
        .chain(totals.readings.iter().filter_map(|r| r.organization))
        .chain(batches.iter().map(|b| b.location))
        .chain(hooks.iter().filter_map(|h| h.organization));
    let names = names(app, ids.collect()).await?;
    let name = |id: i64| json!({"id": id, "name": names.get(&id)});
    let feeds: Vec<Json> =
        (totals.readings.iter().zip(&backlogs)).map(|(reading, backlog)| feed(reading, backlog, now, name)).collect();
    let clients = totals.clients.iter().map(|sum| client(sum, &feeds, now, name));
    let batches = batches.into_iter().map(|batch| {
        json!({
            "id": batch.id, "location": name(batch.location), "dataset": batch.dataset, "account": batch.sender,
            "created": ade::time::format(batch.created),
            "items": batch.items, "done": batch.done, "rejected": batch.rejected,
        })
    });
    let hooks = hooks.iter().map(|hook| {
        json!({
            "id": hook.id, "organization": hook.organization.map(name), "dataset": hook.dataset, "host": hook.host,
            "state": state(hook), "reason": hook.reason, "failures": hook.failures,
            "deliveredAt": hook.delivered_at.map(ade::time::format),
        })
    });
    let queues = queues(app, now).await?;
    Ok(json!({
        "at": ade::time::format(now), "since": ade::time::format(since),
        "hours": totals.hours.iter().map(bar).collect::<Vec<_>>(),
        "clients": clients.collect::<Vec<_>>(),
        "feeds": feeds,
        "batches": batches.collect::<Vec<_>>(),
        "webhooks": hooks.collect::<Vec<_>>(),
        "queues": queues,
    }))
}

fn state(hook: &webhooks::WebhookState) -> &'static str {
    match (hook.enabled, hook.failures > 0, hook.waits) {
        (false, ..) => "off",
        (true, true, _) => "failing",
        (true, false, true) => "waiting",
        (true, false, false) => "delivered",
    }
}

/// An hour of the chart.
fn bar(hour: &Hour) -> Json {
    let counts = &hour.counts;
    json!({
        "at": ade::time::format(hour.at), "requests": counts.requests, "polls": counts.polls,
        "notModified": counts.not_modified, "errors": counts.errors, "limited": counts.limited,
    })
}

fn client(sum: &Sum, feeds: &[Json], now: i64, name: impl Fn(i64) -> Json) -> Json {
    let Client { class, organization, user, by_key } = sum.client;
    let counts = &sum.counts;
    let began = now.saturating_sub(sum.first).max(0);
    let hours = ratio(began.max(HOUR), HOUR);
    let polls = ratio(counts.polls, 1);
    let share = (counts.polls > 0).then(|| (ratio(counts.not_modified, counts.polls) * 1000.0).round() / 1000.0);
    let number = |feed: &Json, name: &str| feed.get(name).and_then(Json::as_i64);
    // Feeds belong to the exchange, and to accounts; of another face they would say nothing.
    let read =
        feeds.iter().filter(|feed| sum.face == "ade" && class != Class::Anonymous && number(feed, "account") == user);
    json!({
        "class": class.word(), "organization": organization.map(name), "account": user, "apiKey": by_key,
        "face": sum.face, "agent": counts.agent, "lastContact": ade::time::format(counts.last),
        "requests": counts.requests, "polls": counts.polls,
        "pollsPerHour": (polls / hours * 10.0).round() / 10.0,
        "notModifiedShare": share,
        // Whole seconds; none: reads no feed.
        "lagSeconds": read.filter_map(|feed| number(feed, "lagSeconds")).max(),
        "errors": counts.errors, "lastError": counts.last_error, "limited": counts.limited,
    })
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit behind the point")]
fn ratio(part: i64, whole: i64) -> f64 {
    part as f64 / whole as f64
}

/// How far a client has read a feed.
fn feed(reading: &Reading, backlog: &Backlog, now: i64, name: impl Fn(i64) -> Json) -> Json {
    let up_to_date = backlog.newest.map(|newest| newest <= reading.seq);
    let since = backlog.since.or(backlog.newest_at);
    let lag = match up_to_date {
        Some(false) => since.map(|since| now.saturating_sub(since).max(0) / 1000),
        Some(true) => Some(0),
        None => None,
    };
    json!({
        "organization": reading.organization.map(name), "account": reading.user, "dataset": &*reading.dataset,
        "told": reading.seq, "toldAt": ade::time::format(reading.at),
        "newest": backlog.newest, "newestAt": backlog.newest_at.map(ade::time::format),
        "upToDate": up_to_date, "lagSeconds": lag,
    })
}

async fn backlogs(app: &AppState, readings: &[Reading]) -> Result<Vec<Backlog>> {
    let reads: Vec<ReadPosition<'_>> = (readings.iter())
        .map(|reading| ReadPosition { dataset: &reading.dataset, location: reading.organization, seq: reading.seq })
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

async fn queues(app: &AppState, now: i64) -> Result<Vec<Json>> {
    let store = &app.book.store;
    let mut all = Vec::new();
    for queue in QUEUES {
        all.push((queue.name, store.queue_length(queue).await?));
    }
    let hooks = webhooks::waiting(app.book.registry, store).await?;
    all.push(("webhooks", hooks));
    let queues = all.into_iter().map(|(name, waiting)| {
        let age = (waiting.oldest).map_or(0, |at| now.saturating_sub(at).max(0) / 1000);
        json!({"name": name, "depth": waiting.depth, "ageSeconds": age})
    });
    Ok(queues.collect())
}

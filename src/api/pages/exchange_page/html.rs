//! The page itself. Everything that comes from outside (names, programs, hosts) is text to the
//! template, which escapes it.

use super::chart::chart;
use super::view::{Feed, Named, Row, View};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");

/// A whole document.
fn document(body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Exchange" }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    };
    page.into_string()
}

/// The page for visitors without the right to see it.
pub(super) fn forbidden() -> String {
    document(&html! {
        h1 { "Exchange" }
        p { "This page is about the clients of all organisations, and is for the Association." }
    })
}

/// The page.
pub(super) fn page(view: &View) -> String {
    document(&html! {
        h1 { "Exchange" }
        p class="note" {
            "As of " (minute(&view.at)) " UTC, since " (minute(&view.since))
            ". Of other processes the last minute is missing. "
            a href="/exchange.json" { "The same as JSON" }
        }
        section { h2 { "Requests by hour" } (chart(&view.hours)) }
        section { h2 { "Clients" } (clients(&view.clients)) }
        section { h2 { "Feeds" } (feeds(&view.feeds)) }
        section { h2 { "Batches with failures" } (batches(view)) }
        section { h2 { "Webhooks" } (webhooks(view)) }
        section { h2 { "What waits" } (queues(view)) }
    })
}

/// A table whose rows become blocks on narrow screens: each cell contains the name of its
/// column.
fn table(heads: &[&str], rows: Vec<Vec<Markup>>, none: &str) -> Markup {
    html! {
        @if rows.is_empty() {
            p class="none" { (none) }
        } @else {
            table {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (head, cell) in heads.iter().zip(row) {
                                td data-head=(head) { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn clients(rows: &[Row]) -> Markup {
    let heads = [
        "Client",
        "Face",
        "Last contact",
        "Requests",
        "Polls an hour",
        "304",
        "Lag",
        "Errors",
        "Over limit",
    ];
    let row = |row: &Row| {
        let share = row.not_modified_share;
        vec![
            html! {
                (whose(row.organization.as_ref(), row.account, row.class))
                @if row.api_key { " " span class="tag" { "API key" } }
                @if let Some(agent) = &row.agent { br; small { (agent) } }
            },
            html! { (row.face) },
            html! { (minute(&row.last_contact)) },
            html! { (row.requests) },
            html! { (row.polls_per_hour) },
            html! { @match share {
                Some(share) => { (percent(share)) }
                None => "–"
            } },
            lag(row.lag_seconds),
            html! {
                @if row.errors > 0 { span class="bad" { (row.errors) } } @else { "0" }
                @if let Some(last) = &row.last_error { br; small { (last) } }
            },
            html! { @if row.limited > 0 { span class="bad" { (row.limited) } } @else { "0" } },
        ]
    };
    table(&heads, rows.iter().map(row).collect(), "No calls.")
}

fn feeds(feeds: &[Feed]) -> Markup {
    let heads = [
        "Client",
        "Data set",
        "Reported up to",
        "Reported at",
        "Newest",
        "Lag",
    ];
    let row = |feed: &Feed| {
        vec![
            whose(
                feed.organization.as_ref(),
                Some(feed.account),
                "association",
            ),
            html! { (feed.dataset) },
            html! { (feed.told) },
            html! { (minute(&feed.told_at)) },
            html! {
                @if let Some(newest) = feed.newest { (newest) } @else { "–" }
                @if let Some(at) = &feed.newest_at { br; small { (minute(at)) } }
            },
            lag(feed.lag_seconds),
        ]
    };
    let rows = feeds.iter().map(row).collect();
    table(&heads, rows, "No feed was read.")
}

fn batches(view: &View) -> Markup {
    let heads = ["Batch", "Location", "Data set", "Sent", "Refused", "Of"];
    let row = |batch: &super::view::Batch| {
        vec![
            html! { code { (batch.id) } },
            html! { (named(&batch.location)) @if let Some(id) = batch.account { br; small { "account " (id) } } },
            html! { (batch.dataset) },
            html! { (minute(&batch.created)) },
            html! { span class="bad" { (batch.rejected) } },
            html! { (batch.items) @if batch.done < batch.items { " (" (batch.done) " done)" } },
        ]
    };
    let rows = view.batches.iter().map(row).collect();
    table(&heads, rows, "No batch had failures.")
}

fn webhooks(view: &View) -> Markup {
    let heads = [
        "Webhook",
        "Data set",
        "Receiver",
        "State",
        "Failures",
        "Delivered",
    ];
    let row = |hook: &super::view::Hook| {
        let bad = hook.failures > 0 || hook.state == "off";
        vec![
            html! { (hook.id) " " @match &hook.organization {
                Some(organization) => { (named(organization)) }
                None => "all locations"
            } },
            html! { (hook.dataset) },
            html! { (hook.host) },
            html! {
                span class=(if bad { "bad" } else { "" }) { (hook.state) }
                @if let Some(reason) = &hook.reason { br; small { (reason) } }
            },
            html! { (hook.failures) },
            html! { @if let Some(at) = &hook.delivered_at { (minute(at)) } @else { "never" } },
        ]
    };
    let rows = view.webhooks.iter().map(row).collect();
    table(&heads, rows, "No webhook is registered.")
}

fn queues(view: &View) -> Markup {
    let heads = ["Queue", "Waiting", "Oldest"];
    let row = |queue: &super::view::Queue| {
        vec![
            html! { (queue.name) },
            html! { (queue.depth) },
            lag(Some(queue.age_seconds)),
        ]
    };
    table(&heads, view.queues.iter().map(row).collect(), "Nothing.")
}

fn whose(organization: Option<&Named>, account: Option<i64>, class: &str) -> Markup {
    html! {
        @match organization {
            Some(organization) => { (named(organization)) }
            None => { (class) }
        }
        @if let Some(id) = account { small { " account " (id) } }
    }
}

fn named(organization: &Named) -> Markup {
    html! {
        @match &organization.name {
            Some(name) => { (name) }
            None => { "#" (organization.id) }
        }
    }
}

fn lag(seconds: Option<i64>) -> Markup {
    html! { @match seconds {
        None => "–",
        Some(s) if s < 120 => { (s) " s" }
        Some(s) if s < 7_200 => { (s / 60) " min" }
        Some(s) if s < 172_800 => { (s / 3_600) " h" }
        Some(s) => { (s / 86_400) " d" }
    } }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Day, hour and minute of a time.
fn minute(at: &str) -> String {
    at.get(..16).unwrap_or(at).replace('T', " ")
}

//! Concurrent senders, and a reader at the same time.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::checks::sending::Sender;
use crate::client::Who;
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{DataSet, Reading, Visit};

/// Documents that are sent at once, and how many times.
const SENDERS: usize = 4;
const TURNS: usize = 3;

pub(super) async fn none(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some((sender, set)) = Sender::with_set(v, t, "gap").await else {
        return;
    };
    let readings = v.readings().await.iter();
    let mut complete = readings.filter(|r| r.set.name == set.name && r.complete);
    match complete.next().and_then(Reading::last_token) {
        Some(token) => judge(t, &sender, &set, token.to_owned()).await,
        None => t.skip_all(super::NOT_READ),
    }
    sender.clean().await;
}

async fn judge(t: &mut Tally<'_>, sender: &Sender<'_>, set: &DataSet, token: String) {
    let all: Vec<Value> = (0..SENDERS * TURNS).map(|_| sender.document()).collect();
    let (stored, came) = tokio::join!(send(sender, &all), read(sender, set, token, &all));
    for one in all {
        let pair = document::pair(&one);
        if !stored.contains(&pair) {
            continue;
        }
        require!(t, "profile.no-gap", came.contains(&pair), None,
            "{} along the reading beside the senders", document::name(&one); found "it never came");
    }
}

type Pairs = BTreeSet<Option<(String, String)>>;

/// Sends documents; returns the accepted ones.
async fn send(sender: &Sender<'_>, all: &[Value]) -> Pairs {
    let mut stored = Pairs::new();
    for turn in all.chunks(SENDERS) {
        if let [a, b, c, d] = turn {
            let (ea, eb, ec, ed) = tokio::join!(sender.post(a), sender.post(b), sender.post(c), sender.post(d));
            for (one, e) in turn.iter().zip([ea, eb, ec, ed]) {
                if e.ok() {
                    stored.insert(document::pair(one));
                }
            }
        }
    }
    stored
}

/// The documents that came along one chain, until all have come or patience ends.
async fn read(sender: &Sender<'_>, set: &DataSet, mut token: String, all: &[Value]) -> Pairs {
    let wanted: Pairs = all.iter().map(document::pair).collect();
    let mut came = Pairs::new();
    let patience = sender.visit.options.patience + Duration::from_secs(5);
    let mut quiet = Instant::now() + patience;
    let mut remaining = sender.visit.options.bounds.feed_pages;
    while Instant::now() < quiet && remaining > 0 && !wanted.is_subset(&came) {
        remaining -= 1;
        let page = sender.visit.changes(set, Some(&token), &[], Who::Main).await;
        let Some(page) = page.filter(|p| p.exchange.status == 200) else {
            break;
        };
        if page.elements.is_empty() {
            sleep(Duration::from_millis(200)).await;
        }
        let before = came.len();
        came.extend(page.elements.iter().map(document::pair));
        // A feed that leads back to earlier pages would repeat itself for ever.
        if came.len() > before {
            quiet = Instant::now() + patience;
        }
        match page.token {
            Some(next) => token = next,
            None => break,
        }
    }
    came
}

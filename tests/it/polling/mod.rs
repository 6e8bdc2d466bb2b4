//! Cheap polling: conditional requests, and cached answers (docs/design/cache.md, *When it is valid*; docs/polling.md,
//! *Conditional requests*).

mod conditional;
mod revoked;
mod stale;

use crate::rest::stage::Stage;

/// How many answers came from the cache so far.
async fn hits(stage: &Stage) -> u64 {
    let text = stage.get("/metrics").await.text;
    let line = "herdbook_http_kept_total{outcome=\"hit\"} ";
    let found = text.lines().find_map(|l| l.strip_prefix(line));
    found.map_or(0, |n| n.parse().unwrap())
}

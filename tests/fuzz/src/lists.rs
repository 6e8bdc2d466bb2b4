//! Lists of the REST face: any query is answered or refused with its reason, the same way each
//! time; a page has no more rows than were requested, a table has one form and runs no formula.

use crate::draw::Draw;
use crate::exchange::tables;
use crate::query::{SEEDS, WORDS};
use crate::world::{Heard, World, address};
use axum::body::Body;
use axum::http::header::ACCEPT;
use std::sync::LazyLock;

static WORLD: LazyLock<World> = LazyLock::new(World::new);

/// The addresses of lists; nothing is written here, so that answers do not change.
const PATHS: &[&str] = &[
    "/api/animals",
    "/api/milk-tests",
    "/api/organizations",
    "/api/calvings",
    "/api/herds",
    "/api/users",
    "/api/animals/count",
    "/api/animals/1",
    "/api/animals/1/pedigree",
    "/ade/v1/locations/org.herdbook.orgid/2/animals",
    "/ade/v1/locations/org.herdbook.orgid/2/test-day-results",
    "/ade/v1/datasets/everything/changes",
    "/ade/v1/locations",
];

const MORE_WORDS: &[&str] = &[
    "pageSize=",
    "page=",
    "meta-modified-from=",
    "meta-modified-to=",
    "since=",
    "limit=1",
    "animal-id=",
    "animal-scheme=",
    "format=xml",
    "format=csv",
    "cursor=",
    "at=",
    "full=true",
    "location-scheme=",
    "location-id=",
    "start-date-time=",
    "2025-01-01T00:00:00Z",
    "generations=9",
];

const FORMS: &[&str] = &["application/json", "text/csv", "application/x-ndjson", "*/*", "application/xml"];

pub(crate) fn check(draw: &mut Draw<'_>) {
    let who = draw.below(4);
    let (path, form) = (*draw.pick(PATHS), *draw.pick(FORMS));
    let words: Vec<&str> = WORDS.iter().chain(MORE_WORDS).copied().collect();
    let query = draw.text(SEEDS, &words);
    let path = format!("{path}?{}", address(&query));
    let ask = || {
        let request = WORLD.request(who, "GET", &path).header(ACCEPT, form);
        WORLD.ask(request.body(Body::empty()).unwrap())
    };
    let heard = ask();
    if heard.status == 200 {
        page(&path, &heard);
    }
    // Except for the exchange, which states the present time, the same request has the same answer.
    if heard.is_json() && !path.starts_with("/ade") {
        let repeated = ask();
        assert_eq!(repeated.status, heard.status, "{path}");
        assert_eq!(repeated.text(), heard.text(), "{path}");
    }
}

fn page(path: &str, heard: &Heard) {
    if heard.header(axum::http::header::CONTENT_TYPE).starts_with("text/csv") {
        tables::safe(&heard.body, path);
        return;
    }
    let json = heard.json();
    let Some(docs) = json["docs"].as_array() else {
        return;
    };
    if let Some(limit) = json["limit"].as_u64().filter(|limit| *limit > 0) {
        assert!(docs.len() as u64 <= limit, "{path}: {json}");
    }
    if let Some(total) = json["totalDocs"].as_u64() {
        assert!(docs.len() as u64 <= total, "{path}: {json}");
    }
    // A row is its own document, and occurs once.
    let ids: Vec<_> = docs.iter().map(|doc| doc["id"].as_i64()).collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "a row twice: {path}: {json}");
}

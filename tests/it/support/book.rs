//! What every world of the tests is made of: settings, a book, and how an answer is read.

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::Request;
use axum::http::response::Parts;
use config::{Settings, Sources};
use model::clock::Clock;
use model::registry::Registry;
use ops::{Book, FillRow, Projection};
use secure::keys::KeyRing;
use secure::password::{PasswordCost, Passwords};
use std::sync::Arc;
use store::Store;
use tower::ServiceExt;

/// 2026-03-01T12:00:00Z
pub(crate) const NOW: i64 = 1_772_366_400_000;
pub(crate) const SECRET: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";
/// The password of every user.
pub(crate) const PASSWORD: &str = "demo-herdbook";

/// Settings of a test: the defaults with these changes. The clock of a test is stopped, so that no quota would
/// ever refill: there is no limit unless the test is about limits.
pub(crate) fn settings(changed: impl IntoIterator<Item = (&'static str, String)>) -> Settings {
    let mut sources = Sources { flags: changed.into_iter().collect(), ..Sources::default() };
    if !sources.flags.keys().any(|key| key.starts_with("limits.")) {
        for lane in ["read", "write", "bulk", "sign_in"] {
            let key = config::KEYS.iter().find(|key| key.name == format!("limits.{lane}"));
            sources.flags.insert(key.unwrap().name, "0".to_owned());
        }
    }
    Settings::load(&sources).unwrap()
}

/// A book over this store, with passwords that are checked quickly.
pub(crate) fn book_over(
    registry: &'static Registry,
    store: Store,
    clock: Clock,
    projection: Arc<dyn Projection>,
) -> Book {
    let cost = PasswordCost { memory_kib: 64, passes: 1, lanes: 1 };
    let passwords = Arc::new(Passwords::new(cost).unwrap());
    let keys = Arc::new(KeyRing::new(SECRET, None).unwrap());
    Book::new(registry, store, clock, projection, passwords, keys)
}

/// The answer to a request, with its whole body.
pub(crate) async fn answered(router: &Router, request: Request<Body>) -> (Parts, Bytes) {
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    (parts, to_bytes(body, usize::MAX).await.unwrap())
}

/// The rows of a demonstration book, in the sets in which they are written.
pub(crate) fn demo_rows(animals: usize) -> Vec<Vec<FillRow>> {
    let made = demo::generate(&demo::Options { animals, ..demo::Options::default() });
    let row = |row: demo::SeedRow| FillRow {
        collection: row.collection,
        id: row.id,
        data: row.data.into_iter().chain(row.system).collect(),
        hidden: Vec::new(),
    };
    let sets = demo::waves(made.rows).into_iter();
    sets.map(|set| set.into_iter().map(row).collect()).collect()
}

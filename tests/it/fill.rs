//! The synthetic book fills a fresh book.

use crate::support::fixture::built_in;
use exchange::Exchange;
use mapping::Settings;
use model::clock::Clock;
use ops::{Book, FillRow};
use secure::{keys, password};
use std::sync::Arc;
use store::{Durability, Store};

#[tokio::test(flavor = "multi_thread")]
async fn the_synthetic_book_fills_a_fresh_one() {
    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", dir.path().join("book.db").display());
    let store = Store::open(&url, Durability::Normal, Clock::system(), true)
        .await
        .unwrap();
    let registry = domain::collections::registry().unwrap();
    let settings = Settings::default();
    let exchange = Exchange::new(registry, built_in(), &settings);
    let book = Book::new(
        registry,
        store,
        Clock::system(),
        Arc::new(exchange.projector().clone()),
        Arc::new(password::Passwords::new(password::PasswordCost::default()).unwrap()),
        Arc::new(keys::KeyRing::new(&keys::random_secret(), None).unwrap()),
    );
    let made = demo::generate(&demo::Options {
        animals: 150,
        seed: 1,
    });
    let started = std::time::Instant::now();
    let mut run: Vec<FillRow> = Vec::new();
    for row in made.rows {
        if run.first().is_some_and(|f| f.collection != row.collection) || run.len() >= 500 {
            book.fill(std::mem::take(&mut run))
                .await
                .unwrap_or_else(|e| panic!("{e}"));
        }
        let mut data = row.data;
        data.extend(row.system);
        run.push(FillRow {
            collection: row.collection,
            id: row.id,
            data,
            hidden: vec![],
        });
    }
    book.fill(run).await.unwrap_or_else(|e| panic!("{e}"));
    eprintln!("filled in {:?}", started.elapsed());
}

//! How long statements may take, whom connections are for, and what is owed for it.

use super::stopping::{ENDLESS, ended};
use super::{Place, Sql};
use crate::error::Error;
use crate::store::{Readers, Share, Store, Terms};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

const LONG: Duration = Duration::from_secs(600);
/// Short, where a test waits for it in vain.
const SHORT: Duration = Duration::from_millis(60);

fn terms(share: Share, each: Duration, patience: Duration) -> Arc<Terms> {
    Arc::new(Terms::new(share, each, LONG, patience))
}

/// Open connections that answer the next statement.
fn pooled(place: &Place) -> usize {
    match &place.store.readers {
        Readers::Sqlite(readers) => readers.pool.status().size,
        Readers::Postgres(readers, _) => readers.pool.status().size,
    }
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_stopped_and_its_connection_goes_on() {
    for place in Place::each().await {
        let terms = terms(Share::Anybody, SHORT, LONG);
        for _ in 0..3 {
            let asked = place.store.rows(Sql::new(ENDLESS));
            let late = Arc::clone(&terms).over(asked).await;
            assert!(matches!(late, Err(Error::Late)), "{late:?}");
            // One that would take as long as it likes uses the same connection.
            assert_eq!(place.names().await, [""; 0]);
            assert_eq!(pooled(&place), 1);
        }
        ended(&place).await;
        assert!(terms.spent() >= 3 * SHORT, "{:?}", terms.spent());
        place.store.close().await;
    }
}

#[tokio::test]
async fn so_is_one_whose_rows_are_read_as_they_come() {
    for place in Place::each().await {
        let rows = ENDLESS.replace("count(*)", "a.i, b.i, c.i");
        let whole = Terms::new(Share::Anybody, LONG, SHORT, LONG);
        let first = Terms::new(Share::Anybody, SHORT, LONG, LONG);
        for (terms, sql) in [(whole, rows.as_str()), (first, ENDLESS)] {
            let terms = Arc::new(terms);
            // Kept by the store, wherever the rows are read.
            let bound = Arc::clone(&terms).over(async { place.store.bound() }).await;
            let mut rows = bound.stream(Sql::new(sql));
            let last = loop {
                match rows.next().await {
                    Some(Ok(_)) => {}
                    last => break last,
                }
            };
            assert!(matches!(last, Some(Err(Error::Late))), "{last:?}");
            assert!(terms.spent() >= SHORT);
        }
        ended(&place).await;
        assert_eq!(place.names().await, [""; 0]);
        place.store.close().await;
    }
}

/// Asks without an end, more often than there are connections.
fn crowd(store: &Store, share: Share) -> Vec<JoinHandle<()>> {
    let ask = |_| {
        let store = store.clone();
        let terms = terms(share, LONG, LONG);
        tokio::spawn(async move {
            let _ = terms.over(store.rows(Sql::new(ENDLESS))).await;
        })
    };
    (0..30).map(ask).collect()
}

#[tokio::test]
async fn who_asks_freely_leaves_connections_to_others() {
    for place in Place::each().await {
        let ask = async |share| {
            let asked = place.store.rows(Sql::new("SELECT 1"));
            terms(share, LONG, SHORT).over(asked).await
        };
        assert!(ask(Share::Anybody).await.is_ok());
        let mut all = crowd(&place.store, Share::Anybody);
        // Until all places are taken.
        while ask(Share::Anybody).await.is_ok() {}
        assert!(matches!(ask(Share::Anybody).await, Err(Error::Overloaded)));
        assert!(ask(Share::Reserved).await.is_ok());
        assert_eq!(place.names().await, [""; 0]);

        all.extend(crowd(&place.store, Share::Reserved));
        while ask(Share::Reserved).await.is_ok() {}
        assert!(matches!(ask(Share::Reserved).await, Err(Error::Overloaded)));
        // Jobs and health, and streams.
        assert_eq!(place.names().await, [""; 0]);
        let bound = terms(Share::Anybody, LONG, SHORT);
        let bound = bound.over(async { place.store.bound() }).await;
        let rows: Vec<_> = bound.stream(Sql::new("SELECT 1")).collect().await;
        assert!(matches!(rows.as_slice(), [Ok(_)]), "{rows:?}");

        for one in all {
            one.abort();
        }
        ended(&place).await;
        assert!(ask(Share::Anybody).await.is_ok());
        place.store.close().await;
    }
}

#[tokio::test]
async fn who_goes_away_owes_for_what_ran_until_then() {
    for place in Place::each().await {
        assert_eq!(place.names().await, [""; 0]);
        let terms = terms(Share::Anybody, LONG, LONG);
        let asked = place.store.rows(Sql::new(ENDLESS));
        let asked = Arc::clone(&terms).over(asked);
        assert!(tokio::time::timeout(8 * SHORT, asked).await.is_err());
        assert!(terms.spent() > Duration::ZERO);
        assert_eq!(terms.rows(), 0);
        let few = Arc::clone(&terms).over(place.store.rows(Sql::new("SELECT 1 UNION SELECT 2")));
        few.await.unwrap();
        assert_eq!(terms.rows(), 2);
        ended(&place).await;
        place.store.close().await;
    }
}

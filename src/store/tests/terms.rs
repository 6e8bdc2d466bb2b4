//! How long statements may take, whom connections are for, and what is owed for it.

use super::stopping::{ENDLESS, ended};
use super::{Sql, TestBook};
use crate::readers::terms::StatementTimer;
use crate::{Readers, Share, StatementTerms, Store};
use futures_util::StreamExt;
use model::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

const LONG: Duration = Duration::from_secs(600);
/// Short, where a test waits for it in vain.
const SHORT: Duration = Duration::from_millis(60);

fn terms(share: Share, each: Duration, patience: Duration) -> Arc<StatementTerms> {
    Arc::new(StatementTerms::new(share, each, LONG, patience))
}

/// Open connections that answer the next statement.
fn pooled(book: &TestBook) -> usize {
    match &book.store.readers {
        Readers::Sqlite(readers) => readers.pool.status().size,
        Readers::Postgres(readers, _) => readers.pool.status().size,
    }
}

#[test_each(TestBook::each())]
async fn a_statement_that_takes_too_long_is_stopped_and_its_connection_goes_on(book: TestBook) {
    let terms = terms(Share::Anybody, SHORT, LONG);
    for _ in 0..3 {
        let query = book.store.rows(Sql::new(ENDLESS));
        let late = Arc::clone(&terms).scope(query).await;
        assert!(matches!(late, Err(Error::Late)), "{late:?}");
        // One that would take as long as it likes uses the same connection.
        assert_eq!(book.names().await, [""; 0]);
        assert_eq!(pooled(&book), 1);
    }
    ended(&book).await;
    assert!(terms.spent() >= 3 * SHORT, "{:?}", terms.spent());
    book.store.close().await;
}

#[test_each(TestBook::each())]
async fn so_is_one_whose_rows_are_read_as_they_come(book: TestBook) {
    let rows = ENDLESS.replace("count(*)", "a.i, b.i, c.i");
    let whole = StatementTerms::new(Share::Anybody, LONG, SHORT, LONG);
    let first = StatementTerms::new(Share::Anybody, SHORT, LONG, LONG);
    for (terms, sql) in [(whole, rows.as_str()), (first, ENDLESS)] {
        let terms = Arc::new(terms);
        // The store applies the terms, wherever the rows are read.
        let bound = Arc::clone(&terms).scope(async { book.store.bound() }).await;
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
    ended(&book).await;
    assert_eq!(book.names().await, [""; 0]);
    book.store.close().await;
}

/// Asks without an end, more often than there are connections, each for a client of its own.
fn crowd(store: &Store, share: Share) -> Vec<JoinHandle<()>> {
    crowd_of(store, share, 1..31)
}

fn crowd_of(store: &Store, share: Share, clients: impl Iterator<Item = u64>) -> Vec<JoinHandle<()>> {
    let ask = |client| {
        let store = store.clone();
        let terms = Arc::new(StatementTerms::new(share, LONG, LONG, LONG).for_client(client));
        tokio::spawn(async move {
            let _ = terms.scope(store.rows(Sql::new(ENDLESS))).await;
        })
    };
    clients.map(ask).collect()
}

#[test_each(TestBook::each())]
async fn a_client_leaves_half_of_the_connections_to_others(book: TestBook) {
    for share in [Share::Anybody, Share::Reserved] {
        let ask = async |client| {
            let terms = Arc::new(StatementTerms::new(share, LONG, LONG, SHORT).for_client(client));
            terms.scope(book.store.rows(Sql::new("SELECT 1"))).await
        };
        let all = crowd_of(&book.store, share, std::iter::repeat_n(7, 30));
        // Until it has all that it gets.
        while ask(7).await.is_ok() {}
        assert!(matches!(ask(7).await, Err(Error::Overloaded)));
        assert!(ask(8).await.is_ok());
        for one in all {
            one.abort();
        }
        ended(&book).await;
        assert!(ask(7).await.is_ok());
    }
    book.store.close().await;
}

#[test_each(TestBook::each())]
async fn all_statements_of_a_request_have_a_time_together(book: TestBook) {
    let terms = Arc::new(StatementTerms::new(Share::Anybody, SHORT, LONG, LONG).with_total(2 * SHORT));
    let ask = async |sql: &str| Arc::clone(&terms).scope(book.store.rows(Sql::new(sql))).await;
    assert!(ask("SELECT 1").await.is_ok());
    while terms.spent() < 2 * SHORT {
        assert!(matches!(ask(ENDLESS).await, Err(Error::Late)));
    }
    assert!(matches!(ask("SELECT 1").await, Err(Error::Late)));
    // What is read after the handler ended is a long answer.
    let bound = Arc::clone(&terms).scope(async { book.store.bound() }).await;
    assert!(bound.rows(Sql::new("SELECT 1")).await.is_ok());
    ended(&book).await;
    book.store.close().await;
}

/// A slow reader of a long answer has its connection only as long as no other request waits for it.
#[tokio::test]
async fn a_slow_reader_gives_way() {
    let rows = ENDLESS.replace("count(*)", "a.i, b.i, c.i");
    for book in TestBook::each().await {
        for share in [Share::Anybody, Share::Reserved] {
            let begin = async |client, slowness| {
                let mut terms = StatementTerms::new(share, LONG, LONG, LONG).for_client(client);
                terms.slowness = slowness;
                let bound = Arc::new(terms);
                let bound = bound.scope(async { book.store.bound() }).await;
                let mut answer = bound.stream(Sql::new(&rows));
                assert!(matches!(answer.next().await, Some(Ok(_))));
                answer
            };
            let mut slow = begin(1, Duration::ZERO).await;
            // No other request waits.
            assert!(matches!(slow.next().await, Some(Ok(_))));
            let mut answers = Vec::new();
            let mut others = 2..;
            let waiting = loop {
                match tokio::time::timeout(20 * SHORT, begin(others.next().unwrap(), LONG)).await {
                    Ok(answer) => answers.push(answer),
                    Err(_) => break others.next().unwrap(),
                }
            };
            let next = begin(waiting, LONG);
            let gives_way = async move {
                loop {
                    match slow.next().await {
                        Some(Ok(_)) => tokio::task::yield_now().await,
                        last => break last,
                    }
                }
            };
            let (_, last) = tokio::join!(next, gives_way);
            assert!(matches!(last, Some(Err(Error::Late))), "{last:?}");
            assert!(!answers.is_empty());
            drop(answers);
            ended(&book).await;
        }
        book.store.close().await;
    }
}

#[test_each(TestBook::each())]
async fn who_asks_freely_leaves_connections_to_others(book: TestBook) {
    let ask = async |share| {
        let query = book.store.rows(Sql::new("SELECT 1"));
        terms(share, LONG, SHORT).scope(query).await
    };
    assert!(ask(Share::Anybody).await.is_ok());
    let mut all = crowd(&book.store, Share::Anybody);
    // Until all places are taken.
    while ask(Share::Anybody).await.is_ok() {}
    assert!(matches!(ask(Share::Anybody).await, Err(Error::Overloaded)));
    assert!(ask(Share::Reserved).await.is_ok());
    assert_eq!(book.names().await, [""; 0]);

    all.extend(crowd(&book.store, Share::Reserved));
    while ask(Share::Reserved).await.is_ok() {}
    assert!(matches!(ask(Share::Reserved).await, Err(Error::Overloaded)));
    // Jobs and health, and streams.
    assert_eq!(book.names().await, [""; 0]);
    let bound = terms(Share::Anybody, LONG, SHORT);
    let bound = bound.scope(async { book.store.bound() }).await;
    let rows: Vec<_> = bound.stream(Sql::new("SELECT 1")).collect().await;
    assert!(matches!(rows.as_slice(), [Ok(_)]), "{rows:?}");

    for one in all {
        one.abort();
    }
    ended(&book).await;
    assert!(ask(Share::Anybody).await.is_ok());
    book.store.close().await;
}

#[test_each(TestBook::each())]
async fn who_goes_away_owes_for_what_ran_until_then(book: TestBook) {
    assert_eq!(book.names().await, [""; 0]);
    let terms = terms(Share::Anybody, LONG, LONG);
    let query = book.store.rows(Sql::new(ENDLESS));
    let query = Arc::clone(&terms).scope(query);
    assert!(tokio::time::timeout(8 * SHORT, query).await.is_err());
    assert!(terms.spent() > Duration::ZERO);
    assert_eq!(terms.rows(), 0);
    let few = Arc::clone(&terms).scope(book.store.rows(Sql::new("SELECT 1 UNION SELECT 2")));
    few.await.unwrap();
    assert_eq!(terms.rows(), 2);
    ended(&book).await;
    book.store.close().await;
}

/// A statement of the server itself is not ended for what was left to a request before it.
#[test_each(TestBook::each())]
async fn statements_of_the_server_have_time_enough(book: TestBook) {
    if book.store.dialect() == crate::Dialect::Sqlite {
        return;
    }
    for (each, expected) in [(Duration::from_secs(10), "10s"), (SHORT, "0")] {
        let query = book.store.rows(Sql::new("SELECT 1"));
        terms(Share::Anybody, each, LONG).scope(query).await.unwrap();
        assert_eq!(pooled(&book), 1);
        let limit = Sql::new("SELECT current_setting('statement_timeout')");
        let rows = book.store.rows_unlimited(limit).await.unwrap();
        assert_eq!(rows[0].text(0), Some(expected));
    }
    book.store.close().await;
}

#[test]
fn work_in_advance_has_the_same_limits_and_is_charged_later() {
    let second = Duration::from_secs(1);
    let terms = StatementTerms::new(Share::Anybody, second, 2 * second, 3 * second).for_client(7);
    let terms = terms.with_total(5 * second);
    terms.count_rows(10);
    drop(StatementTimer::under(Some(&terms)));
    let ahead = terms.fresh();
    assert_eq!((ahead.rows(), ahead.spent()), (0, Duration::ZERO));
    let limits = |t: &StatementTerms| (t.share, t.each, t.whole, t.patience, t.all, t.slowness, t.client);
    assert_eq!(limits(&ahead), limits(&terms));

    ahead.count_rows(100);
    drop(StatementTimer::under(Some(&ahead)));
    let (rows, spent) = (terms.rows(), terms.spent());
    terms.charge(&ahead);
    assert_eq!(terms.rows(), rows + 100);
    assert_eq!(terms.spent(), spent + ahead.spent());
}

/// Large transactions are cut short for others who write; signing in says nothing of that.
#[test_each(TestBook::each())]
async fn who_signs_in_is_not_one_who_writes(book: TestBook) {
    let client = |number| StatementTerms::new(Share::Reserved, LONG, LONG, LONG).for_client(number);
    let others = async || {
        let asks = async { book.store.others_write() };
        Arc::new(client(8)).scope(asks).await
    };
    let write = async |terms: StatementTerms, name| {
        let written = super::write(&book.store, name);
        Arc::new(terms).scope(written).await.unwrap();
    };
    write(client(7).without_write_hint(), "signed in").await;
    assert!(!others().await);
    write(client(8), "own").await;
    assert!(!others().await);
    write(client(7), "written").await;
    assert!(others().await);
}

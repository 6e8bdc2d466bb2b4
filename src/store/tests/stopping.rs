//! A client that goes away in the midst of a statement ends it.

use super::{Sql, TestBook};
use crate::{Dialect, Readers, Row};
use futures_util::StreamExt;
use std::time::Duration;

/// Takes days.
pub(super) const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) \
                       SELECT count(*) FROM n a, n b, n c";

/// Statements that run although their caller is gone.
async fn abandoned(book: &TestBook) -> usize {
    match &book.store.readers {
        Readers::Sqlite(readers) => readers.open() - readers.pool.status().size,
        Readers::Postgres(..) => {
            let sql = Sql::new(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                 AND state = 'active' AND query LIKE '%20000%' AND pid <> pg_backend_pid()",
            );
            let rows = book.store.rows(sql).await.unwrap();
            usize::try_from(rows[0].int(0).unwrap()).unwrap()
        }
    }
}

pub(super) async fn ended(book: &TestBook) {
    let all = async {
        while abandoned(book).await > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), all).await.expect("nothing runs for nobody");
}

#[test_each(TestBook::each())]
async fn a_statement_that_nobody_waits_for_is_stopped(book: TestBook) {
    // More than there are connections: those that were taken are free again.
    for _ in 0..20 {
        let endless = book.store.rows(Sql::new(ENDLESS));
        let late = tokio::time::timeout(Duration::from_millis(30), endless).await;
        assert!(late.is_err());
    }
    ended(&book).await;
    assert_eq!(book.names().await, [""; 0]);
    book.store.close().await;
}

#[test_each(TestBook::each())]
async fn so_is_a_stream_that_nobody_reads_to_its_end(book: TestBook) {
    let rows = ENDLESS.replace("count(*)", "a.i, b.i, c.i");
    for _ in 0..20 {
        let mut rows = book.store.stream(Sql::new(&rows));
        let first: Vec<Row> = vec![rows.next().await.unwrap().unwrap()];
        assert_eq!(first[0].int(0), Some(1));
    }
    ended(&book).await;
    // One that was read to its end keeps its connection.
    let few = Sql::new("SELECT 1 UNION ALL SELECT 2");
    let all: Vec<_> = book.store.stream(few).collect().await;
    assert_eq!(all.len(), 2);
    book.store.close().await;
}

/// A server that restarts closes all connections, those that were used a moment ago as well.
#[test_each(TestBook::each())]
async fn who_meets_a_closed_connection_asks_again(book: TestBook) {
    let ask = || book.store.rows(Sql::new("SELECT 1"));
    if book.store.dialect() == Dialect::Postgres {
        for rows in futures_util::future::join_all((0..8).map(|_| ask())).await {
            assert_eq!(rows.unwrap().len(), 1);
        }
        let closed = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let closed = book.store.rows(Sql::new(closed)).await.unwrap();
        assert!(closed.len() >= 7, "{}", closed.len());
    }
    for _ in 0..10 {
        assert_eq!(ask().await.unwrap().len(), 1);
    }
    book.store.close().await;
}

//! The databases of the tests themselves.

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Executor};
use std::str::FromStr;
use test_support::postgres::{cluster, with_database};

#[tokio::test]
async fn each_database_is_empty_and_its_own() {
    let Some(cluster) = cluster() else { return };
    let (first, second) = (
        cluster.fresh_database().await,
        cluster.fresh_database().await,
    );
    assert_ne!(first, second);

    let mut first = PgConnectOptions::from_str(&first)
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut second = PgConnectOptions::from_str(&second)
        .unwrap()
        .connect()
        .await
        .unwrap();
    first
        .execute("CREATE TABLE herds (name text); INSERT INTO herds VALUES ('Ährenhof')")
        .await
        .unwrap();
    let name: String = sqlx::query_scalar("SELECT name FROM herds")
        .fetch_one(&mut first)
        .await
        .unwrap();
    assert_eq!(name, "Ährenhof");

    let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'";
    let count: i64 = sqlx::query_scalar(tables)
        .fetch_one(&mut second)
        .await
        .unwrap();
    assert_eq!(count, 0, "the second database sees nothing of the first");
}

#[test]
fn the_database_of_a_url_is_replaced() {
    for (url, expected) in table![
        "postgres://user:secret@host:5433/old?sslmode=disable", "postgres://user:secret@host:5433/new?sslmode=disable";
        "postgresql://host", "postgresql://host/new";
        "postgres://host?sslmode=disable", "postgres://host/new?sslmode=disable";
        "postgres:///old?host=/run/postgresql", "postgres:///new?host=/run/postgresql";
    ] {
        assert_eq!(with_database(url, "new"), expected);
    }
}

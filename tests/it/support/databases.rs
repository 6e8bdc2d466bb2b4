//! The databases of the tests themselves.

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Executor};
use std::str::FromStr;
use std::time::Duration;
use test_books::name_of;
use test_support::postgres::{cluster, with_database};

#[tokio::test]
async fn each_database_is_empty_and_its_own() {
    let Some(cluster) = cluster() else { return };
    let (first, second) = (cluster.fresh_database().await, cluster.fresh_database().await);
    assert_ne!(first, second);

    let mut first = PgConnectOptions::from_str(&first).unwrap().connect().await.unwrap();
    let mut second = PgConnectOptions::from_str(&second).unwrap().connect().await.unwrap();
    first.execute("CREATE TABLE herds (name text); INSERT INTO herds VALUES ('Ährenhof')").await.unwrap();
    let name: String = sqlx::query_scalar("SELECT name FROM herds").fetch_one(&mut first).await.unwrap();
    assert_eq!(name, "Ährenhof");

    let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'";
    let count: i64 = sqlx::query_scalar(tables).fetch_one(&mut second).await.unwrap();
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

#[tokio::test]
async fn a_database_goes_with_its_thread_unless_it_is_kept() {
    let Some(cluster) = cluster() else { return };
    let ended = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(cluster.fresh_database())
    };
    let gone = std::thread::spawn(ended).join().unwrap();
    let lasting = std::thread::spawn(move || {
        let url = ended();
        cluster.keep(name_of(&url));
        url
    });
    let lasting = lasting.join().unwrap();

    let mine = cluster.fresh_database().await;
    let mut connection = PgConnectOptions::from_str(&mine).unwrap().connect().await.unwrap();
    let mut exists = async |url: &str| {
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)")
            .bind(name_of(url))
            .fetch_one(&mut connection)
            .await
            .unwrap()
    };
    // Another test may be about to drop it.
    let went = tokio::time::timeout(Duration::from_secs(60), async {
        while exists(&gone).await {
            tokio::task::yield_now().await;
        }
    });
    went.await.expect("the database of the ended thread goes");
    assert!(exists(&lasting).await);
    assert!(exists(&mine).await);
}

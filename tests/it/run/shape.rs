//! A book whose tables are not those of the program is not served, and health reports it.

use super::{Ran, Server, ended, herdbook};
use crate::support::fixture::Fixture;
use model::clock::Clock;
use std::path::Path;
use std::process::Command;
use store::{Dialect, Durability, Sql, Store};
use test_books::{DIALECTS, Template};
use tokio::sync::oneshot;

const LACKING: &str = r#"ALTER TABLE "organizations" DROP COLUMN "kpp""#;
const NEWER: &str = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
    SELECT 9001, 'later', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";

/// An empty book on each database that was changed by hand, and the command that serves it.
async fn each(change: &'static str, test: impl Fn(&Path, Command)) {
    for dialect in DIALECTS {
        let Some(empty) = Template::empty(dialect).await else {
            continue;
        };
        let dir = tempfile::tempdir().unwrap();
        let url = empty.copy(dir.path()).await;
        altered(&url, change).await;
        let serve = ["serve", "--log", "warn", "--listen", "127.0.0.1:0"];
        let words = [&serve[..], &["--database-url", &url]].concat();
        test(dir.path(), herdbook(dir.path(), &words));
    }
}

async fn altered(url: &str, change: &'static str) {
    let opened = Store::open(url, Durability::Normal, Clock::system(), false);
    let store = opened.await.unwrap();
    by_hand(&store, change).await;
    store.close().await;
}

async fn by_hand(store: &Store, change: &'static str) {
    let done = store.write(move |tx| Box::pin(async move { tx.run(Sql::new(change).one_off()).await }));
    done.await.unwrap();
}

/// Serving is tried; a server that is ready after all is stopped by its time.
fn tried(serve: &Command) -> Ran {
    let mut command = Command::new("timeout");
    command.arg("60").arg(serve.get_program());
    command.args(serve.get_args()).env_clear();
    command.current_dir(serve.get_current_dir().unwrap());
    let variables = serve.get_envs();
    command.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    ended(command)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_refuses_a_book_of_another_shape_or_a_newer_program() {
    for (change, words) in table![
        LACKING, &["organizations", "kpp", "herdbook schema --diff"][..];
        NEWER, &["migration 9001", "newer"][..];
    ] {
        each(change, |_, serve| {
            let done = tried(&serve);
            assert!(!done.out.contains("ready"), "{done:?}");
            for word in words {
                assert!(done.err.contains(word), "{done:?}");
            }
        })
        .await;
    }
}

/// Additional objects do no harm: an index of the operator's own, say.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stands_there_besides_is_served() {
    let change = r#"CREATE INDEX "by_hand" ON "organizations" ("phone")"#;
    each(change, |dir, serve| {
        Server::of(dir, serve).stop();
    })
    .await;
}

#[test_each(Fixture::both())]
async fn health_tells_of_a_shape_that_changed_while_serving(fixture: Fixture) {
    let body = ask!(fixture, "", "GET /healthz" => 200);
    holds!(body, {"status": "ok"});
    by_hand(&fixture.book.store, LACKING).await;
    fixture.pass(60);
    let body = ask!(fixture, "", "GET /healthz" => 503);
    holds!(body, {"status": "error", "schema.differences": 1});
    by_hand(&fixture.book.store, NEWER).await;
    fixture.pass(60);
    let body = ask!(fixture, "", "GET /healthz" => 503);
    assert_eq!(body["migrations"]["state"], "newer", "{body}");
}

/// A busy database may describe its tables late, and takes writes later still. That is no reason
/// to take the server out of service.
#[tokio::test]
async fn health_does_not_fail_where_tables_are_described_late() {
    // Each of them waits for seconds.
    let known = [(200, "ok"), (503, "error")];
    for fixture in Fixture::both().await {
        for &(status, word) in &known[..test_support::at(1, 2)] {
            let free = described_late(&fixture).await;
            let body = ask!(fixture, "", "GET /healthz" => status, "what was known before holds");
            holds!(body, {"status": word, "database": {"connected": true}});
            free.send(()).unwrap();
            fixture.pass(60);
            if status == 200 {
                by_hand(&fixture.book.store, LACKING).await;
            }
            let body = ask!(fixture, "", "GET /healthz" => 503);
            assert_eq!(body["schema"]["differences"], 1, "{body}");
            fixture.pass(60);
        }
    }
}

/// Others write until something is sent; on PostgreSQL, nobody reads what tables rest on either.
async fn described_late(fixture: &Fixture) -> oneshot::Sender<()> {
    let (free, freed) = oneshot::channel::<()>();
    let (tell, begun) = oneshot::channel();
    let store = fixture.book.store.clone();
    tokio::spawn(async move {
        let postgres = store.dialect() == Dialect::Postgres;
        let job = store.write(move |tx| {
            Box::pin(async move {
                if postgres {
                    let lock = "LOCK TABLE pg_catalog.pg_constraint IN ACCESS EXCLUSIVE MODE";
                    tx.run(Sql::new(lock).one_off()).await?;
                }
                tell.send(()).unwrap();
                // Ended by the test, well or badly.
                let _ = freed.await;
                Ok(())
            })
        });
        job.await.unwrap();
    });
    begun.await.unwrap();
    free
}

//! Long answers come as streams.

use super::fixture::{Fixture, Who, books, collection, insert, parse_ask, run};
use crate::Listing;
use Who::A;
use futures_util::{FutureExt, StreamExt};
use model::record::Value;
use store::Sql;

/// Herds beyond the first two.
const MANY: i64 = 1_200;

async fn crowded() -> Vec<Fixture> {
    let all = books().await;
    for f in &all {
        let herd = |id| vec![("name", format!("Herd {id}").into()), ("organization", Value::Int(1))];
        run(&f.book, (3..3 + MANY).flat_map(|id| insert("herds", id, herd(id))).collect()).await;
    }
    all
}

async fn herds(f: &Fixture, query: &str) -> Listing {
    f.book.list(&A.principal(), collection("herds"), parse_ask(query)).await.unwrap()
}

#[test_each(crowded())]
async fn long_answers_come_in_parts(f: Fixture) {
    let parts: Vec<_> = herds(&f, "limit=0&sort=id&depth=1").await.body.collect().await;
    let parts: Vec<_> = parts.into_iter().map(Result::unwrap).collect();
    let docs = |part: &[u8]| String::from_utf8_lossy(part).matches("\"Herd ").count();
    assert_eq!(parts.iter().map(|p| docs(p)).collect::<Vec<_>>(), [498, 500, 202, 0]);
    let whole: serde_json::Value = serde_json::from_slice(&parts.concat()).unwrap();
    assert_eq!(whole["totalDocs"], 1202);
    assert_eq!(whole["docs"][1201]["organization"]["name"], "Org One");

    let page = herds(&f, "limit=600&page=2").await.collect().await.unwrap();
    let page: serde_json::Value = serde_json::from_slice(&page).unwrap();
    assert_eq!(page["docs"].as_array().map(Vec::len), Some(600));
    let counts = (&page["totalDocs"], &page["totalPages"], &page["nextPage"], &page["pagingCounter"]);
    assert_eq!(counts, (&1202.into(), &3.into(), &3.into(), &601.into()));
}

#[test_each(crowded())]
async fn a_failure_on_the_way_ends_the_answer(f: Fixture) {
    let mut body = herds(&f, "limit=0&depth=1").await.body;
    assert!(body.next().await.unwrap().is_ok());
    run(&f.book, vec![Sql::new("DROP TABLE \"organizations\"")]).await;
    assert!(body.next().await.unwrap().is_err());
    assert!(body.next().await.is_none());
}

#[test_each(crowded())]
async fn long_answers_leave_connections_to_others(f: Fixture) {
    let mut open = Vec::new();
    for _ in 0..crate::find::STREAMS {
        open.push(herds(&f, "limit=0").await);
    }
    let mut waiting = Box::pin(herds(&f, "limit=0"));
    assert!(waiting.as_mut().now_or_never().is_none(), "all places are taken");
    assert_eq!(f.n(A, "limit=10&page=2").await, 25, "short ones go on");
    open.pop();
    let body = waiting.await.collect().await.unwrap();
    assert!(body.ends_with(b"\"totalDocs\":1202,\"totalPages\":1}"));
}

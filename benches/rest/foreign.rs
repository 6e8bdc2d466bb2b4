//! Writes the data set into another server, row by row, in its dialect.

use crate::dataset::{self, BULLS, Size};
use crate::load::{CLIENTS, Load};
use crate::program::number;
use futures_util::{StreamExt, stream};
use serde_json::Value;

/// Creates all rows; the owner is the organisation `HERDBOOK_BENCH_OWNER`.
pub(crate) async fn fill(load: &Load, size: Size) {
    let owner = i64::try_from(number("HERDBOOK_BENCH_OWNER", 2)).unwrap();
    let bulls = (0..BULLS).map(|row| dataset::bull(row, owner));
    let bulls = create(load, "animals", bulls).await;
    let father = |row: u64| bulls[usize::try_from(row % BULLS).unwrap()];
    let cows = (BULLS..size.animals).map(|row| dataset::cow(row, father(row), owner));
    let cows = create(load, "animals", cows).await;
    let each = size.tests.div_ceil(cows.len() as u64);
    let tests = (0..size.tests).map(|row| {
        let animal = cows[usize::try_from(row / each).unwrap()];
        dataset::test(row, animal, row % each, each)
    });
    create(load, "milk-tests", tests).await;
}

async fn create(load: &Load, collection: &str, rows: impl Iterator<Item = Value>) -> Vec<i64> {
    let url = format!("{}/api/{collection}?depth=0", load.url);
    let requests = rows.map(|row| {
        let request = load.client.post(&url).json(&row);
        let request = request.header("authorization", format!("JWT {}", load.token));
        async move {
            let answer = request.send().await.unwrap();
            let status = answer.status();
            let body: Value = answer.json().await.unwrap();
            assert!(status.is_success(), "{status}: {body}");
            body["doc"]["id"].as_i64().unwrap()
        }
    });
    // In order, so that parents and numbers belong together on every server.
    let created = stream::iter(requests).buffered(CLIENTS);
    created.collect().await
}

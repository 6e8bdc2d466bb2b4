//! Documents that are rendered again while others are read (docs/design/exchange.md).

use crate::ade::stage::{Stage, animal};
use ops::FillRow;
use serde_json::{Value, json};
use store::{Sql, Ty};

/// More rows than are read, and compared, together.
const ROWS: i64 = 1_100;
const FIRST: i64 = 5_000;
const FEED: &str = "/ade/v1/datasets/weights/changes?limit=1000";

/// Weighings of cow 11, a day apart.
async fn weighed(s: &Stage) {
    let row = |at: i64| {
        let date = jiff::civil::date(2020, 1, 1) + jiff::Span::new().days(at);
        let data = json!({"animal": 11, "date": date.to_string(), "weight": 400 + at % 200});
        FillRow { collection: "weighings", id: FIRST + at, data: data.as_object().unwrap().clone(), hidden: Vec::new() }
    };
    s.f.book.fill((0..ROWS).map(row).collect()).await.unwrap();
}

async fn rendered(s: &Stage) {
    let done = s.f.exchange.projector().reproject(&s.f.book, |_, _| {});
    done.await.unwrap();
}

async fn run(s: &Stage, sql: Sql) {
    let written = s.f.book.store.write(|tx| Box::pin(tx.run(sql)));
    assert_eq!(written.await.unwrap(), 1);
}

/// The documents of the feed, and the token behind them.
async fn feed(s: &Stage) -> (Vec<Value>, String) {
    let (mut all, mut since) = (Vec::new(), String::new());
    loop {
        let page: Value = ask!(s.f, s.farm, "GET {FEED}{since}" => 200);
        let mut page = page.as_array().unwrap().clone();
        let end = page.pop().unwrap();
        all.extend(page.drain(1..));
        let token = end["token"].as_str().unwrap().to_owned();
        if end["current"] == true {
            return (all, token);
        }
        since = format!("&since={token}");
    }
}

#[test_each(Stage::both())]
async fn a_text_that_is_not_the_rows_is_replaced_in_its_place(s: Stage) {
    weighed(&s).await;
    let (before, _) = feed(&s).await;
    // One in the middle of what is read together, and the last one.
    for id in [FIRST + 700, FIRST + ROWS - 1] {
        let sql = Sql::new("UPDATE exchange_documents SET body = ")
            .with(Ty::Compressed, String::from("{}"))
            .and(" WHERE record = ")
            .with(Ty::Int, id);
        run(&s, sql).await;
    }
    rendered(&s).await;
    let (mut after, _) = feed(&s).await;
    let mut same = before.clone();
    // These two changed last.
    for at in [700, usize::try_from(ROWS).unwrap() - 2] {
        let one = same.remove(at);
        same.push(one);
    }
    for documents in [&mut same, &mut after] {
        for one in documents.iter_mut() {
            one["meta"]["modified"].take();
        }
    }
    assert_eq!(after, same);
    assert_eq!(after[0]["animal"], animal(11));
}

#[test_each(Stage::both())]
async fn a_document_that_another_row_takes_over_is_not_lost(s: Stage) {
    weighed(&s).await;
    let (before, _) = feed(&s).await;
    // As if a row of the second piece had had the key that one of the first one has now.
    let sql = Sql::new("UPDATE exchange_documents SET record = ")
        .with(Ty::Int, FIRST + 600)
        .and(" WHERE record = ")
        .with(Ty::Int, FIRST + 10);
    run(&s, sql).await;
    rendered(&s).await;
    let (after, _) = feed(&s).await;
    assert_eq!(after.len(), before.len());
    let deleted = |one: &&Value| one["meta"]["isDeleted"] == true;
    assert_eq!(after.iter().find(deleted), None);
    let taken = after.last().unwrap();
    assert_eq!(taken["meta"]["sourceId"], before[10]["meta"]["sourceId"]);
}

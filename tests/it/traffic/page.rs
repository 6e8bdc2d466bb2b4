//! `/exchange`: its content for each caller, and how it survives a restart.

use super::stage::{FEED, LIST, NAME, Stage, token_of, weight};
use api::traffic::{HOUR, RETENTION};
use axum::http::Request;
use serde_json::{Value, json};
use store::{Sql, Ty};

/// The row of an account at a face.
fn row<'p>(page: &'p Value, account: i64, face: &str) -> &'p Value {
    let rows = page["clients"].as_array().unwrap();
    let found = (rows.iter()).find(|row| row["account"] == account && row["face"] == face);
    found.unwrap_or_else(|| panic!("no account {account} at {face}: {page}"))
}

#[test_each(Stage::each())]
async fn the_association_alone_sees_it(s: Stage) {
    let html = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let (status, _, body) = s.f.get("/exchange", &s.farm).await;
    let message = &body["errors"][0]["message"];
    assert_eq!(status, 403);
    assert_eq!(message, "You are not allowed to perform this action.");
    let body = ask!(s.f, "", "GET /exchange.json" => 401);
    assert!(body["errors"][0]["message"].is_string(), "{body}");
    let (status, headers, text) = s.text("/exchange", "", &[html]).await;
    assert_eq!((status, text.as_str()), (303, ""));
    assert_eq!(headers["location"], "/sign-in?next=%2Fexchange");
    let (status, _, text) = s.text("/exchange", &s.farm, &[html]).await;
    assert_eq!(status, 403);
    assert!(!text.contains("<table") && !text.contains("Second"), "{text}");
    let (headers, body) = ask!(s.f, s.expert, "GET /exchange" => 200 with headers);
    assert!(body["clients"].is_array(), "{body}");
    assert!(headers.get_all("vary").iter().any(|v| v == "Accept"));
    let (status, headers, text) = s.text("/exchange", &s.expert, &[html]).await;
    assert_eq!(status, 200, "{text}");
    assert_eq!(headers["content-type"], "text/html; charset=utf-8");
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"));
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert_eq!(headers["cache-control"], "private, no-store");
    assert!(text.starts_with("<!DOCTYPE html>"), "{text}");
    // The frame of all pages, in the language of the reader, with times that the script shows in the reader's zone.
    let russian = ("accept-language", "ru");
    let (_, _, text) = s.text("/exchange", &s.expert, &[html, russian]).await;
    for part in ["<main id=\"main\"", "Кто обменивается", "class=\"instant\"", "<rect class=\"part-1\""]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("page-exchange"), "{text}");
}

#[test_each(Stage::each())]
async fn whatever_comes_from_outside_is_text(s: Stage) {
    let agent = ("user-agent", "<img src=x onerror=alert(2)>\"'&");
    s.text(LIST, &s.farm, &[agent]).await;
    let bad = weight("scale.example", 1, 21);
    let path = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
    s.f.post(path, &s.farm, json!([bad])).await;
    let page = s.page().await;
    assert_eq!(row(&page, 1, "ade")["organization"]["name"], NAME);
    assert_eq!(row(&page, 1, "ade")["agent"], agent.1);
    let html = ("accept", "text/html");
    let (_, _, text) = s.text("/exchange", &s.expert, &[html]).await;
    for raw in ["<script>", "<img", "onerror=alert(2)>"] {
        assert!(!text.contains(raw), "{raw} in {text}");
    }
    assert!(text.contains("Farm &lt;script&gt;alert(1)&lt;/script&gt; &amp;"));
    assert!(text.contains("&lt;img src=x onerror=alert(2)&gt;"));
}

#[test_each(Stage::each())]
async fn clients_are_counted_with_what_they_had_already_and_what_failed(s: Stage) {
    let (_, headers, _) = s.text(LIST, &s.farm, &[]).await;
    let tag = headers["etag"].to_str().unwrap();
    for _ in 0..3 {
        s.text(LIST, &s.farm, &[("if-none-match", tag)]).await;
    }
    s.text("/ade/v1/locations/org.herdbook.orgid/2/weights", &s.farm, &[]).await;
    s.f.pass(7_000);
    s.text("/api/animals?limit=1", &s.other, &[]).await;
    let page = s.page().await;
    let farm = row(&page, 1, "ade");
    holds!(farm, {
        "class": "farm", "organization.id": 1, "requests": 5, "polls": 5, "notModifiedShare": 0.6,
        "errors": 1, "limited": 0,
    });
    let route = "/ade/v1/locations/{scheme}/{id}/{collection}";
    assert_eq!(farm["lastError"], format!("404 GET {route}"));
    assert_eq!(farm["lastContact"], "2026-03-01T12:00:00.000Z");
    // From the beginning of the hour in which the client came first.
    assert_eq!(farm["pollsPerHour"], 2.6);
    holds!(row(&page, 2, "rest"), {"lastContact": "2026-03-01T13:56:40.000Z"});
    let hours = page["hours"].as_array().unwrap();
    assert_eq!(hours.len(), 24);
    assert_eq!(hours[0]["at"], "2026-02-28T14:00:00.000Z");
    holds!(hours[22], {"at": "2026-03-01T12:00:00.000Z", "notModified": 3});
    assert_eq!(hours[23]["requests"], 1, "{page}");
}

#[test_each(Stage::each())]
async fn a_reader_is_behind_until_he_has_read_what_is_there(s: Stage) {
    s.weigh(1, &[1]).await;
    let (_, _, first) = s.f.get(FEED, &s.farm).await;
    let everything = "/ade/v1/datasets/everything/changes?limit=1";
    s.f.get(everything, &s.expert).await;
    let feeds = |page: &Value, account: i64| -> Value {
        let all = page["feeds"].as_array().unwrap();
        let found = all.iter().find(|feed| feed["account"] == account);
        found.expect("a feed").clone()
    };
    let page = s.page().await;
    let read = feeds(&page, 1);
    holds!(read, {"dataset": "weights", "upToDate": true, "lagSeconds": 0, "told": read["newest"]});
    assert_eq!(row(&page, 1, "ade")["lagSeconds"], 0);
    let slow = feeds(&page, 3);
    assert_eq!(slow["upToDate"], false, "{slow}");
    assert!(slow["newest"].as_i64() > slow["told"].as_i64());

    // A client cannot lag behind with another farm's weights.
    s.weigh(2, &[1]).await;
    s.f.pass(60);
    assert_eq!(feeds(&s.page().await, 1)["lagSeconds"], 0);
    s.weigh(1, &[2, 3]).await;
    s.f.pass(300);
    let page = s.page().await;
    let read = feeds(&page, 1);
    holds!(read, {"upToDate": false, "lagSeconds": 300});
    assert_eq!(row(&page, 1, "ade")["lagSeconds"], 300);
    let next = format!("{FEED}?since={}", token_of(&first));
    s.f.get(&next, &s.farm).await;
    let read = feeds(&s.page().await, 1);
    holds!(read, {"upToDate": true, "lagSeconds": 0});
    // A client that reads no locations has no lag.
    let nobody = s.f.user(4, "farmer", None, "head").await;
    s.f.get(FEED, &nobody).await;
    // A feed that is narrowed says nothing about the whole set.
    let narrowed = format!("{FEED}?location-scheme=org.herdbook.orgid&location-id=2");
    s.f.get(&narrowed, &s.other).await;
    let page = s.page().await;
    assert!(page["feeds"].as_array().unwrap().iter().all(|f| f["account"] != 2 && f["account"] != 4));
}

#[test_each(Stage::each())]
async fn several_processes_add_up_in_the_book(s: Stage) {
    let second = s.f.other_process().await;
    for _ in 0..3 {
        s.text(LIST, &s.farm, &[]).await;
    }
    let key = super::stage::text(&second, LIST, &s.farm, &[("user-agent", "robot/2")]).await;
    assert_eq!(key.0, 200);
    // The other's last minute is missing.
    assert_eq!(row(&s.page().await, 1, "ade")["requests"], 3);
    let store = &s.f.book.store;
    let now = s.f.book.clock.now();
    let newest = s.f.exchange.feeds().newest(store).await.unwrap();
    second.hub.traffic.fold(store, now).await.unwrap();
    assert_eq!(row(&s.page().await, 1, "ade")["requests"], 4);
    s.f.hub.traffic.fold(store, now).await.unwrap();
    s.f.hub.traffic.fold(store, now).await.unwrap();
    let page = s.page().await;
    let farm = row(&page, 1, "ade");
    holds!(farm, {"requests": 4, "agent": "robot/2"});
    let (_, _, theirs) = second.get("/exchange.json", &s.expert).await;
    assert_eq!(row(&theirs, 1, "ade")["requests"], 4);
    // The traffic does not count as a change of the book.
    assert_eq!(s.f.exchange.feeds().newest(store).await.unwrap(), newest);
    s.text(LIST, &s.farm, &[]).await;
    assert_eq!(row(&s.page().await, 1, "ade")["requests"], 5);
}

#[test_each(Stage::each())]
async fn a_day_is_shown_and_a_month_is_kept(s: Stage) {
    s.text(LIST, &s.farm, &[]).await;
    s.f.get(FEED, &s.farm).await;
    let store = &s.f.book.store;
    let traffic = &s.f.hub.traffic;
    let begun = s.f.book.clock.now();
    traffic.fold(store, begun).await.unwrap();
    let rows = async |table: &str| {
        let sql = Sql::new(&format!("SELECT count(*) FROM {table}"));
        store.rows(sql).await.unwrap()[0].int(0).unwrap()
    };
    let stored = rows("exchange_traffic").await;
    assert!(stored > 0 && rows("exchange_readers").await == 1);
    let day = traffic.totals(store, begun + 23 * HOUR, 24).await.unwrap();
    assert!(day.clients.iter().any(|c| c.client.user == Some(1)));
    let later = traffic.totals(store, begun + 24 * HOUR, 24).await.unwrap();
    assert!(later.clients.is_empty() && later.readings.is_empty(), "{later:?}");
    traffic.fold(store, begun + RETENTION - HOUR).await.unwrap();
    assert_eq!(rows("exchange_traffic").await, stored);
    traffic.fold(store, begun + RETENTION + HOUR).await.unwrap();
    assert_eq!(rows("exchange_traffic").await, 0);
    assert_eq!(rows("exchange_readers").await, 0);
}

#[test_each(Stage::each())]
async fn what_cannot_be_written_is_written_later(s: Stage) {
    s.text(LIST, &s.farm, &[]).await;
    let second = s.f.other_process().await;
    second.book.store.close().await;
    let now = s.f.book.clock.now();
    let failed = s.f.hub.traffic.fold(&second.book.store, now).await;
    assert!(failed.is_err());
    assert_eq!(row(&s.page().await, 1, "ade")["requests"], 1);
    s.f.hub.traffic.fold(&s.f.book.store, now).await.unwrap();
    assert_eq!(row(&s.page().await, 1, "ade")["requests"], 1);
}

#[test_each(Stage::each())]
async fn api_keys_are_clients_of_their_own(s: Stage) {
    let request = Request::patch("/api/users/1?depth=0")
        .header("authorization", format!("JWT {}", s.farm))
        .header("content-type", "application/json")
        .body(json!({"enableAPIKey": true}).to_string().into());
    let (status, _, body) = s.f.ask(request.unwrap()).await;
    assert_eq!(status, 200, "{body}");
    let key = body["doc"]["apiKey"].as_str().unwrap();
    let input = format!("users API-Key {key}");
    let (status, ..) = s.text(LIST, "", &[("authorization", &input)]).await;
    assert_eq!(status, 200);
    let page = s.page().await;
    let by_key = row(&page, 1, "ade");
    holds!(by_key, {"apiKey": true, "requests": 1});
    assert!(!page.to_string().contains(key));
}

#[test_each(Stage::each())]
async fn batches_with_failures_and_webhooks_stand_there(s: Stage) {
    s.weigh(1, &[1, 2]).await;
    let (good, bad) = (weight("a.example", 1, 11), weight("a.example", 2, 21));
    let (headers, _) = ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/weights", [good, bad]
        => 200 with headers);
    let at = headers["content-location"].to_str().unwrap();
    ask!(s.f, s.farm, "POST /api/webhooks", {"url": "https://receiver.example/x", "dataset": "weights"} => 201);
    let sql = Sql::new("UPDATE webhooks SET failures = ").with(Ty::Int, 3);
    let raised = s.f.book.store.write(move |tx| Box::pin(async move { tx.run(sql).await }));
    assert_eq!(raised.await.unwrap(), 1);
    let page = s.page().await;
    let batches = page["batches"].as_array().unwrap();
    assert_eq!(batches.len(), 1, "{page}");
    let batch = &batches[0];
    assert!(at.ends_with(batch["id"].as_str().unwrap()));
    holds!(batch, {"rejected": 1, "items": 2, "location.name": NAME});
    let hook = &page["webhooks"][0];
    holds!(hook, {"state": "failing", "failures": 3, "host": "receiver.example"});
}

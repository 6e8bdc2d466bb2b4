//! How much an organisation may store, and which numbers it may write.

use crate::rest::uploads::form::{Form, png, posted};
use crate::rest::world::{World, fill};
use model::record::Value as Stored;
use model::registry::{Field, Kind, Verb, Writer};
use ops::checked;
use serde_json::{Value, json};

fn set(name: &str) -> Value {
    json!({"name": name, "place": "book", "query": "a=1"})
}

/// Path and message of a refusal.
fn refusal(answer: &crate::rest::stage::Answer) -> (u16, Value) {
    let errors = answer.json()["errors"][0]["data"]["errors"].clone();
    (answer.status, errors[0]["path"].clone())
}

#[test_with(World::both)]
async fn an_organisation_keeps_no_more_rows_than_it_may_however_many_write(w: &World<'_>) {
    let quota = made!(w, "admin", "quotas", {"organization": 1, "records": 5});
    let writes = (0..12).map(|n| {
        let who = if n % 2 == 0 { "alpha" } else { "operator" };
        w.post(who, "saved-searches", set(&format!("s{n}")))
    });
    let answers = futures_util::future::join_all(writes).await;
    let made = answers.iter().filter(|a| a.status == 201).count();
    assert_eq!(made, 5);
    for refused in answers.iter().filter(|a| a.status != 201) {
        assert_eq!(refusal(refused), (403, "organization".into()), "{}", refused.text);
    }
    // Several at once: as many as the quota allows, none beyond.
    changed!(w, "admin", "quotas", quota, {"records": 7});
    let many: Vec<Value> = (0..4).map(|n| set(&format!("m{n}"))).collect();
    let answer = w.post("alpha", "saved-searches", many.into()).await;
    let results = answer.json()["results"].as_array().cloned().unwrap_or_default();
    let status: Vec<_> = results.iter().map(|r| r["status"].clone()).collect();
    assert_eq!(status, [201, 201, 403, 403], "{}", answer.text);
    // Others have their own quota; a deleted row frees room; existing rows can be changed.
    w.made("beta", "saved-searches", set("b")).await;
    holds!(w.get("alpha", "/api/usage").await.json(), {"records.saved-searches": {"used": 7, "limit": 7}});
    let list = w.get("alpha", "/api/saved-searches?limit=1").await.json();
    let first = list["docs"][0]["id"].as_i64().unwrap();
    let author = list["docs"][0]["author"]["id"].as_i64().unwrap_or(11);
    let who = if author == 12 { "operator" } else { "alpha" };
    changed!(w, who, "saved-searches", first, {"name": "other"});
    w.gone(who, "saved-searches", first).await;
    w.made("operator", "saved-searches", set("again")).await;
    let mut ignored = set("more");
    ignored["nope"] = 1.into();
    for body in [set("more"), ignored] {
        ask!(w, "alpha", "POST /api/saved-searches?depth=0", body => 403);
    }
    // 0: any number.
    changed!(w, "admin", "quotas", quota, {"records": 0});
    w.made("alpha", "saved-searches", set("more")).await;
}

#[test_with(World::both)]
async fn an_organisation_keeps_no_more_files_and_bytes_than_it_may(w: &World<'_>) {
    let before = w.get("alpha", "/api/usage").await.json();
    let used = |usage: &Value, what: &str| usage[what]["used"].as_i64().unwrap();
    let files = used(&before, "files");
    let quota = made!(w, "admin", "quotas", {"organization": 1, "files": files + 2});
    let picture = png(400, 400);
    let sent = async |name: &'static str| posted(w, "alpha", name, "image/png", &picture).await;
    assert_eq!(sent("a.png").await.status, 201);
    let after = w.get("alpha", "/api/usage").await.json();
    assert_eq!(used(&after, "files"), files + 1);
    // The smaller picture counts as well.
    let bytes = used(&after, "storage") - used(&before, "storage");
    assert!(bytes > i64::try_from(picture.len()).unwrap());
    assert_eq!(sent("b.png").await.status, 201);
    assert_eq!(refusal(&sent("c.png").await), (403, "owner".into()));
    let most = used(&after, "storage") + bytes + 1;
    changed!(w, "admin", "quotas", quota, {"files": null, "storage": most});
    assert_eq!(refusal(&sent("d.png").await), (403, "file".into()));
    // An ignored member besides makes no difference.
    let form = Form::new().payload(&json!({"nope": 1}));
    let form = form.file("e.png", "image/png", &picture);
    let answer = form.send(w, "alpha", "POST", "/api/media?depth=0").await;
    assert_eq!(refusal(&answer), (403, "file".into()));
    let remaining = w.get("alpha", "/api/usage").await.json();
    assert_eq!(remaining["storage"]["limit"], most);
    assert_eq!(used(&remaining, "files"), files + 2);
    w.stage.assert_sound().await;
}

#[tokio::test]
async fn who_has_no_organisation_keeps_a_tenth() {
    World::under(&[("limits.records", "25")], async |w| {
        let email = "alone@demo.herdbook";
        let alone = json!({"id": 51, "email": email, "lastName": "Smith", "firstName": "Ann", "role": "individual"});
        fill(w.stage, "users", vec![alone]).await;
        let token = format!("JWT {}", w.stage.token(email).await);
        let headers = [("content-type", "application/json"), ("authorization", token.as_str())];
        let post = async |n: usize| {
            let body = set(&format!("s{n}")).to_string();
            let path = "/api/saved-searches?depth=0";
            w.send("", "POST", path, &headers, body).await
        };
        for n in 0..3 {
            let answer = post(n).await;
            assert_eq!(answer.status, 201, "{}", answer.text);
        }
        let full = post(3).await;
        assert_eq!(refusal(&full), (403, "author".into()), "{}", full.text);
        let usage = w.send("", "GET", "/api/usage", &headers, "").await.json();
        holds!(usage, {"user": 51, "records.saved-searches": {"used": 3, "limit": 3}});
        // An account of an organisation beside it may store as much as the configuration allows.
        for n in 0..4 {
            made!(w, "alpha", "saved-searches", set(&format!("a{n}")));
        }
    })
    .await;
}

#[test_with(World::both)]
async fn pictures_that_animals_show_count_for_their_owner(w: &World<'_>) {
    made!(w, "admin", "quotas", {"organization": 1, "records": 3});
    let file = async |who: &'static str| {
        let sent = posted(w, who, "a.png", "image/png", &png(40, 40)).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
        sent.json()["doc"]["id"].as_i64().unwrap()
    };
    let (own, foreign) = (file("alpha").await, file("beta").await);
    let item = |animal: i64, media: i64| json!({"animal": animal, "media": media});
    // Two animals of one owner; several at once have no larger quota than one after another.
    let first = w.made("alpha", "animal-gallery", item(2, own)).await;
    let many: Vec<Value> = [2, 4, 4].map(|animal| item(animal, own)).into();
    let answer = w.post("alpha", "animal-gallery", many.into()).await;
    let results = answer.json()["results"].clone();
    let status: Vec<_> = (results.as_array().unwrap().iter()).map(|result| result["status"].clone()).collect();
    assert_eq!(status, [201, 201, 403], "{}", answer.text);
    let full = w.post("operator", "animal-gallery", item(4, own)).await;
    assert_eq!(refusal(&full), (403, "animal".into()), "{}", full.text);
    let usage = w.get("alpha", "/api/usage").await.json();
    holds!(usage, {"records.animal-gallery": {"used": 3, "limit": 3}});
    w.made("beta", "animal-gallery", item(3, foreign)).await;
    holds!(w.get("beta", "/api/usage").await.json(), {"records.animal-gallery.used": 1});
    w.gone("alpha", "animal-gallery", first).await;
    w.made("alpha", "animal-gallery", item(4, own)).await;
}

#[test_with(World::each)]
async fn usage_is_told_to_its_organisation_and_the_association(w: &World<'_>) {
    for (who, path, status) in [
        ("alpha", "/api/usage", 200),
        ("viewer", "/api/usage", 200),
        ("alpha", "/api/usage?organization=1", 200),
        ("alpha", "/api/usage?organization=2", 403),
        ("expert", "/api/usage?organization=2", 200),
        ("expert", "/api/usage?organization=x", 400),
        ("", "/api/usage", 403),
    ] {
        let answer = w.get(who, path).await;
        assert_eq!(answer.status, status, "{who} {path}: {}", answer.text);
    }
}

#[test_with(World::each)]
async fn a_fixed_set_has_so_many_animals(w: &World<'_>) {
    let mut body = set("large");
    body["members"] = Value::from(vec![1_i64; 10_001]);
    let answer = ask!(w, "alpha", "POST /api/saved-searches?depth=0", body => 400);
    answer.has(&["At most 10000"]);
}

/// Every field, of rows within rows too, whose values a caller may send to some collection.
fn sent() -> Vec<(String, Field)> {
    let mut all = Vec::new();
    for c in domain::collections::registry().unwrap().iter() {
        if ![Verb::Create, Verb::Update].iter().any(|verb| c.access.opens(*verb)) {
            continue;
        }
        let open = |field: &&Field| field.writer != Writer::Server;
        for field in c.fields.iter().filter(open) {
            all.push((format!("{}.{}", c.slug, field.path), field.clone()));
            if let Kind::Rows(subs) = &field.kind {
                let subs = subs.iter().filter(open);
                let named = |sub: &Field| format!("{}.{}.0.{}", c.slug, field.path, sub.path);
                all.extend(subs.map(|sub| (named(sub), sub.clone())));
            }
        }
    }
    all
}

#[test]
fn every_number_that_is_written_declares_its_range() {
    let (mut numbers, mut without) = (0, Vec::new());
    for (name, field) in sent() {
        if !matches!(field.kind, Kind::Int | Kind::Number) {
            continue;
        }
        numbers += 1;
        let (Some(min), Some(max)) = (field.min, field.max) else {
            without.push(name);
            continue;
        };
        // A value beyond the bounds is refused on its path, a value on a bound is accepted.
        assert!(min < max && max <= 1e15, "{name}");
        for (value, sound) in [(min, true), (max, true), (min - 1.0, false), (max + 1.0, false)] {
            let issues = checked(&field, &Stored::Num(value));
            assert_eq!(issues.is_empty(), sound, "{name}: {value}");
            assert!(issues.iter().all(|issue| issue.path == field.path), "{name}");
        }
        for value in [1e308, -1e308] {
            assert!(!checked(&field, &Stored::Num(value)).is_empty(), "{name}");
        }
    }
    assert_eq!(without, Vec::<String>::new());
    assert!(numbers > 60, "{numbers}");
}

#[tokio::test]
async fn json_that_is_written_has_its_size() {
    let mut free = Vec::new();
    for (name, field) in sent() {
        if field.kind == Kind::Json {
            assert!(field.max.is_some_and(|most| most <= 65_536.0), "{name}");
            let text = |length: usize| Stored::json("x".repeat(length).into());
            assert!(checked(&field, &text(60_000)).is_empty(), "{name}");
            assert_eq!(checked(&field, &text(65_536)).len(), 1, "{name}");
            free.push(name);
        }
    }
    assert!(free.contains(&"saved-searches.where".to_owned()), "{free:?}");
    World::each(async |w| {
        let long = "x".repeat(70_000);
        let event = json!({"animal": 2, "type": "remark", "date": "2024-02-01", "payload": {"a": long}});
        let answer = w.post("alpha", "events", event).await;
        assert_eq!(refusal(&answer), (400, "payload".into()), "{}", answer.text);
        let mut search = set("long");
        search["where"] = json!({"name": {"equals": long}});
        let answer = w.post("alpha", "saved-searches", search).await;
        assert_eq!(refusal(&answer), (400, "where".into()), "{}", answer.text);
    })
    .await;
}

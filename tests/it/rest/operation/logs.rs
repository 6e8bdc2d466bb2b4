//! The edit log and the operation log (docs/logs.md, *Logs*): what is written there, who reads it, and that nothing is
//! logged that did not happen.

use crate::rest::stage::{PASSWORD, Stage, request};
use crate::rest::world::World;
use axum::extract::ConnectInfo;
use serde_json::{Value, json};
use std::net::SocketAddr;

/// `path: before → after (source)` of the edit log as a caller sees it, oldest first.
async fn revisions(w: &World<'_>, who: &str, filter: &str) -> Vec<String> {
    let path = format!("/api/animal-revisions?depth=0&limit=0&sort=id&{filter}");
    let body = ask!(w, who, "GET {path}" => 200, "{who} {path}").json();
    let docs = body["docs"].as_array().unwrap();
    let all = docs.iter().map(|d| {
        let text = |name: &str| d[name].as_str().unwrap_or("–").to_owned();
        let source = text("source");
        format!("{}: {} → {} ({source})", text("path"), text("before"), text("after"))
    });
    let mut all: Vec<_> = all.collect();
    all.sort();
    all
}

/// `action subject` of the operation log as a caller sees it, without sign-ins, oldest first.
async fn operations(w: &World<'_>, who: &str) -> Vec<String> {
    let answer = ask!(w, who, "GET /api/operations?depth=0&limit=0&sort=id&where[action][not_equals]=login"
        => 200, "{who}");
    let body = answer.json();
    let docs = body["docs"].as_array().unwrap();
    let line = |d: &Value| {
        let subject = d["subject"].as_str().unwrap_or("–");
        format!("{} {subject}", d["action"].as_str().unwrap())
    };
    docs.iter().map(line).collect()
}

#[test_with(World::each)]
async fn every_changed_value_of_an_animal_is_one_row(w: &World<'_>) {
    assert_eq!(revisions(w, "admin", "").await, [""; 0], "filling a book is no change");
    let doc = changed!(w, "alpha", "animals", 2, {
        "name": "Bella", "altIds": {"earTag": "T1"}, "breedDate": "2021-05-06", "notes": "n",
        "haplotypes": [], "shows": [{"date": "2024-05-01", "title": "Fair"}], "father": 1,
    });
    assert_eq!(
        revisions(w, "alpha", "").await,
        [
            "altIds.earTag: – → T1 (manual)",
            "breedDate: – → 2021-05-06 (manual)",
            "father: – → 960000000001 (manual)",
            "name: Animal 2 → Bella (manual)",
            "notes: – → n (manual)",
            "shows.0: – → date: 2024-05-01, title: Fair (manual)",
        ]
    );
    let one = &w.list("animal-revisions", "where[path][equals]=name").await[0];
    holds!(one, {
        "ownerOrg": 1, "collection": "animals", "recordId": 2, "animal": 2, "user": 11, "label": "Name",
        "at": "2026-03-01T12:00:00.000Z",
    });
    assert!(one.get("class").is_none(), "{one}");

    let mut shows = doc["shows"].clone();
    shows[0]["prize"] = json!("1");
    changed!(w, "expert", "animals", 2, {"shows": shows});
    changed!(w, "alpha", "animals", 2, {"name": "Bella", "notes": null});
    let later = revisions(w, "admin", "where[id][greater_than]=6").await;
    assert_eq!(later, ["notes: n → – (manual)", "shows.0.prize: – → 1 (admin)"]);

    // A refused body leaves nothing, and neither does a new animal.
    let bad = json!({"name": "Other", "birthDate": "2999-01-01"}).to_string();
    w.refused("alpha", "PATCH", "/api/animals/2", &bad).await;
    made!(w, "alpha", "animals", {"identNumber": "961234567", "sex": "female", "birthDate": "2024-01-01"});
    assert_eq!(revisions(w, "admin", "").await.len(), 8);
}

/// How an animal left, and that this was taken back, whether the movement or the state is written.
#[test_with(World::each)]
async fn the_edit_log_tells_how_an_animal_left_and_came_back(w: &World<'_>) {
    let lines = async || revisions(w, "admin", "where[path][in]=state,owner,disposalDate").await;
    let told = |all: &[String], line: &str| all.iter().filter(|one| one.starts_with(line)).count();
    let death = made!(w, "alpha", "movements", {"animal": 2, "kind": "death", "date": "2026-02-01"});
    w.gone("alpha", "movements", death).await;
    let all = lines().await;
    assert_eq!((told(&all, "state: alive → dead"), told(&all, "state: dead → alive")), (1, 1), "{all:?}");
    assert_eq!(told(&all, "disposalDate: – → 2026-02-01"), 1, "{all:?}");
    changed!(w, "alpha", "animals", 2, {"state": "dead", "disposalDate": "2026-02-01"});
    changed!(w, "alpha", "animals", 2, {"state": "alive"});
    let all = lines().await;
    assert_eq!((told(&all, "state: alive → dead"), told(&all, "state: dead → alive")), (2, 2), "{all:?}");
    let sale = made!(w, "alpha", "movements", {"animal": 2, "kind": "sale", "date": "2026-02-01", "to": 2});
    changed!(w, "beta", "movements", sale, {"confirmation": "objected", "objection": "Never bought."});
    assert_eq!(told(&lines().await, "owner: "), 2, "{:?}", lines().await);
}

#[test_with(World::each)]
async fn the_edit_log_shows_what_the_card_would(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {
        "name": "Bella", "altIds": {"earTag": "T1"}, "notes": "n", "dnaTests": [{"result": "x"}],
    });
    let test = made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2026-01-15", "milkYield": 30});
    changed!(w, "alpha", "milk-tests", test, {"milkYield": 31.5});
    let all = revisions(w, "alpha", "").await;
    assert_eq!(all.len(), 5, "{all:?}");
    assert!(all.contains(&"milkYield: 30 → 31.5 (manual)".to_owned()), "{all:?}");
    let opened = async |publicly: bool| {
        changed!(w, "alpha", "animals", 2, {"publicVisible": publicly, "publicDetails": publicly});
    };
    let filter = "where[path][in]=name,altIds.earTag,notes,dnaTests.0,milkYield";
    ask!(w, "", "GET /api/animal-revisions" => 403);
    assert_eq!(revisions(w, "beta", "").await, [""; 0]);
    // An opened card shows its fields, never its history.
    opened(true).await;
    assert_eq!(revisions(w, "beta", "").await, [""; 0]);
    opened(false).await;

    let seen = async |scope: &str, shown: &[&str]| {
        let grant = made!(w, "alpha", "access-grants", {"animal": 2, "grantee": 2, "scopes": [scope]});
        let found = revisions(w, "beta", filter).await;
        assert_eq!(found, shown, "{scope}");
        let hidden = "/api/animal-revisions/count?where[path][in]=notes,dnaTests.0";
        holds!(w.get("beta", hidden).await.json(), {"totalDocs": 0}, "{scope}");
        for row in w.list("animal-revisions", filter).await {
            let line = row["path"].as_str().unwrap();
            let id = row["id"].as_i64().unwrap();
            let answer = w.get("beta", &format!("/api/animal-revisions/{id}")).await;
            let open = shown.iter().any(|s| s.starts_with(&format!("{line}:")));
            assert_eq!(answer.status, if open { 200 } else { 404 }, "{scope} {line}");
        }
        changed!(w, "alpha", "access-grants", grant, {"revokedAt": "2026-03-01"});
    };
    let name = "name: Animal 2 → Bella (manual)";
    seen("origin", &["altIds.earTag: – → T1 (manual)", name]).await;
    seen("production", &["milkYield: 30 → 31.5 (manual)", name]).await;
    seen("evaluation", &[name]).await;
    ask!(w, "beta", "GET /api/animal-revisions?where[class][equals]=o" => 400);
    let through = w.get("beta", "/api/animal-revisions?where[animal.notes][equals]=n").await;
    assert_eq!(through.json()["totalDocs"], 0, "{}", through.text);
}

#[test_with(World::each)]
async fn names_of_what_others_keep_to_themselves_stay_numbers(w: &World<'_>) {
    // The mother belongs to another farm and is not public.
    changed!(w, "admin", "animals", 4, {"mother": 3});
    let all = revisions(w, "alpha", "where[path][equals]=mother").await;
    assert_eq!(all, ["mother: 960000000002 → #3 (admin)"]);
}

#[test_with(World::each)]
async fn the_exchange_is_told_as_such(w: &World<'_>) {
    let weight = |kg: i64| {
        json!({
            "resourceType": "icarWeightEventResource",
            "meta": {"source": "scale.example", "sourceId": "w1", "modified": "2026-02-01T00:00:00Z"},
            "animal": {"scheme": "org.herdbook.animal", "id": "960000000002"},
            "eventDateTime": "2026-02-01T00:00:00Z",
            "weight": {"measurement": kg, "units": "KGM", "method": "LoadCell"},
        })
    };
    let path = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
    for body in [json!([weight(500)]), json!([weight(500)]), json!([weight(510)])] {
        ask!(w, "alpha", "POST {path}", body => 200);
    }
    assert_eq!(revisions(w, "alpha", "").await, ["weight: 500 → 510 (ade)"]);
    let lines = w.list("operations", "where[action][equals]=ade-intake").await;
    let said: Vec<_> = lines.iter().map(|l| l["summary"].as_str().unwrap()).collect();
    assert_eq!(
        said,
        ["weights: 1 created, 0 updated, 0 deleted, 0 refused", "weights: 0 created, 1 updated, 0 deleted, 0 refused",],
        "what changed nothing is not logged"
    );
    assert_eq!((&lines[0]["organization"], &lines[0]["actor"]), (&json!(1), &json!(11)));
    assert_eq!(operations(w, "beta").await, [""; 0]);
}

#[test_with(World::each)]
async fn what_is_done_is_told_to_whom_it_concerns(w: &World<'_>) {
    assert_eq!(operations(w, "admin").await, [""; 0], "filling a book is no operation");
    let fresh = json!({"identNumber": "961234567", "sex": "female", "birthDate": "2024-01-01"});
    let calf = w.made("alpha", "animals", fresh).await;
    changed!(w, "alpha", "animals", calf, {"archived": true});
    changed!(w, "alpha", "animals", calf, {"archived": false});
    w.gone("admin", "animals", calf).await;
    let grant = made!(w, "alpha", "access-grants", {"animal": 2, "grantee": 4, "scopes": ["origin"]});
    changed!(w, "alpha", "access-grants", grant, {"revokedAt": "2026-03-01"});
    made!(w, "alpha", "access-grants", {"animal": 2, "grantee": 4, "scopes": ["origin"]});
    made!(w, "alpha", "movements", {"animal": 2, "kind": "sale", "date": "2026-02-01", "to": 2});
    changed!(w, "alpha", "users", 12, {"orgRole": "viewer"});
    changed!(w, "alpha", "users", 13, {"blockedAt": "2026-03-01"});
    changed!(w, "alpha", "users", 13, {"blockedAt": null});
    changed!(w, "expert", "organizations", 1, {"membership": "suspended"});
    let expected = [
        "animal-created 961234567",
        "animal-archived 961234567",
        "animal-restored 961234567",
        "animal-purged 961234567",
        "grant-issued Delta",
        "grant-revoked Delta",
        "grant-issued Delta",
        "movement-recorded 960000000002",
        "grant-revoked Delta",
        "role-changed Smith Ann",
        "user-blocked Smith Ann",
        "user-unblocked Smith Ann",
        "membership-decided Alpha",
    ];
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all
    };
    let expected = sorted(expected.map(str::to_owned).into());
    for who in ["admin", "alpha", "viewer"] {
        assert_eq!(sorted(operations(w, who).await), expected, "{who}");
    }
    assert_eq!(operations(w, "beta").await, [""; 0]);
    ask!(w, "", "GET /api/operations" => 403);

    let one = &w.list("operations", "where[action][equals]=role-changed").await[0];
    holds!(one, {
        "summary": "orgRole: operator → viewer", "actor": 11, "actorName": "Smith Ann", "organization": 1,
        "subjectType": "user", "subjectId": 12,
    });
    // The sale ended the grant: the log names its seller.
    let ended = &w.list("operations", "where[action][equals]=grant-revoked").await[1];
    holds!(ended, {"actor": 11, "subjectType": "share"});
    let decided = &w.list("operations", "where[action][equals]=membership-decided").await[0];
    holds!(decided, {"summary": "membership: member → suspended", "actor": 2});
}

#[test_with(World::each)]
async fn a_recorded_receipt_is_confirmed_by_the_seller(w: &World<'_>) {
    // The buyer sees the bought animal.
    changed!(w, "admin", "animals", 2, {"publicVisible": true});
    let id = made!(w, "beta", "movements", {"animal": 2, "kind": "sale", "date": "2026-02-01", "from": 1, "to": 2});
    changed!(w, "alpha", "movements", id, {"confirmation": "confirmed"});
    let lines = operations(w, "alpha").await;
    assert_eq!(lines, ["movement-recorded 960000000002", "movement-confirmed 960000000002"]);
    // The buyer's head recorded it, and sees that record.
    assert_eq!(operations(w, "beta").await, ["movement-recorded 960000000002"]);
}

#[test_with(World::each)]
async fn sign_ins_are_told_and_refused_ones_are_joined(w: &World<'_>) {
    let book = &w.stage.book;
    let before = w.list("operations", "where[action][equals]=login").await.len();
    w.stage.login("alpha@demo.herdbook", PASSWORD).await.assert_is(200, "");
    let lines = w.list("operations", "where[action][equals]=login").await;
    assert_eq!(lines.len(), before + 1);
    let last = lines.last().unwrap();
    holds!(last, {"actor": 11, "organization": 1});

    for _ in 0..3 {
        w.stage.login("alpha@demo.herdbook", "wrong").await.assert_is(401, "");
    }
    for name in ["nobody@x.example", "noone@x.example"] {
        assert_eq!(w.stage.login(name, "wrong").await.status, 401);
    }
    let refused = "where[action][equals]=login-refused";
    assert_eq!(w.list("operations", refused).await.len(), 0, "no request waits for the log");
    book.write_deferred_log().await.unwrap();
    book.write_deferred_log().await.unwrap();
    let lines = w.list("operations", refused).await;
    let said: Vec<_> =
        lines.iter().map(|l| (l["summary"].as_str().unwrap(), &l["organization"], &l["subject"])).collect();
    assert_eq!(
        said,
        [
            ("3 sign-ins were refused.", &json!(1), &json!("Smith Ann")),
            ("2 sign-ins were refused.", &Value::Null, &Value::Null),
        ]
    );
    holds!(w.get("alpha", &format!("/api/operations?{refused}")).await.json(), {"totalDocs": 1});
    holds!(w.get("beta", &format!("/api/operations?{refused}")).await.json(), {"totalDocs": 0});
}

#[test_with(Stage::each)]
async fn a_flood_of_names_takes_few_rows(stage: &Stage) {
    for n in 0..3_000_u32 {
        let ip = std::net::IpAddr::from(n.to_be_bytes());
        stage.book.refused(&format!("u{n}@x.example"), Some(ip));
    }
    stage.book.write_deferred_log().await.unwrap();
    let rows = stage.number("SELECT count(*) FROM operations").await;
    assert!((1..=51).contains(&rows), "{rows} rows");
}

/// A request of a caller from an address.
async fn from(w: &World<'_>, address: &str, path: &str, token: &str, body: Value) -> u16 {
    let headers = [("content-type", "application/json"), ("authorization", token)];
    let mut call = request("PATCH", path, &headers, body.to_string().into());
    let address: SocketAddr = address.parse().unwrap();
    call.extensions_mut().insert(ConnectInfo(address));
    w.stage.ask(call).await.status
}

#[test_with(World::each)]
async fn addresses_are_kept_and_shown_to_whom_the_line_concerns(w: &World<'_>) {
    let token = format!("JWT {}", w.stage.token("alpha@demo.herdbook").await);
    let path = "/api/animals/2";
    for (address, archived) in [("[::ffff:192.0.2.7]:4000", true), ("[2001:db8::1]:4000", false)] {
        let status = from(w, address, path, &token, json!({"archived": archived})).await;
        assert_eq!(status, 200, "{address}");
    }
    let lines = w.list("operations", "where[ip][exists]=true").await;
    let ips: Vec<_> = lines.iter().map(|l| l["ip"].as_str().unwrap()).collect();
    assert_eq!(ips, ["192.0.2.7", "2001:db8::1"]);
    holds!(w.get("viewer", "/api/operations?where[ip][equals]=192.0.2.7").await.json(), {"totalDocs": 1});
    holds!(w.get("beta", "/api/operations?where[ip][equals]=192.0.2.7").await.json(), {"totalDocs": 0});
}

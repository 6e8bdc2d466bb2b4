//! API keys for machines (docs/sign-in.md, *API keys*, and case 82 of the dialect).

use crate::rest::stage::{Answer, NOW, SECRET, Stage};
use crate::rest::world::World;
use model::record::Value as Cell;
use secure::keys::KeyRing;
use serde_json::{Value, json};
use store::{Sql, Ty};

const NOBODY: (u16, &str) = (200, r#"{"user":null,"message":"Account"}"#);
const LOCATIONS: &str = "/ade/v1/locations";

async fn with(w: &World<'_>, method: &str, path: &str, value: &str) -> Answer {
    w.stage.send(method, path, &[("authorization", value)]).await
}

async fn me(w: &World<'_>, key: &str) -> Answer {
    with(w, "GET", "/api/users/me", &format!("users API-Key {key}")).await
}

/// Switches on and gives the key.
async fn made(w: &World<'_>, who: &str, id: i64, body: Value) -> String {
    let doc = w.changed(who, "users", id, body).await;
    doc["apiKey"].as_str().expect("a key").to_owned()
}

#[test_with(World::each)]
async fn a_key_is_made_told_once_and_opens_both_faces(w: &World<'_>) {
    let key = made(w, "alpha", 11, json!({"enableAPIKey": true})).await;
    assert_eq!(key.len(), 43);
    let doc = w.doc("users", 11).await;
    assert_eq!(doc["enableAPIKey"], true);
    assert!(doc.get("apiKey").is_none() && doc.get("apiKeyIndex").is_none());
    let answer = me(w, &key).await;
    let body = answer.json();
    let members: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
    assert_eq!(members, ["user", "collection", "strategy", "message"]);
    holds!(body, {"user.id": 11, "strategy": "api-key"});
    assert_eq!(answer.header("www-authenticate"), "");
    let own = with(w, "GET", "/api/animals?depth=0", &format!("users API-Key {key}")).await;
    let token = w.get("alpha", "/api/animals?depth=0").await;
    assert_eq!(own.json()["totalDocs"], token.json()["totalDocs"]);
    let ade = with(w, "GET", LOCATIONS, &format!("users API-Key {key}")).await;
    assert_eq!(ade.status, 200, "{}", ade.text);

    // Sending the document back, or switching on again, does not change the key.
    let second = w.changed("alpha", "users", 11, json!({"enableAPIKey": true, "apiKey": null}));
    assert!(second.await.get("apiKey").is_none());
    assert_eq!(me(w, &key).await.json()["user"]["id"], 11);
    let second = w.changed("alpha", "users", 11, doc).await;
    assert!(second.get("apiKey").is_none());
    assert_eq!(me(w, &key).await.json()["user"]["id"], 11);
}

#[test_with(World::each)]
async fn a_key_of_ones_own_choice_replaces_the_other_and_can_be_ended(w: &World<'_>) {
    let first = made(w, "alpha", 11, json!({"enableAPIKey": true})).await;
    let chosen = "5cd1d4a2-8d0a-4f0e-9c55-1f8c7f6f4a11";
    let body = json!({"enableAPIKey": true, "apiKey": chosen});
    assert_eq!(made(w, "alpha", 11, body).await, chosen);
    assert_eq!(me(w, &first).await.parts(), NOBODY);
    assert_eq!(me(w, chosen).await.json()["user"]["id"], 11);
    let short = json!({"enableAPIKey": true, "apiKey": "short"}).to_string();
    let refused = w.refused("alpha", "PATCH", "/api/users/11", &short).await;
    assert_eq!(refused.status, 400);
    refused.has(&[r#""path":"apiKey""#]);
    assert_eq!(me(w, chosen).await.json()["user"]["id"], 11);
    let off = changed!(w, "alpha", "users", 11, {"enableAPIKey": false});
    assert!(off.get("apiKey").is_none());
    assert_eq!(me(w, chosen).await.parts(), NOBODY);
    changed!(w, "alpha", "users", 11, {"apiKey": chosen});
    me(w, chosen).await.assert_is(NOBODY, "a key alone switches nothing on");
}

#[test_with(World::each)]
async fn bad_keys_are_nobody_and_hear_of_it(w: &World<'_>) {
    let key = made(w, "alpha", 11, json!({"enableAPIKey": true})).await;
    let cookie = format!("herdbook-token={}", w.stage.token("beta@demo.herdbook").await);
    for value in [
        "users API-Key wrong".to_owned(),
        format!("users API-Key  {key}"),
        format!("users API-Key {}", key.to_lowercase()),
        format!("users API-Key {}", "x".repeat(5_000)),
    ] {
        let headers = [("authorization", value.as_str()), ("cookie", cookie.as_str())];
        let answer = w.stage.send("GET", "/api/users/me", &headers).await;
        assert_eq!(answer.parts(), NOBODY, "a good cookie does not replace it");
        assert_eq!(answer.header("www-authenticate"), "JWT error=\"invalid_token\"");
        let ade = w.stage.send("GET", LOCATIONS, &headers).await;
        assert_eq!((ade.status, &ade.json()["errors"][0]["code"]), (401, &json!("unauthorized")));
    }
    // Not of this scheme: skipped, as Basic is.
    for value in [format!("users api-key {key}"), format!("herds API-Key {key}")] {
        let headers = [("authorization", value.as_str()), ("cookie", cookie.as_str())];
        let answer = w.stage.send("GET", "/api/users/me", &headers).await;
        assert_eq!(answer.json()["user"]["id"], 21, "{value}");
    }
    let value = format!("users API-Key {key}");
    let refresh = with(w, "POST", "/api/users/refresh-token", &value).await;
    assert_eq!(refresh.status, 403, "there is no token to be refreshed");
    let out = with(w, "POST", "/api/users/logout", &value).await;
    assert_eq!(out.parts(), (200, r#"{"message":"Logout successful."}"#));
    holds!(me(w, &key).await.json(), {"user.id": 11}, "and no session to be ended");
    changed!(w, "admin", "users", 11, {"blockedAt": "2026-01-01"});
    assert_eq!(me(w, &key).await.parts(), NOBODY);
}

#[test_with(World::each)]
async fn nobody_reads_or_asks_for_keys(w: &World<'_>) {
    let key = made(w, "alpha", 11, json!({"enableAPIKey": true})).await;
    for path in "apiKey apiKeyIndex resetToken resetUntil verifier sessions".split(' ') {
        for query in [format!("where[{path}][exists]=true"), format!("where[{path}][equals]={key}")] {
            let answer = w.get("admin", &format!("/api/users?{query}")).await;
            assert_eq!((answer.status, &answer.json()["errors"][0]["name"]), (400, &json!("QueryError")));
        }
    }
    ask!(w, "admin", "GET /api/animals?where[author.apiKeyIndex][exists]=true" => 400);
    let all = w.get("admin", "/api/users?limit=0&depth=1").await;
    all.lacks(&[&key, "apiKey\""]);
    let sql = "SELECT count(*) FROM users WHERE api_key_index IS NOT NULL";
    assert_eq!(w.stage.number(sql).await, 1);
    let sql = Sql::new("SELECT count(*) FROM users WHERE api_key_index LIKE ").with(Ty::Text, format!("%{key}%"));
    let rows = w.stage.book.store.rows(sql).await.unwrap();
    assert_eq!(rows[0].int(0), Some(0), "stored as a digest only");
}

#[test_with(World::each)]
async fn an_account_can_be_made_with_a_key(w: &World<'_>) {
    let answer = post!(w, "admin", "users", {
        "email": "machine@alpha.example", "firstName": "M", "lastName": "M", "role": "service",
        "organization": 1, "orgRole": "operator", "enableAPIKey": true,
    });
    assert_eq!(answer.status, 201, "{}", answer.text);
    let doc = &answer.json()["doc"];
    let me = me(w, doc["apiKey"].as_str().unwrap()).await.json();
    assert_eq!(me["user"]["id"], doc["id"]);
}

#[test_with(World::each)]
async fn a_key_that_two_accounts_share_opens_neither(w: &World<'_>) {
    let key = "one key for everybody";
    for (who, id) in [("alpha", 11), ("beta", 21)] {
        let body = json!({"enableAPIKey": true, "apiKey": key});
        made(w, who, id, body).await;
    }
    assert_eq!(me(w, key).await.parts(), NOBODY);
}

/// While a secret is exchanged keys stay valid, and are stored under the new one when they are used.
#[test_with(Stage::each)]
async fn keys_outlive_the_secret(stage: &Stage) {
    stage.user(7, "m@alpha.example", "service").await;
    let before = KeyRing::new("another-secret-of-32-characters-x", None).unwrap();
    let ring = KeyRing::new(SECRET, Some("another-secret-of-32-characters-x")).unwrap();
    let key = "a key from before the change";
    let sql = Sql::new("UPDATE users SET enable_api_key = ")
        .with(Ty::Bool, Cell::Bool(true))
        .and(", api_key_index = ")
        .with(Ty::Text, before.api_key(key));
    stage.run(sql).await;
    let book = ops::Book::new(
        stage.book.registry,
        stage.book.store.clone(),
        stage.book.clock.clone(),
        std::sync::Arc::new(ops::NoProjection),
        std::sync::Arc::clone(&stage.book.passwords),
        std::sync::Arc::new(ring),
    );
    let users = book.registry.get("users").unwrap();
    let known = book.key_holder(users, key).await.unwrap();
    assert_eq!(known.principal.user, Some(7));
    // The stage knows the new secret only.
    let known = stage.book.key_holder(users, key).await.unwrap();
    assert_eq!(known.principal.user, Some(7), "{NOW}");
}

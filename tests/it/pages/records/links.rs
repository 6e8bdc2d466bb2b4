//! View links (docs/links.md): what they open, to whom, and when they do no more.

use crate::pages::{assert_sound, goes, page};
use crate::rest::stage::Answer;
use crate::rest::world::World;
use serde_json::{Value, json};

async fn link(w: &World<'_>, animals: Value, scopes: Value) -> (i64, String) {
    let body = json!({"animals": animals, "scopes": scopes, "expiresAt": "2026-06-01"});
    let answer = ask!(w, "alpha", "POST /api/share-links?depth=0", body => 201);
    let doc = answer.json()["doc"].clone();
    (doc["id"].as_i64().unwrap(), doc["token"].as_str().unwrap().to_owned())
}

async fn with(w: &World<'_>, token: &str, path: &str) -> Answer {
    let value = format!("Share {token}");
    w.send("", "GET", path, &[("authorization", &value)], "").await
}

async fn open(w: &World<'_>, token: &str) -> Answer {
    let body = json!({"token": token}).to_string();
    w.ask("", "POST", "/api/share-links/open", body).await
}

/// An event of each kind of scope, and a closed animal.
async fn fill(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": false, "publicDetails": false, "notes": "own words"});
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2024-02-01", "number": 1});
    made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2024-03-01", "milkYield": 31.5});
    made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2024-04-01", "milkYield": 28.5});
}

#[test_with(World::each)]
async fn a_link_opens_its_animals_in_its_scopes(w: &World<'_>) {
    fill(w).await;
    let closed = with(w, "none", "/api/animals/2?depth=0").await;
    assert_eq!(closed.status, 404);
    let (id, production) = link(w, json!([2]), json!(["production"])).await;
    let (_, origin) = link(w, json!([2]), json!(["origin"])).await;
    let answer = open(w, &production).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(
        answer.json(),
        json!({"owner": {"id": 1, "name": "Alpha"}, "scopes": ["production"],
               "expiresAt": "2026-06-01T00:00:00.000Z", "animals": [2]})
    );
    holds!(w.doc("share-links", id).await, {"opens": 1, "lastOpenedAt": "2026-03-01T12:00:00.000Z"});
    let seen = async |token: &str| {
        let animal = with(w, token, "/api/animals/2?depth=0&joins=false").await;
        assert_eq!(animal.status, 200, "{}", animal.text);
        let tests = with(w, token, "/api/milk-tests?depth=0").await.json();
        (animal.json(), tests["totalDocs"].as_u64().unwrap())
    };
    let (animal, tests) = seen(&production).await;
    assert_eq!(tests, 2);
    assert!(animal.get("altIds").is_none() || animal["altIds"].get("earTag").is_none(), "{animal}");
    let (animal, tests) = seen(&origin).await;
    assert_eq!(tests, 0);
    assert!(animal.get("altIds").is_some(), "{animal}");
    assert!(animal.get("notes").is_none(), "the owner's own words: {animal}");
    // Another animal of the same owner stays closed, and nothing is written.
    changed!(w, "alpha", "animals", 4, {"publicVisible": false});
    assert_eq!(with(w, &production, "/api/animals/4?depth=0").await.status, 404);
    let value = format!("Share {production}");
    let headers = [("authorization", value.as_str()), ("content-type", "application/json")];
    for (method, path, body) in [
        ("PATCH", "/api/animals/2", r#"{"name":"x"}"#),
        ("POST", "/api/milk-tests", r#"{"animal":2,"date":"2024-05-01","milkYield":1}"#),
        ("DELETE", "/api/animals/2", ""),
    ] {
        assert_eq!(w.send("", method, path, &headers, body).await.status, 403, "{method}");
    }
    // The exchange knows no links.
    let exchange = w.send("", "GET", "/ade/v1/locations", &headers, "").await;
    assert_eq!(exchange.status, 401, "{}", exchange.text);
    // Who has no link is answered as before, from whatever cache.
    assert_eq!(w.get("", "/api/animals/2?depth=0").await.status, 404);
}

#[test_with(World::each)]
async fn links_that_open_nothing_are_alike(w: &World<'_>) {
    fill(w).await;
    let (revoked, ended) = link(w, json!([2]), json!(["origin"])).await;
    let (_, sold) = link(w, json!([2]), json!(["origin"])).await;
    assert_eq!(with(w, &ended, "/api/animals/2?depth=0").await.status, 200);
    changed!(w, "alpha", "share-links", revoked, {"revokedAt": "2026-03-01"});
    let unknown = "0".repeat(64);
    let wrong = open(w, &unknown).await;
    assert_eq!(wrong.status, 404);
    assert_eq!(open(w, &ended).await.parts(), wrong.parts());
    assert_eq!(
        with(w, &ended, "/api/animals/2?depth=0").await.parts(),
        with(w, &unknown, "/api/animals/2?depth=0").await.parts()
    );
    let page_of = async |token: &str| {
        let answer = page(w, "", &format!("/share/{token}")).await;
        assert_eq!(answer.status, 404);
        assert_sound(&answer, "ended");
        answer.text.replace(token, "T")
    };
    assert_eq!(page_of(&ended).await, page_of(&unknown).await);
    assert_eq!(page(w, "", &format!("/share/{ended}/2")).await.status, 404);
    for odd in ["", "x", "%00", "%E2%82%AC", &"a".repeat(3_000)] {
        page(w, "", &format!("/share/{odd}")).await.assert_is(404, &format!("{odd:.20}"));
    }
    for body in ["{}", r#"{"token":1}"#, r#"{"token":null}"#] {
        w.ask("", "POST", "/api/share-links/open", body).await.assert_is(404, body);
    }
    w.ask("", "POST", "/api/animals/open", r#"{"token":"x"}"#).await.assert_is(404, "");
    // An animal that its owner gave away is shown no more.
    assert_eq!(with(w, &sold, "/api/animals/2?depth=0").await.status, 200);
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
    assert_eq!(with(w, &sold, "/api/animals/2?depth=0").await.status, 404);
}

#[test_with(World::each)]
async fn the_page_of_a_link_shows_what_the_link_opens(w: &World<'_>) {
    fill(w).await;
    let (id, token) = link(w, json!([2]), json!(["production"])).await;
    let path = format!("/share/{token}");
    // Whoever looks sees the same.
    for who in ["", "alpha", "beta", "expert"] {
        let answer = page(w, who, &path).await;
        assert_eq!(answer.status, 200, "{who}: {}", answer.text);
        assert_sound(&answer, "link");
        answer.has(&["Alpha", &format!("{path}/2")]);
        answer.lacks(&["/book/"]);
        assert!(answer.header("x-robots-tag").contains("noindex"));
        let card = page(w, who, &format!("{path}/2?tab=production")).await;
        assert_eq!(card.status, 200, "{}", card.text);
        assert_sound(&card, "card");
        card.has(&["<polyline", "31.5", &format!("{path}/2\"")]);
        card.lacks_in(&who, &["own words", "/book/"]);
        page(w, who, &format!("{path}/3")).await.assert_is(404, who);
    }
    assert_eq!(w.doc("share-links", id).await["opens"], 4);
    // Addresses of the service before this one lead there.
    for who in ["", "alpha"] {
        assert_eq!(goes(&page(w, who, &format!("/animals/2?share={token}")).await), format!("{path}/2"));
    }
    assert_eq!(goes(&page(w, "alpha", "/animals/2").await), "/book/animals/2");
    page(w, "", "/animals/2?share=%2Fevil").await.assert_is(404, "odd");
}

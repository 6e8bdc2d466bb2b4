//! Organisations, users and grants: who may create, change and block which of them (docs/design/access.md,
//! *Access*).

use crate::rest::stage::PASSWORD;
use crate::rest::world::{FORBIDDEN, NOT_FOUND, World, fill, paths};
use model::record::Value as Cell;
use model::registry::Rule;
use serde_json::{Value, json};
use store::{Sql, Ty};

#[test_with(World::each)]
async fn organisations_made_by_callers_are_only_named(w: &World<'_>) {
    let body = json!({"name": "Omega", "presence": "registered", "referencedBy": 2, "region": "North"});
    let id = w.made("alpha", "organizations", body).await;
    holds!(w.doc("organizations", id).await, {"presence": "referenced", "referencedBy": 1, "nameKey": "omega"});
    changed!(w, "alpha", "organizations", id, {"shortName": "O"});
    let path = format!("/api/organizations/{id}");
    let body = r#"{"shortName":"P"}"#;
    assert_eq!(w.refused("beta", "PATCH", &path, body).await.parts(), FORBIDDEN);
    assert_eq!(w.refused("operator", "PATCH", &path, body).await.parts(), FORBIDDEN);
    let mut set = Sql::new("UPDATE organizations SET presence = ");
    set.bind(Ty::Text, Cell::from("registered")).push(" WHERE id = ").bind(Ty::Int, id);
    w.stage.run(set).await;
    assert_eq!(w.refused("alpha", "PATCH", &path, body).await.status, 403, "it takes part itself");
    refused!(w, "alpha", "PATCH /api/organizations/1", {"region": "Nowhere"} => 400 ["region"]);
}

#[test_with(World::each)]
async fn heads_manage_their_team_and_nobody_more(w: &World<'_>) {
    let place = json!({"orgRole": "viewer"});
    let doc = w.changed("alpha", "users", 12, place.clone()).await;
    assert_eq!(doc["orgRole"], "viewer");
    for who in ["operator", "viewer", "beta", "expert", ""] {
        refused!(w, who, "PATCH /api/users/11", place => FORBIDDEN);
    }
    refused!(w, "alpha", "PATCH /api/users/11", place => 400 ["orgRole"]);
    for (path, value) in [
        ("role", json!("admin")),
        ("organization", json!(2)),
        ("organization", Value::Null),
        ("confirmed", json!(true)),
    ] {
        let body = json!({(path): value}).to_string();
        for id in [11, 12] {
            let answer = w.refused("alpha", "PATCH", &format!("/api/users/{id}"), &body).await;
            answer.assert_faulty(403, &[path]);
        }
    }
    for (path, value) in [("orgRole", json!("head")), ("blockedAt", json!("2026-01-01")), ("blockReason", json!("x"))] {
        refused!(w, "viewer", "PATCH /api/users/13", {(path): value} => 403 [path]);
    }
    holds!(changed!(w, "viewer", "users", 13, {"phone": "1", "orgRole": "viewer"}), {"phone": "1"});
    for (who, expected) in [("alpha", FORBIDDEN), ("expert", FORBIDDEN)] {
        let body = json!({"email": "a@b.cd", "lastName": "A", "firstName": "B"});
        assert_eq!(w.refused(who, "POST", "/api/users", &body.to_string()).await.parts(), expected);
        assert_eq!(w.refused(who, "DELETE", "/api/users/13", "").await.parts(), expected);
    }
    refused!(w, "admin", "PATCH /api/users/999", {} => NOT_FOUND);
}

#[test_with(World::each)]
async fn accounts_are_made_blocked_and_given_passwords(w: &World<'_>) {
    let body = json!({"email": " New@Demo.Herdbook ", "lastName": "A", "firstName": "B", "organization": 1, "password": "long enough"});
    let answer = ask!(w, "admin", "POST /api/users?depth=0", body => 201);
    let doc = &answer.json()["doc"];
    assert_eq!(doc["email"], "new@demo.herdbook");
    for hidden in ["password", "verifier", "sessions"] {
        assert!(doc.get(hidden).is_none(), "{hidden}");
    }
    let id = doc["id"].as_i64().unwrap();
    assert_eq!(w.stage.login("new@demo.herdbook", "long enough").await.status, 200);
    refused!(w, "admin", "POST /api/users", body => 400 ["email"]);
    let bad = json!({"email": "x", "lastName": "A", "firstName": "B", "password": "short"});
    let bad = w.refused("admin", "POST", "/api/users", &bad.to_string()).await;
    assert_eq!(paths(&bad).len(), 2, "{}", bad.text);

    changed!(w, "alpha", "users", id, {"blockedAt": "2026-03-01", "blockReason": "left"});
    assert_eq!(w.doc("users", id).await["blockedBy"], 11);
    assert_eq!(w.stage.login("new@demo.herdbook", "long enough").await.status, 401);
    changed!(w, "alpha", "users", id, {"blockedAt": null});

    refused!(w, "beta", "PATCH /api/users/21", {"blockedAt": "2026-03-01"} => 400 ["blockedAt"]);
    changed!(w, "admin", "users", 21, {"blockedAt": "2026-03-01"});
    refused!(w, "beta", "POST /api/weighings", {"animal": 3, "date": "2025-01-10", "weight": 500} => FORBIDDEN);
    ask!(w, "beta", "GET /api/animals/3" => NOT_FOUND, "a blocked user is a stranger at once");

    // A new password ends all sessions.
    changed!(w, "viewer", "users", 13, {"password": "another one"});
    let me = w.get("viewer", "/api/users/me").await;
    assert_eq!(me.json()["user"], Value::Null);
    assert_eq!(w.stage.login("viewer@demo.herdbook", PASSWORD).await.status, 401);
    assert_eq!(w.stage.login("viewer@demo.herdbook", "another one").await.status, 200);
}

#[test_with(World::each)]
async fn grants_are_given_by_owners_and_end_for_good(w: &World<'_>) {
    let grant = |animal: Value, to: i64| json!({"animal": animal, "grantee": to, "scopes": ["production"]});
    let id = w.made("alpha", "access-grants", grant(json!(2), 2)).await;
    let doc = w.doc("access-grants", id).await;
    assert_eq!((&doc["owner"], &doc["issuedBy"]), (&json!(1), &json!(11)));
    for (body, status, path) in [
        (grant(json!(3), 4), 400, "animal"),
        (grant(json!(2), 1), 400, "grantee"),
        (json!({"grantee": 2, "scopes": []}), 400, "scopes"),
        (json!({"grantee": 2}), 400, "scopes"),
        (json!({"grantee": 2, "scopes": ["all"]}), 400, "scopes"),
        (json!({"grantee": 2, "scopes": ["origin"], "owner": 2}), 403, "owner"),
    ] {
        let answer = refused!(w, "alpha", "POST /api/access-grants", body => status);
        if !path.is_empty() {
            assert_eq!(paths(&answer), [path], "{body}");
        }
    }
    let path = format!("/api/access-grants/{id}");
    for (field, value) in [("grantee", json!(4)), ("animal", json!(4)), ("scopes", json!(["origin"]))] {
        refused!(w, "alpha", "PATCH {path}", {(field): value} => 403 [field]);
    }
    refused!(w, "beta", "PATCH {path}", {"note": "x"} => FORBIDDEN);
    ask!(w, "beta", "GET /api/animals/2" => 200, "the grant opens");
    let doc = changed!(w, "alpha", "access-grants", id, {"revokedAt": "2030-01-01"});
    assert_eq!((&doc["revokedAt"], &doc["revokedBy"]), (&json!("2026-03-01T12:00:00.000Z"), &json!(11)));
    ask!(w, "beta", "GET /api/animals/2" => NOT_FOUND, "at once");
    refused!(w, "alpha", "PATCH {path}", {"revokedAt": null} => 400 ["revokedAt"]);
}

#[test_with(World::each)]
async fn who_has_no_organisation_counts_no_rows_of_organisations(w: &World<'_>) {
    let email = "alone@demo.herdbook";
    let alone = json!({"id": 51, "email": email, "lastName": "Smith", "firstName": "Ann", "role": "individual"});
    fill(w.stage, "users", vec![alone]).await;
    let token = format!("JWT {}", w.stage.token(email).await);
    let get = async |path: &str| w.send("", "GET", path, &[("authorization", token.as_str())], "").await;
    for c in w.stage.book.registry.iter().filter(|c| c.access.read == Rule::Farm) {
        let (list, count) =
            (get(&format!("/api/{}?page=2", c.slug)).await, get(&format!("/api/{}/count", c.slug)).await);
        // Its sign-in is in the log.
        let rows = json!(u8::from(c.slug == "operations"));
        assert_eq!((list.status, &list.json()["totalDocs"]), (200, &rows), "{}: {}", c.slug, list.text);
        assert_eq!((count.status, &count.json()["totalDocs"]), (200, &rows), "{}: {}", c.slug, count.text);
    }
}

//! Requests, genotype consents, view links and saved searches (docs/design/collections.md, *Access collections*).

use crate::rest::world::{World, paths};
use serde_json::{Value, json};
use store::Sql;

async fn open(w: &World<'_>, animal: i64, details: bool) {
    changed!(w, "admin", "animals", animal, {"publicVisible": true, "publicDetails": details});
}

/// Each body is refused with this status for this path.
async fn refused(w: &World<'_>, who: &str, method: &str, path: &str, all: &[(Value, u16, &str)]) {
    for (body, status, field) in all {
        let answer = w.refused(who, method, path, &body.to_string()).await;
        let fields = (answer.status, paths(&answer));
        assert_eq!(fields, (*status, vec![(*field).to_owned()]), "{body}: {}", answer.text);
    }
}

#[test_with(World::each)]
async fn an_approved_request_is_a_grant(w: &World<'_>) {
    open(w, 2, false).await;
    let ask = json!({"animal": 2, "purpose": "semen", "comment": "Please", "status": "approved", "owner": 2, "requester": 11});
    let id = w.made("beta", "access-requests", ask).await;
    let doc = w.doc("access-requests", id).await;
    let members = [&doc["owner"], &doc["requester"], &doc["requesterOrg"], &doc["status"]];
    assert_eq!(members, [&json!(1), &json!(21), &json!(2), &json!("new")]);

    let path = format!("/api/access-requests/{id}");
    let approve = json!({"status": "approved", "scopes": ["production"]});
    for who in ["beta", "operator", "viewer"] {
        refused!(w, who, "PATCH {path}", approve => 403);
    }
    let frozen = [
        (json!({"comment": "No"}), 403, "comment"),
        (json!({"purpose": "other"}), 403, "purpose"),
        (json!({"animal": 4}), 403, "animal"),
        (json!({"status": "approved"}), 400, "scopes"),
    ];
    refused(w, "alpha", "PATCH", &path, &frozen).await;
    made!(w, "alpha", "weighings", {"animal": 2, "date": "2025-01-10", "weight": 500});
    assert_eq!(w.get("beta", "/api/weighings").await.json()["totalDocs"], 0);

    let doc = w.changed("alpha", "access-requests", id, approve).await;
    assert_eq!((&doc["decidedBy"], doc["decidedAt"].is_string()), (&json!(11), true));
    let grants = w.list("access-grants", "").await;
    let members = ["request", "owner", "grantee", "animal", "issuedBy"].map(|f| grants[0][f].clone());
    assert_eq!((grants.len(), members), (1, [id, 1, 2, 2, 11].map(Value::from)));
    assert_eq!(grants[0]["scopes"], json!(["production"]));
    assert_eq!(w.get("beta", "/api/weighings").await.json()["totalDocs"], 1);
    let second = [(json!({"status": "declined"}), 400, "status")];
    refused(w, "alpha", "PATCH", &path, &second).await;

    let own = [(json!({"animal": 2}), 400, "animal")];
    refused(w, "alpha", "POST", "/api/access-requests", &own).await;
    // A grant may name the request that it answers, if it was one to its giver.
    let other = made!(w, "admin", "access-requests", {"animal": 3});
    let foreign = json!({"grantee": 2, "scopes": ["origin"], "animal": 4, "request": other});
    refused(w, "alpha", "POST", "/api/access-grants", &[(foreign, 400, "request")]).await;
}

#[test_with(World::each)]
async fn nobody_approves_for_a_later_owner(w: &World<'_>) {
    open(w, 2, false).await;
    let id = made!(w, "delta", "access-requests", {"animal": 2});
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
    let path = format!("/api/access-requests/{id}");
    let approve = json!({"status": "approved", "scopes": ["origin"]});
    refused(w, "alpha", "PATCH", &path, &[(approve, 400, "status")]).await;
    changed!(w, "alpha", "access-requests", id, {"status": "declined", "response": "Sold"});
    assert_eq!(w.list("access-grants", "").await.len(), 0);
}

/// Animal 2 with a genetic test.
async fn tested(w: &World<'_>) {
    let kind = made!(w, "admin", "dna-test-types", {"code": "1", "name": "Parentage"});
    changed!(w, "alpha", "animals", 2, {"dnaTests": [{"type": kind, "result": "AA"}]});
}

/// Whether a caller sees the tests of animal 2, by every way in: they must agree.
async fn sees(w: &World<'_>, who: &str) -> bool {
    let doc = ask!(w, who, "GET /api/animals/2?depth=0" => 200, "{who}");
    let shown = doc.json().get("dnaTests").is_some();
    let list = w.get(who, "/api/animals?limit=0&where[id][equals]=2").await.json();
    assert_eq!(list["docs"][0].get("dnaTests").is_some(), shown, "{who}: the list");
    for operator in ["true", "false"] {
        let path = format!("/api/animals?where[id][equals]=2&where[dnaTests][exists]={operator}");
        let found = w.get(who, &path).await.json()["totalDocs"].clone();
        let expected = i32::from(shown && operator == "true");
        assert_eq!(found, expected, "{who}: exists {operator}");
    }
    shown
}

#[test_with(World::each)]
async fn genotypes_follow_the_consents_to_their_reader(w: &World<'_>) {
    tested(w).await;
    open(w, 2, false).await;
    assert_eq!((sees(w, "alpha").await, sees(w, "expert").await), (true, true));
    let who = async || [sees(w, "beta").await, sees(w, "delta").await, sees(w, "").await];
    let consent = |purpose: &str| json!({"animal": 2, "grantee": 2, "purposes": [purpose]});
    for (purpose, shows) in [("research", true), ("evaluation", true), ("exchange", true), ("publication", false)] {
        let id = w.made("alpha", "genotype-consents", consent(purpose)).await;
        assert_eq!(who().await, [shows, false, false], "{purpose}");
        changed!(w, "alpha", "genotype-consents", id, {"revokedAt": "2026-01-01"});
        assert_eq!(who().await, [false; 3], "{purpose} revoked");
    }
    let whole = json!({"grantee": 2, "purposes": ["research"], "expiresAt": "2026-03-01T12:10:00Z"});
    w.made("alpha", "genotype-consents", whole).await;
    assert_eq!(who().await, [true, false, false], "all animals, for ten minutes");
    made!(w, "beta", "genotype-consents", {"grantee": 4, "animal": 3, "purposes": ["research"]});
    assert_eq!(who().await, [true, false, false], "of another animal");
    w.stage.pass(660);
    assert_eq!(who().await, [false; 3], "expired");
}

#[test_with(World::each)]
async fn published_genotypes_are_seen_by_all_on_opened_cards(w: &World<'_>) {
    tested(w).await;
    open(w, 2, false).await;
    let who = async || [sees(w, "beta").await, sees(w, "delta").await, sees(w, "").await];
    let consent = json!({"animal": 2, "purposes": ["publication"], "expiresAt": "2026-03-01T12:10:00Z"});
    w.made("alpha", "genotype-consents", consent).await;
    assert_eq!(who().await, [false; 3], "the card is closed");
    open(w, 2, true).await;
    assert_eq!(who().await, [true; 3]);
    w.stage.pass(660);
    assert_eq!(who().await, [false; 3], "expired");
    let whole = made!(w, "alpha", "genotype-consents", {"purposes": ["publication"]});
    assert_eq!(who().await, [true; 3], "all animals");
    changed!(w, "alpha", "genotype-consents", whole, {"revokedAt": "2026-01-01"});
    assert_eq!(who().await, [false; 3]);
    made!(w, "beta", "genotype-consents", {"purposes": ["publication"]});
    assert_eq!(who().await, [false; 3], "of another owner");
}

#[test_with(World::each)]
async fn consents_are_given_by_owners_and_end_with_a_sale(w: &World<'_>) {
    let body = json!({"animal": 2, "grantee": 2, "purposes": ["research"]});
    // An animal that the caller does not see does not exist.
    refused!(w, "beta", "POST /api/genotype-consents", body => 400);
    let id = w.made("alpha", "genotype-consents", body.clone()).await;
    let doc = w.doc("genotype-consents", id).await;
    holds!(doc, {"owner": 1, "issuedBy": 11, "grantedAt": "2026-03-01T12:00:00.000Z"});
    let path = format!("/api/genotype-consents/{id}");
    let frozen = [
        (json!({"purposes": ["exchange"]}), 403, "purposes"),
        (json!({"grantee": 4}), 403, "grantee"),
        (json!({"animal": 4}), 403, "animal"),
    ];
    refused(w, "alpha", "PATCH", &path, &frozen).await;
    let doc = changed!(w, "alpha", "genotype-consents", id, {"note": "Yes", "expiresAt": "2027-01-01"});
    assert_eq!(doc["note"], "Yes");
    let whole = made!(w, "alpha", "genotype-consents", {"grantee": 2, "purposes": ["research"]});
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
    assert!(w.doc("genotype-consents", id).await["revokedAt"].is_string());
    holds!(w.doc("genotype-consents", whole).await, {"revokedAt": null});
    let revoked = [(json!({"revokedAt": null}), 400, "revokedAt")];
    refused(w, "alpha", "PATCH", &path, &revoked).await;
    w.gone("admin", "animals", 2).await;
    ask!(w, "admin", "GET {path}" => 404, "it goes with its animal");
}

fn link(animals: Value, until: &str) -> Value {
    json!({"animals": animals, "scopes": ["origin"], "expiresAt": until})
}

#[test_with(World::each)]
async fn the_key_of_a_link_is_shown_once_and_never_kept(w: &World<'_>) {
    let answer = ask!(w, "alpha", "POST /api/share-links?depth=0", link(json!([2, 4]), "2027-02-01") => 201);
    let doc = answer.json()["doc"].clone();
    let token = doc["token"].as_str().unwrap().to_owned();
    assert!(token.len() == 64 && token.bytes().all(|b| b.is_ascii_hexdigit()), "{token}");
    let members = [&doc["owner"], &doc["createdBy"], &doc["opens"]];
    assert_eq!(members, [&json!(1), &json!(11), &json!(0)]);
    let id = doc["id"].as_i64().unwrap();
    let stored = w.stage.book.store.rows(Sql::new("SELECT token_digest FROM share_links")).await.unwrap();
    assert_eq!(stored[0].text(0), Some(secure::token::digest(&token).as_str()));

    let path = format!("/api/share-links/{id}");
    for who in ["alpha", "viewer", "admin"] {
        assert!(w.get(who, &path).await.json().get("token").is_none(), "{who}");
        ask!(w, who, "GET /api/share-links?where[token][equals]={token}" => 400);
    }
    let doc = changed!(w, "alpha", "share-links", id, {"note": "Fair", "token": "x"});
    assert_eq!((&doc["note"], doc.get("token")), (&json!("Fair"), None));
    let frozen = [
        (json!({"scopes": ["production"]}), 403, "scopes"),
        (json!({"animals": [2]}), 403, "animals"),
        (json!({"expiresAt": "2026-05-01"}), 403, "expiresAt"),
    ];
    refused(w, "alpha", "PATCH", &path, &frozen).await;
    let doc = changed!(w, "alpha", "share-links", id, {"revokedAt": "2020-01-01"});
    assert_eq!(doc["revokedAt"], "2026-03-01T12:00:00.000Z", "at once");
    let back = [(json!({"revokedAt": null}), 400, "revokedAt")];
    refused(w, "alpha", "PATCH", &path, &back).await;
}

#[test_with(World::each)]
async fn links_show_own_animals_for_a_year_at_most(w: &World<'_>) {
    open(w, 3, false).await;
    let many: Vec<i64> = (1..=201).collect();
    let bad = table![
        link(json!([]), "2026-05-01"), 400, "animals";
        link(json!([2, 3]), "2026-05-01"), 400, "animals";
        link(json!([2, 5]), "2026-05-01"), 400, "animals";
        link(json!(many), "2026-05-01"), 400, "animals";
        link(json!([2]), "2026-02-28"), 400, "expiresAt";
        link(json!([2]), "2027-03-02"), 400, "expiresAt";
        json!({"animals": [2], "scopes": ["origin"]}), 400, "expiresAt";
        json!({"animals": [2], "expiresAt": "2026-05-01"}), 400, "scopes";
    ];
    refused(w, "alpha", "POST", "/api/share-links", &bad).await;
    // An expert may belong to an organisation; the expert can share for the owner all the same.
    changed!(w, "admin", "users", 2, {"organization": 1});
    let id = made!(w, "expert", "share-links", link(json!([3]), "2026-05-01"));
    assert_eq!(w.doc("share-links", id).await["owner"], 2, "for the owner");
}

fn search(scope: &str) -> Value {
    json!({"name": "Cows", "place": "herd", "query": "?state=alive", "scope": scope, "author": 1})
}

#[test_with(World::each)]
async fn saved_conditions_are_those_that_the_author_may_ask(w: &World<'_>) {
    let with = |field: &str, value: Value| {
        let mut body = search("private");
        body[field] = value;
        body
    };
    let cows = json!({"or": [{"sex": {"equals": "female"}}, {"owner.name": {"like": "alp"}}]});
    let id = made!(w, "alpha", "saved-searches", with("where", cows.clone()));
    let path = format!("/api/saved-searches/{id}?depth=0");
    assert_eq!(w.get("alpha", &path).await.json()["where"], cows);
    let bad = table![
        with("where", json!({"color": {"equals": "red"}})), 400, "where";
        with("where", json!({"sex": {"is": "female"}})), 400, "where";
        with("where", json!({"sex": "female"})), 400, "where";
        with("where", json!({"entry.owner": {"equals": 1}})), 400, "where";
        with("where", json!([1])), 400, "where";
        with("where", json!("sex")), 400, "where";
        with("members", json!([2, 3])), 400, "members";
        with("name", json!("x".repeat(81))), 400, "name";
    ];
    refused(w, "alpha", "POST", "/api/saved-searches", &bad).await;
    let set = made!(w, "alpha", "saved-searches", with("members", json!([4, 2])));
    let doc = ask!(w, "alpha", "GET /api/saved-searches/{set}?depth=0" => 200).json();
    holds!(doc, {"members": [4, 2], "adePurpose": "other", "author": 11, "organization": 1});
}

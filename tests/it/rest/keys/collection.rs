//! The collection of API keys, and what keys and old sessions may not change.

use crate::rest::operation::letters::delivered;
use crate::rest::stage::{Answer, PASSWORD, request};
use crate::rest::world::{World, paths};
use serde_json::{Value, json};

const GRAPHQL: (&str, &str) = ("POST", "/api/graphql");

async fn with(w: &World<'_>, key: &str, method: &str, path: &str, body: &str) -> Answer {
    let value = format!("users API-Key {key}");
    let headers = [("content-type", "application/json"), ("authorization", value.as_str())];
    let request = request(method, path, &headers, body.to_owned().into());
    w.stage.ask(request).await
}

/// The answer to a request that changes nothing.
async fn unchanged(w: &World<'_>, key: &str, (method, path): (&str, &str), body: &str, status: u16) -> Answer {
    let before = w.stage.content().await;
    let answer = with(w, key, method, path, body).await;
    let label = format!("{method} {path} {body}: {}", answer.text);
    assert_eq!(answer.status, status, "{label}");
    assert_eq!(w.stage.content().await, before, "{label}");
    answer
}

async fn user(w: &World<'_>, key: &str) -> Value {
    with(w, key, "GET", "/api/users/me", "").await.json()["user"]["id"].clone()
}

/// Makes a key and gives its row.
async fn made(w: &World<'_>, who: &str, body: Value) -> Value {
    let answer = ask!(w, who, "POST /api/api-keys?depth=0", body => 201);
    answer.json()["doc"].clone()
}

fn key(doc: &Value) -> String {
    doc["key"].as_str().expect("a key").to_owned()
}

#[test_with(World::each)]
async fn an_account_has_several_keys_and_each_ends_by_itself(w: &World<'_>) {
    let one = made(w, "alpha", json!({"name": "Robot", "scope": "write"})).await;
    let two = made(w, "alpha", json!({"name": "Report", "expiresAt": "2026-03-02"})).await;
    assert_eq!((&two["scope"], &two["user"]), (&json!("read"), &json!(11)));
    assert!(key(&one).starts_with("hbk_"));
    for doc in [&one, &two] {
        assert_eq!(user(w, &key(doc)).await, 11);
        let shown = w.doc("api-keys", doc["id"].as_i64().unwrap()).await;
        assert!(shown.get("key").is_none() && shown.get("keyIndex").is_none());
    }
    let sql = "SELECT count(*) FROM api_keys WHERE key_index LIKE 'hbk_%'";
    assert_eq!(w.stage.number(sql).await, 0, "a digest only");
    // Its last use, to some minutes, past the commit order.
    let before = w.stage.number("SELECT seq FROM book_sequence").await;
    w.stage.book.keep_key_uses().await.unwrap();
    assert_eq!(w.stage.number("SELECT seq FROM book_sequence").await, before);
    holds!(w.doc("api-keys", one["id"].as_i64().unwrap()).await, {"lastUsedAt": "2026-03-01T12:00:00.000Z"});
    // Ends: the one by its time, the other when it is revoked.
    w.stage.pass(86_400);
    assert_eq!(user(w, &key(&two)).await, Value::Null);
    assert_eq!(user(w, &key(&one)).await, 11);
    let fresh = World::signed_in(w.stage).await;
    let id = one["id"].as_i64().unwrap();
    let doc = changed!(fresh, "alpha", "api-keys", id, {"revokedAt": "2020-01-01"});
    assert_eq!(doc["revokedAt"], "2026-03-02T12:00:00.000Z");
    assert_eq!(user(w, &key(&one)).await, Value::Null);
    let doc = fresh.changed("alpha", "api-keys", id, json!({"revokedAt": null}));
    holds!(doc.await, {"revokedAt": "2026-03-02T12:00:00.000Z"}, "for good");
    assert_eq!(user(w, &key(&one)).await, Value::Null);
    let subjects: Vec<_> =
        (delivered(w.stage).await.iter()).map(|letter| (letter.to.clone(), letter.subject.clone())).collect();
    let to = "alpha@demo.herdbook".to_owned();
    let subject = |what: &str| (to.clone(), format!("herdbook: {what}"));
    assert_eq!(
        subjects,
        [
            subject("a new API key (Robot)"),
            subject("a new API key (Report)"),
            subject("an API key was revoked (Robot)"),
        ]
    );
}

#[test_with(World::each)]
async fn keys_of_others_are_nobodys_business(w: &World<'_>) {
    let id = made(w, "alpha", json!({"name": "Robot"})).await["id"].clone();
    let id = id.as_i64().unwrap();
    for who in ["beta", "operator", "expert", ""] {
        let body = json!({"name": "Mine", "user": 11}).to_string();
        let answer = w.refused(who, "POST", "/api/api-keys", &body).await;
        assert_eq!(answer.status, 403, "{who}: {}", answer.text);
        let body = json!({"revokedAt": "2026-01-01"}).to_string();
        let path = format!("/api/api-keys/{id}");
        assert_eq!(w.refused(who, "PATCH", &path, &body).await.status, 403);
    }
    assert_eq!(w.get("beta", "/api/api-keys").await.json()["totalDocs"], 0);
    made(w, "admin", json!({"name": "Given", "user": 11})).await;
    post!(w, "alpha", "api-keys", {"name": "Late", "expiresAt": "2020-01-01"}).assert_faulty(400, &["expiresAt"]);
    post!(w, "alpha", "api-keys", {"name": "X", "datasets": ["nothing"]}).assert_faulty(400, &["datasets"]);
}

/// Issue: an API key changed the password, the address and the key of its account.
#[test_with(World::each)]
async fn a_key_changes_nothing_that_signs_in(w: &World<'_>) {
    let own = changed!(w, "admin", "users", 1, {"enableAPIKey": true})["apiKey"].clone();
    let named = made(w, "admin", json!({"name": "Robot", "scope": "write"})).await;
    for key in [own.as_str().unwrap(), &key(&named)] {
        for (method, path, body) in table![
            "PATCH", "/api/users/1", json!({"password": "a-new-password"});
            "PATCH", "/api/users/1", json!({"email": "else@x.example"});
            "PATCH", "/api/users/1", json!({"enableAPIKey": false});
            "PATCH", "/api/users/11", json!({"enableAPIKey": true});
            "PATCH", "/api/users/11", json!({"password": "a-new-password"});
            "PATCH", "/api/users/1", json!({"apiKey": "a key of my own choice", "enableAPIKey": true});
            "PATCH", "/api/users/1", json!({"password": "a-new-password", "currentPassword": PASSWORD});
            "PATCH", "/api/users?where[id][in]=1,11", json!({"password": "a-new-password"});
            "POST", "/api/users",
                json!({"email": "n@x.example", "firstName": "N", "lastName": "N", "role": "admin"});
            "DELETE", "/api/users/41", json!({});
            "POST", "/api/api-keys", json!({"name": "Another"});
            "DELETE", "/api/api-keys/1", json!({});
            "POST", "/api/users/logout?allSessions=true", json!({});
            "POST", "/api/users/refresh-token", json!({});
        ] {
            let status = if path.contains("where") { 400 } else { 403 };
            unchanged(w, key, (method, path), &body.to_string(), status).await;
        }
        let mutation = json!({"query": "mutation { updateUser(id: 1, data: {password: \"a-new-password\"}) { id } }"});
        let answer = unchanged(w, key, GRAPHQL, &mutation.to_string(), 200).await;
        assert!(answer.json()["errors"][0].is_object(), "{}", answer.text);
        // The key changes fields that have nothing to do with sign-in as before.
        let body = json!({"phone": "1"}).to_string();
        let answer = with(w, key, "PATCH", "/api/users/1", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let body = json!({"phone": null, "email": "admin@demo.herdbook"}).to_string();
        let answer = with(w, key, "PATCH", "/api/users/1", &body).await;
        assert_eq!(answer.status, 200, "the same address: {}", answer.text);
    }
}

/// A stolen key can neither create an account that outlives it nor raise the rights of one.
#[test_with(World::each)]
async fn a_key_makes_invites_and_raises_nobody(w: &World<'_>) {
    let write = json!({"name": "Robot", "scope": "write"});
    let head = key(&made(w, "alpha", write.clone()).await);
    let admin = key(&made(w, "admin", write).await);
    let open = made!(w, "alpha", "invitations", {"email": "old@x.example", "orgRole": "viewer"});
    let invitation = json!({"email": "new@x.example", "orgRole": "head"});
    let person = json!({"email": "n@x.example", "firstName": "N", "lastName": "N", "role": "admin"});
    let second = format!("/api/invitations/{open}/duplicate");
    let bulk = "/api/users?where[id][in]=12,13";
    let cases = [
        (&head, "POST", "/api/invitations", invitation.clone(), 403),
        (&head, "POST", "/api/invitations", json!([invitation, open_of("b@x.example")]), 403),
        (&head, "POST", second.as_str(), json!({"email": "c@x.example"}), 403),
        (&head, "PATCH", "/api/users/12", json!({"orgRole": "head"}), 403),
        (&head, "PATCH", "/api/users/12", json!({"blockedAt": "2026-03-01"}), 403),
        (&head, "PATCH", bulk, json!({"orgRole": "head"}), 400),
        (&admin, "POST", "/api/users", person.clone(), 403),
        (&admin, "POST", "/api/users", json!([person]), 403),
        (&admin, "POST", "/api/users/12/duplicate", json!({"email": "d@x.example"}), 403),
        (&admin, "PATCH", "/api/users/12", json!({"role": "admin"}), 403),
        (&admin, "PATCH", "/api/users/12", json!({"organization": 2}), 403),
        (&admin, "PATCH", "/api/users/12", json!({"blockedAt": "2026-03-01"}), 403),
        (&admin, "PATCH", bulk, json!({"blockedAt": "2026-03-01"}), 400),
    ];
    for (key, method, path, body, status) in cases {
        unchanged(w, key, (method, path), &body.to_string(), status).await;
    }
    for mutation in [
        r#"createInvitation(data: {email: "g@x.example", orgRole: head}) { id token }"#,
        r#"updateUser(id: 12, data: {orgRole: head}) { id }"#,
        r#"createUser(data: {email: "g@x.example", firstName: "G", lastName: "G", role: admin}) { id }"#,
    ] {
        let body = json!({"query": format!("mutation {{ {mutation} }}")}).to_string();
        for key in [&head, &admin] {
            let answer = unchanged(w, key, GRAPHQL, &body, 200).await;
            assert!(answer.json()["errors"][0].is_object(), "{}", answer.text);
        }
    }
    // Doors are closed by a key, and what stays as it is is no change.
    let same = json!({"orgRole": "operator", "role": "farmer", "organization": 1, "phone": "1"});
    let answer = with(w, &admin, "PATCH", "/api/users/12", &same.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let path = format!("/api/invitations/{open}");
    let body = json!({"revokedAt": "2026-03-01"}).to_string();
    let answer = with(w, &head, "PATCH", &path, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

fn open_of(email: &str) -> Value {
    json!({"email": email, "orgRole": "viewer"})
}

/// The rights that are reported to a key are those that it has.
#[test_with(World::each)]
async fn a_key_is_told_that_accounts_are_not_its_business(w: &World<'_>) {
    let write = json!({"name": "Robot", "scope": "write"});
    let admin = key(&made(w, "admin", write).await);
    let rights = with(w, &admin, "GET", "/api/access", "").await.json()["collections"].clone();
    for (slug, verb) in [("users", "create"), ("users", "delete"), ("api-keys", "create"), ("invitations", "create")] {
        assert!(rights[slug].get(verb).is_none(), "{slug} {verb}");
    }
    let users = &rights["users"]["fields"];
    for field in "role orgRole organization blockedAt password email".split(' ') {
        assert!(users[field].get("update").is_none(), "{field}: {users}");
    }
    assert_eq!(users["phone"]["update"], true);
    assert_eq!(rights["invitations"]["update"], true);
    let rights = w.get("admin", "/api/access").await.json()["collections"].clone();
    holds!(rights, {"users.create": true, "users.fields.role.update": true});
}

/// With a stolen session no role can be raised without the password.
#[test_with(World::each)]
async fn an_old_session_confirms_changes_of_roles(w: &World<'_>) {
    w.stage.pass(601);
    let with_password = |body: &Value| {
        let mut body = body.clone();
        body["currentPassword"] = json!(PASSWORD);
        body
    };
    for (who, body) in [
        ("alpha", json!({"orgRole": "viewer"})),
        ("admin", json!({"role": "expert"})),
        ("admin", json!({"orgRole": "operator"})),
    ] {
        refused!(w, who, "PATCH /api/users/12", body => 403 ["currentPassword"]);
        w.changed(who, "users", 12, with_password(&body)).await;
    }
    let person = |role: &str| {
        let email = format!("{role}@x.example");
        json!({"email": email, "firstName": "N", "lastName": "N", "role": role})
    };
    for role in ["expert", "admin"] {
        let body = person(role);
        refused!(w, "admin", "POST /api/users", body => 403 ["currentPassword"]);
        w.made("admin", "users", with_password(&body)).await;
    }
    // Writes that give no power over others need no password.
    w.made("admin", "users", person("farmer")).await;
    w.made("alpha", "invitations", open_of("e@x.example")).await;
    changed!(w, "alpha", "users", 13, {"blockedAt": "2026-03-01"});
}

#[test_with(World::each)]
async fn an_old_session_confirms_by_the_present_password(w: &World<'_>) {
    w.stage.pass(601);
    let changes = [
        ("users/11", json!({"password": "a-new-password"})),
        ("users/11", json!({"email": "else@x.example"})),
        ("users/11", json!({"enableAPIKey": true})),
    ];
    for (path, body) in &changes {
        let path = format!("/api/{path}");
        refused!(w, "alpha", "PATCH {path}", body => 403 ["currentPassword"]);
        let mut wrong = body.clone();
        wrong["currentPassword"] = json!("wrong");
        ask!(w, "alpha", "PATCH /api/users/11?depth=0", wrong => 400 ["currentPassword"]);
    }
    refused!(w, "alpha", "POST /api/api-keys", {"name": "Robot"} => 403 ["currentPassword"]);
    let other = json!({"email": "viewer2@x.example"}).to_string();
    let refused = w.refused("admin", "PATCH", "/api/users/13", &other).await;
    assert_eq!(paths(&refused), ["currentPassword"], "admins too");
    // All other changes need no password.
    changed!(w, "alpha", "users", 11, {"phone": "1"});
    let body = json!({"name": "Robot", "currentPassword": PASSWORD});
    made(w, "alpha", body).await;
    let doc = changed!(w, "alpha", "users", 11, {"email": "Else@x.example", "currentPassword": PASSWORD});
    assert_eq!(doc["email"], "alpha@demo.herdbook", "to be proved");
    assert!(doc.get("currentPassword").is_none());
    changed!(w, "admin", "users", 13, {"email": "viewer2@x.example", "currentPassword": PASSWORD});
    changed!(w, "alpha", "users", 11, {"password": "a-new-password", "currentPassword": PASSWORD});
    let me = w.get("alpha", "/api/users/me").await;
    assert_eq!(me.json()["user"], Value::Null, "all sessions ended");
    let subjects: Vec<_> =
        (delivered(w.stage).await.iter()).map(|letter| format!("{} {}", letter.to, letter.subject)).collect();
    assert_eq!(
        subjects,
        [
            "alpha@demo.herdbook herdbook: a new API key (Robot)",
            "else@x.example herdbook: prove your new address",
            "viewer@demo.herdbook herdbook: the address, now viewer2@x.example",
            "alpha@demo.herdbook herdbook: the password",
        ]
    );
    // Guesses by a session must wait like those at sign-in.
    for _ in 0..5 {
        patch!(w, "admin", "users", 1, {"currentPassword": "wrong"});
    }
    ask!(w, "admin", "PATCH /api/users/1?depth=0", {"email": "a@x.example", "currentPassword": PASSWORD} => 400);
}

/// A key that is limited to data sets opens these on the exchange, and nothing of REST.
#[test_with(World::each)]
async fn a_limited_key_opens_its_data_sets_and_nothing_else(w: &World<'_>) {
    let body = json!({"name": "Scale", "scope": "write", "datasets": ["weights"]});
    let key = key(&made(w, "alpha", body).await);
    let at = "/ade/v1/locations/org.herdbook.orgid/1";
    let weight = r#"{"resourceType":"icarWeightEventResource","animal":{"id":"960000000002","scheme":"org.herdbook.identnumber"},"eventDateTime":"2026-02-01T08:00:00Z","weight":{"measurement":500,"units":"KGM"},"meta":{"source":"scale","sourceId":"w1","modified":"2026-02-01T08:00:00Z"}}"#;
    let cases = [
        ("GET", format!("{at}/weights"), "", true),
        ("GET", format!("{at}/animals"), "", false),
        ("GET", format!("{at}/nothing"), "", false),
        ("GET", "/ade/v1/datasets/weights/changes".into(), "", true),
        ("GET", "/ade/v1/datasets/weights".into(), "", true),
        ("GET", "/ade/v1/datasets/everything/changes".into(), "", false),
        ("GET", "/ade/v1/datasets/animals/changes".into(), "", false),
        ("GET", "/ade/v1/locations".into(), "", true),
        ("GET", "/ade/v1/service-sires".into(), "", false),
        ("POST", format!("{at}/weights"), weight, true),
        ("POST", format!("{at}/milking-visits"), "{}", false),
        ("POST", format!("/ade/v1/batches{}/animals", &at[7..]), "[]", false),
        ("POST", "/ade/v1/datasets/animals/resources".into(), "[]", false),
        ("POST", "/ade/v1/datasets/everything/full-syncs".into(), "{}", false),
        ("GET", "/api/users/me".into(), "", true),
        ("GET", "/api/animals".into(), "", false),
        ("GET", "/api/weighings".into(), "", false),
        ("POST", "/api/graphql".into(), r#"{"query":"{Animals{totalDocs}}"}"#, false),
        ("PATCH", "/api/animals/2".into(), r#"{"name":"X"}"#, false),
    ];
    for (method, path, body, opens) in &cases {
        if *opens {
            let answer = with(w, &key, method, path, body).await;
            assert_ne!(answer.status, 403, "{method} {path}: {}", answer.text);
        } else {
            unchanged(w, &key, (method, path), body, 403).await;
        }
    }
}

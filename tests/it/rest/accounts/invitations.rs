//! Invitations (docs/states.md, *invitations · revokedAt, acceptedAt*): who invites, what is returned once, and how an
//! invited person becomes a user.

use crate::rest::stage::Answer;
use crate::rest::world::{World, paths};
use serde_json::{Value, json};

async fn invited(w: &World<'_>, who: &str, body: Value) -> (i64, String) {
    let answer = ask!(w, who, "POST /api/invitations?depth=0", body => 201);
    let doc = answer.json()["doc"].clone();
    (doc["id"].as_i64().unwrap(), doc["token"].as_str().unwrap().to_owned())
}

async fn accept(w: &World<'_>, token: &str) -> Answer {
    let body = json!({"token": token, "password": "long enough", "firstName": "Eva", "lastName": "Berg"});
    w.stage.post("/api/invitations/accept", body.to_string()).await
}

#[test_with(World::each)]
async fn whoever_is_invited_becomes_a_user_and_is_signed_in(w: &World<'_>) {
    let body = json!({"email": " Eva@X.Example ", "orgRole": "viewer"});
    let (id, token) = invited(w, "alpha", body).await;
    let doc = w.doc("invitations", id).await;
    holds!(doc, {
        "expiresAt": "2026-03-15T12:00:00.000Z", "email": "eva@x.example", "organization": 1,
        "invitedBy": 11,
    });
    for hidden in ["token", "tokenDigest"] {
        assert!(doc.get(hidden).is_none(), "{hidden} of {doc}");
    }
    let dump = format!("SELECT count(*) FROM invitations WHERE token_digest = '{token}'");
    assert_eq!(w.stage.number(&dump).await, 0, "the token itself is stored nowhere");
    assert_eq!(w.stage.number("SELECT count(*) FROM mail_outbox").await, 1);

    let answer = accept(w, &token).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let body = answer.json();
    assert_eq!(body["message"], "Authentication Passed");
    let user = body["user"]["id"].as_i64().unwrap();
    let doc = w.doc("users", user).await;
    holds!(doc, {
        "email": "eva@x.example", "role": "farmer", "orgRole": "viewer", "organization": 1,
        "firstName": "Eva", "lastName": "Berg",
    });
    let header = format!("JWT {}", body["token"].as_str().unwrap());
    let me = w.stage.send("GET", "/api/users/me", &[("authorization", &header)]).await;
    assert_eq!(me.json()["user"]["id"], user);
    w.stage.login("eva@x.example", "long enough").await.assert_is(200, "");
    holds!(w.doc("invitations", id).await, {"acceptedBy": user, "acceptedAt": "2026-03-01T12:00:00.000Z"});
    for action in ["member-invited", "member-joined"] {
        let filter = format!("where[action][equals]={action}");
        let lines = w.list("operations", &filter).await;
        assert_eq!(lines.len(), 1, "{action}");
        assert_eq!(lines[0]["organization"], 1, "{action}");
    }
    assert_eq!(paths(&accept(w, &token).await), ["token"], "once only");
}

#[test_with(World::each)]
async fn only_a_head_invites_and_only_into_his_organisation(w: &World<'_>) {
    let body = json!({"email": "eva@x.example"}).to_string();
    for who in ["", "operator", "viewer"] {
        w.refused(who, "POST", "/api/invitations", &body).await.assert_is(403, who);
    }
    refused!(w, "alpha", "POST /api/invitations", {
        "email": "eva@x.example", "organization": 2,
    } => 403 ["organization"]);
    let (id, _) = invited(w, "alpha", json!({"email": "eva@x.example"})).await;
    ask!(w, "beta", "GET /api/invitations/{id}" => 404);
    ask!(w, "operator", "GET /api/invitations/{id}" => 200);
    for (path, value) in [("email", "b@x.example"), ("orgRole", "head")] {
        refused!(w, "alpha", "PATCH /api/invitations/{id}", {path: value} => 403 [path]);
    }
    let doc = changed!(w, "alpha", "invitations", id, {"note": "n", "expiresAt": "2030-01-01"});
    holds!(doc, {"note": "n", "expiresAt": "2026-03-15T12:00:00.000Z"});
}

#[test_with(World::each)]
async fn what_holds_no_longer_opens_nothing(w: &World<'_>) {
    let (id, revoked) = invited(w, "alpha", json!({"email": "a@x.example"})).await;
    changed!(w, "alpha", "invitations", id, {"revokedAt": "2026-03-01"});
    refused!(w, "alpha", "PATCH /api/invitations/{id}", {"revokedAt": null} => 400 ["revokedAt"]);
    let (_, taken) = invited(w, "alpha", json!({"email": "beta@demo.herdbook"})).await;
    let (_, late) = invited(w, "alpha", json!({"email": "c@x.example"})).await;
    let (_, known) = invited(w, "alpha", json!({"email": "d@x.example"})).await;
    let users = w.list("users", "").await.len();

    let reply = accept(w, &revoked).await;
    reply.assert_faulty(400, &["token"]);
    assert_eq!(accept(w, "never-made").await.parts(), reply.parts());
    assert_eq!(paths(&accept(w, &taken).await), ["email"], "another account has the address");
    let short = json!({"token": known, "password": "short", "lastName": " "}).to_string();
    let answer = w.stage.post("/api/invitations/accept", short).await;
    answer.assert_faulty(400, &["password", "firstName", "lastName"]);
    w.stage.pass(14 * 86_400);
    assert_eq!(accept(w, &late).await.parts(), reply.parts());
    let w = &World::signed_in(w.stage).await;
    assert_eq!(w.list("users", "").await.len(), users);
    ask!(w.stage, "", "POST /api/animals/accept", {} => 404);
}

//! Dry runs (`validate=only`): every write of REST and GraphQL is answered as it would be, and leaves the database as
//! it was, counters included.

use crate::rest::stage::{Answer, request};
use crate::rest::uploads::form::{Form, files, png, taken};
use crate::rest::world::World;
use crate::support::untouched::KnownContent;
use axum::body::Body;
use serde_json::{Value, json};

async fn ask_as_admin(w: &World<'_>, (method, path): (&str, &str), body: &Value) -> Answer {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    w.ask("admin", method, path, Body::from(body)).await
}

#[test_with(World::each)]
async fn every_write_is_answered_as_it_would_be_and_leaves_nothing(w: &World<'_>) {
    let herd = made!(w, "admin", "herds", {"name": "Old", "organization": 1, "code": "H-1"});
    let one = format!("/api/herds/{herd}");
    let only = |path: &str| match path.contains('?') {
        true => format!("{path}&validate=only"),
        false => format!("{path}?validate=only"),
    };
    let all = format!("/api/herds?where[id][equals]={herd}&depth=0");
    let new = json!({"name": "New", "organization": 1});
    let graphql = |query: String| json!({"query": query});
    let mut known = KnownContent::new(&w.stage.book.store, w.stage.url()).await;
    for (method, path, body, status, expected) in [
        ("POST", "/api/herds?depth=0", new.clone(), 200, json!({"doc.name": "New", "doc.organization": 1})),
        (
            "POST",
            "/api/herds?depth=0",
            json!([new, {"name": ""}]),
            207,
            json!({"results.0.status": 200, "results.0.doc.name": "New", "results.1.status": 400}),
        ),
        ("POST", "/api/herds", json!({"organization": 1}), 400, json!({"errors.0.data.errors.0.path": "name"})),
        ("POST", "/api/herds", json!({"name": "X", "organization": 1, "code": "H-1"}), 400, json!({})),
        ("PATCH", &one, json!({"name": "Changed"}), 200, json!({"doc.name": "Changed"})),
        ("PATCH", &all, json!({"name": "Changed"}), 200, json!({"docs.0.name": "Changed"})),
        ("POST", &format!("{one}/duplicate"), json!({"code": "H-2"}), 200, json!({"doc.name": "Old"})),
        ("DELETE", &one, Value::Null, 200, json!({"doc.name": "Old"})),
        ("DELETE", &all, Value::Null, 200, json!({"docs.0.name": "Old"})),
        (
            "POST",
            "/api/graphql",
            graphql(r#"mutation { createHerd(data: {name: "G", organization: 1}) { id name } }"#.to_owned()),
            200,
            json!({"data.createHerd.name": "G", "extensions.validate": "only"}),
        ),
        // One after the other, in one book that is undone.
        (
            "POST",
            "/api/graphql",
            graphql(format!(
                r#"mutation {{ a: updateHerd(id: {herd}, data: {{name: "G"}}) {{ name }}
                    b: updateHerd(id: {herd}, data: {{address: "A"}}) {{ name address }} c: deleteHerd(id: {herd}) {{ name }} }}"#
            )),
            200,
            json!({"data.a.name": "G", "data.b": {"name": "G", "address": "A"}, "data.c.name": "G"}),
        ),
    ] {
        let answer = ask_as_admin(w, (method, &only(path)), &body).await;
        let case = format!("{method} {path} {body}: {}", answer.text);
        assert_eq!(answer.status, status, "{case}");
        holds!(answer.json(), expected, "{case}");
        assert_eq!(answer.header("x-ignored"), "", "{case}");
        if status < 300 && path != "/api/graphql" && method != "POST" {
            assert_eq!(answer.json()["message"], "Only checked: nothing was stored.", "{case}");
        }
        assert_eq!(known.difference().await, None, "{case}");
    }
    // What is no dry run is done.
    ask!(w, "admin", "PATCH {one}", {"name": "Changed"} => 200);
    assert!(known.difference().await.is_some());
    assert_eq!(w.doc("herds", herd).await["name"], "Changed");
}

#[test_with(World::each)]
async fn a_file_of_a_dry_run_is_gone_with_it_and_one_of_the_book_stays(w: &World<'_>) {
    let file = taken(w, "admin", "cow.png", "image/png", &png(400, 400)).await;
    let before = files(&w.stage.media());
    let mut known = KnownContent::new(&w.stage.book.store, w.stage.url()).await;
    let form = Form::new().file("bull.png", "image/png", &png(300, 300));
    let tried = form.send(w, "admin", "POST", "/api/media?validate=only").await;
    assert_eq!((tried.status, &tried.json()["doc"]["width"]), (200, &json!(300)), "{}", tried.text);
    let one = format!("/api/media/{}?validate=only", file["id"]);
    let form = Form::new().file("bull.png", "image/png", &png(300, 300));
    let tried = form.send(w, "admin", "PATCH", &one).await;
    assert_eq!((tried.status, &tried.json()["doc"]["width"]), (200, &json!(300)), "{}", tried.text);
    ask!(w, "admin", "PATCH {one}", {"focalX": 10} => 200);
    ask!(w, "admin", "DELETE {one}" => 200);
    assert_eq!(known.difference().await, None);
    assert_eq!(files(&w.stage.media()), before);
}

#[test_with(World::each)]
async fn only_is_the_only_word_and_what_writes_no_records_has_no_dry_run(w: &World<'_>) {
    for path in "validate=yes validate= validate=only&validate=1 validate[]=only \
        validate=ONLY"
        .split(' ')
    {
        let body = json!({"name": "New", "organization": 1});
        refused!(w, "admin", "POST /api/herds?{path}", body => 400 ["validate"]);
    }
    let sign_in = json!({"email": "admin@demo.herdbook", "password": "x"});
    refused!(w, "", "POST /api/users/login?validate=only", sign_in => 400 ["validate"]);
    let query = json!({"query": "mutation { logoutUser(allSessions: true) }"});
    let answer = ask_as_admin(w, ("POST", "/api/graphql?validate=only"), &query).await;
    assert!(answer.json().get("errors").is_some(), "{}", answer.text);
    // Reading has none: the parameter is unknown there.
    let answer = w.ask("admin", "GET", "/api/herds?validate=only", Body::empty()).await;
    assert_eq!((answer.status, answer.header("x-ignored")), (200, "validate;unknown-parameter"));
    // A dry run does not use up a key.
    let token = format!("JWT {}", w.stage.token("admin@demo.herdbook").await);
    let send = async |path: &str| {
        let headers =
            [("content-type", "application/json"), ("authorization", token.as_str()), ("idempotency-key", "k-1")];
        let body = Body::from(json!({"name": "Once", "organization": 1}).to_string());
        w.stage.ask(request("POST", path, &headers, body)).await
    };
    assert_eq!(send("/api/herds?validate=only").await.status, 200);
    assert_eq!(send("/api/herds").await.status, 201);
}

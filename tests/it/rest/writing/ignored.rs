//! Ignored members are reported, and refused to clients that request that.

use crate::matrix::world as matrix;
use crate::rest::stage::{Stage, request};
use crate::rest::world::{World, paths};
use axum::body::Body;
use serde_json::json;
use store::Dialect;

const STRICT: [(&str, &str); 2] = [("prefer", "handling=strict"), ("content-type", "application/json")];

#[test_with(World::each)]
async fn ignored_fields_are_named_and_nothing_else(w: &World<'_>) {
    let answer = post!(w, "alpha", "milk-tests", {
        "animal": 2, "date": "2025-07-10", "milkYield": 30, "verification": "verified", "submission": 7,
        "nothing": {"of": "it"}, "imaginary name": 1,
    });
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert_eq!(
        answer.header("x-ignored"),
        "nothing;unknown-field, imaginary%20name;unknown-field, submission;read-only, verification;read-only"
    );
    assert_eq!(answer.header("preference-applied"), "");
    let doc = answer.json()["doc"].take();
    assert_eq!(doc["verification"], "unverified");
    let id = doc["id"].as_i64().unwrap();
    // A document that was read may be sent back unchanged.
    let answer = w.patch("alpha", "milk-tests", id, doc).await;
    assert_eq!((answer.status, answer.header("x-ignored")), (200, ""));
    let answer = post!(w, "alpha", "calvings",
        {"progeny": [{"sex": "female", "colour": "red"}], "altIds": {"x": 1}, "animal": 2, "date": "2024-02-01"});
    assert_eq!(answer.header("x-ignored"), "progeny.0.colour;unknown-field, altIds;unknown-field");
    let answer = patch!(w, "alpha", "animals", 2, {"altIds": {"earTag": "7", "other": "8"}, "presence": 1});
    assert_eq!(answer.header("x-ignored"), "altIds.other;unknown-field, presence;unknown-field");
    // Many rows, each place once.
    let answer = post!(w, "alpha", "herds", [{"name": "A", "no": 1}, {"name": "B", "no": 2}]);
    assert_eq!((answer.status, answer.header("x-ignored")), (201, "no;unknown-field"));
    let path = "/api/herds?where[name][equals]=A&depth=0";
    let answer = w.ask("alpha", "PATCH", path, r#"{"no":3}"#).await;
    assert_eq!((answer.status, answer.header("x-ignored")), (200, "no;unknown-field"));
}

#[test_with(World::each)]
async fn ignored_parameters_and_keys_are_named_and_cached_answers_say_it_too(w: &World<'_>) {
    let path = "/api/animals?sort=-nope,id,mother.nope,mother.name&select[name]=true&select[no]=true&limits=5&locale=ru&where[sex][equals]=female";
    for _ in 0..2 {
        let answer = w.get("alpha", path).await;
        assert_eq!(
            (answer.status, answer.header("x-ignored")),
            (
                200,
                "limits;unknown-parameter, locale;unknown-parameter, sort=-nope;unknown-field, sort=mother.nope;unknown-field, select=no;unknown-field"
            )
        );
    }
    let answer = w.get("alpha", "/api/animals?sort=-id&depth=1&page=2&limit=1&pagination=false").await;
    assert_eq!((answer.status, answer.header("x-ignored")), (200, ""));
    let answer = w.get("alpha", &format!("{path}&strict=true")).await;
    let expected = ["limits", "locale", "sort=-nope", "sort=mother.nope", "select=no"];
    assert_eq!((answer.status, paths(&answer)), (400, expected.map(str::to_owned).to_vec()));
    let answer = w.send("alpha", "GET", "/api/animals?sort=nope", &STRICT, Body::empty()).await;
    answer.assert_faulty(400, &["sort=nope"]);
}

#[test_with(World::each)]
async fn the_strict_are_refused_with_all_faults_and_nothing_changes(w: &World<'_>) {
    let before = w.stage.content().await;
    let test = json!({"animal": 2, "date": "nonsense", "milkYield": 30, "verification": "verified", "no": 1});
    for (path, headers) in [("/api/milk-tests?strict=true", &STRICT[1..]), ("/api/milk-tests", &STRICT[..])] {
        let answer = w.send("alpha", "POST", path, headers, test.to_string()).await;
        let mut found = paths(&answer);
        found.sort();
        assert_eq!(
            (answer.status, found),
            (400, ["date", "no", "verification"].map(str::to_owned).to_vec()),
            "{}",
            answer.text
        );
    }
    let answer = w.send("alpha", "PATCH", "/api/animals/2", &STRICT, r#"{"name":"N","trustLevel":3}"#).await;
    answer.assert_faulty(400, &["trustLevel"]);
    assert_eq!(w.stage.content().await, before);
    let answer = patch!(w, "alpha", "animals", 2, {"name": "N", "trustLevel": 3});
    assert_eq!((answer.status, answer.header("x-ignored")), (200, "trustLevel;read-only"));
    assert_eq!(answer.header("preference-applied"), "");
    let answer = w.send("alpha", "PATCH", "/api/animals/2", &STRICT, r#"{"name":"M"}"#).await;
    assert_eq!((answer.status, answer.header("preference-applied")), (200, "handling=strict"));
}

#[test_with(World::each)]
async fn graphql_says_it_in_its_extensions(w: &World<'_>) {
    let query = json!({"query": "mutation($d:mutationAnimalUpdateInput!){updateAnimal(id:2,data:$d){name}}",
        "variables": {"d": {"name": "G", "trustLevel": 3}}});
    let answer = w.ask("alpha", "POST", "/api/graphql", query.to_string()).await;
    let body = answer.json();
    assert_eq!(body["data"]["updateAnimal"]["name"], "G", "{body}");
    holds!(body, {
        "extensions.ignored": [{"code": "read-only", "path": "trustLevel", "message": "The server sets this field; what was sent was ignored."}],
    });
    assert_eq!(answer.header("x-ignored"), "trustLevel;read-only");
    let answer = w.send("alpha", "POST", "/api/graphql", &STRICT, query.to_string()).await;
    let fault = answer.json()["errors"][0]["extensions"].take();
    holds!(fault, {"statusCode": 400, "data.errors.0.path": "trustLevel"});
}

/// A document that was read and is sent back names nothing that was ignored, in no collection.
#[tokio::test]
async fn what_was_read_comes_back_without_a_remark() {
    matrix::on(Dialect::Sqlite, &async |stage: &Stage, tokens| {
        let mut sent = 0;
        for c in stage.book.registry.iter() {
            let headers = [("authorization", tokens["admin"].as_str()), ("content-type", "application/json")];
            let ask = async |method: &str, path: &str, body: String| {
                stage.ask(request(method, path, &headers, body.into())).await
            };
            let list = ask("GET", &format!("/api/{}?limit=3&depth=0", c.slug), String::new()).await;
            for doc in list.json()["docs"].as_array().unwrap() {
                let path = format!("/api/{}/{}?depth=0", c.slug, doc["id"]);
                let answer = ask("PATCH", &path, doc.to_string()).await;
                if answer.status == 200 {
                    sent += 1;
                    assert_eq!(answer.header("x-ignored"), "", "{} {doc}", c.slug);
                }
            }
        }
        assert!(sent > 30, "{sent}");
    })
    .await;
}

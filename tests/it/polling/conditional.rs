//! Tags, and 304 for clients that have the answer: at every address that can be read, in every form.

use super::hits;
use crate::matrix::world;
use crate::rest::stage::{Answer, Stage, request};
use axum::body::Body;
use ops::FillRow;
use serde_json::json;
use store::{Sql, Ty};

/// Addresses of the faces besides those of the collections.
const OTHERS: [&str; 13] = [
    "/api/animals/1/pedigree",
    "/api/users/me",
    "/api/users/init",
    "/api/access",
    "/api-docs/openapi.json",
    "/ade/v1/",
    "/.well-known/ade",
    "/ade/v1/openapi.json",
    "/ade/v1/locations",
    "/ade/v1/datasets",
    "/ade/v1/datasets/animals/changes",
    "/ade/v1/datasets/everything/changes?limit=2",
    "/ade/v1/locations/org.herdbook.orgid/1/animals",
];

async fn get(stage: &Stage, token: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut all = vec![("authorization", token)];
    all.extend(headers);
    stage.ask(request("GET", path, &all, Body::empty())).await
}

#[test_with(world::both)]
async fn who_sends_for_many_farms_is_answered_from_memory_too(stage: &Stage, tokens: world::Tokens) {
    let token = &tokens["head"];
    let me = get(stage, token, "/api/users/me?depth=0", &[]).await.json();
    let mine = me["user"]["organization"].as_i64().unwrap();
    let row = |collection, id, data: serde_json::Value| FillRow {
        collection,
        id,
        data: data.as_object().unwrap().clone(),
        hidden: Vec::new(),
    };
    let farm = |id: i64| {
        let data = json!({"name": format!("Farm {id}"), "presence": "registered", "type": "farm"});
        row("organizations", id, data)
    };
    let mandate = |id: i64| {
        let data = json!({"grantor": id, "receiver": mine, "datasets": ["weights", "heats"]});
        row("mandates", id, data)
    };
    let farms = 5_000..5_300;
    let filled = stage.book.fill(farms.clone().map(farm).collect()).await;
    filled.unwrap();
    stage.book.fill(farms.map(mandate).collect()).await.unwrap();
    for path in ["/api/breeds", "/ade/v1/datasets/animals/changes"] {
        let first = get(stage, token, path, &[]).await;
        let tag = first.header("etag").to_owned();
        let before = hits(stage).await;
        let second = get(stage, token, path, &[("if-none-match", &tag)]).await;
        assert_eq!((second.status, hits(stage).await), (304, before + 1), "{path}");
    }
}

#[test_with(world::both)]
async fn every_address_that_is_read_can_be_asked_under_a_condition(stage: &Stage, tokens: world::Tokens) {
    let token = &tokens["head"];
    let mut paths: Vec<String> = OTHERS.map(str::to_owned).into();
    for c in stage.book.registry.iter() {
        paths.push(format!("/api/{}?depth=1", c.slug));
        paths.push(format!("/api/{}/count", c.slug));
        paths.push(format!("/api/{}/1?depth=0", c.slug));
    }
    let mut same = 0;
    for path in &paths {
        let first = get(stage, token, path, &[]).await;
        if first.status != 200 {
            assert!(!first.headers.contains_key("etag"), "{path}");
            continue;
        }
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with('"'), "{path}: {tag:?}");
        let cached = first.header("cache-control");
        assert!(cached.contains("private") || path.contains("api-docs"), "{path}: {cached}");
        let second = get(stage, token, path, &[("if-none-match", &tag)]).await;
        assert_eq!((second.status, second.text.as_str()), (304, ""), "{path}");
        assert_eq!(second.header("etag"), tag, "{path}");
        let other = get(stage, token, path, &[("if-none-match", "\"other\"")]).await;
        assert_eq!((other.status, &other.text), (200, &first.text), "{path}");
        let head = [("authorization", token.as_str())];
        let head = stage.ask(request("HEAD", path, &head, Body::empty())).await;
        assert_eq!((head.status, head.text.as_str()), (200, ""), "{path}");
        assert_eq!(head.header("etag"), tag, "{path}");
        assert_eq!(head.header("content-length"), first.bytes.len().to_string(), "{path}");
        let head = [("authorization", token.as_str()), ("if-none-match", tag.as_str())];
        let head = stage.ask(request("HEAD", path, &head, Body::empty())).await;
        assert_eq!(head.status, 304, "{path}");
        // The length of the answer that the client has, or none.
        assert!(!head.headers.contains_key("content-length"), "{path}");
        same += 1;
    }
    // All but what is closed to a farm, or has no row 1.
    assert!(same > 100, "{same} of {}", paths.len());
}

#[tokio::test]
async fn a_form_has_a_tag_of_its_own() {
    let stage = Stage::new().await;
    let tokens = world::fill(&stage).await;
    let (token, path) = (&tokens["head"], "/ade/v1/locations/org.herdbook.orgid/1/animals");
    let mut tags = Vec::new();
    for form in ["application/json", "application/xml", "text/csv"] {
        let answer = get(&stage, token, path, &[("accept", form)]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let tag = answer.header("etag").to_owned();
        let known = [("accept", form), ("if-none-match", &tag)];
        assert_eq!(get(&stage, token, path, &known).await.status, 304, "{form}");
        tags.push(tag);
    }
    tags.dedup();
    assert_eq!(tags.len(), 3, "{tags:?}");
}

#[test_with(world::both)]
async fn an_answer_is_given_again_until_what_it_rests_on_changes(stage: &Stage, tokens: world::Tokens) {
    let token = &tokens["admin"];
    let path = "/api/breeds?depth=0";
    let first = get(stage, token, path, &[]).await;
    let before = hits(stage).await;
    assert_eq!(get(stage, token, path, &[]).await.text, first.text);
    assert_eq!(hits(stage).await, before + 1);
    // A change of another table: the cached answer stays valid.
    let body = [("authorization", token.as_str()), ("content-type", "application/json")];
    let herd = request("PATCH", "/api/herds/1", &body, r#"{"name":"Other"}"#.into());
    assert_eq!(stage.ask(herd).await.status, 200);
    assert_eq!(get(stage, token, path, &[]).await.text, first.text);
    assert_eq!(hits(stage).await, before + 2);
    // A change of its own table: it does not.
    let breed = request("PATCH", "/api/breeds/1", &body, r#"{"name":"Other"}"#.into());
    let answer = stage.ask(breed).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let after = get(stage, token, path, &[]).await;
    assert!(after.text.contains("Other") && after.text != first.text);
    assert_ne!(after.header("etag"), first.header("etag"));
    assert_eq!(hits(stage).await, before + 2);
}

#[test_with(world::both)]
async fn a_commit_elsewhere_leaves_the_answers_of_a_location_standing(stage: &Stage, tokens: world::Tokens) {
    let settings = config::Settings::load(&config::Sources::default());
    let exchange = cli::exchange(&settings.unwrap()).unwrap();
    exchange.projector().reproject(&stage.book, |_, _| {}).await.unwrap();
    let token = &tokens["head"];
    let paths = ["/ade/v1/locations/org.herdbook.orgid/1/animals", "/ade/v1/datasets/animals/changes"];
    let mut first = Vec::new();
    for path in paths {
        let answer = get(stage, token, path, &[]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(answer.text.contains("icarAnimalCoreResource"), "{}", answer.text);
        first.push(answer.text);
    }
    let before = hits(stage).await;
    // A write like that of the projection: the document gets a place in commit order.
    let write = async |location: i64| {
        let job = stage.book.store.write(move |tx| {
            Box::pin(async move {
                let seq = tx.next_seq();
                let sql = Sql::new("UPDATE exchange_documents SET body = ")
                    .with(Ty::Compressed, "{\"name\":1}")
                    .and(", seq = ")
                    .with(Ty::Int, seq)
                    .and(" WHERE id = (SELECT min(d.id) FROM exchange_documents d WHERE d.location = ")
                    .with(Ty::Int, location)
                    .and(" AND d.dataset = (SELECT n.id FROM exchange_names n WHERE n.name = 'animals'))");
                tx.run(sql.read_by_seq()).await
            })
        });
        assert_eq!(job.await.unwrap(), 1, "a document at {location}");
    };
    write(2).await;
    for (path, first) in paths.iter().zip(&first) {
        assert_eq!(&get(stage, token, path, &[]).await.text, first, "{path}");
    }
    assert_eq!(hits(stage).await, before + 2);
    write(1).await;
    for (path, first) in paths.iter().zip(&first) {
        assert_ne!(&get(stage, token, path, &[]).await.text, first, "{path}");
    }
    assert_eq!(hits(stage).await, before + 2);
}

#[tokio::test]
async fn what_one_caller_was_told_is_not_given_to_another() {
    let stage = Stage::new().await;
    let tokens = world::fill(&stage).await;
    let path = "/api/animals/1?depth=0";
    let own = get(&stage, &tokens["head"], path, &[]).await;
    assert_eq!(own.status, 200, "{}", own.text);
    let tag = own.header("etag").to_owned();
    for who in ["stranger", "past", "revoked"] {
        let answer = get(&stage, &tokens[who], path, &[("if-none-match", &tag)]).await;
        assert_eq!(answer.status, 404, "{who}: {}", answer.text);
    }
    let answer = stage.send("GET", path, &[("if-none-match", &tag)]).await;
    assert_eq!(answer.status, 404, "{}", answer.text);
}

//! The GraphQL face (docs/dialect.md, *GraphQL*), on both databases.

mod changes;
mod hostile;
pub(crate) mod laws;
mod long;
mod names;
mod statements;
mod wire;

use crate::rest::stage::{Answer, Stage, request};
use axum::body::Body;
use serde_json::{Value, json};

pub(crate) async fn ask(stage: &Stage, token: &str, query: &str, variables: Value) -> Answer {
    let body = json!({"query": query, "variables": variables}).to_string();
    post(stage, token, &body, &[]).await
}

/// Sends a body.
pub(crate) async fn post(stage: &Stage, token: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
    let mut all = vec![("content-type", "application/json")];
    let header = format!("JWT {token}");
    if !token.is_empty() {
        all.push(("authorization", &header));
    }
    for one in headers {
        all.retain(|(name, _)| name != &one.0);
        all.push(*one);
    }
    let request = request("POST", "/api/graphql", &all, Body::from(body.to_owned()));
    stage.ask(request).await
}

/// The data of an answer without errors.
pub(crate) async fn data(stage: &Stage, token: &str, query: &str) -> Value {
    let answer = ask(stage, token, query, json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let mut body = answer.json();
    assert!(body.get("errors").is_none(), "{query}: {}", answer.text);
    body["data"].take()
}

//! Laws over the book's own registry: every declared field can be read and queried by every caller,
//! as far as the caller's rights go, on every database.

use super::fixture::{Who, empty};
use crate::Ask;
use model::error::Error;
use model::query::qs::Tree;
use model::registry::{Field, Grant, Kind, Principal};
use serde_json::{Value, json};
use std::sync::Arc;

const OPERATORS: [&str; 13] = [
    "equals",
    "not_equals",
    "in",
    "not_in",
    "greater_than",
    "greater_than_equal",
    "less_than",
    "less_than_equal",
    "like",
    "not_like",
    "contains",
    "exists",
    "all",
];

/// Every class of callers; the farm has grants, so that the rules are at their longest.
fn callers() -> Vec<Arc<Principal>> {
    let grant =
        |animal| Grant { owner: 9, animal, scopes: vec!["origin".to_owned(), "production".to_owned()], expires: None };
    let farm = Arc::new(Principal { grants: [grant(None), grant(Some(4))].into(), ..(*Who::F1.principal()).clone() });
    vec![Who::A.principal(), farm, Who::Anonymous.principal()]
}

/// A value that the field can have.
fn sample(field: &Field) -> &'static str {
    match field.kind {
        Kind::Day | Kind::Instant => "2020-02-02",
        Kind::Bool => "true",
        Kind::Int | Kind::Number | Kind::Relation(_) | Kind::Relations(_) => "1",
        _ => "a b",
    }
}

fn ask(filter: Value, sort: &[String]) -> Ask {
    Ask { filter: Some(Tree::from(filter)), sort: sort.to_vec(), view: 2.into(), ..Ask::default() }
}

#[tokio::test]
async fn every_field_can_be_queried_or_is_listed_as_hidden() {
    let registry = domain::collections::registry().unwrap();
    for f in empty(registry).await {
        for (c, caller) in registry.iter().flat_map(|c| callers().into_iter().map(move |w| (c, w))) {
            for field in &c.fields {
                let path = &field.path;
                let value = sample(field);
                let one = |operator: &&str| json!({ path: { *operator: value } });
                let all: Vec<_> = OPERATORS.iter().map(one).collect();
                let sort = [path.clone()];
                let answer = f.book.list(&caller, c, ask(json!({ "or": all }), &sort)).await;
                let Err(Error::Query(refused)) = answer else {
                    let denied = matches!(answer, Err(Error::Forbidden(_)));
                    assert!(denied || answer.is_ok(), "{}.{path}: {answer:?}", c.slug);
                    continue;
                };
                if refused.contains(path) {
                    assert_eq!(refused, *std::slice::from_ref(path), "{}", c.slug);
                    continue;
                }
                let fit = |operator: &&&str| !refused.contains(&format!("{path}.{operator}"));
                let rest: Vec<_> = OPERATORS.iter().filter(fit).map(one).collect();
                assert_eq!(rest.len() + refused.len(), OPERATORS.len(), "{}.{path}", c.slug);
                let answer = f.book.list(&caller, c, ask(json!({ "or": rest }), &sort)).await;
                assert!(answer.is_ok(), "{}.{path}: {answer:?}", c.slug);
            }
        }
    }
}

#[tokio::test]
async fn every_relation_can_be_followed() {
    let registry = domain::collections::registry().unwrap();
    for f in empty(registry).await {
        for c in registry.iter() {
            for field in c.fields.iter().filter(|f| f.target().is_some()) {
                for caller in callers() {
                    let path = format!("{}.createdAt", field.path);
                    let both = json!({"and": [{ &path: { "not_equals": "2020" } }, { &path: { "exists": "true" } }]});
                    let answer = f.book.list(&caller, c, ask(both, &[path])).await;
                    let fine = match &answer {
                        Ok(_) | Err(Error::Forbidden(_)) => true,
                        Err(Error::Query(paths)) => paths.iter().all(|p| p.contains("createdAt")),
                        Err(_) => false,
                    };
                    assert!(fine, "{}.{}: {answer:?}", c.slug, field.path);
                }
            }
        }
    }
}

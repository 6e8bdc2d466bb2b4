//! `GET /api/<slug>/counts?by=…`: how many rows there are by the values of some fields (docs/dialect.md, *Counts*).

use super::call::{Call, Reply};
use super::reads::read;
use crate::layers::response_cache::cache_marks::Cacheable;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use model::query::qs::Tree;
use model::record::Value;
use serde_json::{Value as Content, json};

pub(crate) async fn counts(Call(app, target, who, _): Call) -> Reply {
    let c = target.collection;
    if c.ui.counts_by.is_empty() {
        return Err(target.no_route());
    }
    let query = target.tree()?;
    let by: Vec<&str> = query.get("by").and_then(Tree::as_text).unwrap_or_default().split(',').collect();
    let filter = target.ok(read::filter(&query))?;
    let counts = target.ok(app.book.counts(&who.principal, c, filter.as_ref(), &by).await)?;
    let groups: Vec<Content> = counts
        .into_iter()
        .map(|(values, n)| {
            let values = values.iter().map(|value| match value {
                Value::Int(number) => json!(number),
                Value::Bool(flag) => json!(flag),
                other => json!(other.text()),
            });
            let mut group: serde_json::Map<String, Content> =
                by.iter().map(|path| (*path).to_owned()).zip(values).collect();
            group.insert("n".to_owned(), json!(n));
            Content::Object(group)
        })
        .collect();
    Ok((Extension(Cacheable), Json(json!({"by": by, "groups": groups}))).into_response())
}

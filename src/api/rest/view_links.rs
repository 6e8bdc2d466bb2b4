//! `POST /api/<slug>/open`, of collections of view links: what the link of a token shows (docs/links.md).

use super::call::{Call, Reply};
use crate::body;
use axum::Json;
use axum::body::Body;
use axum::response::IntoResponse;
use model::error::Error;
use model::query::qs::Tree;
use model::record::time::to_iso;
use model::registry::Feature;
use model::registry::view_links::OWNER;
use ops::View;
use serde_json::{Value, json};

/// Longest token that is looked up, characters.
const TOKEN_MAX: usize = 200;

/// Answers owner, scopes, end and animals, and counts the opening. All tokens that open nothing are answered alike.
pub(crate) async fn open(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let c = target.collection;
    if !c.is(Feature::ViewLinks) {
        return Err(target.no_route());
    }
    let members = body::object(&app, c.slug, &headers, body).await?;
    let token = members.get("token").and_then(Value::as_str);
    let token = token.filter(|token| token.len() <= TOKEN_MAX);
    let token = token.ok_or_else(|| target.refuse(Error::NotFound))?;
    let opened = target.ok(app.book.open_link(c, token).await)?;
    let owners = c.field(OWNER).and_then(|field| app.book.registry.get(field.target()?));
    let owner = match (owners, opened.owner) {
        (Some(owners), Some(id)) => {
            let view = View::read(&Tree::from(json!({"select": {"name": "true"}})), 0);
            let document = target.ok(app.book.by_id(&who.principal, owners, id, view).await)?;
            serde_json::from_slice(&document).map_err(Error::internal)?
        }
        _ => Value::Null,
    };
    let answer = json!({
        "owner": owner, "scopes": opened.scopes, "expiresAt": to_iso(opened.expires),
        "animals": opened.animals,
    });
    Ok(Json(answer).into_response())
}

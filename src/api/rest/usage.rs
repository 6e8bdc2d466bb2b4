//! `GET /api/usage`: what an organisation has stored, and its limits.

use crate::caller::Who;
use crate::{AppState, Refusal};
use axum::Json;
use axum::extract::{RawQuery, State};
use model::error::Error;
use model::registry::Caller;
use ops::Holder;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Of the own organisation, or of oneself without one; the Association names one.
pub(crate) async fn usage(
    State(app): State<Arc<AppState>>,
    RawQuery(query): RawQuery,
    who: Who,
) -> Result<Json<Value>, Refusal> {
    let organization = query.as_deref().and_then(|query| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| *name == "organization")
    });
    let organization = organization.map(|(_, id)| id.parse::<i64>());
    let me = &who.principal;
    let own = (me.organization.map(Holder::Organization)).or(me.user.map(Holder::User));
    let holder = match (organization, me.caller) {
        (Some(Ok(id)), Caller::Association | Caller::System) => Holder::Organization(id),
        (Some(Ok(id)), _) if me.organization == Some(id) => Holder::Organization(id),
        (Some(Err(_)), _) => {
            let message = "organization is the id of one.".into();
            return Err(Error::Malformed(message).into());
        }
        (Some(Ok(_)), _) => return Err(Error::forbidden().into()),
        (None, _) => own.ok_or_else(|| Refusal::from(Error::forbidden()))?,
    };
    let usage = app.book.usage(holder).await?;
    let one = |used: i64, limit: Option<i64>| json!({"used": used, "limit": limit});
    let files = usage.stored.iter().filter(|(c, _)| c.upload.is_some());
    let (bytes, count) = files.fold((0, 0), |(bytes, rows), (_, stored)| {
        (stored.bytes.saturating_add(bytes), stored.rows.saturating_add(rows))
    });
    let records: Map<String, Value> = (usage.stored.iter())
        .filter(|(c, _)| c.upload.is_none())
        .map(|(c, stored)| (c.slug.to_owned(), one(stored.rows, usage.allowed.records)))
        .collect();
    let mut members = Map::new();
    match holder {
        Holder::Organization(id) => members.insert("organization".to_owned(), id.into()),
        Holder::User(id) => members.insert("user".to_owned(), id.into()),
    };
    members.insert("storage".to_owned(), one(bytes, usage.allowed.storage));
    members.insert("files".to_owned(), one(count, usage.allowed.files));
    members.insert("records".to_owned(), records.into());
    Ok(Json(members.into()))
}

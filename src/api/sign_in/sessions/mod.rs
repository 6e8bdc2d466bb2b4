//! The sessions of an account: the owner lists them and ends one or all others; the Association
//! and the heads of the team can end all of them.

pub(super) mod session;
pub(super) mod session_info;
pub(super) mod session_use;

use self::session::{OwnAccount, by_session};
use self::session_info::details;
use super::account;
use super::unlock::manages;
use crate::AppState;
use crate::rest::call::{Call, JsonReply};
use axum::Json;
use axum::extract::Path;
use model::error::Error;
use model::record::time::{parse, to_iso};
use model::registry::Collection;
use serde_json::{Value, json};

/// `GET /api/<slug>/sessions`: those that live, the last begun first.
pub(super) async fn list(OwnAccount(app, c, id, current): OwnAccount) -> JsonReply {
    let now = app.book.clock.now();
    let stored = account::sessions(&app.book, c, id, now).await?;
    let uses = app.session_uses.of(&app.book.store, id).await?;
    let lifetime = app.settings.session_lifetime.saturating_mul(1000);
    let text = |session: &Value, name| session.get(name).and_then(Value::as_str).map(str::to_owned);
    let documents = stored.iter().rev().map(|session| {
        let id = text(session, "id").unwrap_or_default();
        let begun = text(session, "createdAt");
        let ends = begun.as_deref().and_then(parse);
        let ends = ends.map(|begun| to_iso(begun.saturating_add(lifetime)));
        let used = uses.get(&id).map(|at| to_iso(*at));
        let mut one = json!({
            "id": id, "current": id == current, "createdAt": begun,
            "usedAt": used.or(begun.clone()), "expiresAt": text(session, "expiresAt"),
            "endsAt": ends,
        });
        if let Some(members) = one.as_object_mut() {
            members.extend(details(session));
        }
        one
    });
    let docs: Vec<Value> = documents.collect();
    Ok(Json(json!({"totalDocs": docs.len(), "docs": docs})))
}

/// `DELETE /api/<slug>/sessions/<id>`: ends one, the present one too.
pub(super) async fn end(OwnAccount(app, c, id, _): OwnAccount, Path((_, sid)): Path<(String, String)>) -> JsonReply {
    let ended = ended(&app, c, id, move |one| one != sid).await?;
    if ended == 0 {
        return Err(Error::NotFound.into());
    }
    Ok(Json(json!({"message": "The session ended."})))
}

/// `DELETE /api/<slug>/sessions`: ends all but the present one.
pub(super) async fn end_others(OwnAccount(app, c, id, current): OwnAccount) -> JsonReply {
    let ended = ended(&app, c, id, move |one| one == current).await?;
    Ok(Json(json!({"message": "All other sessions ended.", "ended": ended})))
}

/// `DELETE /api/<slug>/<id>/sessions`: ends all sessions of a member, by the Association or a
/// head of the team. An account that the caller does not manage looks like none.
pub(super) async fn end_of_member(Call(app, target, who, _): Call) -> JsonReply {
    let c = target.auth()?;
    by_session(&who, c)?;
    let id = target.row()?;
    if !manages(&app, c, &who.principal, id).await? {
        return Err(Error::forbidden().into());
    }
    let ended = ended(&app, c, id, |_| false).await?;
    Ok(Json(json!({"message": "All sessions of the user ended.", "ended": ended})))
}

/// Ends the sessions of an account outside the given list, and returns how many.
async fn ended(
    app: &AppState,
    c: &'static Collection,
    id: i64,
    keeps: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> Result<usize, Error> {
    let now = app.book.clock.now();
    let closed = app.book.transact(move |work| {
        Box::pin(async move {
            // What was resolved for their tokens holds no longer, in other processes either.
            work.tx().note_rights_change();
            account::keep_sessions(work, c, id, now, &keeps).await
        })
    });
    closed.await
}

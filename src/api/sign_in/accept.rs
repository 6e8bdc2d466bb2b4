//! `POST /api/invitations/accept`: an invited person gives a name, chooses a password and is
//! signed in (docs/states.md, *invitations · revokedAt, acceptedAt*).

use super::{SessionInfo, SignInProof, account, enter, password};
use crate::AppState;
use crate::body;
use crate::rest::call::{Call, Reply};
use axum::body::Body;
use domain::collections::{self, Acceptance};
use model::error::{Error, Issue, Result};
use model::record;
use model::registry::{Collection, Feature};
use model::said;
use secure::token;
use secure::weak::weakness;
use serde_json::{Map, Value};
use std::sync::Arc;
use store::{Sql, Ty};

/// Longest name and password that are taken, characters.
const NAME_MAX: usize = 80;
const PASSWORD_MAX: usize = 1_024;

struct AcceptRequest {
    token: String,
    password: String,
    first_name: String,
    last_name: String,
}

/// `POST /api/<slug>/accept`, of collections whose rows invite.
pub(crate) async fn accept(Call(app, target, _, headers): Call, body: Body) -> Reply {
    let c = target.collection;
    let users = app.book.registry.iter().find(|users| users.auth);
    let (true, Some(users)) = (c.is(Feature::Invitations), users) else {
        return Err(target.no_route());
    };
    let view = target.view(&app)?;
    let members = body::object(&app, c.slug, &headers, body).await?;
    let request = target.ok(accept_request(users, &members))?;
    let digest = token::digest(&request.token);
    let id = target.ok(made(&app, c, request, digest).await)?;
    let account = account::by_id(&app.book, users, id).await?;
    let account = account.ok_or_else(|| Error::internal("the invited user is gone"))?;
    let proof = SignInProof { info: SessionInfo::now("invitation"), ..SignInProof::default() };
    enter(&app, users, account, proof, view, None).await
}

/// All that is missing or too long, at once.
fn accept_request(users: &'static Collection, members: &Map<String, Value>) -> Result<AcceptRequest> {
    let mut issues = Vec::new();
    let shortest = users.field("password").and_then(|f| f.min);
    let mut text = |name: &'static str, most: usize, least: f64| {
        let value = members.get(name).and_then(Value::as_str).unwrap_or_default();
        let length = value.chars().count();
        #[expect(clippy::cast_precision_loss, reason = "lengths of texts stay far below 2^53")]
        let short = (length as f64) < least;
        if value.trim().is_empty() {
            let message = "This field is required.";
            issues.push(Issue::error(name, "required", message));
        } else if short {
            let message = said!("This value must be at least {min} characters.", min = least);
            issues.push(Issue::error(name, "too-short", message));
        } else if length > most {
            let message = said!("This value must be at most {max} characters.", max = most);
            issues.push(Issue::error(name, "too-long", message));
        }
        value.to_owned()
    };
    let request = AcceptRequest {
        token: text("token", PASSWORD_MAX, 1.0),
        password: text("password", PASSWORD_MAX, shortest.unwrap_or(1.0)),
        first_name: text("firstName", NAME_MAX, 1.0),
        last_name: text("lastName", NAME_MAX, 1.0),
    };
    if issues.is_empty() { Ok(request) } else { Err(Error::Invalid(issues)) }
}

/// Creates the user. The token is checked before the password is hashed, which is slow by design,
/// so that callers without an invitation cannot keep the server busy.
async fn made(app: &Arc<AppState>, c: &'static Collection, request: AcceptRequest, digest: String) -> Result<i64> {
    let field = c.field("tokenDigest");
    let field = field.ok_or_else(|| Error::internal("invitations have no field for the digest"))?;
    let email = c.field("email");
    let email = email.ok_or_else(|| Error::internal("the invitation has no email address"))?;
    let mut sql = Sql::new("SELECT ");
    sql.name(&email.column).push(" FROM ").name(&c.table).push(" WHERE ").name(&field.column);
    sql.push(" = ").bind(Ty::of(field), record::Value::from(digest.as_str()));
    let rows = app.book.store.rows(sql).await?;
    let Some(row) = rows.first() else {
        let message = "This invitation does not exist, or is no longer valid.";
        return Err(Error::invalid("token", "not-valid", message));
    };
    let address = row.text(0).unwrap_or_default();
    let about = [address, &request.first_name, &request.last_name, &app.book.service];
    if let Some(why) = weakness(&request.password, &about) {
        return Err(Error::invalid("password", "weak-password", why));
    }
    let acceptance = Acceptance {
        digest,
        first_name: request.first_name.trim().to_owned(),
        last_name: request.last_name.trim().to_owned(),
        verifier: password::hash(app, request.password).await?,
    };
    app.book.transact(move |work| Box::pin(async move { collections::accept(work, acceptance).await })).await
}

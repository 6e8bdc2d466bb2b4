//! Forgotten passwords: a token by email, and a new password for it. Neither the answers nor
//! their timing reveal whether an address has an account: for an unknown one the same statements
//! run, and a decoy is queued instead of an email.

use super::super::account::{self, Account};
use super::super::attempt::{self, SignInAttempt};
use super::super::factor::{CodeInput, CodeVerdict};
use super::super::totp_setup::WRONG;
use super::super::{NewSession, SessionInfo, address, members, password};
use crate::rest::call::Call;
use crate::{AppState, Refusal};
use axum::body::Body;
use axum::response::Response;
use model::error::{Error, Issue, Result};
use model::letter::{AccountChange, Letter, Template};
use model::record::{Record, Value};
use model::registry::sign_in::{RESET_TOKEN, RESET_UNTIL};
use model::registry::{BookReader, Collection, HookContext, ID, Kind, Lookup};
use ops::{View, about, checked, forgiven};
use secure::token;
use secure::weak::weakness;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

const NO_ADDRESS: &str = "Missing email.";
const NO_TOKEN: &str = "Token is either invalid or has expired.";

/// `POST /api/<slug>/forgot-password`
pub(in crate::sign_in) async fn forgot(
    Call(app, target, _, headers): Call,
    body: Body,
) -> std::result::Result<axum::Json<Json>, Refusal> {
    let c = target.auth()?;
    let members = members(&app, c, &headers, body).await?;
    forget(&app, c, &members).await?;
    Ok(axum::Json(json!({"message": "Success"})))
}

/// Sends an email with a token for a new password, if there is such an account.
pub(crate) async fn forget(
    app: &AppState,
    c: &'static Collection,
    members: &Map<String, Json>,
) -> std::result::Result<(), Refusal> {
    let email = address(members).ok_or_else(|| Error::Malformed(NO_ADDRESS.into()))?;
    if !app.email_throttle.may(&email) {
        return Ok(());
    }
    let _place = app.book.checks.wait("letters")?;
    let account = account::by_email(&app.book, c, &email).await?;
    let account = account.filter(|account| !account.blocked);
    let lifetime = app.settings.reset_lifetime;
    send_token(&app.book, c, account.as_ref(), lifetime).await?;
    Ok(())
}

/// Stores a new token and queues the email with it; without an account, the same work is done without a result.
async fn send_token(book: &ops::Book, c: &'static Collection, account: Option<&Account>, lifetime: i64) -> Result<()> {
    let minted = token::mint();
    let until = book.clock.now().saturating_add(lifetime.saturating_mul(1000));
    let to = account.map_or("", |account| account.email.as_str());
    let letter = Letter::new(to, Template::ResetPassword, until)
        .with("collection", c.slug)
        .with("name", to)
        .with("token", &minted.token)
        .with("minutes", &(lifetime / 60).to_string());
    // No account has the id 0.
    let id = account.map_or(0, |account| account.id);
    book.transact(move |work| {
        Box::pin(async move {
            let fields = account::reset_fields(c, minted.digest, until);
            work.amend(c.slug, vec![(id, fields)]).await?;
            work.mail(&letter).await
        })
    })
    .await
}

/// `POST /api/<slug>/reset-password`: a new password, and a first session under it. The
/// token is used up, sessions of the old password end.
pub(in crate::sign_in) async fn reset(
    Call(app, target, _, headers): Call,
    body: Body,
) -> std::result::Result<Response, Refusal> {
    let c = target.auth()?;
    let view = target.view(&app)?;
    let members = members(&app, c, &headers, body).await?;
    renew(&app, c, &members, view).await
}

/// Sets a new password by the token of an email.
pub(crate) async fn renew(
    app: &Arc<AppState>,
    c: &'static Collection,
    members: &Map<String, Json>,
    view: View,
) -> std::result::Result<Response, Refusal> {
    let text = |name| members.get(name).and_then(Json::as_str);
    let token = text("token").unwrap_or_default().to_owned();
    let secret = text("password").unwrap_or_default().to_owned();
    let code = text("code").map(str::to_owned);
    let issues = password_issues(c, &secret);
    if !issues.is_empty() {
        return Err(Refusal::Credentials(c.slug, issues));
    }
    // Checked before the slow hash, so that guesses are cheap for the server.
    if !account::knows(&app.book, c, RESET_TOKEN, &token).await? {
        return Err(Refusal::Denied(NO_TOKEN));
    }
    let new = secret.clone();
    let verifier = password::hash(app, secret).await?;
    let shared = Arc::clone(app);
    let info = SessionInfo::now("reset");
    let begun = app.book.transact(move |work| {
        Box::pin(async move {
            let Some(account) = by_token(work, c, &token).await? else {
                return Ok(Err(Refusal::Denied(NO_TOKEN)));
            };
            let input = CodeInput { keys: &shared.book.keys, code: code.as_deref(), now: work.now() };
            let attempt = SignInAttempt::by_name(&shared, c, &account.email);
            match attempt.judged(work, c, account.id, input).await? {
                CodeVerdict::None | CodeVerdict::Right(_) => {}
                CodeVerdict::Missing => return Ok(Err(Refusal::SecondFactor)),
                CodeVerdict::Wrong => return Ok(Err(Refusal::SignIn(WRONG))),
            }
            guessed(work, c, account.id, (&new, &shared.settings.service)).await?;
            let begun = NewSession::new(&shared, c, &account, info)?;
            let session = account::stored_session(&begun.session, begun.created);
            let fields = account::renewed(c, verifier, &[session]);
            work.tx().note_rights_change();
            let name = attempt::name_key(c, &account.email);
            work.tx().run(forgiven(&name)).await?;
            work.tell_account(&account.email, &AccountChange::Password).await?;
            work.amend(c.slug, vec![(account.id, fields)]).await?;
            Ok(Ok(begun))
        })
    });
    let begun = begun.await.map_err(|error| match error {
        Error::Invalid(issues) => Refusal::Credentials(c.slug, issues),
        other => other.into(),
    });
    let begun = begun??;
    let head = json!({"message": "Password reset successfully.", "token": begun.issued.token});
    begun.welcome(app, c, view, &head).await
}

/// What is wrong with a new password, by the declaration.
pub(in crate::sign_in) fn password_issues(c: &Collection, secret: &str) -> Vec<Issue> {
    let declared = (c.fields.iter()).find(|f| f.kind == Kind::Password && !f.shown_once);
    let Some(field) = declared else {
        return Vec::new();
    };
    if secret.trim().is_empty() {
        return vec![Issue::error(&*field.path, "required", "This field is required.")];
    }
    checked(field, &Value::Text(secret.to_owned()))
}

/// Refuses a new password that anybody would try for this account.
async fn guessed(
    context: &mut dyn HookContext,
    c: &'static Collection,
    id: i64,
    (secret, service): (&str, &str),
) -> Result<()> {
    let rows = context.find(c.slug, Lookup::by_ids("id", [id])).await?;
    let personal = rows.first().map(|row| about(c, row)).unwrap_or_default();
    let personal: Vec<&str> = personal.into_iter().chain([service]).collect();
    match weakness(secret, &personal) {
        Some(why) => Err(Error::invalid("password", "weak-password", why)),
        None => Ok(()),
    }
}

/// The account that a token is for, unless it has ended or the user is blocked.
async fn by_token(context: &mut dyn HookContext, c: &'static Collection, token: &str) -> Result<Option<Account>> {
    let digest = token::digest(token);
    let lookup = Lookup::default().is_in(RESET_TOKEN, vec![Value::Text(digest)]).fields(&[RESET_TOKEN, RESET_UNTIL]);
    let rows = context.find(c.slug, lookup).await?;
    let now = context.now();
    let good = |row: &&Record| {
        let stored = row.get(c.at(RESET_TOKEN)).text().unwrap_or_default();
        let until = row.get(c.at(RESET_UNTIL)).time();
        token::matches(token, stored) && until.is_some_and(|until| until > now)
    };
    let Some(id) = rows.iter().find(good).and_then(|row| row.get(ID).int()) else {
        return Ok(None);
    };
    let row = account::find(context, c, id).await?;
    let account = row.map(|row| Account::of(c, &row));
    Ok(account.filter(|account| !account.blocked))
}

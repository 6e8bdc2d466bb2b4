//! Passkeys of the caller's own account (`WebAuthn`), and signing in with one. Adding or
//! removing one needs the password again, and a code where codes are on. Signing in sends no
//! name: the authenticator knows the account. All faults of an answer get the same refusal.

pub(super) mod passkey_store;

use self::passkey_store::{AuthenticatorAnswer, MOST, PasskeyProof};
use super::attempt::SignInAttempt;
use super::factor::{CodeInput, CodeVerdict, Factor};
use super::sessions::session::OwnAccount;
use super::sessions::session_info::SessionInfo;
use super::totp_setup::{WRONG, proved, text};
use super::{SignInProof, account, enter, members};
use crate::layers::request_facts;
use crate::rest::call::{Call, JsonReply, Reply};
use crate::{AppState, Refusal};
use axum::Json;
use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode};
use config::Settings;
use model::error::{Error, Issue};
use model::letter::AccountChange;
use model::registry::Collection;
use ops::{BY_PASSKEY, Challenge, pose, take};
use secure::passkey::{Ceremony, Fault, KNOWN, RelyingParty};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use url::{Host, Url};

/// Characters of a name.
const NAME: usize = 100;

/// The message for a passkey that does not sign in.
pub(super) const REFUSED: &str = "The passkey was not accepted.";
const NOT_MADE: &str = "The passkey was not accepted. Ask for new options.";
const UNBUILT: &str = "This program was built without passkeys (feature passkeys).";
const NO_NAME: &str =
    "Passkeys are bound to the name of the service: server.url has to be an https address with a name.";
const FULL: &str = "An account has 20 passkeys at most. Remove one first.";

/// `GET /api/<slug>/passkeys`
pub(super) async fn list(OwnAccount(app, c, id, _): OwnAccount) -> JsonReply {
    let factor = (app.book).transact(move |work| Box::pin(async move { Factor::read(work, c, id).await })).await?;
    let docs: Vec<Value> = factor.passkeys.iter().map(passkey_store::document).collect();
    Ok(Json(json!({"totalDocs": docs.len(), "docs": docs})))
}

/// `POST /api/<slug>/passkeys/options`: what the page asks an authenticator for.
pub(super) async fn options(OwnAccount(app, c, id, sid): OwnAccount, headers: HeaderMap, body: Body) -> JsonReply {
    let members = members(&app, c, &headers, body).await?;
    let site = site(&app.settings)?;
    let (account, attempt) = proved(&app, c, id, &members).await?;
    let code = members.get("code").and_then(Value::as_str);
    let code = code.map(str::to_owned);
    let (keys, now) = (Arc::clone(&app.book.keys), app.book.clock.now());
    let (id, whose) = (account.id, made_by(c, account.id, &sid));
    let question = app.book.transact(move |work| {
        Box::pin(async move {
            let input = CodeInput { keys: &keys, code: code.as_deref(), now };
            match attempt.judged(work, c, id, input).await? {
                CodeVerdict::None | CodeVerdict::Right(_) => {}
                CodeVerdict::Missing => return Ok(Err(Refusal::SecondFactor)),
                CodeVerdict::Wrong => return Ok(Err(Refusal::SignIn(WRONG))),
            }
            let factor = Factor::read(work, c, id).await?;
            if factor.passkeys.len() >= MOST {
                return Err(Error::Malformed(FULL.into()));
            }
            let handle = passkey_store::handle(work, c, id).await?;
            let keys: Vec<&Value> = factor.passkeys.iter().filter_map(passkey_store::key).collect();
            let question = site.start_registration(handle, &account.email, &keys);
            let question = question.map_err(Error::internal)?;
            let (options, challenge) = challenge_of(question, whose);
            pose(work.tx(), challenge, now).await?;
            Ok(Ok(options))
        })
    });
    question.await?.map(Json)
}

/// `POST /api/<slug>/passkeys`: stores the passkey that the authenticator created.
pub(super) async fn create(
    OwnAccount(app, c, id, sid): OwnAccount,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<Value>), Refusal> {
    let members = members(&app, c, &headers, body).await?;
    let name = name(c, &members)?;
    let site = site(&app.settings)?;
    let attempt = SignInAttempt::by_address(&app);
    let made = match attempt.waits(&app).await? {
        true => None,
        false => made(&app, &site, made_by(c, id, &sid), members.get("credential")).await?,
    };
    let Some(key) = made else {
        attempt.failed(&app).await?;
        return Err(Error::Malformed(NOT_MADE.into()).into());
    };
    let now = app.book.clock.now();
    let email = account::by_id(&app.book, c, id).await?;
    let email = email.ok_or_else(Error::forbidden)?.email;
    let stored = passkey_store::stored(&name, key, now);
    let doc = passkey_store::document(&stored);
    let added = app.book.transact(move |work| {
        Box::pin(async move {
            let mut factor = Factor::read(work, c, id).await?;
            if factor.passkeys.len() >= MOST {
                return Err(Error::Malformed(FULL.into()));
            }
            factor.passkeys.push(stored);
            work.tx().note_rights_change();
            factor.write(work, c, id).await?;
            work.tell_account(&email, &AccountChange::PasskeyAdded).await
        })
    });
    added.await?;
    let body = json!({"message": "The passkey signs in from now on.", "doc": doc});
    Ok((StatusCode::CREATED, Json(body)))
}

/// `PATCH /api/<slug>/passkeys/<id>`: another name.
pub(super) async fn rename(
    OwnAccount(app, c, id, _): OwnAccount,
    Path((_, passkey)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> JsonReply {
    let members = members(&app, c, &headers, body).await?;
    let name = name(c, &members)?;
    let renamed = app.book.transact(move |work| {
        Box::pin(async move {
            let mut factor = Factor::read(work, c, id).await?;
            let mut all = factor.passkeys.iter_mut();
            let stored = all.find(|one| passkey_store::has_id(one, &passkey));
            let stored = stored.ok_or(Error::NotFound)?;
            if let Some(members) = stored.as_object_mut() {
                members.insert("name".to_owned(), name.into());
            }
            let doc = passkey_store::document(stored);
            factor.write(work, c, id).await?;
            Ok(doc)
        })
    });
    let doc = renamed.await?;
    Ok(Json(json!({"message": "The passkey has another name.", "doc": doc})))
}

/// `DELETE /api/<slug>/passkeys/<id>`: by password. All other sessions end: who has the device may have begun them.
pub(super) async fn remove(
    OwnAccount(app, c, id, current): OwnAccount,
    Path((_, passkey)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> JsonReply {
    let members = members(&app, c, &headers, body).await?;
    let (account, _) = proved(&app, c, id, &members).await?;
    let (id, now) = (account.id, app.book.clock.now());
    let removed = app.book.transact(move |work| {
        Box::pin(async move {
            let mut factor = Factor::read(work, c, id).await?;
            let before = factor.passkeys.len();
            factor.passkeys.retain(|one| !passkey_store::has_id(one, &passkey));
            if factor.passkeys.len() == before {
                return Err(Error::NotFound);
            }
            work.tx().note_rights_change();
            factor.write(work, c, id).await?;
            account::keep_sessions(work, c, id, now, &|sid| sid == current).await?;
            work.tell_account(&account.email, &AccountChange::PasskeyRemoved).await
        })
    });
    removed.await?;
    Ok(Json(json!({"message": "The passkey was removed."})))
}

/// `POST /api/<slug>/passkey-login/options`: the same for everybody.
pub(super) async fn ask(Call(app, target, _, _): Call) -> JsonReply {
    let c = target.auth()?;
    let question = site(&app.settings)?.start_authentication().map_err(Error::internal)?;
    let (options, challenge) = challenge_of(question, shown_at(c));
    let now = app.book.clock.now();
    let posed = (app.book.store).write(move |tx| Box::pin(async move { pose(tx, challenge, now).await }));
    posed.await?;
    Ok(Json(options))
}

/// `POST /api/<slug>/passkey-login`: a session, as by `login`.
pub(super) async fn login(Call(app, target, _, headers): Call, body: Body) -> Reply {
    let c = target.auth()?;
    let view = target.view(&app)?;
    let members = members(&app, c, &headers, body).await?;
    let site = site(&app.settings)?;
    let attempt = SignInAttempt::by_address(&app);
    let proven = match attempt.waits(&app).await? {
        true => Err(String::new()),
        false => proven(&app, &site, c, members.get("credential")).await?,
    };
    let (account, passkey) = match proven {
        Ok(proven) => proven,
        Err(email) => {
            attempt.failed(&app).await?;
            app.book.refused(&email, request_facts::address());
            return Err(Refusal::SignIn(REFUSED));
        }
    };
    let proof = SignInProof { info: SessionInfo::now(BY_PASSKEY), passkey: Some(passkey), ..SignInProof::default() };
    enter(&app, c, account, proof, view, None).await
}

/// The account of a right answer, with the passkey that gave it; else the address of the
/// account that was meant, or nothing.
async fn proven(
    app: &AppState,
    site: &RelyingParty,
    c: &'static Collection,
    credential: Option<&Value>,
) -> Result<Result<(account::Account, PasskeyProof), String>, Error> {
    let nobody = || Ok(Err(String::new()));
    let Some((credential, answer)) = credential.and_then(|one| Some((one, AuthenticatorAnswer::read(one)?))) else {
        return nobody();
    };
    let state = taken(app, answer.challenge, shown_at(c)).await?;
    let (Some(state), Some(handle)) = (state, answer.handle) else {
        return nobody();
    };
    let Some(account) = account::by_handle(&app.book, c, &handle).await? else {
        return nobody();
    };
    let id = account.id;
    let factor = (app.book).transact(move |work| Box::pin(async move { Factor::read(work, c, id).await })).await?;
    let mut all = factor.passkeys.iter();
    let stored = all.find(|one| passkey_store::is(one, &answer.name));
    let Some(by) = stored.and_then(passkey_store::key) else {
        return Ok(Err(account.email));
    };
    Ok(match site.finish_authentication(credential, &state, by) {
        Ok(now) => {
            let (name, by) = (answer.name, by.clone());
            Ok((account, PasskeyProof { name, by, now }))
        }
        Err(why) => {
            noted(id, &why);
            Err(account.email)
        }
    })
}

/// The key that an authenticator made by the options of a challenge.
async fn made(
    app: &AppState,
    site: &RelyingParty,
    whose: String,
    credential: Option<&Value>,
) -> Result<Option<Value>, Error> {
    let Some((credential, answer)) = credential.and_then(|one| Some((one, AuthenticatorAnswer::read(one)?))) else {
        return Ok(None);
    };
    let Some(state) = taken(app, answer.challenge, whose).await? else {
        return Ok(None);
    };
    let made = site.finish_registration(credential, &state);
    Ok(made.inspect_err(|why| tracing::info!(%why, "a passkey does not fit its challenge")).ok())
}

fn noted(id: i64, why: &Fault) {
    match why.cloned {
        true => {
            tracing::warn!(user = id, "the counter of a passkey went back: there may be two of it, and it was refused")
        }
        false => tracing::info!(user = id, %why, "a passkey was refused"),
    }
}

/// The state that was stored with a challenge; it is used up.
async fn taken(app: &AppState, challenge: String, whose: String) -> Result<Option<String>, Error> {
    let now = app.book.clock.now();
    let taken = (app.book.store).write(move |tx| Box::pin(async move { take(tx, &challenge, &whose, now).await }));
    taken.await
}

fn challenge_of(question: Ceremony, whose: String) -> (Value, Challenge) {
    let challenge = Challenge { text: question.challenge, whose, state: question.state };
    (question.options, challenge)
}

/// The owner of a challenge for a new passkey: this session, and no other.
fn made_by(c: &Collection, id: i64, sid: &str) -> String {
    format!("new/{}/{id}/{sid}", c.slug)
}

/// The owner of a challenge for signing in.
fn shown_at(c: &Collection) -> String {
    format!("door/{}", c.slug)
}

fn name(c: &'static Collection, members: &Map<String, Value>) -> Result<String, Refusal> {
    let name = text(c, members, "name")?.trim().to_owned();
    if name.chars().count() > NAME {
        let issue = Issue::error("name", "too-long", "A name may have at most 100 characters.");
        return Err(Refusal::Credentials(c.slug, vec![issue]));
    }
    Ok(name)
}

/// Whether the service has a name that passkeys can be bound to.
pub(crate) fn are_possible(settings: &Settings) -> bool {
    site(settings).is_ok()
}

fn site(settings: &Settings) -> Result<RelyingParty, Refusal> {
    if !KNOWN {
        return Err(Error::Malformed(UNBUILT.into()).into());
    }
    let no_name = || Error::Malformed(NO_NAME.into());
    let url = match settings.mail.branding.url.is_empty() {
        true => format!("http://{}", settings.listen),
        false => settings.mail.branding.url.clone(),
    };
    let origin = origin(&url).ok_or_else(no_name)?;
    let pages = settings.trusted_origins.iter();
    let pages: Vec<Url> = pages.filter_map(|page| Url::parse(page).ok()).collect();
    let site = RelyingParty::new(&settings.service, &origin, &pages);
    Ok(site.map_err(|_| no_name())?)
}

/// The origin that pages of this address have in browsers that know passkeys: of an https
/// address with a name, or of this machine.
fn origin(url: &str) -> Option<Url> {
    let url = Url::parse(url).ok()?;
    let mut origin = Url::parse(&url.origin().ascii_serialization()).ok()?;
    let own = match url.host()? {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(ip) if ip.is_loopback() => {
            origin.set_host(Some("localhost")).ok()?;
            true
        }
        Host::Ipv6(ip) if ip.is_loopback() => {
            origin.set_host(Some("localhost")).ok()?;
            true
        }
        Host::Ipv4(_) | Host::Ipv6(_) => return None,
    };
    (own || origin.scheme() == "https").then_some(origin)
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn passkeys_are_for_names_over_https_and_for_this_machine() {
        for (url, expected) in [
            ("https://book.example", Some("https://book.example/")),
            ("https://book.example:8443/hub", Some("https://book.example:8443/")),
            ("http://127.0.0.1:3000", Some("http://localhost:3000/")),
            ("http://[::1]:3000", Some("http://localhost:3000/")),
            ("http://localhost:3000", Some("http://localhost:3000/")),
            ("http://book.example", None),
            ("https://192.0.2.7", None),
            ("http://192.0.2.7:3000", None),
            ("", None),
        ] {
            assert_eq!(origin(url).as_ref().map(|url| url.as_str()), expected, "{url}");
        }
    }
}

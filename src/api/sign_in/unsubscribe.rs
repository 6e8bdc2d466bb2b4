//! `/api/<slug>/unsubscribe?token=…`: ends emails of a kind, without signing in (RFC 8058). A mail program sends the
//! POST by itself; a person who follows the link gets a page with a button, since programs look at links too. All
//! tokens that end nothing have one answer.

use crate::AppState;
use crate::Refusal;
use crate::pages::unsubscribe::{self, Said};
use crate::rest::call::{Call, Reply};
use crate::rest::target::Target;
use axum::response::Response;
use model::messages::Language;
use ops::Unsubscription;

/// `GET`: asks, and changes nothing.
pub(super) async fn ask(Call(app, target, _, _): Call) -> Reply {
    let Some(of) = read(&app, &target)? else {
        return Ok(page(&app, None, Said::Unknown));
    };
    let language = target.ok(app.book.language_of(target.collection, of).await)?;
    Ok(page(&app, language, Said::Asks(of.wish)))
}

/// `POST`: ends them. The body is that of the button or of RFC 8058, and says nothing that the token does not.
pub(super) async fn end(Call(app, target, _, _): Call) -> Reply {
    let Some(of) = read(&app, &target)? else {
        return Ok(page(&app, None, Said::Unknown));
    };
    target.ok(app.book.unsubscribe(target.collection, of).await)?;
    let language = target.ok(app.book.language_of(target.collection, of).await)?;
    Ok(page(&app, language, Said::Done))
}

fn read(app: &AppState, target: &Target) -> Result<Option<Unsubscription>, Refusal> {
    let c = target.auth()?;
    if c.sign_in.wishes.is_empty() {
        return Err(target.no_route());
    }
    let query = target.tree()?;
    let token = query.get("token").and_then(|value| value.as_text());
    Ok(app.book.unsubscription(c, token.unwrap_or_default()))
}

fn page(app: &AppState, language: Option<Language>, said: Said) -> Response {
    let language = language.unwrap_or(app.settings.mail.branding.language);
    unsubscribe::page(&app.settings.face.name, language, said)
}

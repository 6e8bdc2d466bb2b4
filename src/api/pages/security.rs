//! `/.well-known/security.txt` (RFC 9116): the contact for reports of security problems.

use crate::{AppState, Refusal};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// The path of the file.
pub(crate) const PATH: &str = "/.well-known/security.txt";
/// How long the text is valid; the RFC recommends less than a year.
const HOLDS: SignedDuration = SignedDuration::from_hours(24 * 180);

/// None where no contact is configured.
pub(crate) async fn text(State(app): State<Arc<AppState>>) -> Response {
    let contact = &app.settings.security_contact;
    let now = Timestamp::from_millisecond(app.book.clock.now()).ok();
    let until = now.and_then(|now| now.checked_add(HOLDS).ok());
    let Some(until) = until.filter(|_| !contact.is_empty()) else {
        return Refusal::NoRoute(PATH.to_owned()).into_response();
    };
    let until = until.strftime("%Y-%m-%dT00:00:00Z");
    let mut text = format!("Contact: {contact}\nExpires: {until}\nPreferred-Languages: en\n");
    if !app.settings.server_url.is_empty() {
        text.push_str(&format!("Canonical: {}{PATH}\n", app.settings.server_url));
    }
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

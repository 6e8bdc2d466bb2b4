//! `/exchange.json`: statistics of clients and their polling, for the Association. The page `/exchange` is made of it
//! (`src/pages/exchange.rs`).

mod view;

use crate::caller::Who;
use crate::{AppState, Refusal};
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use model::error::Error;
use model::registry::Caller;
use std::sync::Arc;

/// The message for visitors who are not signed in.
const SIGN_IN: &str = "Sign in as the Association.";

pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/exchange.json", get(data))
}

/// `GET /exchange.json`
async fn data(State(app): State<Arc<AppState>>, who: Who) -> Result<Response, Refusal> {
    match refused(&who) {
        None => {}
        // Other pages answer strangers only that they may not.
        Some(Error::Unauthenticated) => return Err(Refusal::SignIn(SIGN_IN)),
        Some(error) => return Err(error.into()),
    }
    let body = view::read(&app).await?.to_string().into_bytes();
    let kind = "application/json; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], body).into_response())
}

/// Why a visitor may not see the page: it shows the clients of all organisations.
fn refused(who: &Who) -> Option<Error> {
    match who.principal.caller {
        Caller::Association | Caller::System => None,
        Caller::Farm => Some(Error::forbidden()),
        Caller::Anonymous => Some(Error::Unauthenticated),
    }
}

//! `/exchange`: statistics of clients and their polling, for the Association. A page made by the
//! server, which needs nothing from elsewhere and runs no script, and the same as JSON.

mod chart;
mod html;
mod view;

use crate::caller::Who;
use crate::{Hub, Refusal};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use model::error::Error;
use model::registry::Caller;
use std::sync::Arc;

/// What the page may do: look as it does, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The message for visitors who are not signed in.
const SIGN_IN: &str = "Sign in as the Association.";

/// The paths of the page.
pub(crate) fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/exchange", get(page))
        .route("/exchange.json", get(data))
}

/// `GET /exchange`: the page for browsers, else JSON.
async fn page(
    State(hub): State<Arc<Hub>>,
    who: Who,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let accept = (headers.get_all(header::ACCEPT).iter()).filter_map(|field| field.to_str().ok());
    let html = accept.into_iter().any(|field| field.contains("text/html"));
    let mut response = match (html, refused(&who)) {
        (false, _) => data(State(hub), who).await?,
        (true, None) => shown(StatusCode::OK, html::page(&view::read(&hub).await?)),
        // Comes back after signing in.
        (true, Some(Error::Unauthenticated)) => {
            Redirect::to("/sign-in?next=%2Fexchange").into_response()
        }
        (true, Some(_)) => shown(StatusCode::FORBIDDEN, html::forbidden()),
    };
    let accept = HeaderValue::from_static("Accept");
    response.headers_mut().append(header::VARY, accept);
    Ok(response)
}

/// `GET /exchange.json`
async fn data(State(hub): State<Arc<Hub>>, who: Who) -> Result<Response, Refusal> {
    match refused(&who) {
        None => {}
        // Other pages answer strangers only that they may not.
        Some(Error::Unauthenticated) => return Err(Refusal::SignIn(SIGN_IN)),
        Some(error) => return Err(error.into()),
    }
    let view = view::read(&hub).await?;
    let body = serde_json::to_vec(&view).map_err(Error::internal)?;
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

fn shown(status: StatusCode, page: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (status, headers, page).into_response()
}

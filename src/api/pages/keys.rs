//! `/.well-known/herdbook-keys.json`: the public keys of the installation as JSON Web Keys (RFC
//! 7517, RFC 8037), by which anybody verifies what it signed (docs/packages.md).

use crate::{AppState, Refusal};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use secure::ed25519::PublicKey;
use serde_json::json;
use std::sync::Arc;

/// The path of the document.
pub(crate) const PATH: &str = "/.well-known/herdbook-keys.json";

/// All keys, retired ones too, the first one first.
pub(crate) async fn keys(State(app): State<Arc<AppState>>) -> Result<Response, Refusal> {
    let keys = app.book.signing_keys().await?;
    let keys: Vec<_> = keys.iter().map(PublicKey::jwk).collect();
    let body = json!({"keys": keys}).to_string();
    let headers = [(header::CONTENT_TYPE, "application/jwk-set+json"), (header::CACHE_CONTROL, "public, no-cache")];
    Ok((headers, body).into_response())
}

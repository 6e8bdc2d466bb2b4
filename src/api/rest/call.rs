//! What the handlers of a collection's paths begin with.

use super::target::Target;
use crate::caller::Who;
use crate::{AppState, Refusal};
use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::Value;
use std::sync::Arc;

/// An answer, or why there is none.
pub(crate) type Reply = Result<Response, Refusal>;
pub(crate) type JsonReply = Result<Json<Value>, Refusal>;

/// A request: the service, what its path names, its caller and its headers.
pub(crate) struct Call(pub(crate) Arc<AppState>, pub(crate) Target, pub(crate) Who, pub(crate) HeaderMap);

impl FromRequestParts<Arc<AppState>> for Call {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Refusal> {
        let target = Target::from_request_parts(parts, app).await?;
        let who = Who::from_request_parts(parts, app).await?;
        Ok(Self(Arc::clone(app), target, who, parts.headers.clone()))
    }
}

//! The index page at the root of the service, with links for new users. Open to everyone; shows
//! nothing that the declarations do not.

use crate::Hub;
use crate::layers::peer;
use crate::sign_in::passkeys;
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use std::sync::Arc;

/// What pages for people state about the service.
pub(crate) fn site(hub: &Hub) -> ::pages::Site {
    ::pages::Site {
        service: hub.settings.service.clone(),
        url: hub.settings.server_url.clone(),
        language: hub.settings.mail.branding.language,
        clock: hub.book.clock.clone(),
        registry: hub.book.registry,
        carried: peer::carried,
        passkeys: passkeys::are_possible(&hub.settings),
        index: root(hub),
    }
}

/// `GET /` for machines.
fn root(hub: &Hub) -> Value {
    json!({
        "service": hub.settings.service,
        "version": env!("CARGO_PKG_VERSION"),
        "rest": "/api",
        "graphql": "/api/graphql",
        "ade": {"version": ade::VERSION, "locations": "/ade/v1/locations", "datasets": "/ade/v1/datasets"},
        "health": "/healthz",
    })
}

/// `GET /api`
pub(crate) async fn rest(State(hub): State<Arc<Hub>>) -> Json<Value> {
    let registry = hub.book.registry;
    let all: Vec<String> = (registry.iter())
        .map(|c| format!("/api/{}", c.slug))
        .collect();
    let sign_in: Vec<String> = (registry.iter().filter(|c| c.auth))
        .map(|c| format!("/api/{}/login", c.slug))
        .collect();
    Json(json!({"access": "/api/access", "signIn": sign_in, "collections": all}))
}

//! The index page at the root of the service, with links for new users. Open to everyone; shows
//! nothing that the declarations do not.

use crate::AppState;
use crate::layers::peer;
use crate::sign_in::passkeys;
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use std::sync::Arc;

/// What pages for people state about the service.
pub(crate) fn site(app: &AppState) -> ::pages::Site {
    ::pages::Site {
        service: app.settings.face.name.clone(),
        face: app.settings.face.clone(),
        url: app.settings.server_url.clone(),
        language: app.settings.mail.branding.language,
        clock: app.book.clock.clone(),
        zone: app.book.zone().clone(),
        registry: app.book.registry,
        carried: peer::carried,
        passkeys: passkeys::are_possible(&app.settings),
        index: root(app),
    }
}

/// `GET /` for machines.
fn root(app: &AppState) -> Value {
    json!({
        "service": app.settings.service,
        "version": env!("CARGO_PKG_VERSION"),
        "rest": "/api",
        "graphql": "/api/graphql",
        "ade": {"version": ade::VERSION, "locations": "/ade/v1/locations", "datasets": "/ade/v1/datasets"},
        "health": "/healthz",
    })
}

/// `GET /api`
pub(crate) async fn rest(State(app): State<Arc<AppState>>) -> Json<Value> {
    let registry = app.book.registry;
    let all: Vec<String> = (registry.iter()).map(|c| format!("/api/{}", c.slug)).collect();
    let sign_in: Vec<String> = (registry.iter().filter(|c| c.auth)).map(|c| format!("/api/{}/login", c.slug)).collect();
    Json(json!({"access": "/api/access", "signIn": sign_in, "collections": all}))
}

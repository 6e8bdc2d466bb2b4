//! The OpenAPI 3.1 document of both faces, made once from the registry and the ADE catalogue, and a page that shows
//! it. What a collection is called, what it takes and what it answers is read from its declaration; nothing here
//! knows a collection by name.

mod about;
mod card_paths;
mod certificate_paths;
mod decision_paths;
mod exchange;
mod exchange_parts;
mod extra;
mod filter;
mod for_many;
mod full_syncs;
mod means_paths;
mod operation;
mod package_paths;
mod page;
mod parts;
mod passkeys;
mod paths;
mod printed;
mod replies;
mod schema;
mod sessions;
mod sign_in;
mod signed_packages;
mod twins;
mod unsubscribe;
mod view_link_paths;

use crate::AppState;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use bytes::Bytes;
use mapping::Mappings;
use model::registry::{Collection, Feature, Registry};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Version of the document, not of the server: it moves when clients must look again.
const VERSION: &str = "1.0.0";

/// `#/components/schemas/<name>`
fn to_schema(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// `200` and so on for reuse: `#/components/responses/<name>`
fn to_reply(name: &str) -> Value {
    json!({"$ref": format!("#/components/responses/{name}")})
}

/// `#/components/parameters/<name>`
fn to_parameter(name: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{name}")})
}

/// The tag of a collection: its section of the model, and its name.
fn tag(c: &Collection) -> String {
    format!("{} · {}", c.section, c.plural)
}

/// What the document depends on beside the declarations.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Name of the service, also that of its cookie.
    pub service: &'a str,
    /// Levels of expansion when the caller does not say.
    pub depth: u8,
}

/// The whole document.
pub fn document(registry: &Registry, mappings: &Mappings, facts: &Facts<'_>) -> Value {
    let mut tags: Vec<Value> = Vec::new();
    let mut paths = Map::new();
    let mut schemas = schema::shared();
    schemas.extend(filter::shared());
    for c in registry.iter() {
        tags.push(json!({"name": tag(c), "description": c.doc}));
        schemas.extend(schema::of(registry, c));
        schemas.insert(format!("{}-where", c.slug), filter::of(registry, c));
        paths.extend(paths::of(registry, c, facts));
        paths.extend(extra::of(c));
        paths.extend(certificate_paths::of(registry, c));
        if c.ui.card.is_some() {
            let path = format!("/api/{}/{{id}}/card", c.slug);
            paths.insert(path, card_paths::card(c));
        }
        if !c.ui.charts.is_empty() {
            paths.insert(format!("/api/{}/means", c.slug), means_paths::means(c));
        }
        if c.is(Feature::ViewLinks) {
            paths.insert(format!("/api/{}/open", c.slug), view_link_paths::open(c));
        }
        if c.auth {
            tags.push(json!({
                "name": replies::sign_in_tag(c),
                "description": "Signing in and out, and what belongs to it.",
            }));
            paths.extend(sign_in::of(c));
            paths.extend(unsubscribe::of(c));
        }
    }
    schemas.extend(sign_in::schemas(registry));
    tags.extend(exchange::tags(mappings));
    paths.extend(exchange::paths(mappings, (true, &|_| true)));
    schemas.extend(exchange::schemas(mappings));
    tags.push(json!({"name": page::TAG, "description": "About the server itself."}));
    paths.extend(extra::everywhere());
    paths.extend(certificate_paths::check());
    schemas.extend(extra::schemas());
    paths.extend(page::paths());
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("Herdbook Hub ({})", facts.service),
            "version": VERSION,
            "summary": "A Holstein herd book: REST in the dialect of Payload CMS 3, and ICAR ADE 1.5",
            "description": ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "The operator of this server"},
        },
        "servers": [{"url": "/", "description": "This server"}],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": replies::parameters(facts),
            "responses": replies::all(),
            "headers": replies::headers(),
            "securitySchemes": sign_in::schemes(facts.service),
        },
    });
    prune(&mut document);
    document
}

/// The document of the exchange alone, for a caller who may send data or may not.
pub(super) fn exchange_only(
    mappings: &Mappings,
    facts: &Facts<'_>,
    sends: exchange::Sends<'_>,
) -> Value {
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("Herdbook Hub ({}): exchange", facts.service),
            "version": VERSION,
            "summary": "ICAR ADE 1.5: what you may do",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "This server"}],
        "tags": exchange::tags(mappings),
        "paths": exchange::paths(mappings, sends),
        "components": {
            "schemas": exchange::schemas(mappings),
            "headers": replies::headers(),
            "securitySchemes": sign_in::schemes(facts.service),
        },
    });
    prune(&mut document);
    document
}

/// Drops what nothing refers to: of the standard's schemas those of types that are not served.
fn prune(document: &mut Value) {
    const PLACE: &str = "/components/";
    let mut used = BTreeSet::new();
    let mut open: Vec<&Value> = document.get("paths").into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                open.extend(members.values());
                let to = members.get("$ref").and_then(Value::as_str);
                if let Some(place) = to.and_then(|to| to.strip_prefix('#'))
                    && used.insert(place.to_owned())
                {
                    open.extend(document.pointer(place));
                }
            }
            _ => {}
        }
    }
    for kind in ["schemas", "parameters", "responses", "headers"] {
        let place = format!("{PLACE}{kind}");
        if let Some(all) = document.pointer_mut(&place).and_then(Value::as_object_mut) {
            all.retain(|name, _| used.contains(&format!("{place}/{name}")));
        }
    }
}

const ABOUT: &str = "One model, two faces: `/api` serves every collection of the herd book, `/ade/v1` exchanges \
documents of the ICAR Animal Data Exchange standard 1.5.1.\n\nWithout a sign-in only public records are seen; a bad \
or expired token counts as none. A record that the caller may not see does not exist for that caller: not in lists, not by \
id, not by a condition. `where` takes the structure written here as one JSON value, or the same in brackets: \
`where[name][equals]=Bella`.";

/// The document, whole and in parts, and the page that shows it. It is made when it is first asked for: a server starts
/// sooner without it, and most are never asked.
pub(super) fn router() -> Router<Arc<AppState>> {
    let whole = Arc::new(OnceLock::new());
    let parts = Arc::new(parts::Parts::default());
    let listed = (Arc::clone(&whole), Arc::clone(&parts));
    let answer = move |State(app): State<Arc<AppState>>, RawQuery(query): RawQuery| {
        let all: &Bytes = whole.get_or_init(|| bytes(&app));
        let asked = url::form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes());
        let tag = asked.into_iter().find(|(name, _)| name == "tag");
        let found = match tag {
            Some((_, tag)) => parts.tagged(all, &tag),
            None => Some(all.clone()),
        };
        std::future::ready(match found {
            Some(bytes) => (HEADERS, bytes).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        })
    };
    let operations = move |State(app): State<Arc<AppState>>| {
        let (whole, parts) = &listed;
        let bytes = parts.operations(whole.get_or_init(|| bytes(&app)));
        std::future::ready((HEADERS, bytes).into_response())
    };
    Router::new()
        .route("/api-docs/openapi.json", get(answer))
        .route("/api-docs/operations.json", get(operations))
        .merge(page::router())
}

/// The same for everybody.
const HEADERS: [(HeaderName, &str); 3] = [
    (header::CONTENT_TYPE, "application/json"),
    (header::CACHE_CONTROL, "public, max-age=300"),
    (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
];

fn bytes(app: &AppState) -> Bytes {
    let facts = Facts {
        service: &app.settings.service,
        depth: app.settings.depth,
    };
    let document = document(app.book.registry, app.exchange.rules().mappings(), &facts);
    Bytes::from(document.to_string())
}

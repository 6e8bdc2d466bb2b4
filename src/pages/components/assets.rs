//! The style sheet and the script of all pages, and the colours and the emblem of the installation (docs/configuration.md,
//! `face`). Their addresses change with their content, so that browsers store them for good.

use crate::Pages;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use model::face::{Color, Face};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
const FACE: &str = "/pages/face.css";
const EMBLEM: &str = "/pages/emblem";

static STYLE_PATH: LazyLock<String> = LazyLock::new(|| path("style", STYLE, "css"));
static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| path("script", SCRIPT, "js"));

fn path(name: &str, content: &str, ending: &str) -> String {
    format!("/pages/{name}-{}.{ending}", hash(content.as_bytes()))
}

fn hash(content: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

pub(crate) fn style() -> &'static str {
    &STYLE_PATH
}

pub(crate) fn script() -> &'static str {
    &SCRIPT_PATH
}

pub(crate) fn routes() -> Router<Pages> {
    Router::new()
        .route(style(), get(async || asset("text/css; charset=utf-8", STYLE)))
        .route(script(), get(async || asset("text/javascript; charset=utf-8", SCRIPT)))
        .route(FACE, get(colors))
        .route(EMBLEM, get(emblem))
}

fn asset(kind: &'static str, content: impl IntoResponse) -> Response {
    let headers: [(HeaderName, &str); 4] = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // A picture that is opened by itself runs nothing.
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'; sandbox"),
    ];
    (headers, content).into_response()
}

/// The colours of the installation as a style sheet; empty: they are those of the program.
fn css(face: &Face) -> String {
    let mark = |color: Color| format!(":root{{--mark:{}}}", color.css());
    let light = face.color.map(mark).unwrap_or_default();
    let dark = face.dark_color.map(|color| format!("@media (prefers-color-scheme:dark){{{}}}", mark(color)));
    // Without a colour of its own the dark ground has that of the program.
    let light = match light.is_empty() {
        true => light,
        false => format!("@media not all and (prefers-color-scheme:dark){{{light}}}"),
    };
    light + &dark.unwrap_or_default()
}

/// What the head of a document links to for the face of the installation.
pub(crate) fn of_face(face: &Face) -> Markup {
    let css = css(face);
    let emblem = emblem_address(face);
    html! {
        @if !css.is_empty() { link rel="stylesheet" href=(format!("{FACE}?{}", hash(css.as_bytes()))); }
        link rel="icon" href=(emblem.as_deref().unwrap_or("data:,"));
    }
}

pub(crate) fn emblem_address(face: &Face) -> Option<String> {
    face.emblem.as_ref().map(|emblem| format!("{EMBLEM}?{}", hash(&emblem.bytes)))
}

async fn colors(State(pages): State<Pages>) -> Response {
    asset("text/css; charset=utf-8", css(&pages.site.face))
}

async fn emblem(State(pages): State<Pages>) -> Response {
    match &pages.site.face.emblem {
        Some(emblem) => asset(emblem.kind, emblem.bytes.to_vec()),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_one_ground_leave_the_other_as_it_is() {
        let mut face = Face { color: Color::read("#123456"), ..Face::default() };
        assert_eq!(css(&face), "@media not all and (prefers-color-scheme:dark){:root{--mark:#123456}}");
        face.dark_color = Color::read("#fedcba");
        assert!(css(&face).ends_with("@media (prefers-color-scheme:dark){:root{--mark:#fedcba}}"));
        assert_eq!(css(&Face::default()), "");
    }
}

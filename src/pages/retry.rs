//! A form that comes after the session ended: its page sends it again once the visitor is signed in, so that nothing that
//! was typed is lost.

use crate::Pages;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::upload_form;
use crate::stop::Stop;
use crate::visitor::Visitor;
use crate::words::Form;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use maud::html;

/// Forms of visitors without an account do not reach the pages.
pub(crate) async fn keep_form(State(pages): State<Pages>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let visitor = match Visitor::from_request_parts(&mut parts, &pages).await {
        Ok(visitor) => visitor,
        Err(never) => match never {},
    };
    if visitor.user.is_some() {
        parts.extensions.insert(visitor);
        return next.run(Request::from_parts(parts, body)).await;
    }
    let shell = Shell::new(&pages, &visitor);
    match is_own(&parts.headers) {
        true => retry_page(&shell, &upload_form::read(&parts.headers, body).await.form),
        false => Stop::sign_in(&shell).into_response(),
    }
}

/// Whether the form is one of this service: what another site sends is not offered to be sent again.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match (text("sec-fetch-site"), text(header::ORIGIN.as_str())) {
        (Some(site), _) => site == "same-origin",
        // Without TLS browsers say only where the form comes from.
        (None, Some(origin)) => origin.split_once("://").map(|(_, host)| host) == text(header::HOST.as_str()),
        (None, None) => false,
    }
}

fn retry_page(shell: &Shell<'_>, form: &Form) -> Response {
    let title = shell.text("page-retry");
    let body = html! {
        div class="narrow" {
            h1 { (title) }
            p role="alert" { (shell.text("page-retry-note")) }
            p { a class="button second" href="/sign-in" target="_blank" rel="noopener" { (shell.text("page-retry-sign-in")) } }
            form method="post" action=(shell.visitor.address) {
                @for (name, value) in &form.0 { input type="hidden" name=(name) value=(value); }
                button type="submit" { (shell.text("page-retry-send")) }
            }
        }
    };
    page(StatusCode::UNAUTHORIZED, shell.document(&title, &body))
}

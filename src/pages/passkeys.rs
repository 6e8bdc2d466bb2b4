//! `/account`: the visitor's own account, with its passkeys (docs/sign-in.md, *Passkeys*). What asks the device for a key
//! needs the script, and is hidden until that ran; the list, another name and the removal are plain forms.

use crate::Pages;
use crate::book::refusal;
use crate::calls::Answer;
use crate::components::notice::Notice;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::instant;
use crate::stop::{Page, Stop};
use crate::visitor::{Visit, Visitor, accounts};
use crate::words::Form;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, StatusCode};
use axum::routing::{get, post};
use maud::{Markup, html};
use model::display::at;
use model::registry::Collection;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

/// The page of the account.
const ACCOUNT: &str = "/account";

pub(crate) fn routes() -> Router<Pages> {
    Router::new()
        .route(ACCOUNT, get(account))
        .route("/account/passkeys/{id}", post(rename))
        .route("/account/passkeys/{id}/remove", post(remove))
}

fn own(shell: &Shell<'_>) -> Result<&'static Collection, Stop> {
    if shell.visitor.user.is_none() {
        return Err(Stop::sign_in(shell));
    }
    accounts(shell.pages.site.registry).ok_or_else(|| Stop::missing(shell))
}

async fn account(State(pages): State<Pages>, visitor: Visitor) -> Page {
    let shell = Shell::new(&pages, &visitor);
    account_page(&shell, own(&shell)?, None).await
}

/// Another name for a passkey.
async fn rename(Visit(pages, visitor, id): Visit<String>, body: Bytes) -> Page {
    let body = json!({"name": Form::read(&body).get("name").unwrap_or_default()});
    let shell = Shell::new(&pages, &visitor);
    let done = Notice::Pressed("page-passkey-rename");
    changed(&shell, (Method::PATCH, &id), &body, done).await
}

/// A passkey that signs in no more; the API wants the password.
async fn remove(Visit(pages, visitor, id): Visit<String>, body: Bytes) -> Page {
    let body = json!({"password": Form::read(&body).get("password").unwrap_or_default()});
    let shell = Shell::new(&pages, &visitor);
    let done = Notice::Pressed("page-passkey-remove");
    changed(&shell, (Method::DELETE, &id), &body, done).await
}

async fn changed(shell: &Shell<'_>, (method, id): (Method, &str), body: &Value, done: Notice) -> Page {
    let users = own(shell)?;
    let id = utf8_percent_encode(id, NON_ALPHANUMERIC);
    let path = format!("/api/{}/passkeys/{id}", users.slug);
    let answer = shell.send(method, &path, body).await;
    match answer.is_good() {
        true => Ok(done.see(users, ACCOUNT)),
        false => account_page(shell, users, Some(answer)).await,
    }
}

/// The page, perhaps with why something was refused.
async fn account_page(shell: &Shell<'_>, users: &'static Collection, refused: Option<Answer>) -> Page {
    let path = format!("/api/{}/passkeys", users.slug);
    let all = shell.get(&path).await;
    let title = shell.text("page-account");
    let id = shell.visitor.user.as_ref().map(|user| at(user, "id"));
    let body = html! {
        h1 { (title) }
        @if let Some(answer) = &refused { p class="fault" role="alert" { (refusal(answer)) } }
        @if let Some(address) = id.and_then(|id| shell.record(users, id)) {
            p { a href=(address) { (shell.text("page-account-record")) } }
        }
        // A caller without a session of their own has no passkeys.
        @if all.is_good() && (shell.pages.site.passkeys || !all.docs().is_empty()) {
            section id="passkeys" {
                h2 { (shell.text("page-passkeys")) }
                p { (shell.text("page-passkeys-note")) }
                @if all.docs().is_empty() { p class="none" { (shell.text("page-passkeys-none")) } }
                @for one in all.docs() { (passkey(shell, one)) }
                @if shell.pages.site.passkeys { (adding(shell, users)) }
            }
        }
    };
    let status = refused.map_or(StatusCode::OK, |answer| answer.status);
    Ok(page(status, shell.document(&title, &body)))
}

fn passkey(shell: &Shell<'_>, one: &Value) -> Markup {
    let id = at(one, "id").as_str().unwrap_or_default();
    let name = at(one, "name").as_str().unwrap_or_default();
    let when = |path: &str| match at(one, path).as_str() {
        Some(iso) => instant(shell, iso),
        None => html! { (shell.text("page-never")) },
    };
    let address = format!("{ACCOUNT}/passkeys/{}", utf8_percent_encode(id, NON_ALPHANUMERIC));
    let (new_name, password) = (format!("name-{id}"), format!("password-{id}"));
    html! {
        article class="passkey" {
            h3 { (name) }
            p { (shell.text("page-passkey-created")) " " (when("createdAt")) ". "
                (shell.text("page-passkey-used")) " " (when("lastUsedAt")) "." }
            details {
                summary { (shell.text("page-passkey-change")) }
                form method="post" action=(address) {
                    div class="field" {
                        label for=(new_name) { (shell.text("page-passkey-name")) }
                        input id=(new_name) type="text" name="name" value=(name) required maxlength="100" autocomplete="off";
                    }
                    button type="submit" { (shell.text("page-passkey-rename")) }
                }
                form method="post" action={ (address) "/remove" } {
                    div class="field" {
                        label for=(password) { (shell.text("page-password")) }
                        input id=(password) name="password" type="password" required autocomplete="current-password";
                    }
                    button class="grave" type="submit" { (shell.text("page-passkey-remove")) }
                }
            }
        }
    }
}

/// The form that the script sends, in place of the browser.
fn ask(shell: &Shell<'_>, kind: &str, [options, answer]: [String; 2], next: &str, inner: &Markup) -> Markup {
    html! {
        form class="passkey" method="post" hidden data-kind=(kind) data-options=(options) data-answer=(answer) data-next=(next)
            data-failed=(shell.text("page-passkey-failed")) {
            (inner)
            p class="fault" role="alert" {}
        }
    }
}

fn adding(shell: &Shell<'_>, users: &Collection) -> Markup {
    let addresses = ["passkeys/options", "passkeys"].map(|path| format!("/api/{}/{path}", users.slug));
    let inner = html! {
        h3 { (shell.text("page-passkey-add")) }
        div class="field" {
            label for="new-name" { (shell.text("page-passkey-name")) }
            input id="new-name" type="text" name="name" required maxlength="100" autocomplete="off";
        }
        div class="field" {
            label for="new-password" { (shell.text("page-password")) }
            input id="new-password" name="password" type="password" required autocomplete="current-password";
        }
        // Where the account has codes: the script shows it when the API asks for one.
        div class="field code" hidden {
            label for="new-code" { (shell.text("page-code")) }
            input id="new-code" type="text" name="code" autocomplete="one-time-code";
        }
        button type="submit" { (shell.text("page-passkey-add")) }
    };
    html! {
        noscript { p { (shell.text("page-passkey-script")) } }
        (ask(shell, "create", addresses, ACCOUNT, &inner))
    }
}

/// The way to sign in by a passkey; the visitor goes on to `next`.
pub(crate) fn offer(shell: &Shell<'_>, next: &str) -> Markup {
    let Some(users) = accounts(shell.pages.site.registry).filter(|_| shell.pages.site.passkeys) else {
        return html! {};
    };
    let addresses = ["passkey-login/options", "passkey-login"].map(|path| format!("/api/{}/{path}", users.slug));
    let inner = html! {
        button class="second" type="submit" { (shell.text("page-passkey-sign-in")) }
    };
    ask(shell, "get", addresses, next, &inner)
}

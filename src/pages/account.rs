//! Signing in and out, and the pages that emails name: a new password, an invitation, a proved address, a known browser.

use crate::Pages;
use crate::calls::Answer;
use crate::components::reply::{local, page, see};
use crate::components::shell::Shell;
use crate::passkeys;
use crate::stop::{Page, Stop};
use crate::visitor::{Visitor, accounts};
use crate::words::Form;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use model::registry::{Collection, Feature};
use serde_json::{Map, Value, json};

/// The name of the refusal that asks for a second factor.
const SECOND_FACTOR: &str = "SecondFactorRequired";

pub(crate) fn routes() -> Router<Pages> {
    Router::new()
        .route("/sign-in", get(sign_in).post(signed_in))
        .route("/sign-out", post(sign_out))
        .route("/forgotten-password", get(forgotten).post(send_reset_email))
        .route("/reset-password", get(reset).post(renewed))
        .route("/invitation", get(invitation).post(accepted))
        .route("/verify-email", get(address).post(proved))
        .route("/unlock", get(lock).post(unlocked))
}

#[derive(Debug, Clone, Copy)]
struct Line {
    name: &'static str,
    label: &'static str,
    kind: &'static str,
    autocomplete: &'static str,
    /// Whether what was typed is shown again.
    prefilled: bool,
}

const fn line(name: &'static str, label: &'static str, kind: &'static str, autocomplete: &'static str) -> Line {
    Line { name, label, kind, autocomplete, prefilled: true }
}

const EMAIL: Line = line("email", "page-email", "email", "username");
const PASSWORD: Line = Line { prefilled: false, ..line("password", "page-password", "password", "current-password") };
const NEW_PASSWORD: Line =
    Line { prefilled: false, ..line("password", "page-new-password", "password", "new-password") };
const CODE: Line = Line { prefilled: false, ..line("code", "page-code", "text", "one-time-code") };
const FIRST_NAME: Line = line("firstName", "page-first-name", "text", "given-name");
const LAST_NAME: Line = line("lastName", "page-last-name", "text", "family-name");

/// A form of an account, sent to the address of its page.
struct Sheet<'s> {
    shell: Shell<'s>,
    title: &'s str,
    note: Option<&'s str>,
    lines: Vec<Line>,
    button: &'s str,
    /// What was sent before, and what was wrong with it.
    form: Form,
    answer: Option<Answer>,
    below: Markup,
}

impl<'s> Sheet<'s> {
    fn new(shell: Shell<'s>, title: &'s str, lines: &[Line]) -> Self {
        Self {
            shell,
            title,
            note: None,
            lines: lines.to_vec(),
            button: title,
            form: Form::default(),
            answer: None,
            below: html! {},
        }
    }

    fn response(&self) -> Response {
        let status = self.answer.as_ref().map_or(StatusCode::OK, |answer| answer.status);
        let title = self.shell.text(self.title);
        page(status, self.shell.document(&title, &self.markup(&title)))
    }

    fn markup(&self, title: &str) -> Markup {
        let issues = self.answer.as_ref().map(Answer::issues).unwrap_or_default();
        let own = |name: &'static str| issues.iter().filter(move |issue| issue.path == name);
        let whole = (self.answer.as_ref())
            .filter(|_| !issues.iter().any(|issue| self.lines.iter().any(|line| line.name == issue.path)));
        html! {
            div class="narrow" {
                h1 { (title) }
                @if let Some(note) = self.note { p { (self.shell.text(note)) } }
                @if let Some(answer) = whole {
                    p class="fault" role="alert" {
                        @if answer.error_name() == SECOND_FACTOR { (self.shell.text("page-second-factor")) }
                        @else if answer.is_closed { (self.shell.text("page-account-closed")) }
                        @else { (answer.message()) }
                        @for issue in &issues { " " (issue.message) }
                    }
                }
                form method="post" {
                    @for line in &self.lines {
                        @let faults: Vec<_> = own(line.name).collect();
                        @let fault_id = format!("{}-fault", line.name);
                        div class=(if faults.is_empty() { "field" } else { "field faulty" }) {
                            label for=(line.name) { (self.shell.text(line.label)) }
                            input id=(line.name) name=(line.name) type=(line.kind) required
                                autocomplete=(line.autocomplete)
                                value=[self.form.get(line.name).filter(|_| line.prefilled)]
                                aria-invalid=[(!faults.is_empty()).then_some("true")]
                                aria-describedby=[(!faults.is_empty()).then_some(fault_id.as_str())];
                            @if !faults.is_empty() {
                                p class="fault" id=(fault_id) { @for fault in &faults { (fault.message) " " } }
                            }
                        }
                    }
                    button type="submit" { (self.shell.text(self.button)) }
                }
                (self.below)
            }
        }
    }
}

/// A page that says how something ended.
fn done(shell: Shell<'_>, title: &str, text: &str) -> Response {
    let title = shell.text(title);
    let body = html! { div class="narrow" { h1 { (title) } p role="status" { (shell.text(text)) } p { a href="/" { (shell.text("page-on")) } } } };
    page(StatusCode::OK, shell.document(&title, &body))
}

/// Goes on as the account that an answer signed in.
fn enter(answer: Answer, next: &str) -> Response {
    let mut response = see(next);
    for cookie in answer.cookies {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

fn users(shell: &Shell<'_>) -> Result<&'static Collection, Stop> {
    accounts(shell.pages.site.registry).ok_or_else(|| Stop::missing(shell))
}

/// What a form says, as the members of a body.
fn members(form: &Form, lines: &[Line]) -> Map<String, Value> {
    let own = |line: &Line| Some((line.name.to_owned(), Value::from(form.get(line.name)?)));
    lines.iter().filter_map(own).collect()
}

fn next_of(visitor: &Visitor) -> String {
    local(visitor.query().get("next")).to_owned()
}

/// The token of an address that an email named.
fn token(visitor: &Visitor) -> String {
    visitor.query().get("token").unwrap_or_default().to_owned()
}

fn sign_in_sheet<'s>(shell: Shell<'s>, code: bool, next: &str) -> Sheet<'s> {
    let mut lines = vec![EMAIL, PASSWORD];
    lines.extend(code.then_some(CODE));
    let below = html! {
        (passkeys::offer(&shell, next))
        p { a href="/forgotten-password" { (shell.text("page-forgotten")) } }
    };
    Sheet { below, ..Sheet::new(shell, "page-sign-in", &lines) }
}

async fn sign_in(State(pages): State<Pages>, visitor: Visitor) -> Response {
    let shell = Shell::new(&pages, &visitor);
    let next = next_of(&visitor);
    if visitor.user.is_some() {
        return see(&next);
    }
    sign_in_sheet(shell, false, &next).response()
}

async fn signed_in(State(pages): State<Pages>, visitor: Visitor, body: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let users = users(&shell)?;
    let form = Form::read(&body);
    let members = members(&form, &[EMAIL, PASSWORD, CODE]);
    let path = format!("/api/{}/login?depth=0", users.slug);
    let answer = shell.post(&path, &members.into()).await;
    let next = next_of(&visitor);
    if answer.is_good() {
        return Ok(enter(answer, &next));
    }
    let code = answer.error_name() == SECOND_FACTOR || form.has(CODE.name);
    let sheet = Sheet { form, answer: Some(answer), ..sign_in_sheet(shell, code, &next) };
    Ok(sheet.response())
}

async fn sign_out(State(pages): State<Pages>, visitor: Visitor) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let path = format!("/api/{}/logout", users(&shell)?.slug);
    let answer = shell.post(&path, &json!({})).await;
    Ok(enter(answer, "/"))
}

async fn forgotten(State(pages): State<Pages>, visitor: Visitor) -> Response {
    let shell = Shell::new(&pages, &visitor);
    Sheet { note: Some("page-forgotten-note"), button: "page-send", ..Sheet::new(shell, "page-forgotten", &[EMAIL]) }
        .response()
}

async fn send_reset_email(State(pages): State<Pages>, visitor: Visitor, body: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let form = Form::read(&body);
    let path = format!("/api/{}/forgot-password", users(&shell)?.slug);
    let members = members(&form, &[EMAIL]);
    let answer = shell.post(&path, &members.into()).await;
    if answer.is_good() {
        return Ok(done(shell, "page-forgotten", "page-forgotten-sent"));
    }
    let sheet =
        Sheet { button: "page-send", form, answer: Some(answer), ..Sheet::new(shell, "page-forgotten", &[EMAIL]) };
    Ok(sheet.response())
}

async fn reset(State(pages): State<Pages>, visitor: Visitor) -> Response {
    Sheet::new(Shell::new(&pages, &visitor), "page-reset", &[NEW_PASSWORD]).response()
}

async fn renewed(State(pages): State<Pages>, visitor: Visitor, body: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let form = Form::read(&body);
    let mut members = members(&form, &[NEW_PASSWORD, CODE]);
    members.insert("token".to_owned(), token(&visitor).into());
    let path = format!("/api/{}/reset-password?depth=0", users(&shell)?.slug);
    let answer = shell.post(&path, &members.into()).await;
    if answer.is_good() {
        return Ok(enter(answer, "/"));
    }
    let code = answer.error_name() == SECOND_FACTOR || form.has(CODE.name);
    let lines: Vec<Line> = std::iter::once(NEW_PASSWORD).chain(code.then_some(CODE)).collect();
    let sheet = Sheet { form, answer: Some(answer), ..Sheet::new(shell, "page-reset", &lines) };
    Ok(sheet.response())
}

const INVITED: [Line; 3] = [FIRST_NAME, LAST_NAME, NEW_PASSWORD];

async fn invitation(State(pages): State<Pages>, visitor: Visitor) -> Response {
    Sheet {
        note: Some("page-invitation-note"),
        ..Sheet::new(Shell::new(&pages, &visitor), "page-invitation", &INVITED)
    }
    .response()
}

async fn accepted(State(pages): State<Pages>, visitor: Visitor, body: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let inviting = pages.site.registry.with_feature(Feature::Invitations);
    let inviting = inviting.ok_or_else(|| Stop::missing(&shell))?;
    let form = Form::read(&body);
    let mut members = members(&form, &INVITED);
    members.insert("token".to_owned(), token(&visitor).into());
    let path = format!("/api/{}/accept?depth=0", inviting.slug);
    let answer = shell.post(&path, &members.into()).await;
    if answer.is_good() {
        return Ok(enter(answer, "/"));
    }
    let sheet = Sheet { form, answer: Some(answer), ..Sheet::new(shell, "page-invitation", &INVITED) };
    Ok(sheet.response())
}

/// The address in the email has the token: a button sends it, since programs follow links in emails too.
async fn address(State(pages): State<Pages>, visitor: Visitor) -> Response {
    Sheet { note: Some("page-address-note"), ..Sheet::new(Shell::new(&pages, &visitor), "page-address", &[]) }
        .response()
}

async fn proved(State(pages): State<Pages>, visitor: Visitor) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let token = token(&visitor);
    // Anything else would be another path.
    let safe = !token.is_empty() && token.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let token = if safe { token.as_str() } else { "-" };
    let path = format!("/api/{}/verify/{token}", users(&shell)?.slug);
    let answer = shell.post(&path, &json!({})).await;
    if answer.is_good() {
        return Ok(done(shell, "page-address", "page-address-done"));
    }
    let sheet = Sheet { answer: Some(answer), ..Sheet::new(shell, "page-address", &[]) };
    Ok(sheet.response())
}

async fn lock(State(pages): State<Pages>, visitor: Visitor) -> Response {
    Sheet { note: Some("page-unlock-note"), ..Sheet::new(Shell::new(&pages, &visitor), "page-unlock", &[]) }.response()
}

async fn unlocked(State(pages): State<Pages>, visitor: Visitor) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let path = format!("/api/{}/unlock", users(&shell)?.slug);
    let body = json!({"token": token(&visitor)});
    let answer = shell.post(&path, &body).await;
    if answer.is_good() {
        return Ok(enter(answer, "/sign-in"));
    }
    let sheet = Sheet { answer: Some(answer), ..Sheet::new(shell, "page-unlock", &[]) };
    Ok(sheet.response())
}

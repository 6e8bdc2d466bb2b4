//! The start page: for machines what the service has, for strangers what it is, for members what waits for them.

mod findings;
pub(crate) mod queues;
pub(crate) mod work;

use crate::Pages;
use crate::book::{newest_certificates, saved_views};
use crate::calls::Answer;
use crate::components::months::{self, Months};
use crate::components::reply::page;
use crate::components::shell::{HELP, Shell};
use crate::components::value::related;
use crate::evaluation::works;
use crate::stop::Page;
use crate::visitor::{Visitor, accounts};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::future::join_all;
use maud::{Markup, html};
use model::messages::labels;
use model::registry::{Chart, Collection, Measure};
use queues::{news, section, waiting};
use serde_json::Value;
use std::collections::BTreeMap;

/// The relation of accounts to the organisation of their people.
const ORGANIZATION: &str = "organization";
/// `GET /`: the page for browsers, else JSON.
pub(crate) async fn start(State(pages): State<Pages>, headers: HeaderMap, visitor: Visitor) -> Page {
    let accept = headers.get_all(header::ACCEPT).iter();
    let mut accept = accept.filter_map(|field| field.to_str().ok());
    if !accept.any(|field| field.contains("text/html")) {
        let mut response = Json(&pages.site.index).into_response();
        let vary = HeaderValue::from_static("Accept");
        response.headers_mut().insert(header::VARY, vary);
        return Ok(response);
    }
    let shell = Shell::new(&pages, &visitor);
    Ok(match &visitor.user {
        Some(_) => member(shell).await,
        None => stranger(shell),
    })
}

fn stranger(shell: Shell<'_>) -> Response {
    let service = &shell.pages.site.service;
    let link = |address: &str, name: &str, note: &str| {
        html! { li { a href=(address) { (shell.text(name)) } " – " (shell.text(note)) } }
    };
    let body = html! {
        h1 { (service) }
        p { (shell.text("page-start")) }
        p { a class="button" href="/sign-in" { (shell.text("page-sign-in")) } }
        h2 { (shell.text("page-start-look")) }
        ul {
            (link(HELP, "page-steps", "page-steps-note"))
            (link("/book", "page-book", "page-book-note"))
            (link("/partners", "page-partners", "page-partners-short"))
            (link("/api-docs", "page-api", "page-api-note"))
            (link("/api/graphql-playground", "page-graphql", "page-graphql-note"))
            (link("/ade/v1/datasets", "page-exchange", "page-exchange-note"))
        }
    };
    page(StatusCode::OK, shell.document(service, &body))
}

/// What waits for the visitor, oldest first.
async fn member(shell: Shell<'_>) -> Response {
    let association = shell.visitor.is_association();
    let waiting = waiting(&shell, association);
    let queues = waiting.iter().map(|queue| section(&shell, queue));
    let news = news(&shell, association);
    let news = news.iter().map(|queue| section(&shell, queue));
    let (lists, findings, queues, certificates, news, herd, works, saved) = futures_util::join!(
        work::markup(&shell),
        findings::markup(&shell),
        join_all(queues),
        newest_certificates(&shell),
        join_all(news),
        herd(&shell),
        works::markup(&shell),
        saved_views(&shell)
    );
    let queues: Vec<(u64, Markup)> = queues.into_iter().flatten().collect();
    let news: Vec<(u64, Markup)> = news.into_iter().flatten().collect();
    let came: u64 = news.iter().map(|(rows, _)| rows).sum();
    let name = shell.visitor.name();
    let organization = (accounts(shell.pages.site.registry))
        .and_then(|users| users.field(ORGANIZATION)?.target())
        .zip(shell.visitor.user.as_ref().and_then(|user| user.get(ORGANIZATION)))
        .filter(|(_, own)| own.is_object());
    let body = html! {
        h1 { (name) }
        @if let Some((slug, own)) = organization { p { (related(&shell, slug, own)) } }
        h2 { (shell.text("page-waiting")) }
        @if !association { (findings) }
        @if queues.is_empty() && (association || findings.0.is_empty()) {
            p class="none" { (shell.text("page-nothing-waits")) }
            @if news.is_empty() { p { a href=(HELP) { (shell.text("page-steps")) } } }
        }
        @for (_, queue) in queues { (queue) }
        @if association { (findings) }
        (lists)
        (saved)
        (certificates)
        @if !news.is_empty() {
            details class="queue" {
                summary { (shell.text("page-news")) " " span class="count" { (came) } }
                @for (_, one) in news { (one) }
            }
        }
        (herd)
        (works)
    };
    page(StatusCode::OK, shell.document(&shell.text("page-home"), &body))
}

/// How the herd of the visitor's organisation did, month by month.
async fn herd(shell: &Shell<'_>) -> Markup {
    let Some(own) = shell.visitor.organization() else {
        return html! {};
    };
    let recent = Months::recent(shell.pages.site.clock.now());
    let charts = shell.pages.site.registry.iter().flat_map(|c| {
        let subject = c.access.subjects.first();
        let charts = c.ui.charts.iter();
        charts.filter_map(move |chart| Some((c, chart, *subject?)))
    });
    let all = charts.map(async |(c, chart, subject)| {
        let only = chart.only.map(|(path, word)| format!("&where[{path}][equals]={word}"));
        let path = format!(
            "/api/{}/means?value={}&where[{subject}][equals]={own}{}{}",
            c.slug,
            chart.value,
            only.unwrap_or_default(),
            recent.condition(c)
        );
        (c, chart, shell.get(&path).await)
    });
    let all: Vec<(&'static Collection, &'static Chart, Answer)> = join_all(all).await;
    let drawn: Vec<Markup> =
        (all.iter()).filter_map(|(c, chart, answer)| small(shell, &recent, (c, chart), answer)).collect();
    html! {
        @if !drawn.is_empty() {
            details class="queue" {
                summary { (shell.text("page-herd")) " " span class="count" { (drawn.len()) } }
                div class="multiples" { @for one in drawn { (one) } }
            }
        }
    }
}

/// A number of the herd by months; none where fewer than two months have events.
fn small(shell: &Shell<'_>, recent: &Months, (c, chart): (&Collection, &Chart), answer: &Answer) -> Option<Markup> {
    let language = shell.language();
    let events = labels::collections(language, c.slug);
    let field = || labels::field(language, c.slug, chart.value);
    let (title, member) = match chart.measure {
        Measure::Count => (events, "n"),
        Measure::Mean => (format!("{events}: {}", field()), "mean"),
    };
    let points = answer.body.get("points").and_then(Value::as_array);
    let point = |point: &Value| {
        let month = point.get("from")?.as_str()?.to_owned();
        Some((month, point.get(member)?.as_f64()?))
    };
    let by_month: BTreeMap<String, f64> = points.into_iter().flatten().filter_map(point).collect();
    (by_month.len() > 1).then(|| months::chart(language, &title, (recent, chart.measure), &by_month))
}

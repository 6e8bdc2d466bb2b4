//! The start page: for machines what the service has, for strangers what it is, for members what waits for them.

use crate::Pages;
use crate::book::columns;
use crate::calls::Answer;
use crate::look::chart;
use crate::look::reply::page;
use crate::look::shell::Shell;
use crate::look::value::{cell, related};
use crate::stop::Page;
use crate::visitor::{Visitor, accounts};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::future::join_all;
use maud::{Markup, html};
use model::messages::labels;
use model::registry::{Collection, Doer, Waiting};
use model::shown::{at, name};
use serde_json::Value;

/// The relation of accounts to the organisation of their people.
const ORGANIZATION: &str = "organization";
/// Columns of a queue.
const COLUMNS: usize = 4;
/// Rows of a queue that the start page shows.
const SHOWN: usize = 5;

/// `GET /`: the page for browsers, else JSON.
pub(crate) async fn start(
    State(pages): State<Pages>,
    headers: HeaderMap,
    visitor: Visitor,
) -> Page {
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
    let queues: Vec<_> = (waiting.iter().map(|(c, query)| section(&shell, c, query))).collect();
    let (queues, herd) = futures_util::join!(join_all(queues), herd(&shell));
    let queues: Vec<Markup> = queues.into_iter().flatten().collect();
    let name = shell.visitor.name();
    let organization = (accounts(shell.pages.site.registry))
        .and_then(|users| users.field(ORGANIZATION)?.target())
        .zip(
            shell
                .visitor
                .user
                .as_ref()
                .and_then(|user| user.get(ORGANIZATION)),
        )
        .filter(|(_, own)| own.is_object());
    let body = html! {
        h1 { (name) }
        @if let Some((slug, own)) = organization { p { (related(&shell, slug, own)) } }
        h2 { (shell.text("page-waiting")) }
        @if queues.is_empty() {
            p class="none" { (shell.text("page-nothing-waits")) }
        }
        @for queue in queues { (queue) }
        (herd)
    };
    page(
        StatusCode::OK,
        shell.document(&shell.text("page-home"), &body),
    )
}

/// The queues of the visitor: collection, and condition of the rows.
fn waiting(shell: &Shell<'_>, association: bool) -> Vec<(&'static Collection, String)> {
    let query = |one: &Waiting| {
        let states: Vec<String> = (one.states.iter().enumerate())
            .map(|(place, state)| format!("where[{}][in][{place}]={state}", one.path))
            .collect();
        let states = states.join("&");
        match one.doer {
            Doer::Association => association.then_some(states),
            Doer::Party(path) => {
                let own = shell.visitor.organization().filter(|_| !association)?;
                Some(format!("where[{path}][equals]={own}&{states}"))
            }
        }
    };
    let all = shell.pages.site.registry.iter();
    all.flat_map(|c| {
        c.look
            .waiting
            .iter()
            .filter_map(move |one| Some((c, query(one)?)))
    })
    .collect()
}

/// How the herd of the visitor's organisation did, month by month.
async fn herd(shell: &Shell<'_>) -> Markup {
    let Some(own) = shell.visitor.organization() else {
        return html! {};
    };
    let charts = shell.pages.site.registry.iter().flat_map(|c| {
        let charts = c
            .look
            .charts
            .iter()
            .enumerate()
            .map(move |(place, chart)| (c, chart, place == 0));
        charts.zip(std::iter::repeat(c.access.subjects.first()))
    });
    let all: Vec<_> = charts
        .filter_map(|((c, chart, first), subject)| {
            let only = chart
                .only
                .map(|(path, word)| format!("&where[{path}][equals]={word}"));
            let only = only.unwrap_or_default();
            let recent = chart::recent(c, shell.pages.site.clock.now());
            let query = format!(
                "value={}&where[{}][equals]={own}{only}{recent}",
                chart.value, subject?
            );
            let path = format!("/api/{}/means?{query}", c.slug);
            // The first one of a collection whose events are counted is a number that each event has.
            let counts = first && chart.curves.is_none();
            Some(async move {
                (
                    c,
                    chart.value,
                    counts,
                    shell.pages.calls.get(shell.visitor, &path).await,
                )
            })
        })
        .collect();
    let all = join_all(all).await;
    let language = shell.language();
    let drawn = all.iter().flat_map(|(c, value, counts, answer)| {
        let count = counts.then(|| (labels::collections(language, c.slug), months(answer, "n")));
        let title = format!(
            "{}: {}",
            labels::collections(language, c.slug),
            labels::field(language, c.slug, value)
        );
        count.into_iter().chain([(title, months(answer, "mean"))])
    });
    let drawn: Vec<Markup> = drawn
        .filter(|(_, months)| months.len() > 1)
        .map(|(title, months)| chart::months(language, &title, &months))
        .collect();
    html! {
        @if !drawn.is_empty() {
            h2 { (shell.text("page-herd")) }
            div class="multiples" { @for one in drawn { (one) } }
        }
    }
}

/// A number of the months of an answer.
fn months(answer: &Answer, member: &str) -> Vec<(String, f64)> {
    let points = answer.body.get("points").and_then(Value::as_array);
    let points = points.into_iter().flatten();
    let one = |point: &Value| {
        let month = point.get("from")?.as_str()?.to_owned();
        Some((month, point.get(member)?.as_f64()?))
    };
    points.filter_map(one).collect()
}

/// A queue with its first rows; none where nothing waits.
async fn section(shell: &Shell<'_>, c: &'static Collection, query: &str) -> Option<Markup> {
    let path = format!(
        "/api/{}?{query}&sort=createdAt&limit={SHOWN}&depth=1&joins=false",
        c.slug
    );
    let answer = shell.pages.calls.get(shell.visitor, &path).await;
    let total = answer.number("totalDocs");
    if total == 0 {
        return None;
    }
    let columns = columns::others(c, &columns::of(c));
    let columns: Vec<_> = columns.into_iter().take(COLUMNS).collect();
    let address = format!("/book/{}?{query}&sort=createdAt", c.slug);
    Some(html! {
        section class="queue" {
            h3 { a href=(address) { (labels::collections(shell.language(), c.slug)) } " " span class="count" { (total) } }
            div class="wide" { table {
                thead { tr {
                    th scope="col" { (labels::collection(shell.language(), c.slug)) }
                    @for field in &columns { th scope="col" { (labels::field(shell.language(), c.slug, &field.path)) } }
                    th scope="col" { (shell.text("page-since")) }
                } }
                tbody { @for doc in answer.docs() { (row(shell, c, &columns, doc)) } }
            } }
        }
    })
}

fn row(
    shell: &Shell<'_>,
    c: &'static Collection,
    columns: &[&'static model::registry::Field],
    doc: &Value,
) -> Markup {
    let id = at(doc, "id");
    let since = c.field("createdAt");
    html! {
        tr {
            td { a href=(format!("/book/{}/{id}", c.slug)) { (name(c, doc)) } }
            @for field in columns { td { (cell(shell, c, field, at(doc, &field.path))) } }
            td { @if let Some(field) = since { (cell(shell, c, field, at(doc, "createdAt"))) } }
        }
    }
}

//! The start page: for machines what the service has, for strangers what it is, for members what waits for them.

use crate::Pages;
use crate::book::columns;
use crate::book::query::populate_names;
use crate::calls::Answer;
use crate::components::months::{self, Months};
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::{cell_of, related, row_head};
use crate::evaluation::works;
use crate::stop::Page;
use crate::visitor::{Visitor, accounts};
use crate::words::text_of;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::record::time;
use model::registry::review::finding;
use model::registry::{Assignee, Chart, Collection, Feature, Field, Measure, News, Waiting};
use serde_json::Value;
use std::collections::BTreeMap;

/// The relation of accounts to the organisation of their people.
const ORGANIZATION: &str = "organization";
/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Days of what came lately.
const NEWS: i64 = 30;
/// Columns of a queue.
const COLUMNS: usize = 4;
/// The order of a queue.
const QUEUED: &str = "createdAt";
/// Rows of a queue that the start page shows.
const SHOWN: usize = 5;

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
    let queues = waiting.iter().map(|(c, query)| section(&shell, c, (query, QUEUED)));
    let news = news(&shell, association);
    let news = news.iter().map(|(c, query, order)| section(&shell, c, (query, order)));
    let (queues, news, herd, works) =
        futures_util::join!(join_all(queues), join_all(news), herd(&shell), works::markup(&shell));
    let queues: Vec<Markup> = queues.into_iter().flatten().collect();
    let news: Vec<Markup> = news.into_iter().flatten().collect();
    let name = shell.visitor.name();
    let organization = (accounts(shell.pages.site.registry))
        .and_then(|users| users.field(ORGANIZATION)?.target())
        .zip(shell.visitor.user.as_ref().and_then(|user| user.get(ORGANIZATION)))
        .filter(|(_, own)| own.is_object());
    let body = html! {
        h1 { (name) }
        @if let Some((slug, own)) = organization { p { (related(&shell, slug, own)) } }
        h2 { (shell.text("page-waiting")) }
        @if queues.is_empty() {
            p class="none" { (shell.text("page-nothing-waits")) }
        }
        @for queue in queues { (queue) }
        @if !news.is_empty() {
            h2 { (shell.text("page-news")) }
            @for one in news { (one) }
        }
        (herd)
        (works)
    };
    page(StatusCode::OK, shell.document(&shell.text("page-home"), &body))
}

/// The queues of the visitor: collection, and condition of the rows.
fn waiting(shell: &Shell<'_>, association: bool) -> Vec<(&'static Collection, String)> {
    let query = |c: &Collection, one: &Waiting| {
        let states: Vec<String> = (one.states.iter().enumerate())
            .map(|(place, state)| format!("where[{}][in][{place}]={state}", one.path))
            .collect();
        // Unlike `not_in`, this finds rows without a state too.
        let idle = c.ui.idle.iter().flat_map(|idle| {
            (idle.states.iter().enumerate())
                .map(move |(place, state)| format!("where[and][{place}][{}][not_equals]={state}", idle.path))
        });
        let states = states.into_iter().chain(idle).collect::<Vec<_>>().join("&");
        match one.assignee {
            Assignee::Association => association.then_some(states),
            Assignee::Party(path) => {
                let own = shell.visitor.organization().filter(|_| !association)?;
                Some(format!("where[{path}][equals]={own}&{states}"))
            }
        }
    };
    let all = shell.pages.site.registry.iter();
    all.flat_map(|c| c.ui.waiting.iter().filter_map(move |one| Some((c, query(c, one)?)))).collect()
}

/// What came to the organisation of the visitor: collection, condition of the rows, and their order.
fn news(shell: &Shell<'_>, association: bool) -> Vec<(&'static Collection, String, String)> {
    let Some(own) = shell.visitor.organization().filter(|_| !association) else {
        return Vec::new();
    };
    let first = shell.pages.site.clock.now().saturating_sub(NEWS.saturating_mul(DAY));
    let first = time::to_iso(first);
    let query = |news: &News| {
        let of = news.of.iter().flat_map(|(path, words)| {
            (words.iter().enumerate()).map(move |(place, word)| format!("&where[{path}][in][{place}]={word}"))
        });
        let filled = news.filled.map(|path| format!("&where[{path}][exists]=true"));
        let day = first.get(..10).unwrap_or_default();
        let rest: String = of.chain(filled).collect();
        format!("where[{}][equals]={own}&where[{}][greater_than_equal]={day}{rest}", news.party, news.at)
    };
    let all = shell.pages.site.registry.iter();
    all.filter_map(|c| Some((c, query(&c.ui.news?), format!("-{}", c.ui.news?.at)))).collect()
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
            h2 { (shell.text("page-herd")) }
            div class="multiples" { @for one in drawn { (one) } }
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

/// Rows of a condition with the first ones in an order; none where there are none.
async fn section(shell: &Shell<'_>, c: &'static Collection, (query, order): (&str, &str)) -> Option<Markup> {
    let columns = columns::others(c, &columns::of(c));
    let mut columns: Vec<&'static Field> = columns.into_iter().take(COLUMNS).collect();
    columns.extend(c.ui.assigned.and_then(|path| c.field(path)));
    let names = populate_names(shell.pages.site.registry, columns.iter().copied());
    let path = format!("/api/{}?{query}&sort={order}&limit={SHOWN}&depth=1&joins=false{names}", c.slug);
    let answer = shell.get(&path).await;
    let total = answer.number("totalDocs");
    if total == 0 {
        return None;
    }
    let language = shell.language();
    let address = format!("/book/{}?{query}&sort={order}", c.slug);
    let title = labels::collections(language, c.slug);
    Some(html! {
        section class="queue" {
            h3 { a href=(address) { (title) } " " span class="count" { (total) } }
            section class="wide" tabindex="0" aria-label=(title) { table class="list" {
                thead { tr {
                    th scope="col" { (labels::collection(language, c.slug)) }
                    @for field in &columns { th scope="col" { (labels::field(language, c.slug, &field.path)) } }
                    @if order == QUEUED { th scope="col" { (shell.text("page-since")) } }
                } }
                tbody { @for doc in answer.docs() { (row(shell, c, (&columns, order), doc)) } }
            } }
        }
    })
}

fn row(shell: &Shell<'_>, c: &'static Collection, (columns, order): (&[&'static Field], &str), doc: &Value) -> Markup {
    let (id, language) = (at(doc, "id"), shell.language());
    // A finding is its sentence.
    let message = format!("{}.{}", finding::MESSAGE, language.word());
    let sentence = at(doc, &message).as_str();
    let sentence = sentence.filter(|_| c.is(Feature::Findings));
    let head = sentence.map_or_else(|| row_head(shell, c, doc), |sentence| html! { (sentence) });
    html! {
        tr {
            th scope="row" { a href=(format!("/book/{}/{id}", c.slug)) { (head) } }
            @for field in columns {
                td data-head=(labels::field(language, c.slug, &field.path)) { (cell_of(shell, c, field, doc)) }
            }
            @if order == QUEUED { td data-head=(shell.text("page-since")) { (age(shell, at(doc, QUEUED))) } }
        }
    }
}

/// How long a row waits, in days.
fn age(shell: &Shell<'_>, created: &Value) -> Markup {
    let Some(iso) = created.as_str() else {
        return html! {};
    };
    let waited = time::parse(iso).map(|at| shell.pages.site.clock.now().saturating_sub(at));
    let days = waited.unwrap_or(0).max(0) / DAY;
    let text = text_of(shell.language(), "page-age", "days", &days.to_string());
    html! { time datetime=(iso) { (text) } }
}

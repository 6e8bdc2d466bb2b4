//! `/exchange`: who exchanges and how, for the Association, made of `/exchange.json` (docs/operations.md).

use crate::Pages;
use crate::components::bars::{self, Bar};
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::instant;
use crate::stop::{Page, Stop};
use crate::visitor::Visitor;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use maud::{Markup, html};
use model::display::{at, number};
use model::messages::{known, labels};
use model::registry::Feature;
use model::registry::notify::DISABLED_REASON;
use serde_json::Value;

/// The request that the page is made of.
const DATA: &str = "/exchange.json";

/// How the cells of a column are shown.
#[derive(Debug, Clone, Copy)]
enum Cell {
    Plain,
    /// A word of the program, which has a name.
    Word,
    /// A name of the interface, which is the same in every language.
    Name,
    /// Why a webhook is off, which is a choice of its collection.
    Reason,
    Time,
    Lag,
    /// A share, as per cent.
    Share,
    /// A number that is bad unless it is 0.
    Bad,
    /// An organisation, or the class of callers, and the account.
    Whose,
}

/// A column: its text, the members that it shows, one below the other, and how.
type Column = (&'static str, &'static [(&'static str, Cell)]);

/// A table: the member with its rows, the text of its heading, and its columns.
type Table = (&'static str, &'static str, &'static [Column]);

const TABLES: [Table; 5] = [
    (
        "clients",
        "page-exchange-clients",
        &[
            ("page-exchange-client", &[("", Cell::Whose), ("agent", Cell::Name)]),
            ("page-exchange-face", &[("face", Cell::Word)]),
            ("page-exchange-last", &[("lastContact", Cell::Time)]),
            ("page-exchange-requests", &[("requests", Cell::Plain)]),
            ("page-exchange-polls", &[("pollsPerHour", Cell::Plain)]),
            ("page-exchange-unchanged", &[("notModifiedShare", Cell::Share)]),
            ("page-exchange-lag", &[("lagSeconds", Cell::Lag)]),
            ("page-exchange-errors", &[("errors", Cell::Bad), ("lastError", Cell::Name)]),
            ("page-exchange-limited", &[("limited", Cell::Bad)]),
        ],
    ),
    (
        "feeds",
        "page-exchange-feeds",
        &[
            ("page-exchange-client", &[("", Cell::Whose)]),
            ("page-exchange-dataset", &[("dataset", Cell::Name)]),
            ("page-exchange-told", &[("told", Cell::Plain), ("toldAt", Cell::Time)]),
            ("page-exchange-newest", &[("newest", Cell::Plain), ("newestAt", Cell::Time)]),
            ("page-exchange-lag", &[("lagSeconds", Cell::Lag)]),
        ],
    ),
    (
        "batches",
        "page-exchange-batches",
        &[
            ("page-exchange-batch", &[("id", Cell::Plain)]),
            ("page-exchange-client", &[("location.name", Cell::Plain), ("", Cell::Whose)]),
            ("page-exchange-dataset", &[("dataset", Cell::Name)]),
            ("page-exchange-sent", &[("created", Cell::Time)]),
            ("page-exchange-refused", &[("rejected", Cell::Bad)]),
            ("page-exchange-done", &[("done", Cell::Plain)]),
            ("page-exchange-items", &[("items", Cell::Plain)]),
        ],
    ),
    (
        "webhooks",
        "page-exchange-webhooks",
        &[
            ("page-exchange-webhook", &[("id", Cell::Plain), ("", Cell::Whose)]),
            ("page-exchange-dataset", &[("dataset", Cell::Name)]),
            ("page-exchange-host", &[("host", Cell::Plain)]),
            ("page-exchange-state", &[("state", Cell::Word), ("reason", Cell::Reason)]),
            ("page-exchange-failures", &[("failures", Cell::Bad)]),
            ("page-exchange-delivered", &[("deliveredAt", Cell::Time)]),
        ],
    ),
    (
        "queues",
        "page-exchange-queues",
        &[
            ("page-exchange-queue", &[("name", Cell::Word)]),
            ("page-exchange-depth", &[("depth", Cell::Plain)]),
            ("page-exchange-age", &[("ageSeconds", Cell::Lag)]),
        ],
    ),
];

/// `GET /exchange`: the page for browsers, else the JSON.
pub(crate) async fn exchange(State(pages): State<Pages>, headers: HeaderMap, visitor: Visitor) -> Page {
    let accept = headers.get_all(header::ACCEPT).iter();
    let mut accept = accept.filter_map(|field| field.to_str().ok());
    if !accept.any(|field| field.contains("text/html")) {
        let mut response = pages.calls.pass(&visitor, DATA).await;
        let vary = HeaderValue::from_static("Accept");
        response.headers_mut().append(header::VARY, vary);
        return Ok(response);
    }
    let shell = Shell::new(&pages, &visitor);
    let answer = shell.get(DATA).await;
    if !answer.is_good() {
        return Err(Stop::refused(&shell, &answer));
    }
    let view = &answer.body;
    let time = |path: &str| cell(&shell, view, (path, Cell::Time));
    let title = shell.text("page-exchange-title");
    let body = html! {
        h1 { (title) }
        p class="note" {
            (shell.text("page-exchange-at")) " " (time("at")) ", " (shell.text("page-exchange-since")) " " (time("since")) ". "
            (shell.text("page-exchange-others"))
        }
        section { h2 { (shell.text("page-exchange-hours")) } (hours(&shell, view)) }
        @for one in &TABLES { (table(&shell, view, one)) }
        p class="files" { a href=(DATA) { (shell.text("page-as-json")) } }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

fn hours(shell: &Shell<'_>, view: &Value) -> Markup {
    let number = |hour: &Value, name: &str| at(hour, name).as_i64().unwrap_or(0);
    let all = at(view, "hours").as_array().into_iter().flatten();
    let all: Vec<Bar<'_>> = all
        .map(|hour| {
            let (unchanged, errors) = (number(hour, "notModified"), number(hour, "errors"));
            let made = number(hour, "requests").saturating_sub(unchanged);
            Bar {
                name: at(hour, "at").as_str().and_then(|at| at.get(11..16)).unwrap_or_default(),
                parts: [made.saturating_sub(errors).max(0), unchanged, errors],
            }
        })
        .collect();
    let parts = ["page-exchange-made", "page-exchange-same", "page-exchange-errors"];
    let parts = parts.map(|name| shell.text(name));
    bars::bars(&shell.text("page-exchange-hours"), &parts, &all)
}

fn table(shell: &Shell<'_>, view: &Value, (member, title, columns): &Table) -> Markup {
    let rows = at(view, member).as_array().map_or(&[][..], Vec::as_slice);
    let title = shell.text(title);
    html! {
        section {
            h2 { (title) }
            @if rows.is_empty() {
                p class="none" { (shell.text("page-none")) }
            } @else {
                section class="wide" tabindex="0" aria-label=(title) { table class="list" {
                    thead { tr { @for (head, _) in *columns { th scope="col" { (shell.text(head)) } } } }
                    tbody { @for row in rows { tr { @for (head, cells) in *columns {
                        td data-head=(shell.text(head)) {
                            @for one in *cells { div { (cell(shell, row, *one)) } }
                        }
                    } } } }
                } }
            }
        }
    }
}

fn cell(shell: &Shell<'_>, row: &Value, (path, how): (&str, Cell)) -> Markup {
    if let Cell::Whose = how {
        return whose(shell, row);
    }
    let value = at(row, path);
    let text = match value {
        Value::Null => return html! {},
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match how {
        Cell::Time => instant(shell, &text),
        Cell::Lag => html! { (lag(shell, value.as_i64().unwrap_or(0))) },
        Cell::Word => html! { (word(shell, &text)) },
        Cell::Reason => html! { (reason(shell, &text)) },
        Cell::Name => html! { code { (text) } },
        Cell::Share => html! { (format!("{:.0} %", value.as_f64().unwrap_or(0.0) * 100.0)) },
        Cell::Bad if text != "0" => html! { span class="fault" { (text) } },
        _ if value.is_number() => html! { (number(shell.language(), &text)) },
        _ => html! { (text) },
    }
}

fn whose(shell: &Shell<'_>, row: &Value) -> Markup {
    let (organization, account) = (at(row, "organization"), at(row, "account"));
    html! {
        @match (at(organization, "name").as_str(), at(organization, "id")) {
            (Some(name), _) => { (name) },
            (None, Value::Null) => { (word(shell, at(row, "class").as_str().unwrap_or_default())) },
            (None, id) => { "№ " (id) },
        }
        @if !account.is_null() { " " span class="count" { (shell.text("page-exchange-account")) " " (account) } }
        @if at(row, "apiKey") == true { " " span class="count" { (shell.text("page-exchange-key")) } }
    }
}

/// The name of a word of the program; one without a name stands as it is.
fn word(shell: &Shell<'_>, word: &str) -> String {
    known(shell.language(), &format!("page-exchange-word-{word}")).unwrap_or_else(|| word.to_owned())
}

fn reason(shell: &Shell<'_>, word: &str) -> String {
    let hooks = shell.pages.site.registry.with_feature(Feature::Webhooks);
    hooks.map_or_else(|| word.to_owned(), |c| labels::option(shell.language(), c.slug, DISABLED_REASON, word))
}

fn lag(shell: &Shell<'_>, seconds: i64) -> String {
    let (number, unit) = largest(seconds);
    format!("{number} {}", shell.text(unit))
}

/// A duration in its largest fitting unit.
fn largest(seconds: i64) -> (i64, &'static str) {
    match seconds {
        s if s < 120 => (s, "page-exchange-seconds"),
        s if s < 7_200 => (s / 60, "page-exchange-minutes"),
        s if s < 172_800 => (s / 3_600, "page-exchange-hour"),
        s => (s / 86_400, "page-exchange-days"),
    }
}

#[cfg(test)]
mod tests {
    use super::largest;

    #[test]
    fn durations_have_the_largest_fitting_unit() {
        let all = [0, 119, 120, 7_199, 7_200, 172_799, 172_800].map(largest);
        let [seconds, minutes, hours, days] =
            ["seconds", "minutes", "hour", "days"].map(|unit| format!("page-exchange-{unit}"));
        let keys = all.map(|(number, unit)| (number, unit.to_owned()));
        assert_eq!(
            keys,
            [
                (0, seconds.clone()),
                (119, seconds),
                (2, minutes.clone()),
                (119, minutes),
                (2, hours.clone()),
                (47, hours),
                (2, days)
            ]
        );
    }
}

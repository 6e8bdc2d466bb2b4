//! The report as a page to show to a partner: one file, no scripts, nothing from other addresses.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Evidence, Finding, Outcome, Report, ShownExchange};
use crate::options::Profile;
use crate::requirements::{Class, Requirements};

const STYLE: &str = include_str!("style.css");

/// The whole page.
#[must_use]
pub fn render(report: &Report) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "ADE conformance of " (report.target) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (head(report))
                    @if report.cannot.is_none() {
                        (classes(report))
                        (cards(report, Outcome::Fail, "Broken"))
                        (cards(report, Outcome::Warning, "Warnings"))
                        (cards(report, Outcome::Error, "Could not be found out"))
                        (scope(report))
                        (all(report))
                        (readings())
                    }
                }
            }
        }
    };
    page.into_string()
}

fn key(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NotOffered => "not-offered",
        other => other.name(),
    }
}

fn head(report: &Report) -> Markup {
    let verdict = match (report.exit_code(), &report.cannot) {
        (_, Some(_)) => "Could not be tested",
        (0, _) => "Everything binding that could be tested is met",
        (1, _) => "Binding requirements are broken",
        _ => "Not everything binding could be tested",
    };
    let day = report.started.get(..16).unwrap_or(&report.started);
    html! {
        p.soft { "Conformance to ICAR ADE 1.5.1" }
        h1 { (report.target) }
        p.soft {
            (day.replace('T', " ")) " UTC · " (report.requests) " requests in "
            (format!("{:.0}", report.seconds)) " s"
        }
        p { span class=(format!("verdict x{}", report.exit_code())) { (verdict) } }
        @if let Some(why) = &report.cannot { p { (why) } }
        div.sums {
            @for outcome in Outcome::ALL {
                div class=(format!("sum {}", key(outcome))) {
                    b { (report.count(outcome)) }
                    span { (outcome.name()) }
                }
            }
        }
        dl {
            dt { "Held to" }
            dd {
                @match report.profile {
                    Profile::Standard => { "the standard" }
                    Profile::FeedProfile => { "the standard and the profile of the change feed" }
                }
            }
            @if let Some(location) = &report.location { dt { "Location" } dd { code { (location) } } }
            dt { "Writing" }
            dd { @if report.writes { "documents were sent and taken back" } @else { "nothing was sent" } }
            dt { "Tester" }
            dd { "ade-conformance " (env!("CARGO_PKG_VERSION")) }
        }
        @if !report.changed.is_empty() {
            p.fail { b { "Sent by this run, and came back changed:" } }
            ul { @for words in &report.changed { li { (words) } } }
        }
        @if !report.left_behind.is_empty() {
            p.fail { b { "Left behind:" } }
            ul { @for words in &report.left_behind { li { (words) } } }
        }
    }
}

fn classes(report: &Report) -> Markup {
    html! {
        h2 { "By class" }
        div.wide { table {
            thead { tr {
                th { "Class" }
                @for outcome in Outcome::ALL { th.n { (outcome.name()) } }
            } }
            tbody {
                @for class in &report.classes {
                    tr {
                        td { (class) }
                        @for outcome in Outcome::ALL {
                            @let count = report.of(outcome).filter(|f| f.class == *class).count();
                            td class=(if count > 0 { format!("n {}", key(outcome)) } else { "n soft".to_owned() }) { (count) }
                        }
                    }
                }
                tr.sum-row {
                    td { "All" }
                    @for outcome in Outcome::ALL { td.n { (report.count(outcome)) } }
                }
            }
        } }
    }
}

fn cards(report: &Report, outcome: Outcome, title: &str) -> Markup {
    html! {
        @if report.count(outcome) > 0 {
            h2 { (title) }
            @for finding in report.of(outcome) { (card(finding)) }
        }
    }
}

fn card(finding: &Finding) -> Markup {
    let words = finding.words();
    html! {
        section class=(format!("card is-{}", key(finding.outcome))) id=(finding.requirement) {
            h3 {
                (words.map_or("", |w| w.title.as_str()))
                span class=(format!("tag {}", key(finding.outcome))) { (finding.level) }
            }
            p.soft {
                code { (finding.requirement) }
                @if let Some(words) = words { " · " (words.clause) }
                @if finding.broken > 0 { " · " (finding.broken) " of " (finding.looked) " places" }
            }
            @if let Some(reason) = &finding.reason { p { (reason) } }
            @if let Some(words) = words {
                dl {
                    dt { "Why it matters" } dd { (words.why) }
                    @if let Some(mend) = &words.mend { dt { "How to mend it" } dd { (mend) } }
                }
            }
            @for evidence in &finding.evidence { (place(evidence)) }
        }
    }
}

fn place(evidence: &Evidence) -> Markup {
    html! {
        dl {
            dt { "Expected" } dd { (evidence.expected) }
            dt { "Found" } dd { (evidence.found) }
        }
        @if let Some(exchange) = &evidence.exchange { (talk(exchange)) }
    }
}

fn talk(e: &ShownExchange) -> Markup {
    let lines = |all: &[(String, String)]| -> String { all.iter().map(|(n, v)| format!("{n}: {v}\n")).collect() };
    html! {
        details {
            summary { code { (e.method) " " (e.url) } " → " (e.status) }
            pre {
                (e.method) " " (e.url) "\n" (lines(&e.request_headers))
                @if !e.request_body.is_empty() { "\n" (e.request_body) }
            }
            pre {
                (e.status) "\n" (lines(&e.headers)) "\n" (e.body)
                @if e.shortened { "\n… (shortened)" }
                @if let Some(why) = &e.broken { "\n(broke off: " (why) ")" }
            }
        }
    }
}

fn counted(all: &[(String, usize)]) -> String {
    let all: Vec<String> = all.iter().map(|(name, n)| format!("{name} ({n})")).collect();
    all.join(", ")
}

fn scope(report: &Report) -> Markup {
    let read: usize = report.offered.iter().map(|(_, n)| n).sum();
    html! {
        h2 { "What was looked at" }
        dl {
            dt { "Collections" }
            dd {
                (report.offered.len()) " offered, " (read) " documents read: "
                (counted(&report.offered))
            }
            @if !report.not_offered.is_empty() {
                dt { "Not offered" } dd { (report.not_offered.join(", ")) }
            }
            @if !report.datasets.is_empty() {
                dt { "Data sets" }
                dd { (counted(&report.datasets)) }
            }
            dt { "Read at most" }
            dd {
                (report.bounds.pages) " pages of a collection, " (report.bounds.pages_in_all)
                " of all; " (report.bounds.feed_pages) " pages of a data set, "
                (report.bounds.feed_pages_in_all) " of all; filters tried on "
                (report.bounds.filtered) " collections each"
                @if report.writes {
                    "; " (report.bounds.probes) " documents of a type sent to see what comes back, "
                    (report.bounds.probes_in_all) " of all"
                }
            }
            @if !report.refused.is_empty() {
                dt { "Refused" }
                dd { ul { @for words in &report.refused { li { (words) } } } }
            }
            @if !report.left_out.is_empty() { dt { "Left out" } dd { (report.left_out.join("; ")) } }
        }
    }
}

fn all(report: &Report) -> Markup {
    let rows = |class: Class| report.findings.iter().filter(move |f| f.class == class);
    html! {
        h2 { "Every requirement" }
        @for class in &report.classes {
            details {
                summary { b { (class) } " · " (rows(*class).count()) }
                div.wide { table.rows {
                    thead { tr { th { "Requirement" } th { "Level" } th { "Outcome" } } }
                    tbody {
                        @for finding in rows(*class) {
                            tr {
                                td {
                                    (finding.words().map_or("", |w| w.title.as_str()))
                                    br; code.soft { (finding.requirement) }
                                }
                                td { (finding.level) }
                                td {
                                    span class=(key(finding.outcome)) { b { (finding.outcome.name()) } }
                                    @if finding.outcome == Outcome::Pass { " in " (finding.looked) " places" }
                                    @if let Some(reason) = &finding.reason { br; span.soft { (reason) } }
                                }
                            }
                        }
                    }
                } }
            }
        }
    }
}

fn readings() -> Markup {
    html! {
        h2 { "Where the standard is open" }
        details {
            summary { "Readings that are accepted" }
            div.wide { table {
                tbody {
                    @for reading in Requirements::get().readings() {
                        tr {
                            td { b { (reading.subject) } br; span.soft { (reading.open) } }
                            td { ul { @for one in &reading.accepted { li { (one) } } } }
                        }
                    }
                }
            } }
        }
    }
}

//! The report as `JUnit` XML, for CI systems: a suite for each class, a case for each requirement.

use maud::{Markup, html};

use super::{Evidence, Finding, Outcome, Report};

/// The whole document.
#[must_use]
pub fn render(report: &Report) -> String {
    let all: Vec<&Finding> = report.findings.iter().collect();
    // Without fraction and time zone, as the JUnit schemas require.
    let started = report.started.get(..19).unwrap_or(&report.started);
    let suites = html! {
        testsuites name="ade-conformance" tests=(all.len()) failures=(count(&all, &[Outcome::Fail]))
            errors=(count(&all, &[Outcome::Error])) time=(format!("{:.3}", report.seconds)) {
            @for (class, found) in report.by_class() {
                // Common schemas allow `skipped` on suites only.
                testsuite name=(class.name()) hostname=(report.target) timestamp=(started) tests=(found.len())
                    failures=(count(&found, &[Outcome::Fail])) errors=(count(&found, &[Outcome::Error]))
                    skipped=(count(&found, &[Outcome::Skipped, Outcome::NotOffered])) {
                    @for finding in found { (case(finding)) }
                }
            }
        }
    };
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", clean(&suites.into_string()))
}

fn count(findings: &[&Finding], wanted: &[Outcome]) -> usize {
    findings.iter().filter(|f| wanted.contains(&f.outcome)).count()
}

fn case(finding: &Finding) -> Markup {
    let reason = finding.reason.as_deref().unwrap_or_default();
    html! {
        testcase name=(finding.requirement) classname=(format!("ade.{}", finding.class.name())) {
            @match finding.outcome {
                Outcome::Fail => { failure message=(message(finding)) { (story(finding)) } }
                Outcome::Error => { error message=(reason) {} }
                Outcome::Skipped => { skipped message=(reason) {} }
                Outcome::NotOffered => { skipped message=(format!("not offered: {reason}")) {} }
                // JUnit has no warnings.
                Outcome::Warning => { system-out { "WARNING " (story(finding)) } }
                Outcome::Pass => {}
            }
        }
    }
}

fn message(finding: &Finding) -> String {
    let title = finding.words().map_or("", |r| r.title.as_str());
    format!("{} {title}", finding.level)
}

fn story(finding: &Finding) -> String {
    let mut lines = vec![message(finding)];
    for Evidence { expected, found, exchange } in &finding.evidence {
        lines.push(format!("expected {expected}, found {found}"));
        if let Some(e) = exchange {
            lines.push(format!("  {} {} ({})", e.method, e.url, e.status));
        }
    }
    if let Some(words) = finding.words() {
        lines.push(format!("why it matters: {}", words.why));
        lines.extend(words.mend.as_ref().map(|mend| format!("mend: {mend}")));
    }
    lines.join("\n")
}

/// Without the characters that XML cannot hold.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => c,
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => '\u{fffd}',
            c => c,
        })
        .collect()
}

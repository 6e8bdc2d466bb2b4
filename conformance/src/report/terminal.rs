//! The summary for the user who started the run.

use std::fmt::Write;

use super::{Finding, Outcome, Report};

/// Plain text, no wider than necessary.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_all(report, &mut out);
    out
}

fn write_all(report: &Report, out: &mut String) -> std::fmt::Result {
    if let Some(why) = &report.cannot {
        writeln!(out, "Could not test: {why}")?;
        return writeln!(out, "{}", report.target);
    }
    writeln!(out, "{}", report.target)?;
    if let Some(location) = &report.location {
        writeln!(out, "location {location}")?;
    }
    let broken = [Outcome::Fail, Outcome::Error, Outcome::Warning];
    for outcome in broken {
        let mut found = report.of(outcome).peekable();
        if found.peek().is_some() {
            writeln!(out, "\n{}", heading(outcome))?;
        }
        for finding in found {
            one(finding, out)?;
        }
    }
    writeln!(
        out,
        "\n{:<12} {:>6} {:>8} {:>6} {:>6} {:>12} {:>8}",
        "", "fail", "warning", "error", "pass", "not offered", "skipped"
    )?;
    let all = ("all", report.findings.iter().collect());
    let classes = report.by_class();
    let classes = classes.map(|(class, found)| (class.name(), found));
    for (name, found) in classes.chain([all]) {
        let [fail, warning, error, pass, absent, skipped] =
            Outcome::ALL.map(|o| found.iter().filter(|f| f.outcome == o).count());
        writeln!(out, "{name:<12} {fail:>6} {warning:>8} {error:>6} {pass:>6} {absent:>12} {skipped:>8}")?;
    }
    for (mark, notes) in [
        ("CHANGED", &report.changed),
        ("refused", &report.refused),
        ("left out", &report.left_out),
        ("LEFT BEHIND", &report.left_behind),
    ] {
        for words in notes {
            writeln!(out, "{mark}: {words}")?;
        }
    }
    writeln!(
        out,
        "\n{} collections, {} data sets, {} requests, {:.0} s",
        report.offered.len(),
        report.datasets.len(),
        report.requests,
        report.seconds
    )?;
    let verdict = match report.exit_code() {
        0 => "Everything binding that could be tested is met.",
        1 => "Binding requirements are broken.",
        _ => "Not everything binding could be tested.",
    };
    writeln!(out, "{verdict}")
}

fn heading(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Fail => "Broken",
        Outcome::Warning => "Warnings",
        Outcome::Error => "Could not be found out",
        _ => "",
    }
}

fn one(finding: &Finding, out: &mut String) -> std::fmt::Result {
    let title = finding.words().map_or("", |r| r.title.as_str());
    writeln!(out, "  {} ({}) {title}", finding.requirement, finding.level)?;
    if let Some(reason) = &finding.reason {
        writeln!(out, "    {reason}")?;
    }
    for evidence in finding.evidence.iter().take(2) {
        writeln!(out, "    expected  {}", evidence.expected)?;
        writeln!(out, "    found     {}", evidence.found)?;
        if let Some(exchange) = &evidence.exchange {
            writeln!(out, "    in        {} {}", exchange.method, exchange.url)?;
        }
    }
    if finding.broken > 2 {
        writeln!(out, "    {} places of {}", finding.broken, finding.looked)?;
    }
    if let Some(mend) = finding.words().and_then(|r| r.mend.as_deref()) {
        writeln!(out, "    mend      {mend}")?;
    }
    Ok(())
}

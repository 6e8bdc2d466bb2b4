//! The report as `JUnit` XML, for CI systems: a suite for each class, a case for each requirement.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::{Evidence, Finding, Outcome, Report};

/// Indented.
///
/// # Errors
/// Words, if XML cannot be written; does not happen.
pub fn render(report: &Report) -> Result<String, String> {
    let mut out = Writer::new_with_indent(Vec::new(), b' ', 2);
    write_all(report, &mut out).map_err(|why| why.to_string())?;
    String::from_utf8(out.into_inner()).map_err(|why| why.to_string())
}

type Out = Writer<Vec<u8>>;

fn write_all(report: &Report, out: &mut Out) -> std::io::Result<()> {
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let mut root = BytesStart::new("testsuites");
    root.push_attribute(("name", "ade-conformance"));
    counts(&mut root, &report.findings.iter().collect::<Vec<_>>());
    root.push_attribute(("time", format!("{:.3}", report.seconds).as_str()));
    out.write_event(Event::Start(root))?;
    for (class, of_class) in report.by_class() {
        let mut suite = BytesStart::new("testsuite");
        suite.push_attribute(("name", class.name()));
        suite.push_attribute(("hostname", clean(&report.target).as_str()));
        // Without fraction and time zone, as the JUnit schemas require.
        let started = report.started.get(..19).unwrap_or(&report.started);
        suite.push_attribute(("timestamp", started));
        counts(&mut suite, &of_class);
        // Common schemas allow it on suites only.
        suite.push_attribute(("skipped", skipped(&of_class).as_str()));
        out.write_event(Event::Start(suite))?;
        for finding in of_class {
            case(finding, out)?;
        }
        out.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    out.write_event(Event::End(BytesEnd::new("testsuites")))
}

fn counts(element: &mut BytesStart<'_>, findings: &[&Finding]) {
    let count = |wanted: &[Outcome]| {
        let all = findings.iter().filter(|f| wanted.contains(&f.outcome));
        all.count().to_string()
    };
    element.push_attribute(("tests", findings.len().to_string().as_str()));
    element.push_attribute(("failures", count(&[Outcome::Fail]).as_str()));
    element.push_attribute(("errors", count(&[Outcome::Error]).as_str()));
}

fn skipped(findings: &[&Finding]) -> String {
    let out = |f: &&&Finding| matches!(f.outcome, Outcome::Skipped | Outcome::NotOffered);
    findings.iter().filter(out).count().to_string()
}

fn case(finding: &Finding, out: &mut Out) -> std::io::Result<()> {
    let mut case = BytesStart::new("testcase");
    case.push_attribute(("name", finding.requirement));
    case.push_attribute(("classname", format!("ade.{}", finding.class.name()).as_str()));
    out.write_event(Event::Start(case))?;
    let reason = finding.reason.as_deref().unwrap_or_default();
    match finding.outcome {
        Outcome::Fail => text(out, "failure", Some(&message(finding)), &story(finding))?,
        Outcome::Error => text(out, "error", Some(reason), "")?,
        Outcome::Skipped => text(out, "skipped", Some(reason), "")?,
        Outcome::NotOffered => {
            text(out, "skipped", Some(&format!("not offered: {reason}")), "")?;
        }
        // JUnit has no warnings.
        Outcome::Warning => text(out, "system-out", None, &format!("WARNING {}", story(finding)))?,
        Outcome::Pass => {}
    }
    out.write_event(Event::End(BytesEnd::new("testcase")))
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

fn text(out: &mut Out, name: &str, message: Option<&str>, content: &str) -> std::io::Result<()> {
    let mut element = BytesStart::new(name);
    if let Some(message) = message {
        element.push_attribute(("message", clean(message).as_str()));
    }
    if content.is_empty() {
        return out.write_event(Event::Empty(element));
    }
    out.write_event(Event::Start(element))?;
    out.write_event(Event::Text(BytesText::new(&clean(content))))?;
    out.write_event(Event::End(BytesEnd::new(name)))
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

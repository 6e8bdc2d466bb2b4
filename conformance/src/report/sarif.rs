//! The report as SARIF 2.1.0: a rule for each requirement, a result for each finding, with the
//! exchange as `webRequest` and `webResponse`.

use serde_json::{Map, Value, json};

use super::{Evidence, Finding, Outcome, Report, ShownExchange};
use crate::requirements::{Level, Requirement};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Pretty-printed.
///
/// # Errors
/// Words, if a value cannot be written; does not happen.
pub fn render(report: &Report) -> Result<String, String> {
    let rules: Vec<&Requirement> = report.findings.iter().filter_map(Finding::words).collect();
    let results: Vec<Value> =
        report.findings.iter().enumerate().map(|(at, finding)| result(report, at, finding)).collect();
    let driver = json!({
        "name": "ade-conformance",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.into_iter().map(rule).collect::<Vec<_>>(),
    });
    let mut invocation = json!({
        "executionSuccessful": report.cannot.is_none(),
        "startTimeUtc": report.started,
        "exitCode": report.exit_code(),
    });
    if let (Some(why), Some(members)) = (&report.cannot, invocation.as_object_mut()) {
        let notes = json!([{"message": {"text": why}, "level": "error"}]);
        members.insert("toolExecutionNotifications".to_owned(), notes);
    }
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver},
            "invocations": [invocation],
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).map_err(|why| why.to_string())
}

fn rule(words: &Requirement) -> Value {
    let mend = words.mend.as_deref().or(words.untested.as_deref());
    json!({
        "id": words.id,
        "shortDescription": {"text": words.title},
        "fullDescription": {"text": format!("{} {}", words.level, words.why)},
        "help": {"text": mend.unwrap_or_default()},
        "defaultConfiguration": {"level": level(words.level)},
        "properties": {
            "clause": words.clause,
            "class": words.class.name(),
            "tags": [words.class.name(), words.level.name()],
        },
    })
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Must | Level::Profile => "error",
        Level::Should => "warning",
        Level::May => "note",
    }
}

fn result(report: &Report, at: usize, finding: &Finding) -> Value {
    let (kind, weight) = match finding.outcome {
        Outcome::Fail => ("fail", "error"),
        Outcome::Warning => ("fail", level(finding.level)),
        Outcome::Error => ("review", "none"),
        Outcome::Pass => ("pass", "none"),
        Outcome::NotOffered => ("notApplicable", "none"),
        Outcome::Skipped => ("open", "none"),
    };
    let first = finding.evidence.first();
    let exchange = first.and_then(|one| one.exchange.as_ref());
    let uri = exchange.map_or(report.target.as_str(), |e| e.url.as_str());
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("ruleId", json!(finding.requirement));
    put("ruleIndex", json!(at));
    put("kind", json!(kind));
    put("level", json!(weight));
    put("message", json!({"text": message(finding)}));
    let place = json!([{"physicalLocation": {"artifactLocation": {"uri": uri}}}]);
    put("locations", place);
    put("properties", json!({"looked": finding.looked, "broken": finding.broken}));
    if let Some(e) = exchange {
        put("webRequest", request(e));
        put("webResponse", response(e));
    }
    Value::Object(members)
}

fn message(finding: &Finding) -> String {
    let broken: Vec<String> = finding
        .evidence
        .iter()
        .map(|Evidence { expected, found, .. }| format!("Expected {expected}, found {found}."))
        .collect();
    match (&finding.reason, broken.is_empty()) {
        (Some(reason), _) => reason.clone(),
        (None, true) => format!("Met in {} places.", finding.looked),
        (None, false) => broken.join(" "),
    }
}

fn headers(all: &[(String, String)]) -> Value {
    let all = all.iter().map(|(n, v)| (n.clone(), json!(v)));
    Value::Object(all.collect())
}

fn request(e: &ShownExchange) -> Value {
    json!({
        "protocol": "http",
        "version": "1.1",
        "target": e.url,
        "method": e.method,
        "headers": headers(&e.request_headers),
        "body": {"text": e.request_body},
    })
}

fn response(e: &ShownExchange) -> Value {
    json!({
        "statusCode": e.status,
        "noResponseReceived": e.status == 0,
        "headers": headers(&e.headers),
        "body": {"text": e.body},
    })
}

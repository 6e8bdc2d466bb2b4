//! The results of sent resources in the form of the standard: batch results, and for a single
//! resource a header beside its stored form.

use super::super::error::{Fault, kind_of};
use super::super::error::{Kind, WRITE};
use ade::{BatchResult, ResponseMessage};
use axum::http::HeaderValue;
use exchange::{DocumentAnswer, Exchange, State, record_key};
use model::error::{Issue, Severity};
use serde_json::Value;

/// Response header with remarks about what was stored: a JSON array of `icarResponseMessageResource`, in ASCII.
pub(in crate::ade) const MESSAGES_HEADER: &str = "x-icar-ade-messages";

/// Remarks in the header; it must not outgrow what proxies let through.
const HEADER_MESSAGES: usize = 20;
const HEADER_BYTES: usize = 4_000;

/// The content of an answer, for interfaces that write it in another form.
#[derive(Debug, Clone)]
pub(in crate::ade) enum IntakeResult {
    /// The outcome of one resource, and its name.
    One(State, Option<String>),
    Batch,
}

/// Writes results as JSON.
pub fn teller(exchange: &Exchange) -> impl Fn(&str, Option<Value>, &DocumentAnswer) -> String + Clone + Send + use<> {
    let exchange = exchange.clone();
    move |dataset, meta, answer| {
        // Texts and numbers always serialise.
        serde_json::to_string(&result(&exchange, dataset, meta, answer)).unwrap_or_default()
    }
}

/// HTTP status of an accepted document, and its word.
pub(in crate::ade) fn outcome(state: State) -> (u16, &'static str) {
    match state {
        State::Created => (201, "Created"),
        State::Updated => (200, "Updated"),
        State::Unchanged => (200, "Unchanged"),
        State::Deleted => (200, "Deleted"),
        State::Rejected => (400, "Rejected"),
    }
}

pub(in crate::ade) fn faults(answer: &DocumentAnswer) -> Vec<Fault> {
    (answer.issues.iter())
        .filter(|issue| issue.severity == Severity::Error)
        .map(|issue| Fault::of(issue.clone(), answer.forbidden))
        .collect()
}

pub(in crate::ade) fn message(issue: &Issue, forbidden: bool, success: u16) -> ResponseMessage {
    let (severity, kind): (_, Option<Kind>) = match issue.severity {
        Severity::Information => (ade::Severity::Information, None),
        Severity::Warning => (ade::Severity::Warning, None),
        Severity::Error if forbidden => (ade::Severity::Error, Some(WRITE)),
        Severity::Error => (ade::Severity::Error, Some(kind_of(&issue.code))),
    };
    ResponseMessage {
        kind: Some(issue.code.to_string()),
        severity: Some(severity),
        status: Some(kind.map_or(success, |k| k.status)),
        title: Some(kind.map_or("Remark", |k| k.title).to_owned()),
        detail: Some(issue.message.to_string()),
        instance: (!issue.path.is_empty()).then(|| issue.path.clone()),
    }
}

pub(in crate::ade) fn result(
    exchange: &Exchange,
    dataset: &str,
    meta: Option<Value>,
    answer: &DocumentAnswer,
) -> BatchResult {
    let (status, word) = outcome(answer.state);
    let mut messages: Vec<ResponseMessage> = Vec::with_capacity(answer.issues.len() + 1);
    if answer.state != State::Rejected {
        messages.push(ResponseMessage {
            kind: Some(word.to_lowercase()),
            severity: Some(ade::Severity::Information),
            status: Some(status),
            title: Some(word.to_owned()),
            ..ResponseMessage::default()
        });
    }
    // The first message states what happened to the element: for a refused one, the reason.
    let error = |issue: &&Issue| issue.severity == Severity::Error;
    let ordered = answer.issues.iter().filter(error);
    let ordered = ordered.chain(answer.issues.iter().filter(|issue| !error(issue)));
    messages.extend(ordered.map(|issue| message(issue, answer.forbidden, status)));
    BatchResult { id: key(exchange, dataset, answer), meta, messages }
}

/// What the stored resource is called in its address.
pub(in crate::ade) fn key(exchange: &Exchange, dataset: &str, answer: &DocumentAnswer) -> Option<String> {
    if let Some(record) = answer.record.filter(|record| *record < 0) {
        return Some(record_key(record));
    }
    (answer.key.clone())
        .or_else(|| exchange.lists().key_of(dataset, answer.body.as_deref()?))
        .or_else(|| answer.record.map(record_key))
}

pub(in crate::ade) fn header(issues: &[Issue], success: u16) -> Option<HeaderValue> {
    let mut text = String::from("[");
    for issue in issues.iter().take(HEADER_MESSAGES) {
        let one = serde_json::to_string(&message(issue, false, success)).ok()?;
        let one = ascii(&one);
        if text.len() + one.len() > HEADER_BYTES {
            break;
        }
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&one);
    }
    text.push(']');
    (text.len() > 2).then(|| HeaderValue::from_str(&text).ok()).flatten()
}

/// JSON with everything beyond ASCII escaped, since headers carry no other characters.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() && c != '\u{7f}' {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_fit_a_header_whatever_their_letters() {
        let issue = Issue::warning("/remark", "not-kept", "Кличка 🐄 \"x\"");
        let header = header(&[issue], 201).unwrap();
        let read: Vec<ResponseMessage> = serde_json::from_slice(header.as_bytes()).unwrap();
        assert!(header.as_bytes().is_ascii());
        assert_eq!(read[0].detail.as_deref(), Some("Кличка 🐄 \"x\""));
        assert_eq!(read[0].severity, Some(ade::Severity::Warning));
        assert_eq!(read[0].status, Some(201));
    }

    #[test]
    fn the_header_stays_short_and_whole() {
        let long = Issue::warning("/a", "not-kept", "x".repeat(900));
        let header = header(&vec![long; 50], 200).unwrap();
        assert!(header.len() < HEADER_BYTES + 10);
        let read: Vec<ResponseMessage> = serde_json::from_slice(header.as_bytes()).unwrap();
        assert!(!read.is_empty());
    }
}

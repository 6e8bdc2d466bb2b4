//! The report as JSON: the fields of [`Report`], and beside each finding the words of its
//! requirement. The shape is described in `docs/conformance.md`.

use serde_json::{Value, json};

use super::{Outcome, Report};

/// The version of the shape; it changes when readers must change.
pub const VERSION: u32 = 1;

/// Pretty-printed.
///
/// # Errors
/// Words, if a value cannot be written; does not happen.
pub fn render(report: &Report) -> Result<String, String> {
    let mut value = serde_json::to_value(report).map_err(|why| why.to_string())?;
    if let Some(findings) = value.get_mut("findings").and_then(Value::as_array_mut) {
        for (finding, one) in findings.iter_mut().zip(&report.findings) {
            if let (Some(members), Some(words)) = (finding.as_object_mut(), one.words()) {
                members.insert("title".to_owned(), json!(words.title));
                members.insert("clause".to_owned(), json!(words.clause));
                members.insert("why".to_owned(), json!(words.why));
                members.insert("mend".to_owned(), json!(words.mend));
            }
        }
    }
    let counts = Outcome::ALL.map(|o| (o.name(), report.count(o)));
    let mut all = json!({
        "form": "ade-conformance report",
        "version": VERSION,
        "tool": env!("CARGO_PKG_VERSION"),
        "exitCode": report.exit_code(),
        "counts": counts.into_iter().collect::<Value>(),
    });
    if let (Some(all), Value::Object(members)) = (all.as_object_mut(), value) {
        all.extend(members);
    }
    serde_json::to_string_pretty(&all).map_err(|why| why.to_string())
}

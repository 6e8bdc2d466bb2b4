//! The report as JSON: the fields of [`Report`], and beside each finding the words of its
//! requirement. The shape is described in `docs/conformance.md`.

use serde_json::{Map, Value, json};

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
    let mut all = Map::new();
    all.insert("form".to_owned(), json!("ade-conformance report"));
    all.insert("version".to_owned(), json!(VERSION));
    all.insert("tool".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    all.insert("exitCode".to_owned(), json!(report.exit_code()));
    let counts = Outcome::ALL.map(|o| (o.name().to_owned(), json!(report.count(o))));
    all.insert(
        "counts".to_owned(),
        Value::Object(counts.into_iter().collect()),
    );
    if let Value::Object(members) = value {
        all.extend(members);
    }
    serde_json::to_string_pretty(&all).map_err(|why| why.to_string())
}

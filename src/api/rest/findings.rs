//! What the checks found in what a request wrote, as its answer has it (docs/writing.md, *What the checks find*).

use crate::layers::language::said;
use ops::{NewFinding, handling};
use serde_json::{Value, json};

/// The member of answers.
pub(crate) const MEMBER: &str = "findings";

/// All of the request; none where there are none.
pub(crate) fn all() -> Option<Value> {
    listed(&handling::findings())
}

/// Those that one written row made.
pub(super) fn by(findings: &[NewFinding], id: i64) -> Option<Value> {
    let own: Vec<NewFinding> = findings.iter().filter(|f| f.by == id).cloned().collect();
    listed(&own)
}

fn listed(findings: &[NewFinding]) -> Option<Value> {
    let one = |finding: &NewFinding| {
        let (collection, id) = &finding.record;
        json!({
            "code": finding.code, "severity": finding.severity, "collection": collection, "id": id,
            "path": finding.path, "message": said(&finding.message),
        })
    };
    (!findings.is_empty()).then(|| findings.iter().map(one).collect())
}

//! Findings for people and for programs.

use super::{Checked, Weight};
use serde_json::json;
use std::fmt::Write as _;

/// A line each, as compilers write them, and a summary.
pub(super) fn text(files: &[Checked]) -> String {
    let mut out = String::new();
    for file in files {
        for one in &file.findings {
            let weight = match one.severity {
                Weight::Error => "error",
                Weight::Warning => "warning",
            };
            let pointer = if one.pointer.is_empty() { "/" } else { &one.pointer };
            let _ = writeln!(
                out,
                "{}:{}:{}: {weight} [{}] {pointer}: {}",
                one.file, one.line, one.column, one.code, one.message
            );
            if let Some(hint) = &one.hint {
                let _ = writeln!(out, "    mend: {hint}");
            }
        }
        let form = file.form.map_or("unreadable", super::Form::name);
        let (errors, warnings) = (file.count(Weight::Error), file.count(Weight::Warning));
        let verdict = match (errors, warnings) {
            (0, 0) => "nothing is wrong".to_owned(),
            _ => format!("errors: {errors}, warnings: {warnings}"),
        };
        let _ = writeln!(out, "{}: {form}, resources: {}; {verdict}", file.file, file.resources);
    }
    out
}

/// One JSON object.
pub(super) fn json(files: &[Checked]) -> String {
    let count = |weight| files.iter().map(|file| file.count(weight)).sum::<usize>();
    let body = json!({
        "standard": format!("ICAR ADE {}", ade::VERSION),
        "errors": count(Weight::Error),
        "warnings": count(Weight::Warning),
        "files": files,
    });
    format!("{body:#}\n")
}

//! Answers that are a page or a PDF, as the caller wishes.

use serde_json::{Value, json};

/// The parameter that asks for one of them.
pub(super) fn format() -> Value {
    json!({
        "name": "format", "in": "query", "schema": {"type": "string", "enum": ["html", "pdf"]},
        "description": "In place of `Accept`.",
    })
}

/// The answer.
pub(super) fn page() -> Value {
    json!({
        "description": "A page of HTML without scripts; a PDF (PDF/A-2a) for `Accept: application/pdf` or `format=pdf`.",
        "content": {
            "text/html": {"schema": {"type": "string"}},
            "application/pdf": {"schema": {"type": "string", "format": "binary"}},
        },
    })
}

//! Answers that are a page or a PDF, as the caller wishes.

use model::messages::Language;
use serde_json::{Value, json};

/// The parameter that asks for one of them.
pub(super) fn format() -> Value {
    json!({
        "name": "format", "in": "query", "schema": {"type": "string", "enum": ["html", "pdf"]},
        "description": "In place of `Accept`.",
    })
}

/// The parameter that asks for a language.
pub(super) fn language() -> Value {
    let all = Language::ALL.map(Language::word);
    json!({
        "name": "language", "in": "query", "schema": {"type": "string", "enum": all},
        "description": "In place of `Accept-Language`.",
    })
}

/// The answer that is always a PDF.
pub(super) fn pdf() -> Value {
    json!({
        "description": "A PDF (PDF/A-2a).",
        "content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}},
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

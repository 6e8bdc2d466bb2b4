//! Operations on packages: previews, and their rows as a table.

use super::operation::operation;
use super::printed::language;
use super::replies::{multipart, ok, replies};
use super::to_parameter;
use model::registry::Collection;
use serde_json::{Value, json};

/// `POST /api/<slug>/preview` and `POST /api/<slug>/{id}/preview`
pub(super) fn previewed(c: &Collection, stored: bool) -> Value {
    let count = json!({"type": "integer"});
    let good = json!({
        "type": "object",
        "properties": {
            "fault": {"type": ["object", "null"], "description": "Why the file cannot be read, or not to its end: `code`, `message`, which says what to do."},
            "unread": {"type": "array", "items": {"type": "string"}, "description": "Titles of columns that are not read: nobody knows them, another column holds the same field, or the book computes it."},
            "form": {"type": "string"}, "encoding": {"type": ["string", "null"]},
            "encodingScore": {"type": ["number", "null"], "description": "How sure the encoding is, from 0 to 1."},
            "dataset": {"type": ["string", "null"]}, "kind": {"type": ["string", "null"]},
            "sheets": {"type": "array", "items": {"type": "object"}, "description": "Of each sheet: name, set with its score, row of the header, columns with what they mean."},
            "unknownColumns": {"type": "array", "items": {"type": "object"}},
            "rows": {"type": "integer", "description": "Rows of the file."},
            "tried": {"type": "integer", "description": "Rows that were tried; the counts are those of these."},
            "created": count, "updated": count, "unchanged": count, "skipped": count, "held": count,
            "docs": {"type": "array", "items": {"type": "object"}, "description": "The first rows, with the values that were read."},
            "faults": {"type": "array", "items": {"type": "object"}, "description": "Faults by row and column: `code`, `value`, `message`, `expected`."},
        },
    });
    let stated = json!({"type": "object", "properties": {
        "dataset": {"type": "string", "description": "The set, instead of a guess."},
        "mapping": {"type": "object", "description": "`set`, `encoding`, `delimiter`, `columns` (by header the path of a field, or null)."},
        "organization": {"type": "integer", "description": "For which farm; the Association only."},
    }});
    let content = match stored {
        true => json!({"application/json": {"schema": stated}}),
        false => json!({"multipart/form-data": multipart()}),
    };
    let parts = json!({
        "description": "Reads the file whole and tries its first 500 rows, of which nothing stays.",
        "requestBody": {"required": true, "content": content},
        "responses": replies(("200", ok("What would become of the file.", &good)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"), ("413", "too-large"),
        ]),
    });
    let (verb, what) = match stored {
        true => ("previewAgain", "Preview the file of one"),
        false => ("preview", "Preview a file for a new"),
    };
    let post = operation(
        c,
        verb,
        &c.singular,
        &format!("{what} {}", c.singular),
        parts,
    );
    match stored {
        true => json!({"parameters": [to_parameter("id")], "post": post}),
        false => json!({"post": post}),
    }
}

/// `GET /api/<slug>/{id}/table`
pub(super) fn table(c: &Collection) -> Value {
    let state = json!({
        "name": "state", "in": "query", "schema": {"type": "string"},
        "description": "Only rows in these states, with commas between them: `held`, `skipped,held`.",
    });
    let format = json!({
        "name": "format", "in": "query", "schema": {"type": "string", "enum": ["csv", "xlsx"]},
        "description": "A table of text (the default), or a workbook. Documents of the exchange are lines of JSON in any case.",
    });
    let text = json!({"schema": {"type": "string"}});
    let table = json!({"description": "The table.", "content": {"text/csv": text, "application/x-ndjson": text}});
    let parts = json!({
        "description": "The rows in the columns of the file; beside them what became of each, its line and the reasons, in the language of `language` or `Accept-Language`. Mended, it can be sent again.",
        "parameters": [state, format, language()],
        "responses": replies(("200", table), [("400", "bad-request"), ("403", "forbidden"), ("404", "not-found")]),
    });
    let summary = format!("Read the rows of one {} as a table", c.singular);
    json!({"parameters": [to_parameter("id")], "get": operation(c, "table", &c.singular, &summary, parts)})
}

/// `PATCH /api/<slug>/{id}/rows`
pub(super) fn mended(c: &Collection) -> Value {
    let text = json!({"type": "string"});
    let row = json!({
        "type": "object", "required": ["id", "cells"],
        "properties": {
            "id": {"type": "integer", "description": "A row that is held."},
            "cells": {"description": "Cells by the titles of their columns, or all of them as a list.", "oneOf": [
                {"type": "object", "additionalProperties": text}, {"type": "array", "items": text},
            ]},
        },
    });
    let rows = json!({"type": "array", "items": row, "maxItems": 500});
    let good = json!({"type": "object", "properties": {
        "docs": {"type": "array", "items": {"type": "object"}, "description": "Of each row, in the order sent: `id`, `state`, `record`, `cells`, `faults`."},
    }});
    let parts = json!({
        "description": "Tries rows that are held again, with these cells in place of theirs, as the columns of the file are read. All of it or nothing.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": rows}}},
        "responses": replies(("200", ok("What became of the rows.", &good)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"), ("413", "too-large"),
        ]),
    });
    let summary = format!("Mend held rows of one {}", c.singular);
    operation(c, "mendRows", &c.singular, &summary, parts)
}

/// `GET /api/<slug>/{id}/proposals`
pub(super) fn proposals(c: &Collection) -> Value {
    let text = json!({"type": "string"});
    let field = json!({"type": "object", "properties": {
        "dataset": text, "path": text, "label": text, "set": text,
        "because": {"type": "array", "items": {"type": "string", "enum": ["farm", "heading", "values"]}},
    }});
    let good = json!({"type": "object", "properties": {
        "docs": {"type": "array", "items": field, "description": "The best fields, three at most, and why."},
        "fields": {"type": "array", "items": field, "description": "All fields that it can mean."},
    }});
    let parts = json!({
        "description": "What the column may mean, with labels in the language of the reader.",
        "responses": replies(("200", ok("Fields.", &good)), [("403", "forbidden"), ("404", "not-found")]),
    });
    let summary = format!("Propose a meaning for one {}", c.singular);
    json!({"parameters": [to_parameter("id")], "get": operation(c, "proposals", &c.singular, &summary, parts)})
}

/// `GET /api/<slug>/{id}/<join>`
pub(super) fn joined(c: &Collection, name: &str, of: &str) -> Value {
    let names = [
        "sort",
        "limit",
        "page",
        "pagination",
        "depth",
        "select",
        "populate",
    ];
    let page = super::to_schema(&format!("{of}-list"));
    let parts = json!({
        "description": format!("The list of `{of}` that point to it, with all parameters of a list."),
        "parameters": names.map(to_parameter),
        "responses": replies(("200", ok("A page.", &page)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    let summary = format!("List {name} of one {}", c.singular);
    let get = operation(c, &format!("{name}Of"), &c.singular, &summary, parts);
    json!({"parameters": [to_parameter("id")], "get": get})
}

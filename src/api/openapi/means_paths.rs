//! The operation that tells means of events.

use super::operation::operation;
use super::replies::{filter, ok, replies};

use model::registry::Collection;
use serde_json::{Value, json};

/// `GET /api/<slug>/means`
pub(super) fn means(c: &Collection) -> Value {
    let mut values: Vec<&str> = c.ui.charts.iter().map(|chart| chart.value).collect();
    let mut by: Vec<&str> = c.happens.into_iter().collect();
    let curves = c.ui.charts.iter().filter_map(|chart| chart.curves);
    by.extend(curves.map(|curves| curves.at));
    values.dedup();
    by.dedup();
    let parameter = |name: &str, description: &str, schema: Value| json!({"name": name, "in": "query", "required": false, "description": description, "schema": schema});
    let point = json!({"type": "object", "required": ["from", "n", "mean"], "properties": {
        "from": {"type": ["integer", "string"], "description": "Where the bin begins; a month as `2026-03`."},
        "n": {"type": "integer", "description": "Rows in it; of rows that make test days, such days."},
        "mean": {"type": "number", "description": "Their mean, three decimals."},
    }});
    let good = json!({
        "type": "object",
        "required": ["value", "by", "width", "points"],
        "properties": {
            "value": {"type": "string"}, "by": {"type": "string"},
            "width": {"type": ["integer", "string"], "description": "Width of a bin, or `month`."},
            "points": {"type": "array", "items": point, "description": "In order; bins without rows are absent."},
        },
    });
    let parts = json!({
        "description": "Means over the rows that fulfil `where`, among those that the caller reads.",
        "parameters": [
            parameter("value", "The number.", json!({"type": "string", "enum": values, "default": values.first()})),
            parameter("by", "What it goes over: another number, in bins, or the day, in months.",
                json!({"type": "string", "enum": by, "default": by.first()})),
            parameter("width", "Width of a bin.", json!({"type": "integer", "minimum": 1, "maximum": 100_000, "default": 30})),
            filter(c.slug, false),
        ],
        "responses": replies(("200", ok("The means.", &good)), [
            ("400", "bad-request"), ("403", "forbidden"),
        ]),
    });
    let summary = format!("Means of {}", c.plural);
    json!({"get": operation(c, "means", &c.plural, &summary, parts)})
}

//! The operation that prints the card of a record (docs/pages.md, *Card for print*).

use super::operation::operation;
use super::printed::{language, pdf};
use super::replies::replies;
use super::to_parameter;
use model::registry::Collection;
use serde_json::{Value, json};

/// `GET /api/<slug>/<id>/card`
pub(super) fn card(c: &Collection) -> Value {
    let parts = json!({
        "description": "One sheet with the values of the record, its pedigree and its latest rows, of what the caller reads by the other operations, in English or Russian.",
        "parameters": [language()],
        "responses": replies(("200", pdf()), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    let summary = format!("Print the card of one {}", c.singular);
    let get = operation(c, "card", &c.singular, &summary, parts);
    json!({"parameters": [to_parameter("id")], "get": get})
}

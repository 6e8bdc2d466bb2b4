//! Parts of the operations of the ADE face: names, parameters, forms and answers.

use super::replies::{counted, later, ok, paced};
use super::to_schema;
use crate::ade::filters;
use mapping::Mapping;
use serde_json::{Map, Value, json};

/// The path of the face.
pub(super) const ROOT: &str = "/ade/v1";
pub(super) const ID: &str = "id";
pub(super) const PREFIX: &str = "#/components/schemas/";
/// What operations on no single collection belong to.
pub(super) const PLACES: &str = "Exchange · Locations";
pub(super) const SETS: &str = "Exchange · Data sets";
pub(super) const JSON: &str = "application/json";
pub(super) const XML: &str = "application/xml";
pub(super) const TABLE: &str = "text/csv";

pub(super) fn tag(mapping: &Mapping) -> String {
    format!("Exchange · {}", mapping.dataset())
}

/// `getTestDayResults` from `test-day-results`.
pub(super) fn named(verb: &str, dataset: &str, end: &str) -> String {
    let words = dataset.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    format!("ade{verb}{}{end}", words.collect::<String>())
}

/// An answer or a body of JSON, in XML as well.
pub(super) fn in_xml(mut one: Value) -> Value {
    if let Some(Value::Object(content)) = one.get_mut("content")
        && let Some(same) = content.get(JSON).cloned()
    {
        content.insert(XML.to_owned(), same);
    }
    one
}

/// An answer with a list, in all forms.
pub(super) fn in_all_forms(one: Value) -> Value {
    let mut one = in_xml(one);
    if let Some(Value::Object(content)) = one.get_mut("content") {
        content.insert(TABLE.to_owned(), json!({"schema": {"type": "string"}}));
    }
    if let Value::Object(one) = &mut one {
        let link = json!({
            "description": "In tables: the first, previous, next and last page (RFC 8288).",
            "schema": {"type": "string"},
        });
        one.insert("headers".to_owned(), json!({"Link": link}));
    }
    one
}

/// The parameter that takes precedence over `Accept`.
pub(super) fn format(forms: &[&str]) -> Value {
    json!({
        "name": "format", "in": "query", "schema": {"type": "string", "enum": forms},
        "description": "The form of the answer, instead of `Accept`.",
    })
}

/// The forms of a document and of the outcome of several.
pub(super) const DOCUMENTS: [&str; 2] = ["json", "xml"];
/// The forms of a list.
pub(super) const LIST: [&str; 3] = ["json", "xml", "csv"];

/// The answers that every operation of this face may have, besides the good one.
pub(super) fn replies(good: (&str, Value), more: &[&str]) -> Value {
    let errors = to_schema("ade-errors");
    let refused = |about: &str| in_xml(ok(about, &errors));
    let mut out = Map::from_iter([(good.0.to_owned(), counted(good.1))]);
    let known = [
        (
            "400",
            "Faults of the request, each with its JSON pointer or parameter.",
        ),
        ("401", "No valid sign-in."),
        ("403", "Not of this caller."),
        ("404", "No such location, collection or resource."),
        ("405", "The collection does not take this."),
        ("406", "Not offered in a form that `Accept` names."),
        ("413", "The body is too large."),
        ("415", "The media type of the body is not read."),
    ];
    let always = ["400", "401", "403", "404", "406"];
    for (status, about) in known {
        if always.contains(&status) || more.contains(&status) {
            out.insert(status.to_owned(), refused(about));
        }
    }
    let failed = refused("A fault of the server.");
    let many = counted(later(refused("More than the client may ask for.")));
    let always = [
        ("429", many),
        ("500", failed),
        ("503", later(refused("Not now."))),
    ];
    for (status, reply) in always {
        out.insert(status.to_owned(), reply);
    }
    Value::Object(out)
}

pub(super) fn operation(name: String, tag: &str, summary: String, parts: Value) -> Value {
    let mut out = Map::from_iter([
        ("operationId".to_owned(), Value::from(name)),
        ("tags".to_owned(), json!([tag])),
        ("description".to_owned(), Value::from(format!("{summary}."))),
        ("summary".to_owned(), Value::from(summary)),
        (
            "security".to_owned(),
            json!([{"token": []}, {"apiKey": []}]),
        ),
    ]);
    if let Value::Object(parts) = parts {
        out.extend(parts);
    }
    Value::Object(out)
}

pub(super) fn place() -> Vec<Value> {
    ["location-scheme", "location-id"]
        .map(|name| {
            json!({
                "name": name, "in": "path", "required": true, "schema": {"type": "string"},
                "description": "As in the identifier of a location.",
            })
        })
        .into()
}

pub(super) fn query(name: &str, schema: Value) -> Value {
    json!({"name": name, "in": "query", "schema": schema, "description": "A filter of the standard, or the page."})
}

pub(super) fn paging() -> Vec<Value> {
    let size = json!({"type": "integer", "minimum": 1});
    vec![
        query("pageSize", size.clone()),
        query("page", size),
        query("cursor", json!({"type": "string"})),
    ]
}

pub(super) fn page_of(resource: &str) -> Value {
    json!({
        "type": "object", "required": ["view", "member"],
        "properties": {
            "view": to_schema("ade-view"),
            "member": {"type": "array", "items": to_schema(resource)},
        },
    })
}

/// When each source sent data last to the locations of a page.
pub(super) fn last_intakes() -> Value {
    let identifier = json!({
        "type": "object", "required": ["scheme", "id"],
        "properties": {"scheme": {"type": "string"}, "id": {"type": "string"}},
    });
    json!({
        "type": "array", "description": "The last intake of each source at these locations, to a minute, the latest first.",
        "items": {
            "type": "object", "required": ["location", "source", "at"],
            "properties": {
                "location": identifier, "source": {"type": "string"},
                "at": {"type": "string", "format": "date-time"},
            },
        },
    })
}

pub(super) fn locations() -> Value {
    let mut page = page_of("icarLocationResource");
    if let Some(members) = page
        .pointer_mut("/properties")
        .and_then(Value::as_object_mut)
    {
        members.insert("lastIntakes".to_owned(), last_intakes());
    }
    let good = in_all_forms(ok("The locations.", &page));
    let mut parameters = paging();
    parameters.push(format(&LIST));
    let parts = json!({"parameters": parameters, "responses": replies(("200", good), &[])});
    json!({"get": operation("adeLocations".to_owned(), PLACES, "List my locations".to_owned(), parts)})
}

/// The filters of a list.
pub(super) fn narrowed(mapping: &Mapping) -> Vec<Value> {
    let required = filters::required(mapping);
    let mut all = Vec::new();
    for filter in filters::of(mapping) {
        for name in filter.parameters() {
            let mut one = match filters::codes_of(name) {
                Some(codes) => query(name, json!({"type": "string", "enum": codes})),
                None => query(name, json!({"type": "string"})),
            };
            if let Some(members) = one.as_object_mut()
                && required.contains(&filter)
            {
                members.insert("required".to_owned(), true.into());
            }
            all.push(one);
        }
    }
    all
}

pub(super) fn collection(mapping: &Mapping, name: &str, writes: bool) -> Value {
    let mut parameters = narrowed(mapping);
    parameters.extend(paging());
    parameters.push(format(&LIST));
    let good = paced(in_all_forms(ok("A page.", &page_of(mapping.resource()))));
    let parts = json!({"parameters": parameters, "responses": replies(("200", good), &[])});
    let find = operation(
        named("List", name, ""),
        &tag(mapping),
        format!("List {name}"),
        parts,
    );
    let mut out = Map::from_iter([
        ("parameters".to_owned(), place().into()),
        ("get".to_owned(), find),
    ]);
    if writes && mapping.can_post() {
        let schema = to_schema(mapping.resource());
        let body = json!({"required": true, "content": {JSON: {"schema": schema}}});
        let mut answers = replies(("201", in_xml(ok("Stored.", &schema))), &["413", "415"]);
        if let Some(answers) = answers.as_object_mut() {
            answers.insert(
                "200".to_owned(),
                in_xml(ok("Stored before; as it is now.", &schema)),
            );
        }
        let parts = json!({
            "parameters": [only(), format(&DOCUMENTS)], "requestBody": in_xml(body), "responses": answers,
        });
        let post = operation(
            named("Post", name, ""),
            &tag(mapping),
            format!("Send one of {name}"),
            parts,
        );
        out.insert("post".to_owned(), post);
    }
    Value::Object(out)
}

pub(super) fn resource(mapping: &Mapping) -> Value {
    let name = mapping.dataset();
    let mut parameters = place();
    parameters.push(json!({
        "name": "resource-id", "in": "path", "required": true, "schema": {"type": "string"},
        "description": "The `id` of the resource.",
    }));
    let good = in_xml(ok("The resource.", &to_schema(mapping.resource())));
    let parts =
        json!({"parameters": [format(&DOCUMENTS)], "responses": replies(("200", good), &[])});
    let get = operation(
        named("Get", name, ""),
        &tag(mapping),
        format!("Read one of {name}"),
        parts,
    );
    json!({"parameters": parameters, "get": get})
}

pub(super) fn batch(mapping: &Mapping, name: &str) -> Value {
    let items = json!({"type": "array", "items": to_schema(mapping.resource())});
    let body = json!({"required": true, "content": {JSON: {"schema": items}}});
    let good = in_xml(ok("One result for each, in the order sent.", &results()));
    let mut answers = replies(("200", good), &["413", "415"]);
    if let Some(answers) = answers.as_object_mut() {
        answers.insert(
            "202".to_owned(),
            ok("Taken; the result comes later.", &standing()),
        );
    }
    let parts = json!({
        "parameters": [only(), format(&DOCUMENTS)], "requestBody": in_xml(body), "responses": answers,
    });
    let summary = format!("Send many of {name}");
    let post = operation(named("Post", name, "Batch"), &tag(mapping), summary, parts);
    json!({"parameters": place(), "post": post})
}

/// The outcome of each element of a batch.
pub(super) fn results() -> Value {
    json!({"type": "array", "items": {
        "type": "object",
        "properties": {
            "id": {"type": "string"}, "meta": {},
            "messages": {"type": "array", "items": {"type": "object"}},
        },
    }})
}

/// How far a batch is.
pub(super) fn standing() -> Value {
    json!({
        "type": "object", "required": [ID, "state", "items", "done"],
        "properties": {
            ID: {"type": "string"},
            "state": {"type": "string", "enum": ["waiting", "running", "done"]},
            "items": {"type": "integer"}, "done": {"type": "integer"},
            "created": {"type": "string", "format": "date-time"},
        },
    })
}

/// The parameter of a dry run.
pub(super) fn only() -> Value {
    json!({
        "name": "validate", "in": "query", "schema": {"type": "string", "enum": ["only"]},
        "description": "Check and answer, and store nothing.",
    })
}

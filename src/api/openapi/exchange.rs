//! The ADE face, from the catalogue of the standard and the mappings that are served. Schemas of documents are the
//! standard's own.

use super::replies::{counted, later, ok, paced};
use super::{about, full_syncs, to_schema, twins};
use crate::ade::filters;
use ade::schema::{Section, Standard};
use exchange::LOCATIONS;
use mapping::{Mapping, Mappings, Part};
use serde_json::{Map, Value, json};

/// Where the face stands.
pub(super) const ROOT: &str = "/ade/v1";
const ID: &str = "id";
const PREFIX: &str = "#/components/schemas/";
/// What operations on no single collection belong to.
pub(super) const PLACES: &str = "Exchange · Locations";
pub(super) const SETS: &str = "Exchange · Data sets";
const JSON: &str = "application/json";
const XML: &str = "application/xml";
const TABLE: &str = "text/csv";

pub(super) fn tag(mapping: &Mapping) -> String {
    format!("Exchange · {}", mapping.dataset())
}

/// Collections that stand at a location.
fn located(mappings: &Mappings) -> impl Iterator<Item = &Mapping> {
    mappings
        .all()
        .filter(|m| m.has(Part::Location) && m.dataset() != LOCATIONS)
}

pub(super) fn tags(mappings: &Mappings) -> Vec<Value> {
    let standard = "ICAR ADE 1.5.1";
    let mut out = vec![
        json!({"name": PLACES, "description": format!("{standard}: the locations of the caller.")}),
        json!({"name": SETS, "description": format!("{standard}, generic data exchange: changes and pushes.")}),
    ];
    out.extend(
        located(mappings).map(
            |m| json!({"name": tag(m), "description": format!("{standard}: {}", m.resource())}),
        ),
    );
    out
}

/// All schemas of the standard, by their official names.
pub(super) fn schemas(mappings: &Mappings) -> Map<String, Value> {
    let all = Standard::get().declarations().iter();
    let used = all.filter(|d| d.section != Section::Collection);
    let mut out: Map<String, Value> = used
        .map(|d| (d.name.to_owned(), d.json_schema(PREFIX)))
        .collect();
    let view = json!({
        "type": "object",
        "properties": {
            "totalItems": {"type": "integer"}, "totalPages": {"type": "integer"},
            "pageSize": {"type": "integer"}, "currentPage": {"type": "integer"},
            "first": {"type": "string", "format": "uri"}, "next": {"type": "string", "format": "uri"},
            "prev": {"type": "string", "format": "uri"}, "last": {"type": "string", "format": "uri"},
        },
    });
    out.insert("ade-view".to_owned(), view);
    let error = json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"}, "status": {"type": "integer"}, "code": {"type": "string"},
            "title": {"type": "string"}, "detail": {"type": "string"}, "meta": {"type": "object"},
            "type": {"type": "string"}, "severity": {"type": "string"}, "instance": {"type": "string"},
        },
    });
    let errors = json!({
        "type": "object", "required": ["errors"],
        "properties": {"errors": {"type": "array", "minItems": 1, "items": error}},
    });
    out.insert("ade-errors".to_owned(), errors);
    out.insert("ade-data-set".to_owned(), data_set());
    out.insert("ade-full-sync".to_owned(), full_syncs::schema());
    // The two elements that are no resources: what the array holds, and where to go on.
    let about = json!({
        "type": "object", "required": [ID],
        "properties": {ID: {"const": ade::dataset::CONTEXT}},
    });
    let more = json!({
        "type": "object", "required": [ID, "token"],
        "properties": {ID: {"const": ade::dataset::CONTINUATION}, "token": {"type": "string"}},
    });
    let mut resources: Vec<&str> = located(mappings).map(Mapping::resource).collect();
    resources.sort_unstable();
    resources.dedup();
    let mut any = vec![about, more];
    any.extend(resources.into_iter().map(to_schema));
    let element = json!({"anyOf": any});
    let changes = json!({"type": "array", "items": element});
    out.insert("ade-changes".to_owned(), changes);
    out
}

fn data_set() -> Value {
    json!({
        "type": "object", "required": ["name", "url"],
        "properties": {
            "name": {"type": "string"}, "url": {"type": "string"}, "changes": {"type": "string"},
            "containedTypes": {"type": "array", "items": {"type": "string"}},
        },
    })
}

/// All addresses; `writes`: also those that send data.
pub(super) fn paths(mappings: &Mappings, writes: bool) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert(format!("{ROOT}/locations"), locations());
    out.extend(about::paths());
    for mapping in located(mappings) {
        let name = mapping.dataset();
        let base = format!("{ROOT}/locations/{{location-scheme}}/{{location-id}}/{name}");
        out.insert(base.clone(), collection(mapping, name, writes));
        out.insert(format!("{base}/{{resource-id}}"), resource(mapping));
        if writes && mapping.can_batch() {
            let path =
                format!("{ROOT}/batches/locations/{{location-scheme}}/{{location-id}}/{name}");
            out.insert(path, batch(mapping, name));
        }
    }
    out.extend(twins::second_names(mappings, writes));
    out.extend(twins::beside(mappings, writes));
    out.insert(format!("{ROOT}/batches/{{batch}}"), sent_batch());
    out.extend(sets(writes));
    out
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

/// The parameter that goes before `Accept`.
pub(super) fn format(forms: &[&str]) -> Value {
    json!({
        "name": "format", "in": "query", "schema": {"type": "string", "enum": forms},
        "description": "The form of the answer, instead of `Accept`.",
    })
}

/// The forms of a document and of what became of some.
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
fn last_intakes() -> Value {
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

fn locations() -> Value {
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
fn narrowed(mapping: &Mapping) -> Vec<Value> {
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

fn resource(mapping: &Mapping) -> Value {
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

/// What became of each element of a batch.
fn results() -> Value {
    json!({"type": "array", "items": {
        "type": "object",
        "properties": {
            "id": {"type": "string"}, "meta": {},
            "messages": {"type": "array", "items": {"type": "object"}},
        },
    }})
}

/// How far a batch is.
fn standing() -> Value {
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

fn sent_batch() -> Value {
    let parameters = json!([{
        "name": "batch", "in": "path", "required": true, "schema": {"type": "string"},
        "description": "The id of the batch.",
    }]);
    let mut found = replies(("200", ok("The results.", &results())), &[]);
    if let Some(found) = found.as_object_mut() {
        found.insert("202".to_owned(), ok("Not done yet.", &standing()));
    }
    let mut gone = replies(("200", ok("What went, and what stays.", &results())), &[]);
    if let Some(gone) = gone.as_object_mut() {
        gone.insert(
            "409".to_owned(),
            ok("Not done yet.", &to_schema("ade-errors")),
        );
    }
    let op = |id: &str, summary: &str, answers: Value| {
        let parts = json!({"responses": answers});
        operation(id.to_owned(), PLACES, summary.to_owned(), parts)
    };
    json!({
        "parameters": parameters,
        "get": op("adeBatch", "Read the result of a batch", found),
        "delete": op("adeRetractBatch", "Take a batch back", gone),
    })
}

fn sets(writes: bool) -> Map<String, Value> {
    let name = json!([{
        "name": "set", "in": "path", "required": true, "schema": {"type": "string"},
        "description": "The name of the set.",
    }]);
    let list = json!({"type": "array", "items": to_schema("ade-data-set")});
    let list = json!({"responses": replies(("200", ok("The sets.", &list)), &[])});
    let one =
        json!({"responses": replies(("200", ok("The set.", &to_schema("ade-data-set"))), &[])});
    let changes = json!({
        "parameters": [
            query("since", json!({"type": "string"})),
            query("from", json!({"type": "string", "enum": ["now"]})),
            query("limit", json!({"type": "integer", "minimum": 1})),
            query("wait", json!({"type": "integer", "minimum": 1})),
            query("types", json!({"type": "array", "items": {"type": "string"}})),
            query("latestOnly", json!({"type": "boolean"})),
            query("location-scheme", json!({"type": "array", "items": {"type": "string"}})),
            query("location-id", json!({"type": "array", "items": {"type": "string"}})),
        ],
        "responses": replies(("200", paced(ok("Changes in the order of the book.", &to_schema("ade-changes")))), &[]),
    });
    let body = json!({"required": true, "content": {JSON: {"schema": to_schema("ade-changes")}}});
    let push = json!({
        "parameters": [only(), full_syncs::named()],
        "requestBody": body,
        "responses": full_syncs::or_conflict(
            replies(("200", json!({"description": "All are stored."})), &["405", "413", "415"]),
        ),
    });
    let op = |id: &str, summary: &str, parts: Value| {
        operation(id.to_owned(), SETS, summary.to_owned(), parts)
    };
    let mut out = Map::from_iter([
        (
            format!("{ROOT}/datasets"),
            json!({"get": op("adeSets", "List the data sets", list)}),
        ),
        (
            format!("{ROOT}/datasets/{{set}}"),
            json!({"parameters": name, "get": op("adeSet", "Read a data set", one)}),
        ),
        (
            format!("{ROOT}/datasets/{{set}}/changes"),
            json!({"parameters": name, "get": op("adeChanges", "Read what changed", changes)}),
        ),
    ]);
    if writes {
        out.insert(
            format!("{ROOT}/datasets/{{set}}/resources"),
            json!({"parameters": name, "post": op("adePush", "Push resources, all or none", push)}),
        );
        out.extend(full_syncs::paths(&name));
    }
    out
}

//! Operations that only some collections have, by the words of their declarations: files, pedigrees, invitations,
//! and the permissions of the caller.

use super::decision_paths;
use super::operation::operation;
use super::package_paths;
use super::replies::{json_body, multipart, ok, replies, texts};
use super::schema::findings;
use super::{tag, to_parameter, to_schema};
use model::registry::review::package;
use model::registry::{Action, Collection, Feature};
use ops::GENERATIONS_MAX;
use serde_json::{Map, Value, json};

/// Paths of a collection beside those that all have.
pub(super) fn of(c: &Collection) -> Map<String, Value> {
    let mut out = Map::new();
    let slug = c.slug;
    if c.lineage.is_some() {
        out.insert(format!("/api/{slug}/{{id}}/pedigree"), pedigree(c));
    }
    if c.upload.is_some() {
        out.insert(format!("/api/{slug}/file/{{filename}}"), file(c));
    }
    if c.is(Feature::Packages) {
        out.extend(super::signed_packages::of(c));
    }
    if c.is(Feature::Requests) {
        out.insert(
            format!("/api/{slug}/{{id}}/decision"),
            decision_paths::preview(c),
        );
    }
    if c.is(Feature::Invitations) {
        out.insert(format!("/api/{slug}/accept"), accept(c));
    }
    if c.is(Feature::Packages) {
        out.insert(
            format!("/api/{slug}/preview"),
            package_paths::previewed(c, false),
        );
        out.insert(
            format!("/api/{slug}/{{id}}/preview"),
            package_paths::previewed(c, true),
        );
        out.insert(format!("/api/{slug}/{{id}}/table"), package_paths::table(c));
    }
    if c.fields.iter().any(|field| field.named_set().is_some()) {
        let path = format!("/api/{slug}/{{id}}/proposals");
        out.insert(path, package_paths::proposals(c));
    }
    if let Some(how) = &c.for_many {
        let path = format!("/api/{slug}/{}", how.name);
        out.insert(path, super::for_many::made(c, how));
    }
    for join in &c.joins {
        let path = format!("/api/{slug}/{{id}}/{}", join.name);
        let mut joined = package_paths::joined(c, join.name, join.collection);
        if let Value::Object(members) = &mut joined
            && c.is(Feature::Packages)
            && package::ROWS == join.name
        {
            members.insert("patch".to_owned(), package_paths::mended(c));
        }
        out.insert(path, joined);
    }
    for action in &c.actions {
        let path = format!("/api/{slug}/{{id}}/{}", action.name);
        let parameters = json!([to_parameter("id")]);
        out.insert(
            path,
            json!({"parameters": parameters, "post": acted(c, action)}),
        );
    }
    let id = json!([to_parameter("id")]);
    let row = json!({"parameters": id, "post": rights(c, "accessTo", "my rights on one")});
    out.insert(format!("/api/{slug}/access/{{id}}"), row);
    let all = json!({"post": rights(c, "access", "my rights")});
    out.insert(format!("/api/{slug}/access"), all);
    out
}

/// `GET /api/access`
pub(super) fn everywhere() -> Map<String, Value> {
    let good = ok(
        "By collection: operations and fields.",
        &to_schema("rights"),
    );
    let get = json!({
        "operationId": "access", "tags": [super::page::TAG], "summary": "What may I do",
        "description": "Permissions of the caller, so that screens show only what works.",
        "security": [{}, {"token": []}, {"cookie": []}, {"apiKey": []}],
        "responses": replies(("200", good), [("400", "bad-request")]),
    });
    let one = json!({
        "type": "object", "required": ["used", "limit"],
        "properties": {
            "used": {"type": "integer"},
            "limit": {"type": ["integer", "null"], "description": "Null: no limit."},
        },
    });
    let kept = json!({
        "type": "object", "required": ["storage", "files", "records"],
        "properties": {
            "organization": to_schema("id"), "user": to_schema("id"),
            "storage": one, "files": one,
            "records": {"type": "object", "additionalProperties": one},
        },
    });
    let usage = json!({
        "operationId": "usage", "tags": [super::page::TAG], "summary": "What is stored",
        "description": "Bytes of files, number of files and number of rows that the caller's organisation has stored, or the caller if they have no organisation, and the limits. The Association names an organisation.",
        "parameters": [{
            "name": "organization", "in": "query", "schema": {"type": "integer"},
            "description": "The organisation: any for the Association, otherwise the caller's own.",
        }],
        "security": [{"token": []}, {"cookie": []}, {"apiKey": []}],
        "responses": replies(("200", ok("What is stored, and the limits.", &kept)), [("400", "bad-request"), ("403", "forbidden")]),
    });
    Map::from_iter([
        ("/api/access".to_owned(), json!({"get": get})),
        ("/api/usage".to_owned(), json!({"get": usage})),
    ])
}

/// What the parts beside the collections need.
pub(super) fn schemas() -> Map<String, Value> {
    let node = json!({
        "type": "object", "required": ["number", "generation", "doc"],
        "properties": {
            "number": {"type": "integer", "minimum": 1, "description": "1 is the record, 2n the father of n, 2n+1 the mother."},
            "generation": {"type": "integer", "minimum": 0},
            "doc": {"description": "The document; where the caller may not read it, who it is: number, name, sex, breed, day of birth."},
            "closed": {"type": "boolean", "description": "`true` where the caller may not read the record."},
        },
    });
    let pedigree = json!({
        "type": "object", "required": ["id", "generations", "nodes"],
        "properties": {
            "id": to_schema("id"),
            "generations": {"type": "integer"},
            "nodes": {"type": "array", "items": node},
            "completeness": {},
            "pedigreeDepth": {},
        },
    });
    let result = json!({
        "type": "object", "required": ["index", "status"],
        "properties": {
            "index": {"type": "integer", "minimum": 0, "description": "Position among the records that were sent."},
            "status": {"type": "integer"},
            "doc": {"type": "object"},
            "findings": findings(),
            "errors": {"type": "array", "items": to_schema("error")},
        },
    });
    let batch = json!({
        "type": "object", "required": ["results", "message"],
        "properties": {
            "results": {"type": "array", "items": result},
            "message": {"type": "string"},
        },
    });
    let row = json!({"type": "object", "properties": {"fields": {}}});
    [
        ("pedigree", pedigree),
        ("batch", batch),
        ("row-rights", row),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into_iter()
    .collect()
}

fn pedigree(c: &Collection) -> Value {
    let generations = json!({
        "name": "generations", "in": "query", "description": "How far back.",
        "schema": {"type": "integer", "minimum": 1, "maximum": GENERATIONS_MAX, "default": 3},
    });
    let parts = json!({
        "parameters": [generations, to_parameter("depth"), to_parameter("select"), to_parameter("populate")],
        "responses": replies(("200", ok("The ancestors.", &to_schema("pedigree"))), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    let summary = format!("Read the pedigree of one {}", c.singular);
    let get = operation(c, "pedigree", &c.singular, &summary, parts);
    json!({"parameters": [to_parameter("id")], "get": get})
}

fn file(c: &Collection) -> Value {
    let any = json!({"*/*": {"schema": {"type": "string", "format": "binary"}}});
    let name = json!({
        "name": "filename", "in": "path", "required": true, "schema": {"type": "string"},
        "description": "`filename` of the record, or of one of its sizes.",
    });
    let range = json!({
        "name": "Range", "in": "header", "schema": {"type": "string"},
        "description": "One part of the file: `bytes=0-1023`.",
    });
    let mut responses = replies(
        ("200", json!({"description": "The file.", "content": any})),
        [
            ("400", "bad-request"),
            ("403", "forbidden"),
            ("404", "not-found"),
        ],
    );
    if let Some(responses) = responses.as_object_mut() {
        let part = json!({"description": "The part of the file.", "content": any});
        responses.insert("206".to_owned(), part);
        responses.insert(
            "304".to_owned(),
            json!({"description": "The caller's stored copy is current."}),
        );
        responses.insert("416".to_owned(), json!({"description": "No such part."}));
    }
    let parts = json!({"parameters": [range], "responses": responses});
    let summary = format!("Read the content of one {}", c.singular);
    let get = operation(c, "file", &c.singular, &summary, parts);
    json!({"parameters": [name], "get": get})
}

fn accept(c: &Collection) -> Value {
    let body = json!({"required": true, "content": {"application/json": {"schema": texts(&[
        ("token", "from the email"), ("password", "correct horse battery"), ("firstName", "Anna"),
        ("lastName", "Smith"),
    ])}}});
    let signed_in = json!({
        "type": "object", "required": ["message", "exp", "token", "user"],
        "properties": {
            "message": {"type": "string"}, "exp": {"type": "integer"}, "token": {"type": "string"},
            "user": {"type": "object"},
        },
    });
    let parts = json!({
        "parameters": [to_parameter("depth")],
        "requestBody": body,
        "responses": replies(("200", ok("Signed in.", &signed_in)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"), ("413", "too-large"),
            ("401", "unauthorized"),
        ]),
    });
    let summary = format!("Accept an {}", c.singular);
    json!({"post": operation(c, "accept", &c.singular, &summary, parts)})
}

fn acted(c: &Collection, action: &Action) -> Value {
    let written = to_schema(&format!("{}-written", c.slug));
    let parts = json!({
        "description": action.doc,
        "parameters": [to_parameter("depth"), to_parameter("select"), to_parameter("populate"), to_parameter("validate")],
        "responses": replies(("200", ok("The record as it is now.", &written)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    let summary = format!("{}: {}", c.singular, action.name);
    operation(c, action.name, &c.singular, &summary, parts)
}

fn rights(c: &Collection, verb: &str, what: &str) -> Value {
    let good = ok("Operations and fields.", &to_schema("row-rights"));
    let parts = json!({
        "responses": replies(("200", good), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"), ("413", "too-large"),
        ]),
        "tags": [tag(c)],
    });
    let summary = format!("{}: {what}", c.plural);
    operation(c, verb, &c.singular, &summary, parts)
}

/// What a create of many answers, beside what a create of one does.
pub(super) fn many(responses: &mut Value) {
    let Some(responses) = responses.as_object_mut() else {
        return;
    };
    let either = json!({"anyOf": [to_schema("errors"), to_schema("batch")]});
    let about = "Nothing is created: every fault with its path.";
    responses.insert("400".to_owned(), ok(about, &either));
    responses.insert("403".to_owned(), ok("The caller may not do this.", &either));
    let about = "The `Idempotency-Key` was used for another request.";
    responses.insert("422".to_owned(), ok(about, &to_schema("errors")));
}

/// `Idempotency-Key`
pub(super) fn key() -> Value {
    json!({
        "name": "Idempotency-Key", "in": "header",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
        "description": "A text of the client's choice: a request that is repeated with it within 24 hours is executed once.",
    })
}

/// The body of a create, which may also be many documents.
pub(super) fn body(c: &Collection) -> Value {
    let mut body = json_body(&format!("{}-create", c.slug), true);
    let about = "One document. Many may be sent as an array or (`application/x-ndjson`) a line each; they are answered \
                 by `{results, message}` with a result for each, 207 when only some were created.";
    if let Some(body) = body.as_object_mut() {
        body.insert("description".to_owned(), about.into());
    }
    if let Some(content) = body.pointer_mut("/content").and_then(Value::as_object_mut) {
        content.insert("multipart/form-data".to_owned(), multipart());
    }
    body
}

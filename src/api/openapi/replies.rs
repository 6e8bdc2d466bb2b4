//! Answers and parameters that operations share: every status with its body.

use super::{Facts, to_schema};
use model::registry::Collection;
use serde_json::{Map, Value, json};

/// Names of the shared answers, with status, body and meaning.
const REPLIES: [(&str, &str, &str); 9] = [
    (
        "bad-request",
        "errors",
        "The request cannot be taken as it is: every fault with its path. Nothing was changed.",
    ),
    (
        "unauthorized",
        "errors",
        "Wrong email or password, or locked. No other operation answers 401.",
    ),
    ("forbidden", "errors", "The caller may not do this."),
    ("not-found", "errors", "No such record for this caller."),
    (
        "no-route",
        "no-route",
        "No such path, or not with this method.",
    ),
    ("too-large", "errors", "The body is too large."),
    (
        "too-many",
        "errors",
        "Too many requests; come back after `Retry-After` seconds.",
    ),
    (
        "failed",
        "errors",
        "A fault of the server. `X-Request-Id` finds it in the log.",
    ),
    (
        "unavailable",
        "errors",
        "Not now; come back after `Retry-After` seconds.",
    ),
];

/// All shared answers.
pub(super) fn all() -> Map<String, Value> {
    let one = |(name, body, about): &(&str, &str, &str)| {
        let schema = match *name {
            "not-found" => json!({"anyOf": [to_schema("errors"), to_schema("no-route")]}),
            _ => to_schema(body),
        };
        let mut reply = json!({
            "description": about,
            "content": {"application/json": {"schema": schema}},
        });
        if ["too-many", "unavailable"].contains(name) {
            reply = later(reply);
        }
        if *name == "too-many" {
            reply = counted(reply);
        }
        ((*name).to_owned(), reply)
    };
    REPLIES.iter().map(one).collect()
}

/// Headers of answers.
pub(super) fn headers() -> Value {
    json!({
        "retry-after": {
            "description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0},
        },
        "link": {
            "description": "Address of the next page, with a cursor that no insert moves (RFC 8288).",
            "schema": {"type": "string"},
        },
        "poll-interval": {
            "description": "Seconds until the next poll is useful, by how often the set changes; absent where it never changed.",
            "schema": {"type": "integer", "minimum": 5, "maximum": 3_600},
        },
        "ratelimit": {
            "description": "What the client has left in the class of this request: `r` requests, and all of them again in `t` seconds (draft-ietf-httpapi-ratelimit-headers).",
            "schema": {"type": "string"}, "example": "\"read\";r=590;t=1",
        },
        "ratelimit-policy": {
            "description": "What a client may request in that class: `q` requests within `w` seconds. Absent where nothing is limited.",
            "schema": {"type": "string"}, "example": "\"read\";q=600;w=60",
        },
    })
}

/// An answer with these headers, by their names here.
fn with_headers(mut one: Value, names: &[(&str, &str)]) -> Value {
    if let Some(one) = one.as_object_mut() {
        let headers = one.entry("headers").or_insert_with(|| json!({}));
        if let Some(headers) = headers.as_object_mut() {
            headers.extend(names.iter().map(|(name, known)| {
                let header = json!({"$ref": format!("#/components/headers/{known}")});
                ((*name).to_owned(), header)
            }));
        }
    }
    one
}

/// An answer that says when to poll again, judged by how often its data change.
pub(super) fn paced(one: Value) -> Value {
    with_headers(one, &[("Poll-Interval", "poll-interval")])
}

/// An answer that says when to try again.
pub(super) fn later(one: Value) -> Value {
    with_headers(one, &[("Retry-After", "retry-after")])
}

/// An answer that says what is left of the limits of the client.
pub(super) fn counted(one: Value) -> Value {
    let names = [
        ("RateLimit", "ratelimit"),
        ("RateLimit-Policy", "ratelimit-policy"),
    ];
    with_headers(one, &names)
}

/// An answer with a body of its own.
pub(super) fn ok(about: &str, schema: &Value) -> Value {
    json!({"description": about, "content": {"application/json": {"schema": schema}}})
}

/// Parameters that lists and documents share.
pub(super) fn parameters(facts: &Facts<'_>) -> Value {
    let free = json!({"type": "object", "additionalProperties": true});
    let deep = |name: &str, about: &str| {
        json!({
            "name": name, "in": "query", "description": about, "style": "deepObject", "explode": true,
            "schema": free,
        })
    };
    json!({
        "validate": {
            "name": "validate", "in": "query", "description": "A dry run: check, answer (200), and store nothing.",
            "schema": {"type": "string", "enum": ["only"]},
        },
        "depth": {
            "name": "depth", "in": "query",
            "description": "Levels of relations shown as documents; 0: ids.",
            "schema": {"type": "integer", "minimum": 0, "maximum": 10, "default": facts.depth},
        },
        "limit": {
            "name": "limit", "in": "query", "description": "Rows of a page; 0: all.",
            "schema": {"type": "integer", "minimum": 0, "default": 10},
        },
        "page": {
            "name": "page", "in": "query", "description": "The page, from 1.",
            "schema": {"type": "integer", "minimum": 1, "default": 1},
        },
        "pagination": {
            "name": "pagination", "in": "query",
            "description": "`false`: all rows, or `limit` of them, without counting.",
            "schema": {"type": "boolean", "default": true},
        },
        "count": {
            "name": "count", "in": "query",
            "description": "`bounded`: counts to `countLimit` at most, or to the end of the page; `none`: to the end of \
                            the page. `totalIsBounded` then says that there are more rows.",
            "schema": {"type": "string", "enum": ["exact", "bounded", "none"], "default": "exact"},
        },
        "format": {
            "name": "format", "in": "query", "description": "The form of the answer, instead of by `Accept`; `csv-ru`: CSV \
            for programs with Russian settings.",
            "schema": {"type": "string", "enum": ["json", "ndjson", "csv", "csv-ru", "xlsx"]},
        },
        "headers": {
            "name": "headers", "in": "query", "description": "What stands above the columns of `csv-ru` and `xlsx`: paths of \
            fields, or their names for people, in the language that `Accept-Language` prefers.",
            "schema": {"type": "string", "enum": ["paths", "labels"], "default": "paths"},
        },
        "countLimit": {
            "name": "countLimit", "in": "query", "description": "The bound of `count=bounded`.",
            "schema": {"type": "integer", "minimum": 1, "default": 1000},
        },
        "sort": {
            "name": "sort", "in": "query",
            "description": "Fields separated by commas, `-` before one for descending; rows that are equal follow \
                            by `-createdAt` and `-id`.",
            "schema": {"type": "string"}, "example": "-createdAt",
        },
        "select": deep("select", "Fields to be shown (`select[name]=true`) or left out (`select[notes]=false`)."),
        "populate": deep("populate", "The same for documents in place of ids, by collection: `populate[herds][name]=true`."),
        "joins": deep("joins", "Rows that point here: `joins[milkTests][limit]=5`, with `page`, `sort`, `where`, `count`."),
        "id": {
            "name": "id", "in": "path", "required": true, "description": "Key of the record.",
            "schema": to_schema("id"),
        },
    })
}

/// A `where` of this collection: a text, as generators make it, and the structure within.
pub(super) fn filter(slug: &str, required: bool) -> Value {
    json!({
        "name": "where", "in": "query", "required": required,
        "description": "Conditions as JSON text of the structure named here; or in brackets: `where[id][in]=1,2`.",
        "schema": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": to_schema(&format!("{slug}-where")),
        },
        "example": "{\"id\":{\"greater_than\":0}}",
    })
}

/// A body of JSON.
pub(super) fn json_body(schema: &str, required: bool) -> Value {
    json!({"required": required, "content": {"application/json": {"schema": to_schema(schema)}}})
}

/// A list of answers by status: the successful ones, and shared ones.
pub(super) fn replies<const N: usize>(good: (&str, Value), shared: [(&str, &str); N]) -> Value {
    let mut out = Map::from_iter([(good.0.to_owned(), counted(good.1))]);
    let more = [
        ("429", "too-many"),
        ("500", "failed"),
        ("503", "unavailable"),
    ];
    for (status, name) in shared.into_iter().chain(more) {
        out.insert(status.to_owned(), super::to_reply(name));
    }
    Value::Object(out)
}

/// The tag of the sign-in operations of a collection.
pub(super) fn sign_in_tag(c: &Collection) -> String {
    format!("{} · Sign-in", c.section)
}

/// An object of texts, all required.
pub(super) fn texts(members: &[(&str, &str)]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let member = |(name, example): &(&str, &str)| {
        (
            (*name).to_owned(),
            json!({"type": "string", "examples": [example]}),
        )
    };
    let properties: Map<_, _> = members.iter().map(member).collect();
    json!({"type": "object", "required": names, "properties": properties})
}

/// Fields as JSON in `_payload`, a file in `file`.
pub(super) fn multipart() -> Value {
    json!({"schema": {
        "type": "object",
        "properties": {
            "_payload": {"type": "string", "contentMediaType": "application/json", "description": "The fields as JSON."},
            "file": {"type": "string", "format": "binary", "description": "The file, where the collection has files."},
        },
    }})
}

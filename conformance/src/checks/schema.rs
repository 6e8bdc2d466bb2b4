//! Documents by the standard's schemas, and meta.

use ade::schema::Standard;
use ade::{Fault, FaultCode};
use serde_json::Value;

use super::{Check, check};
use crate::client::Exchange;
use crate::document;
use crate::offline::plain;
use crate::tally::{Tally, require};
use crate::visit::Visit;

pub(super) static CHECKS: &[Check] = &[
    check!(valid => "schema.resource-type", "schema.required", "schema.types", "schema.codes",
        "schema.formats", "schema.near-misses", "schema.deprecated"),
    check!(meta => "meta.present", "meta.required", "meta.source-id", "meta.source-form",
        "meta.modified-past", "meta.created-first", "meta.validity"),
];

async fn valid(v: &Visit<'_>, t: &mut Tally<'_>) {
    for (entry, page) in v.read_so_far() {
        let bare = bare(&entry.resource);
        for one in &page.members {
            if !bare {
                kind(t, &page.exchange, one, Some(&entry.resource));
            }
            judge(t, &page.exchange, one, &entry.resource);
        }
    }
}

/// `resourceType` of a document and of what is embedded in it.
pub(super) fn kind(t: &mut Tally<'_>, e: &Exchange, one: &Value, expected: Option<&str>) {
    let found = document::text(one, "/resourceType");
    let standard = Standard::get();
    let holds = match (found, expected) {
        (Some(found), Some(expected)) => standard
            .resource(found)
            .zip(standard.resource(expected))
            .map_or(found == expected, |(a, b)| a.name == b.name),
        (Some(found), None) => standard.resource(found).is_some(),
        (None, _) => false,
    };
    require!(t, "schema.resource-type", holds, Some(e),
        "resourceType {} of {}", expected.unwrap_or("of the standard"), document::name(one);
        found "{}", found.unwrap_or("none"));
}

/// Judges a document by a schema, each fault under its requirement.
pub(super) fn judge(t: &mut Tally<'_>, e: &Exchange, one: &Value, schema: &str) {
    let faults = ade::validate(schema, one);
    for id in "schema.required schema.types schema.codes schema.formats".split(' ') {
        t.look(id);
    }
    for fault in &faults {
        if let Some(id) = place(fault) {
            require!(t, id, false, Some(e), "{} valid by {schema}", document::name(one); found "{fault}");
        }
    }
    t.look("schema.near-misses");
    for fault in ade::unknown_members(schema, one) {
        let (parent, name) = fault.pointer.rsplit_once('/').unwrap_or_default();
        let wanted = plain(name);
        let siblings = one.pointer(parent).and_then(Value::as_object);
        let twin = member_names(schema).into_iter().find(|known| *known != name && plain(known) == wanted);
        if let Some(known) = twin.filter(|k| !siblings.is_some_and(|s| s.contains_key(*k))) {
            t.fail("schema.near-misses", Some(e), known, &fault.pointer);
        }
    }
    if schema == "icarReproParturitionEventResource" {
        let old = one.get("progeny").is_some() && one.get("progenyDetails").is_none();
        require!(t, "schema.deprecated", !old, Some(e), "progenyDetails"; found "progeny alone");
    }
}

/// The requirement that a fault breaks; `None` where another check tests it.
fn place(fault: &Fault) -> Option<&'static str> {
    let inside_meta = fault.pointer.starts_with("/meta");
    let kind = fault.pointer == "/resourceType";
    match fault.code {
        _ if kind => None,
        code if inside_meta && of_meta(code) => None,
        FaultCode::Missing => Some("schema.required"),
        FaultCode::NotInEnum => Some("schema.codes"),
        FaultCode::BadFormat | FaultCode::Pattern => Some("schema.formats"),
        FaultCode::UnknownMember => None,
        _ => Some("schema.types"),
    }
}

/// Whether such a fault within `meta` is one of `meta`, not of the document.
const fn of_meta(code: FaultCode) -> bool {
    matches!(code, FaultCode::Missing | FaultCode::WrongType | FaultCode::NotObject)
}

/// Whether a type is no resource by its schema, as those of schemata are not.
fn bare(schema: &str) -> bool {
    !member_names(schema).contains(&"resourceType")
}

/// The members of a resource and its bases.
fn member_names(schema: &str) -> Vec<&'static str> {
    let standard = Standard::get();
    let mut names = Vec::new();
    let mut open = vec![schema];
    while let Some(declaration) = open.pop().and_then(|name| standard.declaration(name)) {
        open.extend(declaration.bases.iter().copied());
        if let ade::schema::Body::Members(members) = &declaration.body {
            names.extend(members.iter().map(|m| m.name));
        }
        if names.len() > 500 {
            break;
        }
    }
    names
}

async fn meta(v: &Visit<'_>, t: &mut Tally<'_>) {
    for (entry, page) in v.read_so_far() {
        if bare(&entry.resource) {
            continue;
        }
        for one in &page.members {
            of(t, &page.exchange, one);
        }
    }
}

fn of(t: &mut Tally<'_>, e: &Exchange, one: &Value) {
    let name = || document::name(one);
    let meta = one.get("meta");
    require!(t, "meta.present", meta.is_some(), Some(e), "meta of {}", name(); found "none");
    let Some(meta) = meta else { return };
    let wrong = ade::validate("icarMetaDataType", meta).into_iter().find(|fault| of_meta(fault.code));
    require!(t, "meta.required", wrong.is_none(), Some(e), "source and modified in meta of {}", name();
        found "{}", wrong.map(|fault| fault.to_string()).unwrap_or_default());
    let id = document::text(meta, "/sourceId");
    require!(t, "meta.source-id", id.is_some(), Some(e), "sourceId in meta of {}", name(); found "none");
    if let Some(source) = document::text(meta, "/source") {
        let fine = source.contains(['.', ':']) && !source.contains(char::is_whitespace);
        require!(t, "meta.source-form", fine, Some(e), "a URI or a reversed domain name"; found "{source}");
    }
    let modified = document::time(meta, "/modified");
    if let (Some(modified), Some(now)) = (modified, e.date()) {
        let fine = modified <= now + 300_000_000_000;
        require!(t, "meta.modified-past", fine, Some(e), "modified of {} in the past", name();
            found "{}", document::text(meta, "/modified").unwrap_or_default());
    }
    for (id, first, second) in
        [("meta.created-first", "/created", "/modified"), ("meta.validity", "/validFrom", "/validTo")]
    {
        if let (Some(a), Some(b)) = (document::time(meta, first), document::time(meta, second)) {
            require!(t, id, a <= b, Some(e), "{first} not after {second} of {}", name(); found "{meta}");
        }
    }
}

//! Passthrough data sets have no mapping file: their documents are stored and served member for
//! member as they were sent (docs/design/exchange.md, *Raw documents*). They are made of the
//! catalogue and the schema alone and look like mappings to the faces, so that one path serves
//! both; a mapping file for the same data set takes their place. The server writes only the
//! members that it owns: type, location, and the times of change.

use crate::Mapping;
use crate::ade_path::AdePath;
use crate::compile::plan::{Read, ReadRule, Target};
use crate::compile::read_entries::Reading;
use crate::identifiers::Identifiers;
use crate::read::document::Inward;
use crate::render::RenderedDocument;
use crate::render::body::{self, Body};
use ade::catalog::{Catalog, CollectionEntry, Verb};
use ade::schema::Standard;
use model::fast::IndexMap;
use model::registry::Kind;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the schema and the catalogue say of the documents of a passthrough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Passthrough {
    /// Each is about one animal: the schema requires `animal`.
    pub animal: bool,
    /// They may have `eventDateTime`.
    pub event: bool,
}

/// Members that the server owns, regardless of what was sent.
const OWNED: [&str; 3] = ["resourceType", "meta", "location"];
/// Members of `meta` that the server owns.
const TIMES: [&str; 2] = ["modified", "created"];
/// The position of the animal in what [`Mapping::intake`] reads.
pub(crate) const ANIMAL: usize = 0;

/// Passthroughs for the catalogue's collections without a mapping file.
pub(crate) fn without_file(mapped: &[&str], source: &str, identifiers: &Arc<Identifiers>) -> Vec<Mapping> {
    let catalog = Catalog::get();
    let names = catalog.collections().iter();
    names
        .filter(|entry| has_own_resources(entry))
        .filter(|entry| !twins(catalog, entry).any(|twin| mapped.contains(&twin.name.as_str())))
        .map(|entry| mapping(catalog, entry, source, identifiers))
        .collect()
}

/// Whether documents of a data set can be stored as they are sent.
pub(crate) fn can_keep(dataset: &str) -> bool {
    let entry = Catalog::get().collection(dataset);
    entry.is_some_and(|entry| entry.name == dataset && has_own_resources(entry))
}

/// Whether the catalogue's collection has resources of its own: it stands at a location, is
/// no second name, and its documents say what they are.
fn has_own_resources(entry: &CollectionEntry) -> bool {
    let required = Standard::get().required_members(&entry.resource);
    let typed = required.is_some_and(|all| all.contains(&"resourceType"));
    entry.scoped && entry.same_as.is_none() && !entry.name.contains('{') && typed
}

/// A collection and its second names.
fn twins<'c>(catalog: &'c Catalog, entry: &'c CollectionEntry) -> impl Iterator<Item = &'c CollectionEntry> {
    let name = Some(entry.name.as_str());
    (catalog.collections().iter()).filter(move |one| one.name == entry.name || one.same_as.as_deref() == name)
}

fn mapping(catalog: &Catalog, entry: &CollectionEntry, source: &str, identifiers: &Arc<Identifiers>) -> Mapping {
    let standard = Standard::get();
    let required = standard.required_members(&entry.resource);
    let passthrough = Passthrough {
        animal: required.is_some_and(|all| all.contains(&"animal")),
        event: (standard.resolve_path(&entry.resource, "eventDateTime")).is_some(),
    };
    let offered = |verb| twins(catalog, entry).any(|one| one.allows(verb));
    let verbs = [(Verb::Get, 'G'), (Verb::Post, 'P'), (Verb::Batch, 'B')];
    let reading =
        Reading { entries: animal_entry().filter(|_| passthrough.animal).into_iter().collect(), ..Reading::default() };
    Mapping {
        name: entry.name.clone(),
        dataset: entry.name.clone(),
        resource: entry.resource.clone(),
        verbs: (verbs.into_iter().filter(|(verb, _)| offered(*verb))).map(|(_, letter)| letter).collect(),
        source: source.to_owned(),
        identifiers: Arc::clone(identifiers),
        inward: Inward::of_passthrough(reading, passthrough.animal.then_some(ANIMAL)),
        passthrough: Some(passthrough),
        ..Mapping::default()
    }
}

/// Reads `animal` as mapped documents do, with the same faults.
pub(crate) fn animal_entry() -> Option<ReadRule> {
    let read = Read::Animal { list: false, male: false, read: false };
    let path = AdePath::parse("animal")?;
    Some(ReadRule { required: true, ..ReadRule::new(path, None, read, Target::Slot(ANIMAL), Kind::Int) })
}

impl Mapping {
    /// Whether its documents are stored as sent, instead of being rows of a collection.
    pub fn is_passthrough(&self) -> bool {
        self.passthrough.is_some()
    }

    /// Whether documents may come in pushes: those that can be posted, and those of each
    /// passthrough and what is stored beside rows, since resources that can only be read must come from somewhere.
    pub fn can_push(&self) -> bool {
        self.can_post() || self.can_batch() || self.keeps_sent()
    }

    /// The animal that a raw document is about, once [`Mapping::intake`] has read it.
    pub fn animal_of(&self, intake: &crate::Intake) -> Option<i64> {
        let mut fields = intake.fields.iter();
        let animal = fields.find(|(slot, _)| *slot == ANIMAL && self.is_passthrough());
        animal.and_then(|(_, value)| value.int())
    }

    /// Renders a raw document at a location: members in the order sent, with their values as
    /// written. None if it is no object.
    pub fn render_sent(&self, document: &SentDocument<'_>, location: i64) -> Option<RenderedDocument> {
        let members: IndexMap<String, &RawValue> = serde_json::from_str(document.text).ok()?;
        let meta: IndexMap<String, &RawValue> = serde_json::from_str(members.get("meta")?.get()).ok()?;
        let mut out = Vec::with_capacity(document.text.len() + 128);
        out.extend_from_slice(b"{\"resourceType\":");
        body::string(&self.resource, &mut out);
        for (name, value) in &members {
            if !OWNED.contains(&name.as_str()) {
                member(name, value, &mut out);
            }
        }
        out.extend_from_slice(b",\"meta\":{");
        let start = out.len();
        for (name, value) in &meta {
            if !TIMES.contains(&name.as_str()) {
                member(name, value, &mut out);
            }
        }
        // The first member has no comma before it; the times after the last one do.
        if out.get(start) == Some(&b',') {
            out.remove(start);
            out.push(b',');
        }
        let gap = out.len();
        out.extend_from_slice(b"},\"location\":");
        body::identifier(&location.to_string(), &self.identifiers.location, &mut out);
        out.push(b'}');
        let event = members.get("eventDateTime").and_then(|raw| {
            let text: String = serde_json::from_str(raw.get()).ok()?;
            ade::time::parse(&text)
        });
        Some(RenderedDocument {
            key: String::new(),
            source: document.source.to_owned(),
            source_id: document.source_id.to_owned(),
            location: Some(location),
            animal: document.animal,
            event_at: event.filter(|_| self.has(crate::Part::Event)),
            created: Some(document.created),
            members: None,
            body: Body::new(out, gap),
            wording: None,
        })
    }
}

#[derive(Debug, Clone, Copy)]
pub struct SentDocument<'k> {
    /// The sender's source.
    pub source: &'k str,
    /// The sender's key.
    pub source_id: &'k str,
    /// The animal that it is about.
    pub animal: Option<i64>,
    /// When it first came, epoch milliseconds.
    pub created: i64,
    /// The text as sent.
    pub text: &'k str,
}

fn member(name: &str, value: &RawValue, out: &mut Vec<u8>) {
    out.push(b',');
    body::string(name, out);
    out.push(b':');
    compact(value.get(), out);
}

/// Copies JSON without the blanks between its parts.
fn compact(json: &str, out: &mut Vec<u8>) {
    let (mut quoted, mut escaped) = (false, false);
    for byte in json.bytes() {
        let blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        if quoted || !blank {
            out.push(byte);
        }
        (quoted, escaped) = match (quoted, escaped, byte) {
            (true, false, b'\\') => (true, true),
            (true, true, _) => (true, false),
            (_, false, b'"') => (!quoted, false),
            _ => (quoted, false),
        };
    }
}

/// What a sender said, without what the server owns: two texts with the same content are
/// the same document. Neither blanks, nor the order of members, nor escapes in texts count;
/// digits of numbers do.
pub fn content(text: &str) -> Option<String> {
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let meta = members.get("meta").map(|raw| raw.get()).unwrap_or("{}");
    let mut meta: BTreeMap<String, &RawValue> = serde_json::from_str(meta).ok()?;
    members.retain(|name, _| !OWNED.contains(&name.as_str()));
    meta.retain(|name, _| !TIMES.contains(&name.as_str()));
    let mut out = String::with_capacity(text.len());
    object(&members, &mut out)?;
    object(&meta, &mut out)?;
    Some(out)
}

fn canonical(raw: &RawValue, out: &mut String) -> Option<()> {
    let text = raw.get();
    match text.bytes().next()? {
        b'{' => object(&serde_json::from_str(text).ok()?, out)?,
        b'[' => {
            let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            out.push('[');
            for element in elements {
                canonical(element, out)?;
                out.push(',');
            }
            out.push(']');
        }
        b'"' => {
            let text: String = serde_json::from_str(text).ok()?;
            out.push_str(&serde_json::to_string(&text).ok()?);
        }
        _ => out.push_str(text),
    }
    Some(())
}

fn object(members: &BTreeMap<String, &RawValue>, out: &mut String) -> Option<()> {
    out.push('{');
    for (name, value) in members {
        out.push_str(&serde_json::to_string(name).ok()?);
        out.push(':');
        canonical(value, out)?;
        out.push(',');
    }
    out.push('}');
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_go_and_texts_stay() {
        let mut out = Vec::new();
        compact(" { \"a b\" : [ 1.0 , \"x \\\" y\\\\\" , \" \" ] }\n", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "{\"a b\":[1.0,\"x \\\" y\\\\\",\" \"]}");
    }

    #[test]
    fn content_is_what_the_sender_said_and_digits_count() {
        let one = r#"{"a": 1.0, "b": {"x": "é", "y": [1, 2]}, "meta": {"source": "s",
            "modified": "2026-01-01T00:00:00Z"}, "location": {"id": "7"}}"#;
        let same = r#"{"meta":{"modified":"2026-02-02T00:00:00Z","source":"s"},
            "b":{"y":[1,2],"x":"\u00e9"},"a":1.0,"resourceType":"icarFeedResource"}"#;
        assert_eq!(content(one), content(same));
        assert!(content(one).is_some());
        for (from, to) in [("1.0", "1.00"), ("\"s\"", "\"t\""), ("[1, 2]", "[2, 1]")] {
            assert_ne!(content(&one.replace(from, to)), content(one), "{from}");
        }
    }
}

//! The wording of a sender: where the sent document differs from what the book renders of the row
//! (docs/design/exchange.md, *Wordings*). It is stored beside the document and laid over it at
//! every rendering, so that senders read what they sent. A difference holds as long as the book
//! renders there what it rendered when the document came; a value that the book changed since is
//! the book's.

use crate::read::unchanged::same;
use crate::render::RenderedDocument;
use crate::render::body::Body;
use model::record::member;
use serde_json::{Map, Value as Json, json};

/// Members that are the book's at every place: what a resource is, where it lives, and by which
/// number its animal is known.
const OWNED: [&str; 4] = ["resourceType", "location", "animal", "@self"];
/// Members of `meta` that are the book's.
const OWNED_META: [&str; 5] = ["source", "sourceId", "modified", "created", CORRECTED];
/// Member of `meta` with the pointers of what the book corrected since the document was sent.
pub const CORRECTED: &str = "corrected";
/// Members whose difference is not reported.
const UNREPORTED: [&str; 2] = ["id", "@self"];

/// Members without which their neighbours mean nothing: an object with one of them differs as
/// a whole, so that no number of the book is read in the unit of a sender.
const QUALIFIERS: [&str; 5] = ["scheme", "units", "unitCode", "unit", "doseUnits"];

/// Members that say what an element of a list is of. Where they are in another order a list differs as a
/// whole, so that no value is read as that of another element.
const KEYS: [&str; 2] = ["characteristic", "productType"];

/// One difference.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    /// JSON pointer (RFC 6901) of the member.
    at: String,
    /// What the book rendered there; none: nothing.
    rendered: Option<Json>,
    /// What the sender has there; none: nothing.
    received: Option<Json>,
}

/// The differences of one document, in its order, and what the book corrected since.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wording {
    entries: Vec<Entry>,
    /// Members that the book changed after they were sent, with what was sent; none: nothing.
    corrected: Map<String, Json>,
}

/// A member that reads otherwise than it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// JSON pointer (RFC 6901) of the member.
    pub at: String,
    /// The value in its place; none: no value.
    pub stored: Option<Json>,
}

/// What came of laying a wording over a document.
#[derive(Debug, Clone, PartialEq)]
pub struct WordedDocument {
    pub document: Json,
    /// Whether every difference still counted.
    pub whole: bool,
}

impl Wording {
    /// The differences between what the book renders and what was sent.
    pub fn between(rendered: &Json, received: &Json) -> Self {
        let mut all = Vec::new();
        let (Json::Object(rendered), Json::Object(received)) = (rendered, received) else {
            return Self::default();
        };
        members(rendered, received, "", &mut all);
        Self { entries: all, corrected: Map::new() }
    }

    /// [`Wording::between`] for a document that came before with the wording `before`: what the
    /// book corrected stays corrected where the sender only repeats the former value.
    pub fn again(rendered: &Json, received: &Json, before: &Self) -> Self {
        Self::between(rendered, received).with(before, before.repeated(received))
    }

    /// The same without what the sender says in these members otherwise than the book.
    pub fn except(mut self, computed: &[String]) -> Self {
        let names = |entry: &Entry| computed.iter().any(|name| entry.at == pointer("", name));
        self.entries.retain(|entry| entry.rendered.is_none() || entry.received.is_none() || !names(entry));
        self
    }

    /// The wording by which a document continues to read as it does, after the mapping and not the
    /// row has changed.
    pub fn rebased(&self, rendered: &Json, read: &Json) -> Self {
        Self::between(rendered, read).with(self, self.corrected.clone())
    }

    /// This wording with these members corrected, whose words are those of before: they count again
    /// when the correction is taken back.
    fn with(mut self, before: &Self, corrected: Map<String, Json>) -> Self {
        let is_corrected = |entry: &Entry| {
            let first = entry.at.split('/').nth(1).unwrap_or_default();
            corrected.contains_key(first)
        };
        self.entries.retain(|entry| !is_corrected(entry));
        let corrected_entries = before.entries.iter().filter(|entry| is_corrected(entry));
        self.entries.extend(corrected_entries.cloned());
        self.corrected = corrected;
        self
    }

    /// The members that were corrected and that a document says as they were sent before.
    fn repeated(&self, received: &Json) -> Map<String, Json> {
        let mut repeated = self.corrected.clone();
        repeated.retain(|name, before| same(received.get(name), Some(before)));
        repeated
    }

    /// A document with what the book says (`read`) in place of members that were corrected and
    /// that the sender only repeats; none where there are none.
    pub fn without_repeats(&self, received: &Json, read: &Json) -> Option<Json> {
        let repeated = self.repeated(received);
        if repeated.is_empty() {
            return None;
        }
        let mut document = received.clone();
        let members = document.as_object_mut()?;
        for name in repeated.keys() {
            match read.get(name) {
                Some(value) => members.insert(name.clone(), value.clone()),
                None => members.shift_remove(name),
            };
        }
        Some(document)
    }

    /// Records what the book changed in a document that reads `before` until now.
    pub fn correct(&mut self, before: &Json, now: &Json) {
        let (Json::Object(before), Json::Object(now)) = (before, now) else {
            return;
        };
        let more = now.keys().filter(|name| !before.contains_key(*name));
        for name in before.keys().chain(more) {
            if name == "meta" || name == "id" || OWNED.contains(&name.as_str()) {
                continue;
            }
            let (was, is) = (before.get(name), now.get(name));
            if same(was, is) {
                continue;
            }
            let received = self.corrected.get(name).or(was).cloned();
            if same(received.as_ref(), is) {
                self.corrected.shift_remove(name);
            } else {
                self.corrected.insert(name.clone(), received.unwrap_or(Json::Null));
            }
        }
    }

    /// Names in `meta` what was corrected.
    pub fn mark(&self, document: &mut Json) {
        let Some(meta) = document.get_mut("meta").and_then(Json::as_object_mut) else {
            return;
        };
        if !self.corrected.is_empty() {
            let pointers = self.corrected.keys().map(|name| pointer("", name));
            meta.insert(CORRECTED.to_owned(), pointers.collect());
        }
    }

    /// Whether the book corrected the document since it was sent.
    pub fn is_corrected(&self) -> bool {
        !self.corrected.is_empty()
    }

    /// Whether the document reads as it was sent by itself.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.corrected.is_empty()
    }

    /// The text that [`Wording::read`] reads: a list with `[pointer, sent]` of each instant that
    /// is written otherwise, and `[pointer, rendered, sent]` of each other member, `null` for
    /// nothing. With corrections it is an object, which holds the list as `words`.
    pub fn text(&self) -> String {
        let list = self.entries.iter().map(|e| match (&e.rendered, &e.received) {
            (Some(rendered), Some(received)) if instants(rendered, received) => {
                json!([e.at, received])
            }
            (rendered, received) => json!([e.at, rendered, received]),
        });
        let words = Json::Array(list.collect());
        if self.corrected.is_empty() {
            return words.to_string();
        }
        json!({"words": words, CORRECTED: self.corrected}).to_string()
    }

    /// Reads [`Wording::text`]; none for any other text.
    pub fn read(text: &str) -> Option<Self> {
        let (words, corrected) = match serde_json::from_str(text).ok()? {
            Json::Object(mut members) => {
                let Json::Object(corrected) = members.remove(CORRECTED)? else {
                    return None;
                };
                (members.remove("words")?, corrected)
            }
            words => (words, Map::new()),
        };
        let list: Vec<Vec<Json>> = serde_json::from_value(words).ok()?;
        let entries = list.into_iter().map(|entry| {
            let mut parts = entry.into_iter();
            let Json::String(at) = parts.next()? else {
                return None;
            };
            let (one, other) = (parts.next()?, parts.next());
            let value = |json: Json| Some(json).filter(|json| !json.is_null());
            Some(match other {
                Some(received) => Entry { at, rendered: value(one), received: value(received) },
                None => Entry { at, rendered: Some(one.clone()), received: Some(one) },
            })
        });
        let entries = entries.collect::<Option<Vec<Entry>>>()?;
        Some(Self { entries, corrected })
    }

    /// Lays the differences that still count over what the book renders now.
    pub fn over(&self, mut document: Json) -> WordedDocument {
        let mut whole = true;
        for entry in &self.entries {
            whole &= entry.over(&mut document);
        }
        WordedDocument { document, whole }
    }

    /// Whether a document says nothing but what is read, besides what the server gives every
    /// document and the times of change.
    pub fn is_repeated(read: &Json, received: &Json) -> bool {
        let meta = |of: &Json| {
            let mut meta = of.get("meta").cloned().unwrap_or_default();
            if let Json::Object(members) = &mut meta {
                members.retain(|name, _| name != "modified" && name != "created");
            }
            meta
        };
        same(Some(&meta(read)), Some(&meta(received))) && Self::differences(read, received).is_empty()
    }

    /// What a document as it is read says otherwise than it was sent, without what the server
    /// gives every document (`id`, `meta.modified`, `meta.created`, `@self`).
    pub fn differences(read: &Json, received: &Json) -> Vec<Difference> {
        let (Json::Object(read), Json::Object(received)) = (read, received) else {
            return Vec::new();
        };
        let mut differences = Vec::new();
        for (name, value) in received {
            let stored = member(read, name);
            if UNREPORTED.contains(&name.as_str()) || name == "meta" || same(stored, Some(value)) {
                continue;
            }
            differences.push(Difference { at: pointer("", name), stored: stored.cloned() });
        }
        let owned = |name: &String| OWNED.contains(&name.as_str()) || name == "meta";
        for (name, value) in read.iter().filter(|(name, _)| member(received, name).is_none()) {
            if !owned(name) && !UNREPORTED.contains(&name.as_str()) {
                differences.push(Difference { at: pointer("", name), stored: Some(value.clone()) });
            }
        }
        differences
    }
}

impl Entry {
    /// Whether the difference still counted.
    fn over(&self, document: &mut Json) -> bool {
        let Some((above, name)) = self.at.rsplit_once('/') else {
            return false;
        };
        let Some(parent) = document.pointer_mut(above) else {
            return false;
        };
        let name = name.replace("~1", "/").replace("~0", "~");
        match parent {
            Json::Object(members) => {
                if !self.counts(members.get(&name)) {
                    return false;
                }
                match &self.received {
                    Some(received) => members.insert(name, received.clone()),
                    None => members.shift_remove(&name),
                };
                true
            }
            Json::Array(elements) => {
                let place = name.parse::<usize>().ok();
                let place = place.and_then(|at| elements.get_mut(at));
                let Some((place, received)) = place.zip(self.received.as_ref()) else {
                    return false;
                };
                let counts = self.counts(Some(place));
                if counts {
                    place.clone_from(received);
                }
                counts
            }
            _ => false,
        }
    }

    fn counts(&self, now: Option<&Json>) -> bool {
        match (now.filter(|now| !now.is_null()), &self.rendered) {
            (Some(now), Some(then)) => now == then || instants(now, then),
            (None, None) => true,
            _ => false,
        }
    }
}

fn pointer(above: &str, name: &str) -> String {
    format!("{above}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Whether both are the same instant to the millisecond.
fn instants(one: &Json, other: &Json) -> bool {
    let at = |json: &Json| json.as_str().and_then(ade::time::parse);
    at(one).is_some_and(|instant| at(other) == Some(instant))
}

fn owned(above: &str, name: &str, rendered: Option<&Json>) -> bool {
    match above {
        "" => OWNED.contains(&name) || name == "id" && rendered.is_some(),
        "/meta" => OWNED_META.contains(&name),
        _ => false,
    }
}

fn members(rendered: &Map<String, Json>, received: &Map<String, Json>, above: &str, all: &mut Vec<Entry>) {
    let here = rendered.iter().map(|(name, ours)| (name, Some(ours), member(received, name)));
    let more = received.iter().filter(|(name, _)| member(rendered, name).is_none());
    for (name, ours, theirs) in here.chain(more.map(|(name, theirs)| (name, None, Some(theirs)))) {
        let (ours, theirs) = (filled(ours), filled(theirs));
        if !owned(above, name, ours) && !alike(ours, theirs) {
            compare(ours, theirs, pointer(above, name), all);
        }
    }
}

/// A member that is there; `null` is none.
fn filled(value: Option<&Json>) -> Option<&Json> {
    value.filter(|value| !value.is_null())
}

/// Whether two scalars are the same, for which no pointer is written.
fn alike(rendered: Option<&Json>, received: Option<&Json>) -> bool {
    match (rendered, received) {
        (Some(Json::Object(_) | Json::Array(_)), _) => false,
        (Some(Json::Number(_)), Some(Json::Number(_))) => same(rendered, received),
        (ours, theirs) => ours == theirs,
    }
}

fn compare(rendered: Option<&Json>, received: Option<&Json>, at: String, all: &mut Vec<Entry>) {
    let entry = |at| Entry { at, rendered: rendered.cloned(), received: received.cloned() };
    match (rendered, received) {
        (Some(Json::Object(ours)), Some(Json::Object(theirs))) => {
            let mut inner = Vec::new();
            members(ours, theirs, &at, &mut inner);
            let qualified = |of: &Map<String, Json>| QUALIFIERS.iter().any(|q| member(of, q).is_some());
            let replaced = inner.iter().any(|entry| entry.rendered.is_some());
            if replaced && (qualified(ours) || qualified(theirs)) {
                all.push(entry(at));
            } else {
                all.append(&mut inner);
            }
        }
        (Some(Json::Array(ours)), Some(Json::Array(theirs))) if ours.len() == theirs.len() => {
            let (mut inner, mut other) = (Vec::new(), false);
            for (place, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                if !alike(Some(ours), Some(theirs)) {
                    compare(Some(ours), Some(theirs), format!("{at}/{place}"), &mut inner);
                }
                other |= KEYS.iter().any(|key| ours.get(key) != theirs.get(key));
            }
            if other {
                all.push(entry(at));
            } else {
                all.append(&mut inner);
            }
        }
        (ours, theirs) if alike(ours, theirs) || ours == theirs => {}
        _ => all.push(entry(at)),
    }
}

impl RenderedDocument {
    /// The text as JSON, without the times of change.
    pub fn document(&self) -> Option<Json> {
        let mut document = self.json()?;
        let meta = document.get_mut("meta")?.as_object_mut()?;
        meta.shift_remove("modified");
        meta.shift_remove("created");
        Some(document)
    }

    /// Replaces the text by that of a document.
    pub fn reword(&mut self, document: &Json) {
        if let Some(body) = Body::of(document) {
            self.body = body;
        }
    }
}

#[cfg(test)]
mod tests;

//! Judges documents that came back, and those that were refused.

use std::collections::{BTreeMap, BTreeSet};

use ade::catalog::CollectionEntry;
use ade::schema::{PathKind, Standard};
use serde_json::Value;

use crate::client::Exchange;
use crate::compare::{self, Difference, Kind};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::Visit;

/// Lists in which an answer reports what the server did with a document.
const REPORTS: [&str; 3] = ["errors", "warnings", "messages"];

/// The member at the top that a pointer begins with.
pub(super) fn top(pointer: &str) -> &str {
    pointer.split('/').nth(1).unwrap_or_default()
}

/// A pointer without places in arrays, and the kind of the difference.
type Key = (String, Kind);

fn key(one: &Difference) -> Key {
    (path(&one.pointer).join("/"), one.kind)
}

/// The names of a pointer, without places in arrays.
fn path(pointer: &str) -> Vec<&str> {
    let names = pointer.split('/').skip(1);
    names.filter(|part| part.parse::<usize>().is_err()).collect()
}

/// Judges the documents of one type.
pub(super) struct Judge<'v> {
    visit: &'v Visit<'v>,
    entry: &'static CollectionEntry,
    resource: &'static str,
    /// Differences that were reported already, with the code that they are about.
    reported: BTreeSet<(Key, String)>,
    /// Whether a difference also occurs where its member is sent alone.
    alone: BTreeMap<Key, bool>,
}

impl<'v> Judge<'v> {
    pub(super) fn new(visit: &'v Visit<'v>, entry: &'static CollectionEntry, resource: &'static str) -> Self {
        Self { visit, entry, resource, reported: BTreeSet::new(), alone: BTreeMap::new() }
    }

    /// The differences, without members that the standard does not know and without those that the
    /// answer to the document names.
    pub(super) fn differences(&self, document: &Value, came: &Value, e: &Exchange) -> Vec<Difference> {
        let mut all = compare::differences(document, came);
        let names = message_words(e);
        all.retain(|one| {
            let path = path(&one.pointer);
            let known = one.kind != Kind::Invented || self.kind(&path).is_some();
            let named = path.last().is_some_and(|name| names.contains(*name));
            known && !named
        });
        all
    }

    fn kind(&self, path: &[&str]) -> Option<PathKind<'static>> {
        let found = Standard::get().resolve_path(self.resource, &path.join("."));
        found.map(|info| info.kind)
    }

    fn is_code(&self, one: &Difference) -> bool {
        one.kind == Kind::Changed && matches!(self.kind(&path(&one.pointer)), Some(PathKind::Enum { .. }))
    }

    /// Whether it is not known yet if a member alone causes the difference.
    pub(super) fn to_confirm(&self, one: &Difference) -> bool {
        !self.is_code(one) && !self.alone.contains_key(&key(one))
    }

    /// Notes for each difference of `before` whether it also occurs where its member is sent alone.
    pub(super) fn alone(&mut self, before: &[Difference], found: &[Difference]) {
        let found: BTreeSet<Key> = found.iter().map(key).collect();
        for one in before.iter().map(key) {
            let own = found.contains(&one);
            self.alone.insert(one, own);
        }
    }

    /// Reports the differences of a document that was accepted.
    pub(super) fn tell(
        &mut self,
        t: &mut Tally<'_>,
        (sent, came): (&Value, &Value),
        found: &[Difference],
        e: &Exchange,
    ) {
        let ids = ["roundtrip.members", "roundtrip.values", "roundtrip.codes", "roundtrip.order", "roundtrip.invented"];
        let mut broken = BTreeSet::new();
        for one in found {
            let code = self.is_code(one);
            let key = key(one);
            if !code && self.alone.get(&key) == Some(&false) {
                continue;
            }
            let id = match one.kind {
                Kind::Dropped => "roundtrip.members",
                Kind::Changed if code => "roundtrip.codes",
                Kind::Changed => "roundtrip.values",
                Kind::Reordered => "roundtrip.order",
                Kind::Invented => "roundtrip.invented",
            };
            broken.insert(id);
            let value = if code { one.sent.to_string() } else { String::new() };
            if !self.reported.insert((key, value)) {
                continue;
            }
            let expected = match one.kind {
                Kind::Invented => format!("{} without {}", self.resource, one.pointer),
                _ => format!("{} with {} as sent", self.resource, one.pointer),
            };
            t.fail(id, Some(e), expected, one.to_string());
            let (name, pair) = (&self.entry.name, document::name(sent));
            self.visit.changed.add(format!("{name} {pair}: {one}"));
        }
        for id in ids.into_iter().filter(|id| !broken.contains(id)) {
            t.look(id);
        }
        t.valid("roundtrip.valid", Some(e), (self.resource, came), || format!("{} valid by its schema", self.resource));
    }

    /// Reports that a document was refused for these members at the top.
    pub(super) fn refused(&self, t: &mut Tally<'_>, members: &BTreeSet<&'static str>, e: &Exchange) {
        let (name, status) = (&self.entry.name, e.status);
        let list: Vec<String> = members.iter().map(|name| format!("/{name}")).collect();
        let what = match list.is_empty() {
            true => "a valid document, without a word of a member".to_owned(),
            false => list.join(", "),
        };
        let mut why = String::new();
        if let Some(first) = e.json().and_then(|body| body.pointer("/errors/0")) {
            let sentence = document::text(first, "/detail").or(document::text(first, "/title"));
            why = sentence.map_or_else(String::new, |text| format!(": {text}"));
        }
        self.visit.refused.add(format!("{name}: {what} ({status}{why})"));
        if e.refused() {
            let found: String = String::from_utf8_lossy(&e.body).chars().take(200).collect();
            require!(t, "roundtrip.refusal-named", !members.is_empty(), Some(e),
                "the member of {} that is refused", self.resource; found "{found}");
        }
    }

    /// The members at the top that a refusal names: by its pointers, or else by its words.
    pub(super) fn named(&self, sent: &Value, e: &Exchange) -> BTreeSet<&'static str> {
        let Some(body) = e.json() else {
            return BTreeSet::new();
        };
        let sent = sent.as_object();
        let info = Standard::get().members(self.resource).unwrap_or_default();
        let known: Vec<&'static str> = info.iter().map(|one| one.name).collect();
        let (mut pointed, mut worded) = (BTreeSet::new(), BTreeSet::new());
        document::walk(body, &mut |_, value| {
            let Some(text) = value.as_str() else { return };
            let pointer = text.trim_start_matches(['#', '$']);
            let first = pointer.strip_prefix(['/', '.']).unwrap_or_default();
            let first = first.split(['/', '.', '[']).next().unwrap_or_default();
            let words = words(text);
            for name in known.iter().copied() {
                if name == first {
                    pointed.insert(name);
                }
                // A nested name counts for the member at the top around it.
                let inside = || {
                    let mut inside = false;
                    let value = sent.and_then(|sent| sent.get(name));
                    document::walk(value.unwrap_or(&Value::Null), &mut |at, _| {
                        let last = at.rsplit('/').next().unwrap_or_default();
                        inside |= !last.is_empty() && words.contains(last);
                    });
                    inside
                };
                if words.contains(name) || inside() {
                    worded.insert(name);
                }
            }
        });
        match pointed.is_empty() {
            true => worded,
            false => pointed,
        }
    }
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '@').collect()
}

/// The words of the messages that an answer contains besides the document itself.
fn message_words(e: &Exchange) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for header in e.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("warning")) {
        all.extend(words(&header.1).into_iter().map(str::to_owned));
    }
    for list in REPORTS {
        if let Some(list) = e.json().and_then(|body| body.get(list)) {
            document::walk(list, &mut |_, value| {
                let text = value.as_str().unwrap_or_default();
                all.extend(words(text).into_iter().map(str::to_owned));
            });
        }
    }
    all
}

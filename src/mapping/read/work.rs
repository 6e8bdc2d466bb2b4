//! One document being read: entry by entry into slots, with what was used up and the messages for
//! the sender.

use crate::ade_path::ENVELOPE;
use crate::ade_path::{PathStep, pointer};
use crate::compile::plan::{Read, ReadRule, RowsRule, Target};
use crate::read::value::{ReadError, Reader};
use model::error::{Issue, Severity};
use model::fast::IndexMap;
use model::record::Value;
use model::record::time;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// One document under work.
pub(crate) struct Work<'a> {
    pub(crate) reader: Reader<'a>,
    pub(crate) set: IndexMap<usize, Value>,
    pub(crate) used: Vec<Vec<PathStep<'a>>>,
    /// Texts that are stored for unknown relations.
    pub(crate) texts: Vec<(usize, Value)>,
    pub(crate) issues: Vec<Issue>,
    /// Slots of each row of a document of several.
    pub(crate) parts: Vec<Vec<(usize, Value)>>,
}

impl<'a> Work<'a> {
    pub(crate) fn missing(&mut self, at: String) {
        self.issues.push(Issue::error(at, "field-missing", "is required here"));
    }

    fn put(&mut self, slot: usize, value: Value) {
        let there = self.set.entry(slot).or_insert(Value::Null);
        if there.is_null() {
            *there = value;
        }
    }

    pub(crate) fn entries(&mut self, entries: &'a [ReadRule], doc: &Json) {
        for entry in entries {
            if let Read::Parts(inner) = &entry.read {
                self.read_parts(entry, inner, doc);
            }
            let Target::Slot(slot) = entry.target else {
                continue;
            };
            let values = entry.values_in(doc);
            let taken = entry.unless.is_some_and(|s| self.set.get(&s).is_some_and(|v| !v.is_null()));
            if let Read::Rows(rows) = &entry.read {
                self.rows(slot, rows, &values, doc);
            } else if let Read::Here(here) = &entry.read {
                self.here(entry, here, slot, &values);
            } else if taken {
                self.used.extend(values.into_iter().map(|(places, _)| places));
                self.put(slot, Value::Null);
            } else {
                self.value(entry, slot, &values);
            }
        }
        for (slot, value) in std::mem::take(&mut self.texts) {
            self.put(slot, value);
        }
    }

    /// Whether the fields that an entry depends on have the required values.
    fn admits(&self, entry: &ReadRule) -> bool {
        entry.when.iter().all(|(slot, words)| {
            let value = self.set.get(slot).unwrap_or(&Value::Null);
            words.iter().any(|word| match word.as_str() {
                "" => value.is_null(),
                "*" => !value.is_null(),
                word => value.text() == Some(word),
            })
        })
    }

    fn value(&mut self, entry: &ReadRule, slot: usize, values: &[(Vec<PathStep<'a>>, &Json)]) {
        let open = (values.iter())
            .filter(|(places, _)| !entry.spare || !self.used.contains(places))
            .filter(|_| self.admits(entry));
        let error = match self.reader.first(entry, open) {
            Ok(read) => {
                let there = self.set.get(&slot).filter(|v| !v.is_null());
                if entry.yields && there.is_some_and(|v| *v != read.value) {
                    return;
                }
                self.used.extend(read.used);
                if let Some((second, value)) = entry.second.zip(read.second) {
                    self.put(second, value);
                }
                let said = entry.same.iter().any(|s| self.set.get(s) == Some(&read.value));
                return self.put(slot, if said { Value::Null } else { read.value });
            }
            Err(error) => error,
        };
        if let Some(second) = entry.second {
            self.put(second, Value::Null);
        }
        if let (ReadError::Unknown(Some(text)), Some(place)) = (&error.1, entry.text) {
            let short: String = text.chars().take(TEXT).collect();
            self.texts.push((place, Value::Text(short)));
        }
        if !entry.quiet {
            self.issues.extend(error.1.issue(&error.0, entry.required));
        }
        if entry.placeholder && self.admits(entry) {
            let id = self.reader.resolved.placeholder();
            self.put(slot, id.into());
        } else if !entry.keep {
            self.put(slot, entry.empty.clone());
        }
    }

    /// Required fields that no entry filled.
    pub(crate) fn required(&mut self, entries: &[ReadRule]) {
        for entry in entries.iter().filter(|e| e.required && !e.keep) {
            let Target::Slot(slot) = entry.target else {
                continue;
            };
            if self.set.get(&slot).is_some_and(|value| !value.is_null()) {
                continue;
            }
            let at = format!("{}{}", self.reader.base, entry.path.pointer());
            let reported = self.issues.iter().any(|i| i.path.starts_with(&at) && i.severity == Severity::Error);
            if !reported {
                self.missing(at);
            }
        }
    }

    fn rows(&mut self, slot: usize, rows: &'a RowsRule, values: &[(Vec<PathStep<'a>>, &Json)], doc: &Json) {
        let mut read = Vec::new();
        for (places, list) in values {
            for (i, element) in list.as_array().into_iter().flatten().enumerate() {
                let mut at = places.clone();
                at.push(PathStep::Element(i));
                read.push(self.row(rows, &at, element));
            }
        }
        if !rows.counts.is_empty() {
            let totals = self.totals(doc);
            let has_rows = totals.is_some() || !read.is_empty();
            if read.is_empty() {
                read = totals.unwrap_or_default();
            }
            if self.counted(rows, &read, has_rows) {
                return self.put(slot, Value::Null);
            }
        }
        let value = if read.is_empty() { Value::Null } else { Value::json(Json::Array(read)) };
        self.put(slot, value);
    }

    fn row(&mut self, rows: &'a RowsRule, at: &[PathStep<'a>], element: &Json) -> Json {
        let outer = std::mem::replace(&mut self.reader.base, pointer(at));
        let mut row = Map::new();
        for entry in &rows.entries {
            let Target::Item(name) = &entry.target else {
                continue;
            };
            match self.reader.first(entry, &entry.values_in(element)) {
                Ok(read) => {
                    self.used.extend(read.used.into_iter().map(|inner| [at, &inner].concat()));
                    row.insert(name.clone(), item(read.value));
                }
                Err((at, error)) => {
                    self.issues.extend(error.issue(&at, entry.required));
                    if !entry.empty.is_null() {
                        row.insert(name.clone(), item(entry.empty.clone()));
                    }
                }
            }
        }
        for name in ENVELOPE {
            let mut place = at.to_vec();
            place.push(PathStep::Member(name));
            self.used.push(place);
        }
        self.reader.base = outer;
        Json::Object(row)
    }

    /// Calves that are only counted: their sex is not known.
    fn totals(&mut self, doc: &Json) -> Option<Vec<Json>> {
        let mut number = |name: &'static str| {
            self.used.push(vec![PathStep::Member(name)]);
            doc.get(name).and_then(Json::as_u64).filter(|n| *n <= MOST)
        };
        let (live, all) = (number("liveProgeny"), number("totalProgeny"));
        let live = live?;
        let calf = |status: &str| json!({"sex": "unknown", "birthStatus": status});
        let dead = all.unwrap_or(live).saturating_sub(live);
        let alive = (0..live).map(|_| calf("alive"));
        Some(alive.chain((0..dead).map(|_| calf("stillborn"))).collect())
    }

    /// Rows that say no more than counts do are stored as counts. `has_rows`: none means zero.
    fn counted(&mut self, rows: &RowsRule, read: &[Json], has_rows: bool) -> bool {
        let plain = |row: &Json| rows.counts.iter().any(|(_, pattern)| pattern == row);
        if !read.iter().all(plain) {
            return false;
        }
        for (slot, pattern) in &rows.counts {
            let count = read.iter().filter(|row| *row == pattern).count();
            let count = i64::try_from(count).ok().filter(|_| has_rows);
            self.put(*slot, count.into());
        }
        true
    }
}

/// Longest text that is stored for an unknown sire (`bullText`).
const TEXT: usize = 60;
/// More calves than this are a slip of the keyboard.
const MOST: u64 = 20;

/// A value as a member of a row.
fn item(value: Value) -> Json {
    match value {
        Value::Null | Value::Ids(_) => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Int(i) => json!(i),
        Value::Num(n) => json!(n),
        Value::Text(t) => Json::String(t),
        Value::Texts(t) => json!(t),
        Value::Json(j) => Arc::unwrap_or_clone(j),
        Value::Time(t) => {
            let mut text = Vec::new();
            time::write_iso(t, &mut text);
            Json::String(String::from_utf8(text).unwrap_or_default())
        }
    }
}

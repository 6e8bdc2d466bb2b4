//! Reading of single values, collecting every fault.

use super::keys::KEYS;
use config::{Config, Value, ValueKind};
use model::error::Issue;
use model::messages::Sentence;
use std::ops::RangeInclusive;

/// The merged sources, and the faults found so far.
pub(super) struct Reader<'c> {
    merged: &'c Config,
    pub(super) faults: Vec<Issue>,
}

impl<'c> Reader<'c> {
    pub(super) fn new(merged: &'c Config) -> Self {
        Self { merged, faults: Vec::new() }
    }

    pub(super) fn fault(&mut self, key: &str, code: &'static str, message: impl Into<Sentence>) {
        self.faults.push(Issue::error(key, code, message));
    }

    fn value(&self, key: &str) -> Option<ValueKind> {
        let value: Option<Value> = self.merged.get(key).ok();
        value.map(|v| v.kind).filter(|kind| !matches!(kind, ValueKind::Nil))
    }

    /// Text; empty when there is none.
    pub(super) fn text(&mut self, key: &str) -> String {
        match self.value(key) {
            None => String::new(),
            Some(ValueKind::String(text)) => text,
            // A number without quotes in the file is meant as the text it looks like.
            Some(ValueKind::I64(number)) => number.to_string(),
            Some(_) => {
                self.fault(key, "not-text", "must be text");
                String::new()
            }
        }
    }

    /// Text that must not be empty.
    pub(super) fn needed(&mut self, key: &str) -> String {
        let before = self.faults.len();
        let text = self.text(key);
        if text.trim().is_empty() && self.faults.len() == before {
            self.fault(key, "required", "must not be empty");
        }
        text
    }

    /// A whole number in a range, the lower end when it is none; `None` where the type is too small for it.
    pub(super) fn number<T: TryFrom<u64>>(&mut self, key: &str, range: &RangeInclusive<u64>) -> Option<T> {
        let number = match self.value(key) {
            Some(ValueKind::I64(n)) => u64::try_from(n).ok(),
            Some(ValueKind::U64(n)) => Some(n),
            Some(ValueKind::String(text)) => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|n| range.contains(n)).unwrap_or_else(|| {
            let (start, end) = (range.start(), range.end());
            let message = format!("must be a whole number from {start} to {end}");
            self.fault(key, "not-a-number", message);
            *start
        });
        T::try_from(number).ok()
    }

    /// Whether a key has a value, be it a wrong one.
    pub(super) fn is_said(&self, key: &str) -> bool {
        match self.value(key) {
            None => false,
            Some(ValueKind::String(text)) => !text.is_empty(),
            Some(_) => true,
        }
    }

    pub(super) fn flag(&mut self, key: &str) -> bool {
        match self.value(key) {
            Some(ValueKind::Boolean(truth)) => truth,
            Some(ValueKind::String(text)) if text == "true" => true,
            Some(ValueKind::String(text)) if text == "false" => false,
            _ => {
                self.fault(key, "not-a-flag", "must be true or false");
                false
            }
        }
    }

    /// A list of texts: an array, or one text with commas.
    pub(super) fn list(&mut self, key: &str) -> Vec<String> {
        let texts = match self.value(key) {
            None => Some(Vec::new()),
            Some(ValueKind::String(text)) => Some(text.split(',').map(str::to_owned).collect()),
            Some(ValueKind::Array(values)) => (values.into_iter())
                .map(|value| match value.kind {
                    ValueKind::String(text) => Some(text),
                    _ => None,
                })
                .collect(),
            Some(_) => None,
        };
        let Some(texts) = texts else {
            self.fault(key, "not-a-list", "must be a list of texts");
            return Vec::new();
        };
        let trimmed = texts.iter().map(|text| text.trim());
        trimmed.filter(|text| !text.is_empty()).map(str::to_owned).collect()
    }

    /// One of the named words; `instead` when it is none.
    pub(super) fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)], instead: T) -> T {
        let text = self.text(key);
        let entry = words.iter().find(|(word, _)| *word == text);
        if entry.is_none() {
            let names: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.fault(key, "not-a-choice", format!("must be one of {}", names.join(", ")));
        }
        entry.map_or(instead, |(_, meaning)| *meaning)
    }
}

/// Keys of a configuration file that mean nothing here.
pub(super) fn unknown(file: &Config) -> Vec<Issue> {
    let mut faults = Vec::new();
    let root = file.cache.clone();
    if let Ok(table) = root.into_table() {
        let sections: Vec<_> = (KEYS.iter()).filter_map(|key| Some(key.name.split_once('.')?.0)).collect();
        for (name, value) in table {
            match value.into_table() {
                Ok(inner) if sections.contains(&name.as_str()) => {
                    let inner = inner.into_keys().map(|key| format!("{name}.{key}"));
                    faults.extend(inner.filter(|name| !is_known(name)).map(strange));
                }
                _ if is_known(&name) => {}
                _ => faults.push(strange(name)),
            }
        }
    }
    faults.sort_by(|a, b| a.path.cmp(&b.path));
    faults
}

/// Flags without a key.
pub(super) fn unknown_flags<'n>(names: impl Iterator<Item = &'n str>) -> Vec<Issue> {
    names.filter(|name| !is_known(name)).map(|name| strange(name.to_owned())).collect()
}

fn is_known(name: &str) -> bool {
    KEYS.iter().any(|key| key.name == name)
}

fn strange(name: String) -> Issue {
    Issue::error(name, "unknown-key", "there is no such key")
}

//! Code tables: our words and the standard's codes, both ways (docs/design/mappings.md, *Codes*). A
//! table lists exceptions only; every other word becomes its `PascalCase`.

use crate::compile::file::{Faults, TableText};
use model::registry::Kind;
use std::collections::BTreeMap;

/// One compiled table.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Codes {
    out: BTreeMap<String, String>,
    back: BTreeMap<String, String>,
}

impl Codes {
    /// The standard's code for a word of ours.
    pub(crate) fn out(&self, ours: &str) -> Option<&str> {
        self.out.get(ours).map(String::as_str)
    }

    /// Our word for a code of the standard.
    pub(crate) fn back(&self, code: &str) -> Option<&str> {
        self.back.get(code).map(String::as_str)
    }

    /// The codes that go out or come in.
    pub(crate) fn all_codes(&self) -> impl Iterator<Item = &str> {
        let codes = self.out.values().map(String::as_str);
        codes.chain(self.back.keys().map(String::as_str))
    }

    /// Takes over the words of another table; known ones stay.
    pub(crate) fn add(&mut self, other: &Self) {
        for (word, code) in &other.out {
            self.out.entry(word.clone()).or_insert_with(|| code.clone());
        }
        for (code, word) in &other.back {
            self.back.entry(code.clone()).or_insert_with(|| word.clone());
        }
    }

    /// A table for a field and an enumeration of the standard. For a free text field all codes of
    /// the enumeration are used unchanged.
    pub(crate) fn build(kind: &Kind, codes: &[&str], table: &TableText, at: &str, faults: &mut Faults) -> Self {
        let mut built = Self::default();
        let words: Vec<String> = match kind {
            Kind::Select(words) | Kind::Selects(words) => words.clone(),
            Kind::Int => table.out.keys().cloned().collect(),
            _ if table.camel => codes.iter().map(|c| camel(c)).collect(),
            _ => codes.iter().map(|c| (*c).to_owned()).collect(),
        };
        for word in &words {
            let code = table.out.get(word).cloned().unwrap_or_else(|| pascal(word));
            if codes.contains(&code.as_str()) {
                built.back.entry(code.clone()).or_insert_with(|| word.clone());
                built.out.insert(word.clone(), code);
            } else if !table.unmapped.contains_key(word) {
                let message = format!("{word} has no code: {code} is not one of the standard's");
                faults.add(at, "value-unmapped", message);
            }
        }
        for (code, word) in table.out.iter().map(|(w, c)| (c, w)).chain(&table.back) {
            if !words.contains(word) {
                let message = format!("the field has no value {word}");
                faults.add(at, "no-such-value", message);
            }
            if !codes.contains(&code.as_str()) {
                let message = format!("the standard has no code {code}");
                faults.add(at, "no-such-code", message);
            }
        }
        (built.back).extend(table.back.iter().map(|(c, w)| (c.clone(), w.clone())));
        for code in table.refused.keys() {
            built.back.remove(code);
        }
        let reasons = table.unmapped.iter().chain(&table.refused);
        for (word, _) in reasons.filter(|(_, reason)| reason.trim().is_empty()) {
            faults.add(at, "no-reason", format!("{word} has none"));
        }
        built
    }
}

/// `NotPregnant` → `notPregnant`.
fn camel(code: &str) -> String {
    let mut chars = code.chars();
    chars.next().map_or_else(String::new, |c| c.to_ascii_lowercase().to_string() + chars.as_str())
}

/// `notPregnant` → `NotPregnant`.
pub(crate) fn pascal(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |c| c.to_ascii_uppercase().to_string() + chars.as_str())
}

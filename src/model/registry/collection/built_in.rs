//! Collections whose rows take the place of values that are built in, so that people see what is in force also where there
//! is no row.

use crate::registry::Collection;

/// A collection of such rows.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// The field that names what a row sets.
    pub key: &'static str,
    /// The field with the value; empty in a row: the built-in one.
    pub value: &'static str,
    /// The flag without which nothing is in force, where there is one.
    pub enabled: Option<&'static str>,
    /// The field with the words of [`Setting::used`]: its collection and path.
    pub used: (&'static str, &'static str),
    /// All that there is, subject by subject.
    pub all: fn() -> Vec<Setting>,
}

/// What a row may set.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The word of the key.
    pub word: &'static str,
    /// What it is about, as a word.
    pub subject: &'static str,
    pub built_in: BuiltInValue,
    /// What uses it, or what it uses, by words.
    pub used: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BuiltInValue {
    /// A number, with the lowest and the highest that is allowed, and its unit.
    Number(f64, [f64; 2], &'static str),
    /// A choice.
    Word(&'static str),
}

impl Collection {
    /// Its rows take the place of built-in values.
    pub fn built_in(mut self, of: BuiltIn) -> Self {
        self.built_in = Some(of);
        self
    }
}

//! A finding, and its sentence.

use super::day::Day;

/// Languages of the sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    Russian,
}

/// A sentence with `{values}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence {
    pub english: &'static str,
    pub russian: &'static str,
}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a look.
    Note,
    /// Must be corrected.
    Fix,
}

/// What a finding is about: a field of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Path of the collection.
    pub collection: &'static str,
    /// Id of the row.
    pub row: i64,
    /// The animal that the row is about.
    pub animal: Option<i64>,
    /// The field.
    pub path: &'static str,
}

/// A value in a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(i64),
    /// A number, written with at most two decimals.
    Number(f64),
    Day(Day),
    /// A number of an animal, a code, a name.
    Text(String),
}

impl Value {
    fn text(&self, language: Language) -> String {
        match (self, language) {
            (Self::Whole(n), _) => n.to_string(),
            (Self::Number(n), _) => {
                let text = format!("{n:.2}");
                let text = text.trim_end_matches('0').trim_end_matches('.');
                match language {
                    Language::English => text.to_owned(),
                    Language::Russian => text.replace('.', ","),
                }
            }
            (Self::Day(day), Language::English) => day.iso(),
            (Self::Day(day), Language::Russian) => {
                let (month, of_month) = day.month_and_day();
                format!("{of_month:02}.{month:02}.{:04}", day.year())
            }
            (Self::Text(text), _) => text.clone(),
        }
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Self::Whole(n)
    }
}

impl From<usize> for Value {
    fn from(n: usize) -> Self {
        Self::Whole(i64::try_from(n).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value {
    fn from(n: f64) -> Self {
        Self::Number(n)
    }
}

impl From<Day> for Value {
    fn from(day: Day) -> Self {
        Self::Day(day)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// What a finding tells of an animal other than the one that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// Who an ancestor is, at most [`Visibility::GENERATIONS`] back: number, name, sex, breed, day of birth. That belongs to
    /// the animal that descends from it.
    Identity,
    /// What every reader of its row sees: number, sex, birth.
    Row,
    /// Its card: other numbers, parents, blood, tests.
    Card,
    Events,
}

impl Visibility {
    /// Generations of ancestors that a pedigree shows.
    pub const GENERATIONS: usize = 10;
}

/// What a check found at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Code of the check.
    pub code: &'static str,
    /// The field that it is about.
    pub place: Place,
    /// How grave.
    pub severity: Severity,
    /// What it says.
    pub sentence: Sentence,
    /// Values of the sentence, by their names in it. A value of a relative or of another herd's animal stands here and
    /// nowhere else, so that a face can keep it from whom it is not for.
    pub values: Vec<(&'static str, Value)>,
    /// Every other animal without which the finding would not be, or would read differently, and what it tells of it.
    /// Who does not see all of that must not learn of the finding.
    pub others: Vec<(i64, Visibility)>,
}

impl Finding {
    /// The sentence for people.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let mut text = match language {
            Language::English => self.sentence.english,
            Language::Russian => self.sentence.russian,
        };
        let mut out = String::with_capacity(text.len());
        while let Some((before, rest)) = text.split_once('{') {
            let (name, after) = rest.split_once('}').unwrap_or((rest, ""));
            out.push_str(before);
            let value = self.values.iter().find(|(key, _)| *key == name);
            match value {
                Some((_, value)) => out.push_str(&value.text(language)),
                None => out.extend(["{", name, "}"]),
            }
            text = after;
        }
        out.push_str(text);
        out
    }
}

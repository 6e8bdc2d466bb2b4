//! A finding, and its sentence.

use super::day::Day;

/// Languages of the sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    Russian,
}

/// A sentence with `{values}`, and with words that follow the number of a value: `{days} {days:day/days}`, in Russian for
/// one, for two to four, and for more: `{years} {years:год/года/лет}`.
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
    /// A number, written with at most three decimals.
    Thousandths(f64),
    Day(Day),
    /// A number of an animal, a code, a name.
    Text(String),
}

impl Value {
    fn text(&self, language: Language) -> String {
        match (self, language) {
            (Self::Whole(n), _) => n.to_string(),
            (Self::Number(n) | Self::Thousandths(n), _) => {
                let places = if matches!(self, Self::Number(_)) { 2 } else { 3 };
                let text = format!("{n:.places$}");
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

    /// The word of these that follows the value as it is written.
    fn word<'w>(&self, language: Language, words: &'w str) -> &'w str {
        let place = match (language, self.text(language).parse::<i64>().map(i64::unsigned_abs)) {
            (Language::English, Ok(1)) => 0,
            (Language::English, _) => 1,
            (Language::Russian, Ok(n)) => match (n % 10, n % 100) {
                (_, 11..=14) => 2,
                (1, _) => 0,
                (2..=4, _) => 1,
                _ => 2,
            },
            // Of parts: «1,5 года».
            (Language::Russian, Err(_)) => 1,
        };
        words.split('/').nth(place).unwrap_or_default()
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

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// What a finding tells of an animal other than the one that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// Who an ancestor is, at most [`Visibility::GENERATIONS`] back: number, name, sex, breed, day of birth. That belongs to
    /// the animal that descends from it.
    Identity,
    /// What every reader of its row sees: number, name, sex, birth.
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
            let (name, words) = name.split_once(':').map_or((name, None), |(name, words)| (name, Some(words)));
            let value = self.values.iter().find(|(key, _)| *key == name);
            match (value, words) {
                (Some((_, value)), Some(words)) => out.push_str(value.word(language, words)),
                (Some((_, value)), None) => out.push_str(&value.text(language)),
                (None, _) => out.extend(["{", name, "}"]),
            }
            text = after;
        }
        out.push_str(text);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, Value};

    #[test]
    fn words_follow_their_numbers() {
        for (number, english, russian) in [
            (1.0, "day", "день"),
            (-1.0, "day", "день"),
            (1.004, "day", "день"),
            (1.5, "days", "дня"),
            (2.0, "days", "дня"),
            (5.0, "days", "дней"),
            (11.0, "days", "дней"),
            (21.0, "days", "день"),
            (112.0, "days", "дней"),
            (122.0, "days", "дня"),
        ] {
            let value = Value::from(number);
            let words = (value.word(Language::English, "day/days"), value.word(Language::Russian, "день/дня/дней"));
            assert_eq!(words, (english, russian), "{number}");
        }
    }
}

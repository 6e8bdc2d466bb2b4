//! Sentences that people read, by name and language: `en.ftl` and `ru.ftl` (emails), `pages.*.ftl` (pages), in the syntax of Fluent. A name has a text
//! in every language, with the same values; [`faults`] and a test see to it. Must not know who reads.

pub mod labels;
pub mod sentence;
mod translation;

pub use sentence::{Part, Sentence, Valued, Word};
pub use translation::{reason, stored};

use crate::record::time;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Languages of sentences for people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Language {
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "ru")]
    Russian,
}

/// The languages as a select of a declaration.
pub const LANGUAGES: &str = "ru|en";

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Russian];

    /// The code of the language (ISO 639-1).
    pub const fn word(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Russian => "ru",
        }
    }

    /// The language of a code.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.word() == word)
    }

    const fn source(self) -> &'static str {
        match self {
            Self::English => concat!(include_str!("en.ftl"), "\n", include_str!("pages.en.ftl")),
            Self::Russian => concat!(include_str!("ru.ftl"), "\n", include_str!("pages.ru.ftl")),
        }
    }
}

/// Values that are numbers, by which the form of a word is chosen.
const NUMBERS: [&str; 9] = ["animals", "count", "created", "days", "held", "hours", "minutes", "rows", "updated"];
/// Values that are days (`2026-03-01`), which each language writes in its own way.
const DAYS: [&str; 4] = ["date", "due", "from", "to"];

type Bundle = FluentBundle<FluentResource>;

/// The texts of a language, and what is wrong with them.
struct Texts {
    bundle: Bundle,
    faults: Vec<String>,
}

fn texts(language: Language) -> &'static Texts {
    static ENGLISH: OnceLock<Texts> = OnceLock::new();
    static RUSSIAN: OnceLock<Texts> = OnceLock::new();
    let place = match language {
        Language::English => &ENGLISH,
        Language::Russian => &RUSSIAN,
    };
    place.get_or_init(|| read(language))
}

fn read(language: Language) -> Texts {
    let mut faults = Vec::new();
    let bundle = bundle(language, &[language.source()], &mut faults);
    Texts { bundle, faults }
}

/// The texts of sources, and what is wrong with them.
fn bundle(language: Language, sources: &[&str], faults: &mut Vec<String>) -> Bundle {
    let locale = language.word().parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![locale]);
    // The marks are for texts of mixed directions, and show as signs in plain letters.
    bundle.set_use_isolating(false);
    for source in sources {
        let (resource, errors) = match FluentResource::try_new((*source).to_owned()) {
            Ok(resource) => (resource, vec![]),
            Err((resource, errors)) => (resource, errors),
        };
        let messages = errors.iter().map(|why| format!("{}: {why}", language.word()));
        faults.extend(messages);
        if let Err(errors) = bundle.add_resource(resource) {
            let messages = errors.iter().map(|why| format!("{}: {why}", language.word()));
            faults.extend(messages);
        }
    }
    bundle
}

/// The text of a name, or of an attribute of it (`name.attribute`), with its values. A name that is not there is its
/// own text; a test keeps that from happening.
pub fn text(language: Language, name: &str, values: &BTreeMap<String, String>) -> String {
    written(language, name, values).0
}

/// The text of a name that may not be there, without values.
pub fn known(language: Language, name: &str) -> Option<String> {
    let (text, faults) = written(language, name, &BTreeMap::new());
    faults.is_empty().then_some(text)
}

/// The text, and what is wrong with it.
fn written(language: Language, name: &str, values: &BTreeMap<String, String>) -> (String, Vec<String>) {
    let bundle = &texts(language).bundle;
    let (message, attribute) = match name.split_once('.') {
        Some((message, attribute)) => (message, Some(attribute)),
        None => (name, None),
    };
    let pattern = bundle.get_message(message).and_then(|message| match attribute {
        Some(attribute) => Some(message.get_attribute(attribute)?.value()),
        None => message.value(),
    });
    let Some(pattern) = pattern else {
        return (name.to_owned(), vec![format!("{name} is not there")]);
    };
    let mut arguments = FluentArgs::with_capacity(values.len());
    for (place, value) in values {
        arguments.set(place.as_str(), argument(language, place, value));
    }
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(&arguments), &mut errors);
    let errors = errors.iter().map(|why| format!("{name}: {why}")).collect();
    (text.into_owned(), errors)
}

fn argument<'a>(language: Language, place: &str, value: &'a str) -> FluentValue<'a> {
    if NUMBERS.contains(&place) {
        // Other texts that look like numbers (numbers of packages) stay as they are.
        return FluentValue::try_number(value);
    }
    if DAYS.contains(&place) {
        return FluentValue::from(day(language, value));
    }
    FluentValue::from(value)
}

/// A day as the language writes it.
pub fn day(language: Language, iso: &str) -> String {
    let mut parts = iso.splitn(3, '-');
    match (language, parts.next(), parts.next(), parts.next()) {
        (Language::Russian, Some(year), Some(month), Some(day)) => format!("{day}.{month}.{year}"),
        _ => iso.to_owned(),
    }
}

/// A day as values have it, of milliseconds since 1970.
pub fn day_value(at: i64) -> String {
    let iso = time::to_iso(at);
    iso.get(..10).unwrap_or(&iso).to_owned()
}

/// What is wrong with the texts: they cannot be read, or a name lacks in a language, or has other values there.
pub fn faults() -> Vec<String> {
    let mut faults: Vec<String> =
        (Language::ALL.into_iter()).flat_map(|language| texts(language).faults.clone()).collect();
    let mut all: BTreeMap<String, BTreeMap<Language, BTreeSet<String>>> = BTreeMap::new();
    for language in Language::ALL {
        for (name, values) in value_names(language.source()) {
            all.entry(name).or_default().insert(language, values);
        }
    }
    for (name, values_by_language) in all {
        let first = values_by_language.values().next();
        if values_by_language.len() < Language::ALL.len()
            || values_by_language.values().any(|values| Some(values) != first)
        {
            faults.push(format!("{name}: {values_by_language:?}"));
        }
    }
    faults
}

/// The names of a source, attributes among them, with the values and names that their texts have.
fn value_names(source: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut message, mut name) = (String::new(), String::new());
    for line in source.lines().filter(|line| !line.starts_with('#')) {
        let head = line.split_once('=').map_or("", |(head, _)| head.trim());
        let word = |head: &str| !head.is_empty() && head.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !line.starts_with(' ') && word(head) {
            message = head.to_owned();
            name.clone_from(&message);
        } else if let Some(attribute) = head.strip_prefix('.').filter(|head| word(head)) {
            name = format!("{message}.{attribute}");
        }
        let values = all.entry(name.clone()).or_default();
        for piece in line.split('{').skip(1) {
            let place = piece.split(['}', '-', ' ']).find(|part| !part.is_empty());
            // A reference to another name counts whole.
            let whole = piece.split('}').next().unwrap_or_default().trim();
            let place = match whole.starts_with('$') {
                true => place.map(str::to_owned),
                false => word(whole).then(|| whole.to_owned()),
            };
            values.extend(place);
        }
    }
    all.remove("");
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        let own = |(place, value): &(&str, &str)| ((*place).to_owned(), (*value).to_owned());
        all.iter().map(own).collect()
    }

    #[test]
    fn every_language_has_every_text_with_the_same_values() {
        assert_eq!(faults(), Vec::<String>::new());
    }

    #[test]
    fn a_lacking_value_is_a_fault() {
        let one = value_names("a = { $x } { b }\n    .s = { $y ->\n        [one] { $z }\n       *[other] o\n    }\n");
        let list = |of: &str| one[of].iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!((list("a"), list("a.s")), ("$x b".to_owned(), "$y $z".to_owned()));
    }

    #[test]
    fn words_follow_their_numbers_and_days_their_language() {
        let days_text =
            |language, count: &str| text(language, "in-days", &values(&[("days", count), ("due", "2026-03-01")]));
        for (count, russian, english) in [
            ("0", "сегодня", "today"),
            ("1", "завтра", "tomorrow"),
            ("2", "через 2 дня", "in 2 days"),
            ("5", "через 5 дней", "in 5 days"),
            ("21", "через 21 день", "in 21 days"),
        ] {
            assert_eq!(days_text(Language::Russian, count), russian);
            assert_eq!(days_text(Language::English, count), english);
        }
        let rule_text = |language, count: &str| text(language, "work-noTest.rule", &values(&[("count", count)]));
        for (count, russian, english) in [
            ("1", " не было 1 день и более", "for 1 day"),
            ("45", " не было 45 дней и более", "for 45 days"),
            // Of herds with numbers of their own.
            ("45 / 60", " не было 45 / 60 дней и более", "for 45 / 60 days"),
        ] {
            assert!(rule_text(Language::Russian, count).ends_with(russian), "{count}");
            assert!(rule_text(Language::English, count).ends_with(english), "{count}");
        }
        assert_eq!(day(Language::Russian, "2026-03-01"), "01.03.2026");
        assert_eq!(day(Language::English, "2026-03-01"), "2026-03-01");
    }

    #[test]
    fn values_are_not_read_again() {
        let letter = text(Language::Russian, "service-line", &values(&[("service", "{ $token } 000123"), ("url", "")]));
        assert!(letter.starts_with("{ $token } 000123"), "{letter}");
    }
}

//! Sentences about what is wrong, in the language of the reader. A sentence is written in English where the fault is
//! found, with names for its values ([`said!`](crate::said)). Other languages are catalogues, `faults/*.ftl`, and
//! `meanings.*.ftl` for what declarations say of fields, `operations.*.ftl` for what operations of the API do, whose
//! texts are found by the English one ([`id`]). English is not made from a catalogue, so that clients which compare it
//! see what they always saw. Must not know who reads.

use super::{Bundle, Language, bundle, value_names};
use fluent_bundle::{FluentArgs, FluentValue};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::OnceLock;

/// A sentence with named values: `said!("At most {limit} entries.", limit = 5)`. One without values is just its text.
#[macro_export]
macro_rules! said {
    ($text:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::messages::Sentence::of(
            $text,
            vec![$((stringify!($name), $crate::messages::Valued::part($value))),*],
        )
    };
}

/// A value of a sentence.
#[derive(Debug, Clone)]
pub enum Part {
    /// A text for every language.
    Text(String),
    /// Said in the language of the sentence, with commas between several.
    Said(Vec<Sentence>),
    /// A word of the program, which has a name for people in other languages than English.
    Word(Word),
}

/// A word of a choice, or a state: what it is called stands in the labels of the field.
#[derive(Debug, Clone)]
pub struct Word {
    /// The collection.
    pub slug: &'static str,
    /// The field.
    pub path: &'static str,
    pub word: String,
}

impl Word {
    /// The word where it has no name.
    fn in_language(&self, language: Language) -> String {
        let (slug, path, word) = (self.slug, self.path, self.word.as_str());
        match super::labels::of_option(language, slug, path, word, &mut |_| {}) {
            (name, true) => format!("«{name}»"),
            (_, false) => word.to_owned(),
        }
    }
}

/// What a sentence takes as a value.
pub trait Valued {
    /// The value.
    fn part(self) -> Part;
}

impl Valued for Sentence {
    fn part(self) -> Part {
        Part::Said(vec![self])
    }
}

impl Valued for Word {
    fn part(self) -> Part {
        Part::Word(self)
    }
}

impl Valued for Vec<Sentence> {
    fn part(self) -> Part {
        Part::Said(self)
    }
}

macro_rules! texts {
    ($($type:ty)*) => {
        $(impl Valued for $type {
            fn part(self) -> Part {
                Part::Text(self.to_string())
            }
        })*
    };
}
texts!(&str &String String Cow<'_, str> char i64 &i64 u64 u32 u16 usize &usize f64 &f64 fmt::Arguments<'_>);

/// A sentence about what is wrong.
#[derive(Debug, Clone)]
pub struct Sentence {
    /// English, with `{name}` where values stand.
    text: Cow<'static, str>,
    values: Vec<(&'static str, Part)>,
    /// The Russian text, where it stands beside the English one.
    russian: Option<Cow<'static, str>>,
    /// English, where others write it.
    english: Option<Box<str>>,
}

impl Sentence {
    /// A text with its values; `said!` writes it.
    pub const fn of(text: &'static str, values: Vec<(&'static str, Part)>) -> Self {
        Self { text: Cow::Borrowed(text), values, russian: None, english: None }
    }

    /// A sentence that has both texts where it is declared.
    pub const fn both(english: &'static str, russian: &'static str) -> Self {
        Self { text: Cow::Borrowed(english), values: Vec::new(), russian: Some(Cow::Borrowed(russian)), english: None }
    }

    /// A sentence that was written in both languages before.
    pub fn written(english: String, russian: String) -> Self {
        Self { text: Cow::Owned(english), values: Vec::new(), russian: Some(Cow::Owned(russian)), english: None }
    }

    /// The sentence of a text (`Fragment "{name}" is never used`) that somebody else wrote in English, which says it to
    /// the letter with values in the places. None where it is another one.
    pub fn like(text: &'static str, english: &str) -> Option<Self> {
        let Some((first, places)) = text.split_once('{') else {
            return (text == english).then(|| text.into());
        };
        let mut rest = english.strip_prefix(first)?;
        let mut values = Vec::new();
        for place in places.split('{') {
            let (name, separator) = place.split_once('}')?;
            let end = match separator {
                "" => rest.len(),
                separator => rest.find(separator)?,
            };
            let (value, after) = rest.split_at_checked(end)?;
            values.push((name, Part::Text(value.to_owned())));
            rest = after.strip_prefix(separator)?;
        }
        rest.is_empty().then(|| Self::of(text, values))
    }

    /// With an English that others write.
    pub fn in_english(mut self, english: String) -> Self {
        self.english = Some(english.into());
        self
    }

    /// Nothing: a value that may be left out.
    pub const fn empty() -> Self {
        Self::both("", "")
    }

    pub fn english(&self) -> Cow<'_, str> {
        if let Some(english) = &self.english {
            return Cow::Borrowed(english);
        }
        if self.values.is_empty() {
            return Cow::Borrowed(&self.text);
        }
        self.filled(&|part| match part {
            Part::Text(text) => Cow::Borrowed(text),
            Part::Word(word) => Cow::Borrowed(&word.word),
            Part::Said(list) => match list.as_slice() {
                [one] => one.english(),
                several => Cow::Owned(several.iter().map(Self::english).collect::<Vec<_>>().join(", ")),
            },
        })
    }

    /// The text in a language; none where its catalogue lacks it.
    pub fn in_language(&self, language: Language) -> Option<String> {
        let Some(catalogue) = catalogue(language) else {
            return Some(self.english().into_owned());
        };
        if let Some(russian) = &self.russian {
            return Some(russian.clone().into_owned());
        }
        let pattern = catalogue.bundle.get_message(&id(&self.text))?.value()?;
        let mut arguments = FluentArgs::with_capacity(self.values.len());
        for (name, part) in &self.values {
            let value = match part {
                Part::Text(text) => text.clone(),
                Part::Word(word) => word.in_language(language),
                Part::Said(list) => {
                    let said = list.iter().map(|one| one.in_language(language));
                    said.collect::<Option<Vec<_>>>()?.join(", ")
                }
            };
            arguments.set(*name, argument(language, name, &value));
        }
        let mut errors = Vec::new();
        let bundle = &catalogue.bundle;
        let text = bundle.format_pattern(pattern, Some(&arguments), &mut errors);
        // A place without a value: the sentence is another one.
        errors.is_empty().then(|| text.into_owned())
    }

    /// The sentence that stands in this place, where it is one.
    pub fn said(&self, place: &str) -> Option<&Self> {
        self.values.iter().find_map(|(name, part)| match part {
            Part::Said(list) if *name == place => list.first(),
            _ => None,
        })
    }

    fn filled<'s>(&'s self, value: &dyn Fn(&'s Part) -> Cow<'s, str>) -> Cow<'s, str> {
        let mut out = String::with_capacity(self.text.len() + 16);
        let mut rest: &str = &self.text;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let part = after.split_once('}').and_then(|(name, end)| {
                let named = self.values.iter().find(|(own, _)| *own == name)?;
                Some((value(&named.1), end))
            });
            match part {
                Some((text, end)) => {
                    out.push_str(&text);
                    rest = end;
                }
                None => {
                    out.push('{');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        Cow::Owned(out)
    }
}

impl From<&'static str> for Sentence {
    fn from(text: &'static str) -> Self {
        Self::of(text, Vec::new())
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self { text: Cow::Owned(text), values: Vec::new(), russian: None, english: None }
    }
}

impl From<Cow<'static, str>> for Sentence {
    fn from(text: Cow<'static, str>) -> Self {
        Self { text, values: Vec::new(), russian: None, english: None }
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english())
    }
}

impl PartialEq for Sentence {
    fn eq(&self, other: &Self) -> bool {
        self.english() == other.english()
    }
}

impl Eq for Sentence {}

impl Serialize for Sentence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.english())
    }
}

/// What a sentence says by the code of its fault alone, in a language that is not English. None where no such code is
/// known, and in English, whose sentences say more. Ids of sentences have no capital letter.
pub fn by_code(language: Language, code: &str) -> Option<String> {
    let bundle = &catalogue(language)?.bundle;
    let pattern = bundle.get_message(&format!("Code-{code}"))?.value()?;
    Some(bundle.format_pattern(pattern, None, &mut vec![]).into())
}

/// The text of an id with values, in a language that is not English.
pub(super) fn valued(language: Language, id: &str, values: &[(&str, String)]) -> Option<String> {
    let bundle = &catalogue(language)?.bundle;
    let pattern = bundle.get_message(id)?.value()?;
    let mut arguments = FluentArgs::with_capacity(values.len());
    for (name, value) in values {
        arguments.set(*name, argument(language, name, value));
    }
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(&arguments), &mut errors);
    errors.is_empty().then(|| text.into_owned())
}

/// A value of a sentence: collections have names for people.
fn argument(language: Language, name: &str, value: &str) -> FluentValue<'static> {
    match name {
        "collection" => format!("«{}»", super::labels::collections(language, value)).into(),
        _ => super::argument(language, name, value).into_owned(),
    }
}

/// The id of a text in the catalogues: its words, with hyphens between them. `At most {limit} entries.` is
/// `at-most-limit-entries`.
pub fn id(text: &str) -> String {
    let mut id = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() {
            // Ids of Fluent begin with a letter.
            if id.is_empty() && letter.is_ascii_digit() {
                id.push_str("n-");
            }
            id.push(letter.to_ascii_lowercase());
        } else if letter != '\'' && !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    id.truncate(id.trim_end_matches('-').len());
    id
}

/// The sentences of a language.
struct Catalogue {
    bundle: Bundle,
    faults: Vec<String>,
}

const RUSSIAN: &[&str] = &[
    include_str!("faults/codes.ru.ftl"),
    include_str!("faults/book.ru.ftl"),
    include_str!("faults/collections.ru.ftl"),
    include_str!("faults/packages.ru.ftl"),
    include_str!("faults/rest.ru.ftl"),
    include_str!("faults/exchange.ru.ftl"),
    include_str!("meanings.ru.ftl"),
    include_str!("operations.ru.ftl"),
];

fn catalogue(language: Language) -> Option<&'static Catalogue> {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    match language {
        Language::English => None,
        Language::Russian => Some(CATALOGUE.get_or_init(|| {
            let mut faults = Vec::new();
            let bundle = bundle(language, RUSSIAN, &mut faults);
            Catalogue { bundle, faults }
        })),
    }
}

/// The texts of the catalogue of a language, with the values that each has.
pub fn texts(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let sources = match language {
        Language::English => &[],
        Language::Russian => RUSSIAN,
    };
    sources.iter().flat_map(|source| value_names(source)).collect()
}

/// What is wrong with the catalogues.
pub fn faults() -> Vec<String> {
    let all = Language::ALL.into_iter().filter_map(catalogue);
    all.flat_map(|catalogue| catalogue.faults.clone()).collect()
}

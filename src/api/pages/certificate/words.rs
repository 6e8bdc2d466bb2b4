//! The words of certificates, on pages and on paper: messages whose names begin with `certificate-`.

use domain::collections::certificates::class;
use model::messages::{Language, text};
use serde_json::Value;
use std::collections::BTreeMap;

/// Ends the names of members that have the word of another member for readers of English.
const ENGLISH: &str = "English";

pub(super) trait Words: Copy {
    fn valued(self, name: &str, value: &str) -> String;
    /// The word for a name; what has none is shown as it is.
    fn phrase(self, name: &str) -> String;
    /// A few letters around a value.
    fn short(self, name: &str, value: String) -> String;
}

impl Words for Language {
    fn valued(self, name: &str, value: &str) -> String {
        match name {
            "finalClass" => class(self, value),
            _ if WORDED.contains(&name) => self.phrase(value),
            _ => value.to_owned(),
        }
    }

    fn phrase(self, name: &str) -> String {
        let message = format!("certificate-{name}");
        let translation = text(self, &message, &BTreeMap::new());
        if translation == message { name.to_owned() } else { translation }
    }

    fn short(self, name: &str, value: String) -> String {
        let values = BTreeMap::from([("value".to_owned(), value)]);
        text(self, &format!("certificate-short-{name}"), &values)
    }
}

/// Members whose values are words of the book; those of others are the words of people.
const WORDED: [&str; 7] = ["type", "sex", "method", "verdict", "father", "mother", "yieldMethod"];

/// The path from the animal to an ancestor by its number in Kekulé's list, one letter for each step:
/// father and mother (`FM`: the father's mother).
pub(in crate::pages) fn path(number: u64, language: Language) -> String {
    let [father, mother] = match language {
        Language::English => ['F', 'M'],
        Language::Russian => ['О', 'М'],
    };
    let steps = number.checked_ilog2().unwrap_or(0);
    let steps = (0..steps).rev().map(|step| match number >> step & 1 {
        0 => father,
        _ => mother,
    });
    steps.collect()
}

/// What certificates have in two languages (`breed`, `breedEnglish`) in that of the reader alone. What has no second
/// word is shown as it is.
pub(super) fn in_language(value: &Value, language: Language) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| in_language(item, language)).collect(),
        Value::Object(members) => {
            let second = |name: &str| match language {
                Language::English => members.get(&format!("{name}{ENGLISH}")),
                Language::Russian => None,
            };
            let shown = members.iter().filter(|(name, _)| !name.ends_with(ENGLISH));
            let word =
                |(name, value): (&String, &Value)| (name.clone(), in_language(second(name).unwrap_or(value), language));
            Value::Object(shown.map(word).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn readers_see_words_of_their_language_alone() {
        let ancestor = json!({"place": 2, "breed": "Джерсейская", "breedEnglish": "Jersey"});
        let stored = json!({"coatColor": "Рыжая", "breed": "B", "breedEnglish": "Holstein", "pedigree": [ancestor]});
        let english = json!({"coatColor": "Рыжая", "breed": "Holstein", "pedigree": [{"place": 2, "breed": "Jersey"}]});
        assert_eq!(in_language(&stored, Language::English), english);
        let russian = json!({"coatColor": "Рыжая", "breed": "B", "pedigree": [{"place": 2, "breed": "Джерсейская"}]});
        assert_eq!(in_language(&stored, Language::Russian), russian);
    }

    #[test]
    fn what_has_no_word_is_shown_as_it_is() {
        for language in Language::ALL {
            for name in ["", "<b>", "nothing-like-this", "a.b", "{ $x }"] {
                assert_eq!(language.phrase(name), name);
            }
        }
        assert_eq!(Language::Russian.valued("sex", "female"), "женский");
        assert_eq!(Language::Russian.valued("name", "female"), "female");
        assert_eq!(Language::English.valued("yieldMethod", "standardCurves"), "standard curves");
        assert_eq!(Language::Russian.valued("finalClass", "VG"), "VG, очень хорошо");
        assert_eq!(Language::English.short("milk", "9100".to_owned()), "9100 kg");
    }

    #[test]
    fn places_are_paths_from_the_animal() {
        let all = [2, 3, 5, 9, 15].map(|number| path(number, Language::English));
        assert_eq!(all, ["F", "M", "FM", "FFM", "MMM"]);
        assert_eq!(path(6, Language::Russian), "МО");
        assert_eq!(path(0, Language::English), "");
    }
}

//! Translates sentences that were stored or answered in English. Which sentence it is, and its values, is read from its words: those that are the same in every sentence of its kind stand in the id of
//! its text ([`id`](super::sentence::id)), with the names of the values between them.

use super::Language;
use super::sentence::{by_code, texts, valued};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

/// A kind of sentence.
#[derive(Debug)]
struct Pattern {
    id: String,
    words: Vec<Word>,
}

/// A word of a text, or the name of a value in its place.
#[derive(Debug)]
enum Word {
    Same(String),
    Value(String),
}

/// A word of a text, and where it stands.
#[derive(Debug)]
struct Token {
    word: String,
    place: Range<usize>,
}

/// The sentence in a language; none where no text of its catalogue has these words, and in English.
fn translated(language: Language, english: &str) -> Option<String> {
    if language == Language::English {
        return None;
    }
    let tokens = tokens(english);
    let fitting = patterns(language).iter().find_map(|pattern| {
        let mut places = Vec::new();
        fits(&pattern.words, &tokens, 0, &mut places).then_some((pattern, places))
    });
    let (pattern, places) = fitting?;
    let value = |(name, place): (&'static str, Range<usize>)| {
        let first = tokens.get(place.start)?.place.start;
        let last = tokens.get(place.end.checked_sub(1)?)?.place.end;
        let value = whole(english, first..last);
        // A sentence within the sentence.
        let said = translated(language, value).unwrap_or_else(|| value.to_owned());
        Some((name, said))
    };
    let all: Vec<(&'static str, String)> = places.into_iter().map(value).collect::<Option<_>>()?;
    let mut values: BTreeMap<&'static str, String> = BTreeMap::new();
    for (name, value) in all {
        // A word of the text may be called as a value: there stands the name itself.
        match values.get(name) {
            Some(name_in_text) if name_in_text != name => {}
            _ => drop(values.insert(name, value)),
        }
    }
    let values: Vec<(&'static str, String)> = values.into_iter().collect();
    valued(language, &pattern.id, &values)
}

/// A sentence that was stored in English with its code: translated, else what the code means, else as it is.
pub fn stored(language: Language, english: &str, code: &str) -> String {
    let text = translated(language, english).or_else(|| by_code(language, code));
    text.unwrap_or_else(|| english.to_owned())
}

/// Sentences one behind another, each perhaps behind a name and a colon; what is not known stays as it is.
pub fn reason(language: Language, text: &str) -> String {
    if let Some(sentence) = behind_name(language, text) {
        return sentence;
    }
    let mut ends = text.match_indices(". ").map(|(place, _)| place + 1);
    let parts = ends.find_map(|end| {
        let (first, rest) = (text.get(..end)?, text.get(end + 1..)?);
        let first = behind_name(language, first)?;
        Some(format!("{first} {}", reason(language, rest)))
    });
    parts.unwrap_or_else(|| text.to_owned())
}

/// One sentence, perhaps behind a name and a colon.
fn behind_name(language: Language, text: &str) -> Option<String> {
    translated(language, text).or_else(|| {
        text.match_indices(": ").find_map(|(place, colon)| {
            let (name, rest) = (text.get(..place)?, text.get(place + colon.len()..)?);
            let sentence = translated(language, rest).filter(|_| !name.contains(". "))?;
            Some(format!("{name}: {sentence}"))
        })
    })
}

/// Whether the words are those of a pattern, and which of them are its values. A value has the fewest words that it can.
fn fits(
    pattern: &'static [Word],
    tokens: &[Token],
    from: usize,
    places: &mut Vec<(&'static str, Range<usize>)>,
) -> bool {
    let rest = tokens.get(from..).unwrap_or_default();
    match pattern.split_first() {
        None => rest.is_empty(),
        Some((Word::Same(own), rest_of_pattern)) => {
            rest.first().is_some_and(|token| token.word == *own) && fits(rest_of_pattern, tokens, from + 1, places)
        }
        Some((Word::Value(name), rest_of_pattern)) => (1..=rest.len()).any(|many| {
            let count = places.len();
            places.push((name, from..from + many));
            let good = fits(rest_of_pattern, tokens, from + many, places);
            if !good {
                places.truncate(count);
            }
            good
        }),
    }
}

/// A value with the signs that belong to its ends: `-5`, `a.b[]`.
fn whole(text: &str, place: Range<usize>) -> &str {
    let before = text.get(..place.start).unwrap_or_default();
    let first = match before.ends_with([' ', '"', '(', '-']) || before.is_empty() {
        true => before.strip_suffix('-').map_or(place.start, str::len),
        false => place.start,
    };
    text.get(first..place.end).unwrap_or_default()
}

/// The kinds of sentences of a language, those with most words of their own first.
fn patterns(language: Language) -> &'static [Pattern] {
    static PATTERNS: OnceLock<Vec<Pattern>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let texts = texts(language).into_iter();
        let mut all: Vec<Pattern> = texts.filter_map(|(id, values)| pattern(id, &values)).collect();
        let own = |pattern: &Pattern| {
            let same = pattern.words.iter().filter(|word| matches!(word, Word::Same(_)));
            same.count()
        };
        all.sort_by_key(|pattern| std::cmp::Reverse(own(pattern)));
        all
    })
}

/// None of a text that has no word of its own, or that is the meaning of a code.
fn pattern(id: String, values: &BTreeSet<String>) -> Option<Pattern> {
    if id.starts_with("Code-") {
        return None;
    }
    let lower = |name: &String| name.trim_start_matches('$').to_ascii_lowercase();
    let names: Vec<(String, String)> =
        values.iter().map(|name| (lower(name), name.trim_start_matches('$').to_owned())).collect();
    let words: Vec<Word> = (id.strip_prefix("n-").unwrap_or(&id).split('-'))
        .map(|word| match names.iter().find(|(lower, _)| lower == word) {
            Some((_, name)) => Word::Value(name.clone()),
            None => Word::Same(word.to_owned()),
        })
        .collect();
    let own = words.iter().any(|word| matches!(word, Word::Same(_)));
    own.then_some(Pattern { id, words })
}

/// The words of a text, as ids have them.
fn tokens(text: &str) -> Vec<Token> {
    let mut all: Vec<Token> = Vec::new();
    let mut open = false;
    for (place, letter) in text.char_indices() {
        // Ids leave apostrophes out: `don't` is one word.
        if letter == '\'' {
            continue;
        }
        if !letter.is_alphanumeric() {
            open = false;
            continue;
        }
        if !open {
            let place = place..place;
            all.push(Token { word: String::new(), place });
        }
        open = true;
        if let Some(last) = all.last_mut() {
            last.word.extend(letter.to_lowercase());
            last.place.end = place.saturating_add(letter.len_utf8());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::said;

    #[test]
    fn stored_sentences_are_translated() {
        for sentence in [
            said!("At most {limit} rows.", limit = "25"),
            said!("{value} is greater than the max allowed value of {max}", value = "44", max = "25"),
            said!("Nothing in {collection} is called {value}.", collection = "animals", value = "111"),
            said!("The path {path} is not a filter", path = "altIds.earTag"),
            said!("There is no way from {from} to {to}.", from = "uploaded", to = "accepted"),
            said!("{alias} and {canonical} name the same field and differ.", alias = "-5", canonical = "Рога и копыта"),
            said!("This field is required."),
            said!("{kind} number", kind = "7"),
        ] {
            let translation = translated(Language::Russian, &sentence.english());
            assert_eq!(translation, sentence.in_language(Language::Russian), "{sentence}");
            assert_eq!(translated(Language::English, &sentence.english()), None);
        }
        assert_eq!(translated(Language::Russian, "Nobody ever said this before."), None);
        assert_eq!(translated(Language::Russian, ""), None);
        assert_eq!(
            reason(Language::Russian, "At most 25 rows. milk: This field is required."),
            "Строк может быть не больше 25. milk: Это поле обязательно.",
        );
    }
}

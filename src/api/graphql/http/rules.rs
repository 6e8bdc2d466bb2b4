//! What the library says of requests that are no GraphQL or break its rules (specification, *Language* and *Validation*),
//! as sentences that exist in other languages too. Their English is the library's, to the letter; what is not known here
//! stays English.

use async_graphql::parser;
use model::messages::Sentence;
use model::said;

/// The sentences of the library.
const KNOWN: [&str; 21] = [
    "Unknown field \"{field}\" on type \"{kind}\".",
    "Unknown field \"{field}\" on type \"{kind}\". Did you mean {names}?",
    "Unknown argument \"{argument}\" on field \"{field}\" of type \"{kind}\".",
    "Unknown argument \"{argument}\" on field \"{field}\" of type \"{kind}\". Did you mean {names}?",
    "Field \"{field}\" argument \"{argument}\" of type \"{kind}\" is required but not provided",
    "Field \"{field}\" of type \"{kind}\" must have a selection of subfields",
    "Field \"{field}\" must not have a selection since type \"{kind}\" has no subfields",
    "Invalid value for argument \"{argument}\", expected type \"{kind}\"",
    "Variable \"{variable}\" of type \"{given}\" used in position expecting type \"{wanted}\"",
    "Variable \"{variable}\" is not defined",
    "Variable \"{variable}\" is not defined by operation \"{operation}\"",
    "Variable \"{variable}\" is not used",
    "Variable \"{variable}\" is not used by operation \"{operation}\"",
    "Unknown type \"{kind}\"",
    "Unknown fragment: \"{name}\"",
    "Unknown directive \"{name}\"",
    "Fragment \"{name}\" is never used",
    "operation {name} is defined twice",
    "fragment {name} is defined twice",
    "document contains multiple operations",
    "document does not contain an operation",
];

pub(in crate::graphql) fn sentence(english: &str) -> Sentence {
    let mut matches = (KNOWN.iter()).filter_map(|text| Sentence::like(text, english));
    matches.next().unwrap_or_else(|| english.to_owned().into())
}

/// Why a text is no request. What the grammar expects in a place is drawn below it in English, with its own names; in
/// other languages the position is given.
pub(in crate::graphql) fn unread(error: &parser::Error) -> Sentence {
    match error {
        parser::Error::Syntax { message, start, .. } => {
            said!("The text is no GraphQL at line {line}, column {column}.", line = start.line, column = start.column)
                .in_english(message.clone())
        }
        other => sentence(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::messages::Language;

    #[test]
    fn what_the_library_says_is_said_in_russian_with_its_values() {
        for (english, russian) in [
            (
                "Unknown field \"nme\" on type \"Herd\". Did you mean \"name\", \"number\"?",
                "В типе \"Herd\" нет поля \"nme\". Может быть: \"name\", \"number\"?",
            ),
            ("Unknown field \"Nothing\" on type \"Query\".", "В типе \"Query\" нет поля \"Nothing\"."),
            (
                "Variable \"$limit\" is not defined by operation \"Cows\"",
                "Переменная \"$limit\" не описана в операции \"Cows\"",
            ),
        ] {
            let said = sentence(english);
            assert_eq!(said.english(), english);
            assert_eq!(said.in_language(Language::Russian).as_deref(), Some(russian));
        }
    }

    #[test]
    fn what_is_not_known_stays_as_it_is() {
        for english in ["", "Unknown field", "Unknown field \"a\" on \"b\"", " --> 1:2\n  |\n1 | {\n"] {
            let said = sentence(english);
            assert_eq!(said.english(), english);
            assert_eq!(said.in_language(Language::Russian), None, "{english}");
        }
    }
}

//! What the library says of requests that break the rules of GraphQL (specification, *Validation*), as sentences that
//! exist in other languages too. Their English is the library's, to the letter; what is not known here stays English.

use model::messages::Sentence;
use model::said;

/// The sentence that the library wrote.
pub(super) fn sentence(english: &str) -> Sentence {
    let whole = |found: &Sentence| found.english() == english;
    known(english)
        .filter(whole)
        .unwrap_or_else(|| english.to_owned().into())
}

/// A sentence with the values of this one, by how it begins and ends.
fn known(english: &str) -> Option<Sentence> {
    // Texts in quotes have none within them: they are names and types.
    let values: Vec<&str> = english.split('"').skip(1).step_by(2).collect();
    let suggested = || english.split_once(" Did you mean ")?.1.strip_suffix('?');
    let begins = |words: &str| english.starts_with(words);
    let ends = |words: &str| english.ends_with(words);
    Some(match *values.as_slice() {
        [field, kind, ..] if begins("Unknown field") => match suggested() {
            None => said!(
                "Unknown field \"{field}\" on type \"{kind}\".",
                field = field,
                kind = kind
            ),
            Some(names) => said!(
                "Unknown field \"{field}\" on type \"{kind}\". Did you mean {names}?",
                field = field,
                kind = kind,
                names = names
            ),
        },
        [argument, field, kind, ..] if begins("Unknown argument") => match suggested() {
            None => said!(
                "Unknown argument \"{argument}\" on field \"{field}\" of type \"{kind}\".",
                argument = argument,
                field = field,
                kind = kind
            ),
            Some(names) => said!(
                "Unknown argument \"{argument}\" on field \"{field}\" of type \"{kind}\". Did you mean {names}?",
                argument = argument,
                field = field,
                kind = kind,
                names = names
            ),
        },
        [field, argument, kind] if begins("Field") => said!(
            "Field \"{field}\" argument \"{argument}\" of type \"{kind}\" is required but not provided",
            field = field,
            argument = argument,
            kind = kind
        ),
        [field, kind] if begins("Field") && ends("a selection of subfields") => said!(
            "Field \"{field}\" of type \"{kind}\" must have a selection of subfields",
            field = field,
            kind = kind
        ),
        [field, kind] if begins("Field") => said!(
            "Field \"{field}\" must not have a selection since type \"{kind}\" has no subfields",
            field = field,
            kind = kind
        ),
        [argument, kind] if begins("Invalid value for argument") => said!(
            "Invalid value for argument \"{argument}\", expected type \"{kind}\"",
            argument = argument,
            kind = kind
        ),
        [variable, given, wanted] if begins("Variable") => said!(
            "Variable \"{variable}\" of type \"{given}\" used in position expecting type \"{wanted}\"",
            variable = variable,
            given = given,
            wanted = wanted
        ),
        [variable] if begins("Variable") && ends("is not defined") => {
            said!(
                "Variable \"{variable}\" is not defined",
                variable = variable
            )
        }
        [variable, operation] if begins("Variable") && english.contains("is not defined by") => {
            said!(
                "Variable \"{variable}\" is not defined by operation \"{operation}\"",
                variable = variable,
                operation = operation
            )
        }
        [variable] if begins("Variable") && ends("is not used") => {
            said!("Variable \"{variable}\" is not used", variable = variable)
        }
        [variable, operation] if begins("Variable") => said!(
            "Variable \"{variable}\" is not used by operation \"{operation}\"",
            variable = variable,
            operation = operation
        ),
        [kind] if begins("Unknown type") => said!("Unknown type \"{kind}\"", kind = kind),
        [name] if begins("Unknown fragment") => said!("Unknown fragment: \"{name}\"", name = name),
        [name] if begins("Unknown directive") => said!("Unknown directive \"{name}\"", name = name),
        [name] if begins("Fragment") => said!("Fragment \"{name}\" is never used", name = name),
        _ => return None,
    })
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
            (
                "Unknown field \"Nothing\" on type \"Query\".",
                "В типе \"Query\" нет поля \"Nothing\".",
            ),
            (
                "Variable \"$limit\" is not defined by operation \"Cows\"",
                "Переменная \"$limit\" не описана в операции \"Cows\"",
            ),
        ] {
            let told = sentence(english);
            assert_eq!(told.english(), english);
            assert_eq!(
                told.in_language(Language::Russian).as_deref(),
                Some(russian)
            );
        }
    }

    #[test]
    fn what_is_not_known_stays_as_it_is() {
        for english in [
            "",
            "Unknown field",
            "Unknown field \"a\" on \"b\"",
            " --> 1:2\n  |\n1 | {\n",
        ] {
            let told = sentence(english);
            assert_eq!(told.english(), english);
            assert_eq!(told.in_language(Language::Russian), None, "{english}");
        }
    }
}

//! Names of collections, fields, options and actions as people read them on forms, by language: `labels/*.ftl`. The id of a
//! text follows from the slug and the path ([`of_field`] and the others say how), so that a declaration names nothing
//! twice. A test of the declarations sees to it that nothing lacks a name, and that no text is left over.

use super::{Bundle, Language, bundle, value_names};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::OnceLock;

/// The sources of a language.
macro_rules! sources {
    ($language:literal: $($part:literal)*) => {
        &[$(include_str!(concat!("labels/", $part, ".", $language, ".ftl"))),*]
    };
}

const fn sources(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => {
            sources!("en": "shared" "herd" "events" "evaluation" "verification" "people" "platform"
            "dictionaries" "countries" "checks")
        }
        Language::Russian => {
            sources!("ru": "shared" "herd" "events" "evaluation" "verification" "people" "platform"
            "dictionaries" "countries" "checks")
        }
    }
}

/// The texts of a language, and what is wrong with them.
struct Labels {
    bundle: Bundle,
    faults: Vec<String>,
}

fn labels(language: Language) -> &'static Labels {
    static ENGLISH: OnceLock<Labels> = OnceLock::new();
    static RUSSIAN: OnceLock<Labels> = OnceLock::new();
    let place = match language {
        Language::English => &ENGLISH,
        Language::Russian => &RUSSIAN,
    };
    place.get_or_init(|| {
        let mut faults = Vec::new();
        let bundle = bundle(language, sources(language), &mut faults);
        Labels { bundle, faults }
    })
}

/// The name of one record of a collection.
pub fn collection(language: Language, slug: &str) -> String {
    written(language, slug).unwrap_or_else(|| humanised(slug))
}

/// The name of many records of a collection.
pub fn collections(language: Language, slug: &str) -> String {
    attribute(language, slug, "many").unwrap_or_else(|| humanised(slug))
}

/// The name of a field, a group, a list, or a member of these, different from the names of all other fields of the
/// collection: `animals`, `altIds.earTag`. Numbers of rows in the path do not count.
pub fn field(language: Language, slug: &str, path: &str) -> String {
    of_field(language, slug, &plain(path), &mut |_| {}).0
}

/// The name of a member below the name of its group or list.
pub fn member(language: Language, slug: &str, path: &str) -> String {
    of_member(language, slug, &plain(path), &mut |_| {}).0
}

/// The name of a value of a field that has one of several values.
pub fn option(language: Language, slug: &str, path: &str, option: &str) -> String {
    of_option(language, slug, &plain(path), option, &mut |_| {}).0
}

/// What was done by a step of a state machine, for whoever made it.
pub fn done(language: Language, slug: &str, path: &str, to: &str) -> Option<String> {
    about_step(language, slug, path, to, "done", &mut |_| {})
}

/// What was done by an action.
pub fn acted(language: Language, slug: &str, action: &str) -> Option<String> {
    attribute(language, &format!("{slug}-do-{action}"), "done")
}

/// The name of an action: `ping` of `POST /webhooks/{id}/ping`.
pub fn action(language: Language, slug: &str, action: &str) -> String {
    of_action(language, slug, action, &mut |_| {}).0
}

/// What is done by a step of a state machine: `data-submissions-status-to-checked`, else of all collections
/// `field-status-to-checked`. None: the server makes the step.
pub fn step(language: Language, slug: &str, path: &str, to: &str) -> Option<String> {
    of_step(language, slug, path, to, &mut |_| {})
}

/// What is done by a step, with its id.
pub fn of_step(language: Language, slug: &str, path: &str, to: &str, note: &mut Note<'_>) -> Option<String> {
    step_ids(slug, path, to).into_iter().find_map(|id| {
        let text = written(language, &id)?;
        note(&id);
        Some(text)
    })
}

/// What follows from a step, for whoever confirms it; with its id.
pub fn consequence(language: Language, slug: &str, path: &str, to: &str, note: &mut Note<'_>) -> Option<String> {
    about_step(language, slug, path, to, "then", note)
}

/// An attribute of the name of a step, with its id.
pub fn about_step(
    language: Language,
    slug: &str,
    path: &str,
    to: &str,
    name: &str,
    note: &mut Note<'_>,
) -> Option<String> {
    step_ids(slug, path, to).into_iter().find_map(|id| {
        let text = attribute(language, &id, name)?;
        note(&format!("{id}.{name}"));
        Some(text)
    })
}

/// The ids that the name of a step may have.
fn step_ids(slug: &str, path: &str, to: &str) -> [String; 2] {
    [slug, "field"].map(|prefix| {
        let mut id = String::new();
        put(&mut id, prefix, path);
        let _ = write!(id, "-to-{to}");
        id
    })
}

/// Takes the id of each text of which a name consists.
pub type Note<'n> = dyn FnMut(&str) + 'n;

/// The name of a field, and whether it is a text of the files. The texts are `milk-tests-milkYield`, else
/// `field-milkYield`; a member without such a text of its whole path has the name of its group and its own.
pub fn of_field(language: Language, slug: &str, path: &str, note: &mut Note<'_>) -> (String, bool) {
    if let Some(text) = whole(language, slug, path, note) {
        return (text, true);
    }
    let Some((group, name)) = path.rsplit_once('.') else {
        return (humanised(path), false);
    };
    let (group, first) = of_field(language, slug, group, note);
    let (name, second) = last(language, slug, name, note);
    (format!("{group}: {}", inside(&name)), first && second)
}

fn of_member(language: Language, slug: &str, path: &str, note: &mut Note<'_>) -> (String, bool) {
    match whole(language, slug, path, note) {
        Some(text) => (text, true),
        None => last(language, slug, end(path), note),
    }
}

/// The name of an option, and whether it is a text of the files: an attribute of the text of the field or of the last
/// member of its path, else the word `option-none`, else the name of the field that the option itself names.
pub fn of_option(language: Language, slug: &str, path: &str, option: &str, note: &mut Note<'_>) -> (String, bool) {
    let name = end(path);
    let paths = [path, name];
    let mut id = String::new();
    for path in paths.iter().take(if path == name { 1 } else { 2 }) {
        for prefix in [slug, "field"] {
            put(&mut id, prefix, path);
            if let Some(text) = attribute(language, &id, option) {
                let _ = write!(id, ".{option}");
                note(&id);
                return (text, true);
            }
        }
    }
    match shared(language, "option", option, note) {
        (_, false) if let Some(field) = whole(language, slug, option, note) => (field, true),
        named => named,
    }
}

/// The name of an action, and whether it is a text of the files: `webhooks-do-ping`.
pub fn of_action(language: Language, slug: &str, action: &str, note: &mut Note<'_>) -> (String, bool) {
    let prefix = format!("{slug}-do");
    shared(language, &prefix, action, note)
}

/// The text of a whole path.
fn whole(language: Language, slug: &str, path: &str, note: &mut Note<'_>) -> Option<String> {
    let mut id = String::new();
    [slug, "field"].into_iter().find_map(|prefix| {
        put(&mut id, prefix, path);
        let text = written(language, &id)?;
        note(&id);
        Some(text)
    })
}

/// The name of a last member.
fn last(language: Language, slug: &str, name: &str, note: &mut Note<'_>) -> (String, bool) {
    match whole(language, slug, name, note) {
        Some(text) => (text, true),
        None => (humanised(name), false),
    }
}

fn shared(language: Language, prefix: &str, word: &str, note: &mut Note<'_>) -> (String, bool) {
    let mut id = String::new();
    put(&mut id, prefix, word);
    match written(language, &id) {
        Some(text) => {
            note(&id);
            (text, true)
        }
        None => (humanised(word), false),
    }
}

/// The id of a text: the words with hyphens between them.
fn put(id: &mut String, prefix: &str, path: &str) {
    id.clear();
    id.push_str(prefix);
    for segment in path.split('.') {
        id.push('-');
        id.push_str(segment);
    }
}

fn end(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The path without numbers of rows: `progeny.0.sex`, `progeny[].sex`.
pub(crate) fn plain(path: &str) -> std::borrow::Cow<'_, str> {
    let number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !path.contains("[]") && !path.split('.').any(number) {
        return path.into();
    }
    let segments = path.split('.').filter(|s| !number(s));
    let segments: Vec<&str> = segments.map(|s| s.trim_end_matches("[]")).collect();
    segments.join(".").into()
}

fn written(language: Language, id: &str) -> Option<String> {
    let bundle = &labels(language).bundle;
    let pattern = bundle.get_message(id)?.value()?;
    // No text has values: this borrows it.
    Some(bundle.format_pattern(pattern, None, &mut vec![]).into())
}

fn attribute(language: Language, id: &str, name: &str) -> Option<String> {
    let bundle = &labels(language).bundle;
    let pattern = bundle.get_message(id)?.get_attribute(name)?.value();
    Some(bundle.format_pattern(pattern, None, &mut vec![]).into())
}

/// A name inside of another one begins with a small letter, unless it is an abbreviation.
pub fn inside(name: &str) -> String {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(name.chars().skip(1)).collect()
        }
        _ => name.to_owned(),
    }
}

/// The English that a name itself is: `milkYield` is `Milk yield`, `milk-tests` is `Milk tests`.
fn humanised(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if words.is_empty() {
            words.extend(letter.to_uppercase());
        } else if letter.is_uppercase() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(if letter == '-' { ' ' } else { letter });
        }
    }
    words
}

/// The ids of all texts of a language, attributes among them.
pub fn ids(language: Language) -> BTreeSet<String> {
    let sources = sources(language).iter();
    sources.flat_map(|source| value_names(source).into_keys()).collect()
}

/// What is wrong with the files: they cannot be read, or a text lacks in a language, or has values.
pub fn faults() -> Vec<String> {
    let mut faults: Vec<String> = Vec::new();
    for language in Language::ALL {
        faults.extend(labels(language).faults.iter().cloned());
        for source in sources(language) {
            let valued = value_names(source).into_iter().filter(|(_, v)| !v.is_empty());
            faults.extend(valued.map(|(id, values)| format!("{id}: {values:?}")));
        }
    }
    let (english, russian) = (ids(Language::English), ids(Language::Russian));
    let alone = english.symmetric_difference(&russian);
    faults.extend(alone.map(|id| format!("{id}: in one language")));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{English, Russian};
    use test_support::table;

    #[test]
    fn the_files_have_no_faults() {
        assert_eq!(faults(), Vec::<String>::new());
    }

    #[test]
    fn names_are_found_from_the_own_one_to_the_shared_one() {
        for (label, wanted) in table![
            collection(English, "milk-tests"), "Test day";
            collections(Russian, "milk-tests"), "Контрольные доения";
            field(Russian, "milk-tests", "milkYield"), "Удой за сутки, кг";
            field(Russian, "milking-visits", "milkYield"), "Удой, кг";
            field(English, "animals", "altIds.earTag"), "Ear tag";
            // The name of the group, and the one of the member.
            field(Russian, "animals", "exterior.height"), "Экстерьер, СКО: рост";
            field(English, "animals", "summary.fatPercent"), "Yields: fat, %";
            field(Russian, "animals", "summary.fatPercent"), "Продуктивность: МДЖ, %";
            member(Russian, "animals", "summary.fatPercent"), "МДЖ, %";
            field(Russian, "calvings", "progeny.0.sex"), "Пол телёнка";
            field(Russian, "calvings", "progeny[].sex"), "Пол телёнка";
            option(Russian, "calvings", "progeny.sex", "male"), "Бычок";
            option(Russian, "animals", "sex", "male"), "Самец";
            option(English, "movements", "disposalMethod", "other"), "Other";
            action(Russian, "webhooks", "rotate"), "Заменить ключ";
        ] {
            assert_eq!(label, wanted);
        }
    }

    #[test]
    fn what_has_no_name_is_read_as_english() {
        assert_eq!(collection(Russian, "wool-tests"), "Wool tests");
        assert_eq!(collections(Russian, "wool-tests"), "Wool tests");
        assert_eq!(field(Russian, "wool-tests", "woolYield"), "Wool yield");
        assert_eq!(field(English, "wool-tests", "a.woolYield"), "A: wool yield");
        assert_eq!(option(Russian, "wool-tests", "a", "fineWool"), "Fine wool");
        assert_eq!(action(Russian, "wool-tests", "shear"), "Shear");
        assert_eq!(field(English, "", ""), "");
    }
}

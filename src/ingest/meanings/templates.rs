//! Templates of the tables that farms send (docs/packages.md, *Templates*): the usual columns of a set, each under a heading
//! in the language of the reader that is read as this very field, with what may stand in it. They follow from the
//! declarations by which files are read.

use crate::files::sheet::{column, means};
use crate::meanings::columns::Column;
use crate::meanings::file_column::Means;
use model::expected::expected;
use model::messages::{Language, labels, text};
use model::registry::{Collection, Field, Kind, PackageSet, Registry, Writer, normal};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateColumn {
    pub heading: String,
    pub path: String,
    /// Whether a table must have it, in words.
    pub needed: String,
    /// What may stand in it.
    pub expected: String,
}

/// A sheet that says what the columns of another one mean, by its name in any language: it has no rows.
pub(crate) fn is_explanation(name: &str) -> bool {
    Language::ALL.into_iter().any(|language| said(language, "page-template-sheet") == name)
}

/// The columns of the template of a set; none: there is no such set.
pub fn template(registry: &'static Registry, name: &str, language: Language) -> Option<Vec<TemplateColumn>> {
    let (c, set) = registry.package_sets().find(|(_, set)| set.name == name)?;
    let mut used = BTreeSet::new();
    let columns = usual(c, set).into_iter().filter_map(|path| {
        let column = column(c, set, &path, 1.0)?;
        let field = column.field(c)?;
        let heading = heading(registry, (c, set), (&path, &column), language, &used)?;
        used.insert(normal(&heading));
        let needed = match (set.required.contains(&path.as_str()), set.one_of.contains(&path.as_str())) {
            (true, _) => said(language, "page-template-must"),
            (_, true) => said(language, "page-template-one-of"),
            _ => String::new(),
        };
        let expected = allowed((c, set), (&path, field), language).or_else(|| expected(language, field));
        Some(TemplateColumn { heading, path, needed, expected: expected.unwrap_or_default() })
    });
    Some(columns.collect())
}

fn said(language: Language, name: &str) -> String {
    text(language, name, &BTreeMap::new())
}

/// The fields for which files have usual headings, those first that a table must have.
fn usual(c: &Collection, set: &PackageSet) -> Vec<String> {
    let fixed = |path: &str| set.constants.iter().any(|(one, _)| *one == path);
    let declared = |path: &str| headings(c, set, path).next().is_some();
    let of_farms = |path: &str| c.member(path).is_some_and(|field| field.writer == Writer::Anyone);
    let first = set.required.iter().map(|path| (*path).to_owned());
    let others = set.paths(c).into_iter().filter(|path| declared(path) && of_farms(path) && !fixed(path));
    first.chain(others.filter(|path| !set.required.contains(&path.as_str()))).collect()
}

/// The headings that are declared for a field, those of the set first.
fn headings<'a>(c: &'a Collection, set: &'a PackageSet, path: &'a str) -> impl Iterator<Item = &'static str> + 'a {
    let all = set.headings.iter().chain(&c.naming.headings);
    all.filter(move |(own, _)| *own == path).flat_map(|(_, headings)| headings.split('|'))
}

/// The first of the names of a field by which its column is read, and no other one of the table.
fn heading(
    registry: &'static Registry,
    (c, set): (&'static Collection, &'static PackageSet),
    (path, column): (&str, &Column),
    language: Language,
    used: &BTreeSet<String>,
) -> Option<String> {
    let is_of = |heading: &&str| heading.is_ascii() == (language == Language::English);
    let declared = |own: bool| {
        let all = headings(c, set, path).filter(is_of);
        let of_set = set.headings.iter().any(|(one, _)| *one == path);
        all.filter(move |_| own == of_set).map(capitalised)
    };
    let label = || std::iter::once(labels::field(language, c.slug, path));
    // Without its unit.
    let bare = || label().filter_map(|label| Some(label.split_once(',')?.0.to_owned()));
    let any = headings(c, set, path).filter(|one| is_of(one) || language == Language::Russian).map(capitalised);
    let names: Vec<String> = match language {
        // A heading of the set tells what its rows are.
        Language::English => declared(true).chain(label()).chain(bare()).chain(declared(false)).collect(),
        Language::Russian => declared(true).chain(declared(false)).chain(label()).collect(),
    };
    // The words of the path are read as the path is.
    let own = set.list.and_then(|list| path.strip_prefix(list)?.strip_prefix('.')).unwrap_or(path);
    let mut names = names.into_iter().chain(any).chain(Some(spelled(own)).filter(|_| language == Language::English));
    let is_read = |name: &String| {
        let same = matches!(means(registry, c, set, name), Means::Takes(read, own) if own == path && read == *column);
        same && set.also(c, name).is_none() && !used.contains(&normal(name))
    };
    names.find(is_read)
}

/// `yields.morning` as `Yields morning`.
fn spelled(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 4);
    for letter in path.chars() {
        match letter {
            '.' => out.push(' '),
            letter if letter.is_uppercase() => {
                out.push(' ');
                out.extend(letter.to_lowercase());
            }
            letter => out.push(letter),
        }
    }
    capitalised(&out)
}

fn capitalised(heading: &str) -> String {
    let mut letters = heading.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The words for the values of a choice, each of which is read as its value.
fn allowed((c, set): (&Collection, &PackageSet), (path, field): (&str, &Field), language: Language) -> Option<String> {
    let words: Vec<String> = match &field.kind {
        Kind::Select(values) => values
            .iter()
            .map(|value| {
                let label = labels::option(language, c.slug, path, value);
                if c.worded(path, values, &label) == Some(value) { label } else { value.clone() }
            })
            .collect(),
        _ if set.words_under.is_empty() => {
            let own = set.words.iter().filter(|(one, ..)| *one == path);
            let word = |(_, value, words): &(&str, &'static str, &'static str)| {
                let mut words = words.split('|').filter(|word| word.is_ascii() == (language == Language::English));
                words.next().unwrap_or(*value).to_owned()
            };
            own.map(word).collect()
        }
        _ => Vec::new(),
    };
    let values = BTreeMap::from([("words".to_owned(), words.join("; "))]);
    (!words.is_empty()).then(|| text(language, "page-expected-option", &values))
}

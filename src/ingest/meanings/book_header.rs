//! Headers of tables that the book itself wrote: lists as CSV or workbooks (docs/dialect.md, *Exports*), sent back.

use model::messages::{Language, labels};
use model::registry::{Class, Collection};
use std::collections::BTreeMap;

/// The paths of the columns of a table that the book wrote: one is the id, and each heading is exactly a path, or each
/// exactly a label in one language; a column without a heading has no path. The whole header is looked at, since other
/// programs call a key of their own `id`.
pub(crate) fn paths(c: &'static Collection, titles: &[&str]) -> Option<Vec<&'static str>> {
    let headings = [None, Some(Language::English), Some(Language::Russian)];
    headings.into_iter().find_map(|language| {
        let heading = |path: &str| match language {
            Some(language) => labels::field(language, c.slug, path),
            None => path.to_owned(),
        };
        if !titles.contains(&heading("id").as_str()) {
            return None;
        }
        let mut by_heading: BTreeMap<String, &'static str> = BTreeMap::new();
        for field in c.fields.iter().filter(|field| field.class != Class::Hidden) {
            by_heading.insert(heading(&field.path), field.path.as_str());
        }
        if language.is_none() {
            for &(path, alias) in &c.aliases {
                by_heading.insert(alias.to_owned(), path);
            }
        }
        let path = |title: &&str| match title.is_empty() {
            true => Some(""),
            false => by_heading.get(*title).copied(),
        };
        titles.iter().map(path).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::paths;
    use domain::collections::registry;

    #[test]
    fn only_a_whole_header_is_one_of_the_book() {
        let c = registry().unwrap().get("weighings").unwrap();
        let of = |titles: &[&str]| paths(c, titles);
        let plain = ["id", "animal", "date", "weight"];
        assert_eq!(of(&plain), Some(plain.to_vec()));
        assert_eq!(of(&["id", "animal", ""]), Some(vec!["id", "animal", ""]));
        assert_eq!(of(&["animal", "date", "weight"]), None);
        assert_eq!(of(&["id", "animal", "date", "Weight"]), None);
        assert_eq!(of(&["id", "Инд.№", "date", "weight"]), None);
    }
}

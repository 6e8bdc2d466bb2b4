//! Headers of tables that the book itself wrote: lists as CSV or workbooks (docs/dialect.md, *Exports*), sent back.

use model::messages::{Language, labels};
use model::registry::{Class, Collection};
use std::collections::BTreeMap;

/// Names of fields that are written no more, behind those that took their place; of a group, for all its members.
const FORMER: [(&str, &str); 19] = [
    ("Insemination No.", "Attempt No."),
    ("Days from calving to insemination", "Days open"),
    ("Pedigree depth, complete generations", "Pedigree depth, generations"),
    ("№ осеменения", "Кратность осеменения"),
    ("От отёла до осеменения, дней", "Сервис-период, дней"),
    ("Сперма из запаса хозяйства", "Семя из запаса хозяйства"),
    ("Партия спермы", "Партия семени"),
    ("Центр получения спермы", "Центр получения семени"),
    ("Дата получения спермы", "Дата получения семени"),
    ("Пайета: сексированная сперма", "Пайета: сексированное семя"),
    ("Код спермы", "Код семени"),
    ("Сперма в наличии", "Семя в наличии"),
    ("Держатель спермы", "Держатель семени"),
    ("Оплодотворяющая способность спермы", "Оплодотворяющая способность семени"),
    ("Осеменений спермой быка", "Осеменений семенем быка"),
    ("Уровень доверия", "Уровень достоверности"),
    ("Полнота родословной, полных поколений", "Глубина родословной, поколений"),
    ("Подтверждение отца", "Достоверность отца"),
    ("Подтверждение матери", "Достоверность матери"),
];

/// The heading that a field had before, if that was another one.
fn former(heading: &str) -> Option<String> {
    FORMER.iter().find_map(|(now, before)| {
        let rest = heading.strip_prefix(now)?;
        (rest.is_empty() || rest.starts_with(": ")).then(|| format!("{before}{rest}"))
    })
}

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
        let visible = || c.fields.iter().filter(|field| field.class != Class::Hidden);
        // A name that is written now means what it means now.
        for field in visible() {
            if let Some(before) = former(&heading(&field.path)) {
                by_heading.insert(before, field.path.as_str());
            }
        }
        for field in visible() {
            by_heading.insert(heading(&field.path), field.path.as_str());
        }
        if language.is_none() {
            for &(path, alias) in &c.aliases {
                by_heading.insert(alias.to_owned(), path);
            }
        }
        let path = |title: &&str| if title.is_empty() { Some("") } else { by_heading.get(*title).copied() };
        titles.iter().map(path).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{FORMER, former, paths};
    use domain::collections::registry;
    use model::messages::{Language, labels};
    use std::collections::BTreeSet;

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

    #[test]
    fn names_that_the_book_wrote_before_are_read() {
        let registry = registry().unwrap();
        let c = registry.get("inseminations").unwrap();
        for language in Language::ALL {
            let label = |path: &str| labels::field(language, c.slug, path);
            let (id, number, days) = (label("id"), label("attemptNumber"), label("daysOpen"));
            let before = [former(&number).unwrap(), former(&days).unwrap()];
            let read = Some(vec!["id", "attemptNumber", "daysOpen"]);
            assert_eq!(paths(c, &[&id, &before[0], &before[1]]), read);
            assert_eq!(paths(c, &[&id, &number, &before[1]]), read);
        }
        // What took their place is a name of today.
        let names = |language: Language| {
            let all = registry.iter().flat_map(|c| c.fields.iter().map(move |field| (c.slug, &field.path)));
            all.map(move |(slug, path)| labels::field(language, slug, path))
        };
        let all: BTreeSet<String> = Language::ALL.into_iter().flat_map(names).collect();
        for (now, _) in FORMER {
            let is_now = |name: &String| former(name).is_some() && name.starts_with(now);
            assert!(all.iter().any(is_now), "{now}");
        }
    }
}

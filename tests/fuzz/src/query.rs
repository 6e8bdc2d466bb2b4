//! Query strings: a query that was read can be written and read again; no number is beyond its
//! bound; a refusal names the place.

use crate::draw::Draw;
use model::query::qs::{self, NUMBER_CAP, QueryFault, Tree};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

pub(crate) const SEEDS: &[&str] = &[
    "limit=3&page=2&depth=1&sort=-birthDate,name&pagination=false",
    "where[birthDate][greater_than]=2020-01-01&where[owner.name][like]=a+b",
    "where[or][0][sex][equals]=female&where[or][1][owner][in]=2,3",
    "where[and][0][or][0][id][in][]=1&where[and][0][or][0][id][in][]=2",
    "where={\"or\":[{\"name\":{\"exists\":true}},{\"id\":{\"not_in\":[1,2.5]}}]}",
    "select[name]=true&select[owner][name]=true&populate[organizations][name]=true",
    "joins[calvings][limit]=2&joins[calvings][sort]=-date&joins[calvings][where][number][equals]=1",
    "a=1&a=2&a[b]=3&a[]=4&a[7]=5",
    "after=WyJhbmltYWxzLC1iaXJ0aERhdGUiLDAsMSxbMF1d&trash=true&draft=false",
];

pub(crate) const WORDS: &[&str] = &[
    "&",
    "=",
    "[",
    "]",
    "[]",
    "[0]",
    "[1]",
    "[1000]",
    "[1001]",
    "[and]",
    "[or]",
    "where",
    "where[",
    "[equals]=",
    "[not_equals]=",
    "[in]=",
    "[not_in]=",
    "[all]=",
    "[like]=",
    "[contains]=",
    "[exists]=",
    "[greater_than]=",
    "[less_than_equal]=",
    "[near]=",
    "[within]=",
    "true",
    "false",
    "null",
    "sort=",
    "-",
    ",",
    "limit=",
    "page=",
    "depth=",
    "select[",
    "populate[",
    "joins[",
    "name",
    "owner",
    "owner.name",
    "mother.owner.animals.name",
    "calvings",
    "organizations",
    "birthDate",
    "identNumber",
    "sex",
    "id",
    "createdAt",
    "$",
    ".",
    "..",
    "__proto__",
    "%",
    "%00",
    "%5B",
    "%5D",
    "%2",
    "%FF",
    "+",
    "\u{0}",
    "'",
    "\"",
    "{",
    "}",
    "\\",
    "9007199254740993",
    "99999999999999999999",
    "-1",
    "1e308",
    "NaN",
    "2020-02-30",
    "0001-01-01T00:00:00Z",
    "é",
    "ß",
];

pub(crate) fn check(draw: &mut Draw<'_>) {
    let text = draw.text(SEEDS, WORDS);
    let read = qs::parse(&text);
    if !text.starts_with('?') {
        assert_eq!(qs::parse(&format!("?{text}")), read, "{text:?}");
    }
    if text.len() < 2_000 {
        assert_eq!(qs::parse(&format!("{text}&&")), read, "{text:?}");
    }
    let tree = match read {
        Ok(tree) => tree,
        Err(faults) => {
            assert!((1..=50).contains(&faults.len()), "{text:?}");
            for fault in faults {
                assert_fault(&fault, &text);
            }
            return;
        }
    };
    numbers(&tree, &text);
    if let Some(written) = written(&tree) {
        assert_eq!(qs::parse(&written), Ok(tree), "{text:?} as {written:?}");
    }
}

fn assert_fault(fault: &QueryFault, text: &str) {
    match fault {
        QueryFault::TooManyParameters { .. } => {}
        QueryFault::TooDeep { path } | QueryFault::IndexTooLarge { path } | QueryFault::NotAFilter { path, .. } => {
            assert!(!path.is_empty() && path.chars().count() <= 200, "{text:?}");
        }
    }
}

fn numbers(tree: &Tree, text: &str) {
    assert!(qs::limit(tree, 10) <= NUMBER_CAP, "{text:?}");
    assert!((1..=NUMBER_CAP).contains(&qs::page(tree)), "{text:?}");
    assert!(qs::depth(tree, 1) <= qs::DEPTH_CAP, "{text:?}");
    let sort = qs::sort(tree);
    assert!(sort.iter().all(|key| !key.is_empty()), "{text:?}");
    for (_, ask) in qs::joins(tree) {
        if let qs::JoinSelection::Page(page) = ask {
            assert!(page.limit <= NUMBER_CAP && page.page >= 1, "{text:?}");
        }
    }
    let select = qs::select(tree);
    let populate = qs::populate(tree);
    assert!(select.is_some() || !matches!(tree.get("select"), Some(Tree::Map(m)) if !m.is_empty()));
    assert!(populate.len() <= 10_000, "{text:?}");
    match qs::filter(tree) {
        Ok(Some(filter)) => {
            let inner = filter.into_owned();
            assert!(matches!(inner, Tree::Map(_) | Tree::List(_)), "{text:?}");
        }
        Ok(None) => {}
        Err(fault) => assert_fault(&fault, text),
    }
}

/// A query that is read as this tree; `None` if there is no such query.
fn written(tree: &Tree) -> Option<String> {
    let Tree::Map(parts) = tree else { return None };
    let mut out = Vec::new();
    for (name, part) in parts {
        if name.is_empty() {
            return None;
        }
        put(&escaped(name)?, part, 0, &mut out)?;
    }
    Some(out.join("&"))
}

fn put(key: &str, tree: &Tree, level: usize, out: &mut Vec<String>) -> Option<()> {
    match tree {
        Tree::Text(text) => {
            out.push(format!("{key}={}", utf8_percent_encode(text, NON_ALPHANUMERIC)));
        }
        // A name that was given where names are.
        Tree::Scalar(_) => return None,
        Tree::List(parts) if parts.is_empty() => out.push(format!("{key}[]")),
        Tree::List(parts) => {
            if level == qs::LEVELS_MAX || parts.len() > qs::INDEX_MAX {
                return None;
            }
            for (at, part) in parts.iter().enumerate() {
                put(&format!("{key}[{at}]"), part, level + 1, out)?;
            }
        }
        Tree::Map(parts) => {
            // Only numbers would be read as a list.
            let numbers = |name: &String| name.bytes().all(|b| b.is_ascii_digit());
            if parts.is_empty() || level == qs::LEVELS_MAX || parts.keys().all(numbers) {
                return None;
            }
            for (name, part) in parts {
                if name.is_empty() || (numbers(name) && name.len() > 3) {
                    return None;
                }
                put(&format!("{key}[{}]", escaped(name)?), part, level + 1, out)?;
            }
        }
    }
    Some(())
}

/// None for names with brackets, which no key can hold.
fn escaped(name: &str) -> Option<String> {
    let plain = !name.contains(['[', ']']);
    plain.then(|| utf8_percent_encode(name, NON_ALPHANUMERIC).to_string())
}

//! The page on errors says what the code says.

use indexmap::IndexMap;
use regex::Regex;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// The sources of a folder without its tests.
fn sources(folder: &str) -> Vec<String> {
    let listed = std::fs::read_dir(root().join(folder)).unwrap();
    let mut all = Vec::new();
    for entry in listed {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "rs") {
            let text = read(&path);
            all.push(text.split("#[cfg(test)]").next().unwrap().to_owned());
        }
    }
    assert!(!all.is_empty(), "{folder}");
    all
}

/// Codes with their statuses; finer ones, which come under several, have none.
fn raised() -> IndexMap<String, Vec<String>> {
    let mut found: IndexMap<String, Vec<String>> = IndexMap::new();
    let kind = Regex::new(r#"= kind\((\d+), "([a-z-]+)""#).unwrap();
    let fine = Regex::new(r#"\.fine\(\s*"([a-z-]+)""#).unwrap();
    let issue =
        r#"Issue::(?:error|warning|information)\((?s:.{0,90}?)"([a-z]+(?:-[a-z]+)+|stale)""#;
    let issue = Regex::new(issue).unwrap();
    let told = Regex::new(r#"\("?[^()"]*"?,? ?"?((?:animal|identifier)-[a-z-]+)", (?:message|\n)"#);
    let told = told.unwrap();
    for text in sources("src/api/ade") {
        for hit in kind.captures_iter(&text) {
            let statuses = found.entry(hit[2].to_owned()).or_default();
            statuses.push(hit[1].to_owned());
        }
    }
    let folders = ["src/api/ade", "src/exchange", "src/mapping"];
    for text in folders.iter().flat_map(|folder| sources(folder)) {
        for pattern in [&fine, &issue, &told] {
            for hit in pattern.captures_iter(&text) {
                found.entry(hit[1].to_owned()).or_default();
            }
        }
    }
    let schema = read(&root().join("ade/src/fault.rs"));
    let words = schema.split("fn as_str").nth(1).unwrap();
    let words = words.split("fn title").next().unwrap();
    for hit in Regex::new(r#"=> "([a-z-]+)""#)
        .unwrap()
        .captures_iter(words)
    {
        found.entry(hit[1].to_owned()).or_default();
    }
    found
}

#[test]
fn the_page_on_errors_has_every_code_with_its_status_and_no_other() {
    let page = read(&root().join("docs/errors.md"));
    let mut told: IndexMap<String, String> = IndexMap::new();
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 5, "{line}");
        assert!(cells.iter().all(|cell| !cell.is_empty()), "{line}");
        let before = told.insert(cells[0].trim_matches('`').to_owned(), cells[1].to_owned());
        assert!(before.is_none(), "{line}: stands there twice");
    }
    let raised = raised();
    for code in [
        "animal-not-found",
        "identifier-malformed",
        "later-one-kept",
        "not-in-enum",
    ] {
        assert!(
            raised.contains_key(code),
            "{code}: the sources are read wrongly"
        );
    }
    let lacking: Vec<&String> = raised
        .keys()
        .filter(|code| !told.contains_key(*code))
        .collect();
    assert!(lacking.is_empty(), "docs/errors.md lacks {lacking:?}");
    for (code, statuses) in &raised {
        let line = &told[code];
        for status in statuses {
            assert!(
                line.contains(status),
                "{code}: {status} is missing in {line}"
            );
        }
    }
    for code in told.keys() {
        assert!(
            raised.contains_key(code),
            "docs/errors.md: nothing raises {code}"
        );
    }
}

//! The shape of `src/` as a test: which crates may know which, no two files that import each other, no collection by
//! name outside the declarations, no endless file.
//!
//! Code under `cfg(test)` is exempt: a test may look at anything to make its point.

mod circles;
mod citations;
mod crates;
mod sentences;
mod tokens;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use tokens::{Occurrence, Source};

/// The folder of the declarations.
const COLLECTIONS: &str = "src/domain/collections/";
/// Words that are no collection where they are compared.
const OTHER_WORDS: [(&str, &str); 2] = [
    // The grammar of mappings.
    ("src/mapping/", "animals"),
    // Rows that the demonstration makes itself.
    ("src/demo/", "districts"),
];

/// A longer file says why in a line that starts with [`LONG_BECAUSE`].
const MOST_LINES: usize = 600;
const LONG_BECAUSE: &str = "//! Long because: ";

#[test]
fn no_collection_is_singled_out_by_name() {
    let sources = sources();
    let registry = domain::collections::registry().expect("sound declarations");
    let slugs: Vec<String> = registry.iter().map(|c| c.slug.to_owned()).collect();
    let outside = sources.iter().filter(|source| !source.file.starts_with(COLLECTIONS));
    assert_none(outside.flat_map(|source| slug_faults(source, &slugs)).collect());
}

#[test]
fn no_file_is_endless() {
    assert_none(sources().iter().filter_map(length_fault).collect());
}

/// `doctest = false` in each manifest: an example would never be compiled.
#[test]
fn no_example_in_docs_goes_unrun() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "ade/src", "conformance", "tests/support"] {
        collect(&root.join(folder), &mut files);
    }
    let fence = |line: &str| -> Option<String> {
        let doc = line.trim_start();
        let doc = doc.strip_prefix("///").or(doc.strip_prefix("//!"))?;
        let kind = doc.trim_start().strip_prefix("```")?;
        Some(kind.trim().to_owned())
    };
    let faults = files.iter().filter(|file| {
        let text = fs::read_to_string(file).expect("a readable file");
        // Every second one opens a block; without a word for its kind that is Rust.
        let fences: Vec<String> = text.lines().filter_map(fence).collect();
        fences.iter().step_by(2).any(|kind| kind != "text")
    });
    let faults = faults.map(|file| format!("{}: an example that is not compiled", file.display()));
    assert_none(faults.collect());
}

/// The files of `src/` as tokens.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no Rust file under {}", root.display());
    files.iter().map(|file| Source::read(&root, file)).collect()
}

/// The files of Rust below a folder.
pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn slug_faults(source: &Source, slugs: &[String]) -> Vec<String> {
    let compared = source.compared_texts().into_iter().filter(|found| slugs.contains(&found.what)).filter(|found| {
        let other = |(place, word): &(&str, &str)| source.file.starts_with(place) && found.what == *word;
        !OTHER_WORDS.iter().any(other)
    });
    compared
        .map(|Occurrence { line, what, .. }| {
            format!(
                "{}:{line}: compares with the collection `{what}`; declare the difference in the registry",
                source.file
            )
        })
        .collect()
}

fn length_fault(source: &Source) -> Option<String> {
    let lines = source.text.lines().count();
    let explained = source.text.lines().any(|line| line.starts_with(LONG_BECAUSE));
    (lines > MOST_LINES && !explained)
        .then(|| format!("{}: {lines} lines, more than {MOST_LINES} and no line `{LONG_BECAUSE}…`", source.file))
}

fn assert_none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_comparison_with_a_slug_is_found() {
    let slugs = ["animals".to_owned(), "bull-lists".to_owned()];
    let faults = |text| slug_faults(&Source::new("src/api/rest.rs", text), &slugs).len();
    for text in [
        "fn f() { if slug == \"animals\" {} }",
        "fn f() { if \"bull-lists\" != slug {} }",
        "fn f() { match slug { \"animals\" => 1, _ => 2 } }",
        "fn f() { matches!(slug, \"herds\" | \"animals\") }",
    ] {
        assert_eq!(faults(text), 1, "{text}");
    }
    for text in [
        "fn f() { find(\"animals\") }",
        "fn f() { if kind == \"cow\" {} }",
        "#[cfg(test)] mod tests { fn f() { slug == \"animals\" } }",
    ] {
        assert_eq!(faults(text), 0, "{text}");
    }
}

#[test]
fn a_long_file_needs_a_reason() {
    let long = "//\n".repeat(MOST_LINES + 1);
    assert!(length_fault(&Source::new("src/store/sql.rs", &long)).is_some());
    assert!(length_fault(&Source::new("src/store/sql.rs", &format!("{LONG_BECAUSE}one table.\n{long}"))).is_none());
    assert!(length_fault(&Source::new("src/store/sql.rs", &"//\n".repeat(MOST_LINES))).is_none());
}

//! The shape of `src/` as a test: who may import whom, no collection by name outside `collections`, no endless file.
//!
//! Code under `cfg(test)` is exempt: a test may look at anything to make its point.

mod citations;
mod tokens;

use std::fs;
use std::path::{Path, PathBuf};

use tokens::{Found, Source};

/// Each module of the library with the modules it may import, itself aside. A module may name only modules above
/// it, so the table has no cycle. A new module must be entered here before the tests pass.
///
/// The root of the library (`lib`) stands at the end: it declares the modules, and none of them takes from it.
const MODULES: &[(&str, &str)] = &[
    ("error", ""),
    ("clock", ""),
    ("outward", ""),
    ("record", "error"),
    ("mail", "error record"),
    ("secure", "error"),
    ("derive", "error record"),
    ("registry", "error record mail outward"),
    ("collections", "error record mail derive registry"),
    ("files", "error registry"),
    ("query", "error record registry"),
    ("store", "error clock record registry query"),
    ("traffic", "error record store"),
    (
        "ops",
        "error clock record mail outward secure registry collections files query store",
    ),
    ("mapping", "error record registry query"),
    ("exchange", "error record secure registry store ops mapping"),
    ("demo", "error record derive registry"),
    ("config", "error mail outward secure store"),
    (
        "webhooks",
        "error clock record outward secure registry store ops exchange config",
    ),
    ("api", ALL_ABOVE),
    ("cli", ALL_ABOVE),
    ("lib", ALL_ABOVE),
    ("main", ALL_ABOVE),
];

const ALL_ABOVE: &str = "*";

/// Crates that only the modules named may know: HTTP stays in the faces, the exchange standard above `ops`.
const CRATES: &[(&str, &str)] = &[
    ("axum", "api cli lib main"),
    ("tower_http", "api cli lib main"),
    ("lettre", "mail"),
    ("feed_client", "cli"),
    ("ade", "mapping exchange api cli lib main"),
];

/// A longer file says why in a line that starts with [`LONG_BECAUSE`].
const MOST_LINES: usize = 600;
const LONG_BECAUSE: &str = "//! Long because: ";

#[test]
fn imports_point_downwards() {
    assert_none(sources().iter().flat_map(import_faults).collect());
}

#[test]
fn no_collection_is_singled_out_by_name() {
    let sources = sources();
    let slugs = collection_slugs(&sources);
    let outside = sources
        .iter()
        .filter(|source| source.module != "collections");
    assert_none(
        outside
            .flat_map(|source| slug_faults(source, &slugs))
            .collect(),
    );
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
    let faults = faults.map(|file| format!("{}: an example that nobody compiles", file.display()));
    assert_none(faults.collect());
}

#[test]
fn the_table_has_no_cycle() {
    for (at, (module, imports)) in MODULES.iter().enumerate() {
        let above: Vec<_> = MODULES[..at].iter().map(|(name, _)| *name).collect();
        assert!(
            !above.contains(module),
            "{module} stands twice in the table"
        );
        for import in words(imports).filter(|import| *import != ALL_ABOVE) {
            assert!(
                above.contains(&import),
                "{module} may import {import}, which does not stand above it"
            );
        }
    }
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

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn import_faults(source: &Source) -> Vec<String> {
    let module = source.module.as_str();
    if !is_known(module) {
        return vec![format!(
            "{}: the module `{module}` is not in the table of tests/it/layout",
            source.file
        )];
    }
    let mut faults = Vec::new();
    for Found { line, what, .. } in source.imports() {
        if !is_known(&what) {
            faults.push(format!(
                "{}:{line}: name the module that `crate::{what}` comes from",
                source.file
            ));
        } else if what != module && !may_import(module, &what) {
            faults.push(format!(
                "{}:{line}: `{module}` must not import `crate::{what}`",
                source.file
            ));
        }
    }
    for Found { line, what, .. } in source.outer_paths() {
        let users = CRATES
            .iter()
            .find(|(name, _)| *name == what)
            .map(|(_, users)| users);
        if users.is_some_and(|users| !words(users).any(|user| user == module)) {
            faults.push(format!(
                "{}:{line}: `{module}` must not know the crate `{what}`",
                source.file
            ));
        }
    }
    faults.dedup();
    faults
}

fn is_known(module: &str) -> bool {
    MODULES.iter().any(|(name, _)| *name == module)
}

fn may_import(module: &str, target: &str) -> bool {
    let mut above = MODULES.iter().take_while(|(name, _)| *name != module);
    let imports = MODULES
        .iter()
        .find(|(name, _)| *name == module)
        .map_or("", |(_, imports)| imports);
    if imports == ALL_ABOVE {
        above.any(|(name, _)| *name == target)
    } else {
        words(imports).any(|import| import == target)
    }
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(' ').filter(|word| !word.is_empty())
}

/// One file per collection: `src/collections/bull_lists.rs` declares `bull-lists`.
fn collection_slugs(sources: &[Source]) -> Vec<String> {
    let files = sources
        .iter()
        .filter(|source| source.module == "collections");
    files
        .filter_map(|source| {
            source
                .file
                .strip_prefix("src/collections/")?
                .strip_suffix(".rs")
        })
        .filter(|name| *name != "mod")
        .map(|name| name.replace('_', "-"))
        .collect()
}

fn slug_faults(source: &Source, slugs: &[String]) -> Vec<String> {
    let compared = source
        .compared_texts()
        .into_iter()
        .filter(|found| slugs.contains(&found.what));
    compared.map(|Found { line, what, .. }| format!("{}:{line}: compares with the collection `{what}`; declare the difference in the registry", source.file)).collect()
}

fn length_fault(source: &Source) -> Option<String> {
    let lines = source.text.lines().count();
    let explained = source
        .text
        .lines()
        .any(|line| line.starts_with(LONG_BECAUSE));
    (lines > MOST_LINES && !explained).then(|| {
        format!(
            "{}: {lines} lines, more than {MOST_LINES} and no line `{LONG_BECAUSE}…`",
            source.file
        )
    })
}

fn assert_none(faults: Vec<String>) {
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

fn faults_of(file: &str, text: &str) -> Vec<String> {
    import_faults(&Source::new(file, text))
}

#[test]
fn an_upward_import_is_found_however_it_is_written() {
    for text in [
        "use crate::api::Route;",
        "pub(crate) use crate :: api;",
        "use crate::{error::Error, ops::{self, find}};",
        "use crate::{\n    error::Error,\n    api,\n};",
        "fn f() { crate::ops::find(); }",
        "fn f() { println!(\"{}\", crate::ops::LIMIT); }",
        "use super::super::ops::find;",
        "mod inner { use super::super::super::ops::find; }",
        "use axum::Router;",
        "fn f() -> ::axum::Router { make() }",
        "use ade::Meta as M;",
        "use {std::fmt, ade::Meta};",
        "use crate::Hub;",
        "use ade as standard;",
    ] {
        assert_eq!(
            faults_of("src/store/sql.rs", text).len(),
            1,
            "{text}: {:?}",
            faults_of("src/store/sql.rs", text)
        );
    }
    assert_eq!(
        faults_of("src/store/sql.rs", "\nuse crate::api;"),
        ["src/store/sql.rs:2: `store` must not import `crate::api`"]
    );
    assert_eq!(faults_of("src/store.rs", "use super::ops::find;").len(), 1);
    assert_eq!(
        faults_of("src/store/mod.rs", "use super::ops::find;").len(),
        1
    );
    assert_eq!(faults_of("src/unheard_of.rs", "").len(), 1);
    assert_eq!(faults_of("src/api/rest.rs", "use crate::cli;").len(), 1);
}

#[test]
fn what_is_no_upward_import_passes() {
    for text in [
        "use crate::{error::Error, query::{api, ops}};",
        "use crate::store::sqlite;",
        "// use crate::api;\n/* crate::ops */\n/// [`crate::api`]\nfn f() { g(\"crate::api::x\") }",
        "use super::ops::find;",
        "mod inner { use super::super::ops::find; }",
        "#[cfg(test)]\nmod tests { use crate::collections::registry; use axum::Router; }",
        "fn f(ade: u8) -> u8 { self::ade(ade) + x.ade() + crate::store::ade::f() }",
    ] {
        assert_eq!(
            faults_of("src/store/sql.rs", text),
            Vec::<String>::new(),
            "{text}"
        );
    }
    assert_eq!(
        faults_of(
            "src/exchange/log.rs",
            "use crate::ops::Projection; use ade::Meta;"
        ),
        Vec::<String>::new()
    );
    assert_eq!(
        faults_of(
            "src/api/rest.rs",
            "use crate::{exchange, ops}; use axum::Router;"
        ),
        Vec::<String>::new()
    );
    assert_eq!(
        faults_of("src/store/tests.rs", "use crate::api;"),
        Vec::<String>::new()
    );
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
    let collections = [
        Source::new("src/collections/bull_lists.rs", ""),
        Source::new("src/collections/mod.rs", ""),
    ];
    assert_eq!(collection_slugs(&collections), ["bull-lists"]);
}

#[test]
fn a_long_file_needs_a_reason() {
    let long = "//\n".repeat(MOST_LINES + 1);
    assert!(length_fault(&Source::new("src/store/sql.rs", &long)).is_some());
    assert!(
        length_fault(&Source::new(
            "src/store/sql.rs",
            &format!("{LONG_BECAUSE}one table.\n{long}")
        ))
        .is_none()
    );
    assert!(length_fault(&Source::new("src/store/sql.rs", &"//\n".repeat(MOST_LINES))).is_none());
}

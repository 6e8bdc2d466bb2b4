//! Which crates may depend on which: the manifests declare it, the compiler enforces it, and the
//! table of docs/design/layers.md documents it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use toml::Table;

/// Crates of others that only some of ours may know: HTTP stays in the faces, statements stay in the store.
const GUARDED: &[(&str, &[&str])] = &[
    ("ade", &["api", "cli", "exchange", "ingest", "mapping"]),
    ("axum", &["api", "cli", "pages"]),
    ("feed-client", &["cli"]),
    ("ingest", &["api", "cli"]),
    ("krilla", &["paper"]),
    ("lettre", &["mail"]),
    ("sqlx", &["store"]),
    ("tower-http", &["api"]),
];

const PAGE: &str = include_str!("../../../docs/design/layers.md");

/// The dependencies of each crate of the server, by its folder.
fn manifests() -> BTreeMap<String, Vec<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = fs::read_dir(source).expect("a readable folder");
    let folders = folders.map(|entry| entry.expect("a readable entry").path());
    let read = |folder: &Path| {
        let text = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        let manifest: Table = text.parse().expect("a manifest");
        let dependencies = manifest["dependencies"].as_table().expect("a table");
        let name = folder.file_name()?.to_str()?.to_owned();
        Some((name, dependencies.keys().cloned().collect()))
    };
    let all: BTreeMap<_, _> = folders.filter_map(|folder| read(&folder)).collect();
    assert!(all.len() > 5, "{all:?}");
    all
}

#[test]
fn only_some_crates_know_http_statements_and_the_standard() {
    for (name, dependencies) in manifests() {
        for (guarded, users) in GUARDED {
            let knows = dependencies.iter().any(|dependency| dependency == guarded);
            assert!(!knows || users.contains(&name.as_str()), "{name} must not know {guarded}");
        }
    }
}

/// A row is `| crate | contains | knows |`, in the order in which they rest on each other.
#[test]
fn the_page_of_the_layers_tells_what_the_manifests_say() {
    let mut manifests = manifests();
    let ours: Vec<String> = manifests.keys().cloned().chain(["ade".to_owned()]).collect();
    let mut above = vec!["ade".to_owned()];
    let rows = PAGE.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(|cell| cell.trim()).collect();
        let [_, name, _, knows, _] = cells[..] else {
            return None;
        };
        Some((name.trim_matches('`').to_owned(), knows.replace('`', "")))
    });
    for (name, knows) in rows {
        let Some(dependencies) = manifests.remove(&name) else {
            continue;
        };
        // `config` rests on another crate of its name.
        let ours = |known: &String| ours.contains(known) && *known != name;
        let mut known: Vec<_> = dependencies.into_iter().filter(ours).collect();
        known.sort();
        assert!(known.iter().all(|known| above.contains(known)), "{name} stands before what it rests on");
        let mut from_page: Vec<_> = knows.split(", ").filter(|known| *known != "nothing").collect();
        from_page.sort_unstable();
        assert_eq!(from_page, known, "{name} in docs/design/layers.md");
        above.push(name);
    }
    assert!(manifests.is_empty(), "not in docs/design/layers.md: {manifests:?}");
}

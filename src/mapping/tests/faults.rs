//! A folder of bad files gives exactly the faults that are in it, all at once; a folder of
//! good ones changes what it names and nothing else.

use super::mappings;
use crate::{Mappings, Settings};
use domain::collections::registry;
use model::error::Issue;
use std::path::Path;

fn build(folder: &Path) -> Result<Mappings, Vec<Issue>> {
    Mappings::build(registry().unwrap(), &Settings::default(), Some(folder))
}

#[test]
fn every_fault_is_found_with_its_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/faulty-mappings");
    let issues = build(&folder).map(|_| ()).unwrap_err();
    let mut lines: Vec<String> = issues.iter().map(|i| format!("{} | {} | {}", i.path, i.code, i.message)).collect();
    lines.sort();
    lines.dedup();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../tests/golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("mapping-faults", lines.join("\n")));
}

#[test]
fn an_installation_changes_entries_by_their_path() {
    let folder = tempfile::tempdir().unwrap();
    let weights = "[[map]]\nade = \"remark\"\ndrop = true\n[[map]]\nade = \"responsible\"\nfield = \"note\"\n";
    std::fs::write(folder.path().join("weights.toml"), weights).unwrap();
    let codes = "location = \"nl.ubn\"\n";
    std::fs::write(folder.path().join("codes.toml"), codes).unwrap();
    let own = build(folder.path()).unwrap();
    assert_ne!(own.generation(), mappings().generation());
    let names = |all: &Mappings| -> Vec<String> {
        let weights = all.get("weights").unwrap();
        weights.object.members.iter().map(|m| m.name.clone()).collect()
    };
    assert_eq!(names(&mappings()), ["animal", "eventDateTime", "remark", "weight"]);
    assert_eq!(names(&own), ["animal", "eventDateTime", "weight", "responsible"]);
    assert_eq!(own.get("weights").unwrap().identifiers.location, "nl.ubn");
}

#[test]
fn a_missing_folder_is_a_fault() {
    let issues = build(Path::new("/no/such/folder")).map(|_| ()).unwrap_err();
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].code, "unreadable");
}

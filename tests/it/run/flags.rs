//! Every flag that corresponds to a key of the configuration sets it.

use super::{migrated, ran};

/// The folder of mappings that `--mappings` names was never read.
#[test]
fn every_command_reads_the_mappings_of_its_flag() {
    let dir = migrated();
    let own = dir.path().join("own");
    std::fs::create_dir(&own).unwrap();
    std::fs::write(own.join("weights.toml"), "nonsense = 1\n").unwrap();
    for command in ["check", "reproject", "serve"] {
        let done = ran(dir.path(), &[command, "--mappings", "own"]);
        assert_ne!(done.code, Some(0), "{command}: {done:?}");
        assert!(done.err.contains("weights.toml"), "{command}: {done:?}");
    }
}

#[test]
fn a_folder_of_mappings_that_is_missing_is_named() {
    let dir = migrated();
    let done = ran(dir.path(), &["check", "--mappings", "no/such/folder"]);
    assert_ne!(done.code, Some(0), "{done:?}");
    assert!(done.err.contains("no/such/folder"), "{done:?}");
    assert!(done.err.contains("exchange.mappings"), "{done:?}");
}

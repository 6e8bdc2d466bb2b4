//! The support of the tests.

#[macro_use]
pub(crate) mod words;

pub(crate) mod book;
mod databases;
pub(crate) mod fixture;
pub(crate) mod program;
pub(crate) mod untouched;
pub(crate) mod worlds;

use std::path::Path;
use std::process::{Command, Stdio};

/// The folder of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reports the tests that a run of `cargo test` leaves out, with what this machine lacks for them.
#[test]
fn what_is_left_out_is_said() {
    let there = |program: &&str| {
        let mut command = Command::new(program);
        command.arg("--version");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    for (needed, what) in table![
        &["node"][..], "clients of others in TypeScript and JavaScript";
        &["python3"], "clients of others in Python, and the property tester";
        &["chromium", "google-chrome"], "pages in a browser";
    ] {
        let why = match needed.iter().any(there) {
            true => "bash tests/clients/run does it".to_owned(),
            false => format!("no {} here, which tests/clients/run needs", needed.join(", ")),
        };
        test_support::left_out(what, &why);
    }
    if test_support::depth() == test_support::Depth::Quick {
        let why = "HERDBOOK_TEST_DEPTH=full does it";
        test_support::left_out("most random cases, and most of PostgreSQL", why);
    }
}

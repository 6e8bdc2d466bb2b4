//! What the tests of all crates share: how far they go, what they leave out, where test data lies.
//!
//! `HERDBOOK_TEST_DEPTH` says how far, once for all of them:
//!
//! - `quick`, the default of `cargo test --workspace`: tests of behaviour run on SQLite alone, those
//!   that are drawn at random try few cases.
//! - `full`, what `.ci/run` sets: every test on every database, and many cases.
//! - `long`, what a part of `tests/long` sets: all cases of the laws whose cases are many.
//!
//! `docs/design/quality.md` lists what differs. A variable of its own that a test names (a seed, a
//! number of cases) goes before the depth.

#[cfg(feature = "postgres")]
pub mod postgres;

use std::collections::BTreeSet;
use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Cases of a test, a row each, as an array of tuples: `for (text, number) in table!["one", 1; "two", 2;]`. Rows
/// stay on their lines.
#[macro_export]
macro_rules! table {
    ($($($cell:expr),+);+ $(;)?) => { [$(($($cell),+)),+] };
}

const VARIABLE: &str = "HERDBOOK_TEST_DEPTH";

/// How far the tests go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// In minutes: for work on the code.
    Quick,
    /// Every test: before a change lands.
    Full,
    /// Every case: before a release.
    Long,
}

/// The depth of this run.
///
/// # Panics
/// When the variable holds another word: a run that should be full must not be quick.
#[must_use]
#[expect(clippy::panic, reason = "a test fails by a panic")]
pub fn depth() -> Depth {
    static DEPTH: LazyLock<Depth> = LazyLock::new(|| match env::var(VARIABLE).as_deref() {
        Err(_) | Ok("" | "quick") => Depth::Quick,
        Ok("full") => Depth::Full,
        Ok("long") => Depth::Long,
        Ok(other) => panic!("{VARIABLE} is quick, full or long, not {other:?}"),
    });
    *DEPTH
}

/// One of two values, by the depth of this run.
#[must_use]
pub fn at<T>(quick: T, full: T) -> T {
    match depth() {
        Depth::Quick => quick,
        Depth::Full | Depth::Long => full,
    }
}

/// Of so many cases one is tried: of all of them in a long run.
#[must_use]
pub fn one_of(quick: usize, full: usize) -> usize {
    match depth() {
        Depth::Long => 1,
        _ => at(quick, full),
    }
}

/// The number that a variable names, or else one of two, by the depth of this run.
///
/// # Panics
/// When the variable holds no such number.
#[must_use]
pub fn number<N: FromStr>(variable: &str, quick: N, full: N) -> N {
    named(variable).unwrap_or_else(|| at(quick, full))
}

/// The number that a variable names, if it is set.
///
/// # Panics
/// When it holds no such number.
#[must_use]
#[expect(clippy::panic, reason = "a test fails by a panic")]
pub fn named<N: FromStr>(variable: &str) -> Option<N> {
    let text = env::var(variable).ok().filter(|text| !text.is_empty())?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{variable} is a number, not {text:?}")))
}

/// Says in one line what this run leaves out and why, once for each process and line. Past the test
/// harness, which shows nothing of tests that pass.
pub fn left_out(what: &str, why: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let line = format!("Left out: {what}: {why}.\n");
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.insert(line.clone()) {
        // A caller that closed standard error needs no message.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

/// The folder with the official files of ADE 1.5.1, which are test data and no part of the repository:
/// `HERDBOOK_ADE_OFFICIAL`, or `../shared/ade-1.5` beside it. Without them, a line says so.
#[must_use]
pub fn official() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/ade-1.5");
    let folder = env::var_os("HERDBOOK_ADE_OFFICIAL").map_or(beside, PathBuf::from);
    if folder.join("ade-1.5.bundle.json").is_file() {
        return Some(folder);
    }
    let why = format!("they are not in {}", folder.display());
    left_out("comparisons with the official files of ADE", &why);
    None
}

//! The PostgreSQL server of the tests: one for the whole test process, a fresh database for each test.
//!
//! Where it comes from, in this order:
//!
//! 1. `HERDBOOK_TEST_POSTGRES`, the URL of a running server on which databases may be created. The databases
//!    (`herdbook_test_…`) are left behind on it.
//! 2. The server binaries of this machine: a throw-away cluster in a temporary folder, see `postgres.sh`.
//! 3. Nowhere: one line says so and the tests run on SQLite alone. With `HERDBOOK_REQUIRE_POSTGRES=1`, as in CI, this
//!    is a failure instead.
//!
//! A database lives as long as the thread that requested it, which is that of one test, so that a thousand tests do
//! not need the disk of a thousand databases. What tests share [stays](Cluster::keep).
//!
//! Knows nothing of the tables: what a database holds is the business of the test that requested it.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};
use uuid::Uuid;

const SCRIPT: &str = include_str!("postgres.sh");
const SUPERUSER: &str = "herdbook";
/// What a folder must hold to be taken for the server's binaries; client packages bring a folder without them.
const BINARIES: [&str; 2] = ["initdb", "postgres"];

/// Databases whose threads have ended. The next one that is created has them dropped.
static LEFT: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// Databases that outlive their threads.
static LASTING: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

thread_local! {
    static MINE: RefCell<Databases> = const { RefCell::new(Databases(Vec::new())) };
}

/// Names of the databases that a thread requested.
struct Databases(Vec<String>);

impl Drop for Databases {
    fn drop(&mut self) {
        let lasting = lock(&LASTING);
        lock(&LEFT).extend(self.0.drain(..).filter(|name| !lasting.contains(name)));
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A PostgreSQL server on which databases can be created.
pub struct Cluster {
    /// Connection URL of the database from which others are created.
    url: String,
    /// Held open as long as the test process lives; the server stops when it closes.
    _alive: Option<ChildStdin>,
}

/// The server of this test process, started by the first test that asks.
///
/// `None`: this machine has no PostgreSQL, and the caller returns early.
///
/// # Panics
///
/// When a server is there and does not start, or when there is none and `HERDBOOK_REQUIRE_POSTGRES=1`.
pub fn cluster() -> Option<&'static Cluster> {
    // The failure is stored too: every test names the cause, none waits for a second attempt.
    static CLUSTER: OnceLock<Result<Option<Cluster>, String>> = OnceLock::new();
    match CLUSTER.get_or_init(Cluster::find) {
        Ok(found) => found.as_ref(),
        Err(cause) => panic!("PostgreSQL: {cause}"),
    }
}

impl Cluster {
    /// Creates an empty database, which goes after the calling thread has ended, and returns its connection URL.
    pub async fn fresh_database(&self) -> String {
        // template0, because it allows no connections: a template in use cannot be copied.
        self.copy_of("template0").await
    }

    /// Creates a copy of a database without connections, which goes after the calling thread has ended, and returns
    /// its connection URL.
    pub async fn copy_of(&self, template: &str) -> String {
        let name = format!("herdbook_test_{}", Uuid::new_v4().simple());
        let remaining = std::mem::take(&mut *lock(&LEFT));
        let mut connection = PgConnectOptions::from_str(&self.url)
            .expect("a connection URL")
            .connect()
            .await
            .expect("the server of the tests accepts connections");
        // File by file takes half the time of page by page through the log: there are a thousand small files.
        let statement = format!("CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8' STRATEGY file_copy");
        connection.execute(AssertSqlSafe(statement)).await.expect("a database can be created");
        for old in remaining {
            // Connections may be on their way out.
            let statement = format!("DROP DATABASE {old} WITH (FORCE)");
            connection
                .execute(AssertSqlSafe(statement))
                .await
                .expect("a database of a test that has ended can be dropped");
        }
        MINE.with_borrow_mut(|mine| mine.0.push(name.clone()));
        connection.close().await.expect("the connection closes");
        with_database(&self.url, &name)
    }

    /// Has a database outlive the thread that requested it, as one that others are copied from.
    pub fn keep(&self, name: &str) {
        lock(&LASTING).insert(name.to_owned());
    }

    fn find() -> Result<Option<Self>, String> {
        if let Some(url) = variable("HERDBOOK_TEST_POSTGRES") {
            return Ok(Some(Self { url, _alive: None }));
        }
        if let Some(binaries) = binaries() {
            return Self::start(&binaries).map(Some);
        }
        if variable("HERDBOOK_REQUIRE_POSTGRES").is_some_and(|value| value == "1") {
            return Err(
                "required, but this machine has no server binaries and HERDBOOK_TEST_POSTGRES is not set".into()
            );
        }
        crate::left_out("PostgreSQL", "no server binaries on this machine, and HERDBOOK_TEST_POSTGRES is not set");
        Ok(None)
    }

    fn start(binaries: &Path) -> Result<Self, String> {
        let mut command = as_ordinary_user()?;
        command.args(["sh", "-c", SCRIPT, "postgres.sh"]).arg(binaries).arg(SUPERUSER);
        // The folder of the caller may be closed to that user, and PostgreSQL must be able to read its
        // working directory.
        command.current_dir("/");
        // A process group of its own: Ctrl-C must reach the tests, not the script that clears up after them.
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("cannot run {command:?}: {error}"))?;
        let (Some(alive), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the pipes of the server are gone".into());
        };

        let mut said = String::new();
        for line in BufReader::new(stdout).lines() {
            let line = line.map_err(|error| error.to_string())?;
            if let Some(folder) = line.strip_prefix("ready ") {
                let url = format!("postgres://{SUPERUSER}@localhost/postgres?host={folder}");
                return Ok(Self { url, _alive: Some(alive) });
            }
            said.push('\n');
            said.push_str(&line);
        }
        let status = child.wait().map_err(|error| error.to_string())?;
        Err(format!("the server in {} did not start ({status}):{said}", binaries.display()))
    }
}

/// The URL with another database: `scheme://authority/DATABASE?parameters`.
#[must_use]
pub fn with_database(url: &str, name: &str) -> String {
    let (address, parameters) = url.split_once('?').map_or((url, None), |(address, rest)| (address, Some(rest)));
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..].find('/').map_or(address.len(), |at| authority + at);
    let parameters = parameters.map_or_else(String::new, |parameters| format!("?{parameters}"));
    format!("{}/{name}{parameters}", &address[..end])
}

/// The folder of the server's binaries: on the path, where Debian puts them (newest first), or where `pg_config` says.
fn binaries() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).collect::<Vec<_>>();
    on_path
        .into_iter()
        .chain(debian_versions())
        .chain(configured())
        .find(|folder| BINARIES.iter().all(|name| folder.join(name).is_file()))
}

fn debian_versions() -> Vec<PathBuf> {
    let Ok(entries) = Path::new("/usr/lib/postgresql").read_dir() else {
        return Vec::new();
    };
    let mut versions: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, folder)| folder).collect()
}

fn configured() -> Option<PathBuf> {
    let answer = output(Command::new("pg_config").arg("--bindir"))?;
    Some(PathBuf::from(answer))
}

/// A command that runs its arguments as a user other than root, since PostgreSQL refuses to run as root.
fn as_ordinary_user() -> Result<Command, String> {
    if output(Command::new("id").arg("-u")).as_deref() != Some("0") {
        return Ok(Command::new("env"));
    }
    let known = |user: &&str| output(Command::new("id").args(["-u", user])).is_some();
    let user = ["postgres", "nobody"]
        .into_iter()
        .find(known)
        .ok_or("run as root, and there is neither a user postgres nor nobody")?;
    let group = output(Command::new("id").args(["-g", user])).ok_or("a user without a group")?;
    let mut command = Command::new("setpriv");
    command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).args(["--clear-groups", "--"]);
    Ok(command)
}

/// The first line a command prints, if it succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()?.lines().next().map(str::to_owned)
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

//! The command line: one file per command, and what they share. Each command prints one JSON line on standard output
//! when it is ready or done; everything else goes to standard error.

mod averages;
mod bench_runs;
mod check;
mod connections;
mod evaluation_runs;
mod exit;
mod filling;
mod flags;
mod follow;
mod index_runs;
pub mod jobs;
mod maintenance;
mod open;
mod openapi;
mod print;
mod progress;
mod serve;
mod telemetry;
mod user;
mod verify;
mod work_letters;

pub use averages::ComputeAverages;
pub use check::check_runs::{CheckBook, ask_nightly};
pub use check::findings::survey;
pub use evaluation_runs::{Evaluate, Release};
pub use exit::{EXITS, Exit};
pub use filling::import::{Encoding, OnConflict, RowOptions, import_rows};
pub use index_runs::ComputeIndexes;
pub use ingest::{Counts, ImportSummary};
pub use maintenance::transfer::{TransferCounts, export_to, import_from};
pub use open::{OpenBook, ask_password, exchange, list_rows, open, registry, rules, stock};
pub use print::{generated, reference};
pub use serve::Stop;
pub use serve::mailer::mailer;
pub use work_letters::write_letters;

/// Documents and rows are many small allocations, made and freed by different threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use config::{Settings, Sources};
use model::error::{Error, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

/// Read when no other file is named.
const FILE: &str = "herdbook.toml";

/// The server of a Holstein herd book.
#[derive(Debug, Parser)]
#[command(name = "herdbook", version = version())]
pub struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every command.
#[derive(Debug, Args)]
struct Common {
    /// Configuration file (default: herdbook.toml).
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Database: `sqlite:<path>` or `postgres://…`.
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
    /// Which events are logged, as a tracing filter (info, herdbook=debug).
    #[arg(long, global = true, value_name = "FILTER")]
    log: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a demonstration book and serve it.
    Demo(filling::demo::Options),
    /// Serve the book.
    Serve(serve::Options),
    /// Apply the outstanding migrations to the database.
    Migrate,
    /// Add a user, set or reset a password, unlock an account, create an API key.
    User(user::Options),
    /// Fill an empty book with a synthetic herd book.
    Generate(filling::generate::Options),
    /// Check the declarations and mapping files, and list every fault; or the content of the book.
    Check(check::Options),
    /// Print the SQL of the tables that this program needs, or what a database lacks of them.
    Schema(maintenance::schema::Options),
    /// Print the OpenAPI document of the REST, GraphQL and ADE interfaces.
    Openapi,
    /// Mirror a data set of any ADE server into a SQLite file.
    Follow(follow::Options),
    /// Compute the breeding values of the book and store nothing, to check what a run of the Association says.
    Evaluate(evaluation_runs::Options),
    /// Compute everything that the book derives of its animals anew, after an upgrade that changed its rules.
    Recompute,
    /// Render all exchange documents anew.
    Reproject(maintenance::reproject::Options),
    /// Write the generated files of the repository (documentation, golden files, new migrations), or the reference.
    Print(print::Options),
    /// Copy a SQLite book to a file, while it is served.
    Backup(maintenance::backup::Backup),
    /// Replace a SQLite book by a backup.
    Restore(maintenance::backup::Restore),
    /// Write the whole book into a folder, as lines of JSON.
    Export(maintenance::transfer::Export),
    /// Fill an empty book from a folder that `export` wrote, or add rows from files of another
    /// program: `animals.csv`, `milk-tests.ndjson` (docs/import.md).
    Import(maintenance::transfer::Import),
    /// Record that a database was restored from a backup made by other tools.
    MarkRestored,
    /// Verify a downloaded package: whether its rows are those that were signed; ends with 3 where they are not.
    Verify(verify::Options),
    /// Compare the time of the book with the clock of this machine, or let it go back to it.
    Clock(maintenance::clock::Options),
    /// Delete tombstones older than `exchange.tombstones_kept`.
    DropTombstones,
}

impl Cli {
    /// Reads a command line, and its flags that set keys of the configuration.
    fn read(words: impl IntoIterator<Item = OsString>) -> Result<(Self, BTreeMap<&'static str, String>), clap::Error> {
        let matches = Self::command().try_get_matches_from(words)?;
        let cli = Self::from_arg_matches(&matches)?;
        Ok((cli, flags::of(&matches)))
    }

    fn sources(&self, flags: BTreeMap<&'static str, String>, variables: BTreeMap<String, String>) -> Result<Sources> {
        if matches!(self.command, Command::Demo(_)) && self.common.database_url.is_some() {
            let message = "demo stores its book in the folder given by --dir";
            return Err(Error::invalid("--database-url", "not-taken", message));
        }
        Ok(Sources { file: file(self.common.config.as_deref())?, variables, flags })
    }

    fn settings(&self, sources: &Sources) -> Result<Settings> {
        match self.command.signs() {
            true => Settings::load_to_sign(sources),
            false => Settings::load(sources),
        }
    }
}

impl Command {
    /// Whether it needs the secret of the service.
    fn signs(&self) -> bool {
        match self {
            Self::Serve(_) => true,
            Self::User(options) => options.signs(),
            _ => false,
        }
    }
}

pub fn main() -> ExitCode {
    serve::process::use_small_pages();
    serve::process::keep_files_private();
    let (cli, flags) = Cli::read(std::env::args_os()).unwrap_or_else(|fault| fault.exit());
    // Variables that are not text cannot be ours.
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let outcome = (cli.sources(flags, variables.collect()))
        .and_then(|sources| cli.settings(&sources))
        .and_then(|settings| run(&cli.command, settings));
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{}", explain(&error));
            Exit::Failed.into()
        }
    }
}

/// Version, and the optional features of `Cargo.toml` that this program has.
fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let all = [
            ("otlp", cfg!(feature = "otlp")),
            ("parquet", cfg!(feature = "parquet")),
            ("passkeys", cfg!(feature = "passkeys")),
            ("pictures", cfg!(feature = "pictures")),
            ("smtp", cfg!(feature = "smtp")),
        ];
        let has: Vec<&str> = (all.iter().filter(|(_, has)| *has)).map(|(name, _)| *name).collect();
        let has = if has.is_empty() { "none".to_owned() } else { has.join(", ") };
        format!("{} (features: {has})", env!("CARGO_PKG_VERSION"))
    });
    &VERSION
}

fn run(command: &Command, settings: Settings) -> Result<ExitCode> {
    let telemetry = telemetry::begin(&settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Error::internal)?;
    let outcome = runtime.block_on(async {
        match command {
            Command::Serve(options) => serve::serve(options, settings).await,
            Command::Migrate => maintenance::migrate::migrate(&settings).await,
            Command::User(options) => user::user(options, &settings).await,
            Command::Demo(options) => filling::demo::demo(options, settings).await,
            Command::Generate(options) => filling::generate::generate(options, &settings).await,
            Command::Check(options) => return check::check(options, &settings).await,
            Command::Schema(options) => return maintenance::schema::schema(options).await,
            Command::Print(options) => return print::print(options).await,
            Command::Openapi => openapi::openapi(&settings),
            Command::Follow(options) => return follow::follow(options).await,
            Command::Evaluate(options) => evaluation_runs::evaluate(options, &settings).await,
            Command::Recompute => maintenance::recompute::recompute(&settings).await,
            Command::Reproject(options) => maintenance::reproject::reproject(options, &settings).await,
            Command::Backup(options) => maintenance::backup::backup(options, &settings).await,
            Command::Restore(options) => maintenance::backup::restore(options, &settings).await,
            Command::Export(options) => maintenance::transfer::export(options, &settings).await,
            Command::Import(options) => {
                return maintenance::transfer::import(options, &settings).await;
            }
            Command::MarkRestored => maintenance::backup::mark(&settings).await,
            Command::Verify(options) => return verify::verify(options, &settings).await,
            Command::Clock(options) => return maintenance::clock::clock(options, &settings).await,
            Command::DropTombstones => maintenance::tombstones::drop_old(&settings).await,
        }?;
        Ok(Exit::Done.into())
    });
    // Tasks may still end spans.
    drop(runtime);
    telemetry.end();
    outcome
}

/// The text of the configuration file; a file that was named must be there.
fn file(path_given: Option<&Path>) -> Result<Option<String>> {
    let path = path_given.unwrap_or(Path::new(FILE));
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound && path_given.is_none() => Ok(None),
        Err(fault) => {
            let why = format!("{}: {fault}", path.display());
            Err(Error::Malformed(why.into()))
        }
    }
}

/// An error as text for the terminal, one line per fault.
fn explain(error: &Error) -> String {
    match error {
        Error::Invalid(issues) | Error::Forbidden(issues) => {
            (issues.iter()).map(|issue| format!("{}: {}", issue.path, issue.message)).collect::<Vec<_>>().join("\n")
        }
        Error::Malformed(why) => why.to_string(),
        Error::Unavailable(why) | Error::Internal(why) => why.clone(),
        Error::TooLarge | Error::Full | Error::Late | Error::Overloaded => error.to_string(),
        Error::NotFound
        | Error::Undone
        | Error::Unauthenticated
        | Error::Query(_)
        | Error::Dear(_)
        | Error::Unindexed { .. } => error.to_string(),
    }
}

/// Writes a line to standard output. A closed output (a pager, `head`) is no error.
fn say(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn announce(line: &serde_json::Value) {
    say(&line.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
    }

    pub(super) fn read(words: &[&str]) -> (Cli, BTreeMap<&'static str, String>) {
        let all = std::iter::once("herdbook").chain(words.iter().copied());
        Cli::read(all.map(OsString::from)).unwrap()
    }

    #[test]
    fn flags_reach_the_settings() {
        let words = ["serve", "--listen", "127.0.0.1:9", "--database-url"];
        let (cli, flags) = read(&[&words[..], &["sqlite:x.db"]].concat());
        let sources = cli.sources(flags, BTreeMap::new()).unwrap();
        let settings = Settings::load(&sources).unwrap();
        assert_eq!(settings.listen.port(), 9);
        assert_eq!(settings.database_url.reveal(), "sqlite:x.db");
    }

    #[test]
    fn demo_takes_no_database() {
        let (cli, flags) = read(&["demo", "--database-url", "sqlite:x.db"]);
        let error = cli.sources(flags, BTreeMap::new()).unwrap_err();
        assert!(explain(&error).contains("--dir"));
    }

    #[test]
    fn a_file_that_was_named_must_be_there() {
        assert!(file(Some(Path::new("no/such/file.toml"))).is_err());
    }

    #[test]
    fn every_fault_has_a_line() {
        let issues = ["a", "b"].map(|path| model::error::Issue::error(path, "x", "is bad"));
        let text = explain(&Error::Invalid(issues.into()));
        assert_eq!(text, "a: is bad\nb: is bad");
    }
}

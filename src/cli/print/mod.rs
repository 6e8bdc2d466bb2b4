//! `herdbook print`: the files of the repository that are made from the declarations, the mapping files and the
//! tables of errors and settings, and the migrations that the declarations demand beyond those that are there; with
//! `--out` the reference of the data model, which is not committed.

mod sample_emails;

use super::{Exit, announce};
use ade::catalog::{Catalog, CollectionEntry, Verb};
use api::graphql;
use clap::Args;
use config::Settings;
use domain::collections;
use indexmap::{IndexMap, IndexSet};
use mapping::{Mapping, Mappings};
use model::clock::Clock;
use model::error::{Error, Result, error_codes, error_reference};
use model::registry::DataSet;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::{Dialect, Durability, Store, schema};

/// Where the table of the data sets begins and ends on its page.
const DATA_SETS: (&str, &str) = ("<!-- backed-by -->\n", "<!-- /backed-by -->");
/// Files of the reference.
const SCHEMA: &str = "schema.graphql";
const CHECKS: &str = "model/checks.md";
const ERRORS: &str = "model/errors.md";

/// Flags of `print`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// Root of the repository.
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Name for the new migration, if one is needed.
    #[arg(long, value_name = "NAME", default_value = "next")]
    migration: String,
    /// Write the reference instead, into this folder: pages of the data model, registry, GraphQL schema.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["root", "migration"])]
    out: Option<PathBuf>,
}

pub(super) async fn print(options: &Options) -> Result<ExitCode> {
    let root = options.out.as_ref().unwrap_or(&options.root);
    let files = if options.out.is_some() {
        reference()?
    } else {
        let mut files = generated(root)?;
        files.extend(migrations(root, &options.migration).await?);
        files
    };
    let mut written = Vec::new();
    for (name, text) in &files {
        let path = root.join(name);
        if std::fs::read_to_string(&path).ok().as_ref() == Some(text) {
            continue;
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|why| unwritten(folder, &why))?;
        }
        std::fs::write(&path, text).map_err(|why| unwritten(&path, &why))?;
        readable(&path);
        written.push(name);
    }
    announce(&json!({"event": "printed", "files": files.len(), "written": written}));
    Ok(Exit::Done.into())
}

/// Files of a repository are for everybody, unlike those of a service.
fn readable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644));
    }
}

fn unwritten(path: &Path, why: &std::io::Error) -> Error {
    Error::Unavailable(format!("{}: {why}", path.display()))
}

fn mappings() -> Result<Mappings> {
    let names = mapping::Settings::default();
    Mappings::build(collections::registry()?, &names, None).map_err(Error::Invalid)
}

/// What is printed on demand and for a release, by names below its folder. Links of the pages fit the folder `docs`.
///
/// # Errors
/// Faults of declarations or mapping files.
pub fn reference() -> Result<IndexMap<String, String>> {
    let registry = collections::registry()?;
    let mut sets: BTreeMap<String, Vec<DataSet>> = BTreeMap::new();
    for mapping in mappings()?.iter() {
        let of_collection = sets.entry(mapping.collection().to_owned()).or_default();
        of_collection.push(DataSet {
            name: mapping.dataset().to_owned(),
            resource: mapping.resource().to_owned(),
            file: mapping.name().to_owned(),
        });
    }
    let pages = registry.pages(&sets).into_iter();
    let mut files: IndexMap<_, _> = pages.map(|(name, page)| (format!("model/{name}"), page)).collect();
    files.insert(CHECKS.to_owned(), checks::page());
    files.insert(ERRORS.to_owned(), error_reference());
    files.insert(SCHEMA.to_owned(), graphql::sdl(registry)?);
    files.insert("registry.txt".to_owned(), registry.dump());
    Ok(files)
}

/// The declarations, a line for each field, and a hash of the printed files that say more than they.
fn snapshot() -> Result<String> {
    let registry = collections::registry()?;
    let mut snapshot = registry.dump();
    for (name, text) in [(SCHEMA, graphql::sdl(registry)?), (CHECKS, checks::page())] {
        let hash = Sha256::digest(text.as_bytes());
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(snapshot, "{name} SHA-256 {hash}");
    }
    Ok(snapshot)
}

/// The committed files that are made from others, by their names below the root of the repository, which is read for
/// the parts of pages that people write.
///
/// # Errors
/// Faults of declarations or mapping files, and pages that cannot be read.
pub fn generated(root: &Path) -> Result<IndexMap<String, String>> {
    let registry = collections::registry()?;
    let read = |name: &str| {
        let path = root.join(name);
        std::fs::read_to_string(&path).map_err(|why| unwritten(&path, &why))
    };
    let mut files = IndexMap::new();
    let states = format!("{STATES}{}", registry.states_page());
    files.insert("docs/states.md".to_owned(), states);
    let configuration = format!("{CONFIGURATION}```toml\n{}```\n", Settings::example());
    files.insert("docs/configuration.md".to_owned(), configuration);
    let errors = read("docs/errors.md")?;
    let (introduction, _) = errors.split_once("\n## Codes").unwrap_or((&errors, ""));
    let errors = format!("{introduction}{}", error_codes());
    files.insert("docs/errors.md".to_owned(), errors);
    let exchange = read("docs/exchange.md")?;
    let parts = exchange.split_once(DATA_SETS.0).and_then(|(head, rest)| {
        let (_, tail) = rest.split_once(DATA_SETS.1)?;
        Some((head, tail))
    });
    let Some((head, tail)) = parts else {
        let message = format!("docs/exchange.md lacks the marks {DATA_SETS:?}");
        return Err(Error::Unavailable(message));
    };
    let table = data_sets(&mappings()?);
    let exchange = [head, DATA_SETS.0, &table, DATA_SETS.1, tail].concat();
    files.insert("docs/exchange.md".to_owned(), exchange);
    files.insert("tests/golden/declarations.txt".to_owned(), snapshot()?);
    files.insert("tests/golden/letters.txt".to_owned(), sample_emails::all());
    Ok(files)
}

/// What is behind each collection of the exchange, and how it can be sent. Those that agree in both share a row.
fn data_sets(mappings: &Mappings) -> String {
    let mut rows: IndexMap<(String, String), Vec<String>> = IndexMap::new();
    let at_locations = |entry: &&CollectionEntry| entry.scoped && !entry.name.contains('{');
    for entry in Catalog::get().collections().iter().filter(at_locations) {
        let names = [Some(&entry.name), entry.same_as.as_ref()];
        let mapping = names.into_iter().flatten().find_map(|name| mappings.get(name));
        let row = match mapping {
            Some(mapping) => (backing(entry, mapping, mappings), ways(entry, mapping)),
            None => ("identifier schemes and dictionaries".to_owned(), String::new()),
        };
        rows.entry(row).or_default().push(format!("`{}`", entry.name));
    }
    let mut table = "| Collections | Backed by | Sent by |\n|---|---|---|\n".to_owned();
    for ((behind, verbs), names) in rows {
        let row = format!("| {} | {behind} | {verbs} |\n", names.join(", "));
        table.push_str(&row.replace("|  |", "| |"));
    }
    table
}

fn backing(entry: &CollectionEntry, mapping: &Mapping, mappings: &Mappings) -> String {
    match (&entry.same_as, mapping.is_passthrough()) {
        (Some(same), _) => format!("as `{same}`"),
        (None, true) => "raw documents".to_owned(),
        (None, false) => {
            let all = mappings.iter().filter(|m| m.dataset() == mapping.dataset());
            let mut all: IndexSet<String> = all.map(|m| format!("`{}`", m.collection())).collect();
            all.extend(mapping.keeps_sent().then(|| "raw documents".to_owned()));
            Vec::from_iter(all).join(", ")
        }
    }
}

fn ways(entry: &CollectionEntry, mapping: &Mapping) -> String {
    let ways = [
        (entry.allows(Verb::Post) && mapping.can_post(), "POST"),
        (entry.allows(Verb::Batch) && mapping.can_batch(), "batch"),
        (mapping.can_push(), "push"),
    ];
    let ways: Vec<&str> = (ways.iter().filter(|(can, _)| *can)).map(|(_, way)| *way).collect();
    let ways = ways.join(", ");
    match mapping.senders() {
        [] => ways,
        senders => format!("{ways} ({}, Association)", senders.join(", ")),
    }
}

/// The next migration of both databases; none where the declarations demand nothing new. PostgreSQL is not compared:
/// its migrations make the same tables as those of SQLite, so what SQLite lacks, it lacks too.
async fn migrations(root: &Path, name: &str) -> Result<IndexMap<String, String>> {
    let mut files = IndexMap::new();
    let registry = collections::registry()?;
    let scratch = std::env::temp_dir().join(format!("herdbook-print-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|why| unwritten(&scratch, &why))?;
    let url = format!("sqlite:{}", scratch.join("book.db").display());
    let store = Store::open(&url, Durability::Normal, Clock::system(), true).await?;
    let live = schema::live(&store).await;
    store.close().await;
    let _ = std::fs::remove_dir_all(&scratch);
    let live = live?;
    let expected = |dialect| schema::expected(registry, dialect).map_err(Error::Invalid);
    let sqlite = expected(Dialect::Sqlite)?;
    let postgres = expected(Dialect::Postgres)?;
    let postgres_live = schema::as_far(&postgres, &sqlite, &live);
    for (folder, expected, live, dialect) in
        [("sqlite", &sqlite, &live, Dialect::Sqlite), ("postgres", &postgres, &postgres_live, Dialect::Postgres)]
    {
        let mut statements = schema::diff(expected, live, dialect);
        statements.retain(|statement| !statement.optional);
        if statements.is_empty() {
            continue;
        }
        let path = root.join("migrations").join(folder);
        let there = std::fs::read_dir(&path).map_err(|why| unwritten(&path, &why))?;
        let number = there.count() + 1;
        let text: Vec<String> = statements.iter().map(ToString::to_string).collect();
        let file = format!("migrations/{folder}/{number:04}_{name}.sql");
        files.insert(file, text.concat());
    }
    Ok(files)
}

const STATES: &str = "# States\n\nEvery state machine of the book: which moves there are, who may make them, what they need, \
    write and lead to. F is a farm with the capability in brackets, A the Association, X the server itself, \
    which also may make the moves of the others where they follow from something. A move is a change of the \
    field. Any other one is refused with 400 on the field, a move of somebody who may not with 403. A row begins in \
    the named state by default. Moves without a *Log* are logged as `status-changed`, those with – are not logged.\n\n\
    This page is made from the declarations: `cargo run -- print`.\n";

const CONFIGURATION: &str = "# Configuration\n\nEvery key with its meaning and its default. \
    Flags come before variables, variables before `herdbook.toml`, the file before the defaults. \
    The variable of `exchange.prefix` is `HERDBOOK_EXCHANGE_PREFIX`, and so on; \
    a list in a variable is written with commas. All faults are reported at once, by key.\n\n\
    This page is made from `src/config/keys.rs`: `cargo run -- print`.\n\n";

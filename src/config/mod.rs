//! The configuration: defaults, below `herdbook.toml`, below `HERDBOOK_…` variables, below
//! flags. All faults are found at once. Must not know what the values are used for beyond
//! their ranges; the environment and the file come in as parameters.

mod graphql;
mod keys;
mod limits;
mod mailing;
mod read;
mod webhooks;

pub use graphql::Graphql;
pub use keys::{KEYS, Key};
pub use limits::Limits;
pub use mailing::{Mailing, Post};
pub use webhooks::Webhooks;

use crate::error::{Error, Issue, Result};
use crate::secure::keys::{KeyRing, SecretFault, Which, check_secret};
use crate::store::Durability;
use config::{Config, File, FileFormat};
use read::Reader;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
    /// The text, for whoever has to use it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "none" } else { "***" })
    }
}

/// All settings. The keys that they come from are [`KEYS`].
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the service.
    pub service: String,
    /// Where to listen.
    pub listen: SocketAddr,
    /// Origins whose pages may use the cookie, without a slash at the end.
    pub trusted_origins: Vec<String>,
    /// What is logged.
    pub log: String,
    /// Address of a collector of traces, without a slash at the end; empty: none.
    pub telemetry_otlp: String,
    /// The database; may hold a password.
    pub database_url: Secret,
    /// Memory for answers that are given again, bytes.
    pub cache_pages: u64,
    /// How surely commits are kept.
    pub durability: Durability,
    /// Signs tokens.
    pub secret: Secret,
    /// Is still believed.
    pub previous_secret: Secret,
    /// Cookie over encrypted connections only.
    pub cookie_secure: bool,
    /// Lifetime of a sign-in, seconds.
    pub token_lifetime: i64,
    /// Wrong passwords that lock an account.
    pub lock_failures: i64,
    /// How long an account stays locked, seconds.
    pub lock_time: i64,
    /// Passwords checked at a time.
    pub password_checks: usize,
    /// How long the token of a forgotten password holds, seconds.
    pub reset_lifetime: i64,
    /// Letters.
    pub mail: Mailing,
    /// Largest body, bytes.
    pub body_limit: usize,
    /// What one client may ask for.
    pub limits: Limits,
    /// Time until an answer must have begun.
    pub request_time: Duration,
    /// Time of running requests at shutdown.
    pub drain_time: Duration,
    /// Folder of uploaded files.
    pub media: PathBuf,
    /// Time until the answer to an upload must have begun.
    pub upload_time: Duration,
    /// Default `depth`.
    pub depth: u8,
    /// Default `limit`.
    pub limit: u64,
    /// GraphQL.
    pub graphql: Graphql,
    /// Whether farms write gradings.
    pub gradings_write: bool,
    /// Most documents that one request may create.
    pub batch: usize,
    /// Prefix of identifier schemes.
    pub exchange_prefix: String,
    /// Name of this book as a source.
    pub exchange_source: String,
    /// Where outside systems see the service, without a slash at the end; empty: unknown.
    pub exchange_url: String,
    /// Most resources in one batch or push.
    pub exchange_batch: usize,
    /// Largest body of a batch or push, bytes.
    pub exchange_body: usize,
    /// A batch of more resources is answered later.
    pub exchange_async_above: usize,
    /// Resources of a batch that share a transaction.
    pub exchange_chunk: usize,
    /// How long results of batches are kept, days.
    pub exchange_results_kept: i64,
    /// How long a worker holds a batch without progress, seconds.
    pub exchange_lease: i64,
    /// How long a full sync goes on without a push, seconds.
    pub exchange_full_sync_lease: i64,
    /// How far a sender's clock may be ahead, seconds.
    pub exchange_clock_tolerance: i64,
    /// How long deletions stay in the feeds, days.
    pub exchange_tombstones_kept: i64,
    /// Whether answers are those of the deployed service, whatever a client prefers.
    pub exchange_deployed: bool,
    /// Folder of mapping files laid over the built-in ones.
    pub mappings: Option<PathBuf>,
    /// Webhooks.
    pub webhooks: Webhooks,
}

/// Where settings come from, lowest first.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Text of `herdbook.toml`.
    pub file: Option<String>,
    /// Environment variables; those without a key of ours are passed over, since
    /// orchestrators set variables of their own under the same prefix.
    pub variables: BTreeMap<String, String>,
    /// Flags of the command line, by dotted key.
    pub flags: BTreeMap<&'static str, String>,
}

impl Settings {
    /// Merges the sources and checks everything except the secrets, which only those
    /// commands need that sign (see [`Settings::ring`]).
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault, by key; [`Error::Malformed`] when the file is
    /// not TOML.
    pub fn load(sources: &Sources) -> Result<Self> {
        let text = sources.file.as_deref().unwrap_or_default();
        let file = Config::builder()
            .add_source(File::from_str(text, FileFormat::Toml))
            .build()
            .map_err(|fault| Error::Malformed(format!("the configuration file: {fault}")))?;
        let mut faults = read::unknown(&file);
        let merged = merge(text, sources).map_err(Error::internal)?;
        let mut reader = Reader::new(&merged);
        let settings = Self::read(&mut reader);
        faults.append(&mut reader.faults);
        match settings {
            Some(settings) if faults.is_empty() => Ok(settings),
            _ => Err(Error::Invalid(faults)),
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let listen = r.needed("listen");
        let address: Option<SocketAddr> = listen.parse().ok();
        if address.is_none() {
            r.fault("listen", "not-an-address", "must be <address>:<port>");
        }
        let durability = [("full", Durability::Full), ("normal", Durability::Normal)];
        let durability = r.word("database.durability", &durability);
        let mappings = r.text("exchange.mappings");
        let number = |r: &mut Reader<'_>, key, range| r.number(key, &range);
        let service = service(r);
        Some(Self {
            service: service.clone(),
            trusted_origins: origins(r),
            log: r.needed("log"),
            telemetry_otlp: own_url(r, "telemetry.otlp"),
            database_url: Secret(database(r)),
            secret: Secret(r.text("security.secret")),
            previous_secret: Secret(r.text("security.previous_secret")),
            cookie_secure: r.flag("security.cookie_secure"),
            token_lifetime: i64::try_from(number(r, "security.token_lifetime", 60..=31_536_000))
                .ok()?,
            lock_failures: i64::try_from(number(r, "security.lock_failures", 1..=1000)).ok()?,
            lock_time: i64::try_from(number(r, "security.lock_time", 1..=86_400)).ok()?,
            password_checks: usize::try_from(number(r, "security.password_checks", 1..=64)).ok()?,
            reset_lifetime: i64::try_from(number(r, "security.reset_lifetime", 60..=604_800))
                .ok()?,
            mail: mailing::read(r, &service, address)?,
            body_limit: usize::try_from(number(r, "limits.body", 1024..=1_073_741_824)).ok()?,
            limits: limits::read(r)?,
            cache_pages: number(r, "cache.pages", 0..=1_099_511_627_776),
            request_time: Duration::from_secs(number(r, "limits.request_time", 1..=3600)),
            drain_time: Duration::from_secs(number(r, "limits.drain_time", 0..=3600)),
            media: media(r),
            upload_time: Duration::from_secs(number(r, "media.upload_time", 1..=86_400)),
            depth: u8::try_from(number(r, "rest.depth", 0..=10)).ok()?,
            limit: number(r, "rest.limit", 0..=1_000_000),
            graphql: graphql::read(r)?,
            gradings_write: r.flag("gradings.write"),
            batch: usize::try_from(number(r, "rest.batch", 1..=1_000_000)).ok()?,
            exchange_prefix: r.needed("exchange.prefix"),
            exchange_source: r.needed("exchange.source"),
            exchange_url: own_url(r, "exchange.url"),
            exchange_batch: usize::try_from(number(r, "exchange.batch", 1..=1_000_000)).ok()?,
            exchange_body: usize::try_from(number(r, "exchange.body", 1024..=1_073_741_824))
                .ok()?,
            exchange_async_above: usize::try_from(number(r, "exchange.async_above", 0..=1_000_000))
                .ok()?,
            exchange_chunk: usize::try_from(number(r, "exchange.chunk", 1..=10_000)).ok()?,
            exchange_results_kept: i64::try_from(number(r, "exchange.results_kept", 1..=3_650))
                .ok()?,
            exchange_lease: i64::try_from(number(r, "exchange.lease", 1..=3_600)).ok()?,
            exchange_full_sync_lease: i64::try_from(number(
                r,
                "exchange.full_sync_lease",
                1..=2_592_000,
            ))
            .ok()?,
            exchange_clock_tolerance: i64::try_from(number(
                r,
                "exchange.clock_tolerance",
                0..=86_400,
            ))
            .ok()?,
            exchange_tombstones_kept: i64::try_from(number(
                r,
                "exchange.tombstones_kept",
                400..=36_500,
            ))
            .ok()?,
            exchange_deployed: r.word(
                "exchange.answers",
                &[("standard", false), ("deployed", true)],
            )?,
            webhooks: webhooks::read(r)?,
            mappings: (!mappings.is_empty()).then(|| PathBuf::from(mappings)),
            listen: address?,
            durability: durability?,
        })
    }

    /// The keys made of the secrets.
    ///
    /// # Errors
    /// [`Error::Invalid`] when a secret is missing, short, well known or a repetition.
    pub fn ring(&self) -> Result<KeyRing> {
        let previous = Some(self.previous_secret.reveal());
        KeyRing::new(self.secret.reveal(), previous).map_err(|_| Error::Invalid(self.secrets()))
    }

    fn secrets(&self) -> Vec<Issue> {
        let issue = |key: &str, fault: SecretFault| {
            let code = match fault {
                SecretFault::Missing { .. } => "required",
                SecretFault::Short { .. } => "too-short",
                SecretFault::WellKnown { .. } => "well-known",
                SecretFault::Repetitive { .. } => "repetitive",
            };
            Issue::error(key, code, fault.to_string())
        };
        let current = check_secret(self.secret.reveal(), Which::Current);
        let previous = self.previous_secret.reveal();
        let previous = (!previous.trim().is_empty())
            .then(|| check_secret(previous, Which::Previous))
            .flatten();
        (current
            .map(|fault| issue("security.secret", fault))
            .into_iter())
        .chain(previous.map(|fault| issue("security.previous_secret", fault)))
        .collect()
    }

    /// A configuration file with every key, its meaning, its variable and its default.
    pub fn example() -> String {
        let mut text = String::new();
        let mut section = "";
        for key in KEYS {
            let (head, name) = key.name.split_once('.').unwrap_or(("", key.name));
            if head != section {
                text.push_str(&format!("\n[{head}]\n"));
                section = head;
            }
            let value = if key.default.is_empty() {
                "\"\""
            } else {
                key.default
            };
            text.push_str(&format!(
                "# {}\n# {}\n# {name} = {value}\n",
                key.doc,
                key.variable()
            ));
        }
        text
    }
}

fn merge(text: &str, sources: &Sources) -> Result<Config, config::ConfigError> {
    let defaults: String = (KEYS.iter())
        .filter(|key| !key.default.is_empty())
        .map(|key| format!("{} = {}\n", key.name, key.default))
        .collect();
    let mut builder = Config::builder()
        .add_source(File::from_str(&defaults, FileFormat::Toml))
        .add_source(File::from_str(text, FileFormat::Toml));
    for key in KEYS {
        let variable = sources.variables.get(&key.variable());
        let value = sources.flags.get(key.name).or(variable);
        builder = builder.set_override_option(key.name, value.cloned())?;
    }
    builder.build()
}

fn service(r: &mut Reader<'_>) -> String {
    let service = r.needed("service");
    // The name becomes part of a cookie's name.
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !service.chars().all(plain) {
        let message = "may only have letters, digits, - and _";
        r.fault("service", "not-a-name", message);
    }
    service
}

fn database(r: &mut Reader<'_>) -> String {
    let url = r.needed("database.url");
    let known = ["sqlite:", "postgres:", "postgresql:"];
    if !url.is_empty() && !known.iter().any(|scheme| url.starts_with(scheme)) {
        let message = "must be sqlite:<path> or postgres://…";
        r.fault("database.url", "not-a-database", message);
    }
    url
}

/// Beside the embedded database unless configured.
fn media(r: &mut Reader<'_>) -> PathBuf {
    let dir = r.text("media.dir");
    if !dir.is_empty() {
        return PathBuf::from(dir);
    }
    let url = r.text("database.url");
    let file = url
        .strip_prefix("sqlite:")
        .map(|file| file.trim_start_matches("//"));
    let beside = file.and_then(|file| Path::new(file).parent());
    beside.unwrap_or(Path::new("")).join("media")
}

fn own_url(r: &mut Reader<'_>, key: &str) -> String {
    let url = r.text(key);
    let web = ["https://", "http://"]
        .iter()
        .any(|scheme| url.starts_with(scheme));
    if !url.is_empty() && (!web || url.contains(['?', '#', ' '])) {
        let message = "must be https://host[:port][/path]";
        r.fault(key, "not-a-url", message);
    }
    url.trim_end_matches('/').to_owned()
}

fn origins(r: &mut Reader<'_>) -> Vec<String> {
    let origins = r.list("trusted_origins");
    let plain = |origin: &String| {
        let host = (origin.strip_prefix("https://")).or_else(|| origin.strip_prefix("http://"));
        host.is_some_and(|host| {
            let host = host.trim_end_matches('/');
            !host.is_empty() && !host.contains(['/', '?', '#', '@', ' '])
        })
    };
    for origin in origins.iter().filter(|origin| !plain(origin)) {
        let message = format!("{origin} is not an origin (https://host[:port])");
        r.fault("trusted_origins", "not-an-origin", message);
    }
    (origins.iter())
        .map(|origin| origin.trim_end_matches('/').to_owned())
        .collect()
}

#[cfg(test)]
mod tests;

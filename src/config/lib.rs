//! The configuration: defaults, below `herdbook.toml`, below `HERDBOOK_…` variables, below
//! flags. All faults are found at once. Must not know what the values are used for beyond
//! their ranges; the environment and the file come in as parameters.

mod graphql;
mod keys;
mod limits;
mod mailing;
mod read;
mod single;
mod webhooks;

pub use graphql::Graphql;
pub use keys::{KEYS, Key};
pub use limits::{Connections, Limits};
pub use mailing::{MailTransport, Mailing};
pub use webhooks::Webhooks;

use config::{Config, File, FileFormat};
use model::error::{Error, Result};
use model::record::zone::TimeZone;
use read::Reader;
use secure::keys::{KeyRing, random_secret};
use single::{
    checks_hour, contact, cookie_secure, database, faults_of, listen, log, mappings, media,
    metrics, origins, own_url, service, time_zone,
};
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use store::Durability;

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
    /// The text, for code that has to use it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "none" } else { "***" })
    }
}

/// The accounts that must have a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// No user; a user who wants one switches it on.
    Nobody,
    /// The Association.
    Association,
    /// The Association, and the heads of organisations.
    Heads,
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
    /// The durability of commits.
    pub durability: Durability,
    /// Signs tokens.
    pub secret: Secret,
    /// The former secret; tokens that it signed are still accepted.
    pub previous_secret: Secret,
    /// Cookie over encrypted connections only.
    pub cookie_secure: bool,
    /// Lifetime of a token, seconds.
    pub token_lifetime: i64,
    /// How long a sign-in can be prolonged from its beginning, seconds.
    pub session_lifetime: i64,
    /// The accounts that must have a second factor.
    pub second_factor: Demand,
    /// Wrong passwords that lock an account.
    pub lock_failures: i64,
    /// How long an account stays locked, seconds.
    pub lock_time: i64,
    /// Passwords checked at a time.
    pub password_checks: usize,
    /// How long the token of a forgotten password holds, seconds.
    pub reset_lifetime: i64,
    /// Emails.
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
    /// Time zone of places that have none of their own.
    pub time_zone: TimeZone,
    /// Hour (UTC) at which the checks go over the book each day; none: they do not by themselves.
    pub checks_hour: Option<u8>,
    /// Whether farms write gradings.
    pub gradings_write: bool,
    /// Longest time between two test days that is no gap, days.
    pub longest_gap: i64,
    /// Days of gestation from which on an abortion opens a lactation.
    pub opening_abortion: i64,
    /// Most documents that one request may create.
    pub batch: usize,
    /// Prefix of identifier schemes.
    pub exchange_prefix: String,
    /// Name of this book as a source.
    pub exchange_source: String,
    /// Rows up to which a package and the one that it replaces are one transaction; none: any number.
    pub packages_replacing: Option<usize>,
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
    /// How long results of batches are stored, days.
    pub exchange_results_kept: i64,
    /// How long a worker holds a batch without progress, seconds.
    pub exchange_lease: i64,
    /// How long a full sync goes on without a push, seconds.
    pub exchange_full_sync_lease: i64,
    /// How far a sender's clock may be ahead, seconds.
    pub exchange_clock_tolerance: i64,
    /// How long deletions stay in the feeds, days.
    pub exchange_tombstones_kept: i64,
    /// Whether answers are those of the deployed service, regardless of a client's preference.
    pub exchange_deployed: bool,
    /// Folder of mapping files laid over the built-in ones.
    pub mappings: Option<PathBuf>,
    /// Webhooks.
    pub webhooks: Webhooks,
    /// Address of the service as people see it, without a slash at the end; empty: not given.
    pub server_url: String,
    /// Access to the metrics.
    pub metrics: Metrics,
    /// Contact for security reports: an address for mail or the web; empty: none is given.
    pub security_contact: String,
}

/// Access to the metrics.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    /// Where they are served; none: where everything is.
    pub listen: Option<SocketAddr>,
    /// What has to be shown; empty: nothing.
    pub token: Secret,
}

/// Where settings come from, lowest first.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Text of `herdbook.toml`.
    pub file: Option<String>,
    /// Environment variables; those without a key of ours are ignored, since orchestrators set
    /// variables of their own under the same prefix.
    pub variables: BTreeMap<String, String>,
    /// Flags of the command line, by dotted key; one of another name is a fault.
    pub flags: BTreeMap<&'static str, String>,
}

impl Settings {
    /// Merges the sources and checks everything except the secrets, which only those
    /// commands need that sign (see [`Settings::load_to_sign`]).
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault, by key; [`Error::Malformed`] when the file is
    /// not TOML.
    pub fn load(sources: &Sources) -> Result<Self> {
        Self::loaded(sources, false)
    }

    /// The same with the secrets, whose faults are reported with the others.
    ///
    /// # Errors
    /// As [`Settings::load`]; [`Error::Invalid`] also when a secret is missing, short, well
    /// known or a repetition.
    pub fn load_to_sign(sources: &Sources) -> Result<Self> {
        Self::loaded(sources, true)
    }

    fn loaded(sources: &Sources, signs: bool) -> Result<Self> {
        let text = sources.file.as_deref().unwrap_or_default();
        let file = Config::builder()
            .add_source(File::from_str(text, FileFormat::Toml))
            .build()
            .map_err(|fault| Error::Malformed(format!("the configuration file: {fault}").into()))?;
        let mut faults = read::unknown(&file);
        faults.extend(read::unknown_flags(sources.flags.keys().copied()));
        let merged = merge(text, sources).map_err(Error::internal)?;
        let mut reader = Reader::new(&merged);
        let settings = Self::read(&mut reader);
        let secrets = ["security.secret", "security.previous_secret"].map(|key| reader.text(key));
        faults.append(&mut reader.faults);
        if signs {
            let [current, previous] = &secrets;
            faults.extend(faults_of(current, previous));
        }
        match settings {
            Some(settings) if faults.is_empty() => Ok(settings),
            _ => Err(Error::Invalid(faults)),
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let address = listen(r);
        let durability = [("full", Durability::Full), ("normal", Durability::Normal)];
        let durability = r.word("database.durability", &durability, Durability::Full);
        let answers = [("standard", false), ("deployed", true)];
        let factors = [
            ("off", Demand::Nobody),
            ("association", Demand::Association),
            ("heads", Demand::Heads),
        ];
        let second_factor = r.word("security.second_factor", &factors, Demand::Nobody);
        let number = |r: &mut Reader<'_>, key, range| r.number(key, &range);
        let service = service(r);
        let mail = mailing::read(r, &service)?;
        Some(Self {
            server_url: mail.branding.url.clone(),
            metrics: metrics(r),
            security_contact: contact(r),
            service: service.clone(),
            trusted_origins: origins(r),
            log: log(r),
            telemetry_otlp: own_url(r, "telemetry.otlp"),
            database_url: Secret(database(r)),
            secret: Secret(r.text("security.secret")),
            previous_secret: Secret(r.text("security.previous_secret")),
            cookie_secure: cookie_secure(r),
            token_lifetime: i64::try_from(number(r, "security.token_lifetime", 60..=31_536_000))
                .ok()?,
            session_lifetime: i64::try_from(number(
                r,
                "security.session_lifetime",
                3600..=31_536_000,
            ))
            .ok()?,
            lock_failures: i64::try_from(number(r, "security.lock_failures", 1..=1000)).ok()?,
            lock_time: i64::try_from(number(r, "security.lock_time", 1..=86_400)).ok()?,
            password_checks: usize::try_from(number(r, "security.password_checks", 1..=64)).ok()?,
            reset_lifetime: i64::try_from(number(r, "security.reset_lifetime", 60..=604_800))
                .ok()?,
            mail,
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
            time_zone: time_zone(r),
            checks_hour: checks_hour(r),
            gradings_write: r.flag("gradings.write"),
            longest_gap: i64::try_from(number(r, "book.longest_gap", 28..=1_000)).ok()?,
            opening_abortion: i64::try_from(number(r, "book.opening_abortion", 1..=400)).ok()?,
            batch: usize::try_from(number(r, "rest.batch", 1..=1_000_000)).ok()?,
            exchange_prefix: r.needed("exchange.prefix"),
            exchange_source: r.needed("exchange.source"),
            packages_replacing: usize::try_from(number(r, "packages.replacing", 0..=10_000_000))
                .ok()
                .filter(|rows| *rows > 0),
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
            exchange_deployed: r.word("exchange.answers", &answers, false),
            webhooks: webhooks::read(r)?,
            mappings: mappings(r),
            second_factor,
            // Last, so that the faults of all others are reported too.
            listen: address?,
            durability,
        })
    }

    /// The keys made of the secrets.
    ///
    /// # Errors
    /// [`Error::Invalid`] when a secret is missing, short, well known or a repetition.
    pub fn ring(&self) -> Result<KeyRing> {
        let (current, previous) = (self.secret.reveal(), self.previous_secret.reveal());
        KeyRing::new(current, Some(previous))
            .map_err(|_| Error::Invalid(faults_of(current, previous).collect()))
    }

    /// The same, or keys of a moment where no secret is configured: for commands that sign
    /// nothing that has to hold.
    ///
    /// # Errors
    /// As [`Settings::ring`] for a secret that is there and no good.
    pub fn passing_ring(&self) -> Result<KeyRing> {
        match self.secret.reveal().trim() {
            "" => KeyRing::new(&random_secret(), None)
                .map(KeyRing::passing)
                .map_err(|_| Error::internal("a random secret was refused")),
            _ => self.ring(),
        }
    }

    /// A configuration file with every key, its meaning, its flag and its default.
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
            let flag = match key.flag {
                "" => String::new(),
                flag => format!(" Flag: --{flag}."),
            };
            text.push_str(&format!("# {}{flag}\n# {name} = {value}\n", key.doc));
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

#[cfg(test)]
mod tests;

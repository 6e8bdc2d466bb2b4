//! The configuration: defaults, below `herdbook.toml`, below `HERDBOOK_…` variables, below
//! flags. All faults are found at once. Must not know what the values are used for beyond
//! their ranges; the environment and the file come in as parameters.

mod face;
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
use model::face::Face;
use model::record::zone::TimeZone;
use model::registry::StandardCurves;
use read::Reader;
use secure::keys::{KeyRing, random_secret};
use single::{
    checks_hour, contact, cookie_secure, database, faults_of, listen, log, mappings, media, metrics, origins, own_url,
    service, standard_curves, time_zone,
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
    Association,
    Heads,
}

/// All settings. The keys that they come from are [`KEYS`], with meanings and units.
#[derive(Debug, Clone)]
pub struct Settings {
    pub service: String,
    pub listen: SocketAddr,
    /// Origins whose pages may use the cookie, without a slash at the end.
    pub trusted_origins: Vec<String>,
    pub log: String,
    /// Address of a collector of traces, without a slash at the end; empty: none.
    pub telemetry_otlp: String,
    /// The database; may hold a password.
    pub database_url: Secret,
    pub cache_pages: u64,
    pub cache_pedigrees: usize,
    pub durability: Durability,
    pub secret: Secret,
    pub previous_secret: Secret,
    pub cookie_secure: bool,
    pub token_lifetime: i64,
    pub session_lifetime: i64,
    pub second_factor: Demand,
    pub face: Face,
    pub lock_failures: i64,
    pub lock_time: i64,
    pub password_checks: usize,
    pub reset_lifetime: i64,
    pub mail: Mailing,
    pub body_limit: usize,
    pub limits: Limits,
    pub request_time: Duration,
    pub drain_time: Duration,
    pub media: PathBuf,
    pub upload_time: Duration,
    pub depth: u8,
    pub limit: u64,
    pub graphql: Graphql,
    pub time_zone: TimeZone,
    /// Hour (UTC) at which the checks go over the book each day; none: they do not by themselves.
    pub checks_hour: Option<u8>,
    pub gradings_write: bool,
    pub longest_gap: i64,
    /// None: the test-interval method.
    pub standard_curves: Option<&'static StandardCurves>,
    pub opening_abortion: i64,
    pub batch: usize,
    pub exchange_prefix: String,
    pub exchange_source: String,
    /// Rows up to which a package and the one that it replaces are one transaction; none: any number.
    pub packages_replacing: Option<usize>,
    /// Where outside systems see the service, without a slash at the end; empty: unknown.
    pub exchange_url: String,
    pub exchange_batch: usize,
    pub exchange_body: usize,
    pub exchange_async_above: usize,
    pub exchange_chunk: usize,
    pub exchange_result_days: i64,
    pub exchange_lease: i64,
    pub exchange_full_sync_lease: i64,
    pub exchange_clock_tolerance: i64,
    pub exchange_tombstone_days: i64,
    /// Whether answers are those of the deployed service, regardless of a client's preference.
    pub exchange_deployed: bool,
    pub mappings: Option<PathBuf>,
    pub webhooks: Webhooks,
    /// Address of the service as people see it, without a slash at the end; empty: not given.
    pub server_url: String,
    pub metrics: Metrics,
    /// Contact for security reports: an address for mail or the web; empty: none is given.
    pub security_contact: String,
}

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

    /// Settings with the secrets, whose faults are reported with the others.
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
        let factors = [("off", Demand::Nobody), ("association", Demand::Association), ("heads", Demand::Heads)];
        let second_factor = r.word("security.second_factor", &factors, Demand::Nobody);
        let service = service(r);
        let face = face::read(r, &service);
        let mail = mailing::read(r, &face)?;
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
            token_lifetime: r.number("security.token_lifetime", &(60..=31_536_000))?,
            session_lifetime: r.number("security.session_lifetime", &(3600..=31_536_000))?,
            lock_failures: r.number("security.lock_failures", &(1..=1000))?,
            lock_time: r.number("security.lock_time", &(1..=86_400))?,
            password_checks: r.number("security.password_checks", &(1..=64))?,
            reset_lifetime: r.number("security.reset_lifetime", &(60..=604_800))?,
            mail,
            body_limit: r.number("limits.body", &(1024..=1_073_741_824))?,
            limits: limits::read(r)?,
            cache_pages: r.number("cache.pages", &(0..=1_099_511_627_776))?,
            cache_pedigrees: r.number("cache.pedigrees", &(0..=1_099_511_627_776))?,
            request_time: Duration::from_secs(r.number("limits.request_time", &(1..=3600))?),
            drain_time: Duration::from_secs(r.number("limits.drain_time", &(0..=3600))?),
            media: media(r),
            upload_time: Duration::from_secs(r.number("media.upload_time", &(1..=86_400))?),
            depth: r.number("rest.depth", &(0..=10))?,
            limit: r.number("rest.limit", &(0..=1_000_000))?,
            graphql: graphql::read(r)?,
            time_zone: time_zone(r),
            checks_hour: checks_hour(r),
            gradings_write: r.flag("gradings.write"),
            longest_gap: r.number("book.longest_gap", &(28..=1_000))?,
            standard_curves: standard_curves(r),
            opening_abortion: r.number("book.opening_abortion", &(1..=400))?,
            batch: r.number("rest.batch", &(1..=1_000_000))?,
            exchange_prefix: r.needed("exchange.prefix"),
            exchange_source: r.needed("exchange.source"),
            packages_replacing: r.number::<usize>("packages.replacing", &(0..=10_000_000)).filter(|rows| *rows > 0),
            exchange_url: own_url(r, "exchange.url"),
            exchange_batch: r.number("exchange.batch", &(1..=1_000_000))?,
            exchange_body: r.number("exchange.body", &(1024..=1_073_741_824))?,
            exchange_async_above: r.number("exchange.async_above", &(0..=1_000_000))?,
            exchange_chunk: r.number("exchange.chunk", &(1..=10_000))?,
            exchange_result_days: r.number("exchange.results_kept", &(1..=3_650))?,
            exchange_lease: r.number("exchange.lease", &(1..=3_600))?,
            exchange_full_sync_lease: r.number("exchange.full_sync_lease", &(1..=2_592_000))?,
            exchange_clock_tolerance: r.number("exchange.clock_tolerance", &(0..=86_400))?,
            exchange_tombstone_days: r.number("exchange.tombstones_kept", &(400..=36_500))?,
            exchange_deployed: r.word("exchange.answers", &answers, false),
            webhooks: webhooks::read(r)?,
            mappings: mappings(r),
            face,
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
        KeyRing::new(current, Some(previous)).map_err(|_| Error::Invalid(faults_of(current, previous).collect()))
    }

    /// The keys, or keys of a moment where no secret is configured: for commands that sign nothing that has to hold.
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
            let value = if key.default.is_empty() { "\"\"" } else { key.default };
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

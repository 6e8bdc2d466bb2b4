//! Keys with rules of their own.

use super::read::Reader;
use super::{Metrics, Secret};
use model::error::Issue;
use model::record::zone::{TimeZone, zone};
use model::registry::StandardCurves;
use secure::keys::{SecretFault, Which, check_secret};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

/// How a secret is made, where no other tool is available.
const MADE: &str = "head -c 48 /dev/urandom | base64 makes one; put it into the variable \
                    HERDBOOK_SECURITY_SECRET, or under [security] in herdbook.toml";

/// Fewest characters of the token of the numbers.
const TOKEN: usize = 16;

pub(super) fn faults_of(current: &str, previous: &str) -> impl Iterator<Item = Issue> + use<> {
    let issue = |key: &str, fault: SecretFault| {
        let code = match fault {
            SecretFault::Missing { .. } => "required",
            SecretFault::Short { .. } => "too-short",
            SecretFault::WellKnown { .. } => "well-known",
            SecretFault::Repetitive { .. } => "repetitive",
        };
        Issue::error(key, code, format!("{fault}; {MADE}"))
    };
    let current = check_secret(current, Which::Current);
    let previous = (!previous.trim().is_empty()).then(|| check_secret(previous, Which::Previous)).flatten();
    let current = current.map(|fault| issue("security.secret", fault));
    let previous = previous.map(|fault| issue("security.previous_secret", fault));
    current.into_iter().chain(previous)
}

/// Where metrics are served, and to whom.
pub(super) fn metrics(r: &mut Reader<'_>) -> Metrics {
    let text = r.text("server.metrics_listen");
    let listen = match text.trim() {
        "" => None,
        text => resolved(r, "server.metrics_listen", text),
    };
    let token = r.text("server.metrics_token");
    if !token.is_empty() && token.len() < TOKEN {
        let message = format!("must have {TOKEN} characters at least");
        r.fault("server.metrics_token", "too-short", message);
    }
    Metrics { listen, token: Secret::new(token) }
}

/// A contact for reports of security holes.
pub(super) fn contact(r: &mut Reader<'_>) -> String {
    let contact = r.text("server.security_contact");
    let schemes = ["mailto:", "https://", "tel:"];
    let plain = schemes.iter().any(|scheme| contact.starts_with(scheme))
        && !contact.chars().any(|c| c.is_whitespace() || c.is_control());
    if !contact.is_empty() && !plain {
        let message = "must be mailto:…, https://… or tel:…";
        r.fault("server.security_contact", "not-a-contact", message);
    }
    contact
}

/// An address, or a name of one: of several the first IPv4 address, which is what people type.
pub(super) fn listen(r: &mut Reader<'_>) -> Option<SocketAddr> {
    let text = r.needed("listen");
    if text.trim().is_empty() {
        return None;
    }
    resolved(r, "listen", &text)
}

fn resolved(r: &mut Reader<'_>, key: &str, text: &str) -> Option<SocketAddr> {
    let addresses: Vec<SocketAddr> = (text.to_socket_addrs()).into_iter().flatten().collect();
    let older = addresses.iter().find(|address| address.is_ipv4());
    let address = older.or(addresses.first()).copied();
    if address.is_none() {
        let message = format!(
            "{text} is no address or name that is known here, with a port: \
             127.0.0.1:8080, localhost:0"
        );
        r.fault(key, "not-an-address", message);
    }
    address
}

pub(super) fn log(r: &mut Reader<'_>) -> String {
    let log = r.needed("log");
    if let Err(fault) = tracing_subscriber::EnvFilter::try_new(&log) {
        r.fault("log", "not-a-filter", fault.to_string());
    }
    log
}

pub(super) fn mappings(r: &mut Reader<'_>) -> Option<PathBuf> {
    let dir = r.text("exchange.mappings");
    let dir = (!dir.is_empty()).then(|| PathBuf::from(dir))?;
    if !dir.is_dir() {
        let message = format!("{}: there is no such folder", dir.display());
        r.fault("exchange.mappings", "no-folder", message);
    }
    Some(dir)
}

/// The standard lactation curves, which live as long as the process; every fault of their file is one of the key.
pub(super) fn standard_curves(r: &mut Reader<'_>) -> Option<&'static StandardCurves> {
    let key = "book.standard_curves";
    let file = r.text(key);
    if file.is_empty() {
        return None;
    }
    match std::fs::read_to_string(&file) {
        Ok(text) => match StandardCurves::read(&text) {
            Ok(curves) => return Some(Box::leak(Box::new(curves))),
            Err(faults) => faults.iter().for_each(|fault| r.fault(key, "not-curves", format!("{file}: {fault}"))),
        },
        Err(why) => r.fault(key, "no-file", format!("{file}: {why}")),
    }
    None
}

pub(super) fn service(r: &mut Reader<'_>) -> String {
    let service = r.needed("service");
    // The name becomes part of a cookie's name.
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !service.chars().all(plain) {
        let message = "may only have letters, digits, - and _";
        r.fault("service", "not-a-name", message);
    }
    service
}

pub(super) fn database(r: &mut Reader<'_>) -> String {
    let url = r.needed("database.url");
    let schemes = ["sqlite:", "postgres:", "postgresql:"];
    if !url.is_empty() && !schemes.iter().any(|scheme| url.starts_with(scheme)) {
        let message = "must be sqlite:<path> or postgres://…";
        r.fault("database.url", "not-a-database", message);
    }
    url
}

/// Beside the embedded database unless configured.
pub(super) fn media(r: &mut Reader<'_>) -> PathBuf {
    let dir = r.text("media.dir");
    if !dir.is_empty() {
        return PathBuf::from(dir);
    }
    let url = r.text("database.url");
    let file = url.strip_prefix("sqlite:").map(|file| file.trim_start_matches("//"));
    let folder = file.and_then(|file| Path::new(file).parent());
    folder.unwrap_or(Path::new("")).join("media")
}

/// The time zone of places that have none of their own.
pub(super) fn time_zone(r: &mut Reader<'_>) -> TimeZone {
    let key = "book.time_zone";
    let name = r.needed(key);
    zone(&name).unwrap_or_else(|| {
        if !name.trim().is_empty() {
            let message = "must be the IANA name of a time zone, such as Europe/Moscow";
            r.fault(key, "not-a-zone", message);
        }
        TimeZone::UTC
    })
}

/// The hour of the checks.
pub(super) fn checks_hour(r: &mut Reader<'_>) -> Option<u8> {
    let key = "checks.hour";
    let hour = r.is_said(key).then(|| r.number(key, &(0..=23)));
    hour.flatten()
}

/// Whether the cookie is not sent over unencrypted connections: as `server.url` says, unless set.
pub(super) fn cookie_secure(r: &mut Reader<'_>) -> bool {
    let key = "security.cookie_secure";
    match r.is_said(key) {
        true => r.flag(key),
        false => r.text("server.url").starts_with("https://"),
    }
}

pub(super) fn own_url(r: &mut Reader<'_>, key: &str) -> String {
    let url = r.text(key);
    let web = ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme));
    if !url.is_empty() && (!web || url.contains(['?', '#', ' '])) {
        let message = "must be https://host[:port][/path]";
        r.fault(key, "not-a-url", message);
    }
    url.trim_end_matches('/').to_owned()
}

pub(super) fn origins(r: &mut Reader<'_>) -> Vec<String> {
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
    (origins.iter()).map(|origin| origin.trim_end_matches('/').to_owned()).collect()
}

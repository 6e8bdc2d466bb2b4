//! Sends messages: one connection per message, to exactly the address that was checked.
//!
//! The HTTP client gets the addresses of a host name from this module and from nowhere else:
//! proxies and redirects are off, and an IP address in the URL itself is checked before.
//! Connections are not reused, so that each delivery checks anew where a name leads.

use super::message::Message;
use config::Webhooks;
use futures_util::future::BoxFuture;
use model::error::{Error, Result};
use model::outward::{AddressError, Policy};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect;
use secure::signing::signature;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a connection may take to come about.
const CONNECTING: Duration = Duration::from_secs(5);
/// Bytes of an answer that are read at most.
const READ: usize = 4_096;

/// Looks names up.
pub trait Lookup: Send + Sync + std::fmt::Debug + 'static {
    fn look_up(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

#[derive(Debug, Clone, Copy)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn look_up(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let name = name.to_owned();
        Box::pin(async move {
            let ips = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(ips.map(|address| address.ip()).collect())
        })
    }
}

/// A name that leads nowhere.
#[derive(Debug, thiserror::Error)]
#[error("the name leads nowhere")]
struct Nowhere;

/// Answers the addresses of a name if all of them may be connected to.
#[derive(Debug)]
struct PolicyResolver {
    lookup: Arc<dyn Lookup>,
    policy: Policy,
}

impl Resolve for PolicyResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let ips = self.lookup.look_up(name.as_str());
        let policy = self.policy.clone();
        Box::pin(async move {
            let ips = ips.await.map_err(|_| Nowhere)?;
            if ips.is_empty() {
                return Err(Nowhere.into());
            }
            // One refused address refuses the name: a name server that returns such an address is not trusted.
            for ip in &ips {
                policy.address(*ip)?;
            }
            let addresses = ips.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report {
    /// Status of the answer, if there was one.
    pub(super) status: Option<u16>,
    /// The error in fixed words: nothing of the answer, no address.
    pub(super) error: Option<String>,
    /// How long it took, milliseconds.
    pub(super) duration: i64,
}

impl Report {
    /// It did not come to an attempt.
    pub(super) fn failed(why: &str) -> Self {
        Self { status: None, error: Some(why.to_owned()), duration: 0 }
    }

    /// Whether the receiver took note.
    pub(super) fn is_success(&self) -> bool {
        self.error.is_none() && self.status.is_some_and(|s| (200..300).contains(&s))
    }
}

#[derive(Debug)]
pub(super) struct WebhookClient {
    client: reqwest::Client,
    policy: Policy,
}

impl WebhookClient {
    pub(super) fn new(settings: &Webhooks, lookup: Arc<dyn Lookup>) -> Result<Self> {
        let policy = settings.policy.clone();
        let judge = PolicyResolver { lookup, policy: policy.clone() };
        let client = reqwest::Client::builder()
            .user_agent(concat!("herdbook/", env!("CARGO_PKG_VERSION")))
            .timeout(settings.timeout)
            .connect_timeout(CONNECTING.min(settings.timeout))
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .https_only(!policy.http)
            .pool_max_idle_per_host(0)
            .dns_resolver(Arc::new(judge))
            .build()
            .map_err(Error::internal)?;
        Ok(Self { client, policy })
    }

    /// Sends a message, signed by each of the keys. `now` is in epoch milliseconds.
    pub(super) async fn send(&self, url: &str, message: &Message, keys: &[String], now: i64) -> Report {
        let place = match self.policy.url(url) {
            Ok(place) => place,
            Err(why) => return Report::failed(&format!("The address {why}.")),
        };
        let seconds = now.div_euclid(1_000);
        let signed: Vec<String> =
            (keys.iter()).filter_map(|key| signature(key, &message.id, seconds, &message.body)).collect();
        if signed.is_empty() {
            tracing::error!("a signing key cannot be read: was the secret changed?");
            return Report::failed("The signing key cannot be read: create a new one.");
        }
        let request = (self.client.post(&place.url))
            .header("content-type", "application/json")
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", seconds.to_string())
            .header("webhook-signature", signed.join(" "))
            .body(message.body.clone());
        let begun = Instant::now();
        let (status, error) = match request.send().await {
            Ok(response) => answered(response).await,
            Err(error) => (None, Some(said(&error).to_owned())),
        };
        Report { status, error, duration: i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX) }
    }
}

/// Reads the beginning of an answer, so that its sender sees it taken; what it says does not count.
async fn answered(mut response: reqwest::Response) -> (Option<u16>, Option<String>) {
    let status = response.status();
    let mut read = 0;
    while let Ok(Some(piece)) = response.chunk().await {
        read += piece.len();
        if read >= READ {
            break;
        }
    }
    let error = if status.is_success() {
        None
    } else if status.is_redirection() {
        Some("The receiver redirects, which is not followed.".to_owned())
    } else {
        Some(format!("The receiver answered {}.", status.as_u16()))
    };
    (Some(status.as_u16()), error)
}

/// An error text that reveals nothing about the internal network.
fn said(error: &reqwest::Error) -> &'static str {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(one) = cause {
        if one.is::<AddressError>() {
            return "The name leads to an address that is not allowed.";
        }
        if one.is::<Nowhere>() {
            return "The name leads nowhere.";
        }
        if let Some(rustls::Error::InvalidCertificate(_)) = one.downcast_ref() {
            return "The certificate of the receiver is not trusted: it has expired, is for another \
                    name, or is signed by an unknown authority.";
        }
        // What an error of the connection wraps is not its source.
        let wrapped = (one.downcast_ref::<io::Error>()).and_then(io::Error::get_ref);
        cause = wrapped.map_or_else(|| one.source(), |inner| Some(inner));
    }
    if error.is_timeout() {
        "There was no answer in time."
    } else if error.is_connect() {
        "There was no connection."
    } else {
        "There was no answer."
    }
}

//! The participants: the bystander, the accounts and addresses of the adversary, and the answers to it.

use crate::bystander::Bystander;
use crate::program::sign_in;
use crate::server::SECOND;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Addresses of the adversary.
pub(crate) const ADDRESSES: u8 = 20;
/// How long the adversary waits for an answer.
const PATIENCE: Duration = Duration::from_secs(60);
const OWN: Ipv4Addr = Ipv4Addr::new(127, 0, 4, 1);

/// One of the addresses of the adversary.
pub(crate) fn address(n: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 2, n + 1)
}

/// A client that calls from an address.
pub(crate) fn client(from: Ipv4Addr) -> Client {
    let client = Client::builder().local_address(IpAddr::V4(from));
    client.timeout(PATIENCE).build().unwrap()
}

/// An account that is signed in.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) url: String,
    pub(crate) email: &'static str,
    pub(crate) organization: i64,
    pub(crate) token: String,
    /// Numbers of its animals.
    pub(crate) animals: Vec<String>,
}

impl Account {
    async fn enter(url: &str, (email, organization): (&'static str, i64)) -> Self {
        let token = sign_in(&client(OWN), url, email).await;
        let mut account = Self { url: url.to_owned(), email, organization, token, animals: Vec::new() };
        let path = format!("/api/animals?limit=300&depth=0&where[owner][equals]={organization}");
        let request = account.asks(&client(OWN), Method::GET, &path);
        let list: Value = request.send().await.unwrap().json().await.unwrap();
        let docs = list["docs"].as_array().into_iter().flatten();
        let numbers = docs.filter_map(|doc| doc["identNumber"].as_str());
        account.animals = numbers.map(str::to_owned).collect();
        assert!(!account.animals.is_empty(), "{email}: {list}");
        account
    }

    pub(crate) fn asks(&self, client: &Client, method: Method, path: &str) -> RequestBuilder {
        let request = client.request(method, format!("{}{path}", self.url));
        request.bearer_auth(&self.token)
    }

    /// The present end of the feed.
    pub(crate) async fn place(&self, client: &Client) -> String {
        let path = "/ade/v1/datasets/everything/changes?from=now";
        let request = self.asks(client, Method::GET, path);
        let page: Value = request.send().await.unwrap().json().await.unwrap();
        let last = page.as_array().and_then(|all| all.last()).unwrap_or(&page);
        let token = last["token"].as_str();
        token.unwrap_or_else(|| panic!("{page}")).to_owned()
    }
}

/// Counts of the answers to the adversary.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    answered: AtomicU64,
    refused: AtomicU64,
    broken: AtomicU64,
}

/// The counts at one moment.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Done {
    pub(crate) answered: u64,
    pub(crate) refused: u64,
    pub(crate) broken: u64,
}

impl Tally {
    pub(crate) fn answered(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection that the other side ended, or that it did not take.
    pub(crate) fn broken(&self) {
        self.broken.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Done {
        let of = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        Done { answered: of(&self.answered), refused: of(&self.refused), broken: of(&self.broken) }
    }
}

pub(crate) struct Field {
    pub(crate) bystander: Bystander,
    /// The adversary's.
    pub(crate) accounts: [Account; 2],
    pub(crate) server: SocketAddr,
    pub(crate) done: Tally,
}

impl Field {
    pub(crate) async fn enter(url: &str) -> Self {
        let first = Account::enter(url, ("farm1@demo.herdbook", 2)).await;
        let second = Account::enter(url, SECOND).await;
        let other = Account::enter(url, ("farm2@demo.herdbook", 3)).await;
        let server = url.strip_prefix("http://").unwrap_or(url);
        Self {
            bystander: Bystander::enter(other).await,
            accounts: [first, second],
            server: server.parse().unwrap(),
            done: Tally::default(),
        }
    }

    /// Removes webhooks and files of the adversary, which would go on by themselves or fill the disk.
    pub(crate) async fn tidy(&self) {
        let client = client(OWN);
        for account in &self.accounts {
            for path in ["webhooks", "media"] {
                let path = format!("/api/{path}?where[id][exists]=true");
                // An account that may not ask any more has nothing that goes on for long either.
                let _ = account.asks(&client, Method::DELETE, &path).send().await;
            }
        }
    }
}

//! The requests of the adversaries, one for each lane.

use crate::field::{ADDRESSES, Account, Field, Tally, address, client};
use crate::slow::{Slow, hold};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The pause of the adversary after a refusal.
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes of a file, and of all that are sent: the disk is that of the machine.
const FILE: usize = 8 << 20;
const FILES: u64 = 200;
/// Between two files from one address.
const FILE_PAUSE: Duration = Duration::from_millis(1_500);
/// Webhooks of an account.
const HOOKS: u8 = 40;
/// Elements of a batch.
const BATCH: usize = 1_000;

type Work<'w> = Pin<Box<dyn Future<Output = ()> + Send + 'w>>;
/// Makes a request of an account and a client, with a number that is never the same.
type Ask = fn(&Account, &Client, usize) -> Option<RequestBuilder>;

/// An adversary.
pub(crate) struct Harm {
    pub(crate) name: &'static str,
    /// At a time, from each address.
    each: usize,
    /// After each answer.
    pause: Duration,
    kind: Kind,
}

enum Kind {
    /// Holds connections.
    Holds(Slow),
    /// Asks without pause.
    Asks(Ask),
    /// The same, after a preparation.
    Prepared(fn(&Field) -> Work<'_>, Ask),
}

const fn asks(name: &'static str, each: usize, ask: Ask) -> Harm {
    Harm { name, each, pause: Duration::ZERO, kind: Kind::Asks(ask) }
}

const fn holds(name: &'static str, each: usize, slow: Slow) -> Harm {
    Harm { name, each, pause: Duration::ZERO, kind: Kind::Holds(slow) }
}

pub(crate) const ALL: &[Harm] = &[
    holds("slow heads", 60, Slow::Head),
    holds("slow bodies", 20, Slow::Body),
    holds("slow readers", 10, Slow::Reader),
    asks("dear queries", 2, dear),
    asks("big lists", 1, big),
    asks("logins", 4, login),
    Harm { name: "uploads", each: 1, pause: FILE_PAUSE, kind: Kind::Asks(upload) },
    asks("long polls", 15, poll),
    Harm { name: "webhooks", each: 1, pause: Duration::ZERO, kind: Kind::Prepared(register, change) },
    asks("batches", 1, batch),
    asks("graphql", 2, graph),
    asks("usual lists", 1, list),
];

/// Does harm until it is stopped.
pub(crate) async fn run(field: Arc<Field>, one: &'static Harm) {
    if let Kind::Prepared(prepare, _) = one.kind {
        prepare(&field).await;
    }
    let mut running = JoinSet::new();
    for n in 0..ADDRESSES {
        let client = client(address(n));
        for at in 0..one.each {
            let (field, client) = (Arc::clone(&field), client.clone());
            running.spawn(async move {
                let account = &field.accounts[(usize::from(n) + at) % 2];
                match one.kind {
                    Kind::Holds(slow) => hold(slow, field.server, n, account, &field.done).await,
                    Kind::Asks(ask) | Kind::Prepared(_, ask) => {
                        again(ask, one.pause, account, &client, &field.done).await;
                    }
                }
            });
        }
    }
    // They end with this future.
    running.join_all().await;
}

/// Asks again after each answer.
async fn again(ask: Ask, pause: Duration, account: &Account, client: &Client, done: &Tally) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let n = NUMBER.fetch_add(1, Ordering::Relaxed);
        let Some(request) = ask(account, client, usize::try_from(n).unwrap()) else {
            return;
        };
        let status = match request.send().await {
            Ok(mut answer) => {
                let status = answer.status().as_u16();
                // The adversary takes all that is sent, and looks at none of it.
                while let Ok(Some(_)) = answer.chunk().await {}
                Some(status)
            }
            Err(_) => None,
        };
        tokio::time::sleep(pause).await;
        match status {
            // The answer to a wrong password counts like any other answer.
            Some(200..=399 | 401) => done.answered(),
            Some(_) => {
                done.refused();
                tokio::time::sleep(PAUSE).await;
            }
            None => {
                done.broken();
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Related records of related records, compared by a part of a word; every third without an account.
fn dear(account: &Account, client: &Client, n: usize) -> Option<RequestBuilder> {
    let path = format!(
        "/api/animals?limit=1&where[owner.animals.owner.animals.owner.animals.owner.animals.name]\
         [like]=zzz{n}"
    );
    Some(match n % 3 {
        0 => client.get(format!("{}{path}", account.url)),
        _ => account.asks(client, Method::GET, &path),
    })
}

/// Everything, three levels deep, with eight joins.
fn big(account: &Account, client: &Client, n: usize) -> Option<RequestBuilder> {
    const JOINS: [&str; 8] =
        ["calvings", "inseminations", "milkTests", "weighings", "events", "movements", "children", "healthEvents"];
    let joins = JOINS.map(|name| format!("&joins[{name}][limit]=0"));
    let path = format!("/api/animals?limit=0&depth=3&_={n}{}", joins.concat());
    Some(account.asks(client, Method::GET, &path))
}

/// Pages that are computed each time, as anybody asks for them, without pause.
fn list(account: &Account, client: &Client, n: usize) -> Option<RequestBuilder> {
    let path = format!("/api/animals?depth=0&limit=10&page={}&n={n}", n % 20 + 1);
    Some(account.asks(client, Method::GET, &path))
}

/// Wrong passwords, for its own account, for those of others and for addresses without an account.
fn login(account: &Account, client: &Client, n: usize) -> Option<RequestBuilder> {
    let email = match n % 3 {
        0 => account.email.to_owned(),
        1 => "viewer1@demo.herdbook".to_owned(),
        _ => format!("nobody{n}@demo.herdbook"),
    };
    let request = client.post(format!("{}/api/users/login", account.url));
    Some(request.json(&json!({"email": email, "password": "wrong password"})))
}

fn upload(account: &Account, client: &Client, n: usize) -> Option<RequestBuilder> {
    static SENT: AtomicU64 = AtomicU64::new(0);
    // When as many files were accepted as the disk may hold, only refused requests go on.
    if SENT.fetch_add(1, Ordering::Relaxed) >= FILES {
        return None;
    }
    let mut body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{n}.csv\"\r\n\
         Content-Type: text/csv\r\n\r\n{n},"
    )
    .into_bytes();
    body.resize(FILE, b'a');
    body.extend_from_slice(b"\r\n--b--\r\n");
    let request = account.asks(client, Method::POST, "/api/media");
    Some(request.header("content-type", "multipart/form-data; boundary=b").body(body))
}

/// Waits for changes that never come, or come when the bystander writes.
fn poll(account: &Account, client: &Client, n: usize) -> Option<RequestBuilder> {
    let path = format!("/ade/v1/datasets/everything/changes?from=now&wait=30&limit={}", 1 + n % 500);
    Some(account.asks(client, Method::GET, &path))
}

/// Webhooks of each account, to receivers that accept connections and send nothing, each on a host of its own.
fn register(field: &Field) -> Work<'_> {
    Box::pin(async move {
        let client = client(address(0));
        for n in 0..HOOKS {
            let listener = TcpListener::bind((Ipv4Addr::new(127, 0, 5, n + 1), 0)).await;
            let listener = listener.unwrap();
            let url = format!("http://{}/", listener.local_addr().unwrap());
            tokio::spawn(async move {
                let mut held = Vec::new();
                while let Ok((stream, _)) = listener.accept().await {
                    held.push(stream);
                }
            });
            for account in &field.accounts {
                let body = json!({"url": url, "dataset": "everything"});
                let request = account.asks(&client, Method::POST, "/api/webhooks").json(&body);
                match request.send().await.map(|answer| answer.status().as_u16()) {
                    Ok(201) => field.done.answered(),
                    _ => field.done.refused(),
                }
            }
        }
    })
}

/// A change that webhooks report.
fn change(account: &Account, client: &Client, n: usize) -> Option<RequestBuilder> {
    let path = format!("/ade/v1/locations/org.herdbook.orgid/{}/weights", account.organization);
    Some(account.asks(client, Method::POST, &path).json(&weight(account, n)))
}

/// Weighings, of which each is one of its own.
fn batch(account: &Account, client: &Client, n: usize) -> Option<RequestBuilder> {
    let items: Vec<Value> = (0..BATCH).map(|at| weight(account, n * BATCH + at)).collect();
    let organization = account.organization;
    let path = format!("/ade/v1/batches/locations/org.herdbook.orgid/{organization}/weights");
    Some(account.asks(client, Method::POST, &path).json(&items))
}

fn weight(account: &Account, n: usize) -> Value {
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {
            "source": "harm.example", "sourceId": format!("{}-{n}", account.organization),
            "modified": "2025-06-01T00:00:00Z",
        },
        "animal": {"id": account.animals[n % account.animals.len()], "scheme": "org.herdbook.animal"},
        "eventDateTime": format!("2025-{:02}-{:02}T00:00:00Z", 1 + n / 28 % 9, 1 + n % 28),
        "weight": {"units": "KGM", "measurement": 400 + n % 100},
    })
}

/// The largest query that is allowed.
fn graph(account: &Account, client: &Client, n: usize) -> Option<RequestBuilder> {
    let query = format!(
        "{{Animals(limit:40,page:{}){{docs{{id name owner{{id name}} mother{{id name}} \
         calvings(limit:10){{docs{{id date}}}} milkTests(limit:10){{docs{{id date milkYield}}}} \
         weighings(limit:10){{docs{{id weight}}}}}} totalDocs}}}}",
        1 + n % 20
    );
    let request = account.asks(client, Method::POST, "/api/graphql");
    Some(request.json(&json!({"query": query, "variables": {"n": n}})))
}

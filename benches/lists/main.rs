//! What each list costs that a caller can request: of every collection, by every order and by every
//! condition on one field, ten rows with their total, as a farm, as the Association and as a
//! stranger (docs/performance.md): `cargo bench --bench lists`.
//!
//! `HERDBOOK_BENCH_ANIMALS` (2,000) is the size of the book, `HERDBOOK_BENCH_DIR` a folder that keeps it for a later
//! run, `HERDBOOK_BENCH_PROGRAM` another build of the program, `HERDBOOK_BENCH_POSTGRES` the URL of an empty database
//! in place of SQLite, `HERDBOOK_BENCH_ONLY` names collections. Each list is requested once for each of two sizes of a
//! page, and the quicker answer counts.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench may fall over, and prints its table"
)]

#[path = "../shared/program.rs"]
#[allow(dead_code, reason = "what other benches use")]
mod program;

use domain::collections::registry;
use model::registry::{Collection, Field, Kind};
use program::{Server, command, number, sign_in};
use reqwest::{Client, StatusCode};
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

/// Who asks; a stranger has no account.
const CALLERS: [(&str, Option<&str>); 3] =
    [("farm", Some("farm1@demo.herdbook")), ("Association", Some("association@demo.herdbook")), ("stranger", None)];
/// The worst lists that are printed of each caller.
const WORST: usize = 10;

struct Asker<'a> {
    client: &'a Client,
    url: &'a str,
    token: Option<String>,
}

impl Asker<'_> {
    /// The answer to a list, if it is allowed, with the milliseconds that it took.
    async fn get(&self, path: &str) -> Option<(Value, f64)> {
        let mut request = self.client.get(format!("{}/api/{path}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let begun = Instant::now();
        let answer = request.send().await.unwrap();
        let status = answer.status();
        let body = answer.bytes().await.unwrap();
        let took = begun.elapsed().as_secs_f64() * 1e3;
        match status {
            StatusCode::OK => Some((serde_json::from_slice(&body).unwrap(), took)),
            StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN => None,
            // An answer that did not come in time counts as long as it took.
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => Some((Value::Null, took)),
            other => panic!("{path}: {other} {}", String::from_utf8_lossy(&body)),
        }
    }

    /// How long a list takes, in ms; none where the caller may not ask for it.
    async fn list(&self, c: &Collection, query: &str) -> Option<f64> {
        let mut best = f64::INFINITY;
        for limit in [10, 11] {
            let (_, took) = self.get(&format!("{}?depth=0&limit={limit}&{query}", c.slug)).await?;
            best = best.min(took);
        }
        Some(best)
    }
}

/// The orders and conditions of a collection, with values of one of its rows.
fn queries(c: &Collection, row: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for field in c.fields.iter().filter(|field| field.stored()) {
        let path = field.path.as_str();
        let pointer = format!("/{}", path.replace('.', "/"));
        let value = row.pointer(&pointer).filter(|value| !value.is_null());
        if is_ordered(field) {
            all.extend([format!("sort={path}"), format!("sort=-{path}")]);
        }
        all.push(format!("where[{path}][exists]=false"));
        let Some(text) = value.and_then(text) else {
            continue;
        };
        if is_ordered(field) {
            all.push(format!("where[{path}][equals]={text}"));
        }
        if matches!(field.kind, Kind::Int | Kind::Number | Kind::Day | Kind::Instant) {
            all.push(format!("where[{path}][greater_than]={text}"));
        }
    }
    all
}

fn is_ordered(field: &Field) -> bool {
    !matches!(field.kind, Kind::Json | Kind::Rows(_) | Kind::Selects(_) | Kind::Texts(_) | Kind::Relations(_))
}

fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => return None,
    };
    Some(url::form_urlencoded::byte_serialize(text.as_bytes()).collect())
}

#[tokio::main]
async fn main() {
    let only = std::env::var("HERDBOOK_BENCH_ONLY").unwrap_or_default();
    let wanted = |slug: &str| only.is_empty() || only.split(',').any(|one| one.trim() == slug);
    let kept = std::env::var_os("HERDBOOK_BENCH_DIR");
    let temporary = tempfile::tempdir().unwrap();
    let dir = kept.as_ref().map_or(temporary.path(), Path::new);
    let animals = number("HERDBOOK_BENCH_ANIMALS", 2_000);
    let program = std::env::var("HERDBOOK_BENCH_PROGRAM").unwrap_or_else(|_| program::PROGRAM.to_owned());
    if !dir.join("filled").exists() {
        for words in [&["migrate"][..], &["generate", "--animals", &animals.to_string()]] {
            let filled = command(&program, words, dir).output().unwrap();
            assert!(filled.status.success(), "{}", String::from_utf8_lossy(&filled.stderr));
        }
        std::fs::write(dir.join("filled"), "").unwrap();
    }
    let mut serve = command(&program, &["serve", "--listen", "127.0.0.1:0"], dir);
    for class in ["READ", "WRITE", "BULK", "SIGN_IN"] {
        serve.env(format!("HERDBOOK_LIMITS_{class}"), "0");
    }
    let server = Server::start(serve, dir);
    let client = Client::new();
    println!(
        "| Caller | Lists | Median | 99 of 100 | Longest | Over 30 ms | Over 300 ms |\n|---|---|---|---|---|---|---|"
    );
    let mut worst = Vec::new();
    for (name, account) in CALLERS {
        let token = match account {
            Some(account) => Some(sign_in(&client, &server.url, account).await),
            None => None,
        };
        let asker = Asker { client: &client, url: &server.url, token };
        let mut times = Vec::new();
        for c in registry().unwrap().iter().filter(|c| wanted(c.slug)) {
            let Some((first, _)) = asker.get(&format!("{}?depth=0&limit=1", c.slug)).await else {
                continue;
            };
            for query in queries(c, &first["docs"][0]) {
                if let Some(took) = asker.list(c, &query).await {
                    times.push((took, format!("{}?{query}", c.slug)));
                }
            }
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].0;
        let over = |limit: f64| times.iter().filter(|(took, _)| *took > limit).count();
        println!(
            "| {name} | {} | {:.1} ms | {:.0} ms | {:.0} ms | {} | {} |",
            times.len(),
            at(50),
            at(99),
            at(100),
            over(30.0),
            over(300.0)
        );
        worst.extend(times.into_iter().rev().take(WORST).map(|(took, list)| (name, took, list)));
    }
    println!("\n| Caller | Longest lists | ms |\n|---|---|---|");
    for (name, took, list) in worst {
        println!("| {name} | `{list}` | {took:.0} |");
    }
}

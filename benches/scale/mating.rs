//! Kinship of two animals, and a plan of 1,000 females by 50 bulls, over the wire, of those with the deepest
//! pedigrees (docs/mating.md).

use crate::book::Book;
use crate::program::{self, Server};
use crate::shared::serve_under;
use crate::table::{Budget, Table};
use crate::{median, turns};
use reqwest::Client;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// An officer of the Association, who reads all animals.
const OFFICER: &str = "association@demo.herdbook";
const FEMALES: usize = 1_000;
const BULLS: usize = 50;
/// Pairs that are timed.
const PAIRS: usize = 200;
/// How long the pedigrees of a book may be read.
const PATIENCE: Duration = Duration::from_secs(600);

/// The server says so when the pedigrees of the book are in memory.
const LOG: &str = "error,herdbook=warn,herdbook_api::rest::mating=debug";
const IN_MEMORY: &str = "pedigrees of the book are in memory";

/// A server, and whoever asks it.
struct Asking {
    server: Server,
    client: Client,
    token: String,
}

impl Asking {
    async fn of(server: Server) -> Self {
        let client = Client::new();
        let token = program::sign_in(&client, &server.url, OFFICER).await;
        Self { server, client, token }
    }

    async fn get(&self, path: String) -> Value {
        let asked = self.client.get(format!("{}{path}", self.server.url)).bearer_auth(&self.token);
        asked.send().await.unwrap().error_for_status().unwrap().json().await.unwrap()
    }

    /// Those with the deepest pedigrees.
    async fn deepest(&self, sex: &str, count: usize) -> Vec<i64> {
        let path =
            format!("/api/animals?where[sex][equals]={sex}&sort=-pedigreeDepth&depth=0&limit={count}&select[id]=true");
        let list = self.get(path).await;
        let docs = list["docs"].as_array().unwrap().iter();
        docs.map(|doc| doc["id"].as_i64().unwrap()).collect()
    }

    /// How long the kinship of each of some pairs takes, ms.
    async fn pairs(&self, females: &[i64], bulls: &[i64]) -> Vec<f64> {
        let mut times = Vec::new();
        for (at, female) in females.iter().cycle().take(PAIRS).enumerate() {
            let path = format!("/api/animals/{female}/kinship?with={}", bulls[at % bulls.len()]);
            let begun = Instant::now();
            let answer = self.get(path).await;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            assert!(answer["docs"][0]["kinship"].is_number(), "{answer}");
        }
        times
    }
}

pub(crate) async fn measure(book: &Book, table: &mut Table) {
    let dir = book.dir.path();
    // Nothing stays in memory: each pair is read and computed.
    let cold = Asking::of(serve_under(dir, &[("HERDBOOK_CACHE_PEDIGREES", "0")])).await;
    let (females, bulls) = (cold.deepest("female", FEMALES).await, cold.deepest("male", BULLS).await);
    let pair = median(cold.pairs(&females, &bulls).await);
    table.add("kinship of two animals, nothing in memory", (pair, "ms"), None, Budget::None);
    drop(cold);
    let begun = Instant::now();
    let warm = Asking::of(serve_under(dir, &[("HERDBOOK_LOG", LOG)])).await;
    while !std::fs::read_to_string(dir.join("log")).unwrap().contains(IN_MEMORY) {
        assert!(begun.elapsed() < PATIENCE, "the pedigrees are not in memory");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let reading = begun.elapsed().as_secs_f64();
    table.add("pedigrees of the book in memory, after the start", (reading, "s"), None, Budget::None);
    let times = warm.pairs(&females, &bulls).await;
    table.add("kinship of the first two then", (times[0], "ms"), None, Budget::AtMost(5.0));
    table.add("kinship of two animals", (median(times), "ms"), None, Budget::AtMost(5.0));
    let body = json!({"females": females, "bulls": bulls, "limits": {"uses": females.len().div_ceil(40)}});
    let mut times = Vec::new();
    for _ in 0..turns() {
        let begun = Instant::now();
        let asked = warm.client.post(format!("{}/api/animals/mating-plan", warm.server.url)).bearer_auth(&warm.token);
        let plan: Value = asked.json(&body).send().await.unwrap().error_for_status().unwrap().json().await.unwrap();
        times.push(begun.elapsed().as_secs_f64());
        assert!(plan["mated"].as_u64() > Some(0), "{plan}");
    }
    let work = format!("mating plan of {} females by {} bulls", females.len(), bulls.len());
    table.add(work, (median(times), "s"), None, Budget::AtMost(10.0));
}

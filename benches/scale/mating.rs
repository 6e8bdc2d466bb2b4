//! Kinship of two animals, and a plan of 1,000 females by 50 bulls, over the wire, of those with the deepest
//! pedigrees (docs/mating.md).

use crate::book::Book;
use crate::program;
use crate::shared::serve;
use crate::table::{Budget, Table};
use crate::{median, turns};
use reqwest::Client;
use serde_json::{Value, json};
use std::time::Instant;

/// An officer of the Association, who reads all animals.
const OFFICER: &str = "association@demo.herdbook";
const FEMALES: usize = 1_000;
const BULLS: usize = 50;
/// Pairs that are timed.
const PAIRS: usize = 200;

pub(crate) async fn measure(book: &Book, table: &mut Table) {
    let server = serve(book.dir.path());
    let client = Client::new();
    let token = program::sign_in(&client, &server.url, OFFICER).await;
    let get = async |path: String| -> Value {
        let asked = client.get(format!("{}{path}", server.url)).bearer_auth(&token);
        asked.send().await.unwrap().error_for_status().unwrap().json().await.unwrap()
    };
    let deepest = async |sex: &str, count: usize| -> Vec<i64> {
        let path =
            format!("/api/animals?where[sex][equals]={sex}&sort=-pedigreeDepth&depth=0&limit={count}&select[id]=true");
        let list = get(path).await;
        let docs = list["docs"].as_array().unwrap().iter();
        docs.map(|doc| doc["id"].as_i64().unwrap()).collect()
    };
    let (females, bulls) = (deepest("female", FEMALES).await, deepest("male", BULLS).await);
    let mut times = Vec::new();
    for (at, female) in females.iter().cycle().take(PAIRS).enumerate() {
        let path = format!("/api/animals/{female}/kinship?with={}", bulls[at % bulls.len()]);
        let begun = Instant::now();
        let answer = get(path).await;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        assert!(answer["docs"][0]["kinship"].is_number(), "{answer}");
    }
    // Those after it find ancestors in memory.
    table.add("kinship of the first two after the start", (times[0], "ms"), None, Budget::None);
    let pair = median(times);
    table.add("kinship of two animals", (pair, "ms"), None, Budget::AtMost(5.0));
    let body = json!({"females": females, "bulls": bulls, "limits": {"uses": females.len().div_ceil(40)}});
    let mut times = Vec::new();
    for _ in 0..turns() {
        let begun = Instant::now();
        let asked = client.post(format!("{}/api/animals/mating-plan", server.url)).bearer_auth(&token);
        let plan: Value = asked.json(&body).send().await.unwrap().error_for_status().unwrap().json().await.unwrap();
        times.push(begun.elapsed().as_secs_f64());
        assert!(plan["mated"].as_u64() > Some(0), "{plan}");
    }
    let work = format!("mating plan of {} females by {} bulls", females.len(), bulls.len());
    table.add(work, (median(times), "s"), None, Budget::AtMost(10.0));
}

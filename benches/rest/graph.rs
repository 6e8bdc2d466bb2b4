//! One animal with its calvings and its pedigree by GraphQL, beside the same data by REST.

use crate::load::{CLIENTS, Load};
use reqwest::{Client, RequestBuilder, Url};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const QUERY: &str = "query Family($id: Int!) { Animal(id: $id) { identNumber name owner { name } \
    calvings(sort: \"-date\") { docs { date result ease } } \
    pedigree(generations: 3) { pedigreeDepth nodes { number generation doc { identNumber name } } } } }";

pub(crate) async fn measure(load: &Load) {
    let url = &load.url;
    let calved = "/api/calvings?limit=1&depth=0&where[animal.father][exists]=true\
        &where[animal.mother][exists]=true&sort=id";
    let calving: Value = load.get(calved).await.json().await.unwrap();
    let id = calving["docs"][0]["animal"].as_i64().unwrap();
    let one = format!(
        "{url}/api/animals/{id}?depth=1&select[identNumber]=true&select[name]=true&select[owner]=true\
         &select[calvings]=true&populate[organizations][name]=true&populate[calvings][date]=true\
         &populate[calvings][result]=true&populate[calvings][ease]=true&joins[calvings][sort]=-date"
    );
    let ancestors =
        format!("{url}/api/animals/{id}/pedigree?generations=3&depth=0&select[identNumber]=true&select[name]=true");
    let graph = format!("{url}/api/graphql");
    let variables = json!({"id": id});
    let request_body = json!({"query": QUERY, "variables": variables});
    let answer = load.client.post(&graph).bearer_auth(&load.token).json(&request_body).send();
    let answer: Value = answer.await.unwrap().json().await.unwrap();
    let many = |place: &str, least: usize| {
        let all = answer.pointer(place).and_then(Value::as_array);
        assert!(all.is_some_and(|all| all.len() > least), "{answer}");
    };
    many("/data/Animal/calvings/docs", 0);
    many("/data/Animal/pedigree/nodes", 1);
    let query = [("query", QUERY.to_owned()), ("variables", variables.to_string())];
    let address = Url::parse_with_params(&graph, query).unwrap();
    // An unused parameter makes each request a different one.
    let rest = turns(load, |client, n| {
        let all = [&one, &ancestors].map(|url| client.get(format!("{url}&_={n}")));
        all.into()
    });
    let rest = rest.await;
    let posted = turns(load, |client, _| vec![client.post(&graph).json(&request_body)]).await;
    let same = turns(load, |client, _| vec![client.get(&one), client.get(&ancestors)]).await;
    let second = turns(load, |client, _| vec![client.get(address.clone())]).await;
    for (what, graph, rest) in [("made each time", posted, rest), ("from memory", second, same)] {
        println!(
            "an animal with calvings and pedigree, {what}: GraphQL {graph:.0}/s, REST (two requests) {rest:.0}/s, ratio {:.2}",
            graph / rest
        );
    }
}

/// How often a second all requests of a turn are answered, with several clients at once.
async fn turns(load: &Load, asks: impl Fn(&Client, usize) -> Vec<RequestBuilder>) -> f64 {
    let count = AtomicUsize::new(0);
    let (done, asks) = (&count, &asks);
    let started = Instant::now();
    let end = started + load.each;
    let clients = (0..CLIENTS).map(|_| async move {
        let client = Client::new();
        while Instant::now() < end {
            let turn = done.fetch_add(1, Ordering::Relaxed);
            for ask in asks(&client, turn) {
                let answer = ask.bearer_auth(&load.token).send().await.unwrap();
                assert!(answer.status().is_success(), "{}", answer.status());
                answer.bytes().await.unwrap();
            }
        }
    });
    futures_util::future::join_all(clients).await;
    count.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
}

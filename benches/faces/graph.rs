//! One animal with its calvings and its pedigree by GraphQL, against the same data by REST.

use super::{Bench, CLIENTS, EACH};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use store::Sql;

const QUERY: &str = "query Family($id: Int!) { Animal(id: $id) { identNumber name owner { name } \
    calvings(sort: \"-date\") { docs { date result ease } } \
    pedigree(generations: 3) { pedigreeDepth nodes { number generation doc { identNumber name } } } } }";

impl Bench {
    pub(super) async fn graph(&self) {
        let cow = Sql::new(
            "SELECT a.id FROM animals a WHERE a.owner = 2 AND a.father IS NOT NULL AND a.mother IS NOT NULL \
             AND EXISTS (SELECT 1 FROM calvings c WHERE c.animal = a.id) ORDER BY a.id LIMIT 1",
        );
        let rows = self.opened.book.store.rows(cow).await.unwrap();
        let id = rows[0].int(0).unwrap();
        let one = format!(
            "{}/api/animals/{id}?depth=1&select[identNumber]=true&select[name]=true&select[owner]=true\
             &select[calvings]=true&populate[organizations][name]=true&populate[calvings][date]=true\
             &populate[calvings][result]=true&populate[calvings][ease]=true&joins[calvings][sort]=-date",
            self.url
        );
        let ancestors = format!(
            "{}/api/animals/{id}/pedigree?generations=3&depth=0&select[identNumber]=true&select[name]=true",
            self.url
        );
        let graph = format!("{}/api/graphql", self.url);
        let variables = json!({"id": id});
        let asked = json!({"query": QUERY, "variables": variables});
        let body: Value = (self.client.post(&graph).bearer_auth(&self.token))
            .json(&asked)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        assert!(body.get("errors").is_none(), "{body}");
        let calvings = body["data"]["Animal"]["calvings"]["docs"].as_array();
        assert!(calvings.is_some_and(|all| !all.is_empty()), "{body}");
        let nodes = body["data"]["Animal"]["pedigree"]["nodes"].as_array();
        assert!(nodes.is_some_and(|all| all.len() > 1), "{body}");

        // Each request is computed anew: an unused parameter makes each one different.
        let rest = self
            .turns(|client, n| {
                vec![
                    client.get(format!("{one}&_={n}")),
                    client.get(format!("{ancestors}&_={n}")),
                ]
            })
            .await;
        let posted = self
            .turns(|client, _| vec![client.post(&graph).json(&asked)])
            .await;
        println!(
            "an animal with calvings and pedigree, made each time: GraphQL {posted:.0}/s, REST (two requests) {rest:.0}/s, ratio {:.2}",
            posted / rest
        );
        let kept = self
            .turns(|client, _| vec![client.get(&one), client.get(&ancestors)])
            .await;
        let query = [
            ("query", QUERY.to_owned()),
            ("variables", variables.to_string()),
        ];
        let address = reqwest::Url::parse_with_params(&graph, query).unwrap();
        let again = self
            .turns(|client, _| vec![client.get(address.clone())])
            .await;
        println!(
            "   given again: GraphQL {again:.0}/s, REST {kept:.0}/s, ratio {:.2}",
            again / kept
        );
    }

    /// How often per second all requests of a turn are answered, with several clients at once.
    async fn turns(&self, asks: impl Fn(&Client, u64) -> Vec<RequestBuilder>) -> f64 {
        let (count, asks) = (Arc::new(AtomicU64::new(0)), &asks);
        let started = Instant::now();
        let end = started + EACH;
        let clients = (0..CLIENTS).map(|_| {
            let (client, count) = (Client::new(), Arc::clone(&count));
            async move {
                while Instant::now() < end {
                    let turn = count.fetch_add(1, Ordering::Relaxed);
                    for ask in asks(&client, turn) {
                        let answer = ask.bearer_auth(&self.token).send().await.unwrap();
                        assert!(answer.status().is_success(), "{}", answer.status());
                        answer.bytes().await.unwrap();
                    }
                }
            }
        });
        futures_util::future::join_all(clients).await;
        count.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
    }
}

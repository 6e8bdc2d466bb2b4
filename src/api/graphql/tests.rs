//! The law that no number of records costs statements: what a query reads is told by its
//! shape.

use super::http::{Form, answered};
use super::request::Asked;
use crate::api::Hub;
use crate::api::caller::Who;
use crate::config::{Settings, Sources};
use crate::ops::tests::statements as heard;
use crate::ops::tests::statements::{books, filled};
use crate::registry::Principal;
use axum::body::to_bytes;
use axum::http::Method;
use serde_json::{Value, json};
use std::sync::Arc;

/// Animals with their calvings, test days and three generations of parents.
const FAMILY: &str = "query($n:Int!){Animals(limit:$n,sort:\"-birthDate\"){docs{...A calvings(limit:0){docs{date result}} \
    milkTests(limit:0){docs{date dailyYield ownerOrg{name}}} \
    father{...A father{...A father{...A} mother{...A}} mother{...A father{...A} mother{...A}}} \
    mother{...A father{...A father{...A} mother{...A}} mother{...A father{...A} mother{...A}}}}}} \
    fragment A on Animal{id name identNumber}";
/// Animals with their calvings and pedigrees.
const PEDIGREES: &str = "query($n:Int!){Animals(limit:$n){docs{id name calvings{docs{date}} \
    pedigree(generations:3){nodes{number doc{name}} pedigreeDepth}}}}";
/// Test days with what they belong to, and how many there are.
const TESTS: &str = "query($n:Int!){MilkTests(limit:$n,sort:\"-date\"){docs{date animal{name owner{name} herd{name organization{name}}}} totalDocs}}";
/// Farms with their herds, and those with their animals.
const FARMS: &str = "query($n:Int!){Organizations(limit:$n){docs{name herds(limit:0){docs{name animals(limit:3,count:true){docs{name breed{name}} totalDocs}}}}}}";
/// The same join under several names with arguments of their own.
const NAMES: &str = "query($n:Int!){Animals(limit:$n){docs{last:milkTests(limit:1,sort:\"-date\"){docs{date}} \
    first:milkTests(limit:1,sort:\"date\"){docs{date}} again:milkTests(limit:1,sort:\"date\"){docs{dailyYield}}}}}";

async fn ask(hub: &Arc<Hub>, query: &str, n: u64) -> (Value, Vec<String>) {
    let who = Who {
        principal: Arc::new(Principal::system()),
        signed_in: None,
        since: None,
    };
    let asked = Asked {
        query: Some(query.to_owned()),
        variables: serde_json::Map::from_iter([("n".to_owned(), json!(n))]),
        ..Asked::default()
    };
    heard();
    let answer = answered(Arc::clone(hub), who, asked, Form::Old, &Method::POST);
    let answer = answer.await.unwrap();
    // The total is counted once, and remembered until the book changes.
    let mut told = heard();
    told.retain(|sql| !sql.starts_with("SELECT count("));
    let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    assert!(body.get("errors").is_none(), "{query}: {}", body["errors"]);
    (body["data"].clone(), told)
}

#[tokio::test]
async fn a_query_costs_as_many_statements_as_its_shape_has_parts() {
    for (book, _dir) in books().await {
        filled(&book).await;
        let flags = [("graphql.cost", "100000000".to_owned())];
        let sources = Sources {
            flags: flags.into(),
            ..Sources::default()
        };
        let settings = Settings::load(&sources).unwrap();
        let exchange = crate::cli::exchange(&settings).unwrap();
        let hub = Arc::new(Hub::new(Arc::new(book), exchange, settings));
        let mut wrong = Vec::new();
        for (name, query, statements) in [
            // The page; calvings and test days of all; each by its ids; herds of the tests;
            // both parents at once on each of three levels.
            ("family", FAMILY, 9),
            // The page, calvings with their rows, three generations, documents of all.
            ("pedigrees", PEDIGREES, 7),
            // The page; animals; owners and herds; organisations.
            ("tests", TESTS, 5),
            // The page; herds, animals, breeds.
            ("farms", FARMS, 6),
            // The page; two joins, each with its rows.
            ("names", NAMES, 5),
        ] {
            let (_, few) = ask(&hub, query, 20).await;
            let (data, many) = ask(&hub, query, 100).await;
            assert!(data.to_string().len() > 500, "{name}: {data}");
            let listed = many.join("\n");
            // A set in which nothing is found of a kind needs not look further there.
            assert!(few.len() <= many.len(), "{name}:\n{listed}");
            let (n, dialect) = (many.len(), hub.book.store.dialect());
            println!("{dialect:?} {name}: {n} statements for 100 records");
            if n != statements {
                wrong.push(format!("{name}: {n} for {statements}:\n{listed}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

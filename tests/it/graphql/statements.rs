//! The law that no number of records costs statements: the number of statements depends on the shape of a query.

use crate::support::book::demo_rows;
use crate::support::fixture::Fixture;
use serde_json::{Value, json};
use store::schema::ROW_COUNTS;
use store::statement_log;

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

/// The data of a query, and the statements that it took.
async fn ask(f: &Fixture, token: &str, query: &str, n: u64) -> (Value, Vec<String>) {
    let body = json!({"query": query, "variables": {"n": n}});
    statement_log::read();
    let (status, _, mut body) = f.post("/api/graphql", token, body).await;
    let mut statements = statement_log::read();
    // The total is counted once, and remembered until the book changes.
    statements.retain(|sql| !sql.starts_with("SELECT count(") && !sql.contains(ROW_COUNTS));
    assert_eq!(status, 200, "{query}: {body}");
    assert!(body.get("errors").is_none(), "{query}: {}", body["errors"]);
    (body["data"].take(), statements)
}

/// Fills a book with the synthetic one.
async fn fill(f: &Fixture) {
    for rows in demo_rows(150) {
        f.book.fill(rows).await.unwrap();
    }
}

#[test_each(Fixture::each_with(&[("graphql.cost", "100000000")]))]
async fn a_query_costs_as_many_statements_as_its_shape_has_parts(f: Fixture) {
    fill(&f).await;
    let token = f.user(900_001, "expert", None, "").await;
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
        let (_, few) = ask(&f, &token, query, 20).await;
        let (data, many) = ask(&f, &token, query, 100).await;
        assert!(data.to_string().len() > 500, "{name}: {data}");
        let listed = many.join("\n");
        // A smaller set may need fewer statements, since nothing is found for some parts.
        assert!(few.len() <= many.len(), "{name}:\n{listed}");
        let (n, dialect) = (many.len(), f.book.store.dialect());
        println!("{dialect:?} {name}: {n} statements for 100 records");
        if n != statements {
            wrong.push(format!("{name}: {n} for {statements}:\n{listed}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

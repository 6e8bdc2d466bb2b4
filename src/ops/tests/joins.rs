//! Paths into rows and joins, and documents of which only a part is requested.

use super::fixture::{Fixture, Who, books, collection, insert, parse_ask, run};
use crate::View;
use Who::{A, Anonymous, F1, F2};
use model::error::Error;
use model::query::qs;
use serde_json::{Value, json};
use store::statement_log::read as statements;
use test_support::table;

/// A document under a view.
async fn document_of(f: &Fixture, who: Who, id: i64, query: &str) -> Value {
    let view = View::read(&qs::parse(query).unwrap(), 0);
    let document = f.book.by_id(&who.principal(), collection("animals"), id, view).await;
    let document = document.unwrap_or_else(|error| panic!("{query}: {error}"));
    serde_json::from_slice(&document).unwrap()
}

#[tokio::test]
async fn paths_lead_into_rows_and_joins() {
    let cases: &[(&str, &[i64])] = &table![
        "where[shows.title][like]=1 FAIR", &[1];
        "where[shows__title][contains]=fair", &[1];
        "where[shows.title][equals]=Fair", &[];
        "where[shows.place][greater_than]=0", &[1];
        "where[shows.place][greater_than]=1", &[];
        "where[shows.place][in]=1,7", &[1];
        "where[shows.judge][equals]=2", &[1];
        "where[shows.judge.id][in]=1,2", &[1];
        "where[shows.judge.name][equals]=Org Two", &[1];
        "where[shows.judge.name][equals]=Org One", &[];
        "where[shows.title][exists]=true", &[1];
        "where[id][less_than]=3&where[shows.title][exists]=false", &[2];
        "where[id][less_than]=3&where[shows.place][not_equals]=1", &[2];
        "where[id][less_than]=3&where[shows.place][not_equals]=5", &[1, 2];
        "where[milkTests.milkYield][greater_than]=33", &[3, 4, 5];
        "where[milkTests.dailyYield][greater_than]=33", &[3, 4, 5];
        "where[milkTests.id][in]=1,2", &[1, 2];
        "where[milkTests.animal.tag][equals]=BE0001", &[2];
        "where[id][less_than]=7&where[milkTests.date][exists]=false", &[6];
        "where[children.tag][equals]=BE0004", &[1, 2];
        "where[children.herd.name][equals]=Alpha", &[1, 2, 3];
        "where[sire.milkTests.id][equals]=1&where[id][less_than]=7", &[5, 6];
    ];
    for f in books().await {
        for (query, ids) in cases {
            let found = f.ids(A, &format!("{query}&sort=id&limit=0")).await;
            assert_eq!(found, *ids, "{query}");
        }
    }
}

#[test_each(books())]
async fn letters_are_equal_whatever_their_case(f: Fixture) {
    let names = ["ΟΔΥΣΣΕΥΣ", "Οδυσσεύς Ёлка", "STRASSE", "300 K", "ISIL", "ısıl", "A-Z]^x"];
    for (at, name) in (100..).zip(names) {
        run(&f.book, insert("animals", at, vec![("name", name.into())])).await;
    }
    for (searched, ids) in [
        ("οδυσσευς", vec![100]),
        ("οδυσσευσ", vec![100]),
        ("ΟΔΥΣΣ", vec![100, 101]),
        ("ёЛКА", vec![101]),
        ("елка", vec![]),
        ("strasse", vec![102]),
        ("straße", vec![]),
        ("300 k", vec![103]),
        ("isil", vec![104]),
        ("a-z]^X", vec![106]),
        ("a-c", vec![]),
        (".*", vec![]),
        ("[a-z]", vec![]),
        ("\\", vec![]),
    ] {
        for operator in ["like", "contains"] {
            let query = format!("where[name][{operator}]={searched}&sort=id&where[id][greater_than]=99");
            assert_eq!(f.ids(A, &query).await, ids, "{operator} {searched}");
        }
    }
}

#[test_each(books())]
async fn nothing_is_probed_through_joins_and_rows(f: Fixture) {
    let high = "where[milkTests.milkYield][greater_than]=33&sort=id";
    assert_eq!(f.ids(Anonymous, high).await, [5], "opened cards only");
    assert_eq!(f.ids(F1, high).await, [4, 5]);
    // Animal 2 is closed to strangers, so no parent is found by it.
    let child = "where[children.id][equals]=6&sort=id";
    assert_eq!(f.ids(A, child).await, [1, 3]);
    assert_eq!(f.ids(Anonymous, child).await, Vec::<i64>::new());
    // The private number of a herd, seen by its own holding only.
    let holding = "where[children.herd.holding][equals]=H1&sort=id";
    assert_eq!(f.ids(A, holding).await, [1, 2, 3]);
    assert_eq!(f.ids(F1, holding).await, [1, 2, 3]);
    assert_eq!(f.ids(F2, holding).await, Vec::<i64>::new());
    assert_eq!(f.refused(Anonymous, holding).await, ["holding"]);
    for query in ["milkTests.seq", "children.notes.hidden", "sire.editor.verifier"] {
        let query = format!("where[{query}][exists]=true");
        assert_eq!(f.refused(A, &query).await.len(), 1, "{query}");
    }
}

#[tokio::test]
async fn only_what_is_selected_is_shown() {
    let cases = table![
        "select[name]=true", json!({"id": 1, "name": "Bella"});
        "select[nope]=true", json!({"id": 1});
        "select=name", json!({"id": 1});
        "select[]=name", json!({"id": 1});
        "select[notes][hidden]=true", json!({"id": 1});
        "select[position][barn]=true", json!({"id": 1, "position": {"barn": 0}});
        "select[position]=true", json!({"id": 1, "position": {"barn": 0, "box": null}});
        "select[shows][title]=true", json!({"id": 1, "shows": [{"id": "a", "title": "Fair, \"1\""}]});
        "select[herd][name]=true", json!({"id": 1, "herd": 2});
        "depth=1&select[herd][name]=true", json!({"id": 1, "herd": {"id": 2, "name": "Beta"}});
        "depth=2&select[herd][organization][name]=true",
            json!({"id": 1, "herd": {"id": 2, "organization": {"id": 2, "name": "Org Two"}}});
        "depth=1&select[herd]=true&select[owner]=true&populate[organizations][name]=true",
            json!({"id": 1, "herd": {"id": 2, "name": "Beta", "organization": 2,
            "holding": "H2", "updatedAt": "2026-01-01T00:00:00.000Z",
            "createdAt": "2026-01-01T00:00:00.000Z"},
            "owner": {"id": 2, "name": "Org Two"}});
        "depth=1&select[shows][judge][name]=true",
            json!({"id": 1, "shows": [{"id": "a", "judge": {"id": 2, "name": "Org Two"}}]});
        "depth=1&select[editor]=true&populate[users][email]=true",
            json!({"id": 1, "editor": {"id": 2, "email": "farmer@demo.herdbook"}});
    ];
    for f in books().await {
        for (query, expected) in &cases {
            assert_eq!(document_of(&f, A, 1, query).await, *expected, "{query}");
        }
        let whole = document_of(&f, A, 1, "").await;
        let without = document_of(&f, A, 1, "select[name]=false&select[position][box]=false").await;
        assert_eq!(without.get("name"), None);
        assert_eq!(without["position"], json!({"barn": 0}));
        let lost = whole.as_object().unwrap().len() - without.as_object().unwrap().len();
        assert_eq!(lost, 1, "all else is there");
        assert_eq!(document_of(&f, A, 1, "select[id]=false&select[nope]=false").await, whole);
        let closed = document_of(&f, Anonymous, 3, "select[card]=true&select[tag]=true").await;
        assert_eq!(closed, json!({"id": 3, "tag": "BE0002"}), "classes still hold");
    }
}

#[tokio::test]
async fn joins_are_pages_of_their_own() {
    let of_five = table![
        "select[milkTests]=true&joins[milkTests][limit]=2&joins[milkTests][count]=true",
            json!({"docs": [5, 10], "hasNextPage": true, "totalDocs": 6});
        "joins[milkTests][limit]=2&joins[milkTests][page]=3", json!({"docs": [25, 30], "hasNextPage": false});
        "joins[milkTests][limit]=2&joins[milkTests][page]=4&joins[milkTests][count]=true",
            json!({"docs": [], "hasNextPage": false, "totalDocs": 6});
        "joins[milkTests][limit]=0&joins[milkTests][sort]=-milkYield",
            json!({"docs": [30, 25, 20, 15, 10, 5], "hasNextPage": false});
        "joins[milkTests][where][milkYield][greater_than]=30&joins[milkTests][count]=true",
            json!({"docs": [25, 30], "hasNextPage": false, "totalDocs": 2});
        "joins[milkTests][where]={\"id\":{\"in\":[5,6]}}", json!({"docs": [5], "hasNextPage": false});
        "joins[milkTests]=true", json!({"docs": [5, 10, 15, 20, 25, 30], "hasNextPage": false});
    ];
    for f in books().await {
        for (query, expected) in &of_five {
            let five = document_of(&f, A, 5, query).await;
            assert_eq!(five["milkTests"], *expected, "{query}");
        }
        let case = "select[milkTests]=true&joins[milkTests][limit]=2&joins[milkTests][count]=true";
        let case = document_of(&f, A, 5, case).await;
        assert_eq!(case.as_object().unwrap().len(), 2, "case 56");
        for none in [
            "",
            "joins[milkTests]=false&select[milkTests]=true",
            "joins=false",
            "select[name]=true&joins[milkTests][limit]=1",
            "select[name]=false",
        ] {
            assert_eq!(document_of(&f, A, 5, none).await.get("milkTests"), None, "{none}");
        }
        let deep = "depth=1&select[milkTests][milkYield]=true&joins[milkTests][limit]=1";
        assert_eq!(
            document_of(&f, A, 5, deep).await,
            json!({"id": 5, "milkTests": {"docs": [{"id": 5, "milkYield": 22}], "hasNextPage": true}})
        );
        let whole = document_of(&f, A, 5, "depth=1&joins[milkTests][limit]=1").await;
        assert_eq!(whole["milkTests"]["docs"][0]["animal"], 5, "one level");
        let nested = "depth=2&select[children]=true&populate[animals][milkTests]=true\
                      &joins[children][limit]=1&joins[children][sort]=id";
        let nested = document_of(&f, A, 2, nested).await;
        assert_eq!(nested["children"]["docs"][0]["milkTests"]["docs"][0]["id"], 5);
        // A stranger sees the tests of opened cards only, and children that are public.
        let of = async |who, id| document_of(&f, who, id, "joins[milkTests][count]=true").await;
        assert_eq!(of(Anonymous, 5).await["milkTests"]["totalDocs"], 6);
        assert_eq!(of(Anonymous, 3).await["milkTests"]["totalDocs"], 0);
        let children = document_of(&f, Anonymous, 1, "joins[children][limit]=3").await;
        assert_eq!(children["children"]["docs"], json!([25, 23, 21]));
        let all = document_of(&f, A, 1, "joins[children][limit]=0").await;
        assert_eq!(all["children"]["docs"].as_array().map(Vec::len), Some(21), "each once");
    }
}

/// However many rows each document brings along, and in how many parts they are therefore
/// read, pages and long lists say the same.
#[tokio::test]
async fn rows_with_large_joins_are_read_in_small_parts() {
    let animals = collection("animals");
    for f in books().await {
        let read = async |query: &str| {
            statements();
            let list = f.book.list(&A.principal(), animals, parse_ask(query)).await;
            let body = list.unwrap().collect().await.unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            (body["docs"].clone(), statements().len())
        };
        for rows in ["limit=20", "limit=0"] {
            for depth in [0, 1, 3] {
                let joins = |limit: u64| {
                    format!(
                        "{rows}&depth={depth}&joins[milkTests][limit]={limit}\
                         &joins[children][limit]={limit}"
                    )
                };
                // 300 rows of each are the most that a document shows in this test.
                let (expected, few) = read(&joins(21)).await;
                let (docs, many) = read(&joins(1_000)).await;
                assert_eq!(docs, expected, "{rows} {depth}");
                let (all, _) = read(&joins(0)).await;
                assert_eq!(all, expected, "{rows} {depth}");
                assert!(many > few, "{rows} {depth}: {many} {few}");
            }
        }
    }
}

#[test_each(books())]
async fn a_join_has_a_limit_of_rows_and_says_that_there_are_more(f: Fixture) {
    let rows = (100..460).flat_map(|id| {
        let animal = vec![("animal", model::record::Value::Int(5))];
        insert("milk-tests", id, animal)
    });
    run(&f.book, rows.collect()).await;
    let five = document_of(&f, A, 5, "joins[milkTests][limit]=0&joins[milkTests][count]=true").await;
    let tests = &five["milkTests"];
    assert_eq!(tests["docs"].as_array().map(Vec::len), Some(300));
    assert_eq!(tests["hasNextPage"], true);
    assert_eq!(tests["totalDocs"], 366);
    let rest = "joins[milkTests][limit]=300&joins[milkTests][page]=2";
    let rest = document_of(&f, A, 5, rest).await;
    assert_eq!(rest["milkTests"]["docs"].as_array().map(Vec::len), Some(66));
    assert_eq!(rest["milkTests"]["hasNextPage"], false);
}

#[test_each(books())]
async fn bad_joins_are_reported(f: Fixture) {
    for (query, path) in [
        ("joins[milkTests][where][nope][equals]=1", "nope"),
        ("joins[milkTests][where]=foo", "joins.milkTests.where"),
        ("joins[children][sort]=notes.hidden", "notes.hidden"),
    ] {
        assert_eq!(f.refused(A, query).await, [path], "{query}");
    }
    let unknown = f.ids(A, "joins[nope][limit]=1&limit=1").await;
    assert_eq!(unknown, [25], "unknown ones are passed over");
}

#[tokio::test]
async fn statements_do_not_grow_with_rows() {
    let animals = collection("animals");
    for f in books().await {
        let count = async |query: &str| {
            statements();
            let listing = f.book.list(&A.principal(), animals, parse_ask(query)).await;
            listing.unwrap().collect().await.unwrap();
            statements().len()
        };
        for (query, statements) in table![
            "select[name]=true", 1;
            "select[offspring]=true", 2;
            "select[name]=true&depth=3", 1;
            "select[sire]=true&select[dam]=true&populate[animals][name]=true&depth=1", 2;
            "select[sire][name]=true&select[dam][tag]=true&depth=1", 3;
            "select[milkTests]=true", 2;
            "select[milkTests]=true&joins[milkTests][limit]=0&joins[milkTests][count]=true", 2;
            "select[milkTests]=true&select[children]=true&depth=1\
              &populate[animals][name]=true", 5;
            "where[milkTests.milkYield][greater_than]=1&select[name]=true", 1;
        ] {
            for limit in [8, 100] {
                let query = format!("{query}&limit={limit}&pagination=false&sort=id");
                assert_eq!(count(&query).await, statements, "{query}");
            }
        }
    }
}

#[test_each(books())]
async fn a_cycle_of_relations_is_walked_in_bounded_time(f: Fixture) {
    statements();
    let query = "limit=25&depth=10&pagination=false&populate[animals][children]=true\
                 &populate[animals][sire]=true";
    let listing = f.book.list(&A.principal(), collection("animals"), parse_ask(query)).await;
    match listing {
        Ok(listing) => assert!(listing.collect().await.is_ok()),
        Err(error) => assert!(matches!(error, Error::Malformed(_)), "{error}"),
    }
    assert!(statements().len() < 80, "a fixed number for each level");
}

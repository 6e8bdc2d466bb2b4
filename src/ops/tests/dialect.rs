//! Conditions and orders beyond the conformance cases, which `tests/it/dialect` plays over the wire.

use super::fixture::{Who, books};
use Who::A;
use model::error::Error;
use test_support::table;

#[tokio::test]
async fn further_operators_follow_the_rules() {
    let cases = table![
        "where[name][not_like]=bella", 15;
        "where[name][not_like]=%25", 22;
        "where[name][like]=_", 3;
        "where[name][like]=[", 0;
        "where[name][like]=^-]*?\\", 0;
        "where[name][like]=%00", 0;
        "where[name][equals]=Bella%00", 0;
        "where[name][equals]=null", 0;
        "where[name][greater_than]=a", 9;
        "where[weight][equals]=abc", 0;
        "where[weight][not_equals]=null", 18;
        "where[weight][equals]=", 0;
        "where[weight][like]=410", 1;
        "where[archived][equals]=", 0;
        "where[archived][in]=true,false", 25;
        "where[sire][equals]=abc", 0;
        "where[id][equals]=5.5", 0;
        "where[id][equals]=5.0", 1;
        "where[id][greater_than]=5.5", 20;
        "where[id][less_than]=5.5", 5;
        "where[id][less_than]=1e300", 25;
        "where[herd][greater_than]=1", 13;
        "where[herd.name][not_equals]=Alpha", 13;
        "where[herd.name][not_in]=Alpha", 13;
        "where[sire.name][exists]=false", 4;
        "where[sire.name][not_equals]=Bella", 4;
        "where[sire.name][not_in]=x", 21;
        "where[sire.herd][not_in]=2", 4;
        "where[sire.herd.name][equals]=Beta", 21;
        "where[position.barn][less_than]=3", 3;
        "where[offspring][equals]=6", 1;
        "where[offspring][in]=6,9", 1;
        "where[offspring][all]=5,7", 1;
        "where[offspring][all]=5,8", 0;
        "where[offspring][exists]=true", 1;
        "where[offspring][not_equals]=6", 24;
        "where[offspring.name][equals]=100%25 Milk", 1;
        "where[offspring.name][not_equals]=100%25 Milk", 24;
        "where[offspring.id][contains]=5", 1;
        "where[uses][contains]=milk", 1;
        "where[uses][in]=milk,beef", 2;
        "where[uses][all]=milk,show", 1;
        "where[uses][not_in]=beef", 24;
        "where[uses][exists]=true", 2;
        "where[shows][exists]=true", 1;
        "where[extra][exists]=false", 24;
        "where[or][0][state][equals]=sold&where[and][0][id][less_than]=4", 1;
        "where={\"or\":[]}", 25;
        "where={\"weight\":{\"equals\":null}}", 7;
        "where={\"name\":{\"equals\":null}}", 3;
        "where={\"id\":{\"in\":[1,2,null]}}", 2;
        "where={\"archived\":{\"equals\":true}}", 5;
    ];
    for f in books().await {
        for (query, n) in cases {
            assert_eq!(f.n(A, query).await, n, "{query}");
        }
        assert_eq!(f.ids(A, "sort=offspring,shows,offspring.name,id&limit=2").await, [1, 2]);
    }
}

#[tokio::test]
async fn bad_paths_are_reported_all_at_once() {
    let cases: &[(&str, &[&str])] = &table![
        "where[herd.organization.nope][equals]=1", &["nope"];
        "where[state]=alive", &["state"];
        "where[or]=x", &["or"];
        "where[or][0]=x", &["or.0"];
        "where[][name]=x", &["where"];
        "where[not][state][equals]=a", &["not.state"];
        "where[state][equals][0]=a", &["state.equals"];
        "where[weight][near]=1,2", &["weight.near"];
        "where[weight][contains]=4", &["weight.contains"];
        "where[birthDate][contains]=2", &["birthDate.contains"];
        "where[name][all]=a", &["name.all"];
        "where[archived][less_than]=true", &["archived.less_than"];
        "where[id][in]=5,x", &["id.in"];
        "where[shows.nope][equals]=x", &["shows.nope"];
        "where[shows.judge.nope][equals]=x", &["nope"];
        "where[milkTests.nope][equals]=x", &["nope"];
        "where[milkTests][exists]=true", &["milkTests"];
        "where[shows][equals]=x", &["shows.equals"];
        "where[notes.hidden][exists]=true", &["notes.hidden"];
        "where[seq][exists]=true", &["seq"];
        "where[a][equals]=1&where[or][0][b][equals]=1&sort=notes.hidden", &["a", "b", "notes.hidden"];
        "where[editor.verifier][exists]=true", &["verifier"];
    ];
    for f in books().await {
        for (query, paths) in cases {
            assert_eq!(f.refused(A, query).await, *paths, "{query}");
        }
        for path in ["hash", "verifier", "password", "sessions", "apiKey"] {
            let query = format!("where[{path}][exists]=true");
            let refused = f.list(A, "users", &query).await;
            assert!(matches!(refused, Err(Error::Query(p)) if p == [path]), "{path}");
        }
    }
}

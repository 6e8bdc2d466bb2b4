//! The conformance cases that are reads (docs/dialect.md, *Conformance cases*), by their numbers.
//! Case 33 needs joins, 52, 55 and 56 need `select`.

use super::fixture::{Who, books};
use Who::{A, Anonymous, F1, F2};
use model::error::Error;
use test_support::table;

#[tokio::test]
async fn conditions_find_as_the_cases_say() {
    let many: String = (1..3000).map(|n| format!("{n},")).collect();
    let many = format!("where[id][in]={}", many.trim_end_matches(','));
    let cases: &[(u32, &str, u64)] = &table![
        9, "where[name][equals]=Bella", 4;
        9, "where[name][equals]=bella", 0;
        10, "where[name][not_equals]=Bella", 21;
        10, "where[name][not_in]=Bella,daisy", 15;
        11, "where[name][in]=Bella,daisy", 7;
        11, "where[name][in][0]=Bella&where[name][in][1]=daisy", 7;
        11, "where[name][in][]=Bella&where[name][in][]=daisy", 7;
        11, "where[name][in]=Bella&where[name][in]=daisy", 7;
        12, "where[name][in][]", 0;
        12, "where[name][not_in][]", 25;
        13, "where[name][like]=bella", 10;
        13, "where[name][like]=donna bella", 3;
        14, "where[name][contains]=donna bella", 0;
        14, "where[name][contains]=BELLA D", 3;
        15, "where[name][like]=ÉLODIE", 3;
        15, "where[name][like]=elodie", 0;
        16, "where[name][exists]=true", 22;
        16, "where[name][exists]=false", 3;
        16, "where[name][exists]=1", 3;
        17, "where[name][contains]=100%25", 3;
        18, "where[weight][greater_than]=600", 3;
        18, "where[weight][greater_than]=600&where[weight][less_than]=620", 1;
        19, "where[weight][exists]=false", 7;
        19, "where[weight][equals]=null", 7;
        20, "where[weight][not_equals]=410", 24;
        20, "where[weight][not_in]=410,420", 16;
        20, "where[weight][in]=410,420", 2;
        21, "where[archived][not_equals]=true", 20;
        21, "where[archived][equals]=TRUE", 5;
        22, "where[birthDate][greater_than]=2018-01-01", 8;
        22, "where[birthDate][greater_than]=2018", 8;
        23, "where[birthDate][equals]=2011-02-11", 1;
        23, "where[birthDate][equals]=2011-02-11T02:00:00%2B02:00", 1;
        24, "where[birthDate][greater_than]=garbage", 0;
        25, "where[state][in]=alive,sold", 17;
        26, "where[state][equals]=zombie", 0;
        27, "where[id][in]=5,6,7", 3;
        27, "where[id][greater_than]=20", 5;
        28, "where[id][equals]=abc", 0;
        28, "where[id][like]=a b", 0;
        28, "where[id][equals]=99999999999", 0;
        29, "where[herd][equals]=1", 12;
        29, "where[herd][in]=1,2", 25;
        30, "where[sire][not_in]=1", 4;
        30, "where[sire][not_equals]=1", 4;
        30, "where[sire][exists]=false", 4;
        30, "where[sire][equals]=null", 4;
        31, "where[herd.name][equals]=Alpha", 12;
        31, "where[herd__name][equals]=Alpha", 12;
        31, "where[herd.id][equals]=1", 12;
        32, "where[herd.organization.name][equals]=Org One", 12;
        41, "where[or][0][state][equals]=alive&where[or][1][state][equals]=dead", 17;
        41, "where[OR][0][state][equals]=alive&where[OR][1][state][equals]=dead", 17;
        42, "where[or][0][state][equals]=alive&where[archived][equals]=true", 2;
        43, "where[or][0][id][equals]=1&where[or][1][id][equals]=2&where[and][0][id][greater_than]=1", 1;
        44,
            "where[and][0][or][0][name][equals]=Bella&where[and][0][or][1][name][equals]=daisy&where[state][equals]=alive",
            3;
        45, "where[and][0][and][0][and][0][and][0][state][equals]=alive", 9;
        46, "where={\"state\":{\"equals\":\"alive\"}}", 9;
        47, &many, 25;
    ];
    for f in books().await {
        for (case, query, n) in cases {
            assert_eq!(f.n(A, query).await, *n, "case {case}: {query:.80}");
        }
        for (who, n) in [(Anonymous, 13), (F2, 13), (F1, 25)] {
            assert_eq!(f.n(who, "").await, n, "case 8: {who:?}");
        }
    }
}

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
    }
}

#[tokio::test]
async fn bad_paths_are_reported_all_at_once() {
    let cases: &[(&str, &[&str])] = &table![
        "where[herd][name][equals]=Alpha", &["herd.name"];
        "where[nope][equals]=1&where[nada][equals]=2", &["nope", "nada"];
        "where[herd.nope][equals]=1", &["nope"];
        "where[herd.organization.nope][equals]=1", &["nope"];
        "where[name][regex]=1", &["name.regex"];
        "where[name][$eq]=1", &["name.$eq"];
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
            assert!(matches!(refused, Err(Error::Query(p)) if p == [path]), "case 40: {path}");
        }
    }
}

#[tokio::test]
async fn too_much_is_refused_and_much_is_not() {
    let hops = format!("where[{}name][exists]=true", "sire.".repeat(11));
    let words = format!("where[name][like]={}", "bella ".repeat(300));
    let long = format!("where[name][like]={}", "x".repeat(2_001));
    let conditions = |n: usize| {
        let one = |i| format!("{{\"id\":{{\"equals\":{i}}}}}");
        let all: Vec<_> = (0..n).map(one).collect();
        format!("where={{\"or\":[{}]}}", all.join(","))
    };
    let keys = format!("sort={}id", "id,".repeat(32));
    let values = format!("where[id][in]={}1", "1,".repeat(20_000));
    for f in books().await {
        assert_eq!(f.n(A, &conditions(1_000)).await, 25);
        assert_eq!(f.n(A, &words).await, 10);
        for query in [conditions(1_001), long.clone(), values.clone(), keys.clone()] {
            let refused = f.list(A, "animals", &query).await;
            assert!(matches!(refused, Err(Error::Malformed(_))), "{query:.60}");
        }
        assert_eq!(f.refused(A, &hops).await, ["sire.name"]);
    }
}

#[tokio::test]
async fn pages_are_those_of_the_cases() {
    let range = |from: i64, to: i64| (to..=from).rev().collect::<Vec<_>>();
    let cases = table![
        1, "", range(25, 16);
        2, "limit=10&page=3", range(5, 1);
        3, "limit=10&page=4", vec![];
        4, "limit=0&page=3", range(25, 1);
        5, "pagination=false", range(25, 1);
        6, "pagination=false&limit=3&page=2", vec![22, 21, 20];
        7, "page=0", range(25, 16);
        7, "limit=abc&page=-1", range(25, 16);
        48, "sort=name,-id&limit=1", vec![23];
        48, "sort=name,id&limit=1", vec![7];
        49, "sort=-weight&limit=8", vec![25, 21, 17, 13, 9, 5, 1, 24];
        49, "sort=weight&limit=20&page=2", vec![17, 13, 9, 5, 1];
        50, "sort=nope&limit=2", vec![25, 24];
        50, "sort=-nope,id&limit=3", vec![1, 2, 3];
        51, "sort[]=state&sort[]=-id&limit=3", vec![25, 22, 19];
        0, "sort=herd.name,id&limit=2", vec![2, 4];
        0, "sort=-herd__organization.name&limit=2", vec![25, 23];
        0, "sort=offspring,shows,offspring.name,id&limit=2", vec![1, 2];
    ];
    for f in books().await {
        for (case, query, ids) in &cases {
            assert_eq!(f.ids(A, query).await, *ids, "case {case}: {query}");
        }
        let body = f.list(A, "animals", "pagination=false&limit=3&page=2").await.unwrap();
        let counts = (&body["totalDocs"], &body["page"], &body["totalPages"], &body["limit"]);
        assert_eq!(counts, (&3.into(), &2.into(), &1.into(), &3.into()), "case 6");
    }
}

#[tokio::test]
async fn records_are_found_by_id_or_not() {
    for f in books().await {
        assert_eq!(f.animal(A, 5, 0).await.unwrap()["sire"], 1, "case 53");
        let deep = f.animal(A, 5, 1).await.unwrap();
        assert_eq!((&deep["sire"]["id"], &deep["sire"]["herd"]), (&1.into(), &2.into()));
        let open = f.animal(Anonymous, 5, 1).await.unwrap();
        assert_eq!((&open["sire"]["id"], &open["dam"]), (&1.into(), &2.into()), "case 54");
        for (who, id) in [(A, 9999), (Anonymous, 2), (F2, 2)] {
            let missing = f.animal(who, id, 0).await;
            assert!(matches!(missing, Err(Error::NotFound)), "case 58: {who:?} {id}");
        }
    }
}

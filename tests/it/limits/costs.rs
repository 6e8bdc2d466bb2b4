//! The cost of one query: it is refused before it runs, or stopped while it runs; and other callers
//! are answered beside those that ask too much.

use super::{FARM, Stage, field, fresh};
use model::registry::{Class, Kind};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use store::{Share, Sql, StatementTerms};

/// The query of a stranger that occupied a processor for half a minute.
const DEAR: &str = "owner.animals.owner.animals.owner.animals.owner.animals.name";
const TWO: &str = "owner.animals.owner.animals.name";
const ONE: &str = "owner.animals.name";

fn refusal(path: &str) -> Value {
    json!({"errors": [{
        "name": "QueryError",
        "data": [{"path": path, "type": "query-too-expensive"}],
        "message": format!("The following path is too expensive to query: {path}"),
    }]})
}

/// The condition in GraphQL form.
fn nested(path: &str) -> String {
    let words = path.rsplit('.').skip(1);
    let name = "{name: {like: \"zzz\"}}".to_owned();
    words.fold(name, |inner, word| format!("{{{word}__where: {inner}}}"))
}

#[test_each(Stage::each_with(&[]))]
async fn paths_through_many_lists_are_refused_on_every_face(s: Stage) {
    let far = [(ONE, 0), (TWO, 1), (DEAR, 2)];
    for (who, most) in [("", 0), (&*s.farm, 1), (&*s.expert, 1)] {
        for (path, lists) in far {
            let expected = if lists > most { 400 } else { 200 };
            let where_ = format!("where[{path}][like]=zzz");
            for address in [
                format!("/api/animals?limit=1&{where_}"),
                format!("/api/animals?limit=0&format=csv&{where_}"),
                format!("/api/animals?limit=1&where[or][0][and][0][{path}][exists]=false"),
                format!("/api/animals/count?{where_}"),
            ] {
                let (status, _, body) = s.raw(&address, who, &[]).await;
                assert_eq!(status, expected, "{address}");
                if expected == 400 {
                    let body: Value = serde_json::from_slice(&body).unwrap();
                    assert_eq!(body, refusal(path), "{address}");
                }
            }
            let query = format!("{{ Animals(where: {}) {{ totalDocs }} }}", nested(path));
            let (_, _, body) = post!(s.f, "/api/graphql", who, {"query": query});
            if lists > most {
                let data = &body["errors"][0]["extensions"]["data"];
                assert_eq!(*data, refusal(path)["errors"][0]["data"], "{body}");
            } else {
                assert_eq!(body["data"]["Animals"]["totalDocs"], 0, "{body}");
            }
        }
    }
    // In joins, in changes by a condition, and in conditions that are stored for later use.
    let joined = "animals.owner.animals.owner.animals.name";
    let body = ask!(s.f, s.farm, "GET /api/organizations/1?joins[animals][where][{DEAR}][like]=z" => 400);
    assert_eq!(body, refusal(DEAR), "{body}");
    let body = ask!(s.f, s.expert, "GET /api/organizations?where[{joined}][like]=z" => 400);
    assert_eq!(body, refusal(joined), "{body}");
    let body = ask!(s.f, s.expert, "PATCH /api/animals?where[{DEAR}][like]=z", {} => 400);
    assert_eq!(body, refusal(DEAR), "{body}");
    for (path, expected) in [(ONE, 201), (TWO, 201), (DEAR, 400)] {
        let set = json!({"name": path, "place": "herd", "query": "q", "where": {path: {"like": "zzz"}}});
        let (status, _, body) = s.f.post("/api/saved-searches", &s.farm, set).await;
        assert_eq!(status, expected, "{body}");
    }
}

/// The estimate depends on the sizes of tables alone; it reveals nothing about rows that a caller does not see.
#[test_each(Stage::each_with(&[]))]
async fn what_would_read_too_much_is_refused_by_the_sizes_of_tables(s: Stage) {
    let path = format!("/api/animals?limit=1&where[{ONE}][like]=zzz");
    assert_eq!(s.f.get(&path, "").await.0, 200);
    // One animal with a high id counts like a million.
    s.f.cow(200_000, 2).await;
    let tables = s.f.book.registry.iter().map(|c| c.table.as_str());
    s.f.book.store.measure_now(tables).await;
    let body = ask!(s.f, "", "GET {path}" => 400);
    assert_eq!(body, refusal(ONE), "{body}");
    // Few rows are looked at for this one.
    let few = format!("/api/animals?limit=1&where[id][equals]=11&where[{ONE}][like]=zzz");
    assert_eq!(s.f.get(&few, "").await.0, 200);
    ask!(s.f, "", "GET /api/animals?limit=1&where[name][like]=zzz" => 200);
}

/// In a large book every list by a field either goes along an index or says which fields do; few rows are listed by any
/// field.
#[test_each(Stage::each_with(&[("limits.list_rows", "10000")]))]
async fn lists_of_very_many_rows_need_an_index(s: Stage) {
    s.f.cow(20, 2).await;
    let small = s.f.get("/api/animals?limit=2&sort=summary.milkYield", &s.expert).await;
    assert_eq!(small.0, 200, "{}", small.2);
    let tables = s.f.book.registry.iter().map(|c| (c.table.as_str(), 100_000));
    s.f.book.store.sizes().assume(tables, &[]);
    let mut refused = 0;
    for slug in ["animals", "milk-tests", "calvings"] {
        let c = s.f.book.registry.get(slug).unwrap();
        let fields = c.fields.iter().enumerate().filter(|(_, f)| f.stored() && f.class != Class::Hidden);
        for (slot, field) in fields.filter(|(_, f)| !matches!(f.kind, Kind::Json | Kind::Rows(_))) {
            let path = format!("/api/{slug}?limit=1&sort={}", field.path);
            let (status, _, body) = s.f.get(&path, &s.expert).await;
            assert_eq!(status, if c.is_in_order(slot) { 200 } else { 400 }, "{path} {body}");
            if status == 200 {
                continue;
            }
            refused += 1;
            let fault = &body["errors"][0]["data"][0];
            assert_eq!(fault["type"], "list-without-index", "{body}");
            assert_eq!(fault["path"], field.path.as_str(), "{body}");
            // What it recommends does.
            let lead = if slug == "animals" { "identNumber" } else { "animal" };
            assert!(fault["fields"].as_array().unwrap().contains(&json!(lead)), "{body}");
            let few = format!("{path}&where[{lead}][equals]=20");
            assert_eq!(s.f.get(&few, &s.expert).await.0, 200, "{few}");
        }
    }
    assert!(refused > 20, "{refused}");
    for (who, path, expected) in [
        (&*s.expert, "/api/milk-tests?where[fatPercent][greater_than]=4", 400),
        (&*s.expert, "/api/milk-tests/count?where[fatPercent][greater_than]=4", 400),
        (&*s.expert, "/api/milk-tests?where[fatPercent][greater_than]=4&where[animal][equals]=20", 200),
        (&*s.expert, "/api/milk-tests?where[animal.name][equals]=Omega", 200),
        (&*s.expert, "/api/milk-tests?where[animal.summary.milkYield][equals]=1", 400),
        (&*s.expert, "/api/animals?where[name][like]=Ome", 200),
        (&*s.expert, "/api/animals?where[sex][equals]=female&sort=name", 200),
        // A farm has few of them.
        (&*s.farm, "/api/herds?sort=note", 200),
    ] {
        let (status, _, body) = s.f.get(path, who).await;
        assert_eq!(status, expected, "{path} {body}");
        let refusal = &body["errors"][0]["data"][0]["type"];
        assert!(expected == 200 || refusal == "list-without-index", "{path} {body}");
    }
}

/// Hundreds of conditions, none of which holds.
fn slow() -> String {
    let mut query = String::from("limit=1");
    for n in 0..480 {
        let _ = write!(query, "&where[or][{n}][identNumber][like]=zz{n}qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq");
    }
    query
}

#[test_each(Stage::each_with(&[("limits.statement_time", "1")]))]
async fn what_takes_too_long_is_stopped_and_told_in_the_words_of_the_face(s: Stage) {
    for cow in 20..60 {
        s.f.cow(cow, 1).await;
    }
    let (status, headers, body) = s.f.get(&format!("/api/animals?{}", slow()), &s.farm).await;
    assert_eq!(status, 503, "{body}");
    assert_eq!(body["errors"][0]["data"]["type"], "statement-time");
    assert!(!field(&headers, "retry-after").is_empty());
    // No trace of it is left: others are answered.
    assert_eq!(s.f.get("/api/animals?limit=1", "").await.0, 200);
}

/// All capacity that callers may take is taken: exchange, health and jobs are answered, and other
/// requests are refused with the time to come again.
#[tokio::test]
async fn dear_questions_leave_the_exchange_health_and_jobs_alone() {
    const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
                           WHERE i < 20000) SELECT count(*) FROM n a, n b, n c";
    for s in Stage::each_with(&[("limits.queue_age", "1")]).await {
        let long = Duration::from_secs(600);
        let crowd: Vec<_> = (0..40)
            .map(|_| {
                let store = s.f.book.store.clone();
                let terms = Arc::new(StatementTerms::new(Share::Anybody, long, long, long));
                let query = async move { store.rows(Sql::new(ENDLESS)).await.map(drop) };
                tokio::spawn(terms.scope(query))
            })
            .collect();
        let mut refused = None;
        for n in 0..1_000 {
            let (status, headers, body) = s.f.get(&fresh(n), &s.farm).await;
            if status != 200 {
                refused = Some((status, headers, body));
                break;
            }
        }
        let (status, headers, body) = refused.expect("all are taken");
        assert_eq!(status, 503, "{body}");
        let busy = "The service is too busy now. Come back when Retry-After says.";
        assert_eq!(body["errors"][0]["message"], busy);
        assert!(!field(&headers, "retry-after").is_empty());
        let (_, _, body) = post!(s.f, "/api/graphql", &s.farm, {"query": "{ Herds(limit: 7) { totalDocs } }"});
        assert_eq!(body["errors"][0]["extensions"]["statusCode"], 503, "{body}");

        for path in [
            format!("{FARM}/weights"),
            "/ade/v1/locations".to_owned(),
            "/ade/v1/datasets/weights/changes".to_owned(),
            "/healthz".to_owned(),
        ] {
            ask!(s.f, s.farm, "GET {path}" => 200, "{path}");
        }
        ask!(s.f, s.farm, "GET /ade/v1/locations/org.herdbook.orgid/99/weights" => 404 ["location-forbidden"]);
        // A job that reads and writes.
        s.f.cow(77, 1).await;
        for one in crowd {
            one.abort();
        }
        ask!(s.f, s.farm, "GET /api/animals/77" => 200);
    }
}

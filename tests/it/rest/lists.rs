//! Lists, single documents, counts and unknown paths, over herds (which any caller reads).

use super::stage::{Stage, request};
use axum::body::Body;
use model::record::Value;

/// An organisation with 25 herds.
pub(super) async fn setup(stage: &Stage) {
    let organization = [("id", Value::Int(1)), ("name", "Alpha Farms".into())];
    stage.insert("organizations", &organization).await;
    for id in 1..=25 {
        let row = [
            ("id", Value::Int(id)),
            ("name", format!("Herd {id:02}").into()),
            ("organization", Value::Int(1)),
        ];
        stage.insert("herds", &row).await;
    }
}

fn ids(body: &serde_json::Value) -> Vec<i64> {
    let docs = body["docs"].as_array().unwrap();
    docs.iter().map(|doc| doc["id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn a_list_has_the_envelope_of_the_dialect() {
    Stage::each(async |stage| {
        setup(stage).await;
        let answer = stage.get("/api/herds").await;
        let body = answer.json();
        assert_eq!(answer.header("content-type"), "application/json");
        let members: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
        assert_eq!(
            members,
            [
                "docs",
                "hasNextPage",
                "hasPrevPage",
                "limit",
                "nextPage",
                "page",
                "pagingCounter",
                "prevPage",
                "totalDocs",
                "totalPages"
            ]
        );
        assert_eq!(ids(&body), (16..=25).rev().collect::<Vec<_>>());
        holds!(body, {"totalDocs": 25, "nextPage": 2});
        holds!(body, {"docs.0.organization.name": "Alpha Farms"}, "depth 1");
    })
    .await;
}

#[tokio::test]
async fn the_parameters_of_a_list_are_heard() {
    Stage::each(async |stage| {
        setup(stage).await;
        let third = stage
            .get("/api/herds?limit=10&page=3&sort=name&depth=0&foo=bar")
            .await
            .json();
        assert_eq!(ids(&third), [21, 22, 23, 24, 25]);
        assert_eq!(third["docs"][0]["organization"], 1);
        let all = stage.get("/api/herds?limit=0").await.json();
        assert_eq!((ids(&all).len(), &all["limit"]), (25, &0.into()));
        let flat = stage.get("/api/herds?pagination=false").await.json();
        assert_eq!((ids(&flat).len(), &flat["limit"]), (25, &0.into()));
        let bad = stage.get("/api/herds?limit=abc&page=-1").await.json();
        assert_eq!((&bad["limit"], &bad["page"]), (&10.into(), &1.into()));
        let some = stage.get("/api/herds?where[id][in]=5,6,7").await.json();
        assert_eq!(some["totalDocs"], 3);
        ask!(stage, "", "GET /api/herds/count?where=%7B%22id%22:%7B%22less_than%22:5%7D%7D"
            => (200, r#"{"totalDocs":4}"#));
    })
    .await;
}

#[tokio::test]
async fn a_query_that_cannot_be_asked_is_400() {
    Stage::each(async |stage| {
        setup(stage).await;
    ask!(stage, "", "GET /api/herds?where[nope][equals]=1&where[nada][equals]=2"
        => (400, r#"{"errors":[{"name":"QueryError","data":[{"path":"nope"},{"path":"nada"}],"message":"The following paths cannot be queried: nope, nada"}]}"#));
    for query in [
        "where=foo",
        "where={",
        "where[a][1001][b]=1",
        "where[a][b][c][d][e][f][g][h][i][j][k]=1",
    ] {
        let answer = stage
            .get(&format!("/api/herds?{}", query.replace('{', "%7B")))
            .await;
        assert_eq!(answer.status, 400, "{query}");
        assert_eq!(answer.json()["errors"][0]["name"], "QueryError", "{query}");
    }
    })
    .await;
}

#[tokio::test]
async fn long_queries_come_as_a_body() {
    Stage::each(async |stage| {
        setup(stage).await;
        let over = ("x-http-method-override", "GET");
        let form = "application/x-www-form-urlencoded";
        let charset = "application/x-www-form-urlencoded; charset=UTF-8";
        for kind in [form, charset] {
            let headers = [over, ("content-type", kind)];
            let body = "where[id][in]=5,6&depth=0";
            let list = request("POST", "/api/herds", &headers, Body::from(body));
            assert_eq!(ids(&stage.ask(list).await.json()), [6, 5]);
            let count = request("POST", "/api/herds/count", &headers, Body::from(body));
            assert_eq!(stage.ask(count).await.told(), (200, r#"{"totalDocs":2}"#));
            let one = request("POST", "/api/herds/5", &headers, Body::from("depth=0"));
            assert_eq!(stage.ask(one).await.json()["organization"], 1);
        }
        let headers = [
            ("x-payload-http-method-override", "GET"),
            ("content-type", "application/json"),
        ];
        let json = r#"{"where":{"id":{"less_than":3}},"limit":1}"#;
        let answer = stage
            .ask(request("POST", "/api/herds", &headers, Body::from(json)))
            .await;
        assert_eq!(ids(&answer.json()), [2]);
    })
    .await;
}

#[tokio::test]
async fn one_document_is_bare_and_head_is_served() {
    Stage::each(async |stage| {
        setup(stage).await;
        let one = stage.get("/api/herds/5?depth=0").await;
        let body = one.json();
        let members: Vec<_> = body
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!((one.status, members[0], members[1]), (200, "id", "name"));
        assert_eq!(&members[members.len() - 2..], ["updatedAt", "createdAt"]);
        let head = stage.send("HEAD", "/api/herds/5", &[]).await;
        assert_eq!(head.told(), (200, ""));
        for id in [
            "9999",
            "abc",
            "5.5",
            "-1",
            "+5",
            "99999999999999999999",
            "%FF",
        ] {
            ask!(stage, "", "GET /api/herds/{id}" => 404);
        }
        ask!(stage, "", "GET /api/herds/9999" => (404, r#"{"errors":[{"message":"Not Found"}]}"#));
    })
    .await;
}

#[tokio::test]
async fn unknown_paths_methods_and_collections_are_404() {
    Stage::each(async |stage| {
        setup(stage).await;
        for (method, path) in [
            ("GET", "/api/nope"),
            ("GET", "/api/nope/1"),
            ("POST", "/api/nope"),
            ("PUT", "/api/herds/5"),
            ("GET", "/api/herds/5/nope"),
            ("POST", "/api/herds/5"),
            ("POST", "/api/herds/count"),
            ("DELETE", "/api/users/login"),
            ("POST", "/api"),
            ("GET", "/elsewhere"),
        ] {
            let answer = stage.send(method, path, &[]).await;
            let expected = format!("{{\"message\":\"Route not found \\\"{path}\\\"\"}}");
            assert_eq!(answer.told(), (404, expected.as_str()), "{method} {path}");
        }
    })
    .await;
}

#[tokio::test]
async fn closed_collections_are_403_and_hidden_rows_404() {
    Stage::each(async |stage| {
        setup(stage).await;
        let forbidden = r#"{"errors":[{"message":"You are not allowed to perform this action."}]}"#;
        for path in [
            "/api/users",
            "/api/users/1",
            "/api/users/count",
            "/api/movements",
        ] {
            assert_eq!(stage.get(path).await.told(), (403, forbidden), "{path}");
        }
        stage.user(7, "farm1@demo.herdbook", "farmer").await;
        stage.user(8, "farm2@demo.herdbook", "farmer").await;
        let jwt = format!("JWT {}", stage.token("farm1@demo.herdbook").await);
        let me = [("authorization", jwt.as_str())];
        assert_eq!(stage.send("GET", "/api/users/7", &me).await.json()["id"], 7);
        assert_eq!(stage.send("GET", "/api/users/8", &me).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn every_collection_is_served_by_the_same_handlers() {
    Stage::each(async |stage| {
        setup(stage).await;
        stage.user(1, "association@demo.herdbook", "admin").await;
        let jwt = format!("JWT {}", stage.token("association@demo.herdbook").await);
        let admin = [("authorization", jwt.as_str())];
        for c in stage.book.registry.iter() {
            let list = stage.send("GET", &format!("/api/{}", c.slug), &admin).await;
            assert_eq!(list.status, 200, "{}: {}", c.slug, list.text);
            let total = list.json()["totalDocs"].clone();
            let count = stage
                .send("GET", &format!("/api/{}/count", c.slug), &admin)
                .await;
            assert_eq!(count.json()["totalDocs"], total, "{}", c.slug);
            let none = stage
                .send("GET", &format!("/api/{}/987654", c.slug), &admin)
                .await;
            assert_eq!(none.status, 404, "{}", c.slug);
        }
    })
    .await;
}

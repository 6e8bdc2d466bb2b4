//! Pages of other origins: whether the cookie counts, and what they may read.

use crate::rest::stage::{Answer, PASSWORD, Stage, request};

const EMAIL: &str = "farm1@demo.herdbook";
const LISTED: &str = "https://book.example";

async fn stage(list: &str) -> (Stage, String) {
    let stage = Stage::with(&[("trusted_origins", list)]).await;
    stage.user(7, EMAIL, "farmer").await;
    let cookie = format!("herdbook-token={}", stage.token(EMAIL).await);
    (stage, cookie)
}

/// Whether the answer states to caches that it depends on the page that asks.
fn varies(answer: &Answer) -> bool {
    let fields = answer.headers.get_all("vary").iter();
    let mut names = fields.flat_map(|field| field.to_str().unwrap().split(", "));
    names.any(|name| name == "Origin")
}

#[tokio::test]
async fn without_a_list_any_page_reads_and_is_shown_nothing() {
    let (stage, cookie) = stage("").await;
    let headers = [("cookie", cookie.as_str()), ("origin", "https://any.example")];
    let answer = stage.send("GET", "/api/users/me", &headers).await;
    assert_eq!(answer.json()["user"]["id"], 7);
    assert_eq!(answer.header("access-control-allow-origin"), "");
    assert!(!varies(&answer), "{:?}", answer.headers);
}

/// Without a list, a page of another origin writes nothing by the cookie, at any face.
#[tokio::test]
async fn without_a_list_only_own_pages_write() {
    let stage = Stage::with(&[("server.url", "https://book.example/hub")]).await;
    stage.user(7, EMAIL, "farmer").await;
    let cookie = format!("herdbook-token={}", stage.token(EMAIL).await);
    let mutation = r#"{"query":"mutation { updateUser(id: 7, data: {phone: \"PHONE\"}) { id } }"}"#;
    let write = async |at: usize, headers: &[(&str, &str)]| {
        let mut all = vec![("cookie", cookie.as_str()), ("content-type", "application/json")];
        all.extend(headers);
        let phone = format!("{at}");
        let rest = format!(r#"{{"phone":"r{phone}"}}"#);
        let graphql = mutation.replace("PHONE", &format!("g{phone}"));
        let stored = async || {
            let sql = store::Sql::new("SELECT phone FROM users WHERE id = 7");
            let rows = stage.book.store.rows(sql).await.unwrap();
            rows[0].text(0).unwrap_or_default().to_owned()
        };
        let mut wrote = Vec::new();
        for (method, path, body, expected) in [
            ("PATCH", "/api/users/7", rest, format!("r{phone}")),
            ("POST", "/api/graphql", graphql, format!("g{phone}")),
        ] {
            stage.ask(request(method, path, &all, body.into())).await;
            wrote.push(stored().await == expected);
        }
        let ade = "/ade/v1/batches/locations/herdbook.organization/1/test-day-results";
        let sent = stage.ask(request("POST", ade, &all, "[]".into())).await;
        wrote.push(sent.status != 401);
        assert!(wrote.iter().all(|one| *one == wrote[0]), "{headers:?} {wrote:?} {}", sent.text);
        wrote[0]
    };
    let cases: [(&[(&str, &str)], bool); 9] = table![
        &[("origin", "https://evil.example")], false;
        &[("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")], false;
        &[("sec-fetch-site", "cross-site")], false;
        &[("sec-fetch-site", "same-site")], false;
        &[("origin", "null")], false;
        &[("origin", "http://localhost:1"), ("host", "localhost:2")], false;
        &[("origin", "http://localhost:2"), ("host", "localhost:2")], true;
        &[("origin", "https://book.example"), ("host", "inner:8080")], true;
        &[], true;
    ];
    for (at, (headers, counts)) in cases.iter().enumerate() {
        assert_eq!(write(at, headers).await, *counts, "{headers:?}");
    }
}

#[tokio::test]
async fn the_cookie_is_kept_off_unencrypted_connections_as_the_address_says() {
    for (settings, secure) in table![
        &[][..], false;
        &[("server.url", "http://book.example")][..], false;
        &[("server.url", "https://book.example")][..], true;
        &[("server.url", "https://book.example"), ("security.cookie_secure", "false")][..], false;
        &[("security.cookie_secure", "true")][..], true;
    ] {
        let stage = Stage::with(settings).await;
        stage.user(7, EMAIL, "farmer").await;
        let answer = stage.login(EMAIL, PASSWORD).await;
        let cookie = answer.header("set-cookie");
        assert_eq!(cookie.contains("Secure"), secure, "{settings:?} {cookie}");
        assert!(cookie.ends_with("SameSite=Lax"), "{cookie}");
    }
}

#[tokio::test]
async fn listed_origins_are_echoed_and_others_are_not() {
    let (stage, _) = stage(LISTED).await;
    let answer = stage.send("GET", "/api/users/me", &[("origin", LISTED)]).await;
    assert_eq!(answer.header("access-control-allow-origin"), LISTED);
    assert_eq!(answer.header("access-control-allow-credentials"), "true");
    assert!(varies(&answer), "{:?}", answer.headers);
    let other = stage.send("GET", "/api/users/me", &[("origin", "https://book.example.evil")]).await;
    assert_eq!(other.header("access-control-allow-origin"), "");
    assert!(varies(&other), "{:?}", other.headers);
}

#[tokio::test]
async fn preflights_answer_an_empty_object() {
    let (stage, _) = stage(LISTED).await;
    let headers = [("origin", LISTED), ("access-control-request-method", "PATCH")];
    let answer = stage.send("OPTIONS", "/api/herds/1", &headers).await;
    assert_eq!(answer.parts(), (200, "{}"));
    assert_eq!(answer.header("access-control-allow-origin"), LISTED);
    assert!(answer.header("access-control-allow-methods").contains("PATCH"));
}

/// A page of another origin cannot sign in a user: the answer is the usual one, and sets no cookie.
#[tokio::test]
async fn answers_set_no_cookie_for_foreign_pages() {
    /// Headers of a page, and whether it gets cookies: without a list of origins, and with one.
    type Case = (&'static [(&'static str, &'static str)], [bool; 2]);
    const OWN: &str = "https://book.example";
    let cases: [Case; 9] = table![
        &[], [true, true];
        &[("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")], [false, false];
        &[("origin", "https://evil.example")], [false, false];
        &[("origin", "null")], [false, false];
        &[("sec-fetch-site", "cross-site")], [false, false];
        &[("sec-fetch-site", "same-origin")], [true, true];
        &[("sec-fetch-site", "none")], [true, true];
        &[("origin", OWN)], [true, true];
        &[("origin", "https://listed.example"), ("sec-fetch-site", "cross-site")], [false, true];
    ];
    for (at, list) in ["", "https://listed.example"].into_iter().enumerate() {
        let stage = Stage::with(&[("server.url", OWN), ("trusted_origins", list)]).await;
        stage.user(7, EMAIL, "farmer").await;
        let token = stage.token(EMAIL).await;
        let (jwt, cookie) = (format!("JWT {token}"), format!("herdbook-token={token}"));
        // Forms of own pages are taken, whatever other pages are listed.
        for (origin, taken) in [(OWN, true), ("https://evil.example", false)] {
            let headers = [("cookie", cookie.as_str()), ("content-type", "application/json"), ("origin", origin)];
            let answer = stage.ask(request("PATCH", "/api/users/7", &headers, r#"{"phone":"1"}"#.into())).await;
            assert_eq!(answer.status == 200, taken, "{list} {origin}: {}", answer.text);
        }
        for (headers, sets) in &cases {
            for (call, kind, body) in calls(&stage).await {
                let path = match call {
                    "graphql" => "/api/graphql".to_owned(),
                    call => format!("/api/users/{call}"),
                };
                let mut all = vec![("content-type", kind)];
                if call == "refresh-token" {
                    all.push(("authorization", jwt.as_str()));
                }
                all.extend(*headers);
                let answer = stage.ask(request("POST", &path, &all, body.into())).await;
                assert_eq!(answer.status, 200, "{call} {headers:?}: {}", answer.text);
                let set = answer.headers.contains_key("set-cookie");
                assert_eq!(set, sets[at], "{call} {headers:?} {list}");
                if call != "unlock" {
                    answer.has_in(&"a token", &["eyJ"]);
                }
            }
        }
    }
}

/// Calls that set cookies, with their bodies; tokens of emails can be used for one of them.
async fn calls(stage: &Stage) -> Vec<(&'static str, &'static str, String)> {
    const JSON: &str = "application/json";
    let login = serde_json::json!({"email": EMAIL, "password": PASSWORD}).to_string();
    let form = format!("--X\r\nContent-Disposition: form-data; name=\"_payload\"\r\n\r\n{login}\r\n--X--\r\n");
    let query = format!(r#"mutation {{ loginUser(email: "{EMAIL}", password: "{PASSWORD}") {{ token }} }}"#);
    let keys = &stage.book.keys;
    let (_, verifier) = stage.hidden(7).await;
    let until = crate::rest::stage::NOW / 1000 + 600;
    let link = secure::device::Link::new("users", 7, Some(&verifier), until);
    table![
        "login", JSON, login;
        "login", "multipart/form-data; boundary=X", form;
        "refresh-token", JSON, "{}".to_owned();
        "graphql", JSON, serde_json::json!({"query": query}).to_string();
        "unlock", JSON, serde_json::json!({"token": link.sealed(keys)}).to_string();
    ]
    .into()
}

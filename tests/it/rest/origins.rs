//! Pages of other origins: whether the cookie counts, and what they may read.

use super::stage::{Answer, Stage};

const EMAIL: &str = "farm1@demo.herdbook";
const LISTED: &str = "https://book.example";

async fn stage(list: &str) -> (Stage, String) {
    let stage = Stage::with(&[("trusted_origins", list)]).await;
    stage.user(7, EMAIL, "farmer").await;
    let cookie = format!("herdbook-token={}", stage.token(EMAIL).await);
    (stage, cookie)
}

#[tokio::test]
async fn with_a_list_the_cookie_counts_for_listed_pages_only() {
    let (stage, cookie) = stage(LISTED).await;
    let cases: [(&[(&str, &str)], bool); 7] = [
        (&[("origin", LISTED)], true),
        (&[("origin", "https://evil.example")], false),
        (&[], false),
        (&[("sec-fetch-site", "same-origin")], true),
        (&[("sec-fetch-site", "same-site")], true),
        (&[("sec-fetch-site", "none")], true),
        (&[("sec-fetch-site", "cross-site")], false),
    ];
    for (headers, counts) in cases {
        let with: Vec<_> = [("cookie", cookie.as_str())]
            .iter()
            .chain(headers)
            .copied()
            .collect();
        let answer = stage.send("GET", "/api/users/me", &with).await;
        assert_eq!(!answer.json()["user"].is_null(), counts, "{headers:?}");
    }
    let jwt = cookie.replace("herdbook-token=", "JWT ");
    let header = [
        ("authorization", jwt.as_str()),
        ("origin", "https://evil.example"),
    ];
    let answer = stage.send("GET", "/api/users/me", &header).await;
    assert_eq!(
        answer.json()["user"]["id"],
        7,
        "the header is never subject to it"
    );
}

/// Whether the answer tells caches that it depends on the page that asks.
fn varies(answer: &Answer) -> bool {
    let fields = answer.headers.get_all("vary").iter();
    let mut names = fields.flat_map(|field| field.to_str().unwrap().split(", "));
    names.any(|name| name == "Origin")
}

#[tokio::test]
async fn without_a_list_any_page_passes() {
    let (stage, cookie) = stage("").await;
    let headers = [
        ("cookie", cookie.as_str()),
        ("origin", "https://any.example"),
    ];
    let answer = stage.send("GET", "/api/users/me", &headers).await;
    assert_eq!(answer.json()["user"]["id"], 7);
    assert_eq!(answer.header("access-control-allow-origin"), "");
    assert!(!varies(&answer), "{:?}", answer.headers);
}

#[tokio::test]
async fn listed_origins_are_echoed_and_others_are_not() {
    let (stage, _) = stage(LISTED).await;
    let answer = stage
        .send("GET", "/api/users/me", &[("origin", LISTED)])
        .await;
    assert_eq!(answer.header("access-control-allow-origin"), LISTED);
    assert_eq!(answer.header("access-control-allow-credentials"), "true");
    assert!(varies(&answer), "{:?}", answer.headers);
    let other = stage
        .send(
            "GET",
            "/api/users/me",
            &[("origin", "https://book.example.evil")],
        )
        .await;
    assert_eq!(other.header("access-control-allow-origin"), "");
    assert!(varies(&other), "{:?}", other.headers);
}

#[tokio::test]
async fn preflights_answer_an_empty_object() {
    let (stage, _) = stage(LISTED).await;
    let headers = [
        ("origin", LISTED),
        ("access-control-request-method", "PATCH"),
    ];
    let answer = stage.send("OPTIONS", "/api/herds/1", &headers).await;
    assert_eq!(answer.told(), (200, "{}"));
    assert_eq!(answer.header("access-control-allow-origin"), LISTED);
    assert!(
        answer
            .header("access-control-allow-methods")
            .contains("PATCH")
    );
}

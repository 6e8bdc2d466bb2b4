//! Data sets and their change feeds.

use crate::ade::stage::{FARM, Stage, keys};
use secure::keys::{KeyRing, Purpose};
use serde_json::{Value, json};

const FEED: &str = "/ade/v1/datasets/weights/changes";

/// The token at the end of a feed.
fn token(feed: &Value) -> String {
    let last = feed.as_array().unwrap().last().unwrap();
    assert_eq!(last["id"], "@continuation");
    let token = last["token"].as_str().unwrap();
    assert!(token.len() <= 512);
    token.to_owned()
}

/// How many resources are between context and continuation.
fn resources(feed: &Value) -> usize {
    let all = feed.as_array().unwrap();
    assert_eq!(all.first().unwrap()["id"], "@context");
    all.len() - 2
}

async fn read(s: &Stage, who: &str, path: &str) -> Value {
    let (headers, body) = ask!(s.f, who, "GET {path}" => 200 with headers, "{path}");
    assert!(!headers.contains_key("icar-full-sync"), "{path}");
    body
}

#[test_each(Stage::both())]
async fn bad_tokens_are_told_apart(s: Stage) {
    s.weigh(&[1]).await;
    let good = token(&read(&s, &s.farm, FEED).await);
    let animals = token(&read(&s, &s.farm, "/ade/v1/datasets/animals/changes").await);
    let others = token(&read(&s, &s.other, FEED).await);
    let payload = s.f.book.keys.open(Purpose::Feed, &good).unwrap();
    let cursor = s.f.book.keys.seal(Purpose::Page, &payload);
    let (other, place) = ("AB", good.len() / 2);
    let other = other.replace(&good[place..=place], "");
    let altered = format!("{}{}{}", &good[..place], &other[..1], &good[place + 1..]);
    for (since, kind) in [
        ("", "token-malformed"),
        ("nonsense", "token-malformed"),
        (&good[..place], "token-malformed"),
        (&good[..good.len() - 1], "token-malformed"),
        (&format!("{good}AAAA"), "token-malformed"),
        (&cursor, "token-forged"),
        (&altered, "token-forged"),
        (&animals, "token-foreign"),
        (&others, "token-foreign"),
    ] {
        let body = ask!(s.f, s.farm, "GET {FEED}?since={since}" => 400 ["field-value"], "{since}");
        assert_eq!(body["errors"][0]["type"], kind, "{since}");
        assert_eq!(body["errors"][0]["meta"]["parameter"], "since");
    }
    for bad in "limit=0 pageSize=x limit=-1 since=a&since=b since=%00".split(' ') {
        assert_eq!(s.get(&format!("{FEED}?{bad}")).await.0, 400, "{bad}");
    }
    // Who has no location reads an empty feed, and can go on with its token.
    let nobody = s.f.user(8, "farmer", None, "head").await;
    let empty = read(&s, &nobody, FEED).await;
    assert_eq!(resources(&empty), 0);
    let second = read(&s, &nobody, &format!("{FEED}?since={}", token(&empty))).await;
    assert_eq!(resources(&second), 0);
}

#[tokio::test]
async fn stale_tokens_start_anew() {
    use base64::Engine;
    for s in Stage::both().await {
        s.weigh(&[1, 2]).await;
        let good = token(&read(&s, &s.farm, FEED).await);
        let keys_of = &s.f.book.keys;
        let payload = keys_of.open(Purpose::Feed, &good).unwrap();
        let resealed = |name: &str, value: Value| {
            let mut position: Value = serde_json::from_slice(&payload).unwrap();
            position[name] = value;
            keys_of.seal(Purpose::Feed, position.to_string().as_bytes())
        };
        let deployed =
            base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json!({"p": "{\"v\":2}", "s": "abc"}).to_string());
        // A retired key and one that was never in use look the same.
        let stranger = KeyRing::new("another-secret-9_vT4wY8zB1nC5dF6gH3j", None).unwrap();
        let retired = stranger.seal(Purpose::Feed, &payload);
        for (what, since) in [
            ("generation", resealed("g", 1.into())),
            ("restored", resealed("s", 999_999_999.into())),
            ("restored", resealed("i", 1.into())),
            ("rights", resealed("r", 1.into())),
            ("rights", resealed("c", 7.into())),
            ("profile", resealed("v", 1.into())),
            ("profile", keys_of.seal(Purpose::Feed, b"{}")),
            ("key", retired),
            ("service", deployed),
        ] {
            let (headers, body) = ask!(s.f, s.farm, "GET {FEED}?since={since}" => 200 with headers, "{what}");
            assert_eq!(headers["icar-full-sync"], "true", "{what}");
            assert_eq!(headers["x-icar-ade-full-sync-reason"], what);
            assert_eq!(keys(&body), ["w1", "w2"], "{what}");
            let next = read(&s, &s.farm, &format!("{FEED}?since={}", token(&body))).await;
            assert_eq!(resources(&next), 0);
        }
    }
}

#[test_each(Stage::both())]
async fn a_deleted_record_is_a_tombstone_and_a_row_of_the_log(s: Stage) {
    s.weigh(&[1]).await;
    let before = token(&read(&s, &s.farm, FEED).await);
    let (_, page) = s.get(&format!("{FARM}/weights")).await;
    let id = page["member"][0]["id"].as_str().unwrap().parse().unwrap();
    s.f.delete("weighings", id).await;
    let after = read(&s, &s.farm, &format!("{FEED}?since={before}")).await;
    assert_eq!(keys(&after), ["w1"]);
    assert_eq!(after[1]["meta"]["isDeleted"], true);
    let rows = ask!(s.f, s.farm, "GET /api/ade-tombstones" => 200);
    assert_eq!(rows["docs"][0]["sourceId"], "w1", "{rows}");
}

//! Data sets and their change feeds.

use super::stage::{FARM, Stage, keys, weight};
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

#[tokio::test]
async fn sets_are_listed_and_described() {
    for s in Stage::both().await {
        let list = ask!(s.f, s.farm, "GET /ade/v1/datasets" => 200);
        let list = list.as_array().unwrap();
        for set in list {
            let (status, one) = s.get(set["url"].as_str().unwrap()).await;
            assert_eq!((status, &one), (200, set));
            let feed = read(&s, &s.farm, set["changes"].as_str().unwrap()).await;
            token(&feed);
        }
        let named = |name: &str| list.iter().find(|set| set["name"] == name).unwrap();
        assert_eq!(
            named("weights")["containedTypes"],
            json!(["icarWeightEventResource"])
        );
        let all = named("everything")["containedTypes"].as_array().unwrap();
        assert!(all.contains(&"icarLocationResource".into()));
        assert!(all.contains(&"icarAnimalCoreResource".into()));
    }
}

#[tokio::test]
async fn a_feed_is_read_to_its_end_and_taken_up_again() {
    for s in Stage::both().await {
        s.weigh(&[1, 2, 3]).await;
        let first = read(&s, &s.farm, &format!("{FEED}?pageSize=2")).await;
        assert_eq!(keys(&first), ["w1", "w2"]);
        // A resource that was read changes and is read again; one that was not, once.
        for key in [1, 3] {
            let mut changed = weight(key, 11);
            changed["weight"]["measurement"] = 700.into();
            s.f.post(&format!("{FARM}/weights"), &s.farm, changed).await;
        }
        let second = read(
            &s,
            &s.farm,
            &format!("{FEED}?limit=10&since={}", token(&first)),
        )
        .await;
        assert_eq!(keys(&second), ["w1", "w3"]);
        let drained = read(&s, &s.farm, &format!("{FEED}?since={}", token(&second))).await;
        assert_eq!(resources(&drained), 0);
        let again = read(&s, &s.farm, &format!("{FEED}?since={}", token(&drained))).await;
        assert_eq!(again, drained);
        let mut gone = weight(2, 11);
        gone["meta"]["isDeleted"] = true.into();
        s.f.post(&format!("{FARM}/weights"), &s.farm, gone).await;
        let last = read(&s, &s.farm, &format!("{FEED}?since={}", token(&drained))).await;
        assert_eq!(keys(&last), ["w2"]);
        let tombstone = &last[1];
        holds!(tombstone, {"meta.isDeleted": true, "location.id": "1", "resourceType": "icarWeightEventResource"});
    }
}

#[tokio::test]
async fn a_token_of_an_empty_page_loses_nothing_that_comes_later() {
    for s in Stage::both().await {
        let empty = read(&s, &s.farm, FEED).await;
        assert_eq!(resources(&empty), 0);
        s.weigh(&[1]).await;
        let next = read(&s, &s.farm, &format!("{FEED}?since={}", token(&empty))).await;
        assert_eq!(keys(&next), ["w1"]);
    }
}

#[tokio::test]
async fn farms_read_their_own_and_the_association_reads_all() {
    for s in Stage::both().await {
        s.weigh(&[1]).await;
        let other = "/ade/v1/locations/org.herdbook.orgid/2/weights";
        s.f.post(other, &s.other, weight(2, 21)).await;
        assert_eq!(keys(&read(&s, &s.farm, FEED).await), ["w1"]);
        assert_eq!(keys(&read(&s, &s.other, FEED).await), ["w2"]);
        assert_eq!(keys(&read(&s, &s.expert, FEED).await), ["w1", "w2"]);
        let all = read(&s, &s.farm, "/ade/v1/datasets/everything/changes").await;
        let elements = all.as_array().unwrap();
        let kinds: Vec<&str> = (elements.iter())
            .filter_map(|e| e["resourceType"].as_str())
            .collect();
        for kind in [
            "icarLocationResource",
            "icarAnimalCoreResource",
            "icarWeightEventResource",
        ] {
            assert!(kinds.contains(&kind), "{kinds:?}");
        }
        for resource in &elements[1..elements.len() - 1] {
            assert_eq!(resource["location"]["id"], "1", "{resource}");
            assert!(resource["meta"]["sourceId"].is_string());
        }
        let nobody = s.f.user(8, "farmer", None, "head").await;
        let empty = read(&s, &nobody, FEED).await;
        assert_eq!(resources(&empty), 0);
        let again = read(&s, &nobody, &format!("{FEED}?since={}", token(&empty))).await;
        assert_eq!(resources(&again), 0);
    }
}

#[tokio::test]
async fn bad_tokens_are_told_apart() {
    for s in Stage::both().await {
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
            let body =
                ask!(s.f, s.farm, "GET {FEED}?since={since}" => 400 ["field-value"], "{since}");
            assert_eq!(body["errors"][0]["type"], kind, "{since}");
            assert_eq!(body["errors"][0]["meta"]["parameter"], "since");
        }
        for bad in [
            "limit=0",
            "pageSize=x",
            "limit=-1",
            "since=a&since=b",
            "since=%00",
        ] {
            assert_eq!(s.get(&format!("{FEED}?{bad}")).await.0, 400, "{bad}");
        }
    }
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
        let deployed = base64::engine::general_purpose::URL_SAFE_NO_PAD
            .encode(json!({"p": "{\"v\":2}", "s": "abc"}).to_string());
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
            let (headers, body) =
                ask!(s.f, s.farm, "GET {FEED}?since={since}" => 200 with headers, "{what}");
            assert_eq!(headers["icar-full-sync"], "true", "{what}");
            assert_eq!(headers["x-icar-ade-full-sync-reason"], what);
            assert_eq!(keys(&body), ["w1", "w2"], "{what}");
            let next = read(&s, &s.farm, &format!("{FEED}?since={}", token(&body))).await;
            assert_eq!(resources(&next), 0);
        }
    }
}

#[tokio::test]
async fn what_leaves_a_location_is_withdrawn_there() {
    for s in Stage::both().await {
        s.weigh(&[1]).await;
        let before = token(&read(&s, &s.farm, FEED).await);
        fill!(s.f, "movements", 1,
            {"animal": 11, "from": 1, "to": 2, "kind": "sale", "date": "2026-02-20", "applied": true});
        let after = read(&s, &s.farm, &format!("{FEED}?since={before}")).await;
        assert_eq!(keys(&after), ["w1"], "{after}");
        assert_eq!(after[1]["meta"]["isDeleted"], true);
        let theirs = read(&s, &s.other, FEED).await;
        // The sender's pair is a key at the location that it was sent to only.
        assert_eq!(keys(&theirs), ["weights:1"]);
        assert!(theirs[1]["meta"]["isDeleted"].is_null(), "{theirs}");
        let (_, page) = s.get(&format!("{FARM}/weights")).await;
        assert_eq!(page["view"]["totalItems"], 0);
    }
}

/// Four senders at once, and a reader that never waits: it gets everything, in time order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_beside_writers_misses_nothing() {
    const SENDERS: u32 = 4;
    const EACH: u32 = 12;
    for s in Stage::both().await {
        let s = &s;
        let senders = futures_util::future::join_all((0..SENDERS).map(|sender| async move {
            for at in 0..EACH {
                s.weigh(&[sender * EACH + at]).await;
            }
        }));
        let reader = async {
            let mut seen = std::collections::BTreeSet::new();
            let mut since = String::new();
            // Far more pages than writes: a gap would leave the reader here for ever.
            for _ in 0..20_000 {
                let feed = read(s, &s.farm, &format!("{FEED}?pageSize=3{since}")).await;
                for key in keys(&feed) {
                    assert!(seen.insert(key.clone()), "{key} came twice");
                }
                since = format!("&since={}", token(&feed));
                if seen.len() == (SENDERS * EACH) as usize {
                    return;
                }
                tokio::task::yield_now().await;
            }
            panic!("only {} came", seen.len());
        };
        futures_util::future::join(senders, reader).await;
    }
}

#[tokio::test]
async fn a_deleted_record_is_a_tombstone_and_a_row_of_the_log() {
    for s in Stage::both().await {
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
}

//! The judge of clients: the reference client is found good, and each bad habit is found.

use ade_conformance::awkward::{as_json, as_text, code, options};
use faulty_server::{ASSOCIATION, Conduct, LOCATION_SCHEME, Mode, PASSWORD, Server, judge, session};
use feed_client::{Follower, SignIn};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use std::time::Duration;

/// Of each kind that was found: what is wrong, and the hints.
fn found(server: &Server) -> (Vec<Conduct>, Vec<Conduct>) {
    let all = judge(&server.exchanges());
    let conducts = all.into_iter().map(|one| one.conduct);
    conducts.partition(|one| !one.is_hint())
}

fn wrongs(server: &Server) -> Vec<Conduct> {
    found(server).0
}

#[tokio::test]
async fn the_reference_client_gets_along_with_everything() {
    let mut served = options(&[], false);
    served.disturb.retry_after = 1;
    served.disturb.poll_interval = Some(1);
    // Without an offer to wait.
    served.modes.push(Mode::Sparse);
    let server = Server::start(served).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut following = feed_client::Options::new(server.url(), "weights", dir.path().join("m.db"));
    following.sign_in = SignIn::Password { email: ASSOCIATION.to_owned(), password: PASSWORD.to_owned() };
    following.interval = Duration::ZERO;
    following.patience.first = Duration::from_millis(10);
    let mut follower = Follower::open(following).await.unwrap();
    let mut begun_anew = false;
    let mut ends = 0;
    while ends < 2 {
        let page = follower.next().await.unwrap();
        assert_eq!(page.violations, []);
        begun_anew |= page.anew;
        ends += u32::from(page.current);
        if page.current {
            tokio::time::sleep(page.pause).await;
        }
    }
    assert!(begun_anew);
    let log = server.exchanges();
    assert!(log.iter().any(|one| one.status == 429) && log.iter().any(|one| one.demands.cut));
    let verdicts = judge(&log);
    assert_eq!(wrongs(&server), [], "{}", as_text(&verdicts, log.len()));
    assert_eq!(code(&verdicts, log.len()), 0);
}

/// A simple polling loop, as a developer may write in an afternoon.
struct Poller {
    http: Client,
    server: Server,
}

impl Poller {
    async fn new(disturb: impl FnOnce(&mut faulty_server::Options)) -> Self {
        let mut served = options(&[Mode::TinyPages], true);
        disturb(&mut served);
        Self { http: Client::new(), server: Server::start(served).await.unwrap() }
    }

    async fn ask(&self, path: &str) -> Response {
        let address = match path.starts_with("http") {
            true => path.to_owned(),
            false => format!("{}/ade/v1{path}", self.server.url()),
        };
        let request = self.http.get(address).bearer_auth(session(ASSOCIATION));
        request.send().await.unwrap()
    }

    async fn get(&self, path: &str) -> Value {
        self.ask(path).await.json().await.unwrap_or_default()
    }

    /// The token of a page of changes, and whether it has resources.
    async fn page(&self, set: &str, query: &str) -> (String, bool) {
        let page = self.get(&format!("/datasets/{set}/changes{query}")).await;
        let page = page.as_array().cloned().unwrap_or_default();
        let token = page.last().and_then(|last| last["token"].as_str());
        (token.unwrap_or_default().to_owned(), page.len() > 2)
    }

    async fn changes(&self, set: &str, since: &str) -> (String, bool) {
        self.page(set, &format!("?since={since}")).await
    }
}

fn list() -> String {
    format!("/locations/{LOCATION_SCHEME}/north/remarks")
}

#[tokio::test]
async fn who_reads_all_pages_is_good() {
    let poller = Poller::new(|_| ()).await;
    let mut next = Some(list());
    while let Some(path) = next {
        let page = poller.get(&path).await;
        next = page["view"]["next"].as_str().map(str::to_owned);
    }
    let (mut since, mut more) = poller.page("remarks", "").await;
    while more {
        (since, more) = poller.changes("remarks", &since).await;
    }
    assert_eq!(found(&poller.server), (vec![], vec![]));
}

#[tokio::test]
async fn who_takes_the_first_page_for_the_list_is_found() {
    let poller = Poller::new(|_| ()).await;
    poller.get(&list()).await;
    poller.get("/locations").await;
    poller.get("/datasets").await;
    assert_eq!(wrongs(&poller.server), [Conduct::NextNotFollowed]);
}

#[tokio::test]
async fn who_stops_amid_a_list_or_a_feed_is_found() {
    let poller = Poller::new(|_| ()).await;
    let path = format!("/locations/{LOCATION_SCHEME}/north/weights");
    let page = poller.get(&path).await;
    poller.get(page["view"]["next"].as_str().unwrap()).await;
    poller.get("/datasets").await;
    assert_eq!(wrongs(&poller.server), [Conduct::PageLost]);
    let poller = Poller::new(|_| ()).await;
    poller.get("/datasets/weights/changes").await;
    poller.get("/datasets").await;
    assert_eq!(wrongs(&poller.server), [Conduct::PageLost]);
}

#[tokio::test]
async fn who_makes_do_with_a_broken_page_is_found() {
    let poller = Poller::new(|served| served.disturb.cut_lists = 2).await;
    let page = poller.get(&list()).await;
    let broken = poller.ask(page["view"]["next"].as_str().unwrap()).await;
    assert!(broken.bytes().await.is_err());
    poller.get("/datasets").await;
    assert_eq!(wrongs(&poller.server), [Conduct::PageLost]);
}

#[tokio::test]
async fn who_builds_addresses_is_found() {
    let poller = Poller::new(|_| ()).await;
    for page in 1..=2 {
        poller.get(&format!("{}?page={page}", list())).await;
    }
    let found = wrongs(&poller.server);
    assert!(found.contains(&Conduct::NextBuilt), "{found:?}");
}

#[tokio::test]
async fn who_does_not_wait_is_found() {
    let poller = Poller::new(|served| {
        served.busy_every = Some(2);
        served.disturb.retry_after = 5;
    })
    .await;
    for _ in 0..3 {
        poller.get("/datasets").await;
    }
    assert_eq!(wrongs(&poller.server), [Conduct::RetryAfterIgnored]);
}

#[tokio::test]
async fn who_takes_the_token_out_of_a_broken_page_is_found() {
    let poller = Poller::new(|served| served.disturb.cut_changes = 2).await;
    let (token, _) = poller.page("remarks", "").await;
    let mut broken = poller.ask(&format!("/datasets/remarks/changes?since={token}")).await;
    let mut text = String::new();
    while let Ok(Some(piece)) = broken.chunk().await {
        text.push_str(&String::from_utf8_lossy(&piece));
    }
    assert!(serde_json::from_str::<Value>(&text).is_err());
    let (_, rest) = text.rsplit_once("\"token\":\"").unwrap();
    let (early, _) = rest.split_once('"').unwrap();
    poller.changes("remarks", early).await;
    let found = wrongs(&poller.server);
    assert!(found.contains(&Conduct::TokenTooEarly), "{found:?}");
    assert!(!found.contains(&Conduct::TokenNotGiven), "{found:?}");
}

#[tokio::test]
async fn who_uses_tokens_of_his_own_or_of_another_set_is_found() {
    let poller = Poller::new(|_| ()).await;
    poller.changes("remarks", "2026-01-01").await;
    assert_eq!(wrongs(&poller.server), [Conduct::TokenNotGiven]);
    let poller = Poller::new(|_| ()).await;
    let (token, _) = poller.page("remarks", "?limit=100").await;
    poller.changes("weights", &token).await;
    assert_eq!(wrongs(&poller.server), [Conduct::TokenNotGiven]);
}

#[tokio::test]
async fn who_goes_on_after_a_full_sync_is_found() {
    let poller = Poller::new(|served| served.disturb.full_sync_after = 2).await;
    let (mut token, _) = poller.page("remarks", "").await;
    for _ in 0..3 {
        token = poller.changes("remarks", &token).await.0;
    }
    assert_eq!(wrongs(&poller.server), [Conduct::FullSyncIgnored]);
}

#[tokio::test]
async fn who_asks_too_often_and_without_tags_gets_hints() {
    let poller = Poller::new(|served| served.disturb.poll_interval = Some(30)).await;
    let (token, _) = poller.page("remarks", "?from=now").await;
    poller.changes("remarks", &token).await;
    poller.changes("remarks", &token).await;
    let hints = vec![Conduct::NoCondition, Conduct::PolledTooFast];
    assert_eq!(found(&poller.server), (vec![], hints));
}

#[tokio::test]
async fn who_sends_a_whole_batch_again_gets_a_hint() {
    let poller = Poller::new(|_| ()).await;
    let weight = |id: &str, animal: &str| {
        json!({"meta": {"source": "scale.example", "sourceId": id, "modified": "2026-02-01T00:00:00Z"},
            "animal": {"scheme": "org.example.animal", "id": animal},
            "weight": {"measurement": 500, "units": "KGM"}})
    };
    let batch = json!([weight("1", "N1"), weight("2", "nobody")]);
    let path = format!("/ade/v1/batches/locations/{LOCATION_SCHEME}/north/weights");
    for _ in 0..2 {
        let request = poller.http.post(format!("{}{path}", poller.server.url()));
        let request = request.bearer_auth(session(ASSOCIATION)).json(&batch);
        assert_eq!(request.send().await.unwrap().status().as_u16(), 200);
    }
    let hints = vec![Conduct::BatchResent];
    assert_eq!(found(&poller.server), (vec![], hints));
    let verdicts = judge(&poller.server.exchanges());
    assert_eq!(code(&verdicts, 2), 0);
    let shown = as_json(&verdicts, 2);
    assert_eq!(shown["verdicts"][0]["conduct"], "batch-resent");
    assert_eq!(code(&[], 0), 2);
    for conduct in Conduct::ALL {
        assert!(conduct.words().len() > 30 && !conduct.name().is_empty());
    }
}

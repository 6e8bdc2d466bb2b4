//! Waiting for changes (`wait`): a commit of any process ends it, nothing else does before its time.

use crate::ade::stage::{Stage, weight};
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tower::ServiceExt;

const FEED: &str = "/ade/v1/datasets/weights/changes";
/// Longer than any woken request takes.
const LONG: Duration = Duration::from_secs(20);
/// Long enough for a request that is woken without cause to be answered.
const SHORT: Duration = Duration::from_millis(300);

struct Waiting(JoinHandle<(u16, Value)>);

impl Waiting {
    fn begin(router: axum::Router, path: &str, token: &str) -> Self {
        let request = Request::get(path)
            .header("host", "book.example")
            .header("authorization", format!("JWT {token}"))
            .body(Body::empty())
            .unwrap();
        Self(tokio::spawn(async move {
            let response = router.oneshot(request).await.unwrap();
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            (status, serde_json::from_slice(&body).unwrap())
        }))
    }

    /// Still nothing after a while.
    async fn silent(&mut self) {
        let report = tokio::time::timeout(SHORT, &mut self.0).await;
        assert!(report.is_err(), "{report:?}");
    }

    async fn answer(self) -> (u16, Value) {
        tokio::time::timeout(LONG, self.0).await.unwrap().unwrap()
    }
}

async fn current(s: &Stage, path: &str) -> String {
    let page = ask!(s.f, s.farm, "GET {path}" => 200);
    let end = page.as_array().unwrap().last().unwrap();
    assert_eq!(end["current"], true);
    format!("{path}?wait=60&since={}", end["token"].as_str().unwrap())
}

fn keys(page: &Value) -> Vec<String> {
    crate::ade::stage::keys(page)
}

#[test_each(Stage::both())]
async fn a_commit_of_any_process_ends_the_waiting(s: Stage) {
    let path = current(&s, FEED).await;
    let neighbour = s.f.other_process().await;
    let mut here = Waiting::begin(s.f.router.clone(), &path, &s.farm);
    let mut there = Waiting::begin(neighbour.router.clone(), &path, &s.farm);
    here.silent().await;
    // Changes of another location, or of another data set of this one, end no wait here.
    let other = "/ade/v1/locations/org.herdbook.orgid/2/weights";
    s.f.post(other, &s.other, weight(2, 21)).await;
    s.f.cow(14, 1).await;
    here.silent().await;
    there.silent().await;
    s.weigh(&[1]).await;
    for waiting in [here, there] {
        let (status, page) = waiting.answer().await;
        assert_eq!((status, keys(&page)), (200, vec!["w1".to_owned()]));
    }
    // A change that is there already is answered at once, even after an empty page.
    let page = ask!(s.f, s.farm, "GET {path}" => 200);
    assert_eq!(keys(&page), ["w1".to_owned()], "{page}");
    neighbour.book.store.close().await;
}

#[test_each(Stage::both())]
async fn waiting_ends_with_its_time_and_with_the_server(s: Stage) {
    let path = current(&s, FEED).await;
    let began = Instant::now();
    let (status, page) = s.get(&path.replace("wait=60", "wait=1")).await;
    assert_eq!((status, keys(&page)), (200, Vec::new()));
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(page.as_array().unwrap().last().unwrap()["current"], true);
    let mut waiting = Waiting::begin(s.f.router.clone(), &path, &s.farm);
    waiting.silent().await;
    s.f.hub.closing.send_replace(true);
    let (status, page) = waiting.answer().await;
    assert_eq!((status, keys(&page)), (200, Vec::new()));
    for bad in ["wait=0", "wait=-1", "wait=x"] {
        assert_eq!(s.get(&format!("{FEED}?{bad}")).await.0, 400, "{bad}");
    }
}

/// A right that ends during a wait ends the wait.
#[test_each(Stage::both())]
async fn who_is_blocked_waits_no_longer(s: Stage) {
    let path = current(&s, FEED).await;
    let mut waiting = Waiting::begin(s.f.router.clone(), &path, &s.farm);
    waiting.silent().await;
    update!(s.f, "users", 1, {"blockedAt": "2026-03-01T12:00:00Z"});
    // The state of the account is cached for some seconds at most, by the clock of the book.
    s.f.pass(6);
    s.weigh_as(&s.expert, &[1]).await;
    let (status, body) = waiting.answer().await;
    assert_eq!(status, 401, "{body}");
}

/// In a set of animals, an animal that joins is a change.
#[test_each(Stage::both())]
async fn a_join_ends_the_waiting_for_a_set(s: Stage) {
    s.weigh(&[1]).await;
    let set = json!({"name": "Pen", "place": "herd", "query": "q", "adeSet": true, "members": [12]});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.farm, set).await;
    let id = made["doc"]["id"].as_i64().unwrap();
    let path = current(&s, &format!("/ade/v1/datasets/set-{id}/changes")).await;
    let mut waiting = Waiting::begin(s.f.router.clone(), &path, &s.farm);
    waiting.silent().await;
    update!(s.f, "saved-searches", id, {"members": [11, 12]});
    let (status, page) = waiting.answer().await;
    assert_eq!(status, 200);
    assert!(keys(&page).contains(&"w1".to_owned()), "{page}");
}

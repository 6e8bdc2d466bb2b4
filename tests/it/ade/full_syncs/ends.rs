//! Ends of full syncs in pieces: what others do between them, and whoever stops in between.

use super::course::{EVERYTHING, Sync, counts, first, kind, scale, sources};
use crate::ade::events::rows::event;
use crate::ade::stage::{FARM, Stage, gone, placed, stored, weight};
use cli::jobs::full_sync_ends;
use exchange::{END_JOB, EndOptions, Ending};
use model::error::Error;
use model::registry::Principal;
use ops::jobs::Lease;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::statement_log::written;
use store::{Sql, Ty};

const WEIGHTS: &str = "/ade/v1/datasets/weights";
const PUSH: &str = "/ade/v1/datasets/weights/resources";
const PIECES: [(&str, &str); 2] = [("exchange.chunk", "3"), ("exchange.lease", "30")];

/// Ends a sync, and does not wait for more than the first piece.
async fn accepted(s: &Stage, sync: &Sync<'_>, expect: i64) -> Value {
    let path = format!("{}/end", sync.at);
    let prefer = [("prefer", "respond-async")];
    let response = s.send("POST", &path, &s.farm, &prefer, json!({"expect": expect}));
    let (status, headers, body) = response.await;
    assert_eq!(status, 202, "{body}");
    assert_eq!(headers["location"], sync.at);
    assert_eq!(headers["preference-applied"], "respond-async");
    assert!(headers.contains_key("retry-after"));
    holds!(body, {"state": "ending"});
    assert!(body.get("ended").is_none(), "{body}");
    body
}

/// Weights under so many keys, and a full sync that names none and whose end has begun.
async fn begun(s: &Stage, keys: u32) -> Sync<'_> {
    assert_eq!(s.f.post(PUSH, &s.farm, scale(1..=keys)).await.0, 200);
    let sync = Sync::start(s, WEIGHTS, &s.farm, sources()).await;
    accepted(s, &sync, 0).await;
    sync
}

/// A worker takes the end over for so many milliseconds.
async fn leased(s: &Stage, lease: i64) -> Lease {
    let taken = s.f.book.lease_job(END_JOB, lease).await;
    taken.unwrap().expect("an end that is due")
}

/// The head of the farm.
async fn head(s: &Stage) -> Arc<Principal> {
    Arc::new(s.f.book.account(1).await.unwrap())
}

/// The next step of an end, by who leased it.
async fn step(
    s: &Stage,
    caller: &Arc<Principal>,
    leased: &Lease,
    (chunk, lease): (usize, i64),
) -> Result<Ending, Error> {
    let caller = Arc::clone(caller);
    let options = EndOptions { chunk, lease, dry: false };
    let syncs = s.f.exchange.full_syncs();
    let step = syncs.continue_end(&s.f.book, caller, leased.clone(), None, options);
    step.await
}

async fn work(s: &Stage) {
    while s.f.book.run_job(&full_sync_ends(&s.f.hub)).await.unwrap() {}
}

/// A reader of the feed of weights: what it holds, and its token.
#[derive(Default)]
struct Reader {
    documents: BTreeMap<String, Value>,
    token: Option<String>,
    tombstones: usize,
}

impl Reader {
    /// Reads to the end, in small pages.
    async fn follow(&mut self, s: &Stage) {
        loop {
            let since = self.token.as_ref().map(|t| format!("&since={t}"));
            let since = since.unwrap_or_default();
            let page = ask!(s.f, s.farm, "GET {WEIGHTS}/changes?limit=2{since}" => 200);
            let all = page.as_array().unwrap();
            for one in all {
                let Some(id) = one["meta"]["sourceId"].as_str() else {
                    continue;
                };
                if one["meta"]["isDeleted"] == true {
                    self.documents.remove(id);
                    self.tombstones += 1;
                } else {
                    self.documents.insert(id.to_owned(), one.clone());
                }
            }
            let last = all.last().unwrap();
            self.token = Some(last["token"].as_str().unwrap().to_owned());
            if last["current"] == true {
                return;
            }
        }
    }

    fn keys(&self) -> Vec<String> {
        self.documents.keys().cloned().collect()
    }
}

async fn sorted(s: &Stage) -> Vec<String> {
    let mut all = stored(s).await;
    all.sort();
    all
}

#[test_each(Stage::each_with(&PIECES))]
async fn others_write_between_two_pieces_and_what_they_write_stays(s: Stage) {
    let mut docs = scale(1..=9);
    let all = docs.as_array_mut().unwrap();
    all.push(placed(weight(91, 12), "1"));
    all.push(placed(weight(92, 13), "1"));
    assert_eq!(s.f.post(PUSH, &s.farm, docs).await.0, 200);
    let mut reader = Reader::default();
    reader.follow(&s).await;
    s.f.pass(60);
    let sync = Sync::start(&s, WEIGHTS, &s.farm, sources()).await;
    assert_eq!(sync.push(scale([1, 2])).await.0, 200);
    let body = accepted(&s, &sync, 2).await;
    assert_eq!(counts(&body), [3, 0, 0], "{body}");
    assert_eq!(first(&body, "deleted"), ["w3", "w4", "w5"]);
    assert_eq!(body["unnamed"], 9);
    // A reader sees what is gone so far, as the lists show it.
    reader.follow(&s).await;
    assert_eq!(reader.keys(), sorted(&s).await);
    assert_eq!((reader.documents.len(), reader.tombstones), (8, 3));

    // The same state again, another state, a new resource, and a person's change.
    let path = format!("{FARM}/weights");
    assert_eq!(s.f.post(&path, &s.farm, weight(6, 11)).await.0, 200);
    let mut other = weight(92, 13);
    other["weight"]["measurement"] = 611.into();
    assert_eq!(s.f.post(&path, &s.farm, other).await.0, 200);
    assert_eq!(s.f.post(&path, &s.farm, weight(20, 11)).await.0, 201);
    let (_, page) = s.get(&path).await;
    let members = page["member"].as_array().unwrap();
    let mine = members.iter().find(|m| m["meta"]["sourceId"] == "w91");
    let mine = mine.unwrap()["id"].as_str().unwrap().parse().unwrap();
    s.f.update("weighings", mine, json!({"weight": 666})).await;

    assert_ending(&s, &sync).await;

    s.f.pass(31);
    work(&s).await;
    let ended = sync.look().await;
    assert_eq!(ended["state"], "ended", "{ended}");
    assert!(ended.get("unnamed").is_none(), "{ended}");
    assert_eq!(counts(&ended), [6, 1, 0], "{ended}");
    assert_eq!(first(&ended, "deleted"), ["w3", "w4", "w5", "w7", "w8", "w9"]);
    assert_eq!(first(&ended, "kept"), ["w91"]);
    assert_eq!(sorted(&s).await, ["w1", "w2", "w20", "w6", "w91", "w92"]);
    reader.follow(&s).await;
    assert_eq!(reader.keys(), sorted(&s).await);
    assert_eq!(reader.tombstones, 6);
    assert_eq!(reader.documents["w91"]["weight"]["measurement"], 666);
    assert_eq!(sync.end(2).await, (200, ended));
    // Another one may begin, and deletes what this one spared.
    let sync = Sync::start(&s, WEIGHTS, &s.farm, sources()).await;
    let (status, ended) = sync.end(0).await;
    assert_eq!((status, counts(&ended)), (200, [5, 1, 0]), "{ended}");
}

/// What is ending can be neither pushed to nor given up nor begun anew, and ends once.
async fn assert_ending(s: &Stage, sync: &Sync<'_>) {
    let before = s.tally().await;
    let (status, body) = sync.push(scale([3])).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-ending"), "{body}");
    assert_eq!(sync.give_up().await, 409);
    let second = format!("{EVERYTHING}/full-syncs");
    let (status, _, body) = s.f.post(&second, &s.farm, sources()).await;
    assert_eq!((status, kind(&body)), (409, "full-sync-ending"), "{body}");
    for expect in [2, 17] {
        let (status, body) = sync.end(expect).await;
        assert_eq!((status, counts(&body)), (202, [3, 0, 0]), "{body}");
    }
    assert_eq!(s.tally().await, before);
    holds!(sync.look().await, {"state": "ending", "unnamed": 9});
    assert_eq!(s.f.get(&sync.at, &s.other).await.0, 404);
    let now = s.f.book.clock.now();
    let forgets = s.f.exchange.full_syncs().forget_full_syncs(&s.f.book, now + 1);
    assert!(!forgets.await.unwrap(), "it is not over");
    // Of what has nothing in common with it, another one can begin.
    let apart = json!({"sources": ["third.example"]});
    Sync::start(s, WEIGHTS, &s.farm, apart).await;
}

#[test_each(Stage::each_with(&PIECES))]
async fn who_went_away_is_followed_by_another_process(s: Stage) {
    let head = head(&s).await;
    let sync = begun(&s, 9).await;
    let mut leases = Vec::new();
    for _ in 0..2 {
        leases.push(leased(&s, 30_000).await);
        let other = s.f.other_process().await;
        let work = full_sync_ends(&other.hub);
        assert!(!other.book.run_job(&work).await.unwrap());
        s.f.pass(31);
    }
    let late = step(&s, &head, &leases[0], (3, 30_000)).await;
    assert!(matches!(late, Err(Error::Unavailable(_))));
    assert_eq!(counts(&sync.look().await), [3, 0, 0]);
    let other = s.f.other_process().await;
    // Two at once: one of them has it.
    let work = [full_sync_ends(&other.hub), full_sync_ends(&s.f.hub)];
    let (one, two) = tokio::join!(other.book.run_job(&work[0]), s.f.book.run_job(&work[1]));
    assert_ne!(one.unwrap(), two.unwrap());
    let late = step(&s, &head, &leases[0], (3, 30_000)).await;
    assert!(matches!(late, Ok(Ending::Done(_))));
    let ended = sync.look().await;
    assert_eq!(counts(&ended), [9, 0, 0], "{ended}");
    let (_, buried) = s.get("/api/ade-tombstones?sort=id").await;
    assert_eq!(buried["totalDocs"], 9, "each once: {buried}");
}

#[test_each(Stage::each_with(&PIECES))]
async fn a_piece_that_breaks_anywhere_leaves_no_trace(s: Stage) {
    let head = head(&s).await;
    let sync = begun(&s, 9).await;
    let lease = leased(&s, 30_000).await;
    let state = async || {
        let text = "SELECT stage, due, outcome FROM exchange_full_syncs";
        let rows = s.f.book.store.rows(Sql::new(text)).await.unwrap();
        let row = &rows[0];
        let row = [row.text(0), row.text(2)].map(|t| t.unwrap().to_owned());
        (row, s.tally().await, sorted(&s).await)
    };
    let before = state().await;
    let mut at = 1;
    loop {
        s.f.book.store.failpoint().set(at);
        let done = step(&s, &head, &lease, (3, 30_000)).await;
        let remaining = s.f.book.store.failpoint().remaining();
        s.f.book.store.failpoint().set(0);
        if remaining > 0 {
            assert!(matches!(done, Ok(Ending::GoesOn(..))), "{done:?}");
            break;
        }
        assert!(done.is_err(), "broken at {at}");
        assert_eq!(state().await, before, "broken at {at}");
        at += 1;
    }
    assert!(at > 15, "{at}");
    assert_eq!(counts(&sync.look().await), [6, 0, 0]);
    s.f.pass(31);
    work(&s).await;
    assert_eq!(counts(&sync.look().await), [9, 0, 0]);
}

#[test_each(Stage::each_with(&[("exchange.chunk", "1")]))]
async fn what_may_not_go_stays_with_its_reason_and_the_rest_goes(s: Stage) {
    // A departure can be taken back for 30 days.
    let own = json!({"departureKind": "Sale", "consignment": {}});
    let remaining = event("d1", "icarMovementDepartureEventResource", "2026-02-01", own);
    let path = format!("{FARM}/departures");
    ask!(s.f, s.farm, "POST {path}", remaining => 201);
    assert_eq!(s.f.post(PUSH, &s.farm, json!([placed(weight(1, 12), "1")])).await.0, 200);
    s.f.pass(40 * 86_400);
    let farm = s.f.user(6, "farmer", Some(1), "head").await;
    let (status, _, body) = s.f.post(&path, &farm, gone(&remaining)).await;
    assert!(status >= 400, "{body}");
    let sync = Sync::start(&s, EVERYTHING, &farm, sources()).await;
    let (status, ended) = sync.end(0).await;
    assert_eq!((status, counts(&ended)), (200, [1, 0, 1]), "{ended}");
    assert_eq!(first(&ended, "refused"), ["d1"]);
    assert!(!ended["refused"]["first"][0]["why"][0].is_null(), "{ended}");
    let (_, _, remaining) = s.f.get(&format!("{FARM}/weights"), &farm).await;
    assert_eq!(remaining["view"]["totalItems"], 0, "{remaining}");
}

#[test_each(Stage::each_with(&PIECES))]
async fn a_piece_that_fails_again_and_again_is_given_up_and_the_rest_goes(s: Stage) {
    let head = head(&s).await;
    let sync = begun(&s, 9).await;
    let mut lease = leased(&s, 0).await;
    for _ in 0..5 {
        lease = leased(&s, 0).await;
    }
    let done = step(&s, &head, &lease, (3, 0)).await;
    assert!(matches!(done, Ok(Ending::GoesOn(..))));
    let look = sync.look().await;
    assert_eq!(counts(&look), [3, 0, 3], "{look}");
    assert_eq!(first(&look, "refused"), ["w4", "w5", "w6"]);
    // They are tried once more after the others.
    work(&s).await;
    assert_eq!(counts(&sync.look().await), [9, 0, 0]);
}

#[test_each(Stage::each_with(&PIECES))]
async fn who_may_not_write_any_more_deletes_no_more(s: Stage) {
    let sync = begun(&s, 9).await;
    update!(s.f, "users", 1, {"blockedAt": "2026-03-01T12:00:00Z"});
    work(&s).await;
    let (_, _, ended) = s.f.get(&sync.at, &s.expert).await;
    assert_eq!(ended["state"], "ended", "{ended}");
    assert_eq!(counts(&ended), [3, 0, 6], "{ended}");
    let why = &ended["refused"]["first"][0]["why"][0];
    assert!(why.as_str().unwrap().contains("right"), "{why}");
}

/// Documents that are rendered between two pieces, because of a record that they show, were not changed by others.
#[test_each(Stage::each_with(&PIECES))]
async fn what_the_queue_renders_between_two_pieces_goes_all_the_same(s: Stage) {
    let sync = begun(&s, 9).await;
    let before = highest(&s).await;
    let done = s.f.book.store.write(|tx| {
        Box::pin(async move {
            let number =
                Sql::new("UPDATE animals SET ident_number = ").with(Ty::Text, "276000999888777").and(" WHERE id = 11");
            tx.run(number).await?;
            let id = tx.next_seq();
            let entry = Sql::new("INSERT INTO exchange_queue (id, dataset, relation, target, ")
                .and("after, queued_at) VALUES (")
                .with(Ty::Int, id)
                .and(", 'weights', 'animal', 11, 0, ")
                .with(Ty::Time, model::record::Value::Time(0))
                .and(")");
            tx.run(entry).await
        })
    });
    done.await.unwrap();
    while s.f.exchange.projector().work_off(&s.f.book).await.unwrap() {}
    assert!(highest(&s).await > before + 6, "they were rendered anew");
    work(&s).await;
    let ended = sync.look().await;
    assert_eq!(counts(&ended), [9, 0, 0], "{ended}");
}

async fn highest(s: &Stage) -> i64 {
    let sql = Sql::new(
        "SELECT max(seq) FROM exchange_documents d JOIN exchange_names n ON n.id = d.dataset \
         WHERE n.name = 'weights'",
    );
    s.f.book.store.rows(sql).await.unwrap()[0].int(0).unwrap()
}

/// A piece costs as many statements in a long end as in a short one.
#[test_each(Stage::each_with(&[("exchange.chunk", "10")]))]
async fn a_piece_costs_the_same_whatever_the_size_of_the_sync(s: Stage) {
    let head = head(&s).await;
    let mut costs = Vec::new();
    for count in [30, 30, 200] {
        assert_eq!(s.f.post(PUSH, &s.farm, scale(1..=count)).await.0, 200);
        let sync = Sync::start(&s, WEIGHTS, &s.farm, sources()).await;
        let body = accepted(&s, &sync, 0).await;
        assert_eq!(counts(&body), [10, 0, 0], "{body}");
        let lease = leased(&s, 30_000).await;
        written();
        let done = step(&s, &head, &lease, (10, 30_000)).await;
        assert!(matches!(done, Ok(Ending::GoesOn(..))));
        costs.push(written().len());
        s.f.pass(31);
        work(&s).await;
        assert_eq!(sync.look().await["deleted"]["count"], count);
        s.f.pass(60);
    }
    assert!(costs[1] > 10, "{costs:?}");
    assert_eq!(costs[1], costs[2], "{costs:?}");
}

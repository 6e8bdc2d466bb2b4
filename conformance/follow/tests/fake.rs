//! Following servers of any kind: those that break off, are busy, begin anew or are wrong.

#[cfg(test)]
mod server;

use feed_client::{Applied, Error, Follower, Kind, Level, Options, Patience};
use serde_json::{Value, json};
use server::{Fake, Reply, page, weight};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

fn options(fake: &Fake, dir: &TempDir) -> Options {
    let mut options = Options::new(&fake.url, "all", dir.path().join("mirror.db"));
    options.patience =
        Patience { attempts: Some(3), first: Duration::from_millis(1), longest: Duration::from_millis(2) };
    options.interval = Duration::from_millis(1);
    options
}

#[cfg(test)]
async fn follower(fake: &Fake, dir: &TempDir) -> Follower {
    Follower::open(options(fake, dir)).await.unwrap()
}

/// Names of what is there.
#[cfg(test)]
async fn names(follower: &Follower) -> BTreeSet<String> {
    let mirror = follower.mirror();
    let all = mirror.documents("icarWeightEventResource", None, 1_000);
    all.await.unwrap().into_iter().map(|d| d.source_id).collect()
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

#[tokio::test]
async fn a_page_cut_at_any_byte_is_never_taken_as_whole() {
    let whole = page(&[weight("a", 1), weight("b", 2)], "t1");
    let body = whole.clone();
    let fake = Fake::start(move |request| {
        let (how, at) = request.said().map_or(("", 0), |cut| {
            let (how, at) = cut.split_once(' ').unwrap();
            (if how == "early" { "early" } else { "short" }, at.parse().unwrap())
        });
        match how {
            // The connection ends before the stated length.
            "early" => Reply::ok(body.clone()).cut(at),
            // The stated length is that of the part: as HTTP the answer is whole.
            "short" => Reply::ok(body[..at].to_owned()),
            _ => Reply::ok(body.clone()),
        }
    });
    let fake = fake.await;
    let dir = tempfile::tempdir().unwrap();
    let mut follower = follower(&fake, &dir).await;
    for how in ["early", "short"] {
        for at in 0..whole.len() {
            fake.say(&format!("{how} {at}"));
            let error = follower.attempt().await.unwrap_err();
            assert!(matches!(error, Error::Later { .. }), "{how} {at}: {error:?}");
            let counts = follower.mirror().counts().await.unwrap();
            assert_eq!((counts.pages, counts.documents), (0, 0), "{how} {at}");
        }
    }
    fake.say("");
    let applied = follower.attempt().await.unwrap();
    assert_eq!((applied.resources, applied.stored), (2, 2));
    assert_eq!(names(&follower).await, set(["a", "b"]));
}

/// A server of six pages of two resources.
#[cfg(test)]
async fn long() -> Fake {
    Fake::start(|request| {
        let at: u32 = request.parameter("since").map_or(0, |t| t[1..].parse().unwrap());
        if at >= 6 {
            return Reply::ok(page(&[], &format!("t{at}")));
        }
        let docs = [0, 1].map(|n| weight(&format!("n{}", at * 2 + n), at + 1));
        Reply::ok(page(&docs, &format!("t{}", at + 1)))
    })
    .await
}

#[tokio::test]
async fn whoever_is_stopped_at_any_moment_goes_on_without_loss() {
    let fake = long().await;
    let mut finished = false;
    for moments in (0..).step_by(15) {
        let dir = tempfile::tempdir().unwrap();
        let mut stops = 0;
        // Each follower is dropped after so many turns of the runtime, wherever it is then.
        let last = loop {
            let mut follower = follower(&fake, &dir).await;
            let turns = moments + stops * 20;
            let stopped = tokio::select! {
                biased;
                done = follower.catch_up() => Some(done.unwrap()),
                () = turn(turns) => None,
            };
            if let Some(last) = stopped {
                assert!(last.current);
                finished |= stops == 0;
                break follower;
            }
            stops += 1;
        };
        assert_eq!(names(&last).await.len(), 12);
        let counts = last.mirror().counts().await.unwrap();
        assert_eq!(counts.violations, 0, "{:?}", last.mirror().violations(9).await);
        if finished || moments > 90 {
            break;
        }
    }
}

async fn turn(times: usize) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_busy_server_is_asked_again_and_not_too_often() {
    let requests = std::sync::Arc::new(AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&requests);
    let fake = Fake::start(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::status(503).with("Retry-After", "0"),
        1 => Reply::status(429),
        2 => Reply::ok(page(&[weight("a", 1)], "t1")),
        _ => Reply::status(500),
    });
    let fake = fake.await;
    let dir = tempfile::tempdir().unwrap();
    let mut follower = follower(&fake, &dir).await;
    assert_eq!(follower.next().await.unwrap().resources, 1);
    let error = follower.next().await.unwrap_err();
    assert!(matches!(error, Error::Later { .. }), "{error:?}");
    assert_eq!(requests.load(Ordering::SeqCst), 6, "three attempts a page");
}

#[tokio::test]
async fn a_full_sync_removes_at_its_end_what_it_did_not_mention() {
    let fake = Fake::start(|request| {
        let second = request.said() == Some("second");
        let answer = match (request.parameter("since"), second) {
            (None, false) => page(&[weight("a", 1), weight("b", 1)], "t1"),
            (Some("t1"), false) => page(&[], "t1"),
            // Of another round: the content of the page is not for this client.
            (Some("t1"), true) => {
                return Reply::ok(page(&[weight("x", 1)], "t0")).with("icar-full-sync", "true");
            }
            (None, true) => page(&[weight("a", 1)], "u1"),
            (Some("u1"), true) => page(&[weight("c", 2)], "u2"),
            (Some("u2"), true) => page(&[], "u2"),
            (since, _) => panic!("{since:?}"),
        };
        Reply::ok(answer)
    });
    let fake = fake.await;
    let dir = tempfile::tempdir().unwrap();
    let mut follower = follower(&fake, &dir).await;
    follower.catch_up().await.unwrap();
    assert_eq!(names(&follower).await, set(["a", "b"]));
    fake.say("second");
    let applied = follower.next().await.unwrap();
    assert!(applied.anew && !applied.current);
    // Another follower reads on: the position is in the file.
    let mut follower = self::follower(&fake, &dir).await;
    for _ in 0..2 {
        let page = follower.next().await.unwrap();
        assert!(!page.current && page.removed == 0);
        assert!(names(&follower).await.is_superset(&set(["a", "b"])));
        assert!(!follower.mirror().is_whole().await.unwrap());
    }
    let end = follower.next().await.unwrap();
    assert!(end.current && end.removed == 1, "{end:?}");
    assert_eq!(names(&follower).await, set(["a", "c"]));
    assert!(follower.mirror().is_whole().await.unwrap());
}

#[tokio::test]
async fn beginnings_without_end_are_an_error() {
    let fake = Fake::start(|request| match request.parameter("since") {
        None => Reply::ok(page(&[weight("a", 1)], "t")),
        Some(_) => Reply::ok(page(&[], "t")).with("icar-full-sync", "true"),
    });
    let fake = fake.await;
    let dir = tempfile::tempdir().unwrap();
    let error = follower(&fake, &dir).await.catch_up().await.unwrap_err();
    assert!(error.to_string().contains("begin anew"), "{error}");
}

#[tokio::test]
async fn a_file_mirrors_one_thing() {
    let fake = long().await;
    let dir = tempfile::tempdir().unwrap();
    follower(&fake, &dir).await.catch_up().await.unwrap();
    let refused = async |change: &dyn Fn(&mut Options)| -> String {
        let mut other = options(&fake, &dir);
        change(&mut other);
        let error = Follower::open(other).await.unwrap_err();
        assert!(matches!(error, Error::OtherMirror(_)), "{error:?}");
        error.to_string()
    };
    let text = refused(&|o| "other".clone_into(&mut o.set)).await;
    assert!(text.contains("mirrors the data set all, not other"), "{text}");
    let text = refused(&|o| o.url = format!("{}/ade/v1", fake.url)).await;
    assert!(text.contains("the address"), "{text}");
    refused(&|o| o.types = vec!["icarWeightEventResource".to_owned()]).await;
    refused(&|o| o.location = Some("org.example/2".to_owned())).await;
    refused(&|o| o.level = Level::Herdbook).await;
    let file = dir.path().join("text");
    std::fs::write(&file, "no database, and longer than the head of one: ".repeat(9)).unwrap();
    let before = std::fs::read(&file).unwrap();
    let mut other = options(&fake, &dir);
    other.mirror.clone_from(&file);
    Follower::open(other).await.unwrap_err();
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn what_is_chosen_is_kept() {
    let fake = Fake::start(|request| {
        if request.parameter("since").is_some() {
            return Reply::ok(page(&[], "t1"));
        }
        let mut other = weight("c", 1);
        other["resourceType"] = "icarReproHeatEventResource".into();
        let mut elsewhere = weight("b", 1);
        elsewhere["location"]["id"] = "2".into();
        Reply::ok(page(&[weight("a", 1), elsewhere, other], "t1"))
    });
    let fake = fake.await;
    let dir = tempfile::tempdir().unwrap();
    let mut chosen = options(&fake, &dir);
    chosen.types = vec!["icarWeightEventResource".to_owned()];
    chosen.location = Some("org.example/1".to_owned());
    let mut follower = Follower::open(chosen).await.unwrap();
    let first = follower.next().await.unwrap();
    assert_eq!((first.resources, first.stored), (3, 1));
    let counts = follower.mirror().counts().await.unwrap();
    assert_eq!((counts.documents, counts.resources), (1, 3));
    assert_eq!(names(&follower).await, set(["a"]));
}

#[tokio::test]
async fn violations_are_told_and_kept() {
    let fake = Fake::start(|request| match request.parameter("since") {
        None => Reply::ok(page(&[weight("a", 2)], "t1")),
        Some("t1") => Reply::ok(page(&[weight("a", 1)], "t2")),
        Some(_) => Reply::ok(page(&[], "t2")),
    });
    let fake = fake.await;
    let dir = tempfile::tempdir().unwrap();
    let mut follower = follower(&fake, &dir).await;
    follower.next().await.unwrap();
    let Applied { violations, .. } = follower.next().await.unwrap();
    assert_eq!(violations[0].kind, Kind::WentBack);
    // The last one counts all the same, as the standard has it.
    let mirror = follower.mirror();
    let found = mirror.documents("icarWeightEventResource", None, 9).await.unwrap();
    assert_eq!(found[0].body["version"], 1);
    let stored = mirror.violations(9).await.unwrap();
    assert!(stored[0].starts_with("page 2: went-back: "), "{stored:?}");
}

#[tokio::test]
async fn a_refused_token_is_no_reason_to_forget() {
    let fake = Fake::start(|request| match request.parameter("since") {
        None => Reply::ok(page(&[weight("a", 1)], "t1")),
        Some(_) => {
            let body = json!({"errors": [{"type": "token-malformed"}]});
            Reply::status(400).body(body.to_string())
        }
    });
    let fake = fake.await;
    let dir = tempfile::tempdir().unwrap();
    let mut follower = follower(&fake, &dir).await;
    follower.next().await.unwrap();
    let error = follower.next().await.unwrap_err().to_string();
    assert!(error.contains("token-malformed") && error.contains("begin anew"), "{error}");
    assert_eq!(names(&follower).await, set(["a"]));
    follower.begin_anew().await.unwrap();
    assert_eq!(follower.next().await.unwrap().resources, 1);
}

#[tokio::test]
async fn only_who_offers_to_wait_is_asked_to() {
    for offered in [true, false] {
        let fake = Fake::start(|request| {
            let waits = request.parameter("wait");
            let resources: Vec<Value> = match (request.parameter("since"), waits) {
                (None, None) => vec![weight("a", 1)],
                (Some("t"), None | Some("20")) => Vec::new(),
                other => panic!("{other:?}"),
            };
            Reply::ok(page(&resources, "t")).with("Poll-Interval", "7")
        });
        let fake = fake.await;
        fake.offer(offered.then_some(20));
        let dir = tempfile::tempdir().unwrap();
        let mut follower = follower(&fake, &dir).await;
        let first = follower.next().await.unwrap();
        assert_eq!((first.current, first.pause), (false, Duration::ZERO));
        follower.next().await.unwrap();
        let third = follower.next().await.unwrap();
        assert_eq!(third.pause, Duration::from_secs(7), "it did not wait");
        let waited = fake.calls().iter().filter(|line| line.contains("wait=20")).count();
        assert_eq!(waited, usize::from(offered));
    }
}

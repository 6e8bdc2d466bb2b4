//! A follower that is stopped again and again while others write.

use super::{listed, mirrored, write};
use crate::feed::draw::Draw;
use crate::feed::process::{Caller, Database};
use feed_client::{Follower, Mirror, Options, SignIn};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

fn options(url: &str, caller: &Caller, file: &Path) -> Options {
    let mut options = Options::new(url, "everything", file);
    options.sign_in = SignIn::Token(caller.token.clone());
    options.page = Some(4);
    options.interval = Duration::ZERO;
    options
}

async fn mirrors(place: Database) {
    let server = place.serve();
    let caller = Caller::sign_in(&server).await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mirror.db");
    let writing = async {
        let writers = (0..3).map(|at| write(caller.anew(), server.url.clone(), &place, (at, 12)));
        futures_util::future::join_all(writers).await;
    };
    // Each follower is dropped after some turns of the runtime, wherever it is then.
    let mut stops = 0;
    let following = async {
        let mut draw = Draw::new(11, 0);
        loop {
            let mut follower = Follower::open(options(&server.url, &caller, &file)).await.unwrap();
            let pages = async {
                loop {
                    let page = follower.next().await.unwrap();
                    assert_eq!(page.violations, []);
                }
            };
            let turns = 20 + draw.below(400);
            tokio::select! {
                biased;
                () = pages => {}
                () = turn(turns) => stops += 1,
            }
        }
    };
    tokio::select! {
        biased;
        () = writing => {}
        () = following => {}
    }
    assert!(stops > 3, "it was stopped {stops} times only");
    let mut follower = Follower::open(options(&server.url, &caller, &file)).await.unwrap();
    follower.catch_up().await.unwrap();
    let mirror = follower.mirror().clone();
    let there = listed(&caller, &server.url, &place).await;
    assert!(there.len() > 40, "{} are not enough", there.len());
    assert_eq!(mirrored(&mirror).await, there);
    let counts = mirror.counts().await.unwrap();
    assert!(counts.deleted > 0, "{counts:?}");
    assert_eq!(counts.violations, 0, "{:?}", mirror.violations(9).await);
    begins_anew(&place, &mut follower, &mirror).await;
}

/// Another data generation, in which documents of the second farm are missing without tombstones.
async fn begins_anew(place: &Database, follower: &mut Follower, mirror: &Mirror) {
    let before = mirrored(mirror).await;
    let gone = |name: &(String, String)| name.1.ends_with('2');
    place.another_generation("source_id LIKE '%2'").await;
    let first = follower.next().await.unwrap();
    assert!(first.anew && !first.current);
    // Until the end nothing is missing.
    let names: BTreeSet<_> = before.keys().cloned().collect();
    let now: BTreeSet<_> = mirrored(mirror).await.into_keys().collect();
    assert!(now.is_superset(&names));
    let mut removed = 0;
    loop {
        let page = follower.next().await.unwrap();
        assert_eq!(page.violations, []);
        removed += page.removed;
        if page.current {
            break;
        }
        assert_eq!(page.removed, 0);
    }
    let after = mirrored(mirror).await;
    let remaining = before.iter().filter(|(name, _)| !gone(name));
    let remaining = remaining.map(|(name, doc)| (name.clone(), doc.clone())).collect();
    assert_eq!(after, remaining);
    assert!(after.len() < before.len() && removed > 0);
}

async fn turn(times: usize) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_mirror_equals_what_the_server_lists_on_sqlite() {
    mirrors(Database::sqlite().await).await;
}

#[tokio::test]
async fn a_mirror_equals_what_the_server_lists_on_postgres() {
    if let Some(place) = Database::postgres().await {
        mirrors(place).await;
    }
}

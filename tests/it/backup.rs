//! Backups: taken while the book is served, restored, and marked as another incarnation of the book.

use crate::feed::process::{Caller, Database, Follower};
use crate::feed::stage::{SECRET, number};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs a command; returns its line, or its message if it failed.
async fn herdbook(url: &str, words: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_herdbook"));
    command.args(words).args(["--database-url", url]).env_clear();
    command.env("HERDBOOK_SECURITY_SECRET", SECRET);
    let done = tokio::task::spawn_blocking(move || command.output().unwrap());
    let Output { status, stdout, stderr } = done.await.unwrap();
    if status.success() {
        return Ok(serde_json::from_slice(&stdout).unwrap());
    }
    assert_eq!(String::from_utf8(stdout).unwrap(), "");
    Err(String::from_utf8(stderr).unwrap())
}

fn documents(place: &Database, round: usize) -> Vec<Value> {
    let cow = number(place.herd.cow(0));
    let all = (0..20).map(|key| {
        json!({
            "resourceType": "icarWeightEventResource",
            "meta": {"source": "scale.example", "sourceId": format!("k{}", (round * 7 + key) % 90),
                "modified": "2026-02-01T00:00:00Z", "isDeleted": key % 5 == 4},
            "animal": {"scheme": "org.herdbook.animal", "id": cow},
            "eventDateTime": "2026-02-01T00:00:00Z",
            "weight": {"measurement": 300 + round + key, "units": "KGM"},
        })
    });
    all.collect()
}

/// Documents by place in commit order, the last place, and the incarnation.
async fn held(place: &Database) -> (BTreeMap<i64, String>, i64, String) {
    let look = place.look().await;
    let rows = look.rows("SELECT seq, body FROM exchange_documents").await;
    let all = rows.iter();
    let all = all.map(|row| (row.int(0).unwrap(), row.compressed(1).unwrap()));
    let all = all.collect();
    let seq = look.rows("SELECT seq FROM book_sequence").await[0].int(0);
    let life = "SELECT value FROM exchange_state WHERE name = 'incarnation'";
    let life = look.rows(life).await[0].text(0).unwrap().to_owned();
    look.store.close().await;
    (all, seq.unwrap(), life)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_served_book_is_one_state_of_it_and_can_be_put_back() {
    let place = Database::sqlite().await;
    let server = place.serve();
    let caller = Caller::sign_in(&server).await;
    let farm = place.herd.farms()[0];
    let done = Arc::new(AtomicBool::new(false));
    let writing = async {
        let mut round = 0;
        while !done.load(Ordering::SeqCst) || round < 30 {
            let docs = documents(&place, round);
            let (status, body) = (caller.batch(&server.url, farm, "weights", &docs).await).unwrap();
            assert_eq!(status, 200, "{body}");
            round += 1;
        }
    };
    let files: Vec<String> = (0..3).map(|at| text(&place.dir().join(format!("backup-{at}.db")))).collect();
    let copying = async {
        let mut states = Vec::new();
        for file in &files {
            states.push(herdbook(place.url(), &["backup", file]).await.unwrap());
        }
        done.store(true, Ordering::SeqCst);
        states
    };
    let ((), states) = tokio::join!(writing, copying);
    let (now, newest, life) = held(&place).await;
    let mut lives = vec![life];
    let mut before = 0;
    for (file, states) in files.iter().zip(&states) {
        assert_eq!(states["event"], "backed-up", "{states}");
        assert_eq!(states["bytes"], std::fs::metadata(file).unwrap().len());
        let other = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", text(&other.path().join("book.db")));
        let restored = herdbook(&url, &["restore", file]).await.unwrap();
        assert_eq!(restored["seq"], states["seq"]);
        let copy = place.moved(url);
        let (then, seq, life) = held(&copy).await;
        assert_eq!(states["seq"], seq);
        assert!(seq >= before && seq <= newest, "{before} {seq} {newest}");
        before = seq;
        // All documents that were committed by then and not replaced later, and nothing else.
        let remaining = now.range(..=seq);
        for (place, body) in remaining {
            assert_eq!(then.get(place), Some(body), "{place}");
        }
        assert!(then.keys().all(|place| *place <= seq));
        assert_eq!(restored["incarnation"], life.as_str());
        assert!(!lives.contains(&life), "another life");
        lives.push(life);
        // It is served, and its feed is sound.
        let second = copy.serve();
        let mut follower = Follower::new(Caller::sign_in(&second).await);
        assert!(follower.catch_up(&second.url, 13).await);
        assert!(!follower.state.is_empty());
    }
    assert!(before > 0);
    let remaining = std::fs::read_dir(place.dir()).unwrap();
    let partial = remaining
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("partial"));
    assert_eq!(partial.count(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_overwritten_unasked_and_nothing_that_is_open() {
    let place = Database::sqlite().await;
    let file = text(&place.dir().join("backup.db"));
    herdbook(place.url(), &["backup", &file]).await.unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let why = herdbook(place.url(), &["backup", &file]).await.unwrap_err();
    assert!(why.contains("is there already"), "{why}");
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    let why = herdbook(place.url(), &["restore", &file]).await.unwrap_err();
    assert!(why.contains("is there already"), "{why}");
    let (_, _, first) = held(&place).await;
    let mut server = place.serve();
    let force = ["restore", file.as_str(), "--force"];
    let why = herdbook(place.url(), &force).await.unwrap_err();
    assert!(why.contains("stop the server"), "{why}");
    let caller = Caller::sign_in(&server).await;
    let farm = place.herd.farms()[0];
    let docs = documents(&place, 1);
    let (status, _) = (caller.batch(&server.url, farm, "weights", &docs).await).unwrap();
    assert_eq!(status, 200, "it is served as before");
    // Killed, so that its log stays: the changes in it must not come back.
    server.kill();
    let restored = herdbook(place.url(), &force).await.unwrap();
    let (then, _, life) = held(&place).await;
    assert_ne!(life, first);
    assert_eq!(restored["incarnation"], life.as_str());
    assert!(!then.values().any(|body| body.contains("scale.example")));
    // A file that is not a book is refused, and changes nothing.
    let bad = text(&place.dir().join("bad.db"));
    for content in [b"no book at all".as_slice(), &bytes[..bytes.len() / 2]] {
        std::fs::write(&bad, content).unwrap();
        let why = herdbook(place.url(), &["restore", &bad, "--force"]).await.unwrap_err();
        assert!(why.contains("bad.db"), "{why}");
    }
    let none = text(&place.dir().join("none.db"));
    assert!(herdbook(place.url(), &["restore", &none, "--force"]).await.is_err());
    assert_eq!(held(&place).await.2, life);
    let marked = herdbook(place.url(), &["mark-restored"]).await.unwrap();
    assert_eq!(marked["event"], "marked-restored");
    assert_ne!(marked["incarnation"], life.as_str());
    assert_eq!(marked["incarnation"], held(&place).await.2.as_str());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_is_left_to_its_own_tools() {
    let Some(place) = Database::postgres().await else {
        return;
    };
    let (_, _, first) = held(&place).await;
    for words in [["backup", "x.db"], ["restore", "x.db"]] {
        let why = herdbook(place.url(), &words).await.unwrap_err();
        assert!(why.contains("docs/backup.md"), "{why}");
    }
    let marked = herdbook(place.url(), &["mark-restored"]).await.unwrap();
    let (_, _, life) = held(&place).await;
    assert_eq!(marked["incarnation"], life.as_str());
    assert_ne!(life, first);
}

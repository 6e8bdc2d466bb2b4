//! Files that a process leaves behind when it is stopped between writing the disk and the book.

use super::form::{file_count, files, png, taken};
use crate::rest::world::World;
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// As if it was written so many minutes ago.
fn aged(path: &Path, minutes: u64) {
    #[expect(clippy::disallowed_methods, reason = "files carry the system's time")]
    let then = SystemTime::now() - Duration::from_secs(60 * minutes);
    let file = File::options().write(true).open(path).unwrap();
    file.set_times(FileTimes::new().set_modified(then)).unwrap();
}

/// The book's own part of the folder.
fn part(w: &World<'_>) -> PathBuf {
    let mut parts = std::fs::read_dir(w.stage.media()).unwrap();
    parts.next().unwrap().unwrap().path()
}

#[test_with(World::each)]
async fn orphans_are_swept_and_rows_keep_their_content(w: &World<'_>) {
    taken(w, "alpha", "cow.png", "image/png", &png(400, 400)).await;
    files(&w.stage.media()).iter().for_each(|file| aged(file, 600));
    let own = files(&w.stage.media());
    let part = part(w);
    let key = "0123456789abcdef0123456789abcdef";
    let shelf = part.join("01");
    std::fs::create_dir_all(&shelf).unwrap();
    let make = |path: PathBuf, minutes| {
        std::fs::write(&path, b"left behind").unwrap();
        aged(&path, minutes);
        path
    };
    // Of a process that was stopped long ago: placed without a row, or still arriving.
    make(shelf.join(key), 600);
    make(shelf.join(format!("{key}-thumbnail")), 600);
    make(part.join("arriving/old.part"), 600);
    // Of one that may be at work now; and files that do not belong to the book.
    let placed = make(shelf.join("1123456789abcdef0123456789abcdef"), 30);
    let younger = make(shelf.join("2123456789abcdef0123456789abcdef-card"), 30);
    let of_it = make(shelf.join("2123456789abcdef0123456789abcdef"), 600);
    let arriving = make(part.join("arriving/new.part"), 30);
    let foreign = make(shelf.join("notes.txt"), 600);
    let elsewhere = w.stage.media().join("another-book");
    std::fs::create_dir_all(elsewhere.join("01")).unwrap();
    let other = make(elsewhere.join("01").join(key), 600);

    assert_eq!(w.stage.book.sweep_files().await.unwrap(), 2);
    let mut remaining = own.clone();
    remaining.extend([placed, younger, of_it, arriving, foreign, other]);
    remaining.sort();
    assert_eq!(files(&w.stage.media()), remaining);
    assert_eq!(w.stage.book.sweep_files().await.unwrap(), 0);
    ask!(w, "alpha", "GET /api/media/file/cow.png" => 200);
}

#[test_with(World::each)]
async fn rows_that_were_deleted_elsewhere_lose_their_content_at_the_next_sweep(w: &World<'_>) {
    taken(w, "alpha", "cow.png", "image/png", &png(400, 400)).await;
    files(&w.stage.media()).iter().for_each(|file| aged(file, 600));
    // As by a process that was stopped right after its commit.
    w.stage.run(store::Sql::new("DELETE FROM media")).await;
    assert_eq!(file_count(w), 2);
    assert_eq!(w.stage.book.sweep_files().await.unwrap(), 1);
    assert_eq!(file_count(w), 0);
}

#[tokio::test]
async fn a_sender_who_goes_away_leaves_nothing() {
    use axum::body::Body;
    use futures_util::StreamExt;
    World::each(async |w| {
        let begun = super::form::Form::new().file("cow.png", "image/png", &png(400, 400)).0;
        let half = begun[..begun.len() / 2].to_vec();
        let stream = futures_util::stream::iter([Ok::<_, std::io::Error>(half)]).chain(futures_util::stream::pending());
        let kind = format!("multipart/form-data; boundary={}", super::form::BOUNDARY);
        let headers = [("content-type", kind.as_str())];
        let response = w.send("alpha", "POST", "/api/media", &headers, Body::from_stream(stream));
        let gone = tokio::time::timeout(Duration::from_millis(300), response).await;
        assert!(gone.is_err(), "half a body is not answered");
        assert_eq!(file_count(w), 0);
        assert_eq!(w.list("media", "").await.len(), 0);
    })
    .await;
}

//! Jobs: whose turn it is, and who may still write.

use super::statements::books_at;
use crate::Book;
use crate::jobs::{Lease, queue};
use model::clock::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use store::Sql;

const KIND: &str = "test";
/// A lease, milliseconds.
const TIME: i64 = 1_000;

async fn queued(book: &Book, key: i64) {
    let write = (book.store).write(move |tx| Box::pin(async move { queue(tx, KIND, vec![key.to_string()], 0).await }));
    write.await.unwrap();
}

async fn leased(book: &Book) -> Lease {
    book.lease_job(KIND, TIME).await.unwrap().expect("a job")
}

async fn renewed(book: &Book, lease: &Lease) -> bool {
    let lease = lease.clone();
    (book.store).write(move |tx| Box::pin(async move { lease.renew(tx).await })).await.unwrap()
}

async fn commits(book: &Book) -> i64 {
    book.store.rows(Sql::new("SELECT commits FROM book_sequence")).await.unwrap()[0].int(0).unwrap()
}

#[tokio::test]
async fn a_job_that_is_tried_again_stands_behind_those_that_came_meanwhile() {
    let time = Arc::new(AtomicI64::new(1_767_225_600_000));
    for (book, _dir) in books_at(&Clock::fixed(Arc::clone(&time))).await {
        queued(&book, 1).await;
        queued(&book, 2).await;
        let first = leased(&book).await;
        assert_eq!(first.id(), 1);
        book.put_off_job(first, time.load(Ordering::SeqCst) + 500).await.unwrap();
        time.fetch_add(400, Ordering::SeqCst);
        queued(&book, 10).await;
        time.fetch_add(200, Ordering::SeqCst);
        queued(&book, 3).await;
        let mut turns = Vec::new();
        while let Some(lease) = book.lease_job(KIND, TIME).await.unwrap() {
            turns.push(lease.id());
            book.finish_job(lease).await.unwrap();
        }
        assert_eq!(turns, [2, 10, 1, 3]);
    }
}

#[tokio::test]
async fn a_lease_is_written_now_and_then_and_who_lost_it_changes_nothing() {
    let time = Arc::new(AtomicI64::new(1_767_225_600_000));
    for (book, _dir) in books_at(&Clock::fixed(Arc::clone(&time))).await {
        queued(&book, 1).await;
        let lost = leased(&book).await;
        assert!(book.lease_job(KIND, TIME).await.unwrap().is_none());
        let before = commits(&book).await;
        assert!(renewed(&book, &lost).await);
        assert_eq!(commits(&book).await, before, "it has all of its time");
        time.fetch_add(TIME / 4, Ordering::SeqCst);
        assert!(renewed(&book, &lost).await);
        assert!(commits(&book).await > before);
        // Its time begins anew.
        time.fetch_add(TIME - 1, Ordering::SeqCst);
        assert!(book.lease_job(KIND, TIME).await.unwrap().is_none());
        time.fetch_add(1, Ordering::SeqCst);
        let other = leased(&book).await;
        assert_eq!(other.attempts(), 1);
        assert!(!renewed(&book, &lost).await);
        book.finish_job(lost).await.unwrap();
        assert!(renewed(&book, &other).await, "the other still has it");
        // Asked for anew, it belongs to nobody.
        queued(&book, 1).await;
        assert!(!renewed(&book, &other).await);
        assert_eq!(leased(&book).await.attempts(), 0);
    }
}

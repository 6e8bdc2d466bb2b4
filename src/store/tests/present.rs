//! What a request sees of what is committed meanwhile.

use super::{Sql, TestBook, another, write};
use crate::ReadSet;
use crate::versions::one_request;
use std::time::Duration;
use tokio::time::Instant;

#[test_each(TestBook::each())]
async fn a_request_sees_what_was_committed_before_it_and_what_it_commits(book: TestBook) {
    let other = another(&book.url, &book.clock).await;
    let now = async || book.store.snapshot().await.unwrap();
    let before = now().await;
    write(&other, "a").await.unwrap();
    // Who is no request asks each time.
    let between = now().await;
    assert_ne!(between, before);
    write(&other, "b").await.unwrap();
    // Another process is no part of the request.
    let elsewhere = |name| {
        let other = other.clone();
        tokio::spawn(async move { write(&other, name).await })
    };
    let request = async {
        let first = now().await;
        assert_ne!(first, between);
        elsewhere("c").await.unwrap().unwrap();
        assert_eq!(now().await, first, "read once");
        write(&book.store, "d").await.unwrap();
        let second = now().await;
        assert_ne!(second, first);
        // In a task of its own.
        let store = book.store.clone();
        let written = tokio::spawn(async move { write(&store, "f").await });
        written.await.unwrap().unwrap();
        let own = now().await;
        assert_ne!(own, second);
        elsewhere("e").await.unwrap().unwrap();
        let read = ReadSet::of(&Sql::new("SELECT name FROM book_settings"));
        let until = Instant::now() + Duration::from_secs(20);
        assert!(book.store.wait_for_change(own, &read, until).await.unwrap());
        assert_ne!(now().await, own);
    };
    one_request(request).await;
    other.close().await;
    book.store.close().await;
}

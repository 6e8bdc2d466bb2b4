//! Statements that wait until others need what they write.

use super::{TestBook, note};
use crate::{Sql, Ty};
use model::error::{Error, Result};
use tokio::sync::oneshot;

fn value(text: &str) -> Sql {
    Sql::new("UPDATE book_settings SET value = ").with(Ty::Text, text)
}

async fn values(book: &TestBook) -> Vec<String> {
    let rows = book.store.rows(Sql::new("SELECT value FROM book_settings ORDER BY name")).await.unwrap();
    rows.iter().map(|r| r.text(0).unwrap().to_owned()).collect()
}

#[test_each(TestBook::each())]
async fn what_waits_is_written_at_the_end(book: TestBook) {
    let job = book.store.write(|tx| {
        Box::pin(async move {
            tx.send(note("a")).await?;
            tx.postpone(value("later"));
            Ok(tx.changes())
        })
    });
    assert_eq!(job.await.unwrap(), 2, "it counts before it is sent");
    assert_eq!(values(&book).await, ["later"]);
}

#[test_each(TestBook::each())]
async fn what_waits_comes_before_statements_that_concern_its_table(book: TestBook) {
    let job = book.store.write(|tx| {
        Box::pin(async move {
            tx.run(note("a")).await?;
            tx.postpone(value("first"));
            let reads = Sql::new("SELECT value FROM book_settings WHERE name = 'a'");
            let read = tx.rows(reads).await?;
            assert_eq!(read[0].text(0), Some("first"));
            tx.postpone(value("second"));
            tx.send(value("third")).await?;
            tx.postpone(value("fourth"));
            tx.run(value("fifth")).await.map(drop)
        })
    });
    job.await.unwrap();
    assert_eq!(values(&book).await, ["fifth"]);
}

#[test_each(TestBook::each())]
async fn what_waits_outlives_the_release_of_a_savepoint_and_not_the_way_back(book: TestBook) {
    let job = book.store.write(|tx| {
        Box::pin(async move {
            tx.run(note("a")).await?;
            tx.postpone(value("outer"));
            let outer = tx.savepoint(1).await?;
            let inner = tx.savepoint(2).await?;
            tx.postpone(value("inner"));
            tx.release(&inner).await?;
            tx.roll_back(outer).await?;
            let outer = tx.savepoint(1).await?;
            tx.postpone(note("b"));
            tx.release(&outer).await?;
            let undone = tx.savepoint(1).await?;
            tx.postpone(value("undone"));
            tx.roll_back(undone).await
        })
    });
    job.await.unwrap();
    assert_eq!(values(&book).await, ["outer", "x"]);
    assert_eq!(book.names().await, ["a", "b"]);
}

/// The last of them gives up, and leaves nothing to those who share its transaction.
#[test_each(TestBook::each())]
async fn what_waits_belongs_to_its_job(book: TestBook) {
    let (tell, begun) = oneshot::channel();
    let (go, gone) = oneshot::channel::<()>();
    let holds = book.store.write(|tx| {
        Box::pin(async move {
            tx.run(note("a")).await?;
            tell.send(()).unwrap();
            gone.await.map_err(Error::internal)
        })
    });
    let writes = book.store.write(|tx| {
        Box::pin(async move {
            tx.postpone(note("b"));
            Ok(())
        })
    });
    let fails = book.store.write(|tx| {
        Box::pin(async move {
            tx.postpone(note("c"));
            tx.postpone(note("c"));
            Ok(())
        })
    });
    let refuses = book.store.write(|tx| {
        Box::pin(async move {
            tx.postpone(note("d"));
            let refused: Result<()> = Err(Error::NotFound);
            refused
        })
    });
    let release = async {
        begun.await.unwrap();
        go.send(()).unwrap();
    };
    let (held, written, failed, refused, ()) = tokio::join!(holds, writes, fails, refuses, release);
    held.unwrap();
    written.unwrap();
    assert!(failed.is_err());
    assert!(matches!(refused, Err(Error::NotFound)), "{refused:?}");
    assert_eq!(book.names().await, ["a", "b"]);
}

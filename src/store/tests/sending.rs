//! Statements that run while the job goes on.

use super::{TestBook, note};
use crate::Sql;
use model::error::{Error, Result};
use tokio::sync::oneshot;

#[test_each(TestBook::each())]
async fn what_was_sent_is_written_and_counted(book: TestBook) {
    let job = book.store.write(|tx| {
        Box::pin(async move {
            for name in ["a", "b", "c"] {
                tx.send(note(name)).await?;
            }
            // They count before their outcome is known.
            let sent = tx.changes();
            tx.finish_sends().await?;
            Ok([sent, tx.changes()])
        })
    });
    assert_eq!(job.await.unwrap(), [3, 3]);
    assert_eq!(book.names().await, ["a", "b", "c"]);
}

#[test_each(TestBook::each())]
async fn what_is_sent_last_is_written_too(book: TestBook) {
    let job = book.store.write(|tx| Box::pin(async move { tx.send(note("a")).await }));
    job.await.unwrap();
    assert_eq!(book.names().await, ["a"]);
}

/// The job says nothing of its error: the end of it does.
#[test_each(TestBook::each())]
async fn a_sent_statement_that_fails_takes_its_job_along_and_no_other(book: TestBook) {
    let write = |names: [&'static str; 2]| {
        book.store.write(move |tx| {
            Box::pin(async move {
                for name in names {
                    tx.send(note(name)).await?;
                }
                Ok(())
            })
        })
    };
    let (before, failed, after) = tokio::join!(write(["a", "b"]), write(["c", "c"]), write(["d", "e"]));
    before.unwrap();
    assert!(failed.is_err());
    after.unwrap();
    assert_eq!(book.names().await, ["a", "b", "d", "e"]);
}

#[test_each(TestBook::each())]
async fn the_next_statement_tells_the_error_of_the_one_that_was_sent(book: TestBook) {
    let job = book.store.write(|tx| {
        Box::pin(async move {
            tx.send(note("a")).await?;
            tx.send(note("a")).await?;
            let result = tx.run(note("b")).await;
            assert!(result.is_err());
            result.map(drop)
        })
    });
    assert!(job.await.is_err());
    assert!(book.names().await.is_empty());
}

/// Its error is undone with it, even if it comes only then.
#[test_each(TestBook::each())]
async fn going_back_undoes_what_was_sent_with_its_error(book: TestBook) {
    let job = book.store.write(|tx| {
        Box::pin(async move {
            tx.send(note("a")).await?;
            let mark = tx.savepoint(1).await?;
            let before = tx.changes();
            tx.send(note("b")).await?;
            tx.send(note("a")).await?;
            tx.roll_back(mark).await?;
            assert_eq!(tx.changes(), before);
            tx.run(note("c")).await.map(drop)
        })
    });
    job.await.unwrap();
    assert_eq!(book.names().await, ["a", "c"]);
}

/// A job that refuses itself while a statement fails leaves the others of its transaction as they
/// are.
#[test_each(TestBook::each())]
async fn a_job_that_gives_up_waits_for_what_it_sent(book: TestBook) {
    let (tell, begun) = oneshot::channel();
    let (go, gone) = oneshot::channel::<()>();
    let holds = book.store.write(|_| {
        Box::pin(async move {
            tell.send(()).unwrap();
            gone.await.map_err(Error::internal)
        })
    });
    let other = book.store.write(|tx| Box::pin(async move { tx.run(note("b")).await.map(drop) }));
    let refuses = book.store.write(|tx| {
        Box::pin(async move {
            tx.send(note("a")).await?;
            tx.send(note("a")).await?;
            let refused: Result<()> = Err(Error::NotFound);
            refused
        })
    });
    // The two come while the first one runs, and so into its transaction.
    let release = async {
        begun.await.unwrap();
        go.send(()).unwrap();
    };
    let (held, other, refused, ()) = tokio::join!(holds, other, refuses, release);
    held.unwrap();
    other.unwrap();
    assert!(matches!(refused, Err(Error::NotFound)), "{refused:?}");
    assert_eq!(book.names().await, ["b"]);
}

/// More than may wait, with reads among them.
#[test_each(TestBook::each())]
async fn a_read_sees_what_was_sent_before_it(book: TestBook) {
    let job = book.store.write(|tx| {
        Box::pin(async move {
            let mut sent = 0;
            for round in 0..72 {
                for _ in 0..(round % 24) {
                    tx.send(note(&format!("{sent:03}"))).await?;
                    sent += 1;
                }
                if round % 24 == 23 {
                    let count = Sql::new("SELECT count(*) FROM book_settings");
                    assert_eq!(tx.rows(count).await?[0].int(0), Some(sent));
                }
                // Nothing that is sent concerns this one.
                let other = Sql::new("SELECT count(*) FROM mail_outbox");
                assert_eq!(tx.rows(other).await?[0].int(0), Some(0));
            }
            Ok(sent)
        })
    });
    assert_eq!(job.await.unwrap(), 828);
    assert_eq!(book.names().await.len(), 828);
}

/// Whether the read comes before the statement that fails or behind it.
#[test_each(TestBook::each())]
async fn a_read_beside_a_statement_that_fails_saves_nothing_of_it(book: TestBook) {
    let job = book.store.write(|tx| {
        Box::pin(async move {
            for name in ["a", "b", "a", "c"] {
                tx.send(note(name)).await?;
            }
            let read = |table: &str| Sql::new(&format!("SELECT count(*) FROM {table}"));
            let _either = tx.rows(read("mail_outbox")).await;
            let concerned = tx.rows(read("book_settings")).await;
            assert!(concerned.is_err());
            concerned.map(drop)
        })
    });
    assert!(job.await.is_err());
    assert!(book.names().await.is_empty());
}

//! What a full disk, or a database that may only be read, means to those who write.

use super::{TestBook, note, write};
use crate::{DAMAGED, Dialect, Sql, Store};
use model::error::{Error, Result};

const LONG: std::time::Duration = std::time::Duration::from_secs(60);

/// A write that the database refuses as it would refuse all.
async fn refused(store: &Store) -> Result<()> {
    let dialect = store.dialect();
    let job = store.write(move |tx| {
        Box::pin(async move {
            match dialect {
                // No more pages than there are.
                Dialect::Sqlite => {
                    tx.rows(Sql::new("PRAGMA max_page_count = 1")).await?;
                    for _ in 0..3 {
                        let name = "hex(randomblob(1000000))";
                        let text = format!("INSERT INTO book_settings (name, value) VALUES ({name}, 'x')");
                        tx.run(Sql::new(&text)).await?;
                    }
                }
                Dialect::Postgres => {
                    tx.run(Sql::new("SET LOCAL transaction_read_only = on")).await?;
                    tx.run(note("read only")).await?;
                }
            }
            Ok(())
        })
    });
    job.await
}

#[tokio::test]
async fn damage_is_noticed_when_it_is_read_and_stays_known() {
    let books = TestBook::each().await;
    let book = &books[0];
    let filled = book.store.write(|tx| {
        Box::pin(async move {
            for _ in 0..100 {
                tx.run(Sql::new("INSERT INTO book_settings (name, value) VALUES (hex(randomblob(2000)), 'x')")).await?;
            }
            Ok(())
        })
    });
    filled.await.unwrap();
    book.store.check_integrity(LONG).await.unwrap();
    assert_eq!(book.store.unwritable(), None);
    book.store.close().await;
    // The last pages are those that were written last.
    let file = book.url.strip_prefix("sqlite:").unwrap();
    let mut bytes = std::fs::read(file).unwrap();
    let end = bytes.len();
    bytes[end - 40 * 4096..].fill(0xa5);
    std::fs::write(file, bytes).unwrap();
    for reads in [true, false] {
        let store = super::another(&book.url, &book.clock).await;
        let result = match reads {
            true => store.rows(Sql::new("SELECT name, value FROM book_settings")).await.map(drop),
            false => store.check_integrity(LONG).await,
        };
        match result {
            Err(Error::Unavailable(text)) => assert!(text.contains(DAMAGED), "{text}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(store.unwritable(), Some(DAMAGED));
        store.close().await;
    }
}

#[test_each(TestBook::each())]
async fn a_book_that_cannot_be_written_gives_the_reason_and_remembers_it(book: TestBook) {
    let store = &book.store;
    write(store, "before").await.unwrap();
    assert_eq!(store.unwritable(), None);
    let why = match store.dialect() {
        Dialect::Sqlite => "the disk of the database is full",
        Dialect::Postgres => "the database can only be read",
    };
    match refused(store).await {
        Err(Error::Unavailable(text)) => assert!(text.contains(why), "{text}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(store.unwritable(), Some(why));
    assert_eq!(book.names().await, ["before"]);
}

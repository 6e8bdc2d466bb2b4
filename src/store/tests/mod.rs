//! Shared commits: what jobs of one transaction may do to each other (nothing), and what
//! becomes of locks and ends. On SQLite, and on PostgreSQL where there is a server.

mod keyed;
mod late;
mod later;
mod present;
mod resting;
mod sending;
mod stopping;
mod terms;
mod unwritable;

use super::{Dialect, Durability, Serial, Sql, Store, Ty, packed, unpack};
use model::clock::Clock;
use model::error::{Error, Result};
use model::record::Value;
use model::registry::Series;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use test_support::postgres::cluster;
use tokio::sync::{Barrier, oneshot};

/// Short, where a test waits for a lock in vain.
const SHORT: Duration = Duration::from_millis(200);

struct TestBook {
    url: String,
    store: Store,
    clock: Arc<AtomicI64>,
    _dir: TempDir,
}

impl TestBook {
    async fn each() -> Vec<Self> {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("book.db").display());
        let mut all = vec![Self::open(dir, url).await];
        if let Some(cluster) = cluster() {
            let url = cluster.fresh_database().await;
            all.push(Self::open(tempfile::tempdir().unwrap(), url).await);
        }
        all
    }

    async fn open(dir: TempDir, url: String) -> Self {
        let clock = Arc::new(AtomicI64::new(1_000_000));
        let store = another(&url, &clock).await;
        Self { url, store, clock, _dir: dir }
    }

    async fn names(&self) -> Vec<String> {
        let rows = self.store.rows(Sql::new("SELECT name FROM book_settings ORDER BY name")).await.unwrap();
        rows.iter().map(|r| r.text(0).unwrap().to_owned()).collect()
    }

    async fn sequence(&self) -> (i64, i64) {
        let rows = self.store.rows(Sql::new("SELECT seq, modified FROM book_sequence")).await.unwrap();
        (rows[0].int(0).unwrap(), rows[0].int(1).unwrap())
    }
}

async fn another(url: &str, clock: &Arc<AtomicI64>) -> Store {
    Store::open_waiting(url, Durability::Normal, Clock::fixed(Arc::clone(clock)), true, SHORT).await.unwrap()
}

fn note(name: &str) -> Sql {
    Sql::new("INSERT INTO book_settings (name, value) VALUES (").with(Ty::Text, name).and(", 'x')")
}

/// Writes a name and answers its sequence number.
async fn write(store: &Store, name: &'static str) -> Result<i64> {
    store
        .write(move |tx| {
            Box::pin(async move {
                tx.run(note(name)).await?;
                Ok(tx.next_seq())
            })
        })
        .await
}

/// Holds the writer until let go, so that the jobs behind share the next transaction.
async fn hold(store: &Store) -> oneshot::Sender<()> {
    let (go, wait) = oneshot::channel::<()>();
    let (notify, begun) = oneshot::channel();
    let store = store.clone();
    tokio::spawn(async move {
        let job = store.write(move |_| {
            Box::pin(async move {
                notify.send(()).unwrap();
                let _ = wait.await;
                Ok(())
            })
        });
        job.await
    });
    begun.await.unwrap();
    go
}

/// What jobs between two good ones may do.
#[derive(Debug, Clone, Copy)]
enum Bad {
    Fails,
    Panics,
    /// Breaks a rule of the schema and passes the error on.
    Breaks,
    /// Breaks a rule of the schema and says that all is well.
    Hides,
    /// Undoes to a mark after such an error, and goes on.
    Recovers,
}

async fn misbehave(store: &Store, bad: Bad) -> Result<i64> {
    store
        .write(move |tx| {
            Box::pin(async move {
                tx.run(note("bad")).await?;
                let seq = tx.next_seq();
                match bad {
                    Bad::Fails => Err(Error::NotFound),
                    Bad::Panics => panic!("on purpose"),
                    Bad::Breaks => tx.run(note("bad")).await.map(|_| seq),
                    Bad::Hides => {
                        let _ = tx.run(note("bad")).await;
                        Ok(seq)
                    }
                    Bad::Recovers => {
                        let mark = tx.savepoint(1).await?;
                        let inner = tx.next_seq();
                        assert!(tx.run(note("bad")).await.is_err());
                        tx.roll_back(mark).await?;
                        assert_eq!(tx.next_seq(), inner, "its number is free again");
                        Ok(seq)
                    }
                }
            })
        })
        .await
}

#[tokio::test]
async fn a_bad_job_takes_nothing_else_with_it() {
    for bad in [Bad::Fails, Bad::Panics, Bad::Breaks, Bad::Hides, Bad::Recovers] {
        for book in TestBook::each().await {
            let go = hold(&book.store).await;
            let store = &book.store;
            let all = async { tokio::join!(biased; write(store, "a"), misbehave(store, bad), write(store, "b")) };
            let release = async {
                tokio::task::yield_now().await;
                let _ = go.send(());
            };
            let ((first, middle, last), ()) = tokio::join!(all, release);
            let lenient = book.store.dialect() == Dialect::Sqlite;
            let succeeds = matches!(bad, Bad::Recovers) || matches!(bad, Bad::Hides) && lenient;
            assert_eq!(middle.is_ok(), succeeds, "{bad:?}: {middle:?}");
            let names: &[&str] = if succeeds { &["a", "b", "bad"] } else { &["a", "b"] };
            assert_eq!(book.names().await, names, "{bad:?}");
            let (first, last) = (first.unwrap(), last.unwrap());
            assert!(last > first, "{bad:?}");
            assert_eq!(book.sequence().await.0, last, "{bad:?}: no number is lost");
            assert!(write(&book.store, "c").await.unwrap() > last);
            book.store.close().await;
        }
    }
}

#[test_each(TestBook::each())]
async fn a_job_whose_caller_went_away_is_whole_or_not_there(book: TestBook) {
    let go = hold(&book.store).await;
    let store = book.store.clone();
    let (notify, begun) = oneshot::channel();
    let caller = tokio::spawn(async move {
        let job = store.write(move |tx| {
            Box::pin(async move {
                tx.run(note("one")).await?;
                let _ = notify.send(());
                tokio::task::yield_now().await;
                tx.run(note("two")).await?;
                Ok(())
            })
        });
        job.await
    });
    let _ = go.send(());
    begun.await.unwrap();
    caller.abort();
    let _ = caller.await;
    write(&book.store, "zero").await.unwrap();
    assert_eq!(book.names().await, ["one", "two", "zero"]);
    book.store.close().await;
}

#[test_each(TestBook::each())]
async fn closing_lets_what_waits_end(book: TestBook) {
    let go = hold(&book.store).await;
    let store = &book.store;
    let (first, last, (), ()) = tokio::join!(
        biased;
        write(store, "a"),
        write(store, "b"),
        store.close(),
        async { let _ = go.send(()); },
    );
    assert!(first.is_ok() && last.is_ok(), "{first:?} {last:?}");
    let late = write(store, "c").await;
    assert!(matches!(late, Err(Error::Unavailable(_))), "{late:?}");
    store.close().await;
    let reopened = another(&book.url, &book.clock).await;
    let sql = Sql::new("SELECT name FROM book_settings ORDER BY name");
    let rows = reopened.rows(sql).await.unwrap();
    let names: Vec<_> = rows.iter().map(|r| r.text(0).unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    reopened.close().await;
}

#[test_each(TestBook::each())]
async fn time_never_goes_back(book: TestBook) {
    let now = |store: Store| async move {
        let job = store.write(|tx| {
            Box::pin(async move {
                tx.next_seq();
                Ok(tx.now())
            })
        });
        job.await.unwrap()
    };
    assert_eq!(now(book.store.clone()).await, 1_000_000);
    let slow = Arc::new(AtomicI64::new(400));
    let other = another(&book.url, &slow).await;
    assert_eq!(now(other.clone()).await, 1_000_000, "the clock of another server is behind");
    book.clock.store(2_000_000, Ordering::SeqCst);
    assert_eq!(now(book.store.clone()).await, 2_000_000);
    book.clock.store(1_500_000, Ordering::SeqCst);
    assert_eq!(now(book.store.clone()).await, 2_000_000, "the clock was set back");
    assert_eq!(book.sequence().await, (4, 2_000_000));
    // A clock that was wrong by more than some minutes is reported, and the way out keeps the order of commits.
    assert_eq!(other.ahead(1_900_000).await.unwrap(), None);
    assert_eq!(other.ahead(1_000_000).await.unwrap(), Some(1_000_000));
    other.set_back(1_000_000).await.unwrap();
    assert_eq!(book.sequence().await, (4, 1_000_000));
    assert_eq!(now(other.clone()).await, 1_000_000);
    other.set_back(1_200_000).await.unwrap();
    assert_eq!(book.sequence().await, (5, 1_000_000), "never ahead");
    other.close().await;
    book.store.close().await;
}

#[test_each(TestBook::each())]
async fn no_sequence_number_is_given_twice(book: TestBook) {
    let other = another(&book.url, &book.clock).await;
    let start = Arc::new(Barrier::new(8));
    let mut writers = Vec::new();
    for at in 0..8 {
        let store = if at % 2 == 0 { book.store.clone() } else { other.clone() };
        let start = Arc::clone(&start);
        writers.push(tokio::spawn(async move {
            start.wait().await;
            let mut seqs = Vec::new();
            for n in 0..12_i64 {
                let job = store.write(move |tx| {
                    Box::pin(async move {
                        let seq = tx.next_seq();
                        let id = tx.allocate("things", 1).await?;
                        let text = format!("{seq} {id}");
                        let sql = Sql::new("INSERT INTO book_settings (name, value) VALUES (")
                            .with(Ty::Text, text)
                            .and(", 'x')");
                        tx.run(sql).await?;
                        // Every fourth goes back.
                        if n % 4 == 3 { Err(Error::NotFound) } else { Ok((seq, id)) }
                    })
                });
                seqs.extend(job.await.ok());
            }
            seqs
        }));
    }
    let mut all = Vec::new();
    for writer in writers {
        all.extend(writer.await.unwrap());
    }
    assert_eq!(all.len(), 72);
    let mut seqs: Vec<i64> = all.iter().map(|(seq, _)| *seq).collect();
    let mut ids: Vec<i64> = all.iter().map(|(_, id)| *id).collect();
    seqs.sort_unstable();
    ids.sort_unstable();
    assert_eq!(seqs, (1..=72).collect::<Vec<_>>(), "in order, once each");
    assert_eq!(ids, (1..=72).collect::<Vec<_>>());
    assert_eq!(book.names().await.len(), 72);
    other.close().await;
    book.store.close().await;
}

#[test_each(TestBook::each())]
async fn a_lock_that_is_never_given_is_unavailable(book: TestBook) {
    let other = another(&book.url, &book.clock).await;
    let go = hold(&other).await;
    let refused = write(&book.store, "a").await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    let _ = go.send(());
    // The lock is free once the other one's commit is through.
    write(&other, "b").await.unwrap();
    write(&book.store, "c").await.unwrap();
    assert_eq!(book.names().await, ["b", "c"]);
    other.close().await;
    book.store.close().await;
}

#[test_each(TestBook::each())]
async fn commits_wake_who_waits_here_and_elsewhere(book: TestBook) {
    let other = another(&book.url, &book.clock).await;
    let mut here = book.store.watch().subscribe();
    let mut there = other.watch().subscribe();
    let seq = write(&book.store, "a").await.unwrap();
    assert_eq!(here.wait_for(|m| m.seq >= seq).await.unwrap().seq, seq);
    if book.store.dialect() == Dialect::Postgres {
        assert_eq!(there.wait_for(|m| m.seq >= seq).await.unwrap().seq, seq);
    }
    let before = here.borrow().rights;
    let job = book.store.write(|tx| {
        Box::pin(async move {
            tx.note_rights_change();
            Ok(())
        })
    });
    job.await.unwrap();
    assert!(here.wait_for(|m| m.rights > before).await.is_ok());
    other.close().await;
    book.store.close().await;
}

/// Makes the table `probe` of these columns, with rows.
async fn fill_probe(store: &Store, columns: &[(&str, Ty)], rows: Vec<(i64, Vec<Value>)>) {
    let dialect = store.dialect();
    let typed = columns.iter().map(|(name, ty)| format!(", \"{name}\" {}", dialect.column_type(*ty)));
    let table = format!("CREATE TABLE probe (id bigint{})", typed.collect::<String>());
    let types: Vec<Ty> = columns.iter().map(|(_, ty)| *ty).collect();
    let written = store.write(move |tx| {
        Box::pin(async move {
            tx.run(Sql::new(&table)).await?;
            for (id, values) in rows {
                let mut sql = Sql::new("INSERT INTO probe VALUES (");
                sql.bind(Ty::Int, id);
                for (ty, value) in types.iter().zip(values) {
                    sql.push(",").bind(*ty, value);
                }
                sql.push(")");
                tx.run(sql).await?;
            }
            Ok(())
        })
    });
    written.await.unwrap();
}

/// Many rows of few owners come as they are stored: each number to its last bit, each empty
/// value empty, in order of their ids.
#[tokio::test]
async fn a_series_has_the_values_of_its_rows() {
    let mut columns: Vec<(&str, Ty)> = vec![("n", Ty::Num), ("word", Ty::Text), ("at", Ty::Time)];
    columns.extend([("yes", Ty::Bool), ("count", Ty::Int)]);
    // Awkward ones, then some thousand without any pattern.
    let mut numbers = vec![0.0, -0.1, 28.5, 0.1 + 0.2, 1.0 / 3.0, 5e-324, f64::MAX, 1e22, 4.1];
    let mut state = 88_172_645_463_325_252_u64;
    while numbers.len() < 2_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        #[expect(clippy::cast_precision_loss, reason = "any number will do")]
        numbers.push((state >> 11) as f64 / 9_007_199_254_740_992.0 * 150.0);
    }
    for book in TestBook::each().await {
        let dialect = book.store.dialect();
        let mut expected = std::collections::BTreeMap::<i64, Series>::new();
        let mut rows = Vec::new();
        for (i, n) in (0_i64..).zip(&numbers) {
            let empty = i % 7 == 0;
            let filled = [
                Value::Num(*n),
                Value::from("dry"),
                Value::Time(1_700_000_000_000 + i),
                Value::Bool(i % 2 == 0),
                Value::Int(i - 5),
            ];
            let values = filled.map(|v| if empty { Value::Null } else { v });
            // Not in the order of their ids.
            rows.push((1_000_000 - i, i % 3, values));
        }
        for (id, owner, values) in rows.iter().rev() {
            let series = expected.entry(*owner).or_insert_with(|| Series::new(5));
            series.push(*id, values.iter().cloned());
        }
        let all_columns = [&[("owner", Ty::Int)][..], &columns[..]].concat();
        let rows = rows
            .into_iter()
            .map(|(id, owner, values)| (id, std::iter::once(Value::Int(owner)).chain(values).collect()));
        fill_probe(&book.store, &all_columns, rows.collect()).await;
        let serial = Serial { table: "probe", owner: "owner", columns: &columns };
        for owners in [vec![2], (0..40).collect::<Vec<i64>>()] {
            let rows = book.store.rows(serial.sql(&owners)).await.unwrap();
            let rows_read = serial.read(&rows);
            let mut expected = expected.clone();
            expected.retain(|owner, _| owners.contains(owner));
            assert_eq!(rows_read, expected, "{dialect:?}");
        }
    }
}

/// A list finds the same rows however long it is.
#[test_each(TestBook::each())]
async fn lists_of_any_length_find_their_rows(book: TestBook) {
    let written = book.store.write(|tx| {
        Box::pin(async move {
            for i in 0..300 {
                tx.run(note(&format!("n{i:03} '{{}}\",\\"))).await?;
            }
            Ok(())
        })
    });
    written.await.unwrap();
    for many in [0, 1, 15, 16, 100, 101, 300] {
        let mut sql = Sql::new("SELECT count(*) FROM book_settings WHERE name IN ");
        let names = (0..many).map(|i| Value::Text(format!("n{i:03} '{{}}\",\\")));
        sql.bind_list(Ty::Text, names);
        sql.push(" AND length(name) IN ");
        sql.bind_list(Ty::Int, (0..many).map(Value::Int));
        let rows = book.store.rows(sql).await.unwrap();
        let expected = if many > 10 { many } else { 0 };
        assert_eq!(rows[0].int(0), Some(expected), "{many}");
    }
}

/// Rows that come as one text have the values of the rows, with any content.
#[tokio::test]
async fn packed_rows_are_the_rows() {
    let columns = [
        ("word", Ty::Text),
        ("list", Ty::Json),
        ("at", Ty::Time),
        ("yes", Ty::Bool),
        ("n", Ty::Num),
        ("last", Ty::Text),
    ];
    let words = ["", "'", "''", "it's", "a b", "\n", "'\n7 'x' ", "NULL", "\u{1f}", "Кличка"];
    let rows: Vec<(i64, Vec<Value>)> = (0_i64..)
        .zip(words)
        .flat_map(|(i, word)| {
            let text = Value::from(word);
            let list = Value::json(serde_json::json!([word, {"id": i, "x": 1.5}]));
            let full =
                vec![text.clone(), list, Value::Time(-i), Value::Bool(i % 2 == 0), Value::Num(0.1 * 3.0), text.clone()];
            let (mut first, mut last) = (vec![Value::Null; 6], vec![Value::Null; 6]);
            first[0] = text.clone();
            last[5] = text;
            [(3 * i, full), (3 * i + 1, first), (3 * i + 2, last)]
        })
        .chain([(100, vec![Value::Null; 6])])
        .collect();
    for book in TestBook::each().await {
        let dialect = book.store.dialect();
        fill_probe(&book.store, &columns, rows.clone()).await;
        let sql = Sql::new(&format!("SELECT {} FROM probe", packed(dialect, &columns)));
        let mut rows_read = Vec::new();
        for row in book.store.rows(sql).await.unwrap() {
            unpack(dialect, &row, &columns, |id, values| rows_read.push((id, values.collect())));
        }
        rows_read.sort_by_key(|(id, _): &(i64, Vec<Value>)| *id);
        assert_eq!(rows_read, rows, "{dialect:?}");
        let none = format!("SELECT {} FROM probe WHERE id < 0", packed(dialect, &columns));
        for row in book.store.rows(Sql::new(&none)).await.unwrap() {
            unpack(dialect, &row, &columns, |id, _| panic!("{id}"));
        }
    }
}

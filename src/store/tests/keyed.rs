//! Rows by a key of several columns, one of which is one of many values.

use super::TestBook;
use crate::{Dialect, Sql, Store, Ty};
use model::record::Value;
use std::collections::BTreeSet;

/// The rows of two sources, by numbers; texts that need quotes are among the ids.
fn id(number: i64) -> String {
    format!("it's \"{number}\", {{NULL}}\\")
}

async fn fill(store: &Store, source: &'static str, count: i64) {
    let done = store.write(move |tx| {
        Box::pin(async move {
            for number in 0..count {
                let sql = Sql::new(
                    "INSERT INTO exchange_sent (location, source, source_id, dataset, modified, \
                     seq, live, named, named_above) VALUES (1, ",
                )
                .with(Ty::Text, source)
                .and(", ")
                .with(Ty::Text, id(number))
                .and(", 'weights', ")
                .with(Ty::Int, (number % 2 == 0).then_some(number))
                .and(", ")
                .with(Ty::Int, number)
                .and(", ")
                .with(Ty::Bool, true)
                .and(", 0, 0)");
                tx.run(sql).await?;
            }
            Ok(())
        })
    });
    done.await.unwrap();
}

fn statement(dialect: Dialect, source: &str, ids: Vec<String>, head: &str) -> Sql {
    let mut sql = Sql::new(head);
    let by = ("exchange_sent", "s", "source_id");
    sql.keyed(dialect, by, (Ty::Text, ids.into_iter().map(Value::Text)), |sql| {
        sql.push(" AND source IN ");
        sql.bind_list(Ty::Text, [Value::from(source)]);
        sql.push(" AND location = ").bind(Ty::Int, 1);
    });
    sql
}

/// Numbers that are found, in order, with those that have a `modified`.
async fn rows_of(store: &Store, source: &str, ids: Vec<String>) -> (Vec<i64>, usize) {
    let sql = statement(store.dialect(), source, ids, "SELECT s.seq, s.modified FROM ").and(" ORDER BY s.seq");
    let rows = store.rows(sql).await.unwrap();
    let numbers = rows.iter().map(|row| row.int(0).unwrap()).collect();
    (numbers, rows.iter().filter_map(|row| row.int(1)).count())
}

#[test_each(TestBook::each())]
async fn each_of_a_list_is_found_once(book: TestBook) {
    let store = &book.store;
    fill(store, "here", 1_200).await;
    fill(store, "elsewhere", 10).await;
    for count in [0, 1, 2, 15, 16, 17, 1_000, 1_200] {
        let ids = |_| (0..count).map(id);
        // Twice, with one that is not there.
        let twice: Vec<String> = (0..2).flat_map(ids).chain(["none".to_owned()]).collect();
        let all = (0..count).collect::<Vec<i64>>();
        let filled = all.iter().filter(|number| *number % 2 == 0).count();
        for ids in [ids(0).collect(), twice] {
            let expected = (all.clone(), filled);
            assert_eq!(rows_of(store, "here", ids).await, expected, "{count}");
        }
    }
    assert_eq!(rows_of(store, "nowhere", vec![id(1), id(2)]).await.0, [0; 0]);
}

/// No text of a database has a zero character, so none is found by one; the others are.
#[test_each(TestBook::each())]
async fn a_zero_character_finds_nothing_and_is_no_fault(book: TestBook) {
    fill(&book.store, "here", 3).await;
    let ids = vec![id(0), "x\0".to_owned(), id(2)];
    assert_eq!(rows_of(&book.store, "here", ids).await.0, [0, 2]);
}

#[test_each(TestBook::each())]
async fn ids_are_found_as_texts_are(book: TestBook) {
    let store = &book.store;
    fill(store, "here", 50).await;
    for count in [0, 1, 2, 20] {
        let mut sql = Sql::new("SELECT s.seq FROM ");
        let ids = (0..count).chain(0..count).map(Value::Int);
        let by = ("exchange_sent", "s", "seq");
        sql.keyed(store.dialect(), by, (Ty::Int, ids), |sql| {
            sql.push(" AND location = ").bind(Ty::Int, 1);
        });
        let rows = store.rows(sql).await.unwrap();
        let numbers: Vec<i64> = rows.iter().map(|row| row.int(0).unwrap()).collect();
        assert_eq!(numbers.len(), numbers.iter().collect::<BTreeSet<_>>().len());
        assert_eq!(numbers.len(), usize::try_from(count).unwrap());
    }
}

/// The table was counted before the source came, so the database takes the rows of the source for
/// few; reading them all for each list is what it must not do.
#[test_each(TestBook::each())]
async fn the_whole_key_is_searched_whatever_the_database_knows(book: TestBook) {
    let store = &book.store;
    let dialect = store.dialect();
    fill(store, "early", 2_000).await;
    let counted = store.write(|tx| Box::pin(async move { tx.rows(Sql::new("ANALYZE exchange_sent")).await.map(drop) }));
    counted.await.unwrap();
    fill(store, "late", 2_000).await;
    let explain = match dialect {
        Dialect::Sqlite => "EXPLAIN QUERY PLAN SELECT s.seq FROM ",
        Dialect::Postgres => "EXPLAIN SELECT s.seq FROM ",
    };
    for count in [2, 20, 500] {
        let sql = statement(dialect, "late", (0..count).map(id).collect(), explain);
        let column = match dialect {
            Dialect::Sqlite => 3,
            Dialect::Postgres => 0,
        };
        let rows = store.rows(sql).await.unwrap();
        let plan: Vec<&str> = rows.iter().filter_map(|row| row.text(column)).collect();
        let searched = match dialect {
            Dialect::Sqlite => "(location=? AND source=? AND source_id=?)",
            Dialect::Postgres => "(source_id = listed.v)",
        };
        let whole = |line: &&&str| line.contains(searched) && (dialect == Dialect::Sqlite || line.contains("Cond"));
        assert!(plan.iter().any(|line| whole(&line)), "{count}: {plan:#?}");
    }
}

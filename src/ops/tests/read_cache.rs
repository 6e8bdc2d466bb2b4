//! What a running write remembers of its own reading: never more than what stands.

use super::statements::books;
use crate::{Book, WriteTransaction};
use model::record::Value;
use model::registry::{BookReader, Command, HookContext, ID, Lookup};
use store::statement_log::written;

/// Enough for rows to be read together.
const MANY: usize = 70;

async fn names(work: &mut WriteTransaction<'_>, ids: &[i64]) -> Vec<String> {
    let c = work.collection("organizations").unwrap();
    let lookup = Lookup::by_ids("id", ids.iter().copied()).fields(&["name", "presence"]);
    let rows = work.find(c.slug, lookup).await.unwrap();
    assert!(rows.iter().map(|r| r.get(ID).int()).eq(ids.iter().map(|id| Some(*id))));
    rows.iter().map(|row: &model::record::Record| row.get(c.at("name")).text().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_write_reads_what_stands() {
    // What quotes do to rows that are read together.
    let called = |i: usize| format!("it's 'one' of {i:03} \"NULL\"");
    for (book, _dir) in books().await {
        let done = book.transact(move |work| {
            Box::pin(async move {
                let new = |i| vec![("name".to_owned(), Value::Text(called(i)))];
                let commands = (0..MANY).map(|i| Command::Create(new(i))).collect();
                let ids = HookContext::write(work, "organizations", commands).await?;
                let mut expected: Vec<String> = (0..MANY).map(called).collect();
                assert_eq!(names(work, &ids).await, expected);
                written();
                assert_eq!(names(work, &ids).await, expected);
                assert_eq!(names(work, &ids[3..5]).await, expected[3..5]);
                let stored = Lookup::by_ids("id", ids.clone()).fields(&["id"]);
                assert_eq!(work.find("organizations", stored).await?.len(), MANY);
                assert_eq!(written(), [""; 0], "known already");

                let c = work.collection("organizations")?;
                let called = |name: &str| vec![(c.at("name"), Value::from(name))];
                work.amend(c.slug, vec![(ids[7], called("seven"))]).await?;
                expected[7] = "seven".to_owned();
                assert_eq!(names(work, &ids).await, expected);

                let attempt = work.attempt().await?;
                work.amend(c.slug, vec![(ids[8], called("eight"))]).await?;
                assert_eq!(names(work, &ids).await[8], "eight");
                work.undo(attempt).await?;
                assert_eq!(names(work, &ids).await, expected);

                let more = vec![Command::Create(vec![("name".to_owned(), "more".into())])];
                let more = HookContext::write(work, "organizations", more).await?;
                let all = [ids, more].concat();
                expected.push("more".to_owned());
                assert_eq!(names(work, &all).await, expected);
                Ok(())
            })
        });
        done.await.unwrap();
    }
}

/// Computed values of many rows are known at once, and written when others need them.
#[test_each(books())]
async fn what_is_computed_of_many_rows_is_known_before_it_is_written((book, _dir): (Book, tempfile::TempDir)) {
    let done = book.transact(move |work| {
        Box::pin(async move {
            let new = |i| vec![("name".to_owned(), Value::Text(format!("{i:03}")))];
            let commands = (0..MANY).map(|i| Command::Create(new(i))).collect();
            let ids = HookContext::write(work, "organizations", commands).await?;
            let c = work.collection("organizations")?;
            // Two of the three that are looked up then.
            let read = Lookup::by_ids("id", ids.clone()).fields(&["inn", "presence"]);
            work.find(c.slug, read).await?;
            let computed = |i: usize, id: &i64| {
                let phone = Value::Text(format!("+7 {i}"));
                let inn = Value::Text(format!("{i:012}"));
                (*id, vec![(c.at("phone"), phone), (c.at("inn"), inn)])
            };
            let rows = ids.iter().enumerate().map(|(i, id)| computed(i, id));
            written();
            work.amend(c.slug, rows.collect()).await?;
            let all = Lookup::by_ids("id", ids.clone());
            let known = all.clone().fields(&["inn", "presence", "phone"]);
            let known = work.find(c.slug, known).await?;
            let animals = Lookup::by_ids("id", [1]).fields(&["name"]);
            work.find("animals", animals).await?;
            let others = written();
            assert_eq!(others.len(), 1, "{others:?}");
            assert!(others[0].contains("animals"), "{others:?}");

            let more = ["inn", "presence", "phone", "address"];
            let stored = work.find(c.slug, all.fields(&more)).await?;
            let all = written();
            let updates = all.iter().filter(|sql| sql.starts_with("UPDATE"));
            assert!(updates.count() > 0, "written before they are read: {all:?}");
            for (i, (known, stored)) in known.iter().zip(&stored).enumerate() {
                let phone = format!("+7 {i}");
                assert_eq!(known.get(c.at("phone")).text(), Some(phone.as_str()));
                for path in ["id", "inn", "presence", "phone"] {
                    assert_eq!(known.get(c.at(path)), stored.get(c.at(path)), "{path}");
                }
            }
            assert_eq!((known.len(), stored.len()), (MANY, MANY));

            // Values that the database may refuse are not left for later.
            let by = |id: &i64| (*id, vec![(c.at("referencedBy"), Value::Int(ids[0]))]);
            work.amend(c.slug, ids.iter().map(by).collect()).await?;
            assert!(!written().is_empty());
            Ok(())
        })
    });
    done.await.unwrap();
}

/// Ids of the organisations among these that have one of the names, which are no key.
async fn called(work: &mut WriteTransaction<'_>, ids: &[i64], names: &[&str]) -> Vec<i64> {
    let names = names.iter().map(|name| Value::from(*name)).collect();
    let lookup = Lookup::by_ids("id", ids.iter().copied()).is_in("name", names);
    let rows = work.find("organizations", lookup.fields(&["name"])).await;
    rows.unwrap().iter().map(|row: &model::record::Record| row.get(ID).int().unwrap()).collect()
}

#[test_each(books())]
async fn further_conditions_narrow_a_cached_lookup((book, _dir): (Book, tempfile::TempDir)) {
    let done = book.transact(move |work| {
        Box::pin(async move {
            let names = ["a", "b", "c"];
            let new = |name: &&str| vec![("name".to_owned(), Value::from(*name))];
            let commands = names.iter().map(|name| Command::Create(new(name)));
            let ids = HookContext::write(work, "organizations", commands.collect()).await?;
            assert_eq!(called(work, &ids, &["a", "c"]).await, [ids[0], ids[2]]);
            written();
            assert_eq!(called(work, &ids, &["a", "c"]).await, [ids[0], ids[2]]);
            assert_eq!(called(work, &ids[1..], &["a", "c"]).await, [ids[2]]);
            assert_eq!(written(), [""; 0], "known already");
            assert_eq!(called(work, &ids, &["b"]).await, [ids[1]]);
            assert_eq!(called(work, &ids, &names).await, ids);
            let by_id = Lookup::by_ids("id", ids.clone()).fields(&["name"]);
            assert_eq!(work.find("organizations", by_id).await?.len(), 3);

            let c = work.collection("organizations")?;
            let other = vec![(c.at("name"), Value::from("d"))];
            work.amend(c.slug, vec![(ids[0], other)]).await?;
            assert_eq!(called(work, &ids, &["a", "c"]).await, [ids[2]]);
            Ok(())
        })
    });
    done.await.unwrap();
}

//! Long jobs hand what they wrote to the projection before their end, and each row once.

use super::statements::books;
use crate::{Book, Projection, Touched, WriteTransaction};
use futures_util::future::BoxFuture;
use model::error::Result;
use model::record::Value;
use model::registry::{BookReader, Command, HookContext, Lookup};
use std::sync::{Arc, Mutex};

/// A row as it was handed over: its id, and whether it was new.
type Handed = Vec<(i64, bool)>;

/// Notes what it is handed.
#[derive(Default)]
struct Noting(Mutex<Vec<Handed>>);

impl Noting {
    fn taken(&self) -> Vec<Handed> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Projection for Noting {
    fn project<'a>(&'a self, _work: &'a mut WriteTransaction<'_>, touched: &'a Touched) -> BoxFuture<'a, Result<()>> {
        let herds = touched.iter().filter(|((slug, _), _)| *slug == "herds");
        let rows = herds.map(|((_, id), touch)| (*id, touch.new.is_some() && touch.old.is_none()));
        self.0.lock().unwrap().push(rows.collect());
        Box::pin(async { Ok(()) })
    }
}

fn name_of(work: &WriteTransaction<'_>, name: &str) -> Vec<(usize, Value)> {
    let c = work.registry().get("herds").unwrap();
    vec![(c.at("name"), name.into())]
}

async fn herds(work: &mut WriteTransaction<'_>, names: &[&str]) -> Result<Vec<i64>> {
    let new = |name: &&str| {
        Command::Create(vec![("name".to_owned(), (*name).into()), ("organization".to_owned(), Value::Int(1))])
    };
    HookContext::write(work, "herds", names.iter().map(new).collect()).await
}

async fn farm(work: &mut WriteTransaction<'_>) -> Result<()> {
    let new = Command::Create(vec![("name".to_owned(), "farm".into())]);
    HookContext::write(work, "organizations", vec![new]).await.map(drop)
}

/// Has a book note what it projects from now on, after three herds.
async fn noting(book: &mut Book) -> (Arc<Noting>, Vec<i64>) {
    let noting = Arc::new(Noting::default());
    book.projection = Arc::clone(&noting) as Arc<dyn Projection>;
    let herds = book.transact(|work| {
        Box::pin(async move {
            farm(work).await?;
            herds(work, &["a", "b", "c"]).await
        })
    });
    let herds = herds.await.unwrap();
    noting.taken();
    (noting, herds)
}

#[test_each(books())]
async fn rows_that_are_forgotten_are_projected_once((mut book, _dir): (Book, tempfile::TempDir)) {
    let (noting, old) = noting(&mut book).await;
    let (seen, ids) = (Arc::clone(&noting), old.clone());
    let done = book.transact(move |work| {
        Box::pin(async move {
            let new = herds(work, &["d"]).await?;
            // What was written before waits for the end, the others are handed over now.
            let rows = [ids[0], new[0]].map(|id| (id, name_of(work, "e")));
            work.amend_and_forget("herds", rows.into()).await?;
            assert_eq!(seen.taken(), [vec![(ids[0], false)]]);
            // What is undone is not handed over at the end, and what was written before still is.
            let attempt = work.attempt().await?;
            let rows = vec![(ids[1], name_of(work, "f"))];
            work.amend_and_forget("herds", rows).await?;
            assert!(work.project_so_far().await.is_err(), "it may still be undone");
            work.undo(attempt).await?;
            assert_eq!(seen.taken(), [vec![(ids[1], false)]]);
            work.project_so_far().await?;
            assert_eq!(seen.taken(), [vec![(new[0], true)]]);
            work.amend("herds", vec![(ids[2], name_of(work, "g"))]).await
        })
    });
    done.await.unwrap();
    assert_eq!(noting.taken(), [vec![(old[2], false)]]);
}

#[test_each(books())]
async fn rows_that_are_written_and_forgotten_are_projected_once((mut book, _dir): (Book, tempfile::TempDir)) {
    let (noting, old) = noting(&mut book).await;
    let renamed = |ids: &[i64], name: &str| -> Vec<Command> {
        let fields = || vec![("name".to_owned(), Value::from(name))];
        ids.iter().map(|id| Command::Update(*id, fields())).collect()
    };
    let (seen, ids) = (Arc::clone(&noting), old.clone());
    let done = book.transact(move |work| {
        Box::pin(async move {
            let new = herds(work, &["d"]).await?;
            work.write_and_forget("herds", renamed(&[ids[0], new[0]], "e")).await?;
            assert_eq!(seen.taken(), [vec![(ids[0], false)]]);
            let attempt = work.attempt().await?;
            work.write_and_forget("herds", renamed(&[ids[1]], "f")).await?;
            work.undo(attempt).await?;
            assert_eq!(seen.taken(), [vec![(ids[1], false)]]);
            // A refused command is an error, and nothing waits for the end because of it.
            let attempt = work.attempt().await?;
            let refused = work.write_and_forget("herds", vec![Command::Delete(i64::MAX)]);
            assert!(refused.await.is_err());
            work.undo(attempt).await?;
            work.project_so_far().await?;
            assert_eq!(seen.taken(), [vec![(new[0], true)]]);
            HookContext::write(work, "herds", renamed(&[ids[2]], "g")).await.map(drop)
        })
    });
    done.await.unwrap();
    assert_eq!(noting.taken(), [vec![(old[2], false)]]);
    let names = book.transact(move |work| {
        Box::pin(async move {
            let rows = work.find("herds", Lookup::by_ids("id", old)).await?;
            let name = work.collection("herds")?.at("name");
            let names: Vec<String> = (rows.iter()).filter_map(|row| row.get(name).text().map(str::to_owned)).collect();
            Ok(names)
        })
    });
    assert_eq!(names.await.unwrap(), ["e", "b", "g"]);
}

#[test_each(books())]
async fn changes_are_collected_on_request((book, _dir): (Book, tempfile::TempDir)) {
    let written = book.transact(|work| {
        Box::pin(async move {
            farm(work).await?;
            let ids = herds(work, &["a", "b", "c"]).await?;
            let change = |id: i64, name: &str| {
                let fields = vec![("name".to_owned(), Value::from(name))];
                vec![Command::Update(id, fields)]
            };
            work.project_so_far().await?;
            HookContext::write(work, "herds", change(ids[0], "before")).await?;
            work.project_so_far().await?;
            work.keep_changes();
            HookContext::write(work, "herds", change(ids[0], "x")).await?;
            let attempt = work.attempt().await?;
            HookContext::write(work, "herds", change(ids[1], "undone")).await?;
            work.undo(attempt).await?;
            work.project_so_far().await?;
            HookContext::write(work, "herds", change(ids[0], "y")).await?;
            herds(work, &["new"]).await?;
            let changes = work.changes();
            HookContext::write(work, "herds", change(ids[2], "after")).await?;
            assert!(work.changes().is_empty());
            Ok((ids, changes))
        })
    });
    let (ids, changes) = written.await.unwrap();
    let name = book.registry.get("herds").unwrap().at("name");
    let summary: Vec<_> = (changes.iter())
        .map(|((slug, id), (old, new))| (*slug, *id, old.get(name).text(), new.get(name).text()))
        .collect();
    assert_eq!(summary, [("herds", ids[0], Some("before"), Some("y"))]);
}

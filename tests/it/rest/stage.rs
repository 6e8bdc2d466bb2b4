//! A fixture whose answers are whole: status, headers and text or bytes. On SQLite, and on PostgreSQL where this
//! machine has it.

pub(crate) use crate::support::book::{NOW, PASSWORD, SECRET};
use crate::support::book::{answered, settings};
use crate::support::fixture::Fixture;
use crate::support::untouched::content;
use crate::support::words::Meets;
pub(crate) use crate::support::worlds::{Filled, Worlds};
use api::{AppState, router};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use model::record::Value;
use model::registry::{Collection, Part};
use ops::Book;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use store::{Dialect, Sql, Ty};
pub(crate) use test_books::{DIALECTS, Template, dialects};

pub(crate) struct Stage(Fixture);

impl Deref for Stage {
    type Target = Fixture;

    fn deref(&self) -> &Fixture {
        &self.0
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    /// The body where it is no text.
    pub(crate) bytes: Vec<u8>,
}

/// What an answer is held against: its status, or status and body.
pub(crate) trait Expected {
    fn is(&self, answer: &Answer) -> bool;
}

impl Expected for u16 {
    fn is(&self, answer: &Answer) -> bool {
        answer.status == *self
    }
}

impl Expected for (u16, &str) {
    fn is(&self, answer: &Answer) -> bool {
        answer.parts() == *self
    }
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.text).expect(&self.text)
    }
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |v| v.to_str().unwrap())
    }
    /// The answer to this request is the expected one.
    #[track_caller]
    pub(crate) fn assert_is(&self, expected: impl Expected, request: &str) {
        assert!(expected.is(self), "{request}: {} {}", self.status, self.text);
    }
    /// Status, and the fields at which the answer finds faults.
    #[track_caller]
    pub(crate) fn assert_faulty(&self, status: u16, paths: &[&str]) {
        let found = super::world::paths(self);
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!((self.status, &found[..]), (status, paths), "{}", self.text);
    }
    /// Its text has each of these.
    #[track_caller]
    pub(crate) fn has(&self, texts: &[&str]) {
        self.has_in(&"", texts);
    }
    /// The same, with a note for the failure.
    #[track_caller]
    pub(crate) fn has_in(&self, note: &dyn fmt::Display, texts: &[&str]) {
        for text in texts {
            assert!(self.text.contains(text), "{note} {text}: {}", self.text);
        }
    }
    /// Its text has none of these.
    #[track_caller]
    pub(crate) fn lacks(&self, texts: &[&str]) {
        self.lacks_in(&"", texts);
    }
    #[track_caller]
    pub(crate) fn lacks_in(&self, note: &dyn fmt::Display, texts: &[&str]) {
        for text in texts {
            assert!(!self.text.contains(text), "{note} {text}: {}", self.text);
        }
    }
    /// Status and body at once.
    pub(crate) fn parts(&self) -> (u16, &str) {
        (self.status, &self.text)
    }
}

impl<E: Expected> Meets<E> for Answer {
    type Content = Self;

    fn meets(self, expected: E, faults: Option<&[&str]>, request: fmt::Arguments<'_>) -> Self {
        self.assert_is(expected, &request.to_string());
        if let Some(paths) = faults {
            self.assert_faulty(self.status, paths);
        }
        self
    }
}

impl Stage {
    /// On SQLite, with the defaults: for tests that do not depend on the database.
    pub(crate) async fn new() -> Self {
        Self::with(&[]).await
    }

    /// On SQLite, with settings that differ from the defaults.
    pub(crate) async fn with(changed: &[(&'static str, &str)]) -> Self {
        let empty = Template::empty(Dialect::Sqlite).await;
        Self::copy(empty.expect("SQLite is always there"), changed).await
    }

    /// One stage after another on each database of this depth. Afterwards the book must be sound.
    pub(crate) async fn each(test: impl AsyncFn(&Stage)) {
        for dialect in dialects() {
            if let Some(empty) = Template::empty(*dialect).await {
                Self::show(empty, &test).await;
            }
        }
    }

    /// A test on a copy of a book, which must be sound afterwards.
    pub(crate) async fn show(template: &Template, test: &impl AsyncFn(&Stage)) {
        // Shown when the test fails.
        eprintln!("on {:?}", template.dialect());
        let stage = Self::copy(template, &[]).await;
        test(&stage).await;
        stage.assert_sound().await;
    }

    /// A book that begins as the template, with settings that differ from the defaults.
    pub(crate) async fn copy(template: &Template, changed: &[(&'static str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let url = template.copy(dir.path()).await;
        let changed = changed.iter().map(|(key, value)| (*key, (*value).to_owned()));
        let clock = Arc::new(AtomicI64::new(NOW));
        Self(Fixture::over(url, Arc::new(dir), clock, changed.collect()).await)
    }

    /// A book that others begin as: the empty one, filled.
    pub(crate) async fn begin<T>(empty: &Template, fill: impl AsyncFnOnce(&Self) -> T) -> Filled<T> {
        let stage = Self::copy(empty, &[]).await;
        let known = fill(&stage).await;
        let template = Template::of(&stage.book.store, stage.url()).await;
        Filled { template, known }
    }

    /// Another process over the same database, under the same clock.
    pub(crate) async fn other_process(&self) -> Self {
        Self(self.0.other_process().await)
    }

    /// The same book without a cache of answers.
    pub(crate) fn forgetful(&self) -> Self {
        let settings = settings([("cache.pages", "0".to_owned())]);
        let hub = AppState::new(Arc::clone(&self.book), self.exchange.clone(), settings);
        self.over(Arc::clone(&self.book), router(Arc::new(hub)))
    }

    /// The same clock and database under another book.
    pub(crate) fn over(&self, book: Arc<Book>, router: Router) -> Self {
        Self(self.0.under(book, router))
    }

    /// Asserts what holds in every book after any write: counted documents are those that live, no two records
    /// and no two documents share a place in the commit order, and none lies ahead of it.
    pub(crate) async fn assert_sound(&self) {
        let counted = "SELECT location, dataset, live FROM exchange_counts WHERE live <> 0 \
                       ORDER BY location, dataset";
        let live = "SELECT d.location, n.name, count(*) FROM exchange_documents d \
                    JOIN exchange_names n ON n.id = d.dataset WHERE NOT d.deleted \
                    GROUP BY d.location, n.name ORDER BY d.location, n.name";
        assert_eq!(self.counts(counted).await, self.counts(live).await, "exchange_counts");
        let last = self.number("SELECT seq FROM book_sequence").await;
        let ahead = format!("SELECT count(*) FROM exchange_documents WHERE seq > {last}");
        assert_eq!(self.number(&ahead).await, 0, "documents ahead of the book");
        let every: Vec<String> =
            (self.book.registry.iter()).map(|c| format!("SELECT seq FROM \"{}\"", c.table)).collect();
        let every = every.join(" UNION ALL ");
        let sql = format!("SELECT count(*) - count(DISTINCT seq) FROM ({every}) AS every");
        assert_eq!(self.number(&sql).await, 0, "records that share a seq");
        let sql = format!("SELECT count(*) FROM ({every}) AS every WHERE seq IS NULL OR seq > {last}");
        assert_eq!(self.number(&sql).await, 0, "records ahead of the book");
        for c in self.book.registry.iter() {
            let Some(columns) = c.reader_slots().map(|slots| slots.map(|slot| c.fields[slot].column.as_str())) else {
                continue;
            };
            let [owner, visible, details] = columns;
            let kinds = format!(
                "SELECT coalesce(\"{owner}\", 0) AS o, CASE WHEN \"{visible}\" THEN 1 ELSE 0 END AS v, \
                 CASE WHEN \"{details}\" THEN 1 ELSE 0 END AS d FROM \"{}\"",
                c.table
            );
            let by_row = format!("SELECT o, v, d, count(*) FROM ({kinds}) r GROUP BY o, v, d ORDER BY o, v, d");
            let by_count = format!(
                "SELECT owner, CASE WHEN visible THEN 1 ELSE 0 END AS v, CASE WHEN details THEN 1 ELSE 0 END AS d, total \
                 FROM row_counts WHERE table_name = '{}' AND total <> 0 ORDER BY owner, v, d",
                c.table
            );
            let read = async |sql: &str| {
                let rows = self.book.store.rows(Sql::new(sql)).await.unwrap();
                rows.iter().map(|row| [0, 1, 2, 3].map(|at| row.int(at))).collect::<Vec<_>>()
            };
            assert_eq!(read(&by_count).await, read(&by_row).await, "row_counts of {}", c.slug);
        }
        for (at, [other, own, source, relation]) in self.repeated() {
            let sql = format!(
                "SELECT count(*) FROM \"{other}\" o JOIN \"{at}\" s ON s.id = o.\"{relation}\" \
                 WHERE o.\"{own}\" IS DISTINCT FROM s.\"{source}\""
            );
            assert_eq!(self.number(&sql).await, 0, "{other}.{own} repeats {at}.{source}");
        }
    }

    /// Columns that repeat one of a related row: its table; their table, the two columns, and the relation.
    fn repeated(&self) -> Vec<(&'static str, [&'static str; 4])> {
        let registry = self.book.registry;
        let of = |c: &'static Collection| {
            registry.followers(c.slug).iter().filter(|f| f.part == Part::Whole).map(move |f| {
                let other = registry.get(f.collection).unwrap();
                let columns = [&other.fields[f.slot], &c.fields[f.source], &other.fields[f.relation]];
                let [own, source, relation] = columns.map(|field| field.column.as_str());
                (c.table.as_str(), [other.table.as_str(), own, source, relation])
            })
        };
        registry.iter().flat_map(of).collect()
    }

    /// Fills such columns of rows that were put into their tables past the pipeline.
    pub(crate) async fn repeat(&self) {
        for (at, [other, own, source, relation]) in self.repeated() {
            let sql = format!(
                "UPDATE \"{other}\" SET \"{own}\" = s.\"{source}\" FROM \"{at}\" s WHERE s.id = \"{other}\".\"{relation}\""
            );
            self.run(Sql::new(&sql)).await;
        }
    }

    async fn counts(&self, sql: &str) -> Vec<(i64, String, i64)> {
        let rows = self.book.store.rows(Sql::new(sql)).await.unwrap();
        let row = |r: &store::Row| (r.int(0).unwrap(), r.text(1).unwrap().to_owned(), r.int(2).unwrap());
        rows.iter().map(row).collect()
    }

    /// The single number that a statement returns.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        let rows = self.book.store.rows(Sql::new(sql)).await.unwrap();
        rows[0].int(0).unwrap()
    }

    /// The whole content of the database: equal before and after when nothing was written.
    pub(crate) async fn content(&self) -> String {
        content(&self.book.store).await
    }

    pub(crate) async fn ask(&self, request: Request<Body>) -> Answer {
        let (parts, body) = answered(&self.router, request).await;
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            text: String::from_utf8_lossy(&body).into_owned(),
            bytes: body.to_vec(),
        }
    }

    /// What a line of `ask!` does; the caller is the header `authorization`, or empty.
    pub(crate) async fn answer_to(&self, who: &str, method: &str, path: &str, body: String) -> Answer {
        let headers = [("content-type", "application/json"), ("authorization", who)];
        let headers = headers.iter().filter(|(_, value)| !value.is_empty());
        let headers: Vec<_> = headers.copied().collect();
        self.ask(request(method, path, &headers, body.into())).await
    }

    /// A request without a body.
    pub(crate) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask(request(method, path, headers, Body::empty())).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[]).await
    }

    /// A request with a JSON body.
    pub(crate) async fn post(&self, path: &str, body: impl Into<Body>) -> Answer {
        let kind = [("content-type", "application/json")];
        self.ask(request("POST", path, &kind, body.into())).await
    }

    /// Inserts a row with the given fields only, as other processes make them.
    pub(crate) async fn insert(&self, slug: &str, fields: &[(&str, Value)]) {
        let c = self.book.registry.get(slug).unwrap();
        let mut all: Vec<(String, Value)> =
            (fields.iter()).map(|(path, value)| ((*path).to_owned(), value.clone())).collect();
        all.push(("createdAt".to_owned(), Value::Time(NOW)));
        all.push(("updatedAt".to_owned(), Value::Time(NOW)));
        let job = self.book.store.write(move |tx| {
            Box::pin(async move {
                tx.note_rights_change();
                let id = all.iter().find(|(path, _)| path == "id");
                let id = id.and_then(|(_, id)| id.int()).unwrap();
                tx.reserve(&c.table, id).await?;
                all.push(("seq".to_owned(), Value::Int(tx.next_seq())));
                let mut sql = Sql::new("INSERT INTO ");
                sql.name(&c.table).push(" (");
                for (at, (path, _)) in all.iter().enumerate() {
                    sql.push(if at > 0 { ", " } else { "" });
                    sql.name(&c.field(path).unwrap().column);
                }
                sql.push(") VALUES (");
                for (at, (path, value)) in all.iter().enumerate() {
                    sql.push(if at > 0 { ", " } else { "" });
                    sql.bind(Ty::of(c.field(path).unwrap()), value.clone());
                }
                sql.push(")");
                tx.run(sql).await
            })
        });
        job.await.unwrap();
    }

    /// Runs a statement in place of a write of users, as other processes make them.
    pub(crate) async fn run(&self, sql: Sql) {
        let job = self.book.store.write(move |tx| {
            Box::pin(async move {
                tx.note_rights_change();
                tx.run(sql).await
            })
        });
        job.await.unwrap();
    }

    /// A user with the password [`PASSWORD`].
    pub(crate) async fn user(&self, id: i64, email: &str, role: &str) {
        let verifier = self.book.passwords.hash(PASSWORD).unwrap();
        self.insert(
            "users",
            &[
                ("id", Value::Int(id)),
                ("email", email.into()),
                ("verifier", verifier.into()),
                ("role", role.into()),
                ("lastName", "Smith".into()),
                ("firstName", "Ann".into()),
            ],
        )
        .await;
    }

    /// Signs in and gives the token.
    pub(crate) async fn token(&self, email: &str) -> String {
        let answer = self.login(email, PASSWORD).await;
        answer.json()["token"].as_str().expect(&answer.text).to_owned()
    }

    pub(crate) async fn login(&self, email: &str, password: &str) -> Answer {
        let body = serde_json::json!({"email": email, "password": password});
        self.post("/api/users/login", body.to_string()).await
    }

    /// Sessions and verifier of a user.
    pub(crate) async fn hidden(&self, id: i64) -> (String, String) {
        let sql = Sql::new("SELECT sessions, verifier FROM users WHERE id = ").with(Ty::Int, id);
        let rows = self.book.store.rows(sql).await.unwrap();
        let text = |at| rows[0].text(at).unwrap_or_default().to_owned();
        (text(0), text(1))
    }

    /// The number of failures under a name of a collection, and the time before which it is not tried again.
    pub(crate) async fn failures(&self, slug: &str, name: &str) -> (i64, i64) {
        let c = self.book.registry.get(slug).unwrap();
        let whose = api::sign_in::attempt::name_key(c, name);
        let sql = Sql::new("SELECT failures, until FROM sign_in_delays WHERE whose = ").with(Ty::Text, whose);
        let rows = self.book.store.rows(sql).await.unwrap();
        let number = |at| rows.first().and_then(|row| row.int(at)).unwrap_or(0);
        (number(0), number(1))
    }
}

pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: Body) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body).unwrap()
}

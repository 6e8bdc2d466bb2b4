//! The law of refusals: a refused request leaves the database as it was, bit for bit. It is judged here, for every
//! way in.

use sqlx::{Connection, SqliteConnection};
use std::collections::{BTreeMap, BTreeSet};
use store::{Dialect, Sql, Store};

/// What stands between two rows of a table, and in none of them.
const BETWEEN: char = '\u{1e}';

/// The whole content of a database, counters and logs included: equal before and after when nothing was written. A
/// line for each row, by table.
pub(crate) async fn content(store: &Store) -> String {
    read(store, &reading(store).await).await
}

/// The statement that reads the whole content. On SQLite a table is in each row: to be handed one row after the other by
/// its thread takes longer. On PostgreSQL that is the other way round.
async fn reading(store: &Store) -> String {
    let sqlite = store.dialect() == Dialect::Sqlite;
    let between = u32::from(BETWEEN);
    let tables = match sqlite {
        true => "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        false => "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'",
    };
    let mut all = Vec::new();
    for table in texts(store, tables).await {
        let rows = match sqlite {
            true => {
                let columns = format!("SELECT name FROM pragma_table_info('{table}')");
                let columns = texts(store, &columns).await.into_iter();
                let quoted = columns.map(|column| format!("quote(\"{column}\")"));
                let row = quoted.collect::<Vec<_>>().join(" || ',' || ");
                format!("group_concat('{table}: ' || {row}, char({between}))")
            }
            false => format!("'{table}: ' || row_to_json(t)::text"),
        };
        all.push(format!("SELECT coalesce({rows}, '') AS rows FROM \"{table}\" t"));
    }
    all.join(" UNION ALL ")
}

async fn read(store: &Store, sql: &str) -> String {
    let tables = texts(store, sql).await;
    let rows = tables.iter().flat_map(|table| table.split(BETWEEN));
    let mut rows: Vec<&str> = rows.filter(|row| !row.is_empty()).collect();
    rows.sort_unstable();
    rows.join("\n")
}

/// The first column of a statement.
async fn texts(store: &Store, sql: &str) -> Vec<String> {
    let rows = store.rows(Sql::new(sql)).await.unwrap();
    rows.iter().map(|r| r.text(0).unwrap().to_owned()).collect()
}

/// A database whose content is known.
pub(crate) struct KnownContent {
    store: Store,
    /// For SQLite: by a separate connection, which sees every commit of others.
    reader: Option<SqliteConnection>,
    /// Reads the content.
    reading: String,
    version: i64,
    content: String,
}

impl KnownContent {
    pub(crate) async fn new(store: &Store, url: &str) -> Self {
        let beside = match store.dialect() {
            Dialect::Sqlite => Some(SqliteConnection::connect(url).await.unwrap()),
            Dialect::Postgres => None,
        };
        let mut known = Self {
            store: store.clone(),
            reader: beside,
            reading: reading(store).await,
            version: 0,
            content: String::new(),
        };
        known.learn().await;
        known
    }

    /// Takes the present content as the expected one.
    pub(crate) async fn learn(&mut self) {
        self.version = self.committed().await;
        self.content = read(&self.store, &self.reading).await;
    }

    /// Lines that were added, and lines that were removed; `None` when nothing was written.
    pub(crate) async fn difference(&mut self) -> Option<String> {
        let version = self.committed().await;
        if self.reader.is_some() && version == self.version {
            // Nothing was committed since.
            return None;
        }
        self.version = version;
        let now = read(&self.store, &self.reading).await;
        if now == self.content {
            return None;
        }
        let before = std::mem::replace(&mut self.content, now);
        let (before, now): (BTreeSet<&str>, BTreeSet<&str>) =
            (before.lines().collect(), self.content.lines().collect());
        let gone = before.difference(&now).map(|line| format!("- {line}"));
        let come = now.difference(&before).map(|line| format!("+ {line}"));
        Some(gone.chain(come).take(12).collect::<Vec<_>>().join("\n"))
    }

    async fn committed(&mut self) -> i64 {
        match &mut self.reader {
            Some(beside) => {
                let version = sqlx::query_scalar("PRAGMA data_version");
                version.fetch_one(beside).await.unwrap()
            }
            None => 0,
        }
    }
}

/// The outcome of a request: whether it was accepted, and the answer in a line.
pub(crate) type RequestOutcome = (bool, String);

/// The judge of a book.
pub(crate) struct Judge {
    store: Store,
    known: KnownContent,
    /// Refusals by way and answer.
    cases: BTreeMap<String, usize>,
    differences: Vec<String>,
    /// Of the statements of a request, every so manieth is broken.
    every: usize,
    turn: usize,
}

impl Judge {
    pub(crate) async fn new(store: &Store, url: &str, every: usize) -> Self {
        Self {
            store: store.clone(),
            known: KnownContent::new(store, url).await,
            cases: BTreeMap::new(),
            differences: Vec::new(),
            every,
            turn: 0,
        }
    }

    /// Tries a request that may be refused. If it is, the book must be unchanged. Returns whether it was accepted.
    pub(crate) async fn tried(&mut self, way: &str, case: &str, asking: &impl AsyncFn() -> RequestOutcome) -> bool {
        let outcome = asking().await;
        self.judged(way, case, &outcome).await
    }

    /// Tries a request that is broken at its statements, one at a time, and then unbroken. Returns
    /// whether it was accepted in the end.
    pub(crate) async fn broken(&mut self, way: &str, case: &str, asking: &impl AsyncFn() -> RequestOutcome) -> bool {
        self.turn += 1;
        let mut at = 1 + self.turn % self.every;
        loop {
            self.store.failpoint().set(u64::try_from(at).unwrap());
            let outcome = asking().await;
            let remaining = self.store.failpoint().remaining();
            self.store.failpoint().set(0);
            if remaining > 0 {
                return self.judged(way, case, &outcome).await;
            }
            let case = format!("{case} broken at {at}");
            if self.judged(&format!("{way}, broken"), &case, &outcome).await {
                self.differences.push(format!("{case}: let in all the same: {}", outcome.1));
                return true;
            }
            at += self.every;
        }
    }

    /// Requests that change nothing, with any answer.
    pub(crate) async fn looked(&mut self, way: &str, case: &str, outcome: &RequestOutcome) {
        self.untouched(way, case, outcome).await;
    }

    async fn judged(&mut self, way: &str, case: &str, outcome: &RequestOutcome) -> bool {
        match outcome.0 {
            true => self.known.learn().await,
            false => self.untouched(way, case, outcome).await,
        }
        outcome.0
    }

    async fn untouched(&mut self, way: &str, case: &str, (_, text): &RequestOutcome) {
        let status = text.split(' ').next().unwrap_or_default();
        *self.cases.entry(format!("{way} {status}")).or_default() += 1;
        if let Some(difference) = self.known.difference().await {
            let [case, text] = [case, text].map(|t| t.chars().take(400).collect::<String>());
            self.differences.push(format!("{way}: {case}\n  {text}\n{difference}"));
        }
    }

    pub(crate) fn conclude(self, least: usize) {
        let cases: usize = self.cases.values().sum();
        eprintln!("{cases} refusals: {:#?}", self.cases);
        let list = self.differences.iter().take(30).cloned();
        let list = list.collect::<Vec<_>>().join("\n\n");
        let count = self.differences.len();
        assert!(count == 0, "{count} refusals left a trace:\n{list}");
        assert!(cases >= least, "{cases} cases");
    }
}

#[tokio::test]
async fn what_was_written_is_told_by_its_row_and_nothing_else_is() {
    for fixture in crate::support::fixture::Fixture::both().await {
        let store = &fixture.book.store;
        let mut known = KnownContent::new(store, fixture.url()).await;
        assert_eq!(known.difference().await, None);
        let sql = "INSERT INTO book_settings (name, value) VALUES ('law', 'of refusals')";
        let done = store.write(move |tx| Box::pin(async move { tx.run(Sql::new(sql).one_off()).await }));
        done.await.unwrap();
        let difference = known.difference().await.unwrap();
        assert!(difference.contains("+ book_settings: "), "{difference}");
        assert!(difference.contains("of refusals"), "{difference}");
        assert_eq!(known.difference().await, None);
    }
}

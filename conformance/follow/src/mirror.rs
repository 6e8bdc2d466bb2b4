//! The mirror: a SQLite file with the documents of a set, and the position of its reader.
//!
//! A page and its token are stored in one transaction, so that a program that is stopped at any
//! moment goes on from the last whole page.

use crate::error::{Error, Result};
use feed_oracle::{Key, Resource, State, Violation, nanoseconds};
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Row, SqlitePool};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Marks a file as a mirror (`PRAGMA application_id`).
const APPLICATION: i64 = 0x4144_4546;

const TABLES: &str = "
CREATE TABLE documents (
    -- Type, location (where it counts), meta.source and meta.sourceId, as JSON.
    identity TEXT PRIMARY KEY,
    resource_type TEXT NOT NULL,
    location_scheme TEXT NOT NULL,
    location TEXT NOT NULL,
    source TEXT NOT NULL,
    source_id TEXT NOT NULL,
    -- meta.modified, as it was sent.
    modified TEXT,
    -- 1 for a tombstone.
    deleted INTEGER NOT NULL,
    -- Of the content, for the oracle.
    print TEXT NOT NULL,
    -- In which reading from the beginning it came last.
    round INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX documents_of_location ON documents (resource_type, location_scheme, location);
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    url TEXT NOT NULL,
    dataset TEXT NOT NULL,
    profile TEXT NOT NULL,
    -- What is stored, as JSON: types and location.
    choice TEXT NOT NULL,
    -- Where to go on; NULL: from the beginning.
    token TEXT,
    round INTEGER NOT NULL,
    -- 1 once the present round was read to its end.
    whole INTEGER NOT NULL,
    -- Latest meta.modified along the chain, in nanoseconds since 1970.
    latest TEXT,
    pages INTEGER NOT NULL,
    resources INTEGER NOT NULL
) STRICT;
CREATE TABLE violations (
    id INTEGER PRIMARY KEY,
    page INTEGER NOT NULL,
    kind TEXT NOT NULL,
    words TEXT NOT NULL
) STRICT;
PRAGMA user_version = 1;
";

/// The subject of a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) url: String,
    pub(crate) dataset: String,
    pub(crate) profile: String,
    pub(crate) choice: String,
}

/// The position of its reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) token: Option<String>,
    pub(crate) round: i64,
    pub(crate) whole: bool,
    pub(crate) latest: Option<i128>,
    pub(crate) pages: i64,
    pub(crate) resources: i64,
}

/// Numbers of a mirror.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Documents that are there.
    pub documents: u64,
    /// Tombstones.
    pub deleted: u64,
    /// Pages that were read so far.
    pub pages: u64,
    /// Resources on them.
    pub resources: u64,
    /// Violations that were found so far.
    pub violations: u64,
}

/// A document of a mirror.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub resource_type: String,
    /// `scheme/id` of its location.
    pub location: String,
    /// `meta.source`.
    pub source: String,
    /// `meta.sourceId`.
    pub source_id: String,
    /// Whether it is a tombstone.
    pub deleted: bool,
    /// As it came.
    pub body: Value,
}

/// An open mirror.
#[derive(Debug, Clone)]
pub struct Mirror {
    pool: SqlitePool,
    path: PathBuf,
}

impl Mirror {
    /// Opens an existing mirror.
    ///
    /// # Errors
    /// [`Error::Mirror`] when there is none.
    pub async fn open(path: &Path) -> Result<Self> {
        let mirror = Self::connect(path, false).await?;
        if mirror.standing_of(None).await?.is_none() {
            return Err(Error::OtherMirror(format!("{} is no mirror", path.display())));
        }
        Ok(mirror)
    }

    async fn connect(path: &Path, create: bool) -> Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(create)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(Duration::from_secs(20));
        let pool = SqlitePoolOptions::new().max_connections(2);
        let pool = pool.connect_with(options).await;
        let pool = pool.map_err(|why| Error::Mirror(format!("{}: {why}", path.display())))?;
        Ok(Self { pool, path: path.to_owned() })
    }

    /// Opens or makes the mirror of a subject; refuses that of another one.
    pub(crate) async fn of(path: &Path, subject: &Subject) -> Result<Self> {
        let mirror = Self::connect(path, true).await?;
        match mirror.standing_of(Some(subject)).await? {
            Some(_) => {}
            None => mirror.make(subject).await?,
        }
        Ok(mirror)
    }

    async fn make(&self, subject: &Subject) -> Result<()> {
        let mut work = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::raw_sql(TABLES).execute(&mut *work).await?;
        let mark = format!("PRAGMA application_id = {APPLICATION}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(mark)).execute(&mut *work).await?;
        let insert = "INSERT INTO state (id, url, dataset, profile, choice, token, round, whole, \
            latest, pages, resources) VALUES (1, ?, ?, ?, ?, NULL, 1, 0, NULL, 0, 0)";
        sqlx::query(insert)
            .bind(&subject.url)
            .bind(&subject.dataset)
            .bind(&subject.profile)
            .bind(&subject.choice)
            .execute(&mut *work)
            .await?;
        work.commit().await?;
        Ok(())
    }

    /// The position of the reader, if this is a mirror; refuses other files, and mirrors of another subject.
    async fn standing_of(&self, subject: Option<&Subject>) -> Result<Option<Standing>> {
        let name = self.path.display();
        let marks = "SELECT (SELECT application_id FROM pragma_application_id), \
            (SELECT count(*) FROM sqlite_schema), (SELECT user_version FROM pragma_user_version)";
        let row = sqlx::query(marks).fetch_one(&self.pool).await;
        let row = row.map_err(|why| Error::OtherMirror(format!("{name} is no mirror: {why}")))?;
        let (mark, tables, version): (i64, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        if tables == 0 {
            return Ok(None);
        }
        if mark != APPLICATION || version != 1 {
            let why = format!("{name} is a database, but no mirror that this version knows");
            return Err(Error::OtherMirror(why));
        }
        let Some(subject) = subject else {
            return self.standing().await.map(Some);
        };
        let row = sqlx::query("SELECT url, dataset, profile, choice FROM state");
        let row = row.fetch_one(&self.pool).await?;
        let has: [String; 4] = [row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?];
        let wanted = [&subject.url, &subject.dataset, &subject.profile, &subject.choice];
        let words = ["address", "data set", "profile", "choice of types and location"];
        for ((has, wanted), word) in has.iter().zip(wanted).zip(words) {
            if has != wanted {
                let why = format!("{name} mirrors the {word} {has}, not {wanted}: name another file, or remove it");
                return Err(Error::OtherMirror(why));
            }
        }
        self.standing().await.map(Some)
    }

    pub(crate) async fn standing(&self) -> Result<Standing> {
        let sql = "SELECT token, round, whole, latest, pages, resources FROM state";
        let row = sqlx::query(sql).fetch_one(&self.pool).await?;
        let latest: Option<String> = row.try_get(3)?;
        Ok(Standing {
            token: row.try_get(0)?,
            round: row.try_get(1)?,
            whole: row.try_get::<i64, _>(2)? != 0,
            latest: latest.and_then(|text| text.parse().ok()),
            pages: row.try_get(4)?,
            resources: row.try_get(5)?,
        })
    }

    /// The stored states of the resources of a page, from this round.
    pub(crate) async fn held(&self, round: i64, page: &[Resource]) -> Result<BTreeMap<Key, State>> {
        let keys: BTreeMap<String, &Key> = page.iter().map(|r| (identity(&r.key), &r.key)).collect();
        let list = Value::from_iter(keys.keys().cloned()).to_string();
        let sql = "SELECT d.identity, d.modified, d.deleted, d.print \
            FROM json_each(?) j JOIN documents d ON d.identity = j.value WHERE d.round = ?";
        let rows = sqlx::query(sql).bind(list).bind(round).fetch_all(&self.pool).await?;
        let mut documents = BTreeMap::new();
        for row in rows {
            let name: String = row.try_get(0)?;
            let modified: Option<String> = row.try_get(1)?;
            let print: String = row.try_get(3)?;
            if let Some(key) = keys.get(&name) {
                let state = State {
                    modified: modified.as_deref().and_then(nanoseconds),
                    deleted: row.try_get::<i64, _>(2)? != 0,
                    print: u128::from_str_radix(&print, 16).unwrap_or(0),
                };
                documents.insert((*key).clone(), state);
            }
        }
        Ok(documents)
    }

    /// Stores a page and its token in one transaction; returns how many documents were removed
    /// because the round that ends did not mention them.
    pub(crate) async fn apply(&self, before: &Standing, page: &Taken<'_>) -> Result<u64> {
        let mut work = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let update = "UPDATE state SET token = ?, round = ?, whole = ?, latest = ?, \
            pages = pages + 1, resources = resources + ? WHERE token IS ? AND pages = ?";
        let after = &page.after;
        let done = sqlx::query(update)
            .bind(&after.token)
            .bind(after.round)
            .bind(i64::from(after.whole))
            .bind(after.latest.map(|latest| latest.to_string()))
            .bind(after.resources - before.resources)
            .bind(&before.token)
            .bind(before.pages)
            .execute(&mut *work)
            .await?;
        if done.rows_affected() != 1 {
            // Another follower stored a page, or one that was dropped while it stored: the next
            // attempt reads the page after that one.
            return Err(Error::later("the mirror was moved on by another follower"));
        }
        // In rows of JSON: one statement for a page.
        let rows: Vec<Value> = page.resources.iter().map(|r| row(r)).collect();
        let insert = "INSERT INTO documents (identity, resource_type, location_scheme, location, \
            source, source_id, modified, deleted, print, body, round) \
            SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, \
            value ->> 6, value ->> 7, value ->> 8, value ->> 9, ?2 FROM json_each(?1) WHERE true \
            ON CONFLICT (identity) DO UPDATE SET \
            location_scheme = excluded.location_scheme, location = excluded.location, \
            modified = excluded.modified, deleted = excluded.deleted, print = excluded.print, \
            body = excluded.body, round = excluded.round";
        sqlx::query(insert).bind(Value::from(rows).to_string()).bind(after.round).execute(&mut *work).await?;
        for violation in page.violations {
            sqlx::query("INSERT INTO violations (page, kind, words) VALUES (?, ?, ?)")
                .bind(after.pages)
                .bind(violation.kind.code())
                .bind(&violation.words)
                .execute(&mut *work)
                .await?;
        }
        let mut removed = 0;
        if after.whole && !before.whole {
            let delete = sqlx::query("DELETE FROM documents WHERE round <> ?").bind(after.round);
            removed = delete.execute(&mut *work).await?.rows_affected();
        }
        work.commit().await?;
        Ok(removed)
    }

    /// Reads from the beginning next time; the stored documents stay until that is done.
    pub(crate) async fn anew(&self) -> Result<()> {
        let sql = "UPDATE state SET token = NULL, round = round + 1, whole = 0, latest = NULL, \
            pages = pages + 1";
        sqlx::query(sql).execute(&self.pool).await?;
        Ok(())
    }

    /// Its numbers.
    ///
    /// # Errors
    /// [`Error::Mirror`]
    pub async fn counts(&self) -> Result<Counts> {
        let sql = "SELECT (SELECT count(*) FROM documents WHERE deleted = 0), \
            (SELECT count(*) FROM documents WHERE deleted = 1), pages, resources, \
            (SELECT count(*) FROM violations) FROM state";
        let row = sqlx::query(sql).fetch_one(&self.pool).await?;
        let number = |at: usize| -> Result<u64> { Ok(u64::try_from(row.try_get::<i64, _>(at)?).unwrap_or(0)) };
        Ok(Counts {
            documents: number(0)?,
            deleted: number(1)?,
            pages: number(2)?,
            resources: number(3)?,
            violations: number(4)?,
        })
    }

    /// Whether it was read to the end since the last beginning.
    ///
    /// # Errors
    /// [`Error::Mirror`]
    pub async fn is_whole(&self) -> Result<bool> {
        Ok(self.standing().await?.whole)
    }

    /// The live documents of a type, by identity, after one; at most so many.
    ///
    /// # Errors
    /// [`Error::Mirror`]
    pub async fn documents(&self, resource_type: &str, after: Option<&Document>, limit: u32) -> Result<Vec<Document>> {
        let sql = "SELECT resource_type, location_scheme || '/' || location, source, source_id, \
            deleted, body FROM documents WHERE deleted = 0 AND resource_type = ?1 \
            AND (location_scheme || '/' || location, source, source_id) > (?2, ?3, ?4) \
            ORDER BY location_scheme || '/' || location, source, source_id LIMIT ?5";
        let last = after.map(|d| (d.location.as_str(), d.source.as_str(), d.source_id.as_str()));
        let (location, source, source_id) = last.unwrap_or_default();
        let rows = sqlx::query(sql)
            .bind(resource_type)
            .bind(location)
            .bind(source)
            .bind(source_id)
            .bind(limit)
            .fetch_all(&self.pool)
            .await?;
        let read = |row: &sqlx::sqlite::SqliteRow| -> Result<Document> {
            let body: String = row.try_get(5)?;
            let body = serde_json::from_str(&body).map_err(|why| Error::Mirror(why.to_string()))?;
            Ok(Document {
                resource_type: row.try_get(0)?,
                location: row.try_get(1)?,
                source: row.try_get(2)?,
                source_id: row.try_get(3)?,
                deleted: row.try_get::<i64, _>(4)? != 0,
                body,
            })
        };
        rows.iter().map(read).collect()
    }

    /// The first violations that were found.
    ///
    /// # Errors
    /// [`Error::Mirror`]
    pub async fn violations(&self, limit: u32) -> Result<Vec<String>> {
        let sql = "SELECT 'page ' || page || ': ' || kind || ': ' || words FROM violations \
            ORDER BY id LIMIT ?";
        let rows = sqlx::query_scalar(sql).bind(limit).fetch_all(&self.pool).await?;
        Ok(rows)
    }

    /// Closes the file.
    pub async fn close(self) {
        self.pool.close().await;
    }
}

/// A page to be stored.
pub(crate) struct Taken<'p> {
    pub(crate) resources: Vec<&'p Resource>,
    pub(crate) violations: &'p [Violation],
    pub(crate) after: Standing,
}

fn identity(key: &Key) -> String {
    json!(key.parts()).to_string()
}

fn row(resource: &Resource) -> Value {
    let [kind, _, source, id] = resource.key.parts();
    let text = |pointer: &str| resource.body.pointer(pointer).and_then(Value::as_str);
    json!([
        identity(&resource.key),
        kind,
        text("/location/scheme"),
        text("/location/id"),
        source,
        id,
        text("/meta/modified"),
        i64::from(resource.state.deleted),
        format!("{:032x}", resource.state.print),
        resource.body.to_string(),
    ])
}

//! The counted hours in the book: added to, read, and deleted when they are old.

use super::{Class, Client, Counts, HOUR, Key, Memory, Position, RETENTION, Reader, Traffic};
use indexmap::IndexMap;
use model::error::Result;
use model::record::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Row, Sql, Store, Tx, Ty, pieces};

/// Clients in one answer: those that called last.
const CLIENTS: usize = 500;
/// Positions in feeds in one answer: those that moved last.
const READINGS: usize = 200;

/// What all clients together did within an hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hour {
    /// Its beginning, epoch milliseconds.
    pub at: i64,
    pub counts: Counts,
}

/// What a client did since a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    pub client: Client,
    pub face: String,
    /// The first hour with a request, epoch milliseconds.
    pub first: i64,
    pub counts: Counts,
}

/// How far a client has read a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The client's account.
    pub user: i64,
    /// The client's organisation.
    pub organization: Option<i64>,
    pub dataset: Arc<str>,
    /// The sequence number that was delivered last.
    pub seq: i64,
    /// When, epoch milliseconds.
    pub at: i64,
}

/// Everything that was counted since a time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// By hour, each of them, oldest first.
    pub hours: Vec<Hour>,
    /// By client and face, who called last first.
    pub clients: Vec<Sum>,
    /// How far feeds were read, the last first.
    pub readings: Vec<Reading>,
}

const ADDED: [&str; 5] = ["requests", "polls", "not_modified", "errors", "limited"];

impl Traffic {
    /// Adds what was counted to the book, and deletes old hours once an hour. What cannot be
    /// written is added the next time.
    pub async fn fold(&self, store: &Store, now: i64) -> Result<()> {
        let _alone = self.writing.lock().await;
        let hour = now.div_euclid(HOUR);
        let (taken, sweep) = {
            let mut memory = self.memory();
            let sweep = memory.swept != hour;
            let swept = std::mem::replace(&mut memory.swept, hour);
            let taken = Memory {
                counts: std::mem::take(&mut memory.counts),
                progress: std::mem::take(&mut memory.progress),
                swept,
            };
            (Arc::new(taken), sweep)
        };
        if taken.counts.is_empty() && taken.progress.is_empty() && !sweep {
            return Ok(());
        }
        let written = Arc::clone(&taken);
        let done = store.write(move |tx| {
            Box::pin(async move {
                add(tx, &written.counts).await?;
                note(tx, &written.progress).await?;
                match sweep {
                    true => forget(tx, now.saturating_sub(RETENTION)).await,
                    false => Ok(()),
                }
            })
        });
        done.await.inspect_err(|_| self.put_back(&taken))
    }

    fn put_back(&self, taken: &Memory) {
        let mut memory = self.memory();
        memory.swept = taken.swept;
        for (key, counts) in &taken.counts {
            memory.counts.entry(*key).or_default().add(counts);
        }
        for (reader, position) in &taken.progress {
            // What came meanwhile is newer.
            memory.progress.entry(reader.clone()).or_insert(*position);
        }
    }

    /// The counts that all processes wrote, and this one counted, within this number of hours up to now.
    pub async fn totals(&self, store: &Store, now: i64, hours: i64) -> Result<Totals> {
        let this_hour = now - now.rem_euclid(HOUR);
        let since = this_hour - (hours - 1) * HOUR;
        // Nothing is moved to the book between this and what is read there.
        let _still = self.writing.lock().await;
        let mut by_hour: BTreeMap<i64, Counts> = (0..hours).map(|n| (since + n * HOUR, Counts::default())).collect();
        let mut clients: IndexMap<(Client, String), (i64, Counts)> = IndexMap::new();
        let mut readings: IndexMap<Reader, Position> = IndexMap::new();
        for row in store.rows(hours_since(since)).await? {
            let at = row.int(0).unwrap_or_default();
            by_hour.entry(at).or_default().add(&counted(&row, 1));
        }
        for row in store.rows(clients_since(since)).await? {
            let counts = Counts {
                last: row.int(11).unwrap_or_default(),
                last_error: row.text(12).map(str::to_owned),
                agent: row.text(13).map(str::to_owned),
                ..counted(&row, 6)
            };
            let face = row.text(4).unwrap_or_default().to_owned();
            let first = row.int(5).unwrap_or(since);
            clients.insert((client(&row), face), (first, counts));
        }
        for row in store.rows(readings_since(since)).await? {
            let reader = (
                row.int(0).unwrap_or_default(),
                row.int(1).unwrap_or_default(),
                row.text(2).unwrap_or_default().into(),
            );
            let position = Position { seq: row.int(3).unwrap_or_default(), at: row.int(4).unwrap_or_default() };
            readings.insert(reader, position);
        }
        {
            let memory = self.memory();
            for ((hour, client, face), counts) in &memory.counts {
                if *hour < since {
                    continue;
                }
                by_hour.entry(*hour).or_default().add(counts);
                let place = (*client, (*face).to_owned());
                let (first, sum) = clients.entry(place).or_insert((*hour, Counts::default()));
                *first = *hour.min(first);
                sum.add(counts);
            }
            for (reader, position) in &memory.progress {
                readings.insert(reader.clone(), *position);
            }
        }
        Ok(Totals {
            hours: (by_hour.into_iter()).map(|(at, counts)| Hour { at, counts }).collect(),
            clients: latest(clients),
            readings: newest(readings),
        })
    }
}

fn latest(clients: IndexMap<(Client, String), (i64, Counts)>) -> Vec<Sum> {
    let sums = clients.into_iter();
    let mut sums: Vec<Sum> =
        sums.map(|((client, face), (first, counts))| Sum { client, face, first, counts }).collect();
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.counts.last));
    sums.truncate(CLIENTS);
    sums
}

fn newest(readings: IndexMap<Reader, Position>) -> Vec<Reading> {
    let all = readings.into_iter();
    let mut all: Vec<Reading> = all
        .map(|((user, organization, dataset), position)| Reading {
            user,
            organization: (organization != 0).then_some(organization),
            dataset,
            seq: position.seq,
            at: position.at,
        })
        .collect();
    all.sort_by_key(|reading| std::cmp::Reverse(reading.at));
    all.truncate(READINGS);
    all
}

fn counted(row: &Row, from: usize) -> Counts {
    let number = |at: usize| row.int(from + at).unwrap_or_default();
    Counts {
        requests: number(0),
        polls: number(1),
        not_modified: number(2),
        errors: number(3),
        limited: number(4),
        ..Counts::default()
    }
}

fn client(row: &Row) -> Client {
    let some = |at: usize| row.int(at).filter(|id| *id != 0);
    Client {
        class: Class::read(row.text(0).unwrap_or_default()),
        organization: some(1),
        user: some(2),
        by_key: row.truth(3).unwrap_or_default(),
    }
}

/// Sums of what is added, as whole numbers on both databases.
fn sums() -> String {
    let sum = |name: &&str| format!("CAST(sum({name}) AS bigint) AS {name}");
    ADDED.iter().map(sum).collect::<Vec<_>>().join(", ")
}

fn hours_since(since: i64) -> Sql {
    Sql::new(&format!("SELECT hour, {} FROM exchange_traffic WHERE hour >= ", sums()))
        .with(Ty::Int, since)
        .and(" GROUP BY hour")
}

fn clients_since(since: i64) -> Sql {
    let last = |sql: Sql, column: &str| {
        sql.and(&format!(", (SELECT t.{column} FROM exchange_traffic t "))
            .and("WHERE t.account = c.account AND t.organization = c.organization ")
            .and("AND t.by_key = c.by_key AND t.face = c.face AND t.class = c.class ")
            .and(&format!("AND t.{column} IS NOT NULL AND t.hour >= "))
            .with(Ty::Int, since)
            .and(" ORDER BY t.hour DESC LIMIT 1)")
    };
    let limit = i64::try_from(CLIENTS).unwrap_or(i64::MAX);
    let sql = last(Sql::new("SELECT c.*"), "last_error");
    last(sql, "agent")
        .and(" FROM (SELECT class, organization, account, by_key, face, min(hour) AS first_hour, ")
        .and(&sums())
        .and(", max(last_at) AS last_at FROM exchange_traffic WHERE hour >= ")
        .with(Ty::Int, since)
        .and(" GROUP BY class, organization, account, by_key, face ORDER BY max(last_at) DESC LIMIT ")
        .with(Ty::Int, limit)
        .and(") AS c")
}

fn readings_since(since: i64) -> Sql {
    let limit = i64::try_from(READINGS).unwrap_or(i64::MAX);
    Sql::new("SELECT account, organization, dataset, seq, told_at FROM exchange_readers ")
        .and("WHERE told_at >= ")
        .with(Ty::Int, since)
        .and(" ORDER BY told_at DESC LIMIT ")
        .with(Ty::Int, limit)
}

async fn add(tx: &mut Tx, counts: &IndexMap<Key, Counts>) -> Result<()> {
    let rows: Vec<(&Key, &Counts)> = counts.iter().collect();
    for piece in pieces(&rows, 14) {
        let mut sql = Sql::new(
            "INSERT INTO exchange_traffic (account, organization, by_key, face, hour, class, \
             requests, polls, not_modified, errors, limited, last_at, last_error, agent) VALUES ",
        );
        for (at, ((hour, client, face), counts)) in piece.iter().enumerate() {
            sql.push(if at > 0 { ",(" } else { "(" });
            sql.bind(Ty::Int, client.user.unwrap_or(0)).push(",");
            sql.bind(Ty::Int, client.organization.unwrap_or(0)).push(",");
            sql.bind(Ty::Bool, client.by_key).push(",");
            sql.bind(Ty::Text, *face).push(",");
            sql.bind(Ty::Int, *hour).push(",");
            sql.bind(Ty::Text, client.class.word());
            for number in
                [counts.requests, counts.polls, counts.not_modified, counts.errors, counts.limited, counts.last]
            {
                sql.push(",").bind(Ty::Int, number);
            }
            for text in [&counts.last_error, &counts.agent] {
                let value = text.clone().map_or(Value::Null, Value::Text);
                sql.push(",").bind(Ty::Text, value);
            }
            sql.push(")");
        }
        sql.push(" ON CONFLICT (account, organization, by_key, face, hour, class) DO UPDATE SET ");
        for name in ADDED {
            sql.push(&format!("{name} = exchange_traffic.{name} + excluded.{name}, "));
        }
        sql.push(
            "last_at = CASE WHEN excluded.last_at > exchange_traffic.last_at \
             THEN excluded.last_at ELSE exchange_traffic.last_at END, \
             last_error = coalesce(excluded.last_error, exchange_traffic.last_error), \
             agent = coalesce(excluded.agent, exchange_traffic.agent)",
        );
        tx.run(sql).await?;
    }
    Ok(())
}

async fn note(tx: &mut Tx, progress: &IndexMap<Reader, Position>) -> Result<()> {
    let rows: Vec<(&Reader, &Position)> = progress.iter().collect();
    for piece in pieces(&rows, 5) {
        let rows = piece.iter().map(|((user, organization, dataset), position)| {
            let numbers = [*user, *organization, position.seq, position.at];
            let [user, organization, seq, at] = numbers.map(Value::Int);
            [user, organization, Value::from(&**dataset), seq, at]
        });
        let types = [Ty::Int, Ty::Int, Ty::Text, Ty::Int, Ty::Int];
        let into = "exchange_readers (account, organization, dataset, seq, told_at)";
        let mut sql = Sql::insert(into, types, rows);
        sql.push(
            " ON CONFLICT (account, organization, dataset) DO UPDATE SET \
             seq = CASE WHEN excluded.told_at >= exchange_readers.told_at \
             THEN excluded.seq ELSE exchange_readers.seq END, \
             told_at = CASE WHEN excluded.told_at >= exchange_readers.told_at \
             THEN excluded.told_at ELSE exchange_readers.told_at END",
        );
        tx.run(sql).await?;
    }
    Ok(())
}

async fn forget(tx: &mut Tx, before: i64) -> Result<()> {
    for (table, column) in [("exchange_traffic", "hour"), ("exchange_readers", "told_at")] {
        let sql = Sql::new(&format!("DELETE FROM {table} WHERE {column} < "));
        tx.run(sql.with(Ty::Int, before)).await?;
    }
    Ok(())
}

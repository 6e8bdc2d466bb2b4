//! Statements that read: their time limits, and what becomes of connections whose other end is gone.

use super::terms::{self, StatementTerms, StatementTimer};
use crate::readers::{ConnectionRequirements, Limit, PooledConnection};
use crate::sql::ReadyStatement;
use crate::{Readers, Row, Sql, Store, failed, postgres, sqlite, versions};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, poll};
use model::error::{Error, Result};
use sqlx::AssertSqlSafe;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// What a long statement wants: it cannot be sent again, and its time is measured here.
const LONG: ConnectionRequirements = ConnectionRequirements { limit: Limit::Never, checked: true };

impl Store {
    /// Rows of a statement that reads.
    ///
    /// # Errors
    /// [`Error::Late`] when it takes longer than the terms of the request allow,
    /// [`Error::Overloaded`] when no connection is free in time; when the database refuses.
    pub async fn rows(&self, sql: Sql) -> Result<Vec<Row>> {
        versions::depends_on(&sql);
        let terms = self.terms();
        Box::pin(self.fetch(sql, terms.as_deref())).await
    }

    pub(crate) async fn fetch(&self, sql: Sql, terms: Option<&StatementTerms>) -> Result<Vec<Row>> {
        // A list that is written while it is read, after its handler ended, has the time of a long one.
        let limit = match (terms, terms::current()) {
            (None, _) => Limit::Never,
            (Some(terms), Some(_)) => Limit::After(terms.next_limit()?),
            (Some(terms), None) => Limit::After(terms.each),
        };
        self.fetch_within(sql, terms, limit).await
    }

    /// Rows of a short statement of the server itself.
    pub(crate) async fn rows_unlimited(&self, sql: Sql) -> Result<Vec<Row>> {
        self.fetch_within(sql, None, Limit::Any).await
    }

    pub(crate) async fn fetch_within(
        &self,
        sql: Sql,
        terms: Option<&StatementTerms>,
        limit: Limit,
    ) -> Result<Vec<Row>> {
        let statement = sql.into_ready(self.dialect());
        // For a connection that was lent unchecked, and whose other end is gone.
        let retry = match self.readers {
            Readers::Postgres(..) => Some(statement.clone()),
            Readers::Sqlite(_) => None,
        };
        let [unchecked, checked] = [false, true].map(|checked| ConnectionRequirements { limit, checked });
        let rows = match (self.attempt(statement, terms, unchecked).await?, retry) {
            (Err(error), Some(retry)) if postgres::is_lost(&error) => self.attempt(retry, terms, checked).await?,
            (rows, _) => rows,
        };
        rows.map_err(failed).inspect_err(|error| self.writer.unwritable().note(error))
    }

    /// What the database says to a statement.
    async fn attempt(
        &self,
        statement: ReadyStatement,
        terms: Option<&StatementTerms>,
        requirements: ConnectionRequirements,
    ) -> Result<Result<Vec<Row>, sqlx::Error>> {
        let ReadyStatement { text, binds, keep } = statement;
        let text = AssertSqlSafe(text);
        self.count_wait();
        let permit = self.shares.acquire(terms, false).await?;
        // The same for each driver, whose types differ.
        macro_rules! rows {
            ($readers:expr, $bind:path, $row:path, $is_lost:expr) => {{
                let q = binds.into_iter().fold(sqlx::query(text), $bind);
                let mut connection = PooledConnection::acquire(&$readers.pool, permit, terms, requirements).await?;
                let running = StatementTimer::under(terms);
                let conn = &mut connection.begin(requirements.limit.time())?.conn;
                let rows = q.persistent(keep).fetch_all(conn).await;
                drop(running);
                match &rows {
                    Err(error) if $is_lost(error) => connection.discard(),
                    _ => connection.release(),
                }
                if let (Ok(rows), Some(terms)) = (&rows, terms) {
                    terms.count_rows(rows.len());
                }
                rows.map(|rows| rows.into_iter().map($row).collect())
            }};
        }
        Ok(match &self.readers {
            Readers::Sqlite(readers) => rows!(readers, sqlite::bind, Row::Sqlite, |_| false),
            Readers::Postgres(readers, _) => rows!(readers, postgres::bind, Row::Postgres, postgres::is_lost),
        })
    }

    /// The rows of a statement one by one as they arrive, with back-pressure; holds one connection.
    pub fn stream(&self, sql: Sql) -> BoxStream<'static, Result<Row>> {
        versions::depends_on(&sql);
        let ReadyStatement { text, binds, keep } = sql.into_ready(self.dialect());
        let text = AssertSqlSafe(text);
        self.count_wait();
        let (terms, shares) = (self.terms(), Arc::clone(&self.shares));
        let unwritable = self.writer.unwritable();
        // The same for each driver, whose types differ.
        macro_rules! rows {
            ($readers:expr, $bind:path, $row:path) => {{
                let readers = $readers;
                Box::pin(async_stream::try_stream! {
                    let terms = terms.as_deref();
                    let q = binds.into_iter().fold(sqlx::query(text), $bind);
                    let permit = shares.acquire(terms, true).await?;
                    // How long its reader takes is no time of the statement: what is waited for is measured here.
                    let mut connection = PooledConnection::acquire(&readers.pool, permit, terms, LONG).await?;
                    let mut last = None;
                    {
                        let conn = &mut connection.reader()?.conn;
                        let mut left = terms.map(|terms| terms.whole);
                        let mut rested = Duration::ZERO;
                        let mut rows = q.persistent(keep).fetch(conn);
                        let mut next = in_time(rows.next(), terms, &mut left).await?;
                        while let Some(row) = next.take() {
                            let row = row.map_err(failed);
                            let row = $row(row.inspect_err(|error| unwritable.note(error))?);
                            next = in_time(rows.next(), terms, &mut left).await?;
                            match next {
                                Some(_) => {
                                    let since = Instant::now();
                                    yield row;
                                    rested += since.elapsed();
                                    if shares.is_overdue(terms, rested) {
                                        Err(Error::Late)?;
                                    }
                                }
                                None => last = Some(row),
                            }
                        }
                    }
                    // Given back before the last row is: who takes just as many as there are
                    // never asks for more, and is not one who went away.
                    connection.release();
                    if let Some(row) = last {
                        yield row;
                    }
                })
            }};
        }
        match self.readers.clone() {
            Readers::Sqlite(readers) => rows!(readers, sqlite::bind, Row::Sqlite),
            Readers::Postgres(readers, _) => rows!(readers, postgres::bind, Row::Postgres),
        }
    }
}

/// The next row, if it comes in time; `left` is what all of them may still take.
async fn in_time<T>(
    next: impl Future<Output = T>,
    terms: Option<&StatementTerms>,
    time_left: &mut Option<Duration>,
) -> Result<T> {
    let (Some(terms), Some(time_left)) = (terms, time_left) else { return Ok(next.await) };
    let running = StatementTimer::under(Some(terms));
    let mut next = pin!(next);
    // Most rows are there already, and need no timer.
    let row = match poll!(next.as_mut()) {
        Poll::Ready(row) => Ok(row),
        Poll::Pending => timeout(terms.each.min(*time_left), next).await,
    };
    *time_left = time_left.saturating_sub(running.time());
    terms.count_rows(1);
    row.map_err(|_| Error::Late)
}

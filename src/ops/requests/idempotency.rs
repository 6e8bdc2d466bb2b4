//! Idempotent writes (`Idempotency-Key`): a repeated request has the effect of one. The outcome
//! of each row is stored in the transaction that wrote it, the whole answer as soon as it is
//! known. Both are stored for a day. Must not know HTTP.

use crate::{Book, Item, Outcome, handling};
use model::error::{Error, Result};
use model::record::Value;
use model::registry::{BookReader, Collection, Principal};
use serde_json::Value as Json;
use std::sync::Arc;
use store::{Row, Sql, Ty};

/// How long a request is remembered, milliseconds.
const RETENTION: i64 = 24 * 3_600_000;

/// Outcomes of a request of which nothing was written that are remembered, bytes.
const REFUSALS: usize = 16 << 10;

/// A member that only the first answer contains.
pub const FIRST_ANSWER_ONLY: &str = "once";

const TABLE: &str = "rest_answers";

/// The key of a request, with what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Id of the user; the same key of another user is another key.
    pub user: i64,
    pub key: String,
    pub digest: String,
}

/// What a repeated request was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Status, as the interface stored it.
    pub status: i64,
    pub body: String,
}

/// The result of an idempotent write.
#[derive(Debug)]
pub enum Before {
    /// It is new: the outcome of each row.
    New(Vec<Json>),
    /// It was done, but its answer was not stored: the outcome of each row.
    Done(Vec<Json>),
    Answered(StoredAnswer),
    /// The key was used for another request.
    Other,
}

impl Book {
    /// Writes as [`Book::write`] unless a request with this key was written before. `render`
    /// puts an outcome into the form that is stored.
    pub async fn write_idempotent(
        &self,
        caller: Arc<Principal>,
        c: &'static Collection,
        items: Vec<Item>,
        key: IdempotencyKey,
        render: impl Fn(Outcome) -> Json + Send + 'static,
    ) -> Result<Before> {
        let prepared = self.prepared(&caller, c, items).await?;
        let handling = handling::current();
        self.transact(move |work| {
            Box::pin(async move {
                let since = work.now().saturating_sub(RETENTION);
                work.tx().run(Sql::new("DELETE FROM rest_answers WHERE created_at <= ").with(Ty::Int, since)).await?;
                if let Some(row) = work.tx().rows(find(&key)).await?.first() {
                    return earlier_answer(row, &key);
                }
                let (outcomes, surveyed) = prepared.write(work, c).await?;
                if let Some(handling) = handling {
                    handling.note_of(&outcomes);
                    handling.note_surveyed(surveyed);
                }
                let written = outcomes.iter().any(|one: &Outcome| !matches!(one, Outcome::Refused(_)));
                let rows: Vec<Json> = outcomes.into_iter().map(render).collect();
                let answers = Json::Array(rows.iter().map(without_secrets).collect()).to_string();
                // A request that changed nothing may be repeated: its faults are stored only while they are short.
                if !written && answers.len() > REFUSALS {
                    return Ok(Before::New(rows));
                }
                let now = work.now();
                work.tx().run(insert(&key, answers, now)).await?;
                Ok(Before::New(rows))
            })
        })
        .await
    }

    /// Stores the answer to a request that was written before.
    pub async fn store_answer(&self, key: IdempotencyKey, answer: StoredAnswer) -> Result<()> {
        let mut sql = Sql::new("UPDATE ");
        sql.name(TABLE).push(" SET status = ").bind(Ty::Int, answer.status).push(", answer = ");
        sql.bind(Ty::Text, answer.body);
        push_key(&mut sql, &key);
        // The first answer stays: another client may have received it.
        sql.push(" AND answer IS NULL");
        self.store.run(vec![sql]).await.map(drop)
    }
}

/// Secrets are in the first answer only: they are not stored, and not repeated.
fn without_secrets(row: &Json) -> Json {
    let mut row = row.clone();
    if let Some(row) = row.as_object_mut() {
        row.shift_remove(FIRST_ANSWER_ONLY);
    }
    row
}

fn earlier_answer(row: &Row, key: &IdempotencyKey) -> Result<Before> {
    if row.text(0) != Some(key.digest.as_str()) {
        return Ok(Before::Other);
    }
    if let (Some(status), Some(body)) = (row.int(2), row.text(3)) {
        return Ok(Before::Answered(StoredAnswer { status, body: body.to_owned() }));
    }
    serde_json::from_str(row.text(1).unwrap_or_default()).map(Before::Done).map_err(Error::internal)
}

fn find(key: &IdempotencyKey) -> Sql {
    let mut sql = Sql::new("SELECT digest, outcomes, status, answer FROM ");
    sql.name(TABLE);
    push_key(&mut sql, key);
    sql
}

fn push_key(sql: &mut Sql, key: &IdempotencyKey) {
    sql.push(" WHERE \"user\" = ").bind(Ty::Int, key.user).push(" AND \"key\" = ").bind(Ty::Text, key.key.as_str());
}

fn insert(key: &IdempotencyKey, outcomes: String, now: i64) -> Sql {
    let into = format!("{TABLE} (\"user\", \"key\", digest, outcomes, created_at)");
    let types = [Ty::Int, Ty::Text, Ty::Text, Ty::Text, Ty::Int];
    let texts = [key.key.as_str(), key.digest.as_str(), &outcomes].map(Value::from);
    let [key_text, digest, outcomes] = texts;
    Sql::insert(&into, types, [[key.user.into(), key_text, digest, outcomes, now.into()]])
}

//! `PATCH` and `DELETE` on a list (docs/writing.md, *Update and delete by condition*). Rows are
//! written in parts, each in a transaction of its own, so that no number of rows holds the book for
//! long or needs more memory than a part; what was done before something goes wrong stays done.

use super::super::call::{Call, Reply};
use super::super::findings;
use super::super::reads::read;
use super::super::target::Target;
use super::written::{self, DocumentBudget, PART};
use crate::body;
use crate::caller::Who;
use crate::{AppState, Refusal};
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use futures_util::{Stream, TryStreamExt};
use indexmap::IndexMap;
use model::error::{Error, Issue, Result};
use model::messages::Sentence;
use model::query::qs::{self, Tree};
use model::registry::{Collection, Verb};
use model::said;
use ops::{Ask, Item, Outcome, View, parse_body};
use serde_json::{Value, json};
use std::sync::Arc;

/// Failed rows that are answered one by one; all are counted.
const ERRORS_MAX: usize = 1_000;

/// `PATCH /api/<slug>?where…`
pub(crate) async fn update(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let c = target.collection;
    let query = target.tree()?;
    let ask = rows_query(&target, &query, "update")?;
    let view = View::read(&query, app.settings.depth);
    let members = body::object(&app, c.slug, &headers, body).await?;
    let (values, issues) = parse_body(c, &members, None);
    let ids = targets(&app, c, &who, Verb::Update, &ask).await?;
    let tally = updated(&app, c, &who, &ids, (&values, &issues)).await?;
    let (status, tail) = tally.end(c, "update", "Updated");
    let documents = documents(Arc::clone(&app), c, who, tally.done, view);
    // What a dry run wrote is gone when its answer is under way.
    let few = ids.len() <= PART || ops::is_dry_run();
    answer(status, documents, tail, few).await
}

/// `DELETE /api/<slug>?where…`; answers the documents as they were.
pub(crate) async fn delete(Call(app, target, who, _): Call) -> Reply {
    let c = target.collection;
    let query = target.tree()?;
    let ask = rows_query(&target, &query, "delete")?;
    let view = View::read(&query, app.settings.depth);
    let ids = targets(&app, c, &who, Verb::Delete, &ask).await?;
    let mut tally = Tally::default();
    let mut budget = DocumentBudget::new();
    let mut documents = IndexMap::new();
    for ids in ids.chunks(PART) {
        let before = budget.documents(&app, &target, &who, ids, &view).await?;
        documents.extend(before);
        let items = ids.iter().copied().map(Item::delete).collect();
        tally.add(c, ids, write(&app, c, &who, items).await?);
    }
    let (status, tail) = tally.end(c, "delete", "Deleted");
    let gone = (tally.done.into_iter()).map(|id| documents.swap_remove(&id).unwrap_or_else(|| written::only(id)));
    let gone: Vec<Vec<u8>> = gone.collect();
    let whole = futures_util::stream::iter([Ok(Bytes::from(gone.join(&b',')))]);
    answer(status, whole, tail, true).await
}

/// The request; a condition is required.
fn rows_query(target: &Target, query: &Tree, verb: &'static str) -> Result<Ask, Refusal> {
    let filter = target.ok(read::filter(query))?;
    match filter {
        None => Err(missing(verb)),
        filter => Ok(Ask {
            filter,
            sort: qs::sort(query).into_iter().map(str::to_owned).collect(),
            limit: qs::limit(query, 0),
            ..Ask::default()
        }),
    }
}

fn missing(verb: &'static str) -> Refusal {
    let message = said!("Missing 'where' query of documents to {verb}.", verb = Sentence::from(verb));
    Error::Malformed(message).into()
}

pub(crate) async fn targets(
    app: &AppState,
    c: &'static Collection,
    who: &Who,
    verb: Verb,
    ask: &Ask,
) -> Result<Vec<i64>, Refusal> {
    let ids = app.book.targets(&who.principal, c, verb, ask);
    let word = if verb == Verb::Delete { "delete" } else { "update" };
    let ids = ids.await;
    let ids = ids.map_err(|error| Refusal::of(error, c.slug, None))?;
    let ids = ids.ok_or_else(|| missing(word))?;
    let limit = app.settings.batch;
    if ops::is_dry_run() && ids.len() > limit {
        let message = said!("At most {limit} at once.", limit = limit);
        return Err(Refusal::of(Error::Malformed(message), c.slug, None));
    }
    Ok(ids)
}

/// Writes the same into rows.
pub(crate) async fn updated(
    app: &AppState,
    c: &'static Collection,
    who: &Who,
    ids: &[i64],
    (values, issues): (&[(usize, model::record::Value)], &[Issue]),
) -> Result<Tally, Refusal> {
    let mut tally = Tally::default();
    for ids in ids.chunks(PART) {
        let items = (ids.iter()).map(|id| Item::update(*id, values.to_vec()).with_issues(issues.to_vec())).collect();
        tally.add(c, ids, write(app, c, who, items).await?);
    }
    Ok(tally)
}

pub(crate) async fn deleted(app: &AppState, c: &'static Collection, who: &Who, ids: &[i64]) -> Result<Tally, Refusal> {
    let mut tally = Tally::default();
    for ids in ids.chunks(PART) {
        let items = ids.iter().copied().map(Item::delete).collect();
        tally.add(c, ids, write(app, c, who, items).await?);
    }
    Ok(tally)
}

async fn write(app: &AppState, c: &'static Collection, who: &Who, items: Vec<Item>) -> Result<Vec<Outcome>, Refusal> {
    let caller = Arc::clone(&who.principal);
    let written = app.book.write_together(caller, c, items).await;
    written.map_err(|error| Refusal::of(error, c.slug, None))
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) done: Vec<i64>,
    failed: usize,
    /// The failed rows, as answers contain them.
    pub(crate) errors: Vec<Value>,
}

impl Tally {
    fn add(&mut self, c: &'static Collection, ids: &[i64], outcomes: Vec<Outcome>) {
        for (id, outcome) in ids.iter().zip(outcomes) {
            match outcome {
                Outcome::Done(..) | Outcome::Unchanged(..) => self.done.push(*id),
                // Another caller deleted it meanwhile.
                Outcome::Refused(Error::NotFound) => {}
                Outcome::Refused(error) => {
                    self.failed += 1;
                    if self.errors.len() < ERRORS_MAX {
                        let refusal = Refusal::of(error, c.slug, Some(*id));
                        let mut said = json!({"id": id, "isPublic": true, "message": refusal.line()});
                        // Dry runs are ours, and say what the error of one row says; the dialect has the line alone.
                        let (_, errors) = refusal.status_and_errors();
                        let data = errors.get(0).and_then(|error| error.get("data")).filter(|_| ops::is_dry_run());
                        if let (Some(data), Some(members)) = (data, said.as_object_mut()) {
                            members.insert("data".to_owned(), data.clone());
                        }
                        self.errors.push(said);
                    }
                }
            }
        }
    }

    pub(crate) fn message(&self, c: &Collection, words: (&str, &str)) -> String {
        ops::written(self.line(c, words))
    }

    fn line(&self, c: &Collection, (verb, done): (&str, &str)) -> String {
        let label = |n: usize| if n == 1 { &c.singular } else { &c.plural };
        let (failed, ok) = (self.failed, self.done.len());
        if failed == 0 {
            return format!("{done} {ok} {} successfully.", label(ok));
        }
        let total = failed + ok;
        format!("Unable to {verb} {failed} out of {total} {}.", label(total))
    }

    /// The status, and the members after the documents.
    fn end(&self, c: &Collection, verb: &str, done: &str) -> (StatusCode, Vec<u8>) {
        let status = match self.failed {
            0 => StatusCode::OK,
            _ => StatusCode::BAD_REQUEST,
        };
        let message = self.message(c, (verb, done));
        let (errors, message) = (json!(self.errors), json!(message));
        let findings = findings::all().map(|findings| format!(",\"{}\":{findings}", findings::MEMBER));
        let findings = findings.unwrap_or_default();
        let tail = format!("],\"errors\":{errors}{findings},\"message\":{message}}}");
        (status, tail.into_bytes())
    }
}

/// The documents of rows as JSON with commas between them, a part at a time.
fn documents(
    app: Arc<AppState>,
    c: &'static Collection,
    who: Who,
    ids: Vec<i64>,
    view: View,
) -> impl Stream<Item = Result<Bytes>> + Send + 'static {
    async_stream::try_stream! {
        for (at, ids) in ids.chunks(PART).enumerate() {
            let mut documents = app.book.documents(&who.principal, c, ids, &view).await?;
            let each = ids.iter().map(|id| {
                documents.swap_remove(id).unwrap_or_else(|| written::only(*id))
            });
            let mut out = if at > 0 { b",".to_vec() } else { Vec::new() };
            out.extend_from_slice(&each.collect::<Vec<_>>().join(&b','));
            yield Bytes::from(out);
        }
    }
}

/// `{"docs":[…],"errors":[…],"message":…}`; few documents are read before the answer begins.
async fn answer(
    status: StatusCode,
    documents: impl Stream<Item = Result<Bytes>> + Send + 'static,
    tail: Vec<u8>,
    few: bool,
) -> Reply {
    let head = futures_util::stream::iter([Ok(Bytes::from_static(b"{\"docs\":["))]);
    let tail = futures_util::stream::iter([Ok(Bytes::from(tail))]);
    let whole = futures_util::StreamExt::chain(head, documents);
    let whole = futures_util::StreamExt::chain(whole, tail);
    let json = [(header::CONTENT_TYPE, "application/json")];
    if few {
        let parts: Vec<Bytes> = whole.try_collect().await?;
        return Ok((status, json, parts.concat()).into_response());
    }
    let body = whole.inspect_err(|error| {
        tracing::error!(%error, "the answer to an operation on many rows broke off");
    });
    Ok((status, json, Body::from_stream(body)).into_response())
}

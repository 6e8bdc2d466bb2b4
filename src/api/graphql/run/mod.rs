//! The operations of a request, over the same functions as REST. Must not know any single collection.

mod change;
pub(super) mod long;
mod show;

use self::show::AnswerWriter;
use super::call::{Call, Job, OperationAnswer, Parts, Rows, id, parsed, too_many, totals};
use super::fault::Fault;
use super::field_selection::{self, children};
use super::model::{Root, Verb, What};
use super::plan::{Pick, PickKind, ROWS_MAX, natural};
use super::{account, filter};
use crate::layers::ignored::no_dry_run;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use model::error::Error;
use model::registry::{Caller, Collection};
use ops::{Ask, Form, Permissions, Totals, View};
use serde_json::{Map, Value as Json, json};

/// Operations of one request that run beside each other.
const BESIDE: usize = 4;

#[derive(Default)]
pub(super) struct Answer {
    pub(super) data: Map<String, Json>,
    pub(super) errors: Vec<Json>,
    pub(super) cookies: Vec<String>,
    pub(super) rows: Option<Rows>,
}

/// Runs the operation: changes one after another, in their order, everything else beside each other.
pub(super) async fn run(call: &Call, picks: &[Pick<'_>], changes: bool) -> Answer {
    let mut all: Vec<BoxFuture<'_, Option<Result<OperationAnswer, Fault>>>> = Vec::with_capacity(picks.len());
    let long = long::place(picks).filter(|_| !changes);
    for (at, pick) in picks.iter().enumerate() {
        all.push(one(call, pick, long == Some(at)).boxed());
    }
    let concurrency = if changes { 1 } else { BESIDE };
    let done: Vec<_> = stream::iter(all).buffered(concurrency).collect().await;
    let mut answer = Answer::default();
    for (at, (pick, done)) in picks.iter().zip(done).enumerate() {
        let value = match (&pick.kind, done) {
            (PickKind::Typename(name), _) => Json::from(*name),
            (_, Some(Ok(done))) => {
                answer.cookies.extend(done.cookies);
                if let Some(Parts(rows)) = done.rows {
                    answer.rows = Some(Rows { at, rows });
                }
                let mut writer = AnswerWriter::default();
                let value = writer.root(pick, &done.document);
                answer.errors.append(&mut writer.faults);
                value
            }
            (_, Some(Err(fault))) => {
                let path = [Json::from(pick.alias.as_str())];
                answer.errors.push(fault.into_json(pick.pos, &path));
                Json::Null
            }
            (_, None) => Json::Null,
        };
        answer.data.insert(pick.alias.clone(), value);
    }
    answer
}

async fn one(call: &Call, pick: &Pick<'_>, long: bool) -> Option<Result<OperationAnswer, Fault>> {
    let PickKind::Field { out, args, picks } = &pick.kind else {
        return None;
    };
    let What::Root(Root { verb, collection }) = out.what else {
        return None;
    };
    let job = Job { verb, args, picks, long };
    Some(match collection {
        Some(c) => of_collection(call, c, job).await,
        None => Ok(access(call).into()),
    })
}

async fn of_collection(call: &Call, c: &'static Collection, job: Job<'_, '_>) -> Result<OperationAnswer, Fault> {
    let reads = matches!(
        job.verb,
        Verb::ById | Verb::List | Verb::Count | Verb::Access | Verb::DocAccess | Verb::Me | Verb::Initialized
    );
    if !reads && call.who.principal.reads_only() {
        return Err(Error::forbidden().into());
    }
    let of_records = matches!(
        job.verb,
        Verb::Create
            | Verb::Update
            | Verb::Delete
            | Verb::Duplicate
            | Verb::UpdateMany
            | Verb::DeleteMany
            | Verb::Act(_)
    );
    if !reads && !of_records && ops::is_dry_run() {
        return Err(Error::Invalid(vec![no_dry_run()]).into());
    }
    match job.verb {
        Verb::ById => by_id(call, c, job).await.map(OperationAnswer::from),
        Verb::List => list(call, c, job).await,
        Verb::Count => count(call, c, job).await.map(OperationAnswer::from),
        Verb::Access | Verb::DocAccess => {
            let id = id(job.args)?;
            let permissions = call.app.book.row_permissions(&call.who.principal, c, id);
            Ok(rights(permissions.await?).into())
        }
        Verb::Create
        | Verb::Update
        | Verb::Delete
        | Verb::Duplicate
        | Verb::UpdateMany
        | Verb::DeleteMany
        | Verb::Act(_) => change::run(call, c, job).await.map(OperationAnswer::from),
        Verb::Me
        | Verb::Initialized
        | Verb::Login
        | Verb::Logout
        | Verb::Refresh
        | Verb::Forgot
        | Verb::Reset
        | Verb::Unlock
        | Verb::Verify => account::run(call, c, job).await,
    }
}

impl Call {
    /// What the documents of these selections show.
    pub(super) fn view<'p, 'm: 'p>(&self, sets: impl IntoIterator<Item = &'p [Pick<'m>]>) -> Result<View, Fault> {
        field_selection::view(self.app.book.registry, sets)
    }
}

async fn by_id(call: &Call, c: &'static Collection, job: Job<'_, '_>) -> Result<Json, Fault> {
    let id = id(job.args)?;
    let view = call.view([job.picks])?;
    let bytes = call.app.book.by_id(&call.who.principal, c, id, view).await;
    parsed(&bytes?)
}

async fn count(call: &Call, c: &'static Collection, job: Job<'_, '_>) -> Result<Json, Fault> {
    let book = &call.app.book;
    let filter = filter::condition(book.registry, c, job.args.get("where"));
    let total = book.count(&call.who.principal, c, filter.as_ref()).await?;
    Ok(json!({"totalDocs": total}))
}

async fn list(call: &Call, c: &'static Collection, job: Job<'_, '_>) -> Result<OperationAnswer, Fault> {
    /// Members of a page that need no count.
    const UNCOUNTED: [&str; 5] = ["docs", "limit", "page", "offset", "endCursor"];
    let (book, args) = (&call.app.book, job.args);
    let paged = args.get("pagination") != Some(&Json::Bool(false));
    let given = natural(args, "first").or_else(|| natural(args, "limit"));
    let limit = given.unwrap_or(if paged { call.app.settings.limit } else { 0 });
    let most = u64::try_from(ROWS_MAX).unwrap_or(u64::MAX);
    if limit > most {
        return Err(too_many().into());
    }
    // The setting may say so too; then it is held, and has a bound.
    let all = limit == 0;
    let page = long::page(args);
    let counted = job.picks.iter().any(|pick| match &pick.kind {
        PickKind::Field { out, .. } => !UNCOUNTED.contains(&out.key.as_str()),
        _ => false,
    });
    let after = args.get("after").and_then(Json::as_str);
    let ask = Ask {
        filter: filter::condition(book.registry, c, args.get("where")),
        sort: field_selection::sort(args),
        // One more row shows whether there are too many.
        limit: match all {
            true if job.long => 0,
            true => most + 1,
            false => limit,
        },
        page: if all { 1 } else { page },
        after: after.filter(|text| !text.is_empty()).map(str::to_owned),
        view: call.view(children(job.picks, "docs"))?,
        form: if job.long { Form::Lines } else { Form::Envelope },
        pagination: paged && counted && !all,
        ..Ask::default()
    };
    let mut listing = book.list(&call.who.principal, c, ask).await?;
    if job.long {
        return match listing.in_memory {
            true => long::page_of_lines(&listing.collect().await?, page).map(|members| Json::from(members).into()),
            false => Ok(OperationAnswer { rows: Some(Parts(listing.body)), ..OperationAnswer::default() }),
        };
    }
    let next = listing.next.take();
    let mut document = parsed(&listing.collect().await?)?;
    let rows = document.get("docs").and_then(Json::as_array).map_or(0, Vec::len);
    if rows > ROWS_MAX {
        return Err(too_many().into());
    }
    let Some(members) = document.as_object_mut() else {
        return Err(Error::internal("the list has no envelope").into());
    };
    if all {
        members.extend(totals(Totals::whole(0, page, u64::try_from(rows).unwrap_or(u64::MAX))));
    }
    members.insert("endCursor".to_owned(), json!(next));
    Ok(document.into())
}

/// Everything that the caller may do.
fn access(call: &Call) -> Json {
    let book = &call.app.book;
    let mut members = Map::new();
    if call.who.principal.caller == Caller::Association {
        members.insert("canAccessAdmin".to_owned(), true.into());
    }
    for c in book.registry.iter() {
        let one = book.permissions(&call.who.principal, c);
        if !one.is_empty() {
            members.insert(c.slug.to_owned(), rights(one));
        }
    }
    Json::Object(members)
}

/// Permissions in the form of this face: plain ones are objects too.
fn rights(permissions: Permissions) -> Json {
    let each = permissions.into_iter().map(|(name, value)| {
        let value = match (name.as_str(), value) {
            ("fields", Json::Object(fields)) => {
                let fields = fields.into_iter().map(|(name, of)| match of {
                    Json::Object(of) => (name, rights(of)),
                    of => (name, of),
                });
                Json::Object(fields.collect())
            }
            (_, Json::Bool(true)) => json!({"permission": true}),
            (_, value) => value,
        };
        (name, value)
    });
    Json::Object(each.collect())
}

//! Changes of records. Who may write what, and whether it is right, is decided by the pipeline below, as for REST.

use super::super::call::{Call, Job, id, parsed, too_many};
use super::super::fault::Fault;
use super::super::field_selection::{children, sort};
use super::super::filter;
use super::super::model::Verb;
use super::super::plan::{ROWS_MAX, natural};
use crate::Refusal;
use crate::rest::changes::{append_members, bulk, write, written};
use model::error::{Error, Result};
use model::record::Value;
use model::registry::{Collection, Verb as Right};
use ops::{Ask, Item, View, parse_body};
use serde_json::{Value as Json, json};

pub(in crate::graphql) async fn run(
    call: &Call,
    c: &'static Collection,
    job: Job<'_, '_>,
) -> std::result::Result<Json, Fault> {
    let of = |error| Fault::from(Refusal::of(error, c.slug, None));
    let document = match job.verb {
        Verb::Create => {
            let view = call.view([job.picks])?;
            create(call, c, job, view).await.map_err(of)?
        }
        Verb::Update | Verb::Act(_) => {
            let (id, view) = (id(job.args)?, call.view([job.picks])?);
            let changed = change(call, c, job, (id, view)).await;
            changed.map_err(|error| Fault::from(Refusal::of(error, c.slug, Some(id))))?
        }
        Verb::Delete => {
            let (id, view) = (id(job.args)?, call.view([job.picks])?);
            delete(call, c, (id, view)).await?
        }
        Verb::Duplicate => {
            let (id, view) = (id(job.args)?, call.view([job.picks])?);
            duplicate(call, c, job, (id, view)).await.map_err(of)?
        }
        Verb::UpdateMany | Verb::DeleteMany => return many(call, c, job).await,
        _ => return Err(Error::internal("the operation is not a change of records").into()),
    };
    parsed(&document)
}

/// As bytes.
type Document = Vec<u8>;

async fn create(call: &Call, c: &'static Collection, job: Job<'_, '_>, view: View) -> Result<Document> {
    let (values, issues) = parse_body(c, &filter::body(c, job.args.get("data")), None);
    let item = Item::create(values).with_issues(issues);
    written(call, c, item, view).await
}

async fn change(call: &Call, c: &'static Collection, job: Job<'_, '_>, (id, view): (i64, View)) -> Result<Document> {
    let Verb::Act(name) = job.verb else {
        let (values, issues) = parse_body(c, &filter::body(c, job.args.get("data")), None);
        let item = Item::update(id, values).with_issues(issues);
        let once = write::change(&call.app, c, &call.who, item, id).await?;
        return document(call, c, id, view, once).await;
    };
    let action = c.actions.iter().find(|action| action.name == name);
    let action = action.ok_or_else(|| Error::internal("no such action"))?;
    let fields = vec![(c.at(action.field), Value::Null)];
    let item = Item::update(id, Vec::new()).with_server(fields);
    written(call, c, item, view).await
}

async fn delete(call: &Call, c: &'static Collection, (id, view): (i64, View)) -> std::result::Result<Document, Fault> {
    let book = &call.app.book;
    let document = match book.by_id(&call.who.principal, c, id, view).await {
        // Whether this is 403 or 404 is for the rule of the deletion to say.
        Err(Error::NotFound | Error::Forbidden(_)) => only(id),
        read => read?,
    };
    let gone = written::write(&call.app, c, &call.who, Item::delete(id)).await;
    gone.map_err(|error| Refusal::of(error, c.slug, Some(id)))?;
    Ok(document)
}

async fn duplicate(call: &Call, c: &'static Collection, job: Job<'_, '_>, (id, view): (i64, View)) -> Result<Document> {
    let overrides = parse_body(c, &filter::body(c, job.args.get("data")), None);
    let item = (call.app.book).copied(&call.who.principal, c, id, overrides).await?;
    written(call, c, item, view).await
}

async fn written(call: &Call, c: &'static Collection, item: Item, view: View) -> Result<Document> {
    let (id, once) = written::write(&call.app, c, &call.who, item).await?;
    document(call, c, id, view, once).await
}

/// The document of a row that was just written.
async fn document(
    call: &Call,
    c: &'static Collection,
    id: i64,
    view: View,
    once: written::GeneratedValues,
) -> Result<Document> {
    let book = &call.app.book;
    let mut documents = book.documents(&call.who.principal, c, &[id], view).await?;
    // Another caller may have deleted the row meanwhile.
    let document = documents.swap_remove(&id).unwrap_or_else(|| only(id));
    Ok(append_members::append(document, once))
}

fn only(id: i64) -> Vec<u8> {
    format!("{{\"id\":{id}}}").into_bytes()
}

async fn many(call: &Call, c: &'static Collection, job: Job<'_, '_>) -> std::result::Result<Json, Fault> {
    let (app, who) = (&call.app, &call.who);
    let delete = job.verb == Verb::DeleteMany;
    let ask = Ask {
        filter: filter::condition(app.book.registry, c, job.args.get("where")),
        sort: sort(job.args),
        limit: natural(job.args, "limit").unwrap_or(0),
        ..Ask::default()
    };
    let view = call.view(children(job.picks, "docs"))?;
    let verb = if delete { Right::Delete } else { Right::Update };
    let ids = bulk::targets(app, c, who, verb, &ask).await?;
    if ids.len() > ROWS_MAX {
        return Err(too_many().into());
    }
    let mut before = Vec::new();
    let tally = if delete {
        let documents = app.book.documents(&who.principal, c, &ids, view.clone());
        before = documents.await?.into_iter().collect();
        bulk::deleted(app, c, who, &ids).await?
    } else {
        let (values, issues) = parse_body(c, &filter::body(c, job.args.get("data")), None);
        bulk::updated(app, c, who, &ids, (&values, &issues)).await?
    };
    if !delete {
        let documents = app.book.documents(&who.principal, c, &tally.done, view);
        before = documents.await?.into_iter().collect();
    }
    let done: std::collections::BTreeSet<i64> = tally.done.iter().copied().collect();
    let mut docs = Vec::with_capacity(before.len());
    for (id, document) in before {
        if done.contains(&id) {
            docs.push(parsed(&document)?);
        }
    }
    let words = match delete {
        true => ("delete", "Deleted"),
        false => ("update", "Updated"),
    };
    let message = tally.message(c, words);
    Ok(json!({"docs": docs, "errors": tally.errors, "message": message}))
}

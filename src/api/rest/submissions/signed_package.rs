//! Reads of packages of rows (docs/packages.md): their rows as they were signed, some of them
//! at random, and the protocol. Who may not read the package learns nothing of it.

use super::super::call::{Call, Reply};
use super::super::sheets::printed;
use super::super::target::Target;
use crate::caller::Who;
use crate::layers::language;
use crate::pages::{protocol, protocol_sheet};
use crate::{AppState, Refusal};
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use domain::collections::{self, Comparison, DIFFERENCES, Sample};
use futures_util::{StreamExt, TryStreamExt, stream};
use model::canonical::canonical;
use model::error::{Error, Result};
use model::query::qs::{self, Tree};
use model::registry::signing::{SIGNATURE, STATEMENT, VALUE};
use model::registry::{Caller, Feature};
use ops::View;
use serde_json::{Value, json};
use std::sync::Arc;

/// Rows of a sample unless the caller says otherwise.
const SAMPLE: usize = 20;
/// The most rows of a sample.
const SAMPLE_MAX: usize = 200;
/// Characters of a seed.
const SEED_MAX: usize = 64;

const UNSIGNED: &str = "This package is not signed, or was signed before there were keys.";
const CHANGED: &str =
    "Rows were changed since they were signed. With asSigned=true the rows are answered as they were signed.";

/// The package that a path names, as its reader sees it.
async fn package(app: &AppState, target: &Target, who: &Who) -> Result<(i64, Value), Refusal> {
    match target.collection.is(Feature::Packages) {
        true => target.document(app, who, View::default()).await,
        false => Err(target.no_route()),
    }
}

fn member<'d>(doc: &'d Value, path: &str) -> Option<&'d Value> {
    path.split('.').try_fold(doc, |at, name| at.get(name))
}

/// `GET /api/<slug>/<id>/signed`: a line with statement and signature, then the rows as they were
/// signed. Refused with the differences if rows were changed since, unless `asSigned=true`.
pub(crate) async fn signed(Call(app, target, who, _): Call) -> Reply {
    let (id, doc) = package(&app, &target, &who).await?;
    let statement = member(&doc, STATEMENT).and_then(Value::as_str);
    let statement = statement.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let (Some(statement), Some(value)) = (statement, member(&doc, VALUE)) else {
        return Err(Refusal::Conflict(UNSIGNED, json!({"rows": []})));
    };
    let query = target.tree()?;
    if qs::flag(&query, "asSigned") != Some(true) {
        let (rows, more) = differences(&app, &target, &who, id).await?;
        if !rows.is_empty() {
            let data = json!({"rows": rows, "more": more, "most": DIFFERENCES});
            return Err(Refusal::Conflict(CHANGED, data));
        }
    }
    let count = statement.get("rows").and_then(Value::as_u64).unwrap_or(0);
    let name = statement.get("package").and_then(Value::as_str);
    let name = format!("package-{}.ndjson", name.unwrap_or_default());
    let key = statement.get("key").cloned().unwrap_or_default();
    let algorithm = statement.get("algorithm").cloned().unwrap_or_default();
    let head = json!({SIGNATURE: {"algorithm": algorithm, "key": key, "value": value}, "statement": statement});
    let mut head = canonical(&head).map_err(Error::internal)?;
    head.push('\n');
    let rows = app.book.signed_rows(target.collection, id, count);
    let lines = stream::once(async { Ok(Bytes::from(head)) }).chain(rows);
    let body = Body::from_stream(lines.inspect_err(|error| {
        // The status was already sent; all that is left is to break off.
        tracing::error!(%error, "a signed package broke off");
    }));
    let mut response = body.into_response();
    let headers = response.headers_mut();
    let lines = HeaderValue::from_static("application/x-ndjson");
    headers.insert(header::CONTENT_TYPE, lines);
    if let Ok(saved) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, saved);
    }
    Ok(response)
}

/// What became of the rows since, in steps, between which others write.
async fn differences(app: &AppState, target: &Target, who: &Who, id: i64) -> Result<(Vec<Value>, bool), Refusal> {
    let mut comparison = Comparison::of(target.collection, id);
    loop {
        let caller = Arc::clone(&who.principal);
        let step = app.book.transact(move |work| {
            Box::pin(async move {
                work.set_caller(&caller);
                let further = comparison.step(work).await?;
                Ok((comparison, further))
            })
        });
        let (stepped, further) = target.ok(step.await)?;
        comparison = stepped;
        if !further {
            return Ok(comparison.into_differences());
        }
    }
}

/// `GET /api/<slug>/<id>/sample`: rows at random, for the Association.
pub(crate) async fn sample(Call(app, target, who, _): Call) -> Reply {
    let (id, _) = package(&app, &target, &who).await?;
    if !matches!(who.principal.caller, Caller::Association | Caller::System) {
        return Err(target.refuse(Error::forbidden()));
    }
    let query = target.tree()?;
    let (wanted, seed) = target.ok(drawn_by(&query))?;
    let mut sample = Sample::of(id, wanted, &seed);
    loop {
        let step = app.book.transact(move |work| {
            Box::pin(async move {
                let further = sample.step(work).await?;
                Ok((sample, further))
            })
        });
        let (stepped, further) = target.ok(step.await)?;
        sample = stepped;
        if !further {
            break;
        }
    }
    let (rows, drawn) = sample.drawn();
    let mut docs = Vec::with_capacity(drawn.len());
    for (slug, id) in drawn {
        let c = app.book.registry.get(slug);
        let c = c.ok_or_else(|| Refusal::from(Error::NotFound))?;
        let view = View::read(&query, app.settings.depth);
        match app.book.by_id(&who.principal, c, id, view).await {
            Ok(doc) => {
                let doc: Value = serde_json::from_slice(&doc).map_err(Error::internal)?;
                docs.push(json!({"collection": slug, "doc": doc}));
            }
            // Deleted meanwhile.
            Err(Error::NotFound) => {}
            Err(error) => return Err(target.refuse(error)),
        }
    }
    let answer = json!({"seed": seed, "n": wanted, "rows": rows, "docs": docs});
    Ok(axum::Json(answer).into_response())
}

/// How many rows are wanted, and by which seed they are drawn: a new one unless it is given.
fn drawn_by(query: &Tree) -> Result<(usize, String)> {
    let refused = |name: &str| Error::Query(vec![name.to_owned()]);
    let wanted = match query.get("n") {
        None => SAMPLE,
        Some(text) => (text.as_text())
            .and_then(|text| text.parse().ok())
            .filter(|wanted| (1..=SAMPLE_MAX).contains(wanted))
            .ok_or_else(|| refused("n"))?,
    };
    let seed = match query.get("seed") {
        None => format!("{:016x}", rand::random::<u64>()),
        Some(text) => (text.as_text())
            .filter(|seed| (1..=SEED_MAX).contains(&seed.chars().count()))
            .map(str::to_owned)
            .ok_or_else(|| refused("seed"))?,
    };
    Ok((wanted, seed))
}

/// `GET /api/<slug>/<id>/protocol`: a page for people, or a PDF.
pub(crate) async fn protocol(Call(app, target, who, headers): Call) -> Reply {
    let (id, _) = package(&app, &target, &who).await?;
    let query = target.tree()?;
    let pdf = target.ok(printed::wants_pdf(&headers, &query))?;
    let language = target.ok(language::chosen(&headers, &query))?;
    let (c, caller) = (target.collection, Arc::clone(&who.principal));
    let read = app.book.transact(move |work| {
        Box::pin(async move {
            work.set_caller(&caller);
            collections::protocol(work, c, id).await
        })
    });
    let read = target.ok(read.await)?;
    let service: &str = &app.settings.face.name;
    let page = protocol::Page(language, app.book.registry);
    if !pdf {
        return Ok(page.response(service, &read));
    }
    let sheet = protocol_sheet::sheet(service, page, &read);
    printed::printed(sheet, &format!("protocol-{}", read.number)).await
}

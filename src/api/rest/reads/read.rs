//! Lists, single documents and counts. Long queries may come as a body under a method
//! override (docs/dialect.md, *Long queries*).

use super::super::call::{Call, Reply};
use super::super::submissions::previewed;
use super::super::target::{Target, refused};
use super::form::{self, Form};
use super::table_rows::{self, Headers};
use super::workbook::Writing;
use crate::body;
use crate::caller::Who;
use crate::layers::method_override::is_get;
use crate::layers::response_cache::cache_marks::Cacheable;
use crate::{AppState, Refusal};
use axum::Extension;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::IntoResponse;
use futures_util::{StreamExt, TryStreamExt};
use model::error::{Error, Result};
use model::query::qs::{self, Tree};
use model::registry::Feature;
use ops::{Ask, GENERATIONS_MAX, View};
use serde_json::json;

/// Generations of ancestors unless the caller says otherwise.
const GENERATIONS: u8 = 3;

/// `GET /api/<slug>`
pub(crate) async fn list(Call(app, target, who, headers): Call) -> Reply {
    let query = target.tree()?;
    page(&app, &target, &who, &headers, &query).await
}

/// `GET /api/<slug>/<id>`
pub(crate) async fn by_id(Call(app, target, who, _): Call) -> Reply {
    let query = target.tree()?;
    one(&app, &target, &who, &query).await
}

/// `POST /api/<slug>/<id>`, under a method override only.
pub(crate) async fn by_id_posted(Call(app, target, who, headers): Call, body: Body) -> Reply {
    if !is_get(&headers) {
        return Err(target.no_route());
    }
    let query = posted(&app, &target, &headers, body).await?;
    one(&app, &target, &who, &query).await
}

/// `GET /api/<slug>/<id>/<join>`: the list of the rows that a join shows, for whoever reads the row.
pub(crate) async fn joined(Call(app, target, who, headers): Call) -> Reply {
    let c = target.collection;
    let join = c.joins.iter().find(|join| target.part() == Some(join.name));
    let Some(join) = join else {
        return Err(target.no_route());
    };
    let Some(of) = app.book.registry.get(join.collection) else {
        return Err(target.no_route());
    };
    let id = target.row()?;
    target.ok(app.book.by_id(&who.principal, c, id, View::default()).await)?;
    let query = target.tree()?;
    let condition = target.ok(filter(&query))?;
    let on = join.on.iter().map(|path| Tree::from(json!({*path: {"equals": id}})));
    let pointing = Tree::Map([("or".to_owned(), Tree::List(on.collect()))].into());
    let all = std::iter::once(pointing).chain(condition).collect();
    let mut parts = match query {
        Tree::Map(parts) => parts,
        _ => indexmap::IndexMap::new(),
    };
    let condition = Tree::Map([("and".to_owned(), Tree::List(all))].into());
    parts.insert("where".to_owned(), condition);
    page(&app, &target.showing(of), &who, &headers, &Tree::Map(parts)).await
}

/// `GET /api/<slug>/<id>/pedigree`, where records descend from each other. Documents show relations
/// as ids unless a depth is requested.
pub(crate) async fn pedigree(Call(app, target, who, _): Call) -> Reply {
    let c = target.collection;
    if c.lineage.is_none() {
        return Err(target.no_route());
    }
    let query = target.tree()?;
    let id = target.row()?;
    let generations = target.ok(generations(&query))?;
    let view = View::read(&query, 0);
    let pedigree = (app.book).lineage(&who.principal, c, id, generations, &view);
    let pedigree = target.ok(pedigree.await)?;
    Ok((Extension(Cacheable), [as_json()], pedigree).into_response())
}

/// `GET /api/<slug>/count`
pub(crate) async fn count(Call(app, target, who, _): Call) -> Reply {
    let query = target.tree()?;
    total(&app, &target, &who, &query).await
}

/// `POST /api/<slug>/count`, under a method override only.
pub(crate) async fn count_posted(Call(app, target, who, headers): Call, body: Body) -> Reply {
    if !is_get(&headers) {
        return Err(target.no_route());
    }
    let query = posted(&app, &target, &headers, body).await?;
    total(&app, &target, &who, &query).await
}

/// The query of a POST that is meant as a GET: a form, or JSON; without a body that of the address.
pub(in crate::rest) async fn posted(
    app: &AppState,
    target: &Target,
    headers: &HeaderMap,
    body: Body,
) -> Result<Tree, Refusal> {
    if body::is_json(headers) {
        let members = body::object(app, target.collection.slug, headers, body).await?;
        return Ok(Tree::from(serde_json::Value::Object(members)));
    }
    let bytes = body::read(app, headers, body).await?;
    if bytes.is_empty() {
        return target.tree();
    }
    let form = body::media_type(headers);
    if form.is_some_and(|kind| kind != "application/x-www-form-urlencoded") {
        let message = "A query in a body must be a form or JSON.";
        return Err(Error::Malformed(message.into()).into());
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) => target.parse(text),
        Err(_) => Err(Error::Malformed("The body is not UTF-8.".into()).into()),
    }
}

/// A page of a list, written out while it is read when it is long.
pub(in crate::rest) async fn page(
    app: &AppState,
    target: &Target,
    who: &Who,
    headers: &HeaderMap,
    query: &Tree,
) -> Reply {
    let form = target.ok(form::wanted(headers, query))?;
    let titles = target.ok(Headers::wanted(headers, query, form))?;
    let ask = target.ok(list_query(app, query, form, titles))?;
    let listing = target.ok(app.book.list(&who.principal, target.collection, ask).await)?;
    let (path, text) = target.address();
    // A query in a body has no address to link to.
    let links = (!is_get(headers)).then(|| form::links(path, text, &listing));
    let slug = target.collection.slug;
    if form == Form::Workbook {
        let writing = Writing::begin();
        let mut lines = Box::pin(table_rows::lines(app.book.registry, target.collection, titles, listing.body));
        while let Some(line) = lines.next().await {
            let line = target.ok(line)?;
            if !writing.add(line).await {
                break;
            }
        }
        let mut response = writing.answer(slug).await?;
        titles.tell(response.headers_mut());
        return Ok(response);
    }
    let in_memory = listing.in_memory && form != Form::Russian;
    let may_have_findings = form == Form::Envelope && target.collection.is(Feature::Packages);
    let mut cacheable = in_memory;
    let mut response = if form == Form::Russian {
        let text = table_rows::text(table_rows::lines(app.book.registry, target.collection, titles, listing.body));
        let disposition = format!("attachment; filename=\"{slug}.csv\"");
        let body = Body::from_stream(text.inspect_err(|error| {
            tracing::error!(%error, "a list broke off");
        }));
        ([(header::CONTENT_DISPOSITION, disposition)], body).into_response()
    } else if in_memory || may_have_findings {
        let whole = target.ok(listing.collect().await)?;
        let translated = previewed::unread(target.collection, &whole);
        cacheable &= translated.is_none();
        Body::from(translated.unwrap_or(whole)).into_response()
    } else {
        Body::from_stream(listing.body.inspect_err(|error| {
            // The status was already sent; all that is left is to break off, so that no client
            // takes the part for the whole.
            tracing::error!(%error, "a list broke off");
        }))
        .into_response()
    };
    if cacheable {
        response.extensions_mut().insert(Cacheable);
    }
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, form::media_type(form));
    fields.append(header::VARY, HeaderValue::from_static("Accept"));
    titles.tell(fields);
    if let Some(links) = links.flatten() {
        fields.insert(header::LINK, links);
    }
    Ok(response)
}

async fn one(app: &AppState, target: &Target, who: &Who, query: &Tree) -> Reply {
    let id = target.row()?;
    let view = View::read(query, app.settings.depth);
    let document = target.ok(app.book.by_id(&who.principal, target.collection, id, view).await)?;
    // The cache does not know of languages.
    if let Some(translated) = previewed::unread(target.collection, &document) {
        return Ok(([as_json()], translated).into_response());
    }
    Ok((Extension(Cacheable), [as_json()], document).into_response())
}

async fn total(app: &AppState, target: &Target, who: &Who, query: &Tree) -> Reply {
    let filter = target.ok(filter(query))?;
    let counted = app.book.count(&who.principal, target.collection, filter.as_ref());
    let counted = target.ok(counted.await)?;
    let body = format!("{{\"totalDocs\":{counted}}}");
    Ok((Extension(Cacheable), [as_json()], body).into_response())
}

/// The parameters of a list; unknown ones are ignored.
fn list_query(app: &AppState, query: &Tree, form: Form, titles: Headers) -> Result<Ask> {
    let pagination = qs::flag(query, "pagination") != Some(false);
    // Without paging a list is whole unless it says otherwise, and so is an export.
    let limit = match form {
        Form::Envelope if pagination => app.settings.limit,
        Form::Envelope | Form::Lines | Form::Table | Form::Russian | Form::Workbook => 0,
    };
    Ok(Ask {
        filter: filter(query)?,
        sort: qs::sort(query).into_iter().map(str::to_owned).collect(),
        limit: qs::limit(query, limit),
        page: qs::page(query),
        after: after(query)?,
        view: View::read(query, app.settings.depth),
        form: form.read(titles.language()),
        names: query.get("depth").is_some() && qs::depth(query, 0) > 0,
        pagination,
        count: qs::count(query).map_err(|name| Error::Query(vec![name.to_owned()]))?,
    })
}

/// `after`; an empty one is none.
fn after(query: &Tree) -> Result<Option<String>> {
    match query.get("after") {
        None => Ok(None),
        Some(Tree::Text(text)) if text.is_empty() => Ok(None),
        Some(Tree::Text(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Error::Query(vec!["after".to_owned()])),
    }
}

/// `generations`: 1 to 10, 3 when it is absent.
fn generations(query: &Tree) -> Result<u8> {
    let Some(text) = query.get("generations") else {
        return Ok(GENERATIONS);
    };
    let number = text.as_text().and_then(|text| text.parse().ok());
    let number = number.filter(|number| (1..=GENERATIONS_MAX).contains(number));
    number.ok_or_else(|| Error::Query(vec!["generations".to_owned()]))
}

pub(in crate::rest) fn filter(query: &Tree) -> Result<Option<Tree>> {
    let filter = qs::filter(query).map_err(|fault| refused(&[fault]))?;
    Ok(filter.map(std::borrow::Cow::into_owned))
}

fn as_json() -> (header::HeaderName, &'static str) {
    (header::CONTENT_TYPE, "application/json")
}

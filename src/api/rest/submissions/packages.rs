//! Packages: what would become of a file, and the rows of a package as a table (docs/packages.md). Must not know any
//! single collection.

use super::super::call::{Call, Reply};
use super::super::reads::table_rows::{Line, MARK, record};
use super::super::reads::workbook::Writing;
use super::super::target::Target;
use super::previewed;
use crate::body;
use crate::body::multipart::{self, MultipartBody};
use crate::layers::language;
use crate::{AppState, Refusal};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::collections::packages::Mapping;
use ingest::{PreviewFile, RowState, TableLine, TableRows};
use model::error::{Error, Issue, Result};
use model::query::qs::Tree;
use model::registry::{Feature, Principal, Verb};
use ops::{Cell, View, files_of, plain};
use serde_json::{Map, Value};
use std::sync::Arc;

/// `POST /api/<slug>/preview`: a file that is not stored, in parts as for a new package.
pub(crate) async fn preview_file(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let c = target.collection;
    if !c.is(Feature::Packages) {
        return Err(target.no_route());
    }
    target.ok(app.book.may_try(&who.principal, c, Verb::Create))?;
    let files = files_of(&app.book, c);
    let upload = files.as_ref().map(|(_, upload)| upload);
    if !multipart::is_multipart(&headers) {
        let message = "A preview needs a file: send a body in parts (multipart/form-data).";
        return Err(target.refuse(Error::Malformed(message.into())));
    }
    let MultipartBody { members, file } = multipart::read(&app, c.slug, &headers, body, upload).await?;
    let Some(file) = file else {
        return Err(target.refuse(Error::Malformed("No files were uploaded.".into())));
    };
    let stated = target.ok(stated(&app, &who.principal, &members))?;
    let of = PreviewFile { path: file.path().to_owned(), ..stated };
    let preview = ingest::preview(&app.book, &who.principal, (&app.exchange, &app.schemes), of).await;
    let preview = target.ok(preview)?;
    // The file is gone with its value, which so long must live.
    drop(file);
    Ok(Json(previewed::translated(app.book.registry, preview.0)).into_response())
}

/// `POST /api/<slug>/<id>/preview`: the file of a package, under the set and mapping that the body states.
pub(crate) async fn preview(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let c = target.collection;
    if !c.is(Feature::Packages) {
        return Err(target.no_route());
    }
    let id = target.row()?;
    target.ok(app.book.may_try(&who.principal, c, Verb::Create))?;
    readable(&app, &target, &who.principal, id).await?;
    let members = body::object(&app, c.slug, &headers, body).await?;
    let package = app.book.transact(move |work| Box::pin(async move { ingest::package(work, id).await }));
    let package = package.await.and_then(|package| package.ok_or(Error::NotFound));
    let package = target.ok(package)?;
    let place = match (&package.file, app.book.files()) {
        (Some(key), Ok(files)) => files.place_of(key),
        _ => None,
    };
    let Some(path) = place else {
        return Err(target.refuse(Error::invalid("sourceFile", "no-file", "The package has no file.")));
    };
    let mut stated = target.ok(stated(&app, &who.principal, &members))?;
    if !members.contains_key("mapping") {
        let stored = Mapping::read(app.book.registry, package.mapping.as_ref());
        stated.mapping = stored.unwrap_or_default();
    }
    let dataset = stated.dataset.clone().or(package.dataset);
    let of = PreviewFile { path, organization: package.organization, dataset, ..stated };
    let preview = ingest::preview(&app.book, &who.principal, (&app.exchange, &app.schemes), of).await;
    let preview = target.ok(preview)?;
    Ok(Json(previewed::translated(app.book.registry, preview.0)).into_response())
}

fn stated(app: &AppState, caller: &Principal, members: &Map<String, Value>) -> Result<PreviewFile> {
    let mut issues = Vec::new();
    let mapping = Mapping::read(app.book.registry, members.get("mapping")).unwrap_or_else(|faults| {
        issues.extend(faults);
        Mapping::default()
    });
    let dataset = match members.get("dataset") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) if app.book.registry.package_sets().any(|(_, set)| set.name == name) => {
            Some(name.clone())
        }
        Some(_) => {
            issues.push(Issue::error("dataset", "no-such-dataset", "There is no data set of this name."));
            None
        }
    };
    let organization = members.get("organization").and_then(Value::as_i64).filter(|_| caller.sees_all());
    let Some(organization) = organization.or(caller.organization) else {
        issues.push(Issue::error("organization", "required", "This field is required."));
        return Err(Error::Invalid(issues));
    };
    match issues.is_empty() {
        true => Ok(PreviewFile { path: Default::default(), organization, dataset, mapping }),
        false => Err(Error::Invalid(issues)),
    }
}

/// Refuses callers who do not read the row.
pub(in crate::rest) async fn readable(
    app: &AppState,
    target: &Target,
    caller: &Arc<Principal>,
    id: i64,
) -> std::result::Result<(), Refusal> {
    let document = app.book.by_id(caller, target.collection, id, View::default()).await;
    target.ok(document.map(drop))
}

/// `GET /api/<slug>/<id>/proposals`: what a column that nobody knows may mean.
pub(crate) async fn proposals(Call(app, target, who, headers): Call) -> Reply {
    let mut fields = target.collection.fields.iter();
    if !fields.any(|field| field.named_set().is_some()) {
        return Err(target.no_route());
    }
    let id = target.row()?;
    readable(&app, &target, &who.principal, id).await?;
    let query = target.tree()?;
    let language = target.ok(language::chosen(&headers, &query))?;
    let proposals = target.ok(ingest::proposals(&app.book, id, language).await)?;
    let chosen = HeaderValue::from_static("Accept-Language");
    Ok(([(header::VARY, chosen)], Json(proposals)).into_response())
}

/// `GET /api/<slug>/<id>/table?state=held`: the rows of a package in the columns of its file, with what became of each
/// beside them. The reasons are in the language of the reader, or that of `language`.
pub(crate) async fn table(Call(app, target, who, headers): Call) -> Reply {
    if !target.collection.is(Feature::Packages) {
        return Err(target.no_route());
    }
    let id = target.row()?;
    readable(&app, &target, &who.principal, id).await?;
    let query = target.tree()?;
    let states = target.ok(states(&query))?;
    let language = target.ok(language::chosen(&headers, &query))?;
    let rows = target.ok(ingest::table(&app.book, id, states, language).await)?;
    if query.get("format").and_then(Tree::as_text) == Some("xlsx") && !rows.are_documents() {
        return workbook(&app, &target, id, rows).await;
    }
    let (kind, end) = match rows.are_documents() {
        true => ("application/x-ndjson", "ndjson"),
        false => ("text/csv; charset=utf-8; header=present", "csv"),
    };
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"package-{id}.{end}\""));
    let disposition = disposition.map_err(|why| target.refuse(Error::internal(why)))?;
    let body = Body::from_stream(lines(Arc::clone(&app), rows));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, disposition),
        (header::VARY, HeaderValue::from_static("Accept-Language")),
    ];
    let response: Response = (headers, body).into_response();
    Ok(response)
}

/// The table as a workbook, a sheet for each of the file. Cells are texts as they were written, which are read again as
/// they are.
async fn workbook(app: &AppState, target: &Target, id: i64, mut rows: TableRows) -> Reply {
    let writing = Writing::begin();
    while let Some(piece) = target.ok(rows.next(&app.book).await)? {
        for line in piece {
            let line = match line {
                TableLine::Sheet(name, titles) => Line::Sheet(name, titles),
                TableLine::Row(cells) => Line::Row(cells.into_iter().map(Cell::Text).collect()),
            };
            if !writing.add(line).await {
                break;
            }
        }
    }
    let mut answer = writing.answer(&format!("package-{id}")).await?;
    let chosen = HeaderValue::from_static("Accept-Language");
    answer.headers_mut().append(header::VARY, chosen);
    Ok(answer)
}

/// `state`: words with commas between them.
fn states(query: &Tree) -> Result<Vec<RowState>> {
    let Some(text) = query.get("state") else {
        return Ok(Vec::new());
    };
    let read = |word: &str| RowState::ALL.into_iter().find(|state| state.word() == word);
    let words = text.as_text().unwrap_or_default().split(',').map(|word| read(word.trim()));
    let states: Option<Vec<RowState>> = words.collect();
    states.ok_or_else(|| Error::Query(vec!["state".to_owned()]))
}

/// The lines of a table as they come.
fn lines(app: Arc<AppState>, mut rows: TableRows) -> impl futures_util::Stream<Item = Result<Bytes>> {
    async_stream::stream! {
        let documents = rows.are_documents();
        let mut mark = MARK;
        loop {
            let piece = match rows.next(&app.book).await {
                Ok(Some(piece)) => piece,
                Ok(None) => return,
                Err(error) => {
                    yield Err(error);
                    return;
                }
            };
            yield match documents {
                true => Ok(piece.into_iter().flat_map(TableLine::cells).flat_map(|line| [line, "\n".to_owned()]).collect::<String>().into()),
                false => written(std::mem::take(&mut mark), piece),
            };
        }
    }
}

fn written(mark: &str, lines: Vec<TableLine>) -> Result<Bytes> {
    let mut out = Vec::from(mark.as_bytes());
    for line in lines {
        let cells: Vec<String> = line.cells().into_iter().map(as_written).collect();
        record(&mut out, &cells)?;
    }
    Ok(out.into())
}

/// A text that no spreadsheet takes for a formula; numbers stay numbers.
fn as_written(text: String) -> String {
    match text.replace(',', ".").parse::<f64>() {
        Ok(_) => text,
        Err(_) => plain(text),
    }
}

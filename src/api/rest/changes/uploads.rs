//! Writes whose body comes in parts, with or without a file, and those of collections whose
//! rows are files. Must not know any single collection.

use super::super::target::Target;
use super::written;
use super::written::answer;
use crate::body;
use crate::body::multipart::{self, MultipartBody};
use crate::caller::Who;
use crate::{AppState, Refusal};
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use files::ReceivedFile;
use model::error::{Error, Result};
use model::registry::{Collection, Verb};
use ops::{Item, Outcome, files_of, parse_body};
use std::sync::Arc;

/// Whether a write is for here.
pub(in crate::rest) fn concerns(target: &Target, headers: &HeaderMap) -> bool {
    target.collection.upload.is_some() || multipart::is_multipart(headers)
}

/// `POST /api/<slug>`
pub(in crate::rest) async fn create(
    app: &AppState,
    target: &Target,
    who: &Who,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let c = target.collection;
    let view = target.view(app)?;
    target.ok(app.book.may_try(&who.principal, c, Verb::Create))?;
    let content = read(app, target, who, headers, body, Verb::Create).await?;
    if c.upload.is_some() && content.file.is_none() {
        let error = Error::Malformed("No files were uploaded.".into());
        return Err(target.refuse(error));
    }
    let (values, issues) = parse_body(c, &content.members, None);
    let item = Item::create(values).with_issues(issues);
    let id = target.ok(write(app, target, who, item, content.file).await)?;
    let doc = written::document(app, target, who, id, &view).await?;
    let message = format!("{} successfully created.", c.singular);
    Ok(answer(StatusCode::CREATED, &doc, &message))
}

/// Fields and file. A caller who may not write at all is refused before the file is read.
pub(in crate::rest) async fn read(
    app: &AppState,
    target: &Target,
    who: &Who,
    headers: &HeaderMap,
    body: Body,
    verb: Verb,
) -> Result<MultipartBody, Refusal> {
    let c = target.collection;
    if !multipart::is_multipart(headers) {
        let members = body::object(app, c.slug, headers, body).await?;
        return Ok(MultipartBody { members, file: None });
    }
    target.ok(app.book.may_try(&who.principal, c, verb))?;
    let files = files_of(&app.book, c);
    let upload = files.as_ref().map(|(_, upload)| upload);
    multipart::read(app, c.slug, headers, body, upload).await
}

pub(in crate::rest) async fn write(
    app: &AppState,
    target: &Target,
    who: &Who,
    item: Item,
    file: Option<ReceivedFile>,
) -> Result<i64> {
    let caller = Arc::clone(&who.principal);
    let c = target.collection;
    match file {
        None => written::write(app, c, who, item).await.map(|(id, _)| id),
        Some(file) => written(app.book.write_file(caller, c, item, file).await?),
    }
}

/// An update that may move the focal point of a picture.
pub(in crate::rest) async fn refocus(
    app: &AppState,
    c: &'static Collection,
    who: &Who,
    item: Item,
    id: i64,
) -> Result<i64> {
    let caller = Arc::clone(&who.principal);
    // A caller who may not write is refused by the write itself.
    let drawn = match app.book.may_try(&caller, c, Verb::Update) {
        Ok(()) if item.is_sound() => {
            let drawn = app.book.refocus(&caller, c, id, &item.body).await;
            match drawn {
                Err(Error::Forbidden(_)) => None,
                drawn => drawn?,
            }
        }
        _ => None,
    };
    match drawn {
        None => written::write(app, c, who, item).await.map(|(id, _)| id),
        Some(drawn) => written(app.book.write_refocused(caller, c, item, drawn).await?),
    }
}

fn written(outcome: Outcome) -> Result<i64> {
    match outcome {
        Outcome::Done(change, _) => Ok(change.id),
        Outcome::Unchanged(id, _, _) => Ok(id),
        Outcome::Refused(error) => Err(error),
    }
}

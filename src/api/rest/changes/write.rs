//! Create, duplicate, update, actions and delete by id. Bodies are read here; who may write what, and whether
//! it is right, is decided by the pipeline below.

use super::super::call::{Call, Reply};
use super::super::reads::read;
use super::written::{GeneratedValues, answer, write};
use super::{append_members, batch, uploads, written};
use crate::AppState;
use crate::body;
use crate::caller::Who;
use crate::layers::method_override::is_get;
use axum::body::Body;
use axum::http::StatusCode;
use model::error::{Error, Result};
use model::registry::{Collection, Verb};
use ops::{Item, parse_body};
use serde_json::Map;

/// `POST /api/<slug>`; with a method override a list.
pub(crate) async fn create(Call(app, target, who, headers): Call, body: Body) -> Reply {
    if is_get(&headers) {
        let query = read::posted(&app, &target, &headers, body).await?;
        return read::page(&app, &target, &who, &headers, &query).await;
    }
    if uploads::concerns(&target, &headers) {
        return uploads::create(&app, &target, &who, &headers, body).await;
    }
    batch::create(&app, &target, &who, &headers, body).await
}

/// `POST /api/<slug>/<id>/duplicate`; a body overrides fields of the original.
pub(crate) async fn duplicate(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let id = target.row()?;
    let c = target.collection;
    if c.upload.is_some() {
        // A copy would need a file of its own.
        let error = Error::Malformed("No files were uploaded.".into());
        return Err(target.refuse(error));
    }
    let view = target.view(&app)?;
    let bytes = body::read(&app, &headers, body).await?;
    let members =
        if bytes.is_empty() { Map::new() } else { body::object(&app, c.slug, &headers, Body::from(bytes)).await? };
    let changes = parse_body(c, &members, None);
    let item = target.ok(app.book.copied(&who.principal, c, id, changes).await)?;
    let (id, once) = target.ok(write(&app, target.collection, &who, item).await)?;
    let doc = written::document(&app, &target, &who, id, &view).await?;
    let doc = append_members::append(doc, once);
    let message = format!("{} successfully duplicated.", c.singular);
    Ok(answer(StatusCode::OK, &doc, &message))
}

/// `PATCH /api/<slug>/<id>`; a body in parts may bring another file.
pub(crate) async fn update(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let (id, c) = (target.row()?, target.collection);
    let view = target.view(&app)?;
    let content = uploads::read(&app, &target, &who, &headers, body, Verb::Update).await?;
    let (values, issues) = parse_body(c, &content.members, None);
    let item = Item::update(id, values).with_issues(issues);
    let written = match content.file {
        Some(file) => uploads::write(&app, &target, &who, item, Some(file)).await.map(|_| GeneratedValues::new()),
        None => change(&app, c, &who, item, id).await,
    };
    let once = written.map_err(|error| target.refuse_row(error, id))?;
    let doc = written::document(&app, &target, &who, id, &view).await?;
    Ok(answer(StatusCode::OK, &append_members::append(doc, once), "Updated successfully."))
}

/// `POST /api/<slug>/<id>/<action>`, where the collection knows it: a change of the row like
/// any other, which the hooks see as such.
pub(crate) async fn act(Call(app, target, who, _): Call) -> Reply {
    let action = target.action()?;
    let id = target.row()?;
    let view = target.view(&app)?;
    let cleared = vec![(target.collection.at(action.field), model::record::Value::Null)];
    let item = Item::update(id, Vec::new()).with_server(cleared);
    let written = write(&app, target.collection, &who, item).await;
    let (_, once) = written.map_err(|error| target.refuse_row(error, id))?;
    let doc = written::document(&app, &target, &who, id, &view).await?;
    let doc = append_members::append(doc, once);
    Ok(answer(StatusCode::OK, &doc, "Done."))
}

/// `DELETE /api/<slug>/<id>`; answers the document as it was.
pub(crate) async fn delete(Call(app, target, who, _): Call) -> Reply {
    let id = target.row()?;
    let view = target.view(&app)?;
    let document = app.book.by_id(&who.principal, target.collection, id, view).await;
    let doc = match document {
        // Whether this is 403 or 404 is for the rule of the deletion to say.
        Err(Error::NotFound | Error::Forbidden(_)) => written::only(id),
        document => target.ok(document)?,
    };
    let written = write(&app, target.collection, &who, Item::delete(id)).await;
    written.map_err(|error| target.refuse_row(error, id))?;
    Ok(answer(StatusCode::OK, &doc, "Deleted successfully."))
}

/// Writes an update without a file, and answers the values that are shown only once. In
/// collections of files it may move the focal point of a picture.
pub(crate) async fn change(
    app: &AppState,
    c: &'static Collection,
    who: &Who,
    item: Item,
    id: i64,
) -> Result<GeneratedValues> {
    if c.upload.is_some() {
        return uploads::refocus(app, c, who, item, id).await.map(|_| GeneratedValues::new());
    }
    write(app, c, who, item).await.map(|(_, once)| once)
}

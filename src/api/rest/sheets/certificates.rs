//! Reads of certificates (docs/certificates.md): the conditions under which a row gets one, and
//! a certificate for print. Must not know any single collection.

use super::super::call::{Call, Reply};
use super::printed;
use crate::layers::language;
use crate::pages::certificate::paper::Paper;
use crate::pages::certificate::sheet;
use axum::Json;
use axum::response::IntoResponse;
use domain::collections::certificates::{self, Form};
use model::error::{Error, Result};
use model::query::qs::Tree;
use model::registry::Feature;
use ops::View;
use serde_json::{Value, json};
use std::sync::Arc;

/// `GET /api/<slug>/<id>/certificate-conditions?type=…`, for the owner of the animal and the Association.
pub(crate) async fn conditions(Call(app, target, who, _): Call) -> Reply {
    let slug = target.collection.slug;
    if app.book.registry.certificates_about(slug).is_none() {
        return Err(target.no_route());
    }
    let id = target.row()?;
    let form = target.ok(form(&target.tree()?))?;
    target.document(&app, &who, View::default()).await?;
    let caller = Arc::clone(&who.principal);
    let conditions = app.book.transact(move |work| {
        Box::pin(async move {
            work.set_caller(&caller);
            certificates::conditions(work, id, form).await
        })
    });
    let conditions = target.ok(conditions.await)?;
    let met = conditions.iter().all(|one| one.met);
    let all: Vec<Value> = conditions.iter().map(|one| one.json()).collect();
    Ok(Json(json!({"type": form.word(), "met": met, "conditions": all})).into_response())
}

/// `type`: the type of the document; without it that of new documents.
fn form(query: &Tree) -> Result<Form> {
    let Some(word) = query.get("type") else {
        return Ok(Form::Pedigree);
    };
    let form = word.as_text().and_then(Form::of);
    form.ok_or_else(|| Error::Query(vec!["type".to_owned()]))
}

/// `GET /api/<slug>/<id>/certificate`: a page for print or a PDF, for those who see what the certificate keeps. For
/// others, and of other documents, there is none.
pub(crate) async fn certificate(Call(app, target, who, headers): Call) -> Reply {
    if !target.collection.is(Feature::Certificates) {
        return Err(target.no_route());
    }
    let query = target.tree()?;
    let pdf = target.ok(printed::wants_pdf(&headers, &query));
    let language = target.ok(language::chosen(&headers, &query));
    let select = Tree::from(json!({"select": {"publicCode": "true", "snapshot": "true", "revoked": "true"}}));
    let (_, doc) = target.document(&app, &who, View::read(&select, 0)).await?;
    let text = |place: &str| doc.pointer(place).and_then(Value::as_str);
    let snapshot = doc.get("snapshot").filter(|snapshot| snapshot.is_object());
    let (Some(snapshot), Some(code)) = (snapshot, text("/publicCode")) else {
        return Err(target.refuse(Error::NotFound));
    };
    let revoked = text("/revoked/at").map(|at| {
        let day = at.get(..10).unwrap_or_default();
        (day, text("/revoked/reason").unwrap_or_default())
    });
    let paper = Paper { face: &app.settings.face, url: &app.settings.mail.branding.url, code, revoked, snapshot };
    let language = language?;
    if !pdf? {
        return Ok(paper.into_response_in(language));
    }
    let number = snapshot.get("number").and_then(Value::as_str);
    let sheet = sheet::sheet(paper, language);
    printed::printed(sheet, number.unwrap_or_default()).await
}

//! `POST /api/<slug>/mating-plan`: which bull each of some females is to be mated with, as JSON or a workbook; the
//! owner of the females can have the exchange serve it.

use super::super::call::{Call, Reply};
use super::super::reads::form::{self, Form};
use super::super::reads::table_rows::Headers;
use super::mates::Reading;
use super::{answer, planning, recommendations, request, sheets};
use crate::body;
use crate::limit::Cost;
use axum::body::Body;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use model::error::Error;
use model::registry::{Caller, Feature};

pub(crate) async fn plan(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let c = target.collection;
    if !c.is(Feature::Mating) {
        return Err(target.no_route());
    }
    if who.principal.caller == Caller::Anonymous {
        return Err(target.refuse(Error::forbidden()));
    }
    let query = target.tree()?;
    let form = form::wanted(&headers, &query).map_err(|error| target.refuse(error))?;
    if query.get("format").is_some() && !matches!(form, Form::Envelope | Form::Workbook) {
        return Err(target.refuse(Error::Query(vec!["format".to_owned()])));
    }
    let titles = Headers::wanted(&headers, &query, form).map_err(|error| target.refuse(error))?;
    let members = body::object(&app, c.slug, &headers, body).await?;
    let mut request = request::read(members).map_err(|error| target.refuse(error))?;
    // A workbook has them in any case.
    request.exclusions &= form != Form::Workbook;
    let reading = Reading { app: &app, caller: &who.principal, c };
    let plan = planning::make(reading, request).await;
    let plan = plan.map_err(|error| target.refuse(error))?;
    let mut documents = None;
    if plan.request.store {
        let count = recommendations::store(reading, &plan).await;
        documents = Some(count.map_err(|error| target.refuse(error))?);
    }
    let females = plan.advice.len();
    let cost = Extension(Cost::of_pedigree(females + females * plan.places.len() / 10, plan.count));
    if form == Form::Workbook {
        let workbook = sheets::workbook(&plan, titles).await?;
        return Ok((cost, workbook).into_response());
    }
    let now = app.book.clock.now();
    Ok((cost, Json(answer::json(&plan, documents, now))).into_response())
}

//! `GET /api/<slug>/work-lists`: the work lists of an organisation, one or all, as JSON or as a file (docs/dialect.md,
//! *Work lists*). Must not know any single collection.

mod calendar;
mod files;

use super::call::{Call, Reply};
use super::sheets::printed;
use crate::caller::Who;
use crate::layers::language;
use crate::limit::Cost;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use model::error::{Error, Result};
use model::query::qs::Tree;
use model::registry::{WorkList, WorkLists};
use ops::WorkAsk;
use serde_json::{Value, json};

/// Rows of each list when all are shown.
const SHOWN: i64 = 5;
/// Rows of a page of one list.
const PAGE: i64 = 25;
/// Rows of a page or of a list in a file, at most.
pub(crate) const ROWS_MAX: i64 = 500;
/// Days that a calendar looks ahead unless the caller says otherwise.
pub(crate) const CALENDAR_AHEAD: i64 = 28;
/// Days that lists look ahead, at most.
pub(crate) const AHEAD_MAX: i64 = 60;
/// The forms of work lists.
pub(crate) const FORMS: [&str; 4] = ["json", "xlsx", "pdf", "ics"];

pub(crate) async fn work_lists(Call(app, target, who, headers): Call) -> Reply {
    let c = target.collection;
    let Some(lists) = c.ui.work_lists else {
        return Err(target.no_route());
    };
    let query = target.tree()?;
    let request = target.ok(Request::read(&who, lists, &query))?;
    let language = target.ok(language::chosen(&headers, &query))?;
    let places = app.book.work_places(&who.principal, c, lists, request.organization).await;
    let places = target.ok(places)?;
    let mut all: Vec<(&'static WorkList, Value)> = Vec::new();
    for list in request.list.map_or_else(|| lists.lists.iter().collect(), |list| vec![list]) {
        let page = app.book.work_list(&who.principal, &places, list, request.ask).await;
        all.push((list, target.ok(page)?));
    }
    let rows: usize = all.iter().filter_map(|(_, page)| page.get("docs")?.as_array()).map(Vec::len).sum();
    let cost = Extension(Cost::of_rows(rows));
    let files = files::Files {
        registry: app.book.registry,
        c,
        language,
        service: &app.settings.face.name,
        url: &app.settings.server_url,
        places: &places,
        all: &all,
    };
    let answer = match request.form {
        "xlsx" => files.workbook().await?,
        "pdf" => printed::printed(files.sheet(), &files.name()).await?,
        "ics" => files.calendar(app.book.clock.now()),
        _ => Json(match (request.list, all.pop()) {
            (Some(_), Some((_, page))) => page,
            (_, last) => {
                let pages: Vec<Value> = all.into_iter().chain(last).map(|(_, page)| page).collect();
                json!({"organization": request.organization, "day": places.day(), "lists": pages})
            }
        })
        .into_response(),
    };
    Ok((cost, answer).into_response())
}

/// What a request asks for.
struct Request {
    organization: i64,
    /// None: all.
    list: Option<&'static WorkList>,
    form: &'static str,
    ask: WorkAsk,
}

impl Request {
    /// A farm asks for its own lists, the Association for those of any.
    fn read(who: &Who, lists: &'static WorkLists, query: &Tree) -> Result<Self> {
        let bad = |name: &str| Error::Query(vec![name.to_owned()]);
        let text = |name: &str| query.get(name).map(|value| value.as_text().unwrap_or_default());
        let number = |name: &str, usual: i64, (least, most): (i64, i64)| match text(name) {
            None => Ok(usual),
            Some(text) => {
                let number = text.parse().ok().filter(|number| (least..=most).contains(number));
                number.ok_or_else(|| bad(name))
            }
        };
        let own = who.principal.organization;
        if own.is_none() && !who.principal.sees_all() {
            return Err(Error::forbidden());
        }
        let organization = number("organization", own.unwrap_or_default(), (1, i64::MAX))?;
        if organization == 0 {
            return Err(bad("organization"));
        }
        if own != Some(organization) && !who.principal.sees_all() {
            return Err(Error::forbidden());
        }
        let list = text("list").map(|name| lists.list(name).ok_or_else(|| bad("list"))).transpose()?;
        let form = text("format").unwrap_or("json");
        let form = FORMS.into_iter().find(|one| *one == form).ok_or_else(|| bad("format"))?;
        let rows = match (form, list) {
            ("json", None) => SHOWN,
            ("json", Some(_)) => PAGE,
            _ => ROWS_MAX,
        };
        let ahead = if form == "ics" { CALENDAR_AHEAD } else { 0 };
        let count = |number: i64| u64::try_from(number).unwrap_or(1);
        Ok(Self {
            organization,
            list,
            form,
            ask: WorkAsk {
                ahead: number("ahead", ahead, (0, AHEAD_MAX))?,
                limit: number("limit", rows, (1, ROWS_MAX)).map(count)?,
                page: number("page", 1, (1, i64::from(u32::MAX))).map(count)?,
            },
        })
    }
}

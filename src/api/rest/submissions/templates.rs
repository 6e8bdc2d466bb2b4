//! Templates of the files that packages are made of (docs/packages.md, *Templates*). Must not know any single collection.

use super::super::call::{Call, Reply};
use super::super::reads::table_rows::{Line, MARK, record};
use super::super::reads::workbook::Writing;
use crate::layers::language;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use ingest::TemplateColumn;
use model::display;
use model::error::{Error, Result};
use model::messages::{Language, text};
use model::query::qs::Tree;
use model::registry::{Feature, Verb};
use ops::Cell;
use std::collections::BTreeMap;

/// `GET /api/<slug>/template?dataset=milkTests&format=xlsx`: a table with the headings of a set and no rows, as CSV or as a
/// workbook with a second sheet that explains the columns.
pub(crate) async fn template(Call(app, target, who, headers): Call) -> Reply {
    let c = target.collection;
    if !c.is(Feature::Packages) {
        return Err(target.no_route());
    }
    target.ok(app.book.may_try(&who.principal, c, Verb::Create))?;
    let query = target.tree()?;
    let language = target.ok(language::chosen(&headers, &query))?;
    let registry = app.book.registry;
    let name = query.get("dataset").and_then(Tree::as_text).unwrap_or_default();
    let columns = ingest::template(registry, name, language);
    let columns = columns.ok_or_else(|| {
        let message = "There is no data set of this name.";
        target.refuse(Error::invalid("dataset", "no-such-dataset", message))
    })?;
    let mut answer = match target.ok(is_workbook(&query))? {
        true => {
            let sheet = display::set(registry, language, name).unwrap_or_default();
            workbook(language, sheet, columns).await.answer(name).await?
        }
        false => {
            let heads: Vec<String> = columns.into_iter().map(|column| column.heading).collect();
            let mut bytes = Vec::from(MARK.as_bytes());
            target.ok(record(&mut bytes, &heads))?;
            let kind = "text/csv; charset=utf-8; header=present";
            let named = HeaderValue::from_str(&format!("attachment; filename=\"{name}.csv\""));
            let named = named.map_err(|why| target.refuse(Error::internal(why)))?;
            let headers =
                [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, named)];
            (headers, bytes).into_response()
        }
    };
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Accept-Language"));
    Ok(answer)
}

fn is_workbook(query: &Tree) -> Result<bool> {
    match query.get("format").map(Tree::as_text) {
        None | Some(Some("xlsx")) => Ok(true),
        Some(Some("csv")) => Ok(false),
        _ => Err(Error::Query(vec!["format".to_owned()])),
    }
}

async fn workbook(language: Language, sheet: String, columns: Vec<TemplateColumn>) -> Writing {
    let said = |name: &str| text(language, name, &BTreeMap::new());
    let writing = Writing::begin();
    let heads = columns.iter().map(|column| column.heading.clone()).collect();
    let explained = ["column", "needed", "values"].map(|name| said(&format!("page-template-{name}")));
    let mut lines = vec![Line::Sheet(sheet, heads), Line::Sheet(said("page-template-sheet"), explained.to_vec())];
    let rows = columns.into_iter().map(|column| [column.heading, column.needed, column.expected]);
    lines.extend(rows.map(|row| Line::Row(row.map(Cell::Text).to_vec())));
    for line in lines {
        if !writing.add(line).await {
            break;
        }
    }
    writing
}

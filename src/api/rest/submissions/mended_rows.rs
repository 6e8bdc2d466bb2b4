//! Held rows of a package that are mended in place and tried again (docs/packages.md, *Rows*). Must not know any single
//! collection.

use super::super::call::{Call, Reply};
use super::packages::readable;
use super::previewed;
use crate::body::{self, WriteBody};
use axum::Json;
use axum::body::Body;
use axum::response::IntoResponse;
use ingest::{MendedCells, MendedRow};
use model::error::{Error, Issue, Result};
use model::registry::review::package;
use model::registry::{Feature, Verb};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Most rows of a request.
const MOST: usize = 500;

/// `PATCH /api/<slug>/<id>/rows`: rows that are held, each with cells of it.
pub(crate) async fn mend(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let c = target.collection;
    if !c.is(Feature::Packages) || target.part() != Some(package::ROWS) {
        return Err(target.no_route());
    }
    let id = target.row()?;
    target.ok(app.book.may_try(&who.principal, c, Verb::Create))?;
    readable(&app, &target, &who.principal, id).await?;
    let bytes = body::text(&app, &headers, body).await?;
    let posted = body::posted(c.slug, &headers, &bytes, MOST)?;
    let rows = match posted {
        WriteBody::One(row) => vec![row],
        WriteBody::Many(rows) => rows.into_iter().collect::<std::result::Result<Vec<_>, _>>()?,
    };
    let rows = target.ok(read(rows))?;
    let previews = ingest::mend(&app.book, &who.principal, (&app.exchange, &app.schemes), id, rows).await;
    let previews = target.ok(previews)?;
    let docs = previewed::rows(app.book.registry, previews);
    Ok(Json(json!({"docs": docs})).into_response())
}

fn read(rows: Vec<Map<String, Value>>) -> Result<Vec<MendedRow>> {
    let (mut read, mut issues) = (Vec::new(), Vec::new());
    for (place, row) in rows.iter().enumerate() {
        let id = row.get("id").and_then(Value::as_i64);
        if id.is_none() {
            let message = "This must be the id of a row.";
            issues.push(Issue::error(format!("{place}.id"), "wrong-type", message));
        }
        let cells = row.get("cells").and_then(cells);
        if cells.is_none() {
            let message = "This must be an object of texts by the titles of their columns, or a list of all cells.";
            issues.push(Issue::error(format!("{place}.cells"), "wrong-type", message));
        }
        read.extend(id.zip(cells).map(|(id, cells)| MendedRow { id, cells }));
    }
    match issues.is_empty() {
        true => Ok(read),
        false => Err(Error::Invalid(issues)),
    }
}

fn cells(value: &Value) -> Option<MendedCells> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Value::Array(all) => {
            let all: Option<Vec<String>> = all.iter().map(text).collect();
            all.map(MendedCells::All)
        }
        Value::Object(members) => {
            let members = members.iter().map(|(title, cell)| Some((title.clone(), text(cell)?)));
            let titled: Option<BTreeMap<String, String>> = members.collect();
            titled.map(MendedCells::Titled)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_texts_by_title_or_a_list_of_all() {
        let bad = |rows: Value| -> std::result::Result<Vec<String>, usize> {
            let rows = rows.as_array().unwrap().iter();
            let rows = rows.map(|row| row.as_object().unwrap().clone()).collect();
            match read(rows) {
                Ok(rows) => Err(rows.len()),
                Err(Error::Invalid(issues)) => Ok(issues.into_iter().map(|issue| issue.path).collect()),
                Err(other) => panic!("{other}"),
            }
        };
        let good = json!([{"id": 1, "cells": {"A": "x"}}, {"id": 2, "cells": ["x", ""]}]);
        assert_eq!(bad(good), Err(2));
        let wrong = json!([{"id": "1", "cells": {}}, {"id": 2}, {"id": 3, "cells": {"A": 5}}]);
        assert_eq!(bad(wrong).unwrap(), ["0.id", "1.cells", "2.cells"]);
    }
}

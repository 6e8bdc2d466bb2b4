//! `POST /book/<slug>/<id>/tell`: takes what must be mended over into the review, one row for each animal that the review
//! does not name yet. Without these a package is not signed.

use super::ReviewedPackage;
use crate::book::record::{record_page, refusal};
use crate::components::input::put;
use crate::components::notice::Notice;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use axum::http::{Method, StatusCode};
use model::display::at;
use model::registry::review::{finding, package};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Findings that are taken over at once.
const MOST: u64 = 1_000;

pub(crate) async fn tell(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = crate::book::collection(&shell, &slug)?;
    let path = format!("/api/{}/{id}?depth=0&joins=false", c.slug);
    let answer = shell.get(&path).await;
    if !answer.is_good() {
        return Err(Stop::refused(&shell, &answer));
    }
    let of = ReviewedPackage::of(&shell, c, id, &answer.body).ok_or_else(|| Stop::missing(&shell))?;
    if !of.is_undecided() {
        let why = shell.text("page-review-tell-late");
        return record_page(&shell, c, id, Some((StatusCode::CONFLICT, why))).await;
    }
    let [about, path, severity, text] = package::FINDING;
    let rows = at(of.doc, package::FINDINGS).as_array().cloned();
    let mut rows = rows.unwrap_or_default();
    let animals = rows.iter().map(|row| at(row, about).as_i64());
    let mut animals: BTreeSet<Option<i64>> = animals.collect();
    let first = |path: &str| of.findings.options(path).first().map_or("", String::as_str);
    let only = [(finding::SEVERITY, first(finding::SEVERITY)), (finding::STATE, first(finding::STATE))];
    let more = [("limit", MOST.to_string()), ("pagination", "false".to_owned())];
    let open = of.findings(&of.own_records().await, &only, &more).await;
    for one in open.docs() {
        let animal = at(one, finding::ANIMAL);
        let animal = animal.get("id").unwrap_or(animal).as_i64();
        if animals.insert(animal) {
            rows.push(json!({
                (about): animal,
                (path): at(one, finding::PATH),
                (severity): at(one, finding::SEVERITY),
                (text): of.sentence(one),
            }));
        }
    }
    let mut body = Map::new();
    put(&mut body, package::FINDINGS, Value::Array(rows));
    let path = format!("/api/{}/{id}?depth=0", c.slug);
    let answer = shell.send(Method::PATCH, &path, &body.into()).await;
    match answer.is_good() {
        true => Ok(Notice::Pressed("page-review-tell").see(c, &format!("{}#findings", of.address()))),
        false => record_page(&shell, c, id, Some((answer.status, refusal(&answer)))).await,
    }
}

//! `POST /book/<slug>/<id>/rows`: held rows with the cells that stand in the form, which are tried again.

use super::ReviewedPackage;
use crate::book::record::{refusal, typed_page};
use crate::components::notice::Notice;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::body::Bytes;
use axum::http::Method;
use maud::{Markup, html};
use model::display::at;
use model::registry::Feature;
use model::registry::review::package;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The text of the button.
pub(super) const BUTTON: &str = "page-review-send-again";
/// What the names of its controls begin with; row and place follow.
const CELL: &str = "cell";

impl ReviewedPackage<'_> {
    /// Whether held rows of it may still be mended, by whom may send such records.
    pub(super) fn is_open(&self, may: bool) -> bool {
        let reading = at(self.doc, package::READING);
        let read = !package::IS_READING.iter().any(|word| reading == *word)
            && reading != package::UNREAD
            && !reading.is_null();
        let signed_in = self.shell.visitor.user.is_some();
        may && signed_in && read && self.is_undecided()
    }

    /// Whether its review is not signed, nor ended otherwise.
    pub(super) fn is_undecided(&self) -> bool {
        let state = at(self.doc, package::STATUS);
        package::OPEN.iter().any(|word| state == *word)
    }
}

/// The name of the control of a cell.
pub(super) fn name_of(row: i64, place: usize) -> String {
    format!("{CELL}.{row}.{place}")
}

/// A cell of a row that can be mended.
pub(super) fn input(name: &str, title: &str, text: &str) -> Markup {
    // A line of text has no breaks.
    html! {
        @if text.contains('\n') {
            textarea name=(name) aria-label=(title) rows="2" { "\n" (text) }
        } @else {
            input type="text" name=(name) aria-label=(title) value=(text);
        }
    }
}

/// A cell of such a row that stays: the form has all of them.
pub(super) fn as_it_is(row: i64, place: usize, text: &str) -> Markup {
    html! { input type="hidden" name=(name_of(row, place)) value=(text); }
}

fn rows(form: &Form) -> Vec<Value> {
    let mut rows: BTreeMap<i64, BTreeMap<usize, String>> = BTreeMap::new();
    for (name, text) in &form.0 {
        let mut parts = name.split('.');
        let of = (parts.next(), parts.next(), parts.next());
        let (Some(CELL), Some(row), Some(place)) = of else {
            continue;
        };
        if let (Ok(row), Ok(place)) = (row.parse(), place.parse()) {
            let text = text.replace("\r\n", "\n");
            rows.entry(row).or_default().insert(place, text);
        }
    }
    let rows = rows.into_iter().map(|(id, cells)| {
        // The form has all cells of a row, in their order.
        let cells: Vec<String> = cells.into_values().collect();
        json!({"id": id, "cells": cells})
    });
    rows.collect()
}

pub(crate) async fn mend(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = crate::book::collection(&shell, &slug)?;
    if !c.is(Feature::Packages) {
        return Err(Stop::missing(&shell));
    }
    let path = format!("/api/{}/{id}/{}", c.slug, package::ROWS);
    let form = Form::read(&bytes);
    let rows = rows(&form);
    let answer = shell.send(Method::PATCH, &path, &Value::Array(rows)).await;
    match answer.is_good() {
        true => Ok(Notice::Pressed(BUTTON).see(c, &format!("/book/{}/{id}#rows", c.slug))),
        false => typed_page(&shell, c, id, (Some((answer.status, refusal(&answer))), Some(&form))).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_form_are_rows() {
        let form = Form::read(b"cell.7.10=k&cell.7.2=c&cell.5.0=a%0D%0Ab&cell.x.1=&other=1");
        let want = json!([{"id": 5, "cells": ["a\nb"]}, {"id": 7, "cells": ["c", "k"]}]);
        assert_eq!(Value::Array(rows(&form)), want);
    }
}

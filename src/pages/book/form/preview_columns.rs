//! The columns of a file that is previewed: what each is taken for and why, how it is written, samples, and a choice of
//! what it means, which is sent with the next preview or with the package.

use crate::components::set_fields::sets;
use crate::components::shell::Shell;
use crate::components::value::notation;
use crate::words::Form;
use maud::{Markup, html};
use model::display::{at, number};
use model::messages::{self, labels};
use serde_json::{Map, Value, json};

/// The form that has the file, to which the choices belong wherever they stand.
pub(in crate::book) const FORM: &str = "package-file";
/// What the names of the choices begin with; the title of the column follows.
pub(in crate::book) const CONTROL: &str = "column:";
/// The choice by which a column is left out.
const LEFT_OUT: &str = "-";
/// What the API calls what is stated of a file.
const MAPPING: &str = "mapping";
/// Heads of the table.
const HEADS: [&str; 4] = ["column", "means", "written", "samples"];

/// Takes what was chosen into what is stated of the file.
pub(in crate::book) fn state(form: &Form, values: &mut Map<String, Value>) {
    let chosen = form.0.iter().filter_map(|(name, value)| {
        // Browsers write a quotation mark in the name of a part so (HTML, 4.10.22.8).
        let title = name.strip_prefix(CONTROL)?.replace("%22", "\"");
        match value.as_str() {
            "" => None,
            LEFT_OUT => Some((title, Value::Null)),
            path => Some((title, Value::from(path))),
        }
    });
    let chosen: Map<String, Value> = chosen.collect();
    if chosen.is_empty() {
        return;
    }
    let mapping = values.entry(MAPPING).or_insert(Value::Null);
    if mapping.is_null() {
        *mapping = json!({});
    }
    let Some(mapping) = mapping.as_object_mut() else {
        return;
    };
    if let Value::Object(columns) = mapping.entry("columns").or_insert_with(|| json!({})) {
        columns.extend(chosen);
    }
}

pub(in crate::book) fn markup(shell: &Shell<'_>, sheets: &Value) -> Markup {
    let text = |value: &Value, path: &str| at(value, path).as_str().unwrap_or_default().to_owned();
    html! {
        @for sheet in sheets.as_array().into_iter().flatten() {
            @let passed = text(sheet, "message");
            @let columns = at(sheet, "columns").as_array().map_or(&[][..], Vec::as_slice);
            @let name = text(sheet, "name");
            p { strong { (name) } " " (labels::collections(shell.language(), &text(sheet, "collection"))) }
            @if !passed.is_empty() {
                p class="fault" { (messages::stored(shell.language(), &passed, &text(sheet, "code"))) }
            }
            @if !columns.is_empty() {
                section class="wide" tabindex="0" aria-label={ (shell.text("page-preview-sheets")) " " (name) } { table class="list" {
                    thead { tr { @for head in HEADS {
                        th scope="col" { (shell.text(&format!("page-preview-{head}"))) }
                    } } }
                    tbody { @for column in columns { (row(shell, &text(sheet, "set"), column)) } }
                } }
            }
        }
    }
}

fn row(shell: &Shell<'_>, set: &str, column: &Value) -> Markup {
    let text = |path: &str| at(column, path).as_str().unwrap_or_default();
    let head = |name: &str| shell.text(&format!("page-preview-{name}"));
    let source = text("source");
    let label = match (text("label"), at(column, "unknown") == true) {
        ("", true) => head("unknown"),
        ("", false) => head("left-out"),
        (label, _) => label.to_owned(),
    };
    let path = text("path");
    // What the sender stated is chosen already, so that it is stated again.
    let own = match (source, path) {
        ("mapping", "") => LEFT_OUT,
        ("mapping", path) => path,
        _ => "",
    };
    let samples = at(column, "samples").as_array();
    let title = text("title");
    html! {
        tr {
            th scope="row" data-head=(head("column")) { (title) }
            td data-head=(head("means")) {
                (label)
                @if !source.is_empty() { " " span class="note" { "(" (head(&format!("by-{source}"))) ")" } }
                @if !title.is_empty() {
                    " "
                    select form=(FORM) name={ (CONTROL) (title) } aria-label={ (head("means")) ": " (title) } {
                        option value="" { (head("as-read")) }
                        option value=(LEFT_OUT) selected[own == LEFT_OUT] { (head("leave-out")) }
                        @for group in sets(shell, Some(set)) { optgroup label=(group.name) {
                            @for (value, label) in &group.choices {
                                option value=(value) selected[value == own] { (label) }
                            }
                        } }
                    }
                }
            }
            td data-head=(head("written")) {
                @for (place, text) in notation(shell, at(column, "notation")).iter().enumerate() {
                    @if place > 0 { "; " }
                    (text)
                }
            }
            td data-head=(head("samples")) {
                @for (place, sample) in samples.into_iter().flatten().enumerate() {
                    @if place > 0 { br; }
                    (self::sample(shell, sample))
                }
            }
        }
    }
}

/// A cell, and what it means where that is another text.
fn sample(shell: &Shell<'_>, sample: &Value) -> Markup {
    let cell = at(sample, "cell").as_str().unwrap_or_default();
    let value = match at(sample, "value") {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(number(shell.language(), &other.to_string())),
    };
    html! {
        (cell)
        @if let Some(value) = value.filter(|value| value != cell) { " → " (value) }
        @if at(sample, "decides") == true {
            " " span class="note" { "(" (shell.text("page-preview-decides")) " " (at(sample, "line")) ")" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_stated_with_what_was_typed() {
        let form = Form(
            [("column:A", "date"), ("column:B", "-"), ("column:C", ""), ("kind", "events")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
        );
        let mut values = Map::new();
        values.insert(MAPPING.to_owned(), json!({"set": "calvings", "columns": {"D": "note", "A": null}}));
        state(&form, &mut values);
        let want = json!({"set": "calvings", "columns": {"D": "note", "A": "date", "B": null}});
        assert_eq!(values.get(MAPPING), Some(&want));
        let mut none = Map::new();
        state(&Form(Vec::new()), &mut none);
        assert!(none.is_empty());
    }
}

//! Previews, rows and packages in the language of their reader: what is wrong, and what may stand there, is written in
//! English where it is found.

use crate::layers::language::{current, said_again};
use model::expected::expected;
use model::messages::{Language, labels};
use model::registry::review::package;
use model::registry::{Collection, Feature, Registry};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub(in crate::rest) fn translated(registry: &Registry, mut answer: Value) -> Value {
    name_columns(&mut answer);
    if current() == Language::English {
        return answer;
    }
    let text = |value: &Value, name: &str| {
        let text = value.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let sheets = answer.get("sheets").and_then(Value::as_array);
    let sheets: BTreeMap<String, &Collection> = (sheets.into_iter().flatten())
        .filter_map(|sheet| Some((text(sheet, "name"), registry.get(&text(sheet, "collection"))?)))
        .collect();
    if let Some(Value::Object(fault)) = answer.get_mut("fault") {
        retell(fault, None);
    }
    let passed = answer.get_mut("sheets").and_then(Value::as_array_mut);
    let passed = passed.into_iter().flatten().filter_map(Value::as_object_mut);
    for sheet in passed.filter(|sheet| sheet.contains_key("message")) {
        retell(sheet, None);
    }
    for list in ["docs", "faults"] {
        let rows = answer.get_mut(list).and_then(Value::as_array_mut);
        for row in rows.into_iter().flatten() {
            let about = sheets.get(&text(row, "sheet")).copied();
            let Value::Object(members) = row else {
                continue;
            };
            match members.get_mut("faults").and_then(Value::as_array_mut) {
                Some(faults) => {
                    let faults = faults.iter_mut().filter_map(Value::as_object_mut);
                    faults.for_each(|fault| retell(fault, about));
                }
                None => retell(members, about),
            }
        }
    }
    answer
}

/// Says what the fields of the columns are called.
fn name_columns(answer: &mut Value) {
    let sheets = answer.get_mut("sheets").and_then(Value::as_array_mut);
    for sheet in sheets.into_iter().flatten() {
        let slug = sheet.get("collection").and_then(Value::as_str);
        let slug = slug.unwrap_or_default().to_owned();
        let columns = sheet.get_mut("columns").and_then(Value::as_array_mut);
        for column in columns.into_iter().flatten() {
            let path = column.get("path").and_then(Value::as_str);
            let label = path.map(|path| labels::field(current(), &slug, path));
            if let (Some(label), Value::Object(members)) = (label, column) {
                members.insert("label".to_owned(), label.into());
            }
        }
    }
}

/// Rows with what became of them, as their reader reads it.
pub(in crate::rest) fn rows(registry: &Registry, mut rows: Vec<Value>) -> Vec<Value> {
    if current() == Language::English {
        return rows;
    }
    for row in &mut rows {
        let about = row.get("collection").and_then(Value::as_str);
        let about = about.and_then(|slug| registry.get(slug));
        let faults = row.get_mut("faults").and_then(Value::as_array_mut);
        let faults = faults.into_iter().flatten().filter_map(Value::as_object_mut);
        faults.for_each(|fault| retell(fault, about));
    }
    rows
}

/// A document, or a page of them, that says why files cannot be read, as its reader reads it; none where it does not.
pub(in crate::rest) fn unread(c: &Collection, answer: &[u8]) -> Option<Vec<u8>> {
    if !c.is(Feature::Packages) {
        return None;
    }
    let mut document: Value = serde_json::from_slice(answer).ok()?;
    let mut says = false;
    match document.get_mut("docs").and_then(Value::as_array_mut) {
        Some(docs) => docs.iter_mut().for_each(|doc| says |= retell_unread(doc)),
        None => says = retell_unread(&mut document),
    }
    says.then(|| document.to_string().into_bytes())
}

/// Tells why the file of a package, or a sheet of it, is not read; whether it says so.
fn retell_unread(doc: &mut Value) -> bool {
    let pointer = |path: &str| format!("/{}", path.replace('.', "/"));
    let code = doc.pointer(&pointer(package::UNREAD_CODE));
    let code = code.and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut says = false;
    if let Some(Value::String(message)) = doc.pointer_mut(&pointer(package::UNREAD_MESSAGE)) {
        *message = said_again(message, &code);
        says = true;
    }
    let sheets = doc.pointer_mut(&pointer(package::SHEETS));
    let sheets = sheets.and_then(Value::as_array_mut).into_iter().flatten();
    for sheet in sheets.filter_map(Value::as_object_mut) {
        if sheet.contains_key("message") {
            retell(sheet, None);
            says = true;
        }
    }
    says
}

/// Tells a fault of a row of that collection.
fn retell(fault: &mut Map<String, Value>, about: Option<&Collection>) {
    let text = |fault: &Map<String, Value>, name: &str| {
        let text = fault.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let message = said_again(&text(fault, "message"), &text(fault, "code"));
    fault.insert("message".to_owned(), message.into());
    let field = about.and_then(|c| c.field(&text(fault, "path")));
    let stands = field.and_then(|field| expected(current(), field));
    if let Some(stands) = stands.filter(|_| !text(fault, "expected").is_empty()) {
        fault.insert("expected".to_owned(), stands.into());
    }
}

//! JSON with places: read strictly by `serde_json`, and once more with ranges.

use super::Fault;
use super::form::{Checking, Form};
use jsonc_parser::ast::{ObjectPropName, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;
use std::collections::BTreeSet;

/// JSON of RFC 8259 and nothing more.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Checks a text; what it was taken for, and how many resources it has.
pub(super) fn check(text: &str, resource: Option<&str>, faults: &mut Vec<Fault>) -> (Option<Form>, usize) {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let form = Form::of(&value);
            (Some(form), one(text, 0, form, &value, resource, faults))
        }
        Err(_) if lines(text) => (Some(Form::Lines), each_line(text, resource, faults)),
        Err(why) => {
            faults.push(broken(text, 0, &why));
            (None, 0)
        }
    }
}

/// Whether this is rather a document a line than one broken text: the first line is whole.
fn lines(text: &str) -> bool {
    let mut full = text.lines().filter(|line| !line.trim().is_empty());
    let first = full.next().is_some_and(|line| serde_json::from_str::<Value>(line).is_ok());
    first && full.next().is_some()
}

fn each_line(text: &str, resource: Option<&str>, faults: &mut Vec<Fault>) -> usize {
    let (mut offset, mut resources) = (0, 0);
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            match serde_json::from_str::<Value>(line) {
                Ok(value) => resources += one(line, offset, Form::Lines, &value, resource, faults),
                Err(why) => faults.push(broken(line, offset, &why)),
            }
        }
        offset += line.len();
    }
    resources
}

/// Checks a value whose text begins at an offset.
fn one(text: &str, offset: usize, form: Form, value: &Value, resource: Option<&str>, faults: &mut Vec<Fault>) -> usize {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT);
    let root = parsed.ok().and_then(|parsed| parsed.value);
    if let Some(root) = &root {
        twice(root, &mut String::new(), offset, faults);
    }
    let places = |pointer: &str| {
        let found = root.as_ref().map_or(0, |root| place(root, pointer));
        offset + found
    };
    let mut checking = Checking { places: &places, resource, faults };
    checking.form(form, value)
}

fn broken(text: &str, offset: usize, why: &serde_json::Error) -> Fault {
    let start: usize = text.split_inclusive('\n').take(why.line().saturating_sub(1)).map(str::len).sum();
    let message = why.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let hint = match message {
        m if m.contains("trailing comma") => "Remove the comma before the bracket.",
        m if m.contains("EOF") && text.trim().is_empty() => "The text is empty.",
        m if m.contains("EOF") => "The text was cut off: send it whole.",
        m if m.contains("trailing characters") => {
            "One text is one value: put several documents into an array, or each on a line of its own."
        }
        m if m.contains("control character") => "Write line breaks and tabs within texts as \\n and \\t.",
        m if m.contains("key must be a string") => "Names of members stand in double quotes.",
        m if m.contains("expected value") => "Texts stand in double quotes; true, false and null are written small.",
        _ => "Let a JSON library write the text instead of joining it by hand.",
    };
    let place = offset + (start + why.column().saturating_sub(1)).min(text.len());
    Fault::error(place, "json", format!("This is no JSON: {message}.")).hint(hint)
}

/// The offset of a value, or of the nearest one around it.
fn place(root: &Node<'_>, pointer: &str) -> usize {
    let mut node = root;
    let mut offset = node.range().start;
    for step in pointer.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        let next = match node {
            Node::Object(object) => {
                // The last of several is the one that counts.
                let found = object.properties.iter().rev().find(|one| spelt(&one.name) == name);
                found.map(|one| &one.value)
            }
            Node::Array(array) => step.parse::<usize>().ok().and_then(|at| array.elements.get(at)),
            _ => None,
        };
        let Some(next) = next else {
            return offset;
        };
        node = next;
        offset = node.range().start;
    }
    offset
}

fn spelt<'n>(name: &'n ObjectPropName<'_>) -> &'n str {
    match name {
        ObjectPropName::String(text) => &text.value,
        ObjectPropName::Word(word) => word.value,
    }
}

/// Reports members that occur twice: readers take either.
fn twice(node: &Node<'_>, pointer: &mut String, offset: usize, faults: &mut Vec<Fault>) {
    let length = pointer.len();
    match node {
        Node::Object(object) => {
            let mut seen = BTreeSet::new();
            for property in &object.properties {
                let name = spelt(&property.name);
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                if !seen.insert(name) {
                    let message = format!("{name:?} stands twice in this object.");
                    let fault = Fault::error(offset + property.range.start, "duplicate-member", message);
                    let hint = "Keep one of them; for several values use a list.";
                    faults.push(fault.at(pointer.clone()).hint(hint));
                }
                twice(&property.value, pointer, offset, faults);
                pointer.truncate(length);
            }
        }
        Node::Array(array) => {
            for (at, element) in array.elements.iter().enumerate() {
                pointer.push_str(&format!("/{at}"));
                twice(element, pointer, offset, faults);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

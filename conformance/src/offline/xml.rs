//! XML with places: each resource is read by the rules of `ade::xml`, and its elements are looked up
//! once more with their offsets.

use super::Fault;
use super::form::{Checking, Form};
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Value, json};

/// An element and its position.
#[derive(Debug, Default)]
struct Element {
    name: String,
    start: usize,
    end: usize,
    text: String,
    children: Vec<Element>,
}

impl Element {
    fn named<'e>(&'e self, name: &str) -> impl Iterator<Item = &'e Element> {
        let name = match name.strip_prefix('@') {
            Some(rest) => format!("_x0040_{rest}"),
            None => name.to_owned(),
        };
        self.children.iter().filter(move |one| one.name == name)
    }

    /// The offset of what a pointer of the JSON leads to, or of the nearest element around it.
    fn place(&self, pointer: &str) -> usize {
        let mut here = self;
        let mut steps = pointer.split('/').skip(1).peekable();
        while let Some(step) = steps.next() {
            let mut found = here.named(step);
            let index = steps.peek().and_then(|next| next.parse::<usize>().ok());
            let next = match index {
                Some(index) => {
                    steps.next();
                    found.nth(index)
                }
                None => found.next(),
            };
            let Some(next) = next else {
                break;
            };
            here = next;
        }
        here.start
    }
}

/// The JSON of one resource; null where it cannot be read.
fn element_value(text: &str, element: &Element, resource: Option<&str>, own: &str, faults: &mut Vec<Fault>) -> Value {
    let named = element.named("resourceType").next().map(|one| one.text.trim().to_owned());
    let by_name = Some(element.name.clone()).filter(|name| name.starts_with("icar"));
    let kind = named.or(by_name).or_else(|| resource.map(str::to_owned));
    let kind = kind.unwrap_or_default();
    let schema = match ade::schema::Standard::get().resource(&kind) {
        Some(_) => kind.as_str(),
        None => "icarResource",
    };
    let mut value = read(text, element, schema, own, faults).unwrap_or(Value::Null);
    if let Some(members) = value.as_object_mut()
        && schema != "icarResource"
        && !members.contains_key("resourceType")
    {
        // The name of the element states the type as well.
        let message = format!("resourceType is missing; taken for {kind}.");
        let fault = Fault::error(element.start, "missing", message);
        let fault = fault.at(format!("{own}/resourceType"));
        faults.push(fault.hint(format!("Add <resourceType>{kind}</resourceType>.")));
        members.insert("resourceType".to_owned(), json!(kind));
    }
    value
}

fn check_errors(text: &str, root: &Element, resource: Option<&str>, faults: &mut Vec<Fault>) {
    if let Some(value) = read(text, root, "icarErrorCollection", "", faults) {
        let places = |pointer: &str| root.place(pointer);
        Checking { places: &places, resource, faults }.form(Form::Errors, &value);
    }
}

/// Checks a text; what it was taken for, and how many resources it has.
pub(super) fn check(text: &str, resource: Option<&str>, faults: &mut Vec<Fault>) -> (Option<Form>, usize) {
    let root = match tree(text) {
        Ok(root) => root,
        Err(fault) => {
            faults.push(fault);
            return (None, 0);
        }
    };
    let (form, prefix): (Form, &str) = match root.name.as_str() {
        ade::xml::BATCH => (Form::Batch, ""),
        "icarResourceCollection" => (Form::Collection, "/member"),
        "icarErrorCollection" => (Form::Errors, ""),
        _ => (Form::Document, ""),
    };
    if form == Form::Errors {
        check_errors(text, &root, resource, faults);
        return (Some(form), 0);
    }
    let elements: Vec<&Element> = match form {
        Form::Batch => root.children.iter().collect(),
        Form::Collection => root.named("member").collect(),
        _ => vec![&root],
    };
    let mut values: Vec<Value> = Vec::new();
    for (at, element) in elements.iter().enumerate() {
        let own = match form {
            Form::Document => String::new(),
            _ => format!("{prefix}/{at}"),
        };
        values.push(element_value(text, element, resource, &own, faults));
    }
    let count = values.len();
    // Unreadable elements were reported already.
    let whole: Vec<bool> = values.iter().map(|one| !one.is_null()).collect();
    let places = |pointer: &str| {
        let rest = pointer.strip_prefix(prefix).unwrap_or(pointer);
        if form == Form::Document {
            return root.place(rest);
        }
        let mut steps = rest.splitn(3, '/').skip(1);
        let index = steps.next().and_then(|step| step.parse::<usize>().ok());
        let element = index.and_then(|index| elements.get(index));
        let inner = steps.next().map_or_else(String::new, |rest| format!("/{rest}"));
        element.map_or(root.start, |element| element.place(&inner))
    };
    let mut checking = Checking { places: &places, resource, faults };
    match form {
        Form::Document => {
            for one in values.iter().filter(|one| !one.is_null()) {
                checking.form(form, one);
            }
        }
        Form::Batch if whole.iter().all(|whole| *whole) => {
            checking.form(form, &Value::Array(values));
        }
        Form::Collection if whole.iter().all(|whole| *whole) => {
            checking.form(form, &json!({"member": values}));
        }
        _ => {
            for (at, one) in values.iter().enumerate().filter(|(_, one)| !one.is_null()) {
                checking.resource(&format!("{prefix}/{at}"), one, form == Form::Batch);
            }
        }
    }
    (Some(form), count)
}

/// Converts the text of an element to JSON.
fn read(text: &str, element: &Element, schema: &str, at: &str, faults: &mut Vec<Fault>) -> Option<Value> {
    let own = text.get(element.start..element.end).unwrap_or_default();
    match ade::xml::read(own.as_bytes(), Some("utf-8"), schema) {
        Ok(json) => serde_json::from_str(&json).ok(),
        Err(found) => {
            faults.extend(found.into_iter().map(|fault| {
                let pointer = format!("{at}{}", fault.pointer);
                Fault::error(element.place(&fault.pointer), fault.code, fault.message).at(pointer)
            }));
            None
        }
    }
}

fn tree(text: &str) -> Result<Element, Fault> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let fault = |offset: usize, message: String| {
        let hint = "Let an XML library write the text instead of joining it by hand.";
        Fault::error(offset, "xml", message).hint(hint)
    };
    let position = |reader: &Reader<&[u8]>| usize::try_from(reader.buffer_position()).unwrap_or(0);
    loop {
        let start = position(&reader);
        let event = reader.read_event();
        let end = position(&reader);
        let event = event.map_err(|why| {
            let at = usize::try_from(reader.error_position()).unwrap_or(start);
            fault(at, format!("This is no XML: {why}."))
        })?;
        match event {
            Event::Start(tag) => {
                if open.len() >= ade::xml::DEPTH_MAX {
                    return Err(fault(start, "Elements are nested too deeply.".to_owned()));
                }
                open.push(Element { name: tag.local_name().as_ref().to_owned(), start, ..Element::default() });
            }
            Event::Empty(tag) => {
                let one = Element { name: tag.local_name().as_ref().to_owned(), start, end, ..Element::default() };
                close(one, &mut open, &mut root);
            }
            Event::End(_) => {
                if let Some(mut one) = open.pop() {
                    one.end = end;
                    close(one, &mut open, &mut root);
                }
            }
            Event::Text(piece) => {
                if let Some(one) = open.last_mut() {
                    one.text.push_str(&piece.xml10_content());
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if let Some(one) = open.last() {
        return Err(fault(one.start, format!("The element {} is not closed.", one.name)));
    }
    root.ok_or_else(|| fault(0, "There is no element.".to_owned()))
}

fn close(one: Element, open: &mut [Element], root: &mut Option<Element>) {
    match open.last_mut() {
        Some(parent) => parent.children.push(one),
        None => {
            root.get_or_insert(one);
        }
    }
}

//! Elements to JSON text, under the schema of their type.

use super::name::{to_member, to_text};
use super::read::{Element, NAME_MAX, is_space};
use super::{EMPTY, ITEM, NULL, XmlFault, XmlFaultKind};
use crate::schema::Standard;
use crate::schema::graph::{Check, Graph, Node, Shape, Slot};
use serde_json::Number;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Faults listed; further ones are passed over.
const FAULTS_LISTED: usize = 100;

/// JSON text in the making.
pub(super) struct Emit {
    graph: &'static Graph,
    /// The type of the documents; nothing where it is not known.
    root: &'static [Node],
    out: String,
    /// Elements of the array at the top so far.
    count: usize,
    faults: Vec<XmlFault>,
    /// JSON pointer of what is being written.
    pointer: String,
}

/// What an element may be, as far as the schema states it.
enum Form {
    Object,
    Number,
    Boolean,
    /// Text whose surrounding white space is no part of it.
    Token,
    /// Text with all its white space.
    Text,
}

impl Emit {
    pub(super) fn new(resource: &str) -> Self {
        let standard = Standard::get();
        let root = standard.root(resource);
        Self {
            graph: &standard.graph,
            root: root.map(std::slice::from_ref).unwrap_or_default(),
            out: String::new(),
            count: 0,
            faults: Vec::new(),
            pointer: String::new(),
        }
    }

    /// A document alone.
    pub(super) fn one(&mut self, element: &Element<'_>) {
        self.value(element, self.root);
    }

    /// Begins an array of documents.
    pub(super) fn begin(&mut self) {
        self.out.push('[');
    }

    /// The next document of the array.
    pub(super) fn element(&mut self, element: &Element<'_>) {
        if self.count > 0 {
            self.out.push(',');
        }
        let index = self.count.to_string();
        self.count += 1;
        self.at(&index, |emit| emit.value(element, emit.root));
    }

    /// Ends the array; `root` has the text between its elements.
    pub(super) fn end(&mut self, root: &Element<'_>) {
        self.out.push(']');
        self.attributes(root);
        if !is_blank(&root.text) {
            self.mixed();
        }
    }

    pub(super) fn finish(self) -> Result<String, Vec<XmlFault>> {
        if self.faults.is_empty() { Ok(self.out) } else { Err(self.faults) }
    }

    fn value(&mut self, element: &Element<'_>, types: &[Node]) {
        self.attributes(element);
        let text = &element.text;
        if element.nil {
            if !element.children.is_empty() || !is_blank(text) {
                let message = "An element with xsi:nil has a value as well.";
                self.fault("nil-with-value", message.to_owned());
            }
            return self.out.push_str("null");
        }
        if element.children.is_empty() {
            return self.leaf(text, &form(types));
        }
        if !is_blank(text) {
            self.mixed();
        }
        if let [only] = element.children.as_slice()
            && is_marker(only)
            && only.children.is_empty()
            && is_blank(&only.text)
        {
            return self.out.push_str(nothing(only));
        }
        if element.children.iter().all(|child| child.name == ITEM) {
            return self.array(element.children.iter(), items(types));
        }
        self.object(&element.children, types);
    }

    fn leaf(&mut self, text: &str, form: &Form) {
        let trimmed = text.trim_matches(is_space);
        match form {
            Form::Object if trimmed.is_empty() => return self.out.push_str("{}"),
            Form::Number if serde_json::from_str::<Number>(trimmed).is_ok() => {
                return self.out.push_str(trimmed);
            }
            Form::Boolean if matches!(trimmed, "true" | "1") => return self.out.push_str("true"),
            Form::Boolean if matches!(trimmed, "false" | "0") => return self.out.push_str("false"),
            Form::Token => return self.text(trimmed),
            // A value that does not fit is left to the validator, which reports what is expected.
            _ => {}
        }
        self.text(text);
    }

    fn text(&mut self, text: &str) {
        let text = to_text(Cow::Borrowed(text));
        // A text written to memory: there is nothing to fail.
        let quoted = serde_json::to_string(&text).unwrap_or_default();
        self.out.push_str(&quoted);
    }

    fn array<'e, 't: 'e>(&mut self, elements: impl Iterator<Item = &'e Element<'t>>, types: &[Node]) {
        self.out.push('[');
        for (index, element) in elements.enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.at(&index.to_string(), |emit| emit.value(element, types));
        }
        self.out.push(']');
    }

    fn object(&mut self, children: &[Element<'_>], types: &[Node]) {
        // None where the schema has no object here, or says nothing.
        let shapes = types.iter().filter_map(|node| shape(self.graph, node, children));
        let shapes: Vec<&'static Shape> = shapes.collect();
        self.members(children, |name| shapes.iter().find_map(|shape| slot(shape, name)));
    }

    fn members<'g>(&mut self, children: &[Element<'_>], slot: impl Fn(&str) -> Option<&'g Slot>) {
        let mut names: Vec<Cow<'_, str>> = Vec::new();
        let mut groups: Vec<Group<'_, '_>> = Vec::new();
        let mut places: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
        for child in children {
            let marked = is_marker(child) && !is_blank(&child.text);
            let name = if marked { to_member(child.text.trim_matches(is_space)) } else { to_member(child.name) };
            let tells = marked && child.children.is_empty() && name.len() <= NAME_MAX;
            if child.name == ITEM || (is_marker(child) && !tells) {
                let message = format!("The element {} stands beside others.", child.name);
                self.fault("marker", message);
                continue;
            }
            let place = *places.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                groups.push(Group::default());
                groups.len() - 1
            });
            if let Some(group) = groups.get_mut(place) {
                if marked {
                    self.attributes(child);
                    group.nothing.push(nothing(child));
                } else {
                    group.elements.push(child);
                }
            }
        }
        self.out.push('{');
        let mut first = true;
        for (name, group) in names.iter().zip(&groups) {
            let checks = slot(name).map(|slot| slot.checks.as_slice()).unwrap_or_default();
            self.at(name, |emit| emit.group(name, group, checks, &mut first));
        }
        self.out.push('}');
    }

    /// A member from all elements of its name. A member that must not occur twice is written twice.
    fn group(&mut self, name: &str, group: &Group<'_, '_>, types: &[Node], first: &mut bool) {
        let mut begin = |emit: &mut Self| {
            if !std::mem::take(first) {
                emit.out.push(',');
            }
            let quoted = serde_json::to_string(name).unwrap_or_default();
            emit.out.push_str(&quoted);
            emit.out.push(':');
        };
        let array = types.iter().any(|node| matches!(node.check, Check::Array { .. }));
        let untyped = !types.iter().any(|node| !matches!(node.check, Check::Any));
        match group.elements.as_slice() {
            [] => {}
            elements if array => {
                begin(self);
                self.array(elements.iter().copied(), items(types));
            }
            elements if untyped && elements.len() > 1 => {
                begin(self);
                self.array(elements.iter().copied(), &[]);
            }
            elements => {
                for element in elements {
                    begin(self);
                    self.value(element, types);
                }
            }
        }
        for nothing in &group.nothing {
            begin(self);
            self.out.push_str(nothing);
        }
    }

    /// Does something one step further down.
    fn at(&mut self, step: &str, inside: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        inside(self);
        self.pointer.truncate(length);
    }

    fn attributes(&mut self, element: &Element<'_>) {
        if let Some(name) = &element.attribute {
            let message = format!("The attribute {name} has no meaning; members are elements.");
            self.fault("attribute", message);
        }
    }

    fn mixed(&mut self) {
        let message = "Text stands between elements; an element has one or the other.";
        self.fault("mixed-content", message.to_owned());
    }

    fn fault(&mut self, code: &'static str, message: String) {
        if self.faults.len() < FAULTS_LISTED {
            self.faults.push(XmlFault { kind: XmlFaultKind::Content, code, pointer: self.pointer.clone(), message });
        }
    }
}

/// The elements of one member.
#[derive(Default)]
struct Group<'e, 't> {
    elements: Vec<&'e Element<'t>>,
    /// `null` or `[]`, for each marker that names the member.
    nothing: Vec<&'static str>,
}

fn is_marker(element: &Element<'_>) -> bool {
    element.name == NULL || element.name == EMPTY
}

/// The value of a marker.
fn nothing(marker: &Element<'_>) -> &'static str {
    if marker.name == NULL { "null" } else { "[]" }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

fn form(types: &[Node]) -> Form {
    let typed = types.iter().find(|node| !matches!(node.check, Check::Any));
    match typed.map(|node| &node.check) {
        Some(Check::Object(_) | Check::Variants(_)) => Form::Object,
        Some(Check::Number | Check::AtLeast(_) | Check::Integer) => Form::Number,
        Some(Check::Boolean) => Form::Boolean,
        Some(Check::Codes(_) | Check::Date | Check::DateTime | Check::Uri | Check::Pattern(_)) => Form::Token,
        _ => Form::Text,
    }
}

/// The type of an array's elements.
fn items(types: &[Node]) -> &[Node] {
    let items = types.iter().find_map(|node| match &node.check {
        Check::Array { items, .. } => Some(std::slice::from_ref(&**items)),
        _ => None,
    });
    items.unwrap_or_default()
}

/// The members of an object type.
fn shape<'g>(graph: &'g Graph, node: &Node, children: &[Element<'_>]) -> Option<&'g Shape> {
    match &node.check {
        Check::Object(at) => graph.shapes.get(*at),
        Check::Variants(at) => {
            let variants = graph.variants.get(*at)?;
            let tag = children.iter().find(|child| child.name == variants.tag)?;
            let said = tag.text.trim_matches(is_space);
            let (_, shape) = variants.cases.iter().find(|(code, _)| *code == said)?;
            graph.shapes.get(*shape)
        }
        _ => None,
    }
}

fn slot<'g>(shape: &'g Shape, name: &str) -> Option<&'g Slot> {
    let also = |slot: &&Slot| slot.also == Some(name);
    shape.slot(name).or_else(|| shape.slots().iter().find(also))
}

//! Checks documents against the standard's schemas: JSON Schema 2020-12 with `date`, `date-time` and
//! `uri` asserted. Reports every fault. Unknown members are always valid, as no schema of the standard
//! forbids them. Works on the compiled graph, so that a valid document costs no allocation, and the
//! depth of recursion is bounded by the depth of the schemas, which do not contain themselves.

use serde_json::{Map, Value};

use crate::fault::{Fault, FaultCode, PathStep, quoted};
use crate::format;
use crate::schema::Standard;
use crate::schema::graph::{Check, Node};

/// Everything wrong with a document by the schema of that official name (`icarWeightEventResource`) or
/// accepted misspelling; empty if the document is valid. An unknown name is itself a fault.
#[must_use]
pub fn validate(schema: &str, document: &Value) -> Vec<Fault> {
    let standard = Standard::get();
    let mut walk = Walk { standard, faults: Vec::new(), unknown: None };
    match standard.root(schema) {
        Some(root) => walk.check(root, document, &PathStep::Root),
        None => {
            let message = format!("The standard has no schema {}.", quoted(schema));
            walk.faults.push(PathStep::Root.fault(FaultCode::UnknownSchema, message));
        }
    }
    walk.faults
}

/// The members of a document that the schema of that official name does not have, at any depth. The
/// standard allows them; callers that look for misspelt names ask here.
#[must_use]
pub fn unknown_members(schema: &str, document: &Value) -> Vec<Fault> {
    let standard = Standard::get();
    let mut walk = Walk { standard, faults: Vec::new(), unknown: Some(Vec::new()) };
    if let Some(root) = standard.root(schema) {
        walk.check(root, document, &PathStep::Root);
    }
    walk.unknown.unwrap_or_default()
}

struct Walk<'s> {
    standard: &'s Standard,
    faults: Vec<Fault>,
    /// Members without a schema, where they are requested.
    unknown: Option<Vec<Fault>>,
}

impl Walk<'_> {
    fn fault(&mut self, at: &PathStep<'_>, code: FaultCode, message: String) {
        self.faults.push(at.fault(code, message));
    }

    fn check(&mut self, node: &Node, value: &Value, at: &PathStep<'_>) {
        if node.nullable && value.is_null() {
            return;
        }
        match &node.check {
            Check::Any => {}
            Check::Object(shape) => self.object(*shape, value, at),
            Check::Variants(variants) => self.variants(*variants, value, at),
            Check::Array { items, min_items } => self.array(items, *min_items, value, at),
            Check::Boolean if value.is_boolean() => {}
            Check::Boolean => self.wrong_type("true or false", value, at),
            Check::Number | Check::AtLeast(_) | Check::Integer => self.number(&node.check, value, at),
            text => match value {
                Value::String(content) => self.text(text, content, at),
                other => self.wrong_type("a string", other, at),
            },
        }
    }

    fn object(&mut self, shape: usize, value: &Value, at: &PathStep<'_>) {
        match value {
            Value::Object(members) => self.members(shape, members, at),
            other => self.fault(at, FaultCode::NotObject, format!("Expected an object, found {}.", name_of(other))),
        }
    }

    fn members(&mut self, at_shape: usize, members: &Map<String, Value>, at: &PathStep<'_>) {
        let graph = &self.standard.graph;
        let (Some(shape), Some(required)) = (graph.shapes.get(at_shape), graph.required_bits.get(at_shape)) else {
            return;
        };
        let mut seen = 0;
        for (name, value) in members {
            let Some(slot) = shape.slot(name) else {
                if let Some(unknown) = &mut self.unknown {
                    let message = "The standard has no such member.".to_owned();
                    let place = PathStep::Member(at, name);
                    unknown.push(place.fault(FaultCode::UnknownMember, message));
                }
                continue;
            };
            seen |= slot.required;
            self.checks(&slot.checks, value, &PathStep::Member(at, name));
        }
        if seen & required == *required {
            return;
        }
        for (bit, name) in shape.required.iter().enumerate() {
            if seen & (1 << bit) == 0 {
                self.fault(&PathStep::Member(at, name), FaultCode::Missing, "Is required.".to_owned());
            }
        }
    }

    /// All that hold for one value. A member is unknown when none of them has it.
    fn checks(&mut self, checks: &[Node], value: &Value, at: &PathStep<'_>) {
        let before = self.unknown.take();
        let mut strange: Option<Vec<Fault>> = None;
        for node in checks {
            self.unknown = before.as_ref().map(|_| Vec::new());
            self.check(node, value, at);
            let found = self.unknown.take().unwrap_or_default();
            strange = Some(match strange {
                Some(mut all) => {
                    all.retain(|fault| found.contains(fault));
                    all
                }
                None => found,
            });
        }
        self.unknown = before.map(|mut all| {
            all.extend(strange.unwrap_or_default());
            all
        });
    }

    fn variants(&mut self, variants: usize, value: &Value, at: &PathStep<'_>) {
        let Some(variants) = self.standard.graph.variants.get(variants) else {
            return;
        };
        let Value::Object(members) = value else {
            return self.fault(at, FaultCode::NotObject, format!("Expected an object, found {}.", name_of(value)));
        };
        let place = PathStep::Member(at, variants.tag);
        match members.get(variants.tag) {
            Some(Value::String(tag)) => match variants.cases.iter().find(|(code, _)| code == tag) {
                Some((_, shape)) => self.members(*shape, members, at),
                None => {
                    let codes: Vec<&str> = variants.cases.iter().map(|(code, _)| *code).collect();
                    self.not_in_enum(tag, variants.name, &codes, &place);
                }
            },
            Some(other) => self.wrong_type("a string", other, &place),
            None => self.fault(&place, FaultCode::Missing, "Is required.".to_owned()),
        }
    }

    fn array(&mut self, items: &Node, min_items: usize, value: &Value, at: &PathStep<'_>) {
        let Value::Array(elements) = value else {
            return self.wrong_type("an array", value, at);
        };
        if elements.len() < min_items {
            let message = format!("Expected at least {min_items} elements, found {}.", elements.len());
            self.fault(at, FaultCode::TooFew, message);
        }
        for (index, element) in elements.iter().enumerate() {
            self.check(items, element, &PathStep::Element(at, index));
        }
    }

    fn number(&mut self, check: &Check, value: &Value, at: &PathStep<'_>) {
        let Value::Number(number) = value else {
            let expected = if matches!(check, Check::Integer) { "an integer" } else { "a number" };
            return self.wrong_type(expected, value, at);
        };
        match check {
            // Some readers keep digits beyond any number that can be calculated with.
            _ if number.as_f64().is_none_or(f64::is_infinite) => {
                self.fault(at, FaultCode::WrongType, format!("{number} is too large a number."));
            }
            Check::AtLeast(least) if number.as_f64().is_some_and(|n| n < *least) => {
                self.fault(at, FaultCode::BelowMinimum, format!("{number} is less than {least}."));
            }
            Check::Integer if number.is_f64() && number.as_f64().is_some_and(|n| n.fract() != 0.0) => {
                self.fault(at, FaultCode::WrongType, format!("Expected an integer, found {number}."));
            }
            _ => {}
        }
    }

    fn text(&mut self, check: &Check, text: &str, at: &PathStep<'_>) {
        let form = match check {
            Check::Codes(list) => {
                if let Some(list) = self.standard.graph.codes.get(*list).filter(|list| !list.contains(text)) {
                    self.not_in_enum(text, list.name, &list.codes, at);
                }
                return;
            }
            Check::LongestText(max) if text.len() > *max && text.chars().count() > *max => {
                return self.fault(at, FaultCode::TooLong, format!("Has more than {max} characters."));
            }
            Check::Pattern(pattern) if !pattern.is_match(text) => {
                let message = format!("{} does not match {pattern}.", quoted(text));
                return self.fault(at, FaultCode::Pattern, message);
            }
            Check::DateTime if format::date_time(text).is_none() => "a date-time of RFC 3339 with offset",
            Check::Date if format::date(text).is_none() => "a date (YYYY-MM-DD)",
            Check::Uri if !format::is_uri(text) => "an absolute URI",
            _ => return,
        };
        self.fault(at, FaultCode::BadFormat, format!("{} is not {form}.", quoted(text)));
    }

    fn wrong_type(&mut self, expected: &str, found: &Value, at: &PathStep<'_>) {
        self.fault(at, FaultCode::WrongType, format!("Expected {expected}, found {}.", name_of(found)));
    }

    fn not_in_enum(&mut self, code: &str, list: &str, codes: &[&str], at: &PathStep<'_>) {
        let of = if list.is_empty() { "the codes".to_owned() } else { list.to_owned() };
        let message = format!("{} is not one of {of}: {}.", quoted(code), codes.join(", "));
        self.fault(at, FaultCode::NotInEnum, message);
    }
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

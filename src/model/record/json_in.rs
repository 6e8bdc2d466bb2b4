//! Strict reading of JSON bodies.
//!
//! On top of `serde_json`: duplicate members are faults, nesting is bounded, and every fault says
//! where it is. Numbers keep their digits as sent. One walk over the text; the call stack is bounded by [`DEPTH_MAX`]. Must not know
//! what a body means, nor HTTP.

use crate::messages::Sentence;
use crate::said;
use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer as _, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Deepest nesting of arrays and objects that is read.
pub const DEPTH_MAX: usize = 64;
/// Duplicate members and zero characters named in one answer; further ones are not listed, the text is refused anyway.
const FAULTS_LISTED: usize = 50;
/// How `serde_json` hands a number over whose digits it keeps as they stand: an object with this one
/// member (its feature `arbitrary_precision`).
const NUMBER: &str = "$serde_json::private::Number";
/// The beginning of the names by which `serde_json` marks special values for itself. An object with such a member is
/// another value, or none at all, when it is read again.
const RESERVED: &str = "$serde_json::private::";

/// What is wrong with a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonFault {
    /// Not UTF-8.
    Utf8 {
        /// Bytes before the first wrong one.
        offset: usize,
    },
    /// Not JSON.
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column in bytes, counted from 1 (0 right after a line break).
        column: usize,
        /// What the reader expected or found.
        message: String,
    },
    /// A member occurs twice in one object.
    DuplicateMember {
        /// JSON pointer (RFC 6901) of the member.
        pointer: String,
    },
    /// A text with a zero character, which no database stores.
    ZeroCharacter {
        /// JSON pointer of the text, or of the member so named.
        pointer: String,
    },
    /// Nested deeper than [`DEPTH_MAX`].
    TooDeep {
        /// JSON pointer of the first value that lies too deep.
        pointer: String,
    },
    /// An array was expected at the top.
    NotAnArray,
    /// More elements at the top than allowed.
    TooManyItems {
        /// Elements allowed.
        limit: usize,
    },
}

impl JsonFault {
    /// What is wrong, for people.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Utf8 { offset } => said!("not UTF-8 from byte {offset} on", offset = offset),
            Self::Syntax { line, column, message } => said!(
                "invalid JSON at line {line}, column {column}: {message}",
                line = line,
                column = column,
                message = message,
            ),
            Self::DuplicateMember { pointer } => {
                said!("duplicate member {pointer}", pointer = pointer)
            }
            Self::ZeroCharacter { pointer } => {
                said!("a zero character in {pointer}", pointer = pointer)
            }
            Self::TooDeep { pointer } => {
                said!("nested deeper than 64 levels at {pointer}", pointer = pointer)
            }
            Self::NotAnArray => "a JSON array is expected".into(),
            Self::TooManyItems { limit } => said!("more than {limit} elements", limit = limit),
        }
    }
}

impl fmt::Display for JsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for JsonFault {}

/// Reads one JSON text. Members keep their order.
///
/// # Errors
/// The first of not UTF-8, not JSON, or too deep; or else all duplicate members and zero characters.
pub fn parse(bytes: &[u8]) -> Result<Value, Vec<JsonFault>> {
    read(utf8(bytes).map_err(|fault| vec![fault])?, None)
}

/// One element of a top-level array.
#[derive(Debug)]
pub struct Member<'a> {
    /// The text of the element as sent.
    pub raw: &'a str,
    /// The element, or what is wrong with it (pointers and lines count from the start of the whole
    /// body).
    pub value: Result<Value, Vec<JsonFault>>,
}

/// Reads a top-level array of at most `limit` elements, each judged on its own: a duplicate member
/// or deep nesting inside one element does not spoil the others.
///
/// # Errors
/// When the text as a whole is not UTF-8, not JSON, not an array, or has too many elements.
pub fn members(bytes: &[u8], limit: usize) -> Result<Vec<Member<'_>>, JsonFault> {
    let split = split(bytes, limit)?;
    Ok((0..split.len()).filter_map(|at| split.member(at)).collect())
}

/// A top-level array whose elements are found, but not read yet: a long one needs no more memory
/// than its text, and is read element by element.
#[derive(Debug)]
pub struct Split<'a> {
    text: &'a str,
    elements: Vec<&'a RawValue>,
}

impl<'a> Split<'a> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.elements.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
    /// The text of an element as sent.
    pub fn raw(&self, at: usize) -> Option<&'a str> {
        self.elements.get(at).map(|raw| raw.get())
    }
    /// The end of a part that begins at an element: at most so many of them, and no further one once
    /// they have this number of bytes. A part has one at least.
    pub fn part_end(&self, from: usize, most: usize, bytes: usize) -> usize {
        let end = from.saturating_add(most.max(1)).min(self.len());
        let mut length = 0;
        for at in from..end {
            if length >= bytes.max(1) {
                return at;
            }
            length += self.raw(at).map_or(0, str::len);
        }
        end
    }
    /// An element, read.
    pub fn member(&self, at: usize) -> Option<Member<'a>> {
        self.raw(at).map(|raw| member(self.text, at, raw))
    }
}

/// Finds the elements of a top-level array of at most `limit`.
///
/// # Errors
/// As [`members`].
pub fn split(bytes: &[u8], limit: usize) -> Result<Split<'_>, JsonFault> {
    let text = utf8(bytes)?;
    if !text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('[') {
        return Err(match read(text, None).err().and_then(|faults| faults.into_iter().next()) {
            Some(broken @ JsonFault::Syntax { .. }) => broken,
            _ => JsonFault::NotAnArray,
        });
    }
    let too_many = Cell::new(false);
    let mut reader = serde_json::Deserializer::from_str(text);
    let elements = reader
        .deserialize_seq(Elements { limit, too_many: &too_many })
        .and_then(|elements| reader.end().map(|()| elements))
        .map_err(|fault| if too_many.get() { JsonFault::TooManyItems { limit } } else { syntax(&fault) })?;
    Ok(Split { text, elements })
}

fn member<'a>(text: &'a str, index: usize, raw: &'a str) -> Member<'a> {
    let value = read(raw, Some(index)).map_err(|faults| {
        // The element is a slice of the text, so the distance of their starts is its offset.
        let before = text.get(..raw.as_ptr() as usize - text.as_ptr() as usize).unwrap_or_default();
        faults.into_iter().map(|fault| shifted(fault, before)).collect()
    });
    Member { raw, value }
}

fn utf8(bytes: &[u8]) -> Result<&str, JsonFault> {
    std::str::from_utf8(bytes).map_err(|fault| JsonFault::Utf8 { offset: fault.valid_up_to() })
}

fn read(text: &str, index: Option<usize>) -> Result<Value, Vec<JsonFault>> {
    let state = RefCell::new(Vec::new());
    let root = index.map(|index| Place { parent: None, step: Step::Index(index) });
    let seed = Strict { depth: 0, place: root.as_ref(), state: &state };
    let mut reader = serde_json::Deserializer::from_str(text);
    let outcome = seed.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    let mut faults = state.into_inner();
    match outcome {
        Ok(value) if faults.is_empty() => Ok(value),
        Ok(_) => Err(faults),
        // Reading ended at a broken place: that is the fault to mend first.
        Err(fault) => Err(vec![match faults.pop() {
            Some(deep @ JsonFault::TooDeep { .. }) => deep,
            _ => syntax(&fault),
        }]),
    }
}

fn syntax(fault: &serde_json::Error) -> JsonFault {
    let text = fault.to_string();
    // The library appends the place to the message; here it is returned separately.
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).to_owned();
    JsonFault::Syntax { line: fault.line(), column: fault.column(), message }
}

fn shifted(fault: JsonFault, before: &str) -> JsonFault {
    match fault {
        JsonFault::Syntax { line, column, message } => {
            let lines = before.bytes().filter(|b| *b == b'\n').count();
            let last = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
            JsonFault::Syntax { line: line + lines, column: if line == 1 { column + last } else { column }, message }
        }
        other => other,
    }
}

/// The position of a value: a chain on the call stack, so that no pointer is built unless a fault
/// needs it.
struct Place<'p> {
    parent: Option<&'p Place<'p>>,
    step: Step<'p>,
}

enum Step<'p> {
    Index(usize),
    Key(&'p str),
}

fn pointer(place: Option<&Place<'_>>) -> String {
    let mut steps = Vec::new();
    let mut at = place;
    while let Some(place) = at {
        steps.push(match place.step {
            Step::Index(index) => index.to_string(),
            Step::Key(key) => key.replace('~', "~0").replace('/', "~1"),
        });
        at = place.parent;
    }
    steps.iter().rev().fold(String::new(), |path, step| path + "/" + step)
}

#[derive(Clone, Copy)]
struct Strict<'p> {
    /// Arrays and objects around the value.
    depth: usize,
    place: Option<&'p Place<'p>>,
    state: &'p RefCell<Vec<JsonFault>>,
}

impl Strict<'_> {
    /// Enters an array or object, unless that is one level too many.
    fn entered<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth < DEPTH_MAX {
            return Ok(Self { depth: self.depth + 1, ..self });
        }
        self.state.borrow_mut().push(JsonFault::TooDeep { pointer: pointer(self.place) });
        Err(E::custom("nested too deeply"))
    }

    fn text(&self, text: &str, place: Option<&Place<'_>>) {
        if text.contains('\0') {
            self.record(|| JsonFault::ZeroCharacter { pointer: pointer(place) });
        }
    }

    /// Records a fault after which reading continues.
    fn record(&self, fault: impl FnOnce() -> JsonFault) {
        let mut faults = self.state.borrow_mut();
        if faults.len() < FAULTS_LISTED {
            faults.push(fault());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        self.text(value, self.place);
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        self.text(&value, self.place);
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let inside = self.entered()?;
        let mut list = Vec::new();
        loop {
            let place = Place { parent: self.place, step: Step::Index(list.len()) };
            let Some(value) = elements.next_element_seed(Strict { place: Some(&place), ..inside })? else {
                return Ok(Value::Array(list));
            };
            list.push(value);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut next = members.next_key::<String>()?;
        if next.as_deref() == Some(NUMBER) {
            let digits = members.next_value::<String>()?;
            return digits.parse().map(Value::Number).map_err(A::Error::custom);
        }
        let inside = self.entered()?;
        let mut map = Map::new();
        while let Some(key) = next {
            if key.starts_with(RESERVED) {
                return Err(A::Error::custom(format!("the name {key} is reserved")));
            }
            let place = Place { parent: self.place, step: Step::Key(&key) };
            self.text(&key, Some(&place));
            let value = members.next_value_seed(Strict { place: Some(&place), ..inside })?;
            if map.contains_key(&key) {
                self.record(|| JsonFault::DuplicateMember { pointer: pointer(Some(&place)) });
            } else {
                map.insert(key, value);
            }
            next = members.next_key::<String>()?;
        }
        Ok(Value::Object(map))
    }
}

/// Splits a top-level array without looking into its elements.
struct Elements<'p> {
    limit: usize,
    too_many: &'p Cell<bool>,
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut raws = Vec::new();
        while let Some(raw) = elements.next_element::<&RawValue>()? {
            if raws.len() == self.limit {
                self.too_many.set(true);
                return Err(A::Error::custom("too many elements"));
            }
            raws.push(raw);
        }
        Ok(raws)
    }
}

#[cfg(test)]
mod tests;

//! The form of a text (a document, a batch, a page, a feed, a push, errors, results), and the rules
//! for the whole text. Resources are checked by the same rules in every form.

use super::{Fault, Weight, hint};
use crate::document::text;
use ade::schema::Standard;
use ade::{FaultCode, unknown_members, validate};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The form that a text was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// One resource.
    Document,
    /// An array of resources.
    Batch,
    /// A page of a collection.
    Collection,
    /// A page of changes: context, resources, continuation.
    Feed,
    /// A push to a data set: context and resources.
    Push,
    /// The results of a batch.
    Results,
    /// An error body.
    Errors,
    /// One document per line.
    Lines,
}

impl Form {
    /// For people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Batch => "batch",
            Self::Collection => "collection",
            Self::Feed => "feed",
            Self::Push => "push",
            Self::Results => "batch results",
            Self::Errors => "errors",
            Self::Lines => "a document a line",
        }
    }

    /// Determines the form of a JSON value.
    pub(super) fn of(value: &Value) -> Self {
        let mark = |one: &Value| one.get("id").and_then(Value::as_str).map(str::to_owned);
        match value {
            Value::Array(elements) => {
                let marks: Vec<String> = elements.iter().filter_map(mark).collect();
                let has = |word: &str| marks.iter().any(|one| one == word);
                let results = |one: &Value| one.get("resourceType").is_none() && one.get("messages").is_some();
                match () {
                    () if has("@continuation") => Self::Feed,
                    () if has("@context") => Self::Push,
                    () if !elements.is_empty() && elements.iter().all(results) => Self::Results,
                    () => Self::Batch,
                }
            }
            one if one.get("resourceType").is_some() => Self::Document,
            one if one.get("member").is_some() || one.get("view").is_some() => Self::Collection,
            one if one.get("errors").is_some() => Self::Errors,
            _ => Self::Document,
        }
    }
}

/// The position of a value in the text.
pub(super) type Places<'p> = dyn Fn(&str) -> usize + 'p;

/// Collects faults.
pub(super) struct Checking<'c> {
    pub(super) places: &'c Places<'c>,
    pub(super) resource: Option<&'c str>,
    pub(super) faults: &'c mut Vec<Fault>,
}

impl Checking<'_> {
    pub(super) fn tell(
        &mut self,
        pointer: &str,
        weight: Weight,
        (code, message): (&'static str, String),
        hint: Option<String>,
    ) {
        self.faults.push(Fault {
            offset: (self.places)(pointer),
            pointer: pointer.to_owned(),
            weight,
            code,
            message,
            hint,
        });
    }

    /// Checks a value; returns the number of its resources.
    pub(super) fn form(&mut self, form: Form, value: &Value) -> usize {
        let none = Vec::new();
        let array = value.as_array().unwrap_or(&none);
        match form {
            Form::Document | Form::Lines => {
                self.resource("", value, true);
                1
            }
            Form::Batch => {
                for (at, one) in array.iter().enumerate() {
                    self.resource(&format!("/{at}"), one, true);
                }
                self.pairs(array, "");
                array.len()
            }
            Form::Collection => {
                self.schema("icarResourceCollection", "", value);
                let member = value.get("member");
                let members = member.and_then(Value::as_array).unwrap_or(&none);
                if member.is_some_and(|one| !one.is_array()) {
                    let message = "member must be an array.".to_owned();
                    self.tell("/member", Weight::Error, ("wrong-type", message), None);
                }
                for (at, one) in members.iter().enumerate() {
                    self.resource(&format!("/member/{at}"), one, false);
                }
                members.len()
            }
            Form::Feed | Form::Push => self.exchange(form, array),
            Form::Results => {
                for (at, one) in array.iter().enumerate() {
                    self.schema("icarBatchResult", &format!("/{at}"), one);
                }
                0
            }
            Form::Errors => {
                self.schema("icarErrorCollection", "", value);
                0
            }
        }
    }

    fn exchange(&mut self, form: Form, elements: &[Value]) -> usize {
        let mark = |one: &Value| one.get("id").and_then(Value::as_str).map(str::to_owned);
        let last = elements.len().saturating_sub(1);
        if elements.first().and_then(mark).as_deref() != Some("@context") {
            let message = "The first element must be the context.".to_owned();
            let hint = r#"Begin with {"id": "@context"}."#.to_owned();
            self.tell("/0", Weight::Error, ("context-first", message), Some(hint));
        }
        let mut resources = 0;
        for (at, one) in elements.iter().enumerate() {
            let pointer = format!("/{at}");
            match mark(one).as_deref() {
                Some("@context") if at == 0 => {}
                Some("@context") => {
                    let message = "The context stands once, at the beginning.".to_owned();
                    self.tell(&pointer, Weight::Error, ("context-first", message), None);
                }
                Some("@continuation") => {
                    if at != last {
                        let message = "The continuation must be the last element.".to_owned();
                        let words = ("continuation-last", message);
                        self.tell(&pointer, Weight::Error, words, None);
                    }
                    if text(one, "/token").is_none() {
                        let message = "The continuation has no token.".to_owned();
                        let at = format!("{pointer}/token");
                        self.tell(&at, Weight::Error, ("missing", message), None);
                    }
                }
                _ => {
                    resources += 1;
                    self.element(&pointer, one);
                }
            }
        }
        if form == Form::Push {
            self.pairs(elements, "");
        }
        resources
    }

    /// An element of an exchange must name type, location, source and id.
    fn element(&mut self, pointer: &str, one: &Value) {
        let before = self.faults.len();
        self.resource(pointer, one, true);
        for member in ["/location/scheme", "/location/id"] {
            let at = format!("{pointer}{member}");
            let mut known = self.faults.iter().skip(before);
            if text(one, member).is_none() && !known.any(|fault| fault.pointer == at) {
                let message = "Every element of an exchange must state its location.".to_owned();
                let hint = r#"Add "location": {"scheme": "…", "id": "…"}."#.to_owned();
                self.tell(&at, Weight::Error, ("missing", message), Some(hint));
            }
        }
    }

    /// Checks one resource. Those that are sent must be named by their sender.
    pub(super) fn resource(&mut self, at: &str, one: &Value, sent: bool) {
        if !one.is_object() {
            let message = "A resource is an object.".to_owned();
            return self.tell(at, Weight::Error, ("not-object", message), None);
        }
        let standard = Standard::get();
        let named = one.get("resourceType").and_then(Value::as_str);
        let kind = named.or(self.resource);
        let place = format!("{at}/resourceType");
        let Some(kind) = kind else {
            let message = "The resource does not name its type.".to_owned();
            let hint = "Add resourceType, or state the type by --type.".to_owned();
            return self.tell(&place, Weight::Error, ("missing", message), Some(hint));
        };
        if standard.resource(kind).is_none() {
            let message = format!("{kind:?} is no type of the standard.");
            let near = hint::nearest(kind, standard.resources());
            let hint = near.map(|near| format!("Write {near:?}."));
            return self.tell(&place, Weight::Error, ("unknown-schema", message), hint);
        }
        if let Some(kind) = self.resource.filter(|requested| named.is_some_and(|own| own != *requested)) {
            let message = format!("{kind} is expected here.");
            self.tell(&place, Weight::Warning, ("other-resource", message), None);
        }
        if sent {
            for member in ["/meta/source", "/meta/sourceId"] {
                if text(one, member).is_none() {
                    let message = "A sender must name what it sends.".to_owned();
                    let (place, hint) = (format!("{at}{member}"), hint::of_pair(member));
                    self.tell(&place, Weight::Error, ("missing", message), hint);
                }
            }
        }
        if one.pointer("/meta/isDeleted") == Some(&Value::Bool(true)) {
            // A tombstone needs no other members than its source and id.
            return;
        }
        if named.is_none() {
            let message = format!("resourceType is missing; taken for {kind}.");
            let hint = format!("Add \"resourceType\": {kind:?}.");
            self.tell(&place, Weight::Error, ("missing", message), Some(hint));
        }
        self.schema(kind, at, one);
        for fault in unknown_members(kind, one) {
            let (parent, name) = fault.pointer.rsplit_once('/').unwrap_or_default();
            if let Some(near) = hint::near_member(kind, parent, name) {
                let message = format!("The standard has no {name:?}, but {near:?}.");
                let hint = Some(format!("Write {near:?}, if that is meant."));
                let place = format!("{at}{}", fault.pointer);
                self.tell(&place, Weight::Warning, ("near-miss", message), hint);
            }
        }
    }

    /// Checks a value by a schema.
    fn schema(&mut self, schema: &str, at: &str, value: &Value) {
        for fault in validate(schema, value) {
            let pointer = format!("{at}{}", fault.pointer);
            let mut last = self.faults.iter().rev().take(8);
            let reported = last.any(|had| had.pointer == pointer);
            if reported && fault.code == FaultCode::Missing {
                continue;
            }
            let hint = hint::of(&fault, value);
            let words = (fault.code.as_str(), fault.message);
            self.tell(&pointer, Weight::Error, words, hint);
        }
    }

    /// Reports pairs that occur twice: the later one replaces the earlier.
    fn pairs(&mut self, elements: &[Value], at: &str) {
        let mut seen: BTreeMap<[String; 4], usize> = BTreeMap::new();
        for (index, one) in elements.iter().enumerate() {
            let pair = ["/resourceType", "/location/id", "/meta/source", "/meta/sourceId"];
            let pair = pair.map(|pointer| text(one, pointer).unwrap_or_default().to_owned());
            if pair.iter().skip(2).any(String::is_empty) {
                continue;
            }
            if let Some(first) = seen.insert(pair, index) {
                let message = format!("The same source and sourceId as element {first}.");
                let hint = "Give each resource a sourceId of its own; of two states of one \
                            resource send the last.";
                let place = format!("{at}/{index}/meta/sourceId");
                let words = ("pair-twice", message);
                self.tell(&place, Weight::Warning, words, Some(hint.to_owned()));
            }
        }
    }
}

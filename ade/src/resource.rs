//! The head of a document: what `icarResource`, `icarEventCoreResource` and
//! `icarAnimalEventCoreResource` give to (nearly) all resources, read from JSON without a copy. Tolerant
//! of what [`crate::validate()`] would refuse elsewhere in the document.

use serde_json::{Map, Value};

use crate::fault::{Fault, FaultCode, PathStep, quoted};
use crate::schema::Standard;
use crate::time;

/// The members at the head of a document. Members that are absent or unreadable are `None`; for the
/// unreadable ones [`Head::read`] gives a fault.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Head<'v> {
    /// `resourceType` in the official spelling, if the standard knows it.
    pub resource: Option<&'static str>,
    /// `resourceType` as sent.
    pub resource_type: Option<&'v str>,
    /// `meta.source`.
    pub source: Option<&'v str>,
    /// `meta.sourceId`.
    pub source_id: Option<&'v str>,
    /// `meta.modified`, epoch milliseconds.
    pub modified: Option<i64>,
    /// `meta.isDeleted`; false if absent.
    pub is_deleted: bool,
    pub location: Option<IdentifierRef<'v>>,
    pub animal: Option<IdentifierRef<'v>>,
    /// `eventDateTime`, epoch milliseconds.
    pub event_date_time: Option<i64>,
}

/// An identifier in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct IdentifierRef<'v> {
    /// Unique within the scheme.
    pub id: &'v str,
    /// Who issues the ids.
    pub scheme: &'v str,
}

impl<'v> Head<'v> {
    /// Reads the head and says what in it cannot be read. Absent members are no fault here; an
    /// unknown `resourceType` is.
    #[must_use]
    pub fn read(document: &'v Value) -> (Self, Vec<Fault>) {
        let mut faults = Vec::new();
        let Value::Object(members) = document else {
            let message = "Expected a resource, found no object.".to_owned();
            return (Self::default(), vec![PathStep::Root.fault(FaultCode::NotObject, message)]);
        };
        let mut head = Self::default();
        let mut reader = Reader { members, at: PathStep::Root, faults: &mut faults };
        head.resource_type = reader.text("resourceType");
        head.location = reader.identifier("location");
        head.animal = reader.identifier("animal");
        head.event_date_time = reader.time("eventDateTime");
        if let Some(mut meta) = reader.object("meta") {
            head.source = meta.text("source");
            head.source_id = meta.text("sourceId");
            head.modified = meta.time("modified");
            head.is_deleted = meta.flag("isDeleted");
        }
        if let Some(sent) = head.resource_type {
            head.resource = Standard::get().resource(sent).map(|one| one.name);
            if head.resource.is_none() {
                let message = format!("The standard has no resource {}.", quoted(sent));
                faults.push(PathStep::Member(&PathStep::Root, "resourceType").fault(FaultCode::UnknownSchema, message));
            }
        }
        (head, faults)
    }

    /// A fault if the document says it is another resource than the expected one.
    #[must_use]
    pub fn other_than(&self, expected: &str) -> Option<Fault> {
        let sent = self.resource_type?;
        if self.resource == Some(expected) {
            return None;
        }
        let place = PathStep::Member(&PathStep::Root, "resourceType");
        Some(place.fault(FaultCode::OtherResource, format!("Expected {expected}, found {}.", quoted(sent))))
    }

    /// What an element of the generic data exchange lacks of the members each must have, tombstones
    /// included: `resourceType`, `location`, `meta.source`, `meta.sourceId`.
    #[must_use]
    pub fn missing_for_exchange(&self) -> Vec<Fault> {
        let meta = PathStep::Member(&PathStep::Root, "meta");
        let needed = [
            (self.resource_type.is_some(), PathStep::Member(&PathStep::Root, "resourceType")),
            (self.location.is_some(), PathStep::Member(&PathStep::Root, "location")),
            (self.source.is_some(), PathStep::Member(&meta, "source")),
            (self.source_id.is_some(), PathStep::Member(&meta, "sourceId")),
        ];
        let missing = needed.into_iter().filter(|(present, _)| !present);
        missing.map(|(_, place)| place.fault(FaultCode::Missing, "Is required in an exchange.".to_owned())).collect()
    }
}

/// Reads typed members of one object.
struct Reader<'v, 'p> {
    members: &'v Map<String, Value>,
    at: PathStep<'p>,
    faults: &'p mut Vec<Fault>,
}

impl<'v> Reader<'v, '_> {
    /// The member as `read` gives it; a fault if it is there but cannot be read.
    fn member<T>(&mut self, name: &str, expected: &str, read: impl Fn(&'v Value) -> Result<T, FaultCode>) -> Option<T> {
        match read(self.members.get(name)?) {
            Ok(found) => Some(found),
            Err(code) => {
                let message = format!("Expected {expected}.");
                self.faults.push(PathStep::Member(&self.at, name).fault(code, message));
                None
            }
        }
    }

    fn text(&mut self, name: &str) -> Option<&'v str> {
        self.member(name, "a string", |value| value.as_str().ok_or(FaultCode::WrongType))
    }

    fn flag(&mut self, name: &str) -> bool {
        let read = |value: &Value| value.as_bool().ok_or(FaultCode::WrongType);
        self.member(name, "true or false", read).unwrap_or(false)
    }

    fn time(&mut self, name: &str) -> Option<i64> {
        self.member(name, "a date-time of RFC 3339", |value| {
            let text = value.as_str().ok_or(FaultCode::WrongType)?;
            time::parse(text).ok_or(FaultCode::BadFormat)
        })
    }

    fn identifier(&mut self, name: &str) -> Option<IdentifierRef<'v>> {
        self.member(name, "an identifier (texts id and scheme)", |value| {
            let members = value.as_object().ok_or(FaultCode::NotObject)?;
            let text = |name| members.get(name).and_then(Value::as_str).ok_or(FaultCode::WrongType);
            Ok(IdentifierRef { id: text("id")?, scheme: text("scheme")? })
        })
    }

    fn object<'s>(&'s mut self, name: &'s str) -> Option<Reader<'v, 's>> {
        let read = |value: &'v Value| value.as_object().ok_or(FaultCode::NotObject);
        let members = self.member(name, "an object", read)?;
        Some(Reader { members, at: PathStep::Member(&self.at, name), faults: self.faults })
    }
}

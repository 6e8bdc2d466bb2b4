//! Documents that are elements of a list of a row (`element` of the head): the standard's
//! events of which the book keeps only what follows from them. Read, such a document names
//! its row and becomes an element of the list; what follows is the collection's matter.

use crate::compile::Compiler;
use crate::compile::file::File;
use crate::compile::plan::Spread;
use crate::compile::read_entries::Reading;
use crate::passthrough::{ANIMAL, animal_entry};
use crate::path::Env;
use crate::read::document::Inward;
use crate::render::fill;
use crate::{Intake, Mapping, Related};
use model::record::Record;
use model::registry::{Collection, Kind};
use serde_json::{Map, Value as Json};

/// The places of the parts of a document in an element of the list.
#[derive(Debug, Clone)]
pub struct Element {
    /// The data set whose documents represent the rows.
    pub of: String,
    /// The member that names the row: the `id` of its document, or its key.
    pub by: String,
    /// Slot of the list.
    pub slot: usize,
    /// Member with the id of the animal.
    pub animal: String,
    /// Member with the time of the event.
    pub at: String,
    /// Members that no field holds.
    pub extra: Option<String>,
}

/// Members with the sender's pair.
pub(crate) const PAIR: [&str; 2] = ["source", "sourceId"];

impl Compiler<'_> {
    /// The element that documents of a file become; faults where the list lacks a member.
    pub(crate) fn element(&mut self, file: &File, collection: &Collection, spread: Option<Spread>) -> Option<Element> {
        let head = &file.head;
        let text = head.element.as_ref()?;
        let at = format!("{}: element", file.name);
        let list = file.spread().unwrap_or_default();
        let (Some(Spread::Rows(slot)), Some(Kind::Rows(fields))) = (spread, collection.field(list).map(|f| &f.kind))
        else {
            self.fault(&at, "bad-element", "needs a spread over rows".to_owned());
            return None;
        };
        let member = |c: &mut Self, path: &str| {
            let name = path.strip_prefix(list)?.strip_prefix('.')?;
            if fields.iter().any(|f| f.path == name) {
                return Some(name.to_owned());
            }
            c.fault(&at, "no-such-field", format!("{list} has no member {name}"));
            None
        };
        let pair = head.pair.clone().unwrap_or_default();
        for name in PAIR {
            member(self, &format!("{pair}.{name}"))?;
        }
        let animal = member(self, head.animal.as_deref()?);
        let event = member(self, head.event.list().first()?);
        let extra = head.extra.as_ref().and_then(|path| member(self, path));
        let Some((animal, event)) = animal.zip(event) else {
            let message = "animal, event and pair must be members of the list".to_owned();
            self.fault(&at, "bad-element", message);
            return None;
        };
        Some(Element { of: text.of.clone(), by: text.by.clone(), slot, animal, at: event, extra })
    }
}

impl Inward {
    /// Of documents that are elements: the animal is looked up, the rest is taken as it is.
    pub(crate) fn of_element() -> Self {
        let reading = Reading { entries: animal_entry().into_iter().collect(), ..Reading::default() };
        Self::of_passthrough(reading, Some(ANIMAL))
    }
}

/// What an element or a row without relations is evaluated against.
pub(crate) struct NoRelations;

impl Related for NoRelations {
    fn get(&self, _: &str, _: i64) -> Option<&Record> {
        None
    }
    fn pointing(&self, _: &str, _: &str, _: i64) -> Option<&Record> {
        None
    }
}

impl Mapping {
    /// What documents become elements of, where they do.
    pub fn element(&self) -> Option<&Element> {
        self.element.as_ref()
    }

    /// The animal of a document that becomes an element, once [`Mapping::intake`] has read it.
    pub fn element_animal(&self, intake: &Intake) -> Option<i64> {
        let mut fields = intake.fields.iter();
        let (_, value) = fields.find(|(slot, _)| *slot == ANIMAL)?;
        value.int()
    }

    /// The place of the element with a key of our own.
    pub fn element_named(&self, row: &Record, list: &[Json], key: &str) -> Option<usize> {
        let env = Env { row, parts: &[], element: None, item: None, related: &NoRelations };
        list.iter().position(|item| {
            let item = Some(item);
            fill(&self.key, &Env { item, ..env }).as_deref() == Some(key)
        })
    }

    /// The sender's pair of an element.
    pub(crate) fn element_pair(&self, env: &Env<'_>) -> Option<(String, String)> {
        self.element.as_ref()?;
        let text = |name: &str| Some(env.item?.get(name)?.as_str()?.to_owned());
        Some((text("source")?, text("sourceId")?))
    }

    /// The members of an element that no field holds.
    pub(crate) fn element_extra<'a>(&self, env: &Env<'a>) -> Option<&'a Map<String, Json>> {
        let name = self.element.as_ref()?.extra.as_deref()?;
        env.item?.get(name)?.as_object()
    }
}

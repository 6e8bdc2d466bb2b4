//! What a document names and the book has to look up: animals, organisations, codes of
//! dictionaries, technicians. Collected before reading, so that a batch needs one look-up
//! per collection and field.

use crate::ade_path::{PathStep, pointer};
use crate::compile::plan::{Read, ReadRule, RowsRule, Target};
use crate::identifiers::Identifiers;
use crate::{LOCATIONS, Mapping};
use model::registry::Collection;
use serde_json::Value as Json;

/// What a looked-up record is wanted for; it bounds the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// The document's animal: of this location.
    Animal,
    /// Any animal of the book.
    AnyAnimal,
    /// Any male of the book.
    MaleAnimal,
    Organisation,
    /// An entry of a dictionary; of several with this value the first by sort order.
    Code,
    /// A person or thing by its name.
    Name,
}

/// A record that a document names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Where in the document: a JSON pointer.
    pub pointer: String,
    /// What for.
    pub purpose: Purpose,
    /// Where to look.
    pub collection: String,
    /// The field that has the value; `id` for record ids.
    pub field: String,
    pub value: String,
}

impl Mapping {
    /// The JSON pointer of the member that fills an own field, or a member of a row in one
    /// (`progeny.0.weight`).
    pub fn pointer_of(&self, collection: &Collection, field: &str) -> Option<String> {
        let mut path = field;
        loop {
            if let Some(slot) = collection.slot(path) {
                let entry =
                    (self.inward.reading.entries.iter()).find(|e| matches!(&e.target, Target::Slot(s) if *s == slot));
                // The address or the location of the document says who sends.
                if entry.is_none() && self.scope == Some(slot) {
                    return Some("/location".to_owned());
                }
                return entry.map(|e| {
                    let mut below = field.get(path.len()..).unwrap_or_default().split('.');
                    let (index, name) = (below.nth(1), below.next());
                    let own = |rows: &RowsRule| {
                        let fills = |e: &&ReadRule| matches!(&e.target, Target::Item(n) if Some(n.as_str()) == name);
                        rows.entries.iter().find(fills).map(|e| e.path.pointer())
                    };
                    match (&e.read, index) {
                        (Read::Rows(rows), Some(index)) => {
                            let own = own(rows).unwrap_or_default();
                            format!("{}/{index}{own}", e.path.pointer())
                        }
                        _ => e.path.pointer(),
                    }
                });
            }
            path = path.rsplit_once('.')?.0;
        }
    }

    /// Everything in a document that has to be looked up before [`Mapping::intake`].
    /// Identifiers of schemes that the book does not know are left out.
    pub fn references(&self, doc: &Json) -> Vec<Reference> {
        let mut list = Vec::new();
        collect(&self.inward.reading.entries, &self.identifiers, doc, "", &mut list);
        list.extend(self.row_named(doc));
        if doc.pointer("/meta/isDeleted") != Some(&Json::Bool(true)) {
            list.extend(self.inward.find.iter().map(|f| f.reference.clone()));
        }
        list
    }
}

fn collect(entries: &[ReadRule], ids: &Identifiers, doc: &Json, base: &str, list: &mut Vec<Reference>) {
    for entry in entries.iter().filter(|entry| entry.may_name()) {
        for (places, value) in entry.values_in(doc) {
            let at = format!("{base}{}", pointer(&places));
            match &entry.read {
                Read::Rows(rows) => {
                    for (i, row) in value.as_array().into_iter().flatten().enumerate() {
                        collect(&rows.entries, ids, row, &format!("{at}/{i}"), list);
                    }
                }
                Read::Parts(entries) => {
                    for (i, row) in value.as_array().into_iter().flatten().enumerate() {
                        collect(entries, ids, row, &format!("{at}/{i}"), list);
                    }
                }
                _ => list.extend(references_of(entry, ids, &at, value)),
            }
        }
    }
}

impl ReadRule {
    /// Whether what the entry reads may name records: most entries need no look at the document.
    fn may_name(&self) -> bool {
        let read =
            matches!(self.read, Read::Rows(_) | Read::Parts(_) | Read::Animal { .. } | Read::Here(_) | Read::Location);
        read || self.lookup.is_some()
    }

    /// The values that the entry may read.
    pub(crate) fn values_in<'e, 'd>(&'e self, doc: &'d Json) -> Vec<(Vec<PathStep<'e>>, &'d Json)> {
        let values = self.path.find(doc);
        match &self.also {
            Some(also) if values.is_empty() => also.find(doc),
            _ => values,
        }
    }
}

/// The records that one value names: several for a list of identifiers.
pub(crate) fn references_of(entry: &ReadRule, ids: &Identifiers, at: &str, value: &Json) -> Vec<Reference> {
    match (&entry.read, &entry.lookup) {
        (Read::Animal { list, male, read }, _) => {
            let purpose = match (at, male) {
                ("/animal", _) if !read => Purpose::Animal,
                (_, true) => Purpose::MaleAnimal,
                (_, false) => Purpose::AnyAnimal,
            };
            if *list {
                let elements = value.as_array().into_iter().flatten().enumerate();
                elements.filter_map(|(i, v)| animal(ids, purpose, format!("{at}/{i}"), v)).collect()
            } else {
                animal(ids, purpose, at.to_owned(), value).into_iter().collect()
            }
        }
        // More than the field takes are refused, and not looked up.
        (Read::Here(here), _) => {
            let listed = value.as_array().filter(|all| all.len() <= here.most);
            let elements = listed.into_iter().flatten().enumerate();
            elements.filter_map(|(i, v)| animal(ids, Purpose::Animal, format!("{at}/{i}"), v)).collect()
        }
        (Read::Location, _) => {
            let ours = text(value, "scheme").is_some_and(|s| ids.is_location(s));
            let id = text(value, "id").filter(|id| ours && id.parse::<i64>().is_ok());
            id.map(|id| Reference {
                pointer: at.to_owned(),
                purpose: Purpose::Organisation,
                collection: LOCATIONS.to_owned(),
                field: "id".to_owned(),
                value: id.to_owned(),
            })
            .into_iter()
            .collect()
        }
        (read, Some((collection, field))) => {
            let value = match read {
                Read::Codes(codes) => value.as_str().and_then(|c| codes.back(c)),
                Read::Identifier { scheme, .. } => text(value, "id").filter(|_| text(value, "scheme") == Some(scheme)),
                _ => value.as_str(),
            };
            let purpose = match read {
                Read::Text => Purpose::Name,
                _ => Purpose::Code,
            };
            value
                .map(|value| Reference {
                    pointer: at.to_owned(),
                    purpose,
                    collection: collection.clone(),
                    field: field.clone(),
                    value: value.to_owned(),
                })
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

pub(crate) fn animal(ids: &Identifiers, purpose: Purpose, pointer: String, value: &Json) -> Option<Reference> {
    Some(Reference {
        pointer,
        purpose,
        collection: "animals".to_owned(),
        field: ids.field(text(value, "scheme")?)?.to_owned(),
        value: text(value, "id")?.to_owned(),
    })
}

pub(crate) fn text<'v>(value: &'v Json, member: &str) -> Option<&'v str> {
    model::record::text(value.as_object()?, member)
}

//! The configuration of the exchange: which data sets are offered, and who sends them.

use mapping::{Mapping, Mappings, Part, Via};
use model::error::{Error, Result};
use model::fast::IndexMap;
use model::record::SlotSet;
use model::registry::{Capability, Collection, Principal, Registry, Rule, Verb};
use std::collections::BTreeMap;
use std::sync::Arc;

pub const EVERYTHING: &str = "everything";

pub(crate) type Fields = IndexMap<String, Vec<String>>;

/// The rules of the exchange: registry and compiled mappings, and what follows from them
/// alone. They never change, and no rule asks the database.
pub struct Rules {
    registry: &'static Registry,
    mappings: Arc<Mappings>,
    fields: Fields,
    source: String,
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rules({:x})", self.mappings.generation())
    }
}

impl Rules {
    pub(crate) fn new(registry: &'static Registry, mappings: Arc<Mappings>, settings: &mapping::Settings) -> Self {
        let mut fields = Fields::default();
        for hop in mappings.iter().flat_map(Mapping::relations) {
            let list = fields.entry(hop.collection.clone()).or_default();
            for field in &hop.fields {
                if !list.contains(field) {
                    list.push(field.clone());
                }
            }
        }
        Self { registry, mappings, fields, source: settings.source.clone() }
    }

    pub fn mappings(&self) -> &Mappings {
        &self.mappings
    }

    /// Names of the schemes that identify animals, by the collection of animals: the paths of the fields that they mean.
    pub fn schemes_of_names(&self) -> BTreeMap<(String, String), String> {
        let slug = self.registry.iter().find(|c| c.lineage.is_some()).map_or("", |c| c.slug);
        let schemes = self.mappings.animal_schemes().iter().flat_map(|scheme| {
            let names = std::iter::once(&scheme.scheme).chain(&scheme.aliases);
            names.map(|name| ((slug.to_owned(), name.clone()), scheme.field.clone()))
        });
        schemes.collect()
    }

    pub fn location_scheme(&self) -> &str {
        self.mappings.location_scheme()
    }

    /// `meta.source` of what the book serves as its own.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Fields that mappings read of related records.
    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }

    pub(crate) fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// Whether there is a data set of that name, those of sets of animals aside.
    pub fn is_offered(&self, dataset: &str) -> bool {
        let mapping = self.mappings.get(dataset);
        dataset == EVERYTHING || mapping.is_some_and(|m| m.has(Part::Location))
    }

    /// Whether resources of a data set may be sent for another organisation: those that are about one animal or none
    /// and stand by themselves, and that a farm writes by its capability for data.
    pub fn is_delegated(&self, dataset: &str) -> bool {
        let mapping = self.mappings.get(dataset);
        mapping.is_some_and(|m| {
            let row = !m.is_part() && m.element().is_none();
            let row = row && m.beside().is_none() && m.corrections().is_none();
            let alone = row && self.mappings.group(dataset).is_none();
            let rule = self.registry().get(m.collection()).map(|c| c.access.rule(Verb::Create));
            let data = rule.is_some_and(|rule| *rule == Rule::Own(Capability::Data));
            m.can_push() && alone && (m.is_passthrough() || data)
        })
    }

    /// Whether a caller is one of those who send resources of a data set.
    pub fn is_sender(&self, caller: &Principal, dataset: &str) -> bool {
        let all = self.mappings.get(dataset).is_none_or(|m| m.senders().is_empty());
        all || caller.sees_all() || self.is_accredited(caller, dataset)
    }

    /// Whether the caller's organisation is accredited to send resources of a data set to all locations.
    pub fn is_accredited(&self, caller: &Principal, dataset: &str) -> bool {
        self.mappings.get(dataset).into_iter().flat_map(Mapping::senders).any(|word| caller.activities.contains(word))
    }

    /// A collection that the exchange itself needs.
    pub(crate) fn declared(&self, slug: &str) -> Result<&'static Collection> {
        let missing = || Error::internal(format!("no collection {slug}"));
        self.registry.get(slug).ok_or_else(missing)
    }

    /// The data set of a name, if it is a passthrough.
    pub fn passthrough(&self, dataset: &str) -> Option<&Mapping> {
        self.mappings.get(dataset).filter(|m| m.is_passthrough())
    }

    /// The collection's slug as the registry holds it.
    pub(crate) fn slug(&self, mapping: &Mapping) -> &'static str {
        (self.registry.get(mapping.collection())).map_or("", |c| c.slug)
    }

    /// Slots of the fields that a mapping reads from its own rows.
    pub(crate) fn own_slots(&self, mapping: &Mapping, c: &Collection) -> SlotSet {
        mapping.own_fields().iter().filter_map(|p| c.slot(p)).collect()
    }

    /// Hops that look back at rows of a collection, with the relation that they look by.
    pub(crate) fn reverse_hops<'a, 'c>(
        &self,
        mapping: &'a Mapping,
        slug: &'c str,
    ) -> impl Iterator<Item = (usize, &'a str)> + use<'a, 'c> {
        (mapping.relations().iter().enumerate()).filter_map(move |(at, hop)| match &hop.via {
            Via::Reverse(relation) if hop.collection == slug => Some((at, relation.as_str())),
            _ => None,
        })
    }
}

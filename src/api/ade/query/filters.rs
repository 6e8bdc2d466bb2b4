//! The filters of a list: those that the catalogue names for its collection, and those that its
//! documents can answer besides. This module knows no single collection.

use super::super::error::{self, Fault};
use super::super::lists::links::Paging;
use super::{Query, bad};
use ade::catalog::{Answer, Catalog, Filter};
use ade::schema::Standard;
use exchange::{AnimalNumbers, KeyFilter, KeyTest, ListQuery};
use mapping::{Mapping, Part};
use model::said;

/// The filters of a list, in the order of the catalogue.
pub(crate) fn of(mapping: &Mapping) -> Vec<Filter> {
    let entry = Catalog::get().collection(mapping.dataset());
    let stated: Vec<Filter> = entry.into_iter().flat_map(|e| e.all_filters()).collect();
    let served = |filter: &Filter| match filter {
        Filter::Modified => true,
        Filter::Animal if mapping.has(Part::Animal) => true,
        Filter::Dates if mapping.has(Part::Event) => true,
        stated_only => stated.contains(stated_only),
    };
    Filter::ALL.into_iter().filter(served).collect()
}

/// The filters of the mapping that a request must name.
pub(crate) fn required(mapping: &Mapping) -> &'static [Filter] {
    let entry = Catalog::get().collection(mapping.dataset());
    entry.map_or(&[], |entry| &entry.required)
}

#[derive(Debug, Default)]
pub(in crate::ade) struct Filters {
    modified: (Option<i64>, Option<i64>),
    event: (Option<i64>, Option<i64>),
    animals: Option<Vec<AnimalNumbers>>,
    sought: Vec<KeyFilter>,
}

impl Filters {
    /// Takes the filters of a list from a request.
    pub(in crate::ade) fn read(mapping: &Mapping, query: &mut Query) -> Self {
        let mut read = Self::default();
        for filter in of(mapping) {
            read.take(mapping, filter, query);
        }
        for filter in required(mapping) {
            for name in filter.parameters() {
                if !query.taken().iter().any(|(taken, _)| taken == name) {
                    query.faulty(missing(name));
                }
            }
        }
        read
    }

    fn take(&mut self, mapping: &Mapping, filter: Filter, query: &mut Query) {
        match (filter, filter.parameters()) {
            (Filter::Modified, [from, to]) => self.modified = (query.time(from), query.time(to)),
            (Filter::Dates, [from, to]) if mapping.has(Part::Event) => {
                self.event = (query.time(from), query.end(to));
            }
            (Filter::Animal, [scheme, id]) => {
                let pairs = query.pairs(scheme, id);
                self.animals = pairs.map(|pairs| numbers(mapping, &pairs));
            }
            (window, [from, to]) if window.is_window() => {
                let begin = query.time(from).map(KeyTest::From);
                let end = query.end(to).map(|at| {
                    // The end of a report belongs to it, so that the requested resources are found.
                    let exact = window == Filter::ReportPeriod && is_exact(query, to);
                    KeyTest::Before(if exact { at.saturating_add(1) } else { at })
                });
                for (name, test) in [(*from, begin), (*to, end)] {
                    self.sought.extend(test.map(|test| KeyFilter { name, test }));
                }
            }
            (pair, [scheme, id]) if pair.is_pair() => {
                if let Some(pairs) = query.pairs(scheme, id) {
                    let about = mapping.has(Part::Animal);
                    let numbers = about.then(|| numbers(mapping, &pairs));
                    let values = pairs.iter().map(|(s, id)| ade::keys::pair(s, id));
                    let test = KeyTest::In(values.collect(), numbers.unwrap_or_default());
                    self.sought.push(KeyFilter { name: id, test });
                }
            }
            (_, names) => {
                for name in names {
                    let values = coded(name, query);
                    if !values.is_empty() {
                        let test = KeyTest::In(values, Vec::new());
                        self.sought.push(KeyFilter { name, test });
                    }
                }
            }
        }
    }

    pub(in crate::ade) fn feed_query(self, mapping: &Mapping, location: i64, paging: &Paging) -> ListQuery {
        ListQuery {
            dataset: mapping.dataset().to_owned(),
            location,
            modified_from: self.modified.0,
            modified_to: self.modified.1,
            event_from: self.event.0,
            event_to: self.event.1,
            animals: self.animals,
            filters: self.sought,
            limit: paging.size,
            turn: paging.cursor.turn,
        }
    }
}

/// Whether a parameter is a point in time and not a whole day.
fn is_exact(query: &Query, name: &str) -> bool {
    let mut taken = query.taken().iter();
    taken.any(|(taken, value)| *taken == name && value.contains(['T', 't']))
}

/// The fields of animals that hold the numbers; numbers of schemes that the book does not know match no animal.
pub(in crate::ade) fn numbers(mapping: &Mapping, pairs: &[(String, String)]) -> Vec<AnimalNumbers> {
    let mut numbers: Vec<AnimalNumbers> = Vec::new();
    for (scheme, id) in pairs {
        let Some(field) = mapping.animal_field(scheme) else {
            continue;
        };
        match numbers.iter_mut().find(|number| number.field == field) {
            Some(number) => number.ids.push(id.clone()),
            None => numbers.push(AnimalNumbers { field: field.to_owned(), ids: vec![id.clone()] }),
        }
    }
    numbers
}

/// Codes of a parameter; older spellings mean the present ones.
fn coded(name: &'static str, query: &mut Query) -> Vec<String> {
    let answer = Catalog::get().answer(name);
    let values = query.take_all(name);
    let mut read = Vec::with_capacity(values.len());
    for value in values {
        let now = answer.and_then(|answer| answer.older.get(&value));
        let value = now.cloned().unwrap_or(value);
        match answer.and_then(codes) {
            Some(codes) if !codes.contains(&value.as_str()) => {
                let fault = bad(name, said!("has no code {value}", value = &value));
                query.faulty(fault.with("allowed", codes.to_vec()));
            }
            _ => read.push(value),
        }
    }
    read
}

/// The codes that a parameter takes; none: any text.
pub(crate) fn codes_of(parameter: &str) -> Option<&'static [&'static str]> {
    Catalog::get().answer(parameter).and_then(codes)
}

fn codes(answer: &Answer) -> Option<&'static [&'static str]> {
    Standard::get().enum_values(answer.codes.as_deref()?)
}

fn missing(name: &str) -> Fault {
    Fault::new(error::MISSING, said!("The parameter {name} is needed.", name = name))
        .with("parameter", name)
        .with("field", name)
}

//! Unmapped members: what is left of a document without the members that were read. They are
//! stored beside the row and served again; mapped members win (docs/design/mappings.md, *Rules of every document*).

use crate::Mapping;
use crate::ade_path::ENVELOPE;
use crate::ade_path::{AdePath, PathStep, Pick, Segment};
use crate::compile::plan::{Read, ReadRule};
use crate::compile::read_entries::Reading;
use crate::wording::CORRECTED;
use serde_json::{Map, Value as Json};

const META: [&str; 6] = ["source", "sourceId", "modified", "created", "isDeleted", CORRECTED];

impl Mapping {
    /// The members that were not used.
    pub(crate) fn unmapped_members(&self, doc: &Json, used: &[Vec<PathStep<'_>>]) -> Map<String, Json> {
        let Json::Object(doc) = doc else {
            return Map::new();
        };
        // Most members were used as a whole, and need not be copied.
        let whole = |name: &str| used.iter().any(|places| **places == [PathStep::Member(name)]);
        let mut members = Map::new();
        for (name, value) in doc {
            if ENVELOPE.contains(&name.as_str()) || value.is_null() || whole(name) {
                continue;
            }
            let value = match value {
                Json::Object(meta) if name == "meta" => others(meta),
                value => value.clone(),
            };
            if !value.is_null() {
                members.insert(name.clone(), value);
            }
        }
        if members.is_empty() {
            return members;
        }
        let mut members = Json::Object(members);
        for places in used {
            clear(&mut members, places);
        }
        constants(&self.inward.reading, &mut members);
        let reading = &self.inward.reading;
        let reads =
            |e: &ReadRule, name: &str| e.path.first() == name || e.also.as_ref().is_some_and(|a| a.first() == name);
        let rows = |name: &str| {
            let mut entries = reading.entries.iter();
            entries.any(|e| matches!(e.read, Read::Rows(_) | Read::Parts(_)) && reads(e, name))
        };
        let paths: Vec<&[Segment]> = (reading.entries.iter())
            .flat_map(|e| [Some(&e.path), e.also.as_ref()])
            .flatten()
            .map(|path| path.0.as_slice())
            .collect();
        // Members that no entry reads stay as they are, empty lists included.
        let ours = |name: &str| {
            name == "meta"
                || reading.entries.iter().any(|e| reads(e, name))
                || reading.constants.iter().any(|(p, _)| p.first() == name)
        };
        let Json::Object(mut members) = members else {
            return Map::new();
        };
        for (name, value) in members.iter_mut().filter(|(name, _)| ours(name)) {
            let (first, below) = step(&paths, name);
            prune(value, first || rows(name), &below);
        }
        for entry in &self.inward.reading.entries {
            bare(&entry.path, &mut members);
        }
        // A member that was used is null by now, for every reader.
        members.retain(|name, value| !(value.is_null() || ours(name) && empty(value)));
        members
    }
}

/// What `meta` has besides the members that the server answers for; `null` if that is nothing.
fn others(meta: &Map<String, Json>) -> Json {
    let is_other = |(name, value): &(&String, &Json)| !META.contains(&name.as_str()) && !value.is_null();
    let others: Map<String, Json> =
        (meta.iter().filter(is_other)).map(|(name, value)| (name.clone(), value.clone())).collect();
    match others.is_empty() {
        true => Json::Null,
        false => Json::Object(others),
    }
}

fn clear(value: &mut Json, places: &[PathStep<'_>]) {
    let mut at = Some(value);
    for place in places {
        at = at.and_then(|v| match place {
            PathStep::Member(name) => v.get_mut(name),
            PathStep::Element(i) => v.get_mut(*i),
        });
    }
    if let Some(value) = at {
        *value = Json::Null;
    }
}

/// Removes constants, which rendering writes anyway.
fn constants(reading: &Reading, members: &mut Json) {
    for (path, constant) in &reading.constants {
        let same: Vec<_> = (path.find(members).into_iter())
            .filter(|(_, value)| *value == constant)
            .map(|(places, _)| places)
            .collect();
        for places in same {
            clear(members, &places);
        }
    }
}

/// The paths that go on below a member, and whether one of them means its first element.
fn step<'p>(paths: &[&'p [Segment]], name: &str) -> (bool, Vec<&'p [Segment]>) {
    let mut first = false;
    let below = (paths.iter())
        .filter_map(|path| {
            let (segment, rest) = path.split_first().filter(|(s, _)| s.name == name)?;
            first |= segment.list == Some(Pick::First);
            Some(rest)
        })
        .collect();
    (first, below)
}

/// Removes empty values. Elements that an entry finds by their index (those of rows, and first
/// ones) keep it. `paths`: how the entries go on below the value.
fn prune(value: &mut Json, indexed: bool, paths: &[&[Segment]]) {
    match value {
        Json::Object(map) => {
            for (name, v) in map.iter_mut() {
                let (first, below) = step(paths, name);
                prune(v, first, &below);
            }
            map.retain(|_, v| !empty(v));
        }
        Json::Array(list) => {
            list.iter_mut().for_each(|v| prune(v, false, paths));
            if !indexed || list.iter().all(empty) {
                list.retain(|v| !empty(v));
            }
        }
        _ => {}
    }
}

fn empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Object(map) => map.is_empty(),
        Json::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// Removes list elements of which only the member that picks them is left.
fn bare(path: &AdePath, members: &mut Map<String, Json>) {
    let Some((name, Pick::Member(member, _))) = path.0.first().and_then(|s| Some((&s.name, s.list.as_ref()?))) else {
        return;
    };
    if let Some(Json::Array(list)) = members.get_mut(name) {
        list.retain(|e| e.as_object().is_none_or(|o| o.len() > 1 || !o.contains_key(member)));
    }
}

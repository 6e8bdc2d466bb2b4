//! Events of groups whose animals are named (`groups.toml`): each animal gets an event of its
//! own, a document of another data set, which goes the way of all documents. Which member
//! leads where is stated there as data.

use crate::compile::file::Faults;
use ade::catalog::Catalog;
use ade::schema::Standard;
use model::fast::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

pub(crate) const FILE: &str = "groups.toml";
/// What a source begins with that stands in the element of the animal.
const EACH: &str = "each.";
/// Members of each element that name the animal.
const ANIMAL: &str = "animal";
/// Where a group's event lists its animals itself.
const EMBEDDED: [&str; 2] = ["embeddedAnimalSet", "member"];
/// Where it names a set that is known.
const REFERENCE: &str = "animalSetReference";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(default)]
    sets: String,
    #[serde(default)]
    common: Vec<String>,
    #[serde(default)]
    group: Vec<GroupText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupText {
    from: String,
    into: String,
    each: Option<String>,
    map: BTreeMap<String, String>,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    by_set: IndexMap<String, Group>,
    sets: String,
}

/// What the animals of a group's event get.
#[derive(Debug)]
pub struct Group {
    into: String,
    resource: String,
    each: Option<String>,
    /// Path in the animal's event, path in the group's (or its element), in that order.
    map: Vec<(Vec<String>, Vec<String>, bool)>,
}

/// The event of one animal.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupPart {
    /// JSON pointer of the animal in the group's event, or of the reference to its set.
    pub at: String,
    /// `meta.sourceId` of the animal's event.
    pub source_id: String,
    /// The event.
    pub doc: Json,
}

impl GroupPart {
    /// Scheme and number of the animal, for people.
    pub fn animal(&self) -> Option<String> {
        let animal = self.doc.get(ANIMAL)?;
        let text = |name: &str| animal.get(name).and_then(Json::as_str);
        Some(format!("{}/{}", text("scheme")?, text("id")?))
    }
}

impl Groups {
    pub(crate) fn read(table: Option<toml::Table>, faults: &mut Faults) -> Self {
        let read = toml::Value::Table(table.unwrap_or_default()).try_into::<Text>();
        let text = read.unwrap_or_else(|e| {
            faults.add(FILE, "unreadable", e.message().to_owned());
            Text::default()
        });
        let mut groups = Self { by_set: IndexMap::default(), sets: text.sets };
        for group in text.group {
            let from = group.from.clone();
            let at = format!("{FILE}: {from}");
            if let Some(group) = compiled(group, &text.common, &at, faults)
                && groups.by_set.insert(from, group).is_some()
            {
                faults.add(&at, "declared-twice", "stands there twice".to_owned());
            }
        }
        groups
    }

    pub(crate) fn of(&self, dataset: &str) -> Option<&Group> {
        self.by_set.get(dataset)
    }

    pub(crate) fn sets(&self) -> &str {
        &self.sets
    }
}

fn compiled(text: GroupText, common: &[String], at: &str, faults: &mut Faults) -> Option<Group> {
    let standard = Standard::get();
    let mut resource = |name: &str| {
        let resource = Catalog::get().collection(name).map(|e| e.resource.clone());
        if resource.is_none() {
            let message = format!("the standard has no collection {name}");
            faults.add(at, "no-such-collection", message);
        }
        resource
    };
    let (from, into) = (resource(&text.from), resource(&text.into));
    let (from, into) = (from?, into?);
    let both = |path: &&String| {
        let resolves = |of: &str| standard.resolve_path(of, path).is_some();
        resolves(&from) && resolves(&into)
    };
    let shared = common.iter().filter(both).map(|path| (path, path));
    let mut map = Vec::new();
    for (target, source) in shared.chain(&text.map) {
        let bare = source.strip_prefix(EACH);
        let path = match (bare, &text.each) {
            (Some(bare), Some(each)) => format!("{each}[].{bare}"),
            _ => source.clone(),
        };
        for (of, path) in [(&from, &path), (&into, target)] {
            if standard.resolve_path(of, path).is_none() {
                let message = format!("{of} has no member {path}");
                faults.add(at, "no-such-member", message);
            }
        }
        let split = |path: &str| path.split('.').map(str::to_owned).collect();
        map.push((split(target), split(bare.unwrap_or(source)), bare.is_some()));
    }
    Some(Group { into: text.into, resource: into, each: text.each, map })
}

impl Group {
    /// The data set of the animals' events.
    pub fn into_set(&self) -> &str {
        &self.into
    }

    /// What the event calls the set of its animals, when it does not name them itself.
    pub fn reference<'d>(&self, doc: &'d Json) -> Option<&'d str> {
        let listed = Self::embedded(doc).is_some_and(|list| !list.is_empty());
        if self.each.is_some() || listed {
            return None;
        }
        let identifier = doc.get(REFERENCE)?.get("identifier")?;
        identifier.as_str().or_else(|| identifier.get("id")?.as_str())
    }

    /// The animals of events that a group's event handed out before, from the keys of those.
    pub fn named_by<'k>(doc: &Json, keys: impl Iterator<Item = &'k String>) -> Vec<Json> {
        let group = doc.pointer("/meta/sourceId").and_then(Json::as_str);
        let group = group.unwrap_or_default();
        keys.filter_map(|key| {
            let (scheme, id) = (key.strip_prefix(group)?.strip_prefix('#')?).split_once('/')?;
            Some(serde_json::json!({"scheme": scheme, "id": id}))
        })
        .collect()
    }

    pub fn reference_pointer() -> String {
        format!("/{REFERENCE}")
    }

    fn embedded(doc: &Json) -> Option<&Vec<Json>> {
        EMBEDDED.iter().try_fold(doc, |at, name| at.get(*name))?.as_array()
    }

    /// The events of the animals that the group's event names; of those of `set` when it names none
    /// itself. `Err` has the pointers of animals that are named twice.
    ///
    /// # Errors
    /// Pointers of animals that were named before.
    pub fn parts(&self, doc: &Json, set: &[Json]) -> Result<Vec<GroupPart>, Vec<String>> {
        let mut all: Vec<(String, &Json, &Json)> = Vec::new();
        if let Some(each) = &self.each {
            let elements = doc.get(each).and_then(Json::as_array);
            for (i, element) in elements.into_iter().flatten().enumerate() {
                if let Some(animal) = element.get(ANIMAL).filter(|a| !a.is_null()) {
                    all.push((format!("/{each}/{i}/{ANIMAL}"), animal, element));
                }
            }
        } else if let Some(list) = Self::embedded(doc).filter(|list| !list.is_empty()) {
            let place = EMBEDDED.join("/");
            let numbered = list.iter().enumerate();
            all.extend(numbered.map(|(i, animal)| (format!("/{place}/{i}"), animal, &Json::Null)));
        } else {
            all.extend(set.iter().map(|animal| (Self::reference_pointer(), animal, &Json::Null)));
        }
        let mut parts: IndexMap<String, GroupPart> = IndexMap::default();
        let mut twice = Vec::new();
        for (at, animal, element) in all {
            let Some(part) = self.part(doc, at.clone(), animal, element) else {
                continue;
            };
            if parts.insert(part.source_id.clone(), part).is_some() {
                twice.push(at);
            }
        }
        if twice.is_empty() { Ok(parts.into_values().collect()) } else { Err(twice) }
    }

    /// The event of an animal; none when its element says nothing of it.
    fn part(&self, doc: &Json, at: String, animal: &Json, element: &Json) -> Option<GroupPart> {
        let text = |name: &str| animal.get(name).and_then(Json::as_str);
        let meta = doc.get("meta")?.as_object()?;
        let group = meta.get("sourceId")?.as_str()?;
        let source_id = format!("{group}#{}/{}", text("scheme")?, text("id")?);
        let mut meta = meta.clone();
        meta.insert("sourceId".to_owned(), source_id.as_str().into());
        let mut event = Map::new();
        event.insert("resourceType".to_owned(), self.resource.as_str().into());
        event.insert("meta".to_owned(), Json::Object(meta));
        event.insert(ANIMAL.to_owned(), animal.clone());
        let (mut own, mut found_own) = (false, false);
        for (target, source, each) in &self.map {
            let from = if *each { element } else { doc };
            let value = (source.iter()).try_fold(from, |at, name| at.get(name));
            own |= each;
            if let Some(value) = value.filter(|v| !v.is_null()) {
                found_own |= each;
                put(&mut event, target, value.clone());
            }
        }
        (!own || found_own).then(|| GroupPart { at, source_id, doc: Json::Object(event) })
    }

    /// Where in the group's event a place of the animal's event comes from.
    pub fn origin(&self, part: &GroupPart, pointer: &str) -> String {
        let path: Vec<&str> = pointer.split('/').skip(1).collect();
        if path.first() == Some(&ANIMAL) {
            return part.at.clone();
        }
        let under = |target: &[String]| !target.is_empty() && target.iter().zip(&path).all(|(a, b)| a == b);
        let longest = (self.map.iter()).filter(|(target, ..)| under(target)).max_by_key(|(target, ..)| target.len());
        match longest {
            Some((target, source, each)) => {
                let element = part.at.rsplit_once('/').map_or("", |(parent, _)| parent);
                let base = if *each { element } else { "" };
                let rest = path.get(target.len()..).unwrap_or_default();
                let steps = source.iter().map(String::as_str).chain(rest.iter().copied());
                steps.fold(base.to_owned(), |at, step| at + "/" + step)
            }
            None => part.at.clone(),
        }
    }
}

fn put(event: &mut Map<String, Json>, path: &[String], value: Json) {
    let Some((name, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        event.insert(name.clone(), value);
        return;
    }
    let inner = event.entry(name.clone()).or_insert_with(|| Json::Object(Map::new()));
    if let Some(inner) = inner.as_object_mut() {
        put(inner, rest, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn groups() -> Groups {
        let text = include_str!("../../../mappings/groups.toml");
        let mut faults = Faults::default();
        let groups = Groups::read(text.parse().ok(), &mut faults);
        assert_eq!(faults.0, []);
        groups
    }

    fn animal(id: &str) -> Json {
        json!({"scheme": "a", "id": id})
    }

    #[test]
    fn each_weighed_animal_gets_its_weight_with_what_all_share() {
        let groups = groups();
        let group = groups.of("group-weights").unwrap();
        let doc = json!({"meta": {"source": "s", "sourceId": "g1", "modified": "x"},
            "eventDateTime": "2026-01-01T00:00:00Z", "units": "KGM", "animalWeights": [
                {"animal": animal("1"), "weight": 500}, {"animal": animal("2")},
                {"animal": null, "weight": 3}, {"animal": animal("4"), "weight": 1.50}]});
        let parts = group.parts(&doc, &[]).unwrap();
        assert_eq!(parts.len(), 2, "who has no weight was not weighed");
        assert_eq!(parts[1].source_id, "g1#a/4");
        assert_eq!(
            parts[1].doc,
            json!({"resourceType": "icarWeightEventResource",
            "meta": {"source": "s", "sourceId": "g1#a/4", "modified": "x"},
            "animal": animal("4"), "eventDateTime": "2026-01-01T00:00:00Z",
            "weight": {"measurement": 1.50, "units": "KGM"}})
        );
        assert_eq!(group.origin(&parts[1], "/animal"), "/animalWeights/3/animal");
        let place = group.origin(&parts[1], "/weight/measurement");
        assert_eq!(place, "/animalWeights/3/weight");
        assert_eq!(group.origin(&parts[1], "/weight/units"), "/units");
        assert_eq!(group.origin(&parts[1], "/eventDateTime"), "/eventDateTime");
    }

    #[test]
    fn animals_come_from_the_list_or_from_the_set() {
        let groups = groups();
        let group = groups.of("group-deaths").unwrap();
        let mut doc = json!({"meta": {"source": "s", "sourceId": "g"}, "deathreason": "Age",
            "animalSetReference": {"identifier": {"id": "pen", "scheme": "b"}}});
        assert_eq!(group.reference(&doc), Some("pen"));
        let parts = group.parts(&doc, &[animal("7")]).unwrap();
        assert_eq!(parts[0].doc["deathReason"], "Age");
        assert_eq!(parts[0].at, "/animalSetReference");
        doc["embeddedAnimalSet"] = json!({"member": [animal("1"), animal("1")]});
        assert_eq!(group.reference(&doc), None);
        let twice = group.parts(&doc, &[animal("7")]).unwrap_err();
        assert_eq!(twice, ["/embeddedAnimalSet/member/1"]);
    }

    #[test]
    fn a_member_that_the_standard_has_not_is_a_fault() {
        let text =
            "[[group]]\nfrom = \"group-deaths\"\ninto = \"deaths\"\n[group.map]\n\"deathReason\" = \"deathReason\"";
        let mut faults = Faults::default();
        Groups::read(text.parse().ok(), &mut faults);
        assert_eq!(faults.0.len(), 1);
        assert_eq!(faults.0[0].code, "no-such-member");
    }
}

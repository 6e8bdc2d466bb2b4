//! The laws that every mapping obeys, on generated records.

use crate::compile::plan::{Read, ReadRule, Target};
use crate::{Mapping, Mappings, RenderedDocument, Row, Settings, Via};
use domain::collections::registry;
use model::record::{Record, Value};
use model::registry::Collection;
use serde_json::Value as Json;
use std::sync::{LazyLock, OnceLock};
use world::World;

mod faults;
mod golden;
mod shown;
mod unmapped_members;
mod world;

const SEEDS: u64 = 60;
const DENSITIES: [f64; 4] = [0.0, 0.3, 0.7, 1.0];

fn mappings() -> Mappings {
    Mappings::build(registry().unwrap(), &Settings::default(), None).unwrap_or_else(|issues| panic!("{issues:#?}"))
}

fn compiled() -> &'static Mappings {
    static ALL: LazyLock<Mappings> = LazyLock::new(mappings);
    &ALL
}

/// Made once: all tests read them, for each mapping anew.
fn worlds() -> impl Iterator<Item = &'static World> {
    static WORLDS: OnceLock<Vec<World>> = OnceLock::new();
    let densities = DENSITIES.into_iter();
    let made = densities.flat_map(|d| (0..SEEDS).map(move |seed| World::generate(seed, d)));
    WORLDS.get_or_init(|| made.collect()).iter()
}

fn collection(mapping: &Mapping) -> &'static Collection {
    registry().unwrap().get(mapping.collection()).unwrap()
}

fn documents(mapping: &Mapping, row: &Record, world: &World) -> Vec<(RenderedDocument, Json)> {
    let mut rendered = Vec::new();
    mapping.render(row, world, &mut rendered);
    let parse = |r: RenderedDocument| {
        let mut text = Vec::new();
        r.body.with(1_700_000_000_000, 1_600_000_000_000, &mut text);
        let json = serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&text)));
        (r, json)
    };
    rendered.into_iter().map(parse).collect()
}

/// A new row as the intake of a document leaves it.
fn stored(mapping: &Mapping, doc: &Json, world: &World) -> Option<Record> {
    let intake = mapping.intake(doc, world);
    if intake.refused() {
        return None;
    }
    let mut row = Record::empty(collection(mapping).width());
    row.set(0, 1);
    let part = intake.parts.first().cloned().unwrap_or_default();
    for (slot, value) in mapping.writes(intake, true).into_iter().chain(part) {
        row.set(slot, value);
    }
    // Filled by hooks of the collection, not by intake.
    for (path, value) in
        [("applied", Value::Bool(true)), ("status", "accepted".into()), ("animal", animal(mapping, doc, world))]
    {
        if let Some(slot) = collection(mapping).slot(path) {
            row.set(slot, value);
        }
    }
    // The animal is at the location that the document was sent to.
    let at = documents(mapping, &row, world).first().and_then(|(r, _)| r.location);
    if let Some(scope) = mapping.scope() {
        row.set(scope, at);
    }
    Some(row)
}

fn animal(mapping: &Mapping, doc: &Json, world: &World) -> Value {
    let references = mapping.references(doc);
    let reference = references.iter().find(|r| r.pointer == "/animal");
    reference.and_then(|r| crate::ReferenceResolver::id(world, r)).into()
}

fn from_partner(doc: &Json) -> Json {
    let mut doc = doc.clone();
    doc["meta"]["source"] = "org.partner".into();
    doc["meta"]["sourceId"] = "a-1".into();
    doc
}

#[test]
fn the_files_have_no_faults() {
    assert_eq!(mappings().datasets().count(), 31);
    assert_eq!(mappings().iter().count(), 33);
}

/// Ours without a code are faults of the files; these are the standard's without a word.
#[test]
fn every_code_of_a_mapped_member_has_a_use_or_a_reason() {
    let none: [&str; 0] = [];
    assert_eq!(mappings().loose_codes(), none);
}

#[test]
fn documents_are_valid_by_the_standard() {
    for mapping in compiled().iter() {
        let mut count = 0;
        for world in worlds() {
            for row in world.rows(mapping.collection()) {
                for (_, doc) in documents(mapping, row, world) {
                    let faults = ade::validate(mapping.resource(), &doc);
                    assert!(faults.is_empty(), "{}: {faults:?}\n{doc:#}", mapping.dataset());
                    count += 1;
                }
            }
        }
        assert!(count > 20, "{}: only {count} documents", mapping.name());
    }
}

/// Whether documents are read into fields; those that become elements have laws of their own.
fn fills_fields(mapping: &Mapping) -> bool {
    has_pair(mapping) && mapping.beside().is_none()
}

/// Whether rows have the pairs of their documents.
fn has_pair(mapping: &Mapping) -> bool {
    let makes_rows = mapping.element().is_none() && mapping.corrections().is_none();
    mapping.can_post() && makes_rows && !mapping.keeps_sent()
}

#[test]
fn a_document_that_is_an_element_has_its_pair_animal_and_name() {
    let mut count = 0;
    for mapping in compiled().iter() {
        let Some(element) = mapping.element() else {
            continue;
        };
        for world in worlds() {
            for row in world.rows(mapping.collection()) {
                let list = row.get(element.slot).rows();
                for (r, doc) in documents(mapping, row, world) {
                    let at = mapping.element_named(row, list, &r.key).unwrap();
                    let text = |name: &str| list[at].get(name).and_then(Json::as_str);
                    let own = format!("{}:{}", mapping.dataset(), r.key);
                    let pair = text("source").zip(text("sourceId"));
                    let expected = pair.unwrap_or((&mapping.source, &own));
                    assert_eq!((&*r.source, &*r.source_id), expected);
                    let intake = mapping.intake(&doc, world);
                    assert_eq!((&*intake.pair.0, &*intake.pair.1), expected);
                    assert_eq!(mapping.element_animal(&intake), list[at]["animal"].as_i64());
                    assert_eq!(intake.issues, []);
                    assert_eq!(doc["eventDateTime"].as_str(), text("at"));
                    count += 1;
                }
            }
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
fn every_document_has_its_place_and_pair() {
    for mapping in compiled().iter() {
        for world in worlds() {
            for row in world.rows(mapping.collection()) {
                for (r, doc) in documents(mapping, row, world) {
                    let pair = format!("{}:{}", mapping.dataset(), r.key);
                    // The elements of these rows have senders' pairs.
                    let pair = mapping.element().map_or(pair, |_| r.source_id.clone());
                    assert_eq!((&r.source_id, doc["meta"]["sourceId"].as_str()), (&pair, Some(&*pair)));
                    assert_eq!(doc["meta"]["modified"], "2023-11-14T22:13:20.000Z");
                    assert_eq!(doc["location"]["scheme"], "org.herdbook.orgid");
                    assert_eq!(doc["location"]["id"], r.location.unwrap().to_string());
                    assert_eq!(doc["resourceType"], mapping.resource());
                }
            }
        }
    }
}

/// The entries whose field is filled by nothing else and loses nothing on the way.
fn exact<'m>(mapping: &'m Mapping, row: &'m Record) -> impl Iterator<Item = (usize, &'m ReadRule)> {
    let entries = mapping.inward.reading.entries.iter();
    let parts = mapping.part_entries().flat_map(|(_, inner)| inner);
    entries.chain(parts).filter_map(move |e| match e.target {
        Target::Slot(slot) => {
            let poorer = e.lookup.is_some()
                || unsaid(e, row, slot)
                || matches!(e.read, Read::Rows(_))
                // Those of other locations are not shown.
                || matches!(e.read, Read::Here(_))
                || e.unless.is_some_and(|u| !row.get(u).is_null())
                // The reason's method stands in for the row's own.
                || e.path.first() == "deathMethod" && row.get(slot).is_null()
                || e.placeholder && row.get(slot).is_null()
                // Kinds that share a code.
                || e.path.first() == "departureKind";
            (!poorer).then_some((slot, e))
        }
        Target::Item(_) => None,
    })
}

/// Whether the document says something else than the field, or nothing, of this row.
fn unsaid(entry: &ReadRule, row: &Record, slot: usize) -> bool {
    let value = row.get(slot);
    let word = match &entry.read {
        // Another field may have a code where this one has none.
        Read::Codes(codes) => match value {
            Value::Int(i) => codes.out(&i.to_string()).is_none(),
            value => value.text().is_none_or(|word| codes.out(word).is_none()),
        },
        Read::Flag => !matches!(value, Value::Num(n) if *n == 0.0 || *n == 1.0),
        _ => false,
    };
    // A type of ours stands in for a name or code.
    let other = entry.spare && value.is_null();
    let half = entry.second.is_some_and(|s| value.is_null() || row.get(s).is_null());
    let bound = (entry.when.iter()).any(|(s, words)| row.get(*s).text().is_none_or(|w| !words.iter().any(|o| o == w)));
    word || other || half || bound
}

#[test]
fn reading_what_was_written_gives_the_row_back() {
    for mapping in compiled().iter().filter(|m| fills_fields(m)) {
        let mut compared = 0;
        for world in worlds() {
            for row in world.rows(mapping.collection()) {
                for (_, doc) in documents(mapping, row, world) {
                    let Some(record) = stored(mapping, &from_partner(&doc), world) else {
                        let kind = doc["departureKind"].as_str();
                        assert!(matches!(kind, Some("InternalTransfer" | "Other")), "refused: {doc:#}");
                        continue;
                    };
                    for (slot, entry) in exact(mapping, row) {
                        let (old, new) = (row.get(slot), record.get(slot));
                        assert!(old == new, "{}: {old:?} {new:?}\n{doc:#}", entry.path.pointer());
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 100, "{}: compared {compared}", mapping.dataset());
    }
}

#[test]
fn the_senders_pair_stays_where_it_was_sent() {
    for mapping in compiled().iter().filter(|m| has_pair(m)) {
        let Some((source, id)) = mapping.pair() else {
            panic!("{} has no pair", mapping.dataset());
        };
        let (Some(scope), mut count) = (mapping.scope(), 0) else {
            panic!("{} has no scope", mapping.dataset());
        };
        for world in worlds() {
            for row in world.rows(mapping.collection()) {
                let Some(at) = (documents(mapping, row, world).first()).and_then(|(r, _)| r.location) else {
                    continue;
                };
                let mut row = row.clone();
                row.set(source, "org.partner");
                row.set(id, "a-1");
                if let Some(dataset_slot) = mapping.dataset_slot() {
                    row.set(dataset_slot, mapping.dataset());
                }
                for (home, pair) in [(at, "a-1"), (at + 1, "own")] {
                    row.set(scope, home);
                    // A scope that is the location itself follows the row.
                    for (rendered, doc) in documents(mapping, &row, world) {
                        let own = format!("{}:{}", mapping.dataset(), rendered.key);
                        let here = rendered.location == Some(home);
                        assert_eq!(here, pair == "a-1" || rendered.location != Some(at));
                        let expected = if here { "a-1" } else { &own };
                        assert_eq!(doc["meta"]["sourceId"], *expected);
                        assert_eq!(rendered.source_id, *expected);
                        count += 1;
                    }
                }
            }
        }
        assert!(count > 20, "{}: only {count}", mapping.dataset());
    }
}

#[test]
fn writing_what_was_read_gives_the_document_back() {
    for mapping in compiled().iter().filter(|m| fills_fields(m)) {
        for world in worlds() {
            for row in world.rows(mapping.collection()) {
                for (_, doc) in documents(mapping, row, world) {
                    let document = from_partner(&doc);
                    let Some(record) = stored(mapping, &document, world) else {
                        continue;
                    };
                    let mut served = documents(mapping, &record, world);
                    assert_eq!(served.len(), 1, "{doc:#}");
                    let (_, mut served) = served.remove(0);
                    let mut document = document;
                    // The animals of another location.
                    if document["location"] != served["location"] {
                        blank(&mut document, "/member");
                        blank(&mut served, "/member");
                    }
                    for name in ["/id", "/location"] {
                        blank(&mut document, name);
                        blank(&mut served, name);
                    }
                    // The sender's location is the origin or the destination, regardless of the sent
                    // value; a missing destination becomes the placeholder.
                    let own = match mapping.location_path().as_deref() {
                        Some(["to"]) => "/consignment/destinationLocation",
                        _ => "/consignment/originLocation",
                    };
                    blank(&mut document, own);
                    blank(&mut served, own);
                    if doc.pointer("/consignment/destinationLocation").is_none()
                        && let Some(Json::Object(c)) = served.get_mut("consignment")
                    {
                        c.remove("destinationLocation");
                    }
                    assert_eq!(document, served, "{}", mapping.dataset());
                }
            }
        }
    }
}

fn blank(doc: &mut Json, pointer: &str) {
    if let Some(value) = doc.pointer_mut(pointer) {
        *value = Json::Null;
    }
}

#[test]
fn a_document_that_repeats_what_is_served_changes_nothing() {
    for mapping in compiled().iter().filter(|m| fills_fields(m)) {
        for world in worlds() {
            for row in world.rows(mapping.collection()) {
                for (_, doc) in documents(mapping, row, world) {
                    let mut intake = mapping.intake(&doc, world);
                    assert_eq!(intake.row, Row::Id(row.get(0).int().unwrap()));
                    if mapping.parts().is_some() {
                        mapping.settle_parts(&doc, &[row], world, &mut intake);
                    } else {
                        mapping.settle(&doc, row, world, &mut intake);
                    }
                    assert!(intake.parts.iter().all(Vec::is_empty), "{doc:#}");
                    assert_eq!(intake.issues, []);
                    assert_eq!(intake.fields, [], "{}: {doc:#}", mapping.dataset());
                    assert!(intake.extra.is_empty(), "{:?}", intake.extra);
                }
            }
        }
    }
}

/// The world cut down to what a mapping says it reads.
fn declared(mapping: &Mapping, row: &Record, world: &World) -> (Record, World) {
    let cut = |c: &str, record: &Record, fields: &[String]| {
        let c = registry().unwrap().get(c).unwrap();
        let mut cut = Record::partial(c.width());
        for path in fields {
            let slot = c.slot(path).unwrap_or_else(|| panic!("{}.{path}", c.slug));
            cut.set(slot, record.get(slot).clone());
        }
        cut
    };
    let own = cut(mapping.collection(), row, mapping.own_fields());
    let mut small = World::default();
    let mut reached: Vec<Vec<Record>> = Vec::new();
    for hop in mapping.relations() {
        let from = match hop.from {
            None => vec![own.clone()],
            Some(i) => reached[i].clone(),
        };
        let mut here = Vec::new();
        for record in from {
            let ids: Vec<i64> = match &hop.via {
                Via::Relation(slot) => record.get(*slot).int().into_iter().collect(),
                Via::List(slot) => record.get(*slot).ids().to_vec(),
                Via::Rows(slot, name) => record.get(*slot).rows().iter().filter_map(|r| r[name].as_i64()).collect(),
                Via::Reverse(path) => {
                    let id = record.get(0).int().unwrap();
                    let rows = crate::Related::pointing(world, &hop.collection, path, id);
                    rows.and_then(|r| r.get(0).int()).into_iter().collect()
                }
            };
            for id in ids {
                let full = crate::Related::get(world, &hop.collection, id).unwrap();
                let partial = cut(&hop.collection, full, &hop.fields);
                let key = (hop.collection.clone(), id);
                let merged = small.records.entry(key).or_insert_with(|| partial.clone());
                for slot in 0..partial.width() {
                    if !partial.get(slot).is_null() {
                        merged.set(slot, partial.get(slot).clone());
                    }
                }
                here.push(partial);
            }
        }
        reached.push(here);
    }
    (own, small)
}

#[test]
fn rendering_reads_no_more_than_is_declared() {
    for mapping in compiled().iter() {
        for world in worlds() {
            for row in world.rows(mapping.collection()) {
                let (own, small) = declared(mapping, row, world);
                let whole = documents(mapping, row, world);
                let lean = documents(mapping, &own, &small);
                assert_eq!(whole, lean, "{}", mapping.dataset());
            }
        }
    }
}

#[test]
fn a_document_that_lacks_a_required_member_is_not_written() {
    let world = &World::generate(1, 1.0);
    let mappings = mappings();
    let mapping = mappings.get("weights").unwrap();
    let row = world.rows("weighings").next().unwrap();
    assert_eq!(documents(mapping, row, world).len(), 1);
    assert!(documents(mapping, row, &World::default()).is_empty());
}

#[test]
fn a_change_elsewhere_finds_the_mappings_that_read_it() {
    let mappings = mappings();
    let touched = |c: &str, field: &str| -> Vec<String> {
        let uses = |m: &&Mapping| m.dependencies(c, &[field]).next().is_some();
        mappings.iter().filter(uses).map(|m| m.dataset().to_owned()).collect()
    };
    assert_eq!(touched("disposal-reasons", "adeReason"), ["departures"]);
    assert_eq!(touched("breeds", "whffCode"), ["animals", "births"]);
    assert_eq!(touched("herds", "timeZone"), ["locations"]);
    assert_eq!(touched("technicians", "fullName"), ["conformation-scores", "inseminations", "type-classifications"]);
    assert_eq!(touched("herds", "recordingScheme"), ["lactations"]);
    assert_eq!(touched("animals", "owner").len(), 26);
    assert!(touched("breeds", "description").is_empty());
    assert_eq!(touched("animals", "identNumber").len(), 30);
}

#[test]
fn the_generation_follows_settings() {
    let other = Settings { prefix: "org.other".to_owned(), ..Settings::default() };
    let other = Mappings::build(registry().unwrap(), &other, None).unwrap();
    assert_ne!(mappings().generation(), other.generation());
    assert_eq!(mappings().generation(), mappings().generation());
}

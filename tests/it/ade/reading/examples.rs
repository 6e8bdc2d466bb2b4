//! The standard's own examples go in and come out again. They are test data beside the repository
//! (`HERDBOOK_ADE_OFFICIAL`) and break the standard's schemas; each smallest change that mends them is stated here.

use crate::ade::intake::raw_documents::said;
use crate::ade::stage::{FARM, Stage};
use crate::support::fixture::number;
use ade::catalog::Catalog;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// A change of a document that makes it valid.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// `resourceType` is missing everywhere.
    Typed,
    /// In a member too.
    TypedIn(&'static str, &'static str),
    /// So are the four members of `meta` that identify a resource.
    Identified,
    /// The animal must be one of the book.
    OurAnimal,
    /// The set of animals must be one of the book.
    OurSet,
    /// So must the animals of a set.
    OurMembers,
    /// A member is null instead of absent.
    NoNulls,
    /// A time has no offset.
    Offset(&'static str),
    /// A number is in the place of a text.
    Text(&'static str),
    /// A member has another name than in the schema.
    Renamed(&'static str, &'static str),
    /// A member is missing that the book needs.
    Given(&'static str, &'static str),
}

use Change::{Given, Identified, NoNulls, Offset, OurAnimal, OurMembers, OurSet, Renamed, Text, Typed, TypedIn};

/// Name of the example, collection, changes. Without changes: why it is not sent; golden
/// documents of the mappings show how those come out.
type Example = (&'static str, &'static str, Result<&'static [Change], &'static str>);

const EXAMPLES: &[Example] = &table![
    "locations", "locations", Err("locations are the organisations of the book");
    "arrival", "arrivals", Ok(&[
        Typed,
        Identified,
        OurAnimal,
        TypedIn("animalDetail", "icarAnimalCoreResource"),
        Given("arrivalReason", "ShowReturn"),
    ]);
    "schemata", "schemata", Err("a list of words");
    "schemata-breeds", "schemata", Err("a list of words");
    "schemata-locations", "schemata", Err("a list of words");
    "schemata-breeds-interbull", "schemata", Err("a list of words");
    "animal-sets", "animal-sets", Ok(&[Typed, Identified, OurMembers]);
    "animal-set-joins", "animal-set-joins", Ok(&[Typed, Identified, OurAnimal, OurSet]);
    "animal-set-leaves", "animal-set-leaves", Ok(&[Typed, Identified, OurAnimal, OurSet]);
    "feed-storages", "feed-storages", Ok(&[Typed, Identified]);
    "milking-visit", "milking-visits",
        Ok(&[Typed, Identified, OurAnimal, Renamed("milkingStartingDateTime", "eventDateTime")]);
    "test-day-result", "test-day-results",
        Ok(&[Typed, Identified, OurAnimal, Renamed("EventDateTime", "eventDateTime")]);
    "exampleTestDayResourceCollection.json", "test-days",
        Ok(&[Typed, Identified, NoNulls, Renamed("begin-date", "beginDate"), Renamed("end-date", "endDate")]);
    "exampleInseminationEventResources_Finland.json", "inseminations",
        Ok(&[Typed, Identified, OurAnimal, NoNulls, Offset("eventDateTime"), Text("farmContainer")]);
    "examplePregnancyCheckEventResources_Finland.json", "pregnancy-checks",
        Ok(&[Typed, Identified, OurAnimal, NoNulls, Offset("eventDateTime")]);
    "exampleDryOffEventResources_Finland.json", "drying-offs",
        Ok(&[Typed, Identified, OurAnimal, NoNulls, Offset("eventDateTime")]);
    "exampleDryOffEventResources_Sweden.json", "drying-offs",
        Ok(&[Typed, Identified, OurAnimal, NoNulls, Offset("eventDateTime")]);
];

/// All examples: the files, and those inside the URL schemes.
fn examples(folder: &Path) -> Vec<(String, Vec<Value>)> {
    let mut all: Map<String, Value> = Map::new();
    let read = |path: &Path| -> Value { serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap() };
    let list = |name: &str| {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    for path in list("examples") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        all.insert(name, read(&path));
    }
    for path in list("url-schemes") {
        let scheme = read(&path);
        let embedded = scheme.pointer("/components/examples").and_then(Value::as_object);
        for (name, example) in embedded.into_iter().flatten() {
            // Some only name a file.
            if example["value"].get("member").is_some() {
                all.insert(name.clone(), example["value"].clone());
            }
        }
    }
    (all.into_iter()).map(|(name, body)| (name, body["member"].as_array().unwrap().clone())).collect()
}

fn mended(document: &Value, changes: &[Change], resource: &str, key: &str) -> Value {
    let mut document = document.clone();
    for change in changes {
        let members = document.as_object_mut().unwrap();
        match *change {
            Typed => {
                assert!(members.insert("resourceType".into(), resource.into()).is_none());
            }
            TypedIn(name, resource) => members[name]["resourceType"] = resource.into(),
            Identified => {
                let meta = members.entry("meta").or_insert_with(|| json!({}));
                let meta = meta.as_object_mut().unwrap();
                assert!(meta.insert("sourceId".into(), key.into()).is_none());
                meta.entry("source").or_insert_with(|| "example".into());
                meta.entry("modified").or_insert_with(|| "2020-01-01T00:00:00Z".into());
            }
            OurAnimal => {
                let ours = json!({"scheme": "org.herdbook.animal", "id": number(31)});
                assert!(members.insert("animal".into(), ours).is_some());
            }
            OurSet => {
                assert!(members.insert("animalSetId".into(), "1".into()).is_some());
            }
            OurMembers => {
                let ours = json!([{"scheme": "org.herdbook.animal", "id": number(31)}]);
                assert!(members.insert("member".into(), ours).is_some());
            }
            NoNulls => {
                members.retain(|_, value| !value.is_null());
            }
            Offset(name) => {
                let text = members[name].as_str().unwrap();
                assert!(ade::time::parse(text).is_none() || !text.ends_with('Z'), "{text}");
                members[name] = format!("{text}Z").into();
            }
            Given(name, text) => {
                assert!(members.insert(name.into(), text.into()).is_none());
            }
            Text(name) => members[name] = members[name].as_i64().unwrap().to_string().into(),
            Renamed(from, to) => {
                let value = members.get(from).unwrap().clone();
                // The time of a milking is that of its event.
                if from.to_lowercase().replace('-', "") == to.to_lowercase() {
                    members.shift_remove(from);
                }
                members.insert(to.into(), value);
            }
        }
    }
    document
}

#[tokio::test]
async fn the_examples_of_the_standard_go_in_and_come_out() {
    let Some(folder) = test_support::official() else {
        return;
    };
    let examples = examples(&folder);
    for (name, _) in &examples {
        assert!(EXAMPLES.iter().any(|(one, ..)| one == name), "{name} is new");
    }
    let s = Stage::plain().await;
    // A cow of their time, with a calving that drying off and services belong to.
    fill!(s.f, "animals", 31, {"identNumber": number(31), "sex": "female", "owner": 1, "birthDate": "2012-01-01"});
    ask!(s.f, s.farm, "POST {FARM}/parturitions", {
        "resourceType": "icarReproParturitionEventResource",
        "meta": {"source": "example", "sourceId": "c", "modified": "2020-01-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": number(31)},
        "eventDateTime": "2016-08-01T00:00:00Z", "damParity": 1, "liveProgeny": 1,
        "totalProgeny": 1, "calvingEase": "EasyUnassisted",
    } => 201);
    fill!(s.f, "saved-searches", 1, {"name": "My Barn Group", "place": "herd", "query": "view=list",
        "adeSet": true, "adePurpose": "enclosure", "organization": 1});
    for (name, collection, changes) in EXAMPLES {
        let found = examples.iter().find(|(one, _)| one == name);
        let (_, members) = found.unwrap_or_else(|| panic!("{name} is gone"));
        let Ok(changes) = changes else { continue };
        let resource = &Catalog::get().collection(collection).unwrap().resource;
        let mapping = s.f.exchange.rules().mappings().get(collection).unwrap();
        for (n, member) in members.iter().enumerate() {
            assert_ne!(ade::validate(resource, member), [], "{name} is valid as it stands");
            let sent = mended(member, changes, resource, &format!("{name}-{n}"));
            assert_eq!(ade::validate(resource, &sent), [], "{name}: {sent}");
            if !mapping.can_post() {
                assert_eq!(*collection, "test-days", "{name}");
                continue;
            }
            let path = format!("{FARM}/{collection}");
            let who = match mapping.senders() {
                [] => &s.farm,
                _ => &s.expert,
            };
            let (status, _, stored) = s.f.post(&path, who, sent.clone()).await;
            assert!([200, 201].contains(&status), "{name}: {stored}");
            assert_eq!(ade::validate(resource, &stored), [], "{name}: {stored}");
            let (_, page) = s.get(&format!("{path}?pageSize=200")).await;
            assert!(page["member"].as_array().unwrap().contains(&stored), "{name}: {page}");
            if mapping.keeps_sent() {
                assert_eq!(said(&stored), said(&sent), "{name}");
            } else {
                for member in ["animal", "eventDateTime"] {
                    let times = [&stored, &sent].map(|d| d[member].as_str().and_then(ade::time::parse));
                    let same = times[0] == times[1] && (times[0].is_some() || stored[member] == sent[member]);
                    assert!(same, "{name}: {stored}");
                }
            }
        }
    }
}

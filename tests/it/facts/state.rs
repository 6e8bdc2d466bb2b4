//! What the book says of an animal, as faces show it, without what differs between two animals with one history: ids,
//! times of writing, and how rows came.

use super::bodies::marker;
use super::story::Story;
use super::world::{Subject, World};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Collections with rows about the animal.
const ROWS: [&str; 8] =
    ["calvings", "inseminations", "events", "milk-tests", "milking-visits", "daily-milkings", "weighings", "movements"];
/// Data sets with documents about the animal.
const SETS: [&str; 14] = [
    "animals",
    "parturitions",
    "abortions",
    "drying-offs",
    "inseminations",
    "pregnancy-checks",
    "gestations",
    "test-day-results",
    "milking-visits",
    "daily-milking-averages",
    "weights",
    "lactations",
    "departures",
    "deaths",
];
/// Members of records that say who, when, and by which package.
const OF_RECORDS: &[&str] = &[
    "id",
    "uuid",
    "createdAt",
    "updatedAt",
    "ade",
    "adeExtra",
    "animal",
    "identNumber",
    "lastEditUser",
    "lastEditTime",
    "recordedBy",
    "recordedRole",
    "author",
    "source",
    "sampleNumber",
    "device",
    "comment",
    "note",
    "altIds",
    "ownerOrg",
    "name",
    "archivedAt",
    "submission",
    "trustLevel",
    "trustCheckedAt",
    "calvings",
    "inseminations",
    "events",
    "milkTests",
    "milkingVisits",
    "dailyMilkings",
    "weighings",
    "movements",
    "healthEvents",
    "animalEvaluations",
    "animalExteriors",
    "gradings",
    "indexValues",
    "gallery",
    "documents",
    "revisions",
    "children",
    "services",
];
/// Members of documents that say who and when.
const OF_DOCUMENTS: &[&str] = &[
    "id",
    "meta",
    "location",
    "animal",
    "identifier",
    "alternativeIdentifiers",
    "milkingDeviceId",
    "remark",
    "explanation",
];

/// Records and documents by where they are and what they are called.
pub(super) type State = BTreeMap<String, Value>;

/// What rows are called, by collection and id.
type Names = BTreeMap<(&'static str, i64), String>;

/// The state of an animal.
pub(super) async fn state(world: &World, story: &Story, subject: &Subject) -> State {
    let mut state = State::new();
    let token = &world.farms[subject.zone];
    let path = format!("/api/animals/{}?depth=0", subject.id);
    let animal = ask!(world.f, token, "GET {path}" => 200);
    state.insert("animal".to_owned(), without(&animal, OF_RECORDS));

    let mut called = Names::new();
    let mut rows: Vec<(&str, Value)> = Vec::new();
    for slug in ROWS {
        for row in world.rows(subject, slug).await {
            let name = match slug {
                "daily-milkings" => row["date"].as_str().unwrap_or_default()[..10].to_owned(),
                _ => {
                    let marker = marker(slug, &row);
                    let at = marker.and_then(|marker| marker.strip_prefix('r')?.parse().ok());
                    at.map_or_else(|| "?".to_owned(), |at| story.name(at))
                }
            };
            called.insert((slug, row["id"].as_i64().unwrap()), name);
            rows.push((slug, row));
        }
    }
    let mut records: Vec<(String, Value)> = Vec::new();
    for (slug, row) in rows {
        let mut bare = without(&row, OF_RECORDS);
        for (field, of) in [("insemination", "inseminations"), ("check", "events"), ("calving", "calvings")] {
            if let Some(id) = row[field].as_i64() {
                bare[field] = called.get(&(of, id)).cloned().into();
            }
        }
        let name = &called[&(slug, row["id"].as_i64().unwrap())];
        records.push((format!("{slug} {name}"), bare));
    }
    records.sort_by_cached_key(|(name, bare)| (name.clone(), bare.to_string()));
    for (name, bare) in records {
        put(&mut state, name, bare);
    }
    findings(world, subject, &called, &mut state).await;
    for set in SETS {
        let scheme = "animal-scheme=org.herdbook.animal";
        let path = format!("{}/{set}?{scheme}&animal-id={}&pageSize=500", subject.location(), subject.number);
        let page = ask!(world.f, token, "GET {path}" => 200, "{path}");
        let members = page["member"].as_array().unwrap();
        let mut documents: Vec<Value> =
            (members.iter()).map(|document| anonymous(&without(document, OF_DOCUMENTS), &subject.number)).collect();
        documents.sort_by_cached_key(Value::to_string);
        for document in documents {
            let at = document["eventDateTime"].as_str().unwrap_or_default().to_owned();
            put(&mut state, format!("document {set} {at}"), document);
        }
    }
    state
}

/// The findings of the animal, by the names of their rows.
async fn findings(world: &World, subject: &Subject, called: &Names, state: &mut State) {
    for finding in world.rows(subject, "check-findings").await {
        let (slug, id) = (finding["collection"].as_str().unwrap(), finding["recordId"].as_i64().unwrap());
        let name = ROWS.iter().find(|of| **of == slug).and_then(|of| called.get(&(*of, id)).cloned());
        let name = format!("finding {} of {slug} {}", finding["code"].as_str().unwrap(), name.unwrap_or_default());
        let mut bare = Map::new();
        for field in ["severity", "state", "path", "message"] {
            bare.insert(field.to_owned(), finding[field].clone());
        }
        put(state, name, anonymous(&bare.into(), &subject.number));
    }
}

/// Rows of one name are distinguished by their order, which is that of their content.
fn put(state: &mut State, name: String, value: Value) {
    let mut at = name.clone();
    let mut count = 1;
    while state.contains_key(&at) {
        count += 1;
        at = format!("{name} ({count})");
    }
    state.insert(at, value);
}

fn without(value: &Value, names: &[&str]) -> Value {
    let members = value.as_object().unwrap().iter();
    let members = members.filter(|(name, value)| !names.contains(&name.as_str()) && !value.is_null());
    members.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>().into()
}

fn anonymous(value: &Value, number: &str) -> Value {
    serde_json::from_str(&value.to_string().replace(number, "N")).unwrap()
}

/// Whether a document is a row that was sent: it comes back as its sender wrote it, who may leave out what the book
/// knows.
fn as_sent(name: &str) -> bool {
    const DERIVED: [&str; 4] = ["animals", "gestations", "daily-milking-averages", "lactations"];
    let set = name.strip_prefix("document ").and_then(|of| of.split(' ').next());
    set.is_some_and(|set| !DERIVED.contains(&set))
}

/// Lines about what differs.
pub(super) fn difference(one: &State, other: &State) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let mut lines = Vec::new();
    for name in names {
        match (one.get(name), other.get(name)) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) if as_sent(name) => {
                let of_both = |one: &Value, other: &Value| {
                    let all = one.as_object().unwrap().iter();
                    let both = all.filter(|(member, _)| other.get(member).is_some());
                    Value::Object(both.map(|(m, v)| (m.clone(), v.clone())).collect())
                };
                members(name, &of_both(a, b), &of_both(b, a), &mut lines);
            }
            (Some(a), Some(b)) => members(name, a, b, &mut lines),
            (a, b) => lines.push(format!("{name}: {} | {}", shown(a), shown(b))),
        }
    }
    lines
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "-".to_owned(), Value::to_string)
}

fn members(at: &str, one: &Value, other: &Value, lines: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                let path = format!("{at}.{name}");
                match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => members(&path, a, b, lines),
                    (a, b) => lines.push(format!("{path}: {} | {}", shown(a), shown(b))),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (place, (a, b)) in a.iter().zip(b).enumerate() {
                members(&format!("{at}.{place}"), a, b, lines);
            }
        }
        (a, b) if a == b => {}
        (a, b) => lines.push(format!("{at}: {a} | {b}")),
    }
}

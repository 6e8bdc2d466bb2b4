//! The invented documents that the server has at its start, the same on each start. `seed.json`
//! defines them: a template for each collection, filled once for each document.

use ade::catalog::Catalog;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

pub const LOCATION_SCHEME: &str = "org.example.farm";
pub const ANIMAL_SCHEME: &str = "org.example.animal";
/// The source of everything that is there at the start.
pub const SOURCE: &str = "org.example.book";

/// A location: its number, and the part of the documents that it has.
#[derive(Debug, Clone, Copy)]
pub struct Location {
    /// Within [`LOCATION_SCHEME`]; one has slashes, as the holdings of the United Kingdom do.
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
    /// Of this many documents of a template it has one.
    share: usize,
}

/// All locations. The last one is empty.
pub const LOCATIONS: [Location; 4] = [
    Location { id: "north", name: "North farm", share: 1 },
    Location { id: "south", name: "South farm", share: 2 },
    Location { id: "34/123/1234", name: "Hill farm", share: 5 },
    Location { id: "empty", name: "Empty farm", share: 0 },
];

/// 2025-06-01T00:00:00Z, when the first event was.
const FIRST_EVENT: i64 = 1_748_736_000_000;
/// 2026-01-10T08:00:00.123Z, when the first document was stored.
const FIRST_STORED: i64 = 1_768_032_000_123;
const DAY: i64 = 86_400_000;
/// Between two documents.
const PACE: i64 = 7 * 60_000 + 10;

/// A document of the start.
#[derive(Debug, Clone)]
pub(crate) struct Seed {
    /// Name of its collection.
    pub collection: &'static str,
    /// Which of [`LOCATIONS`] has it.
    pub place: usize,
    /// Within [`SOURCE`].
    pub source_id: String,
    /// When it was stored, epoch milliseconds; each later than the one before.
    pub modified: i64,
    /// Its own members, without what the server adds.
    pub document: Map<String, Value>,
}

/// The names of the collections that are served, in the order of the templates.
#[must_use]
pub fn collections() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| templates().iter().filter_map(name).collect());
    &NAMES
}

fn templates() -> &'static [Value] {
    static TEMPLATES: LazyLock<Vec<Value>> =
        LazyLock::new(|| serde_json::from_str(include_str!("../seed.json")).unwrap_or_default());
    &TEMPLATES
}

fn name(template: &Value) -> Option<&'static str> {
    let name = template.get("collection")?.as_str()?;
    Catalog::get().collection(name).map(|one| one.name.as_str())
}

/// The number of an animal of a place.
#[must_use]
pub(crate) fn animal(place: usize, n: usize) -> String {
    format!("{}{n}", ["N", "S", "H", "E"].get(place).unwrap_or(&"X"))
}

/// How many animals a place has.
fn animals(share: usize) -> usize {
    24_usize.checked_div(share).unwrap_or(0)
}

/// All documents.
#[must_use]
pub(crate) fn seeds() -> Vec<Seed> {
    let mut all = Vec::new();
    for template in templates() {
        let (Some(collection), Some(document)) = (name(template), template.get("document").and_then(Value::as_object))
        else {
            continue;
        };
        let count = template.get("count").and_then(Value::as_u64);
        let count = count.and_then(|count| usize::try_from(count).ok());
        for (place, Location { share, .. }) in LOCATIONS.iter().enumerate() {
            let herd = animals(*share);
            let many = match count {
                None => herd,
                Some(_) if *share == 0 => 0,
                Some(count) => count.div_ceil(*share),
            };
            for n in 1..=many {
                let modified = FIRST_STORED + PACE * i64::try_from(all.len()).unwrap_or(0);
                let filler = Filler { place, n, herd: herd.max(1) };
                all.push(Seed {
                    collection,
                    place,
                    source_id: format!("{collection}:{}", animal(place, n)),
                    modified,
                    document: filler.object(document),
                });
            }
        }
    }
    all
}

/// Fills a template.
struct Filler {
    place: usize,
    n: usize,
    herd: usize,
}

impl Filler {
    fn object(&self, members: &Map<String, Value>) -> Map<String, Value> {
        let filled = members.iter();
        filled.map(|(name, value)| (name.clone(), self.value(value))).collect()
    }

    fn value(&self, template: &Value) -> Value {
        match template {
            Value::Object(members) => Value::Object(self.object(members)),
            Value::Array(elements) => elements.iter().map(|one| self.value(one)).collect(),
            Value::String(text) => self.text(text),
            other => other.clone(),
        }
    }

    fn text(&self, text: &str) -> Value {
        let Self { place, n, herd } = *self;
        let pick = |codes: &[&'static str]| json!(codes.get(n % codes.len()).unwrap_or(&""));
        let beast = animal(place, (n - 1) % herd + 1);
        match text {
            "$animal" => json!({"scheme": ANIMAL_SCHEME, "id": beast}),
            "$eartag" => json!(format!("276{:03}{n:09}", place + 1)),
            "$gender" => json!(if n.is_multiple_of(6) { "Male" } else { "Female" }),
            "$key" => json!(beast),
            "$int" => json!(n),
            "$decimal" => json!(n as f64 + 20.5),
            "$time" => json!(ade::time::format_shortest(self.time())),
            "$later" => json!(ade::time::format_shortest(self.time() + DAY)),
            "$day" => json!(ade::time::format_date(self.time())),
            "$family" => pick(&["Animal Feeds", "Milking Supplies", "Fuel"]),
            "$purpose" => pick(&["TestDay", "Feeding", "Reproduction"]),
            "$metric" => pick(&["LyingTime", "WalkingTime"]),
            "$duration" => pick(&["P1D", "PT1H"]),
            other => json!(other.replace("$pick", &(n % 3 + 1).to_string()).replace("$n", &n.to_string())),
        }
    }

    /// Every third event is at the first moment of a day, every third at the last second.
    fn time(&self) -> i64 {
        let n = i64::try_from(self.n).unwrap_or(0);
        let day = FIRST_EVENT + 3 * DAY * n;
        match n % 3 {
            0 => day,
            1 => day + DAY / 2,
            _ => day + DAY - 1_000,
        }
    }
}

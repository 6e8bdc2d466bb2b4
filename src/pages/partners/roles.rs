//! What partners are, what each sends and reads, and the requests by which each begins. The data sets are those of the
//! mappings; a test sends what stands here.

use super::call::variable::{ANIMAL, AUTHORIZATION, EMAIL, HUB, KEY, LOCATION, PASSWORD, SINCE, TOKEN};
use super::call::{Call, Capture, ValuePath, braced, identifier};
use serde_json::{Map, Value, json};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Sends {
    pub(crate) set: &'static str,
    resource: &'static str,
    /// The hour of the event that is made up.
    hour: u8,
    /// A member with its time beside `eventDateTime`.
    begins: Option<&'static str>,
    members: fn() -> Value,
}

/// How a partner comes to what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Farm,
    /// An account of its own organisation, and a mandate of the farm to send.
    Mandate,
    /// An account of its own organisation, which reads what is open to it.
    Reader,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Role {
    /// Its name in addresses, and in the names of texts.
    pub(crate) word: &'static str,
    pub(crate) way: Way,
    pub(crate) sends: Option<Sends>,
    /// The data sets to which its key is limited; empty: all that the account may.
    sets: &'static [&'static str],
    feed: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// Its name in the names of texts.
    pub(crate) word: &'static str,
    pub(crate) calls: Vec<Call>,
}

const TEST_DAY: &str = "test-day-results";
const TEST_DAY_RESOURCE: &str = "icarTestDayResultEventResource";

/// All kinds of partners.
pub(crate) const ROLES: [Role; 5] = [
    Role {
        word: "farm",
        way: Way::Farm,
        sends: Some(Sends {
            set: "weights",
            resource: "icarWeightEventResource",
            hour: 9,
            begins: None,
            members: || json!({"weight": {"measurement": 640, "units": "KGM", "method": "LoadCell"}}),
        }),
        sets: &[],
        feed: Some("everything"),
    },
    Role {
        word: "robot",
        way: Way::Farm,
        sends: Some(Sends {
            set: "milking-visits",
            resource: "icarMilkingVisitEventResource",
            hour: 5,
            begins: Some("milkingStartingDateTime"),
            members: milking,
        }),
        sets: &["animals", "milking-visits"],
        feed: Some("animals"),
    },
    Role {
        word: "laboratory",
        way: Way::Mandate,
        sends: Some(Sends {
            set: TEST_DAY,
            resource: TEST_DAY_RESOURCE,
            hour: 6,
            begins: None,
            members: || analysed(&[("FAT", "4.12"), ("PROTEIN", "3.38"), ("SCC", "120"), ("UREA", "240")]),
        }),
        sets: &[TEST_DAY],
        feed: None,
    },
    Role {
        word: "recording",
        way: Way::Mandate,
        sends: Some(Sends {
            set: TEST_DAY,
            resource: TEST_DAY_RESOURCE,
            hour: 7,
            begins: None,
            members: || analysed(&[("FAT", "3.95"), ("PROTEIN", "3.41")]),
        }),
        sets: &[TEST_DAY],
        feed: None,
    },
    Role { word: "registry", way: Way::Reader, sends: None, sets: &[], feed: None },
];

fn milking() -> Value {
    json!({
        "milkingMilkWeight": {"unitCode": "KGM", "value": 14.2},
        "milkingDuration": {"unitCode": "SEC", "value": 384},
        "milkingComplete": true,
    })
}

fn analysed(measurements: &[(&str, &str)]) -> Value {
    let measurements: Vec<Value> =
        (measurements.iter()).map(|(what, value)| json!({"characteristic": what, "value": value})).collect();
    json!({
        "milkWeight24Hours": {"unitCode": "KGM", "value": 31.5},
        "milkCharacteristics": measurements,
    })
}

/// What the requests are made of beside the role: names that the registry gives, and a day that has been.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'f> {
    /// Slugs of accounts, of their keys, and of animals.
    pub(crate) users: &'f str,
    pub(crate) keys: &'f str,
    pub(crate) animals: &'f str,
    /// The day of the events, `2026-01-31`.
    pub(crate) day: &'f str,
    /// The time at which they were written down.
    pub(crate) now: &'f str,
}

impl Role {
    pub(crate) fn of_word(word: &str) -> Option<&'static Self> {
        ROLES.iter().find(|role| role.word == word)
    }

    /// How the key of the role is made: signing in once, and a key for the program alone.
    pub(crate) fn key(&self, facts: Facts<'_>) -> Step {
        let sign_in = json!({"email": braced(EMAIL), "password": braced(PASSWORD)});
        let scope = if self.sends.is_some() { "write" } else { "read" };
        let key = json!({"name": self.source(), "scope": scope, "datasets": self.sets});
        let sign_in = Call::post(format!("/api/{}/login", facts.users), sign_in)
            .takes(Capture { before: "JWT ", ..Capture::new(AUTHORIZATION, ValuePath::Members(&["token"])) });
        let key = Call::post(format!("/api/{}?depth=0", facts.keys), key)
            .takes(Capture { visible: true, ..Capture::new(KEY, ValuePath::Members(&["doc", "key"])) });
        step("key", vec![sign_in, key])
    }

    /// The steps of the program, which has its key.
    pub(crate) fn steps(&self, facts: Facts<'_>) -> Vec<Step> {
        let mut all = Vec::new();
        match self.way {
            Way::Reader => all.extend(self.reading(facts)),
            Way::Farm | Way::Mandate => {
                let first = Call::get("/ade/v1/locations?pageSize=5");
                all.push(step("locations", vec![first]));
            }
        }
        if self.way == Way::Farm {
            let animals = Call::get(format!("{}?pageSize=2", place("", "animals")));
            all.push(step("read", vec![animals]));
        }
        if let Some(sends) = &self.sends {
            all.extend(self.sending(sends, facts));
        }
        if let Some(set) = self.feed {
            let feed = format!("/ade/v1/datasets/{set}/changes?limit=100");
            let token = Capture::new(TOKEN, ValuePath::Last("token"));
            let first = Call::get(feed.as_str()).takes(token);
            let next = Call::get(format!("{feed}&since={}", braced(TOKEN))).takes(token);
            all.push(step("feed", vec![first, next]));
        }
        all
    }

    fn reading(&self, facts: Facts<'_>) -> [Step; 2] {
        let [scheme, id] = ANIMAL.map(braced);
        let bull = format!("/ade/v1/service-sires?identifier-scheme={scheme}&identifier-id={id}");
        let list = |query: &str| {
            let at = format!("/api/{}?depth=0&limit=100&sort=updatedAt,id{query}", facts.animals);
            Call::get(at)
        };
        let since = format!("&where[updatedAt][greater_than]={}", braced(SINCE));
        [step("bull", vec![Call::get(bull)]), step("changed", vec![list(&since)])]
    }

    fn sending(&self, sends: &Sends, facts: Facts<'_>) -> [Step; 3] {
        let one = |key: &str, animal: Value| self.document(sends, facts, key, animal);
        let (first, second) = (format!("{}-1", sends.set), format!("{}-2", sends.set));
        let animal = identifier(ANIMAL);
        let unknown = json!({"scheme": braced(ANIMAL[0]), "id": "000000000000"});
        let single = place("", sends.set);
        let batch = place("/batches", sends.set);
        let both = json!([one(&first, animal.clone()), one(&second, unknown.clone())]);
        [
            step("send", vec![Call::post(single.as_str(), one(&first, animal))]),
            step("batch", vec![Call::post(batch, both)]),
            step("refused", vec![Call::post(single, one(&second, unknown))]),
        ]
    }

    /// An event that the partner reports of an animal.
    fn document(&self, sends: &Sends, facts: Facts<'_>, key: &str, animal: Value) -> Value {
        let at = format!("{}T{:02}:10:00Z", facts.day, sends.hour);
        let mut document = Map::new();
        let meta = json!({"source": self.source(), "sourceId": key, "modified": facts.now});
        let common = [
            ("resourceType", json!(sends.resource)),
            ("meta", meta),
            ("location", identifier(LOCATION)),
            ("animal", animal),
            ("eventDateTime", json!(at)),
        ];
        let begins = sends.begins.map(|name| (name, json!(at)));
        let all = common.into_iter().chain(begins);
        document.extend(all.map(|(name, value)| (name.to_owned(), value)));
        if let Value::Object(members) = (sends.members)() {
            document.extend(members);
        }
        Value::Object(document)
    }

    /// The name of the partner's system, the same in all that it sends.
    fn source(&self) -> String {
        format!("{}.example", self.word)
    }

    /// Variables of the program of a role, whose values the head of the program states.
    pub(crate) fn variables(&self, steps: &[Step]) -> Vec<&'static str> {
        let needed = |name: &&'static str| {
            let mut calls = steps.iter().flat_map(|step| &step.calls);
            calls.any(|call| call.needs(name))
        };
        let stated = [EMAIL, PASSWORD].into_iter();
        let stated = stated.chain(LOCATION).chain(ANIMAL).chain([SINCE]);
        let given = [HUB, AUTHORIZATION].into_iter();
        given.chain(stated.filter(needed)).collect()
    }
}

fn step(word: &'static str, calls: Vec<Call>) -> Step {
    Step { word, calls }
}

/// The address of a collection of the location, or of its batches.
fn place(before: &str, set: &str) -> String {
    let [scheme, id] = LOCATION.map(braced);
    format!("/ade/v1{before}/locations/{scheme}/{id}/{set}")
}

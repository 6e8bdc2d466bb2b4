//! Laws of writing that hold for every collection of the registry, whatever it holds: what is created is read back,
//! is found by each of its fields, can be changed and emptied field by field, and deleted; closed collections answer
//! 403. The bodies follow from the declarations alone; [`RULED`] names the fields whose values obey rules of their
//! own, which have tests of their own.

use crate::rest::world::{FORBIDDEN, World};
use herdbook::registry::{Class, Collection, Field, Kind, Rule, Verb, Writer};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Fields whose values hang on others: with the one value that is sent, or not sent at all.
const RULED: &[(&str, &str, Option<&str>)] = &[
    ("animals", "owner", Some("1")),
    ("animals", "sex", Some("\"female\"")),
    ("animals", "birthDate", Some("\"2020-01-10\"")),
    ("animals", "idFormat", Some("\"internal\"")),
    ("animals", "state", None),
    ("animals", "disposalDate", None),
    ("animals", "disposalReason", None),
    ("animals", "disposalOrganization", None),
    ("animals", "father", None),
    ("animals", "mother", None),
    ("animals", "lactations", None),
    ("animals", "improvers.share1", Some("30")),
    ("animals", "improvers.share2", Some("40")),
    ("herds", "organization", Some("1")),
    ("movements", "kind", Some("\"cull\"")),
    ("movements", "from", None),
    ("movements", "to", None),
    ("movements", "fromHerd", None),
    ("movements", "toHerd", None),
    ("movements", "confirmation", None),
    ("calvings", "eventType", Some("\"calving\"")),
    ("calvings", "dryOffDate", None),
    ("calvings", "milkingDays", None),
    ("calvings", "liveHeifers", None),
    ("calvings", "liveBulls", None),
    ("calvings", "stillborn", None),
    ("calvings", "calves", None),
    ("calvings", "calfWeight", None),
    ("milk-tests", "testCode", Some("\"none\"")),
    ("milk-tests", "milkYield", Some("31.5")),
    ("organizations", "region", Some("\"North\"")),
    ("organizations", "membership", None),
    ("users", "orgRole", None),
    ("users", "organization", None),
    ("access-grants", "grantee", Some("2")),
    ("access-grants", "revokedAt", None),
];

/// Fields that the server fills while they are empty.
const FILLED: &[&str] = &[
    "altIds.internationalId",
    "ageGroup",
    "ageGroupDate",
    "lactationNumber",
];

struct Maker<'w, 's> {
    world: &'w World<'s>,
    rng: StdRng,
    /// One row of each collection, to point at.
    rows: BTreeMap<&'static str, i64>,
    /// Collections whose rows are being made.
    making: Vec<&'static str>,
}

impl Maker<'_, '_> {
    fn collection(&self, slug: &str) -> &'static Collection {
        self.world.stage.book.registry.get(slug).unwrap()
    }

    /// A value for each field that callers may send, by path.
    async fn values(&mut self, c: &'static Collection) -> BTreeMap<&'static str, Value> {
        let mut values = BTreeMap::new();
        for field in &c.fields {
            let ruled = RULED
                .iter()
                .find(|(slug, path, _)| (*slug, *path) == (c.slug, field.path.as_str()));
            let value = match ruled {
                Some((_, _, text)) => text.map(|t| serde_json::from_str(t).unwrap()),
                // Written views, see `lactations`.
                None if field.path.starts_with("summary.") => None,
                None if sent(field) => self.value(field).await,
                None => None,
            };
            if let Some(value) = value {
                values.insert(field.path.as_str(), value);
            }
        }
        values
    }

    async fn value(&mut self, field: &Field) -> Option<Value> {
        Some(match &field.kind {
            Kind::Relation(to) => json!(self.row(to, field.required).await?),
            Kind::Relations(to) => json!([self.row(to, field.required).await?]),
            Kind::Rows(subs) => {
                let mut row = Map::new();
                for sub in subs.iter().filter(|s| s.writer != Writer::Server) {
                    if let Some(value) = Box::pin(self.value(sub)).await {
                        row.insert(sub.path.clone(), value);
                    }
                }
                json!([row])
            }
            kind => self.plain(field, kind),
        })
    }

    fn plain(&mut self, field: &Field, kind: &Kind) -> Value {
        let low = field.min.unwrap_or(0.0);
        let high = field.max.unwrap_or(low + 90.0);
        match kind {
            Kind::Text(max) => json!(self.word((*max).min(12))),
            Kind::Email => json!(format!("{}@demo.herdbook", self.word(8).to_lowercase())),
            Kind::LongText => json!(format!("{} Ёлка \"'%_\\ 🐄", self.word(8))),
            Kind::Int => json!(self.rng.random_range(low..=high).floor().max(low.ceil())),
            Kind::Number => {
                json!(((self.rng.random_range(low..=high) * 4.0).floor() / 4.0).max(low))
            }
            Kind::Day | Kind::Instant => {
                let (year, month, day) = (
                    self.rng.random_range(2021..2026),
                    self.rng.random_range(1..13),
                    self.rng.random_range(1..29),
                );
                json!(format!("{year}-{month:02}-{day:02}"))
            }
            Kind::Bool => json!(self.rng.random_bool(0.5)),
            Kind::Select(options) => json!(options[self.rng.random_range(0..options.len())]),
            Kind::Selects(options) => json!([options[self.rng.random_range(0..options.len())]]),
            Kind::Json => json!({"any": [1, "x", null]}),
            other => panic!("no value for {other:?}"),
        }
    }

    fn word(&mut self, length: usize) -> String {
        (0..length)
            .map(|_| char::from(self.rng.random_range(b'A'..=b'Z')))
            .collect()
    }

    /// A row to point at; a required one is made when there is none, an optional one unless it is being made.
    async fn row(&mut self, slug: &str, required: bool) -> Option<i64> {
        if let Some(id) = self.rows.get(slug) {
            return Some(*id);
        }
        let c = self.collection(slug);
        let known = self.making.contains(&c.slug) || *c.access.rule(Verb::Create) == Rule::Nobody;
        assert!(!(required && known), "{slug} needs itself");
        if known {
            return None;
        }
        self.making.push(c.slug);
        let body = nested(&Box::pin(self.values(c)).await);
        self.making.pop();
        let id = self.world.made("admin", slug, body).await;
        self.rows.insert(c.slug, id);
        Some(id)
    }
}

fn sent(field: &Field) -> bool {
    field.path != "id" && field.writer != Writer::Server && field.class != Class::Hidden
}

/// `{"a.b": 1}` as `{"a": {"b": 1}}`.
fn nested(values: &BTreeMap<&str, Value>) -> Value {
    let mut body = json!({});
    for (path, value) in values {
        let mut place = &mut body;
        for step in path.split('.') {
            place = &mut place[step];
        }
        *place = value.clone();
    }
    body
}

fn at<'d>(doc: &'d Value, path: &str) -> &'d Value {
    path.split('.').fold(doc, |place, step| &place[step])
}

/// Whether a document shows what was sent: days as instants, numbers by value, rows by the members sent.
fn shows(kind: &Kind, sent: &Value, shown: &Value) -> bool {
    match (kind, sent) {
        (Kind::Day | Kind::Instant, Value::String(day)) => *shown == format!("{day}T00:00:00.000Z"),
        (Kind::Rows(subs), Value::Array(rows)) => {
            rows.iter().enumerate().all(|(i, row)| {
                let member = |s: &Field| {
                    row.get(&s.path)
                        .is_none_or(|v| shows(&s.kind, v, &shown[i][&s.path]))
                };
                subs.iter().all(member)
            }) && shown.as_array().is_some_and(|all| all.len() == rows.len())
        }
        (_, Value::Number(n)) => n.as_f64() == shown.as_f64(),
        _ => sent == shown,
    }
}

async fn found(w: &World<'_>, slug: &str, path: &str, operator: &str, value: &Value, id: i64) {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let text: String = text.bytes().map(|b| format!("%{b:02X}")).collect();
    let path =
        format!("/api/{slug}?depth=0&limit=0&select[id]=true&where[{path}][{operator}]={text}");
    let answer = w.get("admin", &path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    let docs = answer.json()["docs"].as_array().unwrap().clone();
    assert!(
        docs.iter().any(|d| d["id"] == id),
        "{path} does not find {id}"
    );
}

async fn found_by_each(
    w: &World<'_>,
    c: &'static Collection,
    values: &BTreeMap<&str, Value>,
    id: i64,
) {
    for (path, value) in values {
        match &c.field(path).unwrap().kind {
            Kind::Json | Kind::Password => {}
            Kind::Relations(_) | Kind::Selects(_) => {
                found(w, c.slug, path, "contains", &value[0], id).await
            }
            Kind::Rows(_) => found(w, c.slug, path, "exists", &json!(true), id).await,
            _ => found(w, c.slug, path, "equals", value, id).await,
        }
    }
}

fn shown_in(c: &Collection, values: &BTreeMap<&str, Value>, doc: &Value) {
    for (path, value) in values {
        let field = c.field(path).unwrap();
        let shown = at(doc, path);
        assert!(
            shows(&field.kind, value, shown),
            "{}.{path}: sent {value}, shown {shown}",
            c.slug
        );
    }
}

async fn writes_hold(maker: &mut Maker<'_, '_>, c: &'static Collection) {
    let w = maker.world;
    maker.making.push(c.slug);
    let mut values = maker.values(c).await;
    let answer = w.post("admin", c.slug, nested(&values)).await;
    assert_eq!(
        answer.status,
        201,
        "{}: {}\n{}",
        c.slug,
        answer.text,
        nested(&values)
    );
    let id = answer.json()["doc"]["id"].as_i64().unwrap();
    let doc = w.doc(c.slug, id).await;
    assert_eq!(
        answer.json()["doc"],
        doc,
        "{}: the answer is the document",
        c.slug
    );
    shown_in(c, &values, &doc);
    found_by_each(w, c, &values, id).await;

    let before = w.stage.tally().await;
    assert_eq!(
        w.changed("admin", c.slug, id, doc.clone()).await,
        doc,
        "{}",
        c.slug
    );
    assert_eq!(
        w.stage.tally().await,
        before,
        "{}: sending a document back writes nothing",
        c.slug
    );

    let other = maker.values(c).await;
    maker.making.pop();
    let other: BTreeMap<_, _> = (other.into_iter())
        .filter(|(path, _)| !c.field(path).unwrap().once)
        .collect();
    let doc = w.changed("admin", c.slug, id, nested(&other)).await;
    values.extend(other);
    shown_in(c, &values, &doc);
    found_by_each(w, c, &values, id).await;

    let empty: BTreeMap<_, _> = (values.keys())
        .filter(|path| {
            let field = c.field(path).unwrap();
            let ruled = RULED
                .iter()
                .any(|(slug, p, _)| (*slug, *p) == (c.slug, **path));
            !(field.required || field.once || ruled || FILLED.contains(*path))
        })
        .map(|path| (*path, Value::Null))
        .collect();
    let doc = w.changed("admin", c.slug, id, nested(&empty)).await;
    for path in empty.keys() {
        let shown = at(&doc, path);
        assert!(
            shown.is_null() || *shown == json!([]),
            "{}.{path} is {shown}",
            c.slug
        );
        found(w, c.slug, path, "exists", &json!(false), id).await;
    }
    w.gone("admin", c.slug, id).await;
    assert_eq!(
        w.get("admin", &format!("/api/{}/{id}", c.slug))
            .await
            .status,
        404
    );
}

async fn closed(w: &World<'_>, c: &'static Collection) {
    for who in ["admin", "expert", "alpha", ""] {
        for (verb, method, path) in [
            (Verb::Create, "POST", format!("/api/{}", c.slug)),
            (Verb::Update, "PATCH", format!("/api/{}/1", c.slug)),
            (Verb::Delete, "DELETE", format!("/api/{}/1", c.slug)),
        ] {
            if *c.access.rule(verb) == Rule::Nobody {
                let answer = w.ask(who, method, &path, "{}").await;
                assert_eq!(answer.told(), FORBIDDEN, "{who} {method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_written_is_read_found_changed_and_deleted() {
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    World::each(async |world| {
        let rng = StdRng::seed_from_u64(seed);
        let mut maker = Maker {
            world,
            rng,
            rows: BTreeMap::new(),
            making: Vec::new(),
        };
        let mut open = 0;
        for c in world.stage.book.registry.iter() {
            closed(world, c).await;
            if *c.access.rule(Verb::Create) != Rule::Nobody {
                writes_hold(&mut maker, c).await;
                open += 1;
            }
        }
        assert!(open >= 25, "{open} collections are open for writing");
    })
    .await;
}

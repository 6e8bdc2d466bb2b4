//! Laws of writing that hold for every collection of the registry: a created row is read back, is found by each of
//! its fields, can be changed and emptied field by field, and deleted; closed collections answer 403. The bodies
//! follow from the declarations alone; [`RULED`] names the fields whose values have rules of their own, with tests
//! of their own.

use crate::rest::stage::Answer;
use crate::rest::uploads::form::{Form, png};
use crate::rest::world::{FORBIDDEN, World};
use model::registry::{Class, Collection, Field, Kind, Rule, Verb, Writer};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Fields whose values depend on others: with the one value that is sent, or not sent at all.
const RULED: &[(&str, &str, Option<&str>)] = &table![
    "movements", "objection", None;
    "milking-visits", "shiftDate", None;
    "animals", "owner", Some("1");
    "animals", "sex", Some("\"female\"");
    "animals", "birthDate", Some("\"2020-01-10\"");
    "animals", "idFormat", Some("\"internal\"");
    "animals", "state", None;
    "animals", "disposalDate", None;
    "animals", "disposalReason", None;
    "animals", "disposalOrganization", None;
    "animals", "father", None;
    "animals", "mother", None;
    "animals", "lactations", None;
    "animals", "improvers.share1", Some("30");
    "animals", "improvers.share2", Some("40");
    "herds", "organization", Some("1");
    "movements", "kind", Some("\"cull\"");
    "movements", "reason", Some("1");
    "movements", "from", None;
    "movements", "to", None;
    "movements", "fromHerd", None;
    "movements", "toHerd", None;
    "movements", "confirmation", None;
    "movements", "released", None;
    "calvings", "eventType", Some("\"calving\"");
    "calvings", "dryOffDate", None;
    "calvings", "milkingDays", None;
    "calvings", "liveHeifers", None;
    "calvings", "liveBulls", None;
    "calvings", "stillborn", None;
    "calvings", "calves", None;
    "calvings", "calfWeight", None;
    "inseminations", "bull", Some("1");
    "inseminations", "embryo.sire", Some("1");
    "milk-tests", "testCode", Some("\"none\"");
    "milk-tests", "milkYield", Some("31.5");
    "animal-exteriors", "generalView", Some("80");
    "index-profiles", "weights", Some(r#"[{"trait":"milk","weight":5}]"#);
    "index-bases", "source", Some("\"borrowed\"");
    "index-bases", "isActive", None;
    "organizations", "region", Some("\"North\"");
    "organizations", "membership", None;
    "users", "orgRole", None;
    "users", "organization", None;
    "invitations", "organization", Some("1");
    "invitations", "revokedAt", None;
    "media", "owner", Some("1");
    "animal-gallery", "moderation", None;
    // Switched on, the answer contains a key that the document does not show (`rest::api_keys`).
    "users", "enableAPIKey", Some("false");
    "access-grants", "grantee", Some("2");
    "data-submissions", "kind", Some("\"events\"");
    "data-submissions", "dataset", Some("\"calvings\"");
    "data-submissions", "organization", Some("1");
    "data-submissions", "status", None;
    "data-submissions", "consent.agreed", None;
    "data-submissions", "assignment", None;
    "data-submissions", "comments", None;
    "data-submissions", "periodFrom", Some("\"2025-01-01\"");
    "data-submissions", "periodTo", Some("\"2025-12-31\"");
    "upload-assignments", "organization", Some("1");
    "upload-assignments", "dataset", None;
    "upload-assignments", "status", None;
    "upload-assignments", "periodFrom", Some("\"2025-01-01\"");
    "upload-assignments", "periodTo", Some("\"2025-12-31\"");
    "verification-requests", "animals", Some("[2]");
    "verification-requests", "organization", Some("1");
    "verification-requests", "purpose", Some("\"trust\"");
    "verification-requests", "status", None;
    "verification-requests", "proposed", None;
    "verification-requests", "review.dismissed", None;
    "verification-requests", "comments", None;
    "check-settings", "code", Some("\"no-breed\"");
    "check-runs", "state", None;
    "evaluation-runs", "state", None;
    "check-thresholds", "key", Some("\"fatMin\"");
    "check-thresholds", "value", Some("1.5");
    "pending-columns", "status", None;
    "pending-values", "status", None;
    "documents", "issuedAt", None;
    "documents", "revoked.at", None;
    "access-grants", "revokedAt", None;
    "mandates", "receiver", Some("2");
    "mandates", "datasets", Some(r#"["weights"]"#);
    "mandates", "validUntil", Some("\"2026-06-01\"");
    "mandates", "revokedAt", None;
    "genotype-consents", "revokedAt", None;
    "access-requests", "status", None;
    "share-links", "expiresAt", Some("\"2026-06-01\"");
    "api-keys", "expiresAt", Some("\"2026-06-01\"");
    "api-keys", "datasets", Some(r#"["weights"]"#);
    "api-keys", "revokedAt", None;
    "share-links", "revokedAt", None;
    "daily-milkings", "origin", Some("\"robot\"");
    "webhooks", "url", Some("\"https://partner.example:8443/in\"");
    "webhooks", "dataset", Some("\"weights\"");
    // No limit at all: farms ask for thousands of things here.
    "quotas", "read", Some("0");
    "quotas", "write", Some("0");
    "quotas", "bulk", Some("0");
    "quotas", "concurrent", Some("0");
    "events", "type", Some("\"remark\"");
    "events", "status", Some("\"accepted\"");
    "saved-searches", "list", Some("\"animals\"");
    "saved-searches", "where", Some(r#"{"sex":{"equals":"female"}}"#);
];

/// The organisation that a row of the second farm names where it needs another one.
const PARTNER: i64 = 5;

/// Fields that the server fills while they are empty.
const FILLED: &[&str] = &["altIds.internationalId", "ageGroup", "ageGroupDate", "lactationNumber"];

/// Valid bodies from the declarations, and the rows that they point at.
pub(crate) struct Maker<'w, 's> {
    world: &'w World<'s>,
    rng: StdRng,
    /// One row of each collection, to point at.
    pub(crate) rows: BTreeMap<&'static str, i64>,
    /// Collections whose rows are being made.
    making: Vec<&'static str>,
    /// Values used so far, by collection and path: chance may repeat one, and two rows with one name are refused.
    given: BTreeSet<(&'static str, String, String)>,
    /// The farm whose rows they are.
    pub(crate) owner: i64,
    /// Whether strangers cannot read them.
    pub(crate) closed: bool,
    /// Whether rows to point at are made where there are none; else such fields are left out.
    pub(crate) makes: bool,
}

impl<'w, 's> Maker<'w, 's> {
    /// Rows of the first farm.
    pub(crate) fn new(world: &'w World<'s>, seed: u64) -> Self {
        Self {
            world,
            rng: StdRng::seed_from_u64(seed),
            rows: BTreeMap::new(),
            making: Vec::new(),
            given: BTreeSet::new(),
            owner: 1,
            closed: false,
            makes: true,
        }
    }
}

impl Maker<'_, '_> {
    fn collection(&self, slug: &str) -> &'static Collection {
        self.world.stage.book.registry.get(slug).unwrap()
    }

    /// A value for each field that callers may send, by path.
    pub(crate) async fn values(&mut self, c: &'static Collection) -> BTreeMap<&'static str, Value> {
        let mut values = BTreeMap::new();
        for field in &c.fields {
            let ruled = RULED.iter().find(|(slug, path, _)| (*slug, *path) == (c.slug, field.path.as_str()));
            let value = match ruled {
                Some((_, _, Some(text))) => self.ruled(field, text).await,
                Some((_, _, None)) => None,
                // Written views, see `lactations`.
                None if field.path.starts_with("summary.") => None,
                None if sent(field) => self.fresh(c, field).await,
                None => None,
            };
            if let Some(value) = value {
                values.insert(field.path.as_str(), value);
            }
        }
        if self.closed {
            close(c, &mut values);
        }
        values
    }

    /// A ruled value, of this farm.
    async fn ruled(&mut self, field: &Field, text: &str) -> Option<Value> {
        let value: Value = serde_json::from_str(text).unwrap();
        match &field.kind {
            Kind::Relation(to) if to == "organizations" && value == 1 => Some(json!(self.owner)),
            Kind::Relation(to) if to == "organizations" && value == self.owner => Some(json!(PARTNER)),
            // The bull of the first farm.
            Kind::Relation(to) if to == "animals" && self.owner != 1 => None,
            Kind::Relations(to) if self.owner != 1 => Some(json!([Box::pin(self.row(to, true)).await?])),
            _ => Some(value),
        }
    }

    /// A value that no row of this run has, as far as the kind has enough of them.
    async fn fresh(&mut self, c: &'static Collection, field: &Field) -> Option<Value> {
        let mut value = self.value(field).await;
        for _ in 0..1000 {
            let Some(now) = &value else { break };
            let plain = !matches!(field.kind, Kind::Relation(_) | Kind::Relations(_));
            let drawn = plain && self.given.contains(&(c.slug, field.path.clone(), now.to_string()));
            let taken = field.unique && self.makes && self.taken(c, field, now).await;
            if !drawn && !taken {
                break;
            }
            assert!(plain, "{}.{}: one row for all", c.slug, field.path);
            let few = matches!(field.kind, Kind::Bool | Kind::Select(_) | Kind::Selects(_));
            if few && !field.unique {
                break;
            }
            value = self.value(field).await;
        }
        if let Some(value) = &value {
            (self.given).insert((c.slug, field.path.clone(), value.to_string()));
        }
        value
    }

    /// Whether the world began with a row of this value.
    async fn taken(&self, c: &Collection, field: &Field, value: &Value) -> bool {
        let text = escaped(value);
        let path = format!("/api/{}?limit=1&where[{}][equals]={text}", c.slug, field.path);
        let answer = ask!(self.world, "admin", "GET {path}" => 200);
        answer.json()["totalDocs"] != 0
    }

    pub(crate) async fn value(&mut self, field: &Field) -> Option<Value> {
        Some(match &field.kind {
            // Each points at one of its own.
            Kind::Relation(to) if field.unique => {
                let shared = self.rows.remove_entry(to.as_str());
                let own = self.row(to, field.required).await;
                self.rows.extend(shared);
                json!(own?)
            }
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
            Kind::Text(_) if field.path == "timeZone" => {
                json!(["Asia/Omsk", "Europe/Samara"][self.rng.random_range(0..2)])
            }
            Kind::Text(max) => json!(self.word((*max).min(12))),
            Kind::Email => json!(format!("{}@demo.herdbook", self.word(8).to_lowercase())),
            Kind::LongText => json!(format!("{} Ёлка \"'%_\\ 🐄", self.word(8))),
            Kind::Int => json!(self.rng.random_range(low..=high).floor().max(low.ceil())),
            Kind::Number => {
                json!(((self.rng.random_range(low..=high) * 4.0).floor() / 4.0).max(low))
            }
            Kind::Day | Kind::Instant => {
                let (year, month, day) =
                    (self.rng.random_range(2021..2026), self.rng.random_range(1..13), self.rng.random_range(1..29));
                json!(format!("{year}-{month:02}-{day:02}"))
            }
            Kind::Bool => json!(self.rng.random_bool(0.5)),
            Kind::Select(options) => json!(options[self.rng.random_range(0..options.len())]),
            Kind::Selects(options) => json!([options[self.rng.random_range(0..options.len())]]),
            Kind::Texts(max) => json!([self.word((*max).min(12))]),
            Kind::Json => json!({"any": [1, "x", null]}),
            other => panic!("no value for {other:?}"),
        }
    }

    fn word(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(self.rng.random_range(b'A'..=b'Z'))).collect()
    }

    /// A row to point at; a required one is made when there is none, an optional one unless it is being made.
    async fn row(&mut self, slug: &str, required: bool) -> Option<i64> {
        if let Some(id) = self.rows.get(slug) {
            return Some(*id);
        }
        let c = self.collection(slug);
        let known = self.making.contains(&c.slug) || *c.access.rule(Verb::Create) == Rule::Nobody;
        if !self.makes {
            return None;
        }
        assert!(!(required && known), "{slug} needs itself");
        if known {
            return None;
        }
        self.making.push(c.slug);
        let body = nested(&Box::pin(self.values(c)).await);
        self.making.pop();
        let answer = posted(self.world, "admin", c, body).await;
        assert!(answer.status == 201 || self.owner != 1, "{slug}: {}", answer.text);
        let id = answer.json()["doc"]["id"].as_i64()?;
        self.rows.insert(c.slug, id);
        Some(id)
    }
}

/// Prevents strangers from reading a row: each flag that would open it is off.
fn close(c: &Collection, values: &mut BTreeMap<&'static str, Value>) {
    for (path, value) in values.iter_mut() {
        let field = c.field(path).unwrap();
        let flags = c.access.flags().filter_map(|flag| flag.split_once('='));
        let word = flags.filter(|(of, _)| of == path).map(|(_, word)| word).next();
        match (&field.kind, word) {
            (Kind::Bool, _) if path.starts_with("public") => *value = json!(false),
            (Kind::Select(options), Some(word)) => {
                let other = options.iter().find(|option| **option != *word);
                *value = json!(other);
            }
            _ => {}
        }
    }
}

/// Creates a row; with a file where rows are files.
pub(crate) async fn posted(w: &World<'_>, who: &str, c: &'static Collection, body: Value) -> Answer {
    if c.upload.is_none() {
        return w.post(who, c.slug, body).await;
    }
    let form = Form::new().payload(&body).file("cow.png", "image/png", &png(width(&body), 400));
    form.send(w, who, "POST", &format!("/api/{}?depth=0", c.slug)).await
}

/// No two bodies are sent with the same picture.
fn width(body: &Value) -> u32 {
    let text = body.to_string();
    let sum = text.bytes().fold(7_u32, |sum, b| sum.wrapping_mul(31).wrapping_add(u32::from(b)));
    400 + sum % 601
}

pub(crate) fn sent(field: &Field) -> bool {
    field.path != "id" && field.writer != Writer::Server && field.class != Class::Hidden
}

/// `{"a.b": 1}` as `{"a": {"b": 1}}`.
pub(crate) fn nested(values: &BTreeMap<&str, Value>) -> Value {
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
fn shows(kind: &Kind, document: &Value, shown: &Value) -> bool {
    match (kind, document) {
        (Kind::Day | Kind::Instant, Value::String(day)) => *shown == format!("{day}T00:00:00.000Z"),
        (Kind::Rows(subs), Value::Array(rows)) => {
            rows.iter().enumerate().all(|(i, row)| {
                let member = |s: &Field| row.get(&s.path).is_none_or(|v| shows(&s.kind, v, &shown[i][&s.path]));
                subs.iter().all(member)
            }) && shown.as_array().is_some_and(|all| all.len() == rows.len())
        }
        (_, Value::Number(n)) => n.as_f64() == shown.as_f64(),
        _ => document == shown,
    }
}

/// A value in the form of a query.
fn escaped(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.bytes().map(|b| format!("%{b:02X}")).collect()
}

async fn found(w: &World<'_>, slug: &str, path: &str, operator: &str, value: &Value, id: i64) {
    let text = escaped(value);
    let path = format!("/api/{slug}?depth=0&limit=0&select[id]=true&where[{path}][{operator}]={text}");
    let answer = ask!(w, "admin", "GET {path}" => 200);
    let docs = answer.json()["docs"].as_array().unwrap().clone();
    assert!(docs.iter().any(|d| d["id"] == id), "{path} does not find {id}");
}

async fn found_by_each(w: &World<'_>, c: &'static Collection, values: &BTreeMap<&str, Value>, id: i64) {
    for (path, value) in values {
        match &c.field(path).unwrap().kind {
            Kind::Json | Kind::Password => {}
            Kind::Relations(_) | Kind::Selects(_) | Kind::Texts(_) => {
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
        assert!(shows(&field.kind, value, shown), "{}.{path}: sent {value}, shown {shown}", c.slug);
    }
}

async fn writes_hold(maker: &mut Maker<'_, '_>, c: &'static Collection) {
    let w = maker.world;
    maker.making.push(c.slug);
    let mut values = maker.values(c).await;
    let answer = posted(w, "admin", c, nested(&values)).await;
    assert_eq!(answer.status, 201, "{}: {}\n{}", c.slug, answer.text, nested(&values));
    let id = answer.json()["doc"]["id"].as_i64().unwrap();
    let doc = w.doc(c.slug, id).await;
    let mut record = answer.json()["doc"].clone();
    for field in c.fields.iter().filter(|f| f.shown_once) {
        record.as_object_mut().unwrap().remove(field.name());
    }
    assert_eq!(record, doc, "{}: the answer is the document", c.slug);
    shown_in(c, &values, &doc);
    found_by_each(w, c, &values, id).await;

    let before = w.stage.content().await;
    assert_eq!(w.changed("admin", c.slug, id, doc.clone()).await, doc, "{}", c.slug);
    assert_eq!(w.stage.content().await, before, "{}: sending a document back writes nothing", c.slug);

    let other = maker.values(c).await;
    maker.making.pop();
    let other: BTreeMap<_, _> = (other.into_iter()).filter(|(path, _)| !c.field(path).unwrap().once).collect();
    let doc = w.changed("admin", c.slug, id, nested(&other)).await;
    values.extend(other);
    shown_in(c, &values, &doc);
    found_by_each(w, c, &values, id).await;

    let empty: BTreeMap<_, _> = (values.keys())
        .filter(|path| {
            let field = c.field(path).unwrap();
            let ruled = RULED.iter().any(|(slug, p, _)| (*slug, *p) == (c.slug, **path));
            !(field.required || field.once || ruled || FILLED.contains(*path))
        })
        .map(|path| (*path, Value::Null))
        .collect();
    let doc = w.changed("admin", c.slug, id, nested(&empty)).await;
    for path in empty.keys() {
        let value = at(&doc, path);
        assert!(value.is_null() || *value == json!([]), "{}.{path} is {value}", c.slug);
        found(w, c.slug, path, "exists", &json!(false), id).await;
    }
    w.gone("admin", c.slug, id).await;
    assert_eq!(w.get("admin", &format!("/api/{}/{id}", c.slug)).await.status, 404);
}

async fn closed(w: &World<'_>, c: &'static Collection) {
    for who in ["admin", "expert", "alpha", ""] {
        for (verb, method, path) in [
            (Verb::Create, "POST", format!("/api/{}", c.slug)),
            (Verb::Update, "PATCH", format!("/api/{}/1", c.slug)),
            (Verb::Delete, "DELETE", format!("/api/{}/1", c.slug)),
        ] {
            if *c.access.rule(verb) == Rule::Nobody {
                ask!(w, who, "{method} {path}", {} => FORBIDDEN, "{who} {method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_written_is_read_found_changed_and_deleted() {
    let only = std::env::var("HERDBOOK_LAW").ok();
    let seed: u64 = only.map_or_else(rand::random, |text| text.parse().unwrap());
    eprintln!("HERDBOOK_LAW={seed} repeats this run");
    World::both(async |world| {
        let mut maker = Maker::new(world, seed);
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

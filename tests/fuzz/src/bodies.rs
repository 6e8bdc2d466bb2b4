//! Bodies of the REST face: a row that was written can be read, a refusal names the field.

use crate::draw::Draw;
use crate::json::WORDS;
use crate::world::World;
use axum::http::header::CONTENT_TYPE;
use domain::collections::registry;
use model::registry::{Collection, Field, Kind};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

static WORLD: LazyLock<World> = LazyLock::new(World::new);
/// Rows that were made; more are changed only, so that the book stays small.
static MADE: AtomicUsize = AtomicUsize::new(0);
const MOST: usize = 1_000;

pub(crate) fn check(draw: &mut Draw<'_>) {
    let collections: Vec<&Collection> = registry().unwrap().iter().collect();
    let collection = *draw.pick(&collections);
    let mut body = Value::Object(members(draw, collection));
    for _ in 0..draw.below(3) {
        draw.spoil(&mut body, WORDS);
    }
    let mut bytes = body.to_string().into_bytes();
    if draw.once_in(6) {
        bytes = draw.bytes(&[&bytes], WORDS);
    }
    // The accounts of the callers are not changed.
    let who = 1 + draw.below(3);
    let create = MADE.load(Ordering::Relaxed) < MOST && draw.once_in(3) || collection.auth;
    let slug = collection.slug;
    let (method, path) = match create {
        true => ("POST", format!("/api/{slug}?depth=0")),
        false => ("PATCH", format!("/api/{slug}/{}?depth=0", draw.below(12))),
    };
    let input = format!("{method} {path} {}", String::from_utf8_lossy(&bytes));
    let request = WORLD.request(who, method, &path);
    let request = request.header(CONTENT_TYPE, "application/json");
    let heard = WORLD.ask(request.body(bytes.into()).unwrap());
    let answer = heard.json();
    if heard.status < 300 {
        let id = answer["doc"]["id"].as_i64();
        if create {
            MADE.fetch_add(1, Ordering::Relaxed);
        }
        let Some(id) = id else { panic!("{input}: {answer}") };
        let read = WORLD.get(who, &format!("/api/{slug}/{id}?depth=0"));
        // Some may write what they may not read.
        if read.status == 200 {
            assert_eq!(read.json()["id"], json!(id), "{input}");
        }
        return;
    }
    let first = &answer["errors"][0];
    if first["name"] == "ValidationError" {
        let faults = first["data"]["errors"].as_array();
        let faults = faults.unwrap_or_else(|| panic!("{input}: {answer}"));
        assert!(!faults.is_empty(), "{input}: {answer}");
        for fault in faults {
            assert!(fault["path"].is_string() && fault["message"].is_string(), "{input}: {answer}");
        }
    }
}

/// Members near those of a row.
fn members(draw: &mut Draw<'_>, collection: &Collection) -> Map<String, Value> {
    let mut all = Map::new();
    for field in &collection.fields {
        if field.required || draw.once_in(4) {
            let value = value(draw, field);
            let mut steps = field.path.split('.').rev();
            let last = steps.next().unwrap_or_default().to_owned();
            let (name, value) =
                steps.fold((last, value), |(name, value), step| (step.to_owned(), json!({name: value})));
            match (all.get_mut(&name), value) {
                (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
                (_, value) => drop(all.insert(name, value)),
            }
        }
    }
    all
}

fn value(draw: &mut Draw<'_>, field: &Field) -> Value {
    if draw.once_in(12) {
        return draw.value(2, WORDS);
    }
    let id = |draw: &mut Draw<'_>| i64::from(draw.byte() % 14);
    match &field.kind {
        Kind::Text(most) => {
            let text = draw.pick(WORDS).repeat(1 + draw.below(3));
            text.chars().take(*most).collect::<String>().into()
        }
        Kind::LongText => (*draw.pick(WORDS)).into(),
        Kind::Email => format!("a{}@b.example", draw.byte()).into(),
        Kind::Password => "long enough 7".into(),
        Kind::Int => (i64::from(draw.byte()) - 4).into(),
        Kind::Number if draw.once_in(4) => draw.number(),
        Kind::Number => (f64::from(draw.byte()) / 4.0).into(),
        Kind::Day => format!("20{:02}-0{}-1{}", draw.below(30), 1 + draw.below(9), draw.below(9)).into(),
        Kind::Instant => format!("2025-0{}-11T10:00:00Z", 1 + draw.below(9)).into(),
        Kind::Bool => draw.once_in(2).into(),
        Kind::Json => draw.value(3, WORDS),
        Kind::Select(words) => draw.pick(words).as_str().into(),
        Kind::Selects(words) => (0..draw.below(3)).map(|_| draw.pick(words).as_str()).collect(),
        Kind::Texts(_) => (0..draw.below(3)).map(|_| *draw.pick(WORDS)).collect(),
        Kind::Relation(_) => id(draw).into(),
        Kind::Relations(_) => (0..draw.below(3)).map(|_| id(draw)).collect(),
        Kind::Rows(inner) => (0..draw.below(3))
            .map(|_| {
                let members = inner.iter().map(|field| (field.path.clone(), value(draw, field)));
                Value::Object(members.collect())
            })
            .collect(),
    }
}

//! JSON bodies and records: accepted text is also read by another parser, and again after it was
//! written; a refusal names the place; a record fills only existing slots, each once.

use crate::draw::Draw;
use domain::collections::registry;
use model::record::json_in::{self, DEPTH_MAX, JsonFault};
use ops::parse_body;
use serde_json::Value;

pub(crate) const SEEDS: &[&str] = &[
    r#"{"identNumber":"RU123","name":"Зорька","sex":"female","birthDate":"2021-05-03","owner":2}"#,
    r#"{"animal":7,"date":"2025-01-05","milkYield":31.5,"fat":4.1,"protein":3.4,"scc":150}"#,
    r#"[{"a":1,"a":2},{"b":[[[]]]},"\u0000",1e400,-0,{"a/b~c":null}]"#,
    r#"{"name":"x","query":{"where":{"id":{"equals":1}}},"rows":[{"id":"a"},{"id":"a"}]}"#,
    r#"{"address":{"city":"a","region":null},"ids":[1,2,3],"flags":["a","b"],"ok":true}"#,
];

pub(crate) const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\u0041",
    "/",
    "~",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1e308",
    "1e400",
    "1E-9",
    "0.1",
    "12345678901234567890",
    "\"a\":1",
    "\"a\":1,\"a\":2",
    "{\"a\":",
    "[[",
    "[{",
    "name",
    "id",
    "owner",
    "animal",
    "date",
    "birthDate",
    "identNumber",
    "sex",
    "female",
    "male",
    "weight",
    "number",
    "milkYield",
    "email",
    "password",
    "role",
    "admin",
    "organization",
    "status",
    "type",
    "where",
    "2025-01-05",
    "2025-02-30",
    "2025-01-05T10:00:00+14:00",
    "9999-12-31T23:59:59Z",
    "-0001-01-01",
    "a@b.example",
    "é",
    "\u{0}",
    "\u{feff}",
    "\n",
    "\t",
    " ",
    "$serde_json::private::Number",
    "$serde_json::private::RawValue",
    "=cmd",
    "+1",
    "@x",
    "<b>",
    "../x",
];

pub(crate) fn check(draw: &mut Draw<'_>) {
    let seeds: Vec<&[u8]> = SEEDS.iter().map(|seed| seed.as_bytes()).collect();
    let bytes = draw.bytes(&seeds, WORDS);
    let input = String::from_utf8_lossy(&bytes);
    match json_in::parse(&bytes) {
        Ok(value) => {
            let theirs = serde_json::from_slice::<Value>(&bytes);
            assert_eq!(theirs.ok().as_ref(), Some(&value), "{input}");
            assert!(levels(&value) <= DEPTH_MAX, "{input}");
            let written = value.to_string();
            assert_eq!(json_in::parse(written.as_bytes()), Ok(value.clone()), "{input}");
            array(&bytes, &value, &input);
            record(draw, value, &input);
        }
        Err(faults) => {
            assert!((1..=50).contains(&faults.len()), "{input}");
            let theirs = serde_json::from_slice::<Value>(&bytes).ok();
            faults.iter().for_each(|fault| assert_fault(fault, &faults, theirs.as_ref(), &input));
        }
    }
    let mut made = draw.value(4, WORDS);
    draw.spoil(&mut made, WORDS);
    let input = made.to_string();
    record(draw, made, &input);
}

/// An array is the same read as a whole and by its elements.
fn array(bytes: &[u8], whole: &Value, input: &str) {
    match (whole, json_in::members(bytes, 1_000_000)) {
        (Value::Array(elements), Ok(members)) => {
            assert_eq!(elements.len(), members.len(), "{input}");
            for (element, member) in elements.iter().zip(members) {
                assert_eq!(member.value.as_ref(), Ok(element), "{input}");
            }
        }
        (Value::Array(_), Err(fault)) => panic!("{fault}: {input}"),
        (_, Ok(_)) => panic!("no array: {input}"),
        (_, Err(fault)) => assert_eq!(fault, JsonFault::NotAnArray, "{input}"),
    }
}

fn assert_fault(fault: &JsonFault, all: &[JsonFault], theirs: Option<&Value>, input: &str) {
    // Of a member that occurs twice the other reader has the last only.
    let twice = |pointer: &str| {
        let within = |one: &String| pointer.len() > one.len() && pointer.starts_with(one.as_str());
        all.iter().any(|fault| matches!(fault, JsonFault::DuplicateMember { pointer } if within(pointer)))
    };
    match fault {
        // Words of the other reader, by which it would take a value for another one.
        JsonFault::Syntax { message, .. } if message.contains("is reserved") => {}
        JsonFault::Utf8 { .. } | JsonFault::Syntax { .. } => {
            assert!(theirs.is_none(), "{fault}: {input}");
        }
        JsonFault::DuplicateMember { pointer } | JsonFault::ZeroCharacter { pointer } => {
            let found = theirs.map(|value| value.pointer(pointer).is_some());
            assert!(found == Some(true) || twice(pointer), "{fault}: {input}");
        }
        JsonFault::TooDeep { pointer } => {
            assert_eq!(pointer.matches('/').count(), DEPTH_MAX, "{fault}: {input}");
        }
        JsonFault::NotAnArray | JsonFault::TooManyItems { .. } => panic!("{fault}: {input}"),
    }
}

fn levels(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(levels).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

fn record(draw: &mut Draw<'_>, body: Value, input: &str) {
    let collections: Vec<_> = registry().unwrap().iter().collect();
    let collection = *draw.pick(&collections);
    let Value::Object(mut members) = body else {
        return;
    };
    // Members that are fields of it.
    for _ in 0..draw.below(4) {
        let field = draw.pick(&collection.fields);
        let name = field.path.split('.').next().unwrap_or_default().to_owned();
        let value = draw.value(3, WORDS);
        members.insert(name, value);
    }
    let (values, issues) = parse_body(collection, &members, None);
    let label = || format!("{} {members:?} of {input}", collection.slug);
    let mut slots: Vec<usize> = values.iter().map(|(slot, _)| *slot).collect();
    assert!(slots.iter().all(|slot| *slot < collection.width()), "{}", label());
    slots.sort_unstable();
    let count = slots.len();
    slots.dedup();
    assert_eq!(slots.len(), count, "a slot twice: {}", label());
    for issue in &issues {
        assert!(!issue.message.english().is_empty(), "{}", label());
        assert!(!issue.path.is_empty() || members.contains_key(""), "{issue:?} {}", label());
    }
}

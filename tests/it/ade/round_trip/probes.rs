//! Probes: for each type a smallest document, and the same with one more member, each member of
//! its schema in turn, nested ones and each code of each code list included.

use ade::schema::{Body, Declaration, Member, Scalar, Standard, Type, TypeKind};
use serde_json::{Map, Value, json};

/// A document that tries one member.
pub(super) struct Probe {
    /// The path of the member, with its code where there are several; empty for the smallest.
    pub(super) at: String,
    /// The document, without the members that make it unique.
    pub(super) document: Value,
}

/// Members of the resource itself that other tests are about: those that name its place and its
/// animals, and those that lead to rows of other animals.
const APART: [&str; 6] = ["resourceType", "location", "animal", "member", "embeddedAnimalSet", "animalWeights"];
/// Members of `meta` that make a document unique.
const UNIQUE: [&str; 4] = ["source", "sourceId", "modified", "isDeleted"];

/// Deepest object whose members are tried.
const DEEPEST: usize = 5;

/// A value and what is special about it.
type Variant = (String, Value);

/// All probes of a type, with the members that the book needs besides those that the standard requires.
pub(super) fn of(resource: &str, needed: &[(&str, Value)]) -> Vec<Probe> {
    let declaration = Standard::get().resource(resource).unwrap();
    let mut members = Vec::new();
    inherited(declaration, &mut members);
    members.retain(|m| !APART.contains(&m.name));
    let mut seen: Vec<String> = Vec::new();
    let all = object(&members, needed, 0).into_iter();
    let unique = |at: &str| UNIQUE.iter().any(|name| at == format!(".meta.{name}"));
    let all = all.filter(|(at, _)| {
        let fresh = !seen.contains(at) && !unique(at);
        seen.push(at.clone());
        fresh
    });
    all.map(|(at, document)| Probe { at: at.trim_start_matches('.').to_owned(), document }).collect()
}

fn inherited<'a>(one: &'a Declaration, members: &mut Vec<&'a Member>) {
    for base in &one.bases {
        inherited(Standard::get().declaration(base).unwrap(), members);
    }
    if let Body::Members(own) = &one.body {
        members.extend(own);
    }
}

/// The smallest object, and one for each variant of each member.
fn object(members: &[&Member], needed: &[(&str, Value)], depth: usize) -> Vec<Variant> {
    let mut names: Vec<&str> = Vec::new();
    for member in members {
        if !names.contains(&member.name) {
            names.push(member.name);
        }
    }
    let required = |name: &str| members.iter().any(|m| m.name == name && m.required);
    let ty = |name: &str| {
        let mut typed = members.iter().filter(|m| m.name == name);
        typed.find_map(|m| m.ty.as_ref())
    };
    let mut smallest = Map::new();
    let mut variants: Vec<(&str, Vec<Variant>)> = Vec::new();
    for name in names {
        let mut all = ty(name).map_or_else(texts, |ty| typed(ty, depth + 1));
        // A quantity without its value is meaningless.
        if depth > 0 && name == "measurement" {
            smallest.insert(name.to_owned(), all[0].1.clone());
        } else if let Some((_, value)) = needed.iter().find(|(needed, _)| *needed == name) {
            smallest.insert(name.to_owned(), value.clone());
            all.retain(|(_, other)| other != value);
        } else if required(name) {
            smallest.insert(name.to_owned(), all[0].1.clone());
            all.remove(0);
        }
        variants.push((name, all));
    }
    let mut found = vec![(String::new(), Value::Object(smallest.clone()))];
    if depth <= DEEPEST {
        for (name, all) in variants {
            for (suffix, value) in all {
                let mut larger = smallest.clone();
                larger.insert(name.to_owned(), value);
                found.push((format!(".{name}{suffix}"), Value::Object(larger)));
            }
        }
    }
    found
}

fn plain(values: impl IntoIterator<Item = Value>) -> Vec<Variant> {
    let all = values.into_iter().enumerate();
    all.map(|(at, value)| match at {
        0 => (String::new(), value),
        at => (format!("#{at}"), value),
    })
    .collect()
}

fn texts() -> Vec<Variant> {
    plain([json!("Probe Ünïcode \"a\" <&>")])
}

fn typed(ty: &Type, depth: usize) -> Vec<Variant> {
    match &ty.kind {
        TypeKind::Any => plain([json!("x"), json!({"a": [1.5]})]),
        TypeKind::Text { pattern: Some(_), .. } => plain([json!("2023-04")]),
        TypeKind::Text { max_length: Some(max), .. } => plain([json!("é".repeat(*max))]),
        TypeKind::Text { .. } => texts(),
        TypeKind::Uri => plain([json!("https://example.org/a?b=c#d")]),
        TypeKind::Number { .. } => plain([json!(12.25), json!(3.123_456_789_012)]),
        TypeKind::Integer => plain([json!(2)]),
        TypeKind::Boolean => plain([json!(true), json!(false)]),
        TypeKind::OneOf(codes) => coded(codes),
        TypeKind::Object(members) => object(&members.iter().collect::<Vec<_>>(), &[], depth),
        TypeKind::Array { items, min_items } => {
            let least = (*min_items).max(1);
            let inner = typed(items, depth + 1);
            let pair = match inner.as_slice() {
                [one] => json!([one.1, one.1]),
                [one, .., last] => json!([last.1, one.1]),
                [] => json!([]),
            };
            let single = inner.into_iter();
            let mut all: Vec<Variant> = (single).map(|(suffix, value)| (suffix, json!(vec![value; least]))).collect();
            if least <= 2 {
                all.push(("[2]".to_owned(), pair));
            }
            all
        }
        TypeKind::Named(declared) => {
            let declaration = Standard::get().declaration(declared).unwrap();
            match &declaration.body {
                Body::Codes(codes) => coded(codes),
                Body::Scalar(Scalar::Text) => texts(),
                Body::Scalar(Scalar::Date) => plain([json!("2026-01-15")]),
                Body::Scalar(Scalar::DateTime) => {
                    plain([json!("2026-01-15T06:07:08Z"), json!("2026-01-15T09:07:08.123456+03:00")])
                }
                Body::Variants { tag, cases } => {
                    let cases = cases.iter().flat_map(|(code, members)| {
                        let members: Vec<&Member> = members.iter().collect();
                        object(&members, &[], depth).into_iter().map(move |(suffix, value)| {
                            let mut value = value;
                            value[*tag] = json!(code);
                            (format!(".{tag}={code}{suffix}"), value)
                        })
                    });
                    cases.collect()
                }
                Body::Members(_) => {
                    let mut members = Vec::new();
                    inherited(declaration, &mut members);
                    object(&members, &[], depth)
                }
            }
        }
    }
}

fn coded(codes: &[&str]) -> Vec<Variant> {
    let all = codes.iter().enumerate();
    all.map(|(at, code)| match at {
        0 => (String::new(), json!(code)),
        _ => (format!("={code}"), json!(code)),
    })
    .collect()
}

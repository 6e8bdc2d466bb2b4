//! Reads the compact notation of `ade/schema/*.ade` (described in `ade/schema/README.md`) into
//! declarations. Faults are collected, never fatal; a test holds that the embedded files have none.

use super::declaration::{Body, Declaration, Member, Scalar, Section, Type, TypeKind};

/// A line with content: its number in the file, its depth in steps of two blanks and its text.
struct Line {
    number: usize,
    depth: usize,
    text: &'static str,
}

/// The declarations of one file. Names inside them are still the short ones.
pub(crate) fn parse(file: &str, text: &'static str, faults: &mut Vec<String>) -> Vec<Declaration> {
    let lines: Vec<Line> = text
        .lines()
        .enumerate()
        .map(|(at, line)| {
            let text = line.trim_start();
            Line { number: at + 1, depth: (line.len() - text.len()) / 2, text }
        })
        .filter(|line| !line.text.is_empty() && !line.text.starts_with('#'))
        .collect();
    let mut rest = lines.as_slice();
    let mut found = Vec::new();
    while let Some((head, tail)) = rest.split_first() {
        let end = tail.iter().position(|line| line.depth == 0).unwrap_or(tail.len());
        let (body, next) = tail.split_at_checked(end).unwrap_or((tail, &[]));
        match declaration(head, body) {
            Ok(one) => found.push(one),
            Err((line, why)) => faults.push(format!("{file}:{line}: {why}")),
        }
        rest = next;
    }
    found
}

type Parsed<T> = Result<T, (usize, String)>;

fn declaration(head: &Line, body: &[Line]) -> Parsed<Declaration> {
    let fail = |why: &str| (head.number, format!("{why}: {}", head.text));
    let (keyword, rest) = head.text.split_once(' ').ok_or_else(|| fail("no name"))?;
    let (rest, bases) = match rest.split_once(" : ") {
        Some((rest, bases)) => (rest, bases.split(" + ").collect()),
        None => (rest, Vec::new()),
    };
    let (rest, also) = match rest.split_once(" also ") {
        Some((rest, also)) => (rest, Some(also)),
        None => (rest, None),
    };
    let (name, argument) = match rest.split_once(' ') {
        Some((name, argument)) => (name, Some(argument)),
        None => (rest, None),
    };
    let after = |word: &str| argument.and_then(|a| a.strip_prefix(word));
    let (section, bases, body) = match keyword {
        "resource" => (Section::Resource, bases, Body::Members(members(body, 1)?)),
        "type" => (Section::Type, bases, Body::Members(members(body, 1)?)),
        "enum" => (Section::Enum, bases, Body::Codes(body.iter().flat_map(|l| words(l.text)).collect())),
        "scalar" => {
            let form = match after("= ") {
                Some("string") => Scalar::Text,
                Some("date") => Scalar::Date,
                Some("date-time") => Scalar::DateTime,
                _ => return Err(fail("unknown form")),
            };
            (Section::Type, bases, Body::Scalar(form))
        }
        "variants" => {
            let tag = after("by ").ok_or_else(|| fail("no selecting member"))?;
            (Section::Type, bases, Body::Variants { tag, cases: cases(body)? })
        }
        "collection" => {
            let of = after("of ").ok_or_else(|| fail("no resource"))?;
            (Section::Collection, vec!["ResourceCollection"], Body::Members(vec![page_of(of)]))
        }
        _ => return Err(fail("unknown keyword")),
    };
    Ok(Declaration { name, also, section, bases, body })
}

/// The one member every collection adds to `icarResourceCollection`.
fn page_of(resource: &'static str) -> Member {
    let element = Type { kind: TypeKind::Named(resource), nullable: false };
    let kind = TypeKind::Array { items: Box::new(element), min_items: 0 };
    let ty = Some(Type { kind, nullable: false });
    Member { name: "member", also: None, required: false, deprecated: false, ty }
}

fn cases(lines: &[Line]) -> Parsed<Vec<(&'static str, Vec<Member>)>> {
    let mut rest = lines;
    let mut found = Vec::new();
    while let Some((head, tail)) = rest.split_first() {
        let end = tail.iter().position(|line| line.depth <= 1).unwrap_or(tail.len());
        let (body, next) = tail.split_at_checked(end).unwrap_or((tail, &[]));
        found.push((head.text, members(body, 2)?));
        rest = next;
    }
    Ok(found)
}

fn members(lines: &[Line], depth: usize) -> Parsed<Vec<Member>> {
    let mut rest = lines;
    let mut found = Vec::new();
    while let Some((head, tail)) = rest.split_first() {
        let fail = |why: String| (head.number, format!("{why}: {}", head.text));
        if head.depth != depth {
            return Err(fail("wrong indentation".to_owned()));
        }
        let end = tail.iter().position(|line| line.depth <= depth).unwrap_or(tail.len());
        let (body, next) = tail.split_at_checked(end).unwrap_or((tail, &[]));
        let mut one = member(head.text).map_err(fail)?;
        if !body.is_empty() {
            let inner = members(body, depth + 1)?;
            let place = one.ty.as_mut().and_then(object_place);
            *place.ok_or_else(|| fail("has members but is no object".to_owned()))? = inner;
        }
        found.push(one);
        rest = next;
    }
    Ok(found)
}

/// Where the members of an inline object or of an array of inline objects go.
fn object_place(ty: &mut Type) -> Option<&mut Vec<Member>> {
    match &mut ty.kind {
        TypeKind::Object(members) => Some(members),
        TypeKind::Array { items, .. } => object_place(items),
        _ => None,
    }
}

fn member(text: &'static str) -> Result<Member, String> {
    let (name, rest) = match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').ok_or("unfinished quote")?,
        None => {
            let end = text.find(['!', ':', ' ']).ok_or("neither type nor mark")?;
            text.split_at_checked(end).ok_or("neither type nor mark")?
        }
    };
    let (required, rest) = match rest.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (mark, ty) = match rest.split_once(": ") {
        Some((mark, ty)) => (mark, Some(ty)),
        None => (rest, None),
    };
    let also = match mark.strip_prefix(" also ") {
        None if !mark.is_empty() => return Err(format!("unexpected {mark:?}")),
        also => also,
    };
    let (ty, deprecated) = match ty {
        Some(ty) => match ty.strip_suffix(" deprecated") {
            Some(ty) => (Some(type_of(ty)?), true),
            None => (Some(type_of(ty)?), false),
        },
        None => (None, false),
    };
    Ok(Member { name, also, required, deprecated, ty })
}

fn type_of(text: &'static str) -> Result<Type, String> {
    if let Some(codes) = text.strip_prefix("one of ") {
        let (codes, nullable) = optional(codes);
        return Ok(Type { kind: TypeKind::OneOf(words(codes)), nullable });
    }
    if let Some(array) = text.strip_prefix('[') {
        let (array, nullable) = optional(array);
        let inner = array.strip_suffix(']').ok_or("unfinished array")?;
        let counted =
            inner.rsplit_once("; ").and_then(|(inner, count)| Some((inner, count.strip_suffix("..")?.parse().ok()?)));
        let (inner, min_items) = counted.unwrap_or((inner, 0));
        let items = Box::new(type_of(inner)?);
        return Ok(Type { kind: TypeKind::Array { items, min_items }, nullable });
    }
    let (word, limit) = match text.split_once(' ') {
        Some((word, limit)) => (word, Some(limit)),
        None => (text, None),
    };
    let (word, nullable) = optional(word);
    let kind = match (word, limit) {
        ("string", Some(limit)) => text_limit(limit)?,
        ("number", Some(limit)) => {
            let least = limit.strip_prefix(">= ").and_then(|n| n.parse().ok());
            TypeKind::Number { minimum: Some(least.ok_or("unknown limit")?) }
        }
        (_, Some(limit)) => return Err(format!("unexpected {limit:?}")),
        ("string", None) => TypeKind::Text { pattern: None, max_length: None },
        ("number", None) => TypeKind::Number { minimum: None },
        ("integer", None) => TypeKind::Integer,
        ("boolean", None) => TypeKind::Boolean,
        ("uri", None) => TypeKind::Uri,
        ("any", None) => TypeKind::Any,
        ("object", None) => TypeKind::Object(Vec::new()),
        (name, None) => TypeKind::Named(name),
    };
    Ok(Type { kind, nullable })
}

fn text_limit(limit: &'static str) -> Result<TypeKind, String> {
    if let Some(count) = limit.strip_prefix("max ") {
        let count = count.parse().map_err(|_| format!("no number: {count:?}"))?;
        return Ok(TypeKind::Text { pattern: None, max_length: Some(count) });
    }
    let pattern = limit.strip_prefix('/').and_then(|p| p.strip_suffix('/'));
    Ok(TypeKind::Text { pattern: Some(pattern.ok_or("unknown limit")?), max_length: None })
}

fn optional(text: &'static str) -> (&'static str, bool) {
    match text.strip_suffix('?') {
        Some(text) => (text, true),
        None => (text, false),
    }
}

/// Words separated by blanks; a quoted word may contain blanks.
fn words(text: &'static str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for (at, part) in text.split('"').enumerate() {
        if at % 2 == 1 {
            found.push(part);
        } else {
            found.extend(part.split_whitespace());
        }
    }
    found
}

/// The name by which other declarations refer to this one: without `icar` or `uncefact` and without
/// the suffix of its section.
pub(crate) fn short_name(name: &'static str, section: Section) -> &'static str {
    let bare = name.strip_prefix("icar").or_else(|| name.strip_prefix("uncefact")).unwrap_or(name);
    let suffix = match section {
        Section::Resource => "Resource",
        Section::Type | Section::Enum => "Type",
        Section::Collection => "Collection",
    };
    match bare.strip_suffix(suffix) {
        Some("") | None => bare,
        Some(short) => short,
    }
}

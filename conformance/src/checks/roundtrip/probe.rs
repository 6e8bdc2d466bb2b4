//! Documents made from the schemas of the standard: each optional member, nested ones too, and each
//! code of each list in its turn.

use std::collections::BTreeSet;

use ade::schema::{Body, Declaration, Member, Scalar, Standard, Type, TypeKind};
use serde_json::{Map, Value, json};

use crate::visit::seeded::SOURCE;

/// Members that belong to the server or to the exchange, and are not probed.
const NOT_PROBED: [&str; 3] = ["id", "@self", "resourceType"];
/// Members of `meta` that are the server's, or say that the document is gone.
const NOT_IN_META: [&str; 2] = ["created", "isDeleted"];
/// Members that name existing animals.
const KNOWN: [&str; 2] = ["animal", "member"];
/// Elements of an array: two, so that an order can be seen.
const ELEMENTS: usize = 2;
const MINUTE: i64 = 60;
const DAY: i64 = 86_400;

/// The common values of the documents of a location.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    /// Scheme and number of the location.
    pub(super) place: (String, String),
    /// Scheme and number of the animals that documents are about, at least one.
    pub(super) animals: Vec<(String, String)>,
    /// Part of every made-up number: the run.
    pub(super) run: String,
    /// Seconds since 1970, some days ago.
    pub(super) time: i64,
}

/// The choice of a document of a type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'w> {
    /// The official name of the resource.
    pub(super) resource: &'static str,
    /// The optional members at the top that it has; required ones it has in any case.
    pub(super) members: &'w BTreeSet<&'static str>,
    /// Which code of each list, starting again after the last one.
    pub(super) turn: usize,
    /// Members at the top whose codes stay the first.
    pub(super) first: &'w BTreeSet<&'static str>,
    /// The number of the document within the run.
    pub(super) number: usize,
}

/// The optional members at the top of a type that can be probed.
pub(super) fn optional(resource: &str) -> Vec<&'static str> {
    let all = Standard::get().declaration(resource).map(members);
    all.unwrap_or_default()
        .iter()
        .filter(|one| probed(one) && !one.required && one.name != "location")
        .map(|one| one.name)
        .collect()
}

/// How many documents it takes to send each code below these members, or below required ones.
pub(super) fn turns(resource: &str, chosen: &BTreeSet<&'static str>) -> usize {
    let Some(declaration) = Standard::get().declaration(resource) else {
        return 1;
    };
    let mut most = 1;
    for member in members(declaration) {
        if probed(&member) && (member.required || chosen.contains(member.name)) {
            most = most.max(codes(member.ty.as_ref(), &mut vec![declaration.name]));
        }
    }
    most
}

/// The largest number of codes that can be sent one at a time in a value of a type.
fn codes(ty: Option<&Type>, open: &mut Vec<&'static str>) -> usize {
    let below = |all: &[Member], open: &mut Vec<&'static str>| {
        let each = all.iter().filter(|one| probed_within(one));
        each.map(|one| codes(one.ty.as_ref(), open)).max()
    };
    match ty.map(|ty| &ty.kind) {
        Some(TypeKind::OneOf(codes)) => codes.len(),
        // True and false.
        Some(TypeKind::Boolean) => 2,
        Some(TypeKind::Object(all)) => below(all, open).unwrap_or(1),
        // An array of codes has them all at once.
        Some(TypeKind::Array { items, .. }) if list(items).is_some() => 1,
        Some(TypeKind::Array { items, .. }) => codes(Some(items), open),
        Some(TypeKind::Named(name)) => {
            let Some(declaration) = Standard::get().declaration(name) else {
                return 1;
            };
            if let Body::Codes(codes) = &declaration.body {
                return codes.len();
            }
            if open.contains(&declaration.name) {
                return 1;
            }
            open.push(declaration.name);
            let most = below(&members(declaration), open).unwrap_or(1);
            open.pop();
            most
        }
        _ => 1,
    }
}

/// The codes of a type, if it is a list of codes.
fn list(ty: &Type) -> Option<&[&'static str]> {
    match &ty.kind {
        TypeKind::OneOf(codes) => Some(codes),
        TypeKind::Named(name) => Standard::get().enum_values(name),
        _ => None,
    }
}

fn probed(member: &Member) -> bool {
    !member.deprecated && !NOT_PROBED.contains(&member.name)
}

/// The same for nested members, where `id` is part of the content.
fn probed_within(member: &Member) -> bool {
    !member.deprecated && member.name != "@self"
}

/// Own members and inherited ones, each once.
fn members(declaration: &Declaration) -> Vec<Member> {
    let mut all: Vec<Member> = Vec::new();
    let bases = declaration.bases.iter();
    let inherited = bases.filter_map(|name| Standard::get().declaration(name));
    let mut add = |one: Member| match all.iter_mut().find(|had| had.name == one.name) {
        Some(had) => {
            had.required |= one.required;
            had.deprecated |= one.deprecated;
            had.ty = one.ty.or_else(|| had.ty.take());
        }
        None => all.push(one),
    };
    inherited.flat_map(members).for_each(&mut add);
    if let Body::Members(own) = &declaration.body {
        own.iter().cloned().for_each(&mut add);
    }
    all
}

/// A document of a type; `None` for what the schemas do not have.
pub(super) fn document(ground: &Ground, wish: &Wish<'_>) -> Option<Value> {
    let declaration = Standard::get().declaration(wish.resource)?;
    let mut maker =
        Maker { ground, turn: wish.turn, number: wish.number, made: 0, element: 0, open: vec![declaration.name] };
    let mut document = Map::new();
    document.insert("resourceType".to_owned(), json!(wish.resource));
    for member in members(declaration) {
        let chosen = member.required || wish.members.contains(member.name);
        if member.name == "id" && member.required {
            let id = format!("{}-{}", ground.run, wish.number);
            document.insert("id".to_owned(), json!(id));
        }
        if member.name == "location" || !probed(&member) || !chosen {
            continue;
        }
        maker.turn = match wish.first.contains(member.name) {
            true => 0,
            false => wish.turn,
        };
        if let Some(value) = maker.member(&member) {
            document.insert(member.name.to_owned(), value);
        }
    }
    let (scheme, id) = &ground.place;
    document.insert("location".to_owned(), json!({"scheme": scheme, "id": id}));
    let meta = document.entry("meta").or_insert_with(|| json!({}));
    if let Some(meta) = meta.as_object_mut() {
        let number = format!("{}-{}", ground.run, wish.number);
        meta.insert("source".to_owned(), json!(SOURCE));
        meta.insert("sourceId".to_owned(), json!(number));
        meta.insert("modified".to_owned(), json!(crate::clock::milliseconds()));
    }
    Some(Value::Object(document))
}

struct Maker<'g> {
    ground: &'g Ground,
    turn: usize,
    number: usize,
    /// The number of texts and numbers made so far, so that no two are equal.
    made: usize,
    /// The place within the array around the value.
    element: usize,
    /// Declared types around the value: none is nested in itself.
    open: Vec<&'static str>,
}

impl Maker<'_> {
    fn member(&mut self, member: &Member) -> Option<Value> {
        let Some(ty) = &member.ty else {
            return Some(json!(self.text()));
        };
        self.value(ty, member.name)
    }

    fn animal(&self) -> Option<&(String, String)> {
        let all = &self.ground.animals;
        all.get(self.element.checked_rem(all.len())?)
    }

    /// Small, so that it is plausible for any quantity.
    fn number(&self) -> Option<f64> {
        let step = u8::try_from(self.made % 16).ok()?;
        Some(1.25 + f64::from(step) / 2.0)
    }

    fn text(&mut self) -> String {
        self.made += 1;
        format!("ade-conformance {}", self.made)
    }

    fn code(&self, codes: &[&'static str]) -> Option<Value> {
        let at = self.turn.checked_rem(codes.len())?;
        codes.get(at).map(|code| json!(code))
    }

    fn value(&mut self, ty: &Type, name: &str) -> Option<Value> {
        self.made += 1;
        Some(match &ty.kind {
            TypeKind::Any => json!(self.text()),
            TypeKind::Text { pattern, max_length } => json!(self.worded(name, *pattern, *max_length)),
            TypeKind::Uri => json!(format!("https://ade-conformance.example/{}", self.made)),
            TypeKind::Number { .. } => json!(self.number()?),
            TypeKind::Integer => json!(1 + self.made % 16),
            TypeKind::Boolean => json!(self.turn.is_multiple_of(2)),
            TypeKind::OneOf(codes) => self.code(codes)?,
            TypeKind::Object(all) => self.object(all),
            TypeKind::Array { items, min_items } => {
                if let Some(codes) = list(items) {
                    return Some(json!(codes));
                }
                let many = ELEMENTS.max(*min_items);
                let (turn, element) = (self.turn, self.element);
                let mut all = Vec::new();
                for at in 0..many {
                    (self.turn, self.element) = (turn + at, at);
                    all.extend(self.value(items, name));
                }
                (self.turn, self.element) = (turn, element);
                // No value, if elements cannot be made: the type is nested in itself.
                (all.len() == many).then(|| json!(all))?
            }
            TypeKind::Named(other) => {
                let declaration = Standard::get().declaration(other)?;
                return self.declared(declaration, name);
            }
        })
    }

    fn object(&mut self, all: &[Member]) -> Value {
        let mut object = Map::new();
        for member in all.iter().filter(|one| probed_within(one)) {
            if let Some(value) = self.member(member) {
                object.insert(member.name.to_owned(), value);
            }
        }
        Value::Object(object)
    }

    fn declared(&mut self, declaration: &Declaration, name: &str) -> Option<Value> {
        match declaration.name {
            "icarLocationIdentifierType" => {
                let (scheme, id) = &self.ground.place;
                return Some(json!({"scheme": scheme, "id": id}));
            }
            "icarAnimalIdentifierType" if KNOWN.contains(&name) => {
                let (scheme, id) = self.animal()?;
                return Some(json!({"scheme": scheme, "id": id}));
            }
            // Other members name invented animals, so that the known animal does not become a calf.
            "icarAnimalIdentifierType" => {
                let id = format!("{}{:04}{:03}", self.ground.run, self.number, self.made);
                let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
                return Some(json!({"scheme": self.animal()?.0, "id": id}));
            }
            _ => {}
        }
        match &declaration.body {
            Body::Codes(codes) => self.code(codes),
            Body::Scalar(Scalar::Text) => Some(json!(self.worded(name, None, None))),
            Body::Scalar(form) => {
                let time = self.time(name);
                let form = if *form == Scalar::Date { "%Y-%m-%d" } else { "%Y-%m-%dT%H:%M:%SZ" };
                Some(json!(time?.strftime(form).to_string()))
            }
            // Shapes of more points have rules of their own: they end where they begin.
            Body::Variants { tag, cases } => {
                let (first, _) = cases.first()?;
                let odd = i32::try_from(self.made % 10).ok()?;
                Some(json!({*tag: first, "coordinates": [5.0 + f64::from(odd) / 16.0, 52.25]}))
            }
            Body::Members(_) if self.open.contains(&declaration.name) => None,
            Body::Members(_) => {
                self.open.push(declaration.name);
                let mut all = members(declaration);
                if declaration.name == "icarMetaDataType" {
                    all.retain(|one| !NOT_IN_META.contains(&one.name));
                }
                let mut made = self.object(&all);
                for name in ["scheme", "source"] {
                    if let Some(value) = made.get_mut(name).filter(|value| value.is_string()) {
                        *value = json!(SOURCE);
                    }
                }
                if let Some(kind) = made.get_mut("resourceType") {
                    *kind = json!(declaration.name);
                }
                self.open.pop();
                Some(made)
            }
        }
    }

    /// An end is after its beginning.
    fn time(&self, name: &str) -> Option<jiff::Timestamp> {
        let number = i64::try_from(self.number).ok()?;
        let made = i64::try_from(self.made).ok()?;
        let name = name.to_ascii_lowercase();
        let late = ["end", "until", "expir", "last"].iter().any(|word| name.contains(word));
        let late = late || name.ends_with("to");
        let time = self.ground.time - number * 61 * MINUTE + made * MINUTE;
        jiff::Timestamp::from_second(time + i64::from(late) * DAY).ok()
    }

    fn worded(&mut self, name: &str, pattern: Option<&str>, most: Option<usize>) -> String {
        let form = match name {
            "currency" => "EUR",
            "addressCountry" => "NL",
            "timeZoneId" => "Europe/Amsterdam",
            _ if name.to_ascii_lowercase().ends_with("duration") => "P1D",
            _ if pattern.is_some() => "2024-05",
            _ => "",
        };
        let text = if form.is_empty() { self.text() } else { form.to_owned() };
        match most {
            Some(most) => text.chars().take(most).collect(),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ade::catalog::{Catalog, Verb};

    fn ground() -> Ground {
        let pair = |id: &str| ("org.example".to_owned(), id.to_owned());
        Ground { place: pair("1"), animals: vec![pair("7"), pair("8")], run: "probe-1".to_owned(), time: 1_760_000_000 }
    }

    fn made(resource: &'static str, members: &BTreeSet<&'static str>, turn: usize) -> Value {
        let first = BTreeSet::new();
        let wish = Wish { resource, members, turn, first: &first, number: turn };
        document(&ground(), &wish).unwrap()
    }

    /// Each code in the documents, with its pointer.
    fn texts(all: &[Value]) -> BTreeSet<(String, String)> {
        let mut seen = BTreeSet::new();
        for one in all {
            crate::document::walk(one, &mut |at, value| {
                if let Some(text) = value.as_str() {
                    seen.insert((at.to_owned(), text.to_owned()));
                }
            });
        }
        seen
    }

    #[test]
    fn documents_of_every_type_are_valid_and_no_member_is_unknown() {
        let (mut types, mut documents) = (0, 0);
        for entry in Catalog::get().collections() {
            let resource: &'static str = match Standard::get().resource(&entry.resource) {
                Some(declaration) if entry.allows(Verb::Post) => declaration.name,
                _ => continue,
            };
            let every: BTreeSet<&str> = optional(resource).into_iter().collect();
            let none = BTreeSet::new();
            types += 1;
            for (members, turns) in [(&none, 1), (&every, turns(resource, &every))] {
                for turn in 0..turns {
                    documents += 1;
                    let one = made(resource, members, turn);
                    let faults = ade::validate(resource, &one);
                    assert!(faults.is_empty(), "{resource}: {faults:?}\n{one:#}");
                    let mut unknown = ade::unknown_members(resource, &one);
                    // The member that chooses the shape of a geometry.
                    unknown.retain(|fault| !fault.pointer.ends_with("/geometry/type"));
                    assert!(unknown.is_empty(), "{resource}: {unknown:?}");
                    for name in members {
                        assert!(one.get(name).is_some(), "{resource}: {name}\n{one:#}");
                    }
                }
            }
        }
        println!("{types} types, {documents} documents");
        assert!(types > 50 && documents < 900, "{types}, {documents}");
    }

    #[test]
    fn each_code_is_sent_and_elements_of_arrays_differ() {
        let resource = "icarAttentionEventResource";
        let every: BTreeSet<&str> = optional(resource).into_iter().collect();
        let turns = 0..turns(resource, &every);
        let all: Vec<Value> = turns.map(|turn| made(resource, &every, turn)).collect();
        let seen = texts(&all);
        for (member, list) in [("category", "Category"), ("priority", "Priority")] {
            let name = format!("icarAttention{list}Type");
            for code in Standard::get().enum_values(&name).unwrap() {
                assert!(seen.contains(&(format!("/{member}"), (*code).to_owned())), "{code}");
            }
        }
        let causes = Standard::get().enum_values("icarAttentionCauseType").unwrap();
        assert_eq!(all[0]["causes"], json!(causes));
        for one in &all {
            crate::document::walk(one, &mut |at, value| {
                if let Some([a, b]) = value.as_array().map(Vec::as_slice) {
                    assert_ne!(a, b, "{at}");
                }
            });
        }
    }
}

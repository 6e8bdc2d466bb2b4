//! Documents by the schemas: valid ones, and mutations of them. Deterministic by seed.

use ade::schema::{Body, Declaration, Member, Scalar, Standard, Type, TypeKind};
use serde_json::{Map, Value, json};

/// A small deterministic source of numbers (`splitmix64`).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).expect("below a usize")
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        from.get(self.below(from.len())).expect("something to pick")
    }
}

/// A valid document of a declaration.
pub(crate) fn valid(one: &Declaration, dice: &mut Dice) -> Value {
    declared(one, dice, 0)
}

fn declared(one: &Declaration, dice: &mut Dice, depth: usize) -> Value {
    match &one.body {
        Body::Codes(codes) => json!(dice.pick(codes)),
        Body::Scalar(Scalar::Text) => text(dice),
        Body::Scalar(Scalar::Date) => json!(dice.pick(&["2024-02-29", "1999-12-31", "2025-06-01"])),
        Body::Scalar(Scalar::DateTime) => json!(dice.pick(&[
            "2025-01-01T00:00:00Z",
            "2025-01-01t10:20:30.5z",
            "2025-06-01T23:59:59.123456789+02:00",
            "2016-12-31T23:59:60Z",
        ])),
        Body::Variants { tag, cases } => {
            let (code, members) = dice.pick(cases);
            let mut found = object(&members.iter().collect::<Vec<_>>(), dice, depth);
            found.insert((*tag).to_owned(), json!(code));
            Value::Object(found)
        }
        Body::Members(_) => {
            let mut members = Vec::new();
            inherited(one, &mut members);
            Value::Object(object(&members, dice, depth))
        }
    }
}

fn inherited<'a>(one: &'a Declaration, members: &mut Vec<&'a Member>) {
    for base in &one.bases {
        inherited(Standard::get().declaration(base).expect("a base"), members);
    }
    if let Body::Members(own) = &one.body {
        members.extend(own);
    }
}

fn object(members: &[&Member], dice: &mut Dice, depth: usize) -> Map<String, Value> {
    let mut found = Map::new();
    for member in members {
        let required = members.iter().any(|other| other.name == member.name && other.required);
        let wanted = required || dice.chance(if depth < 2 { 2 } else { 5 });
        if !wanted || found.contains_key(member.name) {
            continue;
        }
        let ty = members.iter().find_map(|other| other.ty.as_ref().filter(|_| other.name == member.name));
        let value = match ty {
            Some(ty) => typed(ty, dice, depth + 1),
            None => text(dice),
        };
        found.insert(member.name.to_owned(), value);
    }
    if dice.chance(8) {
        found.insert("unknown member".to_owned(), json!([null, {"id": 1}]));
    }
    found
}

fn typed(ty: &Type, dice: &mut Dice, depth: usize) -> Value {
    if ty.nullable && dice.chance(4) {
        return Value::Null;
    }
    match &ty.kind {
        TypeKind::Any => dice.pick(&[json!("x"), json!(1), json!(null), json!([])]).clone(),
        TypeKind::Text { pattern: Some(_), .. } => json!(dice.pick(&["2023", "2023-04", "2023-01-01--2023-06-30"])),
        TypeKind::Text { max_length: Some(max), .. } => json!("é".repeat(dice.below(max + 1))),
        TypeKind::Text { .. } => text(dice),
        TypeKind::Uri => json!(dice.pick(&["https://example.org/a?b=c#d", "urn:isbn:0451450523"])),
        TypeKind::Number { .. } => dice.pick(&[json!(0), json!(12.5), json!(1e300)]).clone(),
        TypeKind::Integer => dice.pick(&[json!(-3), json!(0), json!(2.0), json!(u64::MAX)]).clone(),
        TypeKind::Boolean => json!(dice.chance(2)),
        TypeKind::OneOf(codes) => json!(dice.pick(codes)),
        TypeKind::Object(members) => Value::Object(object(&members.iter().collect::<Vec<_>>(), dice, depth)),
        TypeKind::Array { items, min_items } => {
            let count = min_items + dice.below(if depth < 4 { 3 } else { 2 });
            (0..count).map(|_| typed(items, dice, depth + 1)).collect()
        }
        TypeKind::Named(name) => declared(Standard::get().declaration(name).expect("a declared name"), dice, depth),
    }
}

fn text(dice: &mut Dice) -> Value {
    json!(dice.pick(&["", "a", "276000312312345", "Ünïcode \"quoted\"", "2025-01-01", " <&]]>\r\n\u{1}_x0041_ ",]))
}

/// Values that are wrong in most places, right in some.
fn odd(dice: &mut Dice) -> Value {
    let odd = [
        json!(null),
        json!(true),
        json!(3),
        json!(2.5),
        json!(-1),
        json!(-0.5),
        json!(1e300),
        json!(""),
        json!("nonsense"),
        json!("2025-02-30"),
        json!("2025-02-28"),
        json!("2025-02-30T00:00:00Z"),
        json!("2025-01-01T00:00:00"),
        json!("2025-01-01T00:00:60Z"),
        json!("2025-01-01T00:00:00+01:00"),
        json!("2025-01-01 00:00:00Z"),
        json!("a:b"),
        json!("http://["),
        json!("http://example.org/%zz"),
        json!("/relative"),
        json!("KGM"),
        json!([]),
        json!([null]),
        json!(["nonsense", 1]),
        json!({}),
        json!({"id": "1"}),
        json!({"id": "1", "scheme": 2}),
        json!({"type": "Point", "coordinates": [1]}),
    ];
    dice.pick(&odd).clone()
}

/// Changes one place of a document: removes it, replaces it, wraps it or gives it an odd neighbour.
pub(crate) fn mutate(document: &mut Value, dice: &mut Dice) {
    let mut places = Vec::new();
    pointers(document, &mut String::new(), &mut places);
    let place = dice.pick(&places).clone();
    if dice.chance(3)
        && let Some((parent, last)) = place.rsplit_once('/')
    {
        let name = last.replace("~1", "/").replace("~0", "~");
        match document.pointer_mut(parent).expect("a parent") {
            Value::Object(members) => drop(members.shift_remove(&name)),
            Value::Array(elements) => drop(elements.remove(name.parse().expect("an index"))),
            _ => panic!("no parent"),
        }
        return;
    }
    let value = document.pointer_mut(&place).expect("a place");
    match (dice.below(6), &mut *value) {
        (0, _) => *value = json!([value.take()]),
        (1, Value::Array(elements)) => elements.push(odd(dice)),
        (1, Value::String(text)) => text.push('x'),
        _ => *value = odd(dice),
    }
}

fn pointers(value: &Value, at: &mut String, found: &mut Vec<String>) {
    found.push(at.clone());
    let length = at.len();
    let mut step = |name: &str, value: &Value| {
        at.push('/');
        at.push_str(&name.replace('~', "~0").replace('/', "~1"));
        pointers(value, at, found);
        at.truncate(length);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| step(name, value)),
        Value::Array(elements) => {
            for (index, value) in elements.iter().enumerate() {
                step(&index.to_string(), value);
            }
        }
        _ => {}
    }
}

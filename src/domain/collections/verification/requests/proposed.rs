//! The values that a correction proposes, between JSON and fields of animals.

use super::{ANIMALS_MAX, Slots};
use model::error::Issue;
use model::record::{Value, time};
use model::registry::{Collection, Draft, Field, Kind, Writer};
use serde_json::Value as Json;

/// One proposed value: its place in the list, the animal, path and value.
#[derive(Debug)]
pub(super) struct Proposed {
    pub(super) place: usize,
    pub(super) animal: i64,
    pub(super) path: String,
    pub(super) value: Value,
}

/// Reads the list, and reports what cannot be written so.
pub(super) fn read(animals: &Collection, list: &Value) -> (Vec<Proposed>, Vec<Issue>) {
    let (mut all, mut issues) = (Vec::new(), Vec::new());
    for (place, row) in list.rows().iter().enumerate() {
        let text = |name: &str| row.get(name).and_then(Json::as_str);
        let Some(animal) = row.get("animal").and_then(Json::as_i64) else {
            continue;
        };
        let path = text("path").unwrap_or_default();
        let field = animals.field(path).filter(|f| open(animals, f));
        let Some(field) = field else {
            let message = "A correction request cannot change this field.";
            issues.push(at(place, "path", "no-such-field", message));
            continue;
        };
        let sent = row.get("value").unwrap_or(&Json::Null);
        match value(field, sent) {
            Some(value) => all.push(Proposed {
                place,
                animal,
                path: path.to_owned(),
                value,
            }),
            None => {
                let message = "The field does not hold such a value.";
                issues.push(at(place, "value", "wrong-type", message));
            }
        }
    }
    (all, issues)
}

/// Rules of the list itself.
pub(super) fn check(animals: &Collection, draft: &mut Draft) {
    let s = Slots::get();
    let correction = draft.new.get(s.purpose).text() == Some("correction");
    let list = draft.new.get(s.proposed);
    let mut fault = |code: &'static str, message: &str| {
        draft.issues.push(Issue::error("proposed", code, message));
    };
    match (correction, list.rows().len()) {
        (true, 0) => fault("required", "A correction proposes values."),
        (false, 1..) => fault("not-allowed", "Only a correction proposes values."),
        (true, n) if n > 50 * ANIMALS_MAX => fault("too-many", "Too many values at once."),
        (true, _) => {
            let (all, mut issues) = read(animals, list);
            let listed = draft.new.get(s.animals).ids();
            for one in all.iter().filter(|p| !listed.contains(&p.animal)) {
                let message = "The animal is not one of the request.";
                issues.push(at(one.place, "animal", "foreign-animal", message));
            }
            draft.issues.append(&mut issues);
        }
        (false, 0) => {}
    }
}

/// Where the request reports a fault of the corrected animal.
pub(super) fn blame(all: &[Proposed], animal: i64, issue: &Issue) -> Issue {
    let place = all
        .iter()
        .find(|p| p.animal == animal && p.path == issue.path)
        .map(|p| p.place);
    let path = match place {
        Some(place) => format!("proposed.{place}.value"),
        None => "proposed".to_owned(),
    };
    let message = format!("Animal {animal}, {}: {}", issue.path, issue.message);
    Issue::error(path, issue.code.clone(), message)
}

fn at(place: usize, member: &str, code: &'static str, message: &str) -> Issue {
    Issue::error(format!("proposed.{place}.{member}"), code, message)
}

/// Single values that farms write themselves while nothing locks them; the owner and the
/// fields of state machines go by moves only.
fn open(animals: &Collection, field: &Field) -> bool {
    let moved = (animals.states.iter()).any(|s| s.paths().contains(&field.path.as_str()));
    field.writer == Writer::Anyone && !field.session && !field.once && !moved
}

fn value(field: &Field, json: &Json) -> Option<Value> {
    if json.is_null() {
        return (!field.required).then_some(Value::Null);
    }
    match &field.kind {
        Kind::Text(_) | Kind::LongText | Kind::Email => {
            let text = json.as_str().filter(|t| !t.contains('\0'))?;
            Some(Value::from(text))
        }
        Kind::Int => json.as_i64().map(Value::Int),
        Kind::Number => json.as_f64().map(Value::Num),
        Kind::Day | Kind::Instant => json.as_str().and_then(time::parse).map(Value::Time),
        Kind::Bool => json.as_bool().map(Value::Bool),
        Kind::Select(words) => {
            let word = json.as_str()?;
            words.iter().any(|w| w == word).then(|| Value::from(word))
        }
        Kind::Relation(_) => json.as_i64().map(Value::Int),
        _ => None,
    }
}

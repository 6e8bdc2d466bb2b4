//! The values that a correction proposes, between JSON and fields of animals.

use super::{ANIMALS_MAX, Slots};
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::herd::animals::{Animal, Slots as Animals, display_names, parentage};
use model::error::{Error, Issue, Result};
use model::record::{Record, Value, time};
use model::registry::{BookReader, Collection, Command, Draft, Field, HookContext, Kind, Writer};
use model::said;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// One proposed value: its place in the list, the animal, path and value.
#[derive(Debug)]
pub(super) struct ProposedValue {
    pub(super) place: usize,
    pub(super) animal: i64,
    pub(super) path: String,
    pub(super) value: Value,
}

/// Reads the list, and reports what cannot be written so.
pub(super) fn read(animals: &Collection, list: &Value) -> (Vec<ProposedValue>, Vec<Issue>) {
    let (mut all, mut issues) = (Vec::new(), Vec::new());
    for (place, row) in list.rows().iter().enumerate() {
        let text = |name: &str| row.get(name).and_then(Json::as_str);
        let Some(animal) = row.get("animal").and_then(Json::as_i64) else {
            continue;
        };
        let path = text("path").unwrap_or_default();
        let field = animals.field(path).filter(|f| open(animals, f));
        let Some(field) = field else {
            let message = "A correction request cannot change this field: it changes single values that the owner writes while nothing locks them, and no lists.";
            issues.push(at(place, "path", "no-such-field", message));
            continue;
        };
        let json = row.get("value").unwrap_or(&Json::Null);
        match value(field, json) {
            Some(value) => all.push(ProposedValue { place, animal, path: path.to_owned(), value }),
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
    let mut fault = |code: &'static str, message: &'static str| {
        draft.issues.push(Issue::error("proposed", code, message));
    };
    match (correction, list.rows().len()) {
        (true, 0) => fault("required", "A correction proposes values."),
        (false, 1..) => fault("not-allowed", "Only a correction proposes values."),
        (true, n) if n > 50 * ANIMALS_MAX => fault("too-many", "Too many values at once."),
        (true, _) => {
            let (all, mut issues) = read(animals, list);
            let listed = draft.new.get(s.animals).ids();
            let mut paths = BTreeSet::new();
            for one in &all {
                if !listed.contains(&one.animal) {
                    let message = "The animal is not one of the request.";
                    issues.push(at(one.place, "animal", "foreign-animal", message));
                }
                if !paths.insert((one.animal, one.path.as_str())) {
                    let message = "Another value is proposed for this field of the animal already.";
                    issues.push(at(one.place, "path", "proposed-twice", message));
                }
            }
            draft.issues.append(&mut issues);
        }
        (false, 0) => {}
    }
}

/// Writes the proposed values, all of one animal at once; what the book has by now is no change and causes no fault.
/// All faults are listed, each where its value was proposed.
pub(super) async fn correct(context: &mut dyn HookContext, row: &Record, free: &BTreeSet<i64>) -> Result<()> {
    let declared = context.collection("animals")?;
    let (all, mut issues) = read(declared, row.get(Slots::get().proposed));
    let mut values: BTreeMap<i64, Vec<&ProposedValue>> = BTreeMap::new();
    for one in all.iter().filter(|p| free.contains(&p.animal)) {
        values.entry(one.animal).or_default().push(one);
    }
    let parent = |one: &&ProposedValue| matches!(one.path.as_str(), "father" | "mother");
    let of_others: Vec<i64> =
        (values.iter()).filter(|(_, list)| list.iter().any(parent)).map(|(animal, _)| *animal).collect();
    let fields = ["father", "mother", "dnaTests"];
    let former = by_id(context, "animals", of_others, &fields).await?;
    for (animal, list) in values {
        let mut fields: Vec<(String, Value)> = (list.iter().map(|p| (p.path.clone(), p.value.clone()))).collect();
        if let Some(row) = former.get(&animal) {
            let replaced = |path: &str| {
                let mut proposed = list.iter().filter(|one| one.path == path);
                let before = row.get(declared.at(path));
                proposed.any(|one| !before.is_null() && one.value != *before)
            };
            let tests = parentage::of_other_parents(row, replaced("father"), replaced("mother"));
            fields.extend(tests.map(|tests| ("dnaTests".to_owned(), tests)));
        }
        match context.write("animals", vec![Command::Update(animal, fields)]).await {
            Err(Error::Invalid(faults) | Error::Forbidden(faults)) => {
                let names = display_names(context, [animal]).await?;
                let name = names.get(&animal).map_or("", String::as_str);
                issues.extend(faults.iter().map(|issue| blame(&list, name, issue)));
            }
            other => other.map(drop)?,
        }
    }
    match issues.is_empty() {
        true => Ok(()),
        false => Err(Error::Invalid(issues)),
    }
}

/// The fields of animals for which values are proposed.
async fn stored(context: &mut dyn BookReader, all: &[ProposedValue]) -> Result<BTreeMap<i64, Record>> {
    let mut paths: BTreeSet<&str> = all.iter().map(|p| p.path.as_str()).collect();
    paths.insert("owner");
    let paths: Vec<&str> = paths.into_iter().collect();
    by_id(context, "animals", all.iter().map(|p| p.animal), &paths).await
}

/// Writes beside each proposed value what the book has. Of animals that have another owner now nothing is read.
pub(super) async fn refresh(context: &mut dyn BookReader, drafts: Vec<&mut Draft>) -> Result<()> {
    let s = Slots::get();
    let declared = context.collection("animals")?;
    let lists = drafts.iter().flat_map(|draft| read(declared, draft.new.get(s.proposed)).0);
    let book = stored(context, &lists.collect::<Vec<_>>()).await?;
    for draft in drafts {
        let farm = draft.new.get(s.organization).int();
        let (all, _) = read(declared, draft.new.get(s.proposed));
        let mut rows = draft.new.get(s.proposed).rows().to_vec();
        let all: BTreeMap<usize, ProposedValue> = all.into_iter().map(|p| (p.place, p)).collect();
        let stored = draft.old.as_ref().map(|old| values_before(old.get(s.proposed)));
        let stored = stored.unwrap_or_default();
        for (place, row) in rows.iter_mut().enumerate() {
            let own = |row: &&Record| Animal(row).link(Animals::get().owner) == farm;
            let current = all.get(&place).and_then(|p| Some((p, book.get(&p.animal).filter(own)?)));
            let value = match current {
                Some((p, animal)) => json_of(animal.get(declared.at(&p.path))),
                None => {
                    let id = row.get("id").and_then(Json::as_str).unwrap_or_default();
                    stored.get(id).cloned().unwrap_or_default()
                }
            };
            if let Some(members) = row.as_object_mut() {
                members.insert("before".to_owned(), value);
            }
        }
        draft.new.set(s.proposed, Value::json(Json::Array(rows)));
    }
    Ok(())
}

/// What the stored rows say that the book has, by their ids, whatever was sent.
fn values_before(stored: &Value) -> BTreeMap<&str, Json> {
    let before = |row: &Json| row.get("before").cloned().unwrap_or_default();
    let rows = stored.rows().iter();
    rows.filter_map(|row| Some((row.get("id")?.as_str()?, before(row)))).collect()
}

/// Where the request reports a fault of the corrected animal.
fn blame(list: &[&ProposedValue], animal: &str, issue: &Issue) -> Issue {
    let place = (list.iter().find(|p| p.path == issue.path)).or(list.first());
    let path = match place {
        Some(one) => format!("proposed.{}.value", one.place),
        None => "proposed".to_owned(),
    };
    let message =
        said!("Animal {animal}, {path}: {fault}", animal = animal, path = &issue.path, fault = issue.message.clone());
    Issue::error(path, issue.code.clone(), message)
}

fn at(place: usize, member: &str, code: &'static str, message: &'static str) -> Issue {
    Issue::error(format!("proposed.{place}.{member}"), code, message)
}

/// Single values that farms write themselves while nothing locks them; the owner and the
/// fields of state machines go by moves only.
fn open(animals: &Collection, field: &Field) -> bool {
    let moved = (animals.states.iter()).any(|s| s.paths().contains(&field.path.as_str()));
    let list =
        matches!(field.kind, Kind::Rows(_) | Kind::Relations(_) | Kind::Selects(_) | Kind::Texts(_) | Kind::Json);
    field.writer == Writer::Anyone && !field.session && !field.once && !moved && !list
}

/// A single value as requests hold it.
fn json_of(value: &Value) -> Json {
    match value {
        Value::Text(text) => Json::from(text.as_str()),
        Value::Int(number) => Json::from(*number),
        Value::Num(number) => decimal(*number),
        Value::Bool(flag) => Json::from(*flag),
        Value::Time(at) => Json::from(time::to_iso(*at)),
        Value::Null | Value::Texts(_) | Value::Ids(_) | Value::Json(_) => Json::Null,
    }
}

/// Without a trailing `.0`, as it was probably sent.
fn decimal(number: f64) -> Json {
    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => Json::from(number as i64),
        false => Json::from(number),
    }
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

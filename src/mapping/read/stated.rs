//! What a resource that is stored as it was sent says of a row (`[stated]` of a mapping file): values of traits
//! by their names. What the book does not know stays with the resource and is named to its sender
//! (docs/design/exchange.md, *Raw documents*).

use crate::Mapping;
use crate::codes::pascal;
use crate::compile::Compiler;
use crate::compile::file::File;
use crate::compile::lists::ListEntry;
use crate::read::value::ReadError;
use model::error::Issue;
use model::record::Value;
use model::registry::{Collection, Field, Kind};
use model::said;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// How resources are read that speak of a row.
#[derive(Debug, Default)]
pub struct StatementRule {
    list: Option<String>,
    by: String,
    /// By each word for a name: members of a value, and what they fill.
    names: BTreeMap<String, Vec<(String, NumberField)>>,
    kind: Vec<(String, usize, BTreeMap<String, String>, String)>,
    texts: Vec<(String, usize, usize)>,
    day: Vec<String>,
    /// Slot of the day.
    pub date: usize,
    /// Slot of the organisation that sent the resources.
    pub sender: usize,
    /// Slot of the mark of such rows.
    pub flag: usize,
    /// Values of the rows of accredited senders, and of those of the Association.
    pub set: [Vec<(usize, Value)>; 2],
}

/// The field that a number fills.
#[derive(Debug, Clone)]
struct NumberField {
    slot: usize,
    whole: bool,
    min: Option<f64>,
    max: Option<f64>,
}

/// What a resource says of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// When, epoch milliseconds.
    pub at: i64,
    /// What tells rows of one animal and day apart.
    pub kind: Vec<(usize, Value)>,
    /// Values by slot.
    pub values: Vec<(usize, Value)>,
}

impl StatementRule {
    /// The slots that resources fill.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
        let numbers = self.names.values().flatten().map(|(_, filled)| filled.slot);
        numbers.chain(self.texts.iter().map(|(_, slot, _)| *slot))
    }

    /// The slots that tell rows of one animal and day apart.
    pub fn kinds(&self) -> impl Iterator<Item = usize> {
        self.kind.iter().map(|(_, slot, ..)| *slot)
    }

    /// What a resource says, and what of it the book has no place for. A value that is there twice counts once; one
    /// that contradicts an earlier one is an error.
    pub fn read(&self, doc: &Json) -> (Vec<Statement>, Vec<Issue>) {
        let mut issues = Vec::new();
        let mut report = |at: String, why: ReadError| issues.extend(why.issue(&at, false));
        let day = (self.day.iter()).find_map(|path| ade::time::parse(at(doc, path)?.as_str()?));
        let Some(day) = day else {
            let first = self.day.first().map_or("", String::as_str);
            report(format!("/{first}"), ReadError::Unusable("it says no day".into()));
            return (Vec::new(), issues);
        };
        let elements = self.list.as_ref().and_then(|list| doc.get(list)?.as_array());
        let elements = (elements.into_iter().flatten().enumerate()).map(|(place, one)| {
            let list = self.list.as_deref().unwrap_or_default();
            (format!("/{list}/{place}"), one)
        });
        let mut statements: Vec<Statement> = Vec::new();
        for (pointer, one) in elements.chain([(String::new(), doc)]) {
            let Some(name) = at(one, &self.by).and_then(Json::as_str) else {
                continue;
            };
            let place = format!("{pointer}/{}", self.by.replace('.', "/"));
            let Some(filled) = self.names.get(name) else {
                report(place, ReadError::Unusable(said!("{code} has no place in the book", code = name)));
                continue;
            };
            let mut kind = Vec::new();
            for (member, slot, codes, other) in &self.kind {
                let code = one.get(member).and_then(Json::as_str);
                let word = code.and_then(|code| codes.get(code)).unwrap_or(other);
                kind.push((*slot, Value::from(word.as_str())));
            }
            let same = statements.iter().position(|statement| statement.kind == kind);
            let before =
                same.and_then(|at| statements.get(at)).map_or(&[][..], |statement| statement.values.as_slice());
            let mut values = Vec::new();
            for (member, field) in filled {
                let Some(value) = one.get(member).and_then(Json::as_f64).map(|n| field.takes(n)) else {
                    continue;
                };
                let earlier = before.iter().find(|(slot, _)| *slot == field.slot).map(|(_, value)| value);
                let why = match (value, earlier) {
                    (Some(value), Some(earlier)) if value == *earlier => continue,
                    (Some(_), Some(_)) => ReadError::Refused("differs from another value of the same trait".into()),
                    (Some(value), None) => {
                        values.push((field.slot, value));
                        continue;
                    }
                    (None, _) => ReadError::Unusable("is no value of the scale of the book".into()),
                };
                report(format!("{pointer}/{member}"), why);
            }
            if values.is_empty() {
                continue;
            }
            match same.and_then(|at| statements.get_mut(at)) {
                Some(statement) => statement.values.extend(values),
                None => statements.push(Statement { at: day, kind, values }),
            }
        }
        for (path, slot, most) in &self.texts {
            if let Some(text) = at(doc, path).and_then(Json::as_str) {
                let text: String = text.chars().take(*most).collect();
                for statement in &mut statements {
                    statement.values.push((*slot, Value::Text(text.clone())));
                }
            }
        }
        (statements, issues)
    }
}

impl NumberField {
    fn of(slot: usize, field: &Field) -> Self {
        Self { slot, whole: field.kind == Kind::Int, min: field.min, max: field.max }
    }

    fn takes(&self, number: f64) -> Option<Value> {
        let within = self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max);
        #[expect(clippy::cast_possible_truncation, reason = "whole and within the range of the field")]
        let whole = number as i64;
        match (within, self.whole) {
            (false, _) => None,
            (true, true) => (number.fract() == 0.0).then_some(Value::Int(whole)),
            (true, false) => Some(Value::Num(number)),
        }
    }
}

/// A member by its path with dots.
fn at<'d>(doc: &'d Json, path: &str) -> Option<&'d Json> {
    path.split('.').try_fold(doc, |value, step| value.get(step))
}

impl Mapping {
    /// What raw documents of its data set say of rows, if anything.
    pub fn stated(&self) -> Option<&StatementRule> {
        self.stated.as_ref()
    }
}

impl Compiler<'_> {
    pub(crate) fn stated(&mut self, file: &File, c: &Collection) -> Option<StatementRule> {
        let text = file.head.stated.as_ref()?;
        let place = format!("{}: stated", file.name);
        let list: Vec<ListEntry> = self.listed(&text.names, &place);
        let mut slot = |path: &str| {
            let own_slot = c.slot(path);
            if own_slot.is_none() {
                let message = format!("{} has no field {path}", c.slug);
                self.faults.add(&place, "no-such-field", message);
            }
            own_slot
        };
        let mut stated = StatementRule {
            list: text.list.clone(),
            by: text.by.clone(),
            day: text.day.clone(),
            date: slot(&text.date)?,
            sender: slot(&text.sender)?,
            flag: slot(&text.flag)?,
            ..StatementRule::default()
        };
        for (place, set) in [&text.set, &text.association].into_iter().enumerate() {
            for (path, value) in set {
                let value = (slot(path)?, Value::from(value.as_str()));
                stated.set.get_mut(place)?.push(value);
            }
        }
        for (path, field) in &text.texts {
            let at = slot(field)?;
            let most = match c.fields.get(at).map(|f| &f.kind) {
                Some(Kind::Text(most)) => *most,
                _ => usize::MAX,
            };
            stated.texts.push((path.clone(), at, most));
        }
        for item in &list {
            let mut filled = Vec::new();
            for (member, path) in &text.value {
                let path = path.replace("@value", &item.field).replace('*', &item.name);
                // Not every value has a reliability.
                if let Some(at) = c.slot(&path) {
                    filled.extend(c.fields.get(at).map(|f| (member.clone(), NumberField::of(at, f))));
                }
            }
            let code = text.code.as_ref().map(|table| {
                let listed_code = self.tables.get(table).and_then(|t| t.out.get(&item.name));
                listed_code.cloned().unwrap_or_else(|| pascal(&item.name))
            });
            stated.names.insert(code.unwrap_or_else(|| item.name.clone()), filled);
        }
        for (word, name) in &text.words {
            if let Some(filled) = stated.names.get(name).cloned() {
                stated.names.insert(word.clone(), filled);
            }
        }
        for (member, [field, table, other]) in &text.kind {
            let at = c.slot(field)?;
            let words = match c.fields.get(at).map(|f| &f.kind) {
                Some(Kind::Select(words)) => words.clone(),
                _ => Vec::new(),
            };
            let codes = words.into_iter().map(|word| {
                let listed_code = self.tables.get(table).and_then(|t| t.out.get(&word));
                (listed_code.cloned().unwrap_or_else(|| pascal(&word)), word)
            });
            stated.kind.push((member.clone(), at, codes.collect(), other.clone()));
        }
        Some(stated)
    }
}

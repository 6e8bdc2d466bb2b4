//! Rows that two senders report, each from its own side (`meets` of the head): a document of one of
//! them comes to the row that the other one has recorded. And rows that are shown to their sender
//! before they take effect (`waits`).

use crate::compile::Compiler;
use crate::compile::file::{File, When};
use crate::compile::plan::Condition;
use crate::path::{Env, Scope};
use crate::read::elements::NoRelations;
use crate::render::holds;
use crate::render::relations::Hops;
use crate::{Intake, Mapping};
use model::record::{Record, Value, time};
use model::registry::{Collection, Kind};
use std::collections::BTreeMap;

/// Milliseconds.
const DAY: i64 = 86_400_000;

/// Rows that have a sender's pair and do not fulfil the conditions of the head (yet).
#[derive(Debug)]
pub(crate) struct WaitRule {
    pub when: Vec<Condition>,
    says: String,
    ended: String,
}

/// How a document finds the row of the other side.
#[derive(Debug)]
pub struct MatchRule {
    /// Slot of the event.
    event: usize,
    /// Slots in which document and row are equal.
    equal: Vec<usize>,
    /// Slots in which they are equal where the document has a value.
    equal_if_stated: Vec<usize>,
    /// So many days may lie between the events.
    days: i64,
    when: Vec<Condition>,
    /// Slot of the mark of rows that a document came to.
    mark: usize,
    join: Vec<(usize, Value)>,
    leave: Vec<(usize, Value)>,
    /// The message to the sender when its document came to a row.
    pub says: String,
    /// The message to the sender when its document leaves a row, which stays.
    pub stays: String,
}

/// What a document writes into a row that others recorded, by slot.
#[derive(Debug, Default)]
pub struct MatchWrites {
    /// What the sender decides by it.
    pub sender: Vec<(usize, Value)>,
    /// What the server stores with it.
    pub server: Vec<(usize, Value)>,
}

impl<'r> Compiler<'r> {
    /// Conditions on fields of the row itself.
    fn own_conditions(
        &mut self,
        file: &File,
        scope: Scope<'r>,
        place: &str,
        when: &When,
        hops: &mut Hops,
    ) -> Vec<Condition> {
        let at = format!("{}: {place}", file.name);
        let collection = scope.collection;
        for path in when.keys().filter(|path| collection.slot(path).is_none()) {
            let message = format!("{path} is no field of {}", collection.slug);
            self.fault(&at, "no-such-field", message);
        }
        let own: When = (when.iter())
            .filter(|(path, _)| collection.slot(path).is_some())
            .map(|(path, words)| (path.clone(), words.clone()))
            .collect();
        self.conditions(scope, &own, &format!("{at}."), hops)
    }

    pub(crate) fn waiting(&mut self, file: &File, scope: Scope<'r>, hops: &mut Hops) -> Option<WaitRule> {
        let text = file.head.waits.as_ref()?;
        if file.head.pair.is_none() {
            let message = "only documents of senders wait: needs a pair".to_owned();
            self.fault(&format!("{}: waits", file.name), "bad-waits", message);
        }
        Some(WaitRule {
            when: self.own_conditions(file, scope, "waits", &text.when, hops),
            says: text.says.clone(),
            ended: text.ended.clone(),
        })
    }

    pub(crate) fn match_rule(&mut self, file: &File, scope: Scope<'r>, hops: &mut Hops) -> Option<MatchRule> {
        let text = file.head.meets.as_ref()?;
        let collection = scope.collection;
        let at = format!("{}: meets", file.name);
        let complete = file.head.pair.is_some() && file.head.scope.is_some();
        let event = (file.head.event.list().first()).and_then(|path| collection.slot(path));
        let (Some(event), true) = (event, complete && file.head.animal.is_some()) else {
            let message = "needs a pair, a scope, an animal, and an own field as event".to_owned();
            self.fault(&at, "bad-meets", message);
            return None;
        };
        let mut slots = |c: &mut Self, paths: &[String]| -> Vec<usize> {
            let slots = paths.iter().filter_map(|path| {
                hops.own(path);
                let slot = collection.slot(path);
                if slot.is_none() {
                    let message = format!("{} has no field {path}", collection.slug);
                    c.fault(&at, "no-such-field", message);
                }
                slot
            });
            slots.collect()
        };
        let equal = slots(self, &text.equal);
        let equal_if_stated = slots(self, &text.named);
        let join = self.fixed(collection, &at, &text.join);
        let leave = self.fixed(collection, &at, &text.leave);
        let mark = slots(self, std::slice::from_ref(&text.mark)).first().copied();
        for path in text.join.keys().chain(text.leave.keys()) {
            hops.own(path);
        }
        let when = self.own_conditions(file, scope, "meets", &text.when, hops);
        let kind = |slot: usize| collection.fields.get(slot).map(|field| &field.kind);
        let Some(mark) = mark.filter(|slot| matches!(kind(*slot), Some(Kind::Bool))) else {
            let message = format!("{} is no field for yes or no", text.mark);
            self.fault(&at, "no-such-field", message);
            return None;
        };
        Some(MatchRule {
            event,
            equal,
            equal_if_stated,
            days: text.days,
            when,
            mark,
            join,
            leave,
            says: text.says.clone(),
            stays: text.stays.clone(),
        })
    }

    /// Fixed values of fields.
    pub(crate) fn fixed(
        &mut self,
        collection: &Collection,
        at: &str,
        values: &BTreeMap<String, toml::Value>,
    ) -> Vec<(usize, Value)> {
        let mut set = Vec::new();
        for (path, value) in values {
            let at = format!("{at}.{path}");
            let Some(slot) = collection.slot(path) else {
                let message = format!("{} has no field {path}", collection.slug);
                self.fault(&at, "no-such-field", message);
                continue;
            };
            match (collection.field(path).map(|f| &f.kind), value) {
                (Some(Kind::Select(words)), toml::Value::String(word)) if words.contains(word) => {
                    set.push((slot, Value::Text(word.clone())));
                }
                (Some(Kind::Bool), toml::Value::Boolean(b)) => set.push((slot, Value::Bool(*b))),
                (Some(Kind::Int), toml::Value::Integer(i)) => set.push((slot, Value::Int(*i))),
                (Some(Kind::Text(max)), toml::Value::String(text)) if text.chars().count() <= *max => {
                    set.push((slot, Value::Text(text.clone())));
                }
                _ => self.fault(&at, "no-such-value", format!("{path} cannot hold {value}")),
            }
        }
        set
    }
}

/// A row by itself: conditions on its own fields are evaluated against it.
fn alone(row: &Record) -> Env<'_> {
    Env { row, parts: &[], element: None, item: None, related: &NoRelations }
}

/// The value that a document gives a field.
fn said(intake: &Intake, slot: usize) -> Option<&Value> {
    let mut fields = intake.fields.iter();
    let field = fields.find(|(other, _)| *other == slot);
    field.map(|(_, value)| value).filter(|v| !v.is_null())
}

impl Mapping {
    /// How documents find rows that the other side has recorded.
    pub fn match_rule(&self) -> Option<&MatchRule> {
        self.match_rule.as_ref()
    }

    /// Whether rows may be shown before they take effect, so that some may end without it.
    pub fn has_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Whether a sender's row is shown although it does not fulfil the conditions of the head.
    pub(crate) fn waits_in(&self, env: &Env<'_>) -> bool {
        let has_pair = (self.pair).is_some_and(|(source, _)| !env.row.get(source).is_null());
        let waiting = self.waiting.as_ref().filter(|_| has_pair);
        waiting.is_some_and(|waiting| holds(&waiting.when, env))
    }

    /// The message to the sender of a row that waits.
    pub fn waits(&self, row: &Record) -> Option<&str> {
        let env = alone(row);
        let waiting = self.waiting.as_ref()?;
        (!holds(&self.when, &env) && self.waits_in(&env)).then_some(waiting.says.as_str())
    }

    /// Why a sender's row is not shown any more: it neither took effect nor waits.
    pub fn ended(&self, row: &Record) -> Option<&str> {
        let env = alone(row);
        let waiting = self.waiting.as_ref()?;
        (!holds(&self.when, &env) && !self.waits_in(&env)).then_some(waiting.ended.as_str())
    }

    /// Of rows of the animal of a document, the one that the other side recorded of the same
    /// event; none if there are several that are equally near.
    pub fn matching_row<'r>(
        &self,
        intake: &Intake,
        location: i64,
        rows: impl IntoIterator<Item = &'r Record>,
    ) -> Option<&'r Record> {
        let match_rule = self.match_rule.as_ref()?;
        let fits = rows.into_iter().filter(|row| {
            let free = (self.pair).is_some_and(|(source, _)| row.get(source).is_null());
            free && holds(&match_rule.when, &alone(row)) && self.unlike(intake, location, row).is_none()
        });
        let mut near: Vec<(i64, &Record)> =
            fits.filter_map(|row| Some((match_rule.apart(intake, row)?, row))).collect();
        near.sort_by_key(|(days, _)| *days);
        match near.as_slice() {
            [(_, row)] => Some(row),
            [(first, row), (second, _), ..] if first < second => Some(row),
            _ => None,
        }
    }

    /// The field in which a document is about another event than a row.
    pub fn unlike(&self, intake: &Intake, location: i64, row: &Record) -> Option<usize> {
        let match_rule = self.match_rule.as_ref()?;
        let scope = self.scope?;
        if row.get(scope).int() != Some(location) {
            return Some(scope);
        }
        let equal = match_rule.equal.iter().copied();
        let equal = equal.chain(self.inward.animal_slot());
        let equal = equal.map(|slot| (slot, true));
        let equal_if_stated = match_rule.equal_if_stated.iter().map(|slot| (*slot, false));
        let other = |slot: usize, must: bool| match said(intake, slot) {
            Some(said) => said != row.get(slot),
            None => must,
        };
        let mut fields = equal.chain(equal_if_stated);
        let difference = fields.find(|(slot, must)| other(*slot, *must));
        let late = match_rule.apart(intake, row).is_none_or(|days| days > match_rule.days);
        difference.map(|(slot, _)| slot).or(late.then_some(match_rule.event))
    }

    /// What is written into a row that a document of the other side comes to. `anew`: the document
    /// was there before.
    pub fn joins(&self, intake: &Intake, anew: bool) -> MatchWrites {
        let Some(match_rule) = &self.match_rule else {
            return MatchWrites::default();
        };
        let own = Intake { fields: Vec::new(), ..intake.clone() };
        let mut server = self.writes(own, false);
        server.push((match_rule.mark, true.into()));
        let sender = if anew { Vec::new() } else { match_rule.join.clone() };
        MatchWrites { sender, server }
    }

    /// What is written into the row when the document is retracted.
    pub fn leaves(&self) -> MatchWrites {
        let Some(match_rule) = &self.match_rule else {
            return MatchWrites::default();
        };
        let pair = self.pair.map(|(source, id)| [source, id]);
        let slots = pair.into_iter().flatten().chain(self.extra);
        let slots = slots.chain(self.dataset_slot);
        let mut server: Vec<(usize, Value)> = slots.map(|slot| (slot, Value::Null)).collect();
        server.push((match_rule.mark, false.into()));
        MatchWrites { sender: match_rule.leave.clone(), server }
    }
}

impl MatchRule {
    /// Whether the document of this side came to the row, which others recorded.
    pub fn is_joined(&self, row: &Record) -> bool {
        row.get(self.mark).truth()
    }

    /// Days between the event of a document and that of a row.
    fn apart(&self, intake: &Intake, row: &Record) -> Option<i64> {
        let day = |value: &Value| value.time().map(time::day_start);
        let said = said(intake, self.event).and_then(day)?;
        Some((said - day(row.get(self.event))?).abs() / DAY)
    }
}

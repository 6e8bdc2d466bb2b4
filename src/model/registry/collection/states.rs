//! Hidden state machines as a word of the declaration (docs/design/registry.md, *State machines*):
//! the states of a field, who may move a row from one to another, under which conditions, and what
//! is set and logged with it. The collection's hooks handle the effects of a move on other rows.
//! Knows neither how rows are stored nor who asks.

use crate::record::{Record, Value};
use crate::registry::access::Capability;
use crate::registry::collection::Collection;
use crate::registry::field::Kind;
use std::borrow::Cow;

/// The parties that may make a move. Hooks and jobs (the system) may make every declared one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The farm that the collection's rules let write the row, with this capability.
    Farm(Capability),
    /// The farm that this field of the row names, with this capability.
    Party(Capability, &'static str),
    Association,
    /// Role admin.
    Admin,
    /// No caller: the move results from another change.
    System,
}

/// Someone who may make a move, perhaps for a time only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mover {
    /// The party.
    pub who: Who,
    /// The number of days from the time in that field of the stored row.
    pub within: Option<(i64, &'static str)>,
}

/// What a move writes into another field of the row.
#[derive(Debug, Clone, PartialEq)]
pub enum Set {
    /// The time of the move, regardless of the sent value.
    Now,
    /// The user who makes it, regardless of the sent value.
    Me,
    /// The user who makes it, unless the field names a user already.
    MeIfEmpty,
    /// Nothing.
    Empty,
    To(Value),
}

/// One arrow of a machine, or several that differ only in where they begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The states it leaves; none: it is how a new row may begin.
    pub from: &'static [&'static str],
    /// The state it leads to.
    pub to: &'static str,
    /// The parties that may make it.
    pub movers: Vec<Mover>,
    /// Fields that must be filled then (400 on each that is not).
    pub needs: &'static [&'static str],
    /// Fields that pages ask for with it, though they may be left empty; days begin with today.
    pub asks: &'static [&'static str],
    /// Fields of these for which pages do not offer the record that another field of the row names.
    pub apart: &'static [(&'static str, &'static str)],
    /// The relation to users; the user it names may not make the move (403).
    pub unlike: Option<&'static str>,
    /// Fields of the stored row, each with the words one of which it must have (400).
    pub when: &'static [(&'static str, &'static [&'static str])],
    /// The relation to the user who recorded the row, and the field with the side of that user: pages do not offer the
    /// move of what the Association or the visitor's own organisation recorded, since hooks refuse it.
    pub recorded: Option<(&'static str, &'static str)>,
    /// What it writes into other fields of the row.
    pub sets: Vec<(&'static str, Set)>,
    /// Action of the operation log (docs/logs.md, *operations: what was done*); none where what it
    /// follows from is logged already.
    pub log: Option<&'static str>,
    /// Whether it ends something or cannot be taken back, so that people confirm it.
    pub grave: bool,
    /// What a caller reads who may not make it.
    pub says: &'static str,
    /// What follows from it, for `docs/states.md`.
    pub doc: &'static str,
}

/// How the state is read from a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// The field's own value: a word, `true` or `false`, or a level.
    Value,
    /// The state of the last of these times that is filled, `(state, path)`; the first
    /// word while none is.
    Times(&'static str, Vec<(&'static str, &'static str)>),
}

/// The machine of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct States {
    /// The field; with several times the first of them.
    pub path: &'static str,
    /// How the state is read.
    pub reading: Reading,
    /// The server alone sets how a row begins; a state that a caller sends then is ignored.
    pub begun_by_server: bool,
    pub moves: Vec<Move>,
    slots: Vec<usize>,
}

impl Move {
    /// A move from any of these states.
    pub fn new(from: &'static [&'static str], to: &'static str) -> Self {
        Self {
            from,
            to,
            movers: Vec::new(),
            needs: &[],
            asks: &[],
            apart: &[],
            unlike: None,
            when: &[],
            recorded: None,
            sets: Vec::new(),
            log: Some("status-changed"),
            grave: false,
            says: "You are not allowed to make this move.",
            doc: "",
        }
    }
    /// A state in which a new row may begin, besides the default.
    pub fn begin(to: &'static str) -> Self {
        Self::new(&[], to)
    }
    /// Adds a party who may make it.
    pub fn by(mut self, who: Who) -> Self {
        self.movers.push(Mover { who, within: None });
        self
    }
    /// Adds a party who may make it within a number of days from the time in a field.
    pub fn by_within(mut self, who: Who, days: i64, since: &'static str) -> Self {
        let within = Some((days, since));
        self.movers.push(Mover { who, within });
        self
    }
    /// Fields that must be filled.
    pub fn needs(mut self, paths: &'static [&'static str]) -> Self {
        self.needs = paths;
        self
    }
    /// Fields that pages ask for with it.
    pub fn asks(mut self, paths: &'static [&'static str]) -> Self {
        self.asks = paths;
        self
    }
    /// Fields for which pages do not offer the record that another field names.
    pub fn apart(mut self, pairs: &'static [(&'static str, &'static str)]) -> Self {
        self.apart = pairs;
        self
    }
    /// Excludes the user whom this relation names.
    pub fn unlike(mut self, path: &'static str) -> Self {
        self.unlike = Some(path);
        self
    }
    /// Fields that must have one of these words.
    pub fn when(mut self, fields: &'static [(&'static str, &'static [&'static str])]) -> Self {
        self.when = fields;
        self
    }
    /// Pages offer it of what others recorded than the Association and the visitor's own organisation.
    pub fn recorded(mut self, user: &'static str, side: &'static str) -> Self {
        self.recorded = Some((user, side));
        self
    }
    /// What it writes into another field.
    pub fn set(mut self, path: &'static str, set: Set) -> Self {
        self.sets.push((path, set));
        self
    }
    /// Action of the operation log; `status-changed` unless given.
    pub fn log(mut self, action: &'static str) -> Self {
        self.log = Some(action);
        self
    }
    /// Logged with what it follows from.
    pub fn silent(mut self) -> Self {
        self.log = None;
        self
    }
    /// It ends something or cannot be taken back: people confirm it.
    pub fn grave(mut self) -> Self {
        self.grave = true;
        self
    }
    /// What a caller reads who may not make it.
    pub fn says(mut self, text: &'static str) -> Self {
        self.says = text;
        self
    }
    /// What follows from it.
    pub fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }
    /// Whether it is one of those: from a state, or (`None`) the beginning of a row.
    pub fn is(&self, from: Option<&str>, to: &str) -> bool {
        let leaves = match from {
            Some(from) => self.from.contains(&from),
            None => self.from.is_empty(),
        };
        leaves && self.to == to
    }
}

/// A machine with its moves, each with its effect:
/// `moves![States::of("status"); Move::new(&["new"], "closed").by(Who::Association) => "It is over."]`.
#[macro_export]
macro_rules! moves {
    ($states:expr; $($step:expr $(=> $doc:literal)?),+ $(,)?) => {
        $states$(.with($step$(.doc($doc))?))+
    };
}
pub use moves;

impl States {
    /// The machine of a select, a yes-or-no or a level.
    pub fn of(path: &'static str) -> Self {
        Self { path, reading: Reading::Value, begun_by_server: false, moves: Vec::new(), slots: Vec::new() }
    }
    /// A machine whose state is given by points in time: `none` while no path is filled, else the
    /// state of the last filled one. Another time without another state is a move of the state to
    /// itself.
    pub fn times(none: &'static str, stamps: &[(&'static str, &'static str)]) -> Self {
        Self {
            path: stamps.first().map_or("", |(_, path)| path),
            reading: Reading::Times(none, stamps.to_vec()),
            ..Self::of("")
        }
    }
    /// The server alone says how a row begins.
    pub fn begun_by_server(mut self) -> Self {
        self.begun_by_server = true;
        self
    }
    /// Adds a move.
    pub fn with(mut self, one: Move) -> Self {
        self.moves.push(one);
        self
    }

    /// The fields that hold the state.
    pub fn paths(&self) -> Vec<&'static str> {
        match &self.reading {
            Reading::Value => vec![self.path],
            Reading::Times(_, stamps) => stamps.iter().map(|(_, path)| *path).collect(),
        }
    }

    /// Every state that a move names or that a row has before any.
    pub fn words(&self) -> Vec<&'static str> {
        let mut words = Vec::new();
        if let Reading::Times(none, stamps) = &self.reading {
            words.push(*none);
            words.extend(stamps.iter().map(|(state, _)| *state));
        }
        for one in &self.moves {
            words.extend(one.from);
            words.push(one.to);
        }
        let mut distinct = Vec::new();
        words.retain(|word| {
            let fresh = !distinct.contains(word);
            distinct.push(*word);
            fresh
        });
        words
    }

    /// The state of a row.
    pub fn read<'r>(&self, c: &Collection, row: &'r Record) -> Cow<'r, str> {
        if let Reading::Times(none, stamps) = &self.reading {
            let filled = (stamps.iter().zip(&self.slots)).rev().find(|(_, slot)| !row.get(**slot).is_null());
            return Cow::Borrowed(filled.map_or(*none, |((state, _), _)| *state));
        }
        let slot = self.slots.first().copied().unwrap_or(usize::MAX);
        word(row.get(slot)).unwrap_or_else(|| self.default(c))
    }

    /// The state of a row that says nothing.
    pub fn default(&self, c: &Collection) -> Cow<'static, str> {
        if let Reading::Times(none, _) = &self.reading {
            return Cow::Borrowed(none);
        }
        let default = c.field(self.path).and_then(|f| f.default.as_ref());
        let state = default.and_then(|value| Some(word(value)?.into_owned()));
        state.map_or(Cow::Borrowed("false"), Cow::Owned)
    }

    /// The slots of [`paths`](Self::paths).
    pub(crate) fn slots(&self) -> &[usize] {
        &self.slots
    }

    /// The move between two states; from `None` the beginning of a row.
    pub fn find(&self, from: Option<&str>, to: &str) -> Option<&Move> {
        self.moves.iter().find(|one| one.is(from, to))
    }

    /// The moves of a row to another state that people make.
    pub fn made_by_people(&self) -> impl Iterator<Item = &Move> {
        let by = |one: &Move| one.movers.iter().any(|mover| mover.who != Who::System);
        let other = |one: &Move| one.from.iter().any(|from| *from != one.to);
        self.moves.iter().filter(move |one| by(one) && other(one))
    }

    /// Whether the Association moves it by itself.
    pub(crate) fn moved_by_association(&self) -> bool {
        let by = |one: &Move| one.movers.iter().any(|m| m.who == Who::Association);
        self.moves.iter().any(|one| !one.from.is_empty() && by(one))
    }

    /// With the slots of its collection.
    pub(crate) fn bound(mut self, c: &Collection) -> Self {
        self.slots = self.paths().iter().map(|path| c.at(path)).collect();
        self
    }
}

fn word(value: &Value) -> Option<Cow<'_, str>> {
    Some(match value {
        Value::Text(text) => Cow::Borrowed(text),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Int(level) => Cow::Owned(level.to_string()),
        _ => return None,
    })
}

/// Names of a machine that the collection does not have.
pub(crate) fn check(c: &Collection, fault: &mut impl FnMut(&str, &'static str, String)) {
    for states in &c.states {
        let mut paths = states.paths();
        for one in &states.moves {
            paths.extend(one.needs);
            paths.extend(one.asks);
            paths.extend(one.sets.iter().map(|(path, _)| *path));
            paths.extend(one.unlike);
            paths.extend(one.recorded.iter().flat_map(|(user, side)| [user, side]));
            paths.extend(one.when.iter().map(|(path, _)| *path));
            paths.extend(one.apart.iter().flat_map(|(path, other)| [path, other]));
            for mover in &one.movers {
                paths.extend(mover.within.map(|(_, since)| since));
                if let Who::Party(_, path) = mover.who {
                    paths.push(path);
                }
            }
            if one.movers.is_empty() {
                let text = format!("no party may move to {}", one.to);
                fault(states.path, "no-mover", text);
            }
        }
        for path in paths {
            if c.slot(path).is_none() {
                fault(path, "no-such-field", "named by a state machine".to_owned());
            }
        }
        if let Some(Kind::Select(options)) = c.field(states.path).map(|f| &f.kind)
            && let Some(word) = (states.words().into_iter()).find(|w| !options.iter().any(|k| k == w))
        {
            fault(states.path, "no-such-state", format!("moves name {word}"));
        }
    }
}

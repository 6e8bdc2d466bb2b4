//! Paths to a value of a record, its relations included, and how they are followed. Knows no
//! conversions.

use crate::Related;
use model::record::{Record, Value};
use model::registry::{Collection, Field, ID, Kind, Registry};

/// A value on its way out, borrowed from a slot or from a row's member.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum View<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Num(f64),
    Text(&'a str),
    Time(i64),
}

impl<'a> View<'a> {
    pub(crate) fn of(value: &'a Value) -> Self {
        match value {
            Value::Bool(b) => Self::Bool(*b),
            Value::Int(i) => Self::Int(*i),
            Value::Num(n) => Self::Num(*n),
            Value::Text(t) => Self::Text(t),
            Value::Time(t) => Self::Time(*t),
            Value::Null | Value::Ids(_) | Value::Texts(_) | Value::Json(_) => Self::Null,
        }
    }

    /// A member of a row. Times inside rows are ISO text.
    pub(crate) fn of_json(value: &'a serde_json::Value, time: bool) -> Self {
        match value {
            serde_json::Value::Bool(b) => Self::Bool(*b),
            serde_json::Value::Number(n) => {
                (n.as_i64().map(Self::Int)).or_else(|| n.as_f64().map(Self::Num)).unwrap_or(Self::Null)
            }
            serde_json::Value::String(t) if time => ade::time::parse(t).map_or(Self::Null, Self::Time),
            serde_json::Value::String(t) => Self::Text(t),
            _ => Self::Null,
        }
    }

    pub(crate) fn int(self) -> Option<i64> {
        match self {
            Self::Int(i) => Some(i),
            _ => None,
        }
    }

    pub(crate) fn num(self) -> Option<f64> {
        match self {
            Self::Num(n) => Some(n),
            #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
            Self::Int(i) => Some(i as f64),
            _ => None,
        }
    }
}

/// What a source is evaluated against.
#[derive(Clone, Copy)]
pub(crate) struct Env<'a> {
    pub row: &'a Record,
    /// All rows of the document.
    pub parts: &'a [&'a Record],
    /// The element of the spread list that this document is about.
    pub element: Option<i64>,
    /// The row inside a rows field.
    pub item: Option<&'a serde_json::Value>,
    pub related: &'a dyn Related,
}

/// Where a source starts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Root {
    /// The record itself.
    Row,
    /// The current element of the relation list in this slot.
    Element { slot: usize, path: String, target: String },
    /// A member of the current row of the rows field in this slot.
    Item {
        slot: usize,
        rows: String,
        name: String,
        time: bool,
        /// Where a relation points; empty for a plain value.
        target: String,
    },
}

/// A relation to follow.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub path: String,
    pub slot: usize,
    pub target: String,
    /// The other collection points here: `path` and `slot` are those of its relation.
    pub reverse: bool,
}

/// A compiled field path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Source {
    pub root: Root,
    pub steps: Vec<Step>,
    /// Slot of the value in the last record.
    pub slot: usize,
    /// Its path there.
    pub last: String,
    pub kind: Kind,
    pub required: bool,
}

/// Where paths are resolved: a collection, perhaps one of its rows fields.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'r> {
    pub registry: &'r Registry,
    pub collection: &'r Collection,
    pub spread: Option<&'r str>,
    pub rows: Option<&'r str>,
}

impl Scope<'_> {
    /// Resolves a field path: own fields, `relation.field`, `collection@relation.field`
    /// for the first record that points here, a spread list for its current element.
    pub(crate) fn source(&self, path: &str) -> Option<Source> {
        if let Some(rows) = self.rows {
            return self.item(rows, path);
        }
        if let Some(spread) = self.spread
            && let Some(rest) = path.strip_prefix(spread)
            && (rest.is_empty() || rest.starts_with('.'))
        {
            let slot = self.collection.slot(spread)?;
            let field = self.collection.field(spread)?;
            if matches!(field.kind, Kind::Rows(_)) {
                return self.item(spread, rest.strip_prefix('.')?);
            }
            let target = self.registry.get(field.target()?)?;
            let root = Root::Element { slot, path: spread.to_owned(), target: target.slug.to_owned() };
            return self.walk(root, target, rest.strip_prefix('.').unwrap_or("id"));
        }
        self.walk(Root::Row, self.collection, path)
    }

    fn item(&self, rows: &str, path: &str) -> Option<Source> {
        let slot = self.collection.slot(rows)?;
        let Kind::Rows(subs) = &self.collection.field(rows)?.kind else {
            return None;
        };
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        let sub: &Field = subs.iter().find(|f| f.path == name || f.path == path)?;
        let root = Root::Item {
            slot,
            rows: rows.to_owned(),
            name: sub.path.clone(),
            time: matches!(sub.kind, Kind::Day | Kind::Instant),
            target: sub.target().unwrap_or_default().to_owned(),
        };
        if sub.path == path {
            return Some(Source {
                root,
                steps: Vec::new(),
                slot: ID,
                last: String::new(),
                kind: sub.kind.clone(),
                required: sub.required,
            });
        }
        self.walk(root, self.registry.get(sub.target()?)?, rest)
    }

    fn walk(&self, root: Root, start: &Collection, path: &str) -> Option<Source> {
        let mut steps = Vec::new();
        let (mut at, mut rest, mut sure) = (start, path, true);
        loop {
            if let Some(field) = at.field(rest) {
                return Some(Source {
                    root,
                    steps,
                    slot: at.slot(rest)?,
                    last: field.path.clone(),
                    kind: field.kind.clone(),
                    required: sure && (field.required || rest == "id"),
                });
            }
            let (step, tail, required) = self.step(at, rest)?;
            sure = sure && required;
            at = self.registry.get(&step.target)?;
            rest = tail;
            steps.push(step);
        }
    }

    fn step<'p>(&self, at: &Collection, path: &'p str) -> Option<(Step, &'p str, bool)> {
        path.match_indices('.').find_map(|(dot, _)| {
            let (head, tail) = (path.get(..dot)?, path.get(dot + 1..)?);
            if let Some((target, relation)) = head.split_once('@') {
                let field = self.registry.get(target)?.field(relation)?;
                (field.target() == Some(at.slug)).then_some(())?;
                let step = Step {
                    path: relation.to_owned(),
                    slot: self.registry.get(target)?.slot(relation)?,
                    target: target.to_owned(),
                    reverse: true,
                };
                return Some((step, tail, false));
            }
            let field = at.field(head)?;
            let Kind::Relation(target) = &field.kind else {
                return None;
            };
            let step = Step { path: head.to_owned(), slot: at.slot(head)?, target: target.clone(), reverse: false };
            Some((step, tail, field.required))
        })
    }
}

impl Source {
    /// The path one relation further: the record it points to. A path that ends in
    /// `id` already means the record itself.
    pub(crate) fn into_record(mut self) -> Option<Self> {
        if let Kind::Relation(target) = &self.kind {
            let target = target.clone();
            if !matches!(self.root, Root::Item { .. }) || !self.steps.is_empty() {
                self.steps.push(Step {
                    path: self.last.clone(),
                    slot: self.slot,
                    target: target.clone(),
                    reverse: false,
                });
            }
            self.slot = ID;
            "id".clone_into(&mut self.last);
            self.kind = Kind::Int;
            return Some(self);
        }
        (self.slot == ID && self.last == "id").then_some(self)
    }

    /// Whether the value is in the record itself.
    pub(crate) fn own(&self) -> bool {
        self.root == Root::Row && self.steps.is_empty()
    }

    /// The record that holds the value.
    pub(crate) fn record<'a>(&self, env: &Env<'a>) -> Option<&'a Record> {
        let mut at = match &self.root {
            Root::Row => env.row,
            Root::Element { target, .. } => env.related.get(target, env.element?)?,
            Root::Item { name, target, .. } => env.related.get(target, env.item?.get(name)?.as_i64()?)?,
        };
        for step in &self.steps {
            at = if step.reverse {
                env.related.pointing(&step.target, &step.path, at.get(ID).int()?)?
            } else {
                env.related.get(&step.target, at.get(step.slot).int()?)?
            };
        }
        Some(at)
    }

    /// The value.
    pub(crate) fn view<'a>(&self, env: &Env<'a>) -> View<'a> {
        match &self.root {
            Root::Element { .. } if self.steps.is_empty() && self.slot == ID => {
                return env.element.map_or(View::Null, View::Int);
            }
            Root::Item { name, time, .. } if self.last.is_empty() => {
                let member = env.item.and_then(|item| item.get(name));
                return member.map_or(View::Null, |v| View::of_json(v, *time));
            }
            _ => {}
        }
        self.record(env).map_or(View::Null, |r| View::of(r.get(self.slot)))
    }
}

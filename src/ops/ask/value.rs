//! Operators and operands: what `path[operator]=operand` says about a field, by the kind
//! of the field (docs/dialect.md, *Operators*, *Values in conditions*).

use super::number::number;
pub(super) use super::operator::Operator;
use model::query::qs::Tree;
use model::query::{Cmp, Filter};
use model::record::{Value, time};
use model::registry::{Field, Kind};
use serde_json::Value as Json;

/// Characters of a text to search for.
pub(super) const SEARCH_MAX: usize = 2_000;

/// The meaning of an operator with its operand.
pub(super) enum Meaning {
    /// There is a value, and it fulfils this.
    Is(Filter),
    /// There is none that fulfils this.
    Not(Filter),
}

/// Why nothing can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueError {
    /// The operator, or this operand, has no meaning for the field.
    NotHere,
    /// A text longer than [`SEARCH_MAX`].
    TooLong,
}

/// A condition that was read, with its size.
pub(super) struct Read {
    pub(super) meaning: Result<Meaning, ValueError>,
    pub(super) conditions: usize,
    pub(super) values: usize,
}

/// How values of a field compare.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Text,
    Whole,
    Id,
    Decimal,
    Time,
    Truth,
    Ids,
    Texts,
    Opaque,
}

impl Sort {
    fn of(field: &Field) -> Self {
        match field.kind {
            Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Select(_) => Self::Text,
            Kind::Int => Self::Whole,
            Kind::Relation(_) => Self::Id,
            Kind::Number => Self::Decimal,
            Kind::Day | Kind::Instant => Self::Time,
            Kind::Bool => Self::Truth,
            Kind::Relations(_) => Self::Ids,
            Kind::Selects(_) | Kind::Texts(_) => Self::Texts,
            Kind::Json | Kind::Rows(_) | Kind::Password => Self::Opaque,
        }
    }
    fn is_list(self) -> bool {
        matches!(self, Self::Ids | Self::Texts)
    }
    fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Texts)
    }
}

/// What an operator with an operand says about a field.
pub(super) fn read(slot: usize, field: &Field, operator: Operator, operand: &Tree) -> Read {
    let mut about = About { slot, field, sort: Sort::of(field), conditions: 1, values: 0 };
    let meaning = about.read(operator, operand);
    Read { meaning, conditions: about.conditions, values: about.values }
}

struct About<'f> {
    slot: usize,
    field: &'f Field,
    sort: Sort,
    conditions: usize,
    values: usize,
}

impl About<'_> {
    fn read(&mut self, operator: Operator, operand: &Tree) -> Result<Meaning, ValueError> {
        if operator == Operator::Exists {
            return Ok(if is_true(operand) { Meaning::Is(self.filled()) } else { Meaning::Not(self.filled()) });
        }
        if self.sort == Sort::Opaque {
            return Err(ValueError::NotHere);
        }
        match operator {
            Operator::Equals => self.equals(operand),
            Operator::NotEquals => Ok(opposite(self.equals(operand)?)),
            Operator::In => Ok(Meaning::Is(self.any(operand)?)),
            Operator::NotIn => self.none(operand),
            Operator::Like => self.like(operand),
            Operator::NotLike => Ok(opposite(self.like(operand)?)),
            Operator::Contains => self.contains(operand),
            Operator::All => self.all(operand),
            Operator::Greater | Operator::GreaterEqual | Operator::Less | Operator::LessEqual => {
                self.ordered(operator, operand)
            }
            Operator::Exists => Err(ValueError::NotHere),
        }
    }

    fn cmp(&self, cmp: Cmp) -> Filter {
        Filter::Cmp(self.slot, cmp)
    }
    fn filled(&self) -> Filter {
        self.cmp(Cmp::Null).negate()
    }
    /// One value: equal, or in the list.
    fn is(&self, value: Value) -> Filter {
        self.cmp(if self.sort.is_list() { Cmp::Has(value) } else { Cmp::Eq(value) })
    }

    fn equals(&mut self, operand: &Tree) -> Result<Meaning, ValueError> {
        let null = match operand {
            Tree::Text(text) => !self.sort.is_text() && text == "null",
            Tree::Scalar(json) => json.is_null(),
            Tree::List(_) | Tree::Map(_) => return Err(ValueError::NotHere),
        };
        if null {
            return Ok(Meaning::Not(self.filled()));
        }
        // What no value of the field can be equals none.
        Ok(Meaning::Is(self.coerce(operand).map_or(Filter::False, |v| self.is(v))))
    }

    fn any(&mut self, operand: &Tree) -> Result<Filter, ValueError> {
        let values = self.elements(operand)?;
        if self.sort == Sort::Texts {
            self.conditions += values.len();
            return Ok(Filter::or(values.into_iter().map(|v| self.is(v))));
        }
        Ok(Filter::any_of(self.slot, values))
    }

    /// Rows without a value are left out, except of relations, and when nothing is excluded.
    fn none(&mut self, operand: &Tree) -> Result<Meaning, ValueError> {
        let any = self.any(operand)?;
        let keeps_empty = self.sort == Sort::Id || self.sort.is_list();
        if keeps_empty || matches!(any, Filter::False) {
            return Ok(Meaning::Not(any));
        }
        Ok(Meaning::Is(Filter::and([self.filled(), any.negate()])))
    }

    fn all(&mut self, operand: &Tree) -> Result<Meaning, ValueError> {
        if !self.sort.is_list() {
            return Err(ValueError::NotHere);
        }
        let values = self.elements(operand)?;
        self.conditions += values.len();
        Ok(Meaning::Is(Filter::and(values.into_iter().map(|v| self.is(v)))))
    }

    fn like(&mut self, operand: &Tree) -> Result<Meaning, ValueError> {
        if self.sort != Sort::Text {
            return self.equals(operand);
        }
        let text = searched(operand)?;
        let words = text.split(' ').filter(|word| !word.is_empty());
        Ok(self.words(&text, words.map(str::to_owned).collect()))
    }

    fn contains(&mut self, operand: &Tree) -> Result<Meaning, ValueError> {
        if self.sort.is_list() {
            return self.equals(operand);
        }
        if self.sort != Sort::Text {
            return Err(ValueError::NotHere);
        }
        let text = searched(operand)?;
        let whole = Some(text.clone()).filter(|text| !text.is_empty());
        Ok(self.words(&text, whole.into_iter().collect()))
    }

    fn words(&mut self, text: &str, words: Vec<String>) -> Meaning {
        self.conditions += words.len();
        // No stored text has a zero character, and PostgreSQL refuses one as a parameter.
        Meaning::Is(if text.contains('\0') { Filter::False } else { self.cmp(Cmp::Words(words)) })
    }

    fn ordered(&mut self, operator: Operator, operand: &Tree) -> Result<Meaning, ValueError> {
        if self.sort.is_list() || self.sort == Sort::Truth {
            return Err(ValueError::NotHere);
        }
        let whole = matches!(self.sort, Sort::Whole | Sort::Id);
        let value = match operand {
            Tree::List(_) | Tree::Map(_) => return Err(ValueError::NotHere),
            operand if whole => number(operand).map(|n| n.towards(operator)),
            operand => self.coerce(operand),
        };
        let Some(value) = value else { return Ok(Meaning::Is(Filter::False)) };
        Ok(Meaning::Is(self.cmp(match operator {
            Operator::Greater => Cmp::Gt(value),
            Operator::GreaterEqual => Cmp::Ge(value),
            Operator::Less => Cmp::Lt(value),
            _ => Cmp::Le(value),
        })))
    }

    /// A comma list or an array. A part that cannot be a value of the field spoils the list, since leaving it out would
    /// reverse the meaning of `not_in`; empty parts are skipped except among texts, and so is null.
    fn elements(&mut self, operand: &Tree) -> Result<Vec<Value>, ValueError> {
        let parts: Vec<Tree> = match operand {
            Tree::Text(text) => text.split(',').map(|t| Tree::Text(t.to_owned())).collect(),
            Tree::List(parts) => parts.clone(),
            Tree::Scalar(json) => vec![Tree::Scalar(json.clone())],
            Tree::Map(_) => return Err(ValueError::NotHere),
        };
        let mut values = Vec::with_capacity(parts.len());
        for part in &parts {
            let passed = match part {
                Tree::Text(text) => !self.sort.is_text() && text.trim().is_empty(),
                Tree::Scalar(json) => json.is_null(),
                Tree::List(_) | Tree::Map(_) => return Err(ValueError::NotHere),
            };
            match self.coerce(part) {
                _ if passed => {}
                Some(value) => values.push(value),
                None if self.sort.is_text() => {}
                None => return Err(ValueError::NotHere),
            }
        }
        self.values += values.len();
        Ok(values)
    }

    /// An operand as a value of the field; none when no value can be so.
    fn coerce(&mut self, operand: &Tree) -> Option<Value> {
        match self.sort {
            Sort::Text | Sort::Texts => {
                words_of(operand).filter(|text| !text.contains('\0')).map(|text| Value::Text(self.field.spell(text)))
            }
            Sort::Whole | Sort::Id | Sort::Ids => number(operand)?.exact().map(Value::Int),
            Sort::Decimal => number(operand).map(|n| Value::Num(n.decimal())),
            Sort::Time => match operand {
                Tree::Text(text) => time::parse_filter(text),
                Tree::Scalar(json) => json.as_i64(),
                Tree::List(_) | Tree::Map(_) => None,
            }
            .filter(|ms| (time::MIN_MS..=time::MAX_MS).contains(ms))
            .map(Value::Time),
            Sort::Truth => match operand {
                Tree::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
                Tree::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
                Tree::Scalar(json) => json.as_bool(),
                _ => None,
            }
            .map(Value::Bool),
            Sort::Opaque => None,
        }
    }
}

fn opposite(meaning: Meaning) -> Meaning {
    match meaning {
        Meaning::Is(inner) => Meaning::Not(inner),
        Meaning::Not(inner) => Meaning::Is(inner),
    }
}

/// Only lower-case `true` asks for a value.
fn is_true(operand: &Tree) -> bool {
    match operand {
        Tree::Text(text) => text == "true",
        Tree::Scalar(json) => *json == Json::Bool(true),
        Tree::List(_) | Tree::Map(_) => false,
    }
}

fn words_of(operand: &Tree) -> Option<String> {
    match operand {
        Tree::Text(text) => Some(text.clone()),
        Tree::Scalar(Json::Number(number)) => Some(number.to_string()),
        Tree::Scalar(Json::Bool(truth)) => Some(truth.to_string()),
        Tree::Scalar(_) | Tree::List(_) | Tree::Map(_) => None,
    }
}

fn searched(operand: &Tree) -> Result<String, ValueError> {
    let text = words_of(operand).ok_or(ValueError::NotHere)?;
    if text.chars().nth(SEARCH_MAX).is_some() {
        return Err(ValueError::TooLong);
    }
    Ok(text)
}

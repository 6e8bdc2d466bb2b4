//! Conditions as a tree over slots. Every name was resolved before: a filter cannot name
//! what is not declared.

use crate::record::Value;
use crate::registry::Collection;

/// A condition on a row of one collection.
#[derive(Debug, Clone)]
pub enum Filter {
    /// Every row.
    True,
    /// No row.
    False,
    /// All of them.
    And(Vec<Filter>),
    /// Any of them.
    Or(Vec<Filter>),
    /// Holds where the inner one does not; an unknown counts as not.
    Not(Box<Filter>),
    /// A comparison of an own stored field.
    Cmp(usize, Cmp),
    /// A related row (of a relation or a relation list) that fulfils the inner condition exists.
    Via(usize, &'static Collection, Box<Filter>),
    /// [`Filter::Via`] where the related rows are so few that they are found first.
    Among(usize, &'static Collection, Box<Filter>),
    /// A row of another collection that fulfils the inner condition exists, whose slots
    /// equal own ones: `(slot there, slot here)`.
    Backed(&'static Collection, Vec<(usize, usize)>, Box<Filter>),
    /// An element of a list of rows fulfils the inner condition, whose slots count the
    /// fields of those rows.
    Element(usize, Box<Filter>),
    /// A row of another collection that points here fulfils the inner condition.
    Join(Pointing, Box<Filter>),
}

/// Rows of another collection that point to a row by one of several relations.
#[derive(Debug, Clone)]
pub struct Pointing {
    /// The other collection.
    pub from: &'static Collection,
    /// Its relations, each with what must hold on the row there for the relation to count.
    pub on: Vec<(usize, Filter)>,
}

/// A comparison; null fulfils none but [`Cmp::Null`].
#[derive(Debug, Clone, PartialEq)]
pub enum Cmp {
    /// Not filled. For lists: empty.
    Null,
    /// Equal, case and all.
    Eq(Value),
    /// One of these.
    In(Vec<Value>),
    /// Less than.
    Lt(Value),
    /// At most.
    Le(Value),
    /// Greater than.
    Gt(Value),
    /// At least.
    Ge(Value),
    /// Text in which all the words occur, in any case.
    Words(Vec<String>),
    /// A list that has this value.
    Has(Value),
}

impl Filter {
    /// ANDs, simplified.
    pub fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut filters = Vec::new();
        for part in parts {
            match part {
                Self::True => {}
                Self::False => return Self::False,
                Self::And(inner) => filters.extend(inner),
                other => filters.push(other),
            }
        }
        match filters.len() {
            0 => Self::True,
            1 => filters.remove(0),
            _ => Self::And(filters),
        }
    }

    /// ORs, simplified.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut filters = Vec::new();
        for part in parts {
            match part {
                Self::False => {}
                Self::True => return Self::True,
                Self::Or(inner) => filters.extend(inner),
                other => filters.push(other),
            }
        }
        match filters.len() {
            0 => Self::False,
            1 => filters.remove(0),
            _ => Self::Or(filters),
        }
    }

    /// The opposite, simplified.
    pub fn negate(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// An own field equals.
    pub fn eq(slot: usize, value: impl Into<Value>) -> Self {
        Self::Cmp(slot, Cmp::Eq(value.into()))
    }

    /// An own field is one of these; with none, never.
    pub fn any_of(slot: usize, values: Vec<Value>) -> Self {
        if values.is_empty() { Self::False } else { Self::Cmp(slot, Cmp::In(values)) }
    }

    /// A row of another collection backs this one.
    pub fn backed(by: &'static Collection, on: Vec<(usize, usize)>, inner: Self) -> Self {
        match inner {
            Self::False => Self::False,
            inner => Self::Backed(by, on, Box::new(inner)),
        }
    }

    /// An element of a list of rows fulfils the condition.
    pub fn element(slot: usize, inner: Self) -> Self {
        match inner {
            Self::False => Self::False,
            inner => Self::Element(slot, Box::new(inner)),
        }
    }

    /// A row that points here fulfils the condition.
    pub fn join(pointing: Pointing, inner: Self) -> Self {
        match inner {
            Self::False => Self::False,
            inner => Self::Join(pointing, Box::new(inner)),
        }
    }

    /// A related row fulfils the condition.
    pub fn via(slot: usize, target: &'static Collection, inner: Self) -> Self {
        match inner {
            Self::False => Self::False,
            inner => Self::Via(slot, target, Box::new(inner)),
        }
    }
}

/// A relation that a key of an order follows.
#[derive(Debug, Clone)]
pub struct OrderHop {
    /// The slot of the relation.
    pub relation: usize,
    /// The collection that it leads to.
    pub target: &'static Collection,
    /// What must hold on the row there; where it does not, the key is empty.
    pub guard: Filter,
}

/// One key of an order: through which relations (with what must hold there), which field,
/// and whether descending.
#[derive(Debug, Clone)]
pub struct Order {
    /// Relations to follow, the first from the row itself.
    pub hops: Vec<OrderHop>,
    /// The field at the end.
    pub slot: usize,
    /// From high to low.
    pub descending: bool,
}

//! Translates the queries of the REST dialect (docs/dialect.md, *Conditions*, *Order*) into conditions and orders over
//! declared fields, under the rights of the caller: a field that the caller may not read cannot be queried, so its
//! values cannot be guessed by queries. Must not know SQL nor HTTP. Where a condition reads a related row, it reads
//! only what the caller may read there; a row whose related value is closed to the caller counts as one without a
//! value, also under negation.

mod cost;
mod number;
mod operator;
mod path;
mod value;

use self::cost::Cost;
pub(super) use self::cost::{examined, leading};
use self::path::{Hop, Path, PathError, resolve};
use self::value::{Meaning, Operator, ValueError};
use super::access::Gate;
use model::error::{Error, Result};
use model::messages::Sentence;
use model::query::qs::Tree;
use model::query::{Filter, Order};
use model::registry::{Collection, ID, Registry};
use model::said;

/// Conditions (operators, and words of a search) in one `where`.
const CONDITIONS_MAX: usize = 1_000;
/// Values in all lists of one `where`.
const VALUES_MAX: usize = 20_000;
/// Keys of one order.
const KEYS_MAX: usize = 32;

/// The condition and order of a request for a list, ready to be compiled.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// The condition, with what the order demands of each row; without the read rule.
    pub filter: Filter,
    /// The order; never empty.
    pub orders: Vec<Order>,
    /// Paths of both that no index leads along.
    pub unindexed: Vec<String>,
}

/// Whether a path leads to a field, regardless of what the caller may see.
pub fn exists(registry: &'static Registry, c: &'static Collection, path: &str) -> bool {
    path::exists(registry, c, path)
}

/// Reads a `where` and the keys of a `sort`.
///
/// # Errors
/// [`Error::Query`] with every path that cannot be queried, in the order sent, those of
/// `where` first; [`Error::Malformed`] when it asks for too much at once, [`Error::Dear`] when
/// it would read too much of the book.
pub fn ask(gate: Gate<'_>, c: &'static Collection, tree: Option<&Tree>, sort: &[String]) -> Result<ListQuery> {
    let mut reader = Reader::new(gate);
    let condition = tree.map_or(Filter::True, |tree| reader.tree(c, tree, "where"));
    let (orders, demanded) = reader.orders(c, sort);
    let filter = Filter::and([condition, demanded]);
    let unindexed = std::mem::take(&mut reader.cost.unindexed);
    reader.done(c, &filter)?;
    Ok(ListQuery { filter, orders, unindexed })
}

/// Reads a `where` alone.
pub fn condition(gate: Gate<'_>, c: &'static Collection, tree: &Tree) -> Result<Filter> {
    let mut reader = Reader::new(gate);
    let filter = reader.tree(c, tree, "where");
    reader.done(c, &filter).map(|()| filter)
}

struct Reader<'a> {
    gate: Gate<'a>,
    bad: Vec<String>,
    conditions: usize,
    values: usize,
    keys: usize,
    too_long: bool,
    cost: Cost,
}

impl<'a> Reader<'a> {
    fn new(gate: Gate<'a>) -> Self {
        Self { gate, bad: Vec::new(), conditions: 0, values: 0, keys: 0, too_long: false, cost: Cost::default() }
    }

    fn done(self, c: &'static Collection, filter: &Filter) -> Result<()> {
        let too_large = |what: Sentence| Err(Error::Malformed(what));
        if !self.bad.is_empty() {
            return Err(Error::Query(self.bad));
        }
        if self.conditions > CONDITIONS_MAX {
            return too_large(said!("more than {limit} conditions", limit = CONDITIONS_MAX));
        }
        if self.keys > KEYS_MAX {
            return too_large(said!("more than {limit} sort keys", limit = KEYS_MAX));
        }
        if self.values > VALUES_MAX {
            return too_large(said!("more than {limit} values", limit = VALUES_MAX));
        }
        if self.too_long {
            let limit = value::SEARCH_MAX;
            return too_large(said!("a text to search for has over {limit} characters", limit = limit));
        }
        let dear = self.cost.beyond(&self.gate, c, filter);
        if !dear.is_empty() {
            return Err(Error::Dear(dear));
        }
        Ok(())
    }

    fn refuse(&mut self, path: impl Into<String>) -> Filter {
        let path = path.into();
        if !self.bad.contains(&path) {
            self.bad.push(path);
        }
        Filter::False
    }

    /// A map of paths and connectives; all must hold. `place` names it in faults.
    fn tree(&mut self, c: &'static Collection, tree: &Tree, place: &str) -> Filter {
        let Tree::Map(parts) = tree else { return self.refuse(place) };
        let mut all = Vec::with_capacity(parts.len());
        for (name, part) in parts {
            let and = name.eq_ignore_ascii_case("and");
            all.push(if and || name.eq_ignore_ascii_case("or") {
                self.connective(c, name, part, and)
            } else {
                self.operators(c, name, part)
            });
        }
        Filter::and(all)
    }

    fn connective(&mut self, c: &'static Collection, name: &str, part: &Tree, and: bool) -> Filter {
        let Tree::List(items) = part else { return self.refuse(name) };
        let mut read = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            read.push(self.tree(c, item, &format!("{name}.{at}")));
        }
        // An empty list asks nothing, whichever word stands before it.
        if and || read.is_empty() { Filter::and(read) } else { Filter::or(read) }
    }

    /// `path[operator]=operand`, all operators must hold.
    fn operators(&mut self, c: &'static Collection, path: &str, part: &Tree) -> Filter {
        let Tree::Map(operators) = part else { return self.refuse(path) };
        let mut all = Vec::with_capacity(operators.len());
        for (word, operand) in operators {
            let operator = Operator::read(word);
            all.push(match operator {
                None => self.refuse(format!("{path}.{word}")),
                Some(operator) => self.one(c, path, operator, word, operand),
            });
        }
        Filter::and(all)
    }

    fn one(&mut self, c: &'static Collection, path: &str, operator: Operator, word: &str, operand: &Tree) -> Filter {
        let resolved = match resolve(&self.gate, c, path) {
            Ok(resolved) => resolved,
            Err(PathError::Unknown(path) | PathError::Closed(path)) => return self.refuse(path),
        };
        let Some(field) = resolved.end.get(resolved.slot) else { return self.refuse(path) };
        let read = value::read(resolved.slot, field, operator, operand);
        let scans = operator.scans();
        self.cost.add(&self.gate, c, (path, &resolved), scans);
        if !scans {
            self.cost.filter(c, (path, &resolved));
        }
        self.conditions += read.conditions;
        self.values += read.values;
        match read.meaning {
            Ok(meaning) => assemble(resolved, meaning),
            Err(ValueError::NotHere) => self.refuse(format!("{path}.{word}")),
            Err(ValueError::TooLong) => {
                self.too_long = true;
                Filter::False
            }
        }
    }

    /// The keys that can be sorted by, the tie-breaker, and what they demand of each row.
    fn orders(&mut self, c: &'static Collection, sort: &[String]) -> (Vec<Order>, Filter) {
        let mut orders = Vec::new();
        let mut demands = Vec::new();
        self.keys = sort.len();
        for key in sort.iter().take(KEYS_MAX) {
            if let Some((order, own)) = self.key(c, key) {
                orders.push(order);
                demands.push(own);
            }
        }
        if orders.is_empty() {
            orders.extend(c.sort.split(',').filter_map(|key| {
                let path = key.trim_start_matches('-');
                Some(Order { hops: Vec::new(), slot: c.slot(path)?, descending: path != key })
            }));
        }
        let has = |slot| move |o: &Order| o.hops.is_empty() && o.slot == slot;
        if !orders.iter().any(has(ID)) && !orders.iter().any(has(c.created_slot())) {
            orders.push(Order { hops: Vec::new(), slot: c.created_slot(), descending: true });
        }
        (orders, Filter::and(demands))
    }

    /// A key with what it demands of the row; none for what is unknown or has no order.
    fn key(&mut self, c: &'static Collection, key: &str) -> Option<(Order, Filter)> {
        let (path, descending) = if let Some(path) = key.strip_prefix('-') { (path, true) } else { (key, false) };
        let resolved = match resolve(&self.gate, c, path) {
            Ok(resolved) => resolved,
            Err(PathError::Unknown(_)) => return None,
            Err(PathError::Closed(path)) => {
                self.refuse(path);
                return None;
            }
        };
        self.cost.add(&self.gate, c, (path, &resolved), false);
        self.cost.sort(c, (path, &resolved));
        resolved.order(c, descending)
    }
}

/// Wraps the comparison into the hops of its path. A negation stands outside of them, so that rows without a readable
/// related value fulfil it; what the row itself must show stands outside of the negation.
fn assemble(path: Path, meaning: Meaning) -> Filter {
    let (inner, negated) = match meaning {
        Meaning::Is(inner) => (inner, false),
        Meaning::Not(inner) => (inner, true),
    };
    let hops = path.hops.into_iter().rev();
    let through = hops.fold(inner, |inner, hop| match hop {
        Hop::Related(slot, target, guard) => Filter::via(slot, target, Filter::and([guard, inner])),
        Hop::Elements(slot) => Filter::element(slot, inner),
        Hop::Joined(pointing, guard) => Filter::join(pointing, Filter::and([guard, inner])),
    });
    let guarded = if negated { through.negate() } else { through };
    Filter::and([path.own, guarded])
}

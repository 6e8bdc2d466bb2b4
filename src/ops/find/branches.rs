//! Lists for readers of few rows in a large book. Indexes lead to each kind of rows that such a reader sees: his own,
//! those granted to him, those open to all where few are. The kinds are read apart, put together and sorted. Whoever
//! sees many rows finds a page of them sooner along the order of the list; sizes in powers of ten decide.

use super::row_counts;
use crate::document::{Kinds, Reader};
use model::error::Result;
use model::query::{Cmp, Filter, Order};
use model::record::Value;
use model::registry::{Collection, ID, Registry};
use store::{Sizes, Sql};

/// How many times the rows of an average organisation a large one has, about.
const LARGE: u64 = 10;
/// Kinds of a statement at most: SQLite takes 500, and each repeats the values of the whole condition.
const KINDS: usize = 16;

/// Declarations, and how many rows there are.
type Book<'a> = (&'static Registry, &'a Sizes);

/// Rows that an index leads to.
#[derive(Debug, Clone)]
struct Kind {
    filter: Filter,
    /// How many there are, about.
    rows: u64,
    /// The relation of which they have one value, so that an index over it and a key has them in order.
    of: Option<usize>,
}

/// The kinds of rows of a reader, each with the rest of the condition.
#[derive(Debug, Clone)]
pub(super) struct Branches {
    kinds: Vec<Kind>,
    /// Rows of the collection, about.
    all: u64,
    /// Whether the caller states a condition.
    conditional: bool,
}

impl Branches {
    /// None where there may be many rows of a kind, or where the rest of the condition leads to few rows itself.
    pub(super) fn of(book: Book<'_>, c: &'static Collection, readable: &Filter, condition: &Filter) -> Option<Self> {
        let kinds = few(book, c, readable).filter(|kinds| (1..=KINDS).contains(&kinds.len()))?;
        let with_rest = |kind: Kind| Kind { filter: Filter::and([kind.filter, condition.clone()]), ..kind };
        let branches = Self {
            kinds: kinds.into_iter().map(with_rest).collect(),
            all: book.1.of(&c.table),
            conditional: !matches!(condition, Filter::True),
        };
        (!is_selective(book, c, condition, branches.rows())).then_some(branches)
    }

    pub(super) fn rows(&self) -> u64 {
        self.kinds.iter().fold(0, |rows, kind| rows.saturating_add(kind.rows))
    }

    /// For a count, which reads all rows of a condition.
    pub(super) fn counted(&self) -> Option<Kinds<'_>> {
        (cfg!(test) || self.rows() < self.all).then(|| self.kinds(None))
    }

    /// For a page of so many rows: where few of the rows along its order are the reader's, or no index has the order.
    pub(super) fn paged(&self, c: &Collection, orders: &[Order], take: u64) -> Option<Kinds<'_>> {
        let first = orders.first().filter(|order| order.hops.is_empty());
        let key = first.and_then(|order| c.fields.get(order.slot)).map(|field| field.path.as_str());
        let is_along = !self.conditional && first.is_some_and(|order| c.is_in_order(order.slot));
        // Every so many rows of the order, one is the reader's.
        let apart = self.all.checked_div((self.rows() / LARGE).max(1)).unwrap_or(1);
        let passed = if is_along { apart.saturating_mul(take).min(self.all) } else { self.all };
        let read = self.kinds.iter().map(|kind| match !self.conditional && is_ordered(c, kind, key) {
            true => take.min(kind.rows),
            false => kind.rows,
        });
        (cfg!(test) || read.fold(0, u64::saturating_add) < passed).then(|| self.kinds(key.map(|key| (c, key))))
    }

    /// The kinds, with whether an index has them in the order of a key.
    fn kinds(&self, order: Option<(&Collection, &str)>) -> Kinds<'_> {
        let ordered = |kind: &Kind| order.is_some_and(|(c, key)| is_ordered(c, kind, Some(key)));
        self.kinds.iter().map(|kind| (&kind.filter, ordered(kind))).collect()
    }
}

/// Whether an index has the rows of a kind in the order of a field.
fn is_ordered(c: &Collection, kind: &Kind, key: Option<&str>) -> bool {
    let of = kind.of.and_then(|slot| c.fields.get(slot)).map(|field| field.path.as_str());
    let Some((of, key)) = of.zip(key) else { return false };
    c.indexes.iter().any(|paths| paths.first() == Some(&of) && paths.get(1) == Some(&key))
}

/// Rows of a collection that point to one row of another, on average.
fn fan(sizes: &Sizes, from: &Collection, to: &Collection) -> u64 {
    sizes.of(&from.table).checked_div(sizes.of(&to.table)).unwrap_or(1).max(1)
}

/// Whether a condition leads to fewer rows than that by an index, whoever reads them.
fn is_selective((registry, sizes): Book<'_>, c: &Collection, filter: &Filter, than: u64) -> bool {
    match filter {
        Filter::And(parts) => parts.iter().any(|part| is_selective((registry, sizes), c, part, than)),
        Filter::Cmp(slot, Cmp::Eq(_) | Cmp::In(_)) => c.fields.get(*slot).is_some_and(|field| {
            let target = field.target().and_then(|target| registry.get(target));
            *slot == ID || field.unique || target.is_some_and(|target| fan(sizes, c, target) <= than)
        }),
        Filter::False => true,
        _ => false,
    }
}

/// Kinds of rows that indexes lead to; none where one of them may have many.
fn few(book: Book<'_>, c: &'static Collection, filter: &Filter) -> Option<Vec<Kind>> {
    let (registry, sizes) = book;
    if let Some(open) = few_open(book, c, filter) {
        return Some(vec![open]);
    }
    match filter {
        Filter::Or(parts) => {
            let kinds: Option<Vec<Vec<Kind>>> = parts.iter().map(|part| few(book, c, part)).collect();
            kinds.map(|kinds| kinds.into_iter().flatten().collect())
        }
        Filter::And(parts) => {
            let (at, kinds) = parts.iter().enumerate().find_map(|(at, part)| Some((at, few(book, c, part)?)))?;
            let rest = parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, part)| part.clone());
            let rest = Filter::and(rest);
            let with_rest = |kind: Kind| Kind { filter: Filter::and([kind.filter, rest.clone()]), ..kind };
            Some(kinds.into_iter().map(with_rest).collect())
        }
        Filter::Cmp(slot, cmp) => {
            let (values, of) = match cmp {
                Cmp::Eq(Value::Int(_)) => (1, Some(*slot)),
                Cmp::In(values) => (u64::try_from(values.len()).unwrap_or(u64::MAX), None),
                Cmp::Has(Value::Int(_)) => (1, None),
                _ => return None,
            };
            let filter = filter.clone();
            if *slot == ID {
                return Some(vec![Kind { filter, rows: values, of: None }]);
            }
            let target = registry.get(c.fields.get(*slot)?.target()?)?;
            let rows = fan(sizes, c, target).saturating_mul(values.saturating_add(LARGE - 1));
            let filter = match cmp {
                Cmp::Has(value) => Filter::Among(*slot, target, Box::new(Filter::eq(ID, value.clone()))),
                _ => filter,
            };
            Some(vec![Kind { filter, rows, of }])
        }
        Filter::Via(slot, target, inner) => {
            let each = fan(sizes, c, target);
            let among = |kind: Kind| Kind {
                filter: Filter::Among(*slot, target, Box::new(kind.filter)),
                rows: kind.rows.saturating_mul(each),
                of: None,
            };
            Some(few(book, target, inner)?.into_iter().map(among).collect())
        }
        _ => None,
    }
}

/// Rows that are open to all where few animals are: those of the animals, or the animals themselves.
fn few_open(book: Book<'_>, c: &'static Collection, filter: &Filter) -> Option<Kind> {
    let (registry, sizes) = book;
    let parts = match filter {
        Filter::And(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let flags = parts.iter().map(|part| match part {
        Filter::Cmp(slot, Cmp::Eq(Value::Bool(true))) => c.fields.get(*slot),
        _ => None,
    });
    let flags: Vec<_> = flags.collect::<Option<_>>()?;
    if let Some(rows) = flags.iter().filter_map(|field| sizes.flagged(&c.table, &field.column)).min() {
        return Some(Kind { filter: filter.clone(), rows, of: None });
    }
    let relation = c.slot(flags.first()?.through?.relation)?;
    let target = registry.get(c.fields.get(relation)?.target()?)?;
    let repeated = flags.iter().map(|field| {
        let through = field.through.filter(|through| c.slot(through.relation) == Some(relation))?;
        Some(Filter::Cmp(target.slot(through.field)?, Cmp::Eq(Value::Bool(true))))
    });
    let repeated = Filter::and(repeated.collect::<Option<Vec<_>>>()?);
    let open = few_open(book, target, &repeated)?;
    let rows = open.rows.saturating_mul(fan(sizes, c, target));
    Some(Kind { filter: Filter::Among(relation, target, Box::new(open.filter)), rows, of: None })
}

/// The statement that counts the rows of a condition, as long as there are no more than a bound; then one more.
pub(super) fn count(
    reader: &Reader,
    c: &'static Collection,
    filter: &Filter,
    branches: Option<&Branches>,
    most: Option<u64>,
) -> Result<Sql> {
    if let Some(sql) = row_counts::total(reader, c, filter) {
        return sql;
    }
    let of_kinds = branches.and_then(Branches::counted).map(|kinds| reader.select_count_of(c, &kinds, most));
    match (of_kinds, most) {
        (Some(Ok(sql)), _) => Ok(sql),
        // Each kind repeats the values of the condition, which may be more than a statement can have.
        (_, Some(most)) => reader.select_count_up_to(c, filter, most),
        (_, None) => reader.select_count(c, filter),
    }
}

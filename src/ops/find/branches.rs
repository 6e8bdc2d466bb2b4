//! Lists for readers of few rows in a large book. Indexes lead to each kind of rows that such a reader sees: his own,
//! those granted to him, those open to all. The kinds are read apart, put together and sorted. Whoever sees many rows
//! finds a page of them sooner along the order of the list; sizes in powers of ten decide.

use crate::document::Reader;
use model::error::Result;
use model::query::{Cmp, Filter, Order};
use model::record::Value;
use model::registry::{Collection, ID, Kind, Registry};
use store::{Sizes, Sql};

/// How many times the rows of an average organisation the largest one has, about.
const LARGEST: u64 = 10;

/// Declarations, and how many rows there are.
type Book<'a> = (&'static Registry, &'a Sizes);

/// The kinds of rows of a reader, each with the rest of the condition.
#[derive(Debug, Clone)]
pub(super) struct Branches {
    filters: Vec<Filter>,
    /// Rows of all kinds, about.
    rows: u64,
    /// Rows of the collection, about.
    all: u64,
    /// Whether anything is asked of the rows besides.
    asked: bool,
}

impl Branches {
    /// None where there may be many rows of a kind, or where the rest of the condition leads to few rows itself.
    pub(super) fn of(book: Book<'_>, c: &'static Collection, readable: &Filter, asked: &Filter) -> Option<Self> {
        if is_selective(c, asked) {
            return None;
        }
        let parts = match readable {
            Filter::And(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let (at, kinds) = parts.iter().enumerate().find_map(|(at, part)| Some((at, few(book, c, part)?)))?;
        let rest = parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, part)| part);
        let rest: Vec<Filter> = rest.chain([asked]).cloned().collect();
        let filters: Vec<Filter> =
            kinds.into_iter().map(|kind| Filter::and(std::iter::once(kind).chain(rest.clone()))).collect();
        let sizes = book.1;
        let all = sizes.of(&c.table);
        let each = all.checked_div(sizes.of("organizations")).unwrap_or(all).max(1);
        let rows = each.saturating_mul(LARGEST).saturating_mul(u64::try_from(filters.len()).unwrap_or(u64::MAX));
        Some(Self { filters, rows, all, asked: !matches!(asked, Filter::True) })
    }

    /// For a count, which reads all rows of a condition.
    pub(super) fn counted(&self) -> Option<&[Filter]> {
        (cfg!(test) || self.rows < self.all).then_some(&self.filters)
    }

    /// For a page of so many rows: where few of the rows along its order are the reader's, or no index has the order.
    pub(super) fn paged(&self, c: &Collection, orders: &[Order], take: u64) -> Option<&[Filter]> {
        let each = self.rows.checked_div(LARGEST).unwrap_or(1).max(1);
        let passed = match !self.asked && orders.first().is_some_and(|order| is_indexed(c, order)) {
            true => self.all.checked_div(each).unwrap_or(self.all).saturating_mul(take).min(self.all),
            false => self.all,
        };
        (cfg!(test) || self.rows < passed).then_some(&self.filters)
    }
}

/// Whether an index has the rows of a collection in the order of a key.
fn is_indexed(c: &Collection, order: &Order) -> bool {
    let field = c.fields.get(order.slot).filter(|_| order.hops.is_empty());
    field.is_some_and(|field| {
        let path = field.path.as_str();
        let first = |paths: &Vec<&'static str>| paths.first() == Some(&path);
        field.indexed || order.slot == ID || matches!(path, "createdAt" | "updatedAt") || c.indexes.iter().any(first)
    })
}

/// Whether a condition leads to few rows by an index, whoever reads them.
fn is_selective(c: &Collection, filter: &Filter) -> bool {
    match filter {
        Filter::And(parts) => parts.iter().any(|part| is_selective(c, part)),
        Filter::Cmp(slot, Cmp::Eq(_) | Cmp::In(_)) => {
            c.fields.get(*slot).is_some_and(|field| *slot == ID || field.unique || field.target().is_some())
        }
        Filter::False => true,
        _ => false,
    }
}

/// Kinds of rows that indexes lead to; none where one of them may have many.
fn few(book: Book<'_>, c: &'static Collection, filter: &Filter) -> Option<Vec<Filter>> {
    if let Some(open) = few_open(book, c, filter) {
        return Some(vec![open]);
    }
    match filter {
        Filter::False => Some(Vec::new()),
        Filter::Or(parts) => {
            let kinds: Option<Vec<Vec<Filter>>> = parts.iter().map(|part| few(book, c, part)).collect();
            kinds.map(|kinds| kinds.into_iter().flatten().collect())
        }
        Filter::Cmp(slot, Cmp::Eq(Value::Int(_)) | Cmp::In(_) | Cmp::Has(Value::Int(_))) => {
            let field = c.fields.get(*slot)?;
            let leads = *slot == ID || matches!(field.kind, Kind::Relation(_) | Kind::Relations(_));
            leads.then(|| vec![filter.clone()])
        }
        Filter::And(parts) => (parts.iter().any(|part| few(book, c, part).is_some())).then(|| vec![filter.clone()]),
        Filter::Via(slot, target, inner) => {
            let kinds = few(book, target, inner)?;
            Some(kinds.into_iter().map(|kind| Filter::Among(*slot, target, Box::new(kind))).collect())
        }
        _ => None,
    }
}

/// Rows that are open to all where few animals are: those of the animals, or the animals themselves.
fn few_open((registry, sizes): Book<'_>, c: &'static Collection, filter: &Filter) -> Option<Filter> {
    let parts = match filter {
        Filter::And(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let flags = parts.iter().map(|part| match part {
        Filter::Cmp(slot, Cmp::Eq(Value::Bool(true))) => c.fields.get(*slot),
        _ => None,
    });
    let flags: Vec<_> = flags.collect::<Option<_>>()?;
    if flags.iter().any(|field| sizes.is_rare(&c.table, &field.column)) {
        return Some(filter.clone());
    }
    let relation = c.slot(flags.first()?.through?.relation)?;
    let target = registry.get(c.fields.get(relation)?.target()?)?;
    let repeated = flags.iter().map(|field| {
        let through = field.through.filter(|through| c.slot(through.relation) == Some(relation))?;
        Some(Filter::Cmp(target.slot(through.field)?, Cmp::Eq(Value::Bool(true))))
    });
    let repeated = Filter::and(repeated.collect::<Option<Vec<_>>>()?);
    let open = few_open((registry, sizes), target, &repeated)?;
    Some(Filter::Among(relation, target, Box::new(open)))
}

/// The statement that counts the rows of a condition.
pub(super) fn count(
    reader: &Reader,
    c: &'static Collection,
    filter: &Filter,
    branches: Option<&Branches>,
) -> Result<Sql> {
    match branches.and_then(Branches::counted) {
        Some(branches) => reader.select_count_of(c, branches),
        None => reader.select_count(c, filter),
    }
}

//! Estimates the cost of a query before it runs: how many lists of other records its paths go through, and roughly how
//! many rows the database would visit. Both depend only on the query and on the sizes of tables, in powers of ten, so
//! that a refusal reveals nothing about single rows.

use super::path::{Hop, Path};
use crate::access::Gate;
use model::query::{Cmp, Filter};
use model::registry::{Caller, Collection, Field, Kind};
use store::Sizes;

/// Lists of other records that one path may go through for callers that are not signed in.
const LISTS_ANONYMOUS: usize = 1;
/// Lists of other records that one path may go through for other callers.
const LISTS: usize = 2;
/// Rows that a query may visit for callers that are not signed in.
const VISITS_ANONYMOUS: u64 = 100_000_000;
/// Rows that a query may visit for other callers.
const VISITS: u64 = 1_000_000_000;
/// Entries of a list of relations or of rows, about.
const ENTRIES: u64 = 10;
/// Fields that a refusal names.
const MOST_NAMES: usize = 20;
/// Of the rows of a collection, one in so many has the same name or day, about.
const SHARE: u64 = 1_000;

/// What the paths of one question cost.
#[derive(Debug, Default)]
pub(super) struct Cost {
    /// Paths that go through too many lists.
    far: Vec<String>,
    /// Rows visited for each row that is examined, by path.
    visits: Vec<(String, u64)>,
    /// Paths that no index leads along.
    pub(super) unindexed: Vec<String>,
}

impl Cost {
    /// Counts a path that a condition or an order goes along. `scans`: the rows at its end are
    /// looked through, regardless of indexes.
    pub(super) fn add(&mut self, gate: &Gate<'_>, c: &'static Collection, (name, path): (&str, &Path), scans: bool) {
        let most = match gate.principal.caller {
            Caller::Anonymous => LISTS_ANONYMOUS,
            Caller::System => usize::MAX,
            Caller::Farm | Caller::Association => LISTS,
        };
        if path.hops.is_empty() && !scans {
            return;
        }
        let (lists, visits) = along(gate.sizes, c, &path.hops);
        if lists > most && !self.far.iter().any(|path| path == name) {
            self.far.push(name.to_owned());
        }
        self.visits.push((name.to_owned(), visits));
    }

    /// Notes a path of an order, unless an index has the rows in it.
    pub(super) fn sort(&mut self, c: &Collection, (name, path): (&str, &Path)) {
        self.note(name, path.hops.is_empty() && c.is_in_order(path.slot));
    }

    /// Notes a path of a condition, unless an index leads to the rows that fulfil it.
    pub(super) fn filter(&mut self, c: &Collection, (name, path): (&str, &Path)) {
        let end = match path.hops.last() {
            None => c,
            Some(Hop::Related(_, target, _)) => target,
            Some(Hop::Joined(pointing, _)) => pointing.from,
            Some(Hop::Elements(_)) => return self.note(name, false),
        };
        // Rows with one of few values are found along the way of any order.
        self.note(name, leads(end, path.slot) || has_few_values(end, path.slot));
    }

    fn note(&mut self, name: &str, led: bool) {
        if !led && !self.unindexed.iter().any(|path| path == name) {
            self.unindexed.push(name.to_owned());
        }
    }

    /// The paths of a condition that is too expensive over the rows that fulfil a filter.
    pub(super) fn beyond(self, gate: &Gate<'_>, c: &'static Collection, filter: &Filter) -> Vec<String> {
        if !self.far.is_empty() {
            return self.far;
        }
        let most = match gate.principal.caller {
            Caller::Anonymous => VISITS_ANONYMOUS,
            Caller::System => u64::MAX,
            Caller::Farm | Caller::Association => VISITS,
        };
        let each = self.visits.iter().map(|(_, visits)| *visits).fold(0, u64::saturating_add);
        let Some(sizes) = gate.sizes.filter(|_| each > 0) else { return Vec::new() };
        if rows(sizes, gate, c, filter).saturating_mul(each) <= most {
            return Vec::new();
        }
        let dearest = self.visits.iter().map(|(_, visits)| *visits).max();
        let mut paths: Vec<String> = Vec::new();
        for (path, visits) in self.visits {
            if Some(visits) == dearest && !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }
}

/// The number of lists of other records that a path goes through, and the number of rows at its end
/// for one at its beginning.
fn along(sizes: Option<&Sizes>, c: &'static Collection, hops: &[Hop]) -> (usize, u64) {
    let (mut lists, mut visits) = (0, 1_u64);
    let mut here = c;
    for hop in hops {
        let rows = match hop {
            Hop::Joined(pointing, _) => {
                lists += 1;
                let rows = sizes.map_or(1, |sizes| fan(sizes, pointing.from, here));
                here = pointing.from;
                rows
            }
            Hop::Related(slot, target, _) => {
                let field = here.fields.get(*slot);
                here = target;
                match field.is_some_and(|f| matches!(f.kind, Kind::Relations(_))) {
                    true => {
                        lists += 1;
                        ENTRIES
                    }
                    false => 1,
                }
            }
            Hop::Elements(_) => ENTRIES,
        };
        visits = visits.saturating_mul(rows);
    }
    (lists, visits)
}

/// Rows of a collection that point to one row of another, on average.
fn fan(sizes: &Sizes, from: &Collection, to: &Collection) -> u64 {
    let (from, to) = (sizes.of(&from.table), sizes.of(&to.table));
    from.checked_div(to).unwrap_or(from).max(1)
}

/// Fields of which a value leads to few rows by an index, as far as the caller may read them.
pub(crate) fn leading(gate: &Gate<'_>, c: &'static Collection) -> Vec<String> {
    let is_read = |field: &Field| !matches!(gate.sees(c, field.class), Filter::False);
    let fields = c.fields.iter().enumerate().filter(|(slot, field)| few(c, *slot) && is_read(field));
    fields.map(|(_, field)| field.path.clone()).take(MOST_NAMES).collect()
}

/// Rows that are examined under a filter, as far as sizes are known.
pub(crate) fn examined(gate: &Gate<'_>, c: &'static Collection, filter: &Filter) -> u64 {
    gate.sizes.map_or(0, |sizes| rows(sizes, gate, c, filter))
}

/// Whether an index leads to the rows with a value.
fn leads(c: &Collection, slot: usize) -> bool {
    let related = |field: &Field| matches!(field.kind, Kind::Relation(_) | Kind::Relations(_));
    c.is_in_order(slot) || c.fields.get(slot).is_some_and(related)
}

/// Whether an index leads to few rows with a value, and not to half of them.
fn few(c: &Collection, slot: usize) -> bool {
    leads(c, slot) && !has_few_values(c, slot)
}

fn has_few_values(c: &Collection, slot: usize) -> bool {
    c.fields.get(slot).is_some_and(|field| matches!(field.kind, Kind::Bool | Kind::Select(_)))
}

/// Rows that are examined under a filter: those of the whole collection, unless an index leads to few of them.
fn rows(sizes: &Sizes, gate: &Gate<'_>, c: &'static Collection, filter: &Filter) -> u64 {
    let all = sizes.of(&c.table);
    match filter {
        Filter::False => 0,
        Filter::And(parts) => {
            let few = parts.iter().map(|part| rows(sizes, gate, c, part));
            few.min().map_or(all, |few| few.min(all))
        }
        Filter::Cmp(slot, cmp) => {
            let values = match cmp {
                Cmp::Eq(_) => 1,
                Cmp::In(values) => u64::try_from(values.len()).unwrap_or(u64::MAX),
                Cmp::Has(_) => 1,
                _ => return all,
            };
            let each = match c.fields.get(*slot) {
                Some(field) if field.path == "id" => 1,
                Some(field) => match &field.kind {
                    // The largest herd has some times as many as the average one.
                    Kind::Relation(target) | Kind::Relations(target) => match gate.registry.get(target) {
                        Some(target) => fan(sizes, c, target).saturating_mul(ENTRIES),
                        None => return all,
                    },
                    _ if field.unique => 1,
                    _ if few(c, *slot) => all / SHARE,
                    _ => return all,
                },
                None => return all,
            };
            each.saturating_mul(values).min(all)
        }
        _ => all,
    }
}

//! Paths of the dialect: own fields, fields of groups and of lists of rows, relations and joins over several hops, with
//! what the caller must be able to read on each row along the way.

use crate::access::Gate;
use model::query::{Filter, Order, OrderHop, Pointing};
use model::registry::{Class, Collection, Field, Join, Kind, Registry};

/// Relations, joins and lists of rows that one path may follow.
const HOPS_MAX: usize = 10;

/// A step of a path away from its present row.
pub(super) enum Hop {
    /// To related rows that fulfil a condition.
    Related(usize, &'static Collection, Filter),
    /// To the elements of an own list of rows.
    Elements(usize),
    /// To the rows of a join that fulfil a condition.
    Joined(Pointing, Filter),
}

pub(super) struct Path {
    /// What must hold on the row itself for the first field to show.
    pub(super) own: Filter,
    pub(super) hops: Vec<Hop>,
    /// The fields among which the last one is.
    pub(super) end: &'static [Field],
    /// The last field.
    pub(super) slot: usize,
}

/// Why a path does not resolve; with the part that belongs to the collection where it ends, as the dialect reports it.
pub(super) enum PathError {
    /// Nothing of that name.
    Unknown(String),
    /// Never to be read by callers of this class.
    Closed(String),
}

/// The position of a path: on a row of a collection, perhaps in one of its lists.
#[derive(Clone, Copy)]
struct PathPosition {
    collection: &'static Collection,
    elements: Option<&'static [Field]>,
}

/// What the next word of a path names.
enum PathStep<'p> {
    /// The last field.
    End(usize),
    /// A relation or a list of rows, and the rest.
    Through(usize, &'p str),
    Join(&'static Join, &'p str),
}

impl PathPosition {
    fn fields(self) -> &'static [Field] {
        self.elements.unwrap_or(&self.collection.fields)
    }

    fn slot(self, path: &str) -> Option<usize> {
        match self.elements {
            None => self.collection.slot(path),
            Some(fields) => fields.iter().position(|f| f.name() == path),
        }
    }

    fn step(self, path: &str) -> Option<PathStep<'_>> {
        if let Some(slot) = self.slot(path) {
            return Some(PathStep::End(slot));
        }
        path.match_indices('.').find_map(|(dot, _)| {
            let (head, tail) = (path.get(..dot)?, path.get(dot + 1..)?);
            if let Some(slot) = self.slot(head) {
                return match self.fields().get(slot)?.kind {
                    // An id shows wherever the relation does.
                    Kind::Relation(_) | Kind::Relations(_) if tail == "id" => Some(PathStep::End(slot)),
                    Kind::Relation(_) | Kind::Relations(_) | Kind::Rows(_) => Some(PathStep::Through(slot, tail)),
                    _ => None,
                };
            }
            let join =
                self.collection.joins.iter().filter(|_| self.elements.is_none()).find(|join| join.name == head)?;
            Some(PathStep::Join(join, tail))
        })
    }
}

impl Path {
    /// What must hold on the last row, and on those before.
    fn demand(&mut self, demand: Filter) {
        let hops = self.hops.iter_mut().rev();
        let condition = hops
            .filter_map(|hop| match hop {
                Hop::Related(_, _, guard) | Hop::Joined(_, guard) => Some(guard),
                Hop::Elements(_) => None,
            })
            .next()
            .unwrap_or(&mut self.own);
        let before = std::mem::replace(condition, Filter::True);
        *condition = Filter::and([before, demand]);
    }

    /// The path as a key of an order; none when it leads to several values, or to one that has no order.
    pub(super) fn order(self, c: &'static Collection, descending: bool) -> Option<(Order, Filter)> {
        let mut from = c;
        let mut hops = Vec::with_capacity(self.hops.len());
        for hop in self.hops {
            let Hop::Related(slot, target, guard) = hop else { return None };
            if !matches!(from.fields.get(slot)?.kind, Kind::Relation(_)) {
                return None;
            }
            hops.push(OrderHop { relation: slot, target, guard });
            from = target;
        }
        let ordered = !matches!(
            self.end.get(self.slot)?.kind,
            Kind::Relations(_) | Kind::Selects(_) | Kind::Texts(_) | Kind::Rows(_) | Kind::Json | Kind::Password
        );
        let order = Order { hops, slot: self.slot, descending };
        ordered.then_some((order, self.own))
    }
}

/// Whether a path leads to a field, regardless of what the caller may see.
pub(super) fn exists(registry: &'static Registry, c: &'static Collection, path: &str) -> bool {
    let path = path.replace("__", ".");
    let mut rest = path.as_str();
    let mut here = PathPosition { collection: c, elements: None };
    // Each step is shorter than the one before.
    while let Some(step) = here.step(rest) {
        let at = |slug: &str| registry.get(slug);
        let next = match step {
            PathStep::End(_) => return true,
            PathStep::Join(join, tail) => (at(join.collection), None, tail),
            PathStep::Through(slot, tail) => match here.fields().get(slot) {
                Some(field) => match &field.kind {
                    Kind::Rows(subs) => (Some(here.collection), Some(subs.as_slice()), tail),
                    _ => (field.target().and_then(at), None, tail),
                },
                None => return false,
            },
        };
        let (Some(collection), elements, tail) = next else { return false };
        here = PathPosition { collection, elements };
        rest = tail;
    }
    false
}

/// Resolves a path for a caller; `__` means `.`, aliases count, and `relation.id` is the relation itself.
pub(super) fn resolve(gate: &Gate<'_>, c: &'static Collection, path: &str) -> Result<Path, PathError> {
    let path = path.replace("__", ".");
    let mut rest = path.as_str();
    // The part that belongs to the collection reached so far.
    let mut own_path = rest;
    let mut here = PathPosition { collection: c, elements: None };
    let mut resolved = Path { own: Filter::True, hops: Vec::new(), end: &c.fields, slot: 0 };
    loop {
        let unknown = || PathError::Unknown(own_path.to_owned());
        let step = here.step(rest).ok_or_else(unknown)?;
        let (slot, tail) = match step {
            PathStep::End(slot) => (slot, None),
            PathStep::Through(slot, tail) => (slot, Some(tail)),
            PathStep::Join(join, tail) => {
                let (pointing, readable) = joined(gate, join, tail)?;
                here = PathPosition { collection: pointing.from, elements: None };
                follow(&mut resolved, Hop::Joined(pointing, readable), own_path)?;
                (rest, own_path) = (tail, tail);
                continue;
            }
        };
        let field = here.fields().get(slot).ok_or_else(unknown)?;
        let readable_where = match field.kind {
            Kind::Password => Filter::False,
            // A member of rows with a class of its own is a copy of another record's identity: it is
            // shown, and no condition goes through it.
            _ if here.elements.is_some() && field.class != Class::Row => Filter::False,
            _ => gate.sees(here.collection, field.class),
        };
        if matches!(readable_where, Filter::False) {
            return Err(PathError::Closed(own_path.to_owned()));
        }
        resolved.demand(readable_where);
        let Some(tail) = tail else {
            resolved.end = here.fields();
            resolved.slot = slot;
            return Ok(resolved);
        };
        if let Kind::Rows(subs) = &field.kind {
            here.elements = Some(subs);
            follow(&mut resolved, Hop::Elements(slot), own_path)?;
        } else {
            let target = field.target().and_then(|slug| gate.registry.get(slug)).ok_or_else(unknown)?;
            let readable = gate.readable(target);
            if matches!(readable, Filter::False) {
                return Err(PathError::Closed(tail.to_owned()));
            }
            here = PathPosition { collection: target, elements: None };
            follow(&mut resolved, Hop::Related(slot, target, readable), own_path)?;
            own_path = tail;
        }
        rest = tail;
    }
}

fn follow(resolved: &mut Path, hop: Hop, own_path: &str) -> Result<(), PathError> {
    if resolved.hops.len() == HOPS_MAX {
        return Err(PathError::Unknown(own_path.to_owned()));
    }
    resolved.hops.push(hop);
    Ok(())
}

/// The rows of a join that the caller may read.
fn joined(gate: &Gate<'_>, join: &Join, tail: &str) -> Result<(Pointing, Filter), PathError> {
    match gate.pointing(join) {
        Some(open) => Ok(open),
        None => Err(PathError::Closed(tail.to_owned())),
    }
}

//! Paths of the dialect: own fields, fields of groups, relations over several hops, with
//! what the caller must be able to read on each row along the way.

use crate::ops::access::Gate;
use crate::query::Filter;
use crate::registry::{Collection, Kind};

/// Relations that one path may follow.
const HOPS_MAX: usize = 10;

/// A resolved path.
pub(super) struct Path {
    /// What must hold on the row itself for the first field to show.
    pub(super) own: Filter,
    /// Relations to follow, each with its collection and what must hold on the row there.
    pub(super) hops: Vec<(usize, &'static Collection, Filter)>,
    /// Where the last field is.
    pub(super) end: &'static Collection,
    /// The last field.
    pub(super) slot: usize,
}

/// Why a path does not resolve; with the part that belongs to the collection where it
/// ends, as the dialect reports it.
pub(super) enum Miss {
    /// Nothing of that name.
    Unknown(String),
    /// Never to be read by callers of this class.
    Closed(String),
}

/// Resolves a path for a caller; `__` stands for `.`, aliases count, and `relation.id` is
/// the relation itself, since an id shows wherever the relation does.
pub(super) fn resolve(gate: &Gate<'_>, c: &'static Collection, path: &str) -> Result<Path, Miss> {
    let path = path.replace("__", ".");
    let mut rest = path.as_str();
    let mut here = c;
    let mut own = Filter::True;
    let mut hops: Vec<(usize, &'static Collection, Filter)> = Vec::new();
    loop {
        let unknown = || Miss::Unknown(rest.to_owned());
        let (slot, further) = step(gate, here, rest).ok_or_else(unknown)?;
        let field = here.fields.get(slot).ok_or_else(unknown)?;
        let seen = match field.kind {
            Kind::Password => Filter::False,
            _ => gate.sees(here, field.class),
        };
        if matches!(seen, Filter::False) {
            return Err(Miss::Closed(rest.to_owned()));
        }
        match hops.last_mut() {
            None => own = seen,
            Some((_, _, guard)) => {
                let held = std::mem::replace(guard, Filter::True);
                *guard = Filter::and([held, seen]);
            }
        }
        let Some((target, tail)) = further else {
            return Ok(Path {
                own,
                hops,
                end: here,
                slot,
            });
        };
        if hops.len() == HOPS_MAX {
            return Err(unknown());
        }
        let readable = gate.readable(target);
        if matches!(readable, Filter::False) {
            return Err(Miss::Closed(tail.to_owned()));
        }
        hops.push((slot, target, readable));
        here = target;
        rest = tail;
    }
}

type Further<'p> = Option<(&'static Collection, &'p str)>;

/// The next field of a path, and where it goes on if it is a relation on the way.
fn step<'p>(
    gate: &Gate<'_>,
    c: &'static Collection,
    path: &'p str,
) -> Option<(usize, Further<'p>)> {
    if let Some(slot) = c.slot(path) {
        return Some((slot, None));
    }
    path.match_indices('.').find_map(|(dot, _)| {
        let (head, tail) = (path.get(..dot)?, path.get(dot + 1..)?);
        let slot = c.slot(head)?;
        let target = gate.registry.get(c.fields.get(slot)?.target()?)?;
        Some((slot, (tail != "id").then_some((target, tail))))
    })
}

//! Totals from the counts of rows by owner and openness that triggers keep (docs/design/reading.md).

use crate::document::Reader;
use model::error::Result;
use model::query::{Cmp, Filter};
use model::record::Value;
use model::registry::{Collection, ID, Kind};
use store::Sql;

/// The statement for the number of rows of a condition, if owner and openness decide all of it but for rows that an
/// index leads to: those of former owners, those of single grants.
pub(super) fn total(reader: &Reader, c: &'static Collection, filter: &Filter) -> Option<Result<Sql>> {
    let slots = c.reader_slots()?;
    let (counted, others) = split(c, slots, filter)?;
    Some(reader.select_total(c, slots, (&counted, &others)))
}

/// The part of a condition that counts decide, and the rest of its rows.
fn split(c: &Collection, slots: [usize; 3], filter: &Filter) -> Option<(Filter, Filter)> {
    let is_decided = |part: &Filter| is_decided(slots, part);
    if is_decided(filter) {
        return Some((filter.clone(), Filter::False));
    }
    match filter {
        Filter::Or(_) => {
            let (counted, others): (Vec<Filter>, Vec<Filter>) = alternatives(filter).into_iter().partition(is_decided);
            let counted = Filter::or(counted);
            let fits = others.iter().all(|other| leads_to_few(c, other));
            let others = Filter::and([Filter::or(others), counted.clone().negate()]);
            fits.then_some((counted, others))
        }
        Filter::And(parts) => {
            let (decided, rest): (Vec<Filter>, Vec<Filter>) = parts.iter().cloned().partition(is_decided);
            let [rest] = rest.as_slice() else { return None };
            let (counted, others) = split(c, slots, rest)?;
            let with = |part| Filter::and(decided.iter().cloned().chain([part]));
            Some((with(counted), with(others)))
        }
        _ => None,
    }
}

/// The parts of a condition of which one has to hold.
fn alternatives(filter: &Filter) -> Vec<Filter> {
    match filter {
        Filter::Or(parts) => parts.iter().flat_map(alternatives).collect(),
        part => vec![part.clone()],
    }
}

/// Whether a condition compares owner and openness alone. An empty flag counts as one that is not set.
fn is_decided(slots: [usize; 3], filter: &Filter) -> bool {
    let [owner, flags @ ..] = slots;
    let is_id = |value: &Value| matches!(value, Value::Int(_));
    match filter {
        Filter::True | Filter::False => true,
        Filter::And(parts) | Filter::Or(parts) => parts.iter().all(|part| is_decided(slots, part)),
        Filter::Not(inner) => is_decided(slots, inner),
        Filter::Cmp(slot, Cmp::Eq(Value::Bool(true))) => flags.contains(slot),
        Filter::Cmp(slot, Cmp::Eq(value)) => *slot == owner && is_id(value),
        Filter::Cmp(slot, Cmp::In(values)) => *slot == owner && values.iter().all(is_id),
        _ => false,
    }
}

/// Whether rows are found by a relation to one row, or by their ids.
fn leads_to_few(c: &Collection, filter: &Filter) -> bool {
    let is_relation = |slot: usize| {
        let kind = c.fields.get(slot).map(|field| &field.kind);
        slot == ID || matches!(kind, Some(Kind::Relation(_) | Kind::Relations(_)))
    };
    match filter {
        Filter::And(parts) => parts.iter().any(|part| leads_to_few(c, part)),
        Filter::Cmp(slot, Cmp::Eq(Value::Int(_)) | Cmp::Has(Value::Int(_))) => is_relation(*slot),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::collections::registry;

    #[test]
    fn rows_of_former_owners_are_counted_apart() {
        let animals = registry().unwrap().get("animals").unwrap();
        let slots = animals.reader_slots().unwrap();
        let [owner, visible, details] = slots;
        let flag = |slot| Filter::eq(slot, true);
        let past = Filter::Cmp(animals.at("pastOwners"), Cmp::Has(Value::Int(7)));
        let open = Filter::and([flag(visible), flag(details)]);
        let read = Filter::or([open.clone(), Filter::eq(owner, 7), past.clone()]);
        let (counted, others) = split(animals, slots, &read).unwrap();
        let decided = Filter::or([open, Filter::eq(owner, 7)]);
        assert_eq!(format!("{counted:?}"), format!("{decided:?}"));
        assert_eq!(format!("{others:?}"), format!("{:?}", Filter::and([past, decided.negate()])));
        // A condition of its own that owner and openness do not decide.
        let named = Filter::and([read, Filter::eq(animals.at("name"), "Omega")]);
        assert!(split(animals, slots, &named).is_none());
        // A flag that is not filled is none that is false to the dialect.
        assert!(split(animals, slots, &Filter::eq(visible, false)).is_none());
        assert!(split(animals, slots, &Filter::Cmp(visible, Cmp::Null)).is_none());
    }
}

//! Numbers that one animal of a farm has alone: a row of a package that gives another animal such a number is held, at
//! the cell, and its fault names the animal that has it (docs/packages.md, *Reading*).

use super::ImportBatch;
use super::keys::{Values, part};
use super::names::with_values;
use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::{BookReader, Collection, ID, Lookup, Test};
use model::said;
use ops::WriteTransaction;
use std::collections::{BTreeMap, BTreeSet};

/// A row of a wave: its values, and the rows of the book that it may be.
type Row<'r> = (&'r Values, &'r [Record]);

/// The faults of the rows of a wave. Only animals of the farm count: of others its sender learns nothing.
pub(super) async fn duplicates(
    work: &mut WriteTransaction<'_>,
    batch: &ImportBatch,
    values: &[Values],
    candidates: &[Vec<Record>],
) -> Result<Vec<Vec<Issue>>> {
    let c = batch.collection;
    let mut issues: Vec<Vec<Issue>> = values.iter().map(|_| Vec::new()).collect();
    let first = c.names().first().and_then(|slot| c.fields.get(*slot));
    let (Some(numbers), Some(package), Some(first)) = (&c.naming.numbers, &batch.rules.package, first) else {
        return Ok(issues);
    };
    if batch.joins().is_some() {
        return Ok(issues);
    }
    for path in numbers.alone {
        let slot = c.at(path);
        let Some(field) = c.fields.get(slot) else { continue };
        let numbered = numbered(slot, numbers.spellings, values, candidates);
        if numbered.is_empty() {
            continue;
        }
        let all: BTreeSet<String> = numbered.iter().flat_map(|(_, _, spellings)| spellings).cloned().collect();
        let hits = with_values(work, c, slot, field.class, &all).await?;
        let own = |spellings: &[String]| hits.of(spellings, package.organization);
        let ids: BTreeSet<i64> = numbered.iter().flat_map(|(_, _, spellings)| own(spellings)).collect();
        let stored = rows_by_id(work, c, &first.path, ids).await?;
        let nothing = Values::new();
        // By spelling. Each of several rows with one number is held, so that their order does not decide.
        let mut rows_by_number: BTreeMap<&str, Vec<(usize, Row<'_>)>> = BTreeMap::new();
        for (place, row, spellings) in &numbered {
            for text in spellings {
                let rows = rows_by_number.entry(text.as_str()).or_default();
                rows.push((*place, *row));
            }
        }
        for (place, row, spellings) in &numbered {
            let others = own(spellings).into_iter().filter_map(|id| stored.get(&id));
            let others = others.map(|other| (&nothing, std::slice::from_ref(other)));
            let in_file = spellings.iter().filter_map(|text| rows_by_number.get(text.as_str()));
            let in_file = in_file.flatten().filter(|(at, _)| at != place).map(|(_, row)| *row);
            if let Some(other) = others.chain(in_file).find(|other| !is_same(*row, *other)) {
                let message = said!(
                    "Your animal {number} has this number: correct the cell, or the other animal first.",
                    number = number(c, &first.path, other)
                );
                if let Some(issues) = issues.get_mut(*place) {
                    issues.push(Issue::error(*path, "not-unique", message));
                }
            }
        }
    }
    Ok(issues)
}

/// Rows with numbers that the book does not have for them: place, row, spellings.
fn numbered<'r>(
    slot: usize,
    spellings: fn(&str) -> Vec<String>,
    values: &'r [Values],
    candidates: &'r [Vec<Record>],
) -> Vec<(usize, Row<'r>, Vec<String>)> {
    let rows = values.iter().zip(candidates).enumerate();
    let rows = rows.filter_map(|(place, (values, candidates))| {
        let number = values.get(&slot).and_then(Value::text)?;
        let same = |old: &Record| old.get(slot).text() == Some(number);
        let new = !number.is_empty() && !candidates.iter().any(same);
        new.then(|| (place, (values, candidates.as_slice()), spellings(number)))
    });
    rows.collect()
}

/// Rows that have a number; those that were merged into others have none of their own.
async fn rows_by_id(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    path: &str,
    ids: BTreeSet<i64>,
) -> Result<BTreeMap<i64, Record>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut lookup = Lookup::by_ids("id", ids).fields(&[path]);
    if let Some(into) = c.merged {
        lookup = lookup.test(into, Test::Empty);
    }
    Ok(work.find(c.slug, lookup).await?.into_iter().filter_map(|row| Some((row.get(ID).int()?, row))).collect())
}

fn is_same((_, one): Row<'_>, (_, other): Row<'_>) -> bool {
    let id = |old: &Record| old.get(ID).int();
    one.iter().filter_map(id).any(|of| other.iter().any(|old| id(old) == Some(of)))
}

/// The number by which a row is known: as it is sent, else of the book.
fn number(c: &Collection, path: &str, (values, candidates): Row<'_>) -> String {
    let slot = c.at(path);
    let stated = values.get(&slot).filter(|value| !value.is_null());
    let value = stated.or_else(|| candidates.first().map(|old| old.get(slot)));
    value.map_or_else(String::new, |value| part(c, slot, value))
}

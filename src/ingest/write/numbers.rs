//! Numbers of new rows that the book has in another spelling, or as another number of a row: the row
//! of the file is that row (docs/import.md, *The same rows again*).

use super::keys::part;
use super::names::{NameMatch, with_values};
use super::references::{at, put, several, spoiled};
use super::{ImportBatch, ImportRow};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Class, Collection, Field, ID, Lookup};
use ops::{WriteTransaction, parse_body};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// A row whose number the book does not have as it is written.
struct Unknown {
    place: usize,
    number: String,
    spellings: Vec<String>,
}

/// Gives rows the numbers that the book has for theirs, as far as the caller reads them. A number
/// that a program spoiled makes no row.
pub(super) async fn recognise(work: &mut WriteTransaction<'_>, batch: &mut ImportBatch) -> Result<()> {
    let c = batch.collection;
    let names = c.names();
    let first = names.first().copied();
    let (Some(numbers), None, Some(first)) = (&c.naming.numbers, batch.joins(), first) else { return Ok(()) };
    let Some(field) = c.fields.get(first) else { return Ok(()) };
    let home = (batch.rules.package.as_ref()).map(|package| package.organization);
    let open = unknown(work, batch, first, field).await?;
    let (candidates, mut open) = candidates(work, c, home, open).await?;
    let ids = candidates.iter().filter_map(|(_, _, meant)| match meant {
        NameMatch::One(id) | NameMatch::Foreign(id) => Some(*id),
        NameMatch::Several | NameMatch::None => None,
    });
    let ids: Vec<i64> = ids.collect();
    let mut fields = vec![field.path.as_str()];
    fields.extend(numbers.same);
    let lookup = Lookup::by_ids("id", ids.iter().copied()).fields(&fields);
    let records = if ids.is_empty() { Vec::new() } else { work.find(c.slug, lookup).await? };
    let records = (records.into_iter()).filter_map(|record| Some((record.get(ID).int()?, record)));
    let records: BTreeMap<i64, Record> = records.collect();
    for (row, slot, meant) in candidates {
        let Some(import_row) = batch.rows.get_mut(row.place) else { continue };
        let id = match meant {
            NameMatch::One(id) | NameMatch::Foreign(id) => id,
            NameMatch::Several | NameMatch::None => {
                let name = (c.slug, Some(first), row.number);
                import_row.issues.push(several(&field.path, &name));
                continue;
            }
        };
        let record = records.get(&id).filter(|old| slot == first || agrees(c, import_row, old, numbers.same));
        match record.and_then(|old| old.get(first).text()) {
            Some(number) => put(&mut import_row.body, &field.path, Json::from(number)),
            None => open.push(row),
        }
    }
    for row in open.iter().filter(|row| (numbers.is_spoiled)(&row.number)) {
        if let Some(import_row) = batch.rows.get_mut(row.place) {
            import_row.issues.push(spoiled(&field.path));
        }
    }
    Ok(())
}

/// The animals that rows may mean, with the field of the number, and the rows that mean none.
async fn candidates(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    home: Option<i64>,
    mut open: Vec<Unknown>,
) -> Result<(Vec<(Unknown, usize, NameMatch)>, Vec<Unknown>)> {
    let names = c.names();
    let first = names.first().copied();
    let mut candidates = Vec::new();
    for slot in names {
        // Without an index each look-up reads the whole table.
        let indexed = |field: &&Field| field.indexed || field.unique;
        let Some(field) = c.fields.get(slot).filter(indexed) else { continue };
        if open.is_empty() {
            break;
        }
        let values: BTreeSet<String> = open.iter().flat_map(|row| row.spellings.clone()).collect();
        // Who may not read a number must not learn whose it is.
        let hits = with_values(work, c, slot, field.class, &values).await?;
        let mut unmatched = Vec::new();
        for row in open {
            // Other farms have the same working numbers.
            let own = Some(slot) == first || home.is_none_or(|home| hits.has(&row.spellings, home));
            match hits.meant(&row.spellings, home).filter(|_| own) {
                Some(meant) => candidates.push((row, slot, meant)),
                None => unmatched.push(row),
            }
        }
        open = unmatched;
    }
    Ok((candidates, open))
}

/// Rows that may be new, by their numbers: those of a package, and numbers that are not of digits alone.
async fn unknown(
    work: &mut WriteTransaction<'_>,
    batch: &ImportBatch,
    slot: usize,
    field: &Field,
) -> Result<Vec<Unknown>> {
    let c = batch.collection;
    let Some(numbers) = &c.naming.numbers else { return Ok(Vec::new()) };
    let digits = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = batch.rows.iter().enumerate().filter_map(|(place, row)| {
        let number = at(&row.body, &field.path)?.as_str()?.trim();
        let may_be_new = batch.rules.package.is_some() || !digits(number);
        (row.id.is_none() && !number.is_empty() && may_be_new).then(|| (place, number.to_owned()))
    });
    let numbered: Vec<(usize, String)> = numbered.collect();
    if numbered.is_empty() {
        return Ok(Vec::new());
    }
    let values: BTreeSet<String> = numbered.iter().map(|(_, number)| number.clone()).collect();
    let hits = with_values(work, c, slot, Class::Row, &values).await?;
    let unknown = (numbered.into_iter())
        .filter(|(_, number)| hits.meant([number], None).is_none())
        .map(|(place, number)| Unknown { place, spellings: (numbers.spellings)(&number), number });
    Ok(unknown.collect())
}

/// Whether a row of the file says nothing else than one of the book in these fields.
fn agrees(c: &'static Collection, import_row: &ImportRow, old: &Record, same: &[&str]) -> bool {
    let (values, _) = parse_body(c, &import_row.body, None);
    let differs = |(slot, value): &(usize, Value)| {
        let field = c.fields.get(*slot);
        let compared = field.is_some_and(|field| same.contains(&field.path.as_str()));
        let (old, new) = (part(c, *slot, old.get(*slot)), part(c, *slot, value));
        compared && !old.is_empty() && !new.is_empty() && old != new
    };
    !values.iter().any(differs)
}

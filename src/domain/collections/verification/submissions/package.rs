//! The rows of a package: which there are, and how their verification follows the package.

use super::rows::of;
use super::{Slots, period};
use crate::collections::people::trust::signed_collections;
use checks::Severity;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::signing::PACKAGE_OF_ROW;
use model::registry::{BookReader, HookContext, ID, Lookup};
use std::collections::BTreeSet;

/// Whether any row came with a package.
pub(super) async fn any(context: &mut dyn BookReader, package: i64) -> Result<bool> {
    for c in signed_collections()? {
        let lookup = Lookup::by_ids(PACKAGE_OF_ROW, [package]);
        let lookup = lookup.fields(&["id"]).limit(1);
        if !context.find(c.slug, lookup).await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The animals of a package's rows whose checks found what must be corrected.
pub(super) async fn faulty(context: &mut dyn BookReader, row: &Record) -> Result<BTreeSet<i64>> {
    let package = row.get(ID).int().unwrap_or_default();
    let findings = period::findings(context, row).await?;
    let fix = findings.iter().filter(|finding| finding.severity == Severity::Fix);
    let mut animals: BTreeSet<i64> = fix.filter_map(|finding| finding.place.animal).collect();
    for c in signed_collections()? {
        let (Some(path), Some(_)) = (c.animal, c.slot("checkStatus")) else {
            continue;
        };
        let (slot, mut after) = (c.at(path), Some(0));
        while let Some(last) = after {
            let lookup = of(package, last).is_in("checkStatus", vec![Value::from("fix")]).fields(&[path]);
            let rows = context.find(c.slug, lookup).await?;
            animals.extend(rows.iter().filter_map(|row| row.get(slot).int()));
            after = rows.last().and_then(|row| row.get(ID).int());
        }
    }
    Ok(animals)
}

/// Moves the verification of a package's rows, those of some animals to another state.
pub(super) async fn settle(
    context: &mut dyn HookContext,
    package: i64,
    from: &str,
    to: &str,
    apart: (&BTreeSet<i64>, &str),
) -> Result<()> {
    for c in signed_collections()? {
        let verification = c.at("verification");
        let animal = c.animal.map_or(usize::MAX, |path| c.at(path));
        let mut after = 0;
        loop {
            let mut lookup = of(package, after).is_in("verification", vec![Value::from(from)]);
            lookup = lookup.fields(&[c.animal.unwrap_or("id")]);
            let rows = context.find(c.slug, lookup).await?;
            let Some(last) = rows.last().and_then(|row| row.get(ID).int()) else {
                break;
            };
            after = last;
            let moved = rows.iter().filter_map(|row| {
                let about = row.get(animal).int();
                let other = about.is_some_and(|id| apart.0.contains(&id));
                let word = if other { apart.1 } else { to };
                Some((row.get(ID).int()?, vec![(verification, Value::from(word))]))
            });
            let moved = moved.collect();
            context.amend_and_forget(c.slug, moved).await?;
        }
    }
    Ok(())
}

/// Rows that a package gets while it is checked wait for verification, as its others do.
///
/// # Errors
/// The errors of the context.
pub async fn wait_for_check(context: &mut dyn HookContext, package: &Record) -> Result<()> {
    let is_checked = package.get(Slots::get().status).text() == Some("checking");
    match package.get(ID).int().filter(|_| is_checked) {
        Some(id) => {
            let none = BTreeSet::new();
            settle(context, id, "unverified", "pending", (&none, "")).await
        }
        None => Ok(()),
    }
}

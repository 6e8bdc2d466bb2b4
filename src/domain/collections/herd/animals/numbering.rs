//! The number of an animal in the herd book: `<category code>-<year>-<7 digits>`, given
//! once, when it is registered (docs/states.md, *animals · registration.status*).

use super::view::Slots;
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::time;
use model::registry::{BookReader, Draft, HookContext, Lookup, Verb};
use std::collections::BTreeMap;

slots!(
    /// Slots of `breeding-categories` that numbers are made of.
    Categories of "breeding-categories" { code }
);

/// Characters of a number at most, and those of its last part.
const LENGTH: usize = 20;
const DIGITS: usize = 7;

/// Refuses the registration of animals for which no number can be made.
pub(super) async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let prefixes = prefixes(context, drafts).await?;
    for draft in drafts.iter_mut().filter(|d| due(d)) {
        let fault = match prefixes.get(&draft.id) {
            None => ("required", "An animal without a category gets no number."),
            Some(prefix) if prefix.chars().count() + 1 + DIGITS > LENGTH => {
                ("too-long", "The code of the category is too long for a number.")
            }
            Some(_) => continue,
        };
        draft.fault("category", fault.0, fault.1);
    }
    Ok(())
}

/// Gives numbers to the animals that are being registered.
pub(super) async fn number(context: &mut dyn HookContext, drafts: &mut [Draft]) -> Result<()> {
    let slot = Slots::get().registration_number;
    let prefixes = prefixes(context, drafts).await?;
    for draft in drafts.iter_mut().filter(|d| due(d)) {
        if let Some(prefix) = prefixes.get(&draft.id) {
            draft.new.set(slot, next(context, prefix).await?);
        }
    }
    Ok(())
}

/// The next number that no animal has: animals that are taken over bring theirs along.
async fn next(context: &mut dyn HookContext, prefix: &str) -> Result<String> {
    loop {
        let next = context.next(&format!("registration:{prefix}"), 1).await?;
        let number = format!("{prefix}-{next:0width$}", width = DIGITS);
        let lookup = Lookup::default().is_in("registration.number", vec![number.as_str().into()]);
        let existing = context.find("animals", lookup.fields(&["id"]).limit(1));
        if existing.await?.is_empty() {
            return Ok(number);
        }
    }
}

/// Whether the draft registers an animal; rows that are taken over bring their number along.
fn due(draft: &Draft) -> bool {
    let s = Slots::get();
    draft.verb == Verb::Update
        && draft.clean()
        && draft.changes(s.registration)
        && draft.new.get(s.registration).text() == Some("registered")
        && draft.new.get(s.registration_number).is_null()
}

/// What the numbers of animals that are being registered begin with, by animal; none for one
/// without a category.
async fn prefixes(context: &mut dyn BookReader, drafts: &[Draft]) -> Result<BTreeMap<i64, String>> {
    let slot = Slots::get().category;
    let category = |d: &Draft| Some((d.id, d.new.get(slot).int()?));
    let categories: BTreeMap<i64, i64> = (drafts.iter().filter(|d| due(d))).filter_map(category).collect();
    if categories.is_empty() {
        return Ok(BTreeMap::new());
    }
    let ids: Vec<i64> = categories.values().copied().collect();
    let rows = by_id(context, "breeding-categories", ids, &["code"]).await?;
    let iso = time::to_iso(context.now());
    let year = iso.get(..4).unwrap_or_default();
    let prefix = |(animal, category): (i64, i64)| {
        let code = rows.get(&category)?.get(Categories::get().code).text()?;
        Some((animal, format!("{code}-{year}")))
    };
    Ok(categories.into_iter().filter_map(prefix).collect())
}

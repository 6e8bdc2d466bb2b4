//! Relations that one sex alone can have: parents, service bulls, donors of embryos.

use crate::collections::dictionaries::lookups::{by_id, written};
use crate::collections::herd::animals::view::Slots;
use model::error::Result;
use model::registry::{BookReader, Collection, Draft};
use std::collections::BTreeSet;

/// Refuses new relations to animals of the other sex than the declaration names (`among`). One whose sex is not known
/// contradicts nothing, and a relation that is at fault already has no second fault.
pub(crate) async fn check(collection: &Collection, context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let relations = collection.fields.iter().enumerate().filter(|(_, field)| field.names_parent);
    let relations: Vec<(usize, &str, &str)> = relations
        .filter_map(|(slot, field)| {
            let sex = field.among.filter(|(path, _)| *path == "sex");
            sex.map(|(_, sex)| (slot, field.path.as_str(), sex))
        })
        .collect();
    let named = |draft: &Draft, slot: usize| draft.new.get(slot).int().filter(|_| draft.changes(slot));
    let ids: BTreeSet<i64> =
        drafts.iter().flat_map(|d| relations.iter().filter_map(move |(slot, ..)| named(d, *slot))).collect();
    let animals = by_id(context, "animals", ids, &["sex"]).await?;
    for draft in written(drafts) {
        for (slot, path, sex) in &relations {
            let animal = named(draft, *slot).and_then(|id| animals.get(&id));
            let other = animal.and_then(|row| row.get(Slots::get().sex).text()).is_some_and(|own| own != *sex);
            if other && !draft.issues.iter().any(|issue| issue.path == *path) {
                let message = match *sex {
                    "male" => "This animal is female; a male one belongs here.",
                    _ => "This animal is male; a female one belongs here.",
                };
                draft.fault(*path, "parent-wrong-sex", message);
            }
        }
    }
    Ok(())
}

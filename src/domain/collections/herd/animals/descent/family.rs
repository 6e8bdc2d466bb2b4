//! The animals around some others, as far as kinship and rules of parents read them.

use crate::collections::days::placed;
use crate::collections::dictionaries::lookups::{keyed, related};
use crate::collections::herd::animals::view::Animal;
use crate::derive::pedigree::Parents;
use model::error::Result;
use model::record::Record;
use model::registry::BookReader;
use std::collections::{BTreeMap, BTreeSet};

/// Generations of ancestors that are read: more than any herd book holds, so that damaged
/// data cannot read without end.
const GENERATIONS: usize = 40;
const FIELDS: &[&str] =
    &["father", "mother", "sex", "birthDate", "inbreeding", "inbreedingNeedsApproval", "pedigreeDepth"];

/// The parents of an animal, as links of a pedigree.
pub(crate) fn links(id: i64, animal: Animal<'_>) -> Parents {
    let (sire, dam) = animal.parents();
    Parents { id, sire, dam }
}

/// Animals with all ancestors that are known.
#[derive(Debug, Default)]
pub(crate) struct Family(pub(crate) BTreeMap<i64, Record>);

impl Family {
    /// Reads level by level, one look-up for each.
    pub(crate) async fn load(context: &mut dyn BookReader, ids: BTreeSet<i64>) -> Result<Self> {
        let mut family = Self::default();
        let mut level = ids;
        for _ in 0..=GENERATIONS {
            level.retain(|id| !family.0.contains_key(id));
            if level.is_empty() {
                break;
            }
            let rows = related(context, "animals", "id", std::mem::take(&mut level), FIELDS).await?;
            let rows = keyed(placed(context, "animals", rows).await?);
            for row in rows.values() {
                let (father, mother) = Animal(row).parents();
                level.extend([father, mother].into_iter().flatten());
            }
            family.0.extend(rows);
        }
        Ok(family)
    }

    pub(crate) fn rows(&self) -> BTreeMap<i64, Parents> {
        (self.0.iter()).map(|(id, row)| (*id, links(*id, Animal(row)))).collect()
    }
}

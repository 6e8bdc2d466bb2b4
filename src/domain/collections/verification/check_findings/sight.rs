//! Whom a finding concerns, and whether they see every animal that it rests on.
//!
//! An organisation sees an animal as its owner, as a past owner, or because it is open to everybody. Grants do not
//! count: they end, and what is stored stays.

use crate::collections::dictionaries::lookups::by_id;
use crate::collections::herd::animals::{Animal, Slots as Animals};
use crate::collections::slots::slots;
use crate::derive::pedigree::KINSHIP_GENERATIONS;
use checks::{Finding, Sight};
use model::error::Result;
use model::record::Record;
use model::registry::BookReader;
use std::collections::{BTreeMap, BTreeSet};

const FIELDS: &[&str] = &[
    "owner",
    "pastOwners",
    "publicVisible",
    "publicDetails",
    "father",
    "mother",
];

slots!(
    /// Slots of `herds`.
    Herds of "herds" { organization: "organization" }
);

/// The animals and herds of some findings.
#[derive(Debug)]
pub(super) struct Sights {
    animals: BTreeMap<i64, Record>,
    herds: BTreeMap<i64, Record>,
}

impl Sights {
    /// Reads what findings name: one look-up, and one for each generation where a pedigree counts.
    pub(super) async fn of(
        context: &mut dyn BookReader,
        findings: impl Iterator<Item = &Finding> + Clone,
    ) -> Result<Self> {
        let about = findings.clone().filter_map(|finding| finding.place.animal);
        let others = findings.clone().flat_map(|finding| &finding.others);
        let ids: BTreeSet<i64> = about.chain(others.clone().map(|(id, _)| *id)).collect();
        let mut animals = by_id(context, "animals", ids, FIELDS).await?;
        let lines = others.filter(|(_, sight)| *sight == Sight::Line);
        let mut level: BTreeSet<i64> = lines.map(|(id, _)| *id).collect();
        for _ in 0..KINSHIP_GENERATIONS {
            let (mut parents, mut missing) = (BTreeSet::new(), BTreeSet::new());
            for row in level.iter().filter_map(|id| animals.get(id)) {
                parents.extend(parents_of(row));
            }
            missing.extend(parents.iter().filter(|id| !animals.contains_key(id)));
            animals.extend(by_id(context, "animals", missing, FIELDS).await?);
            level = parents;
        }
        let herd = |finding: &Finding| {
            let place = finding.place;
            (place.animal.is_none() && place.collection == "herds").then_some(place.row)
        };
        let herds = findings.filter_map(herd).collect::<BTreeSet<_>>();
        let herds = by_id(context, "herds", herds, &["organization"]).await?;
        Ok(Self { animals, herds })
    }

    /// Whether the animal or herd that a finding is about is in the book.
    pub(super) fn stands(&self, finding: &Finding) -> bool {
        match finding.place.animal {
            Some(id) => self.animals.contains_key(&id),
            None => self.herds.contains_key(&finding.place.row),
        }
    }

    /// The organisation that may read a finding, besides the Association.
    pub(super) fn reader(&self, finding: &Finding) -> Option<i64> {
        let owner = match finding.place.animal {
            Some(id) => self.animals.get(&id)?.get(Animals::get().owner).int()?,
            None => {
                let herd = self.herds.get(&finding.place.row)?;
                herd.get(Herds::get().organization).int()?
            }
        };
        let mut others = finding.others.iter();
        others
            .all(|(id, sight)| self.sees(owner, *id, *sight))
            .then_some(owner)
    }

    fn sees(&self, reader: i64, id: i64, sight: Sight) -> bool {
        let Some(row) = self.animals.get(&id) else {
            return false;
        };
        let (s, animal) = (Animals::get(), Animal(row));
        if row.get(s.owner).int() == Some(reader) && sight != Sight::Line {
            return true;
        }
        let was = row.get(s.past_owners).ids().contains(&reader);
        match sight {
            Sight::Row => was || row.get(s.public_visible).truth(),
            Sight::Card => was || animal.card(),
            Sight::Events => false,
            Sight::Line => self.sees_line(reader, id),
        }
    }

    /// The card of an animal and those of its ancestors, as far back as kinship is counted.
    fn sees_line(&self, reader: i64, id: i64) -> bool {
        let mut level = BTreeSet::from([id]);
        for _ in 0..=KINSHIP_GENERATIONS {
            if !level.iter().all(|id| self.sees(reader, *id, Sight::Card)) {
                return false;
            }
            let rows = level.iter().filter_map(|id| self.animals.get(id));
            level = rows.flat_map(parents_of).collect();
        }
        true
    }
}

fn parents_of(row: &Record) -> impl Iterator<Item = i64> {
    let (father, mother) = Animal(row).parents();
    father.into_iter().chain(mother)
}

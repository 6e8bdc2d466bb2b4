//! Whom a finding concerns, and whether they see every animal that it rests on.
//!
//! An organisation sees an animal as its owner, as a past owner, or because it is open to everybody. Grants do not
//! count: they end, and what is stored stays. Who the ancestors of its animal are, the owner reads in any case
//! (docs/design/access.md, *Relatives*).

use crate::collections::dictionaries::lookups::by_id;
use crate::collections::herd::animals::{Animal, Slots as Animals};
use checks::{Finding, Visibility};
use model::error::Result;
use model::record::Record;
use model::registry::BookReader;
use std::collections::{BTreeMap, BTreeSet};

const FIELDS: &[&str] = &["owner", "pastOwners", "publicVisible", "publicDetails"];

/// What is looked at as a whole, and is an organisation's.
const WHOLE: [&str; 2] = ["herds", "data-submissions"];

/// The animals, herds and packages of some findings.
#[derive(Debug)]
pub(super) struct Readers {
    animals: BTreeMap<i64, Record>,
    /// The organisations of what was looked at as a whole, by collection and id.
    whole: BTreeMap<(&'static str, i64), Option<i64>>,
    /// The parties of movements: nobody else reads them, not even a later owner of the animal.
    parties: BTreeMap<i64, [Option<i64>; 2]>,
}

impl Readers {
    /// Reads what findings name.
    pub(super) async fn of(
        context: &mut dyn BookReader,
        findings: impl Iterator<Item = &Finding> + Clone,
    ) -> Result<Self> {
        let about = findings.clone().filter_map(|finding| finding.place.animal);
        let others = findings.clone().flat_map(|finding| &finding.others);
        let ids: BTreeSet<i64> = about.chain(others.map(|(id, _)| *id)).collect();
        let animals = by_id(context, "animals", ids, FIELDS).await?;
        let mut whole = BTreeMap::new();
        for slug in WHOLE {
            let own = |finding: &&Finding| finding.place.animal.is_none() && finding.place.collection == slug;
            let ids: BTreeSet<i64> = findings.clone().filter(own).map(|f| f.place.row).collect();
            let organization = context.collection(slug)?.at("organization");
            let rows = by_id(context, slug, ids, &["organization"]).await?;
            whole.extend(rows.into_iter().map(|(id, row)| ((slug, id), row.get(organization).int())));
        }
        let moved = findings.clone().filter(|f| f.place.collection == "movements");
        let ids: BTreeSet<i64> = moved.map(|finding| finding.place.row).collect();
        let mut parties = BTreeMap::new();
        if !ids.is_empty() {
            let c = context.collection("movements")?;
            let slots = [c.at("from"), c.at("to")];
            let rows = by_id(context, "movements", ids, &["from", "to"]).await?;
            let of = |row: &Record| slots.map(|slot| row.get(slot).int());
            parties.extend(rows.iter().map(|(id, row)| (*id, of(row))));
        }
        Ok(Self { animals, whole, parties })
    }

    /// Whether the animal, herd or package that a finding is about is in the book.
    pub(super) fn knows(&self, finding: &Finding) -> bool {
        match finding.place.animal {
            Some(id) => self.animals.contains_key(&id),
            None => self.whole.contains_key(&(finding.place.collection, finding.place.row)),
        }
    }

    /// The organisation that may read a finding, besides the Association.
    pub(super) fn reader(&self, finding: &Finding) -> Option<i64> {
        let owner = match finding.place.animal {
            Some(id) => self.animals.get(&id)?.get(Animals::get().owner).int(),
            None => *(self.whole).get(&(finding.place.collection, finding.place.row))?,
        };
        let owner = owner?;
        if finding.place.collection == "movements" {
            let parties = self.parties.get(&finding.place.row)?;
            parties.contains(&Some(owner)).then_some(())?;
        }
        let mut others = finding.others.iter();
        others.all(|(id, visibility)| self.sees(owner, *id, *visibility)).then_some(owner)
    }

    fn sees(&self, reader: i64, id: i64, visibility: Visibility) -> bool {
        let Some(row) = self.animals.get(&id) else {
            return false;
        };
        let s = Animals::get();
        if row.get(s.owner).int() == Some(reader) {
            return true;
        }
        let was = row.get(s.past_owners).ids().contains(&reader);
        match visibility {
            Visibility::Identity => true,
            Visibility::Row => was || row.get(s.public_visible).truth(),
            Visibility::Card => was || Animal(row).card(),
            Visibility::Events => false,
        }
    }
}

//! Lists of animals of the location (`animals:here`), read: each is looked up there, and what the
//! row has besides animals of the location stays.

use crate::ade_path::{PathStep, pointer};
use crate::compile::plan::{OwnedAnimals, Read, ReadRule, Target};
use crate::identifiers::HERE;
use crate::path::{Env, View};
use crate::read::document::Intake;
use crate::read::reference::{animal, text};
use crate::read::work::Work;
use crate::{ANIMALS, Mapping, Purpose, Related};
use model::error::Issue;
use model::fast::IndexSet;
use model::record::{Record, Value};
use model::said;
use serde_json::Value as Json;

/// Animals that are reported of one list.
const REPORTED: usize = 20;

impl<'a> Work<'a> {
    /// Fills a slot with the animals that a list names. Each must be one of the location; one that
    /// is named twice counts once.
    pub(crate) fn here(
        &mut self,
        entry: &ReadRule,
        here: &OwnedAnimals,
        slot: usize,
        values: &[(Vec<PathStep<'a>>, &Json)],
    ) {
        let mut ids = IndexSet::default();
        for (places, value) in values {
            let Some(list) = value.as_array() else {
                continue;
            };
            let at = format!("{}{}", self.reader.base, pointer(places));
            self.used.push(places.clone());
            if list.len() > here.most {
                let message = said!("At most {limit} may be named.", limit = here.most);
                self.issues.push(Issue::error(at, "too-many", message));
                continue;
            }
            let mut faults = Vec::new();
            for (i, element) in list.iter().enumerate() {
                let at = format!("{at}/{i}");
                let reference = animal(self.reader.identifiers, Purpose::Animal, at.clone(), element);
                if let Some(id) = reference.and_then(|reference| self.reader.resolved.id(&reference)) {
                    ids.insert(id);
                } else {
                    let part = |name| text(element, name).unwrap_or_default();
                    let unknown = self.reader.identifiers.unknown(part("scheme"), part("id"), HERE);
                    faults.push(Issue::error(at, unknown.0, unknown.1));
                }
            }
            self.issues.extend(faults.into_iter().take(REPORTED));
        }
        if !values.is_empty() || !entry.keep {
            self.set.insert(slot, Value::Ids(ids.into_iter().collect()));
        }
    }
}

impl Mapping {
    /// What a stored row means for the lists of animals that a document brings: animals that are
    /// not of the location, which its document does not show, stay; and a row that has something
    /// instead of the list takes none.
    pub(crate) fn settle_here(&self, row: &Record, related: &dyn Related, intake: &mut Intake) {
        let env = Env { row, parts: &[], element: None, item: None, related };
        for entry in &self.inward.reading.entries {
            let (Read::Here(here), Target::Slot(slot)) = (&entry.read, &entry.target) else {
                continue;
            };
            let stated = intake.fields.iter_mut().find(|(s, _)| s == slot);
            let Some((_, Value::Ids(stated))) = stated else {
                continue;
            };
            let had = row.get(*slot).ids();
            let instead = here.rival.is_some_and(|rival| !row.get(rival).is_null());
            if instead && had.is_empty() && !stated.is_empty() {
                let message = "This resource follows from a condition in the book, and takes none.";
                let at = entry.path.pointer();
                intake.issues.push(Issue::error(at, "set-by-condition", message));
                continue;
            }
            let place = match here.place.view(&env) {
                View::Int(id) => Some(id),
                _ => None,
            };
            let elsewhere = |id: &&i64| {
                let owner = related.get(ANIMALS, **id).and_then(|a| a.get(here.owner).int());
                owner.is_none() || owner != place
            };
            let stay: Vec<i64> = had.iter().filter(elsewhere).filter(|id| !stated.contains(id)).copied().collect();
            stated.extend(stay);
        }
    }
}

//! Whether a reason for leaving contradicts what happened to the animal: each stands for a state, or for none.

use super::course::Kind;
use super::view::Slots;
use crate::collections::FieldSet;
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::slots::slots;
use model::error::{Issue, Result};
use model::messages::Word;
use model::registry::{BookReader, Draft};
use model::said;
use std::collections::BTreeMap;

slots!(
    /// Slots of `disposal-reasons` that movements read.
    Meanings of "disposal-reasons" { state }
);

/// The states that reasons for leaving stand for, by id. One that stands for none fits any movement.
#[derive(Debug)]
pub(crate) struct Reasons(BTreeMap<i64, String>);

impl Reasons {
    pub(crate) async fn load(context: &mut dyn BookReader, ids: impl IntoIterator<Item = i64>) -> Result<Self> {
        let rows = by_id(context, "disposal-reasons", ids, Meanings::PATHS).await?;
        let states = rows.iter().filter_map(|(id, row)| {
            let state = row.get(Meanings::get().state).text()?;
            Some((*id, state.to_owned()))
        });
        Ok(Self(states.collect()))
    }

    /// The fault of a reason that contradicts what happened. One that only stands for another way of leaving is noted
    /// by the checks of the book.
    pub(crate) fn fault(&self, path: &'static str, reason: Option<i64>, ends: bool) -> Option<Issue> {
        let own = self.0.get(&reason?).filter(|own| contradicts(own, ends))?;
        let own = Word { slug: "animals", path: "state", word: own.clone() };
        let message = said!("The reason belongs to another way of leaving: {state}.", state = own);
        Some(Issue::error(path, "not-allowed", message))
    }

    /// Checks the reason of a movement. The exchange says kind and reason apart.
    pub(super) fn check(&self, draft: &mut Draft) {
        let s = Slots::get();
        let exchanged = [s.departure, s.arrival].iter().any(|slot| !draft.new.get(*slot).is_null());
        let kind = draft.new.get(s.kind).text().and_then(Kind::parse);
        if let Some(kind) = kind.filter(|_| !exchanged && [s.kind, s.reason].iter().any(|slot| draft.changes(*slot))) {
            draft.issues.extend(self.fault("reason", draft.new.get(s.reason).int(), kind.ends()));
        }
    }
}

/// Whether the state of a reason contradicts the end of an animal, or that it goes alive.
pub(super) fn contradicts(state: &str, ends: bool) -> bool {
    state == if ends { "sold" } else { "dead" }
}

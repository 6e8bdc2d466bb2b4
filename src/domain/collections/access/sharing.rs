//! What grants, consents and links have in common: an owner gives them, for one animal or for all
//! their animals (docs/design/collections.md, *Access collections*).

use crate::collections::dictionaries::lookups::{by_id, related_ids};
use crate::collections::herd::animals::{Animal, Slots as Animals};
use model::error::Result;
use model::registry::{Access, BookReader, Caller, Capability, Draft, Move, Rule, Set, States, Verb, Who};

/// Rules of what an owner gives; `subjects` are those who read it.
pub(crate) fn access(subjects: &[&'static str]) -> Access {
    Access::read(Rule::Farm)
        .create(Rule::Own(Capability::Share))
        .update(Rule::Own(Capability::Share))
        .delete(Rule::Admin)
        .subjects(subjects)
        .write_subjects(&["owner"])
}

/// Given at once, and revoked for good (docs/states.md): what the log calls both, what revoking sets beside its
/// time, and what it does.
pub(crate) fn steps([given, revoked]: [&'static str; 2], sets: &[(&'static str, Set)], doc: &'static str) -> States {
    let by_giver = |step: Move| step.by(Who::Farm(Capability::Share)).by(Who::Association);
    let end = by_giver(Move::new(&["live"], "revoked")).grave().set("revokedAt", Set::Now);
    let end = (sets.iter()).fold(end, |end, (path, set)| end.set(path, set.clone()));
    States::times("live", &[("revoked", "revokedAt")])
        .with(by_giver(Move::begin("live")).log(given))
        .with(end.log(revoked).doc(doc))
}

/// Where the fields of something given are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GrantSlots {
    /// The giver.
    pub(crate) owner: usize,
    pub(crate) animal: usize,
    /// The user who did it.
    pub(crate) by: usize,
}

/// The giver of new rows: the owner of the animal, or of a whole herd the caller's
/// organisation.
pub(crate) async fn give(context: &mut dyn BookReader, drafts: &mut [Draft], s: GrantSlots) -> Result<()> {
    let ids = related_ids(drafts, s.animal);
    let animals = by_id(context, "animals", ids, &["owner"]).await?;
    let caller = context.caller().clone();
    for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
        let owner = match draft.new.get(s.animal).int() {
            // A missing animal is reported as for every relation.
            Some(id) => match animals.get(&id) {
                Some(animal) => Animal(animal).link(Animals::get().owner),
                None => caller.organization,
            },
            None => caller.organization,
        };
        // The system names the owner itself where no animal does.
        if owner.is_some() || caller.caller != Caller::System {
            draft.new.set(s.owner, owner);
        }
        if caller.user.is_some() {
            draft.new.set(s.by, caller.user);
        }
    }
    Ok(())
}

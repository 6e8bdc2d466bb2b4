//! What happens around writing animals, in order; the rules are in the modules beside it.

use super::view::{Animal, Slots};
use super::{
    kinship, leaving, named, numbering, one_of_two, parents, passport, production, removal,
};
use crate::collections::clarifications::{open, shared, sold};
use crate::collections::evaluation::recounted;
use crate::collections::history::refresh;
use crate::collections::lookups::written;
use crate::collections::pictures;
use crate::collections::weighings;
use crate::error::Result;
use crate::record::Value;
use crate::registry::{BookReader, Caller, Change, Collection, Desk, Draft, Hooks, Verb};
use futures_util::future::BoxFuture;
use std::collections::BTreeSet;

#[derive(Debug)]
pub(super) struct Behaviour;

impl Hooks for Behaviour {
    fn prepare<'a>(
        &'a self,
        _collection: &'static Collection,
        _desk: &'a mut dyn BookReader,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            drafts.iter_mut().for_each(passport::key);
            Ok(())
        })
    }

    fn check<'a>(
        &'a self,
        _collection: &'static Collection,
        desk: &'a mut dyn BookReader,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            passport::check(desk, drafts).await?;
            parents::check(desk, drafts).await?;
            leaving::check(desk, drafts).await?;
            numbering::check(desk, drafts).await?;
            pictures::check_photos(desk, drafts).await?;
            for draft in written(drafts) {
                production::report(draft)?;
                edited(desk, draft);
            }
            one_of_two::check(desk, drafts).await?;
            removal::check(desk, drafts).await
        })
    }

    fn complete<'a>(
        &'a self,
        collection: &'static Collection,
        desk: &'a mut dyn Desk,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            numbering::number(desk, drafts).await?;
            removal::remove(collection, desk, drafts).await
        })
    }

    fn effects<'a>(
        &'a self,
        _collection: &'static Collection,
        desk: &'a mut dyn Desk,
        changes: &'a [Change],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(effects(desk, changes))
    }
}

async fn effects(desk: &mut dyn Desk, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    let changed = |slots: &[usize]| -> BTreeSet<i64> {
        (changes.iter())
            .filter_map(|c| Some((c.id, c.old.as_ref()?, c.new.as_ref()?)))
            .filter(|(_, old, new)| slots.iter().any(|slot| old.get(*slot) != new.get(*slot)))
            .map(|(id, _, _)| id)
            .collect()
    };
    one_of_two::follow(desk, changes).await?;
    let known = [
        s.father,
        s.mother,
        s.owner,
        s.past_owners,
        s.public_visible,
        s.public_details,
        s.trust,
    ];
    kinship::follow(desk, &changed(&known)).await?;
    let readers = [s.owner, s.public_visible, s.public_details, s.trust];
    recounted(desk, &changed(&readers)).await?;
    sold(desk, &changed(&[s.owner])).await?;
    named::ask(desk, changes).await?;
    let contradicted = parents::contradicted(desk, changes).await?;
    open(desk, contradicted).await?;
    shared(desk, "animals", &["identNumber", "uuid"], changes).await?;
    leaving::record(desk, changes).await?;
    pictures::animals_changed(desk, changes).await?;
    weighings::recompute(desk, &changed(&[s.birth])).await?;
    refresh(desk, &changed(&[s.reported, s.sex])).await
}

/// Who entered the animal, and who last changed its card. A correction by the owner ends
/// a rejection (docs/states.md, *animals · trustLevel*).
fn edited(desk: &dyn BookReader, draft: &mut Draft) {
    let s = Slots::get();
    let caller = desk.caller();
    if draft.old.as_ref() == Some(&draft.new) {
        return;
    }
    let rejected = (draft.old.as_ref()).is_some_and(|o| o.get(s.trust).int() == Some(-1));
    if rejected && caller.caller == Caller::Farm {
        draft.new.set(s.trust, 0);
    }
    let Some(user) = caller.user else {
        return;
    };
    if draft.verb == Verb::Create {
        draft.new.set(s.author, user);
    }
    draft.new.set(s.edit_user, user);
    draft.new.set(s.edit_time, Value::Time(desk.now()));
}

/// The animal of a draft.
pub(super) fn animal(draft: &Draft) -> Animal<'_> {
    Animal(&draft.new)
}

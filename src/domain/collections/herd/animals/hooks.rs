//! What happens around writing animals, in order; the rules are in the modules beside it.

use super::descent::{births, kinship, parent_numbers, parentage, parents, sexes};
use super::view::Slots;
use super::{leaving, numbering, one_of_two, passport, production, removal};
use crate::collections::days::{Place, put_drafts};
use crate::collections::dictionaries::lookups::written;
use crate::collections::documents::pictures;
use crate::collections::evaluation::{follow_births, follow_indexes, recounted};
use crate::collections::events::history::{recompute_pending, refresh};
use crate::collections::events::{moved_away, weighings};
use crate::collections::hooks::hooks;
use crate::collections::platform::clarifications::{open, shared, sold};
use model::error::Result;
use model::record::Value;
use model::registry::{BookReader, Caller, Change, Draft, HookContext, Verb};
use std::collections::BTreeSet;

hooks!(pub(super) Behaviour {
    prepare(_context, drafts) {
        drafts.iter_mut().for_each(passport::key);
        Ok(())
    }
    check(collection, context, drafts) {
        let days = put_drafts(context, collection, drafts).await?;
        passport::check(context, drafts).await?;
        parents::check(context, drafts).await?;
        sexes::check(collection, context, drafts).await?;
        leaving::check(context, drafts).await?;
        numbering::check(context, drafts).await?;
        pictures::check_photos(context, drafts).await?;
        for draft in written(drafts) {
            parentage::attest(context.caller(), draft);
            production::report(draft)?;
            edited(context, draft);
        }
        one_of_two::check(context, drafts).await?;
        days.put_back(drafts);
        removal::check(context, drafts).await
    }
    complete(collection, context, drafts) {
        numbering::number(context, drafts).await?;
        removal::remove(collection, context, drafts).await
    }
    effects(context, changes) {
        effects(context, changes).await
    }
    recompute_pending(context, behind) {
        recompute_pending(context, behind).await
    }
});

async fn effects(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    let changed = |slots: &[usize]| -> BTreeSet<i64> {
        (changes.iter())
            .filter_map(|c| Some((c.id, c.old.as_ref()?, c.new.as_ref()?)))
            .filter(|(_, old, new)| slots.iter().any(|slot| old.get(*slot) != new.get(*slot)))
            .map(|(id, _, _)| id)
            .collect()
    };
    one_of_two::follow(context, changes).await?;
    births::follow(context, changes).await?;
    kinship::follow(context, &changed(&[s.father, s.mother])).await?;
    let readers = [s.owner, s.public_visible, s.public_details, s.trust];
    recounted(context, &changed(&readers)).await?;
    follow_indexes(context, &changed(&[s.owner])).await?;
    follow_births(context, &changed(&[s.birth])).await?;
    sold(context, &changed(&[s.owner])).await?;
    parent_numbers::ask(context, changes).await?;
    let contradicted = parents::contradicted(context, changes).await?;
    open(context, contradicted).await?;
    shared(context, "animals", &["identNumber", "uuid"], changes).await?;
    leaving::record(context, changes).await?;
    pictures::animals_changed(context, changes).await?;
    weighings::recompute(context, &changed(&[s.birth])).await?;
    // The movement that a state makes or deletes finds it written.
    let facts = [s.reported, s.sex, s.birth, s.age_group_computed, s.state, s.disposal_date];
    refresh(context, &changed(&facts)).await?;
    let mut places = Vec::new();
    for change in changes {
        if let (Some(old), Some(new)) = (&change.old, &change.new)
            && Place::of(old) != Place::of(new)
        {
            places.push((change.id, Place::of(old)));
        }
    }
    moved_away(context, places).await
}

/// The user who entered the animal, and the user who last changed its card. A correction by the
/// owner ends a rejection (docs/states.md, *animals · trustLevel*).
fn edited(context: &dyn BookReader, draft: &mut Draft) {
    let s = Slots::get();
    let caller = context.caller();
    if draft.old.as_ref() == Some(&draft.new) || births::is_alone(draft) {
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
    draft.new.set(s.edit_time, Value::Time(context.now()));
}

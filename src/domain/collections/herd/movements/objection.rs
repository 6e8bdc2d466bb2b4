//! Whether the receiver may object to a movement that the giver recorded (docs/states.md,
//! *movements · confirmation*).

use super::view::{Courses, Slots, step_of};
use crate::collections::FieldSet;
use crate::collections::dictionaries::lookups::{by_id, written};
use crate::collections::registry;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Draft, Lookup, Test, Verb};

slots!(
    /// Slots of `users` that tell for whom a movement was recorded.
    Recorders of "users" { organization, role }
);

/// Refuses objections to what the giver did not record, and of receivers that used the animal.
pub(super) async fn check(context: &mut dyn BookReader, drafts: &mut [Draft], courses: &Courses) -> Result<()> {
    let s = Slots::get();
    for draft in written(drafts) {
        if !objects(draft) {
            if draft.changes(s.objection) {
                let message = "Only an objection to the movement has a reason.";
                draft.fault("objection", "not-allowed", message);
            }
            continue;
        }
        if !draft.clean() {
            continue;
        }
        let message = match &draft.old {
            Some(old) => fault(context, old, courses).await?,
            None => None,
        };
        if let Some((code, message)) = message {
            draft.fault("confirmation", code, message);
        }
        if draft.new.get(s.objection).is_null() {
            let message = "Say why the animal is not yours.";
            draft.fault("objection", "required", message);
        }
    }
    Ok(())
}

/// Whether a draft objects to its movement.
fn objects(draft: &Draft) -> bool {
    let s = Slots::get();
    draft.verb == Verb::Update
        && draft.changes(s.confirmation)
        && draft.new.get(s.confirmation).text() == Some("objected")
}

async fn fault(
    context: &mut dyn BookReader,
    row: &Record,
    courses: &Courses,
) -> Result<Option<(&'static str, &'static str)>> {
    let s = Slots::get();
    let step = step_of(row).filter(|step| !step.outside);
    let (Some(step), Some(animal)) = (step, row.get(s.animal).int()) else {
        let message = "An objection is to a sale or lease to an organisation of the book that applies.";
        return Ok(Some(("illegal-move", message)));
    };
    let recorder = row.get(s.recorded_by).int();
    let users = by_id(context, "users", recorder, Recorders::PATHS).await?;
    let recorder = recorder.and_then(|id| users.get(&id));
    let of = Recorders::get();
    let judged = recorder.is_some_and(|user| {
        matches!(user.get(of.role).text(), Some("expert" | "admin")) || user.get(of.organization).int() == step.to
    });
    if judged {
        let message = "The seller did not record it: who recorded it deletes it.";
        return Ok(Some(("illegal-move", message)));
    }
    let mut later = courses.steps(animal).iter();
    if later.any(|other| other.order() > step.order()) {
        return Ok(Some(("in-use", "The animal has moved since.")));
    }
    let used = match step.to {
        Some(buyer) => !row.get(s.arrival).is_null() || uses(context, animal, (buyer, row.get(s.created_at))).await?,
        None => false,
    };
    let message = "You have recorded something about the animal since: delete that first.";
    Ok(used.then_some(("in-use", message)))
}

/// Whether an organisation has entered rows of its own that name the animal, since then.
async fn uses(context: &mut dyn BookReader, animal: i64, (organization, since): (i64, &Value)) -> Result<bool> {
    for referrer in registry()?.referrers("animals") {
        let c = referrer.collection;
        let session = c.fields.iter().find(|field| field.session);
        let (Some(session), Some(field)) = (session, referrer.field()) else {
            continue;
        };
        if referrer.sub.is_some() || !field.stored() || c.slug == "movements" {
            continue;
        }
        let lookup = Lookup::by_ids(&field.path, [animal])
            .is_in(&session.path, vec![Value::Int(organization)])
            .test("createdAt", Test::From(since.clone()))
            .fields(&["id"])
            .limit(1);
        if !context.find(c.slug, lookup).await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

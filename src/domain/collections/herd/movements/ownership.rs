//! What held for an animal before a movement, and whether a farm writes the movement.

use super::course::{Ownership, before};
use super::view::{Courses, Slots};
use model::record::Record;
use model::registry::{Caller, Draft, Principal};

/// What held for the animal before the movement of a draft.
pub(super) fn ownership_before(courses: &Courses, animal: i64, draft: &Draft) -> Option<Ownership> {
    ownership_before_row(courses, animal, &draft.new, draft.id)
}

/// What held for the animal before a movement, given as its row and id.
pub(super) fn ownership_before_row(courses: &Courses, animal: i64, row: &Record, id: i64) -> Option<Ownership> {
    let date = row.get(Slots::get().date).time()?;
    let others = courses.others(animal, id);
    let order = (crate::derive::day_of(date), id);
    Some(before(&courses.entry(animal)?, &others, order))
}

/// Whether a caller writes as a farm; the Association and the system apply at once.
pub(super) fn farm(caller: &Principal) -> bool {
    !matches!(caller.caller, Caller::Association | Caller::System)
}

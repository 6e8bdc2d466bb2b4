//! Where an animal stood before a movement, and who writes it.

use super::course::{Standing, before};
use super::view::{Courses, Slots};
use model::record::Record;
use model::registry::{Caller, Draft, Principal};

/// Where the animal stood before the movement.
pub(super) fn owner_then(courses: &Courses, animal: i64, draft: &Draft) -> Option<Standing> {
    standing_then(courses, animal, &draft.new, draft.id)
}

pub(super) fn standing_then(
    courses: &Courses,
    animal: i64,
    row: &Record,
    id: i64,
) -> Option<Standing> {
    let date = row.get(Slots::get().date).time()?;
    let others = courses.others(animal, id);
    let order = (crate::derive::day_of(date), id);
    Some(before(&courses.entry(animal)?, &others, order))
}

/// Whether a caller writes as a farm; the Association and the system apply at once.
pub(super) fn farm(caller: &Principal) -> bool {
    !matches!(caller.caller, Caller::Association | Caller::System)
}

//! The number of an animal in the herd book: `<category code>-<year>-<7 digits>`, given
//! once, when it is registered (model, section 4).

use super::view::Slots;
use crate::collections::lookups::by_id;
use crate::collections::slots::slots;
use crate::error::{Issue, Result};
use crate::record::time;
use crate::registry::{Desk, Draft, Verb};

slots!(
    /// Slots of `breeding-categories` that numbers are made of.
    Categories of "breeding-categories" { code: "code" }
);

/// Gives numbers to the animals that are being registered.
pub(super) async fn number(desk: &mut dyn Desk, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    // Rows that are taken over bring their number along.
    let due = |d: &Draft| {
        d.verb == Verb::Update
            && d.clean()
            && d.changes(s.registration)
            && d.new.get(s.registration).text() == Some("registered")
            && d.new.get(s.registration_number).is_null()
    };
    if !drafts.iter().any(due) {
        return Ok(());
    }
    let ids = (drafts.iter().filter(|d| due(d))).filter_map(|d| d.new.get(s.category).int());
    let ids: Vec<i64> = ids.collect();
    let categories = by_id(desk, "breeding-categories", ids, &["code"]).await?;
    let iso = time::to_iso(desk.now());
    let year = iso.get(..4).unwrap_or_default();
    for draft in drafts.iter_mut().filter(|d| due(d)) {
        let category = draft.new.get(s.category).int();
        let category = category.and_then(|id| categories.get(&id));
        let Some(code) = category.and_then(|c| c.get(Categories::get().code).text()) else {
            let message = "Without a category there is no number.";
            draft
                .issues
                .push(Issue::error("category", "required", message));
            continue;
        };
        let prefix = format!("{code}-{year}");
        let next = desk.next(&format!("registration:{prefix}"), 1).await?;
        let number = format!("{prefix}-{next:07}");
        if number.chars().count() > 20 {
            let message = "The code of the category is too long for a number.";
            draft
                .issues
                .push(Issue::error("category", "too-long", message));
            continue;
        }
        draft.new.set(s.registration_number, number);
    }
    Ok(())
}

//! Animals that were archived 30 days ago are deleted, like by every deletion (docs/logs.md,
//! *animal-removals: what is gone*): not while living children name them, and not while the
//! deletion is refused, because a document was issued or a request is open.

use crate::collections::dictionaries::lookups::related;
use crate::collections::slots::slots;
use model::error::{Error, Result};
use model::record::Value;
use model::registry::{Command, HookContext, ID, Lookup, Test};
use std::collections::BTreeSet;

/// Days for which an archived animal can be restored by its farm.
const RETENTION_DAYS: i64 = 30;
const DAY: i64 = 86_400_000;
/// Animals of one step.
const STEP: i64 = 100;

slots!(Slots of "animals" { father, mother, state });

/// One step of a pass over the book: deletes what is due among the animals behind an id,
/// and says behind which to go on; none at the end of the pass. Runs as the system.
///
/// # Errors
/// The errors of the hook context. An animal whose deletion is refused stays, and is no error.
pub async fn purge(context: &mut dyn HookContext, after: i64) -> Result<Option<i64>> {
    let s = Slots::get();
    let since = context.now() - RETENTION_DAYS * DAY;
    let due = Lookup::default()
        .is_in("archived", vec![Value::Bool(true)])
        .test("archivedAt", Test::Before(Value::Time(since)))
        .test("id", Test::From(Value::Int(after + 1)))
        .fields(&["id"])
        .limit(STEP);
    let due = context.find("animals", due).await?;
    let ids: BTreeSet<i64> = due.iter().filter_map(|row| row.get(ID).int()).collect();
    let Some(last) = ids.last().copied() else {
        return Ok(None);
    };
    let mut parents = BTreeSet::new();
    for (path, slot) in [("father", s.father), ("mother", s.mother)] {
        let fields = [path, "state"];
        for child in related(context, "animals", path, ids.iter().copied(), &fields).await? {
            if child.get(s.state).text() == Some("alive") {
                parents.extend(child.get(slot).int());
            }
        }
    }
    for id in ids.difference(&parents) {
        match context.write("animals", vec![Command::Delete(*id)]).await {
            Ok(_) | Err(Error::Invalid(_) | Error::Forbidden(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(last))
}

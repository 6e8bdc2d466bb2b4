//! Whether the file of a package is to be read, and its checks are to be made. Who does so is the crate `ingest`
//! (docs/packages.md, *Reading*).

use super::{IntakeSlots, Slots};
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::people::trust;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Change, Draft, HookContext, Lookup, Verb};
use std::collections::BTreeSet;

/// The collection of packages.
const PACKAGES: &str = "data-submissions";
/// States in which the rows of a package may still change.
pub const OPEN: [&str; 2] = ["uploaded", "checking"];
/// The kind of the jobs that read a package, or check it.
pub const PACKAGE_JOB: &str = "package";
/// States of the intake in which there is something to read.
pub const UNREAD: [&str; 2] = ["waiting", "reading"];

/// Some of the animals of a package that is read were submitted by their owner, unless the package is checked already.
///
/// # Errors
/// The errors of the context.
pub async fn submitted(context: &mut dyn HookContext, id: i64, animals: &BTreeSet<i64>) -> Result<()> {
    let lookup = Lookup::by_ids("id", [id]).fields(&["status"]);
    let rows = context.find(PACKAGES, lookup).await?;
    let status = rows.first().and_then(|row| row.get(Slots::get().status).text());
    match status {
        Some("checking") | None => Ok(()),
        Some(_) => trust::submitted(context, animals).await,
    }
}

/// A package is to be checked by a task, unless it is being read, at whose end that is done.
///
/// # Errors
/// The errors of the context.
pub async fn put_off_check(context: &mut dyn HookContext, id: i64) -> Result<()> {
    let n = IntakeSlots::get();
    let lookup = Lookup::by_ids("id", [id]).fields(&["intake.state"]);
    let rows = context.find(PACKAGES, lookup).await?;
    let unread = |row: &Record| {
        let state = row.get(n.state).text();
        state.is_some_and(|state| UNREAD.contains(&state))
    };
    if rows.iter().any(unread) {
        return Ok(());
    }
    let unchecked = vec![(n.unchecked, Value::Bool(true))];
    context.amend(PACKAGES, vec![(id, unchecked)]).await?;
    context.queue_jobs(PACKAGE_JOB, vec![id], 0).await
}

/// Puts packages back to be read, those whose rows may still change.
///
/// # Errors
/// The errors of the context.
pub(crate) async fn read_again(context: &mut dyn HookContext, ids: Vec<i64>) -> Result<()> {
    let (s, n) = (Slots::get(), IntakeSlots::get());
    let fields = ["status", "sourceFile", "intake.state"];
    let rows = by_id(context, PACKAGES, ids, &fields).await?;
    let open = rows.iter().filter(|(_, row)| {
        let may = row.get(s.status).text().is_some_and(|status| OPEN.contains(&status));
        let replaced = row.get(n.state).text() == Some("replaced");
        may && !replaced && !row.get(s.source_file).is_null()
    });
    let waiting = vec![(n.state, "waiting".into()), (n.done, Value::Int(0))];
    let states: Vec<_> = open.map(|(id, _)| (*id, waiting.clone())).collect();
    let ids = states.iter().map(|(id, _)| *id).collect();
    context.amend(PACKAGES, states).await?;
    context.queue_jobs(PACKAGE_JOB, ids, 0).await
}

/// Queues packages that were written and wait to be read.
pub(super) async fn queue_waiting(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let n = IntakeSlots::get();
    let is_waiting = |row: Option<&Record>| row.is_some_and(|row| row.get(n.state).text() == Some("waiting"));
    // One that waited before has its place in the queue.
    let waits = |change: &&Change| is_waiting(change.new.as_ref()) && !is_waiting(change.old.as_ref());
    let ids = changes.iter().filter(waits).map(|change| change.id);
    context.queue_jobs(PACKAGE_JOB, ids.collect(), 0).await
}

/// A new file, or another mapping of the one that is there, is to be read.
pub(super) fn begin(draft: &mut Draft) {
    let (s, n) = (Slots::get(), IntakeSlots::get());
    if draft.verb == Verb::Update && (draft.changes(s.period_from) || draft.changes(s.period_to)) {
        draft.new.set(n.period_computed, Value::Bool(false));
    }
    if draft.verb == Verb::Delete || draft.new.get(s.source_file).is_null() {
        return;
    }
    let stated = draft.changes(s.mapping) || draft.changes(s.dataset);
    let file = draft.changes(s.source_file);
    if !(file || (draft.verb == Verb::Update && stated)) {
        return;
    }
    let open = draft.new.get(s.status).text().is_some_and(|status| OPEN.contains(&status));
    if !open {
        let path = if file { "sourceFile" } else { "mapping" };
        let message = "The rows of a package that was checked do not change any more.";
        draft.fault(path, "package-closed", message);
        return;
    }
    draft.new.set(n.state, "waiting");
    draft.new.set(n.done, Value::Int(0));
    // What was sent back comes again; its course keeps the remark.
    if draft.new.get(s.status).text() == Some("uploaded") && !draft.changes(s.comment) {
        draft.new.set(s.comment, Value::Null);
    }
}

/// Whether the rows of a package are not all read yet.
pub(super) fn is_open(draft: &Draft) -> bool {
    matches!(draft.new.get(IntakeSlots::get().state).text(), Some(state) if UNREAD.contains(&state))
}

/// Whether a package is yet to be checked by a task.
pub(super) fn is_unchecked(draft: &Draft) -> bool {
    draft.new.get(IntakeSlots::get().unchecked).truth()
}

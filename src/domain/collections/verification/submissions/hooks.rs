//! What happens around the steps of a package (docs/states.md, *data-submissions · status*).

use super::mapping::Mapping;
use super::{Slots, intake, letters, mended, package, sign, whole};
use crate::collections::FieldSet;
use crate::collections::dictionaries::datasets;
use crate::collections::dictionaries::lookups::{by_id, related_ids, written};
use crate::collections::herd::animals::list_of;
use crate::collections::hooks::hooks;
use crate::collections::people::trust;
use crate::collections::row_ids::row_id;
use crate::collections::slots::slots;
use crate::collections::verification::comments;
use model::error::{Issue, Result};
use model::record::{Record, Value, time};
use model::registry::{
    BookReader, Caller, Change, Collection, Command, Draft, HookContext, ID, Lookup, Principal, Verb,
};
use model::said;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// The kind of packages with genetic tests.
const GENOMICS: &str = "genomics";

slots!(
    /// Slots of `upload-assignments` that packages read.
    Assignments of "upload-assignments" { organization, kind, status }
);

slots!(
    /// Slots of `media` that packages read.
    Files of "media" { sha256 }
);

hooks!(pub(super) Behaviour {
    prepare(context, drafts) {
        digest(context, drafts).await
    }
    check(context, drafts) {
        comments::add(context, drafts, Slots::get().comments);
        check(context, drafts).await
    }
    complete(collection, context, drafts) {
        number(context, drafts).await?;
        for draft in drafts.iter_mut().filter(|draft| sign::signs(draft)) {
            sign::sign(context, collection.slug, draft).await?;
        }
        Ok(())
    }
    effects(collection, context, changes) {
        for change in changes {
            link(context, change).await?;
            follow(collection, context, change).await?;
        }
        intake::queue_waiting(context, changes).await?;
        letters::steps(collection, context, changes).await
    }
});

/// The hash of the file, by which one that was sent before is known again. Before the checks,
/// since the key of organisation and hash is one of them.
async fn digest(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let (s, f) = (Slots::get(), Files::get());
    let has_new_file = |d: &Draft| d.verb != Verb::Delete && d.changes(s.source_file);
    let files = drafts.iter().filter(|d| has_new_file(d));
    let files: Vec<i64> = files.filter_map(|d| d.new.get(s.source_file).int()).collect();
    let files = by_id(context, "media", files, &["sha256"]).await?;
    let hashes = files.values().map(|file| file.get(f.sha256).clone()).collect();
    let earlier = Lookup::default().is_in("sha256", hashes);
    let earlier = match files.is_empty() {
        true => Vec::new(),
        false => context.find("data-submissions", earlier.fields(&["organization", "sha256", "number"])).await?,
    };
    for draft in drafts.iter_mut().filter(|d| has_new_file(d)) {
        let file = (draft.new.get(s.source_file).int()).and_then(|id| files.get(&id));
        if let Some(file) = file {
            draft.new.set(s.sha256, file.get(f.sha256).clone());
            let same = |row: &&Record| {
                let own = [s.organization, s.sha256].iter().all(|slot| row.get(*slot) == draft.new.get(*slot));
                own && row.get(ID).int() != Some(draft.id)
            };
            let first = earlier.iter().find(same);
            let first = first.and_then(|row| Some((row.get(ID).int()?, row.get(s.number).text()?)));
            if let Some((id, number)) = first {
                let message = said!("You sent this file already: package {number}.", number = number);
                let issue = Issue::error("sha256", "not-unique", message);
                draft.issues.push(issue.about("data-submissions", id));
            }
        }
    }
    Ok(())
}

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let ids = related_ids(drafts, s.assignment);
    let assignments = by_id(context, "upload-assignments", ids, Assignments::PATHS).await?;
    let ids = related_ids(drafts, s.replaces);
    let earlier = by_id(context, "data-submissions", ids, &["organization"]).await?;
    let (caller, now) = (context.caller().clone(), context.now());
    for draft in written(drafts) {
        datasets::check(draft, s.kind, s.dataset);
        datasets::period(draft, s.period_from, s.period_to);
        if draft.changes(s.mapping) {
            let registry = crate::collections::registry()?;
            if let Err(issues) = Mapping::read(registry, draft.new.get(s.mapping).as_json()) {
                draft.issues.extend(issues);
            }
        }
        intake::begin(draft);
        if draft.changes(s.findings) && caller.caller != Caller::System && was_signed(draft) {
            let message = "The package is signed: its findings stay as they are.";
            draft.fault("review.findings", "not-allowed", message);
        }
        if draft.changes(s.replaces) {
            let other = draft.new.get(s.replaces).int().and_then(|id| earlier.get(&id));
            replaced(draft, other);
        }
        if draft.changes(s.assignment) {
            let id = draft.new.get(s.assignment).int();
            assigned(draft, id.and_then(|id| assignments.get(&id)));
        }
        if draft.verb == Verb::Create {
            fill(draft, s.submitted_by, Value::from(caller.user));
            fill(draft, s.submitted_at, Value::Time(now));
        }
    }
    for draft in written(drafts) {
        let stepped = draft.verb == Verb::Create || draft.changes(s.status);
        if !stepped || !draft.clean() {
            continue;
        }
        if sign::signs(draft) {
            if intake::is_open(draft) {
                let message = "The rows of this package are not all read yet.";
                draft.fault("status", "not-read", message);
                continue;
            }
            if intake::is_unchecked(draft) {
                let message = "The checks of this package are not all made yet.";
                draft.fault("status", "not-read", message);
                continue;
            }
            signable(context, draft).await?;
        }
        record(draft, &caller, now);
    }
    Ok(())
}

/// New packages get the next numbers.
async fn number(context: &mut dyn HookContext, drafts: &mut [Draft]) -> Result<()> {
    let slot = Slots::get().number;
    for draft in drafts {
        if draft.verb == Verb::Create && draft.new.get(slot).is_null() {
            let next = context.next("data-submissions:number", 1).await?;
            draft.new.set(slot, format!("{next:06}"));
        }
    }
    Ok(())
}

fn fill(draft: &mut Draft, slot: usize, value: Value) {
    if draft.new.get(slot).is_null() {
        draft.new.set(slot, value);
    }
}

/// A package replaces only one of its own farm, and not itself.
fn replaced(draft: &mut Draft, other: Option<&Record>) {
    let s = Slots::get();
    let Some(other) = other else { return };
    let foreign = other.get(s.organization) != draft.new.get(s.organization);
    if foreign || draft.new.get(s.replaces).int() == Some(draft.id) {
        let message = "A package replaces another one of the same farm.";
        draft.fault("replaces", "foreign-package", message);
    }
}

/// An assignment is one of the farm, of the kind, and still waits.
fn assigned(draft: &mut Draft, assignment: Option<&Record>) {
    let (s, a) = (Slots::get(), Assignments::get());
    let Some(assignment) = assignment else { return };
    let fits = assignment.get(a.organization) == draft.new.get(s.organization)
        && assignment.get(a.kind) == draft.new.get(s.kind);
    let over = matches!(assignment.get(a.status).text(), Some("done" | "cancelled"));
    let (code, message) = match (fits, over) {
        (false, _) => ("foreign-assignment", "The assignment is for another farm or for another kind of package."),
        (true, true) => ("assignment-over", "The assignment is done or cancelled."),
        (true, false) => return,
    };
    draft.fault("assignment", code, message);
}

/// Whether the protocol was signed before this change.
fn was_signed(draft: &Draft) -> bool {
    let status = draft.old.as_ref().and_then(|old| old.get(Slots::get().status).text());
    matches!(status, Some("checked" | "accepted"))
}

/// Rows are signed when there are any, and their faults are all among the findings.
async fn signable(context: &mut dyn BookReader, draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    if !package::any(context, draft.id).await? {
        let message = "No row of this package has been read, so there is nothing to sign.";
        draft.fault("status", "no-rows", message);
        return Ok(());
    }
    let listed: BTreeSet<i64> =
        (draft.new.get(s.findings).rows().iter()).filter_map(|row| row.get("animal")?.as_i64()).collect();
    let faulty = package::faulty(context, &draft.new).await?;
    let open: Vec<i64> = faulty.difference(&listed).take(20).copied().collect();
    if !open.is_empty() {
        let message = said!("Open faults without a finding: animals {list}.", list = list_of(context, open).await?);
        draft.fault("review.findings", "open-fix", message);
    }
    let of_whole = |row: &Json| row.get("animal").is_none_or(Json::is_null);
    let listed = draft.new.get(s.findings).rows().iter().any(of_whole);
    if !listed && whole::is_open(context, draft.id).await? {
        let message = "An open fault of the package as a whole has no finding without an animal.";
        draft.fault("review.findings", "open-fix", message);
    }
    Ok(())
}

/// Adds the step to the history.
fn record(draft: &mut Draft, caller: &Principal, now: i64) {
    let s = Slots::get();
    let status = draft.new.get(s.status).text().unwrap_or("uploaded");
    let sent_back = status == "uploaded" && draft.old.is_some();
    let notes = sent_back || status == "rejected";
    let note = notes.then(|| draft.new.get(s.comment).text());
    let step = json!({
        "id": row_id(), "at": time::to_iso(now), "status": status, "actor": caller.user, "role": caller.role(),
        "note": note.flatten(),
    });
    let mut steps: Vec<Json> = draft.new.get(s.history).rows().to_vec();
    steps.push(step);
    draft.new.set(s.history, Value::json(Json::Array(steps)));
}

/// An assignment learns of its package.
async fn link(context: &mut dyn HookContext, change: &Change) -> Result<()> {
    let (s, a) = (Slots::get(), Assignments::get());
    let Some(new) = &change.new else {
        return Ok(());
    };
    let before = change.old.as_ref().and_then(|o| o.get(s.assignment).int());
    let Some(id) = new.get(s.assignment).int().filter(|id| Some(*id) != before) else {
        return Ok(());
    };
    let rows = by_id(context, "upload-assignments", [id], &["status"]).await?;
    let open = rows.get(&id).is_some_and(|row| row.get(a.status).text() == Some("open"));
    let mut fields = vec![("submission".to_owned(), Value::Int(change.id))];
    if open {
        fields.push(("status".to_owned(), "inProgress".into()));
    }
    context.write("upload-assignments", vec![Command::Update(id, fields)]).await.map(drop)
}

/// What a step leads to.
async fn follow(c: &'static Collection, context: &mut dyn HookContext, change: &Change) -> Result<()> {
    let s = Slots::get();
    let Some(new) = &change.new else {
        return Ok(());
    };
    let animals: BTreeSet<i64> = new.get(s.animals).ids().iter().copied().collect();
    let none = BTreeSet::new();
    let id = change.id;
    let former = change.old.as_ref().map(|old| old.get(s.source_file));
    if former.is_some_and(|file| !file.is_null() && file != new.get(s.source_file)) {
        mended::forget(context, id).await?;
    }
    match c.moved("status", change).map(|one| one.to) {
        Some("uploaded") if change.old.is_none() => trust::submitted(context, &animals).await?,
        Some("uploaded") => {
            package::settle(context, id, "pending", "unverified", (&none, "")).await?;
        }
        Some("checking") => {
            package::settle(context, id, "unverified", "pending", (&none, "")).await?;
            whole::check(context, id).await?;
        }
        Some("accepted") => {
            let held_animals = held_back(new);
            package::settle(context, id, "pending", "verified", (&held_animals, "rejected")).await?;
            let free: BTreeSet<i64> = animals.difference(&held_animals).copied().collect();
            // Whoever accepts the milk tests of an animal has not looked at what else its owner says of it.
            if new.get(s.kind).text() == Some(GENOMICS) {
                trust::tests_accepted(context, &free).await?;
            }
            trust::verified(context, &free).await?;
            if let Some(assignment) = new.get(s.assignment).int() {
                done(context, assignment).await?;
            }
        }
        Some("rejected") => {
            package::settle(context, id, "pending", "rejected", (&none, "")).await?;
            trust::rejected(context, &animals).await?;
        }
        _ => {}
    }
    let ready = new.get(s.status).text() == Some("checked") && new.get(s.agreed).truth();
    if ready {
        let fields = vec![("status".to_owned(), "accepted".into())];
        context.write(c.slug, vec![Command::Update(id, fields)]).await?;
    }
    Ok(())
}

/// Animals with a finding that must be corrected.
pub(crate) fn fixes(findings: &Value) -> BTreeSet<i64> {
    let fix = |row: &&Json| row.get("severity").and_then(Json::as_str) != Some("note");
    (findings.rows().iter().filter(fix)).filter_map(|row| row.get("animal")?.as_i64()).collect()
}

fn held_back(row: &Record) -> BTreeSet<i64> {
    fixes(row.get(Slots::get().findings))
}

async fn done(context: &mut dyn HookContext, assignment: i64) -> Result<()> {
    let a = Assignments::get();
    let rows = by_id(context, "upload-assignments", [assignment], &["status"]).await?;
    let waits =
        rows.get(&assignment).is_some_and(|row| matches!(row.get(a.status).text(), Some("inProgress" | "overdue")));
    if !waits {
        return Ok(());
    }
    let fields = vec![("status".to_owned(), "done".into())];
    context.write("upload-assignments", vec![Command::Update(assignment, fields)]).await.map(drop)
}

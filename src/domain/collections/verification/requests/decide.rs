//! What a decided request leads to (docs/states.md, *verification-requests · status*).

use super::Slots;
use super::proposed::{Proposed, blame, read};
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::herd::animals::Slots as Animals;
use crate::collections::people::trust;
use crate::collections::slots::slots;
use crate::collections::verification::submissions::hooks::fixes;
use model::error::{Error, Result};
use model::record::{Record, Value};
use model::registry::{BookReader, Command, Draft, HookContext};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

slots!(
    /// Slots of `organizations` that requests move.
    Members of "organizations" { membership: "membership" }
);

/// The animals of a request that must wait: with an open fix, found by the review or by the checks,
/// that was not dismissed.
pub(super) async fn held_back(context: &mut dyn BookReader, row: &Record) -> Result<BTreeSet<i64>> {
    let s = Slots::get();
    let animals: BTreeSet<i64> = row.get(s.animals).ids().iter().copied().collect();
    let dismissed: BTreeSet<i64> = (row.get(s.dismissed).rows().iter())
        .filter_map(|d| d.get("animal").and_then(Json::as_i64))
        .collect();
    let checked = trust::open_fixes(context, &animals).await?;
    let mut held = fixes(row.get(s.findings));
    held.extend(checked.difference(&dismissed));
    held.retain(|id| animals.contains(id));
    Ok(held)
}

/// Counts what an approval lets through; refuses one that cannot be carried out.
pub(super) async fn count(context: &mut dyn BookReader, draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    let held = held_back(context, &draft.new).await?;
    let all = draft.new.get(s.animals).ids().len();
    let number = |n: usize| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
    if draft.new.get(s.purpose).text() == Some("registration") {
        let ids = draft.new.get(s.animals).ids().to_vec();
        let free = ids.into_iter().filter(|id| !held.contains(id));
        let rows = by_id(context, "animals", free, &["category"]).await?;
        let slot = Animals::get().category;
        let lacking: Vec<String> = (rows.iter())
            .filter(|(_, row)| row.get(slot).is_null())
            .map(|(id, _)| id.to_string())
            .collect();
        if !lacking.is_empty() {
            let list = lacking.join(", ");
            let message = format!("Animals without a category get no number: {list}.");
            draft.fault("animals", "no-category", message);
        }
    }
    draft.new.set(s.approved, number(all - held.len()));
    draft.new.set(s.held, number(held.len()));
    Ok(())
}

/// Carries an approval out.
pub(super) async fn approve(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let s = Slots::get();
    let held = held_back(context, row).await?;
    let all: BTreeSet<i64> = row.get(s.animals).ids().iter().copied().collect();
    let free: BTreeSet<i64> = all.difference(&held).copied().collect();
    match row.get(s.purpose).text() {
        Some("registration") => {
            register(context, &free, "applied", "registered").await?;
            register(context, &held, "applied", "none").await
        }
        Some("correction") => correct(context, row, &free).await,
        Some("membership") => member(context, row, "pending", "member").await,
        _ => trust::verified(context, &free).await,
    }
}

/// Carries a rejection out.
pub(super) async fn reject(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let s = Slots::get();
    let animals: BTreeSet<i64> = row.get(s.animals).ids().iter().copied().collect();
    match row.get(s.purpose).text() {
        Some("registration") => register(context, &animals, "applied", "refused").await,
        Some("membership") => member(context, row, "pending", "none").await,
        Some("correction") => Ok(()),
        _ => trust::rejected(context, &animals).await,
    }
}

/// Undoes what the request alone had set.
pub(super) async fn cancel(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let s = Slots::get();
    let animals: BTreeSet<i64> = row.get(s.animals).ids().iter().copied().collect();
    match row.get(s.purpose).text() {
        Some("registration") => register(context, &animals, "applied", "none").await,
        Some("membership") => member(context, row, "pending", "none").await,
        _ => Ok(()),
    }
}

/// What a new request sets.
pub(super) async fn begin(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let s = Slots::get();
    let animals: BTreeSet<i64> = row.get(s.animals).ids().iter().copied().collect();
    trust::submitted(context, &animals).await?;
    match row.get(s.purpose).text() {
        Some("registration") => {
            register(context, &animals, "none", "applied").await?;
            register(context, &animals, "refused", "applied").await
        }
        Some("membership") => member(context, row, "none", "pending").await,
        _ => Ok(()),
    }
}

async fn register(
    context: &mut dyn HookContext,
    animals: &BTreeSet<i64>,
    from: &str,
    to: &str,
) -> Result<()> {
    let slot = Animals::get().registration;
    let ids = animals.iter().copied();
    let rows = by_id(context, "animals", ids, &["registration.status"]).await?;
    let stands = |row: &Record| row.get(slot).text().unwrap_or("none") == from;
    let commands: Vec<Command> = (rows.iter().filter(|(_, row)| stands(row)))
        .map(|(id, _)| Command::Update(*id, vec![("registration.status".to_owned(), to.into())]))
        .collect();
    if commands.is_empty() {
        return Ok(());
    }
    context.write("animals", commands).await.map(drop)
}

async fn member(context: &mut dyn HookContext, row: &Record, from: &str, to: &str) -> Result<()> {
    let s = Slots::get();
    let Some(id) = row.get(s.organization).int() else {
        return Ok(());
    };
    let rows = by_id(context, "organizations", [id], &["membership"]).await?;
    let slot = Members::get().membership;
    let stands = |row: &Record| row.get(slot).text().unwrap_or("none") == from;
    if !rows.get(&id).is_some_and(stands) {
        return Ok(());
    }
    let fields = vec![("membership".to_owned(), to.into())];
    context
        .write("organizations", vec![Command::Update(id, fields)])
        .await
        .map(drop)
}

/// Membership of an organisation.
pub(super) async fn memberships(
    context: &mut dyn BookReader,
    ids: BTreeSet<i64>,
) -> Result<BTreeMap<i64, String>> {
    let slot = Members::get().membership;
    let rows = by_id(context, "organizations", ids, &["membership"]).await?;
    Ok((rows.into_iter())
        .map(|(id, row)| (id, row.get(slot).text().unwrap_or("none").to_owned()))
        .collect())
}

/// Writes the proposed values, one animal at a time, so that a fault is reported where the value
/// was proposed.
async fn correct(context: &mut dyn HookContext, row: &Record, free: &BTreeSet<i64>) -> Result<()> {
    let list = row.get(Slots::get().proposed);
    let (all, issues) = read(context.collection("animals")?, list);
    if !issues.is_empty() {
        return Err(Error::Invalid(issues));
    }
    let mut values: BTreeMap<i64, Vec<&Proposed>> = BTreeMap::new();
    for one in all.iter().filter(|p| free.contains(&p.animal)) {
        values.entry(one.animal).or_default().push(one);
    }
    for (animal, list) in values {
        let fields = (list.iter().map(|p| (p.path.clone(), p.value.clone()))).collect();
        let written = context.write("animals", vec![Command::Update(animal, fields)]);
        match written.await {
            Err(Error::Invalid(issues) | Error::Forbidden(issues)) => {
                let told = issues.iter().map(|i| blame(&all, animal, i)).collect();
                return Err(Error::Invalid(told));
            }
            other => other.map(drop)?,
        }
    }
    Ok(())
}

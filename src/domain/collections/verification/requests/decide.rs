//! What a decided request leads to (docs/states.md, *verification-requests · status*).

use super::Slots;
use super::preview::{dismissals, held_back, listed, preview_decision};
use super::proposed::correct;
use crate::collections::FieldSet;
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::herd::animals::{Animal, Slots as Animals, list_of};
use crate::collections::people::trust;
use crate::collections::slots::slots;
use crate::collections::verification::check_findings::{check_animals, dismiss};
use model::error::Result;
use model::record::{Record, Value, time};
use model::registry::{BookReader, Change, Command, Draft, HookContext, ID, Lookup};
use model::said;
use std::collections::{BTreeMap, BTreeSet};

slots!(
    /// Slots of `organizations` that requests move.
    Members of "organizations" {
        membership, since: "membershipReview.since", by: "membershipReview.decidedBy",
        at: "membershipReview.decidedAt",
    }
);

/// Counts what an approval lets through, and names what it holds back; refuses one that cannot be carried out.
pub(super) async fn count(context: &mut dyn BookReader, draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    let before = draft.old.as_ref().map(dismissals).unwrap_or_default();
    let given = (dismissals(&draft.new).difference(&before)).cloned().collect();
    let preview = preview_decision(context, &draft.new, &given).await?;
    if !preview.lacking.is_empty() {
        let message = said!(
            "Animals without a category get no number: {list}.",
            list = list_of(context, preview.lacking.iter().copied()).await?
        );
        draft.fault("animals", "no-category", message);
    }
    if draft.new.get(s.purpose).text() == Some("membership") {
        let farm = draft.new.get(s.organization).int();
        let members = memberships(context, farm.into_iter().collect()).await?;
        if members.values().any(|membership| membership == "suspended") {
            let message = "The organisation is suspended, and does not become a member by a request.";
            draft.fault("purpose", "member", message);
        }
    }
    let number = |n: usize| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
    draft.new.set(s.approved, number(preview.free.len()));
    draft.new.set(s.held, number(preview.held.len()));
    draft.new.set(s.held_rows, preview.rows());
    Ok(())
}

/// Carries an approval out.
pub(super) async fn approve(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let held_animals = held_back(row);
    let free: BTreeSet<i64> = listed(row).difference(&held_animals).copied().collect();
    match row.get(Slots::get().purpose).text() {
        Some("registration") => {
            // What another request ended is applied for by this one all the same.
            register(context, &free, "none", "applied").await?;
            register(context, &free, "refused", "applied").await?;
            register(context, &free, "applied", "registered").await?;
            let held_animals = without_other_request(context, row, held_animals).await?;
            register(context, &held_animals, "applied", "none").await
        }
        Some("correction") => correct(context, row, &free).await,
        Some("membership") => join(context, row).await,
        _ => {
            trust::tests_accepted(context, &free).await?;
            trust::verified(context, &free).await
        }
    }
}

/// Carries a rejection out.
pub(super) async fn reject(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let own = owned(context, row).await?;
    match row.get(Slots::get().purpose).text() {
        Some("registration") => {
            register(context, &own, "applied", "refused").await?;
            let sold = listed(row).difference(&own).copied().collect();
            let sold = without_other_request(context, row, sold).await?;
            register(context, &sold, "applied", "none").await
        }
        Some("membership") => leave(context, row, true).await,
        Some("correction") => Ok(()),
        _ => trust::rejected(context, &own).await,
    }
}

/// Undoes what the request alone had set.
pub(super) async fn cancel(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    match row.get(Slots::get().purpose).text() {
        Some("registration") => {
            let alone = without_other_request(context, row, listed(row)).await?;
            register(context, &alone, "applied", "none").await
        }
        Some("membership") => leave(context, row, false).await,
        _ => Ok(()),
    }
}

/// What a new request sets.
pub(super) async fn begin(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let animals = listed(row);
    trust::submitted(context, &animals).await?;
    match row.get(Slots::get().purpose).text() {
        Some("registration") => {
            register(context, &animals, "none", "applied").await?;
            register(context, &animals, "refused", "applied").await
        }
        Some("membership") => set_membership(context, row, "none", "pending", Vec::new()).await,
        _ => Ok(()),
    }
}

/// Whoever takes a request sees what the checks say of its animals now.
pub(super) async fn take(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let own = owned(context, row).await?;
    check_animals(context, &own).await.map(drop)
}

/// Findings are dismissed with a request, and opened again when that is taken back.
pub(super) async fn dismissed(context: &mut dyn HookContext, change: &Change) -> Result<()> {
    let s = Slots::get();
    let Some(new) = &change.new else {
        return Ok(());
    };
    let (before, after) = (change.old.as_ref().map(dismissals).unwrap_or_default(), dismissals(new));
    let given: BTreeSet<_> = after.difference(&before).cloned().collect();
    let taken_back: BTreeSet<_> = before.difference(&after).cloned().collect();
    match new.get(s.organization).int() {
        Some(farm) if !(given.is_empty() && taken_back.is_empty()) => {
            let user = context.caller().user;
            dismiss(context, farm, user, &given, &taken_back).await
        }
        _ => Ok(()),
    }
}

/// The animals of a request that its organisation still owns.
async fn owned(context: &mut dyn BookReader, row: &Record) -> Result<BTreeSet<i64>> {
    let farm = row.get(Slots::get().organization).int();
    let rows = by_id(context, "animals", listed(row), &["owner"]).await?;
    let own = rows.iter().filter(|(_, row)| Animal(row).link(Animals::get().owner) == farm);
    Ok(own.map(|(id, _)| *id).collect())
}

/// Of these animals those that no other open request wants to be registered.
async fn without_other_request(
    context: &mut dyn BookReader,
    row: &Record,
    mut animals: BTreeSet<i64>,
) -> Result<BTreeSet<i64>> {
    let s = Slots::get();
    if animals.is_empty() {
        return Ok(animals);
    }
    let lookup = Lookup::by_ids("animals", animals.iter().copied())
        .is_in("status", vec!["new".into(), "checking".into()])
        .is_in("purpose", vec!["registration".into()])
        .fields(&["animals"]);
    for other in context.find("verification-requests", lookup).await? {
        if other.get(ID) != row.get(ID) {
            animals.retain(|id| !other.get(s.animals).ids().contains(id));
        }
    }
    Ok(animals)
}

async fn register(context: &mut dyn HookContext, animals: &BTreeSet<i64>, from: &str, to: &str) -> Result<()> {
    let slot = Animals::get().registration;
    let ids = animals.iter().copied();
    let rows = by_id(context, "animals", ids, &["registration.status"]).await?;
    let stands = |row: &Record| row.get(slot).text().unwrap_or("none") == from;
    let commands: Vec<Command> = (rows.iter().filter(|(_, row)| stands(row)))
        .map(|(id, _)| Command::Update(*id, vec![("registration.status".to_owned(), to.into())]))
        .collect();
    context.write("animals", commands).await.map(drop)
}

/// The farm becomes a member, by the user who approved and from that day on unless another one is stated.
async fn join(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let m = Members::get();
    set_membership(context, row, "none", "pending", Vec::new()).await?;
    let mut fields = decided(row);
    let at = row.get(Slots::get().decided_at).time().unwrap_or(context.now());
    if let Some(farm) = membership(context, row).await?
        && farm.get(m.since).is_null()
    {
        let day = Value::Time(time::day_start(at));
        fields.push(("membershipReview.since".to_owned(), day));
    }
    set_membership(context, row, "pending", "member", fields).await
}

/// The farm is no member: the request was decided against, or cancelled, which is no decision.
async fn leave(context: &mut dyn HookContext, row: &Record, rejected: bool) -> Result<()> {
    let m = Members::get();
    let fields = match membership(context, row).await? {
        _ if rejected => decided(row),
        None => return Ok(()),
        Some(farm) => vec![
            ("membershipReview.decidedBy".to_owned(), farm.get(m.by).clone()),
            ("membershipReview.decidedAt".to_owned(), farm.get(m.at).clone()),
        ],
    };
    set_membership(context, row, "pending", "none", fields).await
}

/// Who decided, and when, as the organisation has it.
fn decided(row: &Record) -> Vec<(String, Value)> {
    let s = Slots::get();
    let of = |name: &str, slot: usize| (format!("membershipReview.{name}"), row.get(slot).clone());
    vec![of("decidedBy", s.decided_by), of("decidedAt", s.decided_at)]
}

async fn membership(context: &mut dyn BookReader, row: &Record) -> Result<Option<Record>> {
    let farm = row.get(Slots::get().organization).int();
    let rows = by_id(context, "organizations", farm, Members::PATHS).await?;
    Ok(rows.into_values().next())
}

async fn set_membership(
    context: &mut dyn HookContext,
    row: &Record,
    from: &str,
    to: &str,
    mut fields: Vec<(String, Value)>,
) -> Result<()> {
    let Some(farm) = membership(context, row).await? else {
        return Ok(());
    };
    let stands = farm.get(Members::get().membership).text().unwrap_or("none");
    let (Some(id), true) = (farm.get(ID).int(), stands == from) else {
        return Ok(());
    };
    fields.push(("membership".to_owned(), to.into()));
    let command = Command::Update(id, fields);
    context.write("organizations", vec![command]).await.map(drop)
}

/// Membership of organisations.
pub(super) async fn memberships(context: &mut dyn BookReader, ids: BTreeSet<i64>) -> Result<BTreeMap<i64, String>> {
    let slot = Members::get().membership;
    let rows = by_id(context, "organizations", ids, &["membership"]).await?;
    Ok((rows.into_iter()).map(|(id, row)| (id, row.get(slot).text().unwrap_or("none").to_owned())).collect())
}

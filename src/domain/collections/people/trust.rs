//! How far the data of animals were confirmed: the effects of packages, requests and reports on
//! `trustLevel`, and the faults that prevent them (docs/states.md, *animals · trustLevel*).

use crate::collections::dictionaries::lookups::{by_id, related};
use crate::collections::herd::animals::{Slots as Animals, parentage};
use crate::collections::slots::slots;
use crate::collections::verification::check_findings::open_fixes;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::signing::PACKAGE_OF_ROW;
use model::registry::{BookReader, Collection, Command, HookContext, Lookup, Test};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Animals that are read and written together.
const PIECE: usize = 1_000;

slots!(
    /// Slots of `data-submissions` that name submitted animals.
    Packages of "data-submissions" { animals, status }
);
slots!(
    /// Slots of `verification-requests` that name submitted animals.
    Requests of "verification-requests" { animals, status }
);

/// Submitted by the owner: drafts without an open fix are checked by the owner.
pub(crate) async fn submitted(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    let open = open_fixes(context, animals).await?;
    let clean: BTreeSet<i64> = animals.difference(&open).copied().collect();
    set(context, &clean, &[0], 1).await
}

/// A laboratory confirmed them.
pub(crate) async fn examined(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    set(context, animals, &[0, 1], 2).await
}

/// The only report of a laboratory is gone: back to the level that the owner reached.
pub(crate) async fn unexamined(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    if animals.is_empty() {
        return Ok(());
    }
    let (p, r) = (Packages::get(), Requests::get());
    let mut submitted: BTreeSet<i64> = BTreeSet::new();
    for (slug, status, list, dead) in [
        ("data-submissions", p.status, p.animals, &["rejected"][..]),
        ("verification-requests", r.status, r.animals, &["rejected", "cancelled"][..]),
    ] {
        let ids = animals.iter().copied();
        for row in related(context, slug, "animals", ids, &["animals", "status"]).await? {
            let dead = row.get(status).text().is_some_and(|s| dead.contains(&s));
            if !dead {
                submitted.extend(row.get(list).ids());
            }
        }
    }
    let (once, never): (BTreeSet<i64>, BTreeSet<i64>) = animals.iter().copied().partition(|id| submitted.contains(id));
    set(context, &once, &[2], 1).await?;
    set(context, &never, &[2], 0).await
}

/// The Association verified them.
pub(crate) async fn verified(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    set(context, animals, &[-1, 0, 1, 2], 3).await
}

/// The Association accepted their genetic tests.
pub(crate) async fn tests_accepted(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    attest(context, animals, |_, test| (parentage::attested(test).is_none()).then_some(Some(parentage::ASSOCIATION)))
        .await
}

/// The Association rejected them; what it verified before stays verified.
pub(crate) async fn rejected(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    set(context, animals, &[0, 1, 2], -1).await
}

/// Marks genetic tests of animals with who vouches for them; `mark` gives the new mark of a test of an
/// animal, none where it stays.
pub(crate) async fn attest(
    context: &mut dyn HookContext,
    ids: &BTreeSet<i64>,
    mark: impl Fn(i64, &Json) -> Option<Option<&'static str>> + Send + Sync,
) -> Result<()> {
    let mut left = ids.iter().copied().peekable();
    while left.peek().is_some() {
        let piece: Vec<i64> = left.by_ref().take(PIECE).collect();
        let rows = by_id(context, "animals", piece, &["dnaTests"]).await?;
        let marked = rows.iter().filter_map(|(id, row)| {
            let tests = parentage::remarked(row, |test| mark(*id, test))?;
            Some(Command::Update(*id, vec![("dnaTests".to_owned(), tests)]))
        });
        let marked: Vec<Command> = marked.collect();
        context.write("animals", marked).await?;
    }
    Ok(())
}

async fn set(context: &mut dyn HookContext, ids: &BTreeSet<i64>, from: &[i64], to: i64) -> Result<()> {
    let slot = Animals::get().trust;
    let now = context.now();
    let mut left = ids.iter().copied().peekable();
    // A package may be about all animals of a farm.
    while left.peek().is_some() {
        let piece: Vec<i64> = left.by_ref().take(PIECE).collect();
        let rows = by_id(context, "animals", piece, &["trustLevel"]).await?;
        let stands = |row: &Record| from.contains(&row.get(slot).int().unwrap_or(0));
        let commands = (rows.iter().filter(|(_, row)| stands(row))).map(|(id, _)| {
            let fields =
                vec![("trustLevel".to_owned(), Value::Int(to)), ("trustCheckedAt".to_owned(), Value::Time(now))];
            Command::Update(*id, fields)
        });
        let commands: Vec<Command> = commands.collect();
        context.write_and_forget("animals", commands).await?;
    }
    Ok(())
}

/// The collections whose rows come in packages and are checked: those with `submission`
/// and `verification`.
pub(crate) fn signed_collections() -> Result<Vec<&'static Collection>> {
    let signed = |c: &&Collection| {
        let has = |path| c.slot(path).is_some();
        has(PACKAGE_OF_ROW) && has("verification")
    };
    Ok(crate::collections::registry()?.iter().filter(signed).collect())
}

/// Animals that must not be deleted: an issued document or an open request names them.
pub(crate) async fn undeletable(context: &mut dyn BookReader, animals: &BTreeSet<i64>) -> Result<BTreeSet<i64>> {
    let mut undeletable = BTreeSet::new();
    if animals.is_empty() {
        return Ok(undeletable);
    }
    let documents = context.collection("documents")?;
    let lookup = Lookup::by_ids("animal", animals.iter().copied())
        .test("issuedAt", Test::Filled)
        .test("revoked.at", Test::Empty)
        .fields(&["animal"]);
    let slot = documents.at("animal");
    let rows = context.find(documents.slug, lookup).await?;
    undeletable.extend(rows.iter().filter_map(|row| row.get(slot).int()));
    let open = vec![Value::from("new"), Value::from("checking")];
    let lookup = Lookup::by_ids("animals", animals.iter().copied()).is_in("status", open).fields(&["animals"]);
    let slot = Requests::get().animals;
    for row in context.find("verification-requests", lookup).await? {
        undeletable.extend(row.get(slot).ids().iter().filter(|id| animals.contains(id)));
    }
    Ok(undeletable)
}

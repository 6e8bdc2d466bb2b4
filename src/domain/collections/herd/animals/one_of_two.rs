//! Two records of one animal: merged by the Association into one of them, and separated again. The
//! pipeline moves all references; this module has the conditions for a merger, and the point at
//! which the course of the movements begins.

use super::descent::parents;
use super::view::{Animal, Slots};
use crate::collections::days::placed;
use crate::collections::dictionaries::lookups::{by_id, keyed, related};
use crate::collections::slots::slots;
use crate::derive::day_of;
use model::error::Result;
use model::messages::Sentence;
use model::record::{Record, Value, time};
use model::registry::{BookReader, Change, Draft, HookContext, Lookup, Move, States, Verb, Who, moves};
use model::said;
use serde_json::{Value as Json, json};

slots!(
    /// Slots of `movements` that show whether an animal has a course.
    Moves of "movements" { applied }
);

/// What is read of the other record.
const OTHER: &[&str] = &[
    "sex",
    "birthDate",
    "owner",
    "herd",
    "arrivalDate",
    "previousOrganization",
    "entry.owner",
    "entry.herd",
    "entry.arrivalDate",
    "entry.previousOrganization",
];

/// One of two, and two again.
pub(super) fn merging() -> States {
    let by = |from, to| Move::new(from, to).by(Who::Association).says("The Association merges records of one animal.");
    moves![States::times("separate", &[("merged", "mergedInto")]);
        by(&["separate"], "merged").grave()
            => "Everything about it moves to the [other record](directory.md#two-records-of-one-animal), to which its numbers refer. Sex, birth and owner of both must be the same.",
        by(&["merged"], "separate") => "What was moved returns, if it still refers to the other record.",
    ]
}

/// What must be the same of two records of one animal.
pub(super) async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let fresh = |d: &Draft| d.verb == Verb::Update && d.changes(s.merged);
    let into = drafts.iter().filter(|d| fresh(d));
    let into: Vec<i64> = into.filter_map(|d| d.new.get(s.merged).int()).collect();
    let others = related(context, "animals", "id", into, OTHER).await?;
    let others = keyed(placed(context, "animals", others).await?);
    for draft in drafts.iter_mut().filter(|d| fresh(d)) {
        let other = draft.new.get(s.merged).int().filter(|id| *id != draft.id);
        let Some((id, other)) = other.and_then(|id| Some((id, others.get(&id)?))) else {
            continue;
        };
        let mut faults = differences(&draft.new, other);
        if parents::kin(context, draft.id, id).await? {
            faults.push("one is an ancestor of the other");
        }
        if !faults.is_empty() {
            let message = said!(
                "These are not one animal: {list}.",
                list = faults.into_iter().map(Sentence::from).collect::<Vec<_>>()
            );
            draft.fault("mergedInto", "not-the-same", message);
        }
    }
    Ok(())
}

fn differences(one: &Record, other: &Record) -> Vec<&'static str> {
    let s = Slots::get();
    let mut faults = Vec::new();
    if one.get(s.sex) != other.get(s.sex) {
        faults.push("their sexes differ");
    }
    let births = [one, other].map(|row| Animal(row).birth().map(day_of));
    if let [Some(a), Some(b)] = births
        && a != b
    {
        faults.push("their births differ");
    }
    if one.get(s.owner) != other.get(s.owner) {
        faults.push("their owners differ");
    }
    faults
}

/// Before the movements move: a record without any begins where the other one began, and
/// stands again where it stood when they are taken apart.
pub(super) async fn follow(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    for change in changes {
        let (Some(old), Some(new)) = (&change.old, &change.new) else {
            continue;
        };
        match (old.get(s.merged).int(), new.get(s.merged).int()) {
            (None, Some(into)) => begin(context, change.id, new, into).await?,
            (Some(into), None) => stand(context, old.get(s.merger), into).await?,
            _ => {}
        }
    }
    Ok(())
}

async fn begin(context: &mut dyn HookContext, from: i64, row: &Record, into: i64) -> Result<()> {
    let s = Slots::get();
    let theirs = Lookup::by_ids("animal", [from, into]).fields(&["animal", "applied"]);
    let moves = context.find("movements", theirs).await?;
    let animal = context.collection("movements")?.at("animal");
    let applied = |of: i64| {
        let own = |row: &&Record| row.get(animal).int() == Some(of);
        let mut own = moves.iter().filter(own);
        own.any(|row| row.get(Moves::get().applied).truth())
    };
    if !applied(from) || applied(into) || row.get(s.entry_owner).is_null() {
        return Ok(());
    }
    let others = by_id(context, "animals", [into], OTHER).await?;
    let Some(other) = others.get(&into) else {
        return Ok(());
    };
    let standing = json!({"standing": {
        "owner": other.get(s.owner).int(), "herd": other.get(s.herd).int(),
        "arrival": other.get(s.arrival).time().map(time::to_iso),
        "previous": other.get(s.previous).int(),
    }});
    let entry = [s.entry_owner, s.entry_herd, s.entry_arrival, s.entry_previous];
    let entry = entry.map(|slot| (slot, row.get(slot).clone())).to_vec();
    let memory = vec![(s.merger, Value::json(standing))];
    context.amend("animals", vec![(into, entry)]).await?;
    context.amend("animals", vec![(from, memory)]).await
}

async fn stand(context: &mut dyn HookContext, merger: &Value, into: i64) -> Result<()> {
    let s = Slots::get();
    let Value::Json(merger) = merger else {
        return Ok(());
    };
    let Some(standing) = merger.get("standing") else {
        return Ok(());
    };
    let id = |name: &str| Value::from(standing.get(name).and_then(Json::as_i64));
    let arrival = standing.get("arrival").and_then(Json::as_str);
    let arrival = arrival.and_then(time::parse).map(Value::Time);
    let entry = vec![
        (s.entry_owner, id("owner")),
        (s.entry_herd, id("herd")),
        (s.entry_arrival, Value::from(arrival)),
        (s.entry_previous, id("previous")),
    ];
    context.amend("animals", vec![(into, entry)]).await
}

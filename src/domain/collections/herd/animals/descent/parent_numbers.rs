//! Parents named by their numbers (`pedigreeText`). The writer reads the text only. When the text
//! is the number of an animal that the writer does not see, the owner of that animal confirms
//! whether it is the parent. When an animal gets the number only later, the Association decides:
//! otherwise anyone could give their own animal a number that others name.

use crate::collections::herd::animals::view::{Animal, Slots};
use crate::collections::platform::clarifications::{Clarification, NamedParent, close, open};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Change, Class, HookContext, ID, Lookup, Test};
use std::collections::{BTreeMap, BTreeSet};

/// Children that are found of an animal that comes into the book.
const CHILDREN: i64 = 500;
/// What is read of animals.
const FIELDS: &[&str] = &[
    "identNumber",
    "sex",
    "owner",
    "publicVisible",
    "trustLevel",
    "disputed",
    "father",
    "mother",
    "pedigreeText.fatherId",
    "pedigreeText.motherId",
];

/// One of the two parents: the relation, its text and the sex it has.
struct Side {
    path: &'static str,
    text_path: &'static str,
    slot: usize,
    text: usize,
    sex: &'static str,
}

fn sides() -> [Side; 2] {
    let s = Slots::get();
    [
        Side { path: "father", text_path: "pedigreeText.fatherId", slot: s.father, text: s.text_father, sex: "male" },
        Side { path: "mother", text_path: "pedigreeText.motherId", slot: s.mother, text: s.text_mother, sex: "female" },
    ]
}

/// Asks about parents that were named, and about animals that were named before they came.
pub(crate) async fn ask(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let mut clarifications = hidden_parents(context, changes).await?;
    clarifications.extend(awaited(context, changes).await?);
    open(context, clarifications).await
}

fn changed(change: &Change, slot: usize) -> Option<&Value> {
    let new = change.new.as_ref()?.get(slot);
    let old = change.old.as_ref().map(|old| old.get(slot));
    (old != Some(new) && !(old.is_none() && new.is_null())).then_some(new)
}

fn number(row: &Record, side: &Side) -> Option<String> {
    let text = row.get(side.text).text()?.trim();
    (!text.is_empty() && row.get(side.slot).is_null()).then(|| text.to_owned())
}

/// Numbers of animals that their writer does not see.
async fn hidden_parents(context: &mut dyn HookContext, changes: &[Change]) -> Result<Vec<Clarification>> {
    if context.caller().sees_all() {
        return Ok(Vec::new());
    }
    let mut sides_changed: Vec<(&Change, Side, Option<String>)> = Vec::new();
    for change in changes {
        for side in sides() {
            let moved = changed(change, side.text).or(changed(change, side.slot)).is_some();
            if let Some(row) = change.new.as_ref().filter(|_| moved) {
                let number = number(row, &side);
                sides_changed.push((change, side, number));
            }
        }
    }
    let before = sides_changed.iter().filter(|(change, ..)| change.old.is_some());
    let before =
        before.map(|(change, side, number)| NamedParent { record: change.id, path: side.path, number: number.clone() });
    let before: Vec<_> = before.collect();
    if !before.is_empty() {
        close(context, &before).await?;
    }
    let numbers: BTreeSet<&str> = (sides_changed.iter()).filter_map(|(.., n)| n.as_deref()).collect();
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let numbers = numbers.into_iter().map(Value::from).collect();
    let lookup = Lookup::default().is_in("identNumber", numbers).fields(FIELDS);
    let parents = context.find("animals", lookup).await?;
    let ids: BTreeSet<i64> = parents.iter().filter_map(|row| row.get(ID).int()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let readable = context.reads("animals", Class::Row, ids).await?;
    let mut clarifications = Vec::new();
    for (change, side, number) in sides_changed {
        let (Some(number), Some(row)) = (number, &change.new) else {
            continue;
        };
        for parent in &parents {
            let hidden = parent.get(ID).int().is_some_and(|id| !readable.contains(&id));
            if hidden && is(parent, &side, &number) {
                clarifications.push(clarification(change.id, row, parent, &side, number.clone()));
            }
        }
    }
    Ok(clarifications)
}

/// Whether an animal is the parent that the number names.
fn is(parent: &Record, side: &Side, number: &str) -> bool {
    let s = Slots::get();
    parent.get(s.ident).text() == Some(number) && parent.get(s.sex).text() == Some(side.sex)
}

/// Asks the owner of the parent. If two animals have the number, it asks the Association: a user
/// who writes the number of others into their own animal must not learn who named it.
fn clarification(child: i64, row: &Record, parent: &Record, side: &Side, number: String) -> Clarification {
    let s = Slots::get();
    let disputed = parent.get(s.disputed).int().unwrap_or(0) != 0;
    Clarification {
        kind: "parent",
        collection: "animals",
        record: child,
        path: side.path,
        animal: parent.get(ID).int(),
        owner: Animal(parent).link(s.owner).filter(|_| !disputed),
        organization: Animal(row).link(s.owner),
        number: Some(number),
        stated_by: row.get(s.ident).text().map(str::to_owned),
        message: "The animal was named as a parent of an animal of another owner.",
    }
}

/// Animals whose owners named one that comes into the book only now, or gets its number now.
async fn awaited(context: &mut dyn HookContext, changes: &[Change]) -> Result<Vec<Clarification>> {
    let s = Slots::get();
    let numbered = changes.iter().filter(|c| changed(c, s.ident).is_some());
    let fresh: BTreeMap<&str, (i64, &Record)> = (numbered)
        .filter_map(|c| {
            let row = c.new.as_ref()?;
            // A writer who sees the animal names it directly.
            let open = row.get(s.public_visible).truth();
            (!open).then_some((row.get(s.ident).text()?, (c.id, row)))
        })
        .collect();
    let mut clarifications = Vec::new();
    for side in sides() {
        let numbers = fresh.iter().filter(|(number, (_, row))| is(row, &side, number));
        let numbers: Vec<Value> = numbers.map(|(number, _)| Value::from(*number)).collect();
        if numbers.is_empty() {
            continue;
        }
        let lookup = Lookup::default()
            .is_in(side.text_path, numbers)
            .test(side.path, Test::Empty)
            .fields(FIELDS)
            .limit(CHILDREN);
        for child in context.find("animals", lookup).await? {
            let number = number(&child, &side);
            let parent = number.as_deref().and_then(|number| fresh.get(number));
            let (Some(id), Some((parent_id, parent))) = (child.get(ID).int(), parent) else {
                continue;
            };
            let same = child.get(s.owner) == parent.get(s.owner);
            if id != *parent_id && !same {
                let clarification = number.map(|number| clarification(id, &child, parent, &side, number));
                clarifications.extend(clarification.map(|clarification| Clarification {
                    owner: clarification.owner.filter(|_| Animal(parent).confirmed()),
                    ..clarification
                }));
            }
        }
    }
    Ok(clarifications)
}

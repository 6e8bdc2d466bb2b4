//! Selections that people keep: the query of a page, or a set of animals (model, section
//! 3.1). A set of animals is a fixed list of members, or whatever fulfils a condition.

use super::codes::SET_PURPOSE;
use super::lookups::written;
use super::slots::slots;
use crate::error::Result;
use crate::record::{Value, time};
use crate::registry::{
    Access, Class, Collection, Decl, Desk, Draft, Field, Hooks, Rule, Verb, boolean, instant, json,
    relation, relations, rows, select, text_n,
};
use futures_util::future::BoxFuture;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// The collection.
pub(super) fn saved_searches() -> Collection {
    let access = Access::read(Rule::Author)
        .write(Rule::Author)
        .subjects(&["author", "organization"]);
    Collection::new("saved-searches", access, fields())
        .singular("Saved Selection")
        .hooks(Behaviour)
        .doc("Selections of animals that people keep.")
}

fn fields() -> Vec<Decl> {
    vec![
        text_n("name", 80)
            .required()
            .doc("Name of the selection.")
            .into(),
        select("place", "book|herd")
            .required()
            .doc("Page that it belongs to: the whole book or the own herd.")
            .into(),
        text_n("query", 2000)
            .required()
            .doc("Query string of the page.")
            .into(),
        json("where")
            .asks("animals")
            .doc("Condition on animals, in the words of the REST dialect.")
            .into(),
        select("scope", "private|organization")
            .default("private")
            .doc("Who reads it: the author, or all of his organisation and the Association.")
            .into(),
        relation("author", "users")
            .server()
            .doc("Who made it.")
            .into(),
        relation("organization", "organizations")
            .server()
            .doc("Organisation of the author when he made it.")
            .into(),
        boolean("adeSet")
            .default(false)
            .doc("Offered as an animal set of the exchange.")
            .into(),
        select("adePurpose", SET_PURPOSE)
            .default("other")
            .doc("What the animal set is for.")
            .into(),
        relations("members", "animals")
            .seen()
            .doc("The animals of a fixed set; while empty, those that fulfil `where`.")
            .into(),
        memberships().into(),
    ]
}

/// What the exchange tells of comings and goings. Kept as long as tombstones are.
fn memberships() -> Field {
    rows(
        "memberships",
        [
            relation("animal", "animals").required().doc("The animal."),
            instant("joinedAt")
                .required()
                .doc("When it became a member."),
            instant("leftAt").doc("When it ceased to be one."),
        ],
    )
    .server()
    .class(Class::Hidden)
    .doc("When animals became members, and when they ceased to be.")
}

slots!(
    /// Slots of `saved-searches`.
    Slots of "saved-searches" {
        author: "author", organization: "organization", members: "members",
        memberships: "memberships",
    }
);

#[derive(Debug)]
struct Behaviour;

impl Hooks for Behaviour {
    fn prepare<'a>(
        &'a self,
        _collection: &'static Collection,
        desk: &'a mut dyn Desk,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        let s = Slots::get();
        let (user, my) = (desk.caller().user, desk.caller().organization);
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
            // The system brings them along.
            if user.is_some() {
                draft.new.set(s.author, user);
                draft.new.set(s.organization, my);
            }
        }
        Box::pin(async { Ok(()) })
    }

    fn check<'a>(
        &'a self,
        _collection: &'static Collection,
        desk: &'a mut dyn Desk,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        let s = Slots::get();
        let now = desk.now();
        for draft in written(drafts).filter(|d| d.changes(s.members)) {
            // What a moved book brings along was forgotten there, if at all.
            let since = draft
                .old
                .as_ref()
                .map_or(i64::MIN, |_| now.saturating_sub(TOLD));
            let rows = follow(
                draft.new.get(s.memberships).rows(),
                draft.new.get(s.members).ids(),
                since,
                now,
            );
            let filled = (!rows.is_empty()).then_some(Value::Json(Json::Array(rows)));
            draft.new.set(s.memberships, filled.unwrap_or_default());
        }
        Box::pin(async { Ok(()) })
    }
}

/// How long it is told that an animal was a member once, milliseconds.
const TOLD: i64 = 400 * 86_400_000;

/// Memberships after the members changed: who is new has joined, who is missing has left.
/// What ended before `since` is forgotten.
fn follow(before: &[Json], members: &[i64], since: i64, now: i64) -> Vec<Json> {
    let animal = |row: &Json| row.get("animal").and_then(Json::as_i64);
    let left = |row: &Json| {
        row.get("leftAt")
            .and_then(Json::as_str)
            .and_then(time::parse)
    };
    let mut rows: Vec<Json> = (before.iter())
        .filter(|row| left(row).is_none_or(|at| at >= since))
        .cloned()
        .collect();
    let mut open: BTreeSet<i64> = BTreeSet::new();
    for row in &mut rows {
        let (Some(id), None) = (animal(row), left(row)) else {
            continue;
        };
        if members.contains(&id) {
            open.insert(id);
        } else if let Some(row) = row.as_object_mut() {
            row.insert("leftAt".to_owned(), time::to_iso(now).into());
        }
    }
    for id in members {
        if open.insert(*id) {
            let at = time::to_iso(now);
            rows.push(json!({"id": format!("{id}-{now}"), "animal": id, "joinedAt": at}));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{TOLD, follow};
    use serde_json::json;

    #[test]
    fn who_is_new_joins_who_is_missing_leaves_and_old_times_are_forgotten() {
        let first = follow(&[], &[7, 8], 0, 0);
        assert_eq!(first.len(), 2);
        assert_eq!(first[0]["animal"], 7);
        assert_eq!(first[0]["joinedAt"], "1970-01-01T00:00:00.000Z");
        let second = follow(&first, &[8, 9], 0, 1_000);
        assert_eq!(second[0]["leftAt"], "1970-01-01T00:00:01.000Z");
        assert_eq!(second[1], first[1]);
        assert_eq!(second[2]["animal"], 9);
        // Who comes again joins again; the first time is still told.
        let third = follow(&second, &[7, 8, 9], 0, 2_000);
        assert_eq!((third.len(), &third[0]), (4, &second[0]));
        assert_eq!(third[3]["animal"], json!(7));
        let later = follow(&third, &[8], 2_000, 2_000 + TOLD);
        let animals: Vec<_> = later.iter().map(|row| row["animal"].clone()).collect();
        assert_eq!(animals, [8, 9, 7]);
    }
}

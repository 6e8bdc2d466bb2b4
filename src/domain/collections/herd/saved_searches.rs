//! Stored selections: the query of a list, or a set of animals. A
//! set of animals is a fixed list of members, or the animals that fulfil a condition. A deleted
//! animal is in no set any more, and its joins and leaves are deleted too.

use crate::collections::dictionaries::codes::SET_PURPOSE;
use crate::collections::dictionaries::lookups::written;
use crate::collections::events::measures::JSON_BYTES;
use crate::collections::events::{Key, source};
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::error::Issue;
use model::record::{Record, Value, time};
use model::registry::{
    Access, Capability, Class, Collection, Decl, Draft, Feature, Field, Principal, Rule, Verb, Wording, boolean,
    fields, instant, json, relation, relations, rows, select, text, text_n,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// The list of animals, of which alone there are sets.
const ANIMALS: &str = "animals";
/// Most animals of a fixed set: more than any herd has.
const MEMBERS: u32 = 10_000;

pub(crate) fn saved_searches() -> Collection {
    let access = Access::read(Rule::Author).write(Rule::Author).subjects(&["author", "organization"]);
    Collection::new("saved-searches", access, fields())
        .stock("organization", "author")
        .unique(&["organization", "ade.source", "ade.sourceId"])
        .singular("Saved Selection")
        .columns(&["name", "list", "place", "scope", "author", "updatedAt"])
        .feature(Feature::SavedSearches)
        .hooks(Behaviour)
        .doc("Stored selections of records: views of lists, and sets of animals.")
}

fn fields() -> Vec<Decl> {
    let mut fields = fields![
        text_n("name", 80).required() => "Name of the selection.",
        text_n("list", 40).default(ANIMALS).wording(Wording::Collection)
            => "Collection whose list it is a view of.",
        select("place", "book|herd").required()
            => "Page of the selection: the whole book or the user's own herd.",
        text_n("query", 2000).required().blank()
            => "Query string of the page; an empty text for the whole page.",
        json("where").bytes(JSON_BYTES).asks("animals")
            => "Condition on animals, in the words of the REST dialect.",
        select("scope", "private|organization").default("private")
            => "Who reads it: the author, or all users of the author's organisation and the Association.",
        relation("author", "users").server()
            => "User who created it; nobody, if a sender of the exchange did.",
        relation("organization", "organizations").server()
            => "Organisation of the author when the selection was created, or of the location that a sender of the exchange sent it to.",
        boolean("adeSet").default(false) => "Offered as an animal set of the exchange.",
        select("adePurpose", SET_PURPOSE).default("other") => "What the animal set is for.",
        relations("members", "animals").at_most(MEMBERS)
            => "The animals of a fixed set; while empty, those that fulfil `where`.",
        membership_entries("joins") => "When animals became members, as far as it was reported.",
        membership_entries("leaves") => "When animals ceased to be members, as far as it was reported.",
    ];
    fields.extend(source("ade", "adeExtra", Key::Row));
    fields
}

/// What the exchange reports about joins and leaves, and what senders reported. Entries that no
/// sender reported are stored as long as tombstones are.
fn membership_entries(name: &str) -> Field {
    let members = [
        relation("animal", "animals")
            .required()
            .cascade()
            .doc("The animal; when it is deleted, the row is deleted too."),
        instant("at").required().doc("When the animal joined or left."),
        text("source").doc("`meta.source` of the resource that reported it by the exchange."),
        text("sourceId").doc("`meta.sourceId` of the resource that reported it by the exchange."),
        json("extra").doc("Members of that resource that no field holds."),
    ];
    rows(name, members).server().class(Class::Hidden)
}

slots!(Slots of "saved-searches" {
    name, list, author, organization, members, condition: "where", joins, leaves, offered: "adeSet",
    source: "ade.source", source_id: "ade.sourceId",
});

hooks!(Behaviour {
    prepare(context, drafts) {
        let s = Slots::get();
        let (user, my) = (context.caller().user, context.caller().organization);
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
            // The system brings them along; a set that was sent belongs to its location.
            let by_exchange = !draft.new.get(s.source).is_null();
            if by_exchange {
                fill_name(draft);
            } else if user.is_some() {
                draft.new.set(s.author, user);
                draft.new.set(s.organization, my);
            }
        }
        Ok(())
    }
    check(context, drafts) {
        let s = Slots::get();
        let now = context.now();
        published(context.caller(), drafts);
        for draft in written(drafts) {
            listed(draft);
            remains(draft);
            if draft.changes(s.members) {
                follow(draft, now);
            } else if draft.changes(s.joins) || draft.changes(s.leaves) {
                obey(draft);
            }
        }
        Ok(())
    }
});

/// What the exchange offers is written by those who write data.
fn published(caller: &Principal, drafts: &mut [Draft]) {
    let s = Slots::get();
    if caller.can(Capability::Data) {
        return;
    }
    for draft in drafts {
        let offered = |row: &Record| row.get(s.offered).truth();
        let before = draft.old.as_ref().is_some_and(offered);
        let after = draft.verb != Verb::Delete && offered(&draft.new);
        let changed = draft.verb == Verb::Delete || draft.old.as_ref() != Some(&draft.new);
        if (before || after) && changed {
            let message = "Offering a set of animals to the exchange needs the right to write data.";
            let issue = Issue::error("adeSet", "forbidden-field", message);
            draft.refused.push(issue);
        }
    }
}

/// Longest name.
const NAME: usize = 80;

/// A set that its sender does not name is called by its key there.
fn fill_name(draft: &mut Draft) {
    let s = Slots::get();
    if let (true, Some(key)) = (draft.new.get(s.name).is_null(), draft.new.get(s.source_id).text()) {
        let short: String = key.chars().take(NAME).collect();
        draft.new.set(s.name, short);
    }
}

/// The list is one of a collection, and a set of animals is one of animals.
fn listed(draft: &mut Draft) {
    let s = Slots::get();
    let list = draft.new.get(s.list).text().unwrap_or(ANIMALS);
    if list == ANIMALS {
        return;
    }
    if crate::collections::registry().ok().and_then(|registry| registry.get(list)).is_none() {
        draft.fault("list", "collection-unknown", "No such collection.");
    }
    let message = "Only a selection of animals has this.";
    let new = &draft.new;
    let of_animals = [
        ("where", !new.get(s.condition).is_null()),
        ("members", !new.get(s.members).ids().is_empty()),
        ("adeSet", new.get(s.offered).truth()),
    ];
    for (path, _) in of_animals.into_iter().filter(|(_, filled)| *filled) {
        draft.fault(path, "not-allowed", message);
    }
}

/// A set that was sent remains one, with the members that were sent, until it is deleted.
fn remains(draft: &mut Draft) {
    let s = Slots::get();
    if draft.new.get(s.source).is_null() {
        return;
    }
    if !draft.new.get(s.offered).truth() {
        let message = "This set was sent by the exchange; delete it to end it.";
        draft.issues.push(Issue::error("adeSet", "sent-set", message));
    }
    if !draft.new.get(s.condition).is_null() {
        let message = "This set was sent by the exchange, with its members.";
        draft.issues.push(Issue::error("where", "sent-set", message));
    }
}

/// How long the exchange reports that an animal was a member once, milliseconds.
const MEMBERSHIP_HISTORY: i64 = 400 * 86_400_000;

/// New members have joined now; missing members have left now. Old entries are deleted unless a
/// sender reported them; entries that a moved book brings along were deleted there.
fn follow(draft: &mut Draft, now: i64) {
    let s = Slots::get();
    let since = (draft.old.as_ref()).map_or(i64::MIN, |_| now.saturating_sub(MEMBERSHIP_HISTORY));
    let mut joins = draft.new.get(s.joins).rows().to_vec();
    let mut leaves = draft.new.get(s.leaves).rows().to_vec();
    let after: BTreeSet<i64> = draft.new.get(s.members).ids().iter().copied().collect();
    let mentioned: BTreeSet<i64> = (joins.iter().chain(&leaves)).filter_map(animal).collect();
    let before: BTreeSet<i64> = match &draft.old {
        Some(old) => old.get(s.members).ids().iter().copied().collect(),
        None => mentioned.into_iter().filter(|id| is_in(*id, &joins, &leaves)).collect(),
    };
    let row = |id: &i64| {
        let at = time::to_iso(now);
        json!({"id": format!("{id}-{now}"), "animal": id, "at": at})
    };
    joins.extend(after.difference(&before).map(row));
    leaves.extend(before.difference(&after).map(row));
    let ended = |join: &Json| {
        let mut later = leaves.iter().filter(|leave| animal(leave) == animal(join));
        later.any(|leave| at(leave) >= at(join) && at(leave) < Some(since))
    };
    joins.retain(|join| is_from_exchange(join) || !ended(join));
    leaves.retain(|leave| is_from_exchange(leave) || at(leave) >= Some(since));
    put(draft, s.joins, joins);
    put(draft, s.leaves, leaves);
}

/// Members follow the joins and leaves that changed: the latest report about an animal holds, in
/// whatever order the reports came. The other members stay.
fn obey(draft: &mut Draft) {
    let s = Slots::get();
    let mut members = draft.new.get(s.members).ids().to_vec();
    if members.is_empty() && !draft.new.get(s.condition).is_null() {
        draft.issues.push(Issue::error(
            "",
            "set-by-condition",
            "The members of this set follow from a condition; they neither join nor leave.",
        ));
        return;
    }
    let joins = draft.new.get(s.joins).rows();
    let leaves = draft.new.get(s.leaves).rows();
    let mut changed_animals: BTreeSet<i64> = BTreeSet::new();
    for (slot, now) in [(s.joins, joins), (s.leaves, leaves)] {
        let before = draft.old.as_ref().map_or(&[][..], |old| old.get(slot).rows());
        let changed =
            (before.iter().filter(|row| !now.contains(row))).chain(now.iter().filter(|row| !before.contains(row)));
        changed_animals.extend(changed.filter_map(animal));
    }
    for id in changed_animals {
        let there = members.contains(&id);
        match (is_in(id, joins, leaves), there) {
            (true, false) => members.push(id),
            (false, true) => members.retain(|one| *one != id),
            _ => {}
        }
    }
    draft.new.set(s.members, Value::Ids(members));
}

/// Whether the last of an animal's joins and leaves is a join. Who joined and left at the
/// same time has left.
fn is_in(id: i64, joins: &[Json], leaves: &[Json]) -> bool {
    let last = |rows: &[Json]| {
        let own = rows.iter().filter(|row| animal(row) == Some(id));
        own.filter_map(at).max()
    };
    last(joins) > last(leaves)
}

fn animal(row: &Json) -> Option<i64> {
    row.get("animal").and_then(Json::as_i64)
}

fn at(row: &Json) -> Option<i64> {
    row.get("at").and_then(Json::as_str).and_then(time::parse)
}

fn is_from_exchange(row: &Json) -> bool {
    row.get("source").is_some_and(|source| !source.is_null())
}

fn put(draft: &mut Draft, slot: usize, rows: Vec<Json>) {
    let filled = (!rows.is_empty()).then_some(Value::json(Json::Array(rows)));
    draft.new.set(slot, filled.unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::is_in;
    use serde_json::{Value as Json, json};

    #[test]
    fn the_last_word_of_joins_and_leaves_holds_in_whatever_order_they_came() {
        let row = |day: u32| json!({"animal": 7, "at": format!("2026-01-{day:02}T00:00:00.000Z")});
        let rows = |days: &[u32]| days.iter().map(|d| row(*d)).collect::<Vec<Json>>();
        for (joins, leaves, there) in [
            (&[][..], &[][..], false),
            (&[1], &[], true),
            (&[1], &[2], false),
            (&[3, 1], &[2], true),
            (&[1, 2], &[2], false),
            (&[], &[2], false),
        ] {
            let member = is_in(7, &rows(joins), &rows(leaves));
            assert_eq!(member, there, "{joins:?} {leaves:?}");
            assert!(!is_in(8, &rows(joins), &rows(leaves)));
        }
    }
}

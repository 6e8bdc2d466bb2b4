//! Organisations that begin to take part in the book, that go back to being only named, and
//! that are merged into others (docs/directory.md, *Named and registered*, *Merged*).

use crate::collections::dictionaries::lookups::by_id;
use crate::collections::evaluation::merge_profiles;
use crate::collections::registry;
use crate::collections::slots::slots;
use model::error::{Issue, Result};
use model::messages::Sentence;
use model::record::{Record, Value};
use model::registry::{
    BookReader, Caller, Change, Collection, Command, Draft, Field, HookContext, ID, Lookup, Move, States, Test, Verb,
    Who, moves,
};
use model::said;
use std::collections::BTreeMap;

slots!(
    /// Slots of `organizations` that this is about.
    Slots of "organizations" { presence, merged: "mergedInto", membership }
);
slots!(
    /// Slots of `index-profiles` of which one is the default.
    Profiles of "index-profiles" { default: "isDefault" }
);

/// From being named to taking part, and back.
pub(crate) fn presence() -> States {
    let confirmed = |from, to| {
        Move::new(from, to)
            .by(Who::Association)
            .log("directory-confirmed")
            .says("The Association registers organisations.")
    };
    moves![States::of("presence").begun_by_server();
        confirmed(&["referenced"], "registered")
            => "The organisation has a head: a user, or a valid invitation. Animals can be sold to it, and its users act for it. A first user or a membership causes this move too.",
        confirmed(&["registered"], "referenced").grave()
            => "Allowed while the organisation owns nothing, has sent nothing, has no users and is no member.",
    ]
}

/// Organisations with users or a membership take part (docs/directory.md): those of these ids that
/// were only named are registered.
pub(crate) async fn register(context: &mut dyn HookContext, ids: impl IntoIterator<Item = i64>) -> Result<()> {
    let s = Slots::get();
    let rows = by_id(context, "organizations", ids, &["presence", "mergedInto"]).await?;
    let matches =
        rows.iter().filter(|(_, row)| row.get(s.presence).text() == Some("referenced") && row.get(s.merged).is_null());
    let registered = |id: i64| {
        let fields = vec![("presence".to_owned(), Value::from("registered"))];
        Command::Update(id, fields)
    };
    let commands: Vec<Command> = matches.map(|(id, _)| registered(*id)).collect();
    context.write("organizations", commands).await?;
    Ok(())
}

/// Two that are one.
pub(crate) fn merging() -> States {
    moves![States::times("separate", &[("merged", "mergedInto")]);
        Move::new(&["separate"], "merged").by(Who::Association).grave().log("directory-merged")
            .says("The Association merges organisations.")
            => "Every reference to it moves to the [other organisation](directory.md#merged). Refused, with all conflicts, where both have something that only one may have.",
    ]
}

/// The rules of these moves that need the book.
pub(crate) async fn check(
    collection: &'static Collection,
    context: &mut dyn BookReader,
    drafts: &mut [Draft],
) -> Result<()> {
    let s = Slots::get();
    let stored = |d: &Draft| d.verb == Verb::Update && d.old.is_some();
    let into = drafts.iter().filter(|d| stored(d) && d.changes(s.merged));
    let into: Vec<i64> = into.filter_map(|d| d.new.get(s.merged).int()).collect();
    let others = by_id(context, collection.slug, into, &["presence"]).await?;
    let system = context.caller().caller == Caller::System;
    for draft in drafts.iter_mut().filter(|d| stored(d)) {
        if draft.changes(s.merged) {
            target(draft, &others);
        }
        if draft.changes(s.presence) && !system {
            moved(collection, context, draft).await?;
        }
    }
    Ok(())
}

/// A participant is not merged into an organisation that is only named: that one has no users.
fn target(draft: &mut Draft, others: &BTreeMap<i64, Record>) {
    let s = Slots::get();
    let registered = |row: &Record| row.get(s.presence).text() == Some("registered");
    let other = (draft.new.get(s.merged).int()).and_then(|id| others.get(&id));
    if registered(&draft.new) && other.is_some_and(|other| !registered(other)) {
        let message = "The other organisation does not take part in the book itself.";
        let issue = Issue::error("mergedInto", "not-registered", message);
        draft.issues.push(issue);
    }
}

async fn moved(collection: &'static Collection, context: &mut dyn BookReader, draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    let mut fault = |code: &'static str, message: Sentence| {
        draft.issues.push(Issue::error("presence", code, message));
    };
    if !draft.new.get(s.merged).is_null() {
        let message = "The organisation was merged into another one.".into();
        fault("merged", message);
    } else if draft.new.get(s.presence).text() == Some("registered") {
        if !headed(context, draft.id).await? {
            let message = "The organisation has no head yet: invite one first (an invitation with \
                           orgRole head).";
            fault("no-head", message.into());
        }
    } else {
        let mut own = own(collection, context, draft.id).await?;
        if is_member(&draft.new) {
            own.push("membership");
        }
        if !own.is_empty() {
            let message = said!("These still belong to it: {list}.", list = own.join(", "));
            fault("in-use", message);
        }
    }
    Ok(())
}

/// Whether it is a member, suspended or not.
pub(crate) fn is_member(row: &Record) -> bool {
    let word = row.get(Slots::get().membership).text();
    matches!(word, Some("member" | "suspended"))
}

/// Whether the organisation has a head, or an invited one.
async fn headed(context: &mut dyn BookReader, id: i64) -> Result<bool> {
    let heads = || Lookup::by_ids("organization", [id]).is_in("orgRole", vec!["head".into()]);
    let users = heads().test("blockedAt", Test::Empty).fields(&["id"]).limit(1);
    if !context.find("users", users).await?.is_empty() {
        return Ok(true);
    }
    let now = Value::Time(context.now());
    let invited =
        heads().test("revokedAt", Test::Empty).test("acceptedAt", Test::Empty).test("expiresAt", Test::From(now));
    let invited = invited.fields(&["id"]).limit(1);
    Ok(!context.find("invitations", invited).await?.is_empty())
}

/// Collections with rows of its own: rows that its sessions created, and its users. Rows that only
/// name it do not count.
async fn own(collection: &'static Collection, context: &mut dyn BookReader, id: i64) -> Result<Vec<&'static str>> {
    let mut slugs = Vec::new();
    for referrer in registry()?.referrers(collection.slug) {
        let other = referrer.collection;
        let own = |f: &&Field| (f.session || other.auth) && referrer.sub.is_none() && f.stored();
        let Some(field) = referrer.field().filter(own) else {
            continue;
        };
        let lookup = Lookup::by_ids(&field.path, [id]).fields(&["id"]).limit(1);
        if !context.find(other.slug, lookup).await?.is_empty() {
            slugs.push(other.slug);
        }
    }
    Ok(slugs)
}

/// What follows from a merger before the references move: what one gave the other ends, and
/// one of two default profiles is none any more.
pub(crate) async fn follow(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    let merged = changes.iter().filter_map(|change| {
        let old = change.old.as_ref()?.get(s.merged).int();
        let into = change.new.as_ref()?.get(s.merged).int()?;
        old.is_none().then_some((change.id, into))
    });
    for (from, into) in merged.collect::<Vec<_>>() {
        for slug in ["access-grants", "genotype-consents"] {
            end(context, slug, [from, into]).await?;
        }
        one_default(context, from, into).await?;
        merge_profiles(context, [from, into]).await?;
    }
    Ok(())
}

async fn end(context: &mut dyn HookContext, slug: &str, both: [i64; 2]) -> Result<()> {
    let lookup = Lookup::by_ids("owner", both)
        .is_in("grantee", both.map(Value::Int).to_vec())
        .test("revokedAt", Test::Empty)
        .fields(&["id"]);
    let now = context.now();
    let ended = context.find(slug, lookup).await?;
    let ended = ended.iter().filter_map(|row| {
        let fields = vec![("revokedAt".to_owned(), Value::Time(now))];
        Some(Command::Update(row.get(ID).int()?, fields))
    });
    let ended: Vec<Command> = ended.collect();
    context.write(slug, ended).await?;
    Ok(())
}

/// An organisation has one default profile: that of the one that stays.
async fn one_default(context: &mut dyn HookContext, from: i64, into: i64) -> Result<()> {
    let p = Profiles::get();
    let marked = |id: i64| {
        let lookup = Lookup::by_ids("organization", [id]);
        let lookup = lookup.is_in("isDefault", vec![Value::Bool(true)]);
        lookup.fields(&["id"])
    };
    if context.find("index-profiles", marked(into)).await?.is_empty() {
        return Ok(());
    }
    let others = context.find("index-profiles", marked(from)).await?;
    let others = others.iter().filter_map(|row| row.get(ID).int());
    let others = others.map(|id| (id, vec![(p.default, Value::Bool(false))]));
    context.amend("index-profiles", others.collect()).await
}

//! Organisations that begin to take part in the book, that go back to being only named, and
//! that are merged into others (model, section 3.6).

use super::lookups::by_id;
use super::slots::slots;
use crate::collections::registry;
use crate::error::{Issue, Result};
use crate::record::{Record, Value};
use crate::registry::{
    BookReader, Caller, Change, Collection, Command, Desk, Draft, Field, ID, Lookup, Move, States,
    Test, Verb, Who,
};
use std::collections::BTreeMap;

slots!(
    /// Slots of `organizations` that this is about.
    Slots of "organizations" { presence: "presence", merged: "mergedInto" }
);
slots!(
    /// Slots of `access-grants` between organisations.
    Grants of "access-grants" { owner: "owner", grantee: "grantee" }
);
slots!(
    /// Slots of `genotype-consents` between organisations.
    Consents of "genotype-consents" { owner: "owner", grantee: "grantee" }
);

/// From being named to taking part, and back.
pub(super) fn presence() -> States {
    let confirmed = |from, to| {
        Move::new(from, to)
            .by(Who::Association)
            .log("directory-confirmed")
            .says("The Association registers organisations.")
    };
    States::of("presence")
        .begun_by_server()
        .with(confirmed(&["referenced"], "registered").doc(
            "It has a head: a user, or an invitation that holds. From then on animals \
                     can be sold to it, and its people answer for it.",
        ))
        .with(
            confirmed(&["registered"], "referenced")
                .doc("While it owns nothing, sent nothing and has no users."),
        )
}

/// Two that are one.
pub(super) fn merging() -> States {
    States::times("separate", &[("merged", "mergedInto")]).with(
        Move::new(&["separate"], "merged")
            .by(Who::Association)
            .log("directory-merged")
            .says("The Association merges organisations.")
            .doc(
                "Every reference to it moves to the other one; whoever names it later means \
                 the other one. Refused with all conflicts where both have what only one may \
                 have. Grants between the two end.",
            ),
    )
}

/// The rules of these moves that need the book.
pub(super) async fn check(
    collection: &'static Collection,
    desk: &mut dyn BookReader,
    drafts: &mut [Draft],
) -> Result<()> {
    let s = Slots::get();
    let stored = |d: &Draft| d.verb == Verb::Update && d.old.is_some();
    let into = drafts.iter().filter(|d| stored(d) && d.changes(s.merged));
    let into: Vec<i64> = into.filter_map(|d| d.new.get(s.merged).int()).collect();
    let others = by_id(desk, collection.slug, into, &["presence"]).await?;
    let system = desk.caller().caller == Caller::System;
    for draft in drafts.iter_mut().filter(|d| stored(d)) {
        if draft.changes(s.merged) {
            target(draft, &others);
        }
        if draft.changes(s.presence) && !system {
            moved(collection, desk, draft).await?;
        }
    }
    Ok(())
}

/// What takes part is not merged into what is only named: nobody would answer for it.
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

async fn moved(
    collection: &'static Collection,
    desk: &mut dyn BookReader,
    draft: &mut Draft,
) -> Result<()> {
    let s = Slots::get();
    let mut fault = |code: &'static str, message: String| {
        draft.issues.push(Issue::error("presence", code, message));
    };
    if !draft.new.get(s.merged).is_null() {
        fault(
            "merged",
            "It was merged into another organisation.".to_owned(),
        );
    } else if draft.new.get(s.presence).text() == Some("registered") {
        if !headed(desk, draft.id).await? {
            let message = "Nobody answers for it yet: invite its head first (an invitation with \
                           orgRole head).";
            fault("no-head", message.to_owned());
        }
    } else {
        let own = own(collection, desk, draft.id).await?;
        if !own.is_empty() {
            let message = format!("These still belong to it: {}.", own.join(", "));
            fault("in-use", message);
        }
    }
    Ok(())
}

/// Whether somebody answers for it, or is invited to.
async fn headed(desk: &mut dyn BookReader, id: i64) -> Result<bool> {
    let heads = || Lookup::by_ids("organization", [id]).is_in("orgRole", vec!["head".into()]);
    let users = heads()
        .test("blockedAt", Test::Empty)
        .fields(&["id"])
        .limit(1);
    if !desk.find("users", users).await?.is_empty() {
        return Ok(true);
    }
    let now = Value::Time(desk.now());
    let invited = heads()
        .test("revokedAt", Test::Empty)
        .test("acceptedAt", Test::Empty)
        .test("expiresAt", Test::From(now));
    let invited = invited.fields(&["id"]).limit(1);
    Ok(!desk.find("invitations", invited).await?.is_empty())
}

/// Collections with rows of its own: what came from its session, and its people. Rows that
/// only name it do not count.
async fn own(
    collection: &'static Collection,
    desk: &mut dyn BookReader,
    id: i64,
) -> Result<Vec<&'static str>> {
    let mut found = Vec::new();
    for (other, slot, sub) in registry()?.referrers(collection.slug) {
        let own = |f: &&Field| (f.session || other.auth) && sub.is_none() && f.stored();
        let Some(field) = other.fields.get(slot).filter(own) else {
            continue;
        };
        let lookup = Lookup::by_ids(&field.path, [id]).fields(&["id"]).limit(1);
        if !desk.find(other.slug, lookup).await?.is_empty() {
            found.push(other.slug);
        }
    }
    Ok(found)
}

/// What follows from a merger besides the references: what one gave the other ends.
pub(super) async fn follow(desk: &mut dyn Desk, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    let merged = changes.iter().filter_map(|change| {
        let old = change.old.as_ref()?.get(s.merged).int();
        let new = change.new.as_ref()?.get(s.merged).int()?;
        old.is_none().then_some(new)
    });
    let merged: Vec<i64> = merged.collect();
    if merged.is_empty() {
        return Ok(());
    }
    let (g, c) = (Grants::get(), Consents::get());
    for (slug, owner, grantee) in [
        ("access-grants", g.owner, g.grantee),
        ("genotype-consents", c.owner, c.grantee),
    ] {
        let lookup = Lookup::by_ids("owner", merged.iter().copied())
            .is_in("grantee", merged.iter().map(|id| Value::Int(*id)).collect())
            .test("revokedAt", Test::Empty)
            .fields(&["owner", "grantee"]);
        let now = desk.now();
        let rows = desk.find(slug, lookup).await?;
        let ended = rows.iter().filter(|row| row.get(owner) == row.get(grantee));
        let ended = ended.filter_map(|row| {
            let fields = vec![("revokedAt".to_owned(), Value::Time(now))];
            Some(Command::Update(row.get(ID).int()?, fields))
        });
        let ended: Vec<Command> = ended.collect();
        if !ended.is_empty() {
            desk.write(slug, ended).await?;
        }
    }
    one_default(desk, &merged).await
}

slots!(
    /// Slots of `index-profiles` of which one is the default.
    Profiles of "index-profiles" { organization: "organization", default: "isDefault" }
);

/// An organisation has one default profile: its own stays, which was written earlier.
async fn one_default(desk: &mut dyn Desk, merged: &[i64]) -> Result<()> {
    let p = Profiles::get();
    let lookup = Lookup::by_ids("organization", merged.iter().copied())
        .is_in("isDefault", vec![Value::Bool(true)])
        .fields(&["organization", "isDefault"])
        .order(&["updatedAt"]);
    let mut seen = Vec::new();
    let mut others = Vec::new();
    for row in desk.find("index-profiles", lookup).await? {
        let organization = row.get(p.organization).clone();
        if seen.contains(&organization) {
            others.extend(row.get(ID).int());
        }
        seen.push(organization);
    }
    let others = others.into_iter();
    let others = others.map(|id| (id, vec![(p.default, Value::Bool(false))]));
    desk.amend("index-profiles", others.collect()).await
}

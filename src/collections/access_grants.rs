//! Access grants: an owner opens animals to another organisation (model, section 3.7).

use super::animals::{Animal, Slots as AnimalSlots};
use super::codes::SCOPES;
use super::lookups::{by_id, named, written};
use super::slots::slots;
use crate::error::{Issue, Result};
use crate::record::Value;
use crate::registry::{
    Access, Caller, Capability, Collection, Decl, Desk, Draft, Hooks, Rule, Verb, instant,
    long_text, relation, selects,
};
use futures_util::future::BoxFuture;

/// The collection.
pub(super) fn access_grants() -> Collection {
    let access = Access::read(Rule::Farm)
        .create(Rule::Own(Capability::Share))
        .update(Rule::Own(Capability::Share))
        .delete(Rule::Admin)
        .subjects(&["owner", "grantee"])
        .write_subjects(&["owner"]);
    Collection::new("access-grants", access, fields())
        .rights()
        .animal("animal")
        .hooks(Behaviour)
        .index(&["grantee", "revokedAt"])
        .index(&["owner", "revokedAt"])
        .index(&["grantee", "animal"])
        .doc("What owners opened to other organisations.")
}

fn fields() -> Vec<Decl> {
    vec![
        relation("owner", "organizations")
            .server()
            .session()
            .doc("Who opens; the owner of the animal, or the caller's organisation.")
            .into(),
        relation("grantee", "organizations")
            .required()
            .once()
            .doc("To whom.")
            .into(),
        // A grant must go with its animal: without one it would open the whole herd.
        relation("animal", "animals")
            .once()
            .cascade()
            .doc("Which animal; empty: the whole herd, also later animals.")
            .into(),
        selects("scopes", SCOPES)
            .required()
            .once()
            .doc("What is opened.")
            .into(),
        instant("expiresAt")
            .doc("When it ends; empty: never.")
            .into(),
        relation("issuedBy", "users")
            .server()
            .doc("Who issued it.")
            .into(),
        instant("revokedAt")
            .indexed()
            .doc("When it was revoked.")
            .into(),
        relation("revokedBy", "users")
            .server()
            .doc("Who revoked it.")
            .into(),
        long_text("note").doc("Remark.").into(),
        instant("lastSeenAt")
            .server()
            .doc("When the receiver last looked at what was opened.")
            .into(),
    ]
}

slots!(
    /// Slots of `access-grants`.
    Slots of "access-grants" {
        owner: "owner", grantee: "grantee", animal: "animal", issued_by: "issuedBy",
        revoked_at: "revokedAt", revoked_by: "revokedBy",
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
        Box::pin(prepare(desk, drafts))
    }

    fn check<'a>(
        &'a self,
        _collection: &'static Collection,
        desk: &'a mut dyn Desk,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            check(desk, drafts);
            Ok(())
        })
    }
}

/// The giver: the owner of the animal, or of a whole herd the caller's organisation.
async fn prepare(desk: &mut dyn Desk, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let animals = by_id(desk, "animals", named(drafts, s.animal), &["owner"]).await?;
    let caller = desk.caller().clone();
    for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
        let animal = draft.new.get(s.animal).int();
        let owner = match animal {
            Some(id) => (animals.get(&id)).and_then(|a| Animal(a).link(AnimalSlots::get().owner)),
            None => caller.organization,
        };
        // The system names the owner itself where no animal does.
        if owner.is_some() || caller.caller != Caller::System {
            draft.new.set(s.owner, owner);
        }
        if caller.user.is_some() {
            draft.new.set(s.issued_by, caller.user);
        }
    }
    Ok(())
}

fn check(desk: &dyn Desk, drafts: &mut [Draft]) {
    let s = Slots::get();
    let (now, user) = (desk.now(), desk.caller().user);
    for draft in written(drafts) {
        let owner = draft.new.get(s.owner).int();
        if owner.is_none() {
            let message = "A grant of a whole herd is given by its organisation.";
            draft
                .issues
                .push(Issue::error("animal", "required", message));
        } else if draft.new.get(s.grantee).int() == owner {
            let message = "A grant to oneself opens nothing.";
            draft
                .issues
                .push(Issue::error("grantee", "same-organization", message));
        }
        if draft.verb == Verb::Update && draft.changes(s.revoked_at) {
            revoke(draft, now, user);
        }
    }
}

/// At once, and for good.
fn revoke(draft: &mut Draft, now: i64, user: Option<i64>) {
    let s = Slots::get();
    let revoked = (draft.old.as_ref()).is_some_and(|o| !o.get(s.revoked_at).is_null());
    if revoked {
        let message = "A revoked grant stays revoked.";
        draft
            .issues
            .push(Issue::error("revokedAt", "illegal-move", message));
        return;
    }
    draft.new.set(s.revoked_at, Value::Time(now));
    draft.new.set(s.revoked_by, user);
}

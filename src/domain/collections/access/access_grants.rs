//! Access grants: an owner opens animals to another organisation.

use crate::collections::access::by_key;
use crate::collections::access::sharing::{self, GrantSlots};
use crate::collections::dictionaries::codes::SCOPES;
use crate::collections::dictionaries::lookups::{by_id, written};
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::error::Result;
use model::registry::{
    BookReader, Collection, Decl, Draft, Set, States, fields, instant, long_text, relation, selects,
};

pub(crate) fn access_grants() -> Collection {
    let access = sharing::access(&["owner", "grantee"]);
    Collection::new("access-grants", access, fields())
        .stock("owner", "issuedBy")
        .rights()
        .animal("animal")
        .hooks(Behaviour)
        .states(steps())
        .subject("share", Some("grantee"), &["owner"])
        .told_by(&["grantee", "createdAt"])
        .opens_animals("animal", &["grantee", "scopes", "expiresAt"])
        .index(&["grantee", "revokedAt"])
        .index(&["owner", "revokedAt"])
        .index(&["grantee", "animal"])
        .doc("Grants by which owners open their animals to other organisations.")
}

fn fields() -> Vec<Decl> {
    fields![
        relation("owner", "organizations").server().session()
            => "Organisation that gives the grant: the owner of the animal, or the caller's organisation.",
        relation("grantee", "organizations").required().once() => "Organisation that receives the grant.",
        // A grant is deleted with its animal: without an animal it would open the whole herd.
        relation("animal", "animals").once().cascade()
            => "Animal that is opened; empty: the whole herd, including animals that are added later.",
        selects("scopes", SCOPES).required().once() => "Data that are opened.",
        instant("expiresAt") => "When the grant ends; empty: never.",
        relation("issuedBy", "users").server() => "User who issued the grant.",
        instant("revokedAt").indexed() => "When it was revoked.",
        relation("revokedBy", "users").server() => "User who revoked it.",
        relation("request", "access-requests").once() => "Access request that the grant answers.",
        long_text("note") => "Remark.",
        instant("lastSeenAt").server() => "When the receiver last read the opened data.",
        by_key::opened_with(),
    ]
}

slots!(Slots of "access-grants" { owner, grantee, animal, issued_by: "issuedBy", request });
slots!(
    /// Slots of `access-requests` that grants read.
    Requests of "access-requests" { owner }
);

hooks!(Behaviour {
    prepare(collection, context, drafts) {
        by_key::mark(collection, context.caller(), drafts, &["expiresAt"]);
        let s = Slots::get();
        let given = GrantSlots {
            owner: s.owner,
            animal: s.animal,
            by: s.issued_by,
        };
        sharing::give(context, drafts, given).await
    }
    check(context, drafts) {
        check(context, drafts).await
    }
});

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let requests = drafts.iter().filter(|d| d.changes(s.request));
    let requests: Vec<i64> = requests.filter_map(|d| d.new.get(s.request).int()).collect();
    let requests = by_id(context, "access-requests", requests, &["owner"]).await?;
    for draft in written(drafts) {
        let owner = draft.new.get(s.owner).int();
        if owner.is_none() {
            let message = "Only an organisation can give a grant of its whole herd.";
            draft.fault("animal", "required", message);
        } else if draft.changes(s.grantee) && draft.new.get(s.grantee).int() == owner {
            let message = "An organisation cannot give a grant to itself.";
            draft.fault("grantee", "same-organization", message);
        }
        let request = draft.new.get(s.request).int();
        let request = request.and_then(|id| requests.get(&id));
        if request.is_some_and(|r| r.get(Requests::get().owner).int() != owner) {
            let message = "The request is addressed to another owner.";
            draft.fault("request", "not-the-owner", message);
        }
    }
    Ok(())
}

/// At once, and for good (docs/states.md, *access-grants · revokedAt*).
fn steps() -> States {
    let ends = "The grant ends at once. A sale of the animal ends the grants of that animal too.";
    sharing::steps(["grant-issued", "grant-revoked"], &[("revokedBy", Set::Me)], ends)
}

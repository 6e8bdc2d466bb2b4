//! View links: anyone with the link sees some animals of a farm for a time.
//! The key of a link is returned once, when it is created; the book
//! stores its hash.

use crate::collections::access::{by_key, sharing};
use crate::collections::dictionaries::codes::SCOPES;
use crate::collections::dictionaries::lookups::{by_id, written};
use crate::collections::herd::animals::{Animal, Slots as Animals};
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::derive::DAY_MS;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    BookReader, Caller, Class, Collection, Decl, Draft, Feature, States, Verb, fields, instant, int, long_text,
    password, relation, relations, selects, text_n,
};
use std::collections::BTreeMap;

/// Days that a link lasts at most.
const DAYS_MAX: i64 = 365;
/// Animals of one link.
const ANIMALS_MAX: usize = 200;

pub(crate) fn share_links() -> Collection {
    Collection::new("share-links", sharing::access(&["owner"]), fields())
        .stock("owner", "createdBy")
        .feature(Feature::ViewLinks)
        .singular("View Link")
        .opens_animals("animals", &["scopes", "expiresAt", "opens"])
        .hooks(Behaviour)
        .states(steps())
        .doc("Links that show some animals of a farm to anyone for a limited time.")
}

fn fields() -> Vec<Decl> {
    fields![
        password("token").token("tokenDigest")
            => "Key of the link, 64 hexadecimal digits; returned once, when the link is created.",
        text_n("tokenDigest", 64).server().class(Class::Hidden).unique() => "SHA-256 of the token.",
        relation("owner", "organizations").server().session() => "Organisation whose animals the link shows.",
        relation("createdBy", "users").server() => "User who created it.",
        relations("animals", "animals").required().once()
            => "Animals that the link shows, all of the owner; 200 at most.",
        selects("scopes", SCOPES).required().once() => "Data of the animals that the link shows.",
        instant("expiresAt").required().once().indexed() => "When the link ends, within 365 days.",
        instant("revokedAt") => "When it was revoked.",
        long_text("note") => "Remark.",
        int("opens").server().default(0) => "How often it was opened.",
        instant("lastOpenedAt").server() => "When it was last opened.",
        by_key::opened_with(),
    ]
}

/// At once, and for good (docs/states.md, *share-links · revokedAt*).
fn steps() -> States {
    let ends = "The link ends at once.";
    sharing::steps(["share-created", "share-revoked"], &[], ends)
}

slots!(Slots of "share-links" { owner, created_by: "createdBy", animals, expires_at: "expiresAt" });

hooks!(Behaviour {
    prepare(collection, context, drafts) {
        by_key::mark(collection, context.caller(), drafts, &[]);
        prepare(context, drafts).await
    }
    check(context, drafts) {
        check(context, drafts).await
    }
});

/// A farm shares for itself, the Association for the owner of the animals.
async fn prepare(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let caller = context.caller().clone();
    let farm = caller.caller == Caller::Farm;
    let owners = if farm { BTreeMap::new() } else { animals(context, drafts).await? };
    for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
        if draft.new.get(s.owner).is_null() {
            let first = draft.new.get(s.animals).ids().first();
            let first = first.and_then(|id| owner(&owners, *id));
            let giver = if farm { caller.organization } else { first };
            draft.new.set(s.owner, giver);
        }
        if caller.user.is_some() {
            draft.new.set(s.created_by, caller.user);
        }
    }
    Ok(())
}

async fn animals(context: &mut dyn BookReader, drafts: &[Draft]) -> Result<BTreeMap<i64, Record>> {
    let slot = Slots::get().animals;
    // Animals beyond the limit of a link need not be read.
    let ids = (drafts.iter()).filter(|d| d.verb == Verb::Create);
    let ids = ids.flat_map(|d| d.new.get(slot).ids().iter().take(ANIMALS_MAX).copied());
    by_id(context, "animals", ids, &["owner"]).await
}

fn owner(animals: &BTreeMap<i64, Record>, id: i64) -> Option<i64> {
    (animals.get(&id)).and_then(|a| Animal(a).link(Animals::get().owner))
}

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let now = context.now();
    let owners = animals(context, drafts).await?;
    for draft in written(drafts).filter(|d| d.verb == Verb::Create) {
        let animals = draft.new.get(s.animals).ids();
        let giver = draft.new.get(s.owner).int();
        let foreign = |id: &&i64| owners.contains_key(id) && owner(&owners, **id) != giver;
        let fault = if animals.len() > ANIMALS_MAX {
            Some(("too-many", "A link shows 200 animals at most.".to_owned()))
        } else {
            let foreign = animals.iter().find(foreign);
            foreign.map(|id| ("not-the-owner", format!("Animal {id} has another owner.")))
        };
        if let Some((code, message)) = fault {
            draft.fault("animals", code, message);
        }
        expiry(draft, s.expires_at, now);
    }
    Ok(())
}

fn expiry(draft: &mut Draft, slot: usize, now: i64) {
    let Value::Time(end) = *draft.new.get(slot) else {
        return;
    };
    let (code, message) = if end <= now {
        ("expired", "The end lies in the past.")
    } else if end > now + DAYS_MAX * DAY_MS {
        ("too-late", "A link lasts 365 days at most.")
    } else {
        return;
    };
    draft.fault("expiresAt", code, message);
}

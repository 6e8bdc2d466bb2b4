//! Genotype consents: an owner opens the genotypes of their animals for a purpose.
//! What a consent shows is decided with the access rules
//! (docs/design/access.md, *Classes of fields*): the grantee sees genotypes for research,
//! evaluation and exchange; publication shows those of opened cards to everybody.

use crate::collections::access::by_key;
use crate::collections::access::sharing::{self, GrantSlots};
use crate::collections::dictionaries::lookups::written;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::record::Value;
use model::registry::{Collection, Decl, States, Verb, fields, instant, long_text, relation, selects};

pub(crate) fn genotype_consents() -> Collection {
    let access = sharing::access(&["owner", "grantee"]);
    Collection::new("genotype-consents", access, fields())
        .stock("owner", "issuedBy")
        .rights()
        .animal("animal")
        .hooks(Behaviour)
        .states(steps())
        .told_by(&["grantee", "createdAt"])
        .opens_animals("animal", &["grantee", "purposes", "expiresAt"])
        .index(&["grantee", "revokedAt"])
        .index(&["owner", "revokedAt"])
        .doc("Consents of owners that others may see the genotypes of their animals for some purposes.")
}

fn fields() -> Vec<Decl> {
    fields![
        relation("owner", "organizations").server().session()
            => "Organisation that consents: the owner of the animal, or the caller's organisation.",
        // Deleted with its animal: without an animal it would open all of them.
        relation("animal", "animals").once().cascade()
            => "Animal that the consent is for; empty: all animals of the owner, including those that are added later.",
        // Deleted with its grantee: without a grantee it would be given to the Association.
        relation("grantee", "organizations").once().cascade()
            => "Organisation that receives the consent; empty: the Association.",
        selects("purposes", "evaluation|research|publication|exchange").required().once()
            => "Purposes of the consent; `publication` opens the genotypes of opened cards to everybody.",
        instant("grantedAt").server() => "When it was given.",
        instant("expiresAt") => "When the consent ends; empty: never.",
        instant("revokedAt").indexed() => "When it was revoked.",
        relation("document", "documents").once() => "Document on which the consent is based.",
        relation("issuedBy", "users").server() => "User who gave the consent for the owner.",
        long_text("note") => "Remark.",
        by_key::opened_with(),
    ]
}

/// At once, and for good (docs/states.md, *genotype-consents · revokedAt*).
fn steps() -> States {
    let ends = "The consent ends at once. A sale of the animal ends the consents for that animal too.";
    sharing::steps(["consent-given", "consent-revoked"], &[], ends)
}

slots!(Slots of "genotype-consents" {
    owner, animal, granted_at: "grantedAt", issued_by: "issuedBy",
});

hooks!(Behaviour {
    prepare(collection, context, drafts) {
        by_key::mark(collection, context.caller(), drafts, &["expiresAt"]);
        let s = Slots::get();
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
            if draft.new.get(s.granted_at).is_null() {
                draft.new.set(s.granted_at, Value::Time(context.now()));
            }
        }
        let given = GrantSlots {
            owner: s.owner,
            animal: s.animal,
            by: s.issued_by,
        };
        sharing::give(context, drafts, given).await
    }
    check(_context, drafts) {
        for draft in written(drafts) {
            if draft.new.get(Slots::get().owner).is_null() {
                let message = "Only an organisation can give a consent for all its animals.";
                draft.fault("animal", "required", message);
            }
        }
        Ok(())
    }
});

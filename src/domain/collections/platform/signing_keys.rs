//! The keys by which the installation signs packages (docs/packages.md). The first one is made when
//! something is to be signed; retiring it begins another one.

use crate::collections::dictionaries::lookups::written;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::record::Value;
use model::registry::signing::{KEY_ID, RETIRED, signing_key_fields};
use model::registry::{Access, Collection, Feature, Rule, Verb};

pub(crate) fn signing_keys() -> Collection {
    let access = Access::read(Rule::Any).update(Rule::Admin);
    Collection::new("signing-keys", access, signing_key_fields())
        .feature(Feature::SigningKeys)
        .hooks(Behaviour)
        .action(
            "retire",
            RETIRED,
            "Retires the key for good: the next signature is made with a new one. What the key signed stays verifiable.",
        )
        .logged(Verb::Create, "signing-key-created")
        .logged_change(&[RETIRED], "signing-key-retired")
        .subject("none", Some(KEY_ID), &[])
        .doc("Public halves of the keys by which the installation signs packages; `/.well-known/herdbook-keys.json` has them as JSON Web Keys.")
}

slots!(Slots of "signing-keys" { retired: "retiredAt" });

hooks!(Behaviour {
    check(context, drafts) {
        let retired = Slots::get().retired;
        let now = context.now();
        for draft in written(drafts).filter(|d| d.verb == Verb::Update) {
            let before = draft.old.as_ref().map(|old| old.get(retired).clone());
            match before {
                Some(Value::Null) if draft.sent.contains(retired) => {
                    draft.new.set(retired, Value::Time(now));
                }
                Some(before) => draft.new.set(retired, before),
                None => {}
            }
        }
        Ok(())
    }
});

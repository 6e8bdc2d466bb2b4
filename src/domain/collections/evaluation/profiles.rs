//! Profiles of selection indexes: which traits count how much. The
//! built-in profiles are no rows.

use super::current_mark::CurrentMark;
use super::traits::FARTHEST_VALUE;
use crate::collections::dictionaries::lookups::written;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::registry::{
    Access, Capability, Collection, Decl, Field, Rule, Verb, boolean, fields, number, relation,
    rows, select, text,
};
use serde_json::Value as Json;

/// Traits that an index may be made of.
pub(super) const INDEX_TRAITS: &str = "milk|fatKg|proteinKg|productiveLongevity|udderHealth|fertility|\
calvingEase|calfMortality|bodyComposite|udderComposite|legsComposite";
/// What the weights of an index are.
pub(super) const KINDS: &str = "selection|economic";

/// The collection.
pub(crate) fn index_profiles() -> Collection {
    let access = Access::read(Rule::Open("organization="))
        .write(Rule::Own(Capability::Data))
        .subjects(&["organization"]);
    Collection::new("index-profiles", access, fields())
        .natural(&["organization", "name"])
        .hooks(Behaviour)
        .doc("Weights of selection indexes; those of the Association are open to everybody.")
}

fn fields() -> Vec<Decl> {
    fields![
        text("name").required() => "Name of the profile.",
        select("kind", KINDS).required().default("selection")
            => "Weights in shares, or in money per unit of the trait.",
        text("hint") => "Purpose of the profile.",
        // Without its organisation a profile would be open to everybody: it is deleted with the
        // organisation.
        relation("organization", "organizations").server().session().cascade()
            => "Organisation of the profile; empty for profiles of the Association.",
        boolean("isDefault").default(false)
            => "Whether the profile is shown first. One per organisation is; a new one replaces it.",
        weights(),
        relation("author", "users").server() => "User who created it.",
    ]
}

fn weights() -> Field {
    rows(
        "weights",
        [
            select("trait", INDEX_TRAITS).required().doc("Trait."),
            number("weight")
                .required()
                .range(-FARTHEST_VALUE, FARTHEST_VALUE)
                .doc("Weight of the trait: a share, or money per unit. A negative weight selects against the trait."),
        ],
    )
    .doc("Weights of the traits, not all zero.")
}

slots!(Profiles of "index-profiles" { organization, default: "isDefault", weights, author });

fn current_mark() -> CurrentMark {
    let s = Profiles::get();
    CurrentMark {
        mark: s.default,
        within: Some(s.organization),
    }
}

hooks!(Behaviour {
    check(context, drafts) {
        let user = context.caller().user;
        let s = Profiles::get();
        for draft in written(drafts) {
            if draft.verb == Verb::Create && user.is_some() {
                draft.new.set(s.author, user);
            }
            let weight = |row: &Json| row.get("weight").and_then(Json::as_f64);
            let rows = draft.new.get(s.weights).rows();
            let nothing = rows.iter().all(|row| weight(row) == Some(0.0));
            if !rows.is_empty() && nothing {
                let message = "At least one weight differs from zero.";
                draft.fault("weights", "all-zero", message);
            }
        }
        current_mark().settle(drafts);
        Ok(())
    }
    effects(collection, context, changes) {
        let paths = ["isDefault", "organization"];
        current_mark().replace(context, collection.slug, paths, changes).await
    }
});

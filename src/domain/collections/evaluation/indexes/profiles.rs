//! Profiles of selection indexes: which traits count how much. The
//! built-in profiles are no rows.

use super::built_in::{self, Profile};
use super::runs::{self, Work};
use crate::collections::FieldSet;
use crate::collections::dictionaries::lookups::written;
use crate::collections::evaluation::current_mark::CurrentMark;
use crate::collections::evaluation::traits::FARTHEST_VALUE;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::derive::index::{Kind, TRAITS};
use model::error::Result;
use model::record::Record;
use model::registry::evaluation::profiles::KEY;
use model::registry::{
    Access, BookReader, Capability, Change, Collection, Decl, Draft, Feature, Field, HookContext, ID, Lookup, Rule,
    Test, Verb, boolean, fields, number, relation, rows, select, text,
};
use model::said;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// Profiles of an organisation, and of the Association: each write of an evaluation computes all that apply.
const MOST: usize = 50;

/// Traits that an index may be made of.
pub(super) const INDEX_TRAITS: &str = "milk|fatKg|proteinKg|productiveLongevity|udderHealth|fertility|\
calvingEase|calfMortality|bodyComposite|udderComposite|legsComposite";
/// What the weights of an index are.
pub(super) const KINDS: &str = "selection|economic";

/// The collection.
pub(crate) fn index_profiles() -> Collection {
    let access =
        Access::read(Rule::Open("organization=")).write(Rule::Own(Capability::Data)).subjects(&["organization"]);
    Collection::new("index-profiles", access, fields())
        .natural(&["organization", "name"])
        .hooks(Behaviour)
        .feature(Feature::IndexProfiles)
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
                .doc("Weight of the trait: a share, or money per unit. Of a trait of which less is better (`calfMortality`) a positive weight already means less; a negative weight selects against the trait."),
        ],
    )
    .doc("Weights of the traits, not all zero.")
}

slots!(Profiles of "index-profiles" { name, kind, organization, default: "isDefault", weights, author });

fn current_mark() -> CurrentMark {
    let s = Profiles::get();
    CurrentMark { mark: s.default, within: Some(s.organization) }
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
        few(context, drafts).await?;
        current_mark().settle(drafts);
        Ok(())
    }
    effects(collection, context, changes) {
        let paths = ["isDefault", "organization"];
        current_mark().replace(context, collection.slug, paths, changes).await?;
        follow(context, changes).await
    }
});

/// Refuses more profiles than an organisation may have.
async fn few(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Profiles::get();
    let mut numbers: BTreeMap<Option<i64>, usize> = BTreeMap::new();
    for draft in drafts.iter_mut().filter(|draft| draft.verb == Verb::Create) {
        let organization = draft.new.get(s.organization).int();
        let number = match numbers.get(&organization) {
            Some(number) => *number,
            None => {
                let lookup = of_organization(organization).fields(&["id"]);
                context.find("index-profiles", lookup).await?.len()
            }
        };
        if number >= MOST {
            let message = said!("An organisation has at most {limit} profiles.", limit = MOST);
            draft.fault("name", "too-many", message);
        }
        numbers.insert(organization, number + 1);
    }
    Ok(())
}

/// The values follow in a run; those of a profile that is gone go.
async fn follow(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Profiles::get();
    let mut subjects = BTreeMap::new();
    for change in changes {
        let same = |(old, new): (&Record, &Record)| {
            [s.name, s.kind, s.weights, s.organization].iter().all(|slot| old.get(*slot) == new.get(*slot))
        };
        if change.old.as_ref().zip(change.new.as_ref()).is_some_and(same) {
            continue;
        }
        let organization = change.latest().and_then(|row| row.get(s.organization).int());
        subjects.insert(key_of(change.id), organization);
    }
    runs::request(context, subjects, Work::VALUES).await
}

/// Organisations that become one have profiles for more animals than before.
pub(crate) async fn merge_profiles(context: &mut dyn HookContext, merged: [i64; 2]) -> Result<()> {
    let lookup = Lookup::by_ids("organization", merged).fields(&["id"]).limit(1);
    match context.find("index-profiles", lookup).await?.is_empty() {
        true => Ok(()),
        false => runs::recompute_all(context).await,
    }
}

/// `profileKey` of the values of a row.
pub(super) fn key_of(id: i64) -> String {
    format!("{KEY}{id}")
}

fn of_organization(organization: Option<i64>) -> Lookup {
    match organization {
        Some(id) => Lookup::by_ids("organization", [id]),
        None => Lookup::default().test("organization", Test::Empty),
    }
}

fn profile(row: &Record) -> Option<Profile> {
    let s = Profiles::get();
    let rows = row.get(s.weights).rows();
    let weight = |key: &str| -> f64 {
        // A trait that stands twice counts with both weights.
        let of_trait = rows.iter().filter(|row| row["trait"] == key);
        of_trait.filter_map(|row| row["weight"].as_f64()).sum()
    };
    Some(Profile {
        key: key_of(row.get(ID).int()?),
        name: row.get(s.name).text().unwrap_or_default().to_owned(),
        kind: match row.get(s.kind).text() {
            Some("economic") => Kind::Economic,
            _ => Kind::Selection,
        },
        weights: TRAITS.map(|one| weight(one.key)),
        organization: row.get(s.organization).int(),
    })
}

async fn find(context: &mut dyn BookReader, lookup: Lookup) -> Result<Vec<Profile>> {
    let rows = context.find("index-profiles", lookup.fields(Profiles::PATHS)).await?;
    Ok(rows.iter().filter_map(profile).collect())
}

/// A profile of the book, if it is still there.
pub(super) async fn one(context: &mut dyn BookReader, id: i64) -> Result<Option<Profile>> {
    let profiles = find(context, Lookup::by_ids("id", [id])).await?;
    Ok(profiles.into_iter().next())
}

/// The profiles by which all animals have values.
pub(super) async fn open(context: &mut dyn BookReader) -> Result<Vec<Profile>> {
    let mut profiles = built_in::profiles();
    profiles.extend(find(context, of_organization(None)).await?);
    Ok(profiles)
}

/// The profiles by which animals of these owners may have values.
pub(super) async fn applying(context: &mut dyn BookReader, owners: BTreeSet<i64>) -> Result<Vec<Profile>> {
    let mut profiles = open(context).await?;
    if !owners.is_empty() {
        profiles.extend(find(context, Lookup::by_ids("organization", owners)).await?);
    }
    Ok(profiles)
}

/// The keys of all profiles.
pub(super) async fn keys(context: &mut dyn BookReader) -> Result<Vec<String>> {
    let rows = context.find("index-profiles", Lookup::default().fields(&["id"])).await?;
    let own = rows.iter().filter_map(|row| row.get(ID).int()).map(key_of);
    let built_in = built_in::profiles().into_iter().map(|profile| profile.key);
    Ok(built_in.chain(own).collect())
}

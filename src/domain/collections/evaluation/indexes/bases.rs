//! Bases that index values are compared with. A base is made, compared with the one in force by a run, and takes effect
//! when the Association confirms that by `isActive`; without any that is active the borrowed one holds.

use super::profiles::INDEX_TRAITS;
use super::runs;
use crate::collections::FieldSet;
use crate::collections::computed::decimals;
use crate::collections::evaluation::current_mark::CurrentMark;
use crate::collections::evaluation::traits::FARTHEST_VALUE;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::derive::index::{BORROWED_VERSION, Base, TRAITS, TraitBase, borrowed_base};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    Access, BookReader, Caller, Change, Class, Collection, Decl, Draft, Feature, Field, HookContext, ID, Lookup, Rule,
    Verb, boolean, fields, instant, int, json, long_text, number, rows, select, text_n,
};
use serde_json::Value as Json;

const SLUG: &str = "index-bases";

/// The collection.
pub(crate) fn index_bases() -> Collection {
    let access = Access::read(Rule::Any).write(Rule::Admin);
    Collection::new(SLUG, access, fields())
        .singular("Comparison Base")
        .hooks(Behaviour)
        .feature(Feature::IndexBases)
        .doc("Means and deviations of the traits against which indexes are expressed.")
}

fn fields() -> Vec<Decl> {
    fields![
        text_n("version", 40).required().unique() => "Name of the base.",
        select("source", "own|borrowed").default("own")
            => "Whether it is computed from the animals of this book, by a run that begins when the base is created, or taken over from another population.",
        long_text("note") => "Remark.",
        boolean("isActive")
            => "Whether values are expressed against this base. One base is; a new one replaces it once it was compared with the one before, which confirms the comparison, and all values are computed anew.",
        int("animalsUsed").counted() => "Number of animals from which it was computed.",
        instant("computedAt").server() => "When it was computed.",
        text_n("comparedWith", 40).server().class(Class::Private)
            => "Version of the base in force with which it was compared.",
        json("comparison").server().class(Class::Private)
            => "What it does to the values of each profile that all animals have: number of animals, mean and standard deviation before and after, correlation of those with both values, and how many of the best 100 stay among them.",
        traits(),
    ]
}

fn traits() -> Field {
    rows(
        "traits",
        [
            text_n("trait", 40).required().words(INDEX_TRAITS.split('|')).doc("Trait."),
            number("mean").required().range(-FARTHEST_VALUE, FARTHEST_VALUE).doc("Mean of its breeding values."),
            // Above 0, in the steps in which a base is computed: a trait that does not vary would not count.
            number("sd").required().range(1e-4, FARTHEST_VALUE).doc("Genetic standard deviation."),
            number("sdObserved").range(0.0, FARTHEST_VALUE).doc("Standard deviation of its breeding values."),
            number("meanR").percent().doc("Mean reliability, %."),
            int("n").counted().doc("Animals with a breeding value."),
        ],
    )
    .doc("Mean and deviation of each trait.")
}

slots!(Bases of "index-bases" {
    version, source, active: "isActive", animals: "animalsUsed", computed: "computedAt", with: "comparedWith",
    comparison, traits,
});

fn current_mark() -> CurrentMark {
    CurrentMark { mark: Bases::get().active, within: None }
}

hooks!(Behaviour {
    check(context, drafts) {
        if context.caller().caller != Caller::System {
            let (in_force, _) = active(context).await?;
            drafts.iter_mut().for_each(|draft| confirm(draft, &in_force));
        }
        current_mark().settle(drafts);
        Ok(())
    }
    effects(collection, context, changes) {
        current_mark().replace(context, collection.slug, ["isActive", ""], changes).await?;
        follow(context, changes).await
    }
});

/// Refuses a base that takes effect, or ceases to, without a comparison; and values of an own base.
fn confirm(draft: &mut Draft, in_force: &str) {
    let s = Bases::get();
    let active = |row: &Record| row.get(s.active).truth();
    let was_active = draft.old.as_ref().is_some_and(active);
    if draft.verb == Verb::Delete {
        if was_active {
            let message = "The base in force is replaced by another one, not deleted.";
            draft.fault("id", "in-use", message);
        }
        return;
    }
    let own = draft.new.get(s.source).text() == Some("own");
    let changes = draft.changes(s.traits) || draft.changes(s.source);
    if was_active && (changes || !active(&draft.new)) {
        let path = if changes { "traits" } else { "isActive" };
        let message = "The base in force does not change; it is replaced by another one.";
        draft.fault(path, "illegal-move", message);
        return;
    }
    if own && changes && !draft.new.get(s.traits).rows().is_empty() {
        let message = "The service computes an own base.";
        draft.fault("traits", "computed", message);
    }
    if changes {
        for slot in [s.with, s.comparison, s.computed] {
            draft.new.set(slot, Value::Null);
        }
    }
    let is_compared = !draft.new.get(s.comparison).is_null() && draft.new.get(s.with).text() == Some(in_force);
    if active(&draft.new) && !was_active && !is_compared {
        let message = "A base takes effect after it was compared with the one in force.";
        draft.fault("isActive", "illegal-move", message);
    }
}

/// A new base is compared, or computed first; values follow the one in force.
async fn follow(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Bases::get();
    let active = |row: &Option<Record>| row.as_ref().is_some_and(|row| row.get(s.active).truth());
    let mut turns = false;
    for change in changes {
        let of = |row: &Option<Record>, slot| row.as_ref().map(|row| row.get(slot).clone());
        let differs = |slot| of(&change.old, slot) != of(&change.new, slot);
        turns |= active(&change.old) != active(&change.new);
        turns |= active(&change.new) && (differs(s.traits) || differs(s.version));
        if change.new.is_some() && !active(&change.new) && (differs(s.traits) || differs(s.source)) {
            runs::compare(context, change.id).await?;
        }
    }
    if !turns {
        return Ok(());
    }
    runs::recompute_all(context).await?;
    // Comparisons are with the base that was in force before.
    let lookup = Lookup::default().fields(&["isActive"]);
    for row in context.find(SLUG, lookup).await? {
        let id = row.get(ID).int().filter(|_| !row.get(s.active).truth());
        if let Some(id) = id {
            runs::compare(context, id).await?;
        }
    }
    Ok(())
}

/// The traits of a row; a trait that it does not have is that of the borrowed base.
fn base(row: &Record) -> Base {
    let mut base = borrowed_base();
    let rows = row.get(Bases::get().traits).rows();
    for (one, known) in TRAITS.iter().zip(&mut base) {
        let row = rows.iter().rfind(|row| row["trait"] == one.key);
        let number = |name: &str| row.and_then(|row| row[name].as_f64());
        if let (Some(mean), Some(sd)) = (number("mean"), number("sd")) {
            *known = TraitBase { mean, sd };
        }
    }
    base
}

/// The base in force, with its version.
pub(super) async fn active(context: &mut dyn BookReader) -> Result<(String, Base)> {
    let lookup = Lookup::default().is_in("isActive", vec![Value::Bool(true)]);
    let rows = context.find(SLUG, lookup.fields(Bases::PATHS)).await?;
    let version = |row: &Record| row.get(Bases::get().version).text().map(str::to_owned);
    let active = rows.first().and_then(|row| Some((version(row)?, base(row))));
    Ok(active.unwrap_or_else(|| (BORROWED_VERSION.to_owned(), borrowed_base())))
}

async fn row(context: &mut dyn BookReader, id: i64) -> Result<Option<Record>> {
    let rows = context.find(SLUG, Lookup::by_ids("id", [id]).fields(Bases::PATHS)).await?;
    Ok(rows.into_iter().next())
}

/// The traits of a base.
pub(super) async fn one(context: &mut dyn BookReader, id: i64) -> Result<Base> {
    Ok(row(context, id).await?.as_ref().map_or_else(borrowed_base, base))
}

/// Whether the traits of a base are there, so that it can be compared; none when it is gone.
pub(super) async fn is_computed(context: &mut dyn BookReader, id: i64) -> Result<Option<bool>> {
    let s = Bases::get();
    let computed = |row: Record| {
        let own = row.get(s.source).text() == Some("own");
        !own || !row.get(s.computed).is_null() || !row.get(s.traits).rows().is_empty()
    };
    Ok(row(context, id).await?.map(computed))
}

/// Writes the traits of an own base.
pub(super) async fn write_traits(context: &mut dyn HookContext, id: i64, traits: Json, animals: i64) -> Result<()> {
    let (s, now) = (Bases::get(), Value::Time(context.now()));
    let values = vec![(s.traits, Value::json(decimals(traits))), (s.animals, animals.into()), (s.computed, now)];
    amend(context, id, values).await
}

/// Writes the comparison of a base.
pub(super) async fn write_comparison(
    context: &mut dyn HookContext,
    id: i64,
    with: &str,
    comparison: Json,
) -> Result<()> {
    let s = Bases::get();
    let values = vec![(s.with, with.into()), (s.comparison, Value::json(decimals(comparison)))];
    amend(context, id, values).await
}

async fn amend(context: &mut dyn HookContext, id: i64, values: Vec<(usize, Value)>) -> Result<()> {
    // The base may have been deleted meanwhile.
    match row(context, id).await? {
        Some(_) => context.amend(SLUG, vec![(id, values)]).await,
        None => Ok(()),
    }
}

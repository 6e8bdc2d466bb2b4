//! Bases that index values are compared with.

use super::current_mark::CurrentMark;
use super::profiles::INDEX_TRAITS;
use super::traits::FARTHEST_VALUE;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::registry::{
    Access, Collection, Decl, Field, Rule, boolean, fields, instant, int, long_text, number, rows,
    select, text_n,
};

/// The collection.
pub(crate) fn index_bases() -> Collection {
    let access = Access::read(Rule::Any).write(Rule::Admin);
    Collection::new("index-bases", access, fields())
        .singular("Comparison Base")
        .hooks(Behaviour)
        .doc("Means and deviations of the traits against which indexes are expressed.")
}

fn fields() -> Vec<Decl> {
    fields![
        text_n("version", 40).required().unique() => "Name of the base.",
        select("source", "own|borrowed").default("own")
            => "Whether it was computed from the animals of this book or taken over from another population.",
        long_text("note") => "Remark.",
        boolean("isActive")
            => "Whether new values are expressed against this base. One base is; a new one replaces it.",
        int("animalsUsed").counted() => "Number of animals from which it was computed.",
        instant("computedAt").server() => "When it was computed.",
        traits(),
    ]
}

fn traits() -> Field {
    rows(
        "traits",
        [
            text_n("trait", 40)
                .required()
                .words(INDEX_TRAITS.split('|'))
                .doc("Trait."),
            number("mean")
                .required()
                .range(-FARTHEST_VALUE, FARTHEST_VALUE)
                .doc("Mean of its breeding values."),
            number("sd")
                .required()
                .range(0.0, FARTHEST_VALUE)
                .doc("Genetic standard deviation."),
            number("sdObserved")
                .range(0.0, FARTHEST_VALUE)
                .doc("Standard deviation of its breeding values."),
            number("meanR").percent().doc("Mean reliability, %."),
            int("n").counted().doc("Animals with a breeding value."),
        ],
    )
    .doc("Mean and deviation of each trait.")
}

slots!(Bases of "index-bases" { active: "isActive" });

fn current_mark() -> CurrentMark {
    CurrentMark {
        mark: Bases::get().active,
        within: None,
    }
}

hooks!(Behaviour {
    check(_context, drafts) {
        current_mark().settle(drafts);
        Ok(())
    }
    effects(collection, context, changes) {
        current_mark().replace(context, collection.slug, ["isActive", ""], changes).await
    }
});

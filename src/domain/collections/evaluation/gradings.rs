//! Gradings: the complex class of an animal (docs/model/gradings.md). Uploads and the service write
//! them; with the switch `gradings.write` the owner of the animal does too.

use super::{Base, check, evaluation, views};
use crate::collections::Switches;
use crate::collections::dictionaries::lookups::touched;
use crate::collections::events;
use crate::collections::slots::slots;
use futures_util::future::BoxFuture;
use model::error::Result;
use model::registry::{
    BookReader, Capability, Change, Collection, Decl, Draft, HookContext, Hooks, Rule, day,
    long_text, number, relation, select,
};

/// Complex classes, best first.
pub(crate) const GRADES: &str = "eliteRecord|elite|first|second|outOfClass";

/// The collection.
pub(crate) fn gradings(switches: Switches) -> Collection {
    let write = if switches.gradings_write {
        Rule::Own(Capability::Data)
    } else {
        Rule::Nobody
    };
    evaluation("gradings", "date", write, fields())
        .sort("-date")
        .natural(&["animal", "date"])
        .hooks(Behaviour)
        .doc("Gradings of animals.")
}

fn fields() -> Vec<Decl> {
    vec![
        day("date")
            .required()
            .indexed()
            .doc("Day of the grading.")
            .into(),
        select("grade", GRADES)
            .required()
            .doc("Complex class.")
            .into(),
        number("score")
            .range(0.0, 100.0)
            .doc("Points of the complex class.")
            .into(),
        relation("assessorOrg", "organizations")
            .doc("Organisation that graded.")
            .into(),
        long_text("note").doc("Remark.").into(),
    ]
}

slots!(
    /// Slots of `gradings`.
    Gradings of "gradings" {
        animal: "animal", date: "date", verification: "verification",
    }
);

#[derive(Debug)]
struct Behaviour;

impl Hooks for Behaviour {
    fn prepare<'a>(
        &'a self,
        collection: &'static Collection,
        context: &'a mut dyn BookReader,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(events::stamp(collection, context, drafts))
    }

    fn check<'a>(
        &'a self,
        collection: &'static Collection,
        context: &'a mut dyn BookReader,
        drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        let s = Gradings::get();
        let base = Base {
            animal: s.animal,
            date: s.date,
            verification: s.verification,
            before_birth: false,
        };
        Box::pin(check(collection, context, drafts, base))
    }

    fn effects<'a>(
        &'a self,
        _collection: &'static Collection,
        context: &'a mut dyn HookContext,
        changes: &'a [Change],
    ) -> BoxFuture<'a, Result<()>> {
        let animals = touched(changes, Gradings::get().animal);
        Box::pin(async move { views::graded(context, &animals).await })
    }
}

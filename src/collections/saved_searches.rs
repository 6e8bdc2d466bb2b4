//! Selections that people keep: the query of a page, or a set of animals (model, section
//! 3.1). A set of animals is a fixed list of members, or whatever fulfils a condition.

use super::codes::SET_PURPOSE;
use super::slots::slots;
use crate::error::Result;
use crate::registry::{
    Access, Collection, Decl, Desk, Draft, Hooks, Rule, Verb, boolean, json, relation, relations,
    select, text_n,
};
use futures_util::future::BoxFuture;

/// The collection.
pub(super) fn saved_searches() -> Collection {
    let access = Access::read(Rule::Author)
        .write(Rule::Author)
        .subjects(&["author", "organization"]);
    Collection::new("saved-searches", access, fields())
        .singular("Saved Selection")
        .hooks(Behaviour)
        .doc("Selections of animals that people keep.")
}

fn fields() -> Vec<Decl> {
    vec![
        text_n("name", 80)
            .required()
            .doc("Name of the selection.")
            .into(),
        select("place", "book|herd")
            .required()
            .doc("Page that it belongs to: the whole book or the own herd.")
            .into(),
        text_n("query", 2000)
            .required()
            .doc("Query string of the page.")
            .into(),
        json("where")
            .asks("animals")
            .doc("Condition on animals, in the words of the REST dialect.")
            .into(),
        select("scope", "private|organization")
            .default("private")
            .doc("Who reads it: the author, or all of his organisation and the Association.")
            .into(),
        relation("author", "users")
            .server()
            .doc("Who made it.")
            .into(),
        relation("organization", "organizations")
            .server()
            .doc("Organisation of the author when he made it.")
            .into(),
        boolean("adeSet")
            .default(false)
            .doc("Offered as an animal set of the exchange.")
            .into(),
        select("adePurpose", SET_PURPOSE)
            .default("other")
            .doc("What the animal set is for.")
            .into(),
        relations("members", "animals")
            .seen()
            .doc("The animals of a fixed set; while empty, those that fulfil `where`.")
            .into(),
    ]
}

slots!(
    /// Slots of `saved-searches`.
    Slots of "saved-searches" { author: "author", organization: "organization" }
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
        let s = Slots::get();
        let (user, my) = (desk.caller().user, desk.caller().organization);
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
            // The system brings them along.
            if user.is_some() {
                draft.new.set(s.author, user);
                draft.new.set(s.organization, my);
            }
        }
        Box::pin(async { Ok(()) })
    }
}

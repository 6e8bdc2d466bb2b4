//! What the checks of the book found (docs/design/collections.md, *Findings*): one row for each check and field of a
//! row. A row appears when a run finds it, changes with what it says, and goes when it is mended. The Association
//! dismisses one with a reason; it stays, and counts no more.

mod open_findings;
mod rows;
mod scope;
mod set;
mod status;
mod store;
mod visibility;

pub(crate) use open_findings::{Dismissal, OpenFinding, dismiss, noted_findings, open_findings, open_fixes};
pub use scope::{Scope, SourcedFinding};
pub use set::{Counts, check_animals};
pub use store::{Keys, Tally, forget_mended, store};

use crate::collections::slots::slots;
use futures_util::future::BoxFuture;
use model::error::Result;
use model::record::Record;
use model::registry::{
    Access, Assignee, Change, Class, Collection, Decl, Feature, HookContext, Hooks, Move, Rule, Set, States, Who,
    Wording, WrittenRow, fields, group, instant, int, long_text, moves, relation, select, text_n,
};
use std::collections::BTreeSet;

/// The collection that stores them.
const SLUG: &str = "check-findings";

pub(crate) fn check_findings() -> Collection {
    let access = Access::read(Rule::Farm).update(Rule::Assoc).subjects(&["organization"]);
    Collection::new(SLUG, access, fields())
        .singular("Finding")
        .sort("-firstSeenAt")
        .hooks(Behaviour)
        .states(steps())
        .kind_of("code")
        .told_by(&["animal", "firstSeenAt"])
        .columns(&["severity", "animal", "code", "path", "state", "organization", "firstSeenAt"])
        .waits(Assignee::Party("organization"), "state", &["open"])
        .counts_by(&["code", "severity", "state", "collection", "organization"])
        .feature(Feature::Findings)
        .unique(&["recordId", "collection", "code", "path"])
        .index(&["organization", "state", "severity"])
        .index(&["severity", "state"])
        .doc("What the checks of the book found and what is not mended yet.")
}

fn fields() -> Vec<Decl> {
    fields![
        text_n("code", 40).required().server().indexed().words(checks::checks().map(|check| check.code)) => "Code of the check.",
        select("severity", "fix|note").required().server() => "Whether it must be corrected, or is worth a look.",
        select("state", "open|dismissed").default("open") => "Whether it counts.",
        text_n("collection", 40).required().server().wording(Wording::Collection) => "Collection of the row that it is about.",
        int("recordId").required().server().aside() => "Id of that row.",
        text_n("path", 60).required().server().wording(Wording::PathIn("collection")) => "Field of that row.",
        relation("animal", "animals").server().cascade() => "The animal that the row is about.",
        relation("herd", "herds").server().cascade() => "The herd, where a herd was looked at as a whole.",
        relation("submission", "data-submissions").server().cascade() => "The package, where one was looked at as a whole.",
        relation("organization", "organizations").server()
            => "Owner of the animal or the herd, or sender of the package. Empty: the finding rests on data that the owner does not see, and is the Association's alone.",
        group("message", fields![
            long_text("en").server().wording(Wording::In("en")) => "The finding in English.",
            long_text("ru").server().wording(Wording::In("ru")) => "The finding in Russian.",
        ]),
        instant("firstSeenAt").server() => "Time of the run that found it first.",
        instant("lastSeenAt").server()
            => "Time of the run that wrote the row last. Later runs saw it too: what a run does not find is deleted.",
        group("dismissed", fields![
            relation("by", "users").server() => "User who dismissed it.",
            instant("at").server() => "When it was dismissed.",
            long_text("reason") => "Why the finding does not hold.",
        ]),
        relation("source", "animals").server().class(Class::Hidden).cascade()
            => "The animal whose rows were looked at: the mother, where a calf is judged by them.",
    ]
}

fn steps() -> States {
    moves![States::of("state").begun_by_server();
        Move::new(&["open"], "dismissed").by(Who::Association).needs(&["dismissed.reason"])
            .set("dismissed.by", Set::Me).set("dismissed.at", Set::Now)
            => "The finding stays while the runs find it, and no longer counts for `checkStatus`.",
        Move::new(&["dismissed"], "open").by(Who::Association)
            .set("dismissed.by", Set::Empty).set("dismissed.at", Set::Empty).set("dismissed.reason", Set::Empty)
            => "The finding counts again.",
    ]
}

slots!(Slots of "check-findings" {
    code, severity, state, collection, record: "recordId", path, animal, herd, package: "submission",
    organization, english: "message.en", russian: "message.ru", first: "firstSeenAt", last: "lastSeenAt",
    source,
});

/// What happens around findings.
#[derive(Debug)]
struct Behaviour;

impl Hooks for Behaviour {
    fn effects<'a>(
        &'a self,
        _collection: &'static Collection,
        context: &'a mut dyn HookContext,
        changes: &'a [Change],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let s = Slots::get();
            let differs = |change: &&Change| {
                let state = |row: &Option<Record>| row.as_ref().map(|row| row.get(s.state).clone());
                state(&change.old) != state(&change.new)
            };
            let rows = changes.iter().filter(differs).filter_map(Change::latest);
            let animals: BTreeSet<i64> = rows.filter_map(|row| row.get(s.animal).int()).collect();
            status::follow(context, &animals, true).await
        })
    }

    fn survey<'a>(
        &'a self,
        _collection: &'static Collection,
        context: &'a mut dyn HookContext,
        written: &'a [WrittenRow],
    ) -> BoxFuture<'a, Result<Vec<Record>>> {
        Box::pin(set::check_written(context, written))
    }
}

//! The logs (docs/logs.md, *Logs*), closed to everybody: the server fills them. Removed animals
//! have a register of their own beside them.

pub(crate) mod purging;
pub(crate) mod removals;

use crate::collections::dictionaries::codes::SCOPES;
use model::registry::{
    Access, Class, Collection, Rule, Scope, instant, int, relation, select, selects, text, text_n,
};

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![
        animal_revisions(),
        operations(),
        access_views(),
        removals::animal_removals(),
    ]
}

/// What changed in animals and their events.
pub(super) fn animal_revisions() -> Collection {
    let any = Rule::Event {
        scope: Scope::Any,
        card: false,
    };
    let access = Access::read(any).subjects(&["ownerOrg"]).row_class("class");
    let fields = vec![
        relation("ownerOrg", "organizations")
            .doc("Owner of the animal when the value changed.")
            .into(),
        text_n("collection", 40)
            .default("animals")
            .doc("Collection of the record that changed.")
            .into(),
        int("recordId").doc("Id of that record.").into(),
        relation("animal", "animals")
            .cascade()
            .doc("The animal itself, or the animal that the record is about.")
            .into(),
        instant("at")
            .required()
            .indexed()
            .doc("When it changed.")
            .into(),
        relation("user", "users").doc("User who changed it.").into(),
        text("path")
            .required()
            .doc("Path of the field; in lists of rows, with the position of the row.")
            .into(),
        text("label").doc("Name of the field for users.").into(),
        text("before")
            .doc("Value before, as text of at most 255 characters.")
            .into(),
        text("after").doc("Value after, likewise.").into(),
        select("source", "manual|admin|system|upload|ade")
            .doc("Where the new value comes from.")
            .into(),
        text_n("class", 1)
            .class(Class::Hidden)
            .doc("Class of the field; decides who sees the row.")
            .into(),
    ];
    Collection::new("animal-revisions", access, fields)
        .singular("Edit Log Entry")
        .log()
        .animal("animal")
        .sort("-at")
        .index(&["animal", "at"])
        .index(&["collection", "recordId"])
        .doc("Every changed value of animals and their events.")
}

/// What was done.
pub(super) fn operations() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["organization", "actor"]);
    let kinds = "animal|user|organization|document|share|submission|verification|movement|none";
    let fields = vec![
        instant("at")
            .required()
            .indexed()
            .doc("When it was done.")
            .into(),
        text_n("action", 40)
            .required()
            .indexed()
            .doc("What was done.")
            .into(),
        relation("actor", "users")
            .doc("User who did it; empty: the server, or an unknown caller.")
            .into(),
        text("actorName")
            .doc("Name of that user at that time.")
            .into(),
        relation("organization", "organizations")
            .doc("Organisation that the entry belongs to.")
            .into(),
        select("subjectType", kinds)
            .default("none")
            .doc("Type of the record that was affected.")
            .into(),
        int("subjectId").doc("Id of that record.").into(),
        text("subject")
            .doc("Name or number of that record at that time.")
            .into(),
        text("summary").doc("What happened, in words.").into(),
        text_n("ip", 45)
            .class(Class::Private)
            .doc("Network address of the caller.")
            .into(),
    ];
    Collection::new("operations", access, fields)
        .log()
        .sort("-at")
        .index(&["organization", "at"])
        .index(&["action", "at"])
        .doc("Log of operations: moves of states, grants, sign-ins, intake, exports.")
}

/// Views of animals by other organisations.
pub(super) fn access_views() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["owner", "viewerOrg"]);
    let fields = vec![
        relation("animal", "animals")
            .required()
            .cascade()
            .doc("The animal whose card was read.")
            .into(),
        relation("viewerOrg", "organizations")
            .required()
            .doc("The organisation that read it.")
            .into(),
        relation("owner", "organizations")
            .required()
            .doc("Owner of the animal at that time.")
            .into(),
        relation("grant", "access-grants")
            .doc("Grant that opened the animal; of several grants, the first.")
            .into(),
        relation("viewer", "users")
            .doc("The user who read it last.")
            .into(),
        selects("scopes", SCOPES)
            .doc("Scopes that were open to that user.")
            .into(),
        instant("firstAt").doc("The first view of the day.").into(),
        instant("at")
            .required()
            .indexed()
            .doc("The last view of the day.")
            .into(),
        int("sessions")
            .doc("Visits of the day: views with less than 30 minutes between them are one.")
            .into(),
    ];
    Collection::new("access-views", access, fields)
        .singular("View Entry")
        .log()
        .animal("animal")
        .sort("-at")
        .index(&["animal", "viewerOrg", "at"])
        .doc("Views of animals under grants: a row per animal, viewing organisation and day.")
}

//! The logs (docs/logs.md, *Logs*), closed to everybody: the server fills them. Removed animals
//! have a register of their own beside them.

pub(crate) mod purging;
pub(crate) mod removals;

use crate::collections::dictionaries::codes::SCOPES;
use model::registry::{
    Access, Class, Collection, Rule, Scope, Wording, fields, instant, int, relation, select, selects, text, text_n,
};

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![animal_revisions(), operations(), access_views(), removals::animal_removals()]
}

/// What changed in animals and their events.
pub(super) fn animal_revisions() -> Collection {
    let any = Rule::Event { scope: Scope::Any, card: false };
    let access = Access::read(any).subjects(&["ownerOrg"]).row_class("class");
    let fields = fields![
        relation("ownerOrg", "organizations") => "Owner of the animal when the value changed.",
        text_n("collection", 40).default("animals").wording(Wording::Collection) => "Collection of the record that changed.",
        int("recordId").aside() => "Id of that record.",
        relation("animal", "animals").cascade() => "The animal itself, or the animal that the record is about.",
        instant("at").required().indexed() => "When it changed.",
        relation("user", "users") => "User who changed it.",
        text("path").required().wording(Wording::PathIn("collection")) => "Path of the field; in lists of rows, with the position of the row.",
        text("label").wording(Wording::In("en")) => "Name of the field for users.",
        text("before").wording(Wording::ValueIn("collection", "path")) => "Value before, as text of at most 255 characters.",
        text("after").wording(Wording::ValueIn("collection", "path")) => "Value after, likewise.",
        select("source", "manual|admin|system|upload|ade") => "Where the new value comes from.",
        text_n("class", 1).class(Class::Hidden) => "Class of the field; decides who sees the row.",
    ];
    Collection::new("animal-revisions", access, fields)
        .singular("Edit Log Entry")
        .log()
        .animal("animal")
        .columns(&["at", "collection", "path", "before", "after", "user", "source"])
        .told_by(&["at"])
        .sort("-at")
        .index(&["animal", "at"])
        .index(&["collection", "recordId"])
        .doc("Every changed value of animals and their events.")
}

/// What the operation log tells: moves, writes that declarations select, and what is no write.
pub(super) const ACTIONS: [&str; 44] = [
    "ade-intake",
    "animal-archived",
    "animal-created",
    "animal-purged",
    "animal-restored",
    "api-key-made",
    "api-key-revoked",
    "consent-given",
    "consent-revoked",
    "directory-confirmed",
    "directory-merged",
    "document-issued",
    "grant-issued",
    "grant-revoked",
    "invite-revoked",
    "login",
    "login-refused",
    "mandate-issued",
    "mandate-revoked",
    "member-invited",
    "member-joined",
    "membership-decided",
    "movement-confirmed",
    "movement-objected",
    "movement-recorded",
    "registration-decided",
    "role-changed",
    "share-created",
    "share-revoked",
    "signing-key-created",
    "signing-key-retired",
    "status-changed",
    "submission-published",
    "submission-signed",
    "user-blocked",
    "user-unblocked",
    "verification-decided",
    "verification-requested",
    "webhook-changed",
    "webhook-created",
    "webhook-deleted",
    "webhook-disabled",
    "webhook-rotated",
    "webhook-switched",
];

/// What was done.
pub(super) fn operations() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["organization", "actor"]);
    let kinds = "animal|user|organization|document|share|submission|verification|movement|none";
    let fields = fields![
        instant("at").required().indexed() => "When it was done.",
        text_n("action", 40).required().indexed().words(ACTIONS) => "What was done.",
        relation("actor", "users") => "User who did it; empty: the server, or an unknown caller.",
        text("actorName") => "Name of that user at that time.",
        relation("organization", "organizations") => "Organisation that the entry belongs to.",
        select("subjectType", kinds).default("none") => "Type of the record that was affected.",
        int("subjectId").aside() => "Id of that record.",
        text("subject") => "Name or number of that record at that time.",
        text("summary").wording(Wording::Changes("subjectType")) => "What happened, in words.",
        text_n("ip", 45).class(Class::Private) => "Network address of the caller.",
    ];
    Collection::new("operations", access, fields)
        .log()
        .kind_of("action")
        .told_by(&["at"])
        .sort("-at")
        .index(&["organization", "at"])
        .index(&["action", "at"])
        .doc("Log of operations: moves of states, grants, sign-ins, intake, exports.")
}

/// Views of animals by other organisations.
pub(super) fn access_views() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["owner", "viewerOrg"]);
    let fields = fields![
        relation("animal", "animals").required().cascade() => "The animal whose card was read.",
        relation("viewerOrg", "organizations").required() => "The organisation that read it.",
        relation("owner", "organizations").required() => "Owner of the animal at that time.",
        relation("grant", "access-grants") => "Grant that opened the animal; of several grants, the first.",
        relation("viewer", "users") => "The user who read it last.",
        selects("scopes", SCOPES) => "Scopes that were open to that user.",
        instant("firstAt") => "The first view of the day.",
        instant("at").required().indexed() => "The last view of the day.",
        int("sessions") => "Visits of the day: views with less than 30 minutes between them are one.",
    ];
    Collection::new("access-views", access, fields)
        .singular("View Entry")
        .log()
        .animal("animal")
        .told_by(&["viewerOrg", "at"])
        .sort("-at")
        .index(&["animal", "viewerOrg", "at"])
        .doc("Views of animals under grants: a row per animal, viewing organisation and day.")
}

//! What the server stores about deleted things: animals (docs/logs.md, *animal-removals: what is
//! gone*) and exchanged rows (docs/design/exchange.md, *Tombstones*). Only the server writes them.

use model::registry::{
    Access, Class, Collection, Rule, day, instant, int, json, relation, select, text, text_n,
};

/// One row per deleted or purged animal.
pub(crate) fn animal_removals() -> Collection {
    Collection::new(
        "animal-removals",
        Access::read(Rule::Farm).subjects(&["owner"]),
        vec![
            text("identNumber")
                .required()
                .indexed()
                .doc("Main number of the animal.")
                .into(),
            text_n("uuid", 36)
                .doc("Its key across accounting systems.")
                .into(),
            text("name").doc("Its name.").into(),
            relation("owner", "organizations").doc("Its owner.").into(),
            day("birthDate").doc("Its day of birth.").into(),
            instant("archivedAt")
                .server()
                .doc("When the animal was archived.")
                .into(),
            instant("removedAt")
                .server()
                .indexed()
                .doc("When it was deleted.")
                .into(),
            relation("archivedBy", "users")
                .server()
                .doc("User who archived the animal.")
                .into(),
            text("archiveReason")
                .doc("Why the animal was archived.")
                .into(),
            int("removedRecords")
                .doc("Number of records that were deleted with it.")
                .into(),
            json("snapshot")
                .class(Class::Private)
                .doc("The animal as it was.")
                .into(),
        ],
    )
    .singular("Deleted Record")
    .log()
    .doc("Animals that were deleted.")
}

/// One row per location that lost an exchanged row.
pub(crate) fn ade_tombstones() -> Collection {
    Collection::new(
        "ade-tombstones",
        Access::read(Rule::Farm).subjects(&["location"]),
        vec![
            text_n("dataset", 40)
                .required()
                .indexed()
                .doc("Data set that lost the resource.")
                .into(),
            text("sourceId")
                .required()
                .doc("Key of the resource in the exchange.")
                .into(),
            text_n("resourceType", 80)
                .doc("Resource type in the exchange.")
                .into(),
            relation("location", "organizations")
                .doc("Location that lost it.")
                .into(),
            instant("deletedAt")
                .server()
                .indexed()
                .doc("When it was lost.")
                .into(),
            select("reason", "deleted|left|retyped|merged")
                .default("deleted")
                .doc("Why: deleted, gone from the view of the location, or merged into another resource.")
                .into(),
        ],
    )
    .singular("Deleted ADE Resource")
    .index(&["dataset", "deletedAt"])
    .doc("Resources that left the exchange.")
}

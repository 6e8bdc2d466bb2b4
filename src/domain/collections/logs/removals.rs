//! What the server stores about deleted things: animals (docs/logs.md, *animal-removals: what is
//! gone*) and exchanged rows (docs/design/exchange.md, *Tombstones*). Only the server writes them.

use model::registry::{
    Access, Class, Collection, Rule, day, fields, instant, int, json, relation, select, text, text_n,
};

/// One row per deleted or purged animal.
pub(crate) fn animal_removals() -> Collection {
    Collection::new(
        "animal-removals",
        Access::read(Rule::Farm).subjects(&["owner"]),
        fields![
            text("identNumber").required().indexed() => "Main number of the animal.",
            text_n("uuid", 36) => "Its key across accounting systems.",
            text("name") => "Its name.",
            relation("owner", "organizations") => "Its owner.",
            day("birthDate") => "Its day of birth.",
            instant("archivedAt").server() => "When the animal was archived.",
            instant("removedAt").server().indexed() => "When it was deleted.",
            relation("archivedBy", "users").server() => "User who archived the animal.",
            text("archiveReason") => "Why the animal was archived.",
            int("removedRecords") => "Number of records that were deleted with it.",
            json("snapshot").class(Class::Private) => "The animal as it was.",
        ],
    )
    .singular("Deleted Record")
    .log()
    .doc("Animals that were deleted.")
}

/// Data sets of the exchange that have names for people.
const SETS: [&str; 33] = [
    "abortions",
    "animal-set-joins",
    "animal-set-leaves",
    "animal-sets",
    "animals",
    "arrivals",
    "births",
    "breeding-values",
    "breeding-values-evaluated",
    "conformation-scores",
    "daily-milking-averages",
    "deaths",
    "departures",
    "diagnoses",
    "do-not-breeds",
    "drying-offs",
    "gestations",
    "health-status",
    "heats",
    "inseminations",
    "lactation-status-observations",
    "lactations",
    "locations",
    "milking-visits",
    "parturitions",
    "pregnancy-checks",
    "pregnancy-checks-events",
    "repro-status-observations",
    "test-day-results",
    "test-days",
    "treatments",
    "type-classifications",
    "weights",
];

/// One row per location that lost an exchanged row.
pub(crate) fn ade_tombstones() -> Collection {
    Collection::new(
        "ade-tombstones",
        Access::read(Rule::Farm).subjects(&["location"]),
        fields![
            text_n("dataset", 40).required().indexed().often(SETS) => "Data set that lost the resource.",
            text("sourceId").required().aside() => "Key of the resource in the exchange.",
            text_n("resourceType", 80).aside() => "Resource type in the exchange.",
            relation("location", "organizations") => "Location that lost it.",
            instant("deletedAt").server().indexed() => "When it was lost.",
            select("reason", "deleted|left|retyped|merged").default("deleted")
                => "Why: deleted, gone from the view of the location, or merged into another resource.",
        ],
    )
    .singular("Deleted ADE Resource")
    .index(&["dataset", "deletedAt"])
    .doc("Resources that left the exchange.")
}

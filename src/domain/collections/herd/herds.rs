//! Herds: places where an organisation keeps animals (docs/model/herds.md).

use crate::collections::dictionaries::codes::{
    RECORDING_PROTOCOL, RECORDING_SCHEME, SAMPLING_SCHEME,
};
use model::registry::{
    Access, Capability, Class, Collection, Rule, fields, int, relation, select, text, text_n,
};

/// The collection.
pub(crate) fn herds() -> Collection {
    let access = Access::read(Rule::Any)
        .create(Rule::Own(Capability::Data))
        .update(Rule::Own(Capability::Data))
        .delete(Rule::Admin)
        .subjects(&["organization"]);
    Collection::new(
        "herds",
        access,
        fields![
            text("name").required() => "Name of the herd.",
            text_n("code", 20).indexed() => "Short code, unique within the organisation.",
            relation("organization", "organizations").required().session().cascade()
                => "Organisation that the herd belongs to.",
            text("address").class(Class::SignedIn) => "Where the herd stands.",
            text_n("holdingNumber", 30).class(Class::Private) => "Official number of the holding.",
            text_n("timeZone", 40).default("Europe/Moscow") => "IANA time zone.",
            select("milkingsPerDay", "one|two|three|four|robot") => "Milkings a day.",
            int("recordingInterval").range(0.0, 366.0).default(30) => "Planned interval between test days, days.",
            select("recordingProtocol", RECORDING_PROTOCOL)
                => "Who does the recording; used for milk tests that do not state it.",
            select("recordingScheme", RECORDING_SCHEME)
                => "What is recorded; used for milk tests that do not state it.",
            select("samplingScheme", SAMPLING_SCHEME)
                => "How samples are taken; used for milk tests that do not state it.",
        ],
    )
    .unique(&["organization", "code"])
    .natural(&["organization", "name"])
    .known_as(&["code", "name", "holdingNumber"])
    .label("name")
    .sought(&[])
    .headings(&[
        ("name", "Наименование|название|стадо"),
        ("code", "Код"),
        ("organization", "Хозяйство|организация|farm"),
    ])
    .join("animals", "animals", &["herd"])
    .doc("Herds of organisations.")
}

//! Herds: places where an organisation keeps animals (docs/model/herds.md).

use crate::collections::dictionaries::codes::{
    RECORDING_PROTOCOL, RECORDING_SCHEME, SAMPLING_SCHEME,
};
use model::registry::{
    Access, Capability, Class, Collection, Rule, int, relation, select, text, text_n,
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
        vec![
            text("name").required().doc("Name of the herd.").into(),
            text_n("code", 20)
                .indexed()
                .doc("Short code, unique within the organisation.")
                .into(),
            relation("organization", "organizations")
                .required()
                .session()
                .cascade()
                .doc("Organisation that the herd belongs to.")
                .into(),
            text("address")
                .class(Class::SignedIn)
                .doc("Where the herd stands.")
                .into(),
            text_n("holdingNumber", 30)
                .class(Class::Private)
                .doc("Official number of the holding.")
                .into(),
            text_n("timeZone", 40)
                .default("Europe/Moscow")
                .doc("IANA time zone.")
                .into(),
            select("milkingsPerDay", "one|two|three|four|robot")
                .doc("Milkings a day.")
                .into(),
            int("recordingInterval")
                .range(0.0, 366.0)
                .default(30)
                .doc("Planned interval between test days, days.")
                .into(),
            select("recordingProtocol", RECORDING_PROTOCOL)
                .doc("Who does the recording; used for milk tests that do not state it.")
                .into(),
            select("recordingScheme", RECORDING_SCHEME)
                .doc("What is recorded; used for milk tests that do not state it.")
                .into(),
            select("samplingScheme", SAMPLING_SCHEME)
                .doc("How samples are taken; used for milk tests that do not state it.")
                .into(),
        ],
    )
    .unique(&["organization", "code"])
    .join("animals", "animals", &["herd"])
    .doc("Herds of organisations.")
}

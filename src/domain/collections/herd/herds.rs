//! Herds: places where an organisation keeps animals.

use crate::collections::days::{rezoned, zones};
use crate::collections::dictionaries::codes::{RECORDING_PROTOCOL, RECORDING_SCHEME, SAMPLING_SCHEME};
use crate::collections::dictionaries::lookups::{keyed, related};
use crate::collections::events;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::registry::{Access, Capability, Class, Collection, Rule, fields, int, relation, select, text, text_n};

slots!(Slots of "herds" { zone: "timeZone" });

hooks!(Behaviour {
    check(_context, drafts) {
        zones(drafts, Slots::get().zone);
        Ok(())
    }
    effects(context, changes) {
        let herds = rezoned(changes, Slots::get().zone);
        let animals = related(context, "animals", "herd", herds, &["id"]).await?;
        events::rezoned(context, &keyed(animals).into_keys().collect()).await
    }
});

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
            text_n("timeZone", 40)
                => "IANA time zone (Europe/Kaliningrad), by which events belong to days; empty: that of the organisation.",
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
    .hooks(Behaviour)
    .sought(&[])
    .headings(&[
        ("name", "Наименование|название|стадо"),
        ("code", "Код"),
        ("organization", "Хозяйство|организация|farm"),
    ])
    .join("animals", "animals", &["herd"])
    .doc("Herds of organisations.")
}

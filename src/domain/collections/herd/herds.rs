//! Herds: places where an organisation keeps animals.

use crate::collections::days::{rezoned, zones};
use crate::collections::dictionaries::codes::{RECORDING_PROTOCOL, RECORDING_SCHEME, SAMPLING_SCHEME};
use crate::collections::dictionaries::lookups::{keyed, related};
use crate::collections::events;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::registry::{
    Access, Capability, Class, Collection, Decl, Rule, fields, group, int, relation, select, text, text_n,
};

slots!(Slots of "herds" { zone: "timeZone" });
slots!(
    /// Slots of the movements by which animals left a herd.
    Left of "movements" { animal }
);

hooks!(Behaviour {
    check(_context, drafts) {
        zones(drafts, Slots::get().zone);
        Ok(())
    }
    effects(context, changes) {
        let herds = rezoned(changes, Slots::get().zone);
        let stand = related(context, "animals", "herd", herds.iter().copied(), &["id"]).await?;
        let left = related(context, "movements", "fromHerd", herds, &["animal"]).await?;
        let left = left.iter().filter_map(|row| row.get(Left::get().animal).int());
        events::rezoned(context, &keyed(stand).into_keys().chain(left).collect()).await
    }
});

/// The numbers of the work lists of `animals` (docs/pages.md, *Work lists*).
fn work_lists() -> Vec<Decl> {
    let days = |name, usual: i64, (least, most), doc| -> Decl {
        int(name).range(least, most).default(usual).class(Class::Private).doc(doc).into()
    };
    vec![
        days("dryOff", 60, (30.0, 120.0), "Cows in milk are to be dried off so many days before the expected calving."),
        days("calving", 14, (1.0, 60.0), "Calvings are listed so many days ahead."),
        days("pregnancyCheck", 32, (20.0, 120.0), "Services are to be checked after so many days."),
        days("open", 120, (30.0, 400.0), "Cows are open too long from so many days after calving on."),
        days("services", 3, (2.0, 20.0), "Animals are repeat breeders from so many services on."),
        days("cells", 400, (50.0, 5_000.0), "Cells of the last test day above this are listed, 1000/ml."),
        days("noTest", 45, (10.0, 120.0), "Cows in milk are listed after so many days without a test day."),
    ]
}

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
            group("workLists", work_lists()),
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

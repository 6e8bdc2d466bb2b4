//! Calvings, abortions and dryings-off.

mod hooks;
pub(crate) mod places;
mod progeny;

use crate::collections::events::measures::{LEAST_WEIGHT, LIFE_DAYS, MOST_CALVES, MOST_CALVINGS};
use crate::collections::events::{computed, event};
use model::registry::{
    Collection, Decl, Feature, Field, PackageSet, boolean, day, fields, int, long_text, number, relation, relations,
    rows, select, text_n,
};

pub(crate) fn calvings() -> Collection {
    let mut fields = course();
    fields.extend(calves());
    fields.extend(gestation());
    let natural = &["animal", "date", "eventType"];
    event("calvings", natural, fields, hooks::Calving)
        .feature(Feature::Births)
        .sort("number")
        .serial("animal")
        .index(&["animal", "number"])
        .headings(HEADINGS)
        .kind_of("eventType")
        .ordinal("number")
        .timeline(Some("eventType"))
        .counted("number", Some(("eventType", "calving")))
        .monthly(&["gestationDays"], Some(("eventType", "calving")))
        .package_set(PackageSet {
            marks: &["ease", "liveHeifers", "liveBulls", "stillborn"],
            ..PackageSet::new("calvings", "events", &["animal", "date"])
        })
        .package_set(PackageSet {
            constants: &[("eventType", "dryOff")],
            headings: &[("date", DRY_OFF_DAYS)],
            ..PackageSet::new("dryOffs", "events", &["animal", "date"])
        })
        .package_set(PackageSet {
            constants: &[("eventType", "abortion")],
            headings: &[("date", ABORTION_DAYS)],
            ..PackageSet::new("abortions", "events", &["animal", "date"])
        })
        .words("eventType", EVENTS)
        .words("result", RESULTS)
        .words("ease", EASES)
        .words("progeny.sex", SEXES)
        .doc("Calvings, abortions and dryings-off of cows.")
}

const HEADINGS: &[(&str, &str)] = &[
    ("date", "Дата отёла|отел|дата события|дата отела аборта|calving date"),
    ("number", "Номер отёла|лактация|номер лактации|номер лактации события|parity"),
    ("eventType", "Тип события|событие|исход отела|вид отела|тип отела|отел аборт|event type"),
    ("result", "Результат|приплод"),
    ("liveHeifers", "Живых тёлочек|телочек"),
    ("liveBulls", "Живых бычков|бычков"),
    ("stillborn", "Мертворождённых|количество мертворожденных нежизнеспособных"),
    ("ease", "Лёгкость отёла|легкость|характер отела"),
    ("calfWeight", "Масса телёнка, кг|вес теленка|масса при рождении"),
    ("dryOffDate", "Дата запуска|запуск"),
    ("milkingDays", "Дойных дней|дней дойки"),
    ("comment", "Комментарий|примечание|remark"),
];

/// Headings of the day in tables of dryings-off alone.
const DRY_OFF_DAYS: &str = "Дата запуска|запуск|запущена|дата запуска в сухостой|дата сухостоя|\
    dry date|dry off date|dryoff date|date dried|dried off|дата|date";

/// Headings of the day in tables of abortions alone.
const ABORTION_DAYS: &str = "Дата аборта|аборт|день аборта|дата выкидыша|выкидыш|abortion date|date aborted|abortion|\
    aborted|дата|date";

/// Words for the events.
const EVENTS: &[(&str, &str)] = &[
    ("calving", "отелилась|роды|calved|fresh"),
    ("abortion", "абортировала|выкидыш|aborted|abort"),
    ("dryOff", "сухостой|сухост|запущена|запустили|dry off|dried off|dry"),
];

/// Words for the number of calves.
const RESULTS: &[(&str, &str)] = &[
    ("one", "один|одинец|одиночный|single|1"),
    ("twins", "двойни|двое|twin|2"),
    ("triplets", "тройни|трое|triplet|3"),
    ("multiple", "многоплодный"),
];

/// Words for the ease, and its grades by number.
const EASES: &[(&str, &str)] = &[
    ("easy", "легкая|легко|без помощи|самостоятельный|самостоятельно|unassisted|1"),
    ("assisted", "с небольшой помощью|2"),
    ("hard", "тяжелая|тяжело|трудный|трудная|трудно|difficult|3"),
    ("veterinary", "с ветеринаром|с помощью ветврача|ветпомощь|4"),
    ("surgery", "оперативный|кесарево|кесарево сечение|caesarean|5"),
];

/// Words for the sex of a calf.
const SEXES: &[(&str, &str)] = &[("female", "ж|т|телка|f"), ("male", "м|б|бык|m")];

fn course() -> Vec<Decl> {
    fields![
        int("number").filled().range(1.0, MOST_CALVINGS)
            => "Parity: number of the calving; counted by date where nobody stated it.",
        computed("numberComputed"),
        day("date").required().indexed() => "Day of the event.",
        select("eventType", "calving|abortion|dryOff").default("calving").indexed()
            => "What happened; empty counts as calving.",
        boolean("opensLactation")
            => "Whether an abortion opens a lactation; empty: from 210 days of gestation on (setting).",
        select("result", "one|twins|triplets|multiple|multipleMixed|unknown").first() => "How many calves.",
        int("milkingDays").range(0.0, LIFE_DAYS)
            => "Days from calving to drying-off; computed when both dates are known.",
        day("dryOffDate")
            => "Day of the first drying-off up to the next calving; writing it creates, moves or removes that row.",
        select("ease", "easy|assisted|hard|veterinary|surgery").first() => "How hard the calving was.",
    ]
}

fn calves() -> Vec<Decl> {
    let count = |name, doc| -> Decl { int(name).range(0.0, MOST_CALVES).first().doc(doc).into() };
    fields![
        number("calfWeight").range(LEAST_WEIGHT, 1_000.0) => "Mean weight of the calves at birth, kg.",
        count("liveHeifers", "Female calves alive."),
        count("liveBulls", "Male calves alive."),
        count("stillborn", "Calves not alive."),
        relations("calves", "animals") => "Calves that are in the book.",
        progeny(),
    ]
}

fn progeny() -> Field {
    rows(
        "progeny",
        [
            select("sex", "female|male|unknown").required().doc("Sex of the calf."),
            select("birthStatus", "alive|stillborn|aborted|diedBeforeTagging|diedAfterTagging|slaughtered|euthanised")
                .default("alive")
                .doc("What became of the calf."),
            int("size").range(1.0, 5.0).doc("Size from 1, extra small, to 5, extra large."),
            number("weight").range(LEAST_WEIGHT, 1_000.0).doc("Weight at birth, kg."),
            text_n("tag", 20).doc("Ear tag of the calf."),
            text_n("name", 60).doc("Name of the calf."),
            relation("animal", "animals").doc("The calf in the book."),
        ],
    )
    .doc("The calves one by one; the counts, `calves` and the weight are computed from them.")
}

fn gestation() -> Vec<Decl> {
    fields![
        relation("insemination", "inseminations").server() => "The insemination that led to it.",
        int("gestationDays").server() => "Days since that insemination.",
        boolean("embryoTransfer").server() => "That insemination was an embryo transfer.",
        long_text("comment") => "Remark.",
    ]
}

//! Events that no collection of their own holds: heats, statuses that were
//! observed, remarks, and dryings-off that lead to a row of `calvings`.

mod dry_off;
mod rules;

use crate::collections::events::history::follow;
use crate::collections::events::measures::JSON_BYTES;
use crate::collections::events::{EventKind, Key, event};
use crate::collections::slots::slots;
use model::error::Result;
use model::record::Record;
use model::registry::{
    BookReader, Capability, Change, Class, Collection, Decl, Draft, HookContext, Move, PackageSet, States, Who, day,
    fields, json, long_text, moves, number, relation, select, text, text_n,
};
use std::collections::BTreeMap;

/// Types that are written, and after them those that are only read any more.
const TYPES: &str = "dryOff|move|disposal|pregnancyCheck|heat|doNotBreed|lactationStatus|\
reproStatus|embryoFlushing|remark|other|\
exteriorScore|calving|insemination|milkTest|vetTreatment";

pub(crate) fn events() -> Collection {
    let mut fields = said();
    fields.extend(standing());
    let mut events = event("events", &["animal", "date", "type"], fields, Generic)
        .singular("Generic Event")
        .kind_of("type")
        .states(steps())
        .headings(HEADINGS)
        .package_set(PackageSet {
            marks: &["type"],
            ..PackageSet::new("events", "events", &["animal", "date", "type"])
        })
        .package_set(PackageSet {
            constants: &[("type", "heat")],
            headings: HEATS,
            ..PackageSet::new("heats", "events", &["animal", "date"])
        })
        .package_set(PackageSet {
            constants: &[("type", "pregnancyCheck")],
            headings: CHECKS,
            words: CHECK_RESULTS,
            ..PackageSet::new("pregnancyChecks", "events", &["animal", "date", "result"])
        })
        .doc("Events that have no collection of their own: heats, statuses, remarks.");
    events.access = events.access.demand("status", "draft", Class::Owner);
    events
}

const HEADINGS: &[(&str, &str)] = &[
    ("type", "Вид события"),
    ("endDate", "Дата окончания"),
    ("title", "Название события"),
    ("result", "Результат"),
    ("comment", "Комментарий|примечание|remark"),
];

/// Headings of heats.
const HEATS: &[(&str, &str)] = &[
    ("date", "Дата охоты|охота|день охоты|дата прихода в охоту|heat date|heat|estrus date|oestrus date|дата|date"),
    ("result", "Признаки охоты|признак охоты|способ выявления|способ выявления охоты|heat detection|результат|result"),
];

/// Headings of pregnancy checks.
const CHECKS: &[(&str, &str)] = &[
    (
        "date",
        "Дата проверки|дата проверки на стельность|дата проверки стельности|дата ректального исследования|дата узи|\
         preg check|preg check date|pregnancy check|pregnancy check date|check date|дата|date",
    ),
    (
        "result",
        "Результат проверки|результат проверки на стельность|результат узи|стельность|\
         preg check result|preg result|pregnancy result|результат|result",
    ),
];

/// Words for the results of pregnancy checks.
const CHECK_RESULTS: &[(&str, &str, &str)] = &[
    (
        "result",
        "pregnant",
        "стельная|стельна|ст|стельн|стельность подтверждена|подтверждено|положительно|положительный|да|1|+|preg|positive|yes",
    ),
    ("result", "multiple", "двойня|многоплодная|многоплодие|twins"),
    (
        "result",
        "empty",
        "не стельная|не стельна|не ст|не стельн|стельность не подтверждена|не подтверждено|пустая|яловая|ялов|холостая|\
         отрицательно|отрицательный|нет|0|open|not pregnant|negative|no",
    ),
    ("result", "unknown", "сомнительно|сомнительная|сомнительный|под вопросом|recheck|doubtful"),
];

/// Results that the exchange knows: of pregnancy checks, of heats, and observed states.
const RESULTS: &str = "pregnant multiple empty unknown visual chemical pedometer collar earTag bolus other dry lead fresh \
                       early lactating open inseminated notPregnant birthed doNotBreed pregnantMultipleFoetus";

fn said() -> Vec<Decl> {
    fields![
        select("type", TYPES).required().indexed()
            => "What happened. `exteriorScore`, `calving`, `insemination`, `milkTest` and `vetTreatment` are read, not written.",
        day("date").required().indexed() => "Day of the event.",
        day("endDate") => "Last day, of events that last.",
        text("title") => "What happened, in words.",
        text_n("result", 40).often(RESULTS.split(' '))
            => "Result: of `lactationStatus` and `reproStatus` a value of the animal's current one, of `pregnancyCheck` pregnant, multiple, empty or unknown; of `heat` how it was detected.",
        number("value").range(-1_000_000_000.0, 1_000_000_000.0)
            => "Number that belongs to the event; for `doNotBreed`, 0 lifts the bar.",
        relation("insemination", "inseminations")
            => "The service that a pregnancy check is about; found by days where left out.",
        json("payload").bytes(JSON_BYTES).aside() => "Further particulars; `foetalAge` of a pregnancy check in days.",
        long_text("comment") => "Remark.",
    ]
}

fn standing() -> Vec<Decl> {
    fields![
        select("status", "draft|sent|accepted|rejected").default("accepted")
            => "State of the event; only the owner reads drafts.",
        relation("calving", "calvings").server() => "The row of the drying-off that it led to.",
        relation("author", "users").server() => "User who entered the event.",
    ]
}

fn steps() -> States {
    let owner = Who::Farm(Capability::Data);
    moves![States::of("status");
        Move::begin("draft").by(owner).by(Who::Association).silent(),
        Move::begin("sent").by(owner).by(Who::Association).silent(),
        Move::new(&["draft"], "sent").by(owner),
        Move::new(&["draft"], "accepted").by(owner) => "A drying-off finds or creates its row of `calvings`.",
        Move::new(&["sent"], "accepted").by(Who::Association)
            => "A drying-off finds or creates its row of `calvings`.",
        Move::new(&["sent"], "rejected").by(Who::Association).grave(),
    ]
}

slots!(Events of "events" {
    animal, date, kind: "type", result, status, calving, author, owner_org: "ownerOrg",
});

#[derive(Debug)]
struct Generic;

impl EventKind for Generic {
    const KEY: Key = Key::DataSet;
    const OF_FEMALES: bool = false;

    fn female(&self, draft: &Draft) -> bool {
        let kind = draft.new.get(Events::get().kind).text();
        matches!(
            kind,
            Some("dryOff" | "pregnancyCheck" | "heat" | "lactationStatus" | "reproStatus" | "embryoFlushing")
        )
    }

    async fn prepare(&self, context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
        let user = context.caller().user;
        for draft in drafts.iter_mut().filter(|d| d.old.is_none()) {
            if user.is_some() {
                draft.new.set(Events::get().author, user);
            }
        }
        Ok(())
    }

    async fn check(
        &self,
        context: &mut dyn BookReader,
        drafts: &mut [Draft],
        _animals: &BTreeMap<i64, Record>,
    ) -> Result<()> {
        rules::check(context.caller(), drafts);
        Ok(())
    }

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        dry_off::link(context, changes).await?;
        let telling: Vec<Change> =
            (changes.iter()).filter(|c| [&c.old, &c.new].into_iter().flatten().any(tells)).cloned().collect();
        if telling.is_empty() {
            return Ok(());
        }
        follow(context, &telling, Events::get().animal).await
    }
}

/// Whether the animal's current state may be computed from the row.
fn tells(row: &Record) -> bool {
    let kind = row.get(Events::get().kind).text();
    matches!(kind, Some("pregnancyCheck" | "doNotBreed" | "lactationStatus" | "reproStatus"))
}

//! Inseminations with the pregnancy check that belongs to them.

use crate::collections::dictionaries::SEXED;
use crate::collections::dictionaries::codes::PREGNANCY_METHOD;
use crate::collections::dictionaries::lookups::{related_ids, written};
use crate::collections::evaluation::count_services;
use crate::collections::events::history::{Inseminations, Meanings, fill, fill_number, follow, of_service, parities};
use crate::collections::events::measures::{MOST_CALVES, MOST_CALVINGS};
use crate::collections::events::{EventKind, computed, event, hidden_source, sires};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    BookReader, Change, Class, Collection, Decl, Draft, Grid, HookContext, PackageSet, boolean, day, fields, group,
    int, long_text, number, relation, select, text, text_n,
};
use std::collections::BTreeMap;

pub(crate) fn inseminations() -> Collection {
    let mut fields = service();
    fields.extend(material());
    fields.extend(outcome());
    fields.extend(hidden_source("checkAde", "checkAdeExtra"));
    let natural = &["animal", "date", "bull"];
    event("inseminations", natural, fields, Insemination)
        .index(&["animal", "lactationNumber"])
        .index(&["bull", "date"])
        .headings(HEADINGS)
        .timeline(None)
        .counted("lactationNumber", None)
        .monthly(&["attemptNumber", "daysOpen"], None)
        .package_set(PackageSet {
            marks: &["attemptNumber", "doses"],
            words: &[("result", "pregnant", "да|+|yes"), ("result", "empty", "нет|0|no")],
            words_under: CHECKED,
            ..PackageSet::new("inseminations", "events", &["animal", "date"])
        })
        .words("straw.sexed", SORTED)
        .or_text("bull", "bullText")
        .grid(Grid {
            cells: &["bull", "bullText", "straw.batch", "doses"],
            same: &["technician", "method", "semenType"],
            among: &[
                ("state", "equals", "alive"),
                ("archived", "equals", "false"),
                ("sex", "equals", "female"),
                ("ageGroup", "not_equals", "calf"),
                ("current.reproductionStatus", "not_equals", "pregnant"),
                ("current.reproductionStatus", "not_equals", "pregnantMultipleFoetus"),
                ("current.reproductionStatus", "not_equals", "doNotBreed"),
            ],
            rests: Some(("current.lastCalvingDate", "voluntaryWaitDays")),
            each: false,
        })
        .doc("Inseminations, natural services and embryo transfers.")
}

const HEADINGS: &[(&str, &str)] = &[
    ("date", "Дата осеменения|осеменение|дата случки|ai date|service date"),
    ("bullText", "Инд.№ быка|бык|производитель|отец|номер быка|sire|naab"),
    ("attemptNumber", "Кратность|попытка|по счету|номер осеменения"),
    ("doses", "Доз спермы|доз семени|дозы|доз"),
    ("method", "Способ осеменения"),
    ("semenType", "Вид спермы|вид семени"),
    ("straw.batch", "Партия|серия спермы|серия семени"),
    ("technician", "Техник|осеменатор"),
    (
        "result",
        "Результат|результат осеменения|стельность|результат проверки|результат проверки на стельность|результат узи|\
         pregnancy result|preg result",
    ),
    (
        "pregnancyCheckDate",
        "Дата проверки|дата проверки на стельность|дата проверки стельности|дата узи|preg check date|\
         pregnancy check date",
    ),
    ("comment", "Комментарий|примечание|remark"),
];

/// Headings of results of pregnancy checks: under these alone a sign or a yes is one.
const CHECKED: &str = "Стельность|результат проверки|результат проверки на стельность|результат узи|\
    pregnancy result|preg result";

/// Words for the sex that semen was sorted for.
const SORTED: &[(&str, &str)] =
    &[("none", "обычное|несексированное"), ("female", "телочки|ж|x"), ("male", "бычки|м|y")];

fn service() -> Vec<Decl> {
    fields![
        int("lactationNumber").range(0.0, MOST_CALVINGS)
            => "Number of the last calving before it, 0 for heifers; from calvings when left out.",
        computed("lactationNumberComputed"),
        day("date").required().indexed() => "Day of the insemination.",
        day("endDate") => "Last day of a run with the bull.",
        relation("bull", "animals").names_parent().among("sex", "male") => "Sire in the book.",
        text_n("bullText", 60).names_parent() => "Sire that is not in the book.",
        relation("semenType", "semen-types") => "Kind of semen.",
        relation("method", "reproduction-methods") => "Way of insemination.",
        number("doses").range(0.0, 1_000.0).default(1.0) => "Doses used.",
        int("attemptNumber").range(1.0, 1_000.0) => "Number of the attempt since the last calving.",
        relation("technician", "technicians") => "Person who inseminated.",
        boolean("farmStock") => "The semen came from the farm's own stock.",
    ]
}

fn material() -> Vec<Decl> {
    fields![
        group(
            "straw",
            fields![
                text_n("number", 40) => "Number of the straw.",
                text_n("batch", 40) => "Batch of the semen.",
                text("centre") => "Collection centre.",
                day("collectedOn") => "Day of collection.",
                select("sexed", SEXED).default("none") => "Sex that the semen was sorted for.",
                int("sexedPercent").range(0.0, 100.0) => "Purity of the sorting, %.",
            ]
        ),
        group(
            "embryo",
            fields![
                text_n("number", 40) => "Number of the embryo.",
                relation("donor", "animals").names_parent().among("sex", "female") => "Genetic mother.",
                relation("sire", "animals").names_parent().among("sex", "male") => "Genetic father.",
                text("centre") => "Centre that collected it.",
                day("collectedOn") => "Day of collection.",
            ]
        ),
    ]
}

fn outcome() -> Vec<Decl> {
    fields![
        relation("result", "insemination-results").decides() => "Outcome by the latest pregnancy check.",
        day("pregnancyCheckDate").indexed() => "Day of the latest pregnancy check.",
        select("pregnancyCheckMethod", PREGNANCY_METHOD) => "How pregnancy was checked.",
        int("foetusCount").range(0.0, MOST_CALVES) => "Foetuses seen.",
        relation("check", "events").server()
            => "Pregnancy check from which the four preceding fields are computed; empty when they were entered here.",
        group("statedCheck", fields![
            relation("result", "insemination-results").server().class(Class::Hidden)
                => "`result` as it was entered here.",
            day("date").server().class(Class::Hidden) => "`pregnancyCheckDate` as it was entered here.",
            select("method", PREGNANCY_METHOD).server().class(Class::Hidden)
                => "`pregnancyCheckMethod` as it was entered here.",
            int("foetusCount").server().class(Class::Hidden) => "`foetusCount` as it was entered here.",
        ]),
        day("expectedCalving").server() => "Insemination + 279 days, embryo transfer + 272.",
        int("daysOpen").server() => "Days from the last calving to this insemination.",
        select("source", "manual|import|api").default("manual") => "How the row came into the book.",
        long_text("comment") => "Remark.",
    ]
}

#[derive(Debug)]
struct Insemination;

impl EventKind for Insemination {
    async fn prepare(&self, context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
        sires::find_bulls(context, drafts).await
    }

    async fn check(
        &self,
        context: &mut dyn BookReader,
        drafts: &mut [Draft],
        _animals: &BTreeMap<i64, Record>,
    ) -> Result<()> {
        let s = Inseminations::get();
        let calvings = parities(context, related_ids(drafts, s.animal)).await?;
        let meanings = Meanings::load(context, drafts.iter().map(|d| &d.new), false).await?;
        for draft in written(drafts) {
            // What is entered here is a check, too; whether it decides follows behind the write.
            let result_slots = [s.result, s.checked, s.checked_by, s.foetuses];
            if result_slots.iter().any(|slot| draft.changes(*slot)) {
                let stated = [s.stated_result, s.stated_date, s.stated_method, s.stated_foetuses];
                for (slot, stated_slot) in result_slots.into_iter().zip(stated) {
                    let value = draft.new.get(slot).clone();
                    draft.new.set(stated_slot, value);
                }
                draft.new.set(s.check, Value::Null);
            }
            let id = draft.new.get(s.animal).int();
            let own = (id.and_then(|id| calvings.get(&id))).map_or(&[][..], Vec::as_slice);
            fill_number(draft, [s.number, s.counted, s.date], own, Some(0));
            if let Some(service) = meanings.service(&draft.new) {
                fill(draft, of_service(&service, own));
            }
        }
        Ok(())
    }

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        count_services(context, changes).await?;
        follow(context, changes, Inseminations::get().animal).await
    }
}

//! Breeding values of animals as an evaluation centre published them.

use super::current::{self, Place, is_current, place_of};
use super::exchange_rows::{refuse_changes, sender_fields};
use super::traits::{composites, deviations, forecasts, reliability, value};
use super::{Base, check, evaluation};
use crate::collections::dictionaries::lookups::touched;
use crate::collections::events;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::registry::{
    Class, Collection, ConvertedRows, Decl, Feature, PackageSet, Rule, day, fields, group, int, long_text, number,
    relation, select, text, text_n,
};

/// The collection.
pub(crate) fn animal_evaluations() -> Collection {
    let mut evaluations = evaluation("animal-evaluations", "evaluatedAt", Rule::Admin, fields());
    // Of the Association alone, which no class of a field is.
    evaluations.access = evaluations.access.demand("release", AWAITED, Class::Hidden);
    evaluations
        .unique(&["animal", "source", "evaluatedAt", "calculation"])
        .computed_by("run")
        .index(&["release", "run"])
        .headings(HEADINGS)
        .also_named("animal", &events::ANIMAL_NUMBERS)
        .unread(events::ANIMAL_NAMES)
        .package_set(PackageSet {
            one_of: &VALUES,
            constants: &[("source", "import")],
            by_row_rights: true,
            converts: Some(ConvertedRows {
                base: "baseVersion",
                day: "evaluatedAt",
                mark: ("calculation", "converted"),
                from: "note",
            }),
            ..PackageSet::new("breedingValues", "events", &["animal", "evaluatedAt"])
        })
        .hooks(Behaviour)
        .feature(Feature::BreedingValues)
        .doc("Breeding values of animals by evaluation run; one row per animal is current.")
}

/// What a table of breeding values has at least one of.
const VALUES: [&str; 8] = [
    "ipc",
    "milkForecast",
    "fatKgForecast",
    "proteinKgForecast",
    "fatPercentForecast",
    "proteinPercentForecast",
    "productionIndexForecast",
    "fertilityForecast",
];

const HEADINGS: &[(&str, &str)] = &[
    ("animal", events::ANIMAL_HEADINGS),
    ("evaluatedAt", "Дата оценки|дата расчета|evaluation date|proof date|дата|date"),
    ("source", "Источник оценки|evaluation source"),
    ("center", "Селекционный центр|центр оценки|evaluation center"),
    ("calculation", "Метод расчёта|метод оценки"),
    ("baseVersion", "База оценки|evaluation base"),
    ("ipc", "ИПЦ|индекс племенной ценности|ipc"),
    ("ipcR", "Достоверность ИПЦ"),
    ("milkForecast", "ПЦ по удою|ПЦ удой|EBV milk|milk EBV|PTA milk|milk PTA|RBV milk"),
    ("milkR", "Достоверность по удою"),
    ("fatPercentForecast", "ПЦ по МДЖ|EBV fat percent"),
    ("proteinPercentForecast", "ПЦ по МДБ|EBV protein percent"),
    ("fatKgForecast", "ПЦ по жиру|ПЦ по молочному жиру|EBV fat|fat EBV|PTA fat|fat PTA|RBV fat"),
    (
        "proteinKgForecast",
        "ПЦ по белку|ПЦ по молочному белку|EBV protein|protein EBV|PTA protein|protein PTA|RBV protein",
    ),
    ("productionIndexForecast", "Индекс продуктивности"),
    ("fertilityForecast", "ПЦ по фертильности|ПЦ по фертильности дочерей"),
    ("note", "Комментарий|примечание|comment|remark"),
];

/// Release of a row that waits for it.
pub(super) const AWAITED: &str = "awaited";
/// Release of a row that has it.
pub(super) const RELEASED: &str = "given";
/// Who did evaluations.
const SOURCES: &str = "center|association|import|foreign";
/// How values are obtained.
const CALCULATIONS: &str = "ebv|gebv|parentAverage|converted|other";
/// The sources by rank, and the ways of calculation where all else is equal, the first before the others.
const RANKS: [&str; 2] = ["center|association|foreign|import", "gebv|ebv|converted|parentAverage|other"];

fn fields() -> Vec<Decl> {
    let level = |name, doc| -> Decl { int(name).range(1.0, 5.0).doc(doc).into() };
    let mut fields: Vec<Decl> = fields![
        day("evaluatedAt").required().indexed() => "Day of the evaluation.",
        select("source", SOURCES).required().default("center")
            => "Who did the evaluation.",
        select("calculation", CALCULATIONS).default("ebv")
            => "How the values were obtained.",
        text("center") => "Name of the evaluation centre.",
        text_n("baseVersion", 40).indexed() => "Version of the base against which the values are expressed.",
        is_current(),
        value("ipc") => "Index of breeding value that the centre reported.",
        reliability("ipcR"),
        number("ipcPercentile").percent() => "Place of the index among the evaluated animals, %.",
        level("productionReliabilityLevel", "How reliable the production values are; 1 is the lowest class."),
        level("healthReliabilityLevel", "How reliable the health values are; 1 is the lowest class."),
    ];
    fields.extend(forecasts());
    let exterior = deviations().chain(composites()).map(Decl::from);
    fields.push(group("exterior", exterior.collect()));
    fields.push(long_text("note").doc("Remark.").into());
    let run = relation("run", "evaluation-runs").server();
    fields.push(run.doc("Run of the Association that computed the row.").into());
    let release = select("release", "awaited|given").server();
    fields.push(release.doc("Of a row of a run: until the Association releases it, only the Association reads it, and it is not in force.").into());
    fields.extend(sender_fields());
    fields
}

slots!(Evaluations of "animal-evaluations" {
    release, animal, date: "evaluatedAt", current: "isCurrent", verification, source, calculation,
});

pub(super) fn place() -> Place {
    let s = Evaluations::get();
    Place {
        slug: "animal-evaluations",
        animal: s.animal,
        current: s.current,
        date: s.date,
        waits: Some((s.release, AWAITED)),
        fields: &["animal", "release", "isCurrent", "evaluatedAt", "source", "calculation"],
        rank: |row| {
            let s = Evaluations::get();
            let [sources, calculations] = RANKS;
            (place_of(sources, row.get(s.source).text()), place_of(calculations, row.get(s.calculation).text()))
        },
    }
}

hooks!(Behaviour {
    prepare(collection, context, drafts) {
        events::stamp(collection, context, drafts).await
    }
    check(collection, context, drafts) {
        let s = Evaluations::get();
        let base = Base {
            animal: s.animal,
            date: s.date,
            verification: s.verification,
            before_birth: true,
        };

        check(collection, context, drafts, base).await?;
        refuse_changes(collection, context.caller(), drafts);
        Ok(())
    }
    effects(context, changes) {
        let place = place();
        current::follow(place, context, &touched(changes, place.animal)).await
    }
});

//! Milk tests of test days.

use crate::collections::FieldSet;
use crate::collections::computed::is_left_out;
use crate::collections::dictionaries::codes::{RECORDING_PROTOCOL, RECORDING_SCHEME, SAMPLING_MOMENT, SAMPLING_SCHEME};
use crate::collections::dictionaries::lookups::{by_id, related_ids, written};
use crate::collections::events::history::{
    MilkTests, TESTED, fill, fill_number, foresee, of_test, parities, tested, tested_fields,
};
use crate::collections::events::measures::{MOST_CALVINGS, MOST_CELLS, MOST_CONTENT, MOST_DAY_MILK};
use crate::collections::events::{EventKind, computed, event, recorders};
use crate::collections::herd::animals::{Animal, Slots};
use crate::collections::slots::slots;
use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::{
    BestOfDay, BookReader, Change, Collection, Decl, Draft, Grid, HookContext, PackageSet, Verb, Writer, boolean, day,
    fields, group, int, number, relation, select, text_n,
};
use model::said;
use std::collections::BTreeMap;

pub(crate) fn milk_tests() -> Collection {
    let mut fields = yields();
    fields.extend(contents());
    fields.extend(recording());
    event("milk-tests", &["animal", "date", "source"], fields, MilkTest)
        .index(&[&["animal"], TESTED.as_slice()].concat())
        .columns(&[
            "date",
            "animal",
            "milkYield",
            "fatPercent",
            "proteinPercent",
            "somaticCells",
            "lactationNumber",
            "source",
        ])
        .chart("milkYield", "daysInMilk", "lactationNumber")
        .log_chart("somaticCells", "daysInMilk", "lactationNumber")
        .singular("Test-Day Milking")
        .alias("milkYield", "dailyYield")
        .headings(HEADINGS)
        .words("testCode", CODES)
        .package_set(PackageSet {
            one_of: COLUMNS,
            marks: COLUMNS,
            ..PackageSet::new("milkTests", "productivity", &["animal", "date"])
        })
        .best_of_day(TEST_DAY)
        .grid(Grid {
            cells: &["milkYield", "fatPercent", "proteinPercent", "somaticCells"],
            same: &[],
            among: &[
                ("state", "equals", "alive"),
                ("archived", "equals", "false"),
                ("current.lactationStatus", "in", "fresh,early,lactating"),
            ],
            rests: None,
            each: false,
        })
        .doc("Milk yields and contents of test days.")
}

/// What makes a test day of rows, as `derive/lactation/days.rs` has it.
const TEST_DAY: BestOfDay = BestOfDay {
    counts: ("testCode", "none"),
    since: "daysInMilk",
    first: "official",
    sources: ("source", &["lab", "owner"]),
    contents: &["fatPercent", "proteinPercent", "somaticCells"],
};

/// Columns of which a table of tests has one: what a test says, or the milkings of which it is the sum.
const COLUMNS: &[&str] = &[
    "milkYield",
    "fatPercent",
    "proteinPercent",
    "somaticCells",
    "lactosePercent",
    "caseinPercent",
    "dryMatterPercent",
    "urea",
    "bhb",
    "acetone",
    "yields.evening",
];

/// What a test says: without any of these, and without a test code, there is none.
const MEASURED: &[&str] = COLUMNS.split_at(10).0;

const HEADINGS: &[(&str, &str)] = &[
    (
        "date",
        "Дата замера|дата дойки|дата контроля|дата контрольной дойки|дата проведения контрольного доения|test date",
    ),
    (
        "milkYield",
        "Удой за день, кг|удой за день|удой|надой|молоко|суточный удой|удой за сутки|удой всего|всего молока|milk|yield",
    ),
    ("fatPercent", "Жир|мдж|массовая доля жира|fat"),
    ("proteinPercent", "Белок|мдб|массовая доля белка|protein"),
    (
        "somaticCells",
        "Соматика, тыс./мл|соматика|соматические клетки|сом клетки|сом кл|количество соматических клеток|\
         кол во соматических клеток|кол во сом клеток|somatic cell count|скс|ксс|кск|ск|scc|cells",
    ),
    ("lactationNumber", "Номер лактации|лактация"),
    ("lactosePercent", "Лактоза"),
    ("urea", "Мочевина|Мочевина, мг/100 мл|urea"),
    ("bhb", "БГБ"),
    ("acetone", "Ацетон"),
    ("dryMatterPercent", "Сухое вещество"),
    ("caseinPercent", "Казеин"),
    ("yields.morning", "Утро|удой утро|утренний удой|am"),
    ("yields.noon", "Обед|удой обед|дневной удой|noon"),
    ("yields.evening", "Вечер|удой вечер|вечерний удой|pm"),
    ("sampleNumber", "Проба|номер пробы|пробирка"),
    ("testCode", "Код"),
];

/// Words for the reasons why a test gives no yield.
const CODES: &[(&str, &str)] = &[
    ("none", "норма|0"),
    ("dry", "сух|сухост|сухостойная|запуск|запущена|в запуске"),
    ("sick", "больна|больная|болеет"),
    ("samplingImpossible", "проба не отобрана"),
];

fn yields() -> Vec<Decl> {
    let kg = |name, doc| -> Decl { number(name).range(0.0, MOST_DAY_MILK).doc(doc).into() };
    fields![
        day("date").required().indexed() => "Test day.",
        number("milkYield").range(0.0, MOST_DAY_MILK).indexed()
            => "Milk of 24 hours, kg; left out it is the sum of the milkings, if morning and evening are given. One measured value, or `testCode`, is required.",
        group("yields", fields![
            kg("morning", "Milk of the morning milking, kg."),
            kg("noon", "Milk of the noon milking, kg."),
            kg("evening", "Milk of the evening milking, kg."),
        ]),
        boolean("milkYieldComputed").server()
            => "`milkYield` is the sum of the milkings in `yields`, which the server made; empty: somebody stated it.",
        select("testCode", "none|dry|sick|samplingImpossible").default("none") => "Why the test gives no yield.",
        int("lactationNumber").range(0.0, MOST_CALVINGS)
            => "Number of the last calving before it; from calvings when left out.",
        computed("lactationNumberComputed"),
    ]
}

fn contents() -> Vec<Decl> {
    let percent = |name, doc| -> Decl { number(name).range(0.0, MOST_CONTENT).doc(doc).into() };
    let amount = |name, most, doc| -> Decl { number(name).range(0.0, most).doc(doc).into() };
    vec![
        percent("fatPercent", "Fat, %."),
        percent("proteinPercent", "Protein, %."),
        percent("lactosePercent", "Lactose, %."),
        percent("caseinPercent", "Casein, %."),
        percent("dryMatterPercent", "Dry matter, %."),
        amount("somaticCells", MOST_CELLS, "Somatic cells, 1000/ml; they rise with mastitis."),
        amount("urea", 1_000.0, "Urea, mg/100 ml; it tells whether protein and energy of the feed agree."),
        amount("bhb", 100.0, "Beta-hydroxybutyrate, mmol/l; it rises with ketosis."),
        amount("acetone", 100.0, "Acetone, mmol/l; it rises with ketosis."),
    ]
}

fn recording() -> Vec<Decl> {
    fields![
        boolean("official").default(false).writer(Writer::Association)
            => "Taken under official milk recording: an accredited laboratory sent it, or the Association says so.",
        text_n("sampleNumber", 40) => "Number of the sample.",
        relation("laboratory", "organizations").writer(Writer::Association)
            => "Laboratory that sent it.",
        select("source", "lab|owner|import|api").default("lab").typed("owner") => "How the row came into the book.",
        select("recordingProtocol", RECORDING_PROTOCOL) => "Who did the recording; the herd's value when left out.",
        int("recordingPerYear").range(1.0, 24.0) => "Test days a year.",
        select("recordingScheme", RECORDING_SCHEME) => "What was recorded; the herd's value when left out.",
        select("samplingMoment", SAMPLING_MOMENT) => "Which milking the sample comes from.",
        select("samplingScheme", SAMPLING_SCHEME) => "How the sample was taken; the herd's value when left out.",
        int("daysInMilk").server() => "Days since the last calving.",
    ]
}

slots!(
    /// Slots of `herds` that milk tests take defaults from.
    Herds of "herds" { protocol: "recordingProtocol", scheme: "recordingScheme", sampling: "samplingScheme" }
);

#[derive(Debug)]
struct MilkTest;

impl EventKind for MilkTest {
    async fn prepare(&self, context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
        let tests = context.collection("milk-tests")?;
        recorders::fill_recorder(tests, context.caller(), drafts);
        Ok(())
    }

    fn foreseen(&self) -> &'static [&'static str] {
        tested_fields()
    }

    async fn check(
        &self,
        context: &mut dyn BookReader,
        drafts: &mut [Draft],
        animals: &BTreeMap<i64, Record>,
    ) -> Result<()> {
        let s = MilkTests::get();
        let calvings = parities(context, related_ids(drafts, s.animal)).await?;
        let herds = herds(context, drafts, animals).await?;
        let tests = context.collection("milk-tests")?;
        let measured: Vec<usize> = MEASURED.iter().map(|path| tests.at(path)).collect();
        for draft in written(drafts) {
            let test = matches!(draft.new.get(s.code).text(), None | Some("none"));
            add_up(draft, test);
            if test && measured.iter().all(|slot| draft.new.get(*slot).is_null()) {
                let message = "A yield, a content or testCode is required.";
                draft.fault("milkYield", "required", message);
            }
            let id = draft.new.get(s.animal).int();
            let animal = id.and_then(|id| animals.get(&id));
            let own = (id.and_then(|id| calvings.get(&id))).map_or(&[][..], Vec::as_slice);
            fill_number(draft, [s.number, s.counted, s.date], own, None);
            let values = of_test(draft.new.get(s.date), own);
            fill(draft, values);
            let herd = animal.and_then(|a| Animal(a).link(Slots::get().herd));
            if let Some(herd) = herd.and_then(|id| herds.get(&id)) {
                inherit(draft, herd);
            }
        }
        let new = drafts.iter().filter(|d| d.verb == Verb::Create && d.clean());
        let ids = new.filter_map(|d| d.new.get(s.animal).int()).collect();
        foresee(context, &ids).await
    }

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        tested(context, changes).await
    }
}

/// The milk of a day that nobody states is the sum of its milkings, of morning and evening at least.
fn add_up(draft: &mut Draft, test: bool) {
    let s = MilkTests::get();
    if !is_left_out(draft, s.milk, s.summed) {
        return;
    }
    let kg = |slot: usize| draft.new.get(slot).num();
    let sum = kg(s.morning)
        .zip(kg(s.evening))
        .filter(|_| test)
        .map(|(morning, evening)| to_grams(morning + kg(s.noon).unwrap_or_default() + evening));
    draft.new.set(s.milk, sum);
    draft.new.set(s.summed, sum.map(|_| Value::Bool(true)));
    match sum {
        Some(sum) if sum > MOST_DAY_MILK => {
            let message =
                said!("{value} is greater than the max allowed value of {max}", value = sum, max = MOST_DAY_MILK);
            draft.fault("milkYield", "too-large", message);
        }
        Some(_) if draft.changes(s.milk) => {
            let message = "The milk of the day is the sum of its milkings.";
            let warning = Issue::warning("milkYield", "sum-of-milkings", message);
            draft.issues.push(warning);
        }
        _ => {}
    }
}

/// So that sums of decimals look as they were meant.
fn to_grams(kg: f64) -> f64 {
    (1000.0 * kg).round() / 1000.0
}

/// The slots that a herd has defaults for: of the test, of the herd.
fn inherited() -> [(usize, usize); 3] {
    let (test, herd) = (MilkTests::get(), Herds::get());
    [(test.protocol, herd.protocol), (test.scheme, herd.scheme), (test.sampling, herd.sampling)]
}

async fn herds(
    context: &mut dyn BookReader,
    drafts: &[Draft],
    animals: &BTreeMap<i64, Record>,
) -> Result<BTreeMap<i64, Record>> {
    let lacking = |d: &Draft| {
        let lacks = inherited().iter().any(|(slot, _)| d.new.get(*slot).is_null());
        d.verb == Verb::Create && lacks
    };
    let animal = MilkTests::get().animal;
    let ids = (drafts.iter().filter(|d| lacking(d)))
        .filter_map(|d| animals.get(&d.new.get(animal).int()?))
        .filter_map(|a| Animal(a).link(Slots::get().herd));
    by_id(context, "herds", ids, Herds::PATHS).await
}

fn inherit(draft: &mut Draft, herd: &Record) {
    if draft.verb != Verb::Create {
        return;
    }
    for (slot, from) in inherited() {
        if draft.new.get(slot).is_null() {
            draft.new.set(slot, herd.get(from).clone());
        }
    }
}

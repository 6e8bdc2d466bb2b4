//! Checks of herds as a whole.

use super::herd_test_days::{self, exact};
use crate::check::{Check, Rule};
use crate::day::Day;
use crate::finding::Value;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Animal, Herd, Lactation, State};
use std::collections::{BTreeMap, BTreeSet};

/// Days from which a lactation is compared with others (ICAR: a normal lactation has 240).
const WHOLE_DAYS: i64 = 240;
/// From how many rows on other units count as a habit.
const UNIT_ROWS: usize = 3;
/// Digits that make a number recognisable.
const CORE_DIGITS: usize = 8;
/// Age from which weights are compared, months.
const ADULT_MONTHS: f64 = 24.0;

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("units-mixed", Rule::Herd(units_mixed))
        .limits(&[Key::HerdMin, Key::HerdUnitsFactor])
        .means("At least three values of one field lie about *herdUnitsFactor* times (from half of it on) above or below the median of the herd: they are in another unit. Looked at are milk, fat and protein of tests, weights from 24 months on, and milk of lactations.")
        .says("{count} values of {field} are in another unit than the others (median {median}).", "{count} {count:значение/значения/значений} поля {field} в других единицах, чем остальные (медиана {median})."),
    Check::note("milk-test-source-mixed", Rule::Herd(herd_test_days::milk_test_source_mixed))
        .limits(&[Key::HerdMin])
        .means("The tests of the last year come from several sources, at least three from each of two.")
        .says("The milk tests of the last year come from {count} sources.", "Контрольные доения последнего года из {count} источников."),
    Check::note("index-base-mixed", Rule::Herd(index_base_mixed))
        .limits(&[Key::HerdMin])
        .means("The current evaluations of the living animals rest on several bases and cannot be compared.")
        .says("Current evaluations rest on {count} bases: {bases}.", "Текущие оценки рассчитаны по {count} базам: {bases}."),
    Check::note("event-year-gap", Rule::Herd(event_year_gap))
        .limits(&[Key::HerdMin])
        .means("Between the first and the last year with calvings, services or tests, a year has none.")
        .says("There is no event of {year}.", "Нет ни одного события за {year} год."),
    Check::note("birth-date-clustered", Rule::Herd(birth_date_clustered))
        .limits(&[Key::HerdMin, Key::HerdJan1Share, Key::HerdFirstOfMonthShare])
        .means("More than *herdJan1Share* of the animals are born on 1 January, or more than *herdFirstOfMonthShare* on the first of a month: days were made up.")
        .says("{share} % of the birth dates are on {english}.", "{share} % дат рождения приходится на {russian}."),
    Check::note("values-rounded", Rule::Herd(herd_test_days::values_rounded))
        .limits(&[Key::HerdMin, Key::HerdRoundedShare])
        .means("More than *herdRoundedShare* of the milk of tests are whole kilograms, or of fat or protein whole or half percents. Measured values are so one time in ten and one in fifty.")
        .says("{share} % of the values of {field} are rounded.", "{share} % значений поля {field} округлены."),
    Check::note("outlier-vs-herd", Rule::Herd(outlier_vs_herd))
        .limits(&[Key::HerdMin, Key::HerdOutlierFactor])
        .means("The milk of 305 days of a lactation is more than *herdOutlierFactor* times the median of the herd, or less than that part of it. Lactations of fewer than 240 days are left out.")
        .says("Lactation {number}: milk {milk} kg; the median of the herd is {median}.", "Лактация {number}: молоко {milk} кг; медиана стада {median}."),
    Check::note("no-milk-tests-year", Rule::Herd(herd_test_days::no_milk_tests_year))
        .limits(&[Key::HerdMin])
        .means("A herd with living cows has no milk test in twelve months.")
        .says("No milk test in twelve months; the herd has {count} cows.", "Нет контрольных доений за 12 месяцев; коров в стаде {count}."),
    Check::note("ident-core-shared", Rule::Herd(ident_core_shared))
        .limits(&[Key::HerdMin])
        .means("Two numbers of the herd have the same core: the longest run of digits without leading zeros, of at least eight. They may be one animal, written in two ways.")
        .says("The number has the same digits {core} as that of another animal of the herd.", "В номере те же цифры {core}, что у другого животного стада."),
    Check::note("herd-test-coverage", Rule::Herd(herd_test_days::herd_test_coverage))
        .limits(&[Key::HerdMin, Key::CoverageMin, Key::MeanShift, Key::DimMin, Key::TestGapMax])
        .means("A test of the herd in the last year covers fewer than *coverageMin* of the cows in milk, or the mean milk is more than *meanShift* away from the test before. Days up to three apart are one test, and the one before is looked for within twice *testGapMax*; cows count from day *dimMin* to 305 of the lactation, drying off, or leaving. Tests of less than a tenth of them are left out.")
        .says("The test of {day} covers {share} % of the cows in milk; mean {mean} kg, before {before}.", "Контроль {day} охватывает {share} % дойных коров; средний удой {mean} кг, ранее {before}."),
    Check::note("tests-copied", Rule::Herd(herd_test_days::tests_copied))
        .limits(&[Key::HerdMin, Key::CopiedShare])
        .means("More than *copiedShare* of the rows of a test of the herd, of at least ten, repeat milk, fat, protein and cells of the cow's test before.")
        .says("{share} % of the values of {day} repeat the test before.", "{share} % значений за {day} повторяют предыдущий контроль."),
];

pub(crate) fn inventory_number_shared(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let mut numbers: BTreeMap<String, Vec<&Animal>> = BTreeMap::new();
    for animal in herd.members().filter(|animal| animal.passport.state == State::Alive) {
        let number = animal.passport.inventory_number.as_deref().map(str::trim);
        if let Some(number) = number.filter(|number| !number.is_empty()) {
            numbers.entry(number.to_lowercase()).or_default().push(animal);
        }
    }
    for (number, sharing) in numbers.iter().filter(|(_, sharing)| sharing.len() > 1) {
        for animal in sharing {
            let values = [("number", number.as_str().into()), ("count", sharing.len().into())];
            reporter.report(animal.at("altIds.inventoryNumber"), values);
        }
    }
}

/// The middle value; sorts them.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn units_mixed(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let factor = (reporter.limit(Key::HerdUnitsFactor) / 2.0).max(1.0);
    let tests = || herd.members().flat_map(|animal| &animal.tests).filter(|test| !test.coded);
    let adult = |animal: &'_ Animal, day: Day| {
        animal.passport.birth.is_some_and(|birth| day.months_since(birth) >= ADULT_MONTHS)
    };
    let weights = herd.members().flat_map(|animal| animal.weighings.iter().filter(move |row| adult(animal, row.day)));
    let lactations = herd.members().flat_map(|animal| &animal.passport.lactations);
    let fields: [(&str, Vec<f64>); 5] = [
        ("milkYield", tests().filter_map(|test| test.milk).collect()),
        ("fatPercent", tests().filter_map(|test| test.fat).collect()),
        ("proteinPercent", tests().filter_map(|test| test.protein).collect()),
        ("weight", weights.map(|row| row.weight).collect()),
        ("lactations.milk305", lactations.filter_map(|l| l.milk305).collect()),
    ];
    for (field, mut values) in fields {
        values.retain(|value| *value > 0.0);
        let Some(median) = median(&mut values) else {
            continue;
        };
        let other = |value: &&f64| **value >= median * factor || **value <= median / factor;
        let count = values.iter().filter(other).count();
        if count >= UNIT_ROWS {
            let values = [("count", count.into()), ("field", field.into()), ("median", median.into())];
            reporter.report(herd.at("id"), values);
        }
    }
}

fn index_base_mixed(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let living = herd.members().filter(|animal| animal.passport.state == State::Alive);
    let current = living.flat_map(|animal| animal.evaluations.iter().filter(|row| row.current));
    let bases: BTreeSet<&str> = current.filter_map(|row| row.base.as_deref()).collect();
    if bases.len() > 1 {
        let versions: Vec<&str> = bases.iter().copied().take(5).collect();
        let values = [("count", bases.len().into()), ("bases", Value::Text(versions.join(", ")))];
        reporter.report(herd.at("id"), values);
    }
}

fn event_year_gap(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let mut years = BTreeSet::new();
    for animal in herd.members() {
        let calvings = animal.calvings.iter().map(|row| row.day);
        let services = animal.services.iter().map(|row| row.day);
        let tests = animal.tests.iter().map(|row| row.day);
        years.extend(calvings.chain(services).chain(tests).map(Day::year));
    }
    for (before, next) in years.iter().zip(years.iter().skip(1)) {
        // Days far in the past or the future are faults of their own.
        for year in (before + 1..*next).take(5) {
            let values = [("year", Value::Text(year.to_string()))];
            reporter.report(herd.at("id"), values);
        }
    }
}

fn birth_date_clustered(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let births = herd.members().filter_map(|animal| animal.passport.birth);
    let days: Vec<(i64, i64)> = births.map(Day::month_and_day).collect();
    if exact(days.len()) < reporter.limit(Key::HerdMin) {
        return;
    }
    let share = |of: &dyn Fn(&&(i64, i64)) -> bool| exact(days.iter().filter(of).count()) * 100.0 / exact(days.len());
    let (january, first) = (share(&|day| **day == (1, 1)), share(&|day| day.1 == 1));
    let message = if january > reporter.limit(Key::HerdJan1Share) {
        (january, "1 January", "1 января")
    } else if first > reporter.limit(Key::HerdFirstOfMonthShare) {
        (first, "the first of a month", "первое число месяца")
    } else {
        return;
    };
    let values = [("share", message.0.into()), ("english", message.1.into()), ("russian", message.2.into())];
    reporter.report(herd.at("id"), values);
}

fn outlier_vs_herd(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let lactations = |animal: &'_ Animal| {
        let whole = |l: &&Lactation| l.days.is_none_or(|days| days >= WHOLE_DAYS);
        let milk = animal.passport.lactations.iter().filter(whole);
        let milk = milk.filter_map(|l| Some((l.number, l.milk305?)));
        milk.filter(|(_, milk)| *milk > 0.0).collect::<Vec<_>>()
    };
    let mut all: Vec<f64> = herd.members().flat_map(lactations).map(|(_, milk)| milk).collect();
    if exact(all.len()) < reporter.limit(Key::HerdMin) {
        return;
    }
    let factor = reporter.limit(Key::HerdOutlierFactor);
    let Some(median) = median(&mut all) else {
        return;
    };
    for animal in herd.members() {
        for (number, milk) in lactations(animal) {
            if milk > median * factor || milk < median / factor {
                let values = [("number", number.into()), ("milk", milk.into()), ("median", median.into())];
                reporter.report(animal.at("lactations.milk305"), values);
            }
        }
    }
}

fn ident_core_shared(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let mut cores: BTreeMap<&str, Vec<&Animal>> = BTreeMap::new();
    for animal in herd.members() {
        let runs = animal.passport.number.split(|c: char| !c.is_ascii_digit());
        let core = runs.map(|run| run.trim_start_matches('0')).max_by_key(|run| run.len());
        if let Some(core) = core.filter(|core| core.len() >= CORE_DIGITS) {
            cores.entry(core).or_default().push(animal);
        }
    }
    for (core, sharing) in cores.iter().filter(|(_, sharing)| sharing.len() > 1) {
        for animal in sharing {
            reporter.report(animal.at("identNumber"), [("core", (*core).into())]);
        }
    }
}

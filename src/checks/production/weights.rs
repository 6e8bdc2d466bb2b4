//! Checks of single milkings and of weights.

use crate::check::{Check, Rule};
use crate::day::{Day, exact};
use crate::finding::Value;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Animal, Context};
use std::collections::BTreeMap;

/// Age from which an animal counts as adult for its weight, months.
const ADULT_MONTHS: f64 = 24.0;

pub(crate) const CHECKS: &[Check] = &[
    Check::note("visit-implausible", Rule::Animal(visit_implausible))
        .limits(&[Key::VisitMaxKg, Key::VisitMaxSeconds, Key::VisitGapMinutes])
        .means("A milking of more than *visitMaxKg*, longer than *visitMaxSeconds*, or less than *visitGapMinutes* after the one before.")
        .says("Milking of {milk} kg in {seconds} s, {minutes} min after the one before.", "Дойка: {milk} кг за {seconds} с, через {minutes} мин после предыдущей."),
    Check::note("daily-vs-visits", Rule::Animal(daily_vs_visits))
        .limits(&[Key::DailyTolerance])
        .means("The milk of a day, as reported, differs by more than *dailyTolerance* from the sum of its visits, by the day of the shift.")
        .says("Milk of the day {written} kg; the visits make {computed}.", "Удой за день {written} кг; по дойкам {computed}."),
    Check::note("weight-implausible", Rule::Animal(weight_implausible))
        .row()
        .limits(&[Key::WeightMin, Key::WeightMax])
        .means("An animal of 24 months or more weighs less than *weightMin* or more than *weightMax*, when it is weighed or when it leaves.")
        .says("Weight {weight} kg; usual of an adult are {low} to {high}.", "Масса {weight} кг; у взрослого животного обычно от {low} до {high}."),
    Check::note("gain-implausible", Rule::Animal(gain_implausible))
        .limits(&[Key::GainMin, Key::GainMax])
        .means("The daily gain since the weighing before lies outside *gainMin* to *gainMax*. Weighings of one day are left out.")
        .says(
            "{weight} kg: {gain} kg a day since {other}; usual are {low} to {high}, which makes {least} to {most} kg.",
            "{weight} кг: {gain} кг в сутки с {other}; обычно от {low} до {high}, то есть масса от {least} до {most} кг.",
        ),
];

fn visit_implausible(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let most = (reporter.limit(Key::VisitMaxKg), reporter.limit(Key::VisitMaxSeconds));
    let gap = reporter.limit(Key::VisitGapMinutes);
    let mut before: Option<i64> = None;
    for visit in &animal.visits {
        let minutes = before.map(|before| exact(visit.at.saturating_sub(before)) / 60.0);
        before = Some(visit.at);
        let much = visit.milk > most.0;
        let long = visit.seconds.is_some_and(|seconds| exact(seconds) > most.1);
        let soon = minutes.is_some_and(|minutes| minutes < gap);
        if much || long || soon {
            let path = if much {
                "milkYield"
            } else if long {
                "duration"
            } else {
                "startedAt"
            };
            let or_dash = |value: Option<f64>| value.map_or_else(|| "–".into(), Into::into);
            let values = [
                ("milk", visit.milk.into()),
                ("seconds", or_dash(visit.seconds.map(exact))),
                ("minutes", or_dash(minutes)),
            ];
            reporter.report(animal.row("milking-visits", visit.id, path), values);
        }
    }
}

fn daily_vs_visits(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    if animal.dailies.is_empty() {
        return;
    }
    let tolerance = reporter.limit(Key::DailyTolerance);
    let mut sums: BTreeMap<Day, f64> = BTreeMap::new();
    for visit in &animal.visits {
        *sums.entry(visit.day).or_default() += visit.milk;
    }
    for daily in animal.dailies.iter().filter(|daily| !daily.computed) {
        let Some(sum) = sums.get(&daily.day) else {
            continue;
        };
        if (daily.milk - sum).abs() > sum * tolerance / 100.0 {
            let values = [("written", daily.milk.into()), ("computed", (*sum).into())];
            reporter.report(animal.row("daily-milkings", daily.id, "milkYield"), values);
        }
    }
}

fn weight_implausible(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (low, high) = (reporter.limit(Key::WeightMin), reporter.limit(Key::WeightMax));
    let Some(birth) = animal.passport.birth else {
        return;
    };
    let weighed = animal.weighings.iter().filter(|row| !row.at_birth);
    let weighed = weighed.map(|row| ("weighings", row.id, row.day, row.weight));
    let moved = animal.movements.iter().filter_map(|row| Some(("movements", row.id, row.day, row.weight?)));
    for (slug, id, day, weight) in weighed.chain(moved) {
        let adult = day.months_since(birth) >= ADULT_MONTHS;
        if adult && !(low..=high).contains(&weight) {
            let values = [("weight", weight.into()), ("low", low.into()), ("high", high.into())];
            reporter.report(animal.row(slug, id, "weight"), values);
        }
    }
}

fn gain_implausible(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (low, high) = (reporter.limit(Key::GainMin), reporter.limit(Key::GainMax));
    for (before, row) in animal.weighings.iter().zip(animal.weighings.iter().skip(1)) {
        let days = row.day.since(before.day);
        if days <= 0 {
            continue;
        }
        let gain = (row.weight - before.weight) * 1000.0 / exact(days);
        if !(low..=high).contains(&gain) {
            // A gram more than the limit is told.
            let kg = |grams: f64| Value::Thousandths(grams / 1000.0);
            let usual = |grams: f64| (before.weight + grams * exact(days) / 1000.0).max(0.0);
            let values = [
                ("weight", row.weight.into()),
                ("gain", kg(gain)),
                ("other", before.day.into()),
                ("low", kg(low)),
                ("high", kg(high)),
                ("least", usual(low).into()),
                ("most", usual(high).into()),
            ];
            reporter.report(animal.row("weighings", row.id, "weight"), values);
        }
    }
}

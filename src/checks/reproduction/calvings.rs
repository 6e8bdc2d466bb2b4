//! Checks of calvings.

use crate::check::{Check, Rule};
use crate::day::{Day, exact};
use crate::finding::Visibility;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Animal, Calving, CalvingKind, Context, Ease};
use std::collections::BTreeMap;

/// Days around a calving in which care for it was recorded.
const CARE_DAYS: i64 = 3;
/// An embryo is so many days old when it is transferred: a calf is expected 279 days after a service, 272 after a
/// transfer.
const EMBRYO_DAYS: i64 = 7;

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("afc-too-young", Rule::Animal(afc_too_young))
        .row()
        .limits(&[Key::AfcMin])
        .means("The calving of number 1 is before the age of *afcMin*.")
        .says("First calving at {months} {months:month/months}; expected are at least {limit}.", "Первый отёл в возрасте {months} мес.; ожидается не менее {limit}."),
    Check::note("afc-too-old", Rule::Animal(afc_too_old))
        .row()
        .limits(&[Key::AfcMax])
        .means("The calving of number 1 is after the age of *afcMax*.")
        .says("First calving at {months} {months:month/months}; expected are at most {limit}.", "Первый отёл в возрасте {months} мес.; ожидается не более {limit}."),
    Check::fix("duplicate-first-calving", Rule::Animal(duplicate_first_calving))
        .means("Two calvings have number 1. Reported for the later one.")
        .says("There is another first calving, on {other}.", "Есть и другой первый отёл, {other}."),
    Check::fix("duplicate-calving-number", Rule::Animal(duplicate_calving_number))
        .means("Two calvings have the same number above 1. Reported for the later one.")
        .says("Calving {number} exists twice; the other one is on {other}.", "Отёл {number} записан дважды; другой — {other}."),
    Check::fix("calving-order", Rule::Animal(calving_order))
        .means("A calving has a lower number than one before it.")
        .says("Calving {number} is after calving {before} of {other}.", "Отёл {number} позже отёла {before} от {other}."),
    Check::fix("calving-interval-short", Rule::Animal(calving_interval_short))
        .limits(&[Key::GestationMinDays])
        .means("Two calvings are less than *gestationMinDays* apart. Two of one day are *duplicate-event*.")
        .says("{days} {days:day/days} after the calving of {other}; a gestation lasts at least {limit}.", "{days} {days:день/дня/дней} после отёла {other}; стельность длится не менее {limit}."),
    Check::note("calving-interval-long", Rule::Animal(calving_interval_long))
        .limits(&[Key::CalvingIntervalMax])
        .means("Two calvings of consecutive numbers are more than *calvingIntervalMax* apart.")
        .says("{days} {days:day/days} after the calving of {other}; a calving may be missing.", "{days} {days:день/дня/дней} после отёла {other}; возможно, отёл пропущен."),
    Check::note("calving-number-gap", Rule::Animal(calving_number_gap))
        .means("Numbers are missing between two calvings. What lies before the first recorded one is not asked for: cows are bought.")
        .says("Between calving {before} and calving {number} numbers are missing.", "Между отёлами {before} и {number} пропущены номера."),
    Check::note("calf-birth-vs-calving", Rule::Animal(calf_birth_vs_calving))
        .row()
        .means("A calf that a calving names is born on another day.")
        .says("The calf {calf} is born on {birth}, the calving is on {day}.", "Телёнок {calf} рождён {birth}, отёл {day}."),
    Check::note("twins-mismatch", Rule::Animal(twins_mismatch))
        .limits(&[Key::DuplicateDays])
        .means("The result says another number of calves than are counted or named, or fewer than animals of the book are born of her within *duplicateDays*.")
        .says("The result says {declared} calves, there are {counted}.", "По результату телят {declared}, а их {counted}."),
    Check::both("gestation-implausible", Rule::Animal(gestation_implausible))
        .limits(&[Key::GestNoteMin, Key::GestNoteMax, Key::GestFixMin, Key::GestFixMax])
        .means("The days from the service to the calving lie outside *gestNoteMin* to *gestNoteMax*; outside *gestFixMin* to *gestFixMax* they must be corrected. Where no service leads to the calving, the last one since the calving or abortion before counts if it was found in calf. The age of a transferred embryo, 7 days, is added.")
        .says("The gestation lasted {days} {days:day/days}; usual are {low} to {high}.", "Стельность длилась {days} {days:день/дня/дней}; обычно от {low} до {high}."),
    Check::fix("calf-count-mismatch", Rule::Animal(calf_count_mismatch))
        .row()
        .limits(&[Key::CalvesMax])
        .means("More calves are named than counted, or there are more than *calvesMax*.")
        .says("{named} calves are named, {counted} are counted; at most {limit} are possible.", "Названо телят: {named}, посчитано: {counted}; возможно не более {limit}."),
    Check::note("hard-calving-no-care", Rule::Animal(hard_calving_no_care))
        .means("A calving needed a veterinarian or surgery, and no health event lies within 3 days of it.")
        .says("A veterinarian helped at the calving, but no health event is recorded.", "При отёле помогал ветеринар, но событий здоровья рядом нет."),
    Check::note("birth-weight-implausible", Rule::Animal(birth_weight_implausible))
        .row()
        .limits(&[Key::BirthWeightMin, Key::BirthWeightMax])
        .means("The weight of a calf at birth lies outside *birthWeightMin* to *birthWeightMax*.")
        .says("The weight at birth is {weight} kg; usual are {low} to {high}.", "Масса при рождении {weight} кг; обычно от {low} до {high}."),
];

const SLUG: &str = "calvings";

fn first_calvings<'a>(animal: &'a Animal) -> impl Iterator<Item = (&'a Calving, f64)> + 'a {
    let birth = animal.passport.birth;
    let first = animal.births().filter(|row| row.number == 1);
    first.filter_map(move |row| Some((row, row.day.months_since(birth?))))
}

fn afc_too_young(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::AfcMin);
    for (row, months) in first_calvings(animal).filter(|(_, months)| *months < limit) {
        let values = [("months", months.into()), ("limit", limit.into())];
        reporter.report(animal.row(SLUG, row.id, "date"), values);
    }
}

fn afc_too_old(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::AfcMax);
    for (row, months) in first_calvings(animal).filter(|(_, months)| *months > limit) {
        let values = [("months", months.into()), ("limit", limit.into())];
        reporter.report(animal.row(SLUG, row.id, "date"), values);
    }
}

/// Calvings whose number an earlier one has, with that one.
fn repeated(animal: &Animal) -> Vec<(&Calving, &Calving)> {
    let mut first: BTreeMap<i64, &Calving> = BTreeMap::new();
    let mut repeated = Vec::new();
    for row in animal.openers() {
        match first.get(&row.number) {
            Some(other) => repeated.push((row, *other)),
            None => drop(first.insert(row.number, row)),
        }
    }
    repeated
}

fn duplicate_first_calving(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    for (row, other) in repeated(animal).into_iter().filter(|(row, _)| row.number == 1) {
        let place = animal.row(SLUG, row.id, "number");
        reporter.report(place, [("other", other.day.into())]);
    }
}

fn duplicate_calving_number(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    for (row, other) in repeated(animal).into_iter().filter(|(row, _)| row.number > 1) {
        let values = [("number", row.number.into()), ("other", other.day.into())];
        reporter.report(animal.row(SLUG, row.id, "number"), values);
    }
}

/// Each calving with the one before it.
fn pairs(animal: &Animal) -> impl Iterator<Item = (&Calving, &Calving)> {
    animal.openers().zip(animal.openers().skip(1))
}

fn calving_order(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    for (before, row) in pairs(animal).filter(|(before, row)| row.number < before.number) {
        let values = [("number", row.number.into()), ("before", before.number.into()), ("other", before.day.into())];
        reporter.report(animal.row(SLUG, row.id, "number"), values);
    }
}

fn calving_interval_short(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::GestationMinDays);
    // An abortion comes before the shortest gestation of a calf.
    for (before, row) in pairs(animal).filter(|(_, row)| row.kind == CalvingKind::Calving) {
        let days = row.day.since(before.day);
        if days > 0 && exact(days) < limit {
            let values = [("days", days.into()), ("other", before.day.into()), ("limit", limit.into())];
            reporter.report(animal.row(SLUG, row.id, "date"), values);
        }
    }
}

fn calving_interval_long(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::CalvingIntervalMax);
    for (before, row) in pairs(animal).filter(|(before, row)| row.number == before.number + 1) {
        let days = row.day.since(before.day);
        if exact(days) > limit {
            let values = [("days", days.into()), ("other", before.day.into())];
            reporter.report(animal.row(SLUG, row.id, "date"), values);
        }
    }
}

fn calving_number_gap(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let numbers: BTreeMap<i64, &Calving> = animal.openers().map(|row| (row.number, row)).collect();
    for (before, (number, row)) in numbers.keys().zip(numbers.iter().skip(1)) {
        if *number > before + 1 {
            let values = [("before", (*before).into()), ("number", (*number).into())];
            reporter.report(animal.row(SLUG, row.id, "number"), values);
        }
    }
}

fn calf_birth_vs_calving(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    for row in animal.births() {
        for calf in row.calves.iter().filter_map(|id| context.kin(Some(*id))) {
            if let Some(birth) = calf.birth.filter(|birth| *birth != row.day) {
                let values = [("calf", calf.called().into()), ("birth", birth.into()), ("day", row.day.into())];
                reporter.resting_on([(calf.id, Visibility::Row)]).report(animal.row(SLUG, row.id, "calves"), values);
            }
        }
    }
}

fn twins_mismatch(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let near = reporter.days(Key::DuplicateDays);
    let births = animal.children.iter().filter_map(|id| context.kin(Some(*id)));
    let mut births: Vec<(Day, i64)> =
        births.filter(|child| !child.embryo).filter_map(|child| Some((child.birth?, child.id))).collect();
    births.sort_unstable();
    for row in animal.births() {
        let Some(declared) = row.declared else {
            continue;
        };
        let from = births.partition_point(|(birth, _)| birth.plus(near) < row.day);
        let to = births.partition_point(|(birth, _)| *birth <= row.day.plus(near));
        let born = births.get(from..to).filter(|_| !row.embryo);
        let children = born.unwrap_or_default();
        let born = whole(children.len());
        let calves = whole(row.calves.len().max(row.progeny.len()));
        let counted = row.counted().filter(|counted| *counted != declared);
        let more = Some(born.max(calves)).filter(|more| *more > declared);
        if let Some(counted) = counted.or(more) {
            let values = [("declared", declared.into()), ("counted", counted.into())];
            let more_children = row.counted() != Some(counted) && born > calves;
            let others = children.iter().filter(|_| more_children);
            let others = others.map(|(_, child)| (*child, Visibility::Card));
            reporter.resting_on(others).report(animal.row(SLUG, row.id, "result"), values);
        }
    }
}

fn gestation_implausible(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let note = (reporter.limit(Key::GestNoteMin), reporter.limit(Key::GestNoteMax));
    let fix = (reporter.limit(Key::GestFixMin), reporter.limit(Key::GestFixMax));
    for row in animal.births() {
        let days = row.served.map(|served| row.day.since(served)).or(row.gestation).map(|days| (days, row.embryo));
        let Some((days, embryo)) = days.or_else(|| carried(animal, row)) else { continue };
        let days = if embryo { days + EMBRYO_DAYS } else { days };
        let outside = |(low, high): (f64, f64)| !(low..=high).contains(&exact(days));
        if outside(note) || outside(fix) {
            let values = [("days", days.into()), ("low", note.0.into()), ("high", note.1.into())];
            reporter.grave(outside(fix), animal.row(SLUG, row.id, "date"), values);
        }
    }
}

/// Days since the last service before a calving by which the cow was found in calf, and whether it was of an embryo.
fn carried(animal: &Animal, calving: &Calving) -> Option<(i64, bool)> {
    let ended = animal.calvings.iter().filter(|row| row.kind != CalvingKind::DryOff && row.day < calving.day);
    let ended = ended.map(|row| row.day).max();
    let open = animal.services.iter().filter(|row| row.day < calving.day && ended.is_none_or(|ended| row.day > ended));
    let last = open.max_by_key(|row| (row.day, row.embryo)).filter(|row| row.pregnant && row.end.is_none())?;
    Some((calving.day.since(last.day), last.embryo))
}

fn calf_count_mismatch(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::CalvesMax);
    for row in animal.births() {
        let calves = whole(row.calves.len().max(row.progeny.len()));
        let counted = row.counted();
        let most = counted.unwrap_or(calves);
        if calves > most || exact(most) > limit {
            let values = [("named", calves.into()), ("counted", most.into()), ("limit", limit.into())];
            reporter.report(animal.row(SLUG, row.id, "calves"), values);
        }
    }
}

fn hard_calving_no_care(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let helped = |row: &&Calving| row.kind != CalvingKind::DryOff && row.ease == Some(Ease::Veterinary);
    for row in animal.calvings.iter().filter(helped) {
        let from = animal.health.partition_point(|event| event.day.plus(CARE_DAYS) < row.day);
        let next = animal.health.get(from);
        if next.is_none_or(|event| event.day > row.day.plus(CARE_DAYS)) {
            reporter.report(animal.row(SLUG, row.id, "ease"), []);
        }
    }
}

fn birth_weight_implausible(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (low, high) = (reporter.limit(Key::BirthWeightMin), reporter.limit(Key::BirthWeightMax));
    let values = |weight: f64| [("weight", weight.into()), ("low", low.into()), ("high", high.into())];
    for row in animal.births() {
        // The weight of the calving is the mean of those of its progeny.
        let single = row.calf_weight.filter(|_| row.progeny.is_empty()).map(|weight| ("calfWeight", weight));
        let each = row.progeny.iter().filter_map(|calf| Some(("progeny", calf.weight?)));
        for (path, weight) in single.into_iter().chain(each) {
            if !(low..=high).contains(&weight) {
                reporter.report(animal.row(SLUG, row.id, path), values(weight));
            }
        }
    }
    for row in animal.weighings.iter().filter(|row| row.at_birth) {
        if !(low..=high).contains(&row.weight) {
            let place = animal.row("weighings", row.id, "weight");
            reporter.report(place, values(row.weight));
        }
    }
}

fn whole(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

//! Checks of the identity of an animal.

use super::rfid::{RfidFault, check_rfid};
use crate::check::{Check, Rule};
use crate::finding::Visibility;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Animal, Book, Context, Number, NumberKind, Passport};
use std::collections::BTreeMap;

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("no-birth-date", Rule::Animal(no_birth_date))
        .row()
        .means("The birth date is empty. Archived ancestors, known by name only, need none.")
        .says("The birth date is missing.", "Не указана дата рождения."),
    Check::fix("birth-in-future", Rule::Animal(birth_in_future))
        .row()
        .refuses()
        .means("The animal is born later than tomorrow; a day is left for other time zones.")
        .says("The birth date {birth} lies in the future.", "Дата рождения {birth} в будущем."),
    Check::note("no-breed", Rule::Animal(no_breed))
        .row()
        .means("The breed is empty. Archived ancestors need none.")
        .says("The breed is missing.", "Не указана порода."),
    Check::fix("blood-out-of-range", Rule::Animal(blood_out_of_range))
        .row()
        .refuses()
        .means("The share of blood lies outside 0 to 100 %.")
        .says("The share of blood is {blood} %; possible are 0 to 100.", "Кровность {blood} %; возможно от 0 до 100."),
    Check::note("duplicate-ear-tag", Rule::Book(duplicate_ear_tag))
        .means("Two animals of the book have the same ear tag; upper and lower case and spaces do not count.")
        .says(
            "The ear tag {number} is also that of another animal ({count} in all).",
            "Ушной номер {number} есть и у другого животного (всего {count}).",
        ),
    Check::note("inventory-number-shared", Rule::Herd(super::herd::inventory_number_shared))
        .means("Two living animals of one herd have the same inventory number.")
        .says(
            "The inventory number {number} is also that of another animal of the herd ({count} in all).",
            "Инвентарный номер {number} есть и у другого животного стада (всего {count}).",
        ),
    Check::fix("ident-shared", Rule::Book(ident_shared))
        .means("Two animals of the book have the same chip number, UNSM or key of the state register.")
        .says(
            "The number {number} is also that of another animal ({count} in all).",
            "Номер {number} есть и у другого животного (всего {count}).",
        ),
    Check::fix("rfid-invalid", Rule::Animal(rfid_invalid))
        .row()
        .means("The chip number is no code of ISO 11784: 15 digits, of which the first three are a country (ISO 3166) or a manufacturer (900 to 998) and the other twelve are at most 2^38 − 1. 999 marks test chips.")
        .says("The chip number {number} is not valid: {english}.", "Номер чипа {number} неверен: {russian}."),
    Check::note("international-id-mismatch", Rule::Animal(international_id_mismatch))
        .row()
        .means("The international number differs from the one that breed, country, sex and number make.")
        .says(
            "The international number is {written}; breed, country, sex and number make {expected}.",
            "Международный номер {written}; по породе, стране, полу и номеру он {expected}.",
        ),
    Check::note("animal-duplicate", Rule::Animal(animal_duplicate))
        .limits(&[Key::DuplicateDays])
        .means("Two animals of one mother and one sex are born within *duplicateDays*, and the mother has no calving of two or more calves then. Calves of embryos are left out. Reported for the later record.")
        .says(
            "{other} has the same mother and sex and is born on {birth}: it may be the same animal.",
            "У {other} та же мать и тот же пол, дата рождения {birth}: возможно, это то же животное.",
        ),
    Check::fix("improver-sum", Rule::Animal(improver_sum))
        .row()
        .refuses()
        .means("The shares of the improving breeds exceed 100 % together.")
        .says("The improving breeds make {sum} % together.", "Доли улучшающих пород вместе {sum} %."),
];

fn no_birth_date(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    if animal.passport.birth.is_none() && !animal.passport.archived {
        reporter.report(animal.at("birthDate"), []);
    }
}

fn birth_in_future(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let latest = reporter.today().plus(1);
    if let Some(birth) = animal.passport.birth.filter(|birth| *birth > latest) {
        reporter.report(animal.at("birthDate"), [("birth", birth.into())]);
    }
}

fn no_breed(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    if animal.passport.breed.is_none() && !animal.passport.archived {
        reporter.report(animal.at("breed"), []);
    }
}

fn blood_out_of_range(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let outside = |blood: &f64| !(0.0..=100.0).contains(blood);
    if let Some(blood) = animal.passport.blood.filter(outside) {
        reporter.report(animal.at("bloodPercent"), [("blood", blood.into())]);
    }
}

fn improver_sum(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let sum: f64 = animal.passport.improvers.iter().flatten().sum();
    if sum > 100.0 {
        reporter.report(animal.at("improvers.share2"), [("sum", sum.into())]);
    }
}

fn rfid_invalid(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let Some(number) = &animal.passport.chip_number else {
        return;
    };
    let Err(fault) = check_rfid(number, |code| context.countries.contains(&code)) else {
        return;
    };
    let russian = match fault {
        RfidFault::Shape => "нужно 15 цифр",
        RfidFault::Test => "999 обозначает учебные чипы",
        RfidFault::Prefix => "первые три цифры не код страны и не код изготовителя",
        RfidFault::TooLarge => "национальная часть больше 274877906943",
    };
    let values = [
        ("number", number.as_str().into()),
        ("english", fault.to_string().as_str().into()),
        ("russian", russian.into()),
    ];
    reporter.report(animal.at("altIds.chipNumber"), values);
}

fn international_id_mismatch(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let passport = &animal.passport;
    let both = passport.international_id.as_deref().zip(passport.expected_international_id.as_deref());
    if let Some((written, expected)) = both.filter(|(written, expected)| written != expected) {
        let values = [("written", written.into()), ("expected", expected.into())];
        reporter.report(animal.at("altIds.internationalId"), values);
    }
}

fn animal_duplicate(mother: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let days = reporter.days(Key::DuplicateDays);
    for children in by_birth(mother, context).chunk_by(|a, b| a.male == b.male) {
        for pair in children.windows(2) {
            let [first, second] = pair else { continue };
            let (Some(a), Some(b)) = (first.birth, second.birth) else {
                continue;
            };
            let twins = mother.births().any(|calving| {
                let near = |day| calving.day.since(day).abs() <= days;
                calving.several() && (near(a) || near(b))
            });
            if b.since(a) <= days && !twins {
                let (later, other) = if first.id > second.id { (first, second) } else { (second, first) };
                let born = other.birth.unwrap_or_default();
                let values = [("other", other.called().into()), ("birth", born.into())];
                let others = [(other.id, Visibility::Card), (mother.passport.id, Visibility::Events)];
                reporter.resting_on(others).report(later.at("birthDate"), values);
            }
        }
    }
}

/// The children that she carried herself and whose birth is known, by sex and day.
fn by_birth<'a>(mother: &Animal, context: &'a Context) -> Vec<&'a Passport> {
    let children = mother.children.iter().filter_map(|id| context.kin(Some(*id)));
    let mut children: Vec<&Passport> = children.filter(|child| child.birth.is_some() && !child.embryo).collect();
    children.sort_by_key(|child| (child.male, child.birth, child.id));
    children
}

fn duplicate_ear_tag(book: &Book, reporter: &mut Reporter<'_>) {
    shared(book, reporter, |number| number.kind == NumberKind::EarTag);
}

fn ident_shared(book: &Book, reporter: &mut Reporter<'_>) {
    shared(book, reporter, |number| number.kind != NumberKind::EarTag);
}

fn shared(book: &Book, reporter: &mut Reporter<'_>, of: impl Fn(&Number) -> bool) {
    let mut animals: BTreeMap<(NumberKind, String), Vec<&Number>> = BTreeMap::new();
    for number in book.numbers.iter().filter(|number| of(number)) {
        let value = number.value.split_whitespace().collect::<String>().to_lowercase();
        if !value.is_empty() {
            animals.entry((number.kind, value)).or_default().push(number);
        }
    }
    for numbers in animals.values().filter(|numbers| numbers.len() > 1) {
        for number in numbers {
            let place = Passport { id: number.animal, ..Passport::default() }.at(number.kind.path());
            let values = [("number", number.value.as_str().into()), ("count", numbers.len().into())];
            let others = numbers.iter().map(|other| other.animal);
            reporter.resting_on_all(others, Visibility::Card).report(place, values);
        }
    }
}

//! Checks of lactations.

use crate::check::{Check, Rule};
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{AgeGroup, Animal, Context, Lactation};

/// How far kilograms of fat may be from milk and percent, in percent.
const FAT_SHARE: f64 = 10.0;

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("milk-implausible", Rule::Animal(milk_implausible))
        .row()
        .limits(&[Key::MilkMin, Key::MilkMax])
        .means("The milk of 305 days of a lactation lies outside *milkMin* to *milkMax*; without it, that of a reported lactation.")
        .says("Lactation {number}: milk {value} kg; usual are {low} to {high}.", "Лактация {number}: молоко {value} кг; обычно от {low} до {high}."),
    Check::fix("fat-implausible", Rule::Animal(fat_implausible))
        .row()
        .limits(&[Key::FatMin, Key::FatMax])
        .means("The fat of a lactation lies outside *fatMin* to *fatMax*.")
        .says("Lactation {number}: fat {value} %; usual are {low} to {high}.", "Лактация {number}: жир {value} %; обычно от {low} до {high}."),
    Check::fix("protein-implausible", Rule::Animal(protein_implausible))
        .row()
        .limits(&[Key::ProteinMin, Key::ProteinMax])
        .means("The protein of a lactation lies outside *proteinMin* to *proteinMax*.")
        .says("Lactation {number}: protein {value} %; usual are {low} to {high}.", "Лактация {number}: белок {value} %; обычно от {low} до {high}."),
    Check::fix("bull-own-production", Rule::Animal(bull_own_production))
        .row()
        .means("A male animal has lactations or a yield of its own.")
        .says("A male animal has milk of its own.", "У самца указана собственная продуктивность."),
    Check::note("fat-kg-mismatch", Rule::Animal(fat_kg_mismatch))
        .row()
        .means("The fat of a lactation in kilograms is more than 10 % away from milk times percent; where the milk of the lactation and of 305 days differ, from both.")
        .says("Lactation {number}: fat {written} kg; milk and percent make {computed} kg.", "Лактация {number}: жир {written} кг; по молоку и проценту {computed} кг."),
    Check::fix("age-group-vs-sex", Rule::Animal(age_group_vs_sex))
        .row()
        .means("A female animal is in the group of bulls, or a male one in a group of heifers or cows.")
        .says("The age group does not fit the sex.", "Возрастная группа не подходит полу."),
    Check::fix("production-before-calving", Rule::Animal(production_before_calving))
        .means("A milk test is before the first recorded calving, or there is none. Cows whose first recorded calving is not number 1 were bought with their milk; what is before it is not asked.")
        .says("A milk test of {day} without a calving before it.", "Контрольная дойка {day} без отёла до неё."),
];

fn each(
    animal: &Animal,
    reporter: &mut Reporter<'_>,
    (low, high): (Key, Key),
    path: &'static str,
    value: impl Fn(&Lactation) -> Option<f64>,
) {
    let (low, high) = (reporter.limit(low), reporter.limit(high));
    for lactation in &animal.passport.lactations {
        if let Some(value) = value(lactation).filter(|value| !(low..=high).contains(value)) {
            let values = [
                ("number", lactation.number.into()),
                ("value", value.into()),
                ("low", low.into()),
                ("high", high.into()),
            ];
            reporter.report(animal.at(path), values);
        }
    }
}

ranges! {
    // A computed lactation without a value of 305 days is open, or has one test.
    milk_implausible: MilkMin, MilkMax, "lactations.milk305", |l| l.milk305.or(l.milk.filter(|_| l.reported));
    fat_implausible: FatMin, FatMax, "lactations.fat305", |l| l.fat;
    protein_implausible: ProteinMin, ProteinMax, "lactations.protein305", |l| l.protein;
}

fn bull_own_production(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let passport = &animal.passport;
    if passport.male && (passport.own_yield || !passport.lactations.is_empty()) {
        let path = if passport.lactations.is_empty() { "summary" } else { "lactations" };
        reporter.report(animal.at(path), []);
    }
}

fn fat_kg_mismatch(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    for lactation in &animal.passport.lactations {
        let Some((written, percent)) = lactation.fat_kg.zip(lactation.fat) else {
            continue;
        };
        let computed = [lactation.milk, lactation.milk305].into_iter().flatten();
        let computed: Vec<f64> = computed.map(|milk| milk * percent / 100.0).collect();
        let off = |computed: &f64| (written - computed).abs() > computed * FAT_SHARE / 100.0;
        if let Some(nearest) = computed.first().filter(|_| computed.iter().all(off)) {
            let values =
                [("number", lactation.number.into()), ("written", written.into()), ("computed", (*nearest).into())];
            reporter.report(animal.at("lactations.fatKg"), values);
        }
    }
}

fn age_group_vs_sex(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let wrong = if animal.passport.male { AgeGroup::Female } else { AgeGroup::Bull };
    if animal.passport.age_group == Some(wrong) {
        reporter.report(animal.at("ageGroup"), []);
    }
}

fn production_before_calving(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let first = animal.openers().next();
    if first.is_some_and(|calving| calving.number > 1) {
        return;
    }
    let before = |day| first.is_none_or(|calving| day < calving.day);
    for test in animal.tests.iter().filter(|test| !test.coded && before(test.day)) {
        let values = [("day", test.day.into())];
        reporter.report(animal.row("milk-tests", test.id, "date"), values);
    }
}

//! Checks of milk tests.

use crate::check::{Check, Rule};
use crate::day::{Day, exact};
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Animal, Context, MilkTest};

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("test-milk-range", Rule::Animal(test_milk_range))
        .row()
        .limits(&[Key::TestMilkMin, Key::TestMilkMax])
        .means("The milk of 24 hours lies outside *testMilkMin* to *testMilkMax*, the usual limits of ICAR.")
        .says("Milk {value} kg; possible are {low} to {high}.", "Удой {value} кг; возможно от {low} до {high}."),
    Check::fix("test-fat-range", Rule::Animal(test_fat_range))
        .row()
        .limits(&[Key::TestFatMin, Key::TestFatMax])
        .means("The fat of a test lies outside *testFatMin* to *testFatMax*, the usual limits of ICAR.")
        .says("Fat {value} %; possible are {low} to {high}.", "Жир {value} %; возможно от {low} до {high}."),
    Check::fix("test-protein-range", Rule::Animal(test_protein_range))
        .row()
        .limits(&[Key::TestProteinMin, Key::TestProteinMax])
        .means("The protein of a test lies outside *testProteinMin* to *testProteinMax*, the usual limits of ICAR.")
        .says("Protein {value} %; possible are {low} to {high}.", "Белок {value} %; возможно от {low} до {high}."),
    Check::note("fat-protein-ratio", Rule::Animal(fat_protein_ratio))
        .row()
        .limits(&[Key::RatioMin, Key::RatioMax])
        .means("Fat divided by protein lies outside *ratioMin* to *ratioMax*: the columns may be exchanged, or the cow is ill.")
        .says("Fat to protein is {value}; usual are {low} to {high}.", "Отношение жира к белку {value}; обычно от {low} до {high}."),
    Check::note("lactose-range", Rule::Animal(lactose_range))
        .row()
        .limits(&[Key::LactoseMin, Key::LactoseMax])
        .means("The lactose lies outside *lactoseMin* to *lactoseMax*.")
        .says("Lactose {value} %; usual are {low} to {high}.", "Лактоза {value} %; обычно от {low} до {high}."),
    Check::both("cells-range", Rule::Animal(cells_range))
        .row()
        .limits(&[Key::CellsNote, Key::CellsMax])
        .means("The somatic cells are above *cellsNote*; above *cellsMax*, what instruments count, they must be corrected.")
        .says("{value} thousand somatic cells/ml; usual are at most {high}.", "Соматических клеток {value} тыс./мл; обычно не более {high}."),
    Check::note("urea-range", Rule::Animal(urea_range))
        .row()
        .limits(&[Key::UreaMin, Key::UreaMax])
        .means("The urea lies outside *ureaMin* to *ureaMax*.")
        .says("Urea {value} mg/100 ml; usual are {low} to {high}.", "Мочевина {value} мг/100 мл; обычно от {low} до {high}."),
    Check::note("test-deviation", Rule::Animal(test_deviation))
        .limits(&[Key::DeviationLow, Key::DeviationHigh])
        .means("The milk lies outside *deviationLow* to *deviationHigh* times what the tests before and after it in the same lactation predict, on a straight line between them. Where the test beside it agrees with it by the same limits and the other one, the first or the last of the lactation, does not, that one is meant.")
        .says(
            "Milk {value} kg; the tests beside it predict {predicted}, usual are {low} to {high}.",
            "Удой {value} кг; по соседним контролям {predicted}, обычно от {low} до {high}.",
        ),
    Check::note("test-gap", Rule::Animal(test_gap))
        .limits(&[Key::TestGapMin, Key::TestGapMax])
        .means("The gap to the test before in the same lactation, of the same source, lies outside *testGapMin* to *testGapMax*.")
        .says("{days} {days:day/days} after the test before; usual are {low} to {high}.", "{days} {days:день/дня/дней} после предыдущего контроля; обычно от {low} до {high}."),
    Check::note("official-test-in-withdrawal", Rule::Animal(official_test_in_withdrawal))
        .means("An official test lies between a treatment and the end of its withdrawal of milk.")
        .says("The milk is withdrawn until {until} after the treatment of {treated}.", "Запрет на молоко до {until} после лечения {treated}."),
];

/// Of the group of reproduction: it asks for the calving.
pub(crate) const OUTSIDE: &[Check] = &[
    Check::note("milk-test-outside-lactation", Rule::Animal(milk_test_outside_lactation))
        .limits(&[Key::DimMin, Key::DimMax])
        .means("A milk test lies before day *dimMin* or after day *dimMax* of the lactation, or after drying off. Before the first calving it is *production-before-calving*.")
        .says("Milk test on day {dim} after the calving of {calved}, {english}.", "Контрольная дойка на {dim}-й день после отёла {calved}, {russian}."),
];

const SLUG: &str = "milk-tests";

fn milk_test_outside_lactation(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (low, high) = (reporter.limit(Key::DimMin), reporter.limit(Key::DimMax));
    for test in animal.tests.iter().filter(|test| !test.coded) {
        let Some(calving) = animal.calving_before(test.day) else {
            continue;
        };
        let dim = test.day.since(calving.day);
        let words = if animal.dried_off(calving.day, test.day).is_some() {
            ("after drying off", "после запуска")
        } else if exact(dim) < low {
            ("too early for a test", "слишком рано для контроля")
        } else if exact(dim) > high {
            ("later than a lactation lasts", "позже, чем длится лактация")
        } else {
            continue;
        };
        let values = [
            ("dim", dim.into()),
            ("calved", calving.day.into()),
            ("english", words.0.into()),
            ("russian", words.1.into()),
        ];
        reporter.report(animal.row(SLUG, test.id, "date"), values);
    }
}

fn each(
    animal: &Animal,
    reporter: &mut Reporter<'_>,
    (low, high): (Key, Key),
    path: &'static str,
    value: impl Fn(&MilkTest) -> Option<f64>,
) {
    let (low, high) = (reporter.limit(low), reporter.limit(high));
    for test in &animal.tests {
        if let Some(value) = value(test).filter(|value| !(low..=high).contains(value)) {
            let values = [("value", value.into()), ("low", low.into()), ("high", high.into())];
            reporter.report(animal.row(SLUG, test.id, path), values);
        }
    }
}

ranges! {
    test_milk_range: TestMilkMin, TestMilkMax, "milkYield", |t| t.milk.filter(|_| !t.coded);
    test_fat_range: TestFatMin, TestFatMax, "fatPercent", |t| t.fat;
    test_protein_range: TestProteinMin, TestProteinMax, "proteinPercent", |t| t.protein;
    fat_protein_ratio: RatioMin, RatioMax, "fatPercent", |t| Some(t.fat? / t.protein.filter(|p| *p > 0.0)?);
    lactose_range: LactoseMin, LactoseMax, "lactosePercent", |t| t.lactose;
    urea_range: UreaMin, UreaMax, "urea", |t| t.urea;
}

fn cells_range(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (note, fix) = (reporter.limit(Key::CellsNote), reporter.limit(Key::CellsMax));
    for test in &animal.tests {
        if let Some(cells) = test.cells.filter(|cells| *cells > note.min(fix)) {
            let values = [("value", cells.into()), ("high", note.into())];
            let place = animal.row(SLUG, test.id, "somaticCells");
            reporter.grave(cells > fix, place, values);
        }
    }
}

type Tests<'a> = Vec<(&'a MilkTest, f64)>;

/// Tests of one day and the next in the same lactation that have milk; one of each day.
fn by_lactation(animal: &Animal, of: impl Fn(&MilkTest) -> bool) -> Vec<Tests<'_>> {
    let mut lactations: Vec<(Option<Day>, Tests<'_>)> = Vec::new();
    let mut calvings = animal.openers().peekable();
    let mut calved = None;
    for test in animal.tests.iter().filter(|test| !test.coded && of(test)) {
        while let Some(calving) = calvings.next_if(|calving| calving.day <= test.day) {
            calved = Some(calving.day);
        }
        let Some(milk) = test.milk else { continue };
        match lactations.last_mut().filter(|(of, _)| *of == calved) {
            Some((_, tests)) if tests.last().is_some_and(|(last, _)| last.day == test.day) => {}
            Some((_, tests)) => tests.push((test, milk)),
            None => lactations.push((calved, vec![(test, milk)])),
        }
    }
    lactations.into_iter().map(|(_, tests)| tests).collect()
}

fn test_deviation(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (low, high) = (reporter.limit(Key::DeviationLow), reporter.limit(Key::DeviationHigh));
    let fits = |milk: f64, predicted: f64| milk >= predicted * low && milk <= predicted * high;
    for tests in by_lactation(animal, |_| true) {
        let windows = tests.len().saturating_sub(2);
        for (place, three) in tests.windows(3).enumerate() {
            let [(before, first), (test, milk), (after, last)] = three else {
                continue;
            };
            let (first, milk, last) = (*first, *milk, *last);
            let share = exact(test.day.since(before.day)) / exact(after.day.since(before.day));
            let predicted = first + (last - first) * share;
            if fits(milk, predicted) {
                continue;
            }
            // A wrong test at an end must not make its neighbour look wrong.
            let (test, milk, predicted) = match (fits(milk, first), fits(milk, last)) {
                (true, false) if place + 1 == windows && !fits(last, milk) => (after, last, milk),
                (false, true) if place == 0 && !fits(first, milk) => (before, first, milk),
                _ => (test, milk, predicted),
            };
            let values = [
                ("value", milk.into()),
                ("predicted", predicted.into()),
                ("low", (predicted * low).into()),
                ("high", (predicted * high).into()),
            ];
            reporter.report(animal.row(SLUG, test.id, "milkYield"), values);
        }
    }
}

fn test_gap(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (low, high) = (reporter.limit(Key::TestGapMin), reporter.limit(Key::TestGapMax));
    let mut sources: Vec<u8> = animal.tests.iter().map(|test| test.source).collect();
    sources.sort_unstable();
    sources.dedup();
    for source in sources {
        for tests in by_lactation(animal, |test| test.source == source) {
            for pair in tests.windows(2) {
                let [(before, _), (test, _)] = pair else {
                    continue;
                };
                let days = test.day.since(before.day);
                if !(low..=high).contains(&exact(days)) {
                    let values = [("days", days.into()), ("low", low.into()), ("high", high.into())];
                    reporter.report(animal.row(SLUG, test.id, "date"), values);
                }
            }
        }
    }
}

fn official_test_in_withdrawal(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    // The treatment whose withdrawal lasts longest so far.
    let mut longest: Option<(Day, Day)> = None;
    let mut treatments = animal.health.iter().peekable();
    for test in &animal.tests {
        while let Some(event) = treatments.next_if(|event| event.day <= test.day) {
            let until = event.milk_withdrawal;
            if let Some(until) = until.filter(|until| longest.is_none_or(|(last, _)| *until > last)) {
                longest = Some((until, event.day));
            }
        }
        let withdrawal = longest.filter(|(until, _)| test.official && !test.coded && test.day <= *until);
        if let Some((until, treated)) = withdrawal {
            let values = [("until", until.into()), ("treated", treated.into())];
            reporter.report(animal.row(SLUG, test.id, "official"), values);
        }
    }
}

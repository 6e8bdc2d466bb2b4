//! What holds for every check: order does not matter, a milder threshold finds no more, nothing comes from nothing,
//! and what the Association sets is obeyed.

use super::world::{HERD, TODAY, World};
use crate::window::*;
use crate::{
    Check, Day, Finding, Key, Language, Run, Setting, Settings, Severity, Thresholds, Touched, Visibility, Window,
    checks,
};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Numbers that look random and are the same for the same seed.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: u64) -> i64 {
        i64::try_from(self.next() % n).unwrap()
    }

    fn shuffle<T>(&mut self, rows: &mut [T]) {
        for at in (1..rows.len()).rev() {
            let other = usize::try_from(self.next()).unwrap() % (at + 1);
            rows.swap(at, other);
        }
    }

    /// One row in four moves.
    fn day(&mut self, day: &mut Day) {
        if self.below(4) == 0 {
            let far: u64 = if self.below(3) == 0 { 900 } else { 60 };
            *day = day.plus(self.below(2 * far) - i64::try_from(far).unwrap());
        }
    }

    /// One value in four is another one, or gone.
    fn number(&mut self, value: &mut Option<f64>) {
        let factors = [0.0, 0.01, 0.3, 0.7, 1.3, 2.0, 30.0];
        match self.below(32) {
            0 => *value = None,
            n @ 1..=7 => *value = value.map(|v| v * factors[usize::try_from(n - 1).unwrap()]),
            _ => {}
        }
    }

    fn whole(&mut self, value: &mut f64) {
        let mut given = Some(*value);
        self.number(&mut given);
        *value = given.unwrap_or(*value);
    }
}

/// A book with faults all over.
fn faulty(seed: u64) -> World {
    let (mut world, mut noise) = (World::sound(), Noise(seed));
    let noise = &mut noise;
    for animal in &mut world.animals {
        spoil(noise, animal);
    }
    let kin: Vec<i64> = world.context.kin.keys().copied().collect();
    for id in kin {
        passport(noise, world.kin(id));
    }
    for row in &mut world.package.rows {
        row.day.iter_mut().for_each(|day| noise.day(day));
    }
    let cells = std::mem::take(&mut world.package.columns.cells);
    let cells = cells.into_iter().map(Some).map(|mut value| {
        noise.number(&mut value);
        value
    });
    world.package.columns.cells = cells.collect::<Vec<_>>().into_iter().flatten().collect();
    world
}

fn passport(noise: &mut Noise, passport: &mut Passport) {
    passport.birth.iter_mut().for_each(|day| {
        noise.day(day);
        if noise.below(9) == 0 {
            *day = Day::of(day.year(), 1 + noise.below(3), 1);
        }
    });
    for value in
        [&mut passport.blood, &mut passport.inbreeding, &mut passport.computed_inbreeding, &mut passport.pedigree_depth]
    {
        noise.number(value);
    }
    for lactation in &mut passport.lactations {
        for value in [&mut lactation.milk305, &mut lactation.fat, &mut lactation.fat_kg, &mut lactation.protein] {
            noise.number(value);
        }
    }
    if noise.below(7) == 0 {
        (passport.state, passport.disposal) = (State::Culled, Some(TODAY.plus(-noise.below(900))));
    }
}

fn spoil(noise: &mut Noise, animal: &mut Animal) {
    passport(noise, &mut animal.passport);
    for row in &mut animal.calvings {
        noise.day(&mut row.day);
        noise.number(&mut row.calf_weight);
        row.number += noise.below(7) / 6;
        row.counts[1] = row.counts[1].map(|n| n + noise.below(3) * noise.below(3));
        row.served.iter_mut().for_each(|day| noise.day(day));
        if noise.below(3) == 0 {
            row.ease = Some(Ease::Veterinary);
        }
    }
    for row in &mut animal.services {
        noise.day(&mut row.day);
        row.checked.iter_mut().for_each(|day| noise.day(day));
        noise.number(&mut row.expected_inbreeding);
    }
    let copies: Vec<Service> = animal.services.clone();
    animal.services.extend(copies.into_iter().map(|row| Service {
        id: row.id + 1_000,
        day: row.day.plus(noise.below(30)),
        ..row
    }));
    for row in &mut animal.tests {
        noise.day(&mut row.day);
        for value in [&mut row.milk, &mut row.fat, &mut row.protein, &mut row.lactose, &mut row.cells, &mut row.urea] {
            noise.number(value);
        }
        row.source = u8::try_from(noise.below(20) / 18).unwrap();
    }
    for row in &mut animal.weighings {
        noise.day(&mut row.day);
        noise.whole(&mut row.weight);
    }
    for row in &mut animal.visits {
        row.at += noise.below(7_000) - 3_500;
        noise.whole(&mut row.milk);
    }
    for row in &mut animal.dailies {
        noise.whole(&mut row.milk);
    }
    for row in &mut animal.health {
        noise.day(&mut row.day);
        row.milk_withdrawal.iter_mut().for_each(|day| noise.day(day));
        row.meat_withdrawal.iter_mut().for_each(|day| noise.day(day));
    }
    for row in &mut animal.movements {
        noise.day(&mut row.day);
        (row.pending, row.recorded) = (noise.below(2) == 0, TODAY.plus(-noise.below(40)));
        row.weight = Some(crate::day::exact(noise.below(2_000)));
        row.for_meat = noise.below(2) == 0;
        row.reason =
            [Leaving::Any, Leaving::Cow, Leaving::Breeding, Leaving::Old][usize::try_from(noise.below(4)).unwrap()];
    }
    for row in &mut animal.evaluations {
        row.percentile = Some(crate::day::exact(noise.below(100)));
        row.forecasts.iter_mut().for_each(|(_, value)| noise.whole(value));
    }
    for row in &mut animal.exteriors {
        noise.day(&mut row.day);
        row.final_score = Some(crate::day::exact(80 + noise.below(17)));
    }
    for row in &mut animal.gradings {
        row.score = Some(crate::day::exact(40 + noise.below(60)));
    }
}

/// As people read them: sums of the same numbers in another order differ by less than is written.
fn sorted(findings: &[Finding]) -> Vec<String> {
    let line = |f: &Finding| format!("{} {:?} {:?} {}", f.code, f.place, f.severity, f.text(Language::English));
    let mut lines: Vec<String> = findings.iter().map(line).collect();
    lines.sort();
    lines
}

/// Rows in any order of their days; those of a day stay as they are read, in the order of their content.
macro_rules! in_any_order_of_days {
    ($noise:ident, $animal:ident, $($rows:ident $day:ident),*) => {$(
        let mut of_days: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        for row in &$animal.$rows {
            of_days.entry(row.$day).or_default().push_back(row.clone());
        }
        $noise.shuffle(&mut $animal.$rows);
        let mut next = |day| of_days.get_mut(&day).unwrap().pop_front().unwrap();
        $animal.$rows.iter_mut().for_each(|row| *row = next(row.$day));
    )*};
}

fn shuffled(mut world: World, seed: u64) -> World {
    let mut noise = Noise(seed);
    noise.shuffle(&mut world.animals);
    for animal in &mut world.animals {
        noise.shuffle(&mut animal.children);
        in_any_order_of_days!(
            noise, animal, calvings day, services day, weighings day, visits at, dailies day, health day,
            others day, movements day
        );
        noise.shuffle(&mut animal.tests);
        noise.shuffle(&mut animal.passport.lactations);
    }
    noise.shuffle(&mut world.book.numbers);
    noise.shuffle(&mut world.book.parents);
    noise.shuffle(&mut world.package.rows);
    noise.shuffle(&mut world.package.columns.cells);
    world
}

/// Which way a threshold is milder.
enum Milder {
    Higher,
    Lower,
}

/// How a threshold acts on a check; none where it only chooses between two ways to be wrong.
fn milder(check: &Check, key: Key) -> Option<Milder> {
    use Milder::{Higher, Lower};
    let name = key.fact().key;
    match (check.code, key) {
        // What is one calving for the one is two for the other; a class that is too high for some points is right for more.
        ("grade-vs-score" | "animal-duplicate" | "siblings-too-close" | "twins-mismatch", Key::DuplicateDays) => None,
        ("grade-vs-score", _) => None,
        // A longer window of gestation finds another service, or keeps a pregnancy open.
        ("father-vs-insemination" | "service-while-pregnant", _) => None,
        // Which tests follow each other, and which cows are in milk.
        ("herd-test-coverage", Key::DimMin | Key::TestGapMax) => None,
        // A column is suspect below the one and above the other.
        (_, Key::CoverageMin | Key::DepthMin | Key::VoluntaryWaitDays | Key::RepeatServiceDays) => Some(Lower),
        (_, Key::ServiceNoteDays | Key::ServiceFixDays | Key::VisitGapMinutes | Key::DeviationLow) => Some(Lower),
        _ if name.contains("Min") && key != Key::HerdMin => Some(Lower),
        _ => Some(Higher),
    }
}

/// Findings, those to be fixed counted twice.
fn weight(world: &World, code: &str, limits: Thresholds) -> usize {
    let world = World { limits, ..world.clone() };
    let findings = world.of(code);
    findings.iter().map(|f| if f.severity == Severity::Fix { 2 } else { 1 }).sum()
}

/// The collections of rows of an animal.
const COLLECTIONS: [&str; 12] = [
    "calvings",
    "inseminations",
    "milk-tests",
    "weighings",
    "milking-visits",
    "daily-milkings",
    "health-events",
    "events",
    "movements",
    "animal-evaluations",
    "animal-exteriors",
    "gradings",
];

/// An animal without the rows of some collections; without `animals` without its children.
fn without(mut animal: Animal, out: impl Fn(&str) -> bool) -> Animal {
    macro_rules! drop_rows {
        ($($slug:literal $rows:ident,)*) => {
            $(if out($slug) { animal.$rows.clear(); })*
        };
    }
    drop_rows! {
        "animals" children, "calvings" calvings, "inseminations" services, "milk-tests" tests,
        "weighings" weighings, "milking-visits" visits, "daily-milkings" dailies,
        "health-events" health, "events" others, "movements" movements,
        "animal-evaluations" evaluations, "animal-exteriors" exteriors, "gradings" gradings,
    }
    animal
}

proptest! {
    // A file of former failures would be a member of the workspace, `src/*`.
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_rows_does_not_matter(seed in any::<u64>(), order in any::<u64>()) {
        let world = faulty(seed);
        let (as_is, otherwise) = (sorted(&world.clone().run()), sorted(&shuffled(world, order).run()));
        let differ: Vec<&String> = (as_is.iter().filter(|f| !otherwise.contains(f)))
            .chain(otherwise.iter().filter(|f| !as_is.contains(f)))
            .collect();
        prop_assert!(as_is == otherwise, "{differ:#?}");
    }

    #[test]
    fn a_milder_threshold_finds_no_more(seed in any::<u64>(), at in 0.0..1.0_f64, wider in 0.0..1.0_f64) {
        let world = faulty(seed);
        for check in checks() {
            for key in check.limits {
                let Some(milder) = milder(check, *key) else { continue };
                let fact = key.fact();
                let strict = fact.min + (fact.max - fact.min) * at;
                let mild = match milder {
                    Milder::Higher => strict + (fact.max - strict) * wider,
                    Milder::Lower => fact.min + (strict - fact.min) * wider,
                };
                let with = |value: f64| {
                    let mut limits = Thresholds::default();
                    limits.set(*key, value);
                    weight(&world, check.code, limits)
                };
                prop_assert!(with(mild) <= with(strict), "{} {}: {strict} to {mild}", check.code, fact.key);
            }
        }
    }

    #[test]
    fn what_is_read_for_a_write_is_all_that_its_findings_need(seed in any::<u64>()) {
        let mut world = faulty(seed);
        let run = Run::new(TODAY, &Settings::default(), Thresholds::default());
        for animal in &mut world.animals {
            animal.sort();
        }
        for slug in COLLECTIONS {
            let touched = Touched::by([slug]);
            let mut context = world.context.clone();
            if !touched.reads("animals") {
                context.kin.clear();
            }
            let judged = |findings: &[Finding]| {
                let judged = findings.iter().filter(|f| touched.judges_place(&f.place));
                sorted(&judged.cloned().collect::<Vec<_>>())
            };
            for animal in &world.animals {
                let (mut whole, mut part) = (Vec::new(), Vec::new());
                run.animal(animal, &world.context, &mut whole);
                let read = without(animal.clone(), |of| !touched.reads(of));
                run.animal(&read, &context, &mut part);
                prop_assert_eq!(judged(&whole), judged(&part), "{}", slug);
                // What a row of the collection makes is judged when it is written.
                let mut before = Vec::new();
                run.animal(&without(animal.clone(), |of| of == slug), &world.context, &mut before);
                let others = |findings: &[Finding]| {
                    let others = findings.iter().filter(|f| !touched.judges_place(&f.place));
                    sorted(&others.cloned().collect::<Vec<_>>())
                };
                prop_assert_eq!(others(&before), others(&whole), "{}", slug);
            }
        }
    }

    #[test]
    fn a_check_of_rows_finds_the_same_in_each_row_by_itself(seed in any::<u64>()) {
        let world = faulty(seed);
        let codes: Vec<&str> = checks().filter(|c| c.window == Window::Row).map(|c| c.code).collect();
        let run = Run::new(TODAY, &Settings::default(), Thresholds::default()).only(&codes);
        let (mut whole, mut apart) = (Vec::new(), Vec::new());
        for mut animal in world.animals {
            animal.sort();
            run.animal(&animal, &world.context, &mut whole);
            for single in singles(&animal) {
                run.animal(&single, &world.context, &mut apart);
            }
        }
        let (whole, mut apart) = (sorted(&whole), sorted(&apart));
        // What is wrong with the animal itself is found with each of its rows.
        apart.dedup();
        let mut once = whole.clone();
        once.dedup();
        prop_assert_eq!(once, apart);
    }
}

/// The animal with one of its rows at a time.
fn singles(animal: &Animal) -> Vec<Animal> {
    let bare = || Animal { passport: animal.passport.clone(), children: animal.children.clone(), ..Animal::default() };
    let mut all = vec![bare()];
    macro_rules! each {
        ($($rows:ident)*) => {
            $(all.extend(animal.$rows.iter().map(|row| Animal { $rows: vec![row.clone()], ..bare() }));)*
        };
    }
    each!(calvings services tests weighings visits dailies health others movements evaluations exteriors gradings);
    all
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let run = Run::new(TODAY, &Settings::default(), Thresholds::default());
    let mut findings = Vec::new();
    run.herd(&Herd { id: HERD, animals: Vec::new() }, &mut findings);
    run.package(&Package::default(), &mut findings);
    run.book(&Book::default(), &mut findings);
    let relative = Passport { birth: Some(TODAY.plus(-900)), breed: Some(1), father: Some(1), ..Passport::default() };
    run.animal(&Animal { passport: relative, ..Animal::default() }, &Context::default(), &mut findings);
    assert_eq!(findings, []);
}

#[test]
fn the_faulty_book_has_most_kinds_of_faults() {
    let mut codes: Vec<&str> = (0..20).flat_map(|seed| faulty(seed).run()).map(|f| f.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert!(codes.len() > 60, "{} {codes:?}", codes.len());
}

#[test]
fn a_check_that_is_switched_off_finds_nothing_and_a_graded_one_what_it_is_graded() {
    let setting = |enabled, severity| Setting { enabled, severity };
    for case in super::all() {
        let mut world = super::with(case.bad);
        world.settings = Settings::from_rows([(case.code, setting(false, None)), ("nothing", setting(true, None))]);
        assert_eq!(world.of(case.code), [], "{}", case.code);
        for severity in [Severity::Note, Severity::Fix] {
            let mut world = super::with(case.bad);
            world.settings = Settings::from_rows([(case.code, setting(true, Some(severity)))]);
            assert!(world.of(case.code).iter().all(|f| f.severity == severity), "{}", case.code);
        }
    }
}

#[test]
fn small_herds_are_not_judged() {
    let mut world = World::sound();
    let size = world.animals.iter().filter(|animal| animal.passport.herd == Some(HERD)).count();
    world.limits.set(Key::HerdMin, super::super::day::exact(i64::try_from(size).unwrap() + 1));
    world.others(|animal| animal.tests.iter_mut().for_each(|test| test.milk = Some(30.0)));
    assert!(world.clone().of("values-rounded").is_empty());
    world.limits.set(Key::HerdMin, super::super::day::exact(i64::try_from(size).unwrap()));
    assert_eq!(world.of("values-rounded").len(), 1);
}

/// What is found in a world, in the order of the checks, each with the animal whose rows were looked at.
fn with_sources(world: &World) -> Vec<(Option<i64>, Finding)> {
    let run = Run::new(TODAY, &Settings::default(), Thresholds::default());
    let mut all = Vec::new();
    for animal in &world.animals {
        let mut findings = Vec::new();
        run.animal(animal, &world.context, &mut findings);
        let of = animal.passport.id;
        all.extend(findings.into_iter().map(|finding| (Some(of), finding)));
    }
    let mut findings = Vec::new();
    run.book(&world.book, &mut findings);
    all.extend(findings.into_iter().map(|finding| (None, finding)));
    all
}

/// The ancestors of an animal, by whatever row names them.
fn ancestors(world: &World, of: Option<i64>) -> BTreeSet<i64> {
    let (mut all, mut next) = (BTreeSet::new(), Vec::from_iter(of));
    while let Some(id) = next.pop() {
        let own = world.animals.iter().map(|animal| &animal.passport);
        let rows = own.chain(world.context.kin.values());
        let rows = rows.filter(|row| row.id == id);
        let book = world.book.parents.iter().filter(|row| row.animal == id);
        let parents = rows.map(|row| [row.father, row.mother]);
        let parents = parents.chain(book.map(|row| [row.father, row.mother]));
        next.extend(parents.flatten().flatten().filter(|id| all.insert(*id)));
    }
    all
}

/// A finding is the same where the book has nothing but the animals that it names: so who sees those learns nothing
/// else by it. Who an animal is, it tells of ancestors only.
fn assert_rests_on_what_it_names(world: &World) {
    for (source, finding) in with_sources(world) {
        let others: Vec<i64> = finding.others.iter().map(|(id, _)| *id).collect();
        let above = ancestors(world, finding.place.animal);
        let fits = |(id, of): &(i64, Visibility)| *of != Visibility::Identity || above.contains(id);
        assert!(finding.others.iter().all(fits), "{finding:?}");
        let is_named = |id: i64| Some(id) == finding.place.animal || others.contains(&id);
        let run = Run::new(TODAY, &Settings::default(), Thresholds::default());
        let mut repeated = Vec::new();
        match source {
            Some(id) => {
                assert!(is_named(id), "{finding:?} rests on the rows of {id}");
                let mut around = world.context.clone();
                around.kin.retain(|id, _| is_named(*id));
                let mut of = world.animals.iter().find(|a| a.passport.id == id).unwrap().clone();
                of.children.retain(|id| is_named(*id));
                run.animal(&of, &around, &mut repeated);
            }
            None => {
                let mut book = world.book.clone();
                book.numbers.retain(|number| is_named(number.animal));
                book.parents.retain(|row| is_named(row.animal));
                run.book(&book, &mut repeated);
            }
        }
        assert!(repeated.contains(&finding), "{finding:?} names {others:?}");
    }
}

#[test]
fn a_finding_of_a_case_rests_on_what_it_names() {
    for case in super::all() {
        for change in std::iter::once(case.bad).chain(case.worse) {
            assert_rests_on_what_it_names(&super::with(change));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_finding_rests_on_what_it_names(seed in any::<u64>()) {
        assert_rests_on_what_it_names(&faulty(seed));
    }
}

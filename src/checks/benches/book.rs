//! All checks over a made-up book of 100,000 animals with some 1.2 million milk tests, in memory.
//!
//! `cargo bench -p herdbook-checks`, with another number of animals as an argument. Prints the time of each window and
//! of the dearest checks, and fails if twice as many animals take more than three times as long.

use herdbook_checks::{
    Animal, Book, Calving, CalvingKind, Context, Day, Herd, MilkTest, Movement, MovementKind, Number, NumberKind,
    Package, PackageRow, Parents, Passport, Run, Service, Settings, Thresholds, Weighing, Window, checks as all_checks,
};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const ANIMALS: i64 = 100_000;
const TODAY: Day = Day::of(2025, 6, 30);
const HERD_SIZE: i64 = 400;

/// Numbers that look random and are the same in each run.
struct Noise(u64);

impl Noise {
    fn below(&mut self, n: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap_or(0) % n
    }

    fn value(&mut self, mean: f64, tenths: i64) -> f64 {
        mean + f64::from(i32::try_from(self.below(tenths)).unwrap_or(0)) / 10.0
    }
}

/// An animal: every third one a cow with two lactations, the others young or gone.
fn animal(id: i64) -> Animal {
    let mut noise = Noise(id.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let cow = id % 2 == 0;
    let birth = if cow { TODAY.plus(-1_900 - noise.below(900)) } else { TODAY.plus(-noise.below(1_200)) };
    let older = (id > 2_000).then(|| (id - 1_000 - noise.below(900)) & !1);
    let passport = Passport {
        id,
        number: format!("96{id:010}"),
        herd: Some(id / HERD_SIZE),
        birth: Some(birth),
        breed: Some(1),
        blood: Some(96.0),
        father: Some(-1 - noise.below(300)),
        mother: older,
        inventory_number: Some(id.to_string()),
        chip_number: Some(format!("643{id:012}")),
        inbreeding: Some(2.0),
        computed_inbreeding: Some(2.0),
        ..Passport::default()
    };
    let mut all = Animal { passport, ..Animal::default() };
    all.movements.push(Movement {
        id,
        day: birth.plus(40),
        kind: MovementKind::Sale,
        to: Some(1),
        applied: true,
        ..Movement::default()
    });
    for n in 0..3 {
        let day = birth.plus(n * 200);
        all.weighings.push(Weighing {
            id: id * 8 + n,
            day,
            weight: noise.value(40.0 + 150.0 * if n > 0 { 1.0 } else { 0.0 }, 300),
            at_birth: n == 0,
            sign: u8::from(n > 0),
        });
    }
    if cow {
        milked(&mut all, &mut noise);
    }
    all
}

fn milked(all: &mut Animal, noise: &mut Noise) {
    let (id, birth) = (all.passport.id, all.passport.birth.unwrap_or_default());
    for number in 1..3 {
        let day = birth.plus(740 + (number - 1) * 390 + noise.below(60));
        all.services.push(Service {
            id: id * 8 + number,
            day: day.plus(-279),
            bull: Some(-1 - noise.below(300)),
            pregnant: true,
            ..Service::default()
        });
        all.calvings.push(Calving {
            id: id * 8 + number,
            number,
            day,
            served: Some(day.plus(-279)),
            ..Calving::default()
        });
        all.calvings.push(Calving {
            id: id * 8 + number + 4,
            number,
            day: day.plus(310),
            kind: CalvingKind::DryOff,
            ..Calving::default()
        });
        for n in 0..12 {
            all.tests.push(MilkTest {
                id: id * 64 + number * 16 + n,
                day: day.plus(8 + n * 25),
                milk: Some(noise.value(24.0, 90)),
                fat: Some(noise.value(3.5, 9)),
                protein: Some(noise.value(3.1, 4)),
                cells: Some(noise.value(60.0, 3_000)),
                ..MilkTest::default()
            });
        }
    }
}

struct World {
    animals: Vec<Animal>,
    context: Context,
    book: Book,
    package: Package,
}

fn world(count: i64) -> World {
    let mut animals: Vec<Animal> = (1..=count).map(animal).collect();
    let mut context = Context::default();
    context.countries.insert(643);
    for id in -300..0 {
        let bull = Passport {
            id,
            male: true,
            birth: Some(TODAY.plus(-5_000)),
            blood: Some(100.0),
            semen: true,
            ..Passport::default()
        };
        context.kin.insert(id, bull);
    }
    let mut children: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    let mut book = Book::default();
    for animal in &animals {
        let passport = &animal.passport;
        context.kin.insert(passport.id, passport.clone());
        if let Some(mother) = passport.mother {
            children.entry(mother).or_default().push(passport.id);
        }
        book.parents.push(Parents { animal: passport.id, father: passport.father, mother: passport.mother });
        let value = passport.chip_number.clone().unwrap_or_default();
        book.numbers.push(Number { kind: NumberKind::Chip, value, animal: passport.id });
    }
    let mut package = Package { from: Some(TODAY.plus(-60)), to: Some(TODAY), ..Package::default() };
    for animal in &mut animals {
        animal.children = children.remove(&animal.passport.id).unwrap_or_default();
        animal.sort();
        for test in animal.tests.iter().take(1) {
            let row = PackageRow {
                collection: "milk-tests",
                row: test.id,
                animal: Some(animal.passport.id),
                day: Some(test.day),
                foreign: false,
            };
            package.rows.push(row);
            package.columns.milk.extend(test.milk);
            package.columns.cells.extend(test.cells);
        }
    }
    World { animals, context, book, package }
}

/// How long a run takes and how much it finds.
fn time(world: &World, run: &Run) -> (Duration, usize) {
    let mut findings = Vec::new();
    let since = Instant::now();
    for animal in &world.animals {
        run.animal(animal, &world.context, &mut findings);
    }
    for members in world.animals.chunk_by(|a, b| a.passport.herd == b.passport.herd) {
        let id = members.first().and_then(|animal| animal.passport.herd).unwrap_or(0);
        run.herd(&Herd { id, animals: members.iter().collect() }, &mut findings);
    }
    run.package(&world.package, &mut findings);
    run.book(&world.book, &mut findings);
    (since.elapsed(), findings.len())
}

fn main() -> ExitCode {
    let count = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(ANIMALS);
    let run = |codes: &[&str]| Run::new(TODAY, &Settings::default(), Thresholds::default()).only(codes);
    let codes = |window: Option<Window>| -> Vec<&str> {
        all_checks().filter(|c| window.is_none_or(|w| c.window == w)).map(|c| c.code).collect()
    };
    let (half, whole) = (world(count / 2), world(count));
    let tests: usize = whole.animals.iter().map(|animal| animal.tests.len()).sum();
    println!("{count} animals, {tests} milk tests");
    let all = run(&codes(None));
    let (took, findings) = time(&whole, &all);
    println!("all checks: {took:.2?}, {findings} findings");
    for window in [Window::Row, Window::Animal, Window::Herd, Window::Package, Window::Book] {
        let (took, findings) = time(&whole, &run(&codes(Some(window))));
        println!("  {}: {took:.2?}, {findings} findings", window.name());
    }
    let mut each: Vec<(Duration, &str, usize)> = Vec::new();
    for code in codes(None) {
        let (took, findings) = time(&whole, &run(&[code]));
        each.push((took, code, findings));
    }
    each.sort_by(|a, b| b.cmp(a));
    for (took, code, findings) in each.iter().take(10) {
        println!("  {code}: {took:.2?}, {findings} findings");
    }
    // The quickest of some runs: others work on the machine too.
    let quickest = |world: &World| (0..3).map(|_| time(world, &all).0).min().unwrap_or_default();
    let (half, whole) = (quickest(&half), quickest(&whole));
    println!("half of the animals: {half:.2?}, all: {whole:.2?}");
    if whole > half * 3 {
        eprintln!("twice as many animals take more than three times as long");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

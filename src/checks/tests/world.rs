//! A small book in which no check finds anything.

use crate::window::*;
use crate::{Day, Finding, Run, Settings, Thresholds};

/// The herd of the book.
pub(super) const HERD: i64 = 7;
/// A cow with everything; her parents, a bull, her calves.
pub(super) const COW: i64 = 1;
pub(super) const CALF: i64 = 2;
pub(super) const SECOND: i64 = 3;
pub(super) const FATHER: i64 = 10;
pub(super) const MOTHER: i64 = 11;
pub(super) const GRANDFATHER: i64 = 12;
pub(super) const BULL: i64 = 13;
/// The first of the other cows of the herd, and how many there are.
pub(super) const OTHERS: i64 = 100;
pub(super) const HERD_SIZE: i64 = 24;

pub(super) const TODAY: Day = Day::of(2025, 6, 30);

/// What a run looks at.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) animals: Vec<Animal>,
    pub(super) context: Context,
    pub(super) package: Package,
    pub(super) book: Book,
    pub(super) limits: Thresholds,
    pub(super) settings: Settings,
}

impl World {
    pub(super) fn sound() -> Self {
        let mut world = Self {
            animals: Vec::new(),
            context: Context::default(),
            package: package(),
            book: Book::default(),
            limits: Thresholds::default(),
            settings: Settings::default(),
        };
        world.context.countries.insert(643);
        let base = Base { traits: vec![("milk".to_owned(), 0.0, 257.1)] };
        world.context.bases.insert("DEMO".to_owned(), base);
        world.add(Animal { passport: bull(FATHER, Day::of(2015, 5, 1)), ..Animal::default() });
        world.add(Animal { passport: bull(GRANDFATHER, Day::of(2010, 5, 1)), ..Animal::default() });
        world.add(Animal { passport: bull(BULL, Day::of(2017, 5, 1)), ..Animal::default() });
        let mut mother = passport(MOTHER, Day::of(2015, 8, 9));
        (mother.father, mother.herd) = (Some(GRANDFATHER), None);
        world.add(Animal { passport: mother, children: vec![COW], ..Animal::default() });
        world.add(cow());
        for (id, born) in [(CALF, Day::of(2023, 9, 4)), (SECOND, Day::of(2024, 9, 20))] {
            let mut calf = passport(id, born);
            (calf.father, calf.mother) = (Some(BULL), Some(COW));
            (calf.blood, calf.pedigree_depth) = (Some(97.0), Some(3.5));
            world.add(Animal { passport: calf, ..Animal::default() });
        }
        for n in 0..HERD_SIZE {
            world.add(other(n));
        }
        let parents = world.animals.iter().map(|animal| Parents {
            animal: animal.passport.id,
            father: animal.passport.father,
            mother: animal.passport.mother,
        });
        world.book.parents = parents.collect();
        let tag = |animal: &Animal| Number {
            kind: NumberKind::EarTag,
            value: format!("RU{}", animal.passport.id),
            animal: animal.passport.id,
        };
        world.book.numbers = world.animals.iter().map(tag).collect();
        world
    }

    fn add(&mut self, animal: Animal) {
        self.context.kin.insert(animal.passport.id, animal.passport.clone());
        self.animals.push(animal);
    }

    pub(super) fn animal(&mut self, id: i64) -> &mut Animal {
        self.animals.iter_mut().find(|animal| animal.passport.id == id).unwrap()
    }

    /// The cow with everything.
    pub(super) fn cow(&mut self) -> &mut Animal {
        self.animal(COW)
    }

    /// An animal as others see it.
    pub(super) fn kin(&mut self, id: i64) -> &mut Passport {
        self.context.kin.get_mut(&id).unwrap()
    }

    /// Changes the other cows of the herd.
    pub(super) fn others(&mut self, change: impl Fn(&mut Animal)) {
        self.animals.iter_mut().filter(|animal| animal.passport.id >= OTHERS).for_each(change);
    }

    pub(super) fn run(self) -> Vec<Finding> {
        let run = Run::new(TODAY, &self.settings, self.limits.clone());
        self.by(&run)
    }

    fn by(mut self, run: &Run) -> Vec<Finding> {
        for animal in &mut self.animals {
            animal.sort();
        }
        let mut findings = Vec::new();
        for animal in &self.animals {
            run.animal(animal, &self.context, &mut findings);
        }
        let of_herd = self.animals.iter().filter(|animal| animal.passport.herd == Some(HERD));
        let herd = Herd { id: HERD, animals: of_herd.collect() };
        run.herd(&herd, &mut findings);
        run.package(&self.package, &mut findings);
        run.book(&self.book, &mut findings);
        findings
    }

    /// The findings of one check.
    pub(super) fn of(self, code: &str) -> Vec<Finding> {
        let run = Run::new(TODAY, &self.settings, self.limits.clone());
        self.by(&run.only(&[code]))
    }
}

fn passport(id: i64, born: Day) -> Passport {
    Passport {
        id,
        number: format!("96000000{id:04}"),
        names: vec![format!("Name {id}")],
        herd: Some(HERD),
        birth: Some(born),
        breed: Some(1),
        blood: Some(96.0),
        father: Some(FATHER),
        pedigree_depth: Some(4.0),
        age_group: Some(AgeGroup::Female),
        inventory_number: Some(id.to_string()),
        ..Passport::default()
    }
}

fn bull(id: i64, born: Day) -> Passport {
    Passport {
        male: true,
        herd: None,
        father: Some(1_000),
        blood: Some(100.0),
        age_group: Some(AgeGroup::Bull),
        ..passport(id, born)
    }
}

fn package() -> Package {
    let row = |n: i64| PackageRow {
        collection: "milk-tests",
        row: n,
        animal: Some(COW),
        day: Some(Day::of(2025, 5, 1).plus(n)),
        foreign: false,
    };
    Package {
        id: 5,
        from: Some(Day::of(2025, 5, 1)),
        to: Some(Day::of(2025, 5, 31)),
        rows: (0..5).map(row).collect(),
        columns: Columns { milk: vec![30.1; 5], cells: vec![83.0; 5], fat: vec![3.9; 5], ..Columns::default() },
    }
}

fn test(id: i64, day: Day, milk: f64) -> MilkTest {
    MilkTest {
        id,
        day,
        milk: Some(milk),
        fat: Some(3.91),
        protein: Some(3.23),
        lactose: Some(4.8),
        cells: Some(milk * 4.0),
        urea: Some(25.0),
        official: true,
        ..MilkTest::default()
    }
}

const BORN: Day = Day::of(2021, 9, 1);
const CALVED: [Day; 2] = [Day::of(2023, 9, 4), Day::of(2024, 9, 20)];
/// The day of the single milkings.
const MILKED: Day = Day::of(2025, 6, 1);

/// Born 2021-09-01, calved 2023-09-04 and 2024-09-20.
fn cow() -> Animal {
    Animal {
        passport: cow_passport(),
        children: vec![CALF, SECOND],
        calvings: calvings(),
        services: vec![service(25, CALVED[0]), service(26, CALVED[1])],
        health: vec![HealthEvent {
            id: 60,
            day: CALVED[1].plus(4),
            kind: 3,
            illness: Illness::Calving,
            milk_withdrawal: Some(CALVED[1].plus(9)),
            meat_withdrawal: Some(CALVED[1].plus(30)),
        }],
        others: vec![OtherEvent { id: 65, day: CALVED[1].plus(80), kind: 4, female: true }],
        movements: vec![Movement {
            id: 70,
            day: BORN.plus(200),
            kind: MovementKind::Sale,
            from: Some(1),
            to: Some(2),
            applied: true,
            ..Movement::default()
        }],
        ..assessed(measured())
    }
}

fn cow_passport() -> Passport {
    let lactation = Lactation {
        number: 1,
        calved: Some(CALVED[0]),
        days: Some(322),
        milk: Some(8_300.0),
        milk305: Some(8_150.0),
        fat_kg: Some(320.0),
        fat: Some(3.9),
        protein: Some(3.2),
        reported: false,
    };
    let international = Some("HOLRUSF960000000001".to_owned());
    Passport {
        mother: Some(MOTHER),
        lactations: vec![lactation],
        chip_number: Some("643000000000001".to_owned()),
        international_id: international.clone(),
        expected_international_id: international,
        improvers: [Some(60.0), Some(40.0)],
        inbreeding: Some(2.0),
        computed_inbreeding: Some(2.1),
        needs_pedigree: true,
        index_percentile: Some(60.0),
        coat: Some(Coat::Black),
        ..passport(COW, BORN)
    }
}

fn service(id: i64, calved: Day) -> Service {
    Service {
        id,
        day: calved.plus(-279),
        bull: Some(BULL),
        pregnant: true,
        checked: Some(calved.plus(-240)),
        expected_inbreeding: Some(1.5),
        technician_active: Some(true),
        ..Service::default()
    }
}

fn calvings() -> Vec<Calving> {
    let calving = |id: i64, number: i64, day: Day, calf: i64| Calving {
        id,
        number,
        day,
        declared: Some(1),
        ease: Some(Ease::Unaided),
        calf_weight: Some(39.0),
        counts: [Some(1), Some(0), None],
        calves: vec![calf],
        served: Some(day.plus(-279)),
        gestation: Some(279),
        ..Calving::default()
    };
    let dry = Calving { id: 23, number: 1, day: CALVED[1].plus(-60), kind: CalvingKind::DryOff, ..Calving::default() };
    vec![calving(21, 1, CALVED[0], CALF), calving(22, 2, CALVED[1], SECOND), dry]
}

fn weighing(id: i64, day: Day, weight: f64, at_birth: bool) -> Weighing {
    Weighing { id, day, weight, at_birth, sign: u8::from(!at_birth) }
}

/// Milk and weights of the cow.
fn measured() -> Animal {
    let tests = (0..9).map(|n| {
        let day = Day::of(2024, 10, 3).plus(n * 30);
        test(30 + n, day, 37.3 - 1.2 * crate::day::exact(n))
    });
    let visit = |id, hour: i64, milk, seconds| Visit {
        id,
        at: MILKED.0 * 86_400 + hour * 3_600,
        day: MILKED,
        milk,
        seconds: Some(seconds),
    };
    Animal {
        tests: tests.collect(),
        weighings: vec![
            weighing(40, BORN, 38.0, true),
            weighing(41, BORN.plus(400), 380.0, false),
            weighing(42, BORN.plus(900), 610.0, false),
        ],
        visits: vec![visit(50, 4, 14.2, 420), visit(51, 15, 12.9, 400)],
        dailies: vec![Daily { id: 55, day: MILKED, milk: 27.0, computed: false }],
        ..Animal::default()
    }
}

/// With what was evaluated and scored of the cow.
fn assessed(animal: Animal) -> Animal {
    Animal {
        evaluations: vec![Evaluation {
            id: 75,
            day: Day::of(2025, 4, 1),
            current: true,
            named: true,
            needs_name: true,
            base: Some("DEMO".to_owned()),
            percentile: Some(55.0),
            forecasts: vec![
                ("milk", 200.0),
                ("fatPercent", 0.05),
                ("proteinPercent", 0.02),
                ("fatKg", 12.2),
                ("proteinKg", 8.3),
            ],
            ..Evaluation::default()
        }],
        exteriors: vec![Exterior {
            id: 80,
            day: CALVED[0].plus(60),
            lactation: Some(1),
            final_score: Some(84.0),
            young: false,
        }],
        gradings: vec![Grading { id: 85, day: Day::of(2025, 3, 3), class: Class::Elite, score: Some(74.5) }],
        ..animal
    }
}

/// A cow of the herd with two calvings and a test each month.
fn other(n: i64) -> Animal {
    let id = OTHERS + n;
    let first = Day::of(2023, 8, 2).plus(n * 15);
    let second = first.plus(385);
    let born = first.plus(-741);
    let row =
        |at: i64, number: i64, day: Day, kind| Calving { id: id * 100 + at, number, day, kind, ..Calving::default() };
    let tests = (0..23).filter_map(|k| {
        let day = Day::of(2023, 9, 5).plus(k * 30);
        let calved = if day >= second { second } else { first };
        let dim = day.since(calved);
        (5..305).contains(&dim).then(|| {
            let milk = 34.37 - 0.031 * crate::day::exact(dim) + 0.113 * crate::day::exact(n);
            test(id * 100 + 10 + k, day, milk)
        })
    });
    let mut passport = passport(id, born);
    // Not in the book.
    passport.father = Some(1_000);
    passport.lactations = vec![Lactation {
        number: 1,
        calved: Some(first),
        days: Some(305),
        milk305: Some(7_900.0 + 25.0 * crate::day::exact(n)),
        fat: Some(3.9),
        protein: Some(3.2),
        ..Lactation::default()
    }];
    let evaluation = Evaluation {
        id: id * 100,
        day: Day::of(2025, 4, 1),
        current: true,
        base: Some("DEMO".to_owned()),
        ..Evaluation::default()
    };
    let mut calvings = vec![
        row(1, 1, first, CalvingKind::Calving),
        row(2, 1, first.plus(305), CalvingKind::DryOff),
        row(3, 2, second, CalvingKind::Calving),
        row(4, 2, second.plus(305), CalvingKind::DryOff),
    ];
    calvings.retain(|calving| calving.day <= TODAY);
    Animal {
        passport,
        calvings,
        weighings: vec![weighing(id * 100 + 50, first, 560.0 + crate::day::exact(n), false)],
        tests: tests.collect(),
        evaluations: vec![evaluation],
        ..Animal::default()
    }
}

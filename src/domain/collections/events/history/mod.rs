//! What follows from the events of an animal: its present status, lactations and summary,
//! and the computed fields of the events themselves (docs/design/derived.md, *Derived values*).
//!
//! Works on sets of animals: one look-up per collection, regardless of the number of rows, and one
//! write per collection, of the rows that change only.

mod cycles;
mod deferred;
mod lactations;
mod milk_tests;
mod observations;
mod rows;
mod services;
mod status;

pub(crate) use deferred::{recompute_all, recompute_pending};
pub(crate) use lactations::{lactation_view, reported, with_summary};
pub(crate) use milk_tests::TESTED;
pub(crate) use rows::{
    Calvings, Inseminations, Meanings, MilkTests, calving_of, calvings_of, event_after, event_of, numbered,
    services_of, stored_services,
};
pub(crate) use services::{StoredService, calved_before, days_since_calving, expected};
pub(crate) use status::production;

use crate::collections::computed::is_left_out;
use crate::collections::days::{Clocks, Place, as_day, placed_changes};
use crate::collections::dictionaries::lookups::{by_id, touched};
use crate::collections::herd::animals::{Animal, Slots};
use crate::derive::current::{Facts, Service, current};
use crate::derive::day_of;
use crate::derive::lactation::{CalvingEvent, CalvingRow, Frame, Sums, TestRow};
use crate::derive::pregnancy::fruitful;
use cycles::Cycles;
use milk_tests::{AddedTests, Course, dry_tests_of, stored_sums, tests_of};
use model::error::Result;
use model::parallel;
use model::record::{Record, Value};
use model::registry::{BookReader, Change, Draft, HookContext, ID, Rules};
use observations::{ObservedEvents, observations_of};
use rows::{Weighings, bulls_of, dated_tests, dated_weighings};
use status::{age_at_first_calving, age_group, last_tests, status};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What is read of the animals, apart from their lactations.
const ANIMAL: &[&str] = &[
    "owner",
    "herd",
    "entry.owner",
    "sex",
    "birthDate",
    "state",
    "disposalDate",
    "ageGroup",
    "ageGroupDate",
    "ageGroupComputed",
    "reportedLactations",
    "testSums",
    "dryTest",
    "summary.milkYield",
    "summary.fatPercent",
    "summary.proteinPercent",
    "summary.fatKg",
    "summary.proteinKg",
    "summary.fatProteinSum",
    "summary.milkRank",
    "current.parity",
    "current.ageAtFirstCalving",
    "current.daysInMilk",
    "current.lastCalvingDate",
    "current.lastInseminationDate",
    "current.lastDryOffDate",
    "current.expectedCalvingDate",
    "current.lactationStatus",
    "current.reproductionStatus",
    "current.services",
    "current.lastTestDate",
    "current.lastCells",
    "current.lastCellsDate",
];

/// Fields of an animal that documents about her tests and lactations say besides (`mappings/test-day-results.toml`,
/// `mappings/lactations.toml`).
const DOCUMENTED: &[&str] = &["identNumber", "altIds.internationalId", "name", "nameLatin", "createdAt"];

/// Further fields of an animal that her tests repeat, see [`super::readers`].
const REPEATED: &[&str] = &["publicVisible", "publicDetails"];

/// What is read of an animal when her tests are written: by the rules, by what follows for her, and by the documents.
pub(crate) fn tested_fields() -> &'static [&'static str] {
    static ALL: LazyLock<Vec<&str>> = LazyLock::new(|| [ANIMAL, DOCUMENTED, REPEATED].concat());
    &ALL
}

/// Rows to be amended: those values that differ from the stored ones.
#[derive(Debug, Default)]
pub(crate) struct Amendments(Vec<(i64, Vec<(usize, Value)>)>);

impl Amendments {
    /// Collects the differences between a row and its computed values.
    pub(crate) fn note(&mut self, row: &Record, values: impl IntoIterator<Item = (usize, Value)>) {
        let differing: Vec<_> = (values.into_iter()).filter(|(slot, value)| row.get(*slot) != value).collect();
        if let Some(id) = row.get(ID).int().filter(|_| !differing.is_empty()) {
            self.0.push((id, differing));
        }
    }

    /// Writes them.
    pub(crate) async fn write(self, context: &mut dyn HookContext, slug: &str) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        context.amend(slug, self.0).await
    }
}

/// Recomputes everything that follows from the events of these animals, none of whose milk tests
/// changed.
pub(crate) async fn refresh(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    if context.postpone("animals", &deferred::events(ids)) {
        return Ok(());
    }
    recompute(context, ids, None, &AddedTests::NONE).await
}

/// Recomputes what follows from changed milk tests. Tests that come after all others of their lactation are
/// added to what those add up to, which are then not read.
pub(crate) async fn tested(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let animals = touched(changes, MilkTests::get().animal);
    // The tests of a batch are added up without reading those before them, which would be read later.
    if context.loads() && context.postpone("animals", &deferred::tests(&animals)) {
        return Ok(());
    }
    let added = AddedTests::of(context, changes).await?;
    recompute(context, &animals, None, &added).await
}

/// Recomputes what follows from changed calvings.
pub(crate) async fn calved(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Calvings::get();
    let mut since: BTreeMap<i64, i64> = BTreeMap::new();
    let changes = placed_changes(context, "calvings", changes).await?;
    for row in changes.iter().flat_map(|c| [&c.old, &c.new]).flatten() {
        let date = row.get(s.date).time().unwrap_or(i64::MIN);
        if let Some(animal) = row.get(s.animal).int() {
            let first = since.entry(animal).or_insert(date);
            *first = date.min(*first);
        }
    }
    if context.postpone("animals", &deferred::calvings(&since)) {
        return Ok(());
    }
    let animals = since.keys().copied().collect();
    recompute(context, &animals, Some(&since), &AddedTests::NONE).await
}

/// What is read of animals, whatever changed, apart from their milk tests.
struct Basis {
    animals: BTreeMap<i64, Record>,
    clocks: Clocks,
    calvings: BTreeMap<i64, Vec<Record>>,
    services: BTreeMap<i64, Vec<Record>>,
    observed: BTreeMap<i64, ObservedEvents>,
    meanings: Meanings,
    bulls: BTreeMap<i64, String>,
}

impl Basis {
    /// `view`: a further field of the animals.
    async fn of(context: &mut dyn BookReader, ids: &BTreeSet<i64>, view: Option<&'static str>) -> Result<Self> {
        let fields: Vec<&str> = ANIMAL.iter().copied().chain(view).collect();
        let animals = by_id(context, "animals", ids.iter().copied(), &fields).await?;
        let clocks = Clocks::of(context, animals.values().map(Place::of)).await?;
        let calvings = calvings_of(context, animals.keys().copied()).await?;
        let services = services_of(context, animals.keys().copied()).await?;
        let observed = observations_of(context, animals.keys().copied()).await?;
        let checks = observed.values().any(|observed| !observed.checks.is_empty());
        let meanings = Meanings::load(context, services.values().flatten(), checks).await?;
        let bulls = bulls_of(context, &services).await?;
        Ok(Self { animals, clocks, calvings, services, observed, meanings, bulls })
    }

    /// The cycles and lactations of an animal.
    fn course(&self, (id, animal): (i64, &Record), dry_test: Option<i64>, added: &AddedTests, rules: Rules) -> Course {
        let none_observed = ObservedEvents::default();
        let place = Place::of(animal);
        let disposal = Animal(animal).disposal().map(|at| self.clocks.day(place, at));
        let today = self.clocks.now(place);
        let cycles = Cycles::of(
            of(&self.calvings, id),
            of(&self.services, id),
            self.observed.get(&id).unwrap_or(&none_observed),
            dry_test,
            (&self.meanings, &self.bulls),
            rules,
        );
        let frame = Frame::of(&cycles.calvings, disposal, today).with_rules(rules);
        let sums = added.to(id, animal, &frame);
        Course { cycles, dry_test, disposal, today, frame, sums }
    }
}

fn of(rows: &BTreeMap<i64, Vec<Record>>, animal: i64) -> &[Record] {
    rows.get(&animal).map_or(&[], Vec::as_slice)
}

/// Animals from which on [`foresee`] is worth while.
const MANY: usize = 64;

/// Reads what [`tested`] will ask of the animals of new tests: it is known then, and need not wait for the tests to
/// be written.
pub(crate) async fn foresee(context: &mut dyn BookReader, ids: &BTreeSet<i64>) -> Result<()> {
    if ids.len() < MANY || context.loads() {
        return Ok(());
    }
    Basis::of(context, ids, None).await.map(drop)
}

async fn recompute(
    context: &mut dyn HookContext,
    ids: &BTreeSet<i64>,
    calved: Option<&BTreeMap<i64, i64>>,
    added: &AddedTests,
) -> Result<()> {
    // A lactation with a further test is another one, whatever is stored: then it is not read.
    let view = added.is_empty().then_some("lactations");
    let mut basis = Basis::of(context, ids, view).await?;
    if basis.animals.is_empty() {
        return Ok(());
    }
    let changed = (basis.animals.keys().copied()).filter(|id| !added.leaves_known(*id));
    let dry_tests = dry_tests_of(context, changed).await?;
    let rules = context.rules();
    let course = |(id, animal): (&i64, &Record)| {
        let dry_test = match added.leaves_known(*id) {
            true => added.last_dry(*id, animal),
            false => dry_tests.get(id).copied(),
        };
        (*id, basis.course((*id, animal), dry_test, added, rules))
    };
    let rows: Vec<(&i64, &Record)> = basis.animals.iter().collect();
    let courses = parallel::map(&rows, |row| course(*row));
    let courses: BTreeMap<i64, Course> = courses.into_iter().collect();
    // The day from which on other calvings change what tests and weighings show of them.
    let since: BTreeMap<i64, i64> = (courses.iter())
        .filter_map(|(id, course)| {
            let changed = calved.and_then(|since| since.get(id)).copied();
            let since = [changed, course.cycles.moved].into_iter().flatten().min()?;
            Some((*id, since))
        })
        .collect();
    let later = |(id, since): &(&i64, &i64)| {
        let sums = (basis.animals.get(id).and_then(stored_sums)).filter(|_| added.leaves_known(**id));
        !sums.is_some_and(|sums| sums.all_before(day_of(**since)))
    };
    let later: Vec<i64> = since.iter().filter(later).map(|(id, _)| *id).collect();
    let dated = match later.is_empty() {
        false => dated_tests(context, later).await?,
        true => BTreeMap::new(),
    };
    let weighed = match since.is_empty() {
        false => dated_weighings(context, since.keys().copied()).await?,
        true => BTreeMap::new(),
    };
    let unsummed = courses.iter().filter(|(_, course)| course.sums.is_none());
    let tests = tests_of(context, unsummed.map(|(id, _)| *id)).await?;
    if view.is_none() {
        let same = courses.iter().filter(|(id, course)| !course.grew(added, **id));
        let same = same.map(|(id, _)| *id).collect();
        views(context, &mut basis.animals, same).await?;
    }
    let pasts = basis.animals.iter().zip(courses.values());
    let pasts: Vec<Past<'_>> = pasts
        .map(|((id, animal), course)| Past {
            animal: Animal(animal),
            rows: of(&basis.calvings, *id),
            course,
            services: of(&basis.services, *id),
            tests: tests.get(id).map_or(&[], Vec::as_slice),
        })
        .collect();
    let each = parallel::map(&pasts, |past| DerivedAmendments::of(past, &basis.bulls));
    let mut amendments = DerivedAmendments::default();
    each.into_iter().for_each(|one| amendments.append(one));
    for (id, past) in basis.animals.keys().zip(&pasts) {
        amendments.renumber(past, of(&dated, *id), of(&weighed, *id));
    }
    amendments.write(context).await
}

/// Reads the stored lactations of those animals.
async fn views(context: &mut dyn BookReader, animals: &mut BTreeMap<i64, Record>, ids: BTreeSet<i64>) -> Result<()> {
    let slot = Slots::get().lactations;
    for (id, view) in by_id(context, "animals", ids, &["lactations"]).await? {
        if let Some(animal) = animals.get_mut(&id) {
            animal.set(slot, view.get(slot).clone());
        }
    }
    Ok(())
}

/// The rows of one animal.
#[derive(Debug)]
struct Past<'a> {
    animal: Animal<'a>,
    /// Its calvings.
    rows: &'a [Record],
    course: &'a Course,
    services: &'a [Record],
    /// All of its tests, where the course needs them.
    tests: &'a [TestRow],
}

#[derive(Debug, Default)]
struct DerivedAmendments {
    animals: Amendments,
    calvings: Amendments,
    services: Amendments,
    tests: Amendments,
    weighings: Amendments,
}

impl DerivedAmendments {
    async fn write(self, context: &mut dyn HookContext) -> Result<()> {
        self.animals.write(context, "animals").await?;
        self.calvings.write(context, "calvings").await?;
        self.services.write(context, "inseminations").await?;
        self.tests.write(context, "milk-tests").await?;
        self.weighings.write(context, "weighings").await
    }

    /// What tests and weighings show of calvings.
    fn renumber(&mut self, past: &Past<'_>, dated: &[Record], weighed: &[Record]) {
        let (m, w) = (MilkTests::get(), Weighings::get());
        let calvings = &past.course.cycles.calvings;
        for row in dated {
            let slots = [m.number, m.counted, m.date];
            self.tests.note(row, of_test(row.get(m.date), calvings));
            self.tests.note(row, number_again(row, slots, calvings, None));
        }
        let heifer = past.animal.female().then_some(0);
        for row in weighed {
            let slots = [w.number, w.counted, w.date];
            self.weighings.note(row, number_again(row, slots, calvings, heifer));
        }
    }

    /// What follows from the events of one animal.
    fn of(past: &Past<'_>, bulls: &BTreeMap<i64, String>) -> Self {
        let mut amendments = Self::default();
        let Course { cycles, dry_test, disposal, today, frame, sums } = past.course;
        let (c, s) = (Calvings::get(), Inseminations::get());
        let calvings = &cycles.calvings;
        let dated = past.rows.iter().filter(|row| row.get(c.date).time().is_some());
        for ((row, calving), source) in dated.zip(calvings).zip(&cycles.sources) {
            let source = source.and_then(|at| cycles.services.get(at));
            let mut values = of_calving(row, *calving, calvings);
            values.extend(of_source(*calving, source));
            values.push((c.number, Value::Int(calving.number)));
            amendments.calvings.note(row, values);
        }
        let rows: BTreeMap<i64, &Record> =
            (past.services.iter()).filter_map(|row| Some((row.get(ID).int()?, row))).collect();
        for (served, result) in cycles.services.iter().zip(&cycles.results) {
            let Some(row) = rows.get(&served.id) else {
                continue;
            };
            let mut values = of_service(&served.service, calvings);
            values.extend(result.iter().cloned());
            values.extend(number_again(row, [s.number, s.counted, s.date], calvings, Some(0)));
            amendments.services.note(row, values);
        }
        let services: Vec<Service> = cycles.services.iter().map(|s| s.service).collect();
        let facts = Facts {
            female: past.animal.female(),
            calvings,
            services: &services,
            observations: &cycles.observations,
            disposal: *disposal,
            today: *today,
        };
        let now = current(&facts);
        let mut values = status(&now);
        let all = || Cow::Owned(Sums::of(frame, past.tests));
        let sums = sums.as_ref().map_or_else(all, Cow::Borrowed);
        values.extend(last_tests(frame.present_tests(&sums)));
        let day = disposal.map_or(*today, |left| left.min(*today));
        let services = cycles.service_rows(now.in_calf_by, day_of(day), &rows, bulls);
        let lactations = frame.lactations(&sums, &services);
        let reported = past.animal.0.get(Slots::get().reported);
        values.extend(production(lactation_view(lactations, reported.rows())));
        values.push((Slots::get().sums, Value::Text(sums.to_text())));
        values.push((Slots::get().dry_test, Value::from(dry_test.map(Value::Time))));
        values.extend(age_group(past.animal, calvings, day));
        values.push(age_at_first_calving(past.animal, calvings, day));
        amendments.animals.note(past.animal.0, values);
        amendments
    }

    fn append(&mut self, mut other: Self) {
        self.animals.0.append(&mut other.animals.0);
        self.calvings.0.append(&mut other.calvings.0);
        self.services.0.append(&mut other.services.0);
    }
}

/// `dryOffDate` of a calving: the first drying-off from its day to the next calving; and the days up to it.
fn of_calving(row: &Record, own: CalvingRow, calvings: &[CalvingRow]) -> Vec<(usize, Value)> {
    let s = Calvings::get();
    let dry_off = dry_off_of(own, calvings);
    let mut values = vec![(s.dry_off, Value::from(dry_off.map(as_day)))];
    let days = |date: i64| Value::Int(day_of(date) - day_of(own.date));
    match (dry_off, row.get(s.dry_off).time()) {
        (Some(dry_off), _) => values.push((s.milking_days, days(dry_off))),
        // They were those up to a drying-off that is gone.
        (None, Some(was)) if *row.get(s.milking_days) == days(was) => {
            values.push((s.milking_days, Value::Null));
        }
        (None, _) => {}
    }
    values
}

/// The first drying-off from the day of a calving to the next calving.
fn dry_off_of(own: CalvingRow, calvings: &[CalvingRow]) -> Option<i64> {
    let day = day_of(own.date);
    let later = |row: &&CalvingRow| row.event.opens() && day_of(row.date) > day;
    let next = calvings.iter().filter(later).map(|row| day_of(row.date)).min();
    let within = |date: &i64| day_of(*date) >= day && next.is_none_or(|next| day_of(*date) < next);
    let dry_offs = calvings.iter().filter(|row| row.event == CalvingEvent::DryOff);
    let first = dry_offs.map(|row| row.date).filter(within).min();
    first.filter(|_| own.event == CalvingEvent::Calving)
}

/// The service that a calving or abortion came from, among services in the order of their content.
pub(crate) fn of_gestation(own: CalvingRow, served: &[StoredService], calvings: &[CalvingRow]) -> [(usize, Value); 3] {
    let services: Vec<Service> = served.iter().map(|served| served.service).collect();
    let source = fruitful(own, &services, calvings);
    of_source(own, source.and_then(|at| served.get(at)))
}

fn of_source(own: CalvingRow, source: Option<&StoredService>) -> [(usize, Value); 3] {
    let s = Calvings::get();
    let days = source.map(|f| day_of(own.date) - day_of(f.service.date));
    [
        (s.insemination, Value::from(source.map(|f| f.id))),
        (s.gestation, Value::from(days)),
        (s.embryo, Value::from(source.map(|f| f.service.embryo))),
    ]
}

/// Computed fields of an insemination, apart from its result.
pub(crate) fn of_service(service: &Service, calvings: &[CalvingRow]) -> Vec<(usize, Value)> {
    let s = Inseminations::get();
    let open = days_since_calving(calvings, service.date);
    vec![(s.expected, Value::from(expected(service).map(as_day))), (s.days_open, Value::from(open))]
}

/// Refreshes the animals that changed events are, or were, about.
pub(crate) async fn follow(context: &mut dyn HookContext, changes: &[Change], animal: usize) -> Result<()> {
    refresh(context, &touched(changes, animal)).await
}

/// The calvings of each animal in the form that the calculations need.
pub(crate) async fn parities(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<CalvingRow>>> {
    let rules = context.rules();
    let rows = calvings_of(context, animals).await?;
    let stored = |rows: &Vec<Record>| rows.iter().filter_map(|row| calving_of(row, rules)).collect();
    Ok(rows.iter().map(|(id, rows)| (*id, stored(rows))).collect())
}

/// `lactationNumber` of a row that leaves it out, with the slots of the number, of whether it is computed, and of the
/// date: the parity on its day; `heifer` before the first calving.
pub(crate) fn fill_number(
    draft: &mut Draft,
    [slot, computed, date]: [usize; 3],
    calvings: &[CalvingRow],
    heifer: Option<i64>,
) {
    if is_left_out(draft, slot, computed)
        && let Some(date) = draft.new.get(date).time()
    {
        let number = calved_before(calvings, date).map(|c| c.number).or(heifer);
        draft.new.set(slot, number);
    }
}

/// The number of the calving of a stored row; none where it is stated.
fn number_again(
    row: &Record,
    [slot, computed, date]: [usize; 3],
    calvings: &[CalvingRow],
    heifer: Option<i64>,
) -> Option<(usize, Value)> {
    let date = row.get(date).time()?;
    let stated = !row.get(slot).is_null() && !row.get(computed).truth();
    let number = calved_before(calvings, date).map(|c| c.number).or(heifer);
    (!stated).then(|| (slot, Value::from(number)))
}

/// Sets computed values in a draft.
pub(crate) fn fill(draft: &mut Draft, values: impl IntoIterator<Item = (usize, Value)>) {
    for (slot, value) in values {
        draft.new.set(slot, value);
    }
}

/// Computed fields of a milk test.
pub(crate) fn of_test(date: &Value, calvings: &[CalvingRow]) -> Vec<(usize, Value)> {
    let days = date.time().and_then(|d| days_since_calving(calvings, d));
    vec![(MilkTests::get().days_in_milk, Value::from(days))]
}

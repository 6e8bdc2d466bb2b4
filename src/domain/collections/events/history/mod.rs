//! What follows from the events of an animal: its present status, lactations and summary,
//! and the computed fields of the events themselves (docs/design/derived.md, *Derived values*).
//!
//! Works on sets of animals: one look-up per collection, regardless of the number of rows, and one
//! write per collection, of the rows that change only.

mod aging;
mod behind;
mod lactations;
mod observations;
mod rows;
mod services;
mod tests;

pub use aging::{Aging, age};
pub(crate) use behind::catch_up;
pub(crate) use lactations::{reported, shown, with_summary};
pub(crate) use rows::{
    Calvings, Inseminations, Meanings, MilkTests, calving_of, calvings_of, event_of, served,
    services_of,
};
pub(crate) use services::{
    Served, calved_before, days_since_calving, expected, fruitful, next_number,
};
pub(crate) use tests::TESTED;

use crate::collections::dictionaries::lookups::{by_id, touched};
use crate::collections::evaluation::ranks::NO_RANK;
use crate::collections::herd::animals::{Animal, Slots};
use crate::derive::current::{Facts, Observation, current};
use crate::derive::day_of;
use crate::derive::lactation::{CalvingEvent, CalvingRow, Frame, Summary, Sums};
use model::error::Result;
use model::parallel;
use model::record::{Record, Value};
use model::registry::{BookReader, Change, Draft, HookContext, ID, Verb};
use observations::observations_of;
use rows::{Past, bulls_of, dated_tests};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use tests::{Added, Course, known, tests_of};

/// What is read of the animals, apart from their lactations.
const ANIMAL: &[&str] = &[
    "sex",
    "state",
    "disposalDate",
    "ageGroup",
    "ageGroupDate",
    "reportedLactations",
    "testSums",
    "summary.milkYield",
    "summary.fatPercent",
    "summary.proteinPercent",
    "summary.fatKg",
    "summary.proteinKg",
    "summary.fatProteinSum",
    "summary.milkRank",
    "current.parity",
    "current.daysInMilk",
    "current.lastCalvingDate",
    "current.lastInseminationDate",
    "current.lastDryOffDate",
    "current.expectedCalvingDate",
    "current.lactationStatus",
    "current.reproductionStatus",
];

/// Fields of an animal that documents about her tests and lactations say besides (`mappings/test-day-results.toml`,
/// `mappings/lactations.toml`).
const DOCUMENTED: &[&str] = &[
    "identNumber",
    "altIds.internationalId",
    "name",
    "nameLatin",
    "createdAt",
];

/// What is asked of an animal when her tests are written: by the rules, by what follows for her, and by the documents.
pub(crate) fn tested_fields() -> &'static [&'static str] {
    static ALL: LazyLock<Vec<&str>> = LazyLock::new(|| [ANIMAL, DOCUMENTED].concat());
    &ALL
}

/// Rows to be amended: those values that differ from the stored ones.
#[derive(Debug, Default)]
pub(crate) struct Amendments(Vec<(i64, Vec<(usize, Value)>)>);

impl Amendments {
    /// Collects the differences between a row and its computed values.
    pub(crate) fn note(&mut self, row: &Record, values: impl IntoIterator<Item = (usize, Value)>) {
        let differing: Vec<_> = (values.into_iter())
            .filter(|(slot, value)| row.get(*slot) != value)
            .collect();
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
    if context.postpone("animals", &behind::events(ids)) {
        return Ok(());
    }
    recompute(context, ids, None, &Added::NONE).await
}

/// The same after milk tests changed. Tests that come after all others of their lactation are
/// added to what those add up to, which are then not read.
pub(crate) async fn tested(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let animals = touched(changes, MilkTests::get().animal);
    // The tests of a batch are added up without reading those before them, which would be read later.
    if context.loads() && context.postpone("animals", &behind::tests(&animals)) {
        return Ok(());
    }
    recompute(context, &animals, None, &Added::of(changes)).await
}

/// The same after calvings changed, which may raise the age group too. Elsewhere it stays
/// as the owner wrote it.
pub(crate) async fn calved(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Calvings::get();
    let mut since: BTreeMap<i64, i64> = BTreeMap::new();
    for row in changes.iter().flat_map(|c| [&c.old, &c.new]).flatten() {
        let date = row.get(s.date).time().unwrap_or(i64::MIN);
        if let Some(animal) = row.get(s.animal).int() {
            let first = since.entry(animal).or_insert(date);
            *first = date.min(*first);
        }
    }
    if context.postpone("animals", &behind::calvings(&since)) {
        return Ok(());
    }
    let animals = since.keys().copied().collect();
    recompute(context, &animals, Some(&since), &Added::NONE).await
}

/// What is read of animals, whatever changed, apart from their milk tests.
struct Basis {
    animals: BTreeMap<i64, Record>,
    calvings: BTreeMap<i64, Vec<Record>>,
    services: BTreeMap<i64, Vec<Record>>,
    observations: BTreeMap<i64, Vec<Observation>>,
    meanings: Meanings,
    bulls: BTreeMap<i64, String>,
}

impl Basis {
    /// `view`: a further field of the animals.
    async fn of(
        context: &mut dyn BookReader,
        ids: &BTreeSet<i64>,
        view: Option<&'static str>,
    ) -> Result<Self> {
        let fields: Vec<&str> = ANIMAL.iter().copied().chain(view).collect();
        let animals = by_id(context, "animals", ids.iter().copied(), &fields).await?;
        let calvings = calvings_of(context, animals.keys().copied()).await?;
        let services = services_of(context, animals.keys().copied()).await?;
        let observations = observations_of(context, animals.keys().copied()).await?;
        let meanings = Meanings::load(context, services.values().flatten()).await?;
        let bulls = bulls_of(context, &services).await?;
        Ok(Self {
            animals,
            calvings,
            services,
            observations,
            meanings,
            bulls,
        })
    }
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
    added: &Added,
) -> Result<()> {
    // A lactation with a further test is another one, whatever is stored: then it is not read.
    let view = added.is_empty().then_some("lactations");
    let Basis {
        mut animals,
        calvings,
        services,
        observations,
        meanings,
        bulls,
    } = Basis::of(context, ids, view).await?;
    if animals.is_empty() {
        return Ok(());
    }
    // Nothing else changes what tests show of calvings than calvings, and that of later tests only.
    let later = |(id, animal): &(&i64, &Record)| {
        let since = calved.and_then(|since| since.get(id));
        let sums = known(animal).filter(|_| added.leaves_known(**id));
        since.is_some_and(|since| !sums.is_some_and(|sums| sums.all_before(day_of(*since))))
    };
    let later: Vec<i64> = animals.iter().filter(later).map(|(id, _)| *id).collect();
    let dated = match later.is_empty() {
        false => dated_tests(context, later).await?,
        true => BTreeMap::new(),
    };
    let today = context.now();
    let course = |(id, animal): (&i64, &Record)| {
        let rows = calvings.get(id).into_iter().flatten();
        let calvings: Vec<CalvingRow> = rows.filter_map(calving_of).collect();
        let frame = Frame::of(&calvings, Animal(animal).disposal(), today);
        let sums = added.to(*id, animal, &frame);
        let course = Course {
            calvings,
            frame,
            sums,
        };
        (*id, course)
    };
    let rows: Vec<(&i64, &Record)> = animals.iter().collect();
    let courses = parallel::map(&rows, |row| course(*row));
    let courses: BTreeMap<i64, Course> = courses.into_iter().collect();
    let unsummed = courses.iter().filter(|(_, course)| course.sums.is_none());
    let tests = tests_of(context, unsummed.map(|(id, _)| *id)).await?;
    if view.is_none() {
        let same = courses
            .iter()
            .filter(|(id, course)| !course.grew(added, **id));
        views(context, &mut animals, same.map(|(id, _)| *id).collect()).await?;
    }
    let past = |((id, animal), course)| Past {
        animal: Animal(animal),
        rows: calvings.get(id).map_or(&[], Vec::as_slice),
        course,
        services: services.get(id).map_or(&[], Vec::as_slice),
        tests: tests.get(id).map_or(&[], Vec::as_slice),
        observations: observations.get(id).map_or(&[], Vec::as_slice),
    };
    let pasts: Vec<Past<'_>> = animals.iter().zip(courses.values()).map(past).collect();
    let each = parallel::map(&pasts, |past| Written::of(past, &meanings, &bulls, today));
    let mut written = Written::default();
    each.into_iter().for_each(|one| written.append(one));
    let mut raised = Amendments::default();
    for ((id, past), course) in animals.keys().zip(&pasts).zip(courses.values()) {
        for row in dated.get(id).into_iter().flatten() {
            let date = row.get(MilkTests::get().date);
            written.tests.note(row, of_test(date, &course.calvings));
        }
        if calved.is_some() {
            raised.note(past.animal.0, age_group(past.animal, &course.calvings));
        }
    }
    written.animals.write(context, "animals").await?;
    raised.write(context, "animals").await?;
    written.calvings.write(context, "calvings").await?;
    written.services.write(context, "inseminations").await?;
    written.tests.write(context, "milk-tests").await
}

/// Reads the stored lactations of those animals.
async fn views(
    context: &mut dyn BookReader,
    animals: &mut BTreeMap<i64, Record>,
    ids: BTreeSet<i64>,
) -> Result<()> {
    let slot = Slots::get().lactations;
    for (id, view) in by_id(context, "animals", ids, &["lactations"]).await? {
        if let Some(animal) = animals.get_mut(&id) {
            animal.set(slot, view.get(slot).clone());
        }
    }
    Ok(())
}

#[derive(Debug, Default)]
struct Written {
    animals: Amendments,
    calvings: Amendments,
    services: Amendments,
    tests: Amendments,
}

impl Written {
    /// What follows from the events of one animal.
    fn of(past: &Past<'_>, meanings: &Meanings, bulls: &BTreeMap<i64, String>, today: i64) -> Self {
        let mut written = Self::default();
        let Course {
            calvings,
            frame,
            sums,
        } = past.course;
        let served = past.served(meanings);
        for row in past.rows {
            let values = of_calving(row, calvings, &served);
            written.calvings.note(row, values);
        }
        for row in past.services {
            written
                .services
                .note(row, of_service(row, calvings, meanings));
        }
        let services: Vec<_> = served.iter().map(|s| s.service).collect();
        let facts = Facts {
            female: past.animal.female(),
            calvings,
            services: &services,
            observations: past.observations,
            disposal: past.animal.disposal(),
            today,
        };
        let mut values = status(&facts);
        let all = || Cow::Owned(Sums::of(frame, past.tests));
        let sums = sums.as_ref().map_or_else(all, Cow::Borrowed);
        let lactations = frame.lactations(&sums, &past.service_rows(bulls));
        let reported = past.animal.0.get(Slots::get().reported);
        values.extend(production(shown(lactations, reported.rows())));
        values.push((Slots::get().sums, Value::Text(sums.to_text())));
        written.animals.note(past.animal.0, values);
        written
    }

    fn append(&mut self, mut other: Self) {
        self.animals.0.append(&mut other.animals.0);
        self.calvings.0.append(&mut other.calvings.0);
        self.services.0.append(&mut other.services.0);
        self.tests.0.append(&mut other.tests.0);
    }
}

/// Computed fields of a row of `calvings`: the view of the dry-off with its number, and
/// the service that it came from.
pub(crate) fn of_calving(
    row: &Record,
    calvings: &[CalvingRow],
    served: &[Served],
) -> Vec<(usize, Value)> {
    let s = Calvings::get();
    let Some(own) = calving_of(row) else {
        return Vec::new();
    };
    let dry_off = (calvings.iter())
        .filter(|c| c.event == CalvingEvent::DryOff && c.number == own.number)
        .map(|c| c.date)
        .min()
        .filter(|_| own.event == CalvingEvent::Calving);
    let mut values = vec![(s.dry_off, Value::from(dry_off.map(Value::Time)))];
    if let Some(dry_off) = dry_off {
        let days = day_of(dry_off) - day_of(own.date);
        values.push((s.milking_days, Value::Int(days)));
    }
    values.extend(of_gestation(own, served));
    values
}

/// The service that a calving or abortion came from.
pub(crate) fn of_gestation(own: CalvingRow, served: &[Served]) -> [(usize, Value); 3] {
    let s = Calvings::get();
    let source = fruitful(served, own.event, own.date);
    let days = source.map(|f| day_of(own.date) - day_of(f.service.date));
    [
        (s.insemination, Value::from(source.map(|f| f.id))),
        (s.gestation, Value::from(days)),
        (s.embryo, Value::from(source.map(|f| f.service.embryo))),
    ]
}

/// Computed fields of an insemination.
pub(crate) fn of_service(
    row: &Record,
    calvings: &[CalvingRow],
    meanings: &Meanings,
) -> Vec<(usize, Value)> {
    let s = Inseminations::get();
    let Some(service) = meanings.service(row) else {
        return Vec::new();
    };
    let open = days_since_calving(calvings, service.date);
    vec![
        (s.expected, Value::from(expected(&service).map(Value::Time))),
        (s.days_open, Value::from(open)),
    ]
}

/// Refreshes the animals that changed events are, or were, about.
pub(crate) async fn follow(
    context: &mut dyn HookContext,
    changes: &[Change],
    animal: usize,
) -> Result<()> {
    refresh(context, &touched(changes, animal)).await
}

/// The calvings of each animal in the form that the calculations need.
pub(crate) async fn parities(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<CalvingRow>>> {
    let rows = calvings_of(context, animals).await?;
    Ok((rows.into_iter())
        .map(|(id, rows)| (id, rows.iter().filter_map(calving_of).collect()))
        .collect())
}

/// `lactationNumber` of a row that leaves it out: the parity on its day; 0 for a heifer
/// where the field counts from there.
pub(crate) fn fill_number(
    draft: &mut Draft,
    slot: usize,
    date: usize,
    calvings: &[CalvingRow],
    heifer: Option<i64>,
) {
    if draft.verb != Verb::Create || !draft.new.get(slot).is_null() {
        return;
    }
    if let Some(date) = draft.new.get(date).time() {
        let number = calved_before(calvings, date).map(|c| c.number).or(heifer);
        draft.new.set(slot, number);
    }
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

fn status(facts: &Facts<'_>) -> Vec<(usize, Value)> {
    let s = Slots::get();
    let now = current(facts);
    let day = |at: Option<i64>| Value::from(at.map(Value::Time));
    vec![
        (s.parity, Value::from(now.parity)),
        (s.days_in_milk, Value::from(now.days_in_milk)),
        (s.last_calving, day(now.last_calving_date)),
        (s.last_insemination, day(now.last_insemination_date)),
        (s.last_dry_off, day(now.last_dry_off_date)),
        (s.expected_calving, day(now.expected_calving_date)),
        (
            s.lactation_status,
            Value::from(now.lactation_status.map(|l| l.as_str())),
        ),
        (
            s.reproduction_status,
            Value::from(now.reproduction_status.map(|r| r.as_str())),
        ),
    ]
}

/// The slots of `lactations` and `summary`.
pub(crate) fn production(view: lactations::Shown) -> Vec<(usize, Value)> {
    let s = Slots::get();
    let none = view.rows.as_array().is_none_or(Vec::is_empty);
    let rows = (!none).then_some(Value::json(view.rows));
    let mut values = vec![(s.lactations, Value::from(rows))];
    values.extend(summary_values(&view.summary));
    values
}

fn summary_values(summary: &Summary) -> [(usize, Value); 7] {
    let s = Slots::get();
    [
        (s.milk, Value::from(summary.milk_yield)),
        (s.fat_percent, Value::from(summary.fat_percent)),
        (s.protein_percent, Value::from(summary.protein_percent)),
        (s.fat_kg, Value::from(summary.fat_kg)),
        (s.protein_kg, Value::from(summary.protein_kg)),
        (s.fat_protein, Value::from(summary.fat_protein_sum)),
        (
            s.milk_rank,
            Value::from(summary.milk_yield.unwrap_or(NO_RANK)),
        ),
    ]
}

/// A calving raises the age group and never lowers it. Parity counts as the number of
/// calvings too, since early ones may be missing from the book.
fn age_group(animal: Animal<'_>, calvings: &[CalvingRow]) -> Vec<(usize, Value)> {
    let s = Slots::get();
    let born = calvings.iter().filter(|c| c.event == CalvingEvent::Calving);
    let mut born: Vec<&CalvingRow> = born.collect();
    born.sort_by_key(|c| (c.date, c.number));
    let groups = ["calf", "heifer", "firstCalf", "cow2", "cow3"];
    let rank = |group: &str| groups.iter().position(|g| *g == group);
    let mut reached = None;
    for (count, calving) in (1..).zip(born) {
        let group = match calving.number.max(count) {
            ..=1 => "firstCalf",
            2 => "cow2",
            _ => "cow3",
        };
        // It holds since the calving that brought it, whatever came later.
        if reached.is_none_or(|(before, _)| rank(before) < rank(group)) {
            reached = Some((group, calving.date));
        }
    }
    let Some((raised, since)) = reached else {
        return Vec::new();
    };
    let present = animal.0.get(s.age_group).text().and_then(rank);
    if !animal.female() || rank(raised) <= present {
        return Vec::new();
    }
    vec![
        (s.age_group, Value::from(raised)),
        (s.age_group_date, Value::Time(since)),
    ]
}

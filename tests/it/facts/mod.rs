//! The law of facts: what the book derives of an animal follows from the set of her rows, whatever order or face they
//! came by, and is what a plain reference of `docs/derived.md` computes from them (`tests/reference`).
//!
//! Each history comes in several orders, each for an animal of its own: one row at a time in order of their days, and
//! at random, by every face, in requests of many sizes, with rows that are wrong at first or do not belong there.

mod arrival;
mod bodies;
mod documents;
mod expected;
mod faces;
mod files;
mod state;
mod story;
mod world;

use crate::support::book::NOW;
use crate::support::fixture::Fixture;
use crate::support::root;
use arrival::arrival;
use book_reference::{History, Outcome, When};
use domain::collections::{check_animals, recompute};
use ops::Book;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use store::{Dialect, Sql, Ty};
use story::{Course, Fact, Row, Story, story};
use test_support::number;
use world::World;

/// Orders of each history.
const ORDERS: u64 = 3;
/// Long runs send more packages than a farm may store. The first four have no limit in tests that name none.
const UNLIMITED: [(&str, &str); 6] = [
    ("limits.read", "0"),
    ("limits.write", "0"),
    ("limits.bulk", "0"),
    ("limits.sign_in", "0"),
    ("limits.records", "0"),
    ("limits.files", "0"),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_is_derived_follows_from_the_set_of_rows_alone() {
    let curves = root().join("tests/it/facts/curves.csv").display().to_string();
    let settings = [&UNLIMITED[..], &[("book.standard_curves", &curves)]].concat();
    for f in Fixture::each_with(&settings).await {
        let cases = match f.book.store.dialect() {
            Dialect::Sqlite => number("HERDBOOK_FACTS", 12, 16),
            Dialect::Postgres => number("HERDBOOK_FACTS", 4, 4),
        };
        let mut world = World::of(f).await;
        world.straight = Some(world.f.without("book.standard_curves").await);
        world.curves = Some(world::curves(&std::fs::read_to_string(&curves).unwrap()));
        let config = Config { cases, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
        // The same histories each time; others by their seed.
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number("HERDBOOK_FACTS_SEED", 1_u64, 1).to_le_bytes());
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        let runtime = tokio::runtime::Handle::current();
        let world = std::cell::RefCell::new(&mut world);
        let done = tokio::task::block_in_place(|| {
            runner.run(&story(), |story| {
                let mut world = world.borrow_mut();
                let lines = runtime.block_on(judged(&mut world, &story));
                if lines.is_empty() { Ok(()) } else { Err(TestCaseError::fail(lines.join("\n"))) }
            })
        });
        match done {
            Ok(()) => {}
            Err(TestError::Fail(reason, story)) => panic!("{}\n{reason}", as_lines(&story)),
            Err(other) => panic!("{other}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unclear_result_of_a_service_gives_way_to_a_check_that_found_something() {
    let day = NOW.div_euclid(story::DAY_MS) - 200;
    let row = |after: i64, fact| Row { when: When::Day(day + after), fact, course: Course::Straight };
    let service = Fact::Service { bull: 0, embryo: false, result: Some((Outcome::Unknown, day + 51)), number: None };
    let check = Fact::Check { outcome: Outcome::Pregnant, age: None };
    let story = Story { zone: 0, birth: day - 800, rows: vec![row(0, service), row(25, check)] };
    for f in Fixture::each().await {
        let mut world = World::of(f).await;
        let lines = judged(&mut world, &story).await;
        assert!(lines.is_empty(), "{}", lines.join("\n"));
    }
}

/// What is wrong with a history, after it came in several orders.
async fn judged(world: &mut World, story: &Story) -> Vec<String> {
    let mut subjects = Vec::new();
    let mut arrivals = Vec::new();
    for seed in 0..ORDERS {
        let mut subject = world.born(story).await;
        let steps = arrival(story, seed);
        for step in &steps {
            if let Err(why) = world.step(story, &mut subject, step).await {
                return vec![format!("order {seed}: {step:?} is refused: {why}"), format!("{steps:?}")];
            }
        }
        subjects.push(subject);
        arrivals.push(steps);
    }
    let ids: BTreeSet<i64> = subjects.iter().map(|subject| subject.id).collect();
    let checked = world.f.book.transact(move |work| Box::pin(async move { check_animals(work, &ids).await }));
    checked.await.unwrap();
    while world.f.exchange.projector().work_off(&world.f.book).await.unwrap() {}
    let mut lines = Vec::new();
    let mut first = None;
    for (seed, subject) in subjects.iter().enumerate() {
        let state = state::state(world, story, subject).await;
        let other = expected::differences(story, &world.history(story), &state);
        if !other.is_empty() {
            lines.push(format!("Order {seed} against the reference: {:?}", arrivals[seed]));
            lines.extend(other);
        }
        match &first {
            None => first = Some(state),
            Some(first) => {
                let other = state::difference(first, &state);
                if !other.is_empty() {
                    lines.push(format!("Order 0 | order {seed}: {:?}", arrivals[seed]));
                    lines.extend(other);
                }
            }
        }
    }
    if let Some(first) = first {
        let before = subjects[0].id - 1;
        let again = async |book: &Book| {
            book.transact(move |work| Box::pin(async move { recompute(work, before).await })).await.unwrap();
        };
        if let Some(straight) = &world.straight {
            again(&straight.book).await;
            let state = state::state(world, story, &subjects[0]).await;
            let history = History { curves: None, ..world.history(story) };
            let other = expected::differences(story, &history, &state);
            if !other.is_empty() {
                lines.push("Computed anew without curves, against the reference:".to_owned());
                lines.extend(other);
            }
        }
        spoil(world, subjects[0].id).await;
        again(&world.f.book).await;
        let state = state::state(world, story, &subjects[0]).await;
        let other = state::difference(&first, &state);
        if !other.is_empty() {
            lines.push("Before | after derived values were spoilt and computed anew:".to_owned());
            lines.extend(other);
        }
    }
    lines
}

/// Derived values as no rule makes them.
async fn spoil(world: &World, animal: i64) {
    for set in [
        "animals SET lactations = NULL, test_sums = NULL, current_parity = 19, current_days_in_milk = 1, \
         current_lactation_status = NULL, summary_milk_yield = 1, inbreeding = 9 WHERE id",
        "calvings SET number = CASE WHEN number_computed THEN 19 ELSE number END, insemination = NULL, \
         gestation_days = 1 WHERE animal",
        "inseminations SET lactation_number = CASE WHEN lactation_number_computed THEN 19 ELSE lactation_number END, \
         expected_calving = NULL, days_open = 1 WHERE animal",
        "milk_tests SET lactation_number = CASE WHEN lactation_number_computed THEN 19 ELSE lactation_number END, \
         days_in_milk = 1 WHERE animal",
        "daily_milkings SET milk_yield = 1 WHERE origin = 'computed' AND animal",
    ] {
        let sql = Sql::new(&format!("UPDATE {set} = ")).with(Ty::Int, animal);
        let store = &world.f.book.store;
        store.write(|tx| Box::pin(async move { tx.run(sql).await })).await.unwrap();
    }
}

/// A history, a row a line.
fn as_lines(story: &Story) -> String {
    let mut text = format!("Clock {:?}, born {}", story::ZONES[story.zone], story.birth);
    for (at, row) in story.rows.iter().enumerate() {
        let Row { fact, course, .. } = row;
        let (_, body) = bodies::body(row, at);
        let date = body.get("date").or_else(|| body.get("startedAt"));
        let _ = write!(text, "\n  r{at} {} {fact:?} {course:?}", date.map_or_else(String::new, ToString::to_string));
    }
    text
}

//! What a batch costs, in statements: as many for a thousand test days as for a hundred, but for
//! the pieces in which rows are written. And in space: rows, log, documents and all their indexes.

use crate::ade::stage::{FARM, Stage};
use ops::FillRow;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::statement_log::written;
use store::{Dialect, Sql};

/// Cows with a calving, of the farm of the stage.
const COWS: i64 = 400;
/// Statements of a batch of a hundred test days, of which three are look-ups of names and thirteen are of the checks,
/// which run with up to a hundred documents.
const HUNDRED: usize = 77;
/// Further statements of one of four hundred: rows are written in pieces of 256, 64, 16, 4 and 1.
const MORE: usize = 20;

/// Bytes that a test day takes with all that follows from it, on SQLite and PostgreSQL, where
/// former states of its lactation wait for a vacuum.
const SPACE: [i64; 2] = [1_000, 4_500];

/// How the statement for the tests of cows begins.
const SERIES: &str = "SELECT \"animal\",\"id\",\"date\",\"milk_yield\"";

fn cow(at: i64) -> String {
    (970_000_000_000 + at).to_string()
}

async fn herd(s: &Stage) {
    let row = |collection, id, data: Value| FillRow {
        collection,
        id,
        data: data.as_object().unwrap().clone(),
        hidden: Vec::new(),
    };
    let animal = |at| json!({"identNumber": cow(at), "sex": "female", "birthDate": "2022-05-01", "owner": 1});
    let calving = |at| json!({"animal": 5_000 + at, "number": 1, "date": "2025-01-10"});
    let animals = (0..COWS).map(|at| row("animals", 5_000 + at, animal(at)));
    s.f.book.fill(animals.collect()).await.unwrap();
    let calvings = (0..COWS).map(|at| row("calvings", 5_000 + at, calving(at)));
    s.f.book.fill(calvings.collect()).await.unwrap();
    while s.f.exchange.projector().work_off(&s.f.book).await.unwrap() {}
}

fn test_day(batch: &str, day: &str, at: i64) -> Value {
    json!({
        "resourceType": "icarTestDayResultEventResource",
        "meta": {
            "source": "lab.example", "sourceId": format!("{batch}-{at}"),
            "modified": "2025-06-01T00:00:00Z",
        },
        "animal": {"id": cow(at), "scheme": "org.herdbook.animal"},
        "eventDateTime": format!("{day}T06:00:00Z"),
        "milkWeight24Hours": {"unitCode": "KGM", "value": 28.5},
        "milkCharacteristics": [
            {"characteristic": "FAT", "value": "4.1"},
            {"characteristic": "PROTEIN", "value": "3.4"},
            {"characteristic": "SCC", "value": "150"},
        ],
    })
}

/// Statements of a batch about so many cows on a day, by their first words.
async fn cost(s: &Stage, batch: &str, day: &str, cows: i64) -> BTreeMap<String, usize> {
    let items: Vec<Value> = (0..cows).map(|at| test_day(batch, day, at)).collect();
    let path = FARM.replace("/locations", "/batches/locations") + "/test-day-results";
    written();
    let (status, _, results) = s.f.post(&path, &s.farm, json!(items)).await;
    let mut statements = BTreeMap::new();
    for sql in written() {
        let words: Vec<&str> = sql.split_whitespace().take(60).collect();
        let words: String = words.join(" ").chars().take(110).collect();
        *statements.entry(words).or_default() += 1;
    }
    assert_eq!(status, 200, "{results}");
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), items.len());
    for result in results {
        assert_eq!(result["messages"][0]["type"], "created", "{result}");
        assert_eq!(result["messages"].as_array().unwrap().len(), 1, "{result}");
    }
    statements
}

/// Bytes of the database.
async fn size(s: &Stage) -> i64 {
    let store = &s.f.book.store;
    let sql = match store.dialect() {
        Dialect::Sqlite => "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        Dialect::Postgres => {
            "SELECT sum(pg_table_size(c.oid) + pg_indexes_size(c.oid))::bigint FROM pg_class c \
             JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = 'public' AND c.relkind = 'r'"
        }
    };
    store.rows(Sql::new(sql)).await.unwrap()[0].int(0).unwrap()
}

#[test_each(Stage::each_with(&[("exchange.chunk", "1000")]))]
async fn a_test_day_takes_little_space(s: Stage) {
    herd(&s).await;
    // Tables and indexes have their first pages by then, and cows a lactation.
    cost(&s, "first", "2025-03-01", COWS).await;
    cost(&s, "second", "2025-03-02", COWS).await;
    let before = size(&s).await;
    for day in ["2025-04-01", "2025-04-02", "2025-04-03", "2025-04-04"] {
        cost(&s, day, day, COWS).await;
    }
    let each = (size(&s).await - before) / (4 * COWS);
    let most = match s.f.book.store.dialect() {
        Dialect::Sqlite => SPACE[0],
        Dialect::Postgres => SPACE[1],
    };
    assert!(each <= most, "{each} bytes");
}

#[test_each(Stage::each_with(&[("exchange.chunk", "1000")]))]
async fn a_batch_costs_as_many_statements_as_its_shape_has_parts(s: Stage) {
    herd(&s).await;
    // The first one also finds out which raw documents there are.
    cost(&s, "none", "2025-02-01", 1).await;
    let hundred = cost(&s, "first", "2025-03-01", 100).await;
    let all = cost(&s, "second", "2025-04-01", COWS).await;
    let sum = |of: &BTreeMap<String, usize>| of.values().sum::<usize>();
    assert!(sum(&hundred) > 0);
    assert!(sum(&hundred) <= HUNDRED, "{} {hundred:#?}", sum(&hundred));
    let most = sum(&hundred) + MORE;
    assert!(sum(&all) <= most, "{} {all:#?}", sum(&all));
    // The tests of a cow are read only for one that comes before them.
    let tests_read = |of: &BTreeMap<String, usize>| -> usize {
        let series = of.iter().filter(|(sql, _)| sql.starts_with(SERIES));
        series.map(|(_, times)| times).sum()
    };
    assert_eq!((tests_read(&hundred), tests_read(&all)), (0, 0), "{all:#?}");
    let before = cost(&s, "third", "2025-03-15", COWS).await;
    assert_eq!(tests_read(&before), 1, "{before:#?}");
}

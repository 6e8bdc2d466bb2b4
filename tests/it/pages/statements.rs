//! A page costs as many statements whatever the book holds.

use super::{assert_sound, page};
use crate::packages::desk::sent;
use crate::rest::world::World;
use serde_json::{Value, json};
use store::statement_log;

/// Pages of a farm, and the most statements of each.
const PAGES: [(&str, usize); 11] = [
    // One for each work list and queue, two for the time zones and numbers of its herds, one each for its certificates
    // and saved searches.
    ("/", 35),
    ("/book", 4),
    ("/book/animals", 8),
    ("/book/animals/2", 30),
    ("/book/animals/2?tab=production", 30),
    ("/book/animals/2?tab=pedigree", 20),
    ("/book/animals/2/edit", 21),
    ("/book/milk-tests", 8),
    ("/book/milk-tests?columns=date,animal.name,animal.birthDate", 8),
    ("/book/milk-tests/new", 6),
    ("/api/animals/2/card", 20),
];

async fn statement_counts(w: &World<'_>) -> Vec<usize> {
    let mut all = Vec::new();
    for (path, most) in PAGES {
        statement_log::read();
        let answer = page(w, "alpha", path).await;
        assert_eq!(answer.status, 200, "{path}");
        let statements = statement_log::read();
        eprintln!("{path}: {} statements", statements.len());
        assert!(statements.len() <= most, "{path}: {statements:#?}");
        all.push(statements.len());
    }
    all
}

async fn events(w: &World<'_>, kind: i64, days: std::ops::Range<i64>) {
    let dates = days.map(|day| format!("2024-0{}-{:02}", 3 + day / 28, 1 + day % 28));
    let (tests, seen): (Vec<Value>, Vec<Value>) = dates
        .map(|date| {
            let test = json!({"animal": 2, "date": date, "milkYield": 30});
            let seen = json!({"animal": 2, "date": date, "type": kind, "title": "Seen"});
            (test, seen)
        })
        .unzip();
    for (slug, rows) in [("milk-tests", tests), ("health-events", seen)] {
        ask!(w, "alpha", "POST /api/{slug}?depth=0", rows => 201);
    }
}

#[test_with(World::each)]
async fn a_page_costs_no_more_statements_where_there_is_more_to_show(w: &World<'_>) {
    let kind = made!(w, "admin", "health-event-types", {"code": "D", "name": "Diagnosis", "kind": "diagnosis"});
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2024-02-01", "number": 1});
    events(w, kind, 0..2).await;
    let few = statement_counts(w).await;
    events(w, kind, 2..40).await;
    let animals = (0..30).map(
        |n| json!({"identNumber": format!("9500000{n:05}"), "sex": "female", "birthDate": "2022-01-01", "mother": 2}),
    );
    let animals: Value = animals.collect();
    ask!(w, "alpha", "POST /api/animals?depth=0", animals => 201);
    // One more counts the rows, of which there are more than a page has.
    for ((path, _), (few, many)) in PAGES.iter().zip(few.into_iter().zip(statement_counts(w).await)) {
        assert!(many <= few + 1, "{path}: {few} and {many} statements");
    }
}

/// Statements of the page of a package with so many rows, of which every second one has a cell that cannot be read.
async fn review(w: &World<'_>, who: &str, month: usize, rows: usize) -> usize {
    let row = |day: usize| {
        let milk = if day.is_multiple_of(2) { "30" } else { "lots" };
        format!("960000000002;{day:02}.{month:02}.2025;{milk}\r\n")
    };
    let table: String = (1..=rows).map(row).collect();
    let file = format!("Инд.№;Дата замера;Удой за день, кг\r\n{table}");
    let kind = json!({"kind": "productivity"});
    let package = sent(w, "alpha", "t.csv", file.as_bytes(), &kind).await;
    let path = format!("/book/data-submissions/{}", package["id"]);
    statement_log::read();
    let answer = page(w, who, &path).await;
    let statements = statement_log::read();
    assert_sound(&answer, who);
    let faults = answer.text.matches("class=\"fault\"").count();
    assert!(faults >= rows / 2, "{faults} faults: {}", answer.text);
    statements.len()
}

#[test_with(World::each)]
async fn a_review_costs_no_more_statements_where_there_are_more_rows(w: &World<'_>) {
    for (who, month) in [("alpha", 3), ("admin", 7)] {
        let few = review(w, who, month, 2).await;
        let many = review(w, who, month + 1, 24).await;
        eprintln!("{who}: {few} and {many} statements");
        assert!(many <= few + 1, "{who}: {few} and {many} statements");
    }
}

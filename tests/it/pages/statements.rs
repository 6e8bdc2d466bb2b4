//! A page costs as many statements whatever the book holds.

use super::page;
use crate::rest::world::World;
use serde_json::json;
use store::statement_log;

/// Pages of a farm, and the most statements of each.
const PAGES: [(&str, usize); 8] = [
    ("/", 15),
    ("/book", 4),
    ("/book/animals", 8),
    ("/book/animals/2", 40),
    ("/book/animals/2/edit", 20),
    ("/book/milk-tests", 8),
    ("/book/milk-tests/new", 6),
    ("/api/animals/2/card", 20),
];

async fn asked(w: &World<'_>) -> Vec<usize> {
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
    for day in days {
        let date = format!("2024-0{}-{:02}", 3 + day / 28, 1 + day % 28);
        made!(w, "alpha", "milk-tests", {"animal": 2, "date": date, "milkYield": 30});
        made!(w, "alpha", "health-events", {"animal": 2, "date": date, "type": kind, "title": "Seen"});
    }
}

#[tokio::test]
async fn a_page_costs_no_more_statements_where_there_is_more_to_show() {
    World::each(async |w| {
        let kind = json!({"code": "D", "name": "Diagnosis", "kind": "diagnosis"});
        let kind = w.made("admin", "health-event-types", kind).await;
        made!(w, "alpha", "calvings", {"animal": 2, "date": "2024-02-01", "number": 1});
        events(w, kind, 0..2).await;
        let few = asked(w).await;
        events(w, kind, 2..40).await;
        let animals = (0..30).map(|n| {
            json!({"identNumber": format!("9500000{n:05}"), "sex": "female",
            "birthDate": "2022-01-01", "mother": 2})
        });
        for animal in animals {
            w.made("alpha", "animals", animal).await;
        }
        // One more counts the rows, of which there are more than a page has.
        for ((path, _), (few, many)) in PAGES.iter().zip(few.into_iter().zip(asked(w).await)) {
            assert!(many <= few + 1, "{path}: {few} and {many} statements");
        }
    })
    .await;
}

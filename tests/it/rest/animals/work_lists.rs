//! Work lists against a rule of their own over the rows that were written, who sees them, and their files.

use crate::rest::reading::spreadsheets::read;
use crate::rest::world::{FORBIDDEN, World};
use model::record::time::to_iso;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// 1 March 2026.
const TODAY: i64 = 1_772_323_200_000;

fn ago(days: i64) -> String {
    to_iso(TODAY - days * 86_400_000)[..10].to_owned()
}

/// What is written of a cow; days ago, and days ahead of withdrawals.
#[derive(Debug, Clone, Default)]
struct Cow {
    herd: Option<i64>,
    calved: Option<i64>,
    dried: Option<i64>,
    served: Vec<i64>,
    /// What the check of the last service found.
    in_calf: Option<bool>,
    tested: Vec<(i64, Option<i64>)>,
    withheld: Option<[i64; 2]>,
}

/// The numbers of a herd.
struct Numbers {
    dry_off: i64,
    calving: i64,
    check: i64,
    open: i64,
    services: usize,
    cells: i64,
    no_test: i64,
}

const USUAL: Numbers = Numbers { dry_off: 60, calving: 14, check: 32, open: 120, services: 3, cells: 400, no_test: 45 };
/// Those that herd 2 gets.
const OTHERS: Numbers = Numbers { dry_off: 45, cells: 200, no_test: 30, ..USUAL };

impl Cow {
    fn is_in(&self, list: &str) -> bool {
        let n = if self.herd == Some(2) { &OTHERS } else { &USUAL };
        let in_milk = self.calved.is_some() && self.dried.is_none();
        let left = self.served.last().filter(|_| self.in_calf == Some(true)).map(|served| 279 - served);
        let empty = self.in_calf != Some(true);
        let cells = self.tested.iter().rev().find_map(|(_, cells)| *cells);
        match list {
            "dryOff" => in_milk && left.is_some_and(|left| left <= n.dry_off),
            "calving" => left.is_some_and(|left| left <= n.calving),
            "pregnancyCheck" => self.in_calf.is_none() && self.served.last().is_some_and(|days| *days >= n.check),
            "open" => {
                let waits = self.in_calf.is_none() && !self.served.is_empty();
                empty && !waits && self.calved.is_some_and(|days| days >= n.open)
            }
            "repeat" => empty && self.served.len() >= n.services,
            "cells" => in_milk && cells.is_some_and(|cells| cells > n.cells),
            "noTest" => {
                let last = self.tested.last().map(|(days, _)| *days).or(self.calved);
                in_milk && last.is_some_and(|days| days >= n.no_test)
            }
            "milkWithdrawal" => self.withheld.is_some_and(|[milk, _]| milk >= 0),
            "meatWithdrawal" => self.withheld.is_some_and(|[_, meat]| meat >= 0),
            other => panic!("{other}"),
        }
    }
}

const LISTS: [&str; 9] =
    ["dryOff", "calving", "pregnancyCheck", "open", "repeat", "cells", "noTest", "milkWithdrawal", "meatWithdrawal"];

/// Cows on both sides of each number.
fn cows() -> Vec<Cow> {
    let cow =
        |calved: i64| Cow { herd: Some(1), calved: Some(calved), tested: vec![(10, Some(100))], ..Cow::default() };
    let in_calf = |days: i64| Cow { served: vec![days], in_calf: Some(true), ..cow(320) };
    let served = |days: &[i64]| Cow { served: days.to_vec(), ..cow(119) };
    let herd = |herd, cow: Cow| Cow { herd, ..cow };
    let tested = |days: &[(i64, Option<i64>)]| Cow { tested: days.to_vec(), ..cow(100) };
    vec![
        in_calf(218),
        in_calf(219),
        herd(None, in_calf(219)),
        herd(Some(2), in_calf(233)),
        herd(Some(2), in_calf(234)),
        Cow { dried: Some(20), tested: vec![], ..in_calf(264) },
        Cow { dried: Some(20), tested: vec![], ..in_calf(265) },
        Cow { calved: None, tested: vec![], ..in_calf(285) },
        served(&[31]),
        served(&[32]),
        served(&[80, 55, 32]),
        Cow { in_calf: Some(false), ..served(&[90, 70, 40]) },
        Cow { in_calf: Some(false), calved: Some(120), ..served(&[70, 40]) },
        cow(119),
        cow(120),
        tested(&[(40, Some(900)), (10, Some(400))]),
        tested(&[(40, Some(100)), (10, Some(401))]),
        tested(&[(40, Some(401)), (10, None)]),
        herd(Some(2), tested(&[(10, Some(201))])),
        tested(&[(44, None)]),
        tested(&[(45, None)]),
        herd(Some(2), tested(&[(30, None)])),
        Cow { tested: vec![], ..cow(45) },
        Cow { tested: vec![], ..cow(44) },
        Cow { withheld: Some([0, 5]), ..cow(60) },
        Cow { withheld: Some([-1, 0]), ..cow(60) },
    ]
}

async fn written(w: &World<'_>, cows: &[Cow]) -> Vec<i64> {
    let empty = made!(w, "admin", "insemination-results", {"code": "E", "name": "Empty", "adeResult": "empty"});
    let kind = made!(w, "admin", "health-event-types", {"code": "T", "name": "Treatment", "kind": "treatment"});
    changed!(w, "alpha", "herds", 2, {"workLists": {"dryOff": 45, "cells": 200, "noTest": 30}});
    let mut ids = Vec::new();
    for (at, cow) in cows.iter().enumerate() {
        let number = format!("9600007{at:05}");
        let animal = made!(w, "alpha", "animals", {
            "identNumber": number, "sex": "female", "birthDate": "2021-01-10", "breed": 1, "herd": (cow.herd),
        });
        if let Some(days) = cow.calved {
            made!(w, "alpha", "calvings", {"animal": animal, "date": (ago(days))});
        }
        for (at, days) in cow.served.iter().enumerate() {
            let last = at + 1 == cow.served.len();
            let found = cow.in_calf.filter(|_| last).map(|found| if found { 1 } else { empty });
            let checked = found.map(|_| ago(days - 30));
            let body = json!({"animal": animal, "date": ago(*days), "result": found, "pregnancyCheckDate": checked});
            w.made("alpha", "inseminations", body).await;
        }
        if let Some(days) = cow.dried {
            made!(w, "alpha", "calvings", {"animal": animal, "date": (ago(days)), "eventType": "dryOff"});
        }
        for (days, cells) in &cow.tested {
            let body = json!({"animal": animal, "date": ago(*days), "milkYield": 30, "somaticCells": cells});
            w.made("alpha", "milk-tests", body).await;
        }
        if let Some([milk, meat]) = cow.withheld {
            for (field, days) in [("milkWithdrawalUntil", milk), ("meatWithdrawalUntil", meat)] {
                let body = json!({"animal": animal, "type": kind, "date": ago(3), field: ago(-days)});
                w.made("alpha", "health-events", body).await;
            }
        }
        ids.push(animal);
    }
    ids
}

async fn list(w: &World<'_>, who: &str, query: &str) -> Value {
    ask!(w, who, "GET /api/animals/work-lists?{query}" => 200).json()
}

fn ids(page: &Value) -> BTreeSet<i64> {
    page["docs"].as_array().unwrap().iter().map(|doc| doc["id"].as_i64().unwrap()).collect()
}

#[test_with(World::both)]
async fn lists_have_the_cows_that_another_rule_finds_in_the_rows(w: &World<'_>) {
    let cows = cows();
    let animals = written(w, &cows).await;
    for name in LISTS {
        let page = list(w, "alpha", &format!("list={name}&limit=100")).await;
        let own = animals.iter().zip(&cows).filter(|(_, cow)| cow.is_in(name));
        let expected: BTreeSet<i64> = own.map(|(id, _)| *id).collect();
        assert!(!expected.is_empty() && expected.len() < cows.len(), "{name}");
        assert_eq!(ids(&page), expected, "{name}: {page}");
        assert_eq!(page["totalDocs"], json!(expected.len()), "{name}");
    }
    // By the number of its herd, each is due on its day.
    let page = list(w, "alpha", "list=dryOff&limit=100").await;
    assert_eq!(page["numbers"], json!([45, 60]));
    let due = |at: usize| {
        let mut docs = page["docs"].as_array().unwrap().iter();
        docs.find(|doc| doc["id"] == json!(animals[at])).unwrap()["due"].clone()
    };
    assert_eq!([due(1), due(2), due(4)], [ago(0), ago(0), ago(0)].map(Value::from));
    // A day later the first cow and the fourth are on it, too.
    let tomorrow = ids(&list(w, "alpha", "list=dryOff&limit=100&ahead=1").await);
    let more: Vec<i64> = tomorrow.difference(&ids(&page)).copied().collect();
    assert_eq!(more, [animals[0], animals[3]]);
    // Who left or is archived has no work.
    changed!(w, "alpha", "animals", animals[1], {"archived": true});
    made!(w, "alpha", "movements", {"animal": (animals[2]), "date": (ago(0)), "kind": "sale", "to": 2});
    let later = ids(&list(w, "alpha", "list=dryOff&limit=100").await);
    assert!(!later.contains(&animals[1]) && !later.contains(&animals[2]), "{later:?}");
}

#[test_with(World::each)]
async fn a_farm_sees_its_own_lists_only(w: &World<'_>) {
    let animals = written(w, &cows()[..2]).await;
    let all = list(w, "alpha", "").await;
    assert_eq!((&all["day"], &all["organization"]), (&json!(ago(0)), &json!(1)));
    let names: Vec<&str> = all["lists"].as_array().unwrap().iter().filter_map(|page| page["list"].as_str()).collect();
    assert_eq!(names, LISTS);
    assert_eq!(ids(&all["lists"][0]), BTreeSet::from([animals[1]]));
    for who in ["operator", "viewer"] {
        assert_eq!(list(w, who, "").await, all, "{who}");
    }
    assert_eq!(list(w, "expert", "organization=1").await, all);
    let others = list(w, "beta", "").await;
    assert!(others["lists"].as_array().unwrap().iter().all(|page| page["totalDocs"] == 0), "{others}");
    ask!(w, "beta", "GET /api/animals/work-lists?organization=1" => FORBIDDEN);
    ask!(w, "", "GET /api/animals/work-lists" => FORBIDDEN);
    ask!(w, "", "GET /api/animals/work-lists?organization=1" => FORBIDDEN);
    ask!(w, "expert", "GET /api/animals/work-lists" => 400);
    ask!(w, "expert", "GET /api/animals/work-lists?organization=99" => 404);
    for bad in
        ["list=nope", "format=doc", "limit=0", "limit=501", "page=0", "ahead=61", "language=de", "organization=x"]
    {
        ask!(w, "alpha", "GET /api/animals/work-lists?{bad}" => 400);
    }
    ask!(w, "alpha", "GET /api/herds/work-lists" => 404);
    // The numbers of a herd are within their range, and its own.
    for body in [json!({"workLists": {"dryOff": 29}}), json!({"workLists": {"cells": 1.5}})] {
        let path = format!("workLists.{}", body["workLists"].as_object().unwrap().keys().next().unwrap());
        refused!(w, "alpha", "PATCH /api/herds/1", body => 400 [path.as_str()]);
    }
    let herd = ask!(w, "beta", "GET /api/herds/2?depth=0" => 200).json();
    assert!(herd["workLists"]["dryOff"].is_null(), "{herd}");
}

#[test_with(World::each)]
async fn lists_are_files_and_a_calendar(w: &World<'_>) {
    written(w, &cows()[..2]).await;
    let russian = ask!(w, "alpha", "GET /api/animals/work-lists?format=xlsx&language=ru" => 200);
    let name = format!("attachment; filename=\"work-lists-{}.xlsx\"", ago(0));
    assert_eq!(russian.header("content-disposition"), name);
    let sheets = read(russian.bytes);
    assert_eq!(sheets.len(), LISTS.len());
    let (name, rows) = &sheets[0];
    assert_eq!(name, "К запуску");
    let row = ["960000700001", "2026-03-01", "", "", "Alpha 1", "2026-04-30", "320", "1"];
    assert_eq!((&rows[0][1], &rows[1][..], rows.len()), (&"Запустить".to_owned(), &row.map(str::to_owned)[..], 2));
    let paper = ask!(w, "alpha", "GET /api/animals/work-lists?format=pdf&list=dryOff" => 200);
    assert_eq!(paper.header("content-type"), "application/pdf");
    assert!(paper.bytes.starts_with(b"%PDF"));
    // The cow of tomorrow stands on tomorrow.
    let calendar = ask!(w, "alpha", "GET /api/animals/work-lists?format=ics&list=dryOff&language=en" => 200);
    assert_eq!(calendar.header("content-type"), "text/calendar; charset=utf-8");
    let events: Vec<&str> = calendar.text.split("BEGIN:VEVENT\r\n").skip(1).collect();
    let found: Vec<bool> = [("20260301", "960000700001"), ("20260302", "960000700000")]
        .iter()
        .zip(&events)
        .map(|((day, number), event)| {
            event.contains(&format!("DTSTART;VALUE=DATE:{day}\r\nSUMMARY:To dry off: 1\r\n"))
                && event.contains(&format!("DESCRIPTION:{number}\r\n"))
        })
        .collect();
    assert_eq!((found, events.len()), (vec![true, true], 2), "{}", calendar.text);
    // What it has no room for is counted.
    let short = ask!(w, "alpha", "GET /api/animals/work-lists?format=ics&list=dryOff&language=en&limit=1" => 200);
    assert!(short.text.contains("DESCRIPTION:960000700001\\n1 more\r\n"), "{}", short.text);
}

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Map, Value};

mod breeding_values;
mod lactations;
mod noted;

use super::{Book, Options, SeedRow, generate, generate_into, last_day, shift};
use domain::derive::identify::name_latin;
use domain::derive::pedigree::{Parents, Pedigree, descents};
use model::registry::{Field, Kind};

/// The book of the demonstration, made once for all tests.
static DEMO: LazyLock<Book> = LazyLock::new(|| generate(&Options::default()));

/// Books that must obey the laws: that one, another seed, and more farms.
static BOOKS: LazyLock<[Book; 3]> = LazyLock::new(|| {
    let book = |animals, seed| generate(&Options { animals, seed, later: 0 });
    [DEMO.clone(), book(500, 7), book(3_000, 2)]
});

fn of<'a>(book: &'a Book, collection: &'a str) -> impl Iterator<Item = &'a SeedRow> {
    book.rows.iter().filter(move |row| row.collection == collection)
}

fn animals(book: &Book) -> BTreeMap<i64, &SeedRow> {
    of(book, "animals").map(|row| (row.id, row)).collect()
}

fn number(row: &SeedRow, field: &str) -> Option<i64> {
    row.data.get(field).and_then(Value::as_i64)
}

fn text<'a>(row: &'a SeedRow, field: &str) -> &'a str {
    row.data.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The day of an event; milkings know the second.
fn date(row: &SeedRow) -> &str {
    let day = text(row, "date");
    if day.is_empty() { text(row, "startedAt").get(..10).unwrap_or_default() } else { day }
}

/// All that a book says, in its order.
fn printed(book: &Book) -> String {
    format!("{:?}", book.rows)
}

fn counts(book: &Book) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for row in &book.rows {
        *counts.entry(row.collection).or_default() += 1;
    }
    counts
}

/// The declaration of a field, by a path that passes through groups and rows.
fn declared<'f>(fields: &'f [Field], path: &str) -> Option<&'f Field> {
    fields.iter().find_map(|field| {
        let rest = path.strip_prefix(field.path.as_str())?;
        match (&field.kind, rest.strip_prefix('.')) {
            (_, None) => Some(field).filter(|_| rest.is_empty()),
            (Kind::Rows(inner), Some(rest)) => declared(inner, rest),
            _ => None,
        }
    })
}

/// Every whole number in a row with its path.
fn integers(prefix: &str, value: &Value, numbers: &mut Vec<(String, i64)>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let dot = if prefix.is_empty() { "" } else { "." };
                integers(&format!("{prefix}{dot}{name}"), value, numbers);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| integers(prefix, item, numbers)),
        Value::Number(number) => numbers.extend(number.as_i64().map(|n| (prefix.to_owned(), n))),
        _ => {}
    }
}

#[test]
fn a_later_book_is_the_same_but_for_its_days() {
    let (made, later) = (generate(&Options::default()), generate(&Options { later: 518, ..Options::default() }));
    let day =
        |row: &SeedRow| row.data.get("date").and_then(Value::as_str).and_then(|text| text[..10].parse::<Date>().ok());
    let mut days = 0;
    for (row, other) in made.rows.iter().zip(&later.rows) {
        assert_eq!((row.collection, row.id), (other.collection, other.id));
        if let (Some(day), Some(other)) = (day(row), day(other)) {
            assert_eq!(other, day.saturating_add(518.days()));
            days += 1;
        }
    }
    assert!(days > 1_000, "{days}");
    let last = later.rows.iter().filter_map(day).max().unwrap();
    assert_eq!(last, last_day().saturating_add(518.days()));
    // Nothing else than days differs: back by as many it is the first book.
    let back = later.rows.into_iter().map(|mut row| {
        row.data.values_mut().chain(row.system.values_mut()).for_each(|value| shift(value, -518));
        row
    });
    assert!(back.eq(made.rows));
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let second = generate(&Options::default());
    assert!(printed(&second) == printed(&DEMO));
    let other = generate(&Options { seed: 2, ..Options::default() });
    assert!(printed(&other) != printed(&DEMO));
}

#[test]
fn every_relation_points_at_an_earlier_row() {
    let registry = domain::collections::registry().unwrap();
    for book in BOOKS.iter() {
        let mut last_ids: BTreeMap<&str, i64> = BTreeMap::new();
        for row in &book.rows {
            let collection = registry.get(row.collection).unwrap();
            let mut numbers = Vec::new();
            for fields in [&row.data, &row.system] {
                integers("", &Value::Object(fields.clone()), &mut numbers);
            }
            for (path, id) in numbers {
                let field = declared(&collection.fields, &path);
                let field = field.unwrap_or_else(|| panic!("{} {path}", row.collection));
                match &field.kind {
                    Kind::Relation(target) | Kind::Relations(target) => {
                        let last = last_ids.get(target.as_str()).copied().unwrap_or(0);
                        let place = format!("{} {} {path} {id}", row.collection, row.id);
                        assert!((1..=last).contains(&id), "{place}");
                    }
                    // Linear traits are scores.
                    _ if row.collection == "animal-exteriors" => {
                        assert!((1..=9).contains(&id), "{path} {id}");
                    }
                    _ => {}
                }
            }
            let last = last_ids.entry(row.collection).or_default();
            *last += 1;
            assert_eq!(row.id, *last, "ids count from 1 in {}", row.collection);
        }
    }
}

#[test]
fn sizes_are_near_the_wanted_number() {
    for (animals, seed) in [(500, 1), (500, 2), (300, 3), (1_000, 1), (4_000, 5)] {
        let book = generate(&Options { animals, seed, later: 0 });
        let count = of(&book, "animals").count();
        assert!(count.abs_diff(animals) * 10 <= animals, "{animals} wanted, {count} made");
    }
    for animals in [0, 1, 20] {
        assert!(!generate(&Options { animals, seed: 1, later: 0 }).accounts.is_empty());
    }
}

#[test]
fn the_demonstration_has_plausible_counts() {
    let counts = counts(&DEMO);
    let animals = counts["animals"] as f64;
    let calved = of(&DEMO, "calvings").filter(|row| text(row, "eventType") == "calving");
    for (count, range) in [
        (calved.count(), 0.7..1.4),
        (counts["inseminations"], 1.0..3.0),
        (counts["milk-tests"], 4.0..9.0),
        (counts["weighings"], 1.0..3.5),
        (counts["movements"], 0.5..1.5),
    ] {
        let share = count as f64 / animals;
        assert!(range.contains(&share), "{share} {counts:?}");
    }
    assert_eq!((counts["organizations"], counts["herds"], counts["users"]), (7, 3, 5));
    assert_eq!((counts["countries"], counts["regions"]), (249, 83));
    for place in of(&DEMO, "regions").chain(of(&DEMO, "districts")) {
        assert_eq!(text(place, "nameEnglish"), name_latin(text(place, "name")));
    }
    let kinds: BTreeSet<&str> = of(&DEMO, "movements").map(|row| text(row, "kind")).collect();
    assert_eq!(kinds, BTreeSet::from(["cull", "death", "import", "sale", "transfer"]));
    let between_farms =
        of(&DEMO, "movements").filter(|row| text(row, "kind") == "sale" && number(row, "to").is_some_and(|to| to < 4));
    assert!(between_farms.count() >= 3);
}

/// Owner and exit of every animal, replayed from the movements.
struct Life {
    birth: String,
    owner: i64,
    left: Option<String>,
    female: bool,
}

fn lives(book: &Book) -> BTreeMap<i64, Life> {
    of(book, "animals")
        .map(|row| {
            let life = Life {
                birth: text(row, "birthDate").to_owned(),
                owner: number(row, "owner").unwrap(),
                left: None,
                female: text(row, "sex") == "female",
            };
            (row.id, life)
        })
        .collect()
}

fn evaluates(row: &SeedRow) -> bool {
    let kinds = ["animal-evaluations", "animal-exteriors", "gradings"];
    kinds.contains(&row.collection)
}

#[test]
fn evaluations_are_of_animals_that_were_born_and_one_run_is_current() {
    for book in BOOKS.iter() {
        let lives = lives(book);
        let mut current: BTreeMap<i64, usize> = BTreeMap::new();
        for row in book.rows.iter().filter(|row| evaluates(row)) {
            let animal = number(row, "animal").unwrap();
            let day = ["evaluatedAt", "assessedAt", "date"].iter().find_map(|name| row.data.get(*name)?.as_str());
            assert!(day.unwrap() > lives[&animal].birth.as_str());
            assert!(day.unwrap() <= "2025-06-30");
            if row.data.get("isCurrent") == Some(&Value::Bool(true)) {
                *current.entry(animal).or_default() += 1;
            }
        }
        assert!(current.values().all(|count| *count == 1));
    }
    let counts = counts(&DEMO);
    for collection in ["animal-evaluations", "animal-exteriors", "gradings"] {
        assert!(counts[collection] >= 20, "{counts:?}");
    }
}

#[test]
fn events_fall_into_the_lives_of_their_animals() {
    for book in BOOKS.iter() {
        let mut lives = lives(book);
        let mut day = String::new();
        // What evaluates the animals comes after all events.
        let events = book.rows.iter().filter(|row| !evaluates(row));
        for row in events {
            let Some(animal) = number(row, "animal") else {
                continue;
            };
            let date = date(row).to_owned();
            let place = format!("{} {}", row.collection, row.id);
            assert!(date >= day, "{place}: rows are in order of dates");
            let years = "2013-01-01"..="2025-06-30";
            assert!(years.contains(&date.as_str()), "{date}");
            day.clone_from(&date);
            let life = lives.get_mut(&animal).unwrap();
            assert!(date >= life.birth, "{place} before birth");
            assert_eq!(life.left, None, "{place} after leaving");
            match row.collection {
                "movements" => {
                    if text(row, "kind") == "import" {
                        assert_eq!(number(row, "from"), None);
                    } else {
                        assert_eq!(number(row, "from"), Some(life.owner), "movement {}", row.id);
                    }
                    match (text(row, "kind"), number(row, "to")) {
                        ("cull" | "death", None) => life.left = Some(date),
                        ("sale", Some(7)) => life.left = Some(date),
                        ("sale" | "transfer" | "import", Some(to)) => life.owner = to,
                        other => panic!("movement {} {other:?}", row.id),
                    }
                }
                "weighings" | "health-events" => {}
                _ => assert!(life.female, "{place}"),
            }
        }
    }
}

#[test]
fn every_test_follows_a_calving_of_its_lactation_without_a_dry_off() {
    for book in BOOKS.iter() {
        let mut in_milk: BTreeMap<i64, i64> = BTreeMap::new();
        let mut tests = 0;
        for row in &book.rows {
            let Some(animal) = number(row, "animal") else {
                continue;
            };
            match (row.collection, text(row, "eventType")) {
                ("calvings", "calving") => {
                    let before = in_milk.insert(animal, number(row, "number").unwrap());
                    assert_eq!(before, None, "a cow is dried off before calving again");
                }
                ("calvings", "dryOff") => {
                    assert_eq!(in_milk.remove(&animal), number(row, "number"));
                }
                ("milk-tests", _) => {
                    tests += 1;
                    assert_eq!(in_milk.get(&animal).copied(), number(row, "lactationNumber"));
                    let sick = text(row, "testCode") == "sick";
                    assert_ne!(sick, row.data.contains_key("milkYield"));
                }
                _ => {}
            }
        }
        assert!(tests > 1_000);
    }
}

#[test]
fn calves_link_both_ways() {
    for book in BOOKS.iter() {
        let animals = animals(book);
        let mut linked = 0;
        for row in of(book, "calvings") {
            let progeny = row.data.get("progeny").and_then(Value::as_array);
            for calf in progeny.into_iter().flatten() {
                let Some(calf_row) = calf["animal"].as_i64().map(|id| animals[&id]) else {
                    continue;
                };
                assert_eq!(number(calf_row, "mother"), number(row, "animal"));
                assert_eq!(text(calf_row, "birthDate"), text(row, "date"));
                assert_eq!(calf["sex"], calf_row.data["sex"]);
                assert_eq!(calf["birthStatus"], "alive");
                linked += 1;
            }
        }
        assert!(linked > 150, "{linked}");
    }
}

#[test]
fn the_pedigree_is_sound_and_deep() {
    for book in BOOKS.iter() {
        let rows: Vec<Parents> = of(book, "animals")
            .map(|row| Parents { id: row.id, sire: number(row, "father"), dam: number(row, "mother") })
            .collect();
        let animals = animals(book);
        let sex = |id: i64| text(animals[&id], "sex");
        for row in &rows {
            assert!(row.sire.is_none_or(|sire| sex(sire) == "male"));
            assert!(row.dam.is_none_or(|dam| sex(dam) == "female"));
        }
        assert!(Pedigree::new(rows.iter().copied()).is_ok());
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let all = descents(&rows.iter().map(|row| (row.id, *row)).collect(), &ids);
        assert!(all.values().all(|of| of.inbreeding < 0.25));
        assert!(all.values().any(|of| of.inbreeding > 0.0));
        let youngest = all[&(rows.len() as i64)].depth;
        assert!(youngest > 1.5, "{youngest}");
    }
}

#[test]
fn numbers_are_unique_and_from_the_reserved_range() {
    for book in BOOKS.iter() {
        let mut idents = BTreeSet::new();
        for row in of(book, "animals") {
            let ident = text(row, "identNumber").to_owned();
            let archived = row.data.get("archived") == Some(&Value::Bool(true));
            let format = domain::derive::identify::IdFormat::parse(text(row, "idFormat")).unwrap();
            assert!(format.matches(&ident));
            assert_eq!(archived, ident.starts_with("ANC-"));
            assert!(archived || ident.starts_with("96"));
            if archived {
                assert_eq!(row.data["publicVisible"], false);
                assert_eq!(row.data["publicDetails"], false);
            }
            let other = row.data.get("altIds");
            if let Some(chip) = other.and_then(|ids| ids["chipNumber"].as_str()) {
                let checked = checks::check_rfid(chip, |prefix| prefix == 643);
                assert_eq!(checked, Ok(()));
            }
            assert!(idents.insert(ident));
        }
    }
}

#[test]
fn people_and_the_grant() {
    let users: Vec<&SeedRow> = of(&DEMO, "users").collect();
    assert_eq!(users.len(), DEMO.accounts.len());
    for (row, account) in users.iter().zip(&DEMO.accounts) {
        assert_eq!(text(row, "email"), account.email);
        assert_eq!(number(row, "organization"), Some(account.organization));
        assert_eq!(text(row, "role"), account.role);
        assert_eq!(text(row, "orgRole"), account.org_role);
        assert!(!row.data.contains_key("password"));
    }
    let grant = of(&DEMO, "access-grants").next().unwrap();
    let mut accounts = DEMO.accounts.iter();
    let partner = accounts.find(|account| account.email.starts_with("partner"));
    let partner = partner.map(|account| account.organization);
    assert_eq!(number(grant, "grantee"), partner);
    assert_eq!(grant.system.get("owner").and_then(Value::as_i64), Some(2));
}

#[test]
fn the_set_has_the_cows_that_calved_last() {
    let mut calved: BTreeMap<i64, &str> = BTreeMap::new();
    for row in of(&DEMO, "calvings").filter(|row| text(row, "eventType") == "calving") {
        calved.insert(number(row, "animal").unwrap(), date(row));
    }
    let mut owners: BTreeMap<i64, i64> =
        of(&DEMO, "animals").map(|row| (row.id, number(row, "owner").unwrap())).collect();
    for row in of(&DEMO, "movements") {
        let animal = number(row, "animal").unwrap();
        match number(row, "to") {
            Some(to) => owners.insert(animal, to),
            None => owners.remove(&animal),
        };
    }
    let of_farm = calved.iter().filter(|(cow, _)| owners.get(cow) == Some(&2));
    let mut last: Vec<&str> = of_farm.map(|(_, day)| *day).collect();
    last.sort_by(|one, other| other.cmp(one));
    let set = of(&DEMO, "saved-searches").next().unwrap();
    let members: Vec<i64> = set.data["members"].as_array().unwrap().iter().filter_map(Value::as_i64).collect();
    assert_eq!(members.len(), 12);
    let days: Vec<&str> = members.iter().map(|cow| calved[cow]).collect();
    assert_eq!(days, last[..12]);
    assert!(members.iter().all(|cow| owners.get(cow) == Some(&2)), "{members:?}");
}

#[test]
fn the_sink_may_stop() {
    let mut rows = 0;
    generate_into(&Options::default(), |_| {
        rows += 1;
        if rows == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(rows, 10);
}

#[test]
fn no_row_is_empty_and_no_field_is_null() {
    fn full(map: &Map<String, Value>) -> bool {
        map.values().all(|value| match value {
            Value::Null => false,
            Value::Object(inner) => !inner.is_empty() && full(inner),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        })
    }
    for row in BOOKS.iter().flat_map(|book| &book.rows) {
        assert!(!row.data.is_empty() && full(&row.data), "{} {}", row.collection, row.id);
    }
}

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::LazyLock;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

mod noted;

use super::{Book, Options, SeedRow, generate, generate_into};
use domain::derive::pedigree::{Parents, Pedigree};

/// The book of the demonstration, made once for all tests.
static DEMO: LazyLock<Book> = LazyLock::new(|| generate(&Options::default()));

/// Books that must obey the laws: that one, another seed, and more farms.
static BOOKS: LazyLock<[Book; 3]> = LazyLock::new(|| {
    let book = |animals, seed| generate(&Options { animals, seed });
    [DEMO.clone(), book(500, 7), book(3_000, 2)]
});

fn of<'a>(book: &'a Book, collection: &'a str) -> impl Iterator<Item = &'a SeedRow> {
    book.rows
        .iter()
        .filter(move |row| row.collection == collection)
}

fn number(row: &SeedRow, field: &str) -> Option<i64> {
    row.data.get(field).and_then(Value::as_i64)
}

fn text<'a>(row: &'a SeedRow, field: &str) -> &'a str {
    row.data
        .get(field)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The day of an event; milkings know the second.
fn date(row: &SeedRow) -> &str {
    let day = text(row, "date");
    if day.is_empty() {
        text(row, "startedAt").get(..10).unwrap_or_default()
    } else {
        day
    }
}

fn hash(book: &Book) -> String {
    let mut hasher = Sha256::new();
    for row in &book.rows {
        hasher.update(row.collection);
        hasher.update(serde_json::to_vec(&row.data).unwrap());
        hasher.update(serde_json::to_vec(&row.system).unwrap());
    }
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn counts(book: &Book) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for row in &book.rows {
        *counts.entry(row.collection).or_default() += 1;
    }
    counts
}

/// Relation fields by collection, with the collection they point at. A path
/// passes through groups and rows.
const RELATIONS: [(&str, &str, &str); 69] = [
    ("regions", "country", "countries"),
    ("districts", "region", "regions"),
    ("breed-types", "breed", "breeds"),
    ("users", "organization", "organizations"),
    ("herds", "organization", "organizations"),
    ("technicians", "organization", "organizations"),
    ("access-grants", "grantee", "organizations"),
    ("access-grants", "owner", "organizations"),
    ("animals", "breed", "breeds"),
    ("animals", "owner", "organizations"),
    ("animals", "herd", "herds"),
    ("animals", "category", "breeding-categories"),
    ("animals", "coatColor", "coat-colors"),
    ("animals", "purpose", "animal-purposes"),
    ("animals", "breedingClass", "breeding-classes"),
    ("animals", "receiptMethod", "reproduction-methods"),
    ("animals", "father", "animals"),
    ("animals", "mother", "animals"),
    ("animals", "line", "lines"),
    ("animals", "birthPlace.country", "countries"),
    ("animals", "birthPlace.region", "regions"),
    ("animals", "birthPlace.district", "districts"),
    ("animals", "birthPlace.farm", "organizations"),
    ("animals", "haplotypes.type", "haplotype-types"),
    ("animals", "semen.stock.owner", "organizations"),
    ("movements", "animal", "animals"),
    ("movements", "from", "organizations"),
    ("movements", "to", "organizations"),
    ("movements", "fromHerd", "herds"),
    ("movements", "toHerd", "herds"),
    ("movements", "reason", "disposal-reasons"),
    ("calvings", "animal", "animals"),
    ("calvings", "progeny.animal", "animals"),
    ("inseminations", "animal", "animals"),
    ("inseminations", "bull", "animals"),
    ("inseminations", "semenType", "semen-types"),
    ("inseminations", "method", "reproduction-methods"),
    ("inseminations", "technician", "technicians"),
    ("inseminations", "result", "insemination-results"),
    ("milk-tests", "animal", "animals"),
    ("milk-tests", "laboratory", "organizations"),
    ("weighings", "animal", "animals"),
    ("events", "animal", "animals"),
    ("health-events", "animal", "animals"),
    ("health-events", "type", "health-event-types"),
    ("milking-visits", "animal", "animals"),
    ("animal-evaluations", "animal", "animals"),
    ("animal-exteriors", "animal", "animals"),
    ("animal-exteriors", "assessor", "technicians"),
    ("animal-exteriors", "assessorOrg", "organizations"),
    ("gradings", "animal", "animals"),
    ("gradings", "assessorOrg", "organizations"),
    ("saved-searches", "members", "animals"),
    ("saved-searches", "joins.animal", "animals"),
    ("saved-searches", "leaves.animal", "animals"),
    ("saved-searches", "organization", "organizations"),
    // Whole numbers that are no relations; listed so that every integer is known.
    ("calvings", "number", ""),
    ("inseminations", "lactationNumber", ""),
    ("inseminations", "attemptNumber", ""),
    ("inseminations", "straw.sexedPercent", ""),
    ("inseminations", "doses", ""),
    ("milk-tests", "lactationNumber", ""),
    ("milk-tests", "somaticCells", ""),
    ("milk-tests", "recordingPerYear", ""),
    ("weighings", "lactationNumber", ""),
    ("animal-exteriors", "lactation", ""),
    ("milking-visits", "duration", ""),
    ("milking-visits", "visitDuration", ""),
    ("milking-visits", "quarters.duration", ""),
];

/// Every whole number in a row with its path.
fn integers(prefix: &str, value: &Value, found: &mut Vec<(String, i64)>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let dot = if prefix.is_empty() { "" } else { "." };
                integers(&format!("{prefix}{dot}{name}"), value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| integers(prefix, item, found)),
        Value::Number(number) => found.extend(number.as_i64().map(|n| (prefix.to_owned(), n))),
        _ => {}
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let again = generate(&Options::default());
    assert_eq!(hash(&again), hash(&DEMO));
    let other = generate(&Options {
        seed: 2,
        ..Options::default()
    });
    assert_ne!(hash(&other), hash(&DEMO));
}

#[test]
fn every_relation_points_at_an_earlier_row() {
    for book in BOOKS.iter() {
        let known: BTreeMap<(&str, &str), &str> = RELATIONS
            .iter()
            .map(|&(from, path, to)| ((from, path), to))
            .collect();
        let plain: BTreeSet<&str> = [
            "sortOrder",
            "chromosome",
            "recordingInterval",
            "bloodPercent",
        ]
        .into();
        let mut seen: BTreeMap<&str, i64> = BTreeMap::new();
        for row in &book.rows {
            let mut found = Vec::new();
            for fields in [&row.data, &row.system] {
                integers("", &Value::Object(fields.clone()), &mut found);
            }
            for (path, id) in found {
                if plain.contains(path.as_str()) {
                    continue;
                }
                let target = known.get(&(row.collection, path.as_str()));
                // Linear traits are many, and no relations: scores from 1 to 9.
                if row.collection == "animal-exteriors" && target.is_none() {
                    assert!((1..=9).contains(&id), "{path} {id}");
                    continue;
                }
                let target = target.unwrap_or_else(|| panic!("{} {path}", row.collection));
                if !target.is_empty() {
                    let last = seen.get(target).copied().unwrap_or(0);
                    assert!(
                        (1..=last).contains(&id),
                        "{} {} {path} {id}",
                        row.collection,
                        row.id
                    );
                }
            }
            let last = seen.entry(row.collection).or_default();
            *last += 1;
            assert_eq!(row.id, *last, "ids count from 1 in {}", row.collection);
        }
    }
}

#[test]
fn sizes_are_near_the_wanted_number() {
    for (animals, seed) in [(500, 1), (500, 2), (300, 3), (1_000, 1), (4_000, 5)] {
        let book = generate(&Options { animals, seed });
        let found = of(&book, "animals").count();
        assert!(
            found.abs_diff(animals) * 10 <= animals,
            "{animals} wanted, {found} made"
        );
    }
    for animals in [0, 1, 20] {
        assert!(!generate(&Options { animals, seed: 1 }).accounts.is_empty());
    }
}

#[test]
fn the_demonstration_has_plausible_counts() {
    let counts = counts(&DEMO);
    let animals = counts["animals"] as f64;
    let per_animal = |collection: &str| counts[collection] as f64 / animals;
    let calvings = of(&DEMO, "calvings").filter(|row| text(row, "eventType") == "calving");
    assert!(
        (0.7..1.4).contains(&(calvings.count() as f64 / animals)),
        "{counts:?}"
    );
    assert!(
        (1.0..3.0).contains(&per_animal("inseminations")),
        "{counts:?}"
    );
    assert!((4.0..9.0).contains(&per_animal("milk-tests")), "{counts:?}");
    assert!((1.0..3.5).contains(&per_animal("weighings")), "{counts:?}");
    assert!((0.5..1.5).contains(&per_animal("movements")), "{counts:?}");
    assert_eq!(
        (counts["organizations"], counts["herds"], counts["users"]),
        (7, 3, 5)
    );
    assert_eq!((counts["countries"], counts["regions"]), (249, 83));
    let kinds: BTreeSet<&str> = of(&DEMO, "movements")
        .map(|row| text(row, "kind"))
        .collect();
    assert_eq!(
        kinds,
        BTreeSet::from(["cull", "death", "import", "sale", "transfer"])
    );
    let between_farms = of(&DEMO, "movements")
        .filter(|row| text(row, "kind") == "sale" && number(row, "to").is_some_and(|to| to < 4));
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
            let day = ["evaluatedAt", "assessedAt", "date"]
                .iter()
                .find_map(|name| row.data.get(*name)?.as_str());
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
            assert!(
                date >= day,
                "{} {}: rows are in order of dates",
                row.collection,
                row.id
            );
            assert!(
                ("2013-01-01"..="2025-06-30").contains(&date.as_str()),
                "{date}"
            );
            day.clone_from(&date);
            let life = lives.get_mut(&animal).unwrap();
            assert!(
                date >= life.birth,
                "{} {} before birth",
                row.collection,
                row.id
            );
            assert_eq!(
                life.left, None,
                "{} {} after leaving",
                row.collection, row.id
            );
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
                collection => assert!(life.female, "{collection} {}", row.id),
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
                    assert_eq!(
                        in_milk.get(&animal).copied(),
                        number(row, "lactationNumber")
                    );
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
        let animals: BTreeMap<i64, &SeedRow> =
            of(book, "animals").map(|row| (row.id, row)).collect();
        let mut linked = 0;
        for row in of(book, "calvings") {
            for calf in row
                .data
                .get("progeny")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
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
            .map(|row| Parents {
                id: row.id,
                sire: number(row, "father"),
                dam: number(row, "mother"),
            })
            .collect();
        let animals: BTreeMap<i64, &SeedRow> =
            of(book, "animals").map(|row| (row.id, row)).collect();
        for row in &rows {
            assert!(
                row.sire
                    .is_none_or(|sire| text(animals[&sire], "sex") == "male")
            );
            assert!(
                row.dam
                    .is_none_or(|dam| text(animals[&dam], "sex") == "female")
            );
        }
        let pedigree = Pedigree::new(rows.iter().copied()).unwrap();
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let found = pedigree.inbreeding(&ids);
        assert!(found.iter().flatten().all(|f| *f < 0.25));
        assert!(found.iter().flatten().any(|f| *f > 0.0));
        let youngest = pedigree.depth(rows.len() as i64).unwrap();
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
            let chip = row
                .data
                .get("altIds")
                .and_then(|ids| ids["chipNumber"].as_str());
            if let Some(chip) = chip {
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
    let partner = DEMO
        .accounts
        .iter()
        .find(|account| account.email.starts_with("partner"));
    assert_eq!(
        number(grant, "grantee"),
        partner.map(|account| account.organization)
    );
    assert_eq!(grant.system.get("owner").and_then(Value::as_i64), Some(2));
}

#[test]
fn the_sink_may_stop() {
    let mut seen = 0;
    generate_into(&Options::default(), |_| {
        seen += 1;
        if seen == 10 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(seen, 10);
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
        assert!(
            !row.data.is_empty() && full(&row.data),
            "{} {}",
            row.collection,
            row.id
        );
    }
}

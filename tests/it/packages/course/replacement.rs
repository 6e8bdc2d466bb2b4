//! A package that replaces another one takes back what that brought (docs/packages.md, *Replacing*).

use crate::packages::desk::{read_all, reader, rows, send, sent};
use crate::rest::world::World;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const COW: &str = "960000000002";
const TESTS: &str = "Инд.№;Дата замера;Удой за день, кг;Жир\r\n";

/// Milk of all tests, by day.
async fn milk(w: &World<'_>) -> Vec<f64> {
    let all = w.list("milk-tests", "sort=date&depth=0").await;
    all.iter().map(|row| row["milkYield"].as_f64().unwrap()).collect()
}

async fn test_of(w: &World<'_>, id: i64) -> Value {
    let doc = w.doc("milk-tests", id).await;
    json!([doc["milkYield"], doc["fatPercent"], doc["submission"]])
}

#[test_with(World::each)]
async fn values_go_back_unless_they_were_changed_since(w: &World<'_>) {
    let test = |day: u8| json!({"animal": 2, "date": format!("2026-02-{day:02}"), "milkYield": 20, "fatPercent": 4});
    let mut own = Vec::new();
    for day in 1..=4 {
        own.push(w.made("alpha", "milk-tests", test(day)).await);
    }
    let first = "960000000002;01.02.2026;21;5\r\n960000000002;02.02.2026;21;5\r\n960000000002;03.02.2026;21;5\r\n\
        960000000002;04.02.2026;21;4\r\n960000000002;05.02.2026;21;5\r\n960000000002;06.02.2026;21;5\r\n";
    let doc = sent(w, "alpha", "a.csv", format!("{TESTS}{first}").as_bytes(), &json!({})).await;
    let former = doc["id"].as_i64().unwrap();
    holds!(doc, {"intake.updated": 4, "intake.created": 2});
    // Read again, which changes nothing of what it was before.
    changed!(w, "alpha", "data-submissions", former, {"mapping": {"set": "milkTests"}});
    read_all(w).await;
    holds!(w.doc("data-submissions", former).await, {"intake.unchanged": 6, "intake.state": "read"});
    // Of the second somebody changes one value; the third is in the new package too.
    changed!(w, "alpha", "milk-tests", own[1], {"milkYield": 22});
    let second = "960000000002;03.02.2026;23;\r\n960000000002;06.02.2026;23;6\r\n";
    let file = format!("{TESTS}{second}");
    let doc = sent(w, "alpha", "b.csv", file.as_bytes(), &json!({"replaces": former})).await;
    let new = doc["id"].as_i64().unwrap();
    holds!(doc, {"intake.state": "read", "intake.updated": 2, "intake.removed": 1});
    holds!(w.doc("data-submissions", former).await, {"intake.state": "replaced"});
    assert_eq!(test_of(w, own[0]).await, json!([20, 4, null]), "as it was");
    assert_eq!(test_of(w, own[1]).await, json!([22, 4, null]), "what was changed since stays");
    assert_eq!(test_of(w, own[2]).await, json!([23, 5, new]), "the new one has it");
    assert_eq!(test_of(w, own[3]).await, json!([20, 4, null]));
    assert_eq!(milk(w).await, [20.0, 22.0, 23.0, 20.0, 23.0]);
    // A third one without them: what the first had changed does not come back.
    let file = format!("{TESTS}960000000002;20.02.2026;24;\r\n");
    let doc = sent(w, "alpha", "c.csv", file.as_bytes(), &json!({"replaces": new})).await;
    holds!(doc, {"intake.created": 1, "intake.removed": 0});
    assert_eq!(test_of(w, own[2]).await, json!([23, 5, new]));
    // How it was is shown to nobody.
    for row in rows(w, "admin", former, "").await {
        assert_eq!(row.get("before"), None, "{row}");
    }
}

/// Documents of the exchange change records and animals as rows of tables do, and it is taken back likewise.
#[test_with(World::each)]
async fn what_documents_changed_goes_back(w: &World<'_>) {
    let meta = |id: &str, day: u8| json!({"source": "farm.example", "sourceId": id, "modified": format!("2026-03-01T{day:02}:00:00Z")});
    let weight = |id: &str, day: u8, kg: f64| {
        json!({"resourceType": "icarWeightEventResource", "meta": meta(id, day),
        "animal": {"id": COW, "scheme": "org.herdbook.animal"}, "eventDateTime": format!("2026-02-{}T00:00:00Z", &id[1..]),
        "weight": {"measurement": kg, "units": "KGM"}})
    };
    let animal = |day: u8, name: &str| {
        json!({"resourceType": "icarAnimalCoreResource", "meta": meta("a2", day), "specie": "Cattle",
        "gender": "Female", "identifier": {"scheme": "org.herdbook.animal", "id": COW}, "name": name})
    };
    let said = async || {
        let mut all = w.list("weighings", "").await;
        all.sort_by_key(|row| row["weight"].as_i64());
        let words: Vec<Value> = all.iter().map(|row| json!([row["weight"], row["submission"]])).collect();
        let cow = w.doc("animals", 2).await["name"].clone();
        (words, cow)
    };
    changed!(w, "alpha", "animals", 2, {"name": "Zorka"});
    let own = made!(w, "alpha", "weighings", {"animal": 2, "date": "2026-02-04", "weight": 580});
    let file = json!([weight("w01", 1, 600.0), weight("w02", 1, 601.0), weight("w03", 1, 602.0)]).to_string();
    let first = sent(w, "alpha", "a.json", file.as_bytes(), &json!({})).await["id"].clone();
    // Two records of the first, a new one, another one that two documents are about, and the animal.
    let file = json!([
        weight("w02", 2, 611.0),
        weight("w03", 2, 612.0),
        weight("w04", 2, 613.0),
        weight("w05", 2, 614.0),
        weight("w05", 3, 615.0),
        animal(2, "Burenka")
    ])
    .to_string();
    let doc = sent(w, "alpha", "b.json", file.as_bytes(), &json!({})).await;
    let former = doc["id"].clone();
    let (words, cow) = said().await;
    assert_eq!(
        words,
        [
            json!([580, null]),
            json!([600, first]),
            json!([611, former]),
            json!([612, former]),
            json!([613, former]),
            json!([615, former])
        ]
    );
    assert_eq!(cow, "Burenka");
    // The third is in the new package too.
    let file = json!([weight("w03", 4, 620.0)]).to_string();
    let doc = sent(w, "alpha", "c.json", file.as_bytes(), &json!({"replaces": former})).await;
    holds!(doc, {"intake.state": "read", "intake.removed": 2});
    let (words, cow) = said().await;
    assert_eq!(words, [json!([580, null]), json!([600, first]), json!([601, first]), json!([620, doc["id"]])]);
    assert_eq!(cow, "Zorka");
    assert_eq!(w.doc("weighings", own).await["weight"], 580);
    // A document about an animal keeps it as it says.
    let file = json!([animal(5, "Milka")]).to_string();
    let doc = sent(w, "alpha", "d.json", file.as_bytes(), &json!({})).await;
    let file = json!([animal(6, "Milka"), weight("w06", 6, 600.0)]).to_string();
    sent(w, "alpha", "e.json", file.as_bytes(), &json!({"replaces": doc["id"]})).await;
    assert_eq!(said().await.1, "Milka");
}

/// Verified records stay, and so do records that another package has by now.
#[test_with(World::each)]
async fn what_is_not_its_own_any_more_stays(w: &World<'_>) {
    let line = |day: u8, milk: u8| format!("960000000002;{day:02}.02.2026;{milk};\r\n");
    let file = |lines: &[String]| format!("{TESTS}{}", lines.concat());
    let one = file(&[line(1, 20), line(2, 20), line(3, 20)]);
    let doc = sent(w, "alpha", "a.csv", one.as_bytes(), &json!({})).await;
    let former = doc["id"].as_i64().unwrap();
    let other = file(&[line(2, 21)]);
    sent(w, "alpha", "b.csv", other.as_bytes(), &json!({})).await;
    let new = file(&[line(3, 22)]);
    let doc = sent(w, "alpha", "c.csv", new.as_bytes(), &json!({"replaces": former})).await;
    assert_eq!(doc["intake"]["removed"], 1);
    assert_eq!(milk(w).await, [21.0, 22.0]);
}

/// More rows than one transaction of other packages takes.
#[test_with(World::each)]
async fn readers_see_a_package_or_the_one_that_replaces_it_and_nothing_between(w: &World<'_>) {
    made!(w, "admin", "animals", {"identNumber": "960000000006", "sex": "female", "birthDate": "2020-05-05", "owner": 1});
    let file = |milk: u8, from: usize| {
        let mut file = TESTS.to_owned();
        for n in from..from + 2_100 {
            let (day, month, year) = (n / 2 % 28 + 1, n / 56 % 12 + 1, 2022 + n / 672);
            let cow = ["960000000002", "960000000006"][n % 2];
            let _ = write!(file, "{cow};{day:02}.{month:02}.{year};{milk};\r\n");
        }
        file
    };
    let doc = sent(w, "alpha", "a.csv", file(20, 0).as_bytes(), &json!({})).await;
    let former = doc["id"].as_i64().unwrap();
    assert_eq!(doc["intake"]["created"], 2_100);
    let body = json!({"replaces": former});
    let id = send(w, "alpha", "b.csv", file(21, 50).as_bytes(), &body).await;
    let look = async || {
        let count = async |milk: u8| {
            let path = format!("/api/milk-tests/count?where[milkYield][equals]={milk}");
            w.get("alpha", &path).await.json()["totalDocs"].as_u64().unwrap()
        };
        // In one list, since the two counts are of different moments.
        let all = w.get("alpha", "/api/milk-tests?limit=1&depth=0&sort=date").await.json();
        (all["totalDocs"].as_u64().unwrap(), all["docs"][0]["milkYield"].as_f64().unwrap(), count(21).await)
    };
    let before = look().await;
    assert_eq!(before, (2_100, 20.0, 0));
    let task = reader(w);
    let mut commits = w.stage.book.store.watch().subscribe();
    let mut reading = std::pin::pin!(w.stage.book.run_job(&task));
    let mut seen = BTreeSet::new();
    // Whoever looks after each commit sees what others see meanwhile.
    let after = loop {
        tokio::select! {
            biased;
            done = &mut reading => {
                assert!(done.unwrap());
                break look().await;
            }
            changed = commits.changed() => changed.unwrap(),
        }
        let looked = look().await;
        let (count, first, new) = looked;
        assert!((count, first) == (2_100, 20.0) || (count, first) == (2_100, 21.0), "{looked:?}");
        assert!(new == 0 || new == 2_100, "{looked:?}");
        seen.insert(new);
    };
    assert_eq!(after, (2_100, 21.0, 2_100));
    assert!(seen.contains(&0), "somebody looked while it was read");
    read_all(w).await;
    holds!(w.doc("data-submissions", id).await, {"intake.state": "read", "intake.rows": 2_100, "intake.created": 50,
        "intake.updated": 2_050, "intake.removed": 50});
}

/// What is too large for one transaction comes in pieces, and the end is the same.
#[test_with(World::each)]
async fn a_large_package_replaces_another_in_pieces(w: &World<'_>) {
    let file = |milk: usize, from: usize, rows: usize| {
        let mut file = TESTS.to_owned();
        for n in from..from + rows {
            let (day, month, year) = (n % 28 + 1, n / 28 % 12 + 1, 2021 + n / 336);
            let _ = write!(file, "960000000002;{day:02}.{month:02}.{year};{milk};\r\n");
        }
        file
    };
    let mut commits = w.stage.book.store.watch().subscribe();
    // Whether anybody could see some of both.
    let mut mixed = async |former: i64, text: &str, most: usize| {
        let id = send(w, "alpha", "b.csv", text.as_bytes(), &json!({"replaces": former})).await;
        let task = reader(w).replacing_together(most);
        let mut reading = std::pin::pin!(w.stage.book.run_job(&task));
        let mut mixed = false;
        loop {
            tokio::select! {
                biased;
                done = &mut reading => {
                    assert!(done.unwrap());
                    break;
                }
                changed = commits.changed() => changed.unwrap(),
            }
            let path = format!("/api/submission-rows/count?where[submission][equals]={id}");
            let rows = w.get("alpha", &path).await.json()["totalDocs"].as_u64().unwrap();
            let doc = w.doc("data-submissions", id).await;
            mixed |= rows > 0 && doc["intake"]["state"] != "read";
        }
        read_all(w).await;
        (id, mixed)
    };
    // Both have at most so many rows; then the former, and then the new one has more.
    let steps = [(60, 50, 60, false), (60, 40, 59, true), (40, 60, 59, true)];
    for (step, (before, rows, most, in_pieces)) in steps.into_iter().enumerate() {
        let (milk, from) = (20 + step, step * 100);
        let text = file(10, from, before);
        let former = sent(w, "alpha", "a.csv", text.as_bytes(), &json!({})).await;
        let former = former["id"].as_i64().unwrap();
        let (id, mixed) = mixed(former, &file(milk, from + 10, rows), most).await;
        assert_eq!(mixed, in_pieces, "{rows} rows of {milk}");
        holds!(w.doc("data-submissions", id).await, {"intake.state": "read", "intake.rows": rows});
        let count = async |milk: usize| {
            let path = format!("/api/milk-tests/count?where[milkYield][equals]={milk}");
            w.get("alpha", &path).await.json()["totalDocs"].as_u64().unwrap()
        };
        assert_eq!((count(10).await, count(milk).await), (0, rows as u64), "{rows} rows of {milk}");
    }
}

//! Two records of one animal are merged into one, with all rows that name them, and separated again.

use crate::rest::requests::joining::still_named;
use crate::rest::world::{World, fill};
use serde_json::{Value, json};

/// A second record of cow 2, with a calf, events, and a place in a set; animal 2 has some of its own.
async fn twice(w: &World<'_>) -> i64 {
    let twin =
        json!({"identNumber": "960000000777", "sex": "female", "birthDate": "2020-01-10", "breed": 1, "herd": 1});
    let twin = w.made("alpha", "animals", twin).await;
    for (animal, number, date) in [(twin, 1, "2022-03-01"), (2, 2, "2025-03-01")] {
        made!(w, "alpha", "calvings", {"animal": animal, "number": number, "date": date, "liveHeifers": 1});
    }
    for (animal, day) in [(twin, "2022-04-01"), (twin, "2022-05-01"), (2, "2025-04-01")] {
        let test = json!({"animal": animal, "date": day, "milkYield": 30, "fatPercent": 4, "proteinPercent": 3});
        w.made("alpha", "milk-tests", test).await;
    }
    let calf =
        json!({"identNumber": "960000000778", "sex": "female", "birthDate": "2022-03-01", "mother": twin, "father": 1});
    w.made("alpha", "animals", calf).await;
    let set = json!({"name": "Pen", "place": "herd", "query": "q", "adeSet": true, "members": [twin, 4, 2]});
    w.made("alpha", "saved-searches", set).await;
    made!(w, "alpha", "documents", {"title": "Contract", "type": "saleContract", "animal": twin});
    twin
}

/// Rows as a caller with full rights sees them: for sets that is their author.
async fn rows_of(w: &World<'_>, slug: &str) -> Vec<Value> {
    if slug != "saved-searches" {
        return w.list(slug, "").await;
    }
    let answer = w.get("alpha", "/api/saved-searches?depth=0&limit=0&sort=id").await;
    answer.json()["docs"].as_array().unwrap().clone()
}

/// The rows of everything that a merger touches, without who changed them last and when.
async fn book(w: &World<'_>) -> Vec<Value> {
    let mut all = Vec::new();
    for slug in "animals calvings milk-tests weighings movements saved-searches documents".split(' ') {
        for mut row in rows_of(w, slug).await {
            let members = row.as_object_mut().unwrap();
            for stamp in ["updatedAt", "lastEditUser", "lastEditTime"] {
                members.remove(stamp);
            }
            // A set has no order.
            if let Some(list) = members.get_mut("members").and_then(Value::as_array_mut) {
                list.sort_by_key(Value::as_i64);
            }
            all.push(row);
        }
    }
    all
}

#[test_with(World::each)]
async fn two_records_of_one_animal_become_one_and_two_again(w: &World<'_>) {
    let twin = twice(w).await;
    let before = book(w).await;
    let places = w.documents(twin).await;
    holds!(changed!(w, "expert", "animals", twin, {"mergedInto": 2}), {"mergedInto": 2});
    let named = still_named(w, "animals", twin).await;
    // Its own log records the merger.
    assert!(named.iter().all(|place| place == "animal-revisions.animal"), "{named:?}");
    let cow = w.doc("animals", 2).await;
    assert_eq!(cow["current"]["parity"], 2);
    assert_eq!(cow["lactations"].as_array().unwrap().len(), 2);
    // No event tells of it any more.
    holds!(w.doc("animals", twin).await, {"current.parity": null});
    let rows = w.list("calvings", "where[animal][equals]=2").await;
    let numbers: Vec<_> = rows.iter().map(|row| row["number"].as_i64().unwrap()).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!(w.list("animals", "where[mother][equals]=2").await.len(), 2);
    holds!(rows_of(w, "saved-searches").await[0], {"members": [2, 4]});
    assert_eq!(w.list("documents", "").await[0]["animal"], 2);
    // In the exchange the record is gone, and says what it became.
    let gone: Vec<_> = w.documents(twin).await;
    assert!(gone.contains(&"animals 1 merged".to_owned()), "{gone:?}");
    assert!(gone.iter().all(|one| one.split(' ').count() == 3), "{gone:?}");
    let feed = w.get("alpha", "/ade/v1/datasets/animals/changes").await.json();
    let feed = feed.as_array().unwrap();
    let stone = feed.iter().find(|one| one["meta"]["reason"] == "merged").unwrap();
    let uuid = cow["uuid"].as_str().unwrap();
    assert!(stone["meta"]["replacedBy"].as_str().unwrap().ends_with(uuid), "{stone}");
    let stones = w.list("ade-tombstones", "where[reason][equals]=merged&where[dataset][equals]=animals").await;
    assert_eq!(stones.len(), 1);

    changed!(w, "expert", "animals", twin, {"mergedInto": null});
    assert_eq!(book(w).await, before);
    assert_eq!(w.documents(twin).await.iter().filter(|d| d.split(' ').count() == 2).count(), places.len());
}

#[test_with(World::each)]
async fn the_numbers_of_a_merged_record_lead_to_the_other(w: &World<'_>) {
    let twin = twice(w).await;
    changed!(w, "expert", "animals", twin, {"mergedInto": 2});
    let weight = json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "scale.example", "sourceId": "1", "modified": "2026-02-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": "960000000777"},
        "eventDateTime": "2026-02-02T00:00:00Z", "weight": {"measurement": 600, "units": "KGM"},
    });
    let answer = ask!(w, "alpha", "POST /ade/v1/locations/org.herdbook.orgid/1/weights", weight => 201);
    assert_eq!(answer.json()["animal"]["id"], "960000000002");
    let id = made!(w, "alpha", "weighings", {"animal": twin, "date": "2026-02-03", "weight": 601});
    assert_eq!(w.doc("weighings", id).await["animal"], 2);
    // Rows that came since stay when the merger is undone.
    changed!(w, "expert", "animals", twin, {"mergedInto": null});
    assert_eq!(w.doc("weighings", id).await["animal"], 2);
    assert_eq!(w.list("milk-tests", &format!("where[animal][equals]={twin}")).await.len(), 2);
}

#[test_with(World::each)]
async fn what_is_not_one_animal_is_not_merged(w: &World<'_>) {
    let twin = twice(w).await;
    let into = |id: Value| json!({"mergedInto": id}).to_string();
    for (other, path) in [(1, "mergedInto"), (3, "mergedInto"), (4, "mergedInto"), (twin, "mergedInto")] {
        let at = format!("/api/animals/{twin}");
        let answer = w.refused("expert", "PATCH", &at, &into(json!(other))).await;
        answer.assert_faulty(400, &[path]);
    }
    let doc = changed!(w, "alpha", "animals", twin, {"mergedInto": 2});
    holds!(doc, {"mergedInto": null}, "a farm's value is passed over");
    for animal in [2, twin] {
        let visit = json!({"animal": animal, "startedAt": "2026-02-01T06:00:00Z", "milkYield": 12});
        w.made("alpha", "milking-visits", visit).await;
    }
    let at = format!("/api/animals/{twin}");
    let answer = w.refused("expert", "PATCH", &at, &into(json!(2))).await;
    answer.assert_faulty(400, &["mergedInto.daily-milkings"]);
}

#[test_with(World::each)]
async fn the_course_of_a_record_moves_with_it(w: &World<'_>) {
    // Bought with its papers, and entered once more by its buyer.
    let bought = json!({
        "id": 60, "identNumber": "960000000660", "sex": "female", "birthDate": "2019-05-05", "owner": 4,
    });
    fill(w.stage, "animals", vec![bought]).await;
    made!(w, "admin", "movements", {"animal": 60, "date": "2025-05-05", "kind": "sale", "to": 1, "from": 4});
    let anew = json!({"identNumber": "960000000661", "sex": "female", "birthDate": "2019-05-05", "herd": 2});
    let anew = w.made("alpha", "animals", anew).await;
    let before = book(w).await;
    changed!(w, "expert", "animals", 60, {"mergedInto": anew});
    let cow = w.doc("animals", anew).await;
    holds!(cow, {"owner": 1, "pastOwners": [4], "state": "alive", "previousOrganization": 4});
    changed!(w, "expert", "animals", 60, {"mergedInto": null});
    assert_eq!(book(w).await, before);
}

//! Events of groups reach the animals that they name.

use crate::ade::stage::{FARM, OTHER, Stage, animal, codes, gone, keys, severities};
use crate::support::fixture::number;
use crate::support::words::merged;
use serde_json::{Value, json};

fn group(kind: &str, key: &str, more: Value) -> Value {
    merged(
        json!({
            "resourceType": kind,
            "meta": {"source": "scale.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"},
            "location": {"scheme": "org.herdbook.orgid", "id": "1"},
            "eventDateTime": "2026-02-05T00:00:00Z",
            "groupMethod": "EmbeddedAnimalSet",
        }),
        &more,
    )
}

fn weights(key: &str, all: &[(i64, f64)]) -> Value {
    let all: Vec<Value> = (all.iter()).map(|(cow, weight)| json!({"animal": animal(*cow), "weight": weight})).collect();
    group("icarGroupWeightEventResource", key, json!({"units": "KGM", "method": "WalkOver", "animalWeights": all}))
}

/// Weights of the list: animal and measurement.
async fn weighed(s: &Stage) -> Vec<(String, f64)> {
    let (_, page) = s.get(&format!("{FARM}/weights")).await;
    let mut all: Vec<(String, f64)> = (page["member"].as_array().unwrap().iter())
        .map(|m| {
            assert_eq!(m["weight"]["method"], "WalkOver");
            let id = m["animal"]["id"].as_str().unwrap();
            (id.to_owned(), m["weight"]["measurement"].as_f64().unwrap())
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test_each(Stage::each())]
async fn a_weighed_group_weighs_its_animals_and_corrections_follow(s: Stage) {
    let path = format!("{FARM}/group-weights");
    ask!(s.f, s.farm, "POST {path}", weights("g", &[(11, 500.5), (12, 600.0)]) => 201);
    assert_eq!(weighed(&s).await, [(number(11), 500.5), (number(12), 600.0)]);
    let (_, feed) = s.get("/ade/v1/datasets/weights/changes").await;
    assert_eq!(
        keys(&feed),
        [format!("g#org.herdbook.animal/{}", number(11)), format!("g#org.herdbook.animal/{}", number(12))]
    );
    // The same again writes nothing.
    let (_, _, rows) = s.f.get("/api/weighings?limit=10", &s.farm).await;
    ask!(s.f, s.farm, "POST {path}", weights("g", &[(11, 500.5), (12, 600.0)]) => 200);
    assert_eq!(s.f.get("/api/weighings?limit=10", &s.farm).await.2, rows);
    // One corrected, one taken out, one added.
    ask!(s.f, s.farm, "POST {path}", weights("g", &[(12, 601.0), (13, 700.0)]) => 200);
    assert_eq!(weighed(&s).await, [(number(12), 601.0), (number(13), 700.0)]);
    let (_, feed) = s.get("/ade/v1/datasets/weights/changes").await;
    let dead = feed.as_array().unwrap().iter().filter(|e| e["meta"]["isDeleted"] == true);
    assert_eq!(dead.count(), 1, "{feed}");
    ask!(s.f, s.farm, "POST {path}", {"meta": {"source": "scale.example", "sourceId": "g",
        "isDeleted": true, "modified": "2026-02-02T00:00:00Z"}} => 200);
    assert_eq!(weighed(&s).await, []);
    assert_eq!(s.get(&path).await.1["view"]["totalItems"], 0);
}

#[test_each(Stage::each())]
async fn one_animal_at_fault_keeps_the_whole_group_out(s: Stage) {
    let path = format!("{FARM}/group-weights");
    s.f.post(&path, &s.farm, weights("g", &[(11, 500.0)])).await;
    for (bad, status, code, at) in table![
        weights("g", &[(12, 510.0), (21, 600.0)]), 422, "animal-not-found", "/animalWeights/1/animal";
        weights("g", &[(12, 510.0), (99, 600.0)]), 422, "animal-not-found", "/animalWeights/1/animal";
        weights("g", &[(12, -1.0)]), 400, "field-value", "/animalWeights/0/weight";
        weights("g", &[(12, 1.0), (12, 2.0)]), 400, "field-value", "/animalWeights/1/animal";
    ] {
        let (found, _, body) = s.f.post(&path, &s.farm, bad.clone()).await;
        assert_eq!((found, codes(&body)), (status, vec![code]), "{body}");
        assert_eq!(body["errors"][0]["instance"], at, "{body}");
        let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/group-weights";
        let mut other = bad;
        other["meta"]["sourceId"] = "h".into();
        let (_, _, results) = s.f.post(batch, &s.farm, json!([other])).await;
        assert!(severities(&results[0]).contains(&"Error"), "{results}");
    }
    assert_eq!(weighed(&s).await, [(number(11), 500.0)]);
    let (_, page) = s.get(&path).await;
    assert_eq!((keys(&page), &page["member"][0]["animalWeights"][0]["weight"]), (vec!["g".to_owned()], &json!(500.0)));
}

#[test_each(Stage::each())]
async fn a_fault_of_one_animal_names_it_and_comes_first(s: Stage) {
    update!(s.f, "animals", 12, {"birthDate": "2026-02-20"});
    // All share the day; only one of them was not born yet. A set that is not known is a mere remark.
    let mut doc = weights("g", &[(11, 500.0), (12, 510.0)]);
    doc["eventDateTime"] = "2026-02-03T00:00:00Z".into();
    doc["animalSetReference"] = json!({"identifier": {"id": "nowhere", "scheme": "barn.example"}});
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/group-weights";
    let (_, _, results) = s.f.post(batch, &s.farm, json!([doc])).await;
    let first = &results[0]["messages"][0];
    holds!(first, {"severity": "Error", "type": "event-before-birth"}, "{results}");
    let named = format!("(animal org.herdbook.animal/{})", number(12));
    assert!(first["detail"].as_str().unwrap().ends_with(&named), "{results}");
}

#[test_each(Stage::each())]
async fn groups_of_a_batch_stand_each_for_themselves(s: Stage) {
    let all =
        json!([weights("a", &[(11, 500.0)]), weights("b", &[(12, 600.0), (21, 1.0)]), weights("c", &[(13, 700.0)])]);
    let results = ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/group-weights", all => 200);
    let words: Vec<&Value> = results.as_array().unwrap().iter().map(|r| &r["messages"][0]["type"]).collect();
    assert_eq!(words, ["created", "animal-not-found", "created"]);
    assert_eq!(weighed(&s).await, [(number(11), 500.0), (number(13), 700.0)]);
    assert_eq!(keys(&s.get(&format!("{FARM}/group-weights")).await.1), ["a", "c"]);
}

#[test_each(Stage::each())]
async fn a_group_that_dies_or_leaves_moves_its_animals(s: Stage) {
    let set = json!({"resourceType": "icarAnimalSetResource", "id": "x", "member": [animal(11), animal(12)]});
    let dead = group(
        "icarGroupMovementDeathEventResource",
        "d",
        json!({"embeddedAnimalSet": set, "deathMethod": "Perished", "deathreason": "Age"}),
    );
    ask!(s.f, s.farm, "POST {FARM}/group-deaths", dead => 201);
    let (_, page) = s.get(&format!("{FARM}/deaths")).await;
    holds!(page, {"view.totalItems": 2, "member.0.deathMethod": "Perished"});
    let (_, cows) = s.get(&format!("{FARM}/animals")).await;
    let dead_now = cows["member"].as_array().unwrap().iter().filter(|a| a["status"] == "Dead");
    assert_eq!(dead_now.count(), 2);
    let remaining = |kind: &str| {
        let set = json!({"resourceType": "icarAnimalSetResource", "id": "y", "member": [animal(13)]});
        let more = json!({"embeddedAnimalSet": set, "departureKind": kind});
        group("icarGroupMovementDepartureEventResource", "l", more)
    };
    let path = format!("{FARM}/group-departures");
    // No organisation sells to itself: not for the animal's own event, and so not for the group.
    let mut home = remaining("Sale");
    home["consignment"] = json!({"destinationLocation": {"scheme": "org.herdbook.orgid", "id": "1"}});
    let body = ask!(s.f, s.farm, "POST {path}", home => 400 ["field-value"]);
    let at = body["errors"][0]["instance"].as_str().unwrap();
    assert!(at.starts_with("/consignment"), "{body}");
    assert_eq!(s.get(&path).await.1["view"]["totalItems"], 0);
    ask!(s.f, s.farm, "POST {path}", remaining("Sale") => 201);
    let (_, page) = s.get(&format!("{FARM}/departures")).await;
    assert_eq!(page["member"][0]["animal"], animal(13), "{page}");
    assert_eq!(page["member"][0]["departureKind"], "Sale");
}

#[test_each(Stage::each())]
async fn a_reference_means_the_set_of_that_name_here(s: Stage) {
    let set = json!({"name": "Pen 1", "place": "herd", "query": "q", "adeSet": true, "members": [11]});
    let made = ask!(s.f, s.farm, "POST /api/saved-searches", set => 201);
    let id = made["doc"]["id"].as_i64().unwrap();
    let theirs = json!({"name": "Pen", "place": "herd", "query": "q", "adeSet": true, "members": [21]});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.other, theirs).await;
    let theirs = made["doc"]["id"].to_string();
    let dead = |name: &str, key: &str| {
        group(
            "icarGroupMovementDeathEventResource",
            key,
            json!({
        "groupMethod": "ExistingAnimalSet", "deathMethod": "Perished",
        "animalSetReference": {"identifier": {"id": name, "scheme": "barn.example"}}}),
        )
    };
    let (headers, _) = ask!(s.f, s.farm, "POST {FARM}/group-deaths", dead(&theirs, "a") => 201 with headers);
    let text = headers["x-icar-ade-messages"].to_str().unwrap();
    assert!(text.contains("/animalSetReference"), "{text}");
    let (headers, _) = ask!(s.f, s.farm, "POST {FARM}/group-deaths",
        dead(&format!("animal-sets:{id}"), "b") => 201 with headers);
    assert!(!headers.contains_key("x-icar-ade-messages"));
    let (_, page) = s.get(&format!("{FARM}/deaths")).await;
    assert_eq!(page["member"][0]["animal"], animal(11));
    let (_, _, none) = s.f.get(&format!("{OTHER}/deaths"), &s.other).await;
    assert_eq!(none["view"]["totalItems"], 0);
}

#[test_each(Stage::each())]
async fn groups_without_names_are_kept_alone(s: Stage) {
    let counted = json!({"groupMethod": "InventoryClassification", "countObserved": 12,
        "inventoryClassification": {"name": "heifers", "species": "Cattle"},
        "arrivalReason": "Purchase"});
    let doc = group("icarGroupMovementArrivalEventResource", "g", counted);
    let body = ask!(s.f, s.farm, "POST {FARM}/group-arrivals", doc => 201);
    assert_eq!(body["countObserved"], 12);
    assert_eq!(s.total("arrivals").await, 0);
}

/// A treatment of a group of these animals.
fn treated(animals: &[i64], dose: f64) -> Value {
    let member: Vec<Value> = animals.iter().map(|id| animal(*id)).collect();
    group(
        "icarGroupTreatmentEventResource",
        "t",
        json!({
            "embeddedAnimalSet": {"resourceType": "icarAnimalSetResource", "id": "x", "member": member},
            "medicine": {"identifier": {"id": "R-7", "scheme": "org.herdbook.product"},
                "family": "Veterinary Supplies", "name": "Wormout",
                "registeredIdentifier": {"id": "R-7", "scheme": "org.herdbook.product"}},
            "procedure": "Pour on", "site": "Back",
            "positions": [{"position": "Back"}],
            "batches": [{"identifier": "B9", "expiryDate": "2027-01-01T00:00:00Z"}],
            "withdrawals": [{"productType": "Milk", "endDate": "2026-02-12T00:00:00Z"},
                {"productType": "Meat", "endDate": "2026-03-05T00:00:00Z"}],
            "dosePerAnimal": {"doseQuantity": dose, "doseUnits": "MLT"},
            "totalMedicineUsed": {"doseQuantity": dose * 2.0, "doseUnits": "MLT"},
            "responsible": "Dr Orlova", "remark": "before turnout",
        }),
    )
}

#[test_each(Stage::each())]
async fn a_treated_group_treats_its_animals_and_corrections_follow(s: Stage) {
    let types = json!({"name": "Deworming", "code": "DW", "kind": "treatment"});
    s.f.fill("health-event-types", 1, types).await;
    let path = format!("{FARM}/group-treatments");
    let body = ask!(s.f, s.farm, "POST {path}", treated(&[11, 12], 50.0) => 201);
    assert_eq!(body["totalMedicineUsed"]["doseQuantity"], 100.0);
    let (_, page) = s.get(&format!("{FARM}/treatments")).await;
    assert_eq!(page["view"]["totalItems"], 2, "{page}");
    for (document, id) in page["member"].as_array().unwrap().iter().zip([11, 12]) {
        assert_eq!(ade::validate("icarTreatmentEventResource", document), []);
        for (at, value) in table![
            "/meta/source", json!("scale.example");
            "/meta/sourceId", json!(format!("t#org.herdbook.animal/{}", number(id)));
            "/animal", animal(id);
            "/procedure", json!("Pour on");
            "/site", json!("Back");
            "/positions/0/position", json!("Back");
            "/medicine/name", json!("Wormout");
            "/medicine/registeredIdentifier/id", json!("R-7");
            "/batches/0/identifier", json!("B9");
            "/dose/doseQuantity", json!(50);
            "/dose/doseUnits", json!("MLT");
            "/responsible", json!("Dr Orlova");
            "/remark", json!("before turnout");
        ] {
            assert_eq!(document.pointer(at), Some(&value), "{at}: {document}");
        }
        assert!(document["totalMedicineUsed"].is_null());
        assert_eq!(document["withdrawals"].as_array().unwrap().len(), 2, "{document}");
    }
    let (_, _, rows) = s.f.get("/api/health-events?depth=0", &s.farm).await;
    assert_eq!(rows["docs"][0]["medicine"]["name"], "Wormout", "{rows}");
    ask!(s.f, s.farm, "POST {path}", treated(&[12, 13], 40.0) => 200);
    let (_, page) = s.get(&format!("{FARM}/treatments")).await;
    let document: Vec<(&Value, f64)> = (page["member"].as_array().unwrap().iter())
        .map(|m| (&m["animal"]["id"], m["dose"]["doseQuantity"].as_f64().unwrap()))
        .collect();
    assert_eq!(document, [(&number(12).into(), 40.0), (&number(13).into(), 40.0)]);
    // One of another farm: nothing of it, and the fault at its place.
    let body = ask!(s.f, s.farm, "POST {path}", treated(&[12, 21], 30.0) => 422 ["animal-not-found"]);
    assert_eq!(body["errors"][0]["instance"], "/embeddedAnimalSet/member/1");
    let gone = gone(&treated(&[], 0.0));
    ask!(s.f, s.farm, "POST {path}", gone => 200);
    assert_eq!(s.total("treatments").await, 0);
    let (_, _, rows) = s.f.get("/api/health-events?depth=0", &s.farm).await;
    assert_eq!(rows["totalDocs"], 0, "{rows}");
}

#[test_each(Stage::each())]
async fn a_declaration_under_another_scheme_stays_one_declaration(s: Stage) {
    let more = json!({"departureKind": "Sale", "consignment": {"declarations": [
            {"declarationId": {"id": "A1", "scheme": "partner.example"}, "declaredValue": "yes"},
            {"declarationId": {"id": "A2", "scheme": "partner.example"}}]},
        "embeddedAnimalSet": {"resourceType": "icarAnimalSetResource", "id": "0",
            "member": [animal(11)]}});
    let doc = group("icarGroupMovementDepartureEventResource", "g", more);
    ask!(s.f, s.farm, "POST {FARM}/group-departures", doc => 201);
    let read = async || {
        let (_, page) = s.get(&format!("{FARM}/departures")).await;
        let document = page["member"][0].clone();
        let faults = ade::validate("icarMovementDepartureEventResource", &document);
        assert_eq!(faults, [], "{document}");
        document["consignment"]["declarations"].clone()
    };
    let ours = |id: &str| json!({"id": id, "scheme": "org.herdbook.declaration"});
    let theirs = json!({"id": "A2", "scheme": "partner.example"});
    let second = json!({"declarationId": theirs});
    let first = json!({"declarationId": ours("A1"), "declaredValue": "yes"});
    assert_eq!(read().await, json!([first, second]));
    // A person corrects the number.
    let (_, _, rows) = s.f.get("/api/movements?depth=0", &s.expert).await;
    let at = format!("/api/movements/{}", rows["docs"][0]["id"]);
    ask!(s.f, s.expert, "PATCH {at}", {"consignment": {"declaration": "B2"}} => 200);
    let first = json!({"declarationId": ours("B2"), "declaredValue": "yes"});
    assert_eq!(read().await, json!([first, second]));
}

//! Single resources.

use crate::ade::stage::{FARM, OTHER, Stage, WEIGHTS, keys, weight};
use crate::support::fixture::number;
use crate::support::words::merged;
use serde_json::{Value, json};

#[tokio::test]
async fn a_foreign_key_does_not_reach_into_another_location() {
    for s in Stage::each().await {
        s.weigh(&[1]).await;
        let other = format!("{OTHER}/weights");
        let body = ask!(s.f, s.other, "POST {other}", weight(1, 21) => 201, "the same pair is another resource there");
        let mut ours = weight(1, 21);
        let record = body["id"].as_str().unwrap();
        ours["meta"]["source"] = "org.herdbook".into();
        ours["meta"]["sourceId"] = format!("weights:{record}").into();
        ours["animal"] = weight(1, 11)["animal"].clone();
        ours["meta"]["isDeleted"] = true.into();
        ask!(s.f, s.farm, "POST {WEIGHTS}", ours => 422 ["resource-not-found"]);
        let (_, _, page) = s.f.get(&other, &s.other).await;
        assert_eq!(keys(&page), ["w1"]);
        assert_eq!(page["member"][0], body);
    }
}

#[tokio::test]
async fn every_bad_value_has_its_pointer() {
    let s = Stage::plain().await;
    for (pointer, value, code) in table![
        "/meta/source", Value::Null, "field-missing";
        "/meta/sourceId", Value::Null, "field-missing";
        "/meta", Value::Null, "field-missing";
        "/animal", Value::Null, "field-missing";
        "/eventDateTime", Value::Null, "field-missing";
        "/eventDateTime", "2026-02-30T00:00:00Z".into(), "field-value";
        "/weight/measurement", (-1).into(), "field-value";
        "/weight/measurement", "500".into(), "field-value";
        "/weight/units", "LTR".into(), "field-value";
        "/meta/modified", "yesterday".into(), "field-value";
    ] {
        let mut bad = weight(1, 11);
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = bad.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        if value.is_null() {
            parent.remove(name);
        } else {
            parent.insert(name.to_owned(), value.clone());
        }
        let body = ask!(s.f, s.farm, "POST {WEIGHTS}", bad => 400, "{pointer} {value}");
        let errors = body["errors"].as_array().unwrap();
        let hit =
            errors.iter().any(|e| e["code"] == code && e["instance"].as_str().is_some_and(|p| p.starts_with(pointer)));
        assert!(hit, "{pointer} {value}: {body}");
    }
    assert_eq!(s.get(WEIGHTS).await.1["view"]["totalItems"], 0);

    // A missing type is filled in.
    let mut untyped = weight(1, 11);
    untyped.as_object_mut().unwrap().remove("resourceType");
    let (headers, body) = ask!(s.f, s.farm, "POST {WEIGHTS}", untyped => 201 with headers);
    holds!(body, {"resourceType": "icarWeightEventResource"});
    let notes = headers["x-icar-ade-messages"].as_bytes();
    let notes: Value = serde_json::from_slice(notes).unwrap();
    holds!(notes[0], {"severity": "Warning", "type": "resource-type-filled", "instance": "/resourceType"});
    let mut other = weight(2, 11);
    other["resourceType"] = "icarHeatEventResource".into();
    ask!(s.f, s.farm, "POST {WEIGHTS}", other => 400 ["field-value"]);
}

/// A document for each collection that can be written, of cow 11.
fn documents(set: &str) -> Vec<(&'static str, &'static str, Value)> {
    table![
        "test-day-results", "icarTestDayResultEventResource",
            json!({"milkWeight24Hours": {"unitCode": "KGM", "value": 31.5},
            "milkCharacteristics": [{"characteristic": "FAT", "value": "4.1", "unit": "%"}]});
        "inseminations", "icarReproInseminationEventResource", json!({"inseminationType": "Insemination", "rank": 1});
        "pregnancy-checks", "icarReproPregnancyCheckEventResource",
            json!({"result": "Pregnant", "method": "Palpation"});
        "parturitions", "icarReproParturitionEventResource",
            json!({"calvingEase": "EasyUnassisted", "damParity": 1, "liveProgeny": 1,
            "totalProgeny": 1, "progenyDetails": [{"resourceType": "icarProgenyDetailsResource", "specie": "Cattle", "gender": "Female",
            "birthStatus": "Alive"}]});
        "weights", "icarWeightEventResource", json!({"weight": {"measurement": 601, "units": "KGM"}});
        "deaths", "icarMovementDeathEventResource", json!({"deathReason": "Unknown", "deathMethod": "Perished"});
        "departures", "icarMovementDepartureEventResource", json!({"departureKind": "Sale"});
        "arrivals", "icarMovementArrivalEventResource", json!({"arrivalReason": "ShowReturn"});
        "births", "icarMovementBirthEventResource", json!({"animal": {"scheme": "org.herdbook.animal", "id": number(31)},
            "location": {"scheme": "org.herdbook.orgid", "id": "1"},
            "eventDateTime": "2020-01-01T05:00:00Z"});
        "milking-visits", "icarMilkingVisitEventResource", json!({"milkingStartingDateTime": "2025-08-01T00:00:00Z",
            "milkingMilkWeight": {"unitCode": "KGM", "value": 12.5},
            "milkingDuration": {"unitCode": "MIN", "value": 7}});
        "diagnoses", "icarDiagnosisEventResource", json!({"diagnoses": [{"name": "Mastitis"}, {"name": "Fever"}]});
        "treatments", "icarTreatmentEventResource", json!({"procedure": "Trimming"});
        "health-status", "icarHealthStatusObservedEventResource", json!({"observedStatus": "Suspicious"});
        "drying-offs", "icarMilkingDryOffEventResource", json!({});
        "abortions", "icarReproAbortionEventResource", json!({});
        "heats", "icarReproHeatEventResource", json!({"heatDetectionMethod": "Visual"});
        "do-not-breeds", "icarReproDoNotBreedEventResource", json!({"doNotBreed": true});
        "lactation-status-observations", "icarLactationStatusObservedEventResource", json!({"observedStatus": "Dry"});
        "repro-status-observations", "icarReproStatusObservedEventResource", json!({"observedStatus": "Open"});
        "animal-set-joins", "icarAnimalSetJoinEventResource", json!({"animalSetId": set});
        "animal-set-leaves", "icarAnimalSetLeaveEventResource", json!({"animalSetId": set});
        "animal-sets", "icarAnimalSetResource",
            json!({"id": "pen-5", "member": [{"scheme": "org.herdbook.animal", "id": number(12)}]});
    ].into()
}

#[tokio::test]
async fn every_writable_collection_takes_its_document_and_serves_it() {
    for s in Stage::each().await {
        for word in [("pregnant", 1), ("empty", 2)] {
            fill!(s.f, "insemination-results", word.1, {"name": word.0, "code": word.0, "adeResult": word.0});
        }
        for (id, kind) in [(1, "diagnosis"), (2, "treatment"), (3, "status")] {
            fill!(s.f, "health-event-types", id, {"name": kind, "code": kind, "kind": kind});
        }
        s.f.cow(31, 1).await;
        let calving = json!({"animal": 13, "date": "2020-01-01", "calves": [31]});
        s.f.fill("calvings", 1, calving).await;
        let set = json!({"name": "Pen 4", "place": "herd", "query": "view=list", "adeSet": true,
            "members": []});
        let (_, _, set) = s.f.post("/api/saved-searches", &s.farm, set).await;
        let documents = documents(&set["doc"]["id"].to_string());
        let (_, list) = s.get("/ade/v1/locations").await;
        for name in list["supportedCollections"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            let mapping = s.f.exchange.rules().mappings().get(name);
            // Corrections are about animals that are there: `animals_sent`.
            if mapping.is_some_and(|m| m.keeps_sent() || m.corrections().is_some()) {
                continue;
            }
            let (status, _, body) = post!(s.f, &format!("{FARM}/{name}"), &s.farm, {});
            let known = documents.iter().any(|(one, ..)| name == *one);
            assert_eq!(status != 405, known, "{name}: {body}");
        }
        for (day, (name, kind, members)) in documents.into_iter().enumerate() {
            // A dead animal cannot leave.
            let cow = if name == "departures" { 12 } else { 11 };
            let day = if name == "deaths" { 24 } else { day };
            let mut doc = weight(1, cow);
            doc["meta"]["sourceId"] = name.into();
            doc.as_object_mut().unwrap().remove("weight");
            doc["resourceType"] = kind.into();
            let at = format!("202{}-{:02}-01T00:00:00Z", 4 + day / 12, day % 12 + 1);
            doc["eventDateTime"] = at.clone().into();
            let doc = merged(doc, &members);
            let path = format!("{FARM}/{name}");
            let (headers, body) = ask!(s.f, s.farm, "POST {path}", doc => 201 with headers, "{name}");
            assert_eq!(ade::validate(kind, &body), [], "{name}: {body}");
            assert_eq!(body["meta"]["sourceId"], name);
            assert_eq!(body["animal"]["id"], doc["animal"]["id"], "{name}");
            let at = format!("{path}/{}", body["id"].as_str().unwrap());
            let location = headers.get("location").map(|at| at.to_str().unwrap());
            let encoded = at.replace(':', "%3A");
            assert_eq!(location, Some(encoded.as_str()), "{name}");
            assert_eq!(s.get(&encoded).await, (200, body.clone()), "{name}");
            let second = ask!(s.f, s.farm, "POST {path}", doc => 200);
            assert_eq!(second, body, "{name}");
        }
    }
}

#[tokio::test]
async fn zero_characters_are_no_text() {
    for s in Stage::each().await {
        for pointer in "/meta/sourceId /meta/source /animal/id /remark /x-own".split(' ') {
            let mut bad = weight(1, 11);
            bad["remark"] = "".into();
            bad["x-own"] = "".into();
            *bad.pointer_mut(pointer).unwrap() = "a\0b".into();
            let body = ask!(s.f, s.farm, "POST {WEIGHTS}", bad => 400 ["field-value"], "{pointer}");
            assert_eq!(body["errors"][0]["instance"], pointer);
        }
        for query in ["animal-scheme=org.herdbook.animal&animal-id=%00", "x=%00"] {
            let (status, _) = s.get(&format!("{WEIGHTS}?{query}")).await;
            assert!(status < 500, "{query}: {status}");
        }
        assert_eq!(s.get(&format!("{WEIGHTS}/%00")).await.0, 404);
    }
}

//! Whose values count for events of several rows, after sales and deaths, and where a dictionary
//! lacks the type of an event.

use super::rows::{diagnoses, event, list, names, rows, send, types};
use crate::ade::stage::{FARM, OTHER, Stage, codes, gone, weight};
use crate::support::fixture::number;
use serde_json::{Value, json};

#[tokio::test]
async fn a_missing_entry_of_the_dictionary_is_named_and_where() {
    let s = Stage::plain().await;
    let status = json!({"observedStatus": "Ill"});
    let treated = json!({"procedure": "Drench"});
    for (set, doc, at, kind) in table![
        "health-status", event("h", "icarHealthStatusObservedEventResource", "2026-01-10", status), "/resourceType",
            "status";
        "treatments", event("t", "icarTreatmentEventResource", "2026-01-10", treated), "/resourceType", "treatment";
        "diagnoses", diagnoses(&["A", "B"]), "/diagnoses/0", "diagnosis";
    ] {
        let (code, body) = send(&s, set, &doc).await;
        assert_eq!((code, codes(&body)[0]), (400, "field-value"), "{body}");
        let error = &body["errors"][0];
        holds!(error, {"type": "entry-missing", "instance": at});
        let detail = error["detail"].as_str().unwrap();
        assert!(detail.contains("health-event-types") && detail.contains(kind), "{detail}");
        assert!(body["errors"].as_array().unwrap().iter().all(|e| e["instance"] != ""), "{body}");
        assert_eq!(list(&s, set).await.len(), 0);
    }
    types(&s).await;
    for (set, doc) in table![
        "health-status",
            event("h", "icarHealthStatusObservedEventResource", "2026-01-10", json!({"observedStatus": "Ill"}));
        "diagnoses", diagnoses(&["A", "B"]);
    ] {
        assert_eq!(send(&s, set, &doc).await.0, 201);
    }
}

#[test_each(Stage::each())]
async fn our_name_for_what_a_sender_named_is_refused_everywhere_alike(s: Stage) {
    types(&s).await;
    let result = json!({"name": "P", "code": "P", "adeResult": "pregnant"});
    s.f.fill("insemination-results", 1, result).await;
    fill!(s.f, "inseminations", 5, {"animal": 11, "date": "2025-11-01"});
    let check = event(
        "p",
        "icarReproPregnancyCheckEventResource",
        "2025-12-20",
        json!({"result": "Pregnant", "method": "Blood"}),
    );
    let treated = event("t", "icarTreatmentEventResource", "2026-01-10", json!({"procedure": "Drench"}));
    for (set, doc) in [
        ("diagnoses", diagnoses(&["A", "B"])),
        ("treatments", treated),
        ("pregnancy-checks", check),
        ("weights", weight(1, 11)),
    ] {
        let (status, stored) = send(&s, set, &doc).await;
        assert!(status < 300, "{stored}");
        let id = stored["id"].as_str().unwrap().trim_end_matches("-pc");
        assert_eq!(id.starts_with('e'), set == "pregnancy-checks", "{id}");
        let mut ours = doc.clone();
        ours["meta"]["source"] = "org.herdbook".into();
        ours["meta"]["sourceId"] = format!("{set}:{id}").into();
        let mut other = ours.clone();
        other["remark"] = "changed".into();
        let gone = gone(&ours);
        for ours in [ours, other, gone] {
            let (status, body) = send(&s, set, &ours).await;
            assert_eq!(status, 409, "{set}: {body}");
            assert_eq!(body["errors"][0]["type"], "sent-by-another");
        }
        assert_eq!(list(&s, set).await, std::slice::from_ref(&stored));
        // After the sale the document has our pair there, and is changed under it.
        s.f.update("animals", 11, json!({"owner": 2})).await;
        let path = format!("{OTHER}/{set}");
        let (_, _, page) = s.f.get(&path, &s.other).await;
        let mut there = page["member"][0].clone();
        assert_eq!(there["meta"]["source"], "org.herdbook", "{page}");
        let body = ask!(s.f, s.other, "POST {path}", there => 200);
        assert_eq!(&body, &there, "{body}");
        there["remark"] = "corrected".into();
        let body = ask!(s.f, s.other, "POST {path}", there => 200);
        holds!(body, {"remark": "corrected"}, "{set}");
        s.f.update("animals", 11, json!({"owner": 1})).await;
    }
}

#[test_each(Stage::each())]
async fn what_is_new_on_a_bought_animal_is_the_new_owners_own(s: Stage) {
    types(&s).await;
    fill!(s.f, "health-events", 7, {"animal": 11, "type": 1, "date": "2026-01-10", "title": "Cough"});
    s.f.update("animals", 11, json!({"owner": 2})).await;
    let path = format!("{OTHER}/diagnoses");
    let (_, _, page) = s.f.get(&path, &s.other).await;
    let mut doc = page["member"][0].clone();
    doc["diagnoses"].as_array_mut().unwrap().push(json!({"name": "Fever"}));
    let body = ask!(s.f, s.other, "POST {path}", doc => 400 ["field-value"]);
    assert_eq!(body["errors"][0]["instance"], "/diagnoses");
    assert!(body["errors"][0]["detail"].as_str().unwrap().contains("a resource of your own"));
    // As it says.
    doc["meta"] = json!({"source": "vet.example", "sourceId": "n", "modified": "2026-02-01T00:00:00Z"});
    doc["diagnoses"].as_array_mut().unwrap().remove(0);
    let body = ask!(s.f, s.other, "POST {path}", doc => 201);
    assert_eq!(names(&body), ["Fever"], "{body}");
    let (_, _, page) = s.f.get("/api/health-events?sort=id&depth=0", &s.other).await;
    let owners: Vec<&Value> = page["docs"].as_array().unwrap().iter().map(|d| &d["ownerOrg"]).collect();
    assert_eq!(owners, [1, 2], "{page}");
}

#[test_each(Stage::each())]
async fn a_departure_of_a_dead_cow_is_judged_alike_by_itself_and_in_a_group(s: Stage) {
    let animal = json!({"scheme": "org.herdbook.animal", "id": number(11)});
    let dead = event("d", "icarMovementDeathEventResource", "2026-02-01", json!({"deathMethod": "Perished"}));
    assert_eq!(send(&s, "deaths", &dead).await.0, 201);
    let alone = event("a", "icarMovementDepartureEventResource", "2026-02-05", json!({"departureKind": "Sale"}));
    let (single, body) = send(&s, "departures", &alone).await;
    assert!(single < 300, "{body}");
    let gone = gone(&alone);
    assert_eq!(send(&s, "departures", &gone).await.0, 200);
    let group = json!({
        "resourceType": "icarGroupMovementDepartureEventResource",
        "meta": {"source": "scale.example", "sourceId": "g", "modified": "2026-02-06T00:00:00Z"},
        "location": {"scheme": "org.herdbook.orgid", "id": "1"},
        "eventDateTime": "2026-02-05T08:00:00Z", "groupMethod": "EmbeddedAnimalSet",
        "departureKind": "Sale",
        "embeddedAnimalSet": {"resourceType": "icarAnimalSetResource", "id": "x", "member": [animal]},
    });
    let (together, _, body) = s.f.post(&format!("{FARM}/group-departures"), &s.farm, group).await;
    assert_eq!(together, single, "{body}");
    let departures = list(&s, "departures").await;
    assert_eq!(departures.len(), 1);
    // The movement that applies last determines the state.
    let (_, page) = s.get("/api/animals/11?depth=0").await;
    assert_eq!(page["state"], "sold", "{page}");
    assert_eq!(rows(&s, "movements").await.len(), 2);
}

//! Departures: every kind of the standard, and the state of the animal that each means.

use crate::ade::events::rows::{event, send};
use crate::ade::stage::{Stage, weight};
use serde_json::{Value, json};

#[tokio::test]
async fn each_kind_of_departure_comes_back_and_means_a_state() {
    let s = Stage::plain().await;
    let kinds = [
        ("Sale", "sold"),
        ("Export", "sold"),
        ("SaleReturn", "sold"),
        ("Newborn", "sold"),
        ("Agistment", "sold"),
        ("AgistmentReturn", "sold"),
        ("Slaughter", "culled"),
        ("StudService", "alive"),
        ("StudServiceReturn", "alive"),
        ("Show", "alive"),
        ("ShowReturn", "alive"),
        ("InternalTransfer", "alive"),
        ("Other", "alive"),
    ];
    let codes = ade::schema::Standard::get().enum_values("icarDepartureKindType");
    assert_eq!(codes.unwrap().len(), kinds.len());
    for (kind, state) in kinds {
        let own = json!({"departureKind": kind});
        let mut document = event(kind, "icarMovementDepartureEventResource", "2026-02-01", own);
        let (status, stored) = send(&s, "departures", &document).await;
        assert_eq!((status, &stored["departureKind"]), (201, &kind.into()), "{stored}");
        // Once more, it changes nothing.
        let (status, second) = send(&s, "departures", &document).await;
        assert_eq!((status, &second), (200, &stored), "{kind}");
        // No party is named that the sender did not name.
        assert_eq!(stored.get("consignment"), None, "{stored}");
        let animal = async || s.f.get("/api/animals/11", &s.expert).await.2["state"].clone();
        assert_eq!(animal().await, state, "{kind}");
        document["meta"]["isDeleted"] = true.into();
        assert_eq!(send(&s, "departures", &document).await.0, 200);
        assert_eq!(animal().await, "alive", "{kind}");
    }
}

#[tokio::test]
async fn animals_leave_by_sale_export_lease_slaughter_and_death() {
    let s = Stage::plain().await;
    fill!(s.f, "disposal-reasons", 1,
        {"name": "Low yield", "code": "1", "adeReason": "Production", "adeDeathReason": "Production"});
    let place = json!({"id": "2", "scheme": "org.herdbook.orgid"});
    let leave = |key: &str, cow: i64, kind: &str| {
        let mut doc = event(
            key,
            "icarMovementDepartureEventResource",
            "2026-02-01",
            json!({"departureKind": kind, "consignment": {"destinationLocation": place}}),
        );
        doc["animal"] = weight(1, cow)["animal"].clone();
        doc
    };
    let mut culled = leave("d1", 11, "Slaughter");
    culled["extendedReasons"] = json!([{"id": "1", "scheme": "org.herdbook.leaving"}]);
    let (status, body) = send(&s, "departures", &culled).await;
    assert_eq!(status, 201, "{body}");
    // A value that the book assumes is not returned as one of the sender.
    assert_eq!(body.get("departureReason"), None);
    holds!(body, {"consignment.destinationLocation": place}, "comes back");
    let (status, body) = send(&s, "departures", &leave("d2", 12, "Export")).await;
    assert_eq!((status, &body["departureKind"]), (201, &"Export".into()), "{body}");
    let mut dead = event(
        "d1",
        "icarMovementDeathEventResource",
        "2026-02-02",
        json!({
        "deathReason": "Production", "deathMethod": "Euthanized", "disposalMethod": "Research",
        "explanation": "Fell", "disposalOperator": "Knacker Ltd"}),
    );
    dead["animal"] = weight(1, 13)["animal"].clone();
    let (status, body) = send(&s, "deaths", &dead).await;
    assert_eq!(status, 201, "{body}");
    for name in "deathReason deathMethod disposalMethod explanation disposalOperator".split(' ') {
        assert_eq!(body[name], dead[name], "{name}");
    }
    assert_eq!(body.get("extendedReasons"), None);
    let states: Vec<Value> = {
        let (_, page) = s.get("/api/movements?sort=id&depth=0").await;
        let docs = page["docs"].as_array().unwrap().clone();
        docs.iter().map(|m| json!([m["kind"], m["to"]])).collect()
    };
    assert_eq!(states, [json!(["cull", null]), json!(["sale", 2]), json!(["death", null])]);
}

/// The standard has kind and reason apart: both are taken as senders say them, whatever else the reason stands for.
#[tokio::test]
async fn a_reason_fits_each_kind_of_departure() {
    let s = Stage::plain().await;
    fill!(s.f, "disposal-reasons", 1, {"name": "Low yield", "code": "1", "state": "culled",
        "adeReason": "Production", "adeDeathReason": "Production"});
    for (dataset, resource, cow, own, state) in [
        (
            "departures",
            "icarMovementDepartureEventResource",
            11,
            json!({"departureKind": "Sale", "departureReason": "Production"}),
            "sold",
        ),
        ("deaths", "icarMovementDeathEventResource", 12, json!({"deathReason": "Production"}), "dead"),
    ] {
        let mut document = event(dataset, resource, "2026-02-01", own.clone());
        document["animal"] = weight(1, cow)["animal"].clone();
        let (status, body) = send(&s, dataset, &document).await;
        assert_eq!(status, 201, "{body}");
        let animal = s.f.get(&format!("/api/animals/{cow}?depth=0"), &s.expert).await.2;
        assert_eq!((&animal["state"], &animal["disposalReason"]), (&json!(state), &json!(1)), "{animal}");
    }
}

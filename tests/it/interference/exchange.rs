//! The exchange: animals, parents, bulls by every scheme and number, in lists, single documents, batches and pushes.

use super::world::FARMS;
use super::{Begin, Law, looks};
use crate::support::words::merged;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Schemes of animals, and the fields of their numbers.
pub(super) const SCHEMES: [(&str, &str); 5] = [
    ("org.herdbook.animal", "/identNumber"),
    ("icar.Interbull", "/altIds/internationalId"),
    ("org.herdbook.accountingid", "/uuid"),
    ("ru.mcx.fgias-pr.base", "/fgias/baseUuid"),
    ("std.iso.11785", "/altIds/chipNumber"),
];

pub(super) const EVERYTHING: &str = "/ade/v1/datasets/everything/resources";

pub(super) async fn all(law: &mut Law) {
    law.begin = Begin::Books;
    for (who, farm) in FARMS {
        law.fresh().await;
        let place = format!("/ade/v1/locations/org.herdbook.orgid/{farm}");
        let mut documents = Vec::new();
        for (scheme, id) in numbers(law) {
            looked_up(law, who, &place, scheme, &id).await;
            let own = law.known().own[who]["animals"];
            let own = own_number(law, who, own).await;
            for (set, mut document) in about(documents.len(), &own, scheme, &id) {
                document["location"] = json!({"scheme": "org.herdbook.orgid", "id": farm.to_string()});
                let path = format!("{place}/{set}");
                law.json("exchange: single", who, ("POST", &path), &document).await;
                documents.push((set, document));
            }
        }
        for set in "weights inseminations parturitions departures arrivals births \
            animal-set-joins animal-sets"
            .split(' ')
        {
            let of = documents.iter().filter(|(of, _)| *of == set).enumerate();
            let all: Vec<Value> = of.map(|(nth, (_, document))| keyed(document, &format!("b{nth}"))).collect();
            let path = format!("/ade/v1/batches/locations/org.herdbook.orgid/{farm}/{set}");
            law.json("exchange: batch", who, ("POST", &path), &json!(all)).await;
        }
        // Each was sent by itself and in a batch; of the pushes a share has every set and every number.
        let share = test_support::one_of(4, 4);
        let pushed = documents.iter().enumerate();
        for (nth, (_, document)) in pushed.filter(|(nth, _)| (nth + nth / 8).is_multiple_of(share)) {
            let mut document = keyed(document, &format!("p{nth}"));
            document["location"] = json!({"scheme": "org.herdbook.orgid", "id": farm.to_string()});
            law.json("exchange: push", who, ("POST", EVERYTHING), &json!([document])).await;
        }
        for path in "/ade/v1/locations/org.herdbook.orgid/2/animals \
            /ade/v1/locations/org.herdbook.orgid/2/weights"
            .split(' ')
        {
            law.get("exchange: list", who, path).await;
        }
        looks::all(law, who, "after exchange").await;
    }
}

/// Numbers of hidden animals of either book, with their schemes.
fn numbers(law: &Law) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for hidden in &law.books.hidden {
        let animals = &hidden["animals"];
        for row in [animals.first(), animals.last()].into_iter().flatten() {
            for (scheme, at) in SCHEMES {
                let id = row.pointer(at).and_then(Value::as_str);
                all.extend(id.map(|id| (scheme, id.to_owned())));
            }
        }
    }
    // The only animal of a book is its first and its last.
    let mut seen = BTreeSet::new();
    all.retain(|number| seen.insert(number.clone()));
    all
}

async fn own_number(law: &mut Law, who: &str, id: i64) -> String {
    let path = format!("/api/animals/{id}?depth=0");
    let answer = law.get("exchange: own", who, &path).await;
    let body = answer.map(|answer| answer.json()["identNumber"].clone());
    body.and_then(|number| number.as_str().map(str::to_owned)).unwrap_or_default()
}

async fn looked_up(law: &mut Law, who: &str, place: &str, scheme: &str, id: &str) {
    let id: String = id.bytes().map(|b| format!("%{b:02X}")).collect();
    for path in [
        format!("{place}/animals?animal-scheme={scheme}&animal-id={id}"),
        format!("{place}/weights?animal-scheme={scheme}&animal-id={id}"),
        format!("{place}/animals/{id}"),
        format!("/ade/v1/service-sires?identifier-scheme={scheme}&identifier-id={id}"),
        format!("/ade/v1/datasets/weights/changes?animal-scheme={scheme}&animal-id={id}"),
    ] {
        law.get("exchange: look-up", who, &path).await;
    }
}

pub(super) fn keyed(document: &Value, key: &str) -> Value {
    let mut document = document.clone();
    document["meta"]["sourceId"] = key.into();
    document
}

/// Documents that name the animal: as their subject, as a bull, as a calf, as one that leaves, arrives or is
/// born, as a member of a set.
pub(super) fn about(nth: usize, own: &str, scheme: &str, id: &str) -> Vec<(&'static str, Value)> {
    let named = json!({"scheme": scheme, "id": id});
    let own = json!({"scheme": "org.herdbook.animal", "id": own});
    let event = |kind: &str, animal: &Value, more: Value| {
        merged(
            json!({
                "resourceType": kind, "animal": animal, "eventDateTime": format!("2025-0{}-01T00:00:00Z", 1 + nth % 9),
                "meta": {"source": "probe.example", "sourceId": format!("k{nth}"), "modified": "2026-02-01T00:00:00Z"},
            }),
            &more,
        )
    };
    let weight = json!({"weight": {"measurement": 500, "units": "KGM", "method": "LoadCell"}});
    let sire = json!({"inseminationType": "Insemination", "sireIdentifiers": [named]});
    let progeny = json!({"damParity": 1, "progenyDetails": [{"resourceType": "icarProgenyDetailsResource",
        "identifier": named, "specie": "Cattle", "gender": "Female"}]});
    let leave = json!({"departureKind": "Slaughter"});
    let arrive = json!({"arrivalReason": "Purchase"});
    let joined = json!({"animalSetId": "1"});
    let listed = json!({"id": "own", "member": [own, named]});
    table![
        "weights", event("icarWeightEventResource", &named, weight);
        "inseminations", event("icarReproInseminationEventResource", &own, sire);
        "parturitions", event("icarReproParturitionEventResource", &own, progeny);
        "departures", event("icarMovementDepartureEventResource", &named, leave);
        "arrivals", event("icarMovementArrivalEventResource", &named, arrive);
        "births", event("icarMovementBirthEventResource", &named, json!({}));
        "animal-set-joins", event("icarAnimalSetJoinEventResource", &named, joined);
        "animal-sets", event("icarAnimalSetResource", &own, listed);
    ]
    .into()
}

//! Records of the golden book that are shown and not sent: evaluations, lactations, sets.

use super::world::World;
use super::{collection, documents, mappings};
use model::record::{Record, Value};
use serde_json::{Value as Json, json};

/// Rows of `animals.lactations`.
pub(super) fn lactations() -> Json {
    json!([
                {"id": "2", "number": 2, "calvingDate": "2024-01-10T00:00:00.000Z", "dd": 312,
                 "milkYield": 9120.5, "milk305": 8990, "fatKg": 350.1, "proteinKg": 291.8, "fat305": 3.84,
                 "protein305": 3.2, "endDate": "2024-11-17T00:00:00.000Z",
                 "lastTestDay": "2024-11-05T00:00:00.000Z", "origin": "computed"}])
}

/// Records by collection.
pub(super) fn records() -> Json {
    json!({
        "animal-exteriors": [{"id": 16, "animal": 1, "assessedAt": "2024-02-20", "assessor": 1, "isCurrent": true,
            "height": 7, "bodyType": 6, "udderDepth": 5, "generalView": 84, "dairyCharacter": 86, "legQuality": 82,
            "udderQuality": 87, "finalScore": 84.9, "finalClass": "GP", "bodyVolume": 80}],
        "animal-evaluations": [{"id": 17, "animal": 1, "evaluatedAt": "2024-04-01", "source": "center",
            "calculation": "gebv", "center": "National centre", "baseVersion": "2024-04", "isCurrent": true,
            "milkForecast": 512.5, "milkR": 71, "fatKgForecast": 18.2, "udderHealthForecast": 102}],
        "index-values": [{"id": 18, "animal": 1, "profileKey": "association", "profileName": "Total index",
            "kind": "selection", "baseVersion": "2024-04", "value": 1180.5, "reliability": 66}],
        "saved-searches": [{"id": 19, "name": "To be dried off", "place": "herd", "query": "", "organization": 1,
            "adeSet": true, "adePurpose": "lactation", "members": [1, 2, 3],
            "joins": [{"id": "a", "animal": 1, "at": "2024-10-01T06:00:00.000Z"},
                {"id": "b", "animal": 4, "at": "2024-02-01T06:00:00.000Z", "source": "barn.example", "sourceId": "j7",
                    "extra": {"remark": "sick"}}],
            "leaves": [{"id": "c", "animal": 4, "at": "2024-06-01T06:00:00.000Z"}]}]
    })
}

#[test]
fn what_a_farm_makes_of_an_animal_has_no_document_elsewhere() {
    let world = World::generate(3, 1.0);
    let mappings = mappings();
    let mapping = mappings.named("breeding-values").unwrap();
    let c = collection(mapping);
    let mut row = world.rows(mapping.collection()).next().unwrap().clone();
    let mut documents_of = |organization: Value| {
        row.set(c.at("organization"), organization);
        documents(mapping, &row, &world).into_iter().filter_map(|(document, _)| document.location).collect::<Vec<_>>()
    };
    let owner = documents_of(Value::Null)[0];
    assert_eq!(documents_of(owner.into()), [owner]);
    assert!(documents_of(Value::Int(owner + 1)).is_empty());
}

#[test]
fn a_document_has_every_breeding_value_of_its_evaluation() {
    let world = World::generate(3, 1.0);
    let mappings = mappings();
    let mapping = mappings.named("breeding-values-evaluated").unwrap();
    let c = collection(mapping);
    let mut row = world.rows(mapping.collection()).next().unwrap().clone();
    row.set(c.at("isCurrent"), true);
    // Not one that came by the exchange, which is served as it was sent.
    row.set(c.at("byExchange"), Value::Null);
    let labels = |row: &Record| -> Vec<String> {
        let (_, doc) = documents(mapping, row, &world).remove(0);
        let values = doc["breedingValues"].as_array().unwrap().iter();
        values.map(|v| v["traitLabel"]["id"].as_str().unwrap().to_owned()).collect()
    };
    let traits: Vec<&str> = (c.fields.iter()).filter_map(|f| f.path.strip_suffix("Forecast")).collect();
    assert_eq!(labels(&row), traits);
    // A reliability without a value has no meaning.
    row.set(c.at("fatKgForecast"), Value::Null);
    assert_eq!(labels(&row).len(), traits.len() - 1);
}

//! One readable document per data set, in `tests/golden/ade`. `BLESS=1 cargo test golden`
//! writes them anew, for review.

use super::world::World;
use super::{documents, mappings};
use crate::collections::registry;
use crate::record::{Record, Value};
use crate::registry::Kind;
use serde_json::{Value as Json, json};
use std::path::Path;

/// A farm that sold a cow, her parents, her calving with two calves, and what goes with it.
fn book() -> World {
    let records = json!({
        "organizations": [
            {"id": 1, "name": "Green Valley Farm"},
            {"id": 2, "name": "Hill Farm"}],
        "herds": [{"id": 1, "organization": 1, "name": "Main herd", "timeZone": "Europe/Moscow"}],
        "breeds": [
            {"id": 1, "code": "1", "name": "Holstein", "whffCode": "HOL"},
            {"id": 2, "code": "2", "name": "Jersey", "whffCode": "jer"}],
        "coat-colors": [{"id": 1, "code": "BW", "name": "Black and white"}],
        "technicians": [{"id": 1, "fullName": "Anna Petrova"}],
        "reproduction-methods": [{"id": 1, "code": "1", "adeType": "Insemination"}],
        "semen-types": [{"id": 1, "code": "1", "preservation": "frozen"}],
        "insemination-results": [{"id": 1, "code": "1", "adeResult": "multiple"}],
        "disposal-reasons": [
            {"id": 1, "code": "14", "adeReason": "Production", "adeDeathReason": "Production", "adeDeathMethod": "Slaughter"}],
        "animals": [
            {"id": 1, "identNumber": "1500", "uuid": "0b8f3c52-6a0d-4a57-9a3f-0e1d2c3b4a59", "name": "Zorka",
             "nameLatin": "ZORKA", "sex": "female", "sexStatus": "none", "birthDate": "2019-03-01", "owner": 1,
             "state": "alive", "ageGroup": "cow2", "breed": 1, "coatColor": 1, "father": 2, "mother": 3,
             "improvers.breed1": 2, "improvers.share1": 12.5, "altIds.inventoryNumber": "77",
             "altIds.internationalId": "HOLRUSF000000001500", "altIds.chipNumber": "643000000001500",
             "current.parity": 2, "current.lastCalvingDate": "2024-01-10", "current.lastInseminationDate": "2024-03-20",
             "current.lactationStatus": "lactating", "current.reproductionStatus": "pregnantMultipleFoetus",
             "current.healthStatus": "healthy"},
            {"id": 2, "identNumber": "USA0001", "name": "Duke", "sex": "male", "owner": 2,
             "altIds.internationalId": "HOLUSAM000000000001"},
            {"id": 3, "identNumber": "1200", "name": "Vesna", "sex": "female", "owner": 1},
            {"id": 4, "identNumber": "1750", "uuid": "5d0c9a1e-7c39-4a44-8b0e-2f6d1a9b8c70", "sex": "female",
             "sexStatus": "freemartin", "birthDate": "2024-01-10", "owner": 1, "state": "alive", "mother": 1}],
        "weighings": [{"id": 10, "animal": 1, "date": "2024-02-01", "weight": 655.5, "method": "girth", "note": "After calving"}],
        "milk-tests": [{"id": 11, "animal": 1, "date": "2024-02-05", "milkYield": 38.4, "testCode": "none",
            "fatPercent": 3.85, "proteinPercent": 3.2, "somaticCells": 120, "urea": 23.4}],
        "calvings": [{"id": 12, "animal": 1, "date": "2024-01-10", "number": 2, "eventType": "calving", "ease": "assisted",
            "calves": [4], "progeny": [
                {"id": "a", "sex": "female", "birthStatus": "alive", "size": 3, "weight": 38, "tag": "1750", "animal": 4},
                {"id": "b", "sex": "male", "birthStatus": "stillborn"}]}],
        "inseminations": [{"id": 13, "animal": 1, "ownerOrg": 1, "date": "2024-03-20", "bull": 2, "method": 1, "semenType": 1,
            "attemptNumber": 1, "technician": 1, "farmStock": true, "straw.number": "S-100", "straw.batch": "B7",
            "straw.sexed": "female", "straw.sexedPercent": 90, "pregnancyCheckDate": "2024-04-25", "result": 1,
            "pregnancyCheckMethod": "echography", "foetusCount": 2, "ade.source": "org.partner",
            "ade.sourceId": "ai/991", "adeExtra": {"farmContainer": "tank 2"}}],
        "movements": [
            {"id": 14, "animal": 1, "date": "2024-05-02", "kind": "sale", "from": 1, "to": 2, "applied": true, "reason": 1,
             "consignment.number": "CN-5", "consignment.vehicle": "A123BC", "consignment.declaration": "VET-9", "note": "Sold in milk"},
            {"id": 15, "animal": 3, "date": "2023-12-01", "kind": "death", "from": 1, "applied": true, "reason": 1,
             "disposalMethod": "approvedService", "note": "Fell"}]
    });
    let mut world = World::default();
    for (slug, rows) in records.as_object().unwrap() {
        let c = registry().unwrap().get(slug).unwrap();
        for row in rows.as_array().unwrap() {
            let mut record = Record::empty(c.width());
            for (path, json) in row.as_object().unwrap() {
                let slot = c.slot(path).unwrap_or_else(|| panic!("{slug}.{path}"));
                record.set(slot, value(&c.fields[slot].kind, json));
            }
            world
                .records
                .insert((slug.clone(), row["id"].as_i64().unwrap()), record);
        }
    }
    world
}

fn value(kind: &Kind, json: &Json) -> Value {
    match (kind, json) {
        (Kind::Day | Kind::Instant, Json::String(t)) => {
            super::super::time::parse(t).map(Value::Time).unwrap()
        }
        (Kind::Json | Kind::Rows(_), json) => Value::Json(json.clone()),
        (Kind::Relations(_), json) => Value::Ids(serde_json::from_value(json.clone()).unwrap()),
        (Kind::Number, json) => Value::Num(json.as_f64().unwrap()),
        (_, Json::Number(n)) => Value::Int(n.as_i64().unwrap()),
        (_, Json::Bool(b)) => Value::Bool(*b),
        (_, Json::String(t)) => Value::Text(t.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn documents_are_as_reviewed() {
    let world = book();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ade");
    for mapping in mappings().iter() {
        let rows = world
            .records
            .iter()
            .filter(|((c, _), _)| c == mapping.collection());
        let first = rows
            .flat_map(|(_, row)| documents(mapping, row, &world))
            .next();
        let (_, doc) = first.unwrap_or_else(|| panic!("{}: no document", mapping.dataset()));
        assert_eq!(ade::validate(mapping.resource(), &doc), []);
        let path = folder.join(format!("{}.json", mapping.dataset()));
        let text = format!("{doc:#}\n");
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let reviewed = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(reviewed, text, "{}", path.display());
    }
}

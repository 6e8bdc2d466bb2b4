//! One readable document per data set, in `tests/golden/ade`. `BLESS=1 cargo test golden`
//! writes them anew, for review.

use super::shown;
use super::world::World;
use super::{documents, mappings};
use domain::collections::registry;
use model::record::{Record, Value};
use model::registry::Kind;
use serde_json::{Value as Json, json};
use std::path::Path;

/// A farm that sold a cow, her parents, her calving with two calves, and what goes with it.
fn book() -> World {
    let records = json!({
        "organizations": [
            {"id": 1, "name": "Green Valley Farm"},
            {"id": 2, "name": "Hill Farm"}],
        "herds": [{"id": 1, "organization": 1, "name": "Main herd", "timeZone": "Europe/Moscow",
            "milkingsPerDay": "two", "recordingInterval": 30, "recordingProtocol": "B-HerdOwnerOrNominee",
            "recordingScheme": "AllMilkingsAtTestday"}],
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
             "current.healthStatus": "healthy", "herd": 1},
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
                {"id": "b", "sex": "male", "birthStatus": "stillborn"}]},
            {"id": 16, "animal": 3, "date": "2023-03-02", "number": 1, "eventType": "abortion", "comment": "Month five"},
            {"id": 17, "animal": 1, "date": "2024-11-20", "number": 2, "eventType": "dryOff"}],
        "inseminations": [{"id": 13, "animal": 1, "ownerOrg": 1, "date": "2024-03-20", "bull": 2, "method": 1, "semenType": 1,
            "attemptNumber": 1, "technician": 1, "farmStock": true, "straw.number": "S-100", "straw.batch": "B7",
            "straw.sexed": "female", "straw.sexedPercent": 90, "pregnancyCheckDate": "2024-04-25", "result": 1,
            "pregnancyCheckMethod": "echography", "expectedCalving": "2024-12-24", "foetusCount": 2, "ade.source": "org.partner",
            "ade.sourceId": "ai/991", "adeExtra": {"farmContainer": "tank 2"}}],
        "movements": [
            {"id": 14, "animal": 1, "date": "2024-05-02", "kind": "sale", "from": 1, "to": 2, "applied": true, "reason": 1,
             "consignment.number": "CN-5", "consignment.vehicle": "A123BC", "consignment.declaration": "VET-9", "note": "Sold in milk"},
            {"id": 15, "animal": 3, "date": "2023-12-01", "kind": "death", "from": 1, "applied": true, "reason": 1,
             "disposalMethod": "approvedService", "note": "Fell"}]
    });
    let mut records = records;
    records["animals"][0]["lactations"] = shown::lactations();
    let more = [records, shown::records(), raw_records()];
    let mut world = World::default();
    for (slug, rows) in more.iter().flat_map(|r| r.as_object().unwrap()) {
        let c = registry().unwrap().get(slug).unwrap();
        for row in rows.as_array().unwrap() {
            let mut record = Record::empty(c.width());
            for (path, json) in row.as_object().unwrap() {
                let slot = c.slot(path).unwrap_or_else(|| panic!("{slug}.{path}"));
                record.set(slot, value(&c.fields[slot].kind, json));
            }
            world.records.insert((slug.clone(), row["id"].as_i64().unwrap()), record);
        }
    }
    world
}

/// What else is known of the cow.
fn raw_records() -> Json {
    json!({
        "health-event-types": [
            {"id": 1, "code": "MAST", "name": "Mastitis", "kind": "diagnosis",
             "diagnosisCode.scheme": "icar.disease", "diagnosisCode.id": "7.01"},
            {"id": 2, "code": "ANTI", "name": "Antibiotic", "kind": "treatment"},
            {"id": 3, "code": "SEEN", "name": "Observed", "kind": "status"}],
        "health-events": [
            {"id": 20, "animal": 1, "date": "2024-02-10", "type": 1, "title": "Acute mastitis, right rear",
             "severity": "mild", "stage": "acute", "positions": ["udderRearRight"], "description": "Flakes",
             "ownerOrg": 1, "ade.source": "org.vet", "ade.sourceId": "v/8", "ade.dataset": "diagnoses", "ade.part": 0,
             "adeExtra": {"responsible": "Dr Orlova", "diagnoses": [{"severityScore": 2}]}},
            {"id": 21, "animal": 1, "date": "2024-02-11", "type": 2, "procedure": "Intramammary",
             "medicine.name": "Cefalexin", "medicine.gtin": "04601234567893", "medicine.batch": "C-77",
             "medicine.expiryDate": "2025-06-30", "dose": 10, "doseUnit": "MLT", "positions": ["udderRearRight"],
             "milkWithdrawalUntil": "2024-02-18", "meatWithdrawalUntil": "2024-02-25", "description": "Twice a day"},
            {"id": 22, "animal": 1, "date": "2024-02-20", "type": 3, "observedStatus": "inTreatment"}],
        "events": [
            {"id": 30, "animal": 1, "date": "2024-03-19", "type": "heat", "status": "accepted", "result": "collar",
             "value": 92, "endDate": "2024-03-21",
             "payload": {"certainty": "InHeat", "visualDetection": {"heatSigns": ["Slime"]}, "note": "ours"}},
            {"id": 31, "animal": 1, "date": "2024-06-01", "type": "doNotBreed", "status": "accepted", "value": 0,
             "payload": {"extendedReasons": [{"id": "12", "scheme": "org.herdbook.leaving"}]}},
            {"id": 32, "animal": 1, "date": "2024-01-12", "type": "lactationStatus", "status": "accepted", "result": "fresh"},
            {"id": 33, "animal": 1, "date": "2024-04-25", "type": "reproStatus", "status": "accepted",
             "result": "pregnantMultipleFoetus", "comment": "Twins"},
            {"id": 34, "animal": 3, "date": "2023-04-25", "type": "pregnancyCheck", "status": "accepted", "result": "empty",
             "payload": {"method": "Palpation"}}],
        "milking-visits": [{"id": 40, "animal": 1, "startedAt": "2024-02-05T04:31:09Z", "milkYield": 12.6, "duration": 412,
            "visitDuration": 540, "milkingType": "automated", "complete": true, "box": "3", "device": "VMS-2",
            "shiftDate": "2024-02-05", "shiftNumber": 1, "remarks": ["teatSeparated"],
            "quarters": [{"id": "a", "position": "LF", "milkYield": 3.1, "duration": 300}],
            "characteristics": [{"id": "a", "code": "AVGCOND", "value": "5.1", "unit": "mS/cm"}]}],
        "daily-milkings": [{"id": 41, "animal": 1, "date": "2024-02-05", "milkYield": 38.4, "average7": 37.9}]
    })
}

fn value(kind: &Kind, json: &Json) -> Value {
    match (kind, json) {
        (Kind::Day | Kind::Instant, Json::String(t)) => ade::time::parse(t).map(Value::Time).unwrap(),
        (Kind::Json | Kind::Rows(_), json) => Value::json(json.clone()),
        (Kind::Texts(_) | Kind::Selects(_), json) => Value::Texts(serde_json::from_value(json.clone()).unwrap()),
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/ade");
    for mapping in mappings().iter() {
        let rows = world.records.iter().filter(|((c, _), _)| c == mapping.collection());
        let first = rows.flat_map(|(_, row)| documents(mapping, row, &world)).next();
        let (_, doc) = first.unwrap_or_else(|| panic!("{}: no document", mapping.name()));
        assert_eq!(ade::validate(mapping.resource(), &doc), []);
        let path = folder.join(format!("{}.json", mapping.name()));
        let text = format!("{doc:#}\n");
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let reviewed = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(reviewed, text, "{}", path.display());
    }
}

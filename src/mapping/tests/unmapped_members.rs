//! Members that partners send beyond our fields come back; names that we do not know give a
//! message; values that cannot be stored are refused.

use super::world::World;
use super::{documents, mappings, stored};
use crate::{Mapping, Purpose, Row};
use model::error::Severity;
use model::record::Value;
use serde_json::{Value as Json, json};
use test_support::table;

fn world() -> World {
    World::generate(7, 1.0)
}

fn animal(world: &World, id: i64) -> Json {
    let slot = domain::collections::registry().unwrap().get("animals").unwrap().at("identNumber");
    let ident = world.records[&("animals".to_owned(), id)].get(slot).text().unwrap();
    json!({"id": ident, "scheme": "org.herdbook.animal"})
}

fn event(resource: &str, world: &World, own: Json) -> Json {
    let mut doc = json!({
        "resourceType": resource,
        "meta": {"source": "org.partner", "sourceId": "x-1", "modified": "2024-01-01T00:00:00Z", "creator": "a person"},
        "location": {"id": "3", "scheme": "org.herdbook.orgid"},
        "animal": animal(world, 1),
        "eventDateTime": "2024-01-01T06:30:00Z",
    });
    let own = own.as_object().unwrap().clone();
    doc.as_object_mut().unwrap().extend(own);
    doc
}

fn round(mapping: &Mapping, doc: &Json, world: &World) -> Json {
    assert_eq!(ade::validate(mapping.resource(), doc), []);
    let row = stored(mapping, doc, world).unwrap_or_else(|| panic!("refused: {doc:#}"));
    let served = documents(mapping, &row, world).remove(0).1;
    assert_eq!(ade::validate(mapping.resource(), &served), [], "{served:#}");
    served
}

fn value(mapping: &Mapping, doc: &Json, world: &World, path: &str) -> Value {
    let row = stored(mapping, doc, world).unwrap();
    row.get(super::collection(mapping).at(path)).clone()
}

#[test]
fn members_without_a_field_come_back() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("test-day-results").unwrap();
    let own = json!({
        "responsible": "somebody",
        "x-own": {"deep": [1, 2], "none": [], "nothing": null},
        "milkWeight24Hours": {"unitCode": "KGM", "value": 31.5},
        "milkCharacteristics": [
            {"characteristic": "AVGCOND", "value": "5.1", "unit": "mS/cm"},
            {"characteristic": "FAT", "value": "4.10", "unit": "%"},
            {"characteristic": "UREA", "value": "234"},
        ],
    });
    let doc = event(mapping.resource(), &world, own);
    assert_eq!(value(mapping, &doc, &world, "urea"), Value::Num(23.4));
    let served = round(mapping, &doc, &world);
    assert_eq!(served["responsible"], "somebody");
    assert_eq!(served["x-own"], doc["x-own"]);
    assert_eq!(served["meta"]["creator"], "a person");
    assert_eq!(served["meta"]["sourceId"], "x-1");
    assert_eq!(
        served["milkCharacteristics"],
        json!([
            {"characteristic": "FAT", "value": "4.1"},
            {"characteristic": "UREA", "value": "234"},
            {"characteristic": "AVGCOND", "value": "5.1", "unit": "mS/cm"},
        ])
    );
}

#[test]
fn our_value_wins_over_a_stored_one_and_a_lost_one_takes_its_company_along() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("test-day-results").unwrap();
    let own = json!({
        "milkWeight24Hours": {"unitCode": "KGM", "value": 31.5},
        "milkCharacteristics": [{"characteristic": "FAT", "value": "4.1", "measuringDevice": "x"}],
    });
    let doc = event(mapping.resource(), &world, own);
    let mut row = stored(mapping, &doc, &world).unwrap();
    row.set(super::collection(mapping).at("fatPercent"), Value::Null);
    let served = documents(mapping, &row, &world).remove(0).1;
    assert!(served.get("milkCharacteristics").is_none());
    assert_eq!(ade::validate(mapping.resource(), &served), []);
}

#[test]
fn units_are_converted_and_unknown_ones_refused() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("weights").unwrap();
    let weigh = |weight: Json| event(mapping.resource(), &world, json!({"weight": weight}));
    let pounds = weigh(json!({"measurement": 1000, "units": "LBR", "method": "Girth", "resolution": 0.5}));
    assert_eq!(value(mapping, &pounds, &world, "weight"), Value::Num(453.592_37));
    assert_eq!(
        round(mapping, &pounds, &world)["weight"],
        json!(
            {"measurement": 453.59237, "units": "KGM", "method": "Girth"}
        )
    );
    let grams = weigh(json!({"value": 41_500, "unitCode": "GRM"}));
    assert_eq!(value(mapping, &grams, &world, "weight"), Value::Num(41.5));
    for bad in [json!({"measurement": 5, "units": "ZZZ"}), json!({})] {
        let intake = mapping.intake(&weigh(bad.clone()), &world);
        let faults: Vec<_> = intake.issues.iter().map(|i| (i.path.as_str(), i.severity)).collect();
        assert_eq!(faults, [("/weight", Severity::Error)], "{bad}");
    }
}

/// The values of milk in every unit known for them, and in units that they cannot have.
#[test]
fn characteristics_are_converted_or_refused_with_the_units_known() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("test-day-results").unwrap();
    let test = |code: &str, value: &str, unit: Option<&str>| {
        let one = json!({"characteristic": code, "value": value, "unit": unit});
        let milk = json!({"unitCode": "KGM", "value": 31.5});
        let more = json!({"milkWeight24Hours": milk, "milkCharacteristics": [one]});
        event(mapping.resource(), &world, more)
    };
    let cases: [(&str, &str, Option<&str>, &str, f64); 18] = [
        ("UREA", "4.2", Some("M33"), "urea", 25.2252),
        ("UREA", "252", None, "urea", 25.2),
        ("UREA", "252", Some("M1"), "urea", 25.2),
        ("UREA", "0.252", Some("GL"), "urea", 25.2),
        ("UREA", "0.0042", Some("C38"), "urea", 25.2252),
        ("BHB", "8", Some("M1"), "bhb", 0.076_849_183),
        ("BHB", "0.08", None, "bhb", 0.08),
        ("ACETONE", "5.808", Some("M1"), "acetone", 0.1),
        ("ACETONE", "0.1", Some("M33"), "acetone", 0.1),
        ("FAT", "4.1", Some("VP"), "fatPercent", 4.1),
        ("FAT", "4.1", Some("%"), "fatPercent", 4.1),
        ("PROTEIN", "33.5", Some("NX"), "proteinPercent", 3.35),
        ("LAC", " 4.8 ", Some("P1"), "lactosePercent", 4.8),
        ("SCC", "250", None, "somaticCells", 250.0),
        ("SCC", "250", Some("NCL"), "somaticCells", 250.0),
        ("SCC", "250000", Some("H50"), "somaticCells", 250.0),
        ("SCC", "250000000", Some("K63"), "somaticCells", 250.0),
        ("SCC", "250", Some("1000/ml"), "somaticCells", 250.0),
    ];
    for (code, stated, unit, field, expected) in cases {
        let doc = test(code, stated, unit);
        let intake = mapping.intake(&doc, &world);
        assert!(intake.issues.is_empty(), "{code} {unit:?}: {:?}", intake.issues);
        let read = value(mapping, &doc, &world, field).num().unwrap();
        assert!((read - expected).abs() < 1e-9, "{code} {stated} {unit:?}: {read}");
    }
    let refused: [(&str, &str, &str); 6] = table![
        "FAT", "M33", "%, 60, NX, P1, VP";
        "SCC", "GL", "1000/ml, C86, H50, K63, NCL";
        "UREA", "VP", "A93, C35, C36, C38, F23, GJ, GL, GP, H29, KMQ, M1, M33, mg/l, mmol/l";
        "BHB", "m33", "M33";
        "ACETONE", "", "M33";
        "LAC", "mmol/l", "VP";
    ];
    for (code, unit, units) in refused {
        let intake = mapping.intake(&test(code, "4", Some(unit)), &world);
        let [issue] = intake.issues.as_slice() else {
            panic!("{code} {unit}: {:?}", intake.issues);
        };
        assert_eq!((issue.path.as_str(), issue.severity), ("/milkCharacteristics/0", Severity::Error));
        assert!(issue.message.to_string().contains(units), "{}", issue.message);
    }
}

#[test]
fn values_of_one_quantity_must_agree() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("test-day-results").unwrap();
    let test = |values: &[(&str, &str)]| {
        let one = |(value, unit): &(&str, &str)| json!({"characteristic": "FAT", "value": value, "unit": unit});
        let all: Vec<Json> = values.iter().map(one).collect();
        event(mapping.resource(), &world, json!({"milkCharacteristics": all}))
    };
    let same = test(&[("4.1", "VP"), ("4.10", "%"), ("41", "NX")]);
    assert_eq!(mapping.intake(&same, &world).issues, []);
    assert_eq!(value(mapping, &same, &world, "fatPercent"), Value::Num(4.1));
    for values in [[("4.1", "VP"), ("3.3", "VP")], [("3.3", "VP"), ("4.1", "VP")], [("4.1", "%"), ("4.1", "NX")]] {
        let intake = mapping.intake(&test(&values), &world);
        let faults: Vec<_> = intake.issues.iter().map(|i| (i.path.as_str(), i.code.as_ref())).collect();
        assert_eq!(faults, [("/milkCharacteristics/1", "field-value")], "{values:?}");
        assert!(intake.refused());
    }
}

#[test]
fn unknown_sires_stay_as_text_and_come_back() {
    let (mut world, all) = (world(), mappings());
    let methods = domain::collections::registry().unwrap().get("reproduction-methods").unwrap();
    let natural = world.records.get_mut(&("reproduction-methods".to_owned(), 2)).unwrap();
    natural.set(methods.at("adeType"), "NaturalService");
    let mapping = all.get("inseminations").unwrap();
    let sires = json!([{"id": "HOLUSAM000012345678", "scheme": "icar.Interbull"}]);
    let own = json!({
        "inseminationType": "NaturalService",
        "sireIdentifiers": sires,
        "responsible": "Nobody Known",
        "farmContainer": "tank 2",
        "straw": {"resourceType": "icarReproSemenStrawResource", "id": {"id": "S-1", "scheme": "org.partner.straw"}, "sireURI": "https://sires.example/1"},
    });
    let doc = event(mapping.resource(), &world, own);
    let intake = mapping.intake(&doc, &world);
    let warned: Vec<_> = intake.issues.iter().map(|i| (i.path.as_str(), i.severity)).collect();
    assert_eq!(warned, [("/responsible", Severity::Warning), ("/sireIdentifiers", Severity::Warning)]);
    assert_eq!(value(mapping, &doc, &world, "bullText"), Value::Text("HOLUSAM000012345678".to_owned()));
    assert_eq!(value(mapping, &doc, &world, "straw.number"), Value::Text("S-1".to_owned()));
    let served = round(mapping, &doc, &world);
    assert_eq!(served["sireIdentifiers"], sires);
    assert_eq!(served["sireOfficialName"], "HOLUSAM000012345678");
    assert_eq!(served["responsible"], "Nobody Known");
    assert_eq!(served["inseminationType"], "NaturalService");
    assert_eq!(served["farmContainer"], "tank 2");
    // The number is the book's by itself; the sender's scheme is part of his wording.
    let mut straw = doc["straw"].clone();
    straw["id"]["scheme"] = "org.herdbook.straw".into();
    assert_eq!(served["straw"], straw);
    let own = json!({
        "inseminationType": "Insemination", "sireIdentifiers": sires, "sireOfficialName": "JUROR",
    });
    let document = event(mapping.resource(), &world, own);
    assert_eq!(value(mapping, &document, &world, "bullText"), Value::Text("JUROR".to_owned()));
}

#[test]
fn references_say_where_and_what_to_look_up() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("inseminations").unwrap();
    let own = json!({
        "inseminationType": "Implantation",
        "sireIdentifiers": [{"id": "1", "scheme": "xx.unknown"}, {"id": "2", "scheme": "icar.Interbull"}],
        "embryo": {"donorIdentifiers": [{"id": "3", "scheme": "std.iso.11785"}]},
        "responsible": "A Technician",
    });
    let doc = event(mapping.resource(), &world, own);
    let list: Vec<_> = (mapping.references(&doc).into_iter())
        .map(|r| (r.pointer, r.purpose, r.collection, r.field, r.value))
        .collect();
    let ident = animal(&world, 1)["id"].as_str().unwrap().to_owned();
    let want = table![
        "/animal", Purpose::Animal, "animals", "identNumber", ident.as_str();
        "/responsible", Purpose::Name, "technicians", "fullName", "A Technician";
        "/inseminationType", Purpose::Code, "reproduction-methods", "adeType", "Implantation";
        "/sireIdentifiers/1", Purpose::MaleAnimal, "animals", "altIds.internationalId", "2";
        "/embryo/donorIdentifiers/0", Purpose::AnyAnimal, "animals", "altIds.chipNumber", "3";
    ];
    let own =
        |(p, u, c, f, v): (&str, _, &str, &str, &str)| (p.to_owned(), u, c.to_owned(), f.to_owned(), v.to_owned());
    assert_eq!(list, want.map(own));
}

#[test]
fn calves_are_rows_when_more_is_known_than_counts_can_say() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("parturitions").unwrap();
    let details = json!([
        {"resourceType": "icarProgenyDetailsResource", "specie": "Cattle", "gender": "Female", "birthStatus": "Alive",
         "birthWeight": {"measurement": 41, "units": "KGM"}, "birthSize": "Large", "taggingDate": "2024-01-03T00:00:00Z"},
        {"resourceType": "icarProgenyDetailsResource", "specie": "Cattle", "gender": "Unknown", "birthStatus": "Stillborn"},
    ]);
    let doc = event(mapping.resource(), &world, json!({"progenyDetails": details, "damParity": 2}));
    assert_eq!(
        value(mapping, &doc, &world, "progeny"),
        Value::json(json!([
            {"sex": "female", "birthStatus": "alive", "size": 4, "weight": 41.0},
            {"sex": "unknown", "birthStatus": "stillborn"},
        ]))
    );
    assert_eq!(value(mapping, &doc, &world, "eventType"), Value::Text("calving".to_owned()));
    let served = round(mapping, &doc, &world);
    assert_eq!(served["progenyDetails"][0]["taggingDate"], "2024-01-03T00:00:00Z");
    assert_eq!((&served["liveProgeny"], &served["totalProgeny"]), (&json!(1), &json!(2)));
}

#[test]
fn plain_calves_are_counts_and_old_or_bare_totals_are_read() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("parturitions").unwrap();
    let old = event(
        mapping.resource(),
        &world,
        json!({"progeny": [
            {"resourceType": "icarAnimalCoreResource", "specie": "Cattle", "gender": "Male", "identifier": {"id": "9", "scheme": "xx.tag"}},
            {"resourceType": "icarAnimalCoreResource", "specie": "Cattle", "gender": "Female", "identifier": animal(&world, 2)},
        ]}),
    );
    assert_eq!(
        value(mapping, &old, &world, "progeny"),
        Value::json(json!([
            {"sex": "male", "birthStatus": "alive"}, {"sex": "female", "birthStatus": "alive", "animal": 2},
        ]))
    );
    let plain = event(
        mapping.resource(),
        &world,
        json!({"progenyDetails": [
            {"resourceType": "icarProgenyDetailsResource", "specie": "Cattle", "gender": "Male", "birthStatus": "Alive"},
        ]}),
    );
    let row = stored(mapping, &plain, &world).unwrap();
    let count = |path: &str| row.get(super::collection(mapping).at(path)).clone();
    assert_eq!(
        (count("progeny"), count("liveBulls"), count("liveHeifers")),
        (Value::Null, Value::Int(1), Value::Int(0))
    );
    let totals = event(mapping.resource(), &world, json!({"liveProgeny": 1, "totalProgeny": 2}));
    assert_eq!(
        value(mapping, &totals, &world, "progeny"),
        Value::json(json!([
            {"sex": "unknown", "birthStatus": "alive"}, {"sex": "unknown", "birthStatus": "stillborn"},
        ]))
    );
    // Without `damParity` the number is taken back, and counted by the day.
    let unnumbered = mapping.intake(&totals, &world);
    let number = super::collection(mapping).at("number");
    assert!(unnumbered.fields.contains(&(number, Value::Null)));
}

#[test]
fn departures_take_all_kinds_and_find_a_receiver() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("departures").unwrap();
    let leave = |own: Json| event(mapping.resource(), &world, own);
    for (code, kind) in [
        ("Slaughter", "cull"),
        ("Sale", "sale"),
        ("Export", "sale"),
        ("Agistment", "lease"),
        ("Show", "absence"),
        ("InternalTransfer", "transfer"),
    ] {
        let doc = leave(json!({"departureKind": code}));
        assert_eq!(value(mapping, &doc, &world, "kind"), Value::Text(kind.to_owned()));
        // Only a sale or lease has a receiver, which the sender need not name.
        let to = match kind {
            "sale" | "lease" => Value::Int(2),
            _ => Value::Null,
        };
        assert_eq!(value(mapping, &doc, &world, "to"), to);
        assert_eq!(value(mapping, &doc, &world, "from"), Value::Int(3));
    }
    let intake = mapping.intake(&leave(json!({})), &world);
    let paths: Vec<_> = intake.issues.iter().map(|i| i.path.as_str()).collect();
    assert!(intake.refused());
    assert_eq!(paths, ["/departureKind"]);
    let place = json!({"id": "1", "scheme": "org.herdbook.orgid"});
    let doc = leave(json!({"departureKind": "Sale", "consignment": {"destinationLocation": place}}));
    assert_eq!(value(mapping, &doc, &world, "to"), Value::Int(1));
}

#[test]
fn a_pregnancy_check_needs_an_insemination_and_leaves_it_behind() {
    let (world, all) = (world(), mappings());
    let mapping = all.get("pregnancy-checks").unwrap();
    let doc = event(mapping.resource(), &world, json!({"result": "Pregnant", "foetusCount": 2}));
    let intake = mapping.intake(&doc, &world);
    assert_eq!(intake.row, Row::PairOr(1));
    let slots = |path: &str| super::collection(mapping).at(path);
    assert!(intake.fields.iter().all(|(slot, _)| *slot != slots("animal")));
    let refused = mapping.intake(&doc, &Nothing(&world));
    assert!(refused.issues.iter().any(|i| i.code == "no-earlier-record"));
    let gone = json!({"resourceType": mapping.resource(), "meta": {"source": "org.partner", "sourceId": "x-1", "isDeleted": true}});
    let gone = mapping.intake(&gone, &world);
    assert!(gone.deleted && !gone.refused());
    let written = mapping.writes(gone, false);
    for path in ["pregnancyCheckDate", "checkAde.source"] {
        assert!(written.contains(&(slots(path), Value::Null)), "{path}");
    }
}

struct Nothing<'w>(&'w World);

impl crate::ReferenceResolver for Nothing<'_> {
    fn id(&self, reference: &crate::Reference) -> Option<i64> {
        (reference.purpose == Purpose::Animal).then(|| crate::ReferenceResolver::id(self.0, reference)).flatten()
    }
    fn latest(&self, _: &str, _: i64, _: i64) -> Option<i64> {
        None
    }
    fn placeholder(&self) -> Option<i64> {
        None
    }
    fn location(&self) -> i64 {
        3
    }
}

#[test]
fn what_intake_needs_is_demanded_at_its_place() {
    let (world, all) = (world(), mappings());
    for mapping in (all.iter()).filter(|m| m.can_post() && !m.keeps_sent() && m.corrections().is_none()) {
        let intake = mapping.intake(&json!({"resourceType": mapping.resource()}), &world);
        let animal = mapping.has(crate::Part::Animal);
        for (at, needed) in table![
            "/meta/source", true;
            "/meta/sourceId", true;
            "/animal", animal;
            "/eventDateTime", mapping.has(crate::Part::Event) && mapping.beside().is_none();
        ] {
            let is_issue = |i: &model::error::Issue| i.path == at && i.severity == Severity::Error;
            assert_eq!(
                intake.issues.iter().filter(|i| is_issue(i)).count(),
                usize::from(needed),
                "{} {at}",
                mapping.dataset()
            );
        }
        let mut stranger = event(mapping.resource(), &world, json!({}));
        stranger["animal"]["id"] = "nobody".into();
        stranger["member"] = json!([stranger["animal"]]);
        let at = if animal { "/animal" } else { "/member/0" };
        let intake = mapping.intake(&stranger, &world);
        let mut issues = intake.issues.iter();
        assert!(issues.any(|i| i.path == at && i.code == "animal-not-found"));
    }
}

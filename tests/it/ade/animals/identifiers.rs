//! Animals under all their numbers, in and out.

use crate::ade::stage::{FARM, Stage, keys, weight};
use crate::support::fixture::number;
use serde_json::{Value, json};

fn about(key: u32, scheme: &str, id: &str) -> Value {
    let mut doc = weight(key, 11);
    doc["animal"] = json!({"scheme": scheme, "id": id});
    doc
}

#[test_each(Stage::each())]
async fn events_find_their_animal_by_every_scheme_and_alias(s: Stage) {
    update!(s.f, "animals", 11, {"altIds": {"internationalId": "HOLRUSF000000000011",
        "chipNumber": "643000000000011"}, "fgias": {"baseUuid": "base-11"}});
    let main = number(11);
    for (key, scheme, id) in [
        (1, "org.herdbook.animal", main.as_str()),
        (2, "icar.Interbull", "HOLRUSF000000000011"),
        (3, "ru.mcx.fgias-pr.base", "base-11"),
        (4, "std.iso.11785", "643000000000011"),
        (5, "std.iso.11784", "643000000000011"),
    ] {
        let doc = about(key, scheme, id);
        let body = ask!(s.f, s.farm, "POST {FARM}/weights", doc => 201, "{scheme}");
        assert_eq!(body["animal"]["id"], main, "{scheme}");
        let page = ask!(s.f, s.farm, "GET {FARM}/animals?animal-scheme={scheme}&animal-id={id}" => 200);
        assert_eq!(page["view"]["totalItems"], 1, "{scheme}: {page}");
    }
}

#[test_each(Stage::each())]
async fn each_item_is_told_which_number_of_which_scheme_names_nobody(s: Stage) {
    // Two of this farm with one chip, and one elsewhere.
    for (animal, chip) in [(12, "2"), (13, "2"), (21, "3")] {
        update!(s.f, "animals", animal, {"altIds": {"chipNumber": format!("64300000000000{chip}")}});
    }
    let (foreign, unknown) = (number(21), number(999));
    let items = [
        ("no.such", "1", "animal-scheme-unknown"),
        ("std.iso.11785", "12", "identifier-malformed"),
        ("std.iso.11785", "999000000000001", "identifier-malformed"),
        ("std.iso.11785", "643000000000001", "animal-not-found"),
        ("std.iso.11785", "643000000000002", "animal-not-found"),
        ("std.iso.11785", "643000000000003", "animal-not-found"),
        ("org.herdbook.animal", foreign.as_str(), "animal-not-found"),
        ("org.herdbook.animal", unknown.as_str(), "animal-not-found"),
    ];
    let all: Vec<Value> = (items.iter().zip(1..)).map(|((scheme, id, _), key)| about(key, scheme, id)).collect();
    let body = ask!(s.f, s.farm, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/weights", all => 200);
    let results = body.as_array().unwrap();
    assert_eq!(results.len(), items.len());
    let mut texts = Vec::new();
    for ((scheme, id, code), result) in items.iter().zip(results) {
        let messages = result["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 1, "{result}");
        let message = &messages[0];
        holds!(message, {"type": code, "instance": "/animal"});
        let detail = message["detail"].as_str().unwrap();
        assert!(detail.contains(scheme) && detail.contains(id), "{detail}");
        texts.push(detail.replace(id, "").replace(scheme, ""));
    }
    // Unknown, ambiguous and of another farm: one answer.
    assert!(texts[3..].iter().all(|text| *text == texts[3]), "{texts:?}");
}

#[test_each(Stage::each())]
async fn a_new_number_is_shown_everywhere_and_the_old_one_finds_nothing(s: Stage) {
    update!(s.f, "animals", 11,
        {"altIds": {"internationalId": "HOLRUSF000000000011", "chipNumber": "643000000000011"}});
    s.weigh(&[1, 2]).await;
    fill!(s.f, "animals", 31,
        {"identNumber": number(31), "sex": "female", "owner": 1, "mother": 11, "birthDate": "2024-01-01"});
    let feed = "/ade/v1/datasets/everything/changes?limit=1000";
    let (_, before) = s.get(feed).await;
    let token = before.as_array().unwrap().last().unwrap()["token"].clone();
    update!(s.f, "animals", 11, {"identNumber": "643000000000777", "altIds": {
        "internationalId": "HOLRUSF000000000777", "chipNumber": "643000000000777"}});
    let old = [
        ("org.herdbook.animal", number(11)),
        ("icar.Interbull", "HOLRUSF000000000011".to_owned()),
        ("std.iso.11785", "643000000000011".to_owned()),
    ];
    for (scheme, was) in &old {
        let by = |id: &str| format!("{FARM}/weights?animal-scheme={scheme}&animal-id={id}");
        assert!(keys(&s.get(&by(was)).await.1).is_empty(), "{scheme}");
        let now = if *scheme == "icar.Interbull" { "HOLRUSF000000000777" } else { "643000000000777" };
        assert_eq!(keys(&s.get(&by(now)).await.1), ["w1", "w2"], "{scheme}");
    }
    for list in ["animals", "weights"] {
        let text = s.get(&format!("{FARM}/{list}")).await.1["member"].to_string();
        assert!(text.contains("643000000000777"), "{list}: {text}");
        for (_, was) in &old {
            assert!(!text.contains(was), "{list}: {text}");
        }
    }
    // The feed brings the animal, its daughter, and its events once more.
    let since = token.as_str().unwrap();
    let (_, changes) = s.get(&format!("{feed}&since={since}")).await;
    let text = changes.to_string();
    let sent = |kind: &str| {
        let all = changes.as_array().unwrap().iter();
        all.filter(|r| r["resourceType"] == kind).count()
    };
    assert_eq!(sent("icarWeightEventResource"), 2, "{text}");
    assert_eq!(sent("icarAnimalCoreResource"), 2, "{text}");
    for (_, was) in &old {
        assert!(!text.contains(was), "{text}");
    }
    let doc = about(9, "org.herdbook.animal", &number(11));
    ask!(s.f, s.farm, "POST {FARM}/weights", doc => 422);
}

/// Codes of bulls, with and without leading zeros, in the scheme of the book and in others.
#[test_each(Stage::each())]
async fn the_code_of_semen_names_the_bull(s: Stage) {
    update!(s.f, "animals", 13, {"sex": "male", "publicVisible": true, "semen": {"stock": {"code": "7HO14454"}}});
    let (_, sires) = s.get("/ade/v1/service-sires?identifier-scheme=org.naab-css&identifier-id=7HO14454").await;
    let numbers = &sires["member"][0]["alternativeIdentifiers"];
    assert!(numbers.as_array().unwrap().contains(&json!({"id": "007HO14454", "scheme": "org.naab-css"})), "{sires}");
    for (key, member, value) in table![
        "i1", "sireIdentifiers", json!([{"scheme": "org.naab-css", "id": "7HO14454"}]);
        "i2", "sireIdentifiers", json!([{"scheme": "us.naab", "id": "007HO14454"}]);
        "i3", "sireIdentifiers", json!([{"scheme": "stud.example", "id": "7HO14454"}]);
        "i4", "sireOfficialName", json!("7HO14454");
    ] {
        let mut doc = json!({
            "resourceType": "icarReproInseminationEventResource",
            "meta": {"source": "stud.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"},
            "animal": {"scheme": "org.herdbook.animal", "id": number(11)},
            "eventDateTime": format!("2025-0{}-10T05:00:00Z", &key[1..]),
            "inseminationType": "Insemination",
        });
        doc[member] = value.clone();
        let made = ask!(s.f, s.farm, "POST {FARM}/inseminations", doc => 201);
        assert_eq!(made[member], value, "{made}");
        let id = made["id"].as_str().unwrap();
        let row = ask!(s.f, s.farm, "GET /api/inseminations/{id}?depth=0" => 200);
        holds!(row, {"bull": 13, "bullText": null}, "{key}");
    }
    // A bull gives no embryo.
    let doc = json!({
        "resourceType": "icarReproInseminationEventResource",
        "meta": {"source": "stud.example", "sourceId": "i9", "modified": "2026-02-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": number(11)},
        "eventDateTime": "2025-09-10T05:00:00Z", "inseminationType": "Implantation",
        "embryo": {"resourceType": "icarReproEmbryoResource",
            "donorIdentifiers": [{"scheme": "org.herdbook.animal", "id": number(13)}]},
    });
    let answer = ask!(s.f, s.farm, "POST {FARM}/inseminations", doc => 400);
    holds!(answer, {"errors.0.type": "parent-wrong-sex"});
}

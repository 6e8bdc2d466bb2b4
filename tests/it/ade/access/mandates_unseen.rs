//! A mandate reveals to its holder nothing that others sent, and no animals beyond the location.

use super::mandates::{mandate, revoke};
use crate::ade::events::rows::{event, rows};
use crate::ade::stage::{FARM, Stage, codes, weight};
use crate::support::fixture::number;
use serde_json::{Value, json};

#[test_each(Stage::each())]
async fn names_that_others_gave_are_refused_and_show_nothing(s: Stage) {
    s.weigh(&[1]).await;
    let (_, page) = s.get(&format!("{FARM}/weights")).await;
    let (id, own) = (page["member"][0]["id"].clone(), page["member"][0].clone());
    // A row that a person made has a name of the book.
    let body = json!({"animal": 11, "date": "2026-01-20", "weight": 480});
    let made = ask!(s.f, s.farm, "POST /api/weighings?depth=0", body => 201);
    mandate(&s, json!(["weights", "heats", "remarks"])).await;
    let remark = |source_id: &str, text: &str| {
        json!({"resourceType": "icarRemarkEventResource",
            "meta": {"source": "scale.example", "sourceId": source_id,
                "modified": "2026-02-01T00:00:00Z"},
            "animal": {"scheme": "org.herdbook.animal", "id": number(11)},
            "eventDateTime": "2026-02-01T00:00:00Z", "remark": text,
            "subject": "Lame", "note": text})
    };
    let remarks = format!("{FARM}/remarks");
    let first = s.f.post(&remarks, &s.farm, remark("r1", "ours")).await;
    let weights = format!("{FARM}/weights");
    let named = |source: &str, id: &str, modified: &str| {
        let mut doc = weight(9, 12);
        doc["meta"] = json!({"source": source, "sourceId": id, "modified": modified});
        doc
    };
    let tally = s.tally().await;
    let mut refused = Vec::from(table![
        &weights, named("scale.example", "w1", "2026-02-01T00:00:00Z"), "sent-by-another";
        &weights, named("scale.example", "w1", "2020-02-01T00:00:00Z"), "sent-by-another";
        &weights, json!({"resourceType": "icarWeightEventResource",
            "meta": {"source": "scale.example", "sourceId": "w1", "isDeleted": true}}), "sent-by-another";
    ]);
    if first.0 == 201 {
        refused.push((&remarks, remark("r1", "theirs"), "sent-by-another"));
    }
    for row in [made["doc"]["id"].clone(), id, json!(99_999)] {
        let id = format!("weights:{}", row.to_string().trim_matches('"'));
        refused.push((&weights, named("org.herdbook", &id, "2026-02-01T00:00:00Z"), "resource-not-found"));
    }
    for (path, doc, code) in refused {
        let (status, _, body) = s.f.post(path, &s.other, doc.clone()).await;
        assert!(status == 409 || status == 422, "{status} {doc}: {body}");
        assert_eq!(body["errors"][0]["type"].as_str().unwrap_or(codes(&body)[0]), code, "{body}");
        assert!(!body.to_string().contains("measurement"), "{body}");
    }
    assert_eq!(s.tally().await, tally);
    let (_, page) = s.get(&weights).await;
    assert_eq!(page["member"][0], own);
    // A document with the pair of another data set is answered without a hint to that one.
    let mut heat = event("w1", "icarReproHeatEventResource", "2026-02-01", json!({}));
    heat["meta"]["source"] = json!("scale.example");
    let (headers, _) = ask!(s.f, s.other, "POST {FARM}/heats", heat => 201 with headers);
    let notes = headers.get("x-icar-ade-messages").map_or("", |notes| notes.to_str().unwrap());
    assert!(!notes.contains("pair-of-another-set"), "{notes}");
}

#[test_each(Stage::each())]
async fn what_the_farm_reads_of_others_is_not_there_for_the_sender(s: Stage) {
    s.f.farm(4, "Stud").await;
    let bull = json!({"identNumber": number(41), "sex": "male", "owner": 4, "birthDate": "2015-01-01",
        "name": "Hidden One"});
    s.f.fill("animals", 41, bull).await;
    let stud = s.f.user(8, "farmer", Some(4), "head").await;
    ask!(s.f, stud, "POST /api/access-grants", {"grantee": 1, "animal": 41, "scopes": ["origin"]} => 201);
    let id = mandate(&s, json!(["inseminations"])).await;
    let service = |key: &str, bull: &str| {
        let sire = json!([{"scheme": "org.herdbook.animal", "id": bull}]);
        let own = json!({"inseminationType": "Insemination", "sireIdentifiers": sire});
        event(key, "icarReproInseminationEventResource", "2026-02-01", own)
    };
    let path = format!("{FARM}/inseminations");
    let send = async |who: &str, doc: Value| {
        let (headers, _) = ask!(s.f, who, "POST {path}", doc => 201 with headers);
        let notes = headers.get("x-icar-ade-messages");
        notes.map(|notes| notes.to_str().unwrap().to_owned())
    };
    let unseen = send(&s.other, service("a", &number(41))).await;
    let absent = send(&s.other, service("b", &number(49))).await;
    assert_eq!(unseen, absent);
    send(&s.farm, service("c", &number(41))).await;
    let rows = rows(&s, "inseminations").await;
    let bulls: Vec<&Value> = rows.iter().map(|row| &row["bull"]).collect();
    assert_eq!(bulls, [&Value::Null, &Value::Null, &json!(41)], "the farm itself reads it");
    revoke(&s, id).await;
}

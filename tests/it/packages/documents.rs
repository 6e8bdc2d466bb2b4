//! Files of documents of the exchange as packages: taken as a batch of their sender is, with what came of each.

use super::desk::{preview, read_all, reader, rows, send, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

const COW: &str = "960000000002";

fn meta(id: &str) -> Value {
    json!({"source": "farm.example", "sourceId": id, "modified": "2026-03-01T06:00:00Z"})
}

fn test_day(id: &str, animal: &str, day: &str, kg: f64) -> Value {
    json!({"resourceType": "icarTestDayResultEventResource", "meta": meta(id),
        "animal": {"id": animal, "scheme": "org.herdbook.animal"}, "eventDateTime": format!("{day}T00:00:00Z"),
        "milkWeight24Hours": {"unitCode": "KGM", "value": kg}, "labBatch": format!("B-{id}")})
}

fn weight(id: &str, kg: f64) -> Value {
    json!({"resourceType": "icarWeightEventResource", "meta": meta(id),
        "animal": {"id": COW, "scheme": "org.herdbook.animal"}, "eventDateTime": "2026-02-03T00:00:00Z",
        "weight": {"measurement": kg, "units": "KGM", "resolution": 0.5}})
}

/// The documents of a data set as the farm reads them over the exchange.
async fn served(w: &World<'_>, set: &str) -> Vec<Value> {
    let answer = ask!(w, "alpha", "GET /ade/v1/locations/org.herdbook.orgid/1/{set}" => 200);
    answer.json()["member"].as_array().unwrap().clone()
}

fn faults(row: &Value) -> Vec<(&str, &str)> {
    let all = row["faults"].as_array().into_iter().flatten();
    all.map(|fault| (fault["code"].as_str().unwrap(), fault["path"].as_str().unwrap_or_default())).collect()
}

#[test_with(World::each)]
async fn documents_of_a_file_are_taken_as_a_batch_is_and_belong_to_the_package(w: &World<'_>) {
    let mut retracted = test_day("t9", COW, "2026-02-09", 20.0);
    retracted["meta"]["isDeleted"] = json!(true);
    let mut torn = test_day("t5", COW, "2026-02-05", 20.0);
    torn.as_object_mut().unwrap().remove("eventDateTime");
    let page = json!({"view": {"totalItems": 7}, "member": [
        test_day("t1", COW, "2026-02-01", 30.5), weight("w1", 612.5), test_day("t2", "960000000099", "2026-02-01", 30.0),
        torn, retracted, {"resourceType": "icarFeedResource", "meta": meta("f1")}, test_day("t1", COW, "2026-02-01", 30.5),
    ]});
    let before = w.stage.content().await;
    let answer = preview(w, "alpha", "a.json", page.to_string().as_bytes(), &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    holds!(answer.json(), {"form": "json", "fault": null, "rows": 7, "created": 2, "unchanged": 1, "skipped": 1, "held": 3,
        "sheets.0.exchange": "test-day-results", "docs.0.values.milkWeight24Hours.value": 30.5, "docs.0.ident": COW});
    assert_eq!(w.stage.content().await, before, "nothing stays of a preview");

    let doc = sent(w, "alpha", "a.json", page.to_string().as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    holds!(doc, {"kind": "productivity", "intake.state": "read", "intake.form": "json", "intake.rows": 7,
        "intake.created": 2, "intake.unchanged": 1, "intake.skipped": 1, "intake.held": 3, "animals": [2],
        "periodFrom": "2026-02-01T00:00:00.000Z", "periodTo": "2026-02-03T00:00:00.000Z"});
    let all = rows(w, "alpha", id, "").await;
    let text: Vec<_> = all
        .iter()
        .map(|row| (row["state"].as_str().unwrap(), row["collection"].as_str().unwrap_or(""), faults(row)))
        .collect();
    assert_eq!(text[0], ("created", "milk-tests", vec![]));
    assert_eq!(text[1], ("created", "weighings", vec![]));
    assert_eq!((text[2].0, text[2].2[0].1), ("held", "/animal"), "{text:?}");
    assert_eq!((text[3].0, text[3].2[0].1), ("held", "/eventDateTime"), "{text:?}");
    assert_eq!(text[4], ("skipped", "milk-tests", vec![("retraction", "/meta/isDeleted")]));
    assert_eq!(text[5].2, [("collection-unknown", "/resourceType")]);
    assert_eq!(text[6].0, "unchanged");
    for slug in ["milk-tests", "weighings"] {
        let list = w.list(slug, "").await;
        assert_eq!(list.len(), 1);
        holds!(list[0], {"submission": id, "verification": "unverified", "ade.source": "farm.example"});
    }
    // What was sent comes back, with the members that no field holds.
    let tests = served(w, "test-day-results").await;
    holds!(tests[0], {"meta.source": "farm.example", "meta.sourceId": "t1", "labBatch": "B-t1", "milkWeight24Hours.value": 30.5});
    holds!(served(w, "weights").await[0], {"weight.resolution": 0.5});

    // An animal that comes later, and a document that is mended.
    made!(w, "admin", "animals", {"identNumber": "960000000099", "sex": "female", "birthDate": "2020-05-05", "owner": 1});
    assert_eq!(reader(w).try_waiting().await.unwrap(), 1);
    holds!(w.doc("data-submissions", id).await, {"intake.created": 3, "intake.held": 2});
    assert_eq!(w.list("milk-tests", "").await.len(), 2);
    let answer = w.get("alpha", &format!("/api/data-submissions/{id}/table?state=held")).await;
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let lines: Vec<Value> = answer.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["_state"], &lines[0]["meta"]["sourceId"]), (&json!("held"), &json!("t5")));
    assert!(lines[0]["_reason"].as_str().unwrap().contains("eventDateTime"), "{}", lines[0]);
    let mended = answer.text.lines().next().unwrap().replacen('{', "{\"eventDateTime\": \"2026-02-05T00:00:00Z\",", 1);
    let second = sent(w, "alpha", "b.ndjson", mended.as_bytes(), &json!({})).await;
    holds!(second, {"intake.rows": 1, "intake.created": 1});
    let tests = served(w, "test-day-results").await;
    let mended = tests.iter().find(|test| test["meta"]["sourceId"] == "t5").unwrap();
    assert!(mended.get("_state").is_none() && mended.get("_reason").is_none(), "{mended}");
    assert_eq!(mended["labBatch"], "B-t5");
}

#[test_with(World::each)]
async fn a_file_of_xml_says_the_same_as_one_of_json(w: &World<'_>) {
    let file = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<batch><icarTestDayResultEventResource>\
         <resourceType>icarTestDayResultEventResource</resourceType>\
         <meta><source>farm.example</source><sourceId>t1</sourceId><modified>2026-03-01T06:00:00Z</modified></meta>\
         <animal><id>{COW}</id><scheme>org.herdbook.animal</scheme></animal>\
         <eventDateTime>2026-02-01T00:00:00Z</eventDateTime>\
         <milkWeight24Hours><unitCode>KGM</unitCode><value>30.5</value></milkWeight24Hours>\
         <labBatch>B-t1</labBatch></icarTestDayResultEventResource>\
         <icarWeightEventResource attribute=\"lost\"/></batch>"
    );
    let doc = sent(w, "alpha", "a.xml", file.as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    holds!(doc, {"intake.state": "read", "intake.form": "xml", "intake.rows": 2, "intake.created": 1, "intake.held": 1});
    assert_eq!(faults(&rows(w, "alpha", id, "where[state][equals]=held").await[0]), [("attribute", "")]);
    let xml = served(w, "test-day-results").await;
    holds!(xml[0], {"labBatch": "B-t1", "milkWeight24Hours.value": 30.5});
    // The same as JSON is the same document.
    let json = test_day("t1", COW, "2026-02-01", 30.5).to_string();
    let second = sent(w, "alpha", "a.json", json.as_bytes(), &json!({})).await;
    holds!(second, {"intake.unchanged": 1, "intake.created": 0});
}

#[test_with(World::each)]
async fn documents_reach_no_animals_of_others_and_are_signed_like_other_rows(w: &World<'_>) {
    let foreign =
        made!(w, "beta", "animals", {"identNumber": "643999000000001", "sex": "female", "birthDate": "2020-05-05"});
    let file = json!([
        test_day("t1", "643999000000001", "2026-02-01", 30.5),
        test_day("t2", COW, "2026-02-01", 30.5),
        test_day("t3", "643999000000002", "2026-02-01", 30.5)
    ]);
    let id = send(w, "alpha", "a.json", file.to_string().as_bytes(), &json!({})).await;
    read_all(w).await;
    let all = rows(w, "alpha", id, "").await;
    // The same words for an animal of another farm and for one that nobody has.
    assert_eq!(all[0]["faults"][0]["code"], all[2]["faults"][0]["code"]);
    let said = |row: &Value| row["faults"][0]["message"].as_str().unwrap().replace(row["ident"].as_str().unwrap(), "N");
    assert_eq!(said(&all[0]), said(&all[2]));
    assert!(w.list("milk-tests", &format!("where[animal][equals]={foreign}")).await.is_empty());
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    for finding in w.list("check-findings", "where[severity][equals]=fix").await {
        let reason = json!({"state": "dismissed", "dismissed": {"reason": "of the test's book"}});
        w.changed("expert", "check-findings", finding["id"].as_i64().unwrap(), reason).await;
    }
    changed!(w, "expert", "data-submissions", id, {"status": "checked"});
    changed!(w, "alpha", "data-submissions", id, {"consent": {"agreed": true}});
    let test = &w.list("milk-tests", "").await[0];
    holds!(test, {"verification": "verified", "submission": id});
}

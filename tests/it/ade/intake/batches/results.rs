//! Batches: results in request order, each element for itself.

use crate::ade::stage::{BATCH, FARM, Stage, codes, gone, keys, severities, weight};

#[test_each(Stage::each())]
async fn each_element_stands_for_itself_in_order(s: Stage) {
    s.weigh(&[1]).await;
    let good = weight(2, 11).to_string();
    let mut untyped = weight(3, 12);
    untyped.as_object_mut().unwrap().remove("resourceType");
    let gone = gone(&weight(1, 11));
    let twice = r#"{"meta":{"source":"s","sourceId":"d"},"a":1,"a":2}"#;
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(70), "]".repeat(70));
    let elements = [
        good.clone(),
        "17".into(),
        "null".into(),
        twice.into(),
        weight(4, 21).to_string(),
        untyped.to_string(),
        deep,
        gone.to_string(),
        good,
        "[]".into(),
        "{}".into(),
    ];
    let body = format!("[{}]", elements.join(","));
    let (status, _, results) = s.f.raw("POST", BATCH, &s.farm, body).await;
    assert_eq!(status, 200, "{results}");
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), elements.len());
    let severity_of: Vec<&str> = (results.iter())
        .map(|r| {
            let severities = severities(r);
            if severities.contains(&"Error") {
                assert!(r["id"].is_null(), "{r}");
                "refused"
            } else {
                r["messages"][0]["type"].as_str().unwrap()
            }
        })
        .collect();
    assert_eq!(
        severity_of,
        [
            "created",
            "refused",
            "refused",
            "refused",
            "refused",
            "created",
            "refused",
            "deleted",
            "unchanged",
            "refused",
            "refused"
        ],
        "{results:?}"
    );
    assert_eq!(severities(&results[5]), ["Information", "Warning"]);
    assert_eq!(results[0]["meta"], weight(2, 11)["meta"]);
    holds!(results[3], {"meta": {"source": "s", "sourceId": "d"}, "messages.0.instance": "/a"});
    holds!(results[4], {"messages.0.status": 422, "messages.0.type": "animal-not-found"});
    assert_eq!(results[0]["id"], results[8]["id"]);
    for result in results {
        let mut valid = result.clone();
        // Of refused elements the meta is echoed as it came.
        if severities(result).contains(&"Error") {
            valid.as_object_mut().unwrap().remove("meta");
        }
        assert_eq!(ade::validate("icarBatchResult", &valid), [], "{result}");
    }
    let (_, page) = s.get(&format!("{FARM}/weights")).await;
    assert_eq!(keys(&page), ["w2", "w3"]);
}

#[tokio::test]
async fn only_the_whole_is_refused_with_another_status() {
    let s = Stage::plain_with(&[("exchange.batch", "2")]).await;
    for (body, status, code) in [
        ("{}", 400, "body-shape"),
        ("[]", 400, "body-shape"),
        (" [ ] ", 400, "body-shape"),
        ("[1,2", 400, "body-not-json"),
        ("[1,]", 400, "body-not-json"),
        ("[1,2,3]", 413, "body-too-large"),
    ] {
        let (found, _, answer) = s.f.raw("POST", BATCH, &s.farm, body).await;
        assert_eq!((found, codes(&answer)), (status, vec![code]), "{body}");
    }
    let (status, _, _) = s.f.raw("POST", BATCH, &s.farm, "[1,2]").await;
    assert_eq!(status, 200);
    let (status, _, _) = s.f.raw("POST", BATCH, &s.other, "[1,2]").await;
    assert_eq!(status, 404);
}

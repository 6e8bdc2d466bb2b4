//! Events whose documents and rows do not stand one to one: diagnoses of several rows,
//! pregnancy checks of two collections, data sets that share a collection.

use super::stage::{FARM, OTHER, Stage, codes, keys, weight};
use serde_json::{Value, json};

pub(super) async fn types(s: &Stage) {
    for (id, code, kind) in [
        (1, "MAST", "diagnosis"),
        (2, "ANTI", "treatment"),
        (3, "SEEN", "status"),
        (4, "LAME", "diagnosis"),
    ] {
        let row =
            json!({"name": format!("Type {code}"), "code": code, "kind": kind, "sortOrder": id});
        s.f.fill("health-event-types", id, row).await;
    }
}

/// An event of cow 11 under a key of its sender.
pub(super) fn event(key: &str, resource: &str, day: &str, own: Value) -> Value {
    let mut doc = weight(1, 11);
    doc.as_object_mut().unwrap().remove("weight");
    doc["resourceType"] = resource.into();
    doc["meta"]["sourceId"] = key.into();
    doc["eventDateTime"] = format!("{day}T08:00:00Z").into();
    for (member, value) in own.as_object().unwrap() {
        doc[member.as_str()] = value.clone();
    }
    doc
}

pub(super) fn diagnoses(names: &[&str]) -> Value {
    let all: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    let own = json!({"diagnoses": all, "responsible": "Dr Orlova"});
    event("v1", "icarDiagnosisEventResource", "2026-01-10", own)
}

pub(super) async fn send(s: &Stage, set: &str, doc: &Value) -> (u16, Value) {
    let path = format!("{FARM}/{set}");
    let (status, _, body) = s.f.post(&path, &s.farm, doc.clone()).await;
    (status, body)
}

/// Changes a row by REST.
async fn patched(s: &Stage, path: &str, body: &Value) -> (u16, Value) {
    let request = axum::http::Request::builder()
        .method("PATCH")
        .uri(path)
        .header("authorization", format!("JWT {}", s.farm))
        .header("content-type", "application/json");
    let body = axum::body::Body::from(body.to_string());
    let (status, _, answer) = s.f.ask(request.body(body).unwrap()).await;
    (status, answer)
}

pub(super) async fn list(s: &Stage, set: &str) -> Vec<Value> {
    let (status, page) = s.get(&format!("{FARM}/{set}")).await;
    assert_eq!(status, 200, "{page}");
    let members = page["member"].as_array().unwrap().clone();
    assert_eq!(page["view"]["totalItems"], members.len(), "{page}");
    members
}

/// Resources of the feed of a set, tombstones included.
async fn feed(s: &Stage, set: &str) -> Vec<Value> {
    let (_, all) = s.get(&format!("/ade/v1/datasets/{set}/changes")).await;
    let all = all.as_array().unwrap();
    all[1..all.len() - 1].to_vec()
}

/// Rows of cow 11, by id.
pub(super) async fn rows(s: &Stage, collection: &str) -> Vec<Value> {
    let path = format!("/api/{collection}?where[animal][equals]=11&sort=id&limit=200&depth=0");
    let (status, page) = s.get(&path).await;
    assert_eq!(status, 200, "{page}");
    page["docs"].as_array().unwrap().clone()
}

pub(super) fn names(doc: &Value) -> Vec<&str> {
    let all = doc["diagnoses"].as_array().expect("diagnoses");
    all.iter().map(|d| d["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_document_of_several_rows_is_one_document_everywhere() {
    for s in Stage::each().await {
        types(&s).await;
        let sent = diagnoses(&["Cough", "Type LAME", "Fever"]);
        let (status, first) = send(&s, "diagnoses", &sent).await;
        assert_eq!(status, 201, "{first}");
        assert_eq!(ade::validate("icarDiagnosisEventResource", &first), []);
        assert_eq!(names(&first), ["Cough", "Type LAME", "Fever"]);
        assert_eq!(first["responsible"], "Dr Orlova");
        assert_eq!(list(&s, "diagnoses").await, std::slice::from_ref(&first));
        assert_eq!(feed(&s, "diagnoses").await, std::slice::from_ref(&first));
        let stored = rows(&s, "health-events").await;
        let kinds: Vec<&Value> = stored.iter().map(|r| &r["type"]).collect();
        assert_eq!(
            kinds,
            [1, 4, 1],
            "named types are found, others are the first"
        );
        s.f.pass(5);

        assert_eq!(send(&s, "diagnoses", &sent).await, (200, first.clone()));
        let ids = |rows: &[Value]| -> Vec<i64> {
            rows.iter().map(|r| r["id"].as_i64().unwrap()).collect()
        };
        let before = ids(&stored);
        for (sent, kept) in [
            (vec!["Cough", "Lameness"], 2),
            (vec!["A", "Lameness", "C", "D"], 2),
            (vec!["A"], 1),
        ] {
            let (status, body) = send(&s, "diagnoses", &diagnoses(&sent)).await;
            assert_eq!((status, names(&body)), (200, sent.clone()));
            assert_eq!(list(&s, "diagnoses").await, std::slice::from_ref(&body));
            assert_eq!(feed(&s, "diagnoses").await, [body]);
            let now = ids(&rows(&s, "health-events").await);
            assert_eq!(now.len(), sent.len());
            assert_eq!(now[..kept], before[..kept], "rows stay what they are");
        }
        let gone = json!({"resourceType": "icarDiagnosisEventResource", "meta": {
            "source": "scale.example", "sourceId": "v1", "isDeleted": true,
            "modified": "2026-02-02T00:00:00Z"}});
        let (status, body) = send(&s, "diagnoses", &gone).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(rows(&s, "health-events").await.len(), 0);
        assert_eq!(list(&s, "diagnoses").await.len(), 0);
        let told = feed(&s, "diagnoses").await;
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["meta"]["isDeleted"], true);
    }
}

#[tokio::test]
async fn rows_written_elsewhere_change_their_document() {
    for s in Stage::each().await {
        types(&s).await;
        let (_, first) = send(&s, "diagnoses", &diagnoses(&["A", "B", "C"])).await;
        let ids: Vec<i64> = (rows(&s, "health-events").await.iter())
            .map(|r| r["id"].as_i64().unwrap())
            .collect();
        let row = |at: usize| format!("/api/health-events/{}", ids[at]);
        let patch = json!({"title": "Bee"});
        let (status, body) = patched(&s, &row(1), &patch).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(names(&list(&s, "diagnoses").await[0]), ["A", "Bee", "C"]);
        // The first row goes, the document stays.
        let (status, _, body) = s.f.request("DELETE", &row(0), &s.farm, Value::Null).await;
        assert_eq!(status, 200, "{body}");
        let left = list(&s, "diagnoses").await;
        assert_eq!((left.len(), names(&left[0])), (1, vec!["Bee", "C"]));
        assert_eq!(left[0]["meta"]["sourceId"], first["meta"]["sourceId"]);
        assert_eq!(feed(&s, "diagnoses").await, left);
        let (_, _, buried) = s.f.get("/api/ade-tombstones", &s.farm).await;
        assert_eq!(buried["totalDocs"], 0, "{buried}");
        // A row that is none of its kind any more has a document of its own.
        let patch = json!({"type": 2});
        let (status, body) = patched(&s, &row(2), &patch).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(names(&list(&s, "diagnoses").await[0]), ["Bee"]);
        let treated = list(&s, "treatments").await;
        let own = format!("treatments:{}", ids[2]);
        assert_eq!(keys(&Value::from(treated)), [own]);
        // The name of a type is shown by the documents of its rows.
        let patch = json!({"title": null});
        patched(&s, &row(1), &patch).await;
        s.f.update("health-event-types", 1, json!({"name": "Inflammation"}))
            .await;
        assert_eq!(names(&list(&s, "diagnoses").await[0]), ["Inflammation"]);
    }
}

#[tokio::test]
async fn our_own_pair_names_the_whole_document() {
    for s in Stage::each().await {
        types(&s).await;
        let row = json!({"animal": 11, "type": 1, "date": "2026-01-10", "title": "Cough"});
        s.f.fill("health-events", 7, row).await;
        let own = |names: &[&str]| {
            let mut doc = diagnoses(names);
            doc["meta"]["source"] = "org.herdbook".into();
            doc["meta"]["sourceId"] = "diagnoses:7".into();
            doc
        };
        for sent in [
            vec!["Cough", "Fever"],
            vec!["X", "Fever", "Pain"],
            vec!["X"],
        ] {
            let (status, body) = send(&s, "diagnoses", &own(&sent)).await;
            assert_eq!((status, names(&body)), (200, sent.clone()), "{body}");
            assert_eq!(body["meta"]["sourceId"], "diagnoses:7");
            assert_eq!(list(&s, "diagnoses").await, [body]);
            assert_eq!(rows(&s, "health-events").await.len(), sent.len());
        }
        let mut strange = own(&["A"]);
        strange["meta"]["sourceId"] = "diagnoses:8".into();
        let (status, body) = send(&s, "diagnoses", &strange).await;
        assert_eq!((status, codes(&body)), (422, vec!["resource-not-found"]));
    }
}

#[tokio::test]
async fn a_refused_document_changes_none_of_its_rows() {
    for s in Stage::each().await {
        types(&s).await;
        let (_, first) = send(&s, "diagnoses", &diagnoses(&["A", "B"])).await;
        let mut future = diagnoses(&["C", "D", "E"]);
        future["eventDateTime"] = "2027-01-01T00:00:00Z".into();
        let (status, body) = send(&s, "diagnoses", &future).await;
        assert_eq!(status, 400, "{body}");
        assert_eq!(body["errors"][0]["instance"], "/eventDateTime", "{body}");
        assert_eq!(
            body["errors"].as_array().unwrap().len(),
            1,
            "told once: {body}"
        );
        let mut bad = diagnoses(&["C", "D"]);
        bad["diagnoses"][1]["severity"] = "Mild".into();
        let (status, body) = send(&s, "diagnoses", &bad).await;
        assert_eq!(status, 400, "{body}");
        assert_eq!(body["errors"][0]["instance"], "/diagnoses/1/severity");
        let (status, body) = send(&s, "diagnoses", &diagnoses(&[])).await;
        assert_eq!(status, 400, "{body}");
        assert_eq!(body["errors"][0]["instance"], "/diagnoses");
        // A verified row is deleted by the Association only: the document stays whole.
        let id = rows(&s, "health-events").await[1]["id"].as_i64().unwrap();
        let verified = json!({"verification": "pending"});
        s.f.update("health-events", id, verified).await;
        s.f.update("health-events", id, json!({"verification": "verified"}))
            .await;
        let (status, body) = send(&s, "diagnoses", &diagnoses(&["Z"])).await;
        assert_eq!(status, 403, "{body}");
        assert_eq!(list(&s, "diagnoses").await, [first]);
        // In a batch the others stand.
        let mut other = diagnoses(&["Y"]);
        other["meta"]["sourceId"] = "v2".into();
        let batch = Value::from(vec![diagnoses(&["Z"]), other]);
        let path = "/ade/v1/batches/locations/org.herdbook.orgid/1/diagnoses";
        let (status, _, body) = s.f.post(path, &s.farm, batch).await;
        assert_eq!(status, 200, "{body}");
        let all = list(&s, "diagnoses").await;
        assert_eq!(
            all.iter().map(names).collect::<Vec<_>>(),
            [vec!["A", "B"], vec!["Y"]]
        );
    }
}

#[tokio::test]
async fn parallel_writers_do_not_double_rows() {
    for s in Stage::each().await {
        types(&s).await;
        let all: Vec<Value> = (1..=8)
            .map(|n| {
                let names: Vec<String> = (0..n % 4 + 1).map(|i| format!("{n}/{i}")).collect();
                diagnoses(&names.iter().map(String::as_str).collect::<Vec<_>>())
            })
            .collect();
        let sent = all.iter().map(|doc| send(&s, "diagnoses", doc));
        for (status, body) in futures_util::future::join_all(sent).await {
            assert!(status == 200 || status == 201, "{status} {body}");
        }
        let one = list(&s, "diagnoses").await;
        assert_eq!(one.len(), 1);
        assert!(
            all.iter().any(|doc| names(doc) == names(&one[0])),
            "no mixture of documents: {one:?}"
        );
        assert_eq!(rows(&s, "health-events").await.len(), names(&one[0]).len());
    }
}

#[tokio::test]
async fn a_document_of_several_rows_moves_with_its_animal() {
    for s in Stage::each().await {
        types(&s).await;
        send(&s, "diagnoses", &diagnoses(&["A", "B"])).await;
        let sale = json!({"animal": 11, "from": 1, "to": 2, "kind": "sale", "date": "2026-02-20"});
        let (status, _, body) = s.f.post("/api/movements", &s.farm, sale).await;
        assert_eq!(status, 201, "{body}");
        assert_eq!(list(&s, "diagnoses").await.len(), 0);
        let told = feed(&s, "diagnoses").await;
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["meta"]["isDeleted"], true);
        let (_, _, page) = s.f.get(&format!("{OTHER}/diagnoses"), &s.other).await;
        assert_eq!(page["view"]["totalItems"], 1, "{page}");
        assert_eq!(names(&page["member"][0]), ["A", "B"]);
        let own = page["member"][0]["meta"].clone();
        assert_eq!(own["source"], "org.herdbook");
        // There the new owner names it by our pair; rows stay with who owned the animal.
        let path = format!("{OTHER}/diagnoses");
        for (sent, status) in [(vec!["A", "B", "C"], 400), (vec!["A", "Bee"], 200)] {
            let mut doc = diagnoses(&sent);
            doc["meta"] = own.clone();
            let (got, _, body) = s.f.post(&path, &s.other, doc).await;
            assert_eq!(got, status, "{body}");
            if status == 400 {
                assert_eq!(body["errors"][0]["instance"], "/diagnoses");
            } else {
                assert_eq!(names(&body), sent);
                assert_eq!(body["meta"]["sourceId"], own["sourceId"]);
            }
        }
        let (_, _, page) = s.f.get(&path, &s.other).await;
        assert_eq!(page["view"]["totalItems"], 1, "{page}");
    }
}

#[tokio::test]
async fn each_pregnancy_check_is_an_event_and_the_latest_is_the_result_of_its_service() {
    for s in Stage::each().await {
        for word in [("pregnant", 1), ("empty", 2)] {
            let entry = json!({"name": word.0, "code": word.0, "adeResult": word.0});
            s.f.fill("insemination-results", word.1, entry).await;
        }
        let service = json!({"animal": 11, "date": "2025-11-01"});
        s.f.fill("inseminations", 5, service).await;
        let check = |key: &str, day: &str, result: &str| {
            let own = json!({"result": result, "method": "Blood", "foetusCount": 1});
            event(key, "icarReproPregnancyCheckEventResource", day, own)
        };
        let service = async || {
            let row = rows(&s, "inseminations").await.remove(0);
            let day = row["pregnancyCheckDate"]
                .as_str()
                .map(|at| at[..10].to_owned());
            let expected = row["expectedCalving"].is_string();
            json!([
                row["result"],
                day,
                row["pregnancyCheckMethod"],
                row["foetusCount"],
                expected
            ])
        };
        // Before the service, after it, and once more: all stay.
        let mut ids = Vec::new();
        for (key, day, result) in [
            ("p0", "2025-10-01", "Empty"),
            ("p1", "2025-12-01", "Pregnant"),
            ("p2", "2026-01-01", "Empty"),
        ] {
            let sent = check(key, day, result);
            let (status, stored) = send(&s, "pregnancy-checks", &sent).await;
            assert_eq!(status, 201, "{stored}");
            let valid = ade::validate("icarReproPregnancyCheckEventResource", &stored);
            assert_eq!(valid, [], "{stored}");
            for name in ["result", "method", "foetusCount", "eventDateTime"] {
                assert_eq!(stored[name], sent[name], "{stored}");
            }
            let id = stored["id"].as_str().unwrap().to_owned();
            assert!(id.starts_with('e') && id.ends_with("-pc"), "{id}");
            let at = format!("{FARM}/pregnancy-checks/{id}");
            assert_eq!(s.get(&at).await, (200, stored));
            ids.push(id);
        }
        let all = Value::from(list(&s, "pregnancy-checks").await);
        assert_eq!(keys(&all), ["p0", "p1", "p2"]);
        let empty = json!([2, "2026-01-01", "blood", 1, false]);
        assert_eq!(service().await, empty);
        // An earlier one that is corrected does not change the result; the latest does.
        let earlier = check("p1", "2025-12-01", "Empty");
        let (status, body) = send(&s, "pregnancy-checks", &earlier).await;
        assert_eq!(
            (status, &body["id"]),
            (200, &ids[1].as_str().into()),
            "{body}"
        );
        assert_eq!(service().await, empty);
        let latest = check("p2", "2026-01-02", "Pregnant");
        assert_eq!(send(&s, "pregnancy-checks", &latest).await.0, 200);
        assert_eq!(service().await, json!([1, "2026-01-02", "blood", 1, true]));
        // Without it the one before counts, and without any the service has none.
        for (key, day, left) in [
            (
                "p2",
                "2026-01-02",
                json!([2, "2025-12-01", "blood", 1, false]),
            ),
            ("p1", "2025-12-01", json!([null, null, null, null, true])),
        ] {
            let mut gone = check(key, day, "Empty");
            gone["meta"]["isDeleted"] = true.into();
            let (status, body) = send(&s, "pregnancy-checks", &gone).await;
            assert_eq!(status, 200, "{body}");
            assert_eq!(service().await, left, "{key}");
        }
        // What is entered with the service itself stays, unless a later check comes.
        let own = json!({"result": 1, "pregnancyCheckDate": "2025-12-15"});
        let (status, body) = patched(&s, "/api/inseminations/5", &own).await;
        assert_eq!(status, 200, "{body}");
        let (status, _) = send(&s, "pregnancy-checks", &check("p3", "2025-12-10", "Empty")).await;
        assert_eq!(status, 201);
        assert_eq!(service().await[1], "2025-12-15");
        let all = Value::from(list(&s, "pregnancy-checks").await);
        assert_eq!(keys(&all), ["p0", "pregnancy-checks:5", "p3"]);
    }
}

#[tokio::test]
async fn each_kind_of_departure_comes_back_and_means_a_state() {
    for s in Stage::each().await {
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
            let mut sent = event(
                kind,
                "icarMovementDepartureEventResource",
                "2026-02-01",
                own,
            );
            let (status, stored) = send(&s, "departures", &sent).await;
            assert_eq!(
                (status, &stored["departureKind"]),
                (201, &kind.into()),
                "{stored}"
            );
            // No person is named whom the sender did not name.
            assert_eq!(stored.get("consignment"), None, "{stored}");
            let animal = async || s.f.get("/api/animals/11", &s.expert).await.2["state"].clone();
            assert_eq!(animal().await, state, "{kind}");
            sent["meta"]["isDeleted"] = true.into();
            assert_eq!(send(&s, "departures", &sent).await.0, 200);
            assert_eq!(animal().await, "alive", "{kind}");
        }
    }
}

#[tokio::test]
async fn one_milking_told_by_two_sources_is_two_resources_and_counts_once() {
    for s in Stage::each().await {
        let visit = |source: &str, milk: f64| {
            let own = json!({"milkingStartingDateTime": "2026-01-10T05:00:00Z",
                "milkingMilkWeight": {"value": milk, "unitCode": "KGM"}});
            let mut visit = event(source, "icarMilkingVisitEventResource", "2026-01-10", own);
            visit["eventDateTime"] = "2026-01-10T05:00:00Z".into();
            visit["meta"]["source"] = source.into();
            visit
        };
        for (source, milk) in [("robot.example", 12.0), ("dairy.example", 12.5)] {
            let (status, body) = send(&s, "milking-visits", &visit(source, milk)).await;
            assert_eq!(status, 201, "{body}");
        }
        assert_eq!(list(&s, "milking-visits").await.len(), 2);
        let days = rows(&s, "daily-milkings").await;
        assert_eq!(days.len(), 1);
        assert_eq!(
            (&days[0]["milkYield"], &days[0]["milkings"]),
            (&json!(12), &json!(1))
        );
    }
}

#[tokio::test]
async fn data_sets_of_one_collection_have_keys_of_their_own() {
    for s in Stage::each().await {
        types(&s).await;
        for (set, resource, day, own) in [
            (
                "parturitions",
                "icarReproParturitionEventResource",
                "2025-01-05",
                json!({"damParity": 1}),
            ),
            (
                "drying-offs",
                "icarMilkingDryOffEventResource",
                "2025-11-05",
                json!({}),
            ),
            (
                "abortions",
                "icarReproAbortionEventResource",
                "2025-12-05",
                json!({}),
            ),
            (
                "treatments",
                "icarTreatmentEventResource",
                "2025-06-05",
                json!({"procedure": "Drench"}),
            ),
            (
                "health-status",
                "icarHealthStatusObservedEventResource",
                "2025-06-06",
                json!({"observedStatus": "Ill"}),
            ),
            (
                "heats",
                "icarReproHeatEventResource",
                "2025-03-05",
                json!({"certainty": "InHeat"}),
            ),
        ] {
            let doc = event("17", resource, day, own);
            let (status, body) = send(&s, set, &doc).await;
            assert_eq!(status, 201, "{set}: {body}");
            assert_eq!(keys(&Value::from(list(&s, set).await)), ["17"], "{set}");
        }
        let numbers: Vec<Value> = (rows(&s, "calvings").await.iter())
            .map(|r| json!([r["eventType"], r["number"]]))
            .collect();
        assert_eq!(
            numbers,
            [
                json!(["calving", 1]),
                json!(["dryOff", 1]),
                json!(["abortion", 1])
            ]
        );
        let (_, cow) = s.get("/api/animals/11?depth=0").await;
        assert_eq!(cow["current"]["healthStatus"], "ill");
    }
}

#[tokio::test]
async fn what_a_sender_says_beyond_our_fields_of_an_event_comes_back() {
    for s in Stage::each().await {
        types(&s).await;
        let heat = json!({"heatDetectionMethod": "EarTag", "deviceHeatProbability": 88.5,
            "commencementDateTime": "2026-01-10T05:30:00Z", "certainty": "Suspect",
            "optimumInseminationWindow": [{"startDateTime": "2026-01-10T12:00:00Z"}], "x-own": 1});
        let doc = event(
            "h1",
            "icarReproHeatEventResource",
            "2026-01-10",
            heat.clone(),
        );
        let (status, body) = send(&s, "heats", &doc).await;
        assert_eq!(status, 201, "{body}");
        for (name, value) in heat.as_object().unwrap() {
            assert_eq!(&body[name], value, "{name}");
        }
        let row = &rows(&s, "events").await[0];
        assert_eq!(
            (&row["result"], &row["value"]),
            (&"earTag".into(), &88.5.into())
        );
        assert_eq!(row["payload"]["certainty"], "Suspect");
        assert!(row["payload"].get("x-own").is_none(), "{row}");
        // What people write there stays, and what the standard does not take is not served.
        let at = format!("/api/events/{}", row["id"]);
        let patch = json!({"payload": {"certainty": 5, "stall": "7"}});
        let (status, told) = patched(&s, &at, &patch).await;
        assert_eq!(status, 200, "{told}");
        let served = &list(&s, "heats").await[0];
        assert_eq!(ade::validate("icarReproHeatEventResource", served), []);
        assert!(served.get("certainty").is_none() && served.get("stall").is_none());
        // Its sender repeats the value: the correction stays, and the answer names it.
        let (_, body) = send(&s, "heats", &doc).await;
        assert!(body.get("certainty").is_none(), "{body}");
        let corrected = json!([
            "/commencementDateTime",
            "/certainty",
            "/optimumInseminationWindow"
        ]);
        assert_eq!(body["meta"]["corrected"], corrected);
        let mut sure = doc.clone();
        sure["certainty"] = "InHeat".into();
        let (_, body) = send(&s, "heats", &sure).await;
        assert_eq!(body["certainty"], "InHeat");
        let corrected = json!(["/commencementDateTime", "/optimumInseminationWindow"]);
        assert_eq!(body["meta"]["corrected"], corrected);
        assert_eq!(rows(&s, "events").await[0]["payload"]["stall"], "7");

        let medicine = json!({"medicine": {"identifier": {"id": "P-9", "scheme": "vet.shop"},
            "registeredIdentifier": {"id": "R-1", "scheme": "vet.register"}, "name": "Cefalexin",
            "family": "Veterinary Supplies"},
            "batches": [{"identifier": "B1"}, {"identifier": "B2", "expiryDate": "2027-01-01T00:00:00Z"}],
            "positions": [{"position": "UdderRearLeft"}],
            "withdrawals": [{"productType": "Milk", "endDate": "2026-01-20T00:00:00Z", "market": "EU"}],
            "dose": {"doseQuantity": 5, "doseUnits": "MLT"}});
        let doc = event(
            "t1",
            "icarTreatmentEventResource",
            "2026-01-11",
            medicine.clone(),
        );
        let (status, body) = send(&s, "treatments", &doc).await;
        assert_eq!(status, 201, "{body}");
        for (name, value) in medicine.as_object().unwrap() {
            let mut served = body[name].clone();
            if let Some(end) = served.pointer_mut("/0/endDate") {
                *end = "2026-01-20T00:00:00Z".into();
            }
            assert_eq!(&served, value, "{name}");
        }
        let row = rows(&s, "health-events").await.remove(0);
        assert_eq!(row["medicine"]["registeredId"], "R-1");
        assert_eq!(row["medicine"]["batch"], "B1");
        assert_eq!(row["positions"], json!(["udderRearLeft"]));
    }
}

#[tokio::test]
async fn animals_leave_by_sale_export_lease_slaughter_and_death() {
    for s in Stage::each().await {
        let reason = json!({"name": "Low yield", "code": "1", "adeReason": "Production",
            "adeDeathReason": "Production"});
        s.f.fill("disposal-reasons", 1, reason).await;
        let place = json!({"id": "2", "scheme": "org.herdbook.orgid"});
        let leave = |key: &str, cow: i64, kind: &str| {
            let mut doc = event(
                key,
                "icarMovementDepartureEventResource",
                "2026-02-01",
                json!({
                "departureKind": kind, "consignment": {"destinationLocation": place}}),
            );
            doc["animal"] = weight(1, cow)["animal"].clone();
            doc
        };
        let mut culled = leave("d1", 11, "Slaughter");
        culled["extendedReasons"] = json!([{"id": "1", "scheme": "org.herdbook.leaving"}]);
        let (status, body) = send(&s, "departures", &culled).await;
        assert_eq!(status, 201, "{body}");
        // What the book supposes is not said under the sender's name.
        assert_eq!(body.get("departureReason"), None);
        assert_eq!(
            body["consignment"]["destinationLocation"], place,
            "comes back"
        );
        let (status, body) = send(&s, "departures", &leave("d2", 12, "Export")).await;
        assert_eq!(
            (status, &body["departureKind"]),
            (201, &"Export".into()),
            "{body}"
        );
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
        for name in [
            "deathReason",
            "deathMethod",
            "disposalMethod",
            "explanation",
            "disposalOperator",
        ] {
            assert_eq!(body[name], dead[name], "{name}");
        }
        assert_eq!(body.get("extendedReasons"), None);
        let states: Vec<Value> = {
            let (_, page) = s.get("/api/movements?sort=id&depth=0").await;
            let docs = page["docs"].as_array().unwrap().clone();
            docs.iter().map(|m| json!([m["kind"], m["to"]])).collect()
        };
        assert_eq!(
            states,
            [
                json!(["cull", null]),
                json!(["sale", 2]),
                json!(["death", null])
            ]
        );
    }
}

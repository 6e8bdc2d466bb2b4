//! The conformance cases that write (docs/dialect.md, *Conformance cases*, *Bodies*), with the real collections.

use super::world::{FORBIDDEN, NOT_FOUND, World, paths};
use serde_json::{Value, json};

/// A good heifer of Alpha.
fn heifer() -> Value {
    json!({"identNumber": "960000001000", "sex": "female", "birthDate": "2025-01-10", "owner": 1})
}

fn with(mut body: Value, path: &str, value: Value) -> Value {
    body[path] = value;
    body
}

#[tokio::test]
async fn documents_that_are_not_there_and_paths_that_are_none() {
    World::each(async |w| {
        for (who, method, path) in [
            ("admin", "GET", "/api/animals/9999"),
            ("beta", "GET", "/api/animals/2"),
            ("", "GET", "/api/animals/2"),
            ("admin", "GET", "/api/animals/abc"),
            ("admin", "PATCH", "/api/animals/abc"),
            ("admin", "DELETE", "/api/animals/99999999999999999999"),
        ] {
            let answer = w.refused(who, method, path, "{}").await;
            assert_eq!(answer.told(), NOT_FOUND, "{who} {method} {path}");
        }
        for (method, path) in [
            ("POST", "/api/nope"),
            ("PATCH", "/api/nope/1"),
            ("PUT", "/api/animals/2"),
            ("PATCH", "/api/animals/2/nope"),
        ] {
            let answer = w.refused("admin", method, path, "{}").await;
            let told = format!("{{\"message\":\"Route not found \\\"{path}\\\"\"}}");
            assert_eq!(answer.told(), (404, told.as_str()));
        }
    })
    .await;
}

#[tokio::test]
async fn strangers_and_closed_collections_are_403() {
    World::each(async |w| {
        for slug in [
            "animals",
            "herds",
            "organizations",
            "breeds",
            "users",
            "movements",
        ] {
            refused!(w, "", "POST /api/{slug}", {} => FORBIDDEN);
        }
        for slug in ["animal-removals", "ade-tombstones"] {
            for who in ["", "alpha", "admin"] {
                for (method, path) in [
                    ("POST", format!("/api/{slug}")),
                    ("PATCH", format!("/api/{slug}/1")),
                    ("DELETE", format!("/api/{slug}/1")),
                ] {
                    let answer = w.refused(who, method, &path, "{}").await;
                    assert_eq!(answer.told(), FORBIDDEN, "{who} {method} {path}");
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_create_answers_201_and_a_bad_one_every_fault() {
    World::each(async |w| {
        let answer = ask!(w, "alpha", "POST /api/animals?depth=0", heifer() => 201);
        let body = answer.json();
        let members: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
        assert_eq!(members, ["doc", "findings", "message"]);
        holds!(body, {"message": "Animal successfully created.", "doc.birthDate": "2025-01-10T00:00:00.000Z"});

        refused!(w, "admin", "POST /api/animals",
            {} => (400, r#"{"errors":[{"name":"ValidationError","data":{"collection":"animals","errors":[{"label":"Ident Number","message":"This field is required.","path":"identNumber"},{"label":"Sex","message":"This field is required.","path":"sex"},{"label":"Owner","message":"This field is required.","path":"owner"}]},"message":"The following fields are invalid: Ident Number, Sex, Owner"}]}"#));
        refused!(w, "alpha", "POST /api/animals",
            heifer() => (400, r#"{"errors":[{"name":"ValidationError","data":{"collection":"animals","errors":[{"message":"Value must be unique","path":"identNumber"}]},"message":"The following field is invalid: identNumber"}]}"#));
        let blank = w.refused("admin", "POST", "/api/herds", r#"{"name":"","organization":1}"#).await;
        assert_eq!(paths(&blank), ["name"], "an empty text is no name");
    })
    .await;
}

#[tokio::test]
async fn faults_name_path_and_label_and_on_update_the_row() {
    World::each(async |w| {
        let body = json!({
            "identNumber": "?", "sex": "zombie", "owner": 1, "bloodPercent": 101, "name": 5,
            "altIds": {"earTag": "x".repeat(21)}, "haplotypes": [{"status": "free"}],
        });
        let answer = w.refused("alpha", "POST", "/api/animals", &body.to_string()).await;
        let found = answer.json()["errors"][0]["data"]["errors"].clone();
        let mut told: Vec<(String, String)> = (found.as_array().unwrap().iter())
            .map(|e| (e["path"].as_str().unwrap().into(), e["label"].as_str().unwrap().into()))
            .collect();
        told.sort();
        let expected = [
            ("altIds.earTag", "Alt Ids > Ear Tag"),
            ("bloodPercent", "Blood Percent"),
            ("haplotypes.0.type", "Haplotypes 1 > Type"),
            ("identNumber", "Ident Number"),
            ("name", "Name"),
            ("sex", "Sex"),
        ];
        assert_eq!(told, expected.map(|(p, l)| (p.to_owned(), l.to_owned())));

        refused!(w, "alpha", "PATCH /api/animals/2",
            {"bloodPercent": -1} => (400, r#"{"errors":[{"name":"ValidationError","data":{"id":2,"collection":"animals","errors":[{"label":"Blood Percent","message":"-1 is less than the min allowed value of 0","path":"bloodPercent"}]},"message":"The following field is invalid: Blood Percent"}]}"#));
    })
    .await;
}

#[tokio::test]
async fn relations_are_numbers_of_rows_that_exist() {
    World::each(async |w| {
        let text = w
            .faults("alpha", "animals", with(heifer(), "herd", json!("1")))
            .await;
        let message = "This relationship field has the following invalid relationships: 1 0";
        assert_eq!(text, [("herd".to_owned(), message.to_owned())]);
        let absent = w
            .faults("alpha", "animals", with(heifer(), "herd", json!(9999)))
            .await;
        assert_eq!(absent[0].0, "herd");
        let doc = w
            .post("alpha", "animals", with(heifer(), "herd", json!({"id": 1})))
            .await;
        assert_eq!((doc.status, &doc.json()["doc"]["herd"]), (201, &json!(1)));
        let id = doc.json()["doc"]["id"].as_i64().unwrap();
        let doc = changed!(w, "alpha", "animals", id, {"herd": ""});
        assert_eq!(doc["herd"], Value::Null);
        for bad in [
            json!(-1),
            json!(1.5),
            json!(i64::MAX),
            json!(1e300),
            json!([1]),
            json!(true),
        ] {
            let answer = w
                .faults("alpha", "animals", with(heifer(), "father", bad.clone()))
                .await;
            assert_eq!(answer[0].0, "father", "{bad}");
        }
    })
    .await;
}

#[tokio::test]
async fn bodies_that_cannot_be_read_change_nothing() {
    World::each(async |w| {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        for body in [
            "",
            "{bad",
            "[]",
            "[{}",
            "null",
            "7",
            &deep,
            "{\"name\":\"\\ud800\"}",
        ] {
            for (method, path) in [("POST", "/api/animals"), ("PATCH", "/api/animals/2")] {
                let answer = w.refused("alpha", method, path, body).await;
                assert_eq!(answer.status, 400, "{body:.40}");
                holds!(answer.json(), {"errors.0.message": "Invalid JSON"}, "{body:.40}");
            }
        }
        let twice = r#"{"name":"a","altIds":{"earTag":"1","earTag":"2"},"name":"b"}"#;
        let answer = w.refused("alpha", "PATCH", "/api/animals/2", twice).await;
        assert_eq!(paths(&answer), ["altIds.earTag", "name"]);
        let huge = format!("{{\"notes\":\"{}\"}}", "x".repeat(50 << 20));
        let answer = w.refused("alpha", "PATCH", "/api/animals/2", &huge).await;
        assert_eq!(answer.status, 413);
    })
    .await;
}

#[tokio::test]
async fn values_of_the_wrong_kind_are_told_by_path() {
    World::each(async |w| {
        let animal = |path: &str, value: Value| ("animals", with(heifer(), path, value));
        let test = |path: &str, value: Value| {
            let body = json!({"animal": 2, "date": "2025-01-10", "milkYield": 30});
            ("milk-tests", with(body, path, value))
        };
        for ((slug, body), path) in [
            (animal("birthDate", json!("2025-02-30")), "birthDate"),
            (animal("birthDate", json!("10.01.2025")), "birthDate"),
            (animal("birthDate", json!("")), "birthDate"),
            (animal("birthDate", json!(20_250_110)), "birthDate"),
            (animal("birthDate", json!("+292278994-01-01")), "birthDate"),
            (animal("bloodPercent", json!("abc")), "bloodPercent"),
            (animal("bloodPercent", json!("NaN")), "bloodPercent"),
            (animal("bloodPercent", json!({})), "bloodPercent"),
            (animal("publicVisible", json!("true")), "publicVisible"),
            (animal("name", json!(["x"])), "name"),
            (animal("name", json!("a\u{0}b")), "name"),
            (animal("altIds", json!("x")), "altIds"),
            (animal("haplotypes", json!({"0": {}})), "haplotypes"),
            (animal("haplotypes", json!([1])), "haplotypes.0"),
            (test("date", json!("10.01.2025")), "date"),
            (test("lactationNumber", json!(1.5)), "lactationNumber"),
            (test("milkYield", json!(151)), "milkYield"),
            (test("yields", json!({"noon": "x"})), "yields.noon"),
            (test("source", json!("Lab")), "source"),
        ] {
            let found = w.faults("alpha", slug, body).await;
            let found: Vec<_> = found.into_iter().map(|(path, _)| path).collect();
            assert_eq!(found, [path]);
        }
        let doc = changed!(w, "alpha", "animals", 2, {"bloodPercent": "45.5"});
        assert_eq!(doc["bloodPercent"], 45.5);
    })
    .await;
}

#[tokio::test]
async fn numbers_and_dates_at_the_edge_are_kept_or_refused() {
    World::each(async |w| {
        for weight in [json!(1e308), json!(-1e308), json!(9e18), json!(5e-324)] {
            let answer = post!(w, "alpha", "weighings", {"animal": 2, "date": "2025-01-10", "weight": weight});
            assert!(
                [201, 400].contains(&answer.status),
                "{weight} {}",
                answer.text
            );
        }
        let body = |date: &str| json!({"animal": 3, "date": date, "weight": 1});
        for date in [
            "0000-01-01",
            "0001-01-01",
            "9999-12-31T23:59:59Z",
            "-000001-01-01",
        ] {
            ask!(w, "beta", "POST /api/weighings?depth=0", body(date) => 400, "{date}");
        }
        for date in ["0001-01-01", "9999-12-31", "9999-12-31T23:59:59-23:59"] {
            let answer = patch!(w, "alpha", "animals", 2, {"arrivalDate": date});
            assert!(
                [200, 400].contains(&answer.status),
                "{date} {}",
                answer.text
            );
        }
        for number in [json!(1_000_000), json!(-1_000_000)] {
            let doc = changed!(w, "expert", "breeds", 1, {"sortOrder": number});
            assert_eq!(doc["sortOrder"], number);
        }
        for number in [json!(1_000_001), json!(8_999_999_999_999_999_i64)] {
            let answer = patch!(w, "expert", "breeds", 1, {"sortOrder": number});
            let path = &answer.json()["errors"][0]["data"]["errors"][0]["path"];
            assert_eq!(
                (answer.status, path),
                (400, &json!("sortOrder")),
                "{number}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn unknown_members_and_ids_are_ignored() {
    World::each(async |w| {
        let mut body = with(heifer(), "id", json!(777));
        for (path, value) in [
            ("nope", json!({"a": [1]})),
            ("seq", json!(5)),
            ("entry", json!({"owner": 2})),
            ("__proto__", json!(1)),
            ("collection", json!("x")),
        ] {
            body[path] = value;
        }
        let id = w.made("alpha", "animals", body).await;
        assert_ne!(id, 777);
        assert_eq!(w.doc("animals", id).await.get("nope"), None);
        let answer = patch!(w, "alpha", "animals", id, {"id": 2, "name": "New"});
        assert_eq!(answer.json()["doc"]["id"], id);
        assert_eq!(w.doc("animals", 2).await["name"], "Animal 2");
    })
    .await;
}

#[tokio::test]
async fn a_patch_merges_groups_replaces_lists_and_may_be_empty() {
    World::each(async |w| {
        let doc = changed!(w, "alpha", "animals", 2, {
            "altIds": {"earTag": "E1", "chipNumber": "643090000000001"},
            "shows": [{"date": "2024-01-01", "title": "A"}, {"date": "2024-02-01", "title": "B"}],
        });
        let rows = doc["shows"].as_array().unwrap();
        assert_eq!((rows.len(), rows[0]["id"].as_str().unwrap().len()), (2, 24));
        let keep = rows[1]["id"].clone();

        let before = w.stage.content().await;
        let same = changed!(w, "alpha", "animals", 2, {});
        let again = w.changed("alpha", "animals", 2, doc.clone()).await;
        assert_eq!((&same, &again), (&doc, &doc), "nothing changed");
        assert_eq!(w.stage.content().await, before, "and nothing was written");

        let second = json!({"altIds": {"earTag": "E2"}, "shows": [{"id": keep, "date": "2024-02-01", "title": "C"}]});
        let doc = w.changed("alpha", "animals", 2, second).await;
        holds!(doc, {"altIds.earTag": "E2", "altIds.chipNumber": "643090000000001"});
        assert_eq!(doc["shows"].as_array().unwrap().len(), 1);
        assert_eq!((&doc["shows"][0]["title"], &doc["shows"][0]["id"]), (&json!("C"), &keep));
        let doc = changed!(w, "alpha", "animals", 2, {"altIds": null, "shows": []});
        assert_eq!((&doc["altIds"]["earTag"], &doc["shows"]), (&Value::Null, &json!([])));
    })
    .await;
}

#[tokio::test]
async fn updates_and_deletes_of_what_is_not_there() {
    World::each(async |w| {
        for (who, id, told) in [
            ("beta", 2, FORBIDDEN),
            ("beta", 9999, FORBIDDEN),
            ("admin", 9999, NOT_FOUND),
            ("expert", 9999, NOT_FOUND),
        ] {
            let path = format!("/api/animals/{id}");
            let answer = w.refused(who, "PATCH", &path, r#"{"name":"x"}"#).await;
            assert_eq!(answer.told(), told, "{who} {id}");
        }
        let id = w.made("alpha", "animals", heifer()).await;
        let answer = ask!(w, "admin", "DELETE /api/animals/{id}?depth=0" => 200);
        assert_eq!(answer.json()["message"], "Deleted successfully.");
        assert_eq!(answer.json()["doc"]["identNumber"], "960000001000");
        let path = format!("/api/animals/{id}");
        refused!(w, "admin", "DELETE {path}" => NOT_FOUND);
        refused!(w, "expert", "DELETE {path}" => FORBIDDEN);
    })
    .await;
}

#[tokio::test]
async fn a_milk_test_of_a_farm() {
    World::each(async |w| {
        let answer = post!(w, "alpha", "milk-tests", {"animal": 2, "date": "2025-01-10", "milkYield": 31.5});
        assert_eq!(answer.status, 201, "{}", answer.text);
        let body = answer.json();
        holds!(body, {
            "message": "Test-Day Milking successfully created.", "doc.date": "2025-01-10T00:00:00.000Z",
            "doc.milkYield": 31.5, "doc.dailyYield": 31.5,
        });
    })
    .await;
}

#[tokio::test]
async fn select_and_depth_hold_for_write_answers() {
    World::each(async |w| {
        let path = "/api/animals/2?depth=1";
        let answer = w
            .ask("alpha", "PATCH", path, r#"{"name":"A"}"#)
            .await
            .json();
        holds!(answer, {"doc.herd.name": "Alpha 1", "doc.herd.organization": 1, "message": "Updated successfully."});
    })
    .await;
}

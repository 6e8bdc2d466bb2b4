//! Index profiles, values and bases, and the platform's own records (docs/design/collections.md, *Evaluation*,
//! *Platform*).

use super::world::{FORBIDDEN, NOT_FOUND, World, fill, paths};
use serde_json::{Value, json};

fn profile(name: &str) -> Value {
    json!({"name": name, "weights": [{"trait": "milk", "weight": 3}, {"trait": "legsComposite", "weight": 0}]})
}

/// Names of the profiles that a caller sees.
async fn seen(w: &World<'_>, who: &str) -> Vec<String> {
    let answer = ask!(w, who, "GET /api/index-profiles?sort=id&depth=0" => 200);
    (answer.json()["docs"].as_array().unwrap().iter())
        .map(|d| d["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn profiles_of_the_association_are_open_and_others_their_organisations() {
    World::each(async |w| {
        let public = w.made("expert", "index-profiles", profile("Public")).await;
        let mine = w.made("alpha", "index-profiles", profile("Alpha")).await;
        w.made("beta", "index-profiles", profile("Beta")).await;
        let doc = w.doc("index-profiles", mine).await;
        holds!(doc, {"organization": 1, "author": 11, "kind": "selection"});
        holds!(w.doc("index-profiles", public).await, {"organization": null});
        assert_eq!(seen(w, "").await, ["Public"]);
        assert_eq!(seen(w, "alpha").await, ["Public", "Alpha"]);
        assert_eq!(seen(w, "viewer").await, ["Public", "Alpha"]);
        assert_eq!(seen(w, "beta").await, ["Public", "Beta"]);
        assert_eq!(seen(w, "expert").await, ["Public", "Alpha", "Beta"]);
        ask!(w, "beta", "GET /api/index-profiles/{mine}" => NOT_FOUND);
        for (who, id) in [
            ("beta", mine),
            ("viewer", mine),
            ("alpha", public),
            ("", public),
        ] {
            let path = format!("/api/index-profiles/{id}");
            for method in ["PATCH", "DELETE"] {
                refused!(w, who, "{method} {path}", {"name": "x"} => FORBIDDEN);
            }
        }
        let foreign =
            json!({"name": "x", "organization": 2, "weights": [{"trait": "milk", "weight": 1}]});
        refused!(w, "alpha", "POST /api/index-profiles", foreign => 403 ["organization"]);
    })
    .await;
}

#[tokio::test]
async fn weights_are_of_the_eleven_traits_and_not_all_zero() {
    World::each(async |w| {
        let body = |weights: Value| json!({"name": "P", "weights": weights});
        for (weights, path) in table![
            json!([{"trait": "milk", "weight": 0}, {"trait": "fatKg", "weight": 0}]), "weights";
            json!([{"trait": "fatPercent", "weight": 1}]), "weights.0.trait";
            json!([{"trait": "milk", "weight": 1}, {"trait": "fatKg"}]), "weights.1.weight";
        ] {
            let told = w
                .faults("expert", "index-profiles", body(weights.clone()))
                .await;
            assert!(told.iter().any(|(p, _)| p == path), "{weights} {told:?}");
        }
        let traits = [
            "milk",
            "fatKg",
            "proteinKg",
            "productiveLongevity",
            "udderHealth",
            "fertility",
            "calvingEase",
            "calfMortality",
            "bodyComposite",
            "udderComposite",
            "legsComposite",
        ];
        let weights: Vec<_> = traits
            .iter()
            .map(|t| json!({"trait": t, "weight": -1}))
            .collect();
        let id = w
            .made("expert", "index-profiles", body(weights.into()))
            .await;
        let rows = w.doc("index-profiles", id).await["weights"].clone();
        assert_eq!(rows.as_array().unwrap().len(), 11);
        let path = format!("/api/index-profiles/{id}");
        let zero = body(json!([{"trait": "milk", "weight": 0}])).to_string();
        assert_eq!(
            paths(&w.refused("expert", "PATCH", &path, &zero).await),
            ["weights"]
        );
    })
    .await;
}

#[tokio::test]
async fn one_profile_of_an_organisation_is_its_default() {
    World::each(async |w| {
        let defaults = async || -> Vec<String> {
            let rows = w
                .list("index-profiles", "where[isDefault][equals]=true")
                .await;
            rows.iter()
                .map(|r| r["name"].as_str().unwrap().to_owned())
                .collect()
        };
        let default = |name: &str| {
            let mut body = profile(name);
            body["isDefault"] = true.into();
            body
        };
        let first = w.made("alpha", "index-profiles", default("A1")).await;
        w.made("alpha", "index-profiles", default("A2")).await;
        w.made("beta", "index-profiles", default("B1")).await;
        w.made("expert", "index-profiles", default("P1")).await;
        assert_eq!(defaults().await, ["A2", "B1", "P1"]);
        w.made("admin", "index-profiles", default("P2")).await;
        changed!(w, "alpha", "index-profiles", first, {"isDefault": true});
        assert_eq!(defaults().await, ["A1", "B1", "P2"]);
        changed!(w, "alpha", "index-profiles", first, {"isDefault": false});
        assert_eq!(defaults().await, ["B1", "P2"]);
    })
    .await;
}

#[tokio::test]
async fn values_keep_in_step_with_their_animal() {
    World::each(async |w| {
        let value = |id: i64, key: &str, value: f64| json!({"id": id, "animal": 2, "profileKey": key, "value": value, "percentile": 80, "owner": 4});
        fill(w.stage, "index-values", vec![value(1, "association", 10.0), value(2, "nm", 12.5)]).await;
        let through = async || {
            let doc = w.doc("index-values", 1).await;
            ["owner", "publicVisible", "archived", "state", "birthYear"].map(|f| doc[f].clone())
        };
        assert_eq!(through().await, [json!(1), json!(false), json!(false), json!("alive"), json!(2020)]);
        changed!(w, "alpha", "animals", 2, {"publicVisible": true, "birthDate": "2019-12-31"});
        assert_eq!(through().await, [json!(1), json!(true), json!(false), json!("alive"), json!(2019)]);
        let before = w.stage.content().await;
        changed!(w, "alpha", "animals", 2, {"publicVisible": true});
        assert_eq!(w.stage.content().await, before);
        changed!(w, "alpha", "animals", 2, {"archived": true, "birthDate": null});
        assert_eq!(through().await, [json!(1), json!(true), json!(true), json!("alive"), Value::Null]);
        // Movements write owner and state without the animal's own hooks.
        made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
        assert_eq!(through().await, [json!(2), json!(true), json!(true), json!("alive"), Value::Null]);
        made!(w, "beta", "movements", {"animal": 2, "date": "2026-02-02", "kind": "death"});
        assert_eq!(through().await[3], "dead");
        let list = w.list("index-values", "where[state][equals]=dead&where[owner][equals]=2&sort=-value").await;
        assert_eq!(list.len(), 2);
        assert_eq!(w.get("alpha", "/api/index-values").await.json()["totalDocs"], 0, "no longer its own");
        assert_eq!(w.get("beta", "/api/index-values").await.json()["totalDocs"], 2);
        for who in ["admin", "expert", "beta"] {
            for (method, path) in [("POST", "/api/index-values"), ("PATCH", "/api/index-values/1"), ("DELETE", "/api/index-values/1")] {
                let body = r#"{"animal":2,"profileKey":"x","value":1}"#;
                assert_eq!(w.refused(who, method, path, body).await.told(), FORBIDDEN, "{who} {method}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn one_base_is_active_and_all_read_it() {
    World::each(async |w| {
        let base = |version: &str| json!({"version": version, "isActive": true, "traits": [{"trait": "milk", "mean": 0, "sd": 257.1, "n": 3}]});
        let first = w.made("admin", "index-bases", base("B1")).await;
        w.made("admin", "index-bases", base("B2")).await;
        let active = w.list("index-bases", "where[isActive][equals]=true").await;
        assert_eq!((active.len(), &active[0]["version"]), (1, &json!("B2")));
        changed!(w, "admin", "index-bases", first, {"isActive": true});
        let active = w.list("index-bases", "where[isActive][equals]=true").await;
        assert_eq!((active.len(), &active[0]["version"]), (1, &json!("B1")));
        assert_eq!(w.get("", "/api/index-bases").await.json()["totalDocs"], 2);
        for who in ["expert", "alpha", ""] {
            let body = base("B3").to_string();
            assert_eq!(w.refused(who, "POST", "/api/index-bases", &body).await.told(), FORBIDDEN, "{who}");
        }
        let answer = w.refused("admin", "POST", "/api/index-bases", &base("B1").to_string()).await;
        answer.assert_faulty(400, &["version"]);
    })
    .await;
}

#[tokio::test]
async fn measurements_and_self_tests_are_read_by_everybody() {
    World::each(async |w| {
        let bench = json!({"id": 1, "label": "lists", "animals": 500, "runs": 3, "rows": [{"case": "first page", "ms": 1.5}], "measuredAt": "2026-01-01"});
        let check = json!({"id": 1, "label": "start", "ok": true, "failed": 0, "total": 4, "ms": 12.5, "results": []});
        fill(w.stage, "bench-runs", vec![bench]).await;
        fill(w.stage, "check-runs", vec![check]).await;
        let bench = w.get("", "/api/bench-runs/1").await.json();
        assert_eq!((&bench["rows"][0]["ms"], &bench["measuredAt"]), (&json!(1.5), &json!("2026-01-01T00:00:00.000Z")));
        assert_eq!(w.get("", "/api/check-runs?where[ok][equals]=true").await.json()["totalDocs"], 1);
        refused!(w, "admin", "DELETE /api/bench-runs/1" => FORBIDDEN);
        refused!(w, "expert", "DELETE /api/check-runs/1" => FORBIDDEN);
    })
    .await;
}

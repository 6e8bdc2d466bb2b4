//! Index profiles, values and bases (docs/design/collections.md, *Evaluation*).

use crate::rest::world::{World, fill, paths};
use serde_json::{Value, json};

fn profile(name: &str) -> Value {
    json!({"name": name, "weights": [{"trait": "milk", "weight": 3}, {"trait": "legsComposite", "weight": 0}]})
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
            let fields = w
                .faults("expert", "index-profiles", body(weights.clone()))
                .await;
            assert!(
                fields.iter().any(|(p, _)| p == path),
                "{weights} {fields:?}"
            );
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
        let id = made!(w, "expert", "index-profiles", body(weights.into()));
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
        holds!(w.doc("index-profiles", first).await, {"organization": 1, "author": 11, "kind": "selection"});
        w.made("alpha", "index-profiles", default("A2")).await;
        w.made("beta", "index-profiles", default("B1")).await;
        let public = w.made("expert", "index-profiles", default("P1")).await;
        holds!(w.doc("index-profiles", public).await, {"organization": null});
        let mut foreign = profile("x");
        foreign["organization"] = 2.into();
        refused!(w, "alpha", "POST /api/index-profiles", foreign => 403 ["organization"]);
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
    })
    .await;
}

#[tokio::test]
async fn one_base_is_active() {
    World::each(async |w| {
        let base = |version: &str| json!({"version": version, "isActive": true, "traits": [{"trait": "milk", "mean": 0, "sd": 257.1, "n": 3}]});
        let first = w.made("admin", "index-bases", base("B1")).await;
        w.made("admin", "index-bases", base("B2")).await;
        let active = w.list("index-bases", "where[isActive][equals]=true").await;
        assert_eq!((active.len(), &active[0]["version"]), (1, &json!("B2")));
        changed!(w, "admin", "index-bases", first, {"isActive": true});
        let active = w.list("index-bases", "where[isActive][equals]=true").await;
        assert_eq!((active.len(), &active[0]["version"]), (1, &json!("B1")));
        let answer = w.refused("admin", "POST", "/api/index-bases", &base("B1").to_string()).await;
        answer.assert_faulty(400, &["version"]);
    })
    .await;
}

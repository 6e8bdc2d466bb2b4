//! Index profiles, values and bases (docs/design/collections.md, *Evaluation*).

use crate::rest::world::{World, fill, paths};
use serde_json::{Value, json};

fn profile(name: &str) -> Value {
    json!({"name": name, "weights": [{"trait": "milk", "weight": 3}, {"trait": "legsComposite", "weight": 0}]})
}

#[test_with(World::each)]
async fn weights_are_of_the_eleven_traits_and_not_all_zero(w: &World<'_>) {
    let body = |weights: Value| json!({"name": "P", "weights": weights});
    for (weights, path) in table![
        json!([{"trait": "milk", "weight": 0}, {"trait": "fatKg", "weight": 0}]), "weights";
        json!([{"trait": "fatPercent", "weight": 1}]), "weights.0.trait";
        json!([{"trait": "milk", "weight": 1}, {"trait": "fatKg"}]), "weights.1.weight";
    ] {
        let fields = w.faults("expert", "index-profiles", body(weights.clone())).await;
        assert!(fields.iter().any(|(p, _)| p == path), "{weights} {fields:?}");
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
    let weights: Vec<_> = traits.iter().map(|t| json!({"trait": t, "weight": -1})).collect();
    let id = made!(w, "expert", "index-profiles", body(weights.into()));
    let rows = w.doc("index-profiles", id).await["weights"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 11);
    let path = format!("/api/index-profiles/{id}");
    let zero = body(json!([{"trait": "milk", "weight": 0}])).to_string();
    assert_eq!(paths(&w.refused("expert", "PATCH", &path, &zero).await), ["weights"]);
}

#[test_with(World::each)]
async fn one_profile_of_an_organisation_is_its_default(w: &World<'_>) {
    let defaults = async || -> Vec<String> {
        let rows = w.list("index-profiles", "where[isDefault][equals]=true").await;
        rows.iter().map(|r| r["name"].as_str().unwrap().to_owned()).collect()
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
}

#[test_with(World::each)]
async fn values_keep_in_step_with_their_animal(w: &World<'_>) {
    made!(w, "admin", "animal-evaluations", {"animal": 2, "evaluatedAt": "2025-01-01", "milkForecast": 100});
    let through = async || {
        let rows = w.list("index-values", "where[profileKey][equals]=association").await;
        ["owner", "publicVisible", "archived", "state", "birthYear"].map(|f| rows[0][f].clone())
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
    assert_eq!(list.len(), 5, "by each profile that weighs milk");
}

#[test_with(World::each)]
async fn a_value_tells_what_it_was_computed_from(w: &World<'_>) {
    let run = json!({"animal": 2, "evaluatedAt": "2025-01-01", "milkForecast": 257.1, "milkR": 60,
        "calfMortalityForecast": 1.62, "calfMortalityR": 30});
    let run = w.made("admin", "animal-evaluations", run).await;
    let of = async |key: &str| w.list("index-values", &format!("where[profileKey][equals]={key}")).await;
    let row = of("association").await[0].clone();
    // 3 shares for milk, 6 against losses; reliabilities by 3 · 257.1 and 6 · 1.62.
    holds!(row, {"animal": 2, "value": -30, "reliability": 59.6, "used": 2, "kind": "selection",
        "profileName": "Association index", "baseVersion": "CDCB-2025-metric", "evaluation": run,
        "weights.calfMortality": 6, "weights.bodyComposite": -8, "organization": null,
        "percentile": null, "cohort": null, "rank": null});
    assert!(row["computedAt"].is_string(), "{row}");
    // 257.1 · 20 − 1.62 · 490.
    holds!(of("profit").await[0], {"value": 4348.2, "kind": "economic"});
    w.gone("admin", "animal-evaluations", run).await;
    assert_eq!(w.list("index-values", "").await, Vec::<Value>::new());
}

#[test_with(World::each)]
async fn a_list_is_ranked_by_any_profile_and_says_where_each_animal_stands(w: &World<'_>) {
    let milk = [(1, 100), (2, 300), (3, 300), (4, -50), (5, 0)];
    for (animal, milk) in milk {
        let day = "2025-06-01";
        made!(w, "admin", "animal-evaluations", {"animal": animal, "evaluatedAt": day, "milkForecast": milk});
    }
    w.stage.pass(3_600);
    runs(w).await;
    let path = "/api/index-values?depth=0&where[profileKey][equals]=nm&sort=-value,animal";
    let rows = ask!(w, "admin", "GET {path}" => 200).json()["docs"].clone();
    let row = |row: &Value| ["animal", "percentile", "cohort", "rank"].map(|f| row[f].as_i64().unwrap());
    let rows: Vec<[i64; 4]> = rows.as_array().unwrap().iter().map(row).collect();
    assert_eq!(rows, [[2, 80, 5, 1], [3, 80, 5, 1], [1, 50, 5, 3], [5, 30, 5, 4], [4, 10, 5, 5]]);
    changed!(w, "alpha", "animals", 1, {"birthDate": "2016-03-01"});
    holds!(w.list("index-runs", "").await[0], {"state": "queued"}, "another year, another cohort");
    // A run changes places and neither the date of a row nor what the exchange says.
    let before = w.stage.number("SELECT seq FROM book_sequence").await;
    made!(w, "admin", "animal-evaluations", {"animal": 4, "evaluatedAt": "2025-07-01", "milkForecast": 900});
    assert!(w.stage.number("SELECT seq FROM book_sequence").await > before);
    let documents = "SELECT count(*) FROM exchange_documents WHERE seq > ";
    let last = w.stage.number("SELECT seq FROM book_sequence").await;
    w.stage.pass(3_600);
    runs(w).await;
    assert_eq!(w.stage.number(&format!("{documents}{last}")).await, 0);
    // The sessions have run out.
    let second = "FROM index_values WHERE profile_key = 'nm' AND animal = 2";
    assert_eq!(w.stage.number(&format!("SELECT rank {second}")).await, 2);
    assert_eq!(w.stage.number(&format!("SELECT percentile {second}")).await, 60);
}

/// Performs all runs that are due.
async fn runs(w: &World<'_>) {
    w.stage.pass(10);
    while w.stage.book.run_job(&cli::ComputeIndexes).await.unwrap() {}
}

#[test_with(World::each)]
async fn values_by_a_farms_profile_are_its_own(w: &World<'_>) {
    for animal in [2, 3] {
        let milk = 100 * animal;
        made!(w, "admin", "animal-evaluations", {"animal": animal, "evaluatedAt": "2025-06-01", "milkForecast": milk});
        let owner = if animal == 2 { "alpha" } else { "beta" };
        changed!(w, owner, "animals", animal, {"publicVisible": true, "publicDetails": true});
    }
    let id = w.made("alpha", "index-profiles", profile("Mine")).await;
    let key = format!("own:{id}");
    let path = format!("/api/index-runs?depth=0&where[subject][equals]={key}");
    holds!(ask!(w, "alpha", "GET {path}" => 200).json()["docs"][0], {"state": "queued", "organization": 1});
    runs(w).await;
    holds!(ask!(w, "alpha", "GET {path}" => 200).json()["docs"][0], {"state": "done", "done": 3, "animals": 3});
    assert_eq!(ask!(w, "beta", "GET {path}" => 200).json()["totalDocs"], 0);
    ask!(w, "", "GET {path}" => 403);

    let values = format!("where[profileKey][equals]={key}");
    let row = w.list("index-values", &values).await;
    assert_eq!(row.len(), 1, "of its own animals: {row:?}");
    holds!(row[0], {"animal": 2, "organization": 1, "profileName": "Mine"});
    let value = row[0]["id"].as_i64().unwrap();
    ask!(w, "alpha", "GET /api/index-values/{value}" => 200);
    // The card is open to everybody, the weights of the farm are not.
    for who in ["beta", ""] {
        let all = ask!(w, who, "GET /api/index-values?depth=0&limit=0&where[animal][equals]=2" => 200).json();
        assert!(all["totalDocs"].as_i64().unwrap() > 1, "{all}");
        assert!(!all.to_string().contains(&key), "{who}: {all}");
        ask!(w, who, "GET /api/index-values/{value}" => 404);
        for filter in [&values, "where[organization][equals]=1", "where[profileName][equals]=Mine"] {
            let count = ask!(w, who, "GET /api/index-values/count?{filter}" => 200).json();
            assert_eq!(count["totalDocs"], 0, "{who} {filter}");
        }
        let joined = ask!(w, who, "GET /api/animals/2?depth=1&joins[indexValues][limit]=0" => 200).json();
        assert!(!joined.to_string().contains(&key), "{who}: {joined}");
    }

    changed!(w, "alpha", "index-profiles", id, {"weights": [{"trait": "milk", "weight": -1}], "kind": "economic"});
    runs(w).await;
    holds!(w.list("index-values", &values).await[0], {"value": -200, "kind": "economic", "weights": {"milk": -1}});
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
    assert_eq!(w.list("index-values", &values).await, Vec::<Value>::new());
    made!(w, "beta", "movements", {"animal": 2, "date": "2026-02-02", "kind": "sale", "to": 1});
    assert_eq!(w.list("index-values", &values).await.len(), 1);
    w.gone("alpha", "index-profiles", id).await;
    runs(w).await;
    assert_eq!(w.list("index-values", &values).await, Vec::<Value>::new());
    assert_eq!(ask!(w, "alpha", "GET {path}" => 200).json()["totalDocs"], 0);
}

#[test_with(World::each)]
async fn a_base_is_compared_and_confirmed(w: &World<'_>) {
    for animal in 1..=5 {
        let milk = 100 * animal;
        made!(w, "admin", "animal-evaluations", {"animal": animal, "evaluatedAt": "2025-06-01", "milkForecast": milk});
    }
    let base = |version: &str, mean: f64| json!({"version": version, "source": "borrowed", "traits": [{"trait": "milk", "mean": mean, "sd": 257.1}]});
    let mut still = base("B0", 100.0);
    still["traits"][0]["sd"] = 0.into();
    refused!(w, "admin", "POST /api/index-bases", still => 400 ["traits.0.sd"]);
    let mut early = base("B1", 100.0);
    early["isActive"] = true.into();
    refused!(w, "admin", "POST /api/index-bases", early => 400 ["isActive"]);
    let first = w.made("admin", "index-bases", base("B1", 100.0)).await;
    refused!(w, "admin", "PATCH /api/index-bases/{first}", {"isActive": true} => 400 ["isActive"]);
    runs(w).await;
    let doc = w.doc("index-bases", first).await;
    holds!(doc, {"comparedWith": "CDCB-2025-metric", "isActive": null});
    let values = async || w.list("index-values", "where[profileKey][equals]=nm").await;
    let before = values().await;
    assert_eq!(before.len(), 5);
    assert!(before.iter().all(|row| row["baseVersion"] == "CDCB-2025-metric"), "only compared: {before:?}");
    let nm = &doc["comparison"]["profiles"][1];
    holds!(nm, {"profileKey": "nm", "animals": 5, "correlation": 1, "top": 5, "stayInTop": 5,
        "before.animals": 5, "before.mean": 46.67, "after.animals": 5, "after.mean": 31.12});
    // What becomes of the values is the Association's.
    let seen = ask!(w, "alpha", "GET /api/index-bases/{first}" => 200).json();
    assert!(seen.get("comparison").is_none(), "{seen}");

    changed!(w, "admin", "index-bases", first, {"isActive": true});
    let run = w.list("index-runs", "where[subject][equals]=book").await;
    holds!(run[0], {"state": "queued"});
    runs(w).await;
    let values = values().await;
    assert!(values.iter().all(|row| row["baseVersion"] == "B1"), "{values:?}");
    holds!(values[0], {"animal": 1, "value": 0, "rank": 5});

    let second = w.made("admin", "index-bases", base("B2", 200.0)).await;
    let third = w.made("admin", "index-bases", base("B3", 300.0)).await;
    runs(w).await;
    changed!(w, "admin", "index-bases", second, {"isActive": true});
    let active = w.list("index-bases", "where[isActive][equals]=true").await;
    assert_eq!((active.len(), &active[0]["version"]), (1, &json!("B2")));
    refused!(w, "admin", "PATCH /api/index-bases/{third}", {"isActive": true} => 400 ["isActive"]);
    runs(w).await;
    holds!(w.doc("index-bases", third).await, {"comparedWith": "B2"});
    changed!(w, "admin", "index-bases", first, {"isActive": true});
    refused!(w, "admin", "PATCH /api/index-bases/{first}", {"isActive": false} => 400 ["isActive"]);
    refused!(w, "admin", "PATCH /api/index-bases/{first}", {"traits": []} => 400 ["traits"]);
    let needed = refused!(w, "admin", "DELETE /api/index-bases/{first}" => 400 ["id"]);
    needed.has(&["The base in force is replaced by another one, not deleted."]);
    refused!(w, "expert", "POST /api/index-bases", {"version": "B4"} => 403);
    let answer = w.refused("admin", "POST", "/api/index-bases", &base("B1", 0.0).to_string()).await;
    answer.assert_faulty(400, &["version"]);
}

#[test_with(World::each)]
async fn an_own_base_has_the_traits_with_enough_values(w: &World<'_>) {
    let own = w.made("admin", "index-bases", json!({"version": "Own"})).await;
    runs(w).await;
    holds!(w.doc("index-bases", own).await, {"traits": [], "animalsUsed": 0, "comparedWith": "CDCB-2025-metric"});
    let animals = (0..30_i64).map(|n| {
        json!({"id": 100 + n, "identNumber": format!("96000001{n:04}"), "sex": "female", "birthDate": "2021-03-01", "owner": 1})
    });
    fill(w.stage, "animals", animals.collect()).await;
    let rows = (0..30_i64).map(|n| {
        let milk = if n % 2 == 0 { 10 } else { 14 };
        let longevity = if n < 29 { json!(n) } else { Value::Null };
        json!({"id": 100 + n, "animal": 100 + n, "evaluatedAt": "2025-06-01", "milkForecast": milk, "milkR": 64,
            "productiveLongevityForecast": longevity, "productiveLongevityR": 50, "fertilityForecast": n})
    });
    fill(w.stage, "animal-evaluations", rows.collect()).await;
    let own = w.made("admin", "index-bases", json!({"version": "Own 2"})).await;
    refused!(w, "admin", "POST /api/index-bases", {"version": "Own 3", "traits": [{"trait": "milk", "mean": 1, "sd": 1}]} => 400 ["traits"]);
    runs(w).await;
    let doc = w.doc("index-bases", own).await;
    let traits = doc["traits"].as_array().unwrap();
    assert_eq!(traits.len(), 1, "longevity has too few values, fertility no reliability: {traits:?}");
    // Standard deviation √(120/29), genetic over √0.64.
    holds!(traits[0], {"trait": "milk", "mean": 12, "sdObserved": 2.0342, "sd": 2.5427, "meanR": 64, "n": 30});
    // Thirty born in 2021 are a cohort of their own.
    let values = w.list("index-values", "where[profileKey][equals]=association&where[animal][equals]=100").await;
    holds!(values[0], {"cohort": 30, "cohortSameYear": true});
}

#[test_with(World::each)]
async fn a_run_goes_on_where_a_process_ended(w: &World<'_>) {
    for animal in 1..=5 {
        made!(w, "admin", "animal-evaluations", {"animal": animal, "evaluatedAt": "2025-06-01", "milkForecast": 100});
    }
    made!(w, "expert", "index-profiles", {"name": "All", "weights": [{"trait": "milk", "weight": 1}]});
    let run = w.list("index-runs", "where[subject][like]=own").await[0]["id"].as_i64().unwrap();
    let book = &w.stage.book;
    // A process takes the job, does some steps, and dies.
    w.stage.pass(10);
    let dead = book.lease_job(domain::collections::INDEX_JOB, 60_000).await.unwrap().unwrap();
    let steps = book.transact(move |work| {
        Box::pin(async move {
            let taken = domain::collections::index_step(work, run, None).await?;
            domain::collections::index_step(work, run, taken).await
        })
    });
    assert!(steps.await.unwrap().is_some());
    assert_eq!(dead.id(), run);
    holds!(w.doc("index-runs", run).await, {"state": "computing", "done": 5});
    assert!(!book.run_job(&cli::ComputeIndexes).await.unwrap(), "it is another process's");
    w.stage.pass(60);
    runs(w).await;
    holds!(w.doc("index-runs", run).await, {"state": "done", "done": 5});
    let values = w.list("index-values", "where[profileName][equals]=All").await;
    assert_eq!(values.len(), 5);
    assert!(values.iter().all(|row| row["rank"] == 1), "{values:?}");
}

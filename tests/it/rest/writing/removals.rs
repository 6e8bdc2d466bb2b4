//! Deletions: the rows that are deleted too, those that stay, and refusals (docs/design/writing.md,
//! *Deleting*).

use crate::rest::world::{World, fill};
use serde_json::{Value, json};

#[test_with(World::each)]
async fn an_animal_takes_its_records_along_and_leaves_its_name(w: &World<'_>) {
    let mut mine = Vec::new();
    for (slug, body) in [
        ("calvings", json!({"animal": 2, "date": "2024-02-01", "progeny": [{"sex": "female", "animal": 4}]})),
        ("inseminations", json!({"animal": 2, "date": "2024-07-10", "bull": 1})),
        ("milk-tests", json!({"animal": 2, "date": "2024-07-10", "milkYield": 30})),
        ("weighings", json!({"animal": 2, "date": "2024-07-10", "weight": 600})),
        ("movements", json!({"animal": 2, "date": "2024-07-11", "kind": "transfer", "toHerd": 2})),
        ("access-grants", json!({"animal": 2, "grantee": 2, "scopes": ["origin"]})),
    ] {
        mine.push((slug, w.made("alpha", slug, body).await));
    }
    for (slug, body) in [
        ("animal-evaluations", json!({"animal": 2, "evaluatedAt": "2024-01-01", "ipc": 5})),
        ("animal-evaluations", json!({"animal": 2, "evaluatedAt": "2025-01-01", "ipc": 6})),
        ("animal-exteriors", json!({"animal": 2, "assessedAt": "2024-01-01", "generalView": 80})),
    ] {
        mine.push((slug, w.made("admin", slug, body).await));
    }
    for (slug, row) in [
        ("gradings", json!({"id": 1, "animal": 2, "date": "2024-01-01", "grade": "elite"})),
        ("index-values", json!({"id": 1, "animal": 2, "profileKey": "association", "value": 7, "evaluation": 1})),
    ] {
        fill(w.stage, slug, vec![row]).await;
        mine.push((slug, 1));
    }
    let whole = made!(w, "alpha", "access-grants", {"grantee": 2, "scopes": ["origin"]});
    let line = made!(w, "expert", "lines", {"code": "L", "name": "Line", "founder": 2});
    let other = made!(w, "beta", "inseminations", {"animal": 3, "date": "2024-01-01", "embryo": {"donor": 2}});
    w.changed(
        "alpha",
        "animals",
        2,
        json!({"arrivalDate": "9999-12-31", "notes": "n", "archived": true, "archiveReason": "r"}),
    )
    .await;
    let live = w.documents(2).await;
    assert_eq!(live.iter().filter(|d| d.ends_with(" 1")).count(), live.len(), "{live:?}");

    let found = w.list("check-findings", "where[animal][equals]=2").await.len();
    w.gone("admin", "animals", 2).await;

    for (slug, id) in mine {
        ask!(w, "admin", "GET /api/{slug}/{id}" => 404);
    }
    assert_eq!(w.doc("access-grants", whole).await["animal"], Value::Null, "a grant of the herd stays");
    let child = w.doc("animals", 4).await;
    assert_eq!((&child["mother"], &child["father"]), (&Value::Null, &json!(1)));
    let text = &child["pedigreeText"];
    assert_eq!((&text["motherId"], &text["motherName"]), (&json!("960000000002"), &json!("Animal 2")));
    assert_eq!(child["parentStatus"]["mother"], "unknown");
    assert_eq!(w.doc("lines", line).await["founder"], Value::Null);
    assert_eq!(w.doc("inseminations", other).await["embryo"]["donor"], Value::Null);

    let removals = w.list("animal-removals", "").await;
    let row = &removals[0];
    assert_eq!(removals.len(), 1);
    assert_eq!(
        (&row["identNumber"], &row["owner"], &row["archiveReason"]),
        (&json!("960000000002"), &json!(1), &json!("r"))
    );
    assert_eq!((&row["removedRecords"], &row["removedAt"]), (&json!(11 + found), &json!("2026-03-01T12:00:00.000Z")));
    assert_eq!(row["snapshot"]["notes"], "n");
    holds!(w.get("alpha", "/api/animal-removals").await.json(), {"totalDocs": 1});
    assert_eq!(w.get("beta", "/api/animal-removals").await.json()["totalDocs"], 0);

    let after = w.documents(2).await;
    assert!(after.iter().all(|d| d.ends_with(" deleted")), "{after:?}");
    assert_eq!(after.len(), live.len(), "each has its tombstone");
    let stones = w.list("ade-tombstones", "where[reason][equals]=deleted").await;
    assert!(stones.len() >= live.len());
    // The calf stays; the calving that recorded its birth is gone.
    assert!(w.documents(4).await.iter().any(|d| d == "births 1 retyped"), "{:?}", w.documents(4).await);
}

#[test_with(World::each)]
async fn a_bull_leaves_its_services(w: &World<'_>) {
    let service = made!(w, "alpha", "inseminations", {"animal": 2, "date": "2024-07-10", "bull": 1});
    let f = w.doc("animals", 4).await["pedigreeDepth"].clone();
    w.gone("admin", "animals", 1).await;
    assert_eq!(w.doc("inseminations", service).await["bull"], Value::Null);
    let child = w.doc("animals", 4).await;
    assert_eq!(child["pedigreeText"]["fatherId"], "960000000001");
    assert!(child["pedigreeDepth"].as_f64() < f.as_f64(), "computed anew");
}

#[test_with(World::each)]
async fn what_others_need_is_not_deleted(w: &World<'_>) {
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2024-07-10", "method": 2});
    let kind = made!(w, "expert", "haplotype-types", {"code": "H", "name": "H"});
    changed!(w, "alpha", "animals", 4, {"haplotypes": [{"type": kind}]});
    for (slug, id) in [("breeds", 1), ("reproduction-methods", 2), ("haplotype-types", kind), ("organizations", 2)] {
        let answer = refused!(w, "admin", "DELETE /api/{slug}/{id}" => 400 ["id"]);
        assert_eq!(answer.json()["errors"][0]["data"]["id"], id);
    }
    w.gone("expert", "reproduction-methods", 1).await;
    changed!(w, "alpha", "animals", 4, {"haplotypes": []});
    w.gone("expert", "haplotype-types", kind).await;
}

#[test_with(World::each)]
async fn an_organisation_takes_its_herds_along(w: &World<'_>) {
    let id = made!(w, "alpha", "organizations", {"name": "Small"});
    let herd = made!(w, "admin", "herds", {"name": "H", "organization": id});
    let sale = made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": id});
    // A user registers it: what is sold to it from then on would be its own, and keep it in the book.
    changed!(w, "admin", "users", 13, {"organization": id});
    changed!(w, "alpha", "animals", 4, {"birthPlace": {"farm": id}});
    w.gone("admin", "organizations", id).await;
    ask!(w, "admin", "GET /api/herds/{herd}" => 404);
    assert_eq!(w.doc("users", 13).await["organization"], Value::Null);
    assert_eq!(w.doc("animals", 4).await["birthPlace"]["farm"], Value::Null);
    assert_eq!(w.doc("movements", sale).await["to"], Value::Null);
    holds!(w.doc("animals", 2).await, {"state": "sold", "owner": 1}, "what happened stays");
}

#[test_with(World::each)]
async fn a_herd_leaves_its_animals_without_one(w: &World<'_>) {
    w.gone("admin", "herds", 1).await;
    for id in [1, 2, 4] {
        let doc = w.doc("animals", id).await;
        assert_eq!((&doc["herd"], &doc["owner"]), (&Value::Null, &json!(1)));
    }
}

/// An issued document names animal 2, the mother of 4, which therefore stays.
async fn named(w: &World<'_>) {
    made!(w, "expert", "documents", {"title": "Report", "type": "other", "animal": 2, "issuedAt": "2026-02-01"});
}

/// A deletion takes the animal out of its sets; what a set says of its former members does not keep it.
#[test_with(World::both)]
async fn a_set_keeps_no_animal_in_the_book(w: &World<'_>) {
    let set = json!({"name": "Set", "place": "herd", "query": "q", "adeSet": true, "members": [2, 4]});
    let set = w.made("alpha", "saved-searches", set).await;
    let joins = async || {
        let sql = "SELECT count(*) FROM exchange_documents d JOIN exchange_names n ON n.id = d.dataset \
                   WHERE n.name = 'animal-set-joins' AND NOT d.deleted";
        w.stage.number(sql).await
    };
    assert_eq!(joins().await, 2);
    // A former member.
    changed!(w, "alpha", "saved-searches", set, {"members": [2]});
    w.gone("admin", "animals", 4).await;
    assert_eq!(joins().await, 1);
    // A present one.
    w.gone("admin", "animals", 2).await;
    let found = w.get("alpha", &format!("/api/saved-searches/{set}?depth=0")).await;
    assert_eq!(found.json()["members"], json!([]), "{}", found.text);
    assert_eq!(joins().await, 0);
    let row = w.stage.number("SELECT count(*) FROM saved_searches WHERE joins IS NOT NULL OR leaves IS NOT NULL");
    assert_eq!(row.await, 0, "its log entries went along");
}

#[test_with(World::both)]
async fn a_refused_deletion_leaves_no_trace(w: &World<'_>) {
    named(w).await;
    for _ in 0..2 {
        refused!(w, "admin", "DELETE /api/animals/2" => 400 ["id"]);
    }
    assert_eq!(w.doc("animals", 4).await["mother"], 2);
}

#[test_with(World::both)]
async fn what_is_refused_among_others_leaves_no_trace(w: &World<'_>) {
    named(w).await;
    let path = "/api/animals?where[id][in]=2,4&depth=0";
    let answer = w.ask("admin", "DELETE", path, "").await;
    let body = answer.json();
    assert_eq!(body["docs"].as_array().unwrap().len(), 1, "{}", answer.text);
    holds!(body, {"docs.0.id": 4, "errors.0.id": 2});
    let removed = w.list("animal-removals", "").await;
    assert_eq!(removed.len(), 1, "{removed:?}");
    assert_eq!(removed[0]["identNumber"], "960000000004");
}

#[test_with(World::each)]
async fn inbreeding_is_unknown_again_once_no_parent_is_there(w: &World<'_>) {
    let female = |number: &str, born: &str| json!({"identNumber": number, "sex": "female", "birthDate": born});
    let dam = w.made("alpha", "animals", female("960000000006", "2019-06-01")).await;
    let mut calf = female("960000000007", "2022-06-01");
    calf["mother"] = dam.into();
    let calf = w.made("alpha", "animals", calf).await;
    assert_eq!(w.doc("animals", calf).await["inbreeding"], 0.0);
    changed!(w, "alpha", "animals", dam, {"archived": true, "archiveReason": "r"});
    w.gone("admin", "animals", dam).await;
    assert_eq!(w.doc("animals", calf).await["inbreeding"], Value::Null);
}

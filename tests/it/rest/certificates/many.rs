//! Certificates for many animals at once (docs/certificates.md, *For many animals*).

use super::issue::{BULL, COW, FATHER, PEDIGREE, ZOOTECHNICAL, codes, conditions_of, family};
use crate::rest::world::{FORBIDDEN, World, paths};
use serde_json::{Value as Json, json};

const PATH: &str = "/api/documents/for-animals";
const MOTHER: i64 = 31;

/// A request of the Association.
fn body(of: Json) -> Json {
    let mut body = json!({"title": "For the sale", "type": PEDIGREE, "organization": 1, "issuedAt": "2026-03-01"});
    body.as_object_mut().unwrap().extend(of.as_object().unwrap().clone());
    body
}

async fn done(w: &World<'_>, of: Json) -> Json {
    ask!(w, "expert", "POST {PATH}", body(of) => 200).json()
}

/// Codes of what refused an animal.
fn refusals(report: &Json, animal: i64) -> Vec<String> {
    let remaining = report["left"].as_array().unwrap().iter();
    let mut of = remaining.filter(|one| one["animal"] == animal && one["reason"] == "refused");
    let issues = of.next().unwrap()["issues"].as_array().unwrap();
    let code = |issue: &Json| issue["code"].as_str().unwrap().replace("certificate-", "");
    issues.iter().map(code).collect()
}

#[test_with(World::each)]
async fn those_that_meet_the_conditions_get_one_and_of_the_others_it_is_told_why(w: &World<'_>) {
    family(w).await;
    let list = json!({"animals": [MOTHER, BULL, COW]});
    let mut dry = list.clone();
    dry["dryRun"] = json!(true);
    let before = w.stage.content().await;
    let report = done(w, dry.clone()).await;
    holds!(report, {"made": 2, "leftOut": 1, "dryRun": true, "message": "2 Documents would be created."});
    assert_eq!(report["docs"], json!([{"animal": COW}, {"animal": BULL}]));
    let conditions = codes(&conditions_of(w, "expert", MOTHER, PEDIGREE).await, json!(false));
    assert!(conditions.len() > 2, "{conditions:?}");
    assert_eq!(refusals(&report, MOTHER), conditions);
    dry["all"] = json!(true);
    assert_eq!(refusals(&done(w, dry).await, MOTHER), conditions);
    assert!(w.stage.content().await == before, "something was written");

    let made = done(w, list.clone()).await;
    holds!(made, {"made": 2, "leftOut": 1, "dryRun": false});
    assert_eq!(made["left"], report["left"]);
    for (at, animal) in [COW, BULL].into_iter().enumerate() {
        let id = made["docs"][at]["id"].as_i64().unwrap();
        let doc = w.doc("documents", id).await;
        holds!(doc, {"animal": animal, "title": "For the sale", "number": format!("RU-2026-000{}", at + 1),
            "type": PEDIGREE, "issuedAt": "2026-03-01T00:00:00.000Z"});
        assert_eq!(doc["snapshot"]["number"], doc["number"]);
        assert_eq!(doc["publicCode"].as_str().unwrap().len(), 8);
    }

    // Again, as after a broken connection: what is there is left out.
    let second = done(w, list).await;
    holds!(second, {"made": 0, "leftOut": 3});
    let open =
        |at: usize| json!({"animal": made["docs"][at]["animal"], "reason": "open", "id": made["docs"][at]["id"]});
    assert_eq!(second["left"].as_array().unwrap()[..2], [open(0), open(1)]);
    // Another form, and one that was revoked, are not the same.
    let other = done(w, json!({"animals": [COW, BULL], "type": ZOOTECHNICAL})).await;
    assert_eq!(other["made"], 2);
    let first = made["docs"][0]["id"].as_i64().unwrap();
    changed!(w, "expert", "documents", first, {"revoked": {"at": "2026-03-01", "reason": "Lost."}});
    let anew = done(w, json!({"where": {"id": {"in": [COW, BULL]}}})).await;
    holds!(anew, {"made": 1, "leftOut": 1, "docs.0.animal": COW});
}

#[test_with(World::each)]
async fn faults_of_the_request_refuse_it_whole(w: &World<'_>) {
    family(w).await;
    for (of, path) in [
        (json!({"animals": [COW, 999, BULL]}), "animals.1"),
        (json!({"animals": []}), "animals"),
        (json!({"animals": [COW], "where": {"id": {"equals": 1}}}), "animals"),
        (json!({"where": {}}), "where"),
        (json!({"animals": [COW], "type": "nothing"}), "type"),
        (json!({"animals": [COW], "title": null}), "title"),
        (json!({"animals": [COW], "animal": BULL}), "animal"),
        (json!({"animals": [COW], "all": 1}), "all"),
        (json!({"animals": (1..=501).collect::<Vec<i64>>()}), "animals"),
    ] {
        refused!(w, "expert", "POST {PATH}", body(of) => 400 [path]);
    }
    let both = refused!(w, "expert", "POST {PATH}", body(json!({"animals": [COW, 999], "title": null})) => 400);
    let mut fields = paths(&both);
    fields.sort();
    assert_eq!(fields, ["animals.1", "title"]);
    // Where all or none are wanted, each animal that does not meet the conditions refuses the others.
    let all = body(json!({"animals": [COW, MOTHER, FATHER], "all": true}));
    let answer = refused!(w, "expert", "POST {PATH}", all => 400);
    let mut fields = paths(&answer);
    fields.sort();
    fields.dedup();
    let mut expected = [MOTHER, FATHER].map(|id| format!("animals.{id}"));
    expected.sort();
    assert_eq!(fields, expected);
    answer.has(&["trust level 3"]);
    let made = done(w, json!({"animals": [COW, BULL], "all": true})).await;
    assert_eq!(made["made"], 2);
}

/// Others learn nothing of certificates and conditions, also not of animals that they read.
#[test_with(World::each)]
async fn only_the_association_issues_for_many(w: &World<'_>) {
    family(w).await;
    done(w, json!({"animals": [COW]})).await;
    changed!(w, "alpha", "animals", COW, {"publicVisible": true, "publicDetails": true});
    for who in ["alpha", "operator", "viewer", "beta", ""] {
        for of in [
            json!({"animals": [COW]}),
            json!({"animals": [999]}),
            json!({}),
            json!({"animals": [COW], "issuedAt": null}),
        ] {
            for dry in [true, false] {
                let mut of = body(of.clone());
                of["dryRun"] = json!(dry);
                refused!(w, who, "POST {PATH}", of => FORBIDDEN);
            }
        }
    }
    ask!(w, "admin", "POST /api/herds/for-animals", {} => 404);
    assert_eq!(w.get("admin", PATH).await.status, 404);
}

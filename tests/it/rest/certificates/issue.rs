//! Certificates: the conditions under which they are issued, and what they keep (docs/certificates.md).

use crate::rest::animals::states::force;
use crate::rest::world::{World, faults, fill};
use model::record::{Record, Value};
use model::registry::{BookReader, Lookup};
use serde_json::{Value as Json, json};
use store::statement_log;

/// The cow of Alpha that meets all conditions.
pub(crate) const COW: i64 = 20;
/// Her brother, a bull of Alpha.
pub(crate) const BULL: i64 = 21;
/// Their father, who is Beta's, as are his ancestors.
pub(crate) const FATHER: i64 = 30;
/// The father's father.
pub(crate) const GRANDFATHER: i64 = 32;
/// His father.
const ELDER: i64 = 36;

pub(crate) const ZOOTECHNICAL: &str = "zootechnicalCertificate";
pub(crate) const PEDIGREE: &str = "pedigreeCertificate";

fn animal(id: i64, sex: &str, birth: i64, owner: i64, parents: [Option<i64>; 2]) -> Json {
    json!({
        "id": id, "identNumber": format!("96000001{id:04}"), "sex": sex, "birthDate": format!("{birth}-03-01"),
        "owner": owner, "name": format!("Name {id}"), "breed": 1, "father": parents[0], "mother": parents[1],
    })
}

/// A cow and a bull that meet all conditions, with their ancestors.
pub(crate) async fn family(w: &World<'_>) {
    let mut animals = vec![
        animal(ELDER, "male", 2004, 2, [None, None]),
        animal(GRANDFATHER, "male", 2008, 2, [Some(ELDER), None]),
        animal(33, "female", 2008, 2, [None, None]),
        animal(34, "male", 2008, 1, [None, None]),
        animal(35, "female", 2009, 1, [None, None]),
        animal(FATHER, "male", 2012, 2, [Some(GRANDFATHER), Some(33)]),
        animal(31, "female", 2013, 1, [Some(34), Some(35)]),
    ];
    animals[6]["lactations"] = json!([
        {"number": 1, "milk305": 7000, "milkYield": 7400}, {"number": 2, "milk305": 9100, "fat305": 4.1},
    ]);
    for (id, sex) in [(COW, "female"), (BULL, "male")] {
        let mut one = animal(id, sex, 2018, 1, [Some(FATHER), Some(31)]);
        one["trustLevel"] = json!(3);
        one["bloodPercent"] = json!(87.5);
        one["dnaTests"] = json!([{
            "date": "2019-01-10", "verdict": "confirmed", "authMethod": "byOM", "laboratory": 1, "attestedBy": "laboratory",
            "certificateNumber": "G-1", "result": "a secret", "isagEth3": "117/125", "snpCount": 45,
        }]);
        animals.push(one);
    }
    animals[7]["lactations"] = json!([{"number": 1, "calvingDate": "2020-05-01", "milk305": 8000}]);
    animals[7]["ageGroup"] = json!("firstCalf");
    animals[7]["altIds"] = json!({"earTag": "TAG 20"});
    // Never a part of a certificate.
    animals[7]["notes"] = json!("her owner's own notes");
    fill(w.stage, "animals", animals).await;
    let valued = |id: i64, animal: i64| json!({"id": id, "animal": animal, "evaluatedAt": "2024-04-01", "ipc": 120.5, "ipcR": 70, "center": "Centre"});
    let valued = vec![valued(20, COW), valued(21, BULL), valued(31, 31)];
    fill(w.stage, "animal-evaluations", valued).await;
    let seen = json!({"id": 20, "animal": COW, "assessedAt": "2021-02-02", "generalView": 85, "height": 7});
    fill(w.stage, "animal-exteriors", vec![seen]).await;
}

fn certificate(kind: &str, animal: i64) -> Json {
    json!({"title": "Certificate", "type": kind, "animal": animal, "organization": 1, "issuedAt": "2026-03-01"})
}

/// Issues one; the document.
pub(crate) async fn issued(w: &World<'_>, kind: &str, animal: i64) -> Json {
    let id = made!(w, "expert", "documents", certificate(kind, animal));
    w.doc("documents", id).await
}

pub(crate) async fn conditions_of(w: &World<'_>, who: &str, animal: i64, kind: &str) -> Json {
    let answer = ask!(w, who, "GET /api/animals/{animal}/certificate-conditions?type={kind}" => 200);
    answer.json()
}

/// Codes of conditions by what became of them.
pub(crate) fn codes(report: &Json, met: Json) -> Vec<String> {
    let all = report["conditions"].as_array().unwrap().iter();
    let all = all.filter(|one| one["met"] == met);
    all.map(|one| one["code"].as_str().unwrap().replace("certificate-", "")).collect()
}

pub(crate) async fn row(w: &World<'_>, id: i64) -> Record {
    let read = w
        .stage
        .book
        .transact(move |work| Box::pin(async move { work.find("animals", Lookup::by_ids("id", [id])).await }));
    read.await.unwrap().remove(0)
}

#[test_with(World::each)]
async fn a_refusal_names_every_condition_that_is_not_met(w: &World<'_>) {
    family(w).await;
    let null = || Value::Null;
    type Forced = (i64, Vec<(&'static str, Value)>);
    // What is forced on which record: what is then unmet in the zootechnical form, in that of the pedigree.
    let cases: [(i64, Forced, &str, &str); 14] = table![
        COW, (COW, vec![("trustLevel", Value::Int(2))]), "trust", "trust";
        COW, (COW, vec![("breed", null())]), "breed", "breed";
        COW, (COW, vec![("birthDate", null())]), "birth", "birth";
        COW, (COW, vec![("father", null())]), "parents grandparents", "parents grandparents great-grandparent";
        COW, (31, vec![("mother", null())]), "grandparents", "grandparents";
        COW, (GRANDFATHER, vec![("father", null())]), "", "great-grandparent";
        COW, (COW, vec![("parentStatus.father", "declared".into()), ("parentStatus.mother", "declared".into())]),
            "parentage", "parentage";
        COW, (COW, vec![("parentStatus.mother", "excluded".into())]), "parentage", "parentage";
        COW, (COW, vec![("parentStatus.father", "stated".into()), ("parentStatus.mother", "stated".into())]),
            "parentage", "parentage";
        COW, (COW, vec![("ipc", null())]), "index", "";
        BULL, (BULL, vec![("ipc", null())]), "index", "index";
        BULL, (BULL, vec![("evaluationDate", null())]), "index", "index";
        COW, (COW, vec![("lactations", null())]), "", "lactation";
        COW, (COW, vec![
            ("trustLevel", Value::Int(-1)), ("breed", null()), ("birthDate", null()), ("father", null()),
            ("mother", null()), ("parentStatus.father", "unknown".into()),
            ("parentStatus.mother", "unknown".into()), ("ipc", null()), ("lactations", null()),
        ]), "trust breed birth parents grandparents parentage index",
            "trust breed birth parents grandparents great-grandparent parentage lactation";
    ];
    for (animal, (id, forced), zootechnical, pedigree) in cases {
        let before = row(w, id).await;
        let c = w.stage.book.registry.get("animals").unwrap();
        let restored: Vec<_> =
            (forced.iter()).map(|(path, _)| (*path, before.get(c.slot(path).unwrap()).clone())).collect();
        force(w, "animals", id, &forced).await;
        for (kind, unmet) in [(ZOOTECHNICAL, zootechnical), (PEDIGREE, pedigree)] {
            let report = conditions_of(w, "expert", animal, kind).await;
            let unmet: Vec<&str> = unmet.split_whitespace().collect();
            assert_eq!(codes(&report, json!(false)), unmet, "{forced:?} {kind}");
            assert_eq!(report["met"], unmet.is_empty(), "{forced:?} {kind}");
            if unmet.is_empty() {
                continue;
            }
            let body = certificate(kind, animal).to_string();
            let answer = w.refused("expert", "POST", "/api/documents", &body).await;
            assert_eq!(answer.status, 400);
            let expected: Vec<(String, String)> = (report["conditions"].as_array().unwrap().iter())
                .filter(|one| one["met"] == false)
                .map(|one| ("animal".to_owned(), one["message"]["en"].as_str().unwrap().to_owned()))
                .collect();
            assert_eq!(faults(&answer), expected, "{forced:?} {kind}");
        }
        force(w, "animals", id, &restored).await;
    }
    for (kind, animal) in [(ZOOTECHNICAL, COW), (PEDIGREE, COW), (ZOOTECHNICAL, BULL), (PEDIGREE, BULL)] {
        assert_eq!(conditions_of(w, "expert", animal, kind).await["met"], true);
        issued(w, kind, animal).await;
    }
    // Drafts, and other documents, need none of it.
    made!(w, "alpha", "documents", {"title": "Draft", "animal": 4, "type": PEDIGREE});
    made!(w, "expert", "documents", {"title": "Report", "animal": 4, "type": "other", "issuedAt": "2026-03-01"});
    refused!(w, "expert", "POST /api/documents", {"title": "t", "type": PEDIGREE, "issuedAt": "2026-03-01"}
        => 400 ["animal"]);
    // A farm does not issue, and learns nothing of the conditions by trying.
    w.post("alpha", "documents", certificate(PEDIGREE, 4)).await.assert_faulty(403, &["issuedAt"]);
}

#[test_with(World::each)]
async fn a_draft_becomes_a_certificate_under_the_same_conditions(w: &World<'_>) {
    family(w).await;
    let draft = json!({"title": "Draft", "type": ZOOTECHNICAL, "animal": 4, "organization": 1});
    let draft = w.made("alpha", "documents", draft).await;
    let path = format!("/api/documents/{draft}");
    let body = json!({"issuedAt": "2026-03-01"});
    let answer = w.refused("expert", "PATCH", &path, &body.to_string()).await;
    assert!(faults(&answer).len() > 3, "{}", answer.text);
    changed!(w, "expert", "documents", draft, {"animal": COW});
    let doc = w.changed("expert", "documents", draft, body).await;
    assert_eq!(doc["snapshot"]["animal"]["identNumber"], "960000010020");

    // What stands on paper does not change.
    for (path, body) in [
        ("type", json!({"type": PEDIGREE})),
        ("type", json!({"type": "other"})),
        ("animal", json!({"animal": 4})),
        ("number", json!({"number": "X-1"})),
        ("issuedAt", json!({"issuedAt": "2026-03-02"})),
    ] {
        patch!(w, "expert", "documents", draft, body).assert_faulty(400, &[path]);
    }
    changed!(w, "expert", "documents", draft, {"title": "Renamed"});
    // Nor does another document become one by its type alone.
    let other = json!({"title": "t", "type": "other", "animal": 4, "issuedAt": "2026-03-01", "organization": 1});
    let other = w.made("expert", "documents", other).await;
    let answer = patch!(w, "expert", "documents", other, {"type": ZOOTECHNICAL});
    assert!(faults(&answer).len() > 3, "{}", answer.text);
    changed!(w, "expert", "documents", other, {"animal": COW});
    let doc = changed!(w, "expert", "documents", other, {"type": ZOOTECHNICAL});
    holds!(doc, {"number": "RU-2026-0002", "snapshot.number": "RU-2026-0002"});
}

#[test_with(World::each)]
async fn a_batch_asks_once_for_each_kind_of_rows(w: &World<'_>) {
    family(w).await;
    let issue = async |animals: &[i64]| {
        let all: Vec<Json> = (animals.iter()).map(|animal| certificate(PEDIGREE, *animal)).collect();
        statement_log::written();
        let body = Json::from(all).to_string();
        let answer = w.ask("expert", "POST", "/api/documents?depth=0", body).await;
        let mut statements = statement_log::written();
        statements.retain(|sql| sql.starts_with("SELECT"));
        (answer, statements)
    };
    let (answer, one) = issue(&[COW]).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert!(one.len() > 5, "{one:#?}");
    // Other animals, since a transaction does not read the same rows twice.
    let brothers: Vec<i64> = (40..70).collect();
    let rows = brothers.iter().map(|id| {
        let mut one = animal(*id, "male", 2018, 1, [Some(FATHER), Some(31)]);
        one["trustLevel"] = json!(3);
        one["dnaTests"] = json!([{"verdict": "confirmed", "authMethod": "byO", "attestedBy": "laboratory"}]);
        one
    });
    fill(w.stage, "animals", rows.collect()).await;
    let values = brothers.iter().map(|id| json!({"id": id, "animal": id, "evaluatedAt": "2024-04-01", "ipc": 100}));
    fill(w.stage, "animal-evaluations", values.collect()).await;
    let (answer, thirty) = issue(&brothers).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert!(thirty.len() <= one.len() + 2, "{thirty:#?} for thirty, {one:#?} for one");
    let body = answer.json();
    for (at, result) in body["results"].as_array().unwrap().iter().enumerate() {
        let number = format!("RU-2026-{:04}", at + 2);
        assert_eq!(result["doc"]["number"], number);
        assert_eq!(result["doc"]["snapshot"]["number"], number);
    }

    // One that does not meet the conditions is refused by itself.
    let (answer, _) = issue(&[COW, 4, BULL]).await;
    let body = answer.json();
    let status = |at: usize| body["results"][at]["status"].as_i64().unwrap();
    assert_eq!([status(0), status(1), status(2)], [201, 400, 201], "{body}");
    let errors = &body["results"][1]["errors"][0]["data"]["errors"];
    assert!(errors.as_array().unwrap().len() > 3, "{body}");
    assert_eq!(w.list("documents", "").await.len(), 33);

    // What is shown of an ancestor is the same when the ancestor gets one too.
    let mut calf = animal(22, "female", 2025, 2, [Some(BULL), Some(COW)]);
    calf["trustLevel"] = json!(3);
    calf["dnaTests"] = json!([{"verdict": "confirmed", "authMethod": "byM", "attestedBy": "laboratory"}]);
    fill(w.stage, "animals", vec![calf]).await;
    let mother = async |animals: &[i64]| {
        let (answer, _) = issue(animals).await;
        let doc = answer.json()["results"][animals.len() - 1]["doc"].clone();
        doc["snapshot"]["pedigree"][1].clone()
    };
    let closed = mother(&[COW, 22]).await;
    assert_eq!((&closed["place"], closed.get("lactation")), (&json!(3), None));
    changed!(w, "alpha", "animals", COW, {"publicVisible": true, "publicDetails": true});
    let open = mother(&[COW, 22]).await;
    assert_eq!(open["lactation"]["milk305"], 8000);
    assert_eq!(mother(&[22]).await, open);
}

#[test_with(World::each)]
async fn the_snapshot_is_frozen_and_shows_what_is_meant_to_be_shown(w: &World<'_>) {
    family(w).await;
    let doc = issued(w, PEDIGREE, COW).await;
    let shown = &doc["snapshot"];
    holds!(shown, {
        "form": PEDIGREE, "version": 1, "number": "RU-2026-0001", "issuedAt": "2026-03-01",
        "owner": "Alpha",
        "animal": {
            "identNumber": "960000010020", "name": "Name 20", "nameLatin": "Name 20",
            "altIds": {"internationalId": "HOLRUSF960000010020", "earTag": "TAG 20"}, "sex": "female",
            "birthDate": "2018-03-01", "breed": "Holstein", "bloodPercent": 87.5, "trustLevel": 3,
        },
        "parents": {"father": "confirmed", "mother": "confirmed"},
        "parentage": [{
            "date": "2019-01-10", "laboratory": "Alpha", "method": "byOM", "verdict": "confirmed",
            "certificateNumber": "G-1",
        }],
        "index": {"value": 120.5, "date": "2024-04-01", "reliability": 70, "center": "Centre"},
        "lactations": [{"number": 1, "calvingDate": "2020-05-01", "milk305": 8000}],
        "exterior": {"assessedAt": "2021-02-02", "generalView": 85},
    });
    let ancestors = shown["pedigree"].as_array().unwrap();
    let places: Vec<i64> = ancestors.iter().map(|a| a["place"].as_i64().unwrap()).collect();
    assert_eq!(places, [2, 3, 4, 5, 6, 7, 8]);
    let father = json!({
        "place": 2, "identNumber": "960000010030", "name": "Name 30", "breed": "Holstein", "birthYear": "2012",
    });
    assert_eq!(ancestors[0], father);
    // The mother has the same owner.
    holds!(ancestors[1], {
        "lactation": {"number": 2, "milk305": 9100, "fat305": 4.1},
        "index": {"value": 120.5, "date": "2024-04-01"},
    });
    let text = shown.to_string();
    for hidden in ["117/125", "a secret", "isag", "notes", "snpCount", "Beta"] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    let short = issued(w, ZOOTECHNICAL, COW).await;
    assert_eq!(short["snapshot"]["pedigree"].as_array().unwrap().len(), 6);

    // Whatever changes later, the certificate shows what it showed.
    let id = doc["id"].as_i64().unwrap();
    changed!(w, "alpha", "animals", COW, {"name": "Other", "altIds": {"earTag": "TAG 21"}});
    changed!(w, "beta", "animals", FATHER, {"name": "Other father", "publicVisible": true, "publicDetails": true});
    changed!(w, "admin", "breeds", 1, {"name": "Other breed"});
    changed!(w, "expert", "documents", id, {"title": "Renamed"});
    changed!(w, "expert", "documents", id, {"snapshot": {"animal": {}}, "publicCode": "AAAAAAAA"});
    made!(w, "alpha", "movements", {"animal": COW, "date": "2026-02-20", "kind": "sale", "to": 2});
    let now = w.doc("documents", id).await;
    assert_eq!((&now["snapshot"], &now["publicCode"]), (shown, &doc["publicCode"]));
    changed!(w, "expert", "documents", id, {"revoked": {"at": "2026-03-01", "reason": "Wrong."}});
    assert_eq!(&w.doc("documents", id).await["snapshot"], shown);
}

//! Kinship of an animal with others (docs/mating.md, *Kinship*): the numbers, and who learns them.

use super::kinship::family;
use crate::rest::world::{NOT_FOUND, World};
use serde_json::{Value, json};
use store::statement_log;

fn members<'a>(docs: &'a Value, name: &str) -> Vec<&'a Value> {
    docs.as_array().unwrap().iter().map(|doc| &doc[name]).collect()
}

#[test_with(World::both)]
async fn kinship_is_that_of_the_whole_pedigree(w: &World<'_>) {
    let [old, hidden, bull, cow, calf] = family(w).await;
    let path = format!("/api/animals/{bull}/kinship?with={cow},{hidden},{old},{bull},{cow}");
    let answer = ask!(w, "beta", "GET {path}" => 200).json();
    let docs = &answer["docs"];
    assert_eq!(members(docs, "animal"), [cow, hidden, old, bull]);
    assert_eq!(members(docs, "kinship"), [0.125, 0.25, 0.125, 0.5]);
    assert_eq!(members(docs, "relationship"), [0.25, 0.5, 0.25, 1.0]);
    // A calf has a cow and a bull.
    assert_eq!(members(docs, "expectedInbreeding"), [&json!(12.5), &Value::Null, &Value::Null, &Value::Null]);
    holds!(answer, {"meanKinship": 0.25, "animal.animal": bull, "animal.inbreeding": 0.0, "animal.pedigreeDepth": 0.75,
        "animal.generations": 2, "missing": []});
    holds!(docs[0], {"pedigreeDepth": 0.75, "generations": 2, "inbreeding": 0.0, "otherAncestors": 0.0, "carriers": []});
    let nearest = &docs[0]["commonAncestors"];
    assert_eq!(nearest.as_array().unwrap().len(), 1, "the sire, not his sire: {nearest}");
    holds!(nearest[0], {"animal.id": hidden, "animal.name": "Kin 2", "contribution": 0.125, "generations": 1});
    let method = answer["method"].as_str().unwrap();
    assert!(method.contains("Colleau"), "{method}");
    assert!(answer["computedAt"].is_string());

    // The expected inbreeding of a calf is the one that a calf has.
    let own = w.get("alpha", &format!("/api/animals/{calf}/kinship?with={calf}")).await.json();
    holds!(own, {"animal.inbreeding": 12.5, "docs.0.kinship": 0.5625, "docs.0.relationship": 1.0});
    assert_eq!(w.doc("animals", calf).await["inbreeding"], 12.5);

    // Two ways to one ancestor: over the cow, and over the bull.
    let path = format!("/api/animals/{calf}/kinship?with[]={cow}");
    let answer = w.get("expert", &path).await.json();
    let parts = &answer["docs"][0]["commonAncestors"];
    assert_eq!(answer["docs"][0]["kinship"], 0.3125);
    let of = |part: &Value| (part["animal"]["id"].as_i64(), part["contribution"].as_f64());
    let parts: Vec<_> = parts.as_array().unwrap().iter().map(of).collect();
    assert_eq!(parts, [(Some(cow), Some(0.25)), (Some(hidden), Some(0.0625))]);
}

/// Pedigrees stay in memory. What is corrected counts at once all the same.
#[test_with(World::both)]
async fn corrected_parents_count_at_once_in_each_process(w: &World<'_>) {
    let [old, hidden, bull, cow, calf] = family(w).await;
    let neighbour = w.stage.other_process().await;
    let other = World::of(&neighbour, w.tokens());
    // The kinship of some with the cow and the old bull, and how many statements read parents.
    let kinship = async |w: &World<'_>, id: i64| {
        statement_log::read();
        let answer = w.get("expert", &format!("/api/animals/{id}/kinship?with={cow},{old}")).await.json();
        let read = statement_log::read().into_iter().filter(|sql| sql.contains("\"father\", a.\"mother\""));
        let of = members(&answer["docs"], "kinship").into_iter().filter_map(Value::as_f64);
        (of.collect::<Vec<_>>(), read.count())
    };
    assert_eq!(kinship(w, calf).await, (vec![0.3125, 0.125], 2));
    assert_eq!(kinship(&other, calf).await, (vec![0.3125, 0.125], 2));
    // Neither other fields nor new animals make it forget.
    changed!(w, "beta", "animals", cow, {"name": "Renamed"});
    assert_eq!(kinship(w, calf).await, (vec![0.3125, 0.125], 0));
    let young = json!({"identNumber": "960000005009", "sex": "female", "birthDate": "2023-01-01", "breed": 1,
        "father": bull, "mother": calf});
    let young = w.made("alpha", "animals", young).await;
    assert_eq!(kinship(w, young).await, (vec![0.21875, 0.125], 1));
    // The half sibs become strangers, and half sibs again.
    changed!(w, "beta", "animals", cow, {"father": null});
    for w in [w, &other] {
        assert_eq!(kinship(w, calf).await.0, [0.25, 0.0625]);
    }
    changed!(other, "beta", "animals", cow, {"father": hidden});
    for w in [w, &other] {
        assert_eq!(kinship(w, calf).await.0, [0.3125, 0.125]);
    }
}

/// A book that is read in advance answers as one that is not, and what is corrected counts at once.
#[test_with(World::both)]
async fn a_book_is_read_in_advance(w: &World<'_>) {
    let [old, hidden, bull, cow, calf] = family(w).await;
    let neighbour = w.stage.other_process().await;
    let other = World::of(&neighbour, w.tokens());
    let path = format!("/api/animals/{calf}/kinship?with={cow},{old},{bull},{hidden}");
    // The answer, and how many statements read parents for it.
    let asked = async |w: &World<'_>| {
        statement_log::read();
        let docs = w.get("expert", &path).await.json()["docs"].clone();
        let read = statement_log::read().into_iter().filter(|sql| sql.contains("\"father\", a.\"mother\""));
        (docs, read.count())
    };
    let in_advance = async |w: &World<'_>| api::read_pedigrees(&w.stage.hub).await.unwrap();
    assert!(in_advance(w).await);
    let (docs, read) = asked(w).await;
    assert_eq!(read, 0);
    let (expected, read) = asked(&other).await;
    assert!(read > 0);
    assert_eq!(docs, expected);
    assert_eq!(docs[0]["kinship"], 0.3125);
    // Nothing is read twice.
    statement_log::read();
    assert!(in_advance(w).await);
    assert!(!statement_log::read().iter().any(|sql| sql.contains("\"mother\"")));
    // Of an animal that was added later, only itself is read.
    let young = json!({"identNumber": "960000005009", "sex": "female", "birthDate": "2023-01-01", "breed": 1,
        "father": bull, "mother": calf});
    let young = w.made("alpha", "animals", young).await;
    statement_log::read();
    let answer = w.get("expert", &format!("/api/animals/{young}/kinship?with={cow}")).await.json();
    assert_eq!(answer["docs"][0]["kinship"], 0.21875);
    // Corrected by the other process, and by this one, before the book is read again and after.
    for (by, at) in [(&other, w), (w, &other)] {
        for (father, kinship) in [(Value::Null, 0.25), (json!(hidden), 0.3125)] {
            changed!(by, "beta", "animals", cow, {"father": father});
            let (docs, read) = asked(at).await;
            assert!(read > 0 && docs[0]["kinship"] == kinship, "{read} {docs}");
            assert!(in_advance(at).await);
            assert_eq!(asked(at).await, (docs, 0));
        }
    }
    // Once more where somebody asked since it was read, and then for nobody.
    assert!(in_advance(w).await);
    changed!(w, "beta", "animals", cow, {"father": null});
    statement_log::read();
    assert!(in_advance(w).await);
    assert!(!statement_log::read().iter().any(|sql| sql.contains("\"mother\"")));
    let (docs, read) = asked(w).await;
    assert!(read > 0 && docs[0]["kinship"] == 0.25, "{read} {docs}");
}

/// A book that has no room is read as it is asked about.
#[tokio::test]
async fn a_book_beyond_the_memory_is_not_read_in_advance() {
    for bytes in ["0", "64"] {
        World::under(&[("cache.pedigrees", bytes)], async |w| {
            let [_, _, _, cow, calf] = family(w).await;
            assert!(!api::read_pedigrees(&w.stage.hub).await.unwrap());
            for _ in 0..2 {
                let answer = w.get("expert", &format!("/api/animals/{calf}/kinship?with={cow}")).await.json();
                assert_eq!(answer["docs"][0]["kinship"], 0.3125);
            }
        })
        .await;
    }
}

#[test_with(World::each)]
async fn an_animal_whose_parents_are_closed_is_answered_as_one_that_is_not_there(w: &World<'_>) {
    let [old, hidden, bull, cow, calf] = family(w).await;
    // The rows of bull and cow are open, their cards are not; the others are closed.
    let closed = w.get("alpha", &format!("/api/animals/{bull}/kinship?with={calf}")).await;
    closed.assert_is(NOT_FOUND, "closed card");
    ask!(w, "alpha", "GET /api/animals/{hidden}/kinship?with={calf}" => 404);
    ask!(w, "alpha", "GET /api/animals/999999/kinship?with={calf}" => 404);
    let nobody = w.get("alpha", &format!("/api/animals/{calf}/kinship?with=999999")).await.json();
    for id in [bull, cow, hidden, old] {
        let answer = w.get("alpha", &format!("/api/animals/{calf}/kinship?with={id}")).await;
        let mut answer = answer.json();
        assert_eq!(answer["missing"], json!([id]));
        answer["missing"] = json!([999_999]);
        answer["computedAt"] = nobody["computedAt"].clone();
        assert_eq!(answer, nobody);
    }
    // Strangers, and farms that the calf is not open to.
    for who in ["", "beta", "delta"] {
        ask!(w, who, "GET /api/animals/{calf}/kinship?with=1" => 404);
    }
    // With an open card its pedigree counts and is shown, closed ancestors by their identity alone.
    changed!(w, "beta", "animals", cow, {"publicDetails": true});
    let answer = w.get("alpha", &format!("/api/animals/{calf}/kinship?with={cow},{bull}")).await;
    answer.lacks(&["SECRET", "Secret"]);
    let answer = answer.json();
    assert_eq!(answer["missing"], json!([bull]));
    holds!(answer["docs"][0], {"kinship": 0.3125, "commonAncestors.1.animal.identNumber": "960000005002"});
    let identity = answer["docs"][0]["commonAncestors"][1]["animal"].as_object().unwrap();
    let names: Vec<&str> = identity.keys().map(String::as_str).collect();
    assert_eq!(names, ["id", "identNumber", "name", "sex", "birthDate", "breed"]);
    ask!(w, "alpha", "GET /api/animals/{hidden}" => 404);
    // The officer of the Association reads all of them.
    let path = format!("/api/animals/{calf}/kinship?with={bull},{cow},{hidden},{old}");
    let all = w.get("expert", &path).await.json();
    assert_eq!(all["docs"].as_array().unwrap().len(), 4);
}

#[test_with(World::each)]
async fn what_both_carry_is_told(w: &World<'_>) {
    let type_of = async |code: &str| made!(w, "expert", "haplotype-types", {"code": code, "name": code});
    let (first, other) = (type_of("HH1").await, type_of("HH3").await);
    let tested = |status: &str, id: i64| json!({"type": id, "status": status});
    let of_bull = json!({"genetics": {"cvm": "carrier", "blad": "carrier"},
        "haplotypes": [tested("carrier", first), tested("carrier", other)]});
    let of_cow = json!({"genetics": {"cvm": "carrier", "blad": "free"},
        "haplotypes": [tested("homozygous", first), tested("free", other)]});
    w.changed("alpha", "animals", 1, of_bull).await;
    w.changed("alpha", "animals", 2, of_cow).await;
    let answer = w.get("alpha", "/api/animals/1/kinship?with=2,4").await.json();
    assert_eq!(answer["docs"][0]["carriers"], json!(["CVM", "HH1"]));
    holds!(answer["docs"][1], {"carriers": [], "expectedInbreeding": 25.0});
}

#[test_with(World::each)]
async fn ids_that_are_none_are_refused(w: &World<'_>) {
    for query in ["", "?with=", "?with=x", "?with=1,x", "?with=-1", "?with=1,,2", "?with[a]=1"] {
        refused!(w, "alpha", "GET /api/animals/1/kinship{query}" => 400);
    }
    let ids: Vec<String> = (1..=501).map(|id| id.to_string()).collect();
    let (all, most) = (ids.join(","), ids[..500].join(","));
    refused!(w, "alpha", "GET /api/animals/1/kinship?with={all}" => 400 ["with"]);
    let answer = ask!(w, "alpha", "GET /api/animals/1/kinship?with={most}" => 200).json();
    assert_eq!(members(&answer["docs"], "animal"), [1, 2, 4]);
    assert_eq!(answer["missing"].as_array().unwrap().len(), 497);
    // Of so many no ancestors are named.
    assert_eq!(members(&answer["docs"], "commonAncestors"), [&Value::Null; 3]);
    let few = ask!(w, "alpha", "GET /api/animals/1/kinship?with=1,2,4" => 200).json();
    assert_eq!(members(&few["docs"], "kinship"), members(&answer["docs"], "kinship"));
    assert!(few["docs"][2]["commonAncestors"].is_array());
    refused!(w, "alpha", "GET /api/animals/x/kinship?with=1" => 404);
    refused!(w, "alpha", "GET /api/herds/1/kinship?with=1" => 404);
}

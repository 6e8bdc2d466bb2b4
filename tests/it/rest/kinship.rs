//! Inbreeding and depth of a pedigree that a farm chose measure nothing that it does not read.

use super::world::World;
use serde_json::{Value, json};

/// The values that alpha reads of the pedigree of its calf.
async fn values(w: &World<'_>, calf: i64) -> (Option<f64>, Option<f64>) {
    let doc = w
        .get("alpha", &format!("/api/animals/{calf}?depth=0"))
        .await
        .json();
    (doc["inbreeding"].as_f64(), doc["pedigreeDepth"].as_f64())
}

#[tokio::test]
async fn a_calf_of_two_chosen_parents_tells_nothing_of_their_hidden_ancestors() {
    World::each(async |w| {
        let animal = async |who: &str, number: i64, body: Value| {
            let mut whole = json!({"identNumber": number.to_string(), "sex": "male"});
            whole
                .as_object_mut()
                .unwrap()
                .extend(body.as_object().unwrap().clone());
            w.made(who, "animals", whole).await
        };
        let hidden = animal("beta", 960_000_005_001, json!({"birthDate": "2014-01-01"})).await;
        // Half sibs by a sire that alpha does not read; their cards are closed.
        let young = json!({"birthDate": "2017-01-01", "father": hidden, "publicVisible": true});
        let bull = animal("beta", 960_000_005_002, young.clone()).await;
        let cow = animal("beta", 960_000_005_003, {
            let mut cow = young;
            cow["sex"] = "female".into();
            cow
        })
        .await;
        let calf = json!({"birthDate": "2021-01-01", "father": bull, "mother": cow});
        let calf = animal("alpha", 960_000_005_004, calf).await;
        assert_eq!(
            values(w, calf).await,
            (Some(0.0), Some(1.0)),
            "both are founders to alpha"
        );

        // One opened card names one grandsire, and no kinship yet.
        changed!(w, "beta", "animals", bull, {"publicDetails": true});
        assert_eq!(values(w, calf).await, (Some(0.0), Some(1.25)));
        changed!(w, "beta", "animals", cow, {"publicDetails": true});
        assert_eq!(
            values(w, calf).await,
            (Some(12.5), Some(1.5)),
            "alpha reads both links"
        );
        changed!(w, "beta", "animals", bull, {"publicDetails": false});
        assert_eq!(values(w, calf).await, (Some(0.0), Some(1.25)));

        // An animal that the Association verified has the value of the book.
        let asked =
            made!(w, "alpha", "verification-requests", {"animals": [calf], "purpose": "trust"});
        for status in ["checking", "approved"] {
            changed!(w, "expert", "verification-requests", asked, {"status": status});
        }
        assert_eq!(w.doc("animals", calf).await["trustLevel"], 3);
        assert_eq!(values(w, calf).await, (Some(12.5), Some(1.5)));
    })
    .await;
}

#[tokio::test]
async fn a_sale_changes_who_reads_the_pedigree_above() {
    World::each(async |w| {
        let made = async |who: &str, number: i64, sex: &str, born: &str, father: Value, mother: Value| {
            let body = json!({"identNumber": number.to_string(), "sex": sex, "birthDate": born, "father": father, "mother": mother});
            w.made(who, "animals", body).await
        };
        let none = || Value::Null;
        let sire = made("beta", 960_000_005_011, "male", "2014-01-01", none(), none()).await;
        let dam = made("beta", 960_000_005_012, "female", "2016-01-01", sire.into(), none()).await;
        let calf = made("beta", 960_000_005_013, "female", "2020-01-01", sire.into(), dam.into()).await;
        assert_eq!(w.doc("animals", calf).await["inbreeding"], 25.0);
        made!(w, "beta", "movements", {"animal": calf, "date": "2024-01-01", "kind": "sale", "to": 1});
        assert_eq!(values(w, calf).await, (Some(0.0), Some(1.0)), "the dam's parents are beta's alone");
    })
    .await;
}

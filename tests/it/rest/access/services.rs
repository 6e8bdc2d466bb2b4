//! The number of services of a bull reveals no service to its owner that the owner cannot read.

use crate::rest::world::World;
use serde_json::{Value, json};

async fn count(w: &World<'_>, who: &str, bull: i64) -> Option<i64> {
    let path = format!("/api/animals/{bull}?depth=0");
    w.get(who, &path).await.json()["semen"]["inseminations"].as_i64()
}

#[test_with(World::each)]
async fn a_bull_shows_the_services_that_its_owner_reads_until_it_is_confirmed(w: &World<'_>) {
    let animal = async |who: &str, number: i64, sex: &str| {
        let body = json!({"identNumber": number.to_string(), "sex": sex, "birthDate": "2018-01-01"});
        w.made(who, "animals", body).await
    };
    let bull = animal("alpha", 960_000_006_001, "male").await;
    let own = animal("alpha", 960_000_006_002, "female").await;
    let hidden = animal("beta", 960_000_006_003, "female").await;
    let served = async |who: &str, cow: i64, day: &str, bull: Value| {
        let body = json!({"animal": cow, "date": day, "bull": bull});
        w.made(who, "inseminations", body).await
    };
    // The Association names the bull for a herd that does not read it.
    served("expert", hidden, "2022-01-01", bull.into()).await;
    assert_eq!(count(w, "alpha", bull).await, None, "hidden");
    let gone = served("expert", hidden, "2022-03-01", bull.into()).await;
    served("alpha", own, "2022-01-01", bull.into()).await;
    assert_eq!(count(w, "alpha", bull).await, Some(1), "its own");

    w.gone("expert", "inseminations", gone).await;
    assert_eq!(count(w, "alpha", bull).await, Some(1));

    // While a card is open everybody reads it; when it is closed again, no other farm does.
    changed!(w, "beta", "animals", hidden, {"publicVisible": true, "publicDetails": true});
    assert_eq!(count(w, "alpha", bull).await, Some(2), "open card");
    served("expert", hidden, "2022-05-01", bull.into()).await;
    assert_eq!(count(w, "alpha", bull).await, Some(3));
    changed!(w, "beta", "animals", hidden, {"publicDetails": false});
    assert_eq!(count(w, "alpha", bull).await, Some(1), "closed card");

    // The buyer of the cow reads the rows about it; the owner of the rows can still read them.
    made!(w, "beta", "movements", {"animal": hidden, "date": "2024-01-01", "kind": "sale", "to": 1});
    assert_eq!(count(w, "alpha", bull).await, Some(3), "bought");
    made!(w, "alpha", "movements", {"animal": own, "date": "2024-01-01", "kind": "sale", "to": 2});
    assert_eq!(count(w, "alpha", bull).await, Some(3), "the row is still its own");

    // A bull that the Association confirmed shows all.
    let foreign = animal("beta", 960_000_006_004, "female").await;
    served("expert", foreign, "2022-07-01", bull.into()).await;
    assert_eq!(count(w, "alpha", bull).await, Some(3));
    let request = made!(w, "alpha", "verification-requests", {"animals": [bull], "purpose": "trust"});
    for status in ["checking", "approved"] {
        changed!(w, "expert", "verification-requests", request, {"status": status});
    }
    assert_eq!(w.doc("animals", bull).await["trustLevel"], 3);
    assert_eq!(count(w, "alpha", bull).await, Some(4), "confirmed");
    served("expert", foreign, "2022-09-01", bull.into()).await;
    assert_eq!(count(w, "alpha", bull).await, Some(5));
}

#[test_with(World::each)]
async fn a_sold_bull_shows_what_its_new_owner_reads(w: &World<'_>) {
    let animal = async |who: &str, number: i64, sex: &str| {
        let body = json!({"identNumber": number.to_string(), "sex": sex, "birthDate": "2018-01-01"});
        w.made(who, "animals", body).await
    };
    let bull = animal("alpha", 960_000_006_011, "male").await;
    for (who, number) in [("alpha", 960_000_006_012), ("alpha", 960_000_006_013), ("beta", 960_000_006_014)] {
        let cow = animal(who, number, "female").await;
        made!(w, "expert", "inseminations", {"animal": cow, "date": "2022-01-01", "bull": bull});
    }
    assert_eq!(count(w, "alpha", bull).await, Some(2));
    made!(w, "alpha", "movements", {"animal": bull, "date": "2024-01-01", "kind": "sale", "to": 2});
    assert_eq!(count(w, "beta", bull).await, Some(1));
}

//! Numbers and codes of bulls: one spelling, found however it is written (docs/derived.md, *Identifiers*).

use crate::rest::world::{World, fill};
use serde_json::{Value, json};

async fn bull(w: &World<'_>) -> i64 {
    let breed = json!({"id": 91, "name": "Holstein", "code": "HO-1", "whffCode": "HOL"});
    fill(w.stage, "breeds", vec![breed]).await;
    made!(w, "alpha", "animals", {"identNumber": "960000007001", "sex": "male", "birthDate": "2018-01-01",
        "breed": 91, "publicVisible": true, "altIds": {"originCountry": "CAN", "originNumber": "A12345"},
        "semen": {"stock": {"code": "7HO14454"}}})
}

#[test_with(World::each)]
async fn a_bull_has_one_code_and_one_number(w: &World<'_>) {
    let bull = bull(w).await;
    holds!(w.doc("animals", bull).await, {"altIds.internationalId": "HOLCANM000000A12345", "semen.stock.code": "007HO14454"});
    for condition in "where[semen.stock.code][equals]=7HO14454 \
        where[semen.stock.code][in]=9HO1,7%20ho%2014454 \
        where[altIds.internationalId][equals]=holcanma12345"
        .split(' ')
    {
        let found = w.list("animals", condition).await;
        assert_eq!(found.len(), 1, "{condition}");
    }
    let query = json!({"query": "{ Animals(where: {semen__stock__code: {equals: \"7HO14454\"}}) { totalDocs } }"});
    let found = w.post("alpha", "graphql", query).await.json();
    assert_eq!(found["data"]["Animals"]["totalDocs"], 1, "{found}");

    // The number follows the passport; one that somebody stated stays, in one spelling.
    let doc = changed!(w, "alpha", "animals", bull, {"altIds": {"originCountry": "AUS", "originNumber": "H00930377"}});
    assert_eq!(doc["altIds"]["internationalId"], "HOLAUSM000H00930377");
    let doc = changed!(w, "alpha", "animals", bull, {"altIds": {"internationalId": "holjpnm5h57003"}});
    assert_eq!(doc["altIds"]["internationalId"], "HOLJPNM000005H57003");
    for (number, status) in [("HOLCANM000000A12346", 201), ("HOLCAN0000-12346", 400)] {
        ask!(w, "alpha", "POST /api/animals", {"identNumber": number, "idFormat": "icar", "sex": "male"} => status);
    }
}

#[test_with(World::each)]
async fn a_service_that_names_a_code_finds_the_bull(w: &World<'_>) {
    let bull = bull(w).await;
    let service = async |who: &str, cow: i64, day: u32, text: &str| {
        let body = json!({"animal": cow, "date": format!("2025-0{day}-10"), "bullText": text});
        let id = w.made(who, "inseminations", body).await;
        let doc = w.doc("inseminations", id).await;
        (id, doc["bull"].clone(), doc["bullText"].clone())
    };
    for (day, text) in (1..).zip(["7HO14454", " 007ho14454", "HOLCANMA12345", "960000007001"]) {
        let (_, named, remaining) = service("alpha", 2, day, text).await;
        assert_eq!((named, remaining), (json!(bull), Value::Null), "{text}");
    }
    let (id, named, remaining) = service("beta", 3, 1, "9HO1").await;
    assert_eq!((named, remaining), (Value::Null, json!("9HO1")), "no such bull");
    holds!(changed!(w, "beta", "inseminations", id, {"bullText": "7HO14454"}), {"bull": bull});
    // Neither a bull that the writer does not see, nor one of two.
    changed!(w, "alpha", "animals", bull, {"publicVisible": false});
    let (_, named, remaining) = service("beta", 3, 2, "7HO14454").await;
    assert_eq!((named, remaining), (Value::Null, json!("7HO14454")), "hidden");
    made!(w, "alpha", "animals", {"identNumber": "960000007002", "sex": "male", "semen": {"stock": {"code": "007HO14454"}}});
    let (_, named, remaining) = service("alpha", 2, 6, "7HO14454").await;
    assert_eq!((named, remaining), (Value::Null, json!("7HO14454")), "two of them");
}

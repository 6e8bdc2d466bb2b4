//! A pedigree and what follows from it are the same for every reader: its ancestors' identity belongs
//! to the record that names them, and opens nothing else of them.

use crate::rest::world::World;
use serde_json::{Value, json};

/// Beta's half sibs by a closed sire of a closed sire; the sibs' rows are open, their cards closed.
/// And a calf of the two that Alpha entered.
pub(super) async fn family(w: &World<'_>) -> [i64; 5] {
    let made = async |who: &str, number: i64, sex: &str, born: &str, more: Value| {
        let mut body = json!({"identNumber": (960_000_005_000 + number).to_string(), "sex": sex,
            "birthDate": born, "name": format!("Kin {number}"), "breed": 1});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        w.made(who, "animals", body).await
    };
    let old = made("beta", 1, "male", "2010-01-01", json!({"nameLatin": "Secret"})).await;
    let hidden = json!({"father": old, "altIds": {"earTag": "SECRET"}});
    let hidden = made("beta", 2, "male", "2014-01-01", hidden).await;
    let open = json!({"father": hidden, "publicVisible": true});
    let bull = made("beta", 3, "male", "2017-01-01", open.clone()).await;
    let cow = made("beta", 4, "female", "2017-01-01", open).await;
    let calf = json!({"father": bull, "mother": cow});
    let calf = made("alpha", 5, "female", "2021-01-01", calf).await;
    [old, hidden, bull, cow, calf]
}

#[test_with(World::each)]
async fn inbreeding_is_that_of_the_whole_pedigree_whoever_reads_it(w: &World<'_>) {
    let [old, _, bull, cow, calf] = family(w).await;
    let values = async |who: &str, id: i64| {
        let doc = w.get(who, &format!("/api/animals/{id}?depth=0")).await.json();
        let figures = ["inbreeding", "inbreedingNeedsApproval", "pedigreeDepth"];
        figures.map(|name| doc[name].clone())
    };
    let of = |f: Value, depth: f64| [f, json!(false), json!(depth)];
    for who in ["alpha", "expert"] {
        assert_eq!(values(who, calf).await, of(json!(12.5), 1.75), "{who}");
    }
    // One known parent: not inbred. None: nothing is said.
    assert_eq!(values("beta", bull).await, of(json!(0), 0.75));
    assert_eq!(values("beta", old).await, [Value::Null, Value::Null, json!(0)]);
    // What owners open, what is sold and what is verified changes none of it.
    changed!(w, "beta", "animals", cow, {"publicDetails": true});
    changed!(w, "beta", "animals", bull, {"publicVisible": false});
    made!(w, "alpha", "movements", {"animal": calf, "date": "2024-01-01", "kind": "sale", "to": 2});
    for who in ["alpha", "beta"] {
        assert_eq!(values(who, calf).await, of(json!(12.5), 1.75), "{who}");
    }
}

#[test_with(World::each)]
async fn a_pedigree_shows_who_its_ancestors_are_and_nothing_else_of_them(w: &World<'_>) {
    let [old, hidden, bull, cow, calf] = family(w).await;
    let path = format!("/api/animals/{calf}/pedigree?generations=10");
    let whole = w.get("alpha", &path).await;
    let nodes = whole.json()["nodes"].clone();
    let all: Vec<i64> = (nodes.as_array().unwrap().iter()).map(|node| node["doc"]["id"].as_i64().unwrap()).collect();
    assert_eq!(all, [calf, bull, cow, hidden, hidden, old, old]);
    assert_eq!((&nodes[1]["closed"], &nodes[3]["closed"]), (&Value::Null, &json!(true)));
    let breed = w.doc("animals", calf).await["breed"].clone();
    assert_eq!(
        nodes[3]["doc"],
        json!({"id": hidden, "identNumber": "960000005002", "name": "Kin 2", "sex": "male",
            "birthDate": "2014-01-01T00:00:00.000Z", "breed": breed})
    );
    assert!(!whole.text.to_lowercase().contains("secret"), "{}", whole.text);
    // The same by GraphQL; what is no part of the identity is null.
    let query = format!(
        "{{Animal(id: {calf}) {{pedigree(generations: 2) {{nodes {{closed: number \
         doc {{identNumber nameLatin altIds {{earTag}} father {{id}} owner {{id}} breed {{id}}}}}}}}}}}}"
    );
    let answer = w.answer_to("alpha", "POST", "/api/graphql", json!({"query": query}).to_string());
    let answer = answer.await.json();
    let doc = &answer["data"]["Animal"]["pedigree"]["nodes"][3]["doc"];
    assert_eq!(doc["identNumber"], "960000005002", "{answer}");
    assert_eq!(
        [&doc["nameLatin"], &doc["altIds"]["earTag"], &doc["father"], &doc["owner"]],
        [&Value::Null; 4],
        "{answer}"
    );
    // It opens nothing else: not the record, no filter and no order.
    ask!(w, "alpha", "GET /api/animals/{hidden}" => 404);
    ask!(w, "alpha", "GET /api/animals/{hidden}/pedigree" => 404);
    for filter in "where[father.father.name][equals]=Kin%202 where[father.father][equals]=2 \
        where[mother.father.identNumber][exists]=true"
        .split(' ')
    {
        let found = w.get("alpha", &format!("/api/animals?{filter}")).await.json();
        assert!(found["docs"].as_array().is_none_or(Vec::is_empty), "{filter}: {found}");
    }
    // Who reads the row alone does not read its pedigree.
    changed!(w, "alpha", "animals", calf, {"publicVisible": true});
    assert_eq!(w.get("delta", &path).await.json()["nodes"].as_array().map(Vec::len), Some(1));
    changed!(w, "alpha", "animals", calf, {"publicDetails": true});
    let answer = w.get("delta", &path).await.json();
    let ancestors = |nodes: &Value| nodes.as_array().unwrap()[1..].to_vec();
    assert_eq!(ancestors(&answer["nodes"]), ancestors(&nodes));
}

/// The service bull of a lactation is of the pedigree of the cow: no condition may go through it.
#[test_with(World::each)]
async fn no_condition_goes_through_the_service_bull(w: &World<'_>) {
    let lactation = json!({"number": 1, "milk305": 7000, "serviceBull": "HIDDEN 1"});
    changed!(w, "alpha", "animals", 2, {"lactations": [lactation]});
    for who in ["alpha", "expert"] {
        for query in ["where[lactations.serviceBull][equals]=HIDDEN 1", "where[lactations.serviceBull][exists]=true"] {
            let found = w.get(who, &format!("/api/animals?{}", query.replace(' ', "%20"))).await;
            let docs = found.json()["docs"].as_array().map_or(0, Vec::len);
            assert_eq!((found.status, docs), (400, 0), "{who} {query}: {}", found.text);
        }
    }
}

//! Requests and their answers: pages, joins, ancestors, conditions, the form over HTTP, queries by
//! their hash, cached answers.

use crate::rest::stage::Answer;
use crate::rest::world::World;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Asks as a caller.
pub(super) async fn ask(world: &World<'_>, who: &str, query: &str) -> Answer {
    let body = json!({"query": query}).to_string();
    world.ask(who, "POST", "/api/graphql", body).await
}

/// The data of an answer without errors.
pub(super) async fn data(world: &World<'_>, who: &str, query: &str) -> Value {
    let answer = ask(world, who, query).await;
    let mut body = answer.json();
    assert!(body.get("errors").is_none(), "{query}: {}", answer.text);
    body["data"].take()
}

fn ids(docs: &Value) -> Vec<i64> {
    let docs = docs.as_array().unwrap_or_else(|| panic!("{docs}"));
    docs.iter().map(|doc| doc["id"].as_i64().unwrap()).collect()
}

#[test_with(World::each)]
async fn pages_are_those_of_rest(world: &World<'_>) {
    let totals = "hasNextPage hasPrevPage limit nextPage page pagingCounter prevPage totalDocs totalPages";
    for (args, address) in [
        ("limit:2", "limit=2"),
        ("limit:2,page:2", "limit=2&page=2"),
        ("limit:2,page:9", "limit=2&page=9"),
        ("limit:0,page:3", "limit=0&page=3"),
        ("pagination:false", "pagination=false"),
        ("first:3,sort:\"birthDate,-id\"", "limit=3&sort=birthDate,-id"),
        ("where:{id:{exists:false}}", "where[id][exists]=false"),
    ] {
        let query = format!("{{Animals({args}){{docs{{id}} {totals} offset}}}}");
        let got = data(world, "admin", &query).await["Animals"].take();
        let path = format!("/api/animals?{address}&select[id]=true");
        let mut expected = world.get("admin", &path).await.json();
        expected["offset"] = Value::Null;
        assert_eq!(got, expected, "{args}");
    }
    // Totals are counted only on request; pages are reached by cursors as well.
    let query = "{Animals(first:2,sort:\"id\"){docs{id} endCursor hasNextPage}}";
    let page = data(world, "admin", query).await["Animals"].take();
    assert_eq!((ids(&page["docs"]), &page["hasNextPage"]), (vec![1, 2], &json!(true)));
    let cursor = page["endCursor"].as_str().unwrap();
    let next = format!("{{Animals(first:2,sort:\"id\",after:\"{cursor}\"){{docs{{id}} endCursor}}}}");
    let page = data(world, "admin", &next).await["Animals"].take();
    assert_eq!(ids(&page["docs"]), [3, 4]);
    let cursor = page["endCursor"].as_str().unwrap();
    let last = format!("{{Animals(first:2,sort:\"id\",after:\"{cursor}\"){{docs{{id}} endCursor}}}}");
    let page = data(world, "admin", &last).await["Animals"].take();
    assert_eq!((ids(&page["docs"]), &page["endCursor"]), (vec![5], &Value::Null));
}

#[test_with(World::each)]
async fn joins_and_ancestors_are_told_at_every_level(world: &World<'_>) {
    let body = json!({"animal": 2, "date": "2025-01-10", "milkYield": 31.5});
    for day in ["2025-01-10", "2025-02-10", "2025-03-10"] {
        let mut body = body.clone();
        body["date"] = day.into();
        body["dailyYield"] = body["milkYield"].take();
        let answer = world.post("alpha", "milk-tests", body).await;
        assert!(answer.status == 201 || answer.status == 400, "{}", answer.text);
    }
    let total = world.list("milk-tests", "where[animal][equals]=2").await.len();
    let query = "{Herds{docs{id}} Animal(id:4){id father{id} \
         mother{id all:milkTests(limit:0,sort:\"date\",count:true){docs{id date animal{id}} totalDocs hasNextPage} \
         one:milkTests(limit:1,sort:\"-date\"){docs{date} totalDocs hasNextPage} \
         none:milkTests(where:{id:{equals:0}}){docs{id} hasNextPage}} \
         pedigree(generations:2){id generations pedigreeDepth nodes{number generation doc{id mother{id} milkTests{hasNextPage}}} \
         completeness{generation known possible percent}}}}";
    let got = data(world, "alpha", query).await;
    let animal = &got["Animal"];
    assert_eq!(animal["father"], json!({"id": 1}));
    let mother = &animal["mother"];
    assert_eq!(mother["id"], 2);
    assert_eq!(mother["all"]["docs"].as_array().unwrap().len(), total);
    holds!(mother, {"all.totalDocs": total, "all.hasNextPage": false});
    assert_eq!(mother["one"]["docs"].as_array().unwrap().len(), total.min(1));
    assert_eq!((&mother["one"]["totalDocs"], &mother["one"]["hasNextPage"]), (&Value::Null, &json!(total > 1)));
    assert_eq!(mother["none"], json!({"docs": [], "hasNextPage": false}));
    let rest = world.get("alpha", "/api/animals/4/pedigree?generations=2&select[id]=true").await.json();
    let pedigree = &animal["pedigree"];
    for member in ["id", "generations", "completeness", "pedigreeDepth"] {
        assert_eq!(pedigree[member].to_string(), rest[member].to_string(), "{member}");
    }
    let numbers = |nodes: &Value| -> Vec<(i64, i64)> {
        let each = nodes.as_array().unwrap().iter();
        each.map(|n| (n["number"].as_i64().unwrap(), n["doc"]["id"].as_i64().unwrap())).collect()
    };
    assert_eq!(numbers(&pedigree["nodes"]), numbers(&rest["nodes"]));
    assert_eq!(pedigree["nodes"][0]["doc"]["mother"], json!({"id": 2}));
    // A caller who does not see the parents gets none.
    let stranger = ask(world, "", "{Animal(id:4){pedigree{nodes{doc{id}}}}}").await;
    assert_eq!(stranger.json()["data"]["Animal"], Value::Null, "{}", stranger.text);
}

#[test_with(World::each)]
async fn what_happened_to_an_animal_is_one_list(world: &World<'_>) {
    let made = |slug: &'static str, body: Value| async move {
        let answer = ask!(world, "alpha", "POST /api/{slug}?depth=0", body => 201);
        answer.json()["doc"]["id"].as_i64().unwrap()
    };
    let date = |day: &str| format!("{day}T00:00:00.000Z");
    let weighed = made("weighings", json!({"animal": 2, "date": "2025-03-01", "weight": 611})).await;
    let second = made("weighings", json!({"animal": 2, "date": "2025-04-01", "weight": 622})).await;
    let tested = made("milk-tests", json!({"animal": 2, "date": "2025-03-05", "dailyYield": 31.5})).await;
    let noted = made("events", json!({"animal": 2, "date": "2025-03-05", "type": "remark", "title": "calm"})).await;
    let args = "from:\"2025-03-01\",to:\"2025-04-01\"";
    let query = format!(
        "{{Animal(id:2){{all:timeline({args}){{docs{{date collection id weighing{{weight animal{{id}}}} event{{title}}}} hasNextPage page limit}} \
         two:timeline({args},limit:2,page:2){{docs{{on:date milkTest{{dailyYield}}}} hasNextPage}} \
         some:timeline({args},collections:[milk_tests]){{docs{{id weighing{{id}}}}}} \
         none:timeline(from:\"2025-03-02\",to:\"2025-03-04\"){{docs{{id}} hasNextPage}}}}}}"
    );
    let events = data(world, "alpha", &query).await;
    let (all, two) = (&events["Animal"]["all"], &events["Animal"]["two"]);
    let expected = json!([
        {"date": date("2025-04-01"), "collection": "weighings", "id": second, "weighing": {"weight": 622, "animal": {"id": 2}}, "event": null},
        {"date": date("2025-03-05"), "collection": "milk_tests", "id": tested, "weighing": null, "event": null},
        {"date": date("2025-03-05"), "collection": "events", "id": noted, "weighing": null, "event": {"title": "calm"}},
        {"date": date("2025-03-01"), "collection": "weighings", "id": weighed, "weighing": {"weight": 611, "animal": {"id": 2}}, "event": null},
    ]);
    let sorted = |docs: &Value| {
        let mut docs = docs.as_array().unwrap().clone();
        // Two of one day are in the order of the declarations.
        docs.sort_by_key(|doc| std::cmp::Reverse((doc["date"].to_string(), doc["collection"].to_string())));
        docs
    };
    assert_eq!(sorted(&all["docs"]), sorted(&expected), "{all}");
    holds!(all, {"docs.0": expected[0], "hasNextPage": false, "page": 1, "limit": 25});
    assert_eq!(two["docs"].as_array().unwrap().len(), 2);
    assert_eq!((&two["docs"][1]["on"], &two["hasNextPage"]), (&json!(date("2025-03-01")), &json!(false)));
    assert_eq!(events["Animal"]["some"], json!({"docs": [{"id": tested, "weighing": null}]}));
    assert_eq!(events["Animal"]["none"], json!({"docs": [], "hasNextPage": false}));
    // At any level, without rows that the caller may not read.
    let query = format!("{{Animal(id:4){{mother{{timeline({args},limit:1){{docs{{id}} hasNextPage}}}}}}}}");
    let nested = data(world, "alpha", &query).await;
    let expected = json!({"docs": [{"id": second}], "hasNextPage": true});
    assert_eq!(nested["Animal"]["mother"]["timeline"], expected);
    let public = patch!(world, "admin", "animals", 2, {"publicVisible": true});
    assert_eq!(public.status, 200, "{}", public.text);
    let query = format!("{{Animal(id:2){{timeline({args}){{docs{{collection id}} hasNextPage}}}}}}");
    let strange = data(world, "", &query).await;
    let hidden = [weighed, second];
    for doc in strange["Animal"]["timeline"]["docs"].as_array().unwrap() {
        let slug = doc["collection"].as_str().unwrap().replace('_', "-");
        let read = world.get("", &format!("/api/{slug}/{}", doc["id"])).await;
        assert_eq!(read.status, 200, "{slug}: {}", read.text);
        assert!(slug != "weighings" || !hidden.contains(&doc["id"].as_i64().unwrap()));
    }
    for wrong in ["limit:0", "limit:1001", "page:0"] {
        let answer = ask(world, "alpha", &format!("{{Animal(id:2){{timeline({wrong}){{docs{{id}}}}}}}}")).await;
        let name = wrong.split(':').next().unwrap();
        assert_eq!(answer.json()["errors"][0]["extensions"]["data"][0]["path"], name, "{}", answer.text);
    }
}

#[test_with(World::each)]
async fn conditions_reach_what_rest_reaches(world: &World<'_>) {
    for (condition, address) in table![
        "id:{in:[1,3]}", "where[id][in]=1,3";
        "id:{not_in:[1,3]}", "where[id][not_in]=1,3";
        "id:{greater_than:2}", "where[id][greater_than]=2";
        "trustLevel:{in:[0,1]}", "where[trustLevel][in]=0,1";
        "sex:{equals:male}", "where[sex][equals]=male";
        "sex:{not_in:[male]}", "where[sex][not_in]=male";
        "birthDate:{greater_than_equal:\"2020-01-01\"}", "where[birthDate][greater_than_equal]=2020-01-01";
        "birthDate:{less_than:\"2020-01-01T00:00:00Z\"}", "where[birthDate][less_than]=2020-01-01";
        "archived:{not_equals:true}", "where[archived][not_equals]=true";
        "owner:{equals:1}", "where[owner][equals]=1";
        "owner:{in:[1,2]}", "where[owner][in]=1,2";
        "father:{exists:true}", "where[father][exists]=true";
        "owner__where:{name:{equals:\"Alpha\"}}", "where[owner.name][equals]=Alpha";
        "owner__where:{OR:[{name:{equals:\"Alpha\"}},{name:{equals:\"Beta\"}}]},AND:[{id:{greater_than:1}}]",
            "where[owner.name][in]=Alpha,Beta&where[id][greater_than]=1";
        "father__where:{owner__where:{membership:{equals:member}}}",
            "where[father.owner.membership][equals]=member";
        "children__where:{id:{equals:4}}", "where[children.id][equals]=4";
        "altIds__earTag:{exists:false}", "where[altIds.earTag][exists]=false";
        "OR:[{id:{equals:1}},{AND:[{id:{equals:2}},{sex:{equals:female}}]}]", "where[id][in]=1,2";
    ] {
        let rest = ask!(world, "admin", "GET /api/animals?limit=0&sort=id&select[id]=true&{address}"
            => 200, "{address}");
        let query = format!(
            "{{Animals(limit:100,sort:\"id\",where:{{{condition}}}){{docs{{id}} totalDocs}} countAnimals(where:{{{condition}}}){{totalDocs}}}}"
        );
        let got = data(world, "admin", &query).await;
        assert_eq!(got["Animals"]["docs"], rest.json()["docs"], "{condition}");
        assert_eq!(got["countAnimals"], json!({"totalDocs": rest.json()["totalDocs"]}), "{condition}");
    }
    // A field that may not be queried is answered as in REST.
    let answer = ask(world, "", "{Animals(where:{notes:{exists:true}}){totalDocs}}").await;
    let error = answer.json()["errors"][0].clone();
    assert_eq!(error["extensions"], json!({"name": "QueryError", "statusCode": 400, "data": [{"path": "notes"}]}));
    assert_eq!(answer.json()["data"], json!({"Animals": null}));
}

#[test_with(World::each)]
async fn fields_fail_by_themselves_and_come_in_the_order_asked_for(world: &World<'_>) {
    let query = "query Q($with:Boolean!,$id:Int=2){b:Animal(id:$id){...F} a:Animal(id:9999){id} \
                 c:Animal(id:1){id @skip(if:$with) __typename} d:Animal(id:1) @include(if:$with){id} \
                 b:Animal(id:$id){sex}} fragment F on Animal{id ...on Animal{x:id}}";
    let body = json!({"query": query, "variables": {"with": true}}).to_string();
    let answer = world.ask("admin", "POST", "/api/graphql", body).await;
    let expected = r#""data":{"b":{"id":2,"x":2,"sex":"female"},"a":null,"c":{"__typename":"Animal"},"d":{"id":1}}"#;
    assert!(answer.text.ends_with(&format!("{expected}}}")), "{}", answer.text);
    assert_eq!(answer.json()["errors"].as_array().unwrap().len(), 1);
    assert_eq!(answer.json()["errors"][0]["path"], json!(["a"]));
    // Of two operations the one that is named.
    let body = json!({"query": "query A{Animal(id:1){id}} query B{Animal(id:2){id}}", "operationName": "B"});
    let answer = world.ask("admin", "POST", "/api/graphql", body.to_string()).await;
    assert_eq!(answer.json()["data"], json!({"Animal": {"id": 2}}));
}

#[test_with(World::each)]
async fn statuses_follow_what_the_client_takes(world: &World<'_>) {
    let kind = ("content-type", "application/json");
    let bad = json!({"query": "{Animals{nope}}"}).to_string();
    let good = json!({"query": "{Animal(id:9999){id}}"}).to_string();
    for (accept, status, form) in table![
        "*/*", 200, "application/json";
        "application/json", 200, "application/json";
        "text/html, */*;q=0.8", 200, "application/json";
        "application/graphql-response+json, application/json", 400, "application/graphql-response+json";
    ] {
        let headers = [kind, ("accept", accept)];
        let answer = world.send("admin", "POST", "/api/graphql", &headers, bad.clone()).await;
        assert_eq!(answer.status, status, "{accept}");
        assert!(answer.header("content-type").starts_with(form));
        let answer = world.send("admin", "POST", "/api/graphql", &headers, good.clone()).await;
        assert_eq!(answer.status, 200, "{accept}");
    }
}

fn hash(query: &str) -> String {
    let digest = Sha256::digest(query.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test_with(World::each)]
async fn queries_are_known_by_their_hash_and_answers_are_given_again(world: &World<'_>) {
    let query = "{Animals(limit:1,sort:\"id\"){docs{id name} totalDocs}}";
    let hash = hash(query);
    let extensions = json!({"persistedQuery": {"version": 1, "sha256Hash": hash}});
    let alone = json!({"extensions": extensions}).to_string();
    let answer = world.ask("admin", "POST", "/api/graphql", alone.clone()).await;
    assert_eq!(answer.status, 200);
    let error = &answer.json()["errors"][0];
    holds!(error, {"message": "PersistedQueryNotFound", "extensions.code": "PERSISTED_QUERY_NOT_FOUND"});
    let wrong = json!({"query": "{__typename}", "extensions": extensions}).to_string();
    assert_eq!(world.ask("admin", "POST", "/api/graphql", wrong).await.status, 400);
    let both = json!({"query": query, "extensions": extensions}).to_string();
    let first = world.ask("admin", "POST", "/api/graphql", both).await;
    assert_eq!(first.json()["data"]["Animals"]["docs"][0]["id"], 1);
    assert_eq!(world.ask("admin", "POST", "/api/graphql", alone).await.text, first.text);
    // By GET the answer has a tag, and is not sent again while the tag is valid.
    let encoded = extensions.to_string().replace('"', "%22").replace('{', "%7B").replace('}', "%7D");
    let path = format!("/api/graphql?extensions={encoded}");
    let got = world.get("admin", &path).await;
    assert_eq!((got.status, &got.text), (200, &first.text));
    let tag = got.header("etag").to_owned();
    assert!(!tag.is_empty());
    let second = [("if-none-match", tag.as_str())];
    assert_eq!(world.send("admin", "GET", &path, &second, "").await.status, 304);
    // Other callers see their own result, and a change is seen at once.
    assert_ne!(world.get("", &path).await.text, got.text);
    changed!(world, "admin", "animals", 1, {"name": "Renamed"});
    let changed = world.send("admin", "GET", &path, &second, "").await;
    holds!(changed.json(), {"data.Animals.docs.0.name": "Renamed"});
    // Nothing is changed by GET.
    let before = world.stage.content().await;
    let answer = world.get("admin", "/api/graphql?query=mutation%7BdeleteAnimal(id:5)%7Bid%7D%7D").await;
    assert_eq!((answer.status, answer.header("allow")), (405, "POST"));
    assert!(answer.json()["errors"][0]["message"].is_string());
    assert_eq!(world.stage.content().await, before);
    ask!(world, "admin", "GET /api/graphql" => 400);
}

#[tokio::test]
async fn the_examples_of_the_page_hold() {
    let page = include_str!("../../../docs/graphql.md");
    let examples: Vec<&str> =
        page.split("```graphql\n").skip(1).map(|text| text.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 6, "{}", examples.len());
    World::each(async |world| {
        for query in &examples {
            data(world, "admin", query).await;
        }
    })
    .await;
}

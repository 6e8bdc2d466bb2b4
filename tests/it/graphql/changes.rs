//! Mutations and signing in.

use super::wire::{ask, data};
use crate::rest::stage::{PASSWORD, Stage};
use crate::rest::world::World;
use serde_json::{Value, json};

#[test_with(World::each)]
async fn records_are_made_changed_copied_and_deleted(world: &World<'_>) {
    let query = "mutation{createHerd(data:{name:\"North\",organization:1}){id name organization{id name}}}";
    let made = data(world, "alpha", query).await["createHerd"].take();
    let id = made["id"].as_i64().unwrap();
    assert_eq!(made, json!({"id": id, "name": "North", "organization": {"id": 1, "name": "Alpha"}}));
    let query = format!("mutation{{updateHerd(id:{id},data:{{name:\"South\"}}){{name}}}}");
    assert_eq!(data(world, "alpha", &query).await["updateHerd"]["name"], "South");
    let query = format!("mutation{{duplicateHerd(id:{id},data:{{name:\"East\"}}){{id name}}}}");
    let copy = data(world, "alpha", &query).await["duplicateHerd"].take();
    assert_eq!(copy["name"], "East");
    assert_ne!(copy["id"], id);
    let query = format!("mutation{{deleteHerd(id:{id}){{id name}}}}");
    let gone = data(world, "admin", &query).await["deleteHerd"].take();
    assert_eq!(gone, json!({"id": id, "name": "South"}));
    let answer = ask(world, "alpha", &format!("{{Herd(id:{id}){{id}}}}")).await;
    assert_eq!(answer.json()["errors"][0]["extensions"]["statusCode"], 404);
    // Mutations run one after another; one that fails is null by itself.
    let query = "mutation{a:createHerd(data:{name:\"W\",organization:1}){name} \
                 b:createHerd(data:{name:\"X\",organization:9999}){name} \
                 c:updateHerd(id:9999,data:{name:\"Y\"}){name}}";
    let body = ask(world, "alpha", query).await.json();
    assert_eq!(body["data"], json!({"a": {"name": "W"}, "b": null, "c": null}));
    let statuses: Vec<_> = body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["path"][0].clone(), e["extensions"]["statusCode"].clone()))
        .collect();
    assert_eq!(statuses, [(json!("b"), json!(403)), (json!("c"), json!(403))]);
    // Fields that the server fills need not be sent.
    let query = "mutation{createCalving(data:{animal:2,date:\"2025-02-01\"}){number}}";
    let made = data(world, "alpha", query).await["createCalving"]["number"].take();
    assert!(made.as_f64().is_some_and(|number| number >= 1.0), "{made}");
    // A caller without the right is answered as in REST.
    let answer = ask(world, "", "mutation{createHerd(data:{name:\"Z\"}){id}}").await;
    assert_eq!(answer.json()["errors"][0]["extensions"], json!({"name": "Forbidden", "statusCode": 403}));
}

#[test_with(World::each)]
async fn many_records_stand_each_for_itself(world: &World<'_>) {
    for name in ["A1", "A2", "A3"] {
        made!(world, "alpha", "herds", {"name": name, "organization": 1});
    }
    let query = "mutation{updateHerds(where:{name:{like:\"a\"},organization:{equals:1}},data:{code:\"K\"},limit:1,sort:\"name\"){docs{name code} errors{id message} message}}";
    let results = data(world, "alpha", query).await["updateHerds"].take();
    assert_eq!(results["errors"], json!([]));
    assert_eq!(results["docs"].as_array().unwrap().len(), 1);
    assert_eq!(results["message"], "Updated 1 Herd successfully.");
    // A wrong row is reported, the others are written.
    let query =
        "mutation{updateAnimals(where:{id:{in:[2,4]}},data:{father:4}){docs{id} errors{id message isPublic} message}}";
    let answer = ask(world, "alpha", query).await.json();
    let results = &answer["data"]["updateAnimals"];
    assert!(!results["errors"].as_array().unwrap().is_empty(), "{answer}");
    assert!(results["message"].as_str().unwrap().starts_with("Unable to update"), "{answer}");
    // Without a condition nothing is touched.
    let before = world.stage.content().await;
    for query in "mutation{updateHerds(where:{},data:{code:\"Q\"}){message}} \
        mutation{deleteHerds(where:{}){message}} \
        mutation{deleteHerds(where:{AND:[]}){message}}"
        .split(' ')
    {
        let answer = ask(world, "admin", query).await.json();
        assert!(answer["errors"][0]["message"].as_str().unwrap().starts_with("Missing 'where'"), "{answer}");
    }
    let foreign = "mutation{updateHerds(where:{organization:{equals:1}},data:{code:\"Q\"}){docs{id} message}}";
    assert_eq!(data(world, "beta", foreign).await["updateHerds"]["docs"], json!([]));
    assert_eq!(world.stage.content().await, before);
    let query = "mutation{deleteHerds(where:{name:{in:[\"A1\",\"A2\",\"A3\"]}}){docs{name} message}}";
    let results = data(world, "admin", query).await["deleteHerds"].take();
    assert_eq!(results["message"], "Deleted 3 Herds successfully.");
    assert_eq!(results["docs"].as_array().unwrap().len(), 3);
}

#[test_with(Stage::each)]
async fn people_sign_in_and_out(stage: &Stage) {
    assert_eq!(super::data(stage, "", "{initializedUser}").await, json!({"initializedUser": false}));
    stage.user(1, "admin@demo.herdbook", "admin").await;
    assert_eq!(super::data(stage, "", "{initializedUser}").await, json!({"initializedUser": true}));
    let login =
        "mutation($p:String!){loginUser(email:\"admin@demo.herdbook\",password:$p){exp token user{id email role}}}";
    let answer = super::ask(stage, "", login, json!({"p": PASSWORD})).await;
    assert!(answer.header("set-cookie").contains("herdbook-token="), "{}", answer.text);
    let body = &answer.json()["data"]["loginUser"];
    assert_eq!((&body["user"]["id"], &body["user"]["role"]), (&json!(1), &json!("admin")), "{}", answer.text);
    let token = body["token"].as_str().unwrap().to_owned();
    let answer = super::ask(stage, "", login, json!({"p": "wrong"})).await;
    let error = &answer.json()["errors"][0];
    assert_eq!(
        (&error["extensions"]["statusCode"], &error["extensions"]["name"]),
        (&json!(401), &json!("AuthenticationError"))
    );
    let me = "{meUser{collection exp strategy token user{id email}}}";
    let body = super::data(stage, &token, me).await["meUser"].take();
    assert_eq!(body["user"], json!({"id": 1, "email": "admin@demo.herdbook"}));
    assert_eq!((&body["strategy"], &body["token"]), (&json!("local-jwt"), &json!(token)));
    assert_eq!(super::data(stage, "", me).await["meUser"]["user"], Value::Null);
    let refresh = "mutation{refreshTokenUser{exp refreshedToken strategy user{email collection role}}}";
    let body = super::data(stage, &token, refresh).await["refreshTokenUser"].take();
    assert_eq!(body["user"], json!({"email": "admin@demo.herdbook", "collection": "users", "role": "admin"}));
    assert!(body["refreshedToken"].is_string() && body["exp"].is_number());
    let forgot = "mutation{forgotPasswordUser(email:\"nobody@demo.herdbook\")}";
    assert_eq!(super::data(stage, "", forgot).await, json!({"forgotPasswordUser": true}));
    let unlock = "mutation{unlockUser(email:\"admin@demo.herdbook\")}";
    assert_eq!(super::data(stage, &token, unlock).await, json!({"unlockUser": true}));
    let answer = super::ask(stage, "", unlock, json!({})).await;
    assert_eq!(answer.json()["errors"][0]["extensions"]["statusCode"], 403);
    let reset = "mutation{resetPasswordUser(token:\"nonsense\",password:\"new-secret\"){token}}";
    let answer = super::ask(stage, "", reset, json!({})).await;
    assert_eq!(answer.json()["errors"][0]["message"], "Token is either invalid or has expired.");
    let logout = "mutation{logoutUser}";
    let answer = super::ask(stage, &token, logout, json!({})).await;
    assert_eq!(answer.json(), json!({"data": {"logoutUser": "true"}}));
    assert!(answer.header("set-cookie").contains("herdbook-token=;"), "{}", answer.header("set-cookie"));
    assert_eq!(super::data(stage, &token, me).await["meUser"]["user"], Value::Null);
}

#[test_with(World::each)]
async fn permissions_are_told_beforehand(world: &World<'_>) {
    let query = "{Access{canAccessAdmin herds{create{permission} read{permission where} fields{name{read{permission}}}} \
                 animals{fields{altIds{fields{earTag{read{permission}}}}}}} docAccessHerd(id:1){read{permission} update{permission}}}";
    let permissions = data(world, "admin", query).await;
    holds!(permissions, {"Access.canAccessAdmin": true, "Access.herds.create": {"permission": true},
        "Access.herds.fields.name.read": {"permission": true},
        "Access.animals.fields.altIds.fields.earTag.read": {"permission": true}});
    let permissions = data(world, "", query).await;
    assert_eq!(permissions["Access"]["canAccessAdmin"], Value::Null);
    let herds = &permissions["Access"]["herds"];
    assert!(herds.is_null() || herds["create"].is_null(), "{permissions}");
    let rest = world.get("alpha", "/api/access").await.json();
    let permissions = data(world, "alpha", query).await;
    let read = &rest["collections"]["herds"]["read"];
    let plain = if read == &json!(true) {
        json!({"permission": true, "where": null})
    } else {
        json!({"permission": true, "where": read.get("where")})
    };
    assert_eq!(permissions["Access"]["herds"]["read"], plain);
}

/// Numbers in variables are judged as those in the query and in REST, however they are written.
#[test_with(World::each)]
async fn a_number_in_a_variable_is_the_number_that_was_sent(world: &World<'_>) {
    let id = made!(world, "alpha", "weighings", {"animal": 2, "date": "2025-02-01", "weight": 500});
    let query = format!("mutation($w:Float){{updateWeighing(id:{id},data:{{weight:$w}}){{weight}}}}");
    let with = async |number: &str| {
        let body = format!("{{\"query\":{},\"variables\":{{\"w\":{number}}}}}", json!(query));
        world.ask("alpha", "POST", "/api/graphql", body).await.json()
    };
    for (number, weight) in [("510", 510.0), ("511.5", 511.5), ("0.512e3", 512.0), ("5.13E2", 513.0)] {
        let body = with(number).await;
        assert_eq!(body["data"]["updateWeighing"]["weight"].as_f64(), Some(weight), "{body}");
    }
    for number in "99999999999999999999999 1e308 -99999999999999999999999".split(' ') {
        let body = with(number).await;
        let path = &body["errors"][0]["extensions"]["data"]["errors"][0]["path"];
        assert_eq!(*path, json!("weight"), "{body}");
    }
    assert_eq!(world.doc("weighings", id).await["weight"].as_f64(), Some(513.0));
}

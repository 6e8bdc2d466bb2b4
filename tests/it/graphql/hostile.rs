//! Bad input: bounded, answered in the form of the face, never an internal error.

use super::{ask, post};
use crate::rest::stage::{Answer, Stage, request};
use axum::body::Body;
use serde_json::json;
use std::time::{Duration, Instant};

/// Refused with a message, and not with an internal error.
fn refused(answer: &Answer) -> String {
    assert!(answer.status < 500, "{}", answer.text);
    let body = answer.json();
    let errors = body["errors"].as_array().expect("errors");
    assert!(!errors.is_empty());
    for error in errors {
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && message.len() < 3_000, "{message}");
        assert!(!message.contains("internal"), "{message}");
    }
    assert!(body.get("data").is_none_or(serde_json::Value::is_null), "{}", answer.text);
    errors[0]["message"].as_str().unwrap().to_owned()
}

async fn refusal(stage: &Stage, query: &str) -> String {
    let began = Instant::now();
    let answer = ask(stage, "", query, json!({})).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    refused(&answer)
}

#[tokio::test]
async fn what_stands_for_too_much_is_refused_before_anything_is_read() {
    let stage = Stage::new().await;
    // Deep, wide, and both by fragments.
    let deep = format!("{{Animals{{docs{{{}id{}}}}}}}", "father{".repeat(40), "}".repeat(40));
    assert!(refusal(&stage, &deep).await.contains("depth"));
    let brackets = format!("{{Animals(where:{}", "{AND:[".repeat(50_000 / 6));
    assert!(refusal(&stage, &brackets).await.contains("nested too deep"));
    let lists = format!("{{a(b:{}{})}}", "[".repeat(30_000), "]".repeat(30_000));
    assert!(refusal(&stage, &lists).await.contains("nested too deep"));
    let aliases: String = (0..10_000).map(|n| format!("a{n}:x ")).collect();
    assert!(refusal(&stage, &format!("{{{aliases}}}")).await.contains("beside each other"));
    let aliases: String = (0..600).map(|n| format!("a{n}:Animals{{totalDocs}} ")).collect();
    let message = refusal(&stage, &format!("{{{aliases}}}")).await;
    let expected = "The query exceeds the maximum complexity of 1000. Actual complexity is 1200";
    assert_eq!(message, expected);
    let mut bomb = "{...f0}".to_owned();
    for n in 0..40 {
        bomb += &format!(" fragment f{n} on Query{{...f{0} ...f{0}}}", n + 1);
    }
    bomb += " fragment f40 on Query{__typename}";
    assert!(refusal(&stage, &bomb).await.contains("selections"));
    let cycle = "{...a} fragment a on Query{...b ...b} fragment b on Query{...a ...a}";
    assert!(refusal(&stage, cycle).await.contains("within itself"));
    let costly = "{Animals(limit:5000){docs{calvings(limit:100){docs{id animal{id}}}}}}";
    let message = refusal(&stage, costly).await;
    assert!(message.starts_with("The query exceeds the maximum cost of 1000000."), "{message}");
    let long = format!("{{Animals(sort:\"{}\"){{totalDocs}}}}", "x".repeat(200_000));
    assert!(refusal(&stage, &long).await.contains("longer than"));
    let inner = "fields{type{fields{type{fields{name}}}}}";
    let message = refusal(&stage, &format!("{{__schema{{types{{{inner}}}}}}}")).await;
    assert_eq!(message, "Maximum introspection depth exceeded");
}

/// Found by the fuzz target `graphql`: a message repeated the whole input of any length.
#[tokio::test]
async fn no_message_repeats_more_than_a_few_words_of_a_request() {
    let stage = Stage::new().await;
    let long = "x".repeat(8_000);
    for query in [
        format!("query($a:{long}!){{__typename}}"),
        format!("query(${long}:Int!){{__typename}}"),
        format!("{{...{long}}} fragment {long} on Query{{...{long}}}"),
        format!("{{...{long}}}"),
        format!("{{{long}}}"),
        format!("{{__type(name:\"a\"){{{long}}}}}"),
        format!("{{a{long}(b:1}}"),
    ] {
        let message = refusal(&stage, &query).await;
        assert!(message.chars().count() <= 601, "{message}");
    }
}

#[tokio::test]
async fn the_usual_introspection_is_within_the_limits() {
    let stage = Stage::new().await;
    let of = "ofType{kind name ".repeat(7) + &"}".repeat(7);
    let query = format!(
        "query IntrospectionQuery{{__schema{{queryType{{name}} mutationType{{name}} subscriptionType{{name}} \
         types{{...FullType}} directives{{name description locations args{{...InputValue}}}}}}}} \
         fragment FullType on __Type{{kind name description fields(includeDeprecated:true){{name description \
         args{{...InputValue}} type{{...TypeRef}} isDeprecated deprecationReason}} inputFields{{...InputValue}} \
         interfaces{{...TypeRef}} enumValues(includeDeprecated:true){{name description isDeprecated \
         deprecationReason}} possibleTypes{{...TypeRef}}}} \
         fragment InputValue on __InputValue{{name description type{{...TypeRef}} defaultValue}} \
         fragment TypeRef on __Type{{kind name {of}}}"
    );
    let began = Instant::now();
    let answer = ask(&stage, "", &query, json!({})).await;
    eprintln!("{} bytes in {:?}", answer.text.len(), began.elapsed());
    let body = answer.json();
    assert!(body.get("errors").is_none(), "{}", body["errors"]);
    assert!(body["data"]["__schema"]["types"].as_array().unwrap().len() > 1_000);
}

#[tokio::test]
async fn bodies_that_are_none_are_told_so() {
    let stage = Stage::new().await;
    for (body, message) in table![
        "", "Invalid JSON";
        "{", "Invalid JSON";
        "[]", "Missing query";
        r#"[{"query":"{__typename}"}]"#, "Missing query";
        "null", "Missing query";
        "{}", "Missing query";
        r#"{"query":null}"#, "Missing query";
        r#"{"query":""}"#, "Missing query";
        r#"{"query":5}"#, "Invalid query";
        r#"{"query":"{__typename}","variables":[]}"#, "Invalid variables";
        r#"{"query":"{__typename}","operationName":1}"#, "Invalid operationName";
        r#"{"query":"{__typename}","extensions":1}"#, "Invalid extensions";
    ] {
        let answer = post(&stage, "", body, &[]).await;
        assert_eq!((answer.status, refused(&answer).as_str()), (400, message), "{body}");
    }
    let kind = [("content-type", "application/json")];
    let broken = Body::from(b"{\"query\":\"{__typename\xff}\"}".to_vec());
    let answer = stage.ask(request("POST", "/api/graphql", &kind, broken)).await;
    assert_eq!((answer.status, refused(&answer).as_str()), (400, "Invalid JSON"));
    for kind in ["application/graphql", "multipart/form-data; boundary=x", "text/plain"] {
        let answer = post(&stage, "", "{__typename}", &[("content-type", kind)]).await;
        refused(&answer);
        assert_eq!(answer.status, 415, "{kind}");
    }
    let answer = post(&stage, "", r#"{"query":"{__typename}"}"#, &[("accept", "image/png")]).await;
    assert_eq!(answer.status, 406);
    for method in ["PUT", "PATCH", "DELETE"] {
        assert_eq!(stage.send(method, "/api/graphql", &[]).await.status, 404, "{method}");
    }
}

#[test_with(Stage::each)]
async fn wrong_variables_and_nulls_are_no_faults_of_ours(stage: &Stage) {
    let by_id = "query($id:Int!){Animal(id:$id){id}}";
    for variables in [
        json!({}),
        json!({"id": null}),
        json!({"id": "x"}),
        json!({"id": 1.5}),
        json!({"id": [1, 2]}),
        json!({"id": {"a": 1}}),
        json!({"id": true}),
    ] {
        let answer = ask(stage, "", by_id, variables.clone()).await;
        assert_eq!(answer.status, 200);
        refused(&answer);
    }
    for query in [
        "{Animals(where:null,limit:null,page:null,sort:null,after:null){totalDocs}}",
        "{Animals(where:{id:null,AND:null,OR:null,owner__where:null}){totalDocs}}",
        "{Animals(where:{id:{equals:null,in:null,exists:null},AND:[null]}){totalDocs}}",
        "{Animals(limit:-1,page:-5){totalDocs}}",
    ] {
        let answer = ask(stage, "", query, json!({})).await;
        let body = answer.json();
        assert!(body.get("errors").is_none(), "{query}: {}", answer.text);
    }
    for query in [
        "{Animals(where:{id:{in:[1.5]}}){totalDocs}}",
        "{Animals(after:\"nonsense\"){totalDocs}}",
        "{Animals(sort:\"verifier,nope\"){docs{id}} Users{docs{verifier}}}",
        "{Animals(where:{birthDate:{equals:\"garbage\"}}){totalDocs}}",
        "{Animal(id:1){pedigree(generations:11){id}}}",
        "{Animal(id:99999999999999999999){id}}",
        "subscription{Animals{totalDocs}}",
        "query a{__typename} query b{__typename}",
        "{",
        "nonsense",
        "{Animals{docs{...on Herd{id}}}}",
        "query($x:Nope){__typename}",
        "{Animals @include(if:$nowhere){totalDocs}}",
        "query($with:Boolean){Animals{totalDocs @skip(if:$with)}}",
        "{Animals @skip{totalDocs}}",
    ] {
        refused_or_null(&ask(stage, "", query, json!({})).await, query);
    }
    // Nothing is written, and a caller who is not signed in may not try.
    for query in "mutation{createHerd(data:{name:null}){id}} \
        mutation{createHerd(data:{}){id}} mutation{updateHerds(where:{},data:{}){message}} \
        mutation{deleteHerds(where:{}){message}} mutation{deleteHerd(id:1){id}}"
        .split(' ')
    {
        refused_or_null(&ask(stage, "", query, json!({})).await, query);
    }
}

/// Refused, as a whole or at each field.
fn refused_or_null(answer: &Answer, query: &str) {
    assert!(answer.status < 500, "{query}: {}", answer.text);
    let body = answer.json();
    let errors = body["errors"].as_array().unwrap_or_else(|| panic!("{query}: {}", answer.text));
    for error in errors {
        let status = error["extensions"]["statusCode"].as_u64().unwrap_or(400);
        assert!(status < 500, "{query}: {error}");
    }
}

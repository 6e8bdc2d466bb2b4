//! GraphQL from text to answer: data or errors, each with its message.

use crate::draw::Draw;
use crate::world::World;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Value, json};
use std::sync::LazyLock;

static WORLD: LazyLock<World> = LazyLock::new(World::new);

const SEEDS: &[&str] = &[
    "{Animals(limit:3,sort:\"-birthDate\",where:{sex:{equals:female}}){docs{id name owner{name}} totalDocs}}",
    "query A($id:Int!){Animal(id:$id){id calvings(limit:2){docs{id date animal{id}}}}}",
    "{a:Animals(limit:1){docs{...F}} b:Animal(id:1){...F @include(if:true)}} fragment F on Animal{id name mother{id name}}",
    "{__schema{types{name fields{name args{name}}}} __type(name:\"Animal\"){name}}",
    "{Animals(where:{OR:[{id:{in:[1,2]}},{AND:[{name:{exists:true}},{owner:{equals:2}}]}]}){docs{id}}}",
    "mutation{loginUser(email:\"a@b.example\",password:\"x\"){token user{email}}}",
    "mutation M($d:mutationHerdUpdateInput!){updateHerd(id:1,data:$d){id name}}",
    "{meUser{user{id email}} countAnimals{totalDocs}}",
];

const WORDS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ":",
    "!",
    "$",
    "@",
    "...",
    "|",
    "=",
    ",",
    " ",
    "\n",
    "#",
    "\"",
    "\"\"\"",
    "\\",
    "\\u{41}",
    "\\uD800",
    "query",
    "mutation",
    "subscription",
    "fragment",
    "on",
    "Animals",
    "Animal",
    "docs",
    "{docs{",
    "id",
    "name",
    "owner",
    "{owner{",
    "mother",
    "calvings",
    "animals",
    "where:",
    "limit:",
    "sort:",
    "page:",
    "depth:",
    "equals:",
    "in:",
    "like:",
    "OR:[",
    "AND:[",
    "true",
    "false",
    "null",
    "1",
    "-1",
    "99999999999",
    "1e400",
    "0x1",
    "$id",
    "$v:Int=1",
    "__typename",
    "__schema",
    "__type",
    "@include(if:true)",
    "@skip(if:$b)",
    "@deprecated",
    "...F",
    "fragment F on Animal{id ...F}",
    "fragment G on Query{a:Animals{docs{id}}}",
    "é",
    "\u{feff}",
    "\u{0}",
    "password",
    "verifier",
    "token",
    "allLocales",
    "a:",
    "b:",
];

pub(crate) fn check(draw: &mut Draw<'_>) {
    let who = draw.below(4);
    let query = draw.text(SEEDS, WORDS);
    let mut body = json!({"query": query});
    if draw.once_in(3) {
        body["variables"] = match draw.once_in(2) {
            true => json!({"id": draw.value(1, WORDS), "d": draw.value(2, WORDS), "b": true}),
            false => draw.value(3, WORDS),
        };
    }
    if draw.once_in(8) {
        draw.spoil(&mut body, WORDS);
    }
    let form = draw.pick(&["application/json", "application/graphql-response+json", "*/*"]);
    let request = WORLD.request(who, "POST", "/api/graphql");
    let request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, *form);
    let heard = WORLD.ask(request.body(body.to_string().into()).unwrap());
    let answer = heard.json();
    let label = || format!("{body}: {} {answer}", heard.status);
    assert!(answer.is_object(), "{}", label());
    let errors = answer["errors"].as_array();
    assert!(answer.get("data").is_some() || errors.is_some(), "{}", label());
    for error in errors.into_iter().flatten() {
        let message = error["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty() && message.len() < 4_000, "{}", label());
        assert!(message != "Something went wrong.", "{}", label());
        for place in error["locations"].as_array().into_iter().flatten() {
            let within = |name: &str| place[name].as_u64().is_some_and(|n| n > 0);
            assert!(within("line") && within("column"), "{}", label());
        }
    }
    assert!(secrets(&answer).is_none(), "{}", label());
}

/// Members that no caller may see.
fn secrets(answer: &Value) -> Option<&str> {
    match answer {
        Value::Object(members) => {
            let hidden = members.keys().find(|name| *name == "verifier" && members[*name].is_string());
            hidden.map(String::as_str).or_else(|| members.values().find_map(secrets))
        }
        Value::Array(elements) => elements.iter().find_map(secrets),
        _ => None,
    }
}

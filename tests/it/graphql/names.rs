//! The schema itself: its names.

use super::data;
use super::laws::names;
use crate::rest::stage::Stage;
use api::graphql::sdl;
use domain::collections::registry;
use model::registry::{Rule, Verb};
use std::collections::BTreeSet;

/// A type of the schema with its fields.
fn block(sdl: &str, head: &str) -> Vec<String> {
    let start = sdl.find(&format!("\n{head} {{\n"));
    let start = start.unwrap_or_else(|| panic!("no {head}"));
    let text = &sdl[start + head.len() + 4..];
    let end = text.find("\n}").unwrap();
    let lines = text[..end].lines().map(str::trim);
    let lines_of_code = lines.filter(|line| !line.starts_with('"'));
    lines_of_code.map(str::to_owned).collect()
}

#[test]
fn there_is_no_change_that_no_caller_can_ever_ask_for() {
    let sdl = sdl(registry().unwrap()).unwrap();
    let offered: BTreeSet<String> = (block(&sdl, "type Mutation").iter())
        .filter_map(|line| Some(line.split(['(', ':']).next()?.trim().to_owned()))
        .collect();
    let mut nobody = 0;
    for c in registry().unwrap().iter() {
        let (one, many) = names(c.slug);
        for (verb, operations) in table![
            // Files come by REST only.
            Verb::Create, vec![format!("create{one}"), format!("duplicate{one}")];
            Verb::Update, vec![format!("update{one}"), format!("update{many}")];
            Verb::Delete, vec![format!("delete{one}"), format!("delete{many}")];
        ] {
            let exceptions = c.access.allowances.iter().any(|a| a.verb == verb);
            let files = verb == Verb::Create && c.upload.is_some();
            let open = (*c.access.rule(verb) != Rule::Nobody || exceptions) && !files;
            nobody += usize::from(!open);
            for name in operations {
                assert_eq!(offered.contains(&name), open, "{name}");
            }
        }
    }
    assert!(nobody > 10, "{nobody}");
}

#[test]
fn names_are_those_of_the_dialect() {
    let sdl = sdl(registry().unwrap()).unwrap();
    for (head, lines) in table![
        "type Animal", "id: Int!; identNumber: String!; sex: Animal_sex!; birthDate: DateTime; owner: Organization";
        "type Animal", "trustLevel: Float; altIds: Animal_AltIds; haplotypes: [Animal_Haplotypes!]";
        "type Animal", "createdAt: DateTime";
        "type Animals", "docs: [Animal!]!; hasNextPage: Boolean!; nextPage: Int; offset: Int; pagingCounter: Int!";
        "type Animals", "totalDocs: Int!";
        "type Animal_Calvings", "docs: [Calving!]!; hasNextPage: Boolean!; totalDocs: Int";
        "input Animal_where", "id: Animal_id_operator; altIds__earTag: Animal_altIds__earTag_operator";
        "input Animal_where", "owner: Animal_owner_operator; owner__where: Organization_where";
        "input Animal_where", "AND: [Animal_where_and]; OR: [Animal_where_or]";
        "input Animal_where_and", "AND: [Animal_where_and]; OR: [Animal_where_or]";
        "input Animal_id_operator", "equals: Int; in: [Int]; not_in: [Int]; exists: Boolean";
        "input Animal_sex_operator", "equals: Animal_sex_Input; in: [Animal_sex_Input]";
        "input mutationAnimalInput", "identNumber: String!; sex: Animal_sex_MutationInput!; owner: Int";
        "input mutationAnimalInput", "birthDate: String; altIds: mutationAnimal_AltIdsInput";
        "input mutationAnimalUpdateInput", "identNumber: String; sex: AnimalUpdate_sex_MutationInput";
        "type usersJWT", "email: EmailAddress!; collection: String!; role: usersJWT_role";
    ] {
        let found = block(&sdl, head);
        for line in lines.split("; ") {
            assert!(found.iter().any(|known| known == line), "{head}: {line}: {found:?}");
        }
    }
    for line in [
        "\tlogoutUser(",
        "\tloginUser(email: String, password: String, code: String): usersLoginResult",
        "\tmeUser: usersMe",
        "\tinitializedUser: Boolean",
        "\tunlockUser(email: String!): Boolean!",
        "\tAccess: Access",
        "\tallMedia(",
        "\tcountallMedia(",
        "\tMedia(",
        "\tupdateMedia(",
        "\tdocAccessMedia(",
        "\tMilkTest(",
        "\tIndexBases(",
        "\tAdeTombstones(",
        "scalar JSON",
        "scalar DateTime",
        "scalar EmailAddress",
    ] {
        assert!(sdl.contains(line), "{line}");
    }
    assert!(!sdl.contains("verifier"), "hidden fields");
}

#[test]
fn every_field_of_the_registry_is_a_name_of_the_language() {
    let plain = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|c| c.is_ascii_alphabetic()) && letters.all(|c| c.is_ascii_alphanumeric())
    };
    for c in registry().unwrap().iter() {
        for field in &c.fields {
            assert!(field.path.split('.').all(plain), "{}.{}", c.slug, field.path);
        }
    }
}

#[tokio::test]
async fn the_schema_tells_of_itself_unless_it_is_switched_off() {
    let query = "{__type(name:\"Animal\"){name kind fields{name}} __typename}";
    let schema = data(&Stage::new().await, "", query).await;
    holds!(schema, {"__type.name": "Animal", "__typename": "Query"});
    let silent = Stage::with(&[("graphql.introspection", "false")]).await;
    let answer = super::ask(&silent, "", query, serde_json::json!({})).await;
    assert_eq!(answer.status, 200);
    assert!(answer.json().get("data").is_none(), "{}", answer.text);
    // The name of the present type is no secret.
    holds!(data(&silent, "", "{__typename}").await, {"__typename": "Query"});
}

/// The examples of the page, with their variables.
fn examples(page: &str) -> Vec<(String, String)> {
    let list = page.split("const EXAMPLES = [").nth(1).unwrap();
    let list = list.split("\n];").next().unwrap();
    let texts: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    // Variables are in such quotes too, or are empty.
    let mut all: Vec<(String, String)> = Vec::new();
    for text in texts {
        match all.last_mut() {
            Some((_, variables)) if text.starts_with("{\"") => text.clone_into(variables),
            _ => all.push((text.to_owned(), "{}".to_owned())),
        }
    }
    all
}

#[tokio::test]
async fn the_page_to_try_queries_on_has_all_it_needs_from_here_and_its_examples_run() {
    let stage = Stage::new().await;
    let page = ask!(stage, "", "GET /api/graphql-playground" => 200);
    assert!(page.header("content-type").starts_with("text/html"));
    let policy = page.header("content-security-policy");
    let scripts = policy.split("; ").find(|part| part.starts_with("script-src"));
    assert_eq!(scripts, Some("script-src 'self'"), "{policy}");
    for inline in ["http://", "https://", "style=", "<style", "onload"] {
        assert!(!page.text.contains(inline), "{inline}");
    }
    let parts = page.text.split("\"/api/graphql-playground/").skip(1);
    let files: Vec<&str> = parts.map(|part| part.split('"').next().unwrap()).collect();
    assert_eq!(files.len(), 6, "{files:?}");
    for file in files {
        let answer = ask!(stage, "", "GET /api/graphql-playground/{file}" => 200);
        let kind = if file.ends_with("css") { "text/css" } else { "text/javascript" };
        assert!(answer.header("content-type").starts_with(kind), "{file}");
    }
    ask!(stage, "", "GET /api/graphql-playground/nothing.js" => 404);
    let script = ask!(stage, "", "GET /api/graphql-playground/page.js" => 200);
    let examples = examples(&script.text);
    assert_eq!(examples.len(), 6);
    for (query, variables) in examples {
        let answer = super::ask(&stage, "", &query, serde_json::from_str(&variables).unwrap()).await;
        let body = answer.json();
        // A stranger may be refused, but the requested fields exist.
        assert!(body["data"].is_object(), "{query}: {}", answer.text);
    }
}

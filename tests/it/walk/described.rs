//! Answers of the demonstration book against the description that the server gives of itself.

use super::demo::Demo;
use crate::openapi::validator;
use serde_json::{Map, Value, json};

#[tokio::test]
async fn answers_are_as_described() {
    let demo = Demo::start(200);
    let (status, document) = demo.ask("", "/api-docs/openapi.json").await;
    assert_eq!(status, 200);
    let association = demo.sign_in("association@demo.herdbook").await;
    let partner = demo.sign_in("partner@demo.herdbook").await;
    let paths = document["paths"].as_object().unwrap();
    let lists = paths.keys().filter_map(|path| path.strip_prefix("/api/"));
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let slugs: Vec<&str> = lists.filter(|path| schemas.contains_key(&format!("{path}-list"))).collect();
    assert!(slugs.len() > 30, "{slugs:?}");
    let list = |slug: &str| json!({"$ref": format!("#/components/schemas/{slug}-list")});
    let lists: Value = slugs.iter().map(|slug| (*slug, list(slug))).collect();
    let lists = validator(&document, &json!({"properties": lists}));
    let mut seen = 0;
    for slug in slugs {
        for token in [association.as_str(), partner.as_str(), ""] {
            for query in ["limit=40&depth=0", "limit=3&depth=1", "limit=2&depth=3"] {
                let path = format!("/api/{slug}?{query}");
                let (status, body) = demo.ask(token, &path).await;
                // Collections that a caller may not read at all have an answer of another form.
                if status == 403 {
                    continue;
                }
                assert_eq!(status, 200, "{path}: {body}");
                seen += body["docs"].as_array().map_or(0, Vec::len);
                let faults: Vec<String> = (lists.iter_errors(&json!({slug: body})))
                    .map(|fault| format!("{}: {fault}", fault.instance_path()))
                    .take(5)
                    .collect();
                assert!(faults.is_empty(), "{path}\n{}", faults.join("\n"));
            }
        }
    }
    assert!(seen > 1_000, "{seen}");
    let page = "/ade/v1/locations";
    let locations = demo.get(&association, page).await;
    let (scheme, id) = place(&locations);
    let places = paths.keys().filter(|path| path.starts_with("/ade/v1/locations/"));
    let schemas = places.filter_map(|path| Some((path.clone(), listed(&document, path)?)));
    let schemas: Map<String, Value> = schemas.collect();
    let pages = validator(&document, &json!({"properties": schemas}));
    for path in schemas.keys() {
        let mut address = path.replace("{location-scheme}", &scheme).replace("{location-id}", &id);
        let parameters = document["paths"][path]["get"]["parameters"].as_array();
        for needed in parameters.into_iter().flatten() {
            if needed["required"] == true && needed["in"] == "query" {
                let (name, value) = (&needed["name"], &needed["schema"]["enum"][0]);
                let sign = if address.contains('?') { '&' } else { '?' };
                address.push_str(&format!("{sign}{}={}", name.as_str().unwrap(), value.as_str().unwrap()));
            }
        }
        let body = demo.get(&association, &address).await;
        let page = json!({path.as_str(): body});
        assert!(pages.is_valid(&page), "{address}: {:?}", pages.validate(&page));
    }
    demo.stop();
}

/// The first location of a page.
fn place(page: &Value) -> (String, String) {
    let identifier = &page["member"][0]["identifier"];
    let text = |name: &str| identifier[name].as_str().unwrap().to_owned();
    (text("scheme"), text("id"))
}

/// The schema of a GET of a whole collection.
fn listed(document: &Value, path: &str) -> Option<Value> {
    // Except those of a single resource.
    if path.matches('{').count() > 2 {
        return None;
    }
    let answer = &document["paths"][path]["get"]["responses"]["200"];
    answer.pointer("/content/application~1json/schema").cloned()
}

//! Laws of reading over every collection of the registry, on both databases: each field can be selected alone, each
//! join and each list of rows can be used in conditions, each order can be walked by cursors.

use crate::rest::world::World;
use model::registry::{Class, Collection, Field, Kind, Registry};

fn seen(field: &Field) -> bool {
    field.class != Class::Hidden && field.kind != Kind::Password
}

/// A condition that fits the kind of a field.
fn condition(field: &Field) -> Option<&'static str> {
    Some(match field.kind {
        Kind::Text(_) | Kind::LongText | Kind::Email => "[like]=a%25+b",
        Kind::Select(_) => "[in]=a,b",
        Kind::Int | Kind::Number => "[greater_than]=1.5",
        Kind::Day | Kind::Instant => "[less_than_equal]=2020-01-01",
        Kind::Bool => "[not_equals]=true",
        Kind::Relation(_) => "[not_in]=1,2",
        Kind::Relations(_) => "[all]=1,2",
        Kind::Selects(_) | Kind::Texts(_) => "[contains]=a",
        Kind::Json | Kind::Rows(_) => "[exists]=true",
        Kind::Password => return None,
    })
}

fn selected(path: &str) -> String {
    let steps = path.split('.').map(|step| format!("[{step}]"));
    format!("select{}=true", steps.collect::<String>())
}

/// Whether a document has nothing but its id and the members on the path.
fn only(doc: &serde_json::Value, path: &str) -> bool {
    let mut here = doc;
    for (level, step) in path.split('.').enumerate() {
        let Some(members) = here.as_object() else {
            return false;
        };
        let fits = |name: &String| name == step || level == 0 && name == "id";
        if !members.keys().all(fits) {
            return false;
        }
        match members.get(step) {
            Some(next) => here = next,
            None => return false,
        }
    }
    true
}

#[test_with(World::each)]
async fn each_field_can_be_selected_alone(w: &World<'_>) {
    for c in w.stage.book.registry.iter() {
        for field in c.fields.iter().filter(|f| seen(f)) {
            let path = format!("/api/{}?limit=2&depth=0&{}", c.slug, selected(&field.path));
            let answer = ask!(w, "admin", "GET {path}" => 200);
            for doc in answer.json()["docs"].as_array().unwrap() {
                assert!(only(doc, &field.path), "{path}: {doc}");
            }
        }
    }
}

#[test_with(World::each)]
async fn each_path_can_be_asked(w: &World<'_>) {
    let registry = w.stage.book.registry;
    for c in registry.iter() {
        let ask = async |path: &str, field: &Field| {
            let Some(condition) = condition(field) else {
                return;
            };
            let either = format!("where[or][0][{path}]{condition}&where[or][1][{path}][exists]=false");
            let list = format!("/api/{}?limit=1&depth=0", c.slug);
            ask!(w, "admin", "GET {list}&{either}" => 200);
        };
        for field in c.fields.iter().filter(|f| seen(f)) {
            if let Kind::Rows(subs) = &field.kind {
                // No condition goes through the bull of a lactation (docs/design/access.md, *Relatives*).
                let open = |sub: &&Field| sub.name() != "serviceBull";
                for sub in subs.iter().filter(open) {
                    let path = format!("{}.{}", field.path, sub.name());
                    ask(&path, sub).await;
                    if let Some((further, end)) = beyond(registry, sub) {
                        let path = format!("{}.{}.{further}", field.path, sub.name());
                        ask(&path, end).await;
                    }
                }
            }
        }
        for join in &c.joins {
            let from = registry.get(join.collection).unwrap();
            for field in from.fields.iter().filter(|f| seen(f)) {
                ask(&format!("{}.{}", join.name, field.path), field).await;
            }
        }
    }
}

/// One plain field of what a relation leads to.
fn beyond<'r>(registry: &'r Registry, field: &Field) -> Option<(&'r str, &'r Field)> {
    let target: &Collection = registry.get(field.target()?)?;
    let plain = |f: &&Field| seen(f) && matches!(f.kind, Kind::Text(_));
    target.fields.iter().find(plain).map(|f| (f.path.as_str(), f))
}

#[test_with(World::each)]
async fn each_join_is_a_page_of_documents(w: &World<'_>) {
    for c in w.stage.book.registry.iter() {
        for join in &c.joins {
            let name = join.name;
            let path = format!(
                "/api/{}?limit=5&depth=1&select[{name}]=true&joins[{name}][limit]=1&joins[{name}][count]=true",
                c.slug
            );
            let answer = ask!(w, "admin", "GET {path}" => 200);
            for doc in answer.json()["docs"].as_array().unwrap() {
                let joined = &doc[name];
                let docs = joined["docs"].as_array().unwrap();
                let total = joined["totalDocs"].as_u64().unwrap();
                let shown = u64::try_from(docs.len()).unwrap();
                assert_eq!(shown, total.min(1), "{path}");
                assert_eq!(joined["hasNextPage"], total > 1, "{path}");
                assert!(docs.iter().all(|d| d["id"].is_i64() && d["updatedAt"].is_string()));
                let back =
                    join.on.iter().enumerate().map(|(at, on)| format!("where[or][{at}][{on}][equals]={}", doc["id"]));
                let back = back.collect::<Vec<_>>().join("&");
                let count = format!("/api/{}/count?{back}", join.collection);
                assert_eq!(w.get("admin", &count).await.json()["totalDocs"], total, "{path}");
            }
        }
    }
}

#[test_with(World::each)]
async fn each_order_is_walked_by_cursors(w: &World<'_>) {
    for c in w.stage.book.registry.iter() {
        let ordered = |f: &&Field| {
            let list = matches!(f.kind, Kind::Relations(_) | Kind::Selects(_) | Kind::Rows(_) | Kind::Json);
            seen(f) && !list
        };
        for field in c.fields.iter().filter(ordered) {
            for mark in ["", "-"] {
                let sort = format!("sort={mark}{}&depth=0&select[id]=true", field.path);
                let list = format!("/api/{}?{sort}", c.slug);
                let (mut seen, mut pages, mut total) = (Vec::new(), 0, serde_json::Value::Null);
                let mut next = Some(format!("{list}&limit=2"));
                while let Some(path) = next.take() {
                    let answer = ask!(w, "admin", "GET {path}" => 200);
                    let page = answer.json();
                    seen.extend(page["docs"].as_array().unwrap().clone());
                    total = page["totalDocs"].clone();
                    let link = answer.header("link").split('>').next().unwrap_or_default();
                    let more = answer.header("link").contains("rel=\"next\"");
                    next = more.then(|| link.trim_start_matches('<').to_owned());
                    assert!(seen.len() <= 200, "{path} does not end");
                    pages += 1;
                }
                // The only page of all rows is the list.
                if pages > 1 || total != seen.len() {
                    let whole = w.get("admin", &format!("{list}&limit=0")).await.json();
                    assert_eq!(serde_json::Value::from(seen), whole["docs"], "{list}");
                }
            }
        }
    }
}

/// Whoever asks, a bounded count is the exact one up to its bound, and tells of nothing else.
#[test_with(World::each)]
async fn each_collection_counts_to_a_bound(w: &World<'_>) {
    for c in w.stage.book.registry.iter() {
        for who in ["admin", "alpha", ""] {
            let path = format!("/api/{}?limit=1&depth=0", c.slug);
            let exact = w.get(who, &path).await;
            for bound in ["count=none", "count=bounded&countLimit=1", "count=bounded"] {
                let path = format!("{path}&{bound}");
                let some = w.get(who, &path).await;
                assert_eq!(some.status, exact.status, "{who}: {path}");
                if exact.status != 200 {
                    assert_eq!(some.json(), exact.json(), "{who}: {path}");
                    continue;
                }
                let (some, exact) = (some.json(), exact.json());
                let all = exact["totalDocs"].as_u64().unwrap();
                let most = if bound == "count=bounded" { 1_000 } else { 1 };
                assert_eq!(some["totalDocs"], all.min(most), "{who}: {path}");
                assert_eq!(some["docs"], exact["docs"], "{who}: {path}");
                assert_eq!(some["hasNextPage"], exact["hasNextPage"], "{who}: {path}");
                let more = some["totalIsBounded"] == true;
                assert_eq!(more, all > most, "{who}: {path}");
            }
        }
    }
    for (query, path) in [
        ("count=all", "count"),
        ("count[a]=bounded", "count"),
        ("count=bounded&countLimit=0", "countLimit"),
        ("count=bounded&countLimit=x", "countLimit"),
        ("countLimit=0", "countLimit"),
        ("count=none&countLimit=x", "countLimit"),
    ] {
        let body = ask!(w, "admin", "GET /api/animals?{query}" => 400).json();
        assert!(body.to_string().contains(&format!("\"{path}\"")), "{query}: {body}");
    }
    for query in [
        "count=",
        "count=exact",
        "count=bounded&countLimit=",
        // As clients send it that state all defaults.
        "count=exact&countLimit=1000",
    ] {
        ask!(w, "admin", "GET /api/animals?{query}" => 200);
    }
}

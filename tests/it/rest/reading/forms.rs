//! Reading in all its forms: links and cursors, HEAD, exports, long queries, chosen fields in the answers to writes,
//! pedigrees.

use crate::rest::stage::{Answer, Stage};
use crate::rest::world::{NOT_FOUND, World};
use axum::body::Body;
use model::record::Value as Stored;
use serde_json::json;

/// An organisation with 25 herds.
async fn setup(stage: &Stage) {
    let organization = [("id", Stored::Int(1)), ("name", "Alpha Farms".into())];
    stage.insert("organizations", &organization).await;
    for id in 1..=25 {
        let row = [("id", Stored::Int(id)), ("name", format!("Herd {id:02}").into()), ("organization", Stored::Int(1))];
        stage.insert("herds", &row).await;
    }
}

fn ids(answer: &Answer) -> Vec<i64> {
    let body = answer.json();
    let docs = body["docs"].as_array().unwrap_or_else(|| panic!("{}", answer.text));
    docs.iter().map(|doc| doc["id"].as_i64().unwrap()).collect()
}

/// The address of a relation in the header `Link`.
fn link(answer: &Answer, rel: &str) -> Option<String> {
    let links = answer.header("link").split(", ");
    let mark = format!("; rel=\"{rel}\"");
    let found = links.filter_map(|link| link.strip_suffix(mark.as_str())).next()?;
    Some(found.trim_matches(['<', '>']).to_owned())
}

#[test_with(Stage::each)]
async fn links_lead_from_page_to_page_and_head_tells_them_too(stage: &Stage) {
    setup(stage).await;
    let start = "/api/herds?limit=10&sort=-name&where[name][like]=herd&select[name]=true";
    let first = stage.get(start).await;
    assert_eq!((link(&first, "prev"), link(&first, "first")), (None, None));
    let second = stage.get(&link(&first, "next").unwrap()).await;
    assert_eq!(second.json(), stage.get(&format!("{start}&page=2")).await.json());
    assert_eq!(link(&second, "prev"), Some(format!("{start}&page=1")));
    assert_eq!(link(&second, "first").as_deref(), Some(start));
    let third = stage.get(&link(&second, "next").unwrap()).await;
    assert_eq!(ids(&third), [5, 4, 3, 2, 1]);
    assert_eq!(link(&third, "next"), None);
    let all = [ids(&first), ids(&second), ids(&third)].concat();
    assert_eq!(all, (1..=25).rev().collect::<Vec<_>>());
    // Without a count as well, and without anything else in the address.
    let plain = stage.get("/api/herds").await;
    assert_eq!(ids(&stage.get(&link(&plain, "next").unwrap()).await)[0], 15);
    let uncounted = stage.get("/api/herds?pagination=false&limit=20").await;
    assert_eq!(ids(&stage.get(&link(&uncounted, "next").unwrap()).await).len(), 5);
    for bad in ["after=x", "after=W10", "after[]=x", "sort=name&after=eyJ9"] {
        let answer = stage.get(&format!("/api/herds?{bad}")).await;
        let expected = r#"{"errors":[{"name":"QueryError","data":[{"path":"after"}],"message":"The following path cannot be queried: after"}]}"#;
        assert_eq!(answer.parts(), (400, expected), "{bad}");
    }
    assert_eq!(ids(&stage.get("/api/herds?after=").await).len(), 10);
    for path in "/api/herds /api/herds/3 /api/herds/count /api/herds?limit=0".split(' ') {
        let get = stage.get(path).await;
        let head = stage.send("HEAD", path, &[]).await;
        assert_eq!(head.parts(), (200, ""), "{path}");
        for name in ["content-type", "link", "content-length"] {
            if !get.header(name).is_empty() {
                assert_eq!(head.header(name), get.header(name), "{path}: {name}");
            }
        }
    }
    let list = stage.send("HEAD", "/api/herds", &[]).await;
    assert!(link(&list, "next").is_some());
    assert_eq!(stage.send("HEAD", "/api/herds/99", &[]).await.status, 404);
}

#[test_with(Stage::each)]
async fn lists_leave_in_the_form_that_is_accepted(stage: &Stage) {
    setup(stage).await;
    let export = async |accept: &str, query: &str| {
        let path = format!("/api/herds?{query}");
        stage.send("GET", &path, &[("accept", accept)]).await
    };
    let lines = export("application/x-ndjson", "sort=id&depth=1").await;
    assert_eq!(lines.header("content-type"), "application/x-ndjson");
    assert_eq!(lines.header("vary"), "Accept");
    let lines: Vec<serde_json::Value> = lines.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 25, "an export is whole");
    assert_eq!(lines[24]["organization"]["name"], "Alpha Farms");
    let table = export("text/csv", "sort=id&limit=2&select[name]=true&select[organization]=true");
    let table = table.await;
    assert_eq!(table.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert_eq!(table.text, "id,name,organization\r\n1,Herd 01,1\r\n2,Herd 02,1\r\n");
    let more = link(&table, "next").unwrap();
    let more = stage.send("GET", &more, &[("accept", "text/csv")]).await;
    assert!(more.text.ends_with("3,Herd 03,1\r\n4,Herd 04,1\r\n"), "{}", more.text);
    let envelope = export("text/csv;q=0.1, application/json", "").await;
    assert_eq!(ids(&envelope).len(), 10);
    export("text/csv", "where[nope][equals]=1").await.assert_is(400, "");
}

#[test_with(World::each)]
async fn answers_to_writes_show_what_is_selected(w: &World<'_>) {
    let only = "select[name]=true&select[organization][name]=true&depth=1";
    let body = json!({"name": "Selected", "organization": 1}).to_string();
    let made = w.ask("alpha", "POST", &format!("/api/herds?{only}"), body).await;
    let id = made.json()["doc"]["id"].as_i64().unwrap();
    let organization = json!({"id": 1, "name": "Alpha"});
    let doc = |name: &str| json!({"id": id, "name": name, "organization": organization});
    assert_eq!((made.status, &made.json()["doc"]), (201, &doc("Selected")));
    let deep = ask!(w, "alpha", "PATCH /api/herds/{id}?depth=1", {"name": "Selected"} => 200).json();
    holds!(deep, {"doc.organization.name": "Alpha", "message": "Updated successfully."});
    let path = format!("/api/herds/{id}?{only}");
    let changed = w.ask("alpha", "PATCH", &path, r#"{"name":"Other"}"#).await;
    assert_eq!((changed.status, &changed.json()["doc"]), (200, &doc("Other")));
    let gone = w.ask("admin", "DELETE", &path, Body::empty()).await;
    assert_eq!((gone.status, &gone.json()["doc"]), (200, &doc("Other")));
    assert_eq!(gone.json()["message"], "Deleted successfully.");
}

#[test_with(World::each)]
async fn a_total_follows_every_write(w: &World<'_>) {
    let total = async |who: &str| {
        let answer = w.get(who, "/api/herds?limit=1&sort=id").await;
        let count = w.get(who, "/api/herds/count").await;
        assert_eq!(answer.json()["totalDocs"], count.json()["totalDocs"]);
        count.json()["totalDocs"].as_i64().unwrap()
    };
    let before = total("alpha").await;
    let id = made!(w, "alpha", "herds", {"name": "One more", "organization": 1});
    assert_eq!(total("alpha").await, before + 1);
    assert_eq!(total("alpha").await, before + 1);
    w.gone("admin", "herds", id).await;
    assert_eq!(total("alpha").await, before);
    // A total that was counted for one caller is not returned to another.
    let animals = async |who: &str| w.get(who, "/api/animals/count").await.json()["totalDocs"].as_i64().unwrap();
    assert_eq!((animals("admin").await, animals("alpha").await), (5, 3));
    assert_eq!((animals("beta").await, animals("").await), (1, 0));
}

#[test_with(World::each)]
async fn a_pedigree_is_read_by_generations(w: &World<'_>) {
    let path = "/api/animals/4/pedigree";
    let whole = w.get("alpha", &format!("{path}?select[name]=true")).await;
    assert_eq!(
        whole.json(),
        json!({
            "id": 4, "generations": 3,
            "nodes": [
                {"number": 1, "generation": 0, "doc": {"id": 4, "name": "Animal 4"}},
                {"number": 2, "generation": 1, "doc": {"id": 1, "name": "Animal 1"}},
                {"number": 3, "generation": 1, "doc": {"id": 2, "name": "Animal 2"}},
            ],
            "completeness": [
                {"generation": 1, "known": 2, "possible": 2, "percent": 100.0},
                {"generation": 2, "known": 0, "possible": 4, "percent": 0.0},
                {"generation": 3, "known": 0, "possible": 8, "percent": 0.0},
            ],
            "pedigreeDepth": 1.0,
        })
    );
    let deep = w.get("admin", &format!("{path}?generations=1&depth=1")).await.json();
    assert_eq!(deep["nodes"][1]["doc"]["owner"]["name"], "Alpha");
    for who in ["beta", ""] {
        ask!(w, who, "GET {path}" => NOT_FOUND);
    }
    // Open, but its parents are not: what it tells of them.
    changed!(w, "alpha", "animals", 4, {"publicVisible": true, "publicDetails": true});
    let open = w.get("", path).await.json();
    for (number, sex) in [(2, "male"), (3, "female")] {
        let path = format!("/api/animals/{}?depth=0", number - 1);
        let doc = w.get("admin", &path).await.json();
        let parent = json!({"number": number, "generation": 1, "closed": true, "doc": {
            "id": doc["id"], "identNumber": doc["identNumber"], "name": doc["name"],
            "sex": sex, "birthDate": doc["birthDate"], "breed": doc["breed"],
        }});
        assert_eq!(open["nodes"][number - 1], parent);
    }
    let chosen = w.get("", &format!("{path}?select[name]=true")).await.json();
    let parent = json!({"number": 2, "generation": 1, "closed": true, "doc": {"id": 1, "name": "Animal 1"}});
    assert_eq!(chosen["nodes"][1], parent);
    // Its card is closed: nothing is shown about its parents.
    changed!(w, "alpha", "animals", 4, {"publicDetails": false});
    let closed = w.get("", path).await.json();
    assert_eq!(closed["nodes"].as_array().map(Vec::len), Some(1));
    for bad in ["0", "11", "x", "-1", "2.5", ""] {
        let answer = w.get("admin", &format!("{path}?generations={bad}")).await;
        holds!(answer.json(), {"errors.0.data.0.path": "generations"}, "{bad}");
    }
    ask!(w, "admin", "GET /api/animals/999/pedigree" => NOT_FOUND);
    ask!(w, "admin", "GET /api/herds/1/pedigree" => 404);
    w.get("admin", "/api/herds/1/pedigree").await.has(&["Route not found"]);
}

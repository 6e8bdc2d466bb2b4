//! What the face states about itself, and whether it is true.

use crate::ade::stage::{FARM, Stage};
use ade::catalog::{Catalog, Verb};
use serde_json::{Value, json};

const KNOWN: &str = "/.well-known/ade";

#[tokio::test]
async fn every_caller_is_told_what_he_may_do() {
    let s = Stage::plain().await;
    let viewer = s.f.user(5, "farmer", Some(1), "viewer").await;
    let (headers, open) = ask!(s.f, "", "GET {KNOWN}" => 200 with headers);
    assert_eq!(headers["x-icar-ade-version"], "1.5.1");
    holds!(open, {"version": "1.5.1", "limits.pageSize.max": 200, "schemes.animal.0.scheme": "org.herdbook.animal"});
    assert!(open["locations"].is_null() && open["types"].is_null(), "{open}");
    for name in ["locations", "datasets", "serviceSires", "openapi"] {
        let (status, _) = s.get(open["addresses"][name].as_str().unwrap()).await;
        assert_eq!(status, 200, "{name}");
    }

    let (_, _, farm) = s.f.get(KNOWN, &s.farm).await;
    holds!(farm, {"locations.total": 1, "locations.first.0.identifier.id": "1"});
    let (_, _, all) = s.f.get(KNOWN, &s.expert).await;
    assert_eq!(all["locations"]["total"], 2);
    let of = |discovery: &Value, name: &str| {
        let types = discovery["types"].as_array().unwrap().iter();
        let mut types = types.filter(|t| t["collection"] == name);
        types.next().unwrap().clone()
    };
    let weights = of(&farm, "weights");
    holds!(weights, {"resourceType": "icarWeightEventResource", "verbs": ["get", "post", "batch", "push", "changes"]});
    assert_eq!(of(&farm, "lactations")["verbs"], json!(["get", "changes"]));
    let (_, _, reads) = s.f.get(KNOWN, &viewer).await;
    assert_eq!(of(&reads, "weights")["verbs"], json!(["get", "changes"]));
    // The reported values are true.
    for one in farm["types"].as_array().unwrap() {
        let mut query = String::new();
        for filter in one["filters"].as_array().unwrap() {
            for name in filter["parameters"].as_array().unwrap() {
                let name = name.as_str().unwrap();
                let value = if name.contains("date") || name.contains("modified") {
                    "2026-01-01"
                } else {
                    let codes = Catalog::get().answer(name);
                    let codes = codes.and_then(|a| a.codes.as_deref());
                    codes.map_or("1", |codes| ade::schema::Standard::get().enum_values(codes).unwrap()[0])
                };
                query.push_str(&format!("{name}={}&", value.replace(' ', "%20")));
            }
        }
        let path = format!("{FARM}/{}?{query}", one["collection"].as_str().unwrap());
        let (headers, _) = ask!(s.f, s.farm, "GET {path}" => 200 with headers, "{path}");
        assert!(!headers.contains_key("x-icar-ade-ignored-filters"), "{path}");
    }

    ask!(s.f, "nonsense", "GET {KNOWN}" => 401 ["unauthorized"]);
    for same in ["/ade/v1", "/ade/v1/"] {
        assert_eq!(s.f.get(same, &s.farm).await.2, farm, "{same}");
    }
}

#[tokio::test]
async fn the_api_description_names_what_the_caller_may_do_and_no_more() {
    let s = Stage::plain().await;
    let viewer = s.f.user(5, "farmer", Some(1), "viewer").await;
    let at = "/ade/v1/openapi.json";
    assert_eq!(s.f.get(at, "").await.0, 401);
    let (_, farm) = s.get(at).await;
    let (_, _, reads) = s.f.get(at, &viewer).await;
    let list = "/ade/v1/locations/{location-scheme}/{location-id}/weights";
    assert!(farm["paths"][list]["post"].is_object());
    assert!(farm["paths"][list]["get"].is_object());
    assert!(reads["paths"][list]["get"].is_object());
    let writes = |document: &Value| {
        let paths = document["paths"].as_object().unwrap().iter();
        let paths = paths.filter(|(path, _)| !path.ends_with("/match"));
        let methods = paths.flat_map(|(_, item)| item.as_object().unwrap().keys());
        methods.filter(|method| *method == "post").count()
    };
    assert!(writes(&farm) > 3);
    assert_eq!(writes(&reads), 0);
    let rest = |path: &String| path.starts_with("/api");
    assert!(!farm["paths"].as_object().unwrap().keys().any(rest));
    // Every reference leads somewhere.
    let text = farm.to_string();
    for piece in text.split("\"$ref\":\"#").skip(1) {
        let to = piece.split('"').next().unwrap();
        assert!(farm.pointer(to).is_some(), "{to}");
    }
    // Every path and verb of the catalogue that this service has, under each of its names.
    let place = "/ade/v1/locations/{location-scheme}/{location-id}";
    let batches = "/ade/v1/batches/locations/{location-scheme}/{location-id}";
    for entry in Catalog::get().collections().iter().filter(|e| e.scoped) {
        let own = entry.same_as.as_ref().unwrap_or(&entry.name);
        let mapping = s.f.exchange.rules().mappings().get(own);
        for name in std::iter::once(&entry.name).chain(&entry.aliases) {
            for (verb, method) in [(Verb::Get, "get"), (Verb::Post, "post"), (Verb::Delete, "delete")] {
                let may = match verb {
                    Verb::Post => mapping.is_some_and(|m| m.can_post() && m.senders().is_empty()),
                    _ => true,
                };
                let path = format!("{place}/{name}");
                let found = farm["paths"][&path][method].is_object();
                assert_eq!(found, may && entry.allows(verb), "{method} {path}");
                let found = reads["paths"][&path][method].is_object();
                assert_eq!(found, verb == Verb::Get && entry.allows(verb), "{method} {path}");
            }
        }
        if let Some(name) = entry.batch_name() {
            let path = format!("{batches}/{name}");
            let may = mapping.is_some_and(|m| m.can_batch() && m.senders().is_empty());
            assert_eq!(farm["paths"][&path]["post"].is_object(), may, "{path}");
            assert!(reads["paths"][&path].is_null(), "{path}");
        }
    }
    assert_eq!(farm["paths"][format!("{place}/dry-offs")]["get"]["deprecated"], true);
    let parameters = farm["paths"][list]["get"]["parameters"].as_array().unwrap();
    let named = |name: &str| parameters.iter().any(|p| p["name"] == name);
    for name in ["pageSize", "animal-id", "date-from", "meta-modified-from"] {
        assert!(named(name), "{name}");
    }
}

#[tokio::test]
async fn a_client_is_told_for_each_need_whether_and_why() {
    let s = Stage::plain().await;
    let at = "/ade/v1/match";
    let needs = json!({
        "version": "1.5.1",
        "types": [
            {"name": "weights", "verbs": ["get", "batch"], "filters": ["meta-modified-from", "animal"]},
            {"name": "icarLactationResource", "verbs": ["post"], "filters": ["duration"]},
            {"name": "unicorns"},
        ],
        "schemes": ["std.iso.11785", "no.such"],
    });
    let answer = ask!(s.f, s.farm, "POST {at}", needs => 200);
    assert_eq!(answer["match"], false);
    let items: Vec<(&str, bool)> = (answer["items"].as_array().unwrap().iter())
        .map(|item| {
            assert!(!item["reason"].as_str().unwrap().is_empty());
            (item["path"].as_str().unwrap(), item["match"].as_bool().unwrap())
        })
        .collect();
    let expected = [
        ("/version", true),
        ("/types/0", true),
        ("/types/0/verbs/0", true),
        ("/types/0/verbs/1", true),
        ("/types/0/filters/0", true),
        ("/types/0/filters/1", true),
        ("/types/1", true),
        ("/types/1/verbs/0", false),
        ("/types/1/filters/0", false),
        ("/types/2", false),
        ("/schemes/0", true),
        ("/schemes/1", false),
    ];
    assert_eq!(items, expected);
    let less = json!({"types": [needs["types"][0]]});
    let (_, _, answer) = s.f.post(at, &s.farm, less.clone()).await;
    assert_eq!(answer["match"], true, "{answer}");
    let viewer = s.f.user(5, "farmer", Some(1), "viewer").await;
    let (_, _, answer) = s.f.post(at, &viewer, less).await;
    let batch = &answer["items"][2];
    assert_eq!((&answer["match"], &batch["match"]), (&json!(false), &json!(false)));
    assert!(batch["reason"].as_str().unwrap().contains("role"), "{batch}");

    let body = ask!(s.f, s.farm, "POST {at}", {"typos": [], "types": [{"verbs": "get"}, 7], "schemes": [1]} => 400);
    let pointers: Vec<&str> =
        (body["errors"].as_array().unwrap().iter()).map(|e| e["instance"].as_str().unwrap()).collect();
    let expected = ["/typos", "/schemes/0", "/types/0/name", "/types/0/verbs", "/types/1"];
    assert_eq!(pointers, expected);
    assert_eq!(s.f.post(at, "", json!({})).await.0, 401);
}

#[tokio::test]
async fn the_face_tells_of_full_syncs_to_those_who_may_start_them() {
    let s = Stage::plain_with(&[("exchange.full_sync_lease", "77")]).await;
    let (_, known) = s.get("/.well-known/ade").await;
    let at = known["addresses"]["fullSyncs"].as_str().unwrap();
    assert_eq!(known["limits"]["fullSyncLease"], 77);
    let scope = json!({"sources": ["scale.example"]});
    let path = at.replace("{set}", "weights");
    assert_eq!(s.f.post(&path, &s.farm, scope).await.0, 201);
    let viewer = s.f.user(5, "farmer", Some(1), "viewer").await;
    let openapi = "/ade/v1/openapi.json";
    let (_, mine) = s.get(openapi).await;
    let (_, _, theirs) = s.f.get(openapi, &viewer).await;
    for path in ["", "/{full-sync}", "/{full-sync}/end"] {
        let path = format!("{at}{path}");
        assert!(mine["paths"][&path].is_object(), "{path}");
        assert!(theirs["paths"][&path].is_null(), "{path}");
    }
    let push = &mine["paths"]["/ade/v1/datasets/{set}/resources"]["post"];
    let parameters = push["parameters"].as_array().unwrap();
    assert!(parameters.iter().any(|p| p["name"] == "full-sync"));
}

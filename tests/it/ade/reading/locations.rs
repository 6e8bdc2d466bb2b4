//! Locations, single resources, filters.

use crate::ade::stage::{FARM, OTHER, Stage, keys};
use crate::support::fixture::{Fixture, NOW};
use serde_json::json;

#[tokio::test]
async fn a_farm_sees_its_own_location_and_the_association_all() {
    let s = Stage::plain().await;
    let (headers, body) = ask!(s.f, s.farm, "GET /ade/v1/locations" => 200 with headers);
    assert_eq!(headers["x-icar-ade-version"], "1.5.1");
    assert_eq!(headers["cache-control"], "private, no-cache");
    holds!(body, {"view.totalItems": 1, "member.0.identifier.id": "1", "member.0.name": "First"});
    let supported = body["supportedCollections"].as_array().unwrap();
    assert!(supported.contains(&"weights".into()), "{supported:?}");
    assert!(!supported.contains(&"locations".into()));

    let (_, _, all) = s.f.get("/ade/v1/locations?pageSize=1", &s.expert).await;
    holds!(all, {"view.totalItems": 2, "member.0.name": "First"});
    let next = all["view"]["next"].as_str().unwrap();
    let path = next.strip_prefix("http://book.example").unwrap();
    let (_, _, all) = s.f.get(path, &s.expert).await;
    assert_eq!(all["member"][0]["name"], "Second");
    assert!(all["view"]["next"].is_null(), "{all}");

    let nobody = s.f.user(8, "farmer", None, "head").await;
    let none = ask!(s.f, nobody, "GET /ade/v1/locations" => 200);
    holds!(none, {"member": []});
}

/// A location that has an address is in the list, and the reverse: an organisation that others only
/// named, and one that was merged into another.
#[test_each(Stage::each())]
async fn the_locations_of_the_association_are_those_that_answer(s: Stage) {
    let named = json!({"name": "A buyer", "presence": "referenced"});
    s.f.fill("organizations", 8, named.clone()).await;
    s.f.fill("organizations", 9, named).await;
    update!(s.f, "organizations", 9, {"mergedInto": 2});
    let (_, _, page) = s.f.get("/ade/v1/locations", &s.expert).await;
    let names: Vec<&str> =
        (page["member"].as_array().unwrap().iter()).map(|m| m["identifier"]["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["1", "2", "8"]);
    assert_eq!(page["view"]["totalItems"], 3);
    for (id, listed) in [(1, true), (2, true), (8, true), (9, false)] {
        let path = format!("/ade/v1/locations/org.herdbook.orgid/{id}/arrivals");
        let (status, ..) = s.f.get(&path, &s.expert).await;
        assert_eq!(status == 200, listed, "{path}: {status}");
    }
}

#[test_each(Fixture::each())]
async fn a_book_without_organisations_answers(f: Fixture) {
    let expert = f.user(1, "expert", None, "head").await;
    let body = ask!(f, expert, "GET /ade/v1/locations" => 200);
    holds!(body, {"member": [], "view.totalPages": 1});
    let feed = ask!(f, expert, "GET /ade/v1/datasets/everything/changes" => 200);
    assert_eq!(feed.as_array().unwrap().len(), 2, "{feed}");
}

#[test_each(Stage::each())]
async fn every_resource_is_found_by_its_id_or_key(s: Stage) {
    s.weigh(&[1]).await;
    for name in ["animals", "weights"] {
        let (_, page) = s.get(&format!("{FARM}/{name}")).await;
        for member in page["member"].as_array().unwrap() {
            let body = member.to_string();
            let key = s.f.exchange.lists().key_of(name, &body).expect(&body);
            let one = ask!(s.f, s.farm, "GET {FARM}/{name}/{key}" => 200);
            assert_eq!(&one, member, "{one}");
            ask!(s.f, s.other, "GET {OTHER}/{name}/{key}" => 404 ["resource-not-found"]);
        }
    }
    for missing in ["0", "x", "999999", "%00"] {
        ask!(s.f, s.farm, "GET {FARM}/weights/{missing}" => 404, "{missing}");
    }
}

#[test_each(Stage::each())]
async fn windows_of_change_begin_inclusive_and_end_exclusive(s: Stage) {
    s.weigh(&[1]).await;
    s.f.pass(10);
    s.weigh(&[2]).await;
    let at = |seconds: i64| ade::time::format(NOW + seconds * 1000);
    let ask = async |query: String| {
        let page = ask!(s.f, s.farm, "GET {FARM}/weights?{query}" => 200);
        keys(&page)
    };
    assert_eq!(ask(format!("meta-modified-from={}", at(10))).await, ["w2"]);
    assert_eq!(ask(format!("meta-modified-to={}", at(10))).await, ["w1"]);
    assert_eq!(ask(format!("meta-modified-from={}", at(0))).await, ["w1", "w2"]);
    let both = format!("meta-modified-from={}&meta-modified-to={}", at(0), at(11));
    assert_eq!(ask(both).await, ["w1", "w2"]);
    // Offsets, with the plus sign quoted and not.
    let east = "2026-03-01T15:00:10%2B03:00";
    assert_eq!(ask(format!("meta-modified-from={east}")).await, ["w2"]);
    let east = "2026-03-01T15:00:10+03:00";
    assert_eq!(ask(format!("meta-modified-from={east}")).await, ["w2"]);
    // Events: a bare date is a whole day, a time an exclusive end.
    assert_eq!(ask("date-from=2026-02-02&date-to=2026-02-02".into()).await, ["w1"]);
    assert_eq!(ask("date-to=2026-02-03".into()).await, ["w1", "w2"]);
    assert_eq!(ask("date-to=2026-02-03T00:00:00Z".into()).await, ["w1"]);
    assert_eq!(ask("date-from=2026-02-03T00:00:00Z".into()).await, ["w2"]);
}

#[tokio::test]
async fn parameters_that_cannot_be_read_are_refused_all_at_once_and_unknown_ones_are_named() {
    let s = Stage::plain().await;
    for (query, parameters) in table![
        "meta-modified-from=soon", &["meta-modified-from"][..];
        "meta-modified-to=2026-02-30", &["meta-modified-to"];
        "date-from=", &["date-from"];
        "date-to=2026-1-1", &["date-to"];
        "page=0", &["page"];
        "page=1.5", &["page"];
        "pageSize=-1", &["pageSize"];
        "pageSize=12x", &["pageSize"];
        "animal-id=1", &["animal-scheme"];
        "animal-scheme=a.b", &["animal-id"];
        "animal-scheme=&animal-id=", &["animal-scheme", "animal-id"];
        "date-from=2026-01-01&date-from=2026-01-02", &["date-from"];
        "date-from=x&page=y&meta-modified-to=z", &["meta-modified-to", "date-from", "page"];
        "animal-id=%FF", &["animal-id"];
    ] {
        let body = ask!(s.f, s.farm, "GET {FARM}/weights?{query}" => 400, "{query}");
        let errors = body["errors"].as_array().unwrap();
        let named: Vec<&str> = (errors.iter()).map(|e| e["meta"]["parameter"].as_str().unwrap()).collect();
        assert_eq!(named, parameters, "{query}");
        assert!(errors.iter().all(|e| e["code"] == "field-value"), "{body}");
    }

    // Those without a meaning.
    let (headers, _) = ask!(s.f, s.farm, "GET {FARM}/weights?meta-modified-form=2026-01-01&x%20y=1&identifier-id=2"
        => 200 with headers);
    let ignored = &headers["x-icar-ade-ignored-filters"];
    assert_eq!(ignored, "meta-modified-form,x%20y,identifier-id");
    // Animals have no event.
    let path = format!("{FARM}/animals?date-from=2026-01-01");
    let (_, headers, _) = s.f.get(&path, &s.farm).await;
    assert_eq!(headers["x-icar-ade-ignored-filters"], "date-from");
    let path = format!("{FARM}/animals?meta-modified-from=2026-01-01");
    let (_, headers, _) = s.f.get(&path, &s.farm).await;
    assert!(!headers.contains_key("x-icar-ade-ignored-filters"));
}

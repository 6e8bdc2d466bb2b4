//! Sorting commands, and the address of an animal's own.

use crate::ade::stage::{FARM, OTHER, Stage, codes, keys};
use crate::support::fixture::number;
use serde_json::{Value, json};

fn command(key: &str, cow: i64, site: &str) -> Value {
    json!({
        "resourceType": "icarAnimalSortingCommandResource",
        "meta": {"source": "gate.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": number(cow)},
        "sites": [site], "validFrom": "2026-02-01T00:00:00Z",
    })
}

fn own(farm: &str, cow: i64) -> String {
    format!("{farm}/org.herdbook.animal/{}/sorting", number(cow))
}

#[test_each(Stage::each())]
async fn the_latest_command_of_an_animal_is_read_and_taken_back(s: Stage) {
    let (status, body) = s.get(&own(FARM, 11)).await;
    assert_eq!((status, codes(&body)), (404, vec!["resource-not-found"]));
    let path = format!("{FARM}/sortings");
    for (key, cow, site) in [("1", 11, "north"), ("2", 11, "south"), ("3", 12, "east")] {
        ask!(s.f, s.farm, "POST {path}", command(key, cow, site) => 201);
    }
    assert_eq!(s.get(&own(FARM, 11)).await.1["sites"], json!(["south"]));
    s.f.post(&path, &s.farm, command("1", 11, "west")).await;
    assert_eq!(s.get(&own(FARM, 11)).await.1["sites"], json!(["west"]));
    for method in ["POST", "PUT", "PATCH"] {
        let (status, headers, _) = s.f.request(method, &own(FARM, 11), &s.farm, Value::Null).await;
        assert_eq!((status, headers["allow"].to_str().unwrap()), (405, "GET,HEAD,DELETE"));
    }
    let viewer = s.f.user(9, "farmer", Some(1), "viewer").await;
    let (status, _, body) = s.f.request("DELETE", &own(FARM, 11), &viewer, Value::Null).await;
    assert_eq!((status, codes(&body)), (403, vec!["write-forbidden"]));
    let (status, _, _) = s.f.request("DELETE", &own(FARM, 11), &s.farm, Value::Null).await;
    assert_eq!(status, 200);
    let (status, _, _) = s.f.request("DELETE", &own(FARM, 11), &s.farm, Value::Null).await;
    assert_eq!(status, 404);
    assert_eq!(s.get(&own(FARM, 11)).await.0, 404);
    assert_eq!(keys(&s.get(&path).await.1), ["3"]);
    let (_, feed) = s.get("/ade/v1/datasets/sortings/changes").await;
    let dead = feed.as_array().unwrap().iter().filter(|e| e["meta"]["isDeleted"] == true);
    assert_eq!(dead.count(), 2);
}

#[test_each(Stage::each())]
async fn commands_of_others_are_not_there(s: Stage) {
    let path = format!("{OTHER}/sortings");
    s.f.post(&path, &s.other, command("1", 21, "north")).await;
    for (at, status) in [(own(FARM, 21), "resource-not-found"), (own(OTHER, 21), "location-forbidden")] {
        for method in ["GET", "DELETE"] {
            let (found, _, body) = s.f.request(method, &at, &s.farm, Value::Null).await;
            assert_eq!((found, codes(&body)), (404, vec![status]), "{method} {at}");
        }
    }
    let (status, _, _) = s.f.get(&own(OTHER, 21), &s.other).await;
    assert_eq!(status, 200);
    let unknown = format!("{FARM}/no.such.scheme/1/sorting");
    assert_eq!(s.get(&unknown).await.0, 404);
}

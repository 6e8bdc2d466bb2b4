//! The schemes that documents use, and their values.

use crate::ade::stage::{FARM, OTHER, Stage};
use serde_json::json;

#[tokio::test]
async fn things_schemes_and_values_are_listed() {
    let s = Stage::plain().await;
    for (id, name, code) in [(1, "Holstein", Some("HOL")), (2, "Own", None), (3, "Jersey", Some("JER"))] {
        fill!(s.f, "breeds", id, {"name": name, "code": format!("b{id}"), "whffCode": code});
    }
    let page = ask!(s.f, s.farm, "GET {FARM}/schemata?pageSize=200" => 200);
    let members = page["member"].as_array().unwrap();
    for kind in ["animals", "breeds", "locations"] {
        assert!(members.contains(&json!({"name": kind})), "{page}");
    }
    assert_eq!(page["view"]["totalItems"], members.len());
    let (_, page) = s.get(&format!("{FARM}/schemata/breeds")).await;
    assert_eq!(page["member"], json!([{"name": "icar.breed-3"}]), "{page}");
    let values = format!("{FARM}/schemata/breeds/icar.breed-3");
    let page = ask!(s.f, s.farm, "GET {values}" => 200);
    let both = json!([{"id": "HOL", "name": "Holstein"}, {"id": "JER", "name": "Jersey"}]);
    assert_eq!(page["member"], both);
    let (_, page) = s.get(&format!("{values}?pageSize=1")).await;
    holds!(page, {"member": [both[0]], "view.totalItems": 2});
    let next = page["view"]["next"].as_str().unwrap();
    let next = next.strip_prefix("http://book.example").unwrap();
    let (_, page) = s.get(next).await;
    assert_eq!(page["member"], json!([both[1]]));
    assert!(page["view"]["next"].is_null(), "{page}");
    let prev = page["view"]["prev"].as_str().unwrap();
    let (_, page) = s.get(prev.strip_prefix("http://book.example").unwrap()).await;
    assert_eq!(page["member"], json!([both[0]]));
    // A page that begins at no multiple of its size, as when the list became shorter meanwhile, has the rows that follow.
    for (id, code) in [(4, "AYR"), (5, "BSW"), (6, "GUE")] {
        fill!(s.f, "breeds", id, {"name": code, "code": format!("b{id}"), "whffCode": code});
    }
    let (_, page) = s.get(&format!("{values}?pageSize=2&page=3")).await;
    assert_eq!(page["member"], json!([{"id": "GUE", "name": "GUE"}]));
    let prev = page["view"]["prev"].as_str().unwrap();
    for id in [5, 6] {
        update!(s.f, "breeds", id, {"whffCode": null});
    }
    let (_, page) = s.get(prev.strip_prefix("http://book.example").unwrap()).await;
    assert_eq!(page["member"], json!([both[1], {"id": "AYR", "name": "AYR"}]), "{page}");
    // Numbers of animals are no list.
    let page = ask!(s.f, s.farm, "GET {FARM}/schemata/animals/org.herdbook.animal" => 200);
    holds!(page, {"member": []});
    for missing in "schemata/unicorns schemata/breeds/x schemata/unicorns/icar.breed-3".split(' ') {
        ask!(s.f, s.farm, "GET {FARM}/{missing}" => 404 ["resource-not-found"], "{missing}");
    }
    ask!(s.f, s.farm, "GET {OTHER}/schemata" => 404 ["location-forbidden"]);
}

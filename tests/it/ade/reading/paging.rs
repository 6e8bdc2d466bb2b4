//! Pages of a location: links carry all state, and writes between pages neither skip nor repeat a resource.

use crate::ade::stage::{FARM, OTHER, Stage, gone, keys};
use serde_json::Value;

/// A link as a path.
fn link(page: &Value, name: &str) -> String {
    let link = page["view"][name].as_str();
    let link = link.unwrap_or_else(|| panic!("no {name} in {}", page["view"]));
    link.strip_prefix("http://book.example").unwrap().to_owned()
}

fn names(range: impl Iterator<Item = u32>) -> Vec<String> {
    range.map(|key| format!("w{key}")).collect()
}

#[tokio::test]
async fn clients_that_count_pages_get_them_and_may_go_on_by_links() {
    let s = Stage::plain().await;
    s.weigh(&(1..=5).collect::<Vec<_>>()).await;
    let (_, page) = s.get(&format!("{FARM}/weights?page=2&pageSize=2")).await;
    assert_eq!(keys(&page), names(3..=4));
    assert_eq!(page["view"]["currentPage"], 2);
    let (_, page) = s.get(&link(&page, "next")).await;
    assert_eq!(keys(&page), names(5..=5));
    let page = ask!(s.f, s.farm, "GET {FARM}/weights?page=9&pageSize=2" => 200);
    assert_eq!(keys(&page), [""; 0], "{page}");
    assert!(page["view"]["next"].is_null());
    let (_, page) = s.get(&link(&page, "prev")).await;
    assert_eq!(keys(&page), names(5..=5));
    let (_, page) = s.get(&format!("{FARM}/weights?pageSize=9999")).await;
    assert_eq!(page["view"]["pageSize"], 200);
    let (_, page) = s.get(&format!("{FARM}/weights")).await;
    assert_eq!(page["view"]["pageSize"], 100);
}

#[test_each(Stage::each())]
async fn a_page_whose_members_all_went_leads_back(s: Stage) {
    s.weigh(&[1, 2, 3]).await;
    let (_, page) = s.get(&format!("{FARM}/weights?pageSize=2")).await;
    let gone = gone(&crate::ade::stage::weight(3, 11));
    s.f.post(&format!("{FARM}/weights"), &s.farm, gone).await;
    let (status, empty) = s.get(&link(&page, "next")).await;
    assert_eq!((status, keys(&empty)), (200, vec![]));
    assert!(empty["view"]["next"].is_null());
    let (_, back) = s.get(&link(&empty, "prev")).await;
    assert_eq!(keys(&back), names(1..=2));
}

#[tokio::test]
async fn links_carry_the_filters_and_are_bound_to_them() {
    let s = Stage::plain().await;
    s.weigh(&(1..=6).collect::<Vec<_>>()).await;
    let filter = "date-from=2026-02-03&date-to=2026-02-06";
    let (_, page) = s.get(&format!("{FARM}/weights?{filter}&pageSize=2")).await;
    assert_eq!(page["view"]["totalItems"], 4);
    assert_eq!(keys(&page), names(2..=3));
    let next = link(&page, "next");
    let (_, page) = s.get(&next).await;
    assert_eq!(keys(&page), names(4..=5));
    for foreign in [
        next.replace("2026-02-06", "2026-02-07"),
        next.replace("weights", "animals"),
        next.replace("pageSize=2", "pageSize=3"),
        next.replace("date-from=2026-02-03&", ""),
        format!("{}x", next),
        format!("{FARM}/weights?cursor=nonsense"),
        format!("{FARM}/weights?cursor="),
    ] {
        let body = ask!(s.f, s.farm, "GET {foreign}" => 400, "{foreign}");
        holds!(body, {"errors.0.code": "field-value", "errors.0.meta.parameter": "cursor"});
    }
    let elsewhere = next.replace(FARM, OTHER);
    ask!(s.f, s.other, "GET {elsewhere}" => 400);
}

#[tokio::test]
async fn an_address_that_was_configured_begins_the_links() {
    let url = [("exchange.url", "https://herd.example/hub/")];
    let s = Stage::plain_with(&url).await;
    let (_, page) = s.get(&format!("{FARM}/weights")).await;
    let first = page["view"]["first"].as_str().unwrap();
    let begin = "https://herd.example/hub/ade/v1/locations/org.herdbook.orgid/1/weights?";
    assert!(first.starts_with(begin), "{first}");
}

//! Pages of a location: links carry all state, and writes between pages neither skip nor
//! repeat a resource.

use super::stage::{FARM, OTHER, Stage, keys};
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
async fn links_lead_through_all_pages_and_back() {
    for s in Stage::each().await {
        s.weigh(&(1..=7).collect::<Vec<_>>()).await;
        let (_, first) = s.get(&format!("{FARM}/weights?pageSize=3")).await;
        holds!(first, {"view.totalItems": 7, "view.totalPages": 3, "view.pageSize": 3, "view.currentPage": 1});
        assert!(first["view"]["prev"].is_null());
        assert_eq!(keys(&first), names(1..=3));
        let (_, second) = s.get(&link(&first, "next")).await;
        assert_eq!(keys(&second), names(4..=6));
        assert_eq!(second["view"]["currentPage"], 2);
        let (_, third) = s.get(&link(&second, "next")).await;
        assert_eq!(keys(&third), names(7..=7));
        assert!(third["view"]["next"].is_null());
        let (_, last) = s.get(&link(&first, "last")).await;
        assert_eq!(keys(&last), names(7..=7));
        assert_eq!(last["view"]["currentPage"], 3);
        let (_, back) = s.get(&link(&last, "prev")).await;
        assert_eq!(keys(&back), names(4..=6));
        assert_eq!(back["view"]["currentPage"], 2);
        let (_, again) = s.get(&link(&back, "next")).await;
        assert_eq!(keys(&again), names(7..=7));
        let (_, start) = s.get(&link(&back, "prev")).await;
        assert_eq!(keys(&start), names(1..=3));
        assert_eq!(start["view"]["currentPage"], 1);
        assert!(start["view"]["prev"].is_null());
        let (_, home) = s.get(&link(&third, "first")).await;
        assert_eq!(keys(&home), names(1..=3));
    }
}

#[tokio::test]
async fn clients_that_count_pages_get_them_and_may_go_on_by_links() {
    for s in Stage::each().await {
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
}

#[tokio::test]
async fn writes_between_pages_neither_skip_nor_repeat() {
    for s in Stage::each().await {
        s.weigh(&(1..=6).collect::<Vec<_>>()).await;
        let (_, page) = s.get(&format!("{FARM}/weights?pageSize=2")).await;
        assert_eq!(keys(&page), names(1..=2));
        // A resource that was read is deleted, one that was read is changed, one that was not read
        // is changed, and new ones come.
        let mut gone = super::stage::weight(1, 11);
        gone["meta"]["isDeleted"] = true.into();
        for mut changed in [super::stage::weight(2, 11), super::stage::weight(5, 11)] {
            changed["weight"]["measurement"] = 700.into();
            ask!(s.f, s.farm, "POST {FARM}/weights", changed => 200);
        }
        ask!(s.f, s.farm, "POST {FARM}/weights", gone => 200);
        s.weigh(&[7, 8]).await;
        let mut seen = Vec::new();
        let mut at = link(&page, "next");
        loop {
            let (_, page) = s.get(&at).await;
            seen.extend(keys(&page));
            if page["view"]["next"].is_null() {
                break;
            }
            at = link(&page, "next");
        }
        assert_eq!(seen, names(3..=8));
    }
}

#[tokio::test]
async fn a_page_whose_members_all_went_leads_back() {
    for s in Stage::each().await {
        s.weigh(&[1, 2, 3]).await;
        let (_, page) = s.get(&format!("{FARM}/weights?pageSize=2")).await;
        let mut gone = super::stage::weight(3, 11);
        gone["meta"]["isDeleted"] = true.into();
        s.f.post(&format!("{FARM}/weights"), &s.farm, gone).await;
        let (status, empty) = s.get(&link(&page, "next")).await;
        assert_eq!((status, keys(&empty)), (200, vec![]));
        assert!(empty["view"]["next"].is_null());
        let (_, back) = s.get(&link(&empty, "prev")).await;
        assert_eq!(keys(&back), names(1..=2));
    }
}

#[tokio::test]
async fn links_carry_the_filters_and_are_bound_to_them() {
    for s in Stage::each().await {
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
}

#[tokio::test]
async fn an_address_that_was_configured_begins_the_links() {
    let url = [("exchange.url", "https://herd.example/hub/")];
    for s in Stage::each_with(&url).await {
        let (_, page) = s.get(&format!("{FARM}/weights")).await;
        let first = page["view"]["first"].as_str().unwrap();
        let begin = "https://herd.example/hub/ade/v1/locations/org.herdbook.orgid/1/weights?";
        assert!(first.starts_with(begin), "{first}");
    }
}

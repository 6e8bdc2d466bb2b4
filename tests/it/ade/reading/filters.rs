//! The filters of lists, and how strictly parameters are read.

use crate::ade::stage::{FARM, Stage, gone, keys, weight};
use crate::feed::draw::Draw;
use crate::support::fixture::number;
use serde_json::Value;

/// Weighings once more, as types with filters for members inside them.
const FILES: &[(&str, &str)] = &[("remarks.toml", REMARKS), ("summaries.toml", SUMMARIES)];
const REMARKS: &str = r#"
dataset = "remarks"
resource = "icarRemarkEventResource"
collection = "weighings"
animal = "animal"
location = "animal.owner"
event = "date"
[[map]]
ade = "note"
field = "note"
"#;
const SUMMARIES: &str = r#"
dataset = "observation-summary-metrics"
resource = "icarObservationSummaryResource"
collection = "weighings"
location = "animal.owner"
[[map]]
ade = "animal"
field = "animal"
as = "animal"
only = "out"
[[map]]
ade = "statistics[duration=P1D].startDateTime"
field = "date"
only = "out"
[[map]]
ade = "statistics[duration=P1D].metric"
field = "animal.name"
as = "id:org.test"
only = "out"
[[map]]
ade = "statistics[duration=P1D].value"
field = "weight"
only = "out"
"#;

/// Weighs an animal, whose name becomes the metric of its summaries.
async fn noted(s: &Stage, key: u32, animal: i64, name: &str) {
    let named = serde_json::json!({"name": name});
    s.f.update("animals", animal, named).await;
    let doc = weight(key, animal);
    let (status, _, body) = s.f.post(&format!("{FARM}/weights"), &s.farm, doc).await;
    assert!(status < 300, "{body}");
}

/// The animals of a list.
fn animals(page: &Value) -> Vec<String> {
    let members = page["member"].as_array().unwrap_or_else(|| panic!("{page}"));
    let id = |m: &Value| m["animal"]["id"].as_str().unwrap().to_owned();
    members.iter().map(id).collect()
}

async fn ask(s: &Stage, query: &str) -> Vec<String> {
    let page = ask!(s.f, s.farm, "GET {FARM}/{query}" => 200, "{query}");
    assert_eq!(page["view"]["totalItems"].as_u64(), page["member"].as_array().map(|m| m.len() as u64), "{query}");
    animals(&page)
}

#[test_each(Stage::each_mapped(FILES))]
async fn what_stands_inside_documents_is_found_by_the_index_and_follows_their_changes(s: Stage) {
    let (a, b) = (number(11), number(12));
    noted(&s, 1, 11, "rest").await;
    noted(&s, 2, 12, "walk").await;
    let list = "observation-summary-metrics?duration=P1D";
    assert_eq!(ask(&s, list).await, [a.clone(), b.clone()]);
    assert_eq!(ask(&s, &list.replace("P1D", "1D")).await.len(), 2);
    assert!(ask(&s, &list.replace("P1D", "PT1H")).await.is_empty());
    let metric = "metric-scheme=org.test&metric-id=";
    assert_eq!(ask(&s, &format!("{list}&{metric}walk")).await, std::slice::from_ref(&b));
    let both = format!("{list}&{metric}walk&metric-id=rest");
    assert_eq!(ask(&s, &both).await.len(), 2);
    let other = format!("{list}&metric-scheme=org.other&metric-id=walk");
    assert!(ask(&s, &other).await.is_empty());
    // The period asks for the start of the statistics: 2 and 3 February.
    let days = |days: &str| format!("{list}&{days}");
    assert_eq!(ask(&s, &days("date-from=2026-02-03")).await, std::slice::from_ref(&b));
    assert_eq!(ask(&s, &days("date-to=2026-02-02")).await, std::slice::from_ref(&a));
    let none = "date-from=2026-02-02T00:00:01Z&date-to=2026-02-03T00:00:00Z";
    assert!(ask(&s, &days(none)).await.is_empty());
    let (_, page) = s.get(&format!("{FARM}/{list}&pageSize=1&{metric}rest&metric-id=walk")).await;
    let next = page["view"]["next"].as_str().unwrap();
    let next = next.strip_prefix("http://book.example").unwrap();
    assert_eq!(animals(&s.get(next).await.1), std::slice::from_ref(&b));

    // A changed document is found by its present values, a deleted one not any more.
    noted(&s, 1, 11, "walk").await;
    assert!(ask(&s, &format!("{list}&{metric}rest")).await.is_empty());
    assert_eq!(ask(&s, &format!("{list}&{metric}walk")).await.len(), 2);
    let gone = gone(&weight(2, 12));
    s.f.post(&format!("{FARM}/weights"), &s.farm, gone).await;
    assert_eq!(ask(&s, &format!("{list}&{metric}walk")).await, [a]);
    let remaining = s.f.book.store.rows(store::Sql::new(
        "SELECT count(*) FROM exchange_keys k LEFT JOIN exchange_documents d \
         ON d.id = k.document AND d.location = k.location AND d.dataset = k.dataset \
         WHERE d.id IS NULL OR d.deleted",
    ));
    let remaining = remaining.await.unwrap();
    assert_eq!(remaining[0].int(0), Some(0));
}

#[test_each(Stage::each_mapped(FILES))]
async fn an_identifier_is_that_of_the_animal_under_each_of_its_numbers(s: Stage) {
    let chip = serde_json::json!({"altIds": {"chipNumber": "643000000000011"}});
    s.f.update("animals", 11, chip).await;
    noted(&s, 1, 11, "rest").await;
    noted(&s, 2, 12, "walk").await;
    let by = |scheme: &str, id: &str| format!("remarks?identifier-scheme={scheme}&identifier-id={id}");
    let (a, b) = (number(11), number(12));
    assert_eq!(ask(&s, &by("org.herdbook.animal", &a)).await, std::slice::from_ref(&a));
    let rfid = by("std.iso.11785", "643000000000011");
    assert_eq!(ask(&s, &rfid).await, std::slice::from_ref(&a));
    let alias = by("std.iso.11784", "643000000000011");
    assert_eq!(ask(&s, &alias).await, std::slice::from_ref(&a));
    let pairs = format!("{rfid}&identifier-scheme=org.herdbook.animal&identifier-id={b}");
    assert_eq!(ask(&s, &pairs).await, [a, b]);
    assert!(ask(&s, &by("org.herdbook.animal", &number(13))).await.is_empty());
    assert!(ask(&s, &by("no.such", "1")).await.is_empty());
}

#[test_each(Stage::each_mapped(FILES))]
async fn a_parameter_that_is_needed_is_refused_by_its_name_with_all_other_faults(s: Stage) {
    for (query, expected) in table![
        "", &[("field-missing", "duration")][..];
        "?duration=P2D", &[("field-value", "duration")];
        "?duration=", &[("field-value", "duration"), ("field-value", "duration")];
        "?meta-modified-from=x&metric-id=1&cursor=y&page=0", &[
            ("field-value", "meta-modified-from"),
            ("field-value", "metric-scheme"),
            ("field-missing", "duration"),
            ("field-value", "cursor"),
        ];
    ] {
        let body = ask!(s.f, s.farm, "GET {FARM}/observation-summary-metrics{query}" => 400, "{query}");
        let errors = body["errors"].as_array().unwrap();
        let found: Vec<(&str, &str)> = (errors.iter())
            .map(|e| {
                let parameter = e["meta"]["parameter"].as_str().unwrap();
                (e["code"].as_str().unwrap(), parameter)
            })
            .collect();
        assert_eq!(found, expected, "{query}");
    }
    let path = format!("{FARM}/observation-summary-metrics?duration=P2D");
    let (_, body) = s.get(&path).await;
    let allowed = body["errors"][0]["meta"]["allowed"].as_array().unwrap();
    assert!(allowed.contains(&"PT96H".into()), "{body}");
}

#[test_each(Stage::each())]
async fn several_animals_are_alternatives(s: Stage) {
    for (key, animal) in [(1, 11), (2, 12), (3, 13)] {
        noted(&s, key, animal, "x").await;
    }
    let (a, b) = (number(11), number(12));
    let scheme = "animal-scheme=org.herdbook.animal";
    let one = format!("weights?{scheme}&animal-id={a}&animal-id={b}");
    assert_eq!(ask(&s, &one).await, [a.clone(), b.clone()]);
    let two = format!("weights?{scheme}&animal-id={b}&animal-scheme=std.iso.11785&animal-id=1");
    assert_eq!(ask(&s, &two).await, std::slice::from_ref(&b));
    let body = ask!(s.f, s.farm, "GET {FARM}/weights?{scheme}&{scheme}&animal-id={a}" => 400);
    assert_eq!(body["errors"][0]["meta"]["parameter"], "animal-scheme");
}

#[tokio::test]
async fn strict_clients_are_refused_for_what_is_not_known_and_others_are_told() {
    let s = Stage::plain().await;
    let strict = [("prefer", "handling=strict")];
    for path in [
        format!("{FARM}/weights"),
        "/ade/v1/locations".to_owned(),
        "/ade/v1/service-sires".to_owned(),
        "/ade/v1/datasets".to_owned(),
        "/ade/v1/datasets/weights/changes".to_owned(),
    ] {
        let odd = format!("{path}?x=1&y%20z=2&x=3");
        let (headers, _) = ask!(s.f, s.farm, "GET {odd}" => 200 with headers, "{path}");
        assert_eq!(headers["x-icar-ade-ignored-filters"], "x,y%20z");
        assert!(!headers.contains_key("preference-applied"));
        let (status, _, body) = s.f.get_with(&odd, &s.farm, &strict).await;
        assert_eq!(status, 400, "{path}: {body}");
        let faults: Vec<(&str, &str)> = (body["errors"].as_array().unwrap().iter())
            .map(|e| {
                let parameter = e["meta"]["parameter"].as_str().unwrap();
                (e["type"].as_str().unwrap(), parameter)
            })
            .collect();
        let unknown = "parameter-unknown";
        assert_eq!(faults, [(unknown, "x"), (unknown, "y z")], "{path}");
        let (status, headers, _) = s.f.get_with(&path, &s.farm, &strict).await;
        assert_eq!(status, 200);
        assert_eq!(headers["preference-applied"], "handling=strict");
    }
    let (_, _, body) = s.f.get_with(&format!("{FARM}/weights?x=1&page=0"), &s.farm, &strict).await;
    assert_eq!(body["errors"].as_array().unwrap().len(), 2, "{body}");

    // Links stand in the header too.
    s.weigh(&[1, 2, 3]).await;
    let path = format!("{FARM}/weights?page=2&pageSize=1");
    let (_, headers, page) = s.f.get(&path, &s.farm).await;
    let link = headers["link"].to_str().unwrap();
    for rel in ["first", "prev", "next", "last"] {
        let to = page["view"][rel].as_str().unwrap();
        assert!(link.contains(&format!("<{to}>; rel=\"{rel}\"")), "{link}");
    }
    let (_, headers, _) = s.f.get(&format!("{FARM}/weights"), &s.farm).await;
    let link = headers["link"].to_str().unwrap();
    assert!(!link.contains("rel=\"next\""), "{link}");
}

#[test_each(Stage::each())]
async fn locations_are_narrowed_by_their_changes_too(s: Stage) {
    s.f.pass(10);
    s.f.update("organizations", 2, serde_json::json!({"name": "Renamed"})).await;
    let at = ade::time::format(crate::support::fixture::NOW + 10_000);
    for (who, query, count) in [
        (&s.expert, format!("meta-modified-from={at}"), 1),
        (&s.expert, format!("meta-modified-to={at}"), 1),
        (&s.farm, format!("meta-modified-from={at}"), 0),
        (&s.other, format!("meta-modified-from={at}"), 1),
    ] {
        let page = ask!(s.f, who, "GET /ade/v1/locations?{query}" => 200);
        assert_eq!(page["view"]["totalItems"], count, "{query}: {page}");
        assert_eq!(page["member"].as_array().unwrap().len(), count);
    }
}

/// Pages read while rows are created, changed, deleted and created again: rows that existed all the
/// time are read once, and none twice.
#[test_each(Stage::each())]
async fn whatever_is_written_between_pages_nothing_is_missed_or_repeated(s: Stage) {
    for seed in 1..=4 {
        schedule(&s, seed).await;
    }
}

async fn schedule(s: &Stage, seed: u64) {
    let mut draw = Draw::new(seed, 0);
    let first = u32::try_from(seed).unwrap() * 1_000;
    let (mut next, stable) = (first + 12, [first, first + 5, first + 11]);
    s.weigh(&(first..next).collect::<Vec<_>>()).await;
    let size = 1 + draw.below(4);
    let mut at = format!("{FARM}/weights?pageSize={size}");
    let (mut seen, mut writes): (Vec<String>, u32) = (Vec::new(), 0);
    loop {
        let page = ask!(s.f, s.farm, "GET {at}" => 200);
        seen.extend(keys(&page));
        let Some(link) = page["view"]["next"].as_str() else {
            break;
        };
        at = link.strip_prefix("http://book.example").unwrap().to_owned();
        for _ in 0..draw.below(3) {
            let offset = u32::try_from(draw.below(12)).unwrap();
            let kind = draw.below(3);
            // New rows come to the end: without a bound the reader would never get there.
            let key = if kind == 0 && writes < 20 {
                next += 1;
                next - 1
            } else {
                first + offset
            };
            let mut doc = weight(key, 11);
            doc["weight"]["measurement"] = (500 + draw.below(300)).into();
            if kind == 1 && !stable.contains(&key) {
                doc["meta"]["isDeleted"] = true.into();
            }
            writes += 1;
            let (status, _, body) = s.f.post(&format!("{FARM}/weights"), &s.farm, doc).await;
            assert!(status < 300, "seed {seed}: {body}");
        }
    }
    let mut once = seen.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), seen.len(), "seed {seed}: {seen:?}");
    for key in stable {
        assert!(seen.contains(&format!("w{key}")), "seed {seed}: {key}");
    }
}

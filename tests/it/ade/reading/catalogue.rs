//! The whole catalogue of the standard: each path and verb is there, or is refused as the
//! standard says. Nothing is listed here but what the catalogue lists.

use crate::ade::stage::{FARM, Stage, codes};
use ade::catalog::{Catalog, CollectionEntry, Verb};
use mapping::{Mapping, Mappings};
use serde_json::{Value, json};

const BATCHES: &str = "/ade/v1/batches/locations/org.herdbook.orgid/1";
/// Names that are no collections of documents: places, and lists of words.
const LOCATIONS: &str = "locations";

/// Collections at a location that take no further segment.
fn collections() -> impl Iterator<Item = &'static CollectionEntry> {
    let all = Catalog::get().collections().iter();
    all.filter(|entry| entry.scoped && !entry.name.contains('{'))
}

/// The data set behind a collection; none where words are listed.
fn behind<'m>(mappings: &'m Mappings, entry: &CollectionEntry) -> Option<&'m Mapping> {
    let names = [Some(entry.name.as_str()), entry.same_as.as_deref()];
    names.into_iter().flatten().find_map(|name| mappings.get(name))
}

/// Parameters that a GET demands.
fn demanded(entry: &CollectionEntry) -> String {
    let names = entry.required.iter().flat_map(|filter| filter.parameters());
    names.map(|name| format!("{name}=P1D&")).collect()
}

#[tokio::test]
async fn every_collection_answers_each_method_as_the_standard_says() {
    let s = Stage::plain().await;
    let mappings = s.f.exchange.rules().mappings();
    let mut requests = 0;
    for entry in collections() {
        let mapping = behind(mappings, entry);
        let names = std::iter::once(&entry.name).chain(&entry.aliases);
        for name in names {
            let path = format!("{FARM}/{name}");
            let (status, _, page) = s.f.get(&format!("{path}?{}", demanded(entry)), &s.farm).await;
            let wanted = if entry.allows(Verb::Get) { 200 } else { 404 };
            assert_eq!(status, wanted, "GET {name}: {page}");
            let posts = entry.allows(Verb::Post) && mapping.is_some_and(Mapping::can_post);
            let (status, headers, body) = s.f.post(&path, &s.farm, json!({})).await;
            let others = mapping.is_some_and(|m| !m.senders().is_empty());
            match (posts, wanted) {
                (true, 200) if others => assert_eq!(status, 403, "POST {name}: {body}"),
                (_, 404) => assert_eq!(status, 404, "POST {name}: {body}"),
                (true, _) => assert_eq!(status, 400, "POST {name}: {body}"),
                (false, _) => {
                    assert_eq!(status, 405, "POST {name}: {body}");
                    assert_eq!(codes(&body), ["method-not-allowed"], "{name}");
                    let allow = headers["allow"].to_str().unwrap().replace(' ', "");
                    assert_eq!(allow, "GET,HEAD", "{name}");
                }
            }
            for method in ["PUT", "PATCH", "DELETE"] {
                let (status, headers, body) = s.f.request(method, &path, &s.farm, Value::Null).await;
                if wanted == 404 {
                    assert_eq!(status, 404, "{method} {name}: {body}");
                    continue;
                }
                assert_eq!(status, 405, "{method} {name}: {body}");
                let allow = if posts { "GET,HEAD,POST" } else { "GET,HEAD" };
                assert_eq!(headers["allow"], allow, "{method} {name}");
            }
            requests += 1;
        }
    }
    assert!(requests >= 70, "{requests} names");

    assert_reasons(&s).await;

    assert_batches(&s).await;
}

/// What takes no posts says why.
async fn assert_reasons(s: &Stage) {
    let mappings = s.f.exchange.rules().mappings();
    let (_, _, discovery) = s.f.get("/.well-known/ade", "").await;
    let closed: Vec<(&str, &str)> = (discovery["closed"].as_array().unwrap().iter())
        .map(|one| (one["collection"].as_str(), one["reason"].as_str()))
        .map(|(name, why)| (name.unwrap(), why.unwrap()))
        .collect();
    for entry in collections().filter(|e| e.same_as.is_none() && !e.name.contains("schemata")) {
        let name = entry.name.as_str();
        let mapping = behind(mappings, entry);
        let posts = entry.allows(Verb::Post) && mapping.is_some_and(Mapping::can_post);
        let why = closed.iter().find(|(one, _)| *one == name);
        assert_eq!(why.is_none(), posts, "{name}");
        let Some((_, why)) = why else { continue };
        assert!(why.ends_with('.') && why.len() > 20, "{name}: {why}");
        let pushed = mapping.is_some_and(Mapping::can_push);
        assert_eq!(why.contains("pushes to the data set"), pushed, "{name}: {why}");
        assert!(!why.contains("does not take"), "{name} has no reason");
        if entry.allows(Verb::Get) && !pushed {
            let body = ask!(s.f, s.farm, "POST {FARM}/{name}", {} => 405);
            let detail = body["errors"][0]["detail"].as_str().unwrap();
            assert!(detail.ends_with(why), "{name}: {detail}");
        }
    }
}

/// Batches are taken under the names of the standard only.
async fn assert_batches(s: &Stage) {
    let mappings = s.f.exchange.rules().mappings();
    for entry in collections() {
        let mapping = behind(mappings, entry);
        let name = entry.batch_name().unwrap_or(&entry.name);
        let path = format!("{BATCHES}/{name}");
        let (status, _, body) = s.f.post(&path, &s.farm, json!([{}])).await;
        let offers = Catalog::get().batch(name).is_some();
        match (mapping, offers) {
            (Some(mapping), true) if mapping.can_batch() && !mapping.senders().is_empty() => {
                assert_eq!(status, 403, "{name}: {body}");
            }
            (Some(mapping), true) if mapping.can_batch() => {
                assert_eq!(status, 200, "{name}: {body}");
                let messages = body[0]["messages"].as_array().unwrap();
                assert!(messages.iter().any(|m| m["severity"] == "Error"), "{body}");
            }
            (Some(_), _) => assert_eq!(status, 405, "{name}: {body}"),
            (None, _) => assert_eq!(status, 404, "{name}: {body}"),
        }
    }
}

/// The collections that the tests above leave out are tested separately: places, bulls, lists of
/// words, and the command of one animal.
#[test]
fn no_path_of_the_catalogue_is_left_out() {
    let all = Catalog::get().collections().iter().map(|e| e.name.as_str());
    let here: Vec<&str> = collections().map(|e| e.name.as_str()).collect();
    let remaining: Vec<&str> = all.filter(|name| !here.contains(name)).collect();
    let known = [
        "locations",
        "{animal-scheme}/{animal-id}/sorting",
        "schemata/{scheme-type}",
        "schemata/{scheme-type}/{scheme}",
        "service-sires",
    ];
    assert_eq!(remaining, known);
}

#[test]
fn names_of_one_thing_share_a_data_set() {
    let registry = domain::collections::registry().unwrap();
    let mappings = Mappings::build(registry, &Default::default(), None).unwrap();
    for entry in collections() {
        let Some(mapping) = behind(&mappings, entry) else {
            let computed = mappings.statistics().dataset() == entry.name;
            assert!(computed || entry.name.starts_with("schemata"), "{} is not served", entry.name);
            continue;
        };
        assert_eq!(mapping.resource(), entry.resource, "{}", entry.name);
        if let Some(same) = &entry.same_as {
            assert_eq!(mapping.dataset(), same, "{}", entry.name);
        }
    }
    let whole: Vec<&Mapping> = mappings.all().filter(|m| m.is_passthrough()).collect();
    assert!(whole.iter().all(|m| Catalog::get().collection(m.dataset()).is_some()));
    assert!(mappings.iter().all(|m| !m.is_passthrough()), "the projection never sees them");
    assert!(mappings.get(LOCATIONS).is_some_and(|m| !m.is_passthrough()));
}

//! Feeds that are narrowed to types and locations, that begin now, and what the end of a page
//! states (`docs/feed-profile.md`, P6, P8, P10 and P14).

use crate::ade::stage::{FARM, Stage, codes, gone, keys, weight};
use serde_json::Value;
use std::collections::BTreeSet;
use store::{Sql, Ty};

const ALL: &str = "/ade/v1/datasets/everything/changes";
const WEIGHTS: &str = "types=icarWeightEventResource";
const ANIMALS: &str = "types=icarAnimalCoreResource";

fn end(page: &Value) -> &Value {
    page.as_array().unwrap().last().unwrap()
}

fn resources(page: &Value) -> Vec<Value> {
    let all = page.as_array().unwrap();
    all[1..all.len() - 1].to_vec()
}

async fn ok(s: &Stage, who: &str, path: &str) -> Value {
    let (headers, body) = ask!(s.f, who, "GET {path}" => 200 with headers, "{path}");
    assert!(!headers.contains_key("icar-full-sync"), "{path}");
    body
}

/// Everything along a chain of pages.
async fn chain(s: &Stage, who: &str, query: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut since = String::new();
    loop {
        let page = ok(s, who, &format!("{ALL}?{query}{since}")).await;
        all.extend(resources(&page));
        let end = end(&page);
        since = format!("&since={}", end["token"].as_str().unwrap());
        if end["current"] == true {
            assert_eq!(end.get("pendingSince"), None, "{end}");
            return all;
        }
        assert_eq!(end["current"], false);
        assert!(end["pendingSince"].is_string(), "{end}");
        assert!(!resources(&page).is_empty(), "{query}");
    }
}

async fn filled(s: &Stage) {
    s.weigh(&[1, 2, 3]).await;
    let there = "/ade/v1/locations/org.herdbook.orgid/2/weights";
    for key in [7, 8] {
        s.f.post(there, &s.other, weight(key, 21)).await;
    }
    let gone = gone(&weight(2, 11));
    s.f.post(&format!("{FARM}/weights"), &s.farm, gone).await;
}

#[test_each(Stage::both())]
async fn a_narrowed_feed_is_the_whole_one_without_the_rest(s: Stage) {
    filled(&s).await;
    let first = "location-scheme=org.herdbook.orgid&location-id=1";
    let both = format!("{first}&location-id=2");
    for (who, whole) in [(&s.expert, chain(&s, &s.expert, "").await), (&s.farm, chain(&s, &s.farm, "").await)] {
        assert!(whole.len() > 5, "{}", whole.len());
        let types = table![
            "", None;
            WEIGHTS, Some(vec!["icarWeightEventResource"]);
            "types=icarWeightEventResource,icarAnimalCoreResource",
                Some(vec!["icarWeightEventResource", "icarAnimalCoreResource"]);
        ];
        let places = [("", None), (first, Some(vec!["1"])), (&both, Some(vec!["1", "2"]))];
        for (types, kinds) in &types {
            for (places, ids) in &places {
                if *who == s.farm && *places == both {
                    continue;
                }
                let wanted: Vec<&Value> = (whole.iter())
                    .filter(|doc| {
                        let kind = doc["resourceType"].as_str().unwrap();
                        kinds.as_ref().is_none_or(|all| all.contains(&kind))
                    })
                    .filter(|doc| {
                        let at = doc["location"]["id"].as_str().unwrap();
                        ids.as_ref().is_none_or(|all| all.contains(&at))
                    })
                    .collect();
                for limit in [1, 2, 100] {
                    let query = format!("limit={limit}&latestOnly=true&{types}&{places}");
                    let pages = chain(&s, who, &query).await;
                    assert_eq!(pages.iter().collect::<Vec<_>>(), wanted, "{query}");
                }
            }
        }
    }
}

#[test_each(Stage::both())]
async fn what_a_feed_cannot_be_narrowed_to_is_refused(s: Stage) {
    filled(&s).await;
    let body = ask!(s.f, s.farm, "GET {ALL}?types=icarNothing,icarNoneResource&limit=0" => 400);
    assert_eq!(codes(&body).len(), 3, "{body}");
    let weights = "/ade/v1/datasets/weights/changes";
    ask!(s.f, s.farm, "GET {weights}?{ANIMALS}" => 400 ["field-value"]);
    assert_eq!(s.get(&format!("{weights}?{WEIGHTS}")).await.0, 200);
    // Foreign and unknown locations: one answer.
    let at = |id: &str| format!("{ALL}?location-scheme=org.herdbook.orgid&location-id={id}");
    let (foreign, unknown) = (s.get(&at("2")).await, s.get(&at("999")).await);
    assert_eq!((foreign.0, codes(&foreign.1)), (404, vec!["location-forbidden"]));
    let without_pointer = |answer: &(u16, Value)| {
        let mut error = answer.1["errors"][0].clone();
        error["id"] = Value::Null;
        (answer.0, error)
    };
    assert_eq!(without_pointer(&foreign), without_pointer(&unknown));
    // A token goes on with the filters that it was given for.
    let token = |page: Value| end(&page)["token"].as_str().unwrap().to_owned();
    let narrow = token(ok(&s, &s.expert, &format!("{ALL}?{WEIGHTS}&limit=1")).await);
    let wide = token(ok(&s, &s.expert, &format!("{ALL}?limit=1")).await);
    for query in [
        format!("since={narrow}"),
        format!("since={wide}&{WEIGHTS}"),
        format!("since={narrow}&{ANIMALS}"),
        format!("since={narrow}&{WEIGHTS}&location-scheme=org.herdbook.orgid&location-id=1"),
    ] {
        let body = ask!(s.f, s.expert, "GET {ALL}?{query}" => 400);
        holds!(body, {"errors.0.type": "token-filter"}, "{query}");
    }
    // In any order, in any spelling.
    let two = "types=icarWeightEventResource&types=icarAnimalCoreResource";
    let since = token(ok(&s, &s.expert, &format!("{ALL}?{two}&limit=1")).await);
    let one = "types=icarAnimalCoreResource,icarWeightEventResource";
    ok(&s, &s.expert, &format!("{ALL}?{one}&since={since}")).await;
}

#[test_each(Stage::both())]
async fn what_the_deployed_service_did_not_say_its_clients_do_not_hear(s: Stage) {
    s.weigh(&[1]).await;
    let deployed = [("prefer", "deployed-answers")];
    let (_, _, page) = s.send("GET", ALL, &s.farm, &deployed, Value::Null).await;
    let members: BTreeSet<&String> = end(&page).as_object().unwrap().keys().collect();
    assert_eq!(members.into_iter().collect::<Vec<_>>(), ["id", "token"]);
}

/// Tombstones are dropped after a long time. A reader that may have missed one reads anew; one that
/// began after it, or read it, goes on.
#[test_each(Stage::both())]
async fn a_token_older_than_a_dropped_tombstone_starts_anew(s: Stage) {
    s.weigh(&[1, 2]).await;
    let token = |page: &Value| end(page)["token"].as_str().unwrap().to_owned();
    let before = token(&ok(&s, &s.farm, ALL).await);
    let gone = gone(&weight(2, 11));
    s.f.post(&format!("{FARM}/weights"), &s.farm, gone).await;
    let read = token(&ok(&s, &s.farm, &format!("{ALL}?since={before}")).await);
    s.weigh(&[3]).await;
    let dropped = Sql::new("SELECT seq FROM exchange_documents WHERE deleted = ").with(Ty::Bool, true);
    let rows = s.f.book.store.rows(dropped).await.unwrap();
    let horizon = rows[0].int(0).unwrap().to_string();
    let done = s.f.book.transact(move |work| {
        Box::pin(async move {
            let sql = Sql::new("INSERT INTO exchange_state (name, value) VALUES ('horizon', ")
                .with(Ty::Text, horizon.as_str())
                .and(")");
            work.tx().run(sql).await?;
            let sql = Sql::new("DELETE FROM exchange_documents WHERE deleted = ");
            work.tx().run(sql.with(Ty::Bool, true)).await
        })
    });
    let done = done.await;
    done.unwrap();
    let (headers, anew) = ask!(s.f, s.farm, "GET {ALL}?since={before}" => 200 with headers);
    assert_eq!(headers["icar-full-sync"], "true", "{anew}");
    assert_eq!(headers["x-icar-ade-full-sync-reason"], "expired");
    assert_eq!(resources(&anew).len(), resources(&ok(&s, &s.farm, ALL).await).len());
    let later = ok(&s, &s.farm, &format!("{ALL}?limit=1")).await;
    for since in [&read, &token(&later)] {
        let page = ok(&s, &s.farm, &format!("{ALL}?since={since}")).await;
        assert_eq!(keys(&page).last().unwrap(), "w3");
    }
}

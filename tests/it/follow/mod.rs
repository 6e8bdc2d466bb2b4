//! The client of the feed, as a library and as a command, against real servers.

mod command;
mod library;

use crate::feed::draw::Draw;
use crate::feed::process::{Caller, Database};
use crate::feed::stage::number;
use feed_client::Mirror;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const WEIGHTS: &str = "icarWeightEventResource";

/// By location and key.
type Documents = BTreeMap<(String, String), Value>;

/// Sends batches of weighings at one farm: new, changed and deleted.
async fn write(caller: Caller, url: String, place: &Database, (at, batches): (usize, usize)) {
    let (farm, cow) = (place.herd.farms()[at % 2], number(place.herd.cow(at % 2 * 6)));
    let mut draw = Draw::new(7, u64::try_from(at).unwrap());
    for n in 0..batches {
        let docs: Vec<Value> = [draw.below(6), 6 + draw.below(30), 40 + n * 4 + at]
            .map(|key| {
                json!({
                    "resourceType": WEIGHTS,
                    "meta": {"source": "scale.example", "sourceId": format!("w{key}"),
                        "modified": "2026-02-01T00:00:00Z", "isDeleted": draw.once_in(4)},
                    "animal": {"scheme": "org.herdbook.animal", "id": cow},
                    "eventDateTime": "2026-02-01T00:00:00Z",
                    "weight": {"measurement": 300 + 10 * n + at, "units": "KGM"},
                })
            })
            .into();
        let (status, results) = caller.batch(&url, farm, "weights", &docs).await.unwrap();
        assert_eq!(status, 200, "{results}");
        assert!(!results.to_string().contains("\"Error\""), "{results}");
    }
}

/// The documents that the server lists at its locations, page by page.
async fn listed(caller: &Caller, url: &str, place: &Database) -> Documents {
    let mut all = Documents::new();
    for farm in place.herd.farms() {
        let path = "/ade/v1/locations/org.herdbook.orgid";
        let mut next = format!("{url}{path}/{farm}/weights?pageSize=7");
        loop {
            let (status, page) = caller.get(&next).await.unwrap();
            assert_eq!(status, 200, "{page}");
            for doc in page["member"].as_array().unwrap() {
                all.insert(name(doc), doc.clone());
            }
            match page["view"]["next"].as_str() {
                Some(link) if link.starts_with('/') => next = format!("{url}{link}"),
                Some(link) => link.clone_into(&mut next),
                None => break,
            }
        }
    }
    all
}

/// The live weighings of a mirror, read in parts.
async fn mirrored(mirror: &Mirror) -> Documents {
    let mut all = Documents::new();
    let mut last = None;
    loop {
        let part = mirror.documents(WEIGHTS, last.as_ref(), 9).await.unwrap();
        all.extend(part.iter().map(|d| (name(&d.body), d.body.clone())));
        match part.into_iter().next_back() {
            Some(document) => last = Some(document),
            None => return all,
        }
    }
}

fn name(doc: &Value) -> (String, String) {
    let text = |pointer: &str| doc.pointer(pointer).unwrap().as_str().unwrap().to_owned();
    (text("/location/id"), text("/meta/sourceId"))
}

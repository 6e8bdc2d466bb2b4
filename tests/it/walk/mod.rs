//! The README's walk on a demonstration book, with the program as its users start it: a partner reads, follows the
//! feed, sends a batch and deletes. A change here is a change of the README, and the other way round.

mod calls;
mod collection;
pub(crate) mod demo;
mod described;
mod documents;
mod readme;
mod tour;

use demo::Demo;
use indexmap::IndexSet;
use serde_json::{Value, json};

const LOCATION: &str = "/locations/org.herdbook.orgid/2";
const SET: &str = "test-day-results";
const SOURCE: &str = "com.example.milkmeter";
const BATCH: usize = 1_000;

/// The farm software of farm 1.
struct Partner<'d> {
    demo: &'d Demo,
    token: String,
}

#[tokio::test]
async fn a_partner_walks_through_the_demonstration_book() {
    let demo = Demo::start(120);
    let partner = Partner { demo: &demo, token: demo.sign_in("farm1@demo.herdbook").await };
    partner.finds_its_location().await;
    partner.sees_pictures().await;
    partner.sees_a_certificate().await;
    partner.has_something_to_correct().await;
    partner.has_a_set().await;
    let before = partner.pages(SET).await;
    let (resources, token) = partner.feed(SET, None).await;
    assert_eq!(keys(&live(resources)), keys(&before));

    let batch = partner.batch().await;
    partner.sends(&batch, "created", 201).await;
    let (sent, token) = partner.feed(SET, Some(&token)).await;
    assert_eq!(keys(&sent), keys(&batch), "exactly what was sent");
    for document in &sent {
        assert_eq!(document["location"]["id"], "2", "{document}");
    }
    let after = partner.pages(SET).await;
    assert_eq!(after.len(), before.len() + BATCH);

    partner.sends(&batch, "unchanged", 200).await;
    let (nothing, token) = partner.feed(SET, Some(&token)).await;
    assert_eq!(nothing, Vec::<Value>::new(), "nothing changed");

    partner.deletes_one(&batch[500], &token).await;
    demo.stop();
}

impl Partner<'_> {
    async fn get(&self, address: &str) -> Value {
        self.demo.get(&self.token, address).await
    }

    async fn finds_its_location(&self) {
        let page = self.get("/ade/v1/locations").await;
        let named: Vec<&Value> =
            (page["member"].as_array().unwrap().iter()).map(|location| &location["identifier"]).collect();
        assert_eq!(named, [&json!({"id": "2", "scheme": "org.herdbook.orgid"})], "a farm sees itself alone");
        let collections = page["supportedCollections"].as_array().unwrap();
        assert!(collections.contains(&SET.into()), "{page}");
    }

    /// Cows have a picture each, drawn of their numbers, that the Association approved.
    async fn sees_pictures(&self) {
        let (_, cows) = self.demo.ask(&self.token, "/api/animals?where[photo][exists]=true&depth=1").await;
        let cows: Vec<&Value> = cows["docs"].as_array().unwrap().iter().filter(|cow| cow["owner"]["id"] == 2).collect();
        assert!(!cows.is_empty(), "some cows have pictures");
        for cow in cows {
            holds!(cow["photo"], {"mimeType": "image/png", "width": 480, "height": 360});
            assert_eq!(cow["photo"]["filename"], format!("{}.png", cow["identNumber"].as_str().unwrap()));
            let path = format!("/api/animal-gallery?where[animal][equals]={}&depth=0", cow["id"]);
            let (_, items) = self.demo.ask(&self.token, &path).await;
            holds!(items["docs"][0], {"moderation": "approved", "isMain": true, "view": "head"});
        }
    }

    /// It is issued by the Association, and not by the program.
    async fn sees_a_certificate(&self) {
        let token = self.demo.sign_in("association@demo.herdbook").await;
        let (_, papers) =
            self.demo.ask(&token, "/api/documents?where[type][equals]=zootechnicalCertificate&depth=0").await;
        let address = format!("{}/api/documents/{}/certificate", self.demo.url, papers["docs"][0]["id"]);
        let request = reqwest::Client::new().get(address).header("Authorization", format!("JWT {token}"));
        let paper = request.send().await.unwrap().text().await.unwrap();
        for part in [
            "Issued by</p><p>Ассоциация голштинского скота · Holstein Cattle Association</p>",
            "Мария Смирнова, руководитель книги · Maria Smirnova, head of the herd book</p>",
            "Книга голштинского скота · Holstein Herd Book",
        ] {
            assert!(paper.contains(part), "{part}: {paper}");
        }
    }

    async fn has_something_to_correct(&self) {
        let path = "/api/check-findings?where[code][equals]=test-fat-range&depth=0";
        let (_, fixes) = self.demo.ask(&self.token, path).await;
        holds!(fixes["docs"][0], {"severity": "fix", "state": "open", "organization": 2});
    }

    /// The cows that calved last, all of them of the farm.
    async fn has_a_set(&self) {
        let (_, sets) = self.demo.ask(&self.token, "/api/saved-searches?depth=1").await;
        let members = sets["docs"][0]["members"].as_array().unwrap();
        assert!(!members.is_empty(), "{sets}");
        for cow in members {
            assert_eq!((&cow["sex"], &cow["owner"]), (&json!("female"), &json!(2)), "{cow}");
        }
    }

    /// All members of a collection, page by page as `view.next` leads.
    async fn pages(&self, collection: &str) -> Vec<Value> {
        let mut members: Vec<Value> = Vec::new();
        let mut address = Some(format!("/ade/v1{LOCATION}/{collection}?pageSize=150"));
        let mut total = 0;
        while let Some(at) = address {
            let mut page = self.get(&at).await;
            total = page["view"]["totalItems"].as_u64().unwrap();
            address = page["view"]["next"].as_str().map(str::to_owned);
            members.append(page["member"].as_array_mut().unwrap());
        }
        let ids: IndexSet<&str> = members.iter().map(id).collect();
        assert_eq!(ids.len(), members.len(), "no resource twice");
        assert_eq!(members.len() as u64, total, "as many as were announced");
        members
    }

    /// The content of a feed after a token, to its end, and the token there.
    async fn feed(&self, set: &str, since: Option<&str>) -> (Vec<Value>, String) {
        self.demo.feed(&self.token, set, since).await
    }

    /// Test days of its living cows, after the last ones in the book.
    async fn batch(&self) -> Vec<Value> {
        let animals = self.pages("animals").await;
        let cows: Vec<&Value> = (animals.iter())
            .filter(|a| a["gender"] == "Female" && a["status"] == "Alive")
            .map(|a| &a["identifier"])
            .collect();
        assert!(cows.len() >= 10, "a farm has cows");
        (0..BATCH).map(|at| test_day(at, cows[at % cows.len()], at / cows.len())).collect()
    }

    /// Sends a batch, of which each element becomes the same.
    async fn sends(&self, batch: &[Value], word: &str, status: u16) {
        let address = format!("/ade/v1/batches{LOCATION}/{SET}");
        let (answer, results) = self.demo.post(&self.token, &address, &batch.into()).await;
        assert_eq!(answer, 200, "{results}");
        let results = results.as_array().unwrap();
        assert_eq!(results.len(), batch.len());
        for (result, document) in results.iter().zip(batch) {
            assert_eq!(result["meta"]["sourceId"], document["meta"]["sourceId"]);
            assert!(result["id"].is_string(), "{result}");
            let messages = result["messages"].as_array().unwrap();
            assert_eq!(messages.len(), 1, "{result}");
            assert_eq!(messages[0]["severity"], "Information", "{result}");
            assert_eq!(messages[0]["type"], word, "{result}");
            assert_eq!(messages[0]["status"], status, "{result}");
        }
    }

    async fn deletes_one(&self, document: &Value, token: &str) {
        let mut gone = document.clone();
        gone["meta"]["isDeleted"] = true.into();
        let address = format!("/ade/v1{LOCATION}/{SET}");
        let (status, answer) = self.demo.post(&self.token, &address, &gone).await;
        assert_eq!(status, 200, "{answer}");
        let (tombstones, _) = self.feed(SET, Some(token)).await;
        assert_eq!(keys(&tombstones), [key(document)]);
        let tombstone = &tombstones[0];
        holds!(tombstone, {"meta.isDeleted": true, "location.id": "2"});
        let remaining = self.pages(SET).await;
        assert!(!remaining.iter().any(|d| key(d) == key(document)));
        assert!(remaining.iter().any(|d| d["meta"]["source"] == SOURCE));
    }
}

/// A test day of a cow; days are counted from the one after the demonstration herds end.
fn test_day(at: usize, cow: &Value, day: usize) -> Value {
    let first = jiff::civil::date(2025, 7, 1);
    let date = first.saturating_add(jiff::Span::new().days(i64::try_from(day).unwrap()));
    json!({
        "resourceType": "icarTestDayResultEventResource",
        "meta": {
            "source": SOURCE,
            "sourceId": format!("test-{at}"),
            "modified": format!("{date}T18:00:00Z"),
        },
        "animal": cow,
        "eventDateTime": format!("{date}T00:00:00Z"),
        "milkWeight24Hours": {"value": 20.0 + (at % 150) as f64 / 10.0, "unitCode": "KGM"},
        "milkCharacteristics": [
            {"characteristic": "FAT", "value": "4.1"},
            {"characteristic": "PROTEIN", "value": "3.4"},
        ],
    })
}

fn live(documents: Vec<Value>) -> Vec<Value> {
    (documents.into_iter()).filter(|d| d["meta"]["isDeleted"] != true).collect()
}

fn id(document: &Value) -> &str {
    let own = document["id"].as_str();
    own.unwrap_or_else(|| key(document))
}

fn key(document: &Value) -> &str {
    document["meta"]["sourceId"].as_str().unwrap()
}

/// Keys in order, so that lists compare in any order.
fn keys(documents: &[Value]) -> Vec<&str> {
    let mut keys: Vec<&str> = documents.iter().map(key).collect();
    keys.sort_unstable();
    keys
}

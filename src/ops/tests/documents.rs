//! What documents look like, and what it costs to make them.

use super::fixture::{Fixture, Who, books, collection, insert, parse_ask, run};
use Who::{A, Anonymous, F1, F2};
use model::record::Value::Ids;
use serde_json::Value;
use store::statement_log::read as statements;

const STAMPS: &str = "\"updatedAt\":\"2026-01-01T00:00:00.000Z\",\"createdAt\":\"2026-01-01T00:00:00.000Z\"";

#[tokio::test]
async fn every_field_stands_in_its_place() {
    let whole = format!(
        "{}{}{}{}{STAMPS}}}",
        "{\"id\":1,\"tag\":\"BE0000\",\"name\":\"Bella\",\"state\":\"alive\",\"archived\":true,\
         \"public\":true,\"publicVisible\":true,\"publicDetails\":true,\"weight\":null,\"herd\":2,\
         \"owner\":2,\"birthDate\":\"2010-01-10T00:00:00.000Z\",\"sire\":null,\"dam\":null,",
        "\"card\":\"card 0\",\"breeder\":1,\"notes\":{\"owner\":\"note 0\"},\
         \"signed\":\"for members\",\"editor\":2,\"offspring\":[7,5,6],\"pastOwners\":[],",
        "\"uses\":[\"milk\",\"show\"],\"shows\":[{\"id\":\"a\",\"title\":\"Fair, \\\"1\\\"\",\
         \"judge\":2,\"place\":1}],\"extra\":{\"z\":1,\"a\":[null]},",
        "\"position\":{\"barn\":0,\"box\":null},",
    );
    let open = format!(
        "{}{}{STAMPS}}}",
        "{\"id\":3,\"tag\":\"BE0002\",\"name\":\"BELLA rosa\",\"state\":\"sold\",\
         \"archived\":false,\"public\":true,\"publicVisible\":true,\"publicDetails\":false,\
         \"weight\":420,\"herd\":2,\"owner\":2,\"birthDate\":\"2012-03-12T00:00:00.000Z\",\
         \"sire\":null,\"dam\":null,\"editor\":2,\"offspring\":[],\"uses\":[],\"shows\":[],",
        "\"extra\":null,\"position\":{\"barn\":2,\"box\":null},",
    );
    let test = format!(
        "{{\"id\":2,\"animal\":2,\"date\":\"2025-12-31T00:00:00.000Z\",\"milkYield\":20.5,\
         \"dailyYield\":20.5,{STAMPS}}}"
    );
    let user = format!(
        "{{\"id\":2,\"email\":\"farmer@demo.herdbook\",\"role\":\"farmer\",\"organization\":1,\
         \"orgRole\":\"head\",\"blockedAt\":null,{STAMPS},\"collection\":\"users\"}}"
    );
    for f in books().await {
        for (who, slug, id, expected) in [
            (A, "animals", 1, &whole),
            (F2, "animals", 1, &whole),
            (Anonymous, "animals", 3, &open),
            (A, "milk-tests", 2, &test),
            (F1, "users", 2, &user),
        ] {
            let document = f.book.by_id(&who.principal(), collection(slug), id, 0).await;
            assert_eq!(String::from_utf8(document.unwrap()).unwrap(), *expected);
        }
    }
}

#[test_each(books())]
async fn relations_expand_to_what_the_caller_reads(f: Fixture) {
    let one = f.animal(A, 1, 1).await.unwrap();
    let ids = |v: &Value| v.as_array().unwrap().iter().map(|d| d["id"].as_i64()).collect::<Vec<_>>();
    assert_eq!(ids(&one["offspring"]), [Some(7), Some(5), Some(6)]);
    assert_eq!(one["offspring"][0]["sire"], 1, "one level only");
    assert_eq!(one["shows"][0]["judge"]["name"], "Org Two", "in rows too");
    assert_eq!(one["shows"][0]["title"], "Fair, \"1\"");
    assert_eq!(one["editor"]["collection"], "users");

    let two = f.animal(A, 5, 2).await.unwrap();
    assert_eq!(two["sire"]["herd"]["name"], "Beta");
    assert_eq!(two["sire"]["herd"]["organization"], 2);
    assert_eq!(two["sire"]["offspring"][1]["sire"], 1);
    assert_eq!(two["herd"]["organization"]["name"], "Org Two");

    let open = f.animal(Anonymous, 7, 2).await.unwrap();
    assert_eq!((&open["editor"], open.get("breeder")), (&2.into(), None));
    assert_eq!(open["dam"]["id"], 1);
    assert_eq!(open["dam"]["card"], "card 0", "its card is opened");
    assert_eq!(open["dam"]["offspring"][2], 6, "closed: stays an id");
    assert_eq!(open["dam"]["offspring"][1]["id"], 5);
    assert_eq!(open["herd"].get("holding"), None, "private");
    let own = f.animal(F1, 2, 1).await.unwrap();
    assert_eq!(own["herd"]["holding"], "H1");
    assert_eq!(own["editor"]["id"], 2);

    let deepest = f.animal(A, 25, 10).await.unwrap();
    assert_eq!(deepest["sire"]["offspring"][0]["sire"]["offspring"][0]["sire"]["id"], 1);
}

#[test_each(books())]
async fn of_a_long_list_the_first_records_are_expanded_unless_fields_are_selected(f: Fixture) {
    let many = vec![("tag", "BE9999".into()), ("offspring", Ids(vec![5; 600]))];
    run(&f.book, insert("animals", 100, many)).await;
    let offspring = async |query: &str| {
        let query = format!("where[id][equals]=100&{query}");
        let body = f.list(A, "animals", &query).await.unwrap();
        body["docs"][0]["offspring"].as_array().unwrap().clone()
    };
    let all = offspring("depth=1").await;
    assert_eq!(all.len(), 600);
    assert_eq!(all[499]["id"], 5);
    assert!(all[500..].iter().all(|one| *one == 5), "{}", all[500]);
    let tags = offspring("depth=1&select[offspring][tag]=true").await;
    assert_eq!(tags[599]["tag"], "BE0004");
    assert_eq!(offspring("depth=0").await, vec![Value::from(5); 600]);
}

#[tokio::test]
async fn the_number_of_statements_does_not_grow_with_rows() {
    let animals = collection("animals");
    for f in books().await {
        let count = async |query: &str| {
            statements();
            let listing = f.book.list(&A.principal(), animals, parse_ask(query)).await;
            listing.unwrap().collect().await.unwrap();
            statements()
        };
        let counts = |all: &[String]| all.iter().filter(|s| s.contains("count(*)")).count();
        // The page, and one for each of two relation lists.
        let all = count("limit=100").await;
        assert_eq!((all.len(), counts(&all)), (3, 0), "{all:#?}");
        let full = count("limit=10").await;
        // The count besides.
        assert_eq!((full.len(), counts(&full)), (4, 1));
        let second = count("limit=10&page=2").await;
        assert_eq!((second.len(), counts(&second)), (3, 0), "remembered");
        assert_eq!(counts(&count("limit=0").await), 0);
        assert_eq!(counts(&count("pagination=false&limit=3").await), 0);
        // One for each of four collections, and two lists of the related animals.
        assert_eq!(count("limit=100&depth=1").await.len(), 9);
        assert_eq!(count("limit=24&page=2&depth=1").await.len(), 9);
        assert_eq!(count("where[id][greater_than]=3&limit=100&depth=1").await.len(), 9);
    }
}

#[test_each(books())]
async fn documents_of_written_rows_come_in_their_order(f: Fixture) {
    let animals = collection("animals");
    let who = F2.principal();
    let documents = f.book.documents(&who, animals, &[4, 99, 2, 3], 1).await.unwrap();
    assert_eq!(documents.keys().copied().collect::<Vec<_>>(), [4, 2, 3]);
    let own: Value = serde_json::from_slice(&documents[&3]).unwrap();
    assert_eq!(own["notes"]["owner"], "note 2");
    let other: Value = serde_json::from_slice(&documents[&2]).unwrap();
    assert_eq!(other.get("notes"), None, "fields obey their classes");
}

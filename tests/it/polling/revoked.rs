//! The rights of a caller are read from the book, not from a clock: when any process takes a right
//! away, it is gone in all of them with the commit.

use crate::support::fixture::Fixture;
use serde_json::{Value, json};

const PLACE: &str = "/ade/v1/locations/org.herdbook.orgid/1/weights";
const LIST: &str = "/api/weighings?depth=0";

async fn answer_to(f: &Fixture, path: &str, token: &str) -> (u16, Value) {
    let (status, _, body) = f.get(path, token).await;
    (status, body)
}

/// The kinds of rights: each is taken through one server and given back through the other.
#[test_each(Fixture::both())]
async fn rights_count_at_once_in_every_process(f: Fixture) {
    f.farm(1, "First").await;
    f.farm(2, "Second").await;
    f.cow(21, 2).await;
    fill!(f, "weighings", 1, {"animal": 21, "date": "2025-01-10", "weight": 500});
    let token = f.user(1, "farmer", Some(1), "head").await;
    let other = f.other_process().await;
    let both = [(&f, &other), (&other, &f)];
    for (here, there) in both {
        assert_eq!(answer_to(there, PLACE, &token).await.0, 200);
        here.update("users", 1, json!({"blockedAt": "2026-03-01T12:00:00Z"})).await;
        assert_eq!(answer_to(there, PLACE, &token).await.0, 401, "blocked");
        here.update("users", 1, json!({"blockedAt": null})).await;
        assert_eq!(answer_to(there, PLACE, &token).await.0, 200);

        here.update("users", 1, json!({"organization": 2})).await;
        assert_eq!(answer_to(there, PLACE, &token).await.0, 404, "moved");
        here.update("users", 1, json!({"organization": 1})).await;
        assert_eq!(answer_to(there, PLACE, &token).await.0, 200);

        let seen = async |what: &str, count: i64| {
            let (_, page) = answer_to(there, LIST, &token).await;
            assert_eq!(page["totalDocs"], count, "{what}");
        };
        seen("foreign", 0).await;
        let grant = json!({"owner": 2, "grantee": 1, "scopes": ["production", "origin"]});
        here.fill("access-grants", 1, grant).await;
        seen("granted", 1).await;
        here.delete("access-grants", 1).await;
        seen("taken back", 0).await;
    }
    ask!(f, token, "POST /api/users/logout", {} => 200);
    assert_eq!(answer_to(&other, PLACE, &token).await.0, 401, "signed out");
    other.book.store.close().await;
}

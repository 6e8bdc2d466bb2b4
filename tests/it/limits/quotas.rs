//! Limits that the Association sets for single organisations, while the service runs.

use super::{Stage, field, fresh};
use serde_json::json;

async fn policy(s: &Stage, f: &crate::support::fixture::Fixture, who: &str, n: usize) -> String {
    let (status, headers, body) = f.get(&fresh(n), who).await;
    assert!([200, 429].contains(&status), "{body}");
    assert!(!s.farm.is_empty());
    field(&headers, "ratelimit-policy").to_owned()
}

#[test_each(Stage::each_with(&[("limits.read", "5")]))]
async fn a_quota_counts_with_its_commit_in_every_process_and_for_its_organisation_alone(s: Stage) {
    let other = s.f.other_process().await;
    let five = "\"read\";q=5;w=60";
    assert_eq!(policy(&s, &s.f, &s.farm, 0).await, five);
    assert_eq!(policy(&s, &other, &s.farm, 0).await, five);
    let made = ask!(s.f, s.expert, "POST /api/quotas", {"organization": 1, "read": 2, "concurrent": 3} => 201);
    let id = &made["doc"]["id"];

    let two = "\"read\";q=2;w=60";
    for f in [&s.f, &other] {
        assert_eq!(policy(&s, f, &s.farm, 1).await, two);
        assert_eq!(f.get(&fresh(2), &s.farm).await.0, 200);
        assert_eq!(f.get(&fresh(3), &s.farm).await.0, 429);
        assert_eq!(policy(&s, f, &s.other, 1).await, five);
        assert_eq!(policy(&s, f, &s.expert, 1).await, five);
    }
    // The limit of writing was not set.
    let path = format!("/api/quotas/{id}");
    let (_, headers, _) = s.f.request("PATCH", &path, &s.farm, json!({"read": 9})).await;
    assert_eq!(field(&headers, "ratelimit-policy"), "\"write\";q=3000;w=60");

    ask!(s.f, s.expert, "PATCH {path}", {"read": 0} => 200);
    for f in [&s.f, &other] {
        assert_eq!(policy(&s, f, &s.farm, 4).await, "", "any number");
    }
    ask!(s.f, s.expert, "DELETE {path}" => 200);
    for f in [&s.f, &other] {
        assert_eq!(policy(&s, f, &s.farm, 5).await, five);
    }
}

#[test_each(Stage::each_with(&[]))]
async fn an_organisation_has_one_quota(s: Stage) {
    for organization in [1, 2] {
        ask!(s.f, s.expert, "POST /api/quotas", {"organization": organization, "read": 100} => 201);
    }
    assert_eq!(policy(&s, &s.f, &s.farm, 1).await, "\"read\";q=100;w=60");
    let body = ask!(s.f, s.expert, "POST /api/quotas", {"organization": 1, "read": 7} => 400);
    holds!(body, {"errors.0.data.errors.0.path": "organization"});
    ask!(s.f, s.expert, "POST /api/quotas", {"organization": 2, "read": -1} => 400);
}

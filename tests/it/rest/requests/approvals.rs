//! What approvals write: corrections of several animals, numbers of registered animals, membership (docs/requests.md).

use super::decisions::{of, request, to};
use crate::rest::animals::states::force;
use crate::rest::world::{World, paths};
use model::record::Value;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

async fn correction(w: &World<'_>, proposed: Json) -> i64 {
    let id = request(w, json!({"purpose": "correction", "animals": [2, 4], "proposed": proposed})).await;
    to(w, "expert", id, "checking").await;
    id
}

fn one(animal: i64, path: &str, value: Json) -> Json {
    json!({"animal": animal, "path": path, "value": value})
}

#[test_with(World::each)]
async fn a_correction_of_several_animals_tells_all_faults_and_shows_old_and_new(w: &World<'_>) {
    for animal in [2, 4] {
        force(w, "animals", animal, &[("trustLevel", Value::Int(3))]).await;
    }
    let proposed = json!([
        one(2, "name", json!("Renamed")), one(2, "birthDate", json!("2026-12-01")),
        one(4, "birthDate", json!("2026-12-02")), one(4, "altIds.earTag", json!("17")),
        {"animal": 4, "path": "breed", "value": null, "before": "a lie"}
    ]);
    let bad = correction(w, proposed.clone()).await;
    let doc = w.doc("verification-requests", bad).await;
    holds!(doc, {"proposed.0.before": "Animal 2", "proposed.1.before": "2020-01-10T00:00:00.000Z",
        "proposed.2.before": "2024-02-01T00:00:00.000Z", "proposed.3.before": null, "proposed.4.before": 1});
    let path = format!("/api/verification-requests/{bad}");
    refused!(w, "expert", "PATCH {path}", {"status": "approved"} => 400 ["proposed.1.value", "proposed.2.value"]);
    assert_eq!(of(w, 2, "name").await, "Animal 2", "nothing is written");

    let mut proposed = proposed;
    (proposed[1]["value"], proposed[2]["value"]) = (json!("2020-01-20"), json!("2024-02-02"));
    let good = correction(w, proposed).await;
    // The book changes meanwhile: one value becomes what was proposed, another one something else.
    changed!(w, "admin", "animals", 2, {"birthDate": "2020-01-20", "name": "Between"});
    let revisions = w.list("animal-revisions", "where[path][equals]=birthDate").await.len();
    let doc = to(w, "expert", good, "approved").await;
    holds!(doc, {"proposed.0.before": "Between", "proposed.1.before": "2020-01-20T00:00:00.000Z",
        "proposed.2.before": "2024-02-01T00:00:00.000Z", "review.approvedCount": 2});
    assert_eq!(of(w, 2, "name").await, "Renamed");
    assert_eq!(of(w, 4, "birthDate").await, "2024-02-02T00:00:00.000Z");
    assert_eq!((of(w, 4, "altIds.earTag").await, of(w, 4, "breed").await), (json!("17"), Json::Null));
    let after = w.list("animal-revisions", "where[path][equals]=birthDate").await.len();
    assert_eq!(after - revisions, 1, "what the book has is not written again");
}

/// A value that the book has by now causes no fault, though it would be refused today.
#[test_with(World::each)]
async fn what_the_book_has_by_now_refuses_no_approval(w: &World<'_>) {
    let id = correction(w, json!([one(2, "birthDate", json!("2020-01-11")), one(4, "name", json!("New"))])).await;
    // The book has it, and no rule would let it in: the mother is younger than her calf.
    let day = model::record::time::parse("2025-01-11").unwrap();
    let late = json!([one(2, "birthDate", json!("2025-01-11")), one(4, "name", json!("New"))]);
    changed!(w, "admin", "verification-requests", id, {"proposed": late});
    force(w, "animals", 2, &[("birthDate", Value::Time(day))]).await;
    to(w, "expert", id, "approved").await;
    assert_eq!(of(w, 4, "name").await, "New");
}

#[test_with(World::each)]
async fn what_is_held_back_is_not_corrected_and_may_be_asked_for_again(w: &World<'_>) {
    let proposed = json!([one(2, "name", json!("New 2")), one(4, "name", json!("New 4"))]);
    let id = correction(w, proposed.clone()).await;
    let review = json!({"status": "approved", "review": {"findings": [{"animal": 4, "text": "Wait."}]}});
    changed!(w, "expert", "verification-requests", id, review);
    assert_eq!((of(w, 2, "name").await, of(w, 4, "name").await), (json!("New 2"), json!("Animal 4")));
    let id = correction(w, proposed).await;
    holds!(to(w, "expert", id, "approved").await, {"review.heldCount": 0});
    assert_eq!(of(w, 4, "name").await, "New 4");
}

#[test_with(World::each)]
async fn single_values_are_proposed_once_for_a_field(w: &World<'_>) {
    let name = one(2, "name", json!("x"));
    for (proposed, path) in [
        (json!([one(2, "shows", json!([]))]), "proposed.0.path"),
        (json!([one(2, "haplotypes", json!([]))]), "proposed.0.path"),
        (json!([one(2, "nothing", json!(1))]), "proposed.0.path"),
        (json!([name, one(2, "name", json!("y"))]), "proposed.1.path"),
        (json!([name, one(2, "sex", json!("x"))]), "proposed.1.value"),
    ] {
        let body = json!({"purpose": "correction", "animals": [2], "proposed": proposed});
        refused!(w, "alpha", "POST /api/verification-requests", body => 400 [path]);
    }
}

/// Approvals at the same time: every number once, and none left out.
#[test_with(World::both)]
async fn numbers_follow_each_other_without_a_gap(w: &World<'_>) {
    let category = made!(w, "admin", "breeding-categories", {"code": "A", "name": "Main section"});
    let mut requests = Vec::new();
    for n in 0..8 {
        let animal = made!(w, "alpha", "animals", {"identNumber": format!("97000000{n:04}"), "sex": "female", "name": "One",
            "birthDate": "2023-05-05", "category": category});
        let id = request(w, json!({"purpose": "registration", "animals": [animal]})).await;
        to(w, "expert", id, "checking").await;
        requests.push((animal, id));
    }
    // One animal brought a number along; one has no category, and its approval leaves no gap.
    force(w, "animals", 1, &[("registration.number", "A-2026-0000003".into())]).await;
    changed!(w, "alpha", "animals", requests[7].0, {"category": null});
    let (decided, last) = requests.split_at(7);
    let approve = async |id: i64| w.patch("admin", "verification-requests", id, json!({"status": "approved"})).await;
    let answers = futures_util::future::join_all(requests.iter().map(|(_, id)| approve(*id))).await;
    let refused: Vec<usize> = (0..8).filter(|at| answers[*at].status != 200).collect();
    assert_eq!(refused, [7], "{}", answers[7].text);
    assert_eq!(paths(&answers[7]), ["animals"]);
    let mut numbers = BTreeSet::new();
    for (animal, _) in decided {
        numbers.insert(of(w, *animal, "registration.number").await.as_str().unwrap().to_owned());
    }
    let expected = [1, 2, 4, 5, 6, 7, 8].map(|n| format!("A-2026-{n:07}"));
    assert_eq!(numbers, BTreeSet::from(expected));
    changed!(w, "alpha", "animals", last[0].0, {"category": category});
    assert_eq!(approve(last[0].1).await.status, 200);
    assert_eq!(of(w, last[0].0, "registration.number").await, "A-2026-0000009");
}

#[test_with(World::each)]
async fn membership_has_a_day_and_who_decided(w: &World<'_>) {
    force(w, "organizations", 1, &[("membership", "none".into())]).await;
    let farm = async || w.doc("organizations", 1).await;
    let approved = async || {
        let id = request(w, json!({"purpose": "membership"})).await;
        to(w, "expert", id, "checking").await;
        id
    };
    let first = approved().await;
    to(w, "expert", first, "rejected").await;
    holds!(farm().await, {"membership": "none", "membershipReview.decidedBy": 2, "membershipReview.since": null});
    let second = approved().await;
    let third = approved().await;
    holds!(w.doc("verification-requests", second).await, {"status": "cancelled", "withdrawnFor": "В-2026-003"});
    assert_eq!(farm().await["membership"], "pending", "the new request stands");
    to(w, "alpha", third, "cancelled").await;
    holds!(farm().await, {"membership": "none", "membershipReview.decidedBy": 2}, "nobody decided again");

    // The Association has undone it by hand: who approves makes the farm a member all the same.
    let id = approved().await;
    changed!(w, "admin", "organizations", 1, {"membership": "none"});
    let doc = to(w, "expert", id, "approved").await;
    let found = farm().await;
    holds!(found, {"membership": "member", "membershipReview.decidedBy": 2,
        "membershipReview.since": "2026-03-01T00:00:00.000Z", "membershipReview.decidedAt": doc["review"]["decidedAt"]});
    // A suspended farm asks for nothing, and nobody for it; a request that was open does not undo it.
    refused!(w, "expert", "POST /api/verification-requests", {"purpose": "membership", "organization": 4} => 400 ["purpose"]);
    force(w, "organizations", 1, &[("membership", "none".into())]).await;
    let id = approved().await;
    force(w, "organizations", 1, &[("membership", "suspended".into())]).await;
    let path = format!("/api/verification-requests/{id}");
    refused!(w, "expert", "PATCH {path}", {"status": "approved"} => 400 ["purpose"]);
}

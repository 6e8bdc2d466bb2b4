//! Each occasion: the right persons get it in their language, the others do not, and a refused write tells nobody.

use super::{assignment, known, letters, sent};
use crate::rest::world::World;
use serde_json::json;

const NOBODY: [&str; 0] = [];

#[test_with(World::each)]
async fn an_assignment_is_told_to_those_who_act_and_wish_it(w: &World<'_>) {
    made!(w, "expert", "upload-assignments", {"organization": 1, "kind": "events", "periodFrom": "2026-02-01",
        "periodTo": "2026-02-28", "dueDate": "2026-03-20"});
    assert_eq!(sent(w).await, NOBODY, "nobody is confirmed");
    known(w).await;
    let refused = json!({"organization": 1, "kind": "events", "periodFrom": "2026-02-01",
        "periodTo": "2026-01-28", "dueDate": "2026-03-20"});
    refused!(w, "expert", "POST /api/upload-assignments", refused => 400 ["periodTo"]);
    refused!(w, "expert", "POST /api/upload-assignments", {"organization": 3, "kind": "events",
        "periodFrom": "2026-02-01", "periodTo": "2026-02-28", "dueDate": "2026-03-20"} => 400 ["organization"]);
    assert_eq!(sent(w).await, NOBODY, "refused");

    w.made("expert", "upload-assignments", assignment("2026-03-20")).await;
    let all = letters(w).await;
    let to: Vec<&str> = all.iter().map(|letter| letter.to.as_str()).collect();
    assert_eq!(to, ["alpha@demo.herdbook", "operator@demo.herdbook"]);
    for part in [
        "Здравствуйте, ",
        "«Alpha»",
        "продуктивность (контрольные доения)",
        "с 01.02.2026 по 28.02.2026",
        "20.03.2026",
        "Примечание: By \"email\", <please>.",
    ] {
        assert!(all[0].text.contains(part), "{part}: {}", all[0].text);
    }
    for part in ["Hello ", "asks Alpha to send", "2026-02-01 to 2026-02-28", "is 2026-03-20"] {
        assert!(all[1].text.contains(part), "{part}: {}", all[1].text);
    }
    assert!(all[1].html.contains("Remark: By &quot;email&quot;, &lt;please&gt;."), "{}", all[1].html);
    let made = w.list("upload-assignments", "").await;
    let page = format!("/book/upload-assignments/{}\n", made.last().unwrap()["id"]);
    assert!(all[1].text.contains(&page), "{page}: {}", all[1].text);

    changed!(w, "operator", "users", 12, {"notifySubmissions": false});
    w.made("expert", "upload-assignments", assignment("2026-03-21")).await;
    assert_eq!(sent(w).await, ["alpha пришлите данные до 21.03.2026"]);
    changed!(w, "operator", "users", 12, {"notifySubmissions": true, "notifyTrust": false});
    changed!(w, "admin", "users", 11, {"blockedAt": "2026-02-01T00:00:00.000Z"});
    w.made("expert", "upload-assignments", assignment("2026-03-22")).await;
    assert_eq!(sent(w).await, ["operator data are to be sent by 2026-03-22"]);
}

#[test_with(World::each)]
async fn who_declines_while_an_email_waits_does_not_get_it(w: &World<'_>) {
    known(w).await;
    made!(w, "expert", "upload-assignments", assignment("2026-03-20"));
    changed!(w, "operator", "users", 12, {"notifySubmissions": false});
    assert_eq!(sent(w).await, ["alpha пришлите данные до 20.03.2026"]);
    // Nor does who was blocked meanwhile, or acts for others.
    changed!(w, "operator", "users", 12, {"notifySubmissions": true});
    made!(w, "expert", "upload-assignments", assignment("2026-03-21"));
    changed!(w, "admin", "users", 12, {"organization": 2});
    assert_eq!(sent(w).await, ["alpha пришлите данные до 21.03.2026"]);
    made!(w, "expert", "upload-assignments", assignment("2026-03-22"));
    changed!(w, "admin", "users", 11, {"blockedAt": "2026-03-01"});
    assert_eq!(sent(w).await, NOBODY);
}

#[test_with(World::each)]
async fn who_loses_the_role_while_an_email_waits_does_not_get_it(w: &World<'_>) {
    known(w).await;
    made!(w, "expert", "upload-assignments", assignment("2026-03-20"));
    w.stage.run(store::Sql::new("UPDATE users SET org_role = 'viewer' WHERE id = 12")).await;
    assert_eq!(sent(w).await, ["alpha пришлите данные до 20.03.2026"]);
    // Nor does who left the Association read what a farm writes to it: its other people do, once.
    let id = made!(w, "alpha", "verification-requests", {"animals": [2, 4]});
    changed!(w, "expert", "verification-requests", id, {"status": "checking"});
    changed!(w, "alpha", "verification-requests", id, {"comments": [{"text": "When?"}]});
    w.stage.run(store::Sql::new("UPDATE users SET role = 'farmer' WHERE id = 2")).await;
    assert_eq!(sent(w).await, ["admin Alpha on request В-2026-001"]);
    assert_eq!(sent(w).await, NOBODY);
}

#[test_with(World::each)]
async fn a_decision_on_a_request_is_told_to_its_organisation(w: &World<'_>) {
    known(w).await;
    let id = made!(w, "alpha", "verification-requests", {"animals": [2, 4]});
    changed!(w, "expert", "verification-requests", id, {"status": "checking"});
    assert_eq!(sent(w).await, NOBODY);
    // Each side gets the comments of the other one: here who is responsible, since the check began.
    changed!(w, "alpha", "verification-requests", id, {"comments": [{"text": "When?"}]});
    assert_eq!(sent(w).await, ["expert Alpha on request В-2026-001"]);
    changed!(w, "expert", "verification-requests", id, {"comments": [{"text": "Soon."}, {"text": "On Monday."}]});
    let comments = letters(w).await;
    assert_eq!(comments.len(), 2);
    assert!(
        comments[1].text.contains("a comment on request В-2026-001 of Alpha.\n\nRemark: Soon. / On Monday."),
        "{}",
        comments[1].text
    );
    let decided = json!({"status": "approved", "review": {"findings": [{"animal": 4, "text": "No chip."}]}});
    w.changed("expert", "verification-requests", id, decided).await;
    let all = letters(w).await;
    assert_eq!(all.len(), 2);
    assert!(all[1].text.contains("approved: 1\nAnimals held: 1\n"), "{}", all[1].text);
    assert_eq!(all[0].subject, "herdbook: заявка В-2026-001 одобрена");

    let id = made!(w, "beta", "verification-requests", {"animals": [3]});
    changed!(w, "expert", "verification-requests", id, {"status": "checking"});
    changed!(w, "expert", "verification-requests", id, {"status": "rejected", "review": {"comment": "Not now."}});
    let all = letters(w).await;
    assert_eq!((all.len(), all[0].to.as_str()), (1, "beta@demo.herdbook"));
    assert!(all[0].text.contains("Remark: Not now."), "{}", all[0].text);
}

#[test_with(World::each)]
async fn the_giver_is_told_of_movements_that_wait(w: &World<'_>) {
    changed!(w, "admin", "animals", 2, {"publicVisible": true});
    known(w).await;
    let visit = |note: &str| json!({"animal": 2, "kind": "absence", "date": "2026-02-01", "to": 2, "note": note});
    w.made("beta", "movements", visit("x")).await;
    let expected = ["alpha подтвердите 1 перемещение", "operator a movement to confirm"];
    assert_eq!(sent(w).await, expected);
    made!(w, "alpha", "movements", {"animal": 4, "kind": "absence", "date": "2026-02-01", "to": 2});
    assert_eq!(sent(w).await, NOBODY, "it waits for nobody");

    // The buyer hears of a sale, and the seller of an objection.
    let sale = made!(w, "alpha", "movements", {"animal": 4, "kind": "sale", "date": "2026-02-02", "to": 2});
    assert_eq!(sent(w).await, ["beta a movement to Beta"]);
    changed!(w, "beta", "movements", sale, {"confirmation": "objected", "objection": "No."});
    let expected = ["alpha покупатель возразил, 1 перемещение", "operator the buyer objected to a movement"];
    assert_eq!(sent(w).await, expected);
}

#[test_with(World::each)]
async fn requests_for_access_are_told_to_the_owner_and_answers_to_who_asked(w: &World<'_>) {
    for animal in [2, 4] {
        changed!(w, "admin", "animals", animal, {"publicVisible": true});
    }
    known(w).await;
    let mut ids = Vec::new();
    for animal in [2, 4] {
        ids.push(made!(w, "beta", "access-requests", {"animal": animal, "purpose": "semen", "comment": "Please"}));
        let all = letters(w).await;
        assert_eq!(all.len(), 2);
        assert_eq!(all[1].subject, "herdbook: a request for access");
        assert!(!all.iter().any(|letter| letter.text.contains("Please")), "the words of others stay in the book");
    }
    changed!(w, "alpha", "access-requests", ids[0], {"status": "approved", "scopes": ["production"], "response": "Gladly"});
    changed!(w, "alpha", "access-requests", ids[1], {"status": "declined"});
    let all = letters(w).await;
    let subjects: Vec<&str> = all.iter().map(|letter| letter.subject.as_str()).collect();
    let expected = [
        "herdbook: the request for access of 2026-03-01 was approved",
        "herdbook: the request for access of 2026-03-01 was declined",
    ];
    assert_eq!(subjects, expected);
    assert!(all.iter().all(|letter| letter.to == "beta@demo.herdbook"));
    assert!(all[0].text.contains("Remark: Gladly") && !all[1].text.contains("Remark"));
}

#[test_with(World::each)]
async fn who_asks_without_an_organisation_gets_the_answer(w: &World<'_>) {
    changed!(w, "admin", "animals", 2, {"publicVisible": true});
    known(w).await;
    changed!(w, "admin", "users", 2, {"confirmed": true});
    assert_eq!(w.doc("users", 2).await["organization"], json!(null));
    let id = made!(w, "expert", "access-requests", {"animal": 2});
    letters(w).await;
    changed!(w, "alpha", "access-requests", id, {"status": "declined"});
    assert_eq!(sent(w).await, ["expert the request for access of 2026-03-01 was declined"]);
}

#[test_with(World::each)]
async fn the_owner_is_told_of_a_document_that_is_issued(w: &World<'_>) {
    known(w).await;
    let draft = json!({"title": "Certificate 1", "type": "vetCertificate", "number": "V-17", "animal": 2});
    let id = w.made("expert", "documents", draft).await;
    assert_eq!(sent(w).await, NOBODY, "a draft");
    changed!(w, "expert", "documents", id, {"issuedAt": "2026-03-01"});
    let all = letters(w).await;
    assert_eq!(all.len(), 2);
    assert!(all[1].text.contains("Certificate 1.\n\nNumber: V-17"), "{}", all[1].text);
    changed!(w, "expert", "documents", id, {"title": "Certificate 2"});
    assert_eq!(sent(w).await, NOBODY);
}

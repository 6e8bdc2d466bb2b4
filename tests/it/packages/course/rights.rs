//! Who sees rows of packages, and what a sender learns of records of others.

use crate::packages::desk::{preview, read_all, rows, send, sent};
use crate::rest::world::World;
use serde_json::json;

const TESTS: &str = "Инд.№;Дата замера;Удой за день, кг\r\n";

#[test_with(World::each)]
async fn rows_are_read_by_their_farm_and_the_association_alone(w: &World<'_>) {
    let file = format!("{TESTS}960000000002;01.02.2026;30,5\r\n");
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    for who in ["alpha", "viewer", "expert", "admin"] {
        assert_eq!(rows(w, who, id, "").await.len(), 1, "{who}");
    }
    for path in ["rows", "table"] {
        let path = format!("/api/data-submissions/{id}/{path}");
        for (who, status) in [("beta", 404), ("delta", 404), ("", 403)] {
            let answer = w.get(who, &path).await;
            assert_eq!(answer.status, status, "{who} {path}: {}", answer.text);
        }
    }
    let listed = w.get("beta", "/api/submission-rows").await.json();
    assert_eq!(listed["totalDocs"], 0);
    for (method, body) in [("POST", json!({"submission": id})), ("PATCH", json!({"state": "created"}))] {
        let path = match method {
            "POST" => "/api/submission-rows".to_owned(),
            _ => "/api/submission-rows/1".to_owned(),
        };
        let answer = w.ask("admin", method, &path, body.to_string()).await;
        assert_eq!(answer.status, 403, "{method} {}", answer.text);
    }
}

/// An animal of another farm, and one that is not there, are answered alike: in packages and in previews, by number,
/// by key, and where a list of animals has its number.
#[test_with(World::each)]
async fn a_sender_learns_nothing_of_animals_of_others(w: &World<'_>) {
    made!(w, "beta", "animals", {"identNumber": "643999000000001", "sex": "female", "birthDate": "2020-05-05",
        "altIds": {"earTag": "B77"}});
    let file = |ident: &str| format!("{TESTS}{ident};01.02.2026;30,5\r\n");
    let mut answers = Vec::new();
    for ident in ["643999000000001", "643999000000002", "B77", "B78"] {
        let answer = preview(w, "alpha", "a.csv", file(ident).as_bytes(), &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answers.push(answer.text.replace(ident, "X"));
        let doc = sent(w, "alpha", "a.csv", file(ident).as_bytes(), &json!({})).await;
        let row = rows(w, "alpha", doc["id"].as_i64().unwrap(), "").await.remove(0);
        assert_eq!((&row["state"], &row["record"]), (&json!("held"), &json!(null)));
        answers.push(row["faults"].to_string().replace(ident, "X"));
    }
    for pair in answers.chunks(2).skip(1) {
        assert_eq!(pair, &answers[..2]);
    }
}

/// A number that the sender may not read names no animal, though its record is open to everybody.
#[test_with(World::each)]
async fn a_number_that_a_sender_does_not_read_names_nothing(w: &World<'_>) {
    made!(w, "beta", "animals", {"identNumber": "643999000000001", "sex": "female", "birthDate": "2020-05-05",
        "altIds": {"inventoryNumber": "7130"}, "publicVisible": true});
    let table = "Инд.№;Пол;Дата рождения;Мать\r\n960000000301;ж;01.02.2025;7130\r\n";
    let doc = sent(w, "alpha", "a.csv", table.as_bytes(), &json!({})).await;
    let row = rows(w, "alpha", doc["id"].as_i64().unwrap(), "").await.remove(0);
    let calf = w.doc("animals", row["record"].as_i64().unwrap()).await;
    assert_eq!(calf["mother"], json!(null), "{calf}");
    let mut answers = Vec::new();
    for ident in ["7130", "7131"] {
        let file = format!("Корова;Дата замера;Удой за день, кг\r\n{ident};01.02.2026;30,5\r\n");
        let doc = sent(w, "alpha", "b.csv", file.as_bytes(), &json!({})).await;
        let row = rows(w, "alpha", doc["id"].as_i64().unwrap(), "").await.remove(0);
        answers.push(row["faults"].to_string().replace(ident, "X"));
    }
    assert_eq!(answers[0], answers[1]);
}

/// Two animals of different farms have one ear tag: each farm means its own.
#[test_with(World::each)]
async fn of_several_animals_with_a_number_the_own_is_meant(w: &World<'_>) {
    let mut own = [0; 2];
    for (farm, own) in ["alpha", "beta"].iter().zip(&mut own) {
        let body = json!({"identNumber": format!("64399900000010{}", farm.len()), "sex": "female",
            "birthDate": "2020-05-05", "altIds": {"earTag": "77"}, "publicVisible": true, "publicDetails": true});
        *own = w.made(farm, "animals", body).await;
    }
    for (farm, own) in ["alpha", "beta"].iter().zip(own) {
        let file = format!("{TESTS}77;01.02.2026;30,5\r\n");
        let doc = sent(w, farm, "a.csv", file.as_bytes(), &json!({})).await;
        let row = rows(w, farm, doc["id"].as_i64().unwrap(), "").await.remove(0);
        assert_eq!((&row["state"], &row["animal"]), (&json!("created"), &json!(own)), "{row}");
    }
    // What is open to everybody may be read, and is still not the sender's.
    let file = format!("{TESTS}643999000000104;02.02.2026;30,5\r\n");
    let doc = sent(w, "alpha", "b.csv", file.as_bytes(), &json!({})).await;
    let row = rows(w, "alpha", doc["id"].as_i64().unwrap(), "").await.remove(0);
    assert_eq!((&row["state"], &row["faults"][0]["code"]), (&json!("held"), &json!("row-foreign-animal")));
}

/// Rows are written as whoever sent the file is when it is read.
#[test_with(World::each)]
async fn a_sender_who_is_blocked_writes_nothing(w: &World<'_>) {
    let file = format!("{TESTS}960000000002;01.02.2026;30,5\r\n");
    let id = send(w, "operator", "a.csv", file.as_bytes(), &json!({})).await;
    w.changed("admin", "users", 12, json!({"blockedAt": "2026-02-01T00:00:00.000Z"})).await;
    read_all(w).await;
    let doc = w.doc("data-submissions", id).await;
    assert_eq!((&doc["intake"]["state"], &doc["intake"]["fault"]), (&json!("failed"), &json!("no-sender")));
    assert!(w.list("milk-tests", "").await.is_empty());
}

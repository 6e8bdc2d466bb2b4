//! Emails to a farm about its packages (docs/letters.md).

use crate::letters::{known, letters, sent as lines};
use crate::packages::desk::{read_all, send, sent};
use crate::rest::world::World;
use serde_json::json;

const TESTS: &str = "Инд.№;Дата замера;Удой за день, кг\r\n";
const NOBODY: [&str; 0] = [];

#[test_with(World::each)]
async fn a_package_is_told_at_each_step_and_once_when_it_is_read(w: &World<'_>) {
    known(w).await;
    let off = json!({"code": "production-before-calving", "enabled": false});
    w.made("expert", "check-settings", off).await;
    let file = format!("{TESTS}960000000002;01.02.2026;30,5\r\n960000000002;02.02.2026;много\r\n");
    let doc = sent(w, "operator", "a.csv", file.as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    let all = letters(w).await;
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].subject, "herdbook: пакет 000001 прочитан");
    let counts = "Rows: 2\nNew records: 1\nChanged records: 0\nRows held: 1\n";
    assert!(all[1].text.contains(counts), "{}", all[1].text);
    changed!(w, "operator", "data-submissions", id, {"mapping": {"set": "milkTests"}});
    read_all(w).await;
    assert_eq!(lines(w).await, NOBODY, "read again");

    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    assert_eq!(lines(w).await, NOBODY);
    let path = format!("/api/data-submissions/{id}");
    refused!(w, "expert", "PATCH {path}", {"status": "rejected"} => 400);
    assert_eq!(lines(w).await, NOBODY, "refused");
    changed!(w, "expert", "data-submissions", id, {"status": "uploaded", "review": {"comment": "Fat of 1 February?"}});
    let all = letters(w).await;
    assert_eq!(all.len(), 2);
    assert!(all[1].text.contains("Fat of 1 February?"), "{}", all[1].text);
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    assert_eq!(lines(w).await, NOBODY);
    changed!(w, "expert", "data-submissions", id, {"status": "checked"});
    let checked = ["alpha пакет 000001 ждёт вашего согласия", "operator package 000001 waits for your consent"];
    assert_eq!(lines(w).await, checked);
    changed!(w, "alpha", "data-submissions", id, {"consent": {"agreed": true}});
    assert_eq!(lines(w).await, ["alpha пакет 000001 принят", "operator package 000001 is accepted"]);

    let file = format!("{TESTS}960000000002;03.02.2026;31\r\n");
    let body = json!({"consent": {"agreed": true}});
    let doc = sent(w, "alpha", "b.csv", file.as_bytes(), &body).await;
    let id = doc["id"].as_i64().unwrap();
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    lines(w).await;
    changed!(w, "expert", "data-submissions", id, {"status": "checked"});
    // The consent was there: no letter asks for it.
    assert_eq!(lines(w).await, ["alpha пакет 000002 принят", "operator package 000002 is accepted"]);

    let file = format!("{TESTS}960000000002;04.02.2026;31\r\n");
    let id = send(w, "alpha", "c.csv", file.as_bytes(), &json!({})).await;
    read_all(w).await;
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    lines(w).await;
    changed!(w, "expert", "data-submissions", id, {"status": "rejected", "review": {"comment": "Wrong month."}});
    let all = letters(w).await;
    assert_eq!(all.len(), 2);
    assert!(all[1].text.contains("Remark: Wrong month."), "{}", all[1].text);
}

#[test_with(World::each)]
async fn a_file_that_cannot_be_read_is_told_once(w: &World<'_>) {
    known(w).await;
    let doc = sent(w, "alpha", "a.csv", b"nothing of this is a table", &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    let all = letters(w).await;
    let subjects = ["пакет 000001 не прочитан", "package 000001 could not be read"];
    let reasons =
        ["нет строки с двумя известными заголовками", "no row of the beginning has two headings that are known"];
    assert_eq!(all.len(), 2);
    for ((letter, subject), reason) in all.iter().zip(subjects).zip(reasons) {
        assert!(letter.subject.ends_with(subject), "{}", letter.subject);
        let text = letter.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(reason) && !text.contains("no-header"), "{text}");
    }
    changed!(w, "alpha", "data-submissions", id, {"mapping": {"set": "milkTests"}});
    read_all(w).await;
    assert_eq!(w.doc("data-submissions", id).await["intake"]["state"], "failed");
    assert_eq!(lines(w).await, NOBODY);
}

#[test_with(World::each)]
async fn a_comment_of_a_farm_is_told_to_who_is_responsible_else_to_the_association(w: &World<'_>) {
    known(w).await;
    let file = format!("{TESTS}960000000002;01.02.2026;30,5\r\n");
    let doc = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    let id = doc["id"].as_i64().unwrap();
    lines(w).await;
    let says = async |texts: &[&str]| {
        let rows: Vec<_> = texts.iter().map(|text| json!({"text": text})).collect();
        w.changed("alpha", "data-submissions", id, json!({"comments": rows})).await;
    };
    says(&["Fat is right.", "So is protein."]).await;
    let all = letters(w).await;
    let to: Vec<&str> = all.iter().map(|letter| letter.to.as_str()).collect();
    assert_eq!(to, ["admin@demo.herdbook", "expert@demo.herdbook"]);
    for letter in &all {
        assert_eq!(letter.subject, "herdbook: Alpha on package 000001");
        assert!(letter.text.contains("\n\nRemark: Fat is right. / So is protein.\n"), "{}", letter.text);
    }
    changed!(w, "expert", "users", 2, {"notifySubmissions": false});
    says(&["Is it?"]).await;
    assert_eq!(lines(w).await, ["admin Alpha on package 000001"]);

    changed!(w, "admin", "data-submissions", id, {"review": {"assignee": 2}});
    says(&["Declined."]).await;
    assert_eq!(lines(w).await, NOBODY);
    changed!(w, "expert", "users", 2, {"notifySubmissions": true});
    says(&["Wished."]).await;
    assert_eq!(lines(w).await, ["expert Alpha on package 000001"]);
    changed!(w, "admin", "users", 2, {"blockedAt": "2026-02-01T00:00:00.000Z"});
    says(&["Is anybody there?"]).await;
    assert_eq!(lines(w).await, ["admin Alpha on package 000001"], "who is responsible was blocked");
}

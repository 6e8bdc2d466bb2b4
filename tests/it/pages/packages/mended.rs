//! Held rows are mended on the page of their package, and columns are given a meaning by its name.

use crate::packages::desk::sent;
use crate::pages::filled::Filled;
use crate::pages::records::forms::parts;
use crate::pages::{BROWSER, assert_sound, goes, page, russian, send};
use crate::rest::world::World;
use serde_json::json;

const HEAD: &str = "Инд.№;Дата замера;Удой за день, кг;Примета";

#[test_with(World::each)]
async fn held_rows_are_mended_on_their_page(w: &World<'_>) {
    let file = format!("{HEAD}\r\n960000000002;01.02.2026;30,5;\r\n960000000002;02.02.2026;305;\r\n");
    let doc = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({})).await;
    let path = format!("/book/data-submissions/{}", doc["id"]);
    let row = w.list("submission-rows", "where[state][equals]=held").await.remove(0);
    let own = |place: usize| format!("cell.{}.{place}", row["id"]);
    let name = format!("name=\"{}\"", own(2));
    for who in ["alpha", "expert"] {
        // The page begins with the rows to mend: each with its fault, and with an input where that lies.
        let first = page(w, who, &path).await;
        assert_sound(&first, who);
        first.has_in(&who, &["2 rows: 1 taken, <a href", ">1 to correct</a>, 1 column not read."]);
        first.has_in(&who, &[&format!("<input type=\"text\" {name} aria-label=\"Удой за день, кг\" value=\"305\">")]);
        first.has_in(&who, &[&format!("<input type=\"hidden\" name=\"{}\" value=\"02.02.2026\">", own(1))]);
        let above = first.text.split("class=\"moves\"").next().unwrap();
        assert!(above.contains(&name), "{who}: {}", first.text);
        let (rows, _) = first.text.split_once("id=\"findings\"").unwrap();
        assert!(rows.contains(&name) && !rows.contains("30,5"), "{rows}");
        page(w, who, &format!("{path}?state=all")).await.lacks_in(&who, &[&name]);
        let held_rows = page(w, who, &format!("{path}?state=held")).await;
        assert_sound(&held_rows, who);
        held_rows.has(&[&format!("{name} aria-label=\"Удой за день, кг\" value=\"305\"")]);
        held_rows.has(&[&format!("<input type=\"text\" name=\"{}\"", own(1))]);
    }
    for address in [path.clone(), format!("{path}?state=held")] {
        page(w, "viewer", &address).await.lacks(&[&name]);
    }

    let names = [own(0), own(1), own(2), own(3)];
    let cells = |milk: &'static str| {
        let texts = ["960000000002", "02.02.2026", milk, ""];
        names.iter().map(String::as_str).zip(texts).collect::<Vec<_>>()
    };
    let rows = format!("{path}/rows");
    assert_eq!(goes(&send(w, "alpha", &rows, &cells("31,5")).await), format!("{path}#rows"));
    let answer = page(w, "expert", &path).await;
    assert_sound(&answer, "mended");
    answer.has(&["In the file: <s>305</s>", "2 rows: 2 taken, 1 column not read."]);
    russian(w, "alpha", &path).await.has(&["2 строки: принято 2, не прочитан 1 столбец."]);
    let refused = send(w, "alpha", &rows, &cells("32")).await;
    assert_eq!(refused.status, 400);
    refused.has(&["Only a row that is held can be mended."]);
}

#[test_with(World::each)]
async fn cells_that_were_typed_stay_when_a_row_is_refused(w: &World<'_>) {
    let file = format!("{HEAD}\r\n960000000002;01.02.2026;305;\r\n960000000002;02.02.2026;306;\r\n");
    let doc = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({})).await;
    let path = format!("/book/data-submissions/{}", doc["id"]);
    let held_rows = Filled::of(&page(w, "alpha", &format!("{path}?state=held")).await, "Send again");
    let held = w.list("submission-rows", "where[state][equals]=held").await;
    let [first, second] = [0, 1].map(|at| format!("cell.{}.2", held[at]["id"]));
    let both = held_rows.with(&first, "30,5").with(&second, "31,25");
    // Somebody else mends one of them meanwhile.
    let mut other = both.clone();
    other.fields.retain(|(name, _)| name.starts_with(&format!("cell.{}.", held[0]["id"])));
    goes(&send(w, "expert", &other.action, &other.pairs()).await);
    let refused = send(w, "alpha", &both.action, &both.pairs()).await;
    assert_eq!(refused.status, 400);
    assert_sound(&refused, "refused");
    let again = Filled::of(&refused, "Send again");
    assert_eq!((again.get(&first), again.get(&second)), (None, Some("31,25")));
    goes(&send(w, "alpha", &again.action, &again.pairs()).await);
    page(w, "alpha", &path).await.has(&["2 rows: 2 taken"]);
}

#[test_with(World::each)]
async fn what_a_column_means_is_chosen_by_its_name(w: &World<'_>) {
    let file = format!("{HEAD}\r\n960000000002;01.02.2026;30,5;утро\r\n");
    let headers = [BROWSER[0], BROWSER[1], ("content-type", "multipart/form-data; boundary=cow")];
    let ask = async |path: &str, fields: &[(&str, &str)]| {
        let body = parts(fields, ("t.csv", &file));
        w.send("alpha", "POST", path, &headers, body).await
    };
    let choice = [("kind", "productivity"), ("column:Примета", "sampleNumber")];
    let preview = ask("/book/data-submissions/preview", &choice).await;
    assert_sound(&preview, "preview");
    preview.has(&[
        "name=\"column:Примета\"",
        "<option value=\"sampleNumber\" selected>",
        "as you say",
        "by its title",
        "30,5 → 30.5",
        "<input type=\"hidden\" name=\"kind\" value=\"productivity\">",
    ]);
    let made = ask("/book/data-submissions/new", &choice).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let packages = w.list("data-submissions", "").await;
    holds!(packages[0], {"mapping.columns": {"Примета": "sampleNumber"}});

    sent(w, "alpha", "b.csv", file.replace("01.02", "02.02").as_bytes(), &json!({})).await;
    let pending = w.list("pending-columns", "").await;
    let path = format!("/book/pending-columns/{}", pending[0]["id"]);
    let answer = page(w, "expert", &path).await;
    assert_sound(&answer, "pending");
    answer.has(&["<optgroup label=\"Proposed\"><option value=\"sampleNumber\""]);
    answer.lacks(&["name=\"mapsTo\" type=\"text\""]);
    let accepted = [("_step", "status/accepted"), ("status", "accepted"), ("mapsTo", "sampleNumber")];
    send(w, "expert", &path, &accepted).await;
    holds!(w.doc("pending-columns", pending[0]["id"].as_i64().unwrap()).await, {"status": "accepted"});
}

//! What stands on pages in place of what only programs know: related records that are closed, and no way to them.

use crate::packages::desk::read_all as read_packages;
use crate::pages::records::forms::parts;
use crate::pages::russian;
use crate::pages::{assert_sound, id_of, page};
use crate::rest::world::World;
use std::collections::BTreeSet;

/// The records that a page links to.
fn links(text: &str) -> BTreeSet<&str> {
    let parts = text.split("href=\"").skip(1);
    let addresses = parts.filter_map(|part| part.split('"').next());
    addresses
        .filter(|address| address.starts_with("/book/") && !address.contains(['?', '#']))
        .filter(|address| address.ends_with(|last: char| last.is_ascii_digit()))
        .collect()
}

#[test_with(World::each)]
async fn what_is_closed_stands_without_a_way_to_it(w: &World<'_>) {
    changed!(w, "alpha", "animals", 4, {"publicVisible": true, "publicDetails": true});
    changed!(w, "alpha", "animals", 1, {"publicVisible": true, "publicDetails": true});
    changed!(w, "alpha", "animals", 2, {"publicVisible": false});
    for who in ["", "beta", "alpha", "expert"] {
        let card = page(w, who, "/book/animals/4").await;
        assert_sound(&card, who);
        for address in links(&card.text) {
            assert_eq!(page(w, who, address).await.status, 200, "{who:?} {address}");
        }
        // The parent is named, as in the pedigree.
        let way = card.text.contains("href=\"/book/animals/2\"");
        assert_eq!(way, !["", "beta"].contains(&who), "{who:?}: {}", card.text);
        card.has_in(&format_args!("{who:?}"), &["960000000002"]);
        card.lacks_in(&format_args!("{who:?}"), &["[2]"]);
        card.has_in(&format_args!("{who:?}"), &["href=\"/book/animals/1\""]);
    }
}

/// Texts of a page, without what is no text.
fn texts(page: &str) -> Vec<&str> {
    let main = page.split("<main").nth(1).unwrap_or_default();
    let main = main.split("</main>").next().unwrap_or_default();
    let pieces = main.split('<').filter_map(|piece| piece.split_once('>'));
    let texts = pieces.map(|(_, text)| text.trim());
    texts.filter(|text| !text.is_empty()).collect()
}

const TABLE: &str = "Инд.№;Дата замера;Удой за день, кг;Жир, %\n{number};12.02.2026;31,5;44\n111;12.02.2026;x;4\n";

/// Faults in Russian are those in English, with sentences of their own.
fn assert_translated(english: &[serde_json::Value], own: &[serde_json::Value]) {
    assert!(english.len() >= 2 && english.len() == own.len(), "{english:?}");
    for (english, own) in english.iter().zip(own) {
        for name in ["message", "expected"] {
            let text = |fault: &serde_json::Value| fault[name].as_str().unwrap().to_owned();
            let cyrillic = text(own).chars().any(|letter| ('а'..='я').contains(&letter));
            assert!(cyrillic || text(english).is_empty(), "{english} {own}");
        }
        for name in ["code", "path", "value", "line"] {
            assert_eq!(english[name], own[name]);
        }
    }
}

#[test_with(World::each)]
async fn a_package_is_told_in_the_language_of_its_reader(w: &World<'_>) {
    let number = w.doc("animals", 2).await["identNumber"].as_str().unwrap().to_owned();
    let table = TABLE.replace("{number}", &number);
    let form = |fields: &[(&str, &str)]| parts(fields, ("t.csv", &table));
    let send = async |language: &str, path: &str, accept: &str, body: String| {
        let kind = ("content-type", "multipart/form-data; boundary=cow");
        let headers = [("accept", accept), ("accept-language", language), kind];
        w.send("alpha", "POST", path, &headers, body).await
    };
    let fields = [("kind", "productivity")];
    let reply = send("ru", "/book/data-submissions/preview", "text/html", form(&fields)).await;
    assert_sound(&reply, "preview");
    for text in texts(&reply.text) {
        let english = text.split_whitespace().any(|word| ["the", "is", "of", "must", "A"].contains(&word));
        assert!(!english, "{text}: {}", reply.text);
    }
    let api = async |language: &str| {
        let body = form(&[("_payload", r#"{"kind": "productivity"}"#)]);
        let answer = send(language, "/api/data-submissions/preview", "application/json", body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["faults"].as_array().unwrap().clone()
    };
    let (english, own) = (api("en").await, api("ru").await);
    assert_translated(&english, &own);
    // While the file waits, nothing is said of its rows.
    let response = send("ru", "/book/data-submissions/new", "text/html", form(&fields)).await;
    let path = format!("/book/data-submissions/{}", id_of(&response));
    let waits = russian(w, "alpha", &path).await;
    waits.has(&["id=\"reading\""]);
    waits.lacks(&["id=\"findings\""]);
    read_packages(w).await;
    let read = russian(w, "alpha", &path).await;
    read.lacks(&["id=\"reading\""]);
    read.has(&["Контрольные доения", "→"]);
    read.lacks(&[
        "milkTests",
        "No such animal",
        "This field",
        "greater than",
        "[{&quot;",
        ">value ",
        "разделе animals",
    ]);
    let queue = page(w, "expert", "/").await;
    queue.has(&["today</time>", "Assigned to", "data-head=\"Waiting for\""]);
}

#[test_with(World::each)]
async fn browsers_get_a_page_where_nothing_is(w: &World<'_>) {
    for path in "/nope /book/animals/abc /book/animals/abc/edit /api-docs/nope/x".split(' ') {
        let lost = russian(w, "", path).await;
        assert_eq!(lost.status, 404, "{path}: {}", lost.text);
        assert_sound(&lost, path);
        lost.has_in(&path, &["<html lang=\"ru\">"]);
        let program = w.send("", "GET", path, &[("accept", "application/json")], "").await;
        program.lacks_in(&path, &["<html"]);
    }
    let program = w.send("", "GET", "/nope", &[], "").await;
    assert_eq!((program.status, program.text.as_str()), (404, r#"{"message":"Route not found \"/nope\""}"#));
}

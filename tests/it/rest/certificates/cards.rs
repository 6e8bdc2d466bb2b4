//! Cards for print (docs/pages.md, *Card for print*): one sheet of what the reader sees, and of nothing else.

use super::issue::{COW, FATHER, family};
use super::printed::{PDF, dense, get_as, pages};
use crate::rest::world::World;
use serde_json::Value;

/// The cow with more rows of each kind than her card has.
async fn fill(w: &World<'_>) {
    family(w).await;
    changed!(w, "expert", "animals", COW, {"altIds": {"earTag": "TAG 20", "chipNumber": "643110000000020"},
        "nameLatin": "Name", "line": null, "publicVisible": true});
    for ancestor in [FATHER, 32, 33, 36] {
        changed!(w, "beta", "animals", ancestor, {"publicVisible": true, "publicDetails": true});
    }
    let kind = made!(w, "admin", "health-event-types", {"code": "D", "name": "Diagnosis", "kind": "diagnosis"});
    for number in 1..=6 {
        let year = 2019 + number;
        made!(w, "expert", "calvings", {"animal": COW, "date": format!("{year}-05-01"), "number": number, "ease": "easy",
            "liveHeifers": 1});
        for turn in 1..=2 {
            made!(w, "expert", "inseminations", {"animal": COW, "date": format!("{year}-07-{turn:02}"),
                "bullText": format!("Bull {year}{turn}")});
            made!(w, "expert", "health-events", {"animal": COW, "date": format!("{year}-08-{turn:02}"), "type": kind,
                "title": format!("Illness {year}{turn}")});
        }
    }
    for (date, milk) in [("2020-06-01", 31), ("2020-07-01", 30)] {
        made!(w, "alpha", "milk-tests", {"animal": COW, "date": date, "milkYield": milk});
    }
}

async fn card(w: &World<'_>, who: &str, query: &str) -> String {
    let answer = w.get(who, &format!("/api/animals/{COW}/card{query}")).await;
    let pages = pages(&answer);
    assert_eq!(pages.len(), 1, "{who:?}: {pages:?}");
    pages.concat()
}

#[tokio::test]
async fn a_card_is_one_sheet_in_either_language() {
    World::under(&[("server.url", "https://herdbook.example")], async |w| {
        fill(w).await;
        let english = dense(&card(w, "alpha", "").await);
        let russian = dense(&card(w, "alpha", "?language=ru").await);
        for text in [
            "Animal: card",
            "960000010020",
            "Name 20",
            "TAG 20",
            "643110000000020",
            "Female",
            "2018-03-01",
            "Pedigree",
            "Father",
            "Name 30",
            "Name 36",
            "FFF",
            "MM",
            "Lactations",
            "Calvings",
            "Inseminations",
            "Bull 20252",
            "2025-05-01",
            "Health events",
            "Illness 20252",
            "https://herdbook.example/book/animals/20",
            "Made on 2026-03-01",
        ] {
            assert!(english.to_lowercase().contains(&dense(text).to_lowercase()), "{text}: {english}");
        }
        for text in [
            "Животное: карточка",
            "960000010020",
            "Самка",
            "01.03.2018",
            "Родословная",
            "Отец",
            "ООО",
            "Лактации",
            "Отёлы",
            "Осеменения",
            "Составлено 01.03.2026",
            "Страница 1 из 1",
        ] {
            assert!(russian.to_lowercase().contains(&dense(text).to_lowercase()), "{text}: {russian}");
        }
        // The latest rows of each kind, the earliest of them first.
        assert!(!english.contains("Bull20231") && english.contains("Bull20232"), "{english}");
        let at = |text: &str| english.find(text).unwrap();
        assert!(at("Bull20232") < at("Bull20252"), "{english}");
        // The language of the parameter comes before the one that a browser prefers.
        let path = format!("/api/animals/{COW}/card");
        let answer = get_as(w, "alpha", &format!("{path}?language=en"), PDF, "ru").await;
        assert_eq!(dense(&pages(&answer).concat()), english);
        assert_eq!(answer.header("x-ignored"), "");
        assert!(answer.header("content-disposition").contains("filename=\"960000010020.pdf\""));
        assert_eq!(dense(&pages(&get_as(w, "alpha", &path, "*/*", "ru").await).concat()), russian);
        ask!(w, "alpha", "GET /api/animals/{COW}/card?language=de" => 400);
        ask!(w, "alpha", "GET /api/herds/1/card" => 404);
        // The day is that of the reader's organisation.
        changed!(w, "alpha", "organizations", 1, {"timeZone": "Pacific/Kiritimati"});
        let there = dense(&card(w, "alpha", "").await);
        assert!(there.contains(&dense("Made on 2026-03-02")), "{there}");
    })
    .await;
}

/// All texts and numbers of an answer.
fn collect_texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.values().for_each(|one| collect_texts(one, into)),
        Value::Array(all) => all.iter().for_each(|one| collect_texts(one, into)),
        Value::String(text) => into.push(text.clone()),
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => into.push(number.to_string()),
    }
}

#[test_with(World::each)]
async fn a_card_has_what_its_reader_sees_and_nothing_else(w: &World<'_>) {
    fill(w).await;
    let whole = dense(&card(w, "alpha", "").await);
    for (visible, details) in [(true, true), (true, false), (false, false)] {
        changed!(w, "alpha", "animals", COW, {"publicVisible": visible, "publicDetails": details});
        for who in ["", "beta", "delta", "viewer", "alpha", "expert"] {
            let note = format!("{who:?} {visible} {details}");
            let path = format!("/api/animals/{COW}");
            let record = w.get(who, &format!("{path}?depth=1")).await;
            let answer = w.get(who, &format!("{path}/card")).await;
            if record.status != 200 {
                assert_eq!(answer.parts(), record.parts(), "{note}");
                continue;
            }
            let printed = dense(&pages(&answer).concat());
            let pedigree = w.get(who, &format!("{path}/pedigree?generations=4&depth=1")).await;
            let mut seen = Vec::new();
            collect_texts(&record.json(), &mut seen);
            collect_texts(&pedigree.json(), &mut seen);
            for slug in ["calvings", "inseminations", "health-events"] {
                collect_texts(&w.get(who, &format!("/api/{slug}?depth=1")).await.json(), &mut seen);
            }
            let seen: Vec<String> = seen.iter().map(|text| dense(text)).collect();
            // What tells of a class each: row, card, ancestors, yields, events of either kind.
            for text in
                ["960000010020", "TAG20", "Name30", "Name36", "Name31", "Bull20252", "Illness20252", "2025-05-01"]
            {
                let is_seen = seen.iter().any(|one| one.contains(text));
                assert_eq!(printed.contains(text), is_seen, "{note} {text}: {printed}");
            }
            let owns = ["alpha", "viewer", "expert"].contains(&who);
            assert_eq!(printed == whole, owns, "{note}: {printed}");
        }
    }
    let hidden = w.get("beta", "/api/animals/4/card").await;
    assert_eq!(hidden.parts(), w.get("beta", "/api/animals/4").await.parts());
    assert_eq!(hidden.parts(), w.get("beta", "/api/animals/9999/card").await.parts());
    // An ancestor whose owner keeps it to themselves is named by its descendant.
    changed!(w, "beta", "animals", FATHER, {"publicVisible": false, "publicDetails": false});
    let own = dense(&card(w, "alpha", "").await);
    assert!(own.contains("Name30"), "{own}");
}

/// A card is read as the record is: under a grant it is noted.
#[test_with(World::each)]
async fn a_card_under_a_grant_is_noted_as_a_view(w: &World<'_>) {
    fill(w).await;
    changed!(w, "alpha", "animals", COW, {"publicVisible": false, "publicDetails": false});
    made!(w, "alpha", "access-grants", {"animal": COW, "grantee": 2, "scopes": ["production"]});
    let printed = dense(&card(w, "beta", "").await);
    assert!(printed.contains("2025-05-01") && !printed.contains("TAG20"), "{printed}");
    w.stage.book.write_deferred_log().await.unwrap();
    let views = w.list("access-views", "").await;
    assert_eq!(views.len(), 1, "{views:?}");
}

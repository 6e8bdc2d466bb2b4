//! Templates of files: what is downloaded and filled in is read without a question.

use super::desk::{once, preview, sent};
use crate::rest::reading::spreadsheets::read;
use crate::rest::world::World;
use serde_json::{Value, json};

async fn template(w: &World<'_>, query: &str) -> Vec<u8> {
    let answer = w.get("alpha", &format!("/api/data-submissions/template?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text);
    answer.bytes
}

fn assert_asks_nothing(preview: &Value, set: &str) {
    holds!(preview, {"fault": null, "dataset": set, "unread": [], "questions": [], "unknownColumns": [], "faults": []});
}

#[test_with(once)]
async fn a_template_that_is_filled_in_is_taken_without_a_question(w: &World<'_>) {
    for (language, choice, day) in [("ru", "Сухостой", "2026-02-01"), ("en", "Dry", "2026-02-02")] {
        let query = format!("dataset=milkTests&language={language}");
        let workbook = template(w, &query).await;
        let sheets = read(workbook.clone());
        assert_eq!(sheets.len(), 2, "{sheets:?}");
        let (heads, explained) = (&sheets[0].1[0], &sheets[1].1[1..]);
        assert_eq!(explained.iter().map(|row| &row[0]).collect::<Vec<_>>(), heads.iter().collect::<Vec<_>>());
        let codes = explained.iter().find(|row| row[2].contains(choice));
        assert!(codes.is_some(), "{explained:?}");
        // The workbook as it came: one sheet of the set, and nothing of the other one.
        let empty = preview(w, "alpha", "a.xlsx", &workbook, &json!({})).await.json();
        assert_asks_nothing(&empty, "milkTests");
        assert_eq!(empty["sheets"].as_array().unwrap().len(), 1, "{empty}");
        // The same as text, filled in.
        let csv = String::from_utf8(template(w, &format!("{query}&format=csv")).await).unwrap();
        let line = csv.trim_start_matches('\u{feff}').trim_end();
        assert_eq!(&line.split(';').map(|head| head.trim_matches('"').to_owned()).collect::<Vec<_>>(), heads);
        let columns = preview(w, "alpha", "a.csv", csv.as_bytes(), &json!({})).await.json();
        let columns = columns["sheets"][0]["columns"].as_array().unwrap().clone();
        let cells = columns.iter().map(|column| match column["path"].as_str().unwrap() {
            "animal" => "960000000002",
            "date" => day,
            "milkYield" => "31,5",
            "fatPercent" => "4,1",
            _ => "",
        });
        let file = format!("{csv}{}\r\n", cells.collect::<Vec<_>>().join(";"));
        assert_asks_nothing(&preview(w, "alpha", "b.csv", file.as_bytes(), &json!({})).await.json(), "milkTests");
        let package = sent(w, "alpha", "b.csv", file.as_bytes(), &json!({})).await;
        holds!(package, {"intake.created": 1, "intake.held": 0, "dataset": "milkTests"});
    }
    for query in ["dataset=nothing", "", "dataset=milkTests&format=pdf", "dataset=milkTests&language=fr"] {
        let answer = w.get("alpha", &format!("/api/data-submissions/template?{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {}", answer.text);
    }
    for (who, path) in [("", "data-submissions"), ("alpha", "animals")] {
        let answer = w.get(who, &format!("/api/{path}/template?dataset=milkTests")).await;
        assert!([401, 403, 404].contains(&answer.status), "{who} {path}: {}", answer.text);
    }
}

#[test_with(once)]
async fn every_template_is_read_as_its_set_with_all_its_columns(w: &World<'_>) {
    // Tables of these may be those of other sets, so their senders name the set.
    let alike = ["abortions", "dailyMilkings", "events"];
    let mut faults = Vec::new();
    for (c, set) in w.stage.book.registry.package_sets() {
        for language in ["ru", "en"] {
            let name = set.name;
            let query = format!("dataset={name}&format=csv&language={language}");
            let csv = template(w, &query).await;
            let body = if alike.contains(&name) { json!({"dataset": name}) } else { json!({}) };
            let read = preview(w, "alpha", "a.csv", &csv, &body).await.json();
            let columns = read["sheets"][0]["columns"].as_array().cloned().unwrap_or_default();
            let titles: Vec<&str> = columns.iter().filter_map(|column| column["title"].as_str()).collect();
            let paths: Vec<&str> = columns.iter().filter_map(|column| column["path"].as_str()).collect();
            let needed = set.required.iter().all(|path| paths.contains(path));
            let russian = |title: &&str| title.chars().any(|letter| letter.is_alphabetic() && !letter.is_ascii());
            let mixed = language == "en" && titles.iter().any(russian);
            let paths_as_titles = language == "en" && titles.iter().any(|title| paths.contains(title));
            let few = titles.len() < 3 || titles.len() > paths.len();
            if read["dataset"] != name || !read["fault"].is_null() || !needed || mixed || few || paths_as_titles {
                faults.push(format!("{language} {} {name}: {} {titles:?} {paths:?}", c.slug, read["fault"]));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

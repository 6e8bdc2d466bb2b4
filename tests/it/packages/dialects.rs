//! Files of programs that are known by their headings or lines (docs/dialects.md).

use super::desk::{once, preview, rows, sent};
use crate::rest::world::World;
use serde_json::{Value, json};

/// A cow of Alpha with a working number and an Interbull number.
async fn cow(w: &World<'_>) -> i64 {
    made!(w, "alpha", "animals", {"identNumber": "960000000189", "sex": "female", "birthDate": "2019-06-21", "breed": 1,
        "altIds": {"inventoryNumber": "189", "internationalId": "HOLRUSF000000000777"}})
}

/// Records of a collection that a package brought, by one of their fields.
async fn brought(w: &World<'_>, slug: &str, package: &Value, field: &str) -> Vec<Value> {
    let all = w.list(slug, "").await;
    let own = all.iter().filter(|row| row["submission"] == package["id"]);
    own.map(|row| json!([row["animal"], &row["date"].as_str().unwrap()[..10], row[field]])).collect()
}

/// A line with texts at places from 1.
fn line(length: usize, texts: &[(usize, &str)]) -> String {
    let mut line = vec![' '; length];
    for (at, text) in texts {
        for (behind, letter) in text.chars().enumerate() {
            line[at - 1 + behind] = letter;
        }
    }
    line.into_iter().collect::<String>() + "\r\n"
}

#[test_with(once)]
async fn rows_of_one_file_are_rows_of_the_sets_of_their_events(w: &World<'_>) {
    let cow = cow(w).await;
    let file = "\"ID\",\"LACT\",\"Event\",\"DIM\",\"Date\",\"Remark\",\"Protocols\",\"Technician\",\r\n\
        \x20 189 ,  3 ,PREG  ,  92 ,05/06/25,-     ,      ,,\r\n\
        \x20 189 ,  3 ,FRESH ,   0 ,02/03/25,-     ,      ,,\r\n\
        \x20 189 ,  3 ,RECK  ,  93 ,05/07/25,-     ,      ,,\r\n\
        \x20 189 ,  3 ,BRED  ,  61 ,04/05/25,7HO1  ,      ,,\r\n\
        \x20 189 ,  3 ,SOLD,    125 ,06/08/25,CAR4  ,      ,,\r\n";
    let foreseen = preview(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await.json();
    assert_eq!(foreseen["sheets"][0]["dialect"], "dairycomp-305-events", "{foreseen}");
    assert_eq!(
        (&foreseen["created"], &foreseen["skipped"], &foreseen["held"]),
        (&json!(3), &json!(1), &json!(1)),
        "{foreseen}"
    );

    let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(package, {"intake.rows": 5, "intake.created": 3, "intake.skipped": 1, "intake.held": 1});
    let sheet = &package["intake"]["sheets"][0];
    assert_eq!(sheet["dialect"], "dairycomp-305-events");
    // No day decides: the program writes months first.
    let date = sheet["columns"].as_array().unwrap().iter().find(|column| column["title"] == "Date");
    assert_eq!(date.unwrap()["notation"]["slash"], "month-first");
    let calvings = brought(w, "calvings", &package, "eventType").await;
    assert_eq!(calvings, [json!([cow, "2025-02-03", "calving"])]);
    let services = brought(w, "inseminations", &package, "comment").await;
    assert_eq!(services, [json!([cow, "2025-04-05", "7HO1"])]);
    let checks = brought(w, "events", &package, "result").await;
    assert_eq!(checks, [json!([cow, "2025-05-06", "pregnant"])]);
    // What no set takes is held with its code, at its line.
    let held_rows = rows(w, "alpha", package["id"].as_i64().unwrap(), "where[state][equals]=held").await;
    assert_eq!(held_rows[0]["line"], 6);
    holds!(held_rows[0]["faults"][0], {"code": "not-an-option", "column": "Event", "value": "SOLD"});

    // Under a stated set the events of others are held: none is lost.
    let body =
        json!({"kind": "events", "dataset": "calvings", "mapping": {"columns": {"Remark": null, "DIM": "comment"}}});
    let package = sent(w, "alpha", "b.csv", file.replace("7HO1", "7HO2").as_bytes(), &body).await;
    let columns = package["intake"]["sheets"][0]["columns"].as_array().unwrap();
    let paths: Vec<&Value> = columns.iter().map(|column| &column["path"]).collect();
    assert_eq!((paths[3], paths[5]), (&json!("comment"), &Value::Null), "{package}");
    holds!(package, {"intake.rows": 5, "intake.updated": 1, "intake.skipped": 1, "intake.held": 3});
}

/// A day that stands first by mistake turns no others.
#[test_with(once)]
async fn days_against_the_order_of_the_dialect_are_held(w: &World<'_>) {
    let cow = cow(w).await;
    let head = "ID,LACT,Event,DIM,Date,Remark\r\n189,3,BRED,61,13/03/25,7HO1\r\n189,3,BRED,61,04/05/25,7HO1\r\n";
    let alone = sent(w, "alpha", "a.csv", head.as_bytes(), &json!({})).await;
    let beside = sent(w, "alpha", "b.csv", format!("{head}189,3,FRESH,0,02/13/25,-\r\n").as_bytes(), &json!({})).await;
    for (package, slash, created, held) in [(&alone, "contradicts", 0, 2), (&beside, "month-first", 2, 1)] {
        assert_eq!(package["intake"]["sheets"][0]["dialect"], "dairycomp-305-events", "{package}");
        holds!(package, {"intake.created": created, "intake.held": held}, "{slash}");
        let columns = package["intake"]["sheets"][0]["columns"].as_array().unwrap();
        let date = columns.iter().find(|column| column["title"] == "Date").unwrap();
        assert_eq!(date["notation"]["slash"], slash, "{package}");
    }
    let held = "where[state][equals]=held&sort=position";
    for row in rows(w, "alpha", alone["id"].as_i64().unwrap(), held).await {
        holds!(row["faults"][0], {"code": "notation-contradicts", "column": "Date"});
    }
    let held = rows(w, "alpha", beside["id"].as_i64().unwrap(), held).await;
    assert_eq!(held[0]["line"], 2, "{held:?}");
    assert_eq!(brought(w, "inseminations", &beside, "comment").await, [json!([cow, "2025-04-05", "7HO1"])]);
}

#[test_with(once)]
async fn lines_of_fixed_places_name_animals_by_their_interbull_numbers(w: &World<'_>) {
    let cow = cow(w).await;
    let texts = [
        (1, "601"),
        (5, "HOLRUSF777"),
        (25, "UUUUUUUUUUUUUUUUUUU"),
        (45, "HOLRUSF000000000778"),
        (65, "20190621"),
        (74, "JAKUTKA"),
        (105, "RUS"),
    ];
    let package = sent(w, "alpha", "a.csv", line(107, &texts).as_bytes(), &json!({})).await;
    holds!(package, {"dataset": "animals", "intake.form": "fixed", "intake.updated": 1});
    assert_eq!(package["intake"]["sheets"][0]["dialect"], "interbull-601");
    let animal = w.doc("animals", cow).await;
    holds!(animal, {"name": "JAKUTKA", "identNumber": "960000000189", "pedigreeText.motherId": "HOLRUSF000000000778"});
    assert_eq!(animal["pedigreeText"]["fatherId"], Value::Null);
}

#[test_with(once)]
async fn entities_of_adis_are_sheets(w: &World<'_>) {
    let file = "DH99000100900002080\r\nVH99000120250302\r\n\
        DN88000600900080120009000320800080004403100900077042\r\n\
        VN880006960000000002202503013150410\r\n\
        VN880006960000000002????????3150410\r\n\
        DN88002800900080120\r\nVN880028960000000002\r\nZN\r\n";
    let package = sent(w, "alpha", "a.csv", file.as_bytes(), &json!({})).await;
    holds!(package, {"dataset": "milkTests", "intake.form": "adis", "intake.created": 1, "intake.held": 1});
    let sheets = package["intake"]["sheets"].as_array().unwrap();
    assert_eq!((&sheets[0]["dialect"], &sheets[1]["name"]), (&json!("adis"), &json!("880028")));
    assert!(sheets[1]["code"].is_string(), "{package}");
    for (field, value) in [("milkYield", 31.5), ("fatPercent", 4.1)] {
        let tests = brought(w, "milk-tests", &package, field).await;
        assert_eq!(tests, [json!([2, "2025-03-01", value])]);
    }
}

/// A bull with a code of NAAB.
async fn bull(w: &World<'_>) -> i64 {
    made!(w, "alpha", "animals", {"identNumber": "960000000901", "sex": "male", "birthDate": "2019-06-21", "breed": 1,
        "semen": {"stock": {"code": "007HO14454"}}})
}

/// The breeding values of an animal by their packages.
async fn evaluations(w: &World<'_>, animal: i64) -> Vec<Value> {
    w.list("animal-evaluations", "").await.into_iter().filter(|row| row["animal"] == animal).collect()
}

#[test_with(once)]
async fn transmitting_abilities_in_pounds_become_breeding_values_of_a_base(w: &World<'_>) {
    let bull = bull(w).await;
    let file = "Full NAAB Code,Evaluation Date,PTA Milk,PTA Fat Pounds,PTA Fat %,PTA Protein Pounds,Yield Reliability\r\n\
        7HO14454,2025-08-12,+1000,-20,0.05,30,95\r\n\
        7HO14454,2030-08-12,+1000,-20,0.05,30,95\r\n";
    let package = sent(w, "admin", "a.csv", file.as_bytes(), &json!({"organization": 1})).await;
    holds!(package, {"dataset": "breedingValues", "intake.created": 1, "intake.held": 1});
    assert_eq!(package["intake"]["sheets"][0]["dialect"], "cdcb-pta", "{package}");
    let all = evaluations(w, bull).await;
    assert_eq!(all.len(), 1);
    holds!(all[0], {
        "milkForecast": 907.18474, "fatKgForecast": -18.143694, "proteinKgForecast": 27.215542,
        "fatPercentForecast": 0.1, "milkR": 95, "calculation": "converted", "source": "import",
        "baseVersion": "CDCB, cows born 2020", "center": "CDCB"
    });
    let note = all[0]["note"].as_str().unwrap();
    assert!(note.starts_with("milkForecast = 2 × 0.45359237 × PTA Milk; "), "{note}");
    // After the next change of base nobody knows which one holds.
    let held = rows(w, "admin", package["id"].as_i64().unwrap(), "where[state][equals]=held&sort=line").await;
    holds!(held[0]["faults"][0], {"code": "scale-unknown", "path": "baseVersion"});
}

#[test_with(once)]
async fn values_of_an_unknown_scale_hold_their_rows(w: &World<'_>) {
    let bull = bull(w).await;
    let file =
        "Инд.№;Дата оценки;PTA milk, lb;EBV fat\r\n960000000901;12.08.2025;1000;20\r\n960000000901;13.08.2025;;20\r\n";
    let package = sent(w, "admin", "a.csv", file.as_bytes(), &json!({"organization": 1})).await;
    holds!(package, {"dataset": "breedingValues", "intake.created": 1, "intake.held": 1});
    let held = rows(w, "admin", package["id"].as_i64().unwrap(), "where[state][equals]=held&sort=line").await;
    holds!(held[0]["faults"][0], {"code": "scale-unknown", "path": "milkForecast", "column": "PTA milk, lb", "value": "1000"});
    let all = evaluations(w, bull).await;
    assert_eq!(all.len(), 1);
    holds!(all[0], {"fatKgForecast": 20, "milkForecast": null, "calculation": "ebv", "baseVersion": null, "note": null});
}

#[test_with(once)]
async fn lines_of_a_bull_are_a_row_with_day_base_and_scale_of_their_parameters(w: &World<'_>) {
    const BULL: &str = "HOLUSAM000012345678";
    let bull = made!(w, "alpha", "animals", {"identNumber": "960000000902", "sex": "male",
        "birthDate": "2019-06-21", "breed": 1, "altIds": {"internationalId": BULL}});
    let parameters = |[file, population, name, merit]: [&str; 4]| {
        let texts = [(1, file), (5, "HOL"), (9, population), (13, name), (17, "20250812"), (26, "0.30")];
        line(46, &[&texts[..], &[(35, "H25CB20"), (43, merit), (46, "Y")]].concat())
    };
    let proof = |[file, population, name, value]: [&str; 4]| {
        let texts = [(1, file), (5, "HOL"), (9, population), (13, name), (17, BULL), (37, "12"), (40, "Y")];
        line(85, &[&texts[..], &[(42, "10"), (60, "     133"), (69, "95.0000"), (76, value)]].concat())
    };
    let file = [
        proof(["300", "USA", "mil", "  1000.000"]),
        proof(["300", "USA", "scs", "     2.780"]),
        proof(["300", "USA", "fat", "   -20.000"]),
        proof(["300", "CAN", "mil", "       500"]),
        parameters(["301", "USA", "mil", "T+"]),
        parameters(["301", "USA", "fat", "T+"]),
        parameters(["301", "USA", "pro", "T+"]),
        parameters(["301", "USA", "scs", "T-"]),
        proof(["300", "USA", "pro", "30"]),
        // Not published.
        proof(["300", "USA", "mil", "  1200.000"]).replacen("12 Y", "12 N", 1),
    ];
    let (file, mut body) = (file.concat(), json!({"organization": 1}));
    // In which unit yields are, no line says.
    let foreseen = preview(w, "admin", "a.csv", file.as_bytes(), &body).await.json();
    assert_eq!((&foreseen["created"], &foreseen["held"]), (&json!(0), &json!(4)), "{foreseen}");
    let asked = foreseen["sheets"][0]["questions"].as_array().unwrap();
    let asked: Vec<_> = asked.iter().map(|one| json!([one["title"], one["unit"], one["samples"][0]])).collect();
    let expected = [["Milk", "lb", "1000.000"], ["Fat", "lb", "-20.000"], ["Protein", "lb", "30"]];
    assert_eq!(asked, expected.map(|one| json!(one)));
    // The line that is not published is held whatever is answered.
    assert_eq!(foreseen["questions"].as_array().unwrap().len(), 3, "{foreseen}");

    body["mapping"] = json!({"units": {"Milk": "lb", "Fat": "lb", "Protein": "lb"}});
    let package = sent(w, "admin", "a.csv", file.as_bytes(), &body).await;
    holds!(package, {"dataset": "breedingValues", "intake.form": "fixed", "intake.created": 1, "intake.held": 3});
    assert_eq!(package["intake"]["sheets"][0]["dialect"], "interbull-300", "{package}");
    let all = evaluations(w, bull).await;
    assert_eq!(all.len(), 1);
    holds!(all[0], {
        "milkForecast": 907.18474, "fatKgForecast": -18.143694, "proteinKgForecast": 27.215542, "milkR": 95,
        "proteinKgR": 95, "calculation": "converted", "source": "import", "baseVersion": "H25CB20", "center": "USA",
        "note": "milkForecast = 2 × 0.45359237 × Milk; fatKgForecast = 2 × 0.45359237 × Fat; proteinKgForecast = 2 × 0.45359237 × Protein"
    });
    // What has no place in the book, and what no parameters belong to.
    let held = rows(w, "admin", package["id"].as_i64().unwrap(), "where[state][equals]=held&sort=line").await;
    let places: Vec<_> = held.iter().map(|row| (&row["line"], &row["faults"][0]["code"])).collect();
    let option = json!("not-an-option");
    assert_eq!(places, [(&json!(2), &option), (&json!(4), &json!("scale-unknown")), (&json!(10), &option)]);
    let values = [0, 2].map(|at| held[at]["faults"][0]["value"].clone());
    assert_eq!(values, ["scsT-Y", "productionT+N"]);

    let file = [parameters(["701", "DEU", "MIL", "B+"]), proof(["700", "DEU", "MIL", "   640.500"])].concat();
    let body = json!({"organization": 1, "mapping": {"units": {"Milk": null}}});
    let package = sent(w, "admin", "b.csv", file.as_bytes(), &body).await;
    holds!(package, {"intake.created": 1, "intake.held": 0});
    let all = evaluations(w, bull).await;
    let genomic = all.iter().find(|row| row["center"] == "DEU").unwrap();
    holds!(genomic, {"milkForecast": 640.5, "calculation": "gebv", "baseVersion": "H25CB20", "note": null});
}

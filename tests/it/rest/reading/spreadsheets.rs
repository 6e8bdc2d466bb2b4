//! Lists as workbooks, and as text for programs with Russian settings (docs/dialect.md, *Exports*).

use crate::rest::world::World;
use serde_json::json;
use sheets::{Book, Options};

const COW: i64 = 2;

async fn tests(w: &World<'_>) {
    let cow = json!(COW);
    made!(w, "alpha", "milk-tests", {"animal": cow, "date": "2026-02-01", "milkYield": 30.5, "sampleNumber": "007"});
    made!(w, "expert", "milk-tests", {"animal": cow, "date": "2026-02-02", "milkYield": 1.25, "sampleNumber": "=1+1", "official": true});
}

/// The rows of each sheet, cells as people see them.
pub(crate) fn read(bytes: Vec<u8>) -> Vec<(String, Vec<Vec<String>>)> {
    let book = Book::open(bytes, &Options::default()).unwrap();
    let sheet = |(at, name): (usize, String)| {
        let (mut rows, mut all) = (book.rows(at).unwrap(), Vec::new());
        while let Some(row) = rows.next().unwrap() {
            all.push(row.cells.iter().map(sheets::Cell::display_text).collect());
        }
        (name, all)
    };
    book.sheets().into_iter().enumerate().map(sheet).collect()
}

const COLUMNS: &str = "sort=id&select[animal]=true&select[date]=true&select[milkYield]=true&select[official]=true&select[sampleNumber]=true";

#[test_with(World::each)]
async fn a_list_is_a_workbook_whose_cells_have_their_types(w: &World<'_>) {
    tests(w).await;
    let answer = ask!(w, "alpha", "GET /api/milk-tests?format=xlsx&{COLUMNS}" => 200);
    assert_eq!(answer.header("content-type"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"milk-tests.xlsx\"");
    let sheets = read(answer.bytes);
    assert_eq!(sheets.len(), 1);
    let (name, rows) = &sheets[0];
    assert_eq!(name, "milk-tests");
    assert_eq!(rows[0], ["id", "animal", "date", "milkYield", "official", "sampleNumber"]);
    assert_eq!(rows[1], ["1", "2", "2026-02-01", "30.5", "false", "007"]);
    assert_eq!(rows[2], ["2", "2", "2026-02-02", "1.25", "true", "=1+1"]);
    // Names in place of ids, where depth is stated; of an animal that the caller reads.
    let answer = w.get("alpha", &format!("/api/milk-tests?format=xlsx&depth=1&{COLUMNS}")).await;
    assert_eq!(read(answer.bytes)[0].1[1][1], "960000000002");
    // By `Accept` as well; and a list with nothing in it still has its header.
    let accept = [("accept", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")];
    let answer = w.stage.send("GET", "/api/milk-tests?select[date]=true", &accept).await;
    let sheets = read(answer.bytes);
    assert_eq!(sheets[0].1, [["id", "date"]]);
    refused!(w, "alpha", "GET /api/milk-tests?format=doc" => 400);
    refused!(w, "alpha", "GET /api/milk-tests?format=xlsx&where[nope][equals]=1" => 400);
}

#[test_with(World::each)]
async fn text_for_russian_programs_has_semicolons_and_commas(w: &World<'_>) {
    tests(w).await;
    let answer = w.get("alpha", &format!("/api/milk-tests?format=csv-ru&depth=1&{COLUMNS}")).await;
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert_eq!(
        answer.text,
        "\u{feff}id;animal;date;milkYield;official;sampleNumber\r\n\
         1;960000000002;01.02.2026;30,5;нет;007\r\n\
         2;960000000002;02.02.2026;1,25;да;'=1+1\r\n"
    );
    let plain = w.get("alpha", &format!("/api/milk-tests?format=csv&{COLUMNS}")).await;
    let named = w.get("alpha", &format!("/api/milk-tests?format=csv&depth=1&{COLUMNS}")).await;
    plain.has(&["1,2,2026-02-01T00:00:00.000Z,30.5,false,007"]);
    named.has(&["1,960000000002,2026-02-01T00:00:00.000Z,30.5,false,007"]);
}

/// A name is shown where the row itself is.
#[test_with(World::each)]
async fn names_of_rows_that_the_caller_does_not_read_stay_ids(w: &World<'_>) {
    let hidden =
        made!(w, "beta", "animals", {"identNumber": "643999000000001", "sex": "male", "birthDate": "2018-05-05"});
    made!(w, "admin", "animals", {"identNumber": "643999000000002", "sex": "female", "birthDate": "2022-05-05",
        "owner": 1, "father": hidden});
    let list = "where[identNumber][equals]=643999000000002&select[father]=true&depth=1";
    for format in ["csv", "csv-ru"] {
        let answer = w.get("alpha", &format!("/api/animals?format={format}&{list}")).await;
        answer.lacks(&["643999000000001"]);
        answer.has(&[&hidden.to_string()]);
        let answer = w.get("admin", &format!("/api/animals?format={format}&{list}")).await;
        answer.has(&["643999000000001"]);
    }
}

/// More rows than are held at once, and all of them.
#[test_with(World::each)]
async fn a_long_list_is_a_workbook_too(w: &World<'_>) {
    let rows = (0..1_203).map(|n| json!({"animal": COW, "date": format!("20{:02}-{:02}-{:02}", 21 + n / 336, n / 28 % 12 + 1, n % 28 + 1), "weight": 600}));
    for rows in rows.collect::<Vec<_>>().chunks(400) {
        let answer = w.ask("alpha", "POST", "/api/weighings", json!(rows).to_string()).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
    let answer = w.get("alpha", "/api/weighings?format=xlsx&depth=1&sort=-date").await;
    let sheets = read(answer.bytes);
    assert_eq!(sheets[0].1.len(), 1_204);
}

#[test_with(World::each)]
async fn columns_are_named_for_people_where_it_is_asked_for(w: &World<'_>) {
    tests(w).await;
    let paths = ["id", "animal", "date", "milkYield", "official", "sampleNumber"];
    // The id of the row, by which the table can be sent back, comes last for people.
    let russian =
        ["Животное", "Дата контрольного доения", "Удой за сутки, кг", "Официальный контроль", "№ пробы", "№ записи"];
    let english = ["Animal", "Test day date", "Milk, kg", "Official recording", "Sample No.", "Record number"];
    for (headers, accept, language, titles) in [
        ("", "ru", "", &paths[..]),
        ("&headers=paths&language=ru", "ru", "", &paths[..]),
        ("&headers=labels", "ru, en;q=0.5", "ru", &russian[..]),
        ("&headers=labels", "en", "en", &english[..]),
        ("&headers=labels&language=ru", "en", "ru", &russian[..]),
        ("&headers=labels&language=en", "ru", "en", &english[..]),
    ] {
        for format in ["xlsx", "csv-ru"] {
            let path = format!("/api/milk-tests?format={format}&{COLUMNS}{headers}");
            let accept = [("accept-language", accept)];
            let answer = w.send("alpha", "GET", &path, &accept, "").await;
            assert_eq!((answer.status, answer.header("content-language")), (200, language));
            let first: Vec<String> = match format {
                "xlsx" => {
                    let (sheet, rows) = read(answer.bytes).remove(0);
                    let names = ["milk-tests", "Контрольные доения", "Test days"];
                    let name = names[["", "ru", "en"].iter().position(|one| *one == language).unwrap()];
                    assert_eq!(sheet, name, "{path}");
                    rows[0].clone()
                }
                _ => {
                    let line = answer.text.trim_start_matches('\u{feff}').lines().next();
                    line.unwrap().split(';').map(str::to_owned).collect()
                }
            };
            assert_eq!(first, titles, "{path}");
        }
    }
    // So are the values of a choice; programs get their codes.
    for (headers, sex) in [("", "female"), ("&headers=labels", "Самка")] {
        for format in ["xlsx", "csv-ru"] {
            let path = format!("/api/animals?format={format}&select[sex]=true&where[id][equals]=2{headers}");
            let answer = w.send("alpha", "GET", &path, &[("accept-language", "ru")], "").await;
            let row: Vec<String> = match format {
                "xlsx" => read(answer.bytes)[0].1[1].clone(),
                _ => answer.text.lines().nth(1).unwrap().split(';').map(str::to_owned).collect(),
            };
            assert!(row.iter().any(|cell| cell == sex), "{path}: {row:?}");
        }
    }
    // People call an animal by its name and number; programs find it by the number.
    for (headers, row) in [
        ("", ["1", "960000000002", "2026-02-01", "30.5", "false", "007"].as_slice()),
        (
            "&headers=labels&language=ru",
            ["Animal 2 960000000002", "2026-02-01", "30.5", "false", "007", "1"].as_slice(),
        ),
    ] {
        let answer = w.get("alpha", &format!("/api/milk-tests?format=xlsx&depth=1&{COLUMNS}{headers}")).await;
        assert_eq!(read(answer.bytes)[0].1[1], row, "{headers}");
    }
    // The path of a field has its name, too.
    made!(w, "alpha", "weighings", {"animal": 2, "date": "2026-02-01", "weight": 4500});
    let found = "/api/check-findings?format=csv-ru&headers=labels&language=ru&where[code][equals]=weight-implausible";
    let found = w.get("alpha", &format!("{found}&select[path]=true&select[collection]=true")).await;
    assert!(found.text.contains("Живая масса") && !found.text.contains("weight"), "{}", found.text);
    let answer = w.get("alpha", "/api/milk-tests?format=xlsx&headers=labels&language=de").await;
    holds!(answer.json(), {"errors.0.name": "QueryError", "errors.0.data.0.path": "language"});
    assert_eq!(answer.status, 400);
    for refused in "format=csv&headers=labels headers=labels format=xlsx&headers=x".split(' ') {
        let answer = w.get("alpha", &format!("/api/milk-tests?{refused}")).await;
        holds!(answer.json(), {"errors.0.name": "QueryError", "errors.0.data.0.path": "headers"});
        assert_eq!(answer.status, 400);
    }
}

//! What cannot be imported is reported before anything is written, or row by row.

use super::desk::{Desk, FARMS, content, counts, once};
use crate::rest::stage::Stage;
use serde_json::json;

const HEAD: &str = "identNumber,sex,owner,birthDate,bloodPercent,father\n";

#[test_with(once)]
async fn refused_rows_are_told_with_every_fault_and_the_others_are_written(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    let rows = [
        "100001,female,Alpha,2020-01-01,50,",
        // Two wrong types, an option that there is not, an owner and a father that nobody knows.
        "100002,cow?,Gamma,01-2020,half,999999",
        // What is required is missing.
        ",female,Alpha,,,",
        // The same number again.
        "100001,female,Beta,2020-01-01,50,",
        // More than there can be, and a birth to come.
        "100003,female,Alpha,2099-01-01,101,",
        "100004,female,Alpha,2021-01-01,,",
    ];
    desk.file("animals.csv", format!("{HEAD}{}\n", rows.join("\n")));
    let done = desk.import().await;
    assert_eq!(done.collections["animals"], counts(2, 0, 0, 4));
    assert_eq!(
        desk.places(),
        [
            "animals.csv:3 owner invalid-relation",
            "animals.csv:3 father invalid-relation",
            "animals.csv:3 sex not-an-option",
            "animals.csv:3 birthDate wrong-type",
            "animals.csv:3 bloodPercent wrong-type",
            "animals.csv:4 identNumber required",
            "animals.csv:5 identNumber duplicate-row",
            "animals.csv:6 bloodPercent too-large",
            "animals.csv:6 birthDate birth-in-future",
        ]
    );
    let report = desk.report();
    assert_eq!(report[0], "animals.csv,3,owner,invalid-relation,Gamma,Nothing in organizations is called Gamma.");
    assert!(report[2].contains(",cow?,"), "{}", report[2]);
    // What was refused is corrected, and the whole folder imported again.
    let before = content(stage).await;
    let second = desk.import().await;
    assert_eq!(second.collections["animals"], counts(0, 0, 2, 4));
    assert_eq!(desk.report(), report);
    assert_eq!(content(stage).await, before);
}

/// Codes that the book gives, each as its page of errors has it.
#[test_with(once)]
async fn refusals_of_hooks_have_their_codes(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", "name,region\nAlpha,\nBeta,Nowhere\n");
    desk.file("animals.csv", "identNumber,sex,owner,birthDate\n100001,female,Alpha,2020-01-01\n");
    desk.file("movements.csv", "animal,date,kind,from,to\n100001,2024-01-01,lease,Alpha,Alpha\n");
    let calving = |date: &str, bulls: u8| {
        let calves = json!([{"sex": "male", "birthStatus": "alive"}]);
        json!({"animal": "100001", "date": date, "progeny": calves, "liveBulls": bulls}).to_string()
    };
    desk.file("calvings.ndjson", [calving("2023-01-01", 2), calving("2024-03-01", 1)].join("\n"));
    let done = desk.import().await;
    assert_eq!((done.collections["calvings"], done.total().refused), (counts(1, 0, 0, 1), 3));
    let mut places = desk.places();
    places.sort();
    assert_eq!(
        places,
        [
            "calvings.ndjson:1 liveBulls progeny-mismatch",
            "movements.csv:2 to same-organization",
            "organizations.csv:3 region no-such-region",
        ]
    );
}

/// Lines are counted as an editor shows them, whatever ends them.
#[test_with(once)]
async fn rows_are_named_by_their_lines(stage: &Stage) {
    for end in ["\n", "\r\n", "\r"] {
        let desk = Desk::new(stage);
        let lines = ["name,type", "", "", "Alpha,cow?", "", "\"Be", "ta\",cow?", "Gamma,cow?"];
        desk.file("organizations.csv", lines.join(end));
        desk.import().await;
        // The name of line 6 goes over two lines.
        let expected = [
            "organizations.csv:4 type not-an-option",
            "organizations.csv:6 type not-an-option",
            "organizations.csv:6 name control-character",
            "organizations.csv:8 type not-an-option",
        ];
        assert_eq!(desk.places(), expected, "{end:?}");
    }
}

#[test_with(once)]
async fn unknown_files_and_columns_are_told_all_at_once(stage: &Stage) {
    let mut desk = Desk::new(stage);
    desk.file("organizations.csv", "name,colour,nam,name,id.x\nA,b,c,d,e\n");
    desk.file("animal.csv", "identNumber\n1\n");
    desk.file("cows.pdf", "");
    desk.file("users.csv", "email\na@b.example\n");
    desk.file("operations.csv", "at\n2025-01-01\n");
    desk.file("upload-assignments.csv", "organization,dueDate\n1,2025-01-01\n");
    desk.file("herds.ndjson", "{\"name\": \"A\", \"colour\": 1, \"createdBy\": 2}\n");
    desk.file("empty.csv", "");
    desk.file("milk-tests.csv", "");
    let refusal = desk.refused().await;
    let expected = [
        "animal.csv: there is no collection animal; did you mean animals?",
        "cows.pdf: is neither .csv, .tsv, .ndjson nor .jsonl (nor one of them with .gz), nor .xlsx, .xls, .ods",
        "empty.csv: there is no collection empty",
        "operations.csv: operations are not imported: only the server writes it",
        "users.csv: users are not imported: accounts are created by `herdbook user add` or by invitations",
        "herds.ndjson: herds have no field \"colour\"; --skip-unknown leaves it out",
        "herds.ndjson: herds have no field \"createdBy\"; did you mean createdAt?",
    ];
    for line in expected {
        assert!(refusal.iter().any(|t| t == line), "{line} in {refusal:#?}");
    }
    let holds = |part: &str| refusal.iter().any(|line| line.contains(part));
    assert!(holds("organizations have no field \"nam\"; did you mean name?"), "{refusal:#?}");
    assert!(holds("\"name\" and \"name\" mean the same field"), "{refusal:#?}");
    assert!(holds("milk-tests.csv: has no header"), "{refusal:#?}");
    assert!(holds("upload-assignments.csv: upload-assignments: nothing but the id"), "{refusal:#?}");
    assert!(!desk.options.report.exists());
    // Columns can be left out.
    for name in ["animal.csv", "cows.pdf", "users.csv", "operations.csv", "empty.csv"] {
        std::fs::remove_file(desk.folder().join(name)).unwrap();
    }
    for name in ["milk-tests.csv", "upload-assignments.csv", "herds.ndjson"] {
        std::fs::remove_file(desk.folder().join(name)).unwrap();
    }
    desk.file("organizations.csv", "name,colour,nameKey\nAlpha,red,x\n");
    desk.options.skip_unknown = true;
    let done = desk.import().await;
    assert_eq!(done.total(), counts(1, 0, 0, 0));
    assert_eq!(done.ignored["organizations.csv"], ["nameKey"]);
}

#[test_with(once)]
async fn a_name_that_several_rows_have_names_none_of_them(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    desk.file(
        "animals.csv",
        "identNumber,sex,owner,Бирка\n100001,female,Alpha,7\n100002,female,Beta,7\n100003,female,Beta,8\n",
    );
    desk.file(
        "weighings.csv",
        "animal,date,weight\n7,2025-01-01,400\nбирка:8,2025-01-01,400\nid:1,2025-01-01,400\n1,2025-01-01,400\n",
    );
    let done = desk.import().await;
    assert_eq!(done.collections["weighings"], counts(2, 0, 0, 2));
    assert_eq!(
        desk.places(),
        ["weighings.csv:2 animal ambiguous-relation", "weighings.csv:5 animal invalid-relation",]
    );
}

#[test_with(once)]
async fn rows_are_refused_as_single_writes_are(stage: &Stage) {
    let desk = Desk::new(stage);
    desk.file("organizations.csv", FARMS);
    desk.file("animals.csv", "identNumber,sex,owner,birthDate\n100001,female,Alpha,2020-01-01\n");
    desk.file(
        "movements.csv",
        "animal,date,kind,to\n100001,2025-01-02,cull,Beta\n100001,2025-01-01,sale,\n100001,2025-02-01,sale,Beta\n",
    );
    desk.file(
        "milk-tests.csv",
        "animal,date,milkYield\n100001,2019-01-01,20\n100001,2025-01-01,20\n100001,2025-01-02,200\n",
    );
    let done = desk.import().await;
    assert_eq!(done.collections["movements"], counts(1, 0, 0, 2));
    assert_eq!(done.collections["milk-tests"], counts(1, 0, 0, 2));
    // The receiver is no member: the animal has left the book.
    let state = "SELECT state FROM animals";
    assert_eq!(desk.texts(state).await, ["sold"]);
}

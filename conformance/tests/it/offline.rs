//! The offline checker: every finding has its line, column and pointer.

use ade_conformance::offline::{Args, Checked, Form, Weight, check};
use serde_json::{Value, json};
use std::fmt::Write as _;
use test_support::table;

fn weight() -> Value {
    json!({"resourceType": "icarWeightEventResource",
        "meta": {"source": "scale.example", "sourceId": "w1", "modified": "2026-02-01T00:00:00Z"},
        "location": {"scheme": "nl.ubn", "id": "1"},
        "animal": {"scheme": "eu.animalId", "id": "276000000000001"},
        "eventDateTime": "2026-02-01T06:30:00Z",
        "weight": {"measurement": 512.5, "units": "KGM"}})
}

/// Line, column, pointer and code of each finding.
fn positions(checked: &Checked) -> Vec<(usize, usize, &str, &str)> {
    let all = checked.findings.iter();
    all.map(|one| (one.line, one.column, one.pointer.as_str(), one.code)).collect()
}

#[test]
fn a_good_document_in_each_form_has_no_finding() {
    let one = weight();
    let mut other = weight();
    other["meta"]["sourceId"] = json!("w2");
    let context = json!({"id": "@context"});
    let token = json!({"id": "@continuation", "token": "abc"});
    let gone = json!({"resourceType": "icarWeightEventResource", "location": one["location"],
        "meta": {"source": "scale.example", "sourceId": "w3", "isDeleted": true}});
    let page = json!({"view": {"totalItems": 2}, "member": [one, other]});
    let lines = format!("{one}\n{other}\n");
    let cases = table![
        one.to_string(), Form::Document, 1;
        json!([one, other, gone]).to_string(), Form::Batch, 3;
        page.to_string(), Form::Collection, 2;
        json!([context, one, gone, token]).to_string(), Form::Feed, 2;
        json!([context, one]).to_string(), Form::Push, 1;
        json!([{"id": "1", "messages": []}]).to_string(), Form::Results, 0;
        json!({"errors": [{"status": 400, "title": "No"}]}).to_string(), Form::Errors, 0;
        lines, Form::Lines, 2;
    ];
    for (text, form, resources) in cases {
        let checked = check("a.json", text.as_bytes(), None);
        assert_eq!(positions(&checked), [], "{text}");
        assert_eq!((checked.form, checked.resources), (Some(form), resources), "{text}");
    }
}

#[test]
fn faults_have_line_column_and_pointer() {
    let text = r#"[
  {
    "resourceType": "icarWeightEventResource",
    "meta": {"source": "scale.example", "sourceId": "w1", "modified": "2026-02-01T00:00:00"},
    "animal": "276000000000001",
    "eventDatetime": "2026-02-01T06:30:00Z",
    "weight": {"measurement": "512.5", "units": "kg", "units": "KGM"}
  },
  {"resourceType": "WeightEvent", "meta": {"source": "x", "sourceId": "ü"}, "ä": 1},
  {"meta": {"source": "x", "sourceId": "3"}},
  7
]"#;
    let checked = check("b.json", text.as_bytes(), None);
    let expected = [
        (4, 71, "/0/meta/modified", "bad-format"),
        (5, 15, "/0/animal", "not-object"),
        (6, 22, "/0/eventDatetime", "near-miss"),
        (7, 31, "/0/weight/measurement", "wrong-type"),
        (7, 55, "/0/weight/units", "duplicate-member"),
        (9, 20, "/1/resourceType", "unknown-schema"),
        (10, 3, "/2/resourceType", "missing"),
        (11, 3, "/3", "not-object"),
    ];
    assert_eq!(positions(&checked), expected);
    let hints: Vec<&str> = checked.findings.iter().filter_map(|one| one.hint.as_deref()).collect();
    let wanted = [
        "\"2026-02-01T00:00:00Z\"",
        "\"scheme\"",
        "\"eventDateTime\"",
        "512.5 without quotes",
        "Keep one",
        "icarWeightEventResource",
        "--type",
    ];
    for (hint, word) in hints.iter().zip(wanted) {
        assert!(hint.contains(word), "{hint}: {word}");
    }
    assert_eq!(checked.count(Weight::Warning), 1);
}

#[test]
fn the_type_may_be_told_and_missing_members_point_to_where_they_belong() {
    let text = "{\n \"animal\": {\"id\": \"1\"},\n \"weight\": {\"units\": \"kgm\"}}";
    let checked = check("-", text.as_bytes(), Some("icarWeightEventResource"));
    let expected = [
        (1, 1, "/meta/source", "missing"),
        (1, 1, "/meta/sourceId", "missing"),
        (1, 1, "/resourceType", "missing"),
        (2, 12, "/animal/scheme", "missing"),
        (3, 22, "/weight/units", "not-in-enum"),
    ];
    assert_eq!(positions(&checked), expected);
    let hint = checked.findings[4].hint.as_deref();
    assert_eq!(hint, Some("Write \"KGM\", if that is meant."));
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    let cases = [
        ("{\n  \"a\": 1,\n}", 3, "json"),
        ("[{\"a\": 1}", 1, "json"),
        ("{'a': 1}", 1, "json"),
        ("{\"a\": 1} // no", 1, "json"),
        ("{\"a\": 01}", 1, "json"),
        ("", 1, "json"),
    ];
    for (text, line, code) in cases {
        let checked = check("c.json", text.as_bytes(), None);
        assert_eq!(checked.form, None, "{text}");
        let places = positions(&checked);
        assert_eq!((places.len(), places[0].0, places[0].3), (1, line, code), "{text}");
    }
    let mut latin = b"{\n\"name\": \"Gr".to_vec();
    latin.extend_from_slice(b"\xfcn\"}");
    let checked = check("c.json", &latin, None);
    assert_eq!(positions(&checked), [(2, 12, "", "encoding")]);
    let marked = format!("\u{feff}{}", weight());
    let checked = check("c.json", marked.as_bytes(), None);
    assert_eq!(positions(&checked), [(1, 1, "", "byte-order-mark")]);
    let deep = "[".repeat(100_000);
    assert_eq!(check("c.json", deep.as_bytes(), None).findings.len(), 1);
}

#[test]
fn feeds_and_batches_are_checked_whole() {
    let (one, context) = (weight(), json!({"id": "@context"}));
    let mut nowhere = weight();
    nowhere.as_object_mut().unwrap().remove("location");
    let feed = json!([one, {"id": "@continuation"}, context, nowhere]);
    let checked = check("d.json", feed.to_string().as_bytes(), None);
    let codes: Vec<(&str, &str)> = checked.findings.iter().map(|one| (one.pointer.as_str(), one.code)).collect();
    let expected = [
        ("/0", "context-first"),
        ("/1", "continuation-last"),
        ("/1/token", "missing"),
        ("/2", "context-first"),
        ("/3/location/scheme", "missing"),
        ("/3/location/id", "missing"),
    ];
    assert_eq!(codes, expected);
    let twice = json!([weight(), weight()]);
    let checked = check("e.json", twice.to_string().as_bytes(), None);
    assert_eq!(checked.findings[0].code, "pair-twice");
    assert_eq!(checked.count(Weight::Error), 0);
}

#[test]
fn lines_are_told_by_their_own_pointers() {
    let mut text = String::new();
    for id in 0..3 {
        let mut one = weight();
        one["weight"]["units"] = json!(if id == 2 { "stone" } else { "KGM" });
        let _ = writeln!(text, "{one}");
    }
    text.push_str("{broken\n");
    let checked = check("f.ndjson", text.as_bytes(), None);
    let places: Vec<(usize, &str)> = checked.findings.iter().map(|one| (one.line, one.pointer.as_str())).collect();
    assert_eq!(places, [(3, "/weight/units"), (4, "")]);
}

#[test]
fn xml_is_checked_as_json_is() {
    let good = ade::xml::write(&weight(), "icarWeightEventResource");
    let checked = check("g.xml", good.as_bytes(), None);
    assert_eq!(positions(&checked), []);
    assert_eq!(checked.form, Some(Form::Document));
    let text = "<?xml version=\"1.0\"?>\n<batch>\n  <icarWeightEventResource>\n    <meta>\
        <source>x</source><sourceId>1</sourceId><modified>today</modified></meta>\n    \
        <animal><id>1</id></animal>\n    <weight><measurement>heavy</measurement></weight>\n  \
        </icarWeightEventResource>\n  <icarWeightEventResource>\n    \
        <resourceType>icarWeightEventResource</resourceType>\n    <weight unit=\"kg\">7</weight>\n  \
        </icarWeightEventResource>\n</batch>\n";
    let checked = check("h.xml", text.as_bytes(), None);
    assert_eq!((checked.form, checked.resources), (Some(Form::Batch), 2));
    let places = positions(&checked);
    assert!(places.contains(&(4, 51, "/0/meta/modified", "bad-format")), "{places:?}");
    assert!(places.contains(&(5, 5, "/0/animal/scheme", "missing")), "{places:?}");
    assert!(places.contains(&(6, 13, "/0/weight/measurement", "wrong-type")), "{places:?}");
    assert!(places.iter().any(|one| one.0 == 10 && one.2 == "/1/weight"), "{places:?}");
    for broken in ["<a>", "<a></b>", "<a>&nope;</a>", "<!DOCTYPE a []><a/>", "<a/><b/>"] {
        let checked = check("i.xml", broken.as_bytes(), None);
        assert!(checked.count(Weight::Error) > 0, "{broken}");
    }
}

#[test]
fn the_command_tells_by_its_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let good = write("good.json", &weight().to_string());
    let bad = write("bad.json", "{}");
    let missing = dir.path().join("none.json").to_string_lossy().into_owned();
    let code = |files: &[&String], resource: Option<&str>| {
        let args = Args {
            files: files.iter().map(|file| (*file).clone()).collect(),
            resource: resource.map(str::to_owned),
            ..Args::default()
        };
        format!("{:?}", ade_conformance::offline::run(args))
    };
    let exit = |code: u8| format!("{:?}", std::process::ExitCode::from(code));
    assert_eq!(code(&[&good], None), exit(0));
    assert_eq!(code(&[&good, &bad], None), exit(1));
    assert_eq!(code(&[&good, &missing], None), exit(2));
    assert_eq!(code(&[&good], Some("icarNothing")), exit(2));
}

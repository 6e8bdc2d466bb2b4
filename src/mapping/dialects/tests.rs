use super::{Dialects, FILES, layered};
use crate::compile::file::Faults;
use domain::collections::registry;
use std::fs;
use test_support::table;

const CALVINGS: &str = r#"
    title = "A program"
    source = "https://example.org"
    [recognise]
    has = ["Cow", "Event"]
    not = ["Yield"]
    share = 0.6
    [events]
    column = "Event"
    [[sheet]]
    set = "calvings"
    events = ["fresh"]
    columns = [
        { heading = "Cow", path = "animal", by = "altIds.inventoryNumber" },
        { heading = "Day", path = "date" },
        { heading = "Event", path = "eventType", codes = { FRESH = "calving" } },
    ]
"#;

fn compiled(files: &[(&str, &str)]) -> (Dialects, Vec<String>) {
    let mut faults = Faults::default();
    let dialects = layered(registry().unwrap(), files, None, &mut faults);
    let lines = faults.0.iter().map(|one| format!("{} {}", one.path, one.code));
    (dialects, lines.collect())
}

#[test]
fn our_own_are_sound_and_known_by_different_headers() {
    let (dialects, faults) = compiled(FILES);
    assert_eq!(faults, Vec::<String>::new());
    assert_eq!(dialects.0.len(), FILES.len());
    for one in &dialects.0 {
        let heads = one.recognise.has.iter().map(String::as_str);
        let recognised = dialects.of_table(heads).map(|dialect| &dialect.name);
        let whole = (one.recognise.has.is_empty()).then_some(&one.name);
        assert_eq!(recognised.or(whole), Some(&one.name));
    }
}

#[test]
fn a_header_is_a_dialect_by_all_of_its_headings() {
    let second = CALVINGS.replace(r#"not = ["Yield"]"#, "");
    let of = |files: &[(&str, &str)], titles: &[&str]| {
        let (dialects, faults) = compiled(files);
        assert_eq!(faults, Vec::<String>::new());
        let dialect = dialects.of_table(titles.iter().copied());
        dialect.map(|dialect| dialect.name.clone())
    };
    let one = [("one.toml", CALVINGS)];
    let both = [("one.toml", CALVINGS), ("two.toml", second.as_str())];
    let name_of = |name: &str| Some(name.to_owned());
    assert_eq!(of(&one, &["COW", "event:", "", "Day"]), name_of("one"));
    // One is missing; one must not be there; too few are known.
    assert_eq!(of(&one, &["Cow", "Day"]), None);
    assert_eq!(of(&one, &["Cow", "Event", "Day", "Yield"]), None);
    assert_eq!(of(&one, &["Cow", "Event", "Pen", "Barn"]), None);
    // Of two that fit equally well none is meant.
    assert_eq!(of(&both, &["Cow", "Event", "Day"]), None);
    assert_eq!(of(&both, &["Cow", "Event", "Day", "Yield"]), name_of("two"));
}

#[test]
fn a_fault_names_its_file_and_place() {
    let cases = table![
        r#"path = "date""#, r#"path = "day""#, ": sheet.0(calvings).columns(Day) no-such-field";
        r#"FRESH = "calving""#, r#"FRESH = "calved""#, ": sheet.0(calvings).columns(Event) no-such-value";
        r#"by = "altIds.inventoryNumber""#, r#"by = "owner""#,
            ": sheet.0(calvings).columns(Cow) no-such-field";
        r#"heading = "Day""#, r#"heading = "Cow""#, ": sheet.0(calvings).columns(Cow) declared-twice";
        r#"set = "calvings""#, r#"set = "calved""#, ": sheet.0(calved) no-such-dataset";
        r#"column = "Event""#, r#"columns = "Event""#, " unreadable";
        r#"has = ["Cow", "Event"]"#, r#"has = ["Cow"]"#, ": recognise.has too-few";
    ];
    for (right, wrong, fault) in cases {
        let text = CALVINGS.replace(right, wrong);
        let (_, faults) = compiled(&[("own.toml", &text)]);
        let fault = format!("dialects/own.toml{fault}");
        assert!(faults.contains(&fault), "{right}: {faults:?}");
    }
    let without = CALVINGS.replace("{ heading = \"Day\", path = \"date\" },", "");
    let (_, faults) = compiled(&[("own.toml", &without)]);
    assert_eq!(faults, ["dialects/own.toml: sheet.0(calvings) required"]);
    let twice = CALVINGS.replace("events = [\"fresh\"]", "constants = { eventType = \"calving\" }");
    let (_, faults) = compiled(&[("own.toml", &twice)]);
    let fault = "dialects/own.toml: sheet.0(calvings).columns(Event) declared-twice";
    assert!(faults.contains(&fault.to_owned()), "{faults:?}");
}

#[test]
fn an_installation_adds_its_own_and_replaces_ours() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("dialects")).unwrap();
    let own = |name: &str, text: &str| fs::write(folder.path().join("dialects").join(name), text);
    own("one.toml", &CALVINGS.replace("A program", "Another")).unwrap();
    own("two.toml", CALVINGS).unwrap();
    own("notes.txt", "nothing").unwrap();
    let mut faults = Faults::default();
    let files = [("one.toml", CALVINGS)];
    let all = layered(registry().unwrap(), &files, Some(folder.path()), &mut faults);
    let titles: Vec<&str> = all.0.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Another", "A program"]);
    assert!(faults.0.is_empty());
}

#[test]
fn lines_of_fixed_places_lie_within_their_length() {
    let text = r#"
        title = "Lines"
        source = "https://example.org"
        form = "fixed"
        [recognise]
        length = [20]
        marks = [{ at = 1, is = ["010"] }]
        [[field]]
        name = "number"
        parts = [{ at = 4, length = 2, codes = { ho = "HOL" } }, { at = 6, length = 15 }]
        [[sheet]]
        set = "animals"
        columns = [{ heading = "number", path = "identNumber" }]
    "#;
    let (dialects, faults) = compiled(&[("own.toml", text)]);
    assert_eq!(faults, Vec::<String>::new());
    let lines = dialects.fixed().map(|(_, lines)| lines.longest);
    assert_eq!(lines.collect::<Vec<_>>(), [20]);
    let (_, faults) = compiled(&[("own.toml", &text.replace("length = 15", "length = 16"))]);
    assert_eq!(faults, ["dialects/own.toml: field.0(number) too-large"]);
    let (_, faults) = compiled(&[("own.toml", &text.replace("length = [20]", "length = []"))]);
    assert!(faults.contains(&"dialects/own.toml: recognise too-few".to_owned()));
}

#[test]
fn lines_of_one_row_have_heads_and_fields_in_which_they_agree() {
    let text = r#"
        title = "Lines"
        source = "https://example.org"
        form = "fixed"
        [recognise]
        length = [20]
        marks = [{ at = 1, is = ["010", "011"] }]
        [gather]
        heads = [{ at = 1, is = ["011"] }]
        same = [{ at = 4, length = 3 }]
        head_at = 21
        by = ["Bull", "Day"]
        [[field]]
        name = "Bull"
        at = 7
        length = 5
        [[field]]
        name = "Day"
        at = 30
        length = 8
        [[field]]
        name = "Milk"
        at = 12
        length = 9
        only = [{ at = 4, is = ["mil"] }]
        [[sheet]]
        set = "breedingValues"
        columns = [
            { heading = "Bull", path = "animal" },
            { heading = "Day", path = "evaluatedAt" },
            { heading = "Milk", path = "milkForecast", ask_unit = "lb" },
        ]
    "#;
    let (dialects, faults) = compiled(&[("own.toml", text)]);
    assert_eq!(faults, Vec::<String>::new());
    let by = dialects.fixed().map(|(_, lines)| lines.gather.clone().unwrap().by);
    assert_eq!(by.collect::<Vec<_>>(), [vec![0, 1]]);
    for (right, wrong, fault) in table![
        r#"by = ["Bull", "Day"]"#, r#"by = ["Bull", "Cow"]"#, "gather no-such-field";
        "head_at = 21", "head_at = 0", "gather no-such-field";
        "head_at = 21", "head_at = 20", "gather no-such-field";
        r#"same = [{ at = 4, length = 3 }]"#, "same = []", "gather no-such-field";
        "at = 30", "at = 60", "field.1(Day) too-large";
        r#"ask_unit = "lb""#, r#"ask_unit = "ms""#, "sheet.0(breedingValues).columns(Milk) no-such-value";
    ] {
        let (_, faults) = compiled(&[("own.toml", &text.replace(right, wrong))]);
        assert!(faults.contains(&format!("dialects/own.toml: {fault}")), "{wrong}: {faults:?}");
    }
}

const RELATIVE: &str = r#"
    title = "A centre"
    source = "https://example.org"
    [recognise]
    has = ["Bull", "RZ milk"]
    [[sheet]]
    set = "breedingValues"
    constants = { baseVersion = "Centre 2025" }
    columns = [
        { heading = "Bull", path = "animal" },
        { heading = "Day", path = "evaluatedAt" },
        { heading = "RZ milk", path = "milkForecast", scale = { centre = 100, points = 12, mean = 0, sd = 640.5 } },
        { heading = "TA fat", path = "fatKgForecast", scale = "transmitting-ability" },
    ]
"#;

#[test]
fn columns_have_scales_where_a_base_is_named() {
    let (dialects, faults) = compiled(&[("own.toml", RELATIVE)]);
    assert_eq!(faults, Vec::<String>::new());
    let columns = &dialects.0[0].sheets[0].columns;
    assert_eq!(columns[2].scale.breeding_value(112.0), Some(640.5));
    assert_eq!(columns[3].scale.breeding_value(20.0), Some(40.0));
    let cases = table![
        r#"constants = { baseVersion = "Centre 2025" }"#, "", ": sheet.0(breedingValues) required";
        r#"constants = { baseVersion = "Centre 2025" }"#, r#"bases = { spring = "Centre" }"#,
            ": sheet.0(breedingValues).bases unreadable";
        "sd = 640.5", "sd = 0", ": sheet.0(breedingValues).columns(RZ milk) unreadable";
        "points = 12", "points = 0", ": sheet.0(breedingValues).columns(RZ milk) unreadable";
        "scale = { centre", "factor = 2, scale = { centre", ": sheet.0(breedingValues).columns(RZ milk) unreadable";
        r#"path = "fatKgForecast""#, r#"path = "note""#, ": sheet.0(breedingValues).columns(TA fat) no-such-field";
        r#""transmitting-ability""#, r#""pta""#, " unreadable";
    ];
    for (right, wrong, fault) in cases {
        let (_, faults) = compiled(&[("own.toml", &RELATIVE.replace(right, wrong))]);
        assert!(faults.contains(&format!("dialects/own.toml{fault}")), "{wrong}: {faults:?}");
    }
    let by_day =
        RELATIVE.replace(r#"constants = { baseVersion = "Centre 2025" }"#, r#"bases = { "2025-04-01" = "C" }"#);
    assert_eq!(compiled(&[("own.toml", &by_day)]).1, Vec::<String>::new());
}

//! Faults with their places, bounded nesting, and agreement with plain reading.

use proptest::prelude::{Strategy as _, any, prop, prop_assert_eq, proptest};
use serde_json::json;

use super::*;

fn faults(text: &str) -> Vec<JsonFault> {
    parse(text.as_bytes()).unwrap_err()
}

fn duplicate(pointer: &str) -> JsonFault {
    JsonFault::DuplicateMember { pointer: pointer.to_owned() }
}

fn nested(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

#[test]
fn every_kind_of_value_is_read_in_order() {
    let text = r#" {"b":null,"a":[true,-1,18446744073709551615,1.5,"Élodie \"\u0041\ud83d\ude00"],"c":{}} "#;
    let value = parse(text.as_bytes()).unwrap();
    assert_eq!(value, json!({"b": null, "a": [true, -1, u64::MAX, 1.5, "Élodie \"A😀"], "c": {}}));
    assert_eq!(value.as_object().unwrap().keys().collect::<Vec<_>>(), ["b", "a", "c"]);
}

#[test]
fn broken_json_is_located() {
    for (text, line, column) in [
        ("", 1, 0),
        ("{bad", 1, 2),
        ("{\n  \"a\": 1,\n  \"b\": }", 3, 8),
        ("[1,]", 1, 4),
        ("{} x", 1, 4),
        ("01", 1, 2),
        ("NaN", 1, 1),
        ("'a'", 1, 1),
        ("// c\n1", 1, 1),
        ("\u{feff}{}", 1, 1),
    ] {
        let located = faults(text);
        let [JsonFault::Syntax { line: l, column: c, message }] = located.as_slice() else {
            panic!("{text}: {located:?}");
        };
        assert_eq!((*l, *c), (line, column), "{text}: {message}");
        assert!(!message.is_empty() && !message.contains("line"), "{message}");
    }
    for text in [r#""\ud800""#, "\"a\nb\"", "[", "\"", "tru"] {
        assert!(matches!(faults(text).as_slice(), [JsonFault::Syntax { .. }]), "{text}");
    }
}

#[test]
fn all_duplicate_members_are_reported_with_their_pointers() {
    let text = r#"{"a":1,"a":2,"list":[0,{"x/y":1,"m~n":1,"x/y":2,"m~n":3}],"o":{"p":{"":1,"":1}},"b":1}"#;
    assert_eq!(faults(text), ["/a", "/list/1/x~1y", "/list/1/m~0n", "/o/p/"].map(duplicate));
    assert_eq!(faults(r#"{"a":1,"\u0061":2}"#), [duplicate("/a")], "names are compared after unescaping");
    assert!(parse(br#"{"a":{"a":1},"A":1,"b":{"a":1}}"#).is_ok(), "the same name elsewhere is no duplicate");
    let many = format!("{{{}\"z\":1}}", "\"z\":1,".repeat(1000));
    assert_eq!(faults(&many).len(), FAULTS_LISTED);
}

#[test]
fn nesting_is_bounded() {
    assert!(parse(nested(DEPTH_MAX).as_bytes()).is_ok());
    let too_deep = JsonFault::TooDeep { pointer: "/0".repeat(DEPTH_MAX) };
    assert_eq!(faults(&nested(DEPTH_MAX + 1)), std::slice::from_ref(&too_deep));
    assert_eq!(faults(&nested(10_000)), std::slice::from_ref(&too_deep));
    assert_eq!(faults(&"[".repeat(1_000_000)), [too_deep]);
    let objects = r#"{"a":"#.repeat(10_000);
    assert_eq!(faults(&objects), [JsonFault::TooDeep { pointer: "/a".repeat(DEPTH_MAX) }]);
    // The deep place decides, regardless of what was found before it.
    let both = format!(r#"{{"a":1,"a":2,"d":{}}}"#, nested(100));
    assert!(matches!(faults(&both).as_slice(), [JsonFault::TooDeep { pointer }] if pointer.starts_with("/d/0/0")));
}

#[test]
fn text_must_be_utf8() {
    assert_eq!(parse(b"{\"a\":\"\xff\"}"), Err(vec![JsonFault::Utf8 { offset: 6 }]));
    assert_eq!(members(b"[\"\xc3\"]", 9).unwrap_err(), JsonFault::Utf8 { offset: 2 });
}

#[test]
fn elements_are_judged_one_by_one() {
    let body = format!(
        "[ {{\"a\":1}},\n {{\"a\":1,\"b\":[{{\"c\":1,\"c\":2}}]}} , {}, 7,\n \"\\ud800\", null]",
        nested(10_000)
    );
    let elements = members(body.as_bytes(), 6).unwrap();
    assert_eq!(elements[0].value, Ok(json!({"a": 1})));
    assert_eq!(elements[0].raw, r#"{"a":1}"#);
    assert_eq!(elements[1].value, Err(vec![duplicate("/1/b/0/c")]));
    let deep = elements[2].value.as_ref().unwrap_err();
    assert_eq!(*deep, [JsonFault::TooDeep { pointer: format!("/2{}", "/0".repeat(DEPTH_MAX)) }]);
    assert_eq!(elements[3].value, Ok(json!(7)));
    let lone = elements[4].value.as_ref().unwrap_err();
    assert!(matches!(lone.as_slice(), [JsonFault::Syntax { line: 3, column: 2..=9, .. }]), "{lone:?}");
    assert_eq!(elements[5].value, Ok(Value::Null));
}

#[test]
fn the_top_must_be_a_bounded_array() {
    assert!(members(b" [ ] ", 0).unwrap().is_empty());
    assert_eq!(members(b"[1,2]", 2).unwrap().len(), 2);
    assert_eq!(members(b"[1,2,3]", 2).unwrap_err(), JsonFault::TooManyItems { limit: 2 });
    for text in ["{}", "null", "7", "\"[]\"", "true", "{\"a\":1,\"a\":2}"] {
        assert_eq!(members(text.as_bytes(), 2).unwrap_err(), JsonFault::NotAnArray, "{text}");
    }
    for text in ["", "[1", "[1] x", "[1,]", "{", "[{]", "[1\n,\n}"] {
        assert!(matches!(members(text.as_bytes(), 2), Err(JsonFault::Syntax { .. })), "{text}");
    }
}

proptest! {
    #[test]
    fn strict_reading_agrees_with_plain_reading(
        numbers in prop::collection::vec(any::<f64>().prop_filter("JSON knows no infinity", |n| n.is_finite()), 0..4),
        map in prop::collection::btree_map("[^\\x00]{0,8}", "[^\\x00]{0,8}", 0..5),
    ) {
        let text = json!({"n": numbers, "m": map, "l": [map]}).to_string();
        let plain: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(parse(text.as_bytes()), Ok(plain.clone()));
        let list = format!("[{text},{text}]");
        for member in members(list.as_bytes(), 2).unwrap() {
            prop_assert_eq!(member.value, Ok(plain.clone()));
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        // Strict reading accepts no more than plain reading does.
        if let Ok(value) = parse(&bytes) {
            prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).ok(), Some(value));
        }
        if let Ok(elements) = members(&bytes, 3) {
            prop_assert_eq!(serde_json::from_slice::<Vec<Value>>(&bytes).map_or(0, |list| list.len()), elements.len());
        }
    }
}

#[test]
fn a_zero_character_is_a_fault_with_its_path() {
    let text = br#"{"a":["x","y\u0000"],"b\u0000":1,"c":"\\u0000"}"#;
    let faults = parse(text).unwrap_err();
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults, ["a zero character in /a/1", "a zero character in /b\0"]);
}

#[test]
fn numbers_keep_their_digits() {
    for text in ["1.0", "12345678901234567890123", "-0.0", "0.1000", "1e+400", "1e-7"] {
        assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
        let inside = format!("[{{\"a\":{text}}}]");
        assert_eq!(parse(inside.as_bytes()).unwrap().to_string(), inside);
    }
    assert_eq!(parse(b"1e400").unwrap().to_string(), "1e+400");
    // A number is no level of nesting.
    let deep = format!("{}1{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
    assert!(parse(deep.as_bytes()).is_ok());
    // The reader's own word for a number, as a member of a document, is a number or a fault.
    assert!(parse(br#"{"$serde_json::private::Number":"x"}"#).is_err());
}

/// Found by the fuzz target `json`: such a member was accepted, stored, and read again as another value or as none. All
/// stored members of its document were lost, and its page could only be written as JSON.
#[test]
fn the_words_of_the_reader_are_no_names_of_members() {
    for text in [
        r#"{"$serde_json::private::RawValue":"[1"}"#,
        r#"{"$serde_json::private::RawValue":"[1,2]"}"#,
        r#"{"$serde_json::private::RawValue":[[1]]}"#,
        r#"{"a":1,"$serde_json::private::RawValue":"1"}"#,
        r#"{"a":1,"$serde_json::private::Number":"x"}"#,
        r#"[{"a":{"$serde_json::private::RawValue":"1","b":1}}]"#,
    ] {
        let faults = parse(text.as_bytes()).unwrap_err();
        let faults = faults.iter().map(ToString::to_string).collect::<String>();
        assert!(faults.contains("is reserved") && faults.contains("line 1"), "{text}: {faults}");
    }
    // As a text they are texts.
    let text = r#"{"a":"$serde_json::private::RawValue"}"#;
    assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
}

#[test]
fn elements_are_found_before_they_are_read() {
    let split = split(br#" [ {"a":1, "a":2} , 17,"x"] "#, 3).unwrap();
    assert_eq!((split.len(), split.is_empty()), (3, false));
    assert_eq!(split.raw(0), Some(r#"{"a":1, "a":2}"#));
    assert!(split.member(0).unwrap().value.is_err());
    assert_eq!(split.member(1).unwrap().value, Ok(17.into()));
    assert!(split.member(3).is_none());
}

#[test]
fn parts_end_by_number_or_by_length() {
    let split = split(br#"[11,22,33,4444444444,5,6]"#, 9).unwrap();
    let ends = |most, bytes| {
        let (mut ends, mut from) = (Vec::new(), 0);
        while from < split.len() {
            from = split.part_end(from, most, bytes);
            ends.push(from);
        }
        ends
    };
    assert_eq!(ends(4, 1_000), [4, 6]);
    assert_eq!(ends(100, 5), [3, 4, 6]);
    assert_eq!(ends(2, 5), [2, 4, 6]);
    // A part has one element at least, so that there is an end.
    assert_eq!(ends(0, 0), [1, 2, 3, 4, 5, 6]);
}

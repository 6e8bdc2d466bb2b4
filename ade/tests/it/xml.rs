//! Documents as XML and back: the same value for everything that the schemas know, stated losses
//! elsewhere, a refusal with its reason for everything that is no such text, and never a panic.

use crate::support::generate::{Dice, valid};
use ade::schema::{Body, Standard};
use ade::xml::{DEPTH_MAX, XmlFault, XmlFaultKind, read, write};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const WEIGHT: &str = "icarWeightEventResource";

fn back(text: &str, resource: &str) -> Value {
    let json = read(text.as_bytes(), None, resource);
    let json = json.unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    serde_json::from_str(&json).unwrap_or_else(|why| panic!("{why}\n{json}"))
}

/// What stays of a value where the schemas are silent: texts, objects, and arrays of several.
fn loosened(member: &Value) -> Value {
    match member {
        Value::Array(elements) => match elements.as_slice() {
            [one] => element(one),
            _ => element(member),
        },
        _ => element(member),
    }
}

fn element(value: &Value) -> Value {
    match value {
        Value::Bool(_) | Value::Number(_) => value.to_string().into(),
        Value::Array(elements) => elements.iter().map(element).collect(),
        Value::Object(members) if members.is_empty() => "".into(),
        Value::Object(members) => {
            let loose_members = members.iter().map(|(name, one)| (name.clone(), loosened(one)));
            Value::Object(loose_members.collect())
        }
        _ => value.clone(),
    }
}

/// The generator's documents have one member that no schema knows and one that is untyped.
fn expected(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let loose_members = members.iter().map(|(name, one)| {
                let one = match name.as_str() {
                    "unknown member" | "operations" => element(one),
                    _ => expected(one),
                };
                (name.clone(), one)
            });
            Value::Object(loose_members.collect())
        }
        Value::Array(elements) => elements.iter().map(expected).collect(),
        _ => value.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn json_to_xml_to_json_is_the_same_document_for_every_type(seed: u64) {
        let mut dice = Dice(seed);
        let objects = Standard::get().declarations().iter();
        let objects = objects.filter(|one| {
            matches!(one.body, Body::Members(_) | Body::Variants { .. })
        });
        for one in objects {
            let document = valid(one, &mut dice);
            let text = write(&document, one.name);
            prop_assert_eq!(back(&text, one.name), expected(&document), "{}: {}", one.name, text);
        }
    }

    #[test]
    fn arrays_of_documents_come_back(seed: u64, count in 0_usize..5) {
        let mut dice = Dice(seed);
        let weight = Standard::get().declaration(WEIGHT).expect("a resource");
        let documents: Vec<Value> = (0..count).map(|_| valid(weight, &mut dice)).collect();
        let documents = Value::Array(documents);
        prop_assert_eq!(back(&write(&documents, WEIGHT), WEIGHT), expected(&documents));
    }

    #[test]
    fn unknown_members_come_back_as_texts_objects_and_arrays(value in anything()) {
        let document = json!({"resourceType": WEIGHT, "x": value});
        let mut expected = document.clone();
        expected["x"] = loosened(&document["x"]);
        let text = write(&document, WEIGHT);
        prop_assert_eq!(back(&text, WEIGHT), expected, "{}", text);
    }

    #[test]
    fn no_text_is_read_with_a_panic(pieces in prop::collection::vec(piece(), 0..20)) {
        let text = pieces.concat();
        if let Ok(json) = read(text.as_bytes(), None, WEIGHT) {
            let parsed = serde_json::from_str::<Value>(&json);
            prop_assert!(parsed.is_ok(), "{} {}", text, json);
        }
        let broken: Vec<u8> = text.bytes().map(|b| if b == b'e' { 0xff } else { b }).collect();
        drop(read(&broken, Some("utf-16"), WEIGHT));
        drop(read(&broken, None, WEIGHT));
    }
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[ _x0-9A-F\u{0}\u{1}\r\n<&\u{fffe}]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let name = prop_oneof![any::<String>(), "_?[xX]?[mM]?[lL]?[:@0-9A-F_ ]{0,8}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn piece() -> impl Strategy<Value = String> {
    let known = [
        "<batch>",
        "</batch>",
        "<a>",
        "</a>",
        "<a/>",
        "<_null/>",
        "<_null>a</_null>",
        "<_empty/>",
        "<_item>",
        "</_item>",
        "<meta>",
        "</meta>",
        "<weight>",
        "</weight>",
        "<weight><units/>",
        "<a b='c'>",
        "<a xsi:nil='true'>",
        "<!DOCTYPE a>",
        "<![CDATA[<]]>",
        "<!-- -->",
        "<?p?>",
        "<?xml version='1.0'?>",
        "&amp;",
        "&#1;",
        "&e;",
        "text",
        " ",
        "\r\n",
        "]]>",
        "<",
        ">",
        "&",
        "\u{0}",
        "<x:y>",
        "</x:y>",
        "<:>",
        "<1/>",
        "ё",
        "=\"",
        "'",
    ];
    prop_oneof![
        8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

#[test]
fn a_document_as_people_write_it_is_read() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
        <!-- from the scale --><?xml-stylesheet href='x'?>
        <w:icarWeightEventResource xmlns:w='urn:x' xmlns='urn:y' xsi:schemaLocation='a b'
            xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>
          <resourceType>icarWeightEventResource</resourceType>
          <w:meta><source>a &amp; b &#x43F;</source>
            <created xsi:nil='true'/><isDeleted>0</isDeleted></w:meta>
          <eventDateTime>
            2026-01-01T00:00:00Z
          </eventDateTime>
          <weight><measurement> 612.50 </measurement><units>KGM</units></weight>
          <remark> two\r\nlines <![CDATA[<b>&amp;]]></remark>
          <_null>responsible</_null>
          <bodyScore>3</bodyScore><tag>a</tag><tag>b</tag><note><at>x</at></note><blank/>
        </w:icarWeightEventResource>\n";
    // Numbers keep the digits that they are written with.
    let weighed: Value = serde_json::from_str("612.50").unwrap();
    let expected = json!({
        "resourceType": WEIGHT,
        "meta": {"source": "a & b п", "created": null, "isDeleted": false},
        "eventDateTime": "2026-01-01T00:00:00Z",
        "weight": {"measurement": weighed, "units": "KGM"},
        "remark": " two\nlines <b>&amp;",
        "responsible": null,
        "bodyScore": "3", "tag": ["a", "b"], "note": {"at": "x"}, "blank": "",
    });
    assert_eq!(back(text, WEIGHT), expected);
}

#[test]
fn what_does_not_fit_its_type_is_left_to_the_validator() {
    let text = "<x><weight>heavy</weight><animal><id/><scheme/></animal><timeOffFeed>1,5</timeOffFeed>
        <device><identifier>7</identifier></device><meta><isDeleted>yes</isDeleted></meta></x>";
    let expected = json!({
        "weight": "heavy", "animal": {"id": "", "scheme": ""}, "timeOffFeed": "1,5",
        "device": {"identifier": "7"}, "meta": {"isDeleted": "yes"},
    });
    assert_eq!(back(text, WEIGHT), expected);
    let faults: Vec<String> = (ade::validate(WEIGHT, &expected).into_iter()).map(|fault| fault.pointer).collect();
    for place in "/weight /timeOffFeed /device/identifier /meta/isDeleted".split(' ') {
        assert!(faults.iter().any(|at| at == place), "{place}: {faults:?}");
    }
}

#[test]
fn a_single_value_that_stands_twice_is_written_twice() {
    let text = "<x><remark>a</remark><remark>b</remark><meta/><_null>meta</_null>
        <_empty>weight</_empty></x>";
    let json = read(text.as_bytes(), None, WEIGHT).expect("JSON");
    assert_eq!(json, r#"{"remark":"a","remark":"b","meta":{},"meta":null,"weight":[]}"#);
    let text = "<x><milkCharacteristics/><_empty>milkCharacteristics</_empty></x>";
    let json = read(text.as_bytes(), None, "icarTestDayResultEventResource").expect("JSON");
    assert_eq!(json, r#"{"milkCharacteristics":[{}],"milkCharacteristics":[]}"#);
}

fn refused(text: &str) -> Vec<(XmlFaultKind, &'static str, String)> {
    let faults: Vec<XmlFault> = read(text.as_bytes(), None, WEIGHT).expect_err(text);
    (faults.into_iter()).map(|fault| (fault.kind, fault.code, fault.pointer)).collect()
}

#[test]
fn what_is_no_xml_or_more_than_is_read_is_refused() {
    let laughs = "<?xml version='1.0'?><!DOCTYPE lolz [<!ENTITY lol 'lol'>
        <!ENTITY lol2 '&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;'>]><x>&lol2;</x>";
    let deep = "<a>".repeat(100_000);
    let wide: String = (0..65).map(|n| format!(" a{n}=''")).collect();
    let wide = format!("<a{wide}/>");
    let long = format!("<{0}></{0}>", "a".repeat(1_001));
    let many = format!("<x>{}</x>", "<a/>".repeat(200_001));
    let cases = [
        ("", "empty"),
        ("  <!-- nothing -->  ", "empty"),
        ("text", "syntax"),
        ("{\"a\":1}", "syntax"),
        ("<a>", "syntax"),
        ("<a></b>", "syntax"),
        ("</a>", "syntax"),
        ("<a", "syntax"),
        ("<a/>b", "syntax"),
        ("<a/><b/>", "roots"),
        ("<batch/><b/>", "roots"),
        ("<1/>", "syntax"),
        ("<a:/>", "syntax"),
        ("<:a/>", "syntax"),
        ("<a b=c/>", "syntax"),
        ("<a b='1' b='2'/>", "syntax"),
        ("<a>&#0;</a>", "syntax"),
        ("<a>&#1;</a>", "syntax"),
        ("<a>&#xD800;</a>", "syntax"),
        ("<a>&#xFFFFFFFFFF;</a>", "syntax"),
        ("<a>\u{1}</a>", "syntax"),
        ("<a>\u{fffe}</a>", "syntax"),
        ("<a>]]></a>", "syntax"),
        ("<a>a & b</a>", "syntax"),
        ("<a><!-- -- --></a>", "syntax"),
        ("<a/><?xml version='1.0'?>", "syntax"),
        ("<a>&nbsp;</a>", "entity"),
        ("<a>&xxe;</a>", "entity"),
        ("<!DOCTYPE a><a/>", "doctype"),
        ("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", "doctype"),
        ("<!DOCTYPE a [<!ENTITY xxe SYSTEM 'file:///etc/passwd'>]><a>&xxe;</a>", "doctype"),
        (laughs, "doctype"),
        (&deep, "too-deep"),
        (&wide, "too-many-attributes"),
        (&long, "syntax"),
        (&many, "too-many-elements"),
    ];
    for (text, code) in cases {
        let head: String = text.chars().take(60).collect();
        assert_eq!(refused(text), [(XmlFaultKind::Malformed, code, String::new())], "{head}");
    }
    // Messages repeat little of what was sent.
    for text in ["<a></", "<a><", "<a>&", "<!DOCTYPE ", "<a ", "<:"] {
        let text = format!("{text}{}>;", "é".repeat(5_000));
        let faults = read(text.as_bytes(), None, WEIGHT).expect_err("no XML");
        assert!(faults[0].message.len() < 800, "{}", faults[0].message.len());
    }
    // As many in each element of a batch are too many as well; spread over several they are not.
    let half = format!("<x>{}</x>", "<a/>".repeat(150_000));
    assert!(read(format!("<batch>{half}{half}</batch>").as_bytes(), None, WEIGHT).is_ok());
}

#[test]
fn the_deepest_text_that_is_read_can_be_read() {
    let nested = |levels: usize| format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
    assert!(read(nested(DEPTH_MAX).as_bytes(), None, WEIGHT).is_ok());
    assert_eq!(refused(&nested(DEPTH_MAX + 1))[0].1, "too-deep");
}

#[test]
fn faults_inside_a_document_are_all_told_with_their_pointers() {
    let text = "<batch extra='1'>stray<x/>
        <icarWeightEventResource id='7'>
          <weight units='KGM'>12<measurement>5</measurement></weight>
          <device><registration><id lang='en'>1</id></registration></device>
          <list>a</list><list b='c'>b</list>
          <remark xmlns:i='urn:i' i:nil='true'>x</remark>
          <_item>1</_item><_null/><_x0040_a_x002F_b c='d'/>
        </icarWeightEventResource></batch>";
    let found: Vec<(&str, String)> = (refused(text).into_iter())
        .map(|(kind, code, pointer)| {
            assert_eq!(kind, XmlFaultKind::Content);
            (code, pointer)
        })
        .collect();
    let expected = [
        ("attribute", "/1"),
        ("marker", "/1"),
        ("marker", "/1"),
        ("attribute", "/1/weight"),
        ("mixed-content", "/1/weight"),
        ("attribute", "/1/device/registration/id"),
        ("attribute", "/1/list/1"),
        ("nil-with-value", "/1/remark"),
        ("attribute", "/1/@a~1b"),
        ("attribute", ""),
        ("mixed-content", ""),
    ];
    assert_eq!(found, expected.map(|(code, pointer)| (code, pointer.to_owned())));
    let hundreds = format!("<x>{}</x>", "<a b='c'/>".repeat(500));
    assert_eq!(refused(&hundreds).len(), 100);
}

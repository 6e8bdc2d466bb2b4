//! XML of the exchange: it is read as JSON, and as the same JSON after that was written as XML; a document alone in a
//! file is the same document.

use crate::draw::Draw;
use ade::xml::{documents, read, write};
use model::record::json_in;
use serde_json::Value;

pub(crate) const SEEDS: &[&str] = &[
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<icarWeightEventResource><resourceType>icarWeightEventResource</resourceType><animal><id>1</id><scheme>s</scheme></animal><weight><unitCode>KGM</unitCode><measurement>31.5</measurement></weight></icarWeightEventResource>",
    "<batch><icarWeightEventResource><eventDateTime>2025-01-01T00:00:00Z</eventDateTime></icarWeightEventResource><icarWeightEventResource><_null>remark</_null><_empty>x</_empty></icarWeightEventResource></batch>",
    "<icarTestDayResultEventResource><milkCharacteristics><characteristic>FAT</characteristic><value>4.1</value></milkCharacteristics><milkCharacteristics><characteristic>SCC</characteristic></milkCharacteristics><a_x0020_b>_x0001_</a_x0020_b></icarTestDayResultEventResource>",
    "<icarResourceCollection><view><first>x</first></view><member><resourceType>icarWeightEventResource</resourceType></member></icarResourceCollection>",
    "<p:icarWeightEventResource xmlns:p=\"urn:x\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><p:remark xsi:nil=\"true\"/><x><_item>1</_item><_item>2</_item></x><!-- c --><![CDATA[ ]]></p:icarWeightEventResource>",
];

const WORDS: &[&str] = &[
    "<",
    ">",
    "</",
    "/>",
    "<a>",
    "</a>",
    "<a/>",
    "<a a=\"b\">",
    "<batch>",
    "</batch>",
    "<icarWeightEventResource>",
    "</icarWeightEventResource>",
    "<_item>",
    "</_item>",
    "<_null/>",
    "<_empty/>",
    "<_null>a</_null>",
    "<_empty>a</_empty>",
    "<resourceType>",
    "</resourceType>",
    "<animal>",
    "</animal>",
    "<id>",
    "</id>",
    "<weight><measurement>1",
    "</measurement></weight>",
    "&amp;",
    "&lt;",
    "&#0;",
    "&#x10FFFF;",
    "&#xD800;",
    "&x;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?x ?>",
    "<!DOCTYPE a [<!ENTITY x \"y\">]>",
    "xsi:nil=\"true\"",
    "xmlns=\"urn:x\"",
    "_x0041_",
    "_x005F_",
    "_x0000_",
    "_",
    "true",
    "1e400",
    "-0",
    "007",
    "1.0",
    " ",
    "\n",
    "\u{1}",
    "\u{fffe}",
    "é",
    "encoding=\"utf-16\"",
    "encoding=\"windows-1251\"",
    "\"",
    "'",
    "=",
    ":",
];

const CHARSETS: &[Option<&str>] =
    &[None, None, None, Some("utf-8"), Some("utf-16"), Some("windows-1251"), Some("iso-8859-1"), Some("nonsense")];

const RESOURCES: &[&str] = &[
    "icarWeightEventResource",
    "icarTestDayResultEventResource",
    "icarAnimalCoreResource",
    "icarMovementBirthEventResource",
    "icarGroupMovementArrivalEventResource",
    "nonsense",
];

pub(crate) fn check(draw: &mut Draw<'_>) {
    let resource = *draw.pick(RESOURCES);
    let charset = *draw.pick(CHARSETS);
    let seeds: Vec<&[u8]> = SEEDS.iter().map(|seed| seed.as_bytes()).collect();
    let bytes = draw.bytes(&seeds, WORDS);
    let input = String::from_utf8_lossy(&bytes);
    match read(&bytes, charset, resource) {
        Ok(json) => again(&json, resource, &input),
        Err(faults) => {
            assert!((1..=100).contains(&faults.len()), "{input}");
            for fault in faults {
                assert!(!fault.code.is_empty() && !fault.message.is_empty(), "{input}");
                let pointer = fault.pointer.is_empty() || fault.pointer.starts_with('/');
                assert!(pointer && fault.message.len() < 4_000, "{fault:?}: {input}");
            }
        }
    }
    match documents(&bytes, 1_000) {
        Ok(all) => {
            for text in all.into_iter().flatten() {
                assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text} of {input}");
            }
        }
        Err(fault) => assert!(!fault.message.is_empty(), "{input}"),
    }
    // Any JSON is written as XML that can be read again, and does not change from then on.
    let any = draw.value(4, WORDS);
    if let Ok(json) = read(write(&any, resource).as_bytes(), None, resource) {
        again(&json, resource, &any.to_string());
    } else {
        panic!("what was written is not read: {any}");
    }
}

fn again(json: &str, resource: &str, input: &str) {
    let loose = serde_json::from_str::<Value>(json);
    assert!(loose.is_ok(), "{json} of {input}");
    // A member may occur twice, or lie deeper than is read: a strict reader detects it.
    let Ok(value) = json_in::parse(json.as_bytes()) else {
        return;
    };
    let text = write(&value, resource);
    match read(text.as_bytes(), None, resource) {
        Ok(back) => {
            let back: Value = serde_json::from_str(&back).unwrap();
            assert_eq!(bare(&back), bare(&value), "{text} of {input}");
        }
        Err(faults) => panic!("{faults:?}: {text} of {input}"),
    }
}

/// Without arrays of one element, which can be distinguished from the element only where a schema knows them.
fn bare(value: &Value) -> Value {
    match value {
        Value::Array(elements) => match elements.as_slice() {
            [one] => bare(one),
            _ => elements.iter().map(bare).collect(),
        },
        Value::Object(members) => {
            let members = members.iter().map(|(name, one)| (name.clone(), bare(one)));
            Value::Object(members.collect())
        }
        _ => value.clone(),
    }
}

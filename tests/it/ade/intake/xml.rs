//! Bodies of XML: taken in as their JSON would be, or refused with its pointers.

use crate::ade::reading::formats::{BATCH, XML, ask, ask_by, get, send, written};
use crate::ade::stage::{FARM, Stage, codes, keys, weight};
use serde_json::{Value, json};

/// Errors without the random part.
fn plain(mut body: Value) -> Value {
    for error in body["errors"].as_array_mut().into_iter().flatten() {
        error["id"] = "-".into();
    }
    body
}

#[tokio::test]
async fn xml_is_taken_in_as_its_json_would_be() {
    let s = Stage::plain().await;
    let list = format!("{FARM}/weights");
    let mut document = weight(1, 11);
    document["remark"] = " as it stands\r\n".into();
    document["scale"] = json!({"serial": "7", "notes": ["a", "b"]});
    let text = written(&document);
    let answer = send(&s, &list, XML, &text).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert!(answer.headers.contains_key("location"));
    let stored = answer.json();
    assert_eq!((&stored["remark"], &stored["scale"]), (&document["remark"], &document["scale"]));
    assert_eq!(stored["weight"]["measurement"], document["weight"]["measurement"]);
    // The same document changes nothing, in any form.
    for (kind, text) in [("text/xml; charset=utf-8", text), ("application/json", document.to_string())] {
        let answer = send(&s, &list, kind, &text).await;
        assert_eq!((answer.status, answer.json()), (200, stored.clone()), "{kind}");
    }
    // A served document can be sent back.
    let id = stored["id"].as_str().unwrap();
    let served = get(&s, &format!("{list}/{id}"), XML).await;
    let answer = send(&s, &list, XML, &served.text).await;
    assert_eq!((answer.status, answer.json()), (200, stored), "{}", served.text);
    // Cyrillic in the encoding that the text names, or that the content type names.
    for (at, kind, name) in [(2, "application/xml; charset=windows-1251", "UTF-8"), (3, XML, "windows-1251")] {
        let mut document = weight(at, 12);
        document["remark"] = "Zorka".into();
        let text = written(&document).replace("encoding=\"UTF-8\"", &format!("encoding=\"{name}\""));
        let (before, after) = text.split_once("Zorka").unwrap();
        let bytes = [before.as_bytes(), b"\xc7\xee\xf0\xfc\xea\xe0", after.as_bytes()].concat();
        let answer = ask(&s, ("POST", &list), "", (kind, &bytes)).await;
        assert_eq!((answer.status, &answer.json()["remark"]), (201, &json!("Зорька")));
    }
}

#[tokio::test]
async fn faults_in_xml_are_those_of_the_same_json() {
    let s = Stage::plain().await;
    let list = format!("{FARM}/weights");
    let mut bad = weight(1, 11);
    bad["weight"]["measurement"] = "heavy".into();
    bad["weight"]["units"] = "Stone".into();
    bad["meta"]["isDeleted"] = "perhaps".into();
    bad["eventDateTime"] = "yesterday".into();
    bad.as_object_mut().unwrap().remove("animal");
    let json = send(&s, &list, "application/json", &bad.to_string()).await;
    let xml = send(&s, &list, XML, &written(&bad)).await;
    assert_eq!((json.status, xml.status), (400, 400), "{}", xml.text);
    let answer = plain(json.json());
    assert_eq!(plain(xml.json()), answer);
    let places = answer["errors"].as_array().unwrap().iter();
    let places: Vec<&str> = places.filter_map(|e| e["instance"].as_str()).collect();
    assert!(places.contains(&"/weight/measurement"), "{places:?}");

    // A batch: each element is accepted or refused on its own.
    let good = weight(2, 11);
    let good = written(&good);
    let good = good.split_once("?>").unwrap().1;
    let bad = written(&bad);
    let bad = bad.split_once("?>").unwrap().1;
    let twice = good.replace("w2", "w3").replace("</animal>", "</animal><_null>animal</_null>");
    let answer = send(&s, BATCH, XML, &format!("<batch>{bad}{good}{twice}</batch>")).await;
    let results = answer.json();
    let results = results.as_array().unwrap();
    let first = |at: usize, name: &str| results[at]["messages"][0][name].clone();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0]["meta"]["sourceId"], "w1");
    assert_eq!(first(0, "severity"), "Error");
    assert_eq!(first(1, "type"), "created", "{results:?}");
    assert_eq!((first(2, "type"), first(2, "instance")), ("duplicate-member".into(), "/animal".into()));
    assert_eq!(keys(&s.get(&list).await.1), ["w2"]);

    // Parts that have no place in a document are reported with their pointer too.
    let text = format!("<batch>{}{good}</batch>", good.replace("<weight>", "<weight unit='kg'>"));
    let answer = send(&s, BATCH, XML, &text).await;
    let body = answer.json();
    assert_eq!((answer.status, codes(&body)), (400, vec!["field-value"]));
    holds!(body, {"errors.0.instance": "/0/weight", "errors.0.type": "attribute"});
}

#[tokio::test]
async fn bodies_that_are_no_xml_are_refused_and_change_nothing() {
    let small = [("exchange.body", "20000"), ("exchange.batch", "3")];
    let s = Stage::plain_with(&small).await;
    let lol = "<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>";
    let laughs = format!("<!DOCTYPE x [{lol}]><x>&c;</x>");
    let file = "<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><x><remark>&f;</remark></x>";
    let deep = "<a>".repeat(6_000);
    let long = format!("<x>{}</x>", "<a/>".repeat(5_000));
    let many = format!("<batch>{}</batch>", "<x/>".repeat(4));
    let utf7 = "application/xml; charset=utf-7";
    for (kind, body, status, code, fine) in table![
        XML, "", 400, "body-not-xml", "empty";
        XML, "{}", 400, "body-not-xml", "syntax";
        XML, "<x>", 400, "body-not-xml", "syntax";
        XML, "<x>&nbsp;</x>", 400, "body-not-xml", "entity";
        XML, &laughs, 400, "body-not-xml", "doctype";
        XML, file, 400, "body-not-xml", "doctype";
        XML, &deep, 400, "body-not-xml", "too-deep";
        XML, "<x>_x0000_<a/></x>", 400, "field-value", "mixed-content";
        XML, "<x><remark>_x0000_</remark></x>", 400, "field-value", "zero-character";
        "application/xml; charset=utf-16be", "<x/>", 400, "body-not-xml", "syntax";
        XML, "<?xml version='1.0' encoding='utf-16'?><x/>", 400, "body-not-xml", "encoding";
        utf7, "<x/>", 415, "body-not-json", "charset-unknown";
        "application/soap+xml", "<x/>", 415, "body-not-json", "body-not-json";
        XML, &long, 413, "body-too-large", "body-too-large";
        XML, &many, 413, "body-too-large", "too-many-items";
        XML, "<batch/>", 400, "body-shape", "body-shape";
    ] {
        let shown = &body[..body.len().min(60)];
        let answer = send(&s, &format!("{FARM}/weights"), kind, body).await;
        let read = answer.json();
        assert_eq!((answer.status, codes(&read)), (status, vec![code]), "{shown}: {read}");
        assert_eq!(read["errors"][0]["type"], fine, "{shown}: {read}");
        assert!(!answer.text.contains("root:"), "{}", answer.text);
    }
    let single = written(&weight(1, 11));
    let answer = send(&s, BATCH, XML, &single).await;
    assert_eq!((answer.status, codes(&answer.json())), (400, vec!["body-shape"]));
    // Pushes are JSON alone.
    let push = "/ade/v1/datasets/weights/resources";
    assert_eq!(send(&s, push, XML, &format!("<batch>{single}</batch>")).await.status, 415);
    // A caller who may not write gets no faults of the text.
    let nobody = ask_by(&s, "", ("POST", BATCH), "", (XML, b"<")).await;
    assert_eq!((nobody.status, codes(&nobody.json())), (401, vec!["unauthorized"]));
    assert_eq!(s.total("weights").await, 0);
}

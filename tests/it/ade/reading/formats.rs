//! The forms of answers: every JSON answer has its XML twin, lists are tables.

use crate::ade::stage::{FARM, Stage, codes, keys, weight};
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use serde_json::{Value, json};
use tower::ServiceExt;

pub(crate) const BATCH: &str = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
pub(crate) const XML: &str = "application/xml";
const CSV: &str = "text/csv";
const RESULT: &str = "icarBatchResult";

pub(crate) struct FormatAnswer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl FormatAnswer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{}", self.text))
    }

    /// The document in an XML answer.
    pub(crate) fn document(&self, schema: &str) -> Value {
        let json = ade::xml::read(self.text.as_bytes(), None, schema);
        serde_json::from_str(&json.unwrap_or_else(|why| panic!("{why:?} {}", self.text))).unwrap()
    }

    fn rows(&self) -> (Vec<String>, Vec<csv::StringRecord>) {
        let mut lines = csv::ReaderBuilder::new().from_reader(self.text.as_bytes());
        let head = lines.headers().unwrap().iter().map(str::to_owned).collect();
        (head, lines.records().map(Result::unwrap).collect())
    }
}

/// A request of the first farm with an `Accept` and a body with its type; empty ones are left out.
pub(crate) async fn ask(s: &Stage, line: (&str, &str), accept: &str, body: (&str, &[u8])) -> FormatAnswer {
    ask_by(s, &s.farm, line, accept, body).await
}

pub(crate) async fn ask_by(
    s: &Stage,
    token: &str,
    (method, path): (&str, &str),
    accept: &str,
    (kind, body): (&str, &[u8]),
) -> FormatAnswer {
    let mut request = Request::builder().method(method).uri(path).header("host", "book.example");
    for (name, value) in [("accept", accept), ("content-type", kind)] {
        if !value.is_empty() {
            request = request.header(name, value);
        }
    }
    if !token.is_empty() {
        request = request.header("authorization", format!("JWT {token}"));
    }
    let request = request.body(Body::from(body.to_vec())).unwrap();
    let (parts, body) = s.f.router.clone().oneshot(request).await.unwrap().into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    FormatAnswer {
        status: parts.status.as_u16(),
        headers: parts.headers,
        text: String::from_utf8(body.to_vec()).unwrap(),
    }
}

pub(crate) async fn get(s: &Stage, path: &str, accept: &str) -> FormatAnswer {
    ask(s, ("GET", path), accept, ("", b"")).await
}

pub(crate) async fn send(s: &Stage, path: &str, kind: &str, body: &str) -> FormatAnswer {
    ask(s, ("POST", path), "", (kind, body.as_bytes())).await
}

/// A weight as XML.
pub(crate) fn written(document: &Value) -> String {
    ade::xml::write(document, "icarWeightEventResource")
}

#[tokio::test]
async fn every_json_answer_has_its_xml_twin() {
    let small = [("exchange.body", "3000")];
    let s = Stage::plain_with(&small).await;
    s.weigh(&[1, 2, 3]).await;
    let (_, list) = s.get(&format!("{FARM}/weights")).await;
    let id = list["member"][0]["id"].as_str().unwrap();
    let one = format!("{FARM}/weights/{id}");
    let list = format!("{FARM}/weights");
    let known = weight(1, 11).to_string();
    let mut strange = weight(7, 11);
    strange["weight"] = json!("heavy");
    strange["animal"] = json!({"id": 3});
    let strange = strange.to_string();
    let results = format!("[{known},{strange},{{\"a\":1,\"a\":2}}]");
    let large = " ".repeat(3_001);
    let json = "application/json";
    let (get, post) = ("GET", "POST");
    for (method, path, status, kind, body, root) in table![
        get, "/ade/v1/locations", 200, "", "", "icarResourceCollection";
        get, &*list, 200, "", "", "icarResourceCollection";
        get, &*format!("{list}?animal-id=1&animal-scheme=x"), 200, "", "", "icarResourceCollection";
        get, &*one, 200, "", "", "icarWeightEventResource";
        post, &*list, 200, json, &*known, "icarWeightEventResource";
        post, &*list, 200, json, &*results, "batch";
        post, BATCH, 200, json, &*results, "batch";
        post, &*list, 400, json, &*strange, "icarErrorCollection";
        post, &*list, 400, json, "{", "icarErrorCollection";
        get, &*format!("{list}?date-from=x&animal-id=1"), 400, "", "", "icarErrorCollection";
        get, &*format!("{list}/999999"), 404, "", "", "icarErrorCollection";
        get, &*format!("{FARM}/unicorns"), 404, "", "", "icarErrorCollection";
        get, "/ade/v1/locations/org.herdbook.orgid/2/weights", 404, "", "", "icarErrorCollection";
        get, "/ade/v1/nowhere", 404, "", "", "icarErrorCollection";
        get, "/ade/v1/datasets/unicorns", 406, "", "", "icarErrorCollection";
        "DELETE", &*list, 405, "", "", "icarErrorCollection";
        post, &*format!("{FARM}/gestations"), 405, json, &*known, "icarErrorCollection";
        post, BATCH, 413, json, &*large, "icarErrorCollection";
        post, BATCH, 415, "text/plain", "x", "icarErrorCollection";
    ] {
        let input = format!("{method} {path}");
        let xml = ask(&s, (method, path), XML, (kind, body.as_bytes())).await;
        assert_eq!(
            (xml.status, xml.header("content-type")),
            (status, "application/xml; charset=utf-8"),
            "{input}: {}",
            xml.text
        );
        assert!(xml.text.contains(&format!("?>\n<{root}>")), "{input}: {}", xml.text);
        if status == 406 {
            continue;
        }
        let twin = ask(&s, (method, path), "", (kind, body.as_bytes())).await;
        assert_eq!((twin.status, twin.header("content-type")), (status, json), "{input}");
        let expected = ade::xml::write(&twin.json(), RESULT);
        assert_eq!(unnumbered(&xml.text), unnumbered(&expected), "{input}");
        for name in ["x-icar-ade-version", "allow", "x-icar-ade-ignored-filters"] {
            assert_eq!(xml.header(name), twin.header(name), "{input}");
        }
        assert_eq!((xml.header("vary"), twin.header("vary")), ("Accept", "Accept"), "{input}");
    }
    let stranger = ask_by(&s, "", (get, &list), XML, ("", b"")).await;
    assert_eq!(stranger.status, 401);
    let error = &stranger.document("icarErrorCollection")["errors"][0];
    holds!(error, {"code": "unauthorized", "status": 401});
    assert!(stranger.headers.contains_key("www-authenticate"));
}

/// Errors without the random part, in XML.
fn unnumbered(text: &str) -> String {
    let mut parts = text.split("<errors><id>");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |out, part| out + "<errors>" + &part[36..])
}

#[tokio::test]
async fn a_page_as_xml_and_as_a_table_reads_as_recorded() {
    let s = Stage::plain().await;
    s.weigh(&[1, 2]).await;
    let mut odd = weight(3, 12);
    odd["remark"] = "=1+1 \"<&\u{1}\"\nnext".into();
    odd["vendorScore"] = json!({"value": 5, "of": [1, 2]});
    ask!(s.f, s.farm, "POST {FARM}/weights", odd => 201);
    let path = format!("{FARM}/weights?pageSize=3");
    let sealed = |text: &str| {
        let mut out = String::new();
        for part in text.split_inclusive("cursor=") {
            let rest = part.find(['<', '>', '&']).filter(|_| !out.is_empty());
            out.push_str(part.split_at(rest.unwrap_or(0)).1);
        }
        out
    };
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let xml = sealed(&get(&s, &path, XML).await.text).replace("><", ">\n<");
    settings.bind(|| insta::assert_snapshot!("weights-xml", xml));
    let table = get(&s, &path, CSV).await;
    assert_eq!(table.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert!(table.text.ends_with("\r\n"));
    let text = table.text.replace("\r\n", "\n");
    settings.bind(|| insta::assert_snapshot!("weights-csv", text));
}

#[tokio::test]
async fn pages_of_a_table_have_the_same_columns_and_say_where_the_next_one_is() {
    let s = Stage::plain().await;
    s.weigh(&[1, 2, 3, 4, 5]).await;
    let empty = get(&s, &format!("{FARM}/weights?date-to=2001-01-01"), CSV).await;
    let (head, none) = empty.rows();
    assert!(none.is_empty());
    let key = head.iter().position(|name| name == "meta.sourceId").unwrap();
    for (path, accept) in table![
        format!("{FARM}/weights?pageSize=2"), CSV;
        format!("{FARM}/weights?format=csv&pageSize=2"), "application/json";
    ] {
        let mut found = Vec::new();
        let mut next = Some(path);
        while let Some(path) = next {
            let page = get(&s, &path, accept).await;
            assert_eq!(page.status, 200, "{}", page.text);
            let (columns, rows) = page.rows();
            assert_eq!(columns, head);
            assert!(rows.len() <= 2);
            found.extend(rows.iter().map(|row| row[key].to_owned()));
            let links = page.header("link").split(", ").find(|l| l.ends_with("rel=\"next\""));
            next = links.map(|link| {
                let link = link.strip_prefix("<http://book.example").unwrap();
                link.split_once('>').unwrap().0.to_owned()
            });
        }
        let (_, all) = s.get(&format!("{FARM}/weights")).await;
        assert_eq!(found, keys(&all));
    }
    let places = get(&s, "/ade/v1/locations", CSV).await.rows();
    assert_eq!(places.1.len(), 1);
    let name = places.0.iter().position(|name| name == "name").unwrap();
    assert_eq!(&places.1[0][name], "First");
}

#[tokio::test]
async fn every_collection_is_served_in_each_form() {
    let s = Stage::plain().await;
    s.weigh(&[1]).await;
    let (_, list) = s.get("/ade/v1/locations").await;
    for name in list["supportedCollections"].as_array().unwrap() {
        let entry = ade::catalog::Catalog::get().collection(name.as_str().unwrap());
        let needed = match entry.is_some_and(|e| !e.required.is_empty()) {
            true => "?duration=P1D",
            false => "",
        };
        let path = format!("{FARM}/{}{needed}", name.as_str().unwrap());
        let json = get(&s, &path, "").await.json();
        let xml = get(&s, &path, XML).await;
        assert_eq!((xml.status, xml.text), (200, ade::xml::write(&json, RESULT)), "{name}");
        let table = get(&s, &path, CSV).await;
        let (columns, rows) = table.rows();
        let members = json["member"].as_array().unwrap();
        assert_eq!((table.status, rows.len()), (200, members.len()), "{name}");
        let further = columns.iter().position(|c| c == ade::table::FURTHER).unwrap();
        for (row, member) in rows.iter().zip(members) {
            assert_eq!(&row[0], member["resourceType"].as_str().unwrap(), "{name}");
            assert_eq!(&row[further], "", "{name}: {member}");
        }
    }
}

#[tokio::test]
async fn what_is_not_offered_is_refused_before_anything_is_done() {
    let s = Stage::plain().await;
    let list = format!("{FARM}/weights");
    let body = weight(1, 11).to_string();
    let sent = ("application/json", body.as_bytes());
    let batch = format!("[{body}]");
    for (line, accept, body) in table![
        ("POST", &*list), CSV, sent;
        ("POST", BATCH), "text/csv, image/png", ("application/json", batch.as_bytes());
        ("GET", &*list), "text/html", ("", &b""[..]);
        ("GET", &*list), "application/json;q=0, application/xml;q=0, text/csv;q=0", ("", b"");
        ("GET", &*format!("{list}/1")), CSV, ("", b"");
        ("GET", "/ade/v1/datasets/weights/changes"), XML, ("", b"");
    ] {
        let answer = ask(&s, line, accept, body).await;
        assert_eq!(answer.status, 406, "{line:?} {}", answer.text);
        assert!(!answer.headers.contains_key("x-icar-ade-version"));
        assert_eq!(answer.header("vary"), "Accept");
        let body = match answer.header("content-type") {
            "application/json" => answer.json(),
            _ => answer.document("icarErrorCollection"),
        };
        assert_eq!(codes(&body), ["not-acceptable"]);
    }
    let nowhere = get(&s, "/ade/v1/nowhere", "text/html").await;
    assert_eq!((nowhere.status, codes(&nowhere.json())), (404, vec!["route-unknown"]));
    for (path, format) in [(&list, "yaml"), (&format!("{list}/1"), "csv"), (&list, "csv&format=csv")] {
        let answer = get(&s, &format!("{path}?format={format}"), "").await;
        let body = answer.json();
        assert_eq!((answer.status, codes(&body)), (400, vec!["field-value"]));
        assert_eq!(body["errors"][0]["meta"]["parameter"], "format");
    }
    let (_, all) = s.get(&list).await;
    assert_eq!(all["view"]["totalItems"], 0, "{all}");

    // The address may ask for the form, and its links go on with it.
    s.weigh(&[1, 2, 3]).await;
    let path = format!("{FARM}/weights?pageSize=2&colour=red&format=xml");
    let first = get(&s, &path, "application/json").await;
    assert_eq!(first.header("x-icar-ade-ignored-filters"), "colour");
    let page = first.document("icarWeightEventCollection");
    assert_eq!(page["view"]["totalItems"], 3);
    assert_eq!(keys(&page), ["w1", "w2"]);
    let next = page["view"]["next"].as_str().unwrap();
    let next = next.strip_prefix("http://book.example").unwrap();
    let second = get(&s, next, "").await;
    assert_eq!(second.header("content-type"), "application/xml; charset=utf-8");
    let page = second.document("icarWeightEventCollection");
    assert_eq!(keys(&page), ["w3"]);
    let last = get(&s, page["view"]["last"].as_str().unwrap(), "").await;
    assert_eq!(keys(&last.document("icarWeightEventCollection")), ["w3"]);
}

#[tokio::test]
async fn head_tells_the_form_without_a_body() {
    let s = Stage::plain().await;
    s.weigh(&[1]).await;
    let path = &*format!("{FARM}/weights");
    for (path, accept, kind) in [
        ("/ade/v1/locations", "", "application/json"),
        ("/ade/v1/datasets", "", "application/json"),
        (path, "*/*", "application/json"),
        (path, "text/xml", "text/xml; charset=utf-8"),
        (path, CSV, "text/csv; charset=utf-8; header=present"),
    ] {
        let answer = ask(&s, ("HEAD", path), accept, ("", b"")).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, ""), "{path} {accept}");
        assert_eq!(answer.header("x-icar-ade-version"), "1.5.1");
        assert_eq!((answer.header("content-type"), answer.header("vary")), (kind, "Accept"));
    }
}

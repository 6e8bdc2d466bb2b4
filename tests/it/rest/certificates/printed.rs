//! Certificates and protocols as PDF (docs/certificates.md, *PDF*; docs/packages.md, *Protocol*).

use super::issue::{COW, PEDIGREE, ZOOTECHNICAL, family, issued};
use crate::rest::animals::states::force;
use crate::rest::stage::Answer;
use crate::rest::submissions::course::package;
use crate::rest::submissions::signatures::path as of_package;
use crate::rest::world::{NOT_FOUND, World};
use serde_json::json;

/// The text of each page of a PDF.
pub(crate) fn pages(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "application/pdf");
    let document = lopdf::Document::load_mem(&answer.bytes).unwrap();
    let pages = document.get_pages();
    let text = |page: &u32| document.extract_text(&[*page]).unwrap();
    pages.keys().map(text).map(|page| page.replace(" \n", "\n")).collect()
}

fn has_picture(answer: &Answer) -> bool {
    let document = lopdf::Document::load_mem(&answer.bytes).unwrap();
    let is_picture = |object: &lopdf::Object| {
        let stream = object.as_stream().ok();
        stream.is_some_and(|stream| {
            stream.dict.get(b"Subtype").and_then(lopdf::Object::as_name).is_ok_and(|name| name == b"Image")
        })
    };
    document.objects.values().any(is_picture)
}

/// A text without its white space: lines end elsewhere on paper.
pub(crate) fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

pub(crate) async fn get_as(w: &World<'_>, who: &str, path: &str, accept: &str, language: &str) -> Answer {
    let headers = [("accept", accept), ("accept-language", language)];
    w.send(who, "GET", path, &headers, "").await
}

pub(crate) const PDF: &str = "application/pdf";

#[tokio::test]
async fn a_certificate_is_one_sheet_of_paper() {
    let face = [
        ("server.url", "https://herdbook.example"),
        ("face.name", "Herd Book"),
        ("face.emblem", concat!(env!("CARGO_MANIFEST_DIR"), "/docs/pages/list-en-390.png")),
        ("face.issuer", "Association of Holstein Breeders"),
        ("face.signatory", "Head of the herd book A. B. Petrova"),
    ];
    World::under(&face, async |w| {
        family(w).await;
        let mut text = String::new();
        for kind in [PEDIGREE, ZOOTECHNICAL] {
            let doc = issued(w, kind, COW).await;
            let id = doc["id"].as_i64().unwrap();
            force(w, "documents", id, &[("publicCode", "ACDE2346".into())]).await;
            let path = format!("/api/documents/{id}/certificate");
            for language in ["en", "ru"] {
                let answer = get_as(w, "alpha", &path, PDF, language).await;
                assert!(has_picture(&answer), "the emblem");
                let pages = pages(&answer);
                assert_eq!(pages.len(), 1, "{pages:?}");
                let page = pages.concat();
                text.push_str(&format!("== {kind} · {language} ==\n{page}\n"));
            }
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../../golden");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("certificates-pdf", text));
    })
    .await;
}

#[test_with(World::each)]
async fn a_certificate_gives_the_same_bytes_whatever_becomes_of_the_book(w: &World<'_>) {
    family(w).await;
    let doc = issued(w, PEDIGREE, COW).await;
    let id = doc["id"].as_i64().unwrap();
    let path = format!("/api/documents/{id}/certificate?format=pdf");
    let first = w.get("alpha", &path).await;
    assert!(first.bytes.starts_with(b"%PDF-1.7"));
    let named = first.header("content-disposition");
    assert!(named.contains("filename=\"RU-2026-0001.pdf\""), "{named}");
    assert_eq!(first.header("x-ignored"), "");
    assert!(first.header("vary").to_lowercase().contains("accept-language"));
    changed!(w, "alpha", "animals", COW, {"name": "Other"});
    let second = w.get("expert", &path).await;
    assert!(second.bytes == first.bytes, "other bytes");
    assert_eq!(second.header("etag"), first.header("etag"));
    let known = [("if-none-match", first.header("etag"))];
    let same = w.send("alpha", "GET", &path, &known, "").await;
    assert_eq!((same.status, same.bytes.len()), (304, 0));
    // Who asks for no PDF gets the page, as before.
    let page = format!("/api/documents/{id}/certificate");
    for accept in ["*/*", "text/html", "application/json", "text/html, application/pdf;q=0.9"] {
        let shown = get_as(w, "alpha", &page, accept, "en").await;
        assert!(shown.header("content-type").starts_with("text/html"), "{accept}");
    }
    let shown = get_as(w, "alpha", &format!("{page}?format=html"), PDF, "en").await;
    assert!(shown.header("content-type").starts_with("text/html"));
    ask!(w, "alpha", "GET {page}?format=csv" => 400);
    changed!(w, "expert", "documents", id, {"revoked": {"at": "2026-03-01", "reason": "Wrong mother."}});
    let revoked = pages(&w.get("alpha", &path).await).concat();
    for text in ["This certificate was revoked. 2026-03-01. Wrong mother.", "Name 20"] {
        assert!(revoked.contains(text), "{text}: {revoked}");
    }
}

#[test_with(World::each)]
async fn a_certificate_has_words_of_dictionaries_in_the_language_of_the_reader(w: &World<'_>) {
    family(w).await;
    changed!(w, "admin", "breeds", 1, {"name": "Голштинская", "nameEnglish": "Holstein"});
    let coat = json!({"code": "9", "name": "Чёрно-пёстрая", "nameEnglish": "Black and white"});
    let coat = made!(w, "admin", "coat-colors", coat);
    changed!(w, "alpha", "animals", COW, {"coatColor": coat});
    let doc = issued(w, PEDIGREE, COW).await;
    // What the dictionary says later is not what was issued.
    changed!(w, "admin", "coat-colors", coat, {"nameEnglish": "Other"});
    let path = format!("/api/documents/{}/certificate", doc["id"]);
    let check = format!("/certificate/RU-2026-0001?k={}", doc["publicCode"].as_str().unwrap());
    for (language, words, others) in [
        ("en", ["Holstein", "Black and white"], ["Голштинская", "Чёрно-пёстрая"]),
        ("ru", ["Голштинская", "Чёрно-пёстрая"], ["Holstein", "Black and white"]),
    ] {
        let page = get_as(w, "alpha", &path, "text/html", language).await.text;
        let printed = pages(&get_as(w, "alpha", &path, PDF, language).await).concat();
        for text in [&page, &printed] {
            for (word, other) in words.into_iter().zip(others) {
                assert!(dense(text).contains(&dense(word)) && !dense(text).contains(&dense(other)), "{word}: {text}");
            }
        }
        let checked = get_as(w, "", &check, "text/html", language).await.text;
        assert!(checked.contains(words[0]) && !checked.contains(others[0]), "{checked}");
    }
}

/// Refused alike in every form, and whatever the form is.
#[test_with(World::each)]
async fn who_sees_no_page_gets_no_pdf(w: &World<'_>) {
    family(w).await;
    let doc = issued(w, PEDIGREE, COW).await;
    changed!(w, "alpha", "animals", COW, {"publicVisible": true, "publicDetails": true});
    let draft = made!(w, "alpha", "documents", {"title": "Draft", "type": PEDIGREE, "animal": COW});
    let (own, _) = package(w, json!({})).await;
    let certificates = [doc["id"].to_string(), "999999".to_owned()];
    let paths = certificates.map(|id| format!("/api/documents/{id}/certificate"));
    let paths = paths.into_iter().chain([of_package(own, "protocol"), of_package(999_999, "protocol")]);
    for path in paths {
        for who in ["", "beta", "delta"] {
            for query in ["", "?format=pdf"] {
                let answer = get_as(w, who, &format!("{path}{query}"), PDF, "en").await;
                assert_eq!(answer.parts(), NOT_FOUND, "{who:?} {path}{query}");
            }
        }
    }
    for who in ["alpha", "expert"] {
        ask!(w, who, "GET /api/documents/{draft}/certificate?format=pdf" => NOT_FOUND);
    }
}

#[test_with(World::each)]
async fn a_protocol_says_on_paper_what_its_page_says(w: &World<'_>) {
    let body = json!({"kind": "events", "periodFrom": "2026-01-01", "periodTo": "2026-02-01"});
    let (id, _) = package(w, body).await;
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    changed!(w, "expert", "data-submissions", id, {"status": "checked", "review": {
        "totalRows": 2, "acceptedRows": 1, "rejectedRows": 1, "comment": "Хорошо",
        "findings": [{"animal": 4, "field": "date", "text": "Too young 牛."}],
    }});
    let path = of_package(id, "protocol");
    for language in ["en", "ru"] {
        let page = get_as(w, "alpha", &path, "text/html", language).await.text;
        let printed = get_as(w, "alpha", &path, PDF, language).await;
        let named = printed.header("content-disposition");
        assert!(named.contains("protocol-000001.pdf"), "{named}");
        let second = get_as(w, "alpha", &format!("{path}?format=pdf"), "*/*", language).await;
        assert!(second.bytes == printed.bytes, "other bytes");
        let printed = dense(&pages(&printed).concat());
        let (_, body) = page.split_once("<body>").unwrap();
        let parts: Vec<&str> = (body.split('<'))
            .filter_map(|tag| tag.split_once('>').map(|(_, text)| text.trim()))
            .filter(|text| !text.is_empty())
            .collect();
        assert!(parts.len() > 40, "{parts:?}");
        for part in parts {
            // No font has the sign.
            let part = dense(&part.replace('牛', "\u{fffd}"));
            assert!(printed.contains(&part), "{part}: {printed}");
        }
    }
}

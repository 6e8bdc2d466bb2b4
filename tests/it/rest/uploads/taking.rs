//! Accepted uploads, their names, and how they are read again.

use super::form::{Form, file_count, jpeg, png, posted, taken};
use crate::rest::world::{FORBIDDEN, NOT_FOUND, World};
use serde_json::json;

#[test_with(World::each)]
async fn a_picture_is_kept_described_and_read_by_those_who_may(w: &World<'_>) {
    let bytes = png(800, 600);
    let form = Form::new()
        .field("alt", "a plain part is passed over")
        .file("cow one.png", "image/png", &bytes)
        .payload(&json!({"alt": "A cow", "filesize": 1, "filename": "x"}));
    let answer = form.send(w, "alpha", "POST", "/api/media?depth=0").await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert_eq!(answer.json()["message"], "Media File successfully created.");
    let doc = answer.json()["doc"].clone();
    let keys: Vec<&String> = doc.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "alt",
        "owner",
        "visibility",
        "url",
        "thumbnailURL",
        "filename",
        "mimeType",
        "filesize",
        "width",
        "height",
        "focalX",
        "focalY",
        "sizes",
        "updatedAt",
        "createdAt",
    ];
    assert_eq!(keys, expected);
    let shown = json!({
        "alt": "A cow", "owner": 1, "visibility": "private", "url": "/api/media/file/cow%20one.png?id=1",
        "thumbnailURL": "/api/media/file/cow%20one-320x320.png?id=1", "filename": "cow one.png",
        "mimeType": "image/png", "filesize": bytes.len(), "width": 800, "height": 600, "focalX": 50, "focalY": 50,
    });
    for (name, value) in shown.as_object().unwrap() {
        assert_eq!(&doc[name], value, "{name}");
    }
    let card = &doc["sizes"]["card"];
    holds!(card, {"filename": "cow one-768x512.png", "width": 768, "height": 512});
    let url = doc["url"].as_str().unwrap();
    for who in ["alpha", "viewer", "admin"] {
        let read = w.get(who, url).await;
        assert_eq!((read.status, &read.bytes), (200, &bytes), "{who}");
        assert_eq!(read.header("content-type"), "image/png");
        assert_eq!(read.header("content-length"), bytes.len().to_string());
        assert_eq!(read.header("x-content-type-options"), "nosniff");
        assert!(read.header("content-disposition").starts_with("inline; filename=\"cow one.png\""));
    }
    let small = card["url"].as_str().unwrap();
    for path in [url, small] {
        for who in ["", "beta"] {
            ask!(w, who, "GET {path}" => NOT_FOUND);
        }
    }
    let read = w.get("alpha", small).await;
    assert_eq!(image::load_from_memory(&read.bytes).unwrap().width(), 768);
    assert_eq!(card["filesize"], read.bytes.len());
    let id = doc["id"].as_i64().unwrap();
    changed!(w, "alpha", "media", id, {"visibility": "public"});
    ask!(w, "", "GET {url}" => 200);
    ask!(w, "", "GET {small}" => 200);
    w.gone("alpha", "media", id).await;
    ask!(w, "admin", "GET {url}" => NOT_FOUND);
    assert_eq!(file_count(w), 0);
}

#[tokio::test]
async fn each_declared_type_is_told_by_its_content() {
    let xlsx = b"PK\x03\x04 a [Content_Types].xml b xl/workbook.xml".to_vec();
    let mut xls = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 ".to_vec();
    xls.extend("Workbook".encode_utf16().flat_map(u16::to_le_bytes));
    let mp4 = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".to_vec();
    let mut webm = b"\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x86\x81\x01\x42\x82\x84webm".to_vec();
    webm.resize(300, 0);
    let sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let excel = "application/vnd.ms-excel";
    let cases: Vec<(&str, &str, Vec<u8>, &str)> = table![
        "a.pdf", "application/pdf", b"%PDF-1.7 x".to_vec(), "application/pdf";
        "a.csv", "text/csv", "номер;удой\n1;30,5\n".into(), "text/csv";
        "b.csv", excel, b"BM;a table that begins like a bitmap".to_vec(), "text/csv";
        "c.csv", "", b"a,b\n1,2\n".to_vec(), "text/csv";
        "a.xlsx", sheet, xlsx.clone(), sheet;
        "b.xlsx", excel, xlsx, sheet;
        "a.xls", excel, xls, excel;
        "a.mp4", "video/mp4", mp4, "video/mp4";
        "a.webm", "video/webm", webm, "video/webm";
        "a.svg", "image/svg+xml", b"<?xml version='1.0'?><svg xmlns='x'/>".to_vec(), "image/svg+xml";
        "a.jpg", "image/png", jpeg(10, 10), "image/jpeg";
        "b.jpg", "application/octet-stream", jpeg(10, 10), "image/jpeg";
    ]
    .into();
    World::each(async |w| {
        for (name, declared, bytes, mime) in &cases {
            let doc = taken(w, "alpha", name, declared, bytes).await;
            assert_eq!(doc["mimeType"], *mime, "{name}");
            assert_eq!(doc["sizes"]["thumbnail"]["url"], json!(null), "{name}");
            let read = w.get("alpha", doc["url"].as_str().unwrap()).await;
            assert_eq!(&read.bytes, bytes);
            let drawing = *mime == "image/svg+xml";
            let page =
                !drawing && (mime.starts_with("image") || mime.starts_with("video") || *mime == "application/pdf");
            let policy = "sandbox; default-src 'none'; script-src 'none'";
            let policy = if page { "" } else { policy };
            assert_eq!(read.header("content-security-policy"), policy, "{name}");
            let way = if page { "inline" } else { "attachment" };
            assert!(read.header("content-disposition").starts_with(way), "{name}");
        }
    })
    .await;
}

#[test_with(World::each)]
async fn names_are_given_once_and_never_lead_elsewhere(w: &World<'_>) {
    let names = [
        ("cow.png", "cow.png"),
        ("cow.png", "cow-1.png"),
        ("../../etc/cow.png", "cow-2.png"),
        ("C:\\Users\\x\\cow.png", "cow-3.png"),
        // The name of a smaller picture of the first.
        ("cow-320x320.png", "cow-320x320-1.png"),
        ("Ёлка 🐄.png", "Ёлка 🐄.png"),
        ("..", "file"),
        ("a%2f..%2fb.png", "a%2f..%2fb.png"),
    ];
    for (document, name) in names {
        let doc = taken(w, "alpha", document, "image/png", &png(400, 330)).await;
        assert_eq!(doc["filename"], name, "{document}");
        let read = w.get("alpha", doc["url"].as_str().unwrap()).await;
        assert_eq!(read.status, 200, "{}", doc["url"]);
        let small = doc["sizes"]["thumbnail"]["url"].as_str().unwrap();
        ask!(w, "alpha", "GET {small}" => 200);
    }
    let urls: Vec<String> = (w.list("media", "").await.iter())
        .flat_map(|doc| [&doc["url"], &doc["sizes"]["thumbnail"]["url"], &doc["sizes"]["card"]["url"]])
        .filter_map(|url| url.as_str().map(str::to_owned))
        .collect();
    let distinct: std::collections::BTreeSet<&String> = urls.iter().collect();
    assert_eq!(distinct.len(), urls.len());
}

#[test_with(World::each)]
async fn uploads_side_by_side_get_different_names(w: &World<'_>) {
    let bytes = png(20, 20);
    let all = (0..12).map(|_| posted(w, "alpha", "cow.png", "image/png", &bytes));
    let answers = futures_util::future::join_all(all).await;
    let mut names: Vec<String> =
        (answers.iter()).map(|a| a.json()["doc"]["filename"].as_str().expect(&a.text).to_owned()).collect();
    names.sort();
    names.dedup();
    assert_eq!((names.len(), file_count(w)), (12, 12));
}

#[test_with(World::each)]
async fn a_new_file_takes_the_place_of_the_old_one(w: &World<'_>) {
    let doc = taken(w, "alpha", "cow.png", "image/png", &png(400, 400)).await;
    let id = doc["id"].as_i64().unwrap();
    let path = format!("/api/media/{id}?depth=0");
    let (old, new) = (doc["url"].as_str().unwrap(), jpeg(900, 300));
    let form = Form::new().file("bull.jpg", "image/jpeg", &new).payload(&json!({"alt": "A bull"}));
    let answer = form.send(w, "alpha", "PATCH", &path).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let doc = answer.json()["doc"].clone();
    holds!(doc, {"alt": "A bull", "filename": "bull.jpg", "width": 900, "mimeType": "image/jpeg"});
    ask!(w, "alpha", "GET {old}" => NOT_FOUND);
    ask!(w, "alpha", "GET /api/media/file/cow-320x320.png" => NOT_FOUND);
    assert_eq!(w.get("alpha", "/api/media/file/bull.jpg").await.bytes, new);
    assert_eq!(file_count(w), 3, "the file, a thumbnail and a card");
    // The same name again is its own; another content is another file for caches.
    let tag = w.get("alpha", "/api/media/file/bull.jpg").await.header("etag").to_owned();
    let form = Form::new().file("bull.jpg", "image/jpeg", &jpeg(100, 100));
    let answer = form.send(w, "alpha", "PATCH", &path).await;
    let doc = answer.json()["doc"].clone();
    holds!(doc, {"filename": "bull.jpg", "sizes.card.filename": null});
    let read = w.get("alpha", "/api/media/file/bull.jpg").await;
    assert_ne!(read.header("etag"), tag);
    assert_eq!(file_count(w), 1);
    // Fields alone leave the file alone.
    changed!(w, "alpha", "media", id, {"alt": "Another"});
    assert_eq!(w.get("alpha", "/api/media/file/bull.jpg").await.bytes, read.bytes);
    // Others may not, and leave nothing.
    for who in ["", "beta", "viewer"] {
        let form = Form::new().file("x.png", "image/png", &png(10, 10));
        form.send(w, who, "PATCH", &path).await.assert_is(FORBIDDEN, who);
    }
    assert_eq!(file_count(w), 1);
}

#[test_with(World::each)]
async fn the_association_uploads_for_a_farm(w: &World<'_>) {
    let form = Form::new().payload(&json!({"owner": 2})).file("a.csv", "text/csv", b"a;b\n");
    let answer = form.send(w, "expert", "POST", "/api/media?depth=0").await;
    assert_eq!(answer.json()["doc"]["owner"], 2, "{}", answer.text);
    let url = "/api/media/file/a.csv";
    ask!(w, "beta", "GET {url}" => 200);
    ask!(w, "alpha", "GET {url}" => NOT_FOUND);
    // A caller cannot request a hidden file by its name.
    ask!(w, "admin", "GET /api/media?where[fileKey][exists]=true" => 400);
}

#[test_with(World::each)]
async fn collections_without_files_read_the_fields_of_a_form(w: &World<'_>) {
    let form = Form::new()
        .payload(&json!({"name": "From a form"}))
        .file("a.png", "image/png", &png(10, 10))
        .field("name", "passed over");
    let answer = form.send(w, "alpha", "POST", "/api/herds?depth=0").await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let doc = &answer.json()["doc"];
    holds!(doc, {"name": "From a form", "organization": 1});
    let id = doc["id"].as_i64().unwrap();
    let form = Form::new().payload(&json!({"code": "F"}));
    let answer = form.send(w, "alpha", "PATCH", &format!("/api/herds/{id}")).await;
    assert_eq!(answer.json()["doc"]["code"], "F", "{}", answer.text);
    assert_eq!(file_count(w), 0);
}

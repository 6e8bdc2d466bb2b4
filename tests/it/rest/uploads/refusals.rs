//! Refused uploads: nothing of them stays, neither in the book nor on the disk.

use super::form::{BOUNDARY, Form, file_count, jpeg, png};
use crate::rest::stage::Answer;
use crate::rest::world::{FORBIDDEN, World, paths};
use serde_json::json;

const PROBLEM: &str = r#"{"errors":[{"message":"There was a problem while uploading the file."}]}"#;
const NO_FILES: &str = r#"{"errors":[{"message":"No files were uploaded."}]}"#;
const TOO_LARGE: &str =
    r#"{"errors":[{"name":"APIError","data":{"size":0},"message":"File size limit has been reached"}]}"#;

/// A refused upload changes nothing.
async fn refused(w: &World<'_>, who: &str, form: Form) -> Answer {
    unchanged(w, form.send(w, who, "POST", "/api/media")).await
}

async fn unchanged(w: &World<'_>, request: impl Future<Output = Answer>) -> Answer {
    let before = (w.stage.content().await, file_count(w));
    let answer = request.await;
    assert_eq!((w.stage.content().await, file_count(w)), before, "{}", answer.text);
    answer
}

/// A PNG that says it has so many pixels.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        let mut crc = u32::MAX;
        for byte in bytes {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
            }
        }
        !crc
    };
    let mut header = b"IHDR".to_vec();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 6, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    png.extend(&header);
    png.extend(crc(&header).to_be_bytes());
    let whole = super::form::png(10, 10);
    // Data of a small picture follows, so that only the size is a lie.
    png.extend(&whole[33..]);
    png
}

#[tokio::test]
async fn what_is_no_file_of_a_known_type_and_size_is_refused() {
    let picture = png(300, 300);
    let cases: Vec<(&str, &str, Vec<u8>)> = table![
        "truncated.png", "image/png", picture[..picture.len() / 2].to_vec();
        "head.png", "image/png", picture[..60].to_vec();
        "text.png", "image/png", b"not a picture".to_vec();
        "page.png", "image/png", b"<html><script>alert(1)</script></html>".to_vec();
        "drawing.png", "image/png", b"<svg xmlns='x'/>".to_vec();
        "zip.jpg", "image/jpeg", b"PK\x03\x04 not a picture".to_vec();
        "picture.pdf", "application/pdf", jpeg(10, 10);
        "picture.mp4", "video/mp4", jpeg(10, 10);
        "table.csv", "text/csv", b"a;b\0c".to_vec();
        "book.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", b"PK\x03\x04 zip".to_vec();
        "book.xls", "application/vnd.ms-excel", b"MZ\x90\0 program".to_vec();
        "bomb.png", "image/png", bomb(25_000, 25_000);
        "wide.png", "image/png", bomb(2_000_000_000, 1);
        "wrong.png", "image/png", bomb(11, 10);
        "empty.png", "image/png", Vec::new();
        "empty.csv", "text/csv", Vec::new();
        "entities.svg", "image/svg+xml", b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg>&a;</svg>".to_vec();
    ]
    .into();
    let elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0>\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let types: [(&str, &str, &[u8], &str); 5] = table![
        "a.zip", "application/zip", b"PK\x03\x04", "application/zip";
        "a.html", "Text/HTML", b"<html>", "text/html";
        "a.mov", "video/quicktime", b"x", "video/quicktime";
        "a.bin", "application/octet-stream", b"\x01\x02\x03", "application/octet-stream";
        "a.png", "", elf, "application/x-executable";
    ];
    let mut large = png(50, 50);
    large.resize((20 << 20) + 1, 0);
    World::each(async |w| {
        for (name, mime, bytes) in &cases {
            let answer = refused(w, "alpha", Form::new().file(name, mime, bytes)).await;
            assert_eq!(answer.parts(), (400, PROBLEM), "{name}");
        }
        for (name, declared, bytes, mime) in types {
            let answer = refused(w, "alpha", Form::new().file(name, declared, bytes)).await;
            answer.assert_faulty(400, &["file"]);
            answer.has(&[&format!("\"Invalid MIME type: {mime}.\"")]);
        }
        for none in [
            Form::new().payload(&json!({"alt": "x"})),
            Form::new().file("", "application/octet-stream", b""),
            Form::new().field("file", "text"),
        ] {
            assert_eq!(refused(w, "alpha", none).await.parts(), (400, NO_FILES));
        }
        let json = unchanged(w, w.post("alpha", "media", json!({"alt": "x"}))).await;
        assert_eq!(json.parts(), (400, NO_FILES));
        // Without a type the content decides.
        for declared in ["image/png", ""] {
            let form = Form::new().file("a.png", declared, &large);
            assert_eq!(refused(w, "alpha", form).await.parts(), (413, TOO_LARGE));
        }
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let headers = [("content-type", kind.as_str()), ("content-length", "999999999999")];
        let announced = unchanged(w, w.send("alpha", "POST", "/api/media", &headers, "")).await;
        assert_eq!(announced.parts(), (413, TOO_LARGE));
    })
    .await;
}

#[tokio::test]
async fn no_way_of_writing_makes_a_file_without_content() {
    use model::registry::{Caller, Principal};
    use ops::{Item, Outcome};
    World::each(async |w| {
        let media = w.stage.book.registry.get("media").unwrap();
        let caller = std::sync::Arc::new(Principal { caller: Caller::Association, ..Principal::anonymous() });
        let before = w.stage.content().await;
        // Values that a copy of another row would bring.
        let named = vec![(media.at("fileKey"), "0".repeat(32).into()), (media.at("filename"), "a.png".into())];
        let items = vec![Item::create(Vec::new()), Item::create(named)];
        let outcomes = w.stage.book.write(caller, media, items).await.unwrap();
        assert_eq!(outcomes.len(), 2);
        for outcome in outcomes {
            let Outcome::Refused(model::error::Error::Invalid(issues)) = outcome else {
                panic!("{outcome:?}");
            };
            assert_eq!(issues[0].message.english(), "No files were uploaded.");
        }
        assert_eq!(w.stage.content().await, before);
    })
    .await;
}

#[test_with(World::each)]
async fn bodies_that_break_off_or_are_no_parts_are_malformed(w: &World<'_>) {
    let open = Form::new().file("a.png", "image/png", &png(50, 50));
    let answer = unchanged(w, open.send_open(w, "alpha", "POST", "/api/media")).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    for (kind, body) in table![
        "multipart/form-data", "x";
        "multipart/form-data; boundary=other", "--cow\r\n";
        "multipart/form-data; boundary=b", "";
        "multipart/form-data; boundary=b", "--b\r\nnonsense";
        "multipart/form-data; boundary=b", "--b\r\n\r\nno header\r\n--b--";
    ] {
        let headers = [("content-type", kind)];
        let response = w.send("alpha", "POST", "/api/media", &headers, body);
        let answer = unchanged(w, response).await;
        assert_eq!(answer.status, 400, "{kind} {body}: {}", answer.text);
    }
    for payload in ["{bad", "[]", "\"x\""] {
        let form = Form::new().file("a.png", "image/png", &png(50, 50)).field("_payload", payload);
        let answer = refused(w, "alpha", form).await;
        assert_eq!(answer.status, 400);
        holds!(answer.json(), {"errors.0.message": "Invalid JSON"}, "{payload}");
    }
}

#[test_with(World::each)]
async fn refused_rows_leave_no_file(w: &World<'_>) {
    let form = |body| Form::new().payload(&body).file("a.png", "image/png", &png(400, 400));
    let bad = refused(w, "alpha", form(json!({"visibility": "secret", "focalX": 101}))).await;
    assert_eq!(bad.status, 400);
    assert_eq!(paths(&bad), ["visibility", "focalX"]);
    let foreign = refused(w, "alpha", form(json!({"owner": 2}))).await;
    foreign.assert_faulty(403, &["owner"]);
    for who in ["", "viewer"] {
        refused(w, who, form(json!({}))).await.assert_is(FORBIDDEN, who);
    }
    let absent = Form::new().file("a.png", "image/png", &png(400, 400));
    let absent = unchanged(w, absent.send(w, "admin", "PATCH", "/api/media/999")).await;
    assert_eq!(absent.status, 404, "{}", absent.text);
}

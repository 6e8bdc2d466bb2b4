//! The public check of certificates, and who sees what of them (docs/certificates.md, *Check*).

use super::issue::{COW, FATHER, GRANDFATHER, PEDIGREE, ZOOTECHNICAL, codes, conditions_of, family, issued, row};
use crate::rest::animals::states::force;
use crate::rest::stage::Answer;
use crate::rest::world::{NOT_FOUND, World, fill};
use model::record::Value;
use serde_json::{Value as Json, json};

fn check(number: &str, code: &str) -> String {
    format!("/certificate/{number}?k={code}")
}

fn of(doc: &Json) -> (&str, &str) {
    (doc["number"].as_str().unwrap(), doc["publicCode"].as_str().unwrap())
}

async fn page(w: &World<'_>, path: &str, language: &str) -> Answer {
    let headers = [("accept", "text/html"), ("accept-language", language)];
    w.send("", "GET", path, &headers, "").await
}

#[test_with(World::each)]
async fn anybody_checks_a_certificate_by_number_and_code(w: &World<'_>) {
    family(w).await;
    let doc = issued(w, PEDIGREE, COW).await;
    let (number, code) = of(&doc);
    let reply = w.get("", &check(number, code)).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(
        reply.json(),
        json!({
            "number": number, "type": PEDIGREE, "issuedAt": "2026-03-01", "valid": true, "revoked": null,
            "paper": {
                "identNumber": "960000010020", "name": "Name 20", "sex": "female",
                "birthDate": "2018-03-01", "breed": "Holstein", "owner": "Alpha",
            },
            "inBook": true, "differences": [],
        })
    );
    assert_eq!(reply.header("cache-control"), "no-store");
    assert!(reply.header("x-robots-tag").contains("noindex"));
    assert_eq!(reply.header("referrer-policy"), "no-referrer");

    // Case, spaces and dashes do not matter.
    let lower = code.to_lowercase();
    let (left, right) = code.split_at(4);
    for (number, code) in [
        (number.to_lowercase(), lower.clone()),
        (number.replace('-', "%20"), format!("{left}-{right}")),
        (number.replace('-', ""), format!("+{left}+{right}%20")),
        (number.replace('-', "%E2%80%93"), format!("{left}%E2%80%94{right}")),
    ] {
        let answer = w.get("", &check(&number, &code)).await;
        assert_eq!(answer.status, 200, "{number} {code}: {}", answer.text);
    }

    // A missing code and a wrong one are the same.
    let asks = ask!(w, "", "GET /certificate/{number}" => 403);
    for wrong in ["", "AAAAAAAA", left, &format!("{code}A"), "%FF", "%00", &"A".repeat(2_000)] {
        let answer = w.get("", &check(number, wrong)).await;
        assert_eq!(answer.parts(), asks.parts(), "{wrong}");
    }
    for unknown in ["RU-2026-9999", "nope", "RU", "%00", "%FF", "a%2Cb", &"1".repeat(100)] {
        assert_eq!(w.get("", &check(unknown, code)).await.parts(), NOT_FOUND, "{unknown}");
    }
    // Numbers of other documents, and of drafts, are no numbers of certificates.
    for (kind, issue) in [("vetCertificate", json!("2026-03-01")), (PEDIGREE, Json::Null)] {
        let other = json!({"title": "t", "type": kind, "number": format!("N-{kind}"), "issuedAt": issue});
        w.made("expert", "documents", other).await;
        let answer = w.get("", &check(&format!("N-{kind}"), "")).await;
        assert_eq!(answer.parts(), NOT_FOUND, "{kind}");
    }
}

#[test_with(World::each)]
async fn a_check_tells_revocation_and_differences(w: &World<'_>) {
    family(w).await;
    let doc = issued(w, ZOOTECHNICAL, COW).await;
    let id = doc["id"].as_i64().unwrap();
    let (number, code) = of(&doc);
    let path = check(number, code);
    changed!(w, "alpha", "animals", COW, {"name": "Other"});
    let sale = made!(w, "alpha", "movements", {"animal": COW, "date": "2026-02-20", "kind": "sale", "to": 2});
    if w.doc("movements", sale).await["applied"] == false {
        changed!(w, "beta", "movements", sale, {"confirmation": "confirmed"});
    }
    holds!(w.get("", &path).await.json(), {
        "valid": true, "inBook": true, "paper.name": "Name 20",
        "differences": [
            {"field": "name", "paper": "Name 20", "book": "Other"},
            {"field": "owner", "paper": "Alpha", "book": "Beta"},
        ],
    });
    for (language, valid, differ, born) in [
        ("en", "This certificate is valid.", "Differences from the book", "2018-03-01"),
        ("ru-RU,ru;q=0.9", "Свидетельство действительно.", "Расхождения с книгой", "01.03.2018"),
    ] {
        let answer = page(w, &path, language).await;
        assert_eq!(answer.status, 200);
        assert!(answer.header("content-security-policy").contains("default-src 'none'"));
        answer.lacks(&["<script"]);
        answer.has_in(&language, &[valid, differ, born, "Name 20", "Other", "Beta"]);
    }
    let asks = page(w, &check(number, "wrong"), "ru").await;
    assert_eq!(asks.status, 403);
    asks.has(&["Введите код", "name=\"k\"", "Свидетельства с таким кодом нет."]);
    asks.lacks(&["Name 20"]);
    page(w, &check(number, ""), "en").await.lacks(&["There is no certificate with this code."]);
    let unknown = page(w, &check("RU-2026-9999", code), "en").await;
    assert_eq!(unknown.status, 404);
    unknown.has(&["no certificate"]);

    changed!(w, "expert", "documents", id, {"revoked": {"at": "2026-03-01", "reason": "Wrong <mother>."}});
    holds!(w.get("", &path).await.json(), {
        "valid": false, "revoked": {"at": "2026-03-01T12:00:00.000Z", "reason": "Wrong <mother>."},
    });
    let answer = page(w, &path, "en").await;
    answer.has(&["This certificate was revoked.", "2026-03-01", "Wrong &lt;mother&gt;."]);
    let paper = w.get("alpha", &format!("/api/documents/{id}/certificate")).await;
    paper.has(&["Wrong &lt;mother&gt;."]);
}

#[tokio::test]
async fn guesses_count_as_attempts_to_sign_in() {
    World::under(&[("limits.sign_in", "5")], async |w| {
        family(w).await;
        let doc = issued(w, PEDIGREE, COW).await;
        let (number, code) = of(&doc);
        let mut last = 0;
        for _ in 0..8 {
            last = w.get("", &check(number, "AAAAAAAA")).await.status;
        }
        assert_eq!(last, 429);
        w.get("expert", &check(number, code)).await.assert_is(429, "of the address");
        assert_eq!(w.get("", "/api/animals").await.status, 200);
    })
    .await;
}

#[test_with(World::each)]
async fn certificates_that_were_issued_before_stay(w: &World<'_>) {
    let old = json!({
        "id": 70, "title": "Old", "type": PEDIGREE, "animal": 3, "organization": 2, "issuedAt": "2020-01-05",
        "number": "RU-2020-0007", "publicCode": "ACDE2346", "issuedBy": 2,
    });
    fill(w.stage, "documents", vec![old]).await;
    let answer = w.get("", &check("RU-2020-0007", "ACDE2346")).await.json();
    holds!(answer, {"valid": true, "paper": null, "differences": [], "inBook": true});
    changed!(w, "expert", "documents", 70, {"title": "Renamed"});
    holds!(w.doc("documents", 70).await, {"snapshot": null, "number": "RU-2020-0007", "publicCode": "ACDE2346"});
    ask!(w, "expert", "GET /api/documents/70/certificate" => NOT_FOUND);
    let reply = page(w, &check("RU-2020-0007", "ACDE2346"), "en").await;
    reply.has(&["was not stored"]);
    patch!(w, "expert", "documents", 70, {"animal": 2}).assert_faulty(400, &["animal"]);
    changed!(w, "expert", "documents", 70, {"revoked": {"at": "2026-03-01", "reason": "Lost."}});
    assert_eq!(w.get("", &check("RU-2020-0007", "ACDE2346")).await.json()["valid"], false);
}

#[test_with(World::each)]
async fn conditions_are_for_the_owner_and_the_association(w: &World<'_>) {
    family(w).await;
    let path = format!("/api/animals/{COW}/certificate-conditions?type={PEDIGREE}");
    // The father and his ancestors are Beta's and closed: whether the book has them, the owner of the cow learns
    // as the Association does, and nothing else of them.
    let c = w.stage.book.registry.get("animals").unwrap();
    for (id, parent, unmet) in [(FATHER, "mother", "grandparents"), (GRANDFATHER, "father", "great-grandparent")] {
        let whole = conditions_of(w, "alpha", COW, PEDIGREE).await;
        assert_eq!((codes(&whole, json!(false)), &whole["met"]), (vec![], &json!(true)));
        ask!(w, "alpha", "GET /api/animals/{id}" => NOT_FOUND);
        let known = row(w, id).await.get(c.slot(parent).unwrap()).clone();
        let closed = [(parent, Value::Null), ("trustLevel", Value::Int(-1)), ("name", Value::Null)];
        force(w, "animals", id, &closed).await;
        let report = conditions_of(w, "expert", COW, PEDIGREE).await;
        assert_eq!((codes(&report, json!(false)), &report["met"]), (vec![unmet.to_owned()], &json!(false)));
        for who in ["alpha", "operator", "viewer"] {
            assert_eq!(conditions_of(w, who, COW, PEDIGREE).await, report, "{who}");
        }
        force(w, "animals", id, &[(parent, known)]).await;
    }

    for who in ["", "beta", "delta"] {
        assert_eq!(w.get(who, &path).await.parts(), NOT_FOUND, "{who:?}");
    }
    changed!(w, "alpha", "animals", COW, {"publicVisible": true, "publicDetails": true});
    for who in ["", "beta", "delta"] {
        assert_eq!(w.get(who, &path).await.status, 403, "{who:?}");
    }
    ask!(w, "alpha", "GET /api/animals/999/certificate-conditions" => NOT_FOUND);
    ask!(w, "alpha", "GET /api/animals/{COW}/certificate-conditions?type=other" => 400);
    ask!(w, "alpha", "GET /api/herds/1/certificate-conditions" => 404);
    ask!(w, "alpha", "GET /api/herds/1/certificate" => 404);
    let answer = ask!(w, "alpha", "GET /api/animals/{COW}/certificate-conditions" => 200);
    assert_eq!(answer.json()["type"], PEDIGREE);
    assert_eq!(answer.header("x-ignored"), "");
}

#[tokio::test]
async fn the_page_for_print_is_for_those_who_see_what_the_certificate_keeps() {
    World::under(&[("server.url", "https://herdbook.example")], async |w| {
        family(w).await;
        let doc = issued(w, PEDIGREE, COW).await;
        let (number, code) = of(&doc);
        let id = doc["id"].as_i64().unwrap();
        let path = format!("/api/documents/{id}/certificate");
        for who in ["", "beta", "delta"] {
            assert_eq!(w.get(who, &path).await.parts(), NOT_FOUND, "{who:?}");
        }
        // Who reads the document does not see its code.
        changed!(w, "alpha", "animals", COW, {"publicVisible": true, "publicDetails": true});
        for who in ["", "beta"] {
            ask!(w, who, "GET /api/documents/{id}" => 200);
            assert_eq!(w.get(who, &path).await.parts(), NOT_FOUND, "{who:?}");
        }
        for who in ["alpha", "viewer", "expert"] {
            let page = ask!(w, who, "GET {path}" => 200, "{who}");
            assert!(page.header("content-type").starts_with("text/html"));
            let address = format!("https://herdbook.example/certificate/{number}");
            page.has(&["Pedigree certificate", &address, code, "<svg", "Name 36", "FFF", "9100", "TAG 20"]);
            page.lacks(&["117/125", "<script"]);
        }
        let headers = [("accept-language", "ru")];
        let page = w.send("alpha", "GET", &path, &headers, "").await;
        page.has(&["Племенное свидетельство"]);
        let draft = made!(w, "alpha", "documents", {"title": "Draft", "type": PEDIGREE, "animal": COW});
        ask!(w, "alpha", "GET /api/documents/{draft}/certificate" => NOT_FOUND);
    })
    .await;
}

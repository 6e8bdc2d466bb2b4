//! Who may make a fact true (docs/design/access.md, *Who makes a fact true*): verdicts on parents, numbers of the server,
//! what an API key opened, and what strangers and viewers may do.

use crate::rest::animals::states::force;
use crate::rest::certificates::issue::{COW, PEDIGREE, ZOOTECHNICAL, codes, conditions_of, family, issued};
use crate::rest::operation::letters::{Office, branding};
use crate::rest::stage::Answer;
use crate::rest::world::{World, paths};
use model::letter::SendError;
use model::record::Value as Cell;
use ops::SendLetters;
use serde_json::{Value as Json, json};

/// What the book says of the father of an animal, and who vouches for its first test.
async fn parentage(w: &World<'_>, animal: i64) -> (Json, Json) {
    let doc = w.doc("animals", animal).await;
    let by = doc["dnaTests"][0]["attestedBy"].clone();
    (doc["parentStatus"]["father"].clone(), by)
}

fn verdict(status: &str, by: impl Into<Json>) -> (Json, Json) {
    (json!(status), by.into())
}

#[test_with(World::each)]
async fn the_verdict_of_an_owner_is_stated_until_somebody_vouches_for_it(w: &World<'_>) {
    family(w).await;
    force(w, "animals", COW, &[("dnaTests", Cell::Null)]).await;
    let test = json!({"verdict": "confirmed", "authMethod": "byOM", "date": "2026-01-10", "certificateNumber": "G-7"});
    let own = {
        let mut own = test.clone();
        own["attestedBy"] = json!("association");
        json!({"dnaTests": [own]})
    };
    changed!(w, "alpha", "animals", COW, {"dnaTests": []});
    assert_eq!(parentage(w, COW).await.0, "declared");
    w.changed("alpha", "animals", COW, own.clone()).await;
    assert_eq!(parentage(w, COW).await, verdict("stated", Json::Null));
    let unmet = codes(&conditions_of(w, "alpha", COW, PEDIGREE).await, json!(false));
    assert_eq!(unmet, ["parentage"]);
    let certificate = json!({"title": "t", "type": PEDIGREE, "animal": COW, "issuedAt": "2026-03-01"});
    refused!(w, "expert", "POST /api/documents", certificate => 400 ["animal"]);
    // Nor as one of a list, nor with a new animal.
    let calf = made!(w, "alpha", "animals", {
        "identNumber": "643000000000077", "sex": "female", "birthDate": "2025-01-01", "father": 1, "mother": 2,
        "dnaTests": [test],
    });
    assert_eq!(parentage(w, calf).await, verdict("stated", Json::Null));

    // A report that the Association issues vouches for the tests that it can be about.
    let report = |number: &str| {
        json!({"title": "Report", "type": "genotypeReport", "animal": COW, "labName": "Lab", "number": number,
            "issuedAt": "2026-02-01"})
    };
    let other = w.made("expert", "documents", report("G-8")).await;
    assert_eq!(parentage(w, COW).await, verdict("stated", Json::Null));
    let fitting = w.made("expert", "documents", report("g-7 ")).await;
    assert_eq!(parentage(w, COW).await, verdict("confirmed", "report"));
    let unmet = codes(&conditions_of(w, "alpha", COW, PEDIGREE).await, json!(false));
    assert_eq!(unmet, Vec::<String>::new());
    for (report, status) in [(other, verdict("confirmed", "report")), (fitting, verdict("stated", Json::Null))] {
        changed!(w, "expert", "documents", report, {"revoked": {"at": "2026-03-01", "reason": "Mixed up."}});
        assert_eq!(parentage(w, COW).await, status);
    }

    // So does an approved request.
    changed!(w, "alpha", "animals", 4, {"dnaTests": [test]});
    let request = made!(w, "alpha", "verification-requests", {"purpose": "trust", "animals": [4]});
    changed!(w, "expert", "verification-requests", request, {"status": "checking"});
    assert_eq!(parentage(w, 4).await, verdict("stated", Json::Null));
    let decided = changed!(w, "expert", "verification-requests", request, {"status": "approved"});
    assert_eq!(decided["review"]["approvedCount"], 1, "{decided}");
    assert_eq!(parentage(w, 4).await, verdict("confirmed", "association"));

    // What the Association itself writes counts.
    w.changed("expert", "animals", COW, json!({"dnaTests": [test]})).await;
    assert_eq!(parentage(w, COW).await, verdict("confirmed", "association"));
    // What is sent back stays as it was, with its id or without; what is changed is the owner's word.
    let mut doc = w.doc("animals", COW).await;
    changed!(w, "alpha", "animals", COW, {"dnaTests": doc["dnaTests"]});
    w.changed("alpha", "animals", COW, own).await;
    assert_eq!(parentage(w, COW).await, verdict("confirmed", "association"));
    let shown = issued(w, PEDIGREE, COW).await;
    assert_eq!(shown["snapshot"]["parentage"].as_array().unwrap().len(), 1);
    doc["dnaTests"][0]["date"] = json!("2026-01-11");
    changed!(w, "alpha", "animals", COW, {"dnaTests": doc["dnaTests"]});
    assert_eq!(parentage(w, COW).await, verdict("stated", Json::Null));

    // What the Association sends back as it was does not begin to count, what it writes anew does.
    let same = w.doc("animals", COW).await["dnaTests"].clone();
    changed!(w, "expert", "animals", COW, {"dnaTests": same});
    assert_eq!(parentage(w, COW).await, verdict("stated", Json::Null));
    w.changed("expert", "animals", COW, json!({"dnaTests": [test]})).await;
    assert_eq!(parentage(w, COW).await, verdict("confirmed", "association"));
    // The certificate shows what somebody vouches for.
    let mut two = w.doc("animals", COW).await["dnaTests"].clone();
    two.as_array_mut().unwrap().push(json!({"verdict": "confirmed", "authMethod": "byM", "result": "own"}));
    changed!(w, "alpha", "animals", COW, {"dnaTests": two});
    let shown = issued(w, ZOOTECHNICAL, COW).await;
    assert_eq!(shown["snapshot"]["parentage"].as_array().unwrap().len(), 1);
}

#[test_with(World::each)]
async fn an_accredited_laboratory_vouches_and_its_exclusions_stay(w: &World<'_>) {
    let tests = |verdict: &str| json!({"dnaTests": [{"verdict": verdict, "authMethod": "byOM", "date": "2025-06-01"}]});
    let finding = async || {
        let filter = "where[code][equals]=dna-parentage-excluded&where[animal][equals]=4";
        w.list("check-findings", filter).await.len()
    };
    // Only the Association accredits.
    assert_eq!(patch!(w, "alpha", "organizations", 1, {"activities": ["laboratory"]}).status, 403);
    w.changed("alpha", "animals", 4, tests("excluded")).await;
    assert_eq!(parentage(w, 4).await, verdict("stated", Json::Null));
    let request = made!(w, "alpha", "verification-requests", {"purpose": "trust", "animals": [4]});
    changed!(w, "expert", "verification-requests", request, {"status": "checking"});
    assert_eq!(finding().await, 0, "the word of the owner excludes nothing");

    changed!(w, "admin", "organizations", 1, {"activities": ["laboratory"]});
    w.changed("alpha", "animals", 4, json!({"dnaTests": []})).await;
    w.changed("alpha", "animals", 4, tests("confirmed")).await;
    assert_eq!(parentage(w, 4).await, verdict("confirmed", "laboratory"));
    changed!(w, "admin", "organizations", 1, {"activities": []});
    // It was one when it sent it.
    changed!(w, "alpha", "animals", 4, {"notes": "n"});
    assert_eq!(parentage(w, 4).await, verdict("confirmed", "laboratory"));
    // Another father was not compared; the mother was.
    changed!(w, "alpha", "animals", 4, {"father": null});
    assert_eq!(parentage(w, 4).await.0, "unknown");
    changed!(w, "alpha", "animals", 4, {"father": 1});
    assert_eq!(parentage(w, 4).await, verdict("stated", Json::Null));

    w.changed("expert", "animals", 4, tests("excluded")).await;
    assert_eq!(parentage(w, 4).await, verdict("excluded", "association"));
    for body in [json!({"dnaTests": []}), json!({"dnaTests": null}), tests("confirmed")] {
        refused!(w, "alpha", "PATCH /api/animals/4", body => 403 ["dnaTests"]);
    }
    w.changed("expert", "animals", 4, json!({"dnaTests": []})).await;
    assert_eq!(parentage(w, 4).await.0, "declared");
}

#[test_with(World::each)]
async fn numbers_of_the_server_are_its_own(w: &World<'_>) {
    family(w).await;
    let body = |number: &str| json!({"title": "t", "type": "other", "number": number});
    for number in ["RU-2026-0001", "ru 2026 0001", "RU20260001", "В-2026-001", "b-2026-001", "A-2026-0000001"] {
        refused!(w, "alpha", "POST /api/documents", body(number) => 400 ["number"]);
    }
    let contract = w.made("alpha", "documents", body("17/2026")).await;
    refused!(w, "alpha", "PATCH /api/documents/{contract}", {"number": "RU-2026-0002"} => 400 ["number"]);
    changed!(w, "alpha", "documents", contract, {"title": "Contract"});

    // Numbers that are taken, since books are taken over, are passed over, for many at once too.
    for number in ["RU-2026-0001", "RU-2026-0003"] {
        w.made("expert", "documents", body(number)).await;
    }
    let one = issued(w, PEDIGREE, COW).await;
    assert_eq!(one["number"], "RU-2026-0002");
    let all = json!([
        {"title": "t", "type": PEDIGREE, "animal": COW, "issuedAt": "2026-03-01"},
        {"title": "t", "type": ZOOTECHNICAL, "animal": COW, "issuedAt": "2026-03-01", "number": "RU-2026-0004"},
        {"title": "t", "type": PEDIGREE, "animal": COW, "issuedAt": "2026-03-01"},
    ]);
    let answer = ask!(w, "expert", "POST /api/documents?depth=0", all => 201).json();
    let number = |at: usize| answer["results"][at]["doc"]["number"].clone();
    assert_eq!([number(0), number(1), number(2)], ["RU-2026-0005", "RU-2026-0004", "RU-2026-0006"]);
    // What only the database sees names the field that callers know.
    force(w, "documents", contract, &[("number", "RU-2026-0007".into())]).await;
    assert_eq!(paths(&w.post("expert", "documents", body("RU-2026-0007")).await), ["number"]);
}

#[test_with(World::each)]
async fn a_new_certificate_takes_the_place_of_the_one_before(w: &World<'_>) {
    family(w).await;
    let open = async || {
        let filter = format!("where[animal][equals]={COW}&where[revoked.at][exists]=false");
        let all = w.list("documents", &filter).await;
        all.iter().map(|doc| doc["number"].clone()).collect::<Vec<_>>()
    };
    let first = issued(w, PEDIGREE, COW).await;
    let other = issued(w, ZOOTECHNICAL, COW).await;
    assert_eq!(open().await, [first["number"].clone(), other["number"].clone()]);
    let answer = ask!(w, "expert", "POST /api/documents?depth=0", {
        "title": "t", "type": PEDIGREE, "animal": COW, "issuedAt": "2026-03-01", "organization": 1,
    } => 201);
    let second = answer.json()["doc"].clone();
    assert_eq!(open().await, [other["number"].clone(), second["number"].clone()]);
    let revoked = w.doc("documents", first["id"].as_i64().unwrap()).await;
    let reason = revoked["revoked"]["reason"].as_str().unwrap();
    assert!(reason.contains(second["number"].as_str().unwrap()), "{reason}");

    // Many at the same moment leave one.
    let body = json!({"title": "t", "type": PEDIGREE, "animal": COW, "issuedAt": "2026-03-01"});
    let issue = || async { w.post("expert", "documents", body.clone()).await.status };
    let all = futures_util::future::join_all((0..4).map(|_| issue())).await;
    assert_eq!(all, [201; 4]);
    assert_eq!(open().await.len(), 2);
    // Drafts and other documents stay.
    made!(w, "alpha", "documents", {"title": "d", "type": PEDIGREE, "animal": COW});
    assert_eq!(open().await.len(), 3);
    let filter = format!("where[animal][equals]={COW}&where[revoked.at][exists]=true");
    assert_eq!(w.list("documents", &filter).await.len(), 5);
}

/// A request with an API key.
async fn with(w: &World<'_>, key: &str, method: &str, path: &str, body: Json) -> Answer {
    let key = format!("users API-Key {key}");
    let headers = [("content-type", "application/json"), ("authorization", key.as_str())];
    let request = crate::rest::stage::request(method, path, &headers, body.to_string().into());
    w.stage.ask(request).await
}

#[test_with(World::each)]
async fn what_a_key_opened_ends_with_the_key(w: &World<'_>) {
    let separate = async |name: &str| {
        let key = ask!(w, "alpha", "POST /api/api-keys?depth=0", {"name": name, "scope": "write"} => 201);
        let doc = key.json()["doc"].clone();
        (doc["id"].as_i64().unwrap(), doc["key"].as_str().unwrap().to_owned())
    };
    let account = changed!(w, "alpha", "users", 11, {"enableAPIKey": true});
    let account = account["apiKey"].as_str().unwrap().to_owned();
    let ((stolen, key), (_, other)) = (separate("Robot").await, separate("Other").await);
    let openings = [
        ("share-links", json!({"animals": [2], "scopes": ["production"], "expiresAt": "2026-04-01"})),
        ("access-grants", json!({"grantee": 2, "scopes": ["production"], "note": "Seen."})),
        ("genotype-consents", json!({"grantee": 2, "purposes": ["research"]})),
        ("mandates", json!({"receiver": 2, "datasets": ["weights"]})),
        ("webhooks", json!({"url": "https://hooks.example.com/a", "dataset": "weights"})),
    ];
    let is_open = |slug: &str, doc: &Json| match slug {
        "webhooks" => doc["enabled"] == true,
        _ => doc["revokedAt"].is_null(),
    };
    for (slug, body) in openings {
        let path = format!("/api/{slug}?depth=0");
        let made = async |key: &str| {
            let answer = with(w, key, "POST", &path, body.clone()).await;
            assert_eq!(answer.status, 201, "{slug}: {}", answer.text);
            answer.json()["doc"]["id"].as_i64().unwrap()
        };
        let by_stolen = made(&key).await;
        let by_account = made(&account).await;
        let by_other = made(&other).await;
        let by_person = w.made("alpha", slug, body.clone()).await;
        // A key opens no more of what others opened, and may end it.
        let more = match slug {
            "webhooks" => json!({"url": "https://hooks.example.com/b"}),
            "mandates" => json!({"validUntil": "2027-01-01"}),
            "share-links" => json!({"note": "n"}),
            _ => json!({"expiresAt": "2027-01-01"}),
        };
        for (row, status) in [(by_stolen, 200), (by_person, if slug == "share-links" { 200 } else { 403 })] {
            let answer = with(w, &key, "PATCH", &format!("/api/{slug}/{row}"), more.clone()).await;
            assert_eq!(answer.status, status, "{slug}: {}", answer.text);
        }
        let all = [by_stolen, by_account, by_other, by_person];
        changed!(w, "alpha", "api-keys", stolen, {"note": "n"});
        assert!(is_open(slug, &w.doc(slug, by_stolen).await), "{slug}");
        // Each slug ends with a key of its own turn.
        let before: Vec<bool> = vec![true; 4];
        let mut now = Vec::new();
        for row in all {
            now.push(is_open(slug, &w.doc(slug, row).await));
        }
        assert_eq!(now, before, "{slug}");
    }
    changed!(w, "alpha", "api-keys", stolen, {"revokedAt": "2026-03-01"});
    let stands = async || {
        let mut all = Vec::new();
        for slug in ["share-links", "access-grants", "genotype-consents", "mandates", "webhooks"] {
            let rows = w.list(slug, "").await;
            let open: Vec<bool> = rows.iter().map(|doc| is_open(slug, doc)).collect();
            all.push((slug, open));
        }
        all
    };
    for (slug, open) in stands().await {
        assert_eq!(open, [false, true, true, true], "{slug}");
    }
    let grant = w.list("access-grants", "").await[0].clone();
    let note = grant["note"].as_str().unwrap();
    assert!(note.starts_with("Seen.\n") && note.contains("Ended with its API key."), "{note}");
    assert_eq!(w.list("webhooks", "").await[0]["disabledReason"], "key-revoked");
    changed!(w, "alpha", "users", 11, {"enableAPIKey": false});
    for (slug, open) in stands().await {
        assert_eq!(open, [false, false, true, true], "{slug}");
    }
}

#[test_with(World::each)]
async fn a_viewer_offers_no_set_of_animals(w: &World<'_>) {
    let set = json!({"name": "Mine", "place": "herd", "query": "", "adeSet": true, "members": [2]});
    refused!(w, "viewer", "POST /api/saved-searches", set => 403 ["adeSet"]);
    let mut own = set.clone();
    own["adeSet"] = json!(false);
    let own = w.made("viewer", "saved-searches", own).await;
    changed!(w, "viewer", "saved-searches", own, {"name": "Still mine"});
    refused!(w, "viewer", "PATCH /api/saved-searches/{own}", {"adeSet": true} => 403 ["adeSet"]);
    // One who became a viewer does not go on with what was offered.
    let offered = w.made("operator", "saved-searches", set).await;
    changed!(w, "admin", "users", 12, {"orgRole": "viewer"});
    refused!(w, "operator", "PATCH /api/saved-searches/{offered}", {"members": [4]} => 403 ["adeSet"]);
    refused!(w, "operator", "DELETE /api/saved-searches/{offered}" => 403 ["adeSet"]);
    w.gone("viewer", "saved-searches", own).await;
}

#[test_with(World::each)]
async fn the_same_rights_have_the_same_tag(w: &World<'_>) {
    let tag = async |who: &str| {
        let answer = ask!(w, who, "GET /api/access" => 200);
        (answer.header("etag").to_owned(), answer.text)
    };
    let mut before = Vec::new();
    for who in ["alpha", "viewer", "expert", "beta"] {
        before.push(tag(who).await);
    }
    w.stage.pass(61);
    for (who, before) in ["alpha", "viewer", "expert", "beta"].into_iter().zip(before) {
        assert!(!before.0.is_empty(), "{who}");
        assert_eq!(tag(who).await, before, "{who}");
    }
    changed!(w, "admin", "users", 12, {"orgRole": "viewer"});
    assert_ne!(tag("operator").await.0, tag("alpha").await.0);
}

#[test_with(World::each)]
async fn texts_of_one_line_and_addresses_are_judged_on_every_face(w: &World<'_>) {
    for name in ["A\nB", "A\u{202e}B", "A\u{7}", "A\u{2028}B"] {
        refused!(w, "alpha", "POST /api/organizations", {"name": name} => 400 ["name"]);
        refused!(w, "alpha", "PATCH /api/users/11", {"lastName": name} => 400 ["lastName"]);
        refused!(w, "alpha", "PATCH /api/animals/2", {"altIds": {"earTag": name}} => 400 ["altIds.earTag"]);
        refused!(w, "alpha", "PATCH /api/animals/2", {"shows": [{"date": "2025-01-01", "title": name}]}
            => 400 ["shows.0.title"]);
    }
    let query = json!({"query": "mutation { createOrganization(data: {name: \"A\\u202eB\"}) { id } }"});
    let answer = w.ask("alpha", "POST", "/api/graphql", query.to_string()).await;
    answer.has(&["\"name\"", "errors"]);
    let answer = w.post("alpha", "invitations", json!({"email": "new@x.example"})).await.json();
    let token = answer["doc"]["token"].as_str().unwrap();
    let body = json!({"token": token, "password": "long enough", "firstName": "E\u{202e}va", "lastName": "Berg"});
    let answer = w.stage.post("/api/invitations/accept", body.to_string()).await;
    answer.assert_faulty(400, &["firstName"]);
    // Remarks have lines.
    changed!(w, "alpha", "animals", 2, {"notes": "one\ntwo"});

    for address in ["<a@b.c>", "a@[127.0.0.1]", "a@127.0.0.1", "\"a b\"@c.d", "a@b.c, d@e.f", "a..b@c.d"] {
        refused!(w, "alpha", "POST /api/invitations", {"email": address} => 400 ["email"]);
        refused!(w, "alpha", "PATCH /api/organizations/1", {"email": address} => 400 ["email"]);
        refused!(w, "alpha", "PATCH /api/users/11", {"email": address} => 400 ["email"]);
    }
}

#[test_with(World::each)]
async fn a_stranger_gets_few_invitations(w: &World<'_>) {
    let body = |address: &str| json!({"email": address});
    let first = w.made("alpha", "invitations", body("stranger@x.example")).await;
    // Whoever caused a letter that the mail server does not take sees it.
    let office = Office::refusing(vec![SendError::Never("no such box".to_owned())]);
    assert!(w.stage.book.run_job(&SendLetters::new(branding(), &office)).await.unwrap());
    assert_eq!(w.doc("invitations", first).await["letterFailedAt"], "2026-03-01T12:00:00.000Z");
    for who in ["beta", "alpha"] {
        w.made(who, "invitations", body("stranger@x.example")).await;
    }
    for (who, address) in [("alpha", "stranger@x.example"), ("beta", " Stranger@X.example")] {
        let answer = refused!(w, who, "POST /api/invitations", body(address) => 400 ["email"]);
        answer.has(&["2026-03-02T12:00:00.000Z"]);
    }
    assert_eq!(w.stage.number("SELECT count(*) FROM mail_outbox").await, 2);
    // In one list too.
    let list: Vec<Json> = (0..4).map(|_| body("other@x.example")).collect();
    let answer = w.ask("alpha", "POST", "/api/invitations", Json::from(list).to_string()).await;
    let statuses: Vec<Json> =
        (answer.json()["results"].as_array().unwrap().iter()).map(|one| one["status"].clone()).collect();
    assert_eq!(statuses, [201, 201, 201, 400]);
    let list: Vec<Json> = (0..50).map(|n| body(&format!("n{n}@x.example"))).collect();
    let answer = w.ask("alpha", "POST", "/api/invitations", Json::from(list).to_string()).await;
    let statuses = answer.json()["results"].as_array().unwrap().clone();
    let made = statuses.iter().filter(|one| one["status"] == 201).count();
    assert_eq!(made, 45, "fifty a day of one organisation");
    refused!(w, "alpha", "POST /api/invitations", body("one-more@x.example") => 400 ["organization"]);
    made!(w, "beta", "invitations", {"email": "one-more@x.example"});
    w.stage.pass(86_400);
    let w = &World::signed_in(w.stage).await;
    w.made("alpha", "invitations", body("stranger@x.example")).await;
}

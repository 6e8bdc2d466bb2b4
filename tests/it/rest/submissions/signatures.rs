//! Signed packages: what is signed, who downloads it, how it is verified, what became of it since (docs/packages.md).

use super::course::package;
use crate::rest::animals::states::force;
use crate::rest::world::{NOT_FOUND, World};
use crate::support::program::ran;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::record::Value;
use secure::ed25519::PublicKey;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use store::{Sql, Ty};

const KEYS: &str = "/.well-known/herdbook-keys.json";

/// A signed package of two calvings.
async fn signed(w: &World<'_>) -> (i64, [i64; 2]) {
    let body = json!({"kind": "events", "periodFrom": "2026-01-01", "periodTo": "2026-02-01"});
    let (id, rows) = package(w, body).await;
    sign(w, id).await;
    (id, rows)
}

/// A package of one weighing: calvings of the same days would be found twice.
async fn another(w: &World<'_>) -> i64 {
    let id = made!(w, "alpha", "data-submissions", {"kind": "events"});
    let row = made!(w, "alpha", "weighings", {"animal": 2, "date": "2025-04-01", "weight": 600});
    force(w, "weighings", row, &[("submission", Value::Int(id))]).await;
    id
}

async fn sign(w: &World<'_>, id: i64) -> Json {
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    changed!(w, "expert", "data-submissions", id, {"status": "checked"})
}

pub(crate) fn path(id: i64, what: &str) -> String {
    format!("/api/data-submissions/{id}/{what}")
}

/// The differences that a refused download names: collection, id, change, paths.
async fn differences(w: &World<'_>, who: &str, id: i64) -> Vec<(String, i64, String, Vec<String>)> {
    let answer = w.get(who, &path(id, "signed")).await;
    assert_eq!(answer.status, 409, "{}", answer.text);
    let error = answer.json()["errors"][0].clone();
    holds!(error, {"name": "Conflict", "data.more": false, "data.most": 50});
    let text = |value: &Json| value.as_str().unwrap().to_owned();
    let row = |row: &Json| {
        let fields = row["fields"].as_array().unwrap().iter();
        let paths = fields.map(|field| text(&field["path"])).collect();
        (text(&row["collection"]), row["id"].as_i64().unwrap(), text(&row["change"]), paths)
    };
    (error["data"]["rows"].as_array().unwrap().iter()).map(row).collect()
}

/// What the program says of a file under the keys.
fn verified(file: &str, keys: &str) -> (Option<i32>, Json) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("package.ndjson"), file).unwrap();
    std::fs::write(dir.path().join("keys.json"), keys).unwrap();
    let ran = ran(dir.path(), &["verify", "package.ndjson", "--key", "keys.json"]);
    let report = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
    (ran.code, report)
}

fn codes(report: &Json) -> Vec<&str> {
    let faults = report["faults"].as_array().unwrap().iter();
    faults.map(|fault| fault["code"].as_str().unwrap()).collect()
}

#[test_with(World::each)]
async fn anybody_verifies_a_downloaded_package(w: &World<'_>) {
    let (id, rows) = signed(w).await;
    let answer = w.get("alpha", &path(id, "signed")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let saved = "attachment; filename=\"package-000001.ndjson\"";
    assert_eq!(answer.header("content-disposition"), saved);
    let file = answer.text;
    for who in ["expert", "admin", "viewer"] {
        assert_eq!(w.get(who, &path(id, "signed")).await.text, file);
    }

    let (head, lines) = file.split_once('\n').unwrap();
    let head: Json = serde_json::from_str(head).unwrap();
    let doc = w.doc("data-submissions", id).await;
    let sum: String = (Sha256::digest(lines).iter()).map(|b| format!("{b:02x}")).collect();
    holds!(head["statement"], {
        "package": "000001", "organization.id": 1, "organization.name": "Alpha", "rows": 2, "sha256": sum,
        "kind": "events", "dataset": null, "period.from": "2026-01-01", "period.to": "2026-02-01",
        "signer.id": 2, "signedAt": doc["signature"]["at"], "algorithm": "Ed25519",
    });
    assert!(head["statement"]["signer"]["name"].is_string());
    holds!(doc["signature"], {
        "rows": 2, "sha256": sum, "key": head["signature"]["key"], "value": head["signature"]["value"],
        "algorithm": "Ed25519",
    });
    let known: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<i64> = known.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, rows);
    let fields = json!({"animal": 2, "date": "2026-02-01T00:00:00.000Z", "number": 1});
    for (path, value) in fields.as_object().unwrap() {
        assert_eq!(&known[0]["fields"][path], value);
    }
    assert_eq!(known[0]["fields"]["verification"], Json::Null, "of the server");

    // The keys are open to everybody.
    let keys = w.get("", KEYS).await;
    assert_eq!((keys.status, keys.header("content-type")), (200, "application/jwk-set+json"));
    let (code, body) = verified(&file, &keys.text);
    assert_eq!(code, Some(0), "{body}");
    holds!(body, {"event": "verified", "valid": true, "package": "000001", "organization.name": "Alpha", "rows": 2});

    let changed = lines.replacen("\"number\":1", "\"number\":2", 1);
    let changed = file.replace(lines, &changed);
    let (code, body) = verified(&changed, &keys.text);
    assert_eq!((code, codes(&body)), (Some(3), vec!["hash"]));
    let shorter = file.trim_end().rsplit_once('\n').unwrap().0;
    let (code, body) = verified(&format!("{shorter}\n"), &keys.text);
    assert_eq!((code, codes(&body)), (Some(3), vec!["count", "hash"]));
    let renamed = file.replacen("Alpha", "Alphb", 1);
    let (code, body) = verified(&renamed, &keys.text);
    assert_eq!((code, codes(&body)), (Some(3), vec!["signature"]));
}

#[test_with(World::each)]
async fn what_became_of_the_rows_since_is_told(w: &World<'_>) {
    let (id, [one, other]) = signed(w).await;
    let file = w.get("alpha", &path(id, "signed")).await.text;
    changed!(w, "alpha", "calvings", one, {"comment": "New.", "number": 2});
    let expected =
        vec![("calvings".to_owned(), one, "changed".to_owned(), vec!["comment".to_owned(), "number".to_owned()])];
    assert_eq!(differences(w, "alpha", id).await, expected);
    assert_eq!(differences(w, "expert", id).await, expected);
    let answer = w.get("alpha", &path(id, "signed")).await.json();
    let field = answer["errors"][0]["data"]["rows"][0]["fields"][1].clone();
    assert_eq!(field, json!({"path": "number", "signed": 1, "now": 2}));

    // As it was signed it stays.
    let second = w.get("alpha", &path(id, "signed?asSigned=true")).await;
    assert_eq!((second.status, &second.text), (200, &file));
    assert_eq!(verified(&file, &w.get("", KEYS).await.text).0, Some(0));

    // What is changed back is as it was signed.
    changed!(w, "alpha", "calvings", one, {"comment": null, "number": 1});
    assert_eq!(w.get("alpha", &path(id, "signed")).await.text, file);

    w.gone("alpha", "calvings", other).await;
    let late = made!(w, "alpha", "calvings", {"animal": 4, "date": "2026-02-20", "number": 2});
    force(w, "calvings", late, &[("submission", Value::Int(id))]).await;
    let lines: Vec<_> =
        (differences(w, "alpha", id).await.into_iter()).map(|(_, id, change, _)| (id, change)).collect();
    assert_eq!(lines, [(other, "removed".to_owned()), (late, "added".to_owned())]);
    let second = w.get("alpha", &path(id, "signed?asSigned=true")).await;
    assert_eq!(second.text, file);

    // The rows go with the package.
    let count = "SELECT count(*) FROM signed_rows";
    assert_eq!(w.stage.number(count).await, 1);
    w.gone("admin", "data-submissions", id).await;
    assert_eq!(w.stage.number(count).await, 0);
}

/// A row that went to a farm whose rows the sender does not read is not named to it.
#[test_with(World::each)]
async fn differences_of_rows_that_the_reader_does_not_see_are_not_told(w: &World<'_>) {
    let (id, [row, _]) = signed(w).await;
    changed!(w, "alpha", "calvings", row, {"comment": "Secret."});
    force(w, "animals", 2, &[("owner", Value::Int(2))]).await;
    force(w, "calvings", row, &[("ownerOrg", Value::Int(2))]).await;
    ask!(w, "alpha", "GET /api/calvings/{row}" => 404);
    let answer = w.get("alpha", &path(id, "signed")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.lacks(&["Secret."]);
    let report = differences(w, "expert", id).await;
    assert_eq!(report[0].1, row);
}

#[test_with(World::each)]
async fn who_may_not_read_the_package_learns_nothing(w: &World<'_>) {
    let (id, _) = signed(w).await;
    for what in ["signed", "signed?asSigned=true", "sample", "protocol"] {
        for who in ["beta", "delta", ""] {
            for id in [id, 999_999] {
                w.get(who, &path(id, what)).await.assert_is(NOT_FOUND, what);
            }
        }
    }
    assert_eq!(w.get("alpha", &path(id, "sample")).await.status, 403);
    for what in ["signed", "sample", "protocol"] {
        let path = format!("/api/animals/1/{what}");
        let answer = w.get("admin", &path).await;
        let refusal = format!("Route not found \"{path}\"");
        assert_eq!((answer.status, &answer.json()["message"]), (404, &json!(refusal)));
    }
    // What is not signed yet says so.
    let body = json!({"kind": "events", "dataset": "calvings"});
    let (open, _) = package(w, body).await;
    assert_eq!(w.get("alpha", &path(open, "signed")).await.status, 409);
    assert_eq!(w.get("beta", &path(open, "signed")).await.status, 404);
}

#[test_with(World::each)]
async fn the_first_key_is_one_for_all_processes(w: &World<'_>) {
    assert_eq!(w.get("", KEYS).await.json(), json!({"keys": []}));
    let neighbour = w.stage.other_process().await;
    let other = World::of(&neighbour, w.tokens());
    let mut ids = Vec::new();
    for id in [package(w, json!({})).await.0, another(w).await] {
        changed!(w, "expert", "data-submissions", id, {"status": "checking"});
        ids.push(id);
    }
    let checked = || json!({"status": "checked"});
    let (one, two) = tokio::join!(
        w.changed("expert", "data-submissions", ids[0], checked()),
        other.changed("expert", "data-submissions", ids[1], checked()),
    );
    assert_eq!(one["signature"]["key"], two["signature"]["key"]);
    let keys = w.list("signing-keys", "").await;
    assert_eq!(keys.len(), 1);
    assert_eq!(other.get("", KEYS).await.text, w.get("", KEYS).await.text);
}

#[test_with(World::each)]
async fn the_private_half_is_read_on_no_face(w: &World<'_>) {
    signed(w).await;
    let row = &w.list("signing-keys", "").await[0];
    let names: BTreeSet<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = ["algorithm", "createdAt", "id", "keyId", "publicKey", "retiredAt", "updatedAt"];
    assert_eq!(names, BTreeSet::from(expected));
    let sql = "SELECT private_key FROM signing_keys";
    let rows = w.stage.book.store.rows(Sql::new(sql)).await.unwrap();
    let stored = rows[0].text(0).unwrap().to_owned();
    // The seed and what is stored of it.
    let seed = w.stage.book.keys.disclose(secure::keys::Purpose::Signature, &stored).unwrap();
    let seed = URL_SAFE_NO_PAD.encode(seed);
    assert!(!stored.contains(&seed));
    for who in ["", "alpha", "expert", "admin"] {
        for path in [
            "/api/signing-keys?limit=0&depth=2",
            "/api/signing-keys/1?select[privateKey]=true",
            "/api/operations?limit=0&depth=2",
            "/api/data-submissions?limit=0&depth=2",
            KEYS,
            "/.well-known/ade",
        ] {
            let text = w.get(who, path).await.text;
            assert!(!text.contains(&stored) && !text.contains(&seed), "{path}");
            assert!(!text.contains("privateKey"), "{path}");
        }
        let filtered = format!("/api/signing-keys?where[privateKey][equals]={stored}");
        assert_eq!(w.get(who, &filtered).await.status, 400);
        ask!(w, who, "GET /api/signing-keys?sort=privateKey" => 400);
        let query = json!({"query": "{ SigningKeys { docs { privateKey } } }"}).to_string();
        let answer = w.ask(who, "POST", "/api/graphql", query).await;
        answer.lacks(&[&stored]);
    }
    // Nobody writes keys.
    for who in ["", "alpha", "expert", "admin"] {
        let body = json!({"publicKey": "x", "privateKey": "x"});
        w.post(who, "signing-keys", body.clone()).await.assert_is(403, who);
        assert_eq!(w.delete(who, "signing-keys", 1).await.status, 403, "{who}");
        w.patch(who, "signing-keys", 1, body).await;
        assert_eq!(&w.list("signing-keys", "").await[0], row, "{who}");
    }
}

#[test_with(World::each)]
async fn an_admin_retires_a_key_and_what_it_signed_stays_verifiable(w: &World<'_>) {
    let (first, _) = signed(w).await;
    let file = w.get("alpha", &path(first, "signed")).await.text;
    for who in ["", "alpha", "expert"] {
        ask!(w, who, "POST /api/signing-keys/1/retire" => 403);
    }
    let answer = ask!(w, "admin", "POST /api/signing-keys/1/retire" => 200);
    let retired = answer.json()["doc"]["retiredAt"].clone();
    assert!(retired.is_string());
    w.stage.pass(60);
    w.ask("admin", "POST", "/api/signing-keys/1/retire", "").await;
    assert_eq!(w.doc("signing-keys", 1).await["retiredAt"], retired, "once");
    changed!(w, "admin", "signing-keys", 1, {"retiredAt": null});
    assert_eq!(w.doc("signing-keys", 1).await["retiredAt"], retired, "for good");

    let second = another(w).await;
    let next = sign(w, second).await;
    let keys = w.get("", KEYS).await;
    let ids: Vec<String> = (PublicKey::all_of(&keys.json()).iter()).map(PublicKey::id).collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(next["signature"]["key"], ids[1].as_str());
    assert_eq!(verified(&file, &keys.text).0, Some(0));
    let newer = w.get("alpha", &path(second, "signed")).await.text;
    assert_eq!(verified(&newer, &keys.text).0, Some(0));
    let lone = json!({"keys": [keys.json()["keys"][1]]}).to_string();
    let (code, body) = verified(&file, &lone);
    assert_eq!((code, codes(&body)), (Some(3), vec!["key"]));
    let logged = w.list("operations", "where[action][like]=signing-key").await;
    let actions: Vec<&str> = logged.iter().map(|row| row["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["signing-key-created", "signing-key-retired", "signing-key-created"]);
}

/// A key that was stored under a secret that is gone refuses the signature, and nothing else is written.
#[test_with(World::each)]
async fn a_lost_key_is_said_and_another_one_begins_when_it_is_retired(w: &World<'_>) {
    signed(w).await;
    let ring = secure::keys::KeyRing::new(&secure::keys::random_secret(), None).unwrap();
    let (_, closed) = secure::ed25519::SigningPair::new(&ring).unwrap();
    let sql = Sql::new("UPDATE signing_keys SET private_key = ").with(Ty::Text, closed);
    w.stage.run(sql).await;
    let id = another(w).await;
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    let at = format!("/api/data-submissions/{id}");
    let answer = refused!(w, "expert", "PATCH {at}", {"status": "checked"} => 400 ["signature"]);
    answer.has(&["/api/signing-keys/1/retire"]);
    w.ask("admin", "POST", "/api/signing-keys/1/retire", "").await;
    changed!(w, "expert", "data-submissions", id, {"status": "checked"});
    let file = w.get("alpha", &path(id, "signed")).await.text;
    assert_eq!(verified(&file, &w.get("", KEYS).await.text).0, Some(0));
}

#[test_with(World::each)]
async fn a_sample_is_drawn_again_by_its_seed(w: &World<'_>) {
    let (id, _) = package(w, json!({})).await;
    for day in 1..=9 {
        let body = json!({"animal": 2, "date": format!("2026-01-0{day}"), "weight": 500 + day});
        let row = w.made("alpha", "weighings", body).await;
        force(w, "weighings", row, &[("submission", Value::Int(id))]).await;
    }
    let drawn = async |query: &str| {
        let answer = w.get("expert", &path(id, &format!("sample?depth=0&{query}"))).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.header("x-ignored"), "");
        answer.json()
    };
    let ids = |report: &Json| -> Vec<(String, i64)> {
        (report["docs"].as_array().unwrap().iter())
            .map(|row| (row["collection"].to_string(), row["doc"]["id"].as_i64().unwrap()))
            .collect()
    };
    let one = drawn("n=4").await;
    holds!(one, {"n": 4, "rows": 11});
    let seed = one["seed"].as_str().unwrap();
    let second = drawn(&format!("n=4&seed={seed}")).await;
    assert_eq!(second, one);
    assert_eq!(ids(&one).len(), 4);
    // More of the same seed begin with the same ones.
    let more = drawn(&format!("n=8&seed={seed}")).await;
    assert_eq!(ids(&more)[..4], ids(&one)[..]);
    let mut all = BTreeSet::new();
    for seed in 0..40 {
        all.extend(ids(&drawn(&format!("n=2&seed={seed}")).await));
    }
    assert_eq!(all.len(), 11, "every row is drawn now and then");
    assert_eq!(ids(&drawn("").await).len(), 11);
    for bad in ["n=0", "n=201", "n=x", "seed=", "seed[a]=1"] {
        let answer = w.get("expert", &path(id, &format!("sample?{bad}"))).await;
        assert_eq!(answer.status, 400, "{bad}");
    }
}

#[test_with(World::each)]
async fn the_protocol_tells_the_course_of_a_package(w: &World<'_>) {
    let body = json!({"kind": "events", "periodFrom": "2026-01-01", "periodTo": "2026-02-01"});
    let (id, _) = package(w, body).await;
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    let doc = changed!(w, "expert", "data-submissions", id, {"status": "checked", "review": {
        "totalRows": 2, "acceptedRows": 1, "rejectedRows": 1, "comment": "<b>Fine</b>",
        "findings": [{"animal": 4, "field": "date", "text": "Too <i>young</i>."}],
    }});
    let answer = w.get("alpha", &path(id, "protocol")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert!(answer.header("content-security-policy").contains("default-src 'none'"));
    let page = &answer.text;
    let signature = &doc["signature"];
    for text in [
        "Protocol of package 000001",
        "Alpha",
        "2026-01-01 – 2026-02-01",
        "Rows without objection",
        "checking",
        "Too &lt;i&gt;young&lt;/i&gt;.",
        "&lt;b&gt;Fine&lt;/b&gt;",
        signature["sha256"].as_str().unwrap(),
        signature["key"].as_str().unwrap(),
        signature["value"].as_str().unwrap(),
        "2026-03-01",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    for text in ["<script", "<b>", "<i>", "@demo.herdbook"] {
        assert!(!page.contains(text), "{text}");
    }
    for who in [2, 11] {
        let user = w.doc("users", who).await;
        let name = format!("{} {}", user["lastName"].as_str().unwrap(), user["firstName"].as_str().unwrap());
        assert!(page.contains(&name), "{name}: {page}");
    }
    let number = w.doc("animals", 4).await["identNumber"].as_str().unwrap().to_owned();
    assert!(page.contains(&number), "{number}");
    assert_russian_protocol(w, id).await;
    // Of an animal that went to a farm whose card is closed, its id only.
    force(w, "animals", 4, &[("owner", Value::Int(2)), ("publicVisible", Value::Bool(false))]).await;
    w.get("alpha", &path(id, "protocol")).await.lacks(&[&number]);
    w.get("expert", &path(id, "protocol")).await.has(&[&number]);
}

/// In Russian for those who prefer it: every label, and the words of the model.
async fn assert_russian_protocol(w: &World<'_>, id: i64) {
    let (path_of, russian) = (path(id, "protocol"), [("accept-language", "ru-RU,en;q=0.8")]);
    let page = w.send("alpha", "GET", &path_of, &russian, "").await.text;
    let words = ["lang=\"ru\"", "Протокол пакета 000001", "проверяется", "события", "исправить"];
    for text in words {
        assert!(page.contains(text), "{text}: {page}");
    }
    for rest in page.split("scope=\"").skip(1) {
        let label = rest.split(['>', '<']).nth(1).unwrap();
        let cyrillic = label.chars().any(|c| ('А'..='я').contains(&c));
        assert!(cyrillic, "{label}");
    }
}

/// What is longer than a part goes through as a whole.
#[test_with(World::each)]
async fn a_long_package_is_signed_in_parts(w: &World<'_>) {
    let (id, [row, other]) = package(w, json!({})).await;
    for row in [row, other] {
        let long = "ж".repeat(100_000);
        let sql = Sql::new("UPDATE calvings SET comment = ").with(Ty::Text, long);
        w.stage.run(sql.and(" WHERE id = ").with(Ty::Int, row)).await;
    }
    sign(w, id).await;
    assert_eq!(w.stage.number("SELECT count(*) FROM signed_rows").await, 2);
    let file = w.get("alpha", &path(id, "signed")).await;
    assert_eq!((file.status, file.text.lines().count()), (200, 3));
    assert_eq!(verified(&file.text, &w.get("", KEYS).await.text).0, Some(0));
}

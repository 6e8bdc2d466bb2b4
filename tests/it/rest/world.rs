//! A small herd book to write to: two farms, an outsider, a suspended farm, the Association, and callers who are
//! signed in. It is filled through the pipeline, so that its exchange documents are as in a real book.
//!
//! | id | organisation | | id | animal | owner |
//! |---|---|---|---|---|---|
//! | 1 | Alpha, registered | | 1 | bull, 2015 | Alpha |
//! | 2 | Beta, registered | | 2 | cow, 2020 | Alpha |
//! | 3 | Gamma, only referenced, by Alpha | | 3 | cow, 2019 | Beta |
//! | 4 | Delta, suspended | | 4 | heifer, 2024, of 1 and 2 | Alpha |
//! | | | | 5 | cow, 2020 | Delta |

use super::stage::{Answer, DIALECTS, Filled, PASSWORD, Stage, Worlds, dialects, request};
use axum::body::Body;
use ops::FillRow;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::Dialect;

/// Callers and their users: the Association, Alpha's head, operator and viewer, Beta's head, Delta's head.
const CALLERS: [(&str, i64); 7] =
    [("admin", 1), ("expert", 2), ("alpha", 11), ("operator", 12), ("viewer", 13), ("beta", 21), ("delta", 41)];

/// 403 without a path.
pub(crate) const FORBIDDEN: (u16, &str) =
    (403, r#"{"errors":[{"message":"You are not allowed to perform this action."}]}"#);
/// 404 of a document.
pub(crate) const NOT_FOUND: (u16, &str) = (404, r#"{"errors":[{"message":"Not Found"}]}"#);

pub(crate) struct World<'s> {
    pub(crate) stage: &'s Stage,
    tokens: Tokens,
}

/// The tokens of the callers, which signed in when the world was made.
pub(crate) type Tokens = BTreeMap<&'static str, String>;

impl<'s> World<'s> {
    /// One world after another on each database of this depth.
    pub(crate) async fn each(test: impl AsyncFn(&World<'_>)) {
        Self::on(dialects(), test).await;
    }

    /// The same on each database at any depth: for laws, and for differences between databases.
    pub(crate) async fn both(test: impl AsyncFn(&World<'_>)) {
        Self::on(&DIALECTS, test).await;
    }

    async fn on(dialects: &[Dialect], test: impl AsyncFn(&World<'_>)) {
        for dialect in dialects {
            if let Some(begun) = begun(*dialect).await {
                let test = async |stage: &Stage| {
                    let tokens = begun.known.clone();
                    test(&World { stage, tokens }).await;
                };
                Stage::show(&begun.template, &test).await;
            }
        }
    }

    /// The same under settings that differ from the defaults.
    pub(crate) async fn under(changed: &[(&'static str, &str)], test: impl AsyncFn(&World<'_>)) {
        for dialect in dialects() {
            if let Some(begun) = begun(*dialect).await {
                let stage = Stage::copy(&begun.template, changed).await;
                let tokens = begun.known.clone();
                let stage = &stage;
                test(&World { stage, tokens }).await;
                stage.assert_sound().await;
            }
        }
    }

    /// The tokens of the callers.
    pub(crate) fn tokens(&self) -> Tokens {
        self.tokens.clone()
    }

    /// A stage as such a world, with these callers.
    pub(crate) fn of(stage: &'s Stage, tokens: Tokens) -> Self {
        Self { stage, tokens }
    }

    /// The same world with callers who signed in just now.
    pub(crate) async fn signed_in(stage: &'s Stage) -> Self {
        let mut tokens = BTreeMap::new();
        for (caller, _) in CALLERS {
            let token = stage.token(&format!("{caller}@demo.herdbook")).await;
            tokens.insert(caller, format!("JWT {token}"));
        }
        Self { stage, tokens }
    }

    /// A request of a caller; of a stranger (`""`) without a token.
    pub(crate) async fn ask(&self, who: &str, method: &str, path: &str, body: impl Into<Body>) -> Answer {
        self.send(who, method, path, &[("content-type", "application/json")], body).await
    }

    /// What a line of `ask!` does.
    pub(crate) async fn answer_to(&self, who: &str, method: &str, path: &str, body: String) -> Answer {
        self.ask(who, method, path, body).await
    }

    /// A request with headers of its own.
    pub(crate) async fn send(
        &self,
        who: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let mut headers = headers.to_vec();
        if !who.is_empty() {
            headers.push(("authorization", self.tokens[who].as_str()));
        }
        let request = request(method, path, &headers, body.into());
        self.stage.ask(request).await
    }

    pub(crate) async fn get(&self, who: &str, path: &str) -> Answer {
        self.ask(who, "GET", path, Body::empty()).await
    }

    pub(crate) async fn post(&self, who: &str, slug: &str, body: Value) -> Answer {
        let path = format!("/api/{slug}?depth=0");
        self.ask(who, "POST", &path, body.to_string()).await
    }

    pub(crate) async fn patch(&self, who: &str, slug: &str, id: i64, body: Value) -> Answer {
        let path = format!("/api/{slug}/{id}?depth=0");
        self.ask(who, "PATCH", &path, body.to_string()).await
    }

    pub(crate) async fn delete(&self, who: &str, slug: &str, id: i64) -> Answer {
        let path = format!("/api/{slug}/{id}?depth=0");
        self.ask(who, "DELETE", &path, Body::empty()).await
    }

    /// Creates, and gives the id.
    pub(crate) async fn made(&self, who: &str, slug: &str, body: Value) -> i64 {
        let answer = ask!(self, who, "POST /api/{slug}?depth=0", body => 201);
        answer.json()["doc"]["id"].as_i64().unwrap()
    }

    /// Updates, and gives the document.
    pub(crate) async fn changed(&self, who: &str, slug: &str, id: i64, body: Value) -> Value {
        ask!(self, who, "PATCH /api/{slug}/{id}?depth=0", body => 200).json()["doc"].clone()
    }

    pub(crate) async fn gone(&self, who: &str, slug: &str, id: i64) {
        ask!(self, who, "DELETE /api/{slug}/{id}?depth=0" => 200);
    }

    /// The document as an admin sees it, relations as ids.
    pub(crate) async fn doc(&self, slug: &str, id: i64) -> Value {
        ask!(self, "admin", "GET /api/{slug}/{id}?depth=0" => 200).json()
    }

    /// The rows of a list as an admin sees them, oldest first.
    pub(crate) async fn list(&self, slug: &str, filter: &str) -> Vec<Value> {
        let answer = ask!(self, "admin", "GET /api/{slug}?depth=0&limit=0&sort=id&{filter}" => 200);
        answer.json()["docs"].as_array().unwrap().clone()
    }

    /// A refused request changes nothing.
    pub(crate) async fn refused(&self, who: &str, method: &str, path: &str, body: &str) -> Answer {
        let before = self.stage.content().await;
        let answer = self.ask(who, method, path, body.to_owned()).await;
        let short: String = body.chars().take(200).collect();
        let label = format!("{method} {path} {short}: {}", answer.text);
        assert!((400..500).contains(&answer.status), "{} {label}", answer.status);
        assert_eq!(self.stage.content().await, before, "{label}");
        answer
    }

    /// The paths and messages of a refused body.
    pub(crate) async fn faults(&self, who: &str, slug: &str, body: Value) -> Vec<(String, String)> {
        let path = format!("/api/{slug}");
        let answer = self.refused(who, "POST", &path, &body.to_string()).await;
        faults(&answer)
    }

    /// Live exchange documents of an animal, as `dataset location`, sorted; tombstones end with their reason.
    pub(crate) async fn documents(&self, animal: i64) -> Vec<String> {
        let sql = format!(
            "SELECT n.name, d.location, d.deleted, d.reason FROM exchange_documents d \
             JOIN exchange_names n ON n.id = d.dataset \
             WHERE d.animal = {animal} OR (n.name = 'animals' AND d.record = {animal})"
        );
        let rows = self.stage.book.store.rows(store::Sql::new(&sql)).await;
        let mut all: Vec<String> = (rows.unwrap().iter())
            .map(|r| {
                let (dataset, at) = (r.text(0).unwrap(), r.int(1).unwrap());
                match r.truth(2) {
                    Some(true) => format!("{dataset} {at} {}", r.text(3).unwrap()),
                    _ => format!("{dataset} {at}"),
                }
            })
            .collect();
        all.sort();
        all
    }
}

/// Paths and messages of a 400 or a 403 by field.
pub(crate) fn faults(answer: &Answer) -> Vec<(String, String)> {
    let body = answer.json();
    let list = body["errors"][0]["data"]["errors"].as_array();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (list.unwrap_or_else(|| panic!("{}", answer.text)).iter())
        .map(|e| (text(&e["path"]), text(&e["message"])))
        .collect()
}

/// Only the paths.
pub(crate) fn paths(answer: &Answer) -> Vec<String> {
    faults(answer).into_iter().map(|(path, _)| path).collect()
}

pub(crate) async fn begun(dialect: Dialect) -> Option<&'static Filled<Tokens>> {
    static WORLDS: Worlds<Tokens> = Worlds::new();
    let begin = async |empty| {
        let begin = async |stage: &Stage| {
            for (slug, rows) in rows() {
                fill(stage, slug, rows).await;
            }
            World::signed_in(stage).await.tokens
        };
        Stage::begin(empty, begin).await
    };
    WORLDS.on(dialect, begin).await
}

/// Rows with their ids, as the service itself writes them: closed collections too.
pub(crate) async fn fill(stage: &Stage, slug: &'static str, rows: Vec<Value>) {
    let rows = rows.into_iter().map(|row| {
        let Value::Object(mut data) = row else {
            panic!("{slug}: {row}");
        };
        let id = data.remove("id").and_then(|id| id.as_i64()).unwrap();
        let mut hidden = Vec::new();
        if slug == "users" {
            let verifier = stage.book.passwords.hash(PASSWORD).unwrap();
            hidden.push(("verifier", verifier.into()));
        }
        FillRow { collection: slug, id, data, hidden }
    });
    let rows = rows.collect();
    stage.book.fill(rows).await.unwrap_or_else(|e| panic!("{e}"));
}

fn rows() -> Vec<(&'static str, Vec<Value>)> {
    let organization = |id: i64, name: &str, presence: &str, membership: &str| json!({"id": id, "name": name, "presence": presence, "membership": membership});
    let mut gamma = organization(3, "Gamma", "referenced", "none");
    gamma["referencedBy"] = 1.into();
    table![
        "organizations", vec![
            organization(1, "Alpha", "registered", "member"),
            organization(2, "Beta", "registered", "member"),
            gamma,
            organization(4, "Delta", "registered", "suspended"),
        ];
        "users", CALLERS.map(|(name, id)| user(name, id)).into();
        "breeds", vec![json!({"id": 1, "code": "1", "name": "Holstein", "whffCode": "HOL"})];
        "disposal-reasons", vec![
            json!({"id": 1, "code": "1", "name": "Udder", "adeReason": "Mastitis", "adeDeathReason": "Mastitis"}),
            json!({"id": 2, "code": "2", "name": "Surplus"}),
        ];
        "reproduction-methods", vec![
            json!({"id": 1, "code": "1", "name": "Insemination"}),
            json!({"id": 2, "code": "2", "name": "Bull", "adeType": "NaturalService"}),
            json!({"id": 3, "code": "3", "name": "Embryo", "adeType": "Implantation"}),
        ];
        "insemination-results", vec![json!({"id": 1, "code": "1", "name": "Pregnant", "adeResult": "pregnant"})];
        "regions", vec![json!({"id": 1, "code": "50", "name": "North"})];
        "herds", vec![
            json!({"id": 1, "name": "Alpha 1", "organization": 1}),
            json!({"id": 2, "name": "Alpha 2", "organization": 1}),
            json!({"id": 3, "name": "Beta 1", "organization": 2}),
        ];
        "animals", vec![
            animal(1, "male", "2015-03-01", 1, Some(1)),
            animal(2, "female", "2020-01-10", 1, Some(1)),
            animal(3, "female", "2019-05-05", 2, Some(3)),
            daughter(),
            animal(5, "female", "2020-01-10", 4, None),
        ];
    ]
    .into()
}

fn animal(id: i64, sex: &str, birth: &str, owner: i64, herd: Option<i64>) -> Value {
    json!({
        "id": id, "identNumber": format!("96000000{id:04}"), "sex": sex, "birthDate": birth,
        "owner": owner, "herd": herd, "name": format!("Animal {id}"), "breed": 1,
    })
}

fn daughter() -> Value {
    let mut daughter = animal(4, "female", "2024-02-01", 1, Some(1));
    daughter["father"] = 1.into();
    daughter["mother"] = 2.into();
    daughter
}

fn user(name: &str, id: i64) -> Value {
    let role = match name {
        "admin" | "expert" => name,
        _ => "farmer",
    };
    let place = match name {
        "operator" | "viewer" => name,
        _ => "head",
    };
    let organization = match name {
        "alpha" | "operator" | "viewer" => json!(1),
        "beta" => json!(2),
        "delta" => json!(4),
        _ => Value::Null,
    };
    json!({
        "id": id, "email": format!("{name}@demo.herdbook"), "lastName": "Smith", "firstName": "Ann",
        "role": role, "orgRole": place, "organization": organization,
    })
}

//! The conformance cases of the dialect (docs/dialect.md, *Conformance cases*) on both databases: `cases.txt` is the
//! table, this file plays it. All cases run before the first failure is reported, so that one look shows what is
//! missing.

mod expect;
mod fixture;
mod table;

use crate::rest::operation::letters::{Office, branding, token};
use crate::rest::stage::{Answer, request};
use crate::support::book::answered;
use axum::body::Body;
use config::KEYS;
use fixture::{Opened, PASSWORD, Template, USERS};
use model::letter::Message;
use ops::SendLetters;
use std::collections::BTreeMap;
use store::{Dialect, Sql, Ty};
use table::{Case, Request, Step};

/// The numbered cases.
const CASES: &str = include_str!("cases.txt");
/// Further promises of the dialect for writes, and requests that are refused in every form.
const FURTHER: &str = include_str!("further.txt");

#[test]
fn the_table_has_every_case_once() {
    let numbers: Vec<u32> = table::read(CASES).iter().map(|case| case.number).collect();
    assert_eq!(numbers, (1..=93).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_cases_hold_on_sqlite() {
    hold(Dialect::Sqlite, CASES).await;
}

#[tokio::test]
async fn the_cases_hold_on_postgres() {
    hold(Dialect::Postgres, CASES).await;
}

#[tokio::test]
async fn the_further_cases_hold_on_sqlite() {
    hold(Dialect::Sqlite, FURTHER).await;
}

#[tokio::test]
async fn the_further_cases_hold_on_postgres() {
    hold(Dialect::Postgres, FURTHER).await;
}

async fn hold(dialect: Dialect, cases: &str) {
    let Some(template) = Template::make(dialect).await else {
        return;
    };
    let common = Play::begin(&template, &[]).await;
    let (mut passed, mut missing, mut failed) = (0, Vec::new(), Vec::new());
    for case in table::read(cases) {
        let faults = play(&template, &common, &case).await;
        let name = format!("{} {}", case.number, case.title);
        match (&case.missing, faults.is_empty()) {
            (None, true) => passed += 1,
            (Some(what), true) if !case.steps.is_empty() => {
                failed.push(format!("{name}: {what} is there now; take the mark off"));
            }
            (Some(what), _) => missing.push(format!("{name} ({what})")),
            (None, false) => failed.push(format!("{name}:\n    {}", faults.join("\n    "))),
        }
    }
    println!("{dialect:?}: {passed} cases hold; missing {}:\n  {}", missing.len(), missing.join("\n  "));
    assert!(failed.is_empty(), "{dialect:?}: {} cases fail\n{}", failed.len(), failed.join("\n"));
}

/// What of a case does not hold.
async fn play(template: &Template, common: &Play, case: &Case) -> Vec<String> {
    let known = |name: &str| KEYS.iter().any(|key| key.name == name);
    if let Some((name, _)) = case.settings.iter().find(|(name, _)| !known(name)) {
        return vec![format!("there is no setting {name}")];
    }
    if case.reads() {
        return common.case(case).await;
    }
    Play::begin(template, &case.settings).await.case(case).await
}

/// A book with the tokens of its callers.
struct Play {
    opened: Opened,
    tokens: BTreeMap<String, String>,
}

impl Play {
    async fn begin(template: &Template, settings: &[(String, String)]) -> Self {
        let opened = template.copy(settings).await;
        let mut play = Self { opened, tokens: BTreeMap::new() };
        for (name, _, email) in USERS {
            let body = serde_json::json!({"email": email, "password": PASSWORD}).to_string();
            let kind = [("content-type", "application/json")];
            let answer = play.ask("POST", "/api/users/login", &kind, Body::from(body)).await;
            let token = answer.json()["token"].as_str().expect(&answer.text).to_owned();
            play.tokens.insert(name.to_owned(), token);
        }
        play
    }

    /// What of a case does not hold.
    async fn case(&self, case: &Case) -> Vec<String> {
        let mut values = self.tokens.clone();
        let mut faults = Vec::new();
        for step in &case.steps {
            match step {
                Step::Stored(collection, id, field, value) => self.store(collection, *id, field, value).await,
                Step::Request(request) => faults.extend(self.request(request, &mut values).await),
            }
        }
        faults
    }

    async fn request(&self, line: &Request, values: &mut BTreeMap<String, String>) -> Vec<String> {
        let put = |text: &str| {
            values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
        };
        let mut headers: Vec<(String, String)> =
            line.headers.iter().map(|(name, value)| (name.to_lowercase(), put(value))).collect();
        if let Some(token) = self.tokens.get(&line.caller) {
            headers.push(("authorization".to_owned(), format!("JWT {token}")));
        }
        let typed = headers.iter().any(|(name, _)| name == "content-type");
        let body = match &line.file {
            Some(name) => {
                headers.push(("content-type".to_owned(), "multipart/form-data; boundary=cut".to_owned()));
                Body::from(form(name, &put(&line.body)))
            }
            None => {
                if !line.body.is_empty() && !typed {
                    headers.push(("content-type".to_owned(), "application/json".to_owned()));
                }
                Body::from(put(&line.body))
            }
        };
        let borrowed: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let answer = self.ask(&line.method, &escaped(&put(&line.path)), &borrowed, body).await;
        let mut faults = Vec::new();
        for expected in &line.expected {
            if let Some((name, place)) = expected.strip_prefix("keep ").and_then(|e| e.split_once(" = ")) {
                let value_there = match place {
                    "mail" => self.letters().await.last().map(token),
                    place => expect::at(&answer.json(), place).and_then(|value| value.as_str()).map(str::to_owned),
                };
                match value_there {
                    Some(value) => drop(values.insert(name.to_owned(), value)),
                    None => faults.push(format!("nothing at {place}")),
                }
                continue;
            }
            let wanted = values
                .iter()
                .fold(expected.clone(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value));
            if let Err(why) = expect::check(&wanted, &answer) {
                let (method, path) = (&line.method, &line.path);
                let text: String = answer.text.chars().take(600).collect();
                faults
                    .push(format!("{} {method} {path}: {wanted}: {why}\n      {} {text}", line.caller, answer.status));
            }
        }
        faults
    }

    /// The emails that are due.
    async fn letters(&self) -> Vec<Message> {
        let office = Office::default();
        while (self.opened.book.run_job(&SendLetters::new(branding(), &office)).await).unwrap() {}
        office.got()
    }

    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Body) -> Answer {
        let request = request(method, path, headers, body);
        let (parts, body) = answered(&self.opened.router, request).await;
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            text: String::from_utf8_lossy(&body).into_owned(),
            bytes: body.to_vec(),
        }
    }

    /// Puts a value into the book past every check.
    async fn store(&self, collection: &str, id: i64, field: &str, value: &str) {
        let c = self.opened.book.registry.get(collection).unwrap();
        let field = c.field(field).unwrap();
        let mut sql = Sql::new("UPDATE ");
        sql.name(&c.table).push(" SET ").name(&field.column).push(" = ");
        sql.push(value).push(" WHERE id = ").bind(Ty::Int, id);
        let job = self.opened.book.store.write(move |tx| Box::pin(async move { tx.run(sql).await }));
        assert_eq!(job.await.unwrap(), 1);
    }
}

/// Escapes characters that a URL may not contain.
fn escaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'"' | b'<' | b'>' | b'{' | b'}' | b' ' | 0x7f.. => out.push_str(&format!("%{byte:02X}")),
            byte => out.push(char::from(byte)),
        }
    }
    out
}

/// A form with a file of the kind that its name says, and the other fields as `_payload`.
fn form(name: &str, payload: &str) -> Vec<u8> {
    let data =
        |name: &str, text: &str| format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
    if name == "none" {
        return format!("{}{}--cut--\r\n", data("tag", "passed over"), data("_payload", payload)).into_bytes();
    }
    let (kind, content): (&str, Vec<u8>) = match name.rsplit_once('.') {
        Some((_, "png")) => ("image/png", PIXEL.to_vec()),
        _ if name.starts_with("huge") => ("text/csv", b"tag,name\n".repeat(1_000)),
        _ => ("text/csv", b"tag,name\nBE1,x\nBE2,y\n\n".to_vec()),
    };
    let mut body = format!(
        "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(&content);
    let rest =
        format!("\r\n--cut\r\nContent-Disposition: form-data; name=\"_payload\"\r\n\r\n{payload}\r\n--cut--\r\n");
    body.extend_from_slice(rest.as_bytes());
    body
}

/// A picture of one dot.
const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0d, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0x00, 0x05, 0x00, 0x01, 0xff, 0x56, 0xc7, 0x2f,
    0x0d, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

//! Attacks that were written by hand: each scene is a pair of small books with the difference that it tries to
//! detect. Alpha asks; Beta hides.

mod elsewhere;
mod keys;
mod kin;
mod parents;

use super::generated::form;
use super::{Begin, Case, Law, exchange};
use crate::rest::stage::Stage;
use crate::rest::uploads::form::Form;
use crate::rest::uploads::form::{BOUNDARY, png};
use crate::rest::world::{Tokens, World};
use crate::support::words::merged;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Rows that only one of the books has, or that differ in it.
type Rows = Vec<(&'static str, Vec<Value>)>;

#[derive(Default)]
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) first: Rows,
    pub(super) second: Rows,
    /// Names of a file that the hiding farm has in either book; none if empty.
    pub(super) files: [&'static str; 2],
    asks: Vec<Ask>,
}

impl Scene {
    fn of(name: &'static str, first: Rows, second: Rows, asks: Vec<Ask>) -> Self {
        Self { name, first, second, asks, ..Self::default() }
    }
}

/// Method, path, body; `{last}` is the row that was made last.
type Ask = (&'static str, String, Value);

/// Plays every n-th scene; returns their names.
pub(super) async fn all(law: &mut Law, every: usize) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::from(["exchange"]);
    exchange::all(law).await;
    for scene in scenes().into_iter().step_by(every) {
        names.insert(scene.name);
        play(law, scene).await;
    }
    names
}

/// A file of the hiding farm.
pub(super) async fn upload(stage: &Stage, tokens: Tokens, name: &str) {
    if name.is_empty() {
        return;
    }
    let world = World::of(stage, tokens);
    let form = Form::new().payload(&json!({"owner": 2, "visibility": "private"}));
    let form = form.file(name, "image/png", &png(400, 400));
    let answer = form.send(&world, "beta", "POST", "/api/media?depth=0").await;
    assert_eq!(answer.status, 201, "{}", answer.text);
}

async fn play(law: &mut Law, mut scene: Scene) {
    let (name, asks) = (scene.name, std::mem::take(&mut scene.asks));
    law.begin = Begin::Scene(scene);
    law.fresh().await;
    let mut last: Option<i64> = None;
    law.parted = false;
    for (method, path, body) in asks {
        if std::mem::take(&mut law.parted) {
            last = None;
        }
        let names = path.contains("{last}") || body.to_string().contains("{last}");
        if names && last.is_none() {
            continue;
        }
        let path = path.replace("{last}", &last.unwrap_or_default().to_string());
        let upload = method == "UPLOAD";
        let case = Case {
            kind: format!("{name}: {method} {}", path.split(['?', '/']).nth(2).unwrap_or_default()),
            who: "alpha",
            method: if upload { "POST" } else { method },
            path,
            content: match upload {
                true => format!("multipart/form-data; boundary={BOUNDARY}"),
                false => "application/json".to_owned(),
            },
            body: match (&body, upload) {
                (Value::String(file), true) => form(&json!({"visibility": "private"}), file),
                (Value::Null, _) => Vec::new(),
                // The row that was made last may stand in it too.
                _ => {
                    let id = last.unwrap_or_default().to_string();
                    body.to_string().replace("\"{last}\"", &id).into_bytes()
                }
            },
        };
        let posts = case.method == "POST";
        let answer = law.ask(case).await;
        if let Some(answer) = answer.filter(|answer| posts && answer.status == 201) {
            last = answer.json()["doc"]["id"].as_i64().or(last);
        }
    }
    // The state of the book afterwards, as the caller sees it.
    for path in [
        "/api/animals?limit=0&depth=1&select[calvingRoles]=true&select[semen]=true&select[inbreeding]=true\
         &select[pedigreeDepth]=true&select[updatedAt]=true&select[current]=true&select[state]=true",
        "/api/animals?limit=0&depth=0&joins[children][count]=true&joins[services][count]=true",
        "/api/operations?limit=0&depth=0",
        "/api/animal-revisions?limit=0&depth=0",
        "/api/movements?limit=0&depth=1",
        "/api/access-requests?limit=0&depth=1",
        "/api/clarifications?limit=0&depth=1",
        "/api/media?limit=0&depth=0",
        "/api/animals/4/pedigree?generations=5",
        "/ade/v1/datasets/everything/changes?limit=1000",
    ] {
        law.get(&format!("{name}: after it"), "alpha", path).await;
    }
}

fn number(id: i64) -> String {
    format!("96000000{id:04}")
}

fn animal(id: i64, sex: &str, birth: &str) -> Value {
    json!({"id": id, "identNumber": number(id), "sex": sex, "birthDate": birth, "owner": 2,
        "name": format!("Hidden {id}"), "breed": 1})
}

/// As [`animal`], with fields besides.
fn with(id: i64, sex: &str, birth: &str, more: Value) -> Value {
    merged(animal(id, sex, birth), &more)
}

/// A calf of Alpha.
fn calf(key: i64, more: Value) -> Value {
    merged(
        json!({"identNumber": format!("97000000{key:04}"), "sex": "female", "birthDate": "2025-03-01", "owner": 1}),
        &more,
    )
}

/// Requests, one on each line: method, path, body. A path without a slash at its beginning is that of a collection or
/// record of REST; `CALF key fields` makes a calf of Alpha.
fn asks(text: &'static str) -> Vec<Ask> {
    let ask = |line: &'static str| {
        let (method, rest) = line.split_once(' ').expect("method and path");
        let (path, body) = rest.split_once(' ').unwrap_or((rest, "null"));
        let body = serde_json::from_str(body).unwrap_or_else(|why| panic!("{line}: {why}"));
        match method {
            "CALF" => post("animals", calf(path.parse().unwrap(), body)),
            _ if path.starts_with('/') => (method, path.to_owned(), body),
            _ => (method, format!("/api/{path}?depth=1"), body),
        }
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(ask).collect()
}

/// Hidden animals.
fn animals(all: Vec<Value>) -> Rows {
    vec![("animals", all)]
}

fn post(slug: &str, body: Value) -> Ask {
    ("POST", format!("/api/{slug}?depth=1"), body)
}

fn patch(slug: &str, id: &str, body: Value) -> Ask {
    ("PATCH", format!("/api/{slug}/{id}?depth=1"), body)
}

fn get(path: &str) -> Ask {
    ("GET", path.to_owned(), Value::Null)
}

fn scenes() -> Vec<Scene> {
    let mut all = parents::scenes();
    all.extend(kin::scenes());
    all.extend(elsewhere::scenes());
    all.extend(keys::scenes());
    all
}

//! Rows that are sent, corrected and deleted by each face.

use super::arrival::{Face, Step, kind};
use super::bodies::{body, clearable};
use super::documents::{document, exchanged};
use super::files::named;
use super::story::{Fact, Row, Story};
use super::world::{Subject, World};
use book_reference::Source;
use serde_json::{Map, Value, json};

impl World {
    /// Carries out a request; an answer that refuses it.
    pub(super) async fn step(&self, story: &Story, subject: &mut Subject, step: &Step) -> Result<(), String> {
        match step {
            Step::Create(face, rows) => self.create(story, subject, *face, rows).await,
            Step::Correct(face, at) => {
                let row = &story.rows[*at];
                if *face == Face::Ade && subject.exchanged.contains(at) && exchanged(row) {
                    return self.sent(subject, kind(&row.first().fact), document(subject, *at, row, 2)).await;
                }
                let (slug, mut body) = body(row, *at);
                let id = self.id_of(subject, slug, *at).await?;
                for name in clearable(&row.fact) {
                    if body.get(*name).is_none() {
                        body.insert((*name).to_owned(), Value::Null);
                    }
                }
                let token = self.writer(subject, row, true);
                self.written(token, *face, "update", slug, Some(id), Some(body)).await
            }
            Step::Delete(face, at) => {
                let row = &story.rows[*at];
                if *face == Face::Ade && subject.exchanged.contains(at) {
                    let mut gone = document(subject, *at, row, 2);
                    gone["meta"]["isDeleted"] = true.into();
                    return self.sent(subject, kind(&row.fact), gone).await;
                }
                let slug = body(row, *at).0;
                let id = self.id_of(subject, slug, *at).await?;
                let token = match row.fact {
                    Fact::Leaving { .. } => &self.admin,
                    _ => self.writer(subject, row, true),
                };
                self.written(token, *face, "delete", slug, Some(id), None).await
            }
        }
    }

    async fn create(&self, story: &Story, subject: &mut Subject, face: Face, rows: &[usize]) -> Result<(), String> {
        let first = |at: &usize| (*at, story.rows[*at].first());
        let bodies = || rows.iter().map(first).map(|(at, row)| body(&row, at));
        let slug = bodies().next().unwrap().0;
        let token = self.writer(subject, &story.rows[rows[0]], false);
        let about = |mut body: Map<String, Value>| {
            body.insert("animal".to_owned(), subject.id.into());
            Value::Object(body)
        };
        match face {
            Face::Rest | Face::GraphQl => {
                for (_, mut body) in bodies() {
                    body.insert("animal".to_owned(), subject.id.into());
                    self.written(token, face, "create", slug, None, Some(body)).await?;
                }
                Ok(())
            }
            Face::RestMany => {
                let all: Vec<Value> = bodies().map(|(_, body)| about(body)).collect();
                let (status, _, answer) = self.f.post(&format!("/api/{slug}?depth=0"), token, all.into()).await;
                whole(status, &answer)
            }
            Face::Import | Face::Package => {
                let named = bodies().map(|(_, body)| named(subject, body));
                let named: Vec<Map<String, Value>> = named.collect();
                match face {
                    Face::Import => self.imported(slug, &named).await,
                    _ => self.sent_table(subject, token, slug, &named).await,
                }
            }
            Face::Ade | Face::AdeBatch | Face::AdePush | Face::PackageAde => {
                let set = kind(&first(&rows[0]).1.fact);
                let documents: Vec<Value> =
                    rows.iter().map(first).map(|(at, row)| document(subject, at, &row, 1)).collect();
                subject.exchanged.extend(rows);
                match face {
                    Face::Ade => {
                        for one in documents {
                            self.sent(subject, set, one).await?;
                        }
                        Ok(())
                    }
                    Face::PackageAde => self.sent_documents(subject, token, documents).await,
                    Face::AdeBatch => self.sent_batch(subject, token, set, documents).await,
                    _ => self.sent_push(subject, token, set, documents).await,
                }
            }
        }
    }

    async fn sent_batch(&self, subject: &Subject, token: &str, set: &str, documents: Vec<Value>) -> Result<(), String> {
        let path = subject.location().replace("/ade/v1/", "/ade/v1/batches/");
        let (status, _, answer) = self.f.post(&format!("{path}/{set}"), token, documents.into()).await;
        let refused = answer.as_array().is_none_or(|all| all.iter().any(|one| one["id"].is_null()));
        if refused { Err(format!("{status} {answer}")) } else { whole(status, &answer) }
    }

    async fn sent_push(&self, subject: &Subject, token: &str, set: &str, documents: Vec<Value>) -> Result<(), String> {
        let location = json!({"scheme": "org.herdbook.orgid", "id": subject.farm().to_string()});
        let placed = documents.into_iter().map(|mut one| {
            one["location"] = location.clone();
            one
        });
        let path = format!("/ade/v1/datasets/{set}/resources");
        let (status, _, answer) = self.f.post(&path, token, placed.collect::<Vec<_>>().into()).await;
        whole(status, &answer)
    }

    /// Who writes a row: official tests come of the Association, which alone corrects movements.
    fn writer(&self, subject: &Subject, row: &Row, repeated: bool) -> &str {
        match row.fact {
            Fact::Test { source: Source::Official | Source::Laboratory, .. } => &self.expert,
            Fact::Leaving { .. } if repeated => &self.expert,
            _ => &self.farms[subject.zone],
        }
    }

    /// A document by itself.
    async fn sent(&self, subject: &Subject, set: &str, document: Value) -> Result<(), String> {
        let path = format!("{}/{set}", subject.location());
        let (status, _, answer) = self.f.post(&path, &self.farms[subject.zone], document).await;
        match status {
            200 | 201 => Ok(()),
            _ => Err(format!("{status} {answer}")),
        }
    }

    /// A row by REST or GraphQL.
    async fn written(
        &self,
        token: &str,
        face: Face,
        verb: &str,
        slug: &str,
        id: Option<i64>,
        body: Option<Map<String, Value>>,
    ) -> Result<(), String> {
        if face == Face::GraphQl {
            let name = singular(slug);
            let kind = if verb == "update" { "UpdateInput" } else { "Input" };
            let (mut declared, mut given, mut variables) = (Vec::new(), Vec::new(), json!({}));
            if let Some(id) = id {
                declared.push("$id:Int!".to_owned());
                given.push("id:$id");
                variables["id"] = id.into();
            }
            if let Some(body) = body {
                declared.push(format!("$data:mutation{name}{kind}!"));
                given.push("data:$data");
                variables["data"] = body.into();
            }
            let query = format!("mutation({}){{{verb}{name}({}){{id}}}}", declared.join(","), given.join(","));
            let request_body = json!({"query": query, "variables": variables});
            let (status, _, answer) = self.f.post("/api/graphql", token, request_body).await;
            return match answer.get("errors") {
                None if status == 200 => Ok(()),
                _ => Err(format!("{query} {answer}")),
            };
        }
        let (method, path) = match verb {
            "create" => ("POST", format!("/api/{slug}?depth=0")),
            "update" => ("PATCH", format!("/api/{slug}/{}?depth=0", id.unwrap())),
            _ => ("DELETE", format!("/api/{slug}/{}", id.unwrap())),
        };
        let body = body.map_or(Value::Null, Value::Object);
        let (status, _, answer) = self.f.request(method, &path, token, body).await;
        match status {
            200 | 201 => Ok(()),
            _ => Err(format!("{method} {path} {status} {answer}")),
        }
    }
}

/// The name of a collection in GraphQL.
fn singular(slug: &str) -> &'static str {
    match slug {
        "calvings" => "Calving",
        "inseminations" => "Insemination",
        "events" => "Event",
        "milk-tests" => "MilkTest",
        "milking-visits" => "MilkingVisit",
        "weighings" => "Weighing",
        _ => "Movement",
    }
}

/// Whether everything of a request was taken; its answer where not.
fn whole(status: u16, body: &Value) -> Result<(), String> {
    match status {
        200 | 201 => Ok(()),
        _ => Err(format!("{status} {body}")),
    }
}

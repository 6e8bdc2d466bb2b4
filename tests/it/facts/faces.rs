//! Rows as bodies of REST and GraphQL, and as documents of the exchange; sending, correcting and deleting them.

use super::arrival::{Face, Step, kind};
use super::story::{BULLS, Fact, Row, Story, ZONES};
use crate::support::fixture::{Fixture, number};
use book_reference::{Code, Event, Outcome, Source, When};
use cli::{Opened, RowOptions, import_rows};
use model::record::time::to_iso;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const DAY_MS: i64 = 86_400_000;

/// A book with farms in several zones.
pub(super) struct World {
    pub(super) f: Fixture,
    /// Tokens of the farms.
    pub(super) farms: Vec<String>,
    /// An expert of the Association.
    pub(super) expert: String,
    /// An admin of the Association.
    admin: String,
    next: i64,
}

/// An animal whose history comes in.
pub(super) struct Subject {
    pub(super) id: i64,
    pub(super) number: String,
    zone: usize,
    /// Rows that came by the exchange.
    exchanged: BTreeSet<usize>,
}

impl Subject {
    pub(super) fn zone(&self) -> usize {
        self.zone
    }

    pub(super) fn location(&self) -> String {
        format!("/ade/v1/locations/org.herdbook.orgid/{}", self.zone + 1)
    }
}

impl World {
    pub(super) async fn of(f: Fixture) -> Self {
        for (id, word) in [
            (1, "pregnant"),
            (2, "empty"),
            (3, "multiple"),
            (4, "unknown"),
        ] {
            f.fill(
                "insemination-results",
                id,
                json!({"name": word, "code": word, "adeResult": word}),
            )
            .await;
        }
        for (id, code, word) in [(1, "1", "Insemination"), (3, "3", "Implantation")] {
            f.fill(
                "reproduction-methods",
                id,
                json!({"name": word, "code": code, "adeType": word}),
            )
            .await;
        }
        let mut farms = Vec::new();
        for (id, (_, zone)) in (1..).zip(ZONES) {
            let data =
                json!({"name": format!("Farm {id}"), "presence": "registered", "timeZone": zone});
            f.fill("organizations", id, data).await;
            farms.push(f.user(id, "farmer", Some(id), "head").await);
        }
        for (id, ident) in (901..).zip(&BULLS[..2]) {
            let bull = json!({"identNumber": ident, "sex": "male", "birthDate": "2015-01-01", "owner": 1, "publicVisible": true});
            f.fill("animals", id, bull).await;
        }
        let expert = f.user(9, "expert", None, "head").await;
        let admin = f.user(10, "admin", None, "head").await;
        Self {
            f,
            farms,
            expert,
            admin,
            next: 1_000,
        }
    }

    /// A new animal at the farm of a story.
    pub(super) async fn born(&mut self, story: &Story) -> Subject {
        self.next += 1;
        let number = number(self.next);
        let owner = story.zone + 1;
        let birth = day(story.birth);
        let body =
            json!({"identNumber": number, "sex": "female", "birthDate": birth, "owner": owner});
        let token = &self.farms[story.zone];
        let body = ask!(self.f, token, "POST /api/animals?depth=0", body => 201);
        Subject {
            id: body["doc"]["id"].as_i64().unwrap(),
            number,
            zone: story.zone,
            exchanged: BTreeSet::new(),
        }
    }

    /// Carries out a request; an answer that refuses it.
    pub(super) async fn step(
        &self,
        story: &Story,
        subject: &mut Subject,
        step: &Step,
    ) -> Result<(), String> {
        match step {
            Step::Create(face, rows) => self.create(story, subject, *face, rows).await,
            Step::Correct(face, at) => {
                let row = &story.rows[*at];
                if *face == Face::Ade && subject.exchanged.contains(at) && exchanged(row) {
                    return self
                        .sent(
                            subject,
                            kind(&row.first().fact),
                            document(subject, *at, row, 2),
                        )
                        .await;
                }
                let (slug, mut body) = body(row, *at);
                let id = self.id_of(subject, slug, *at).await?;
                for name in clearable(&row.fact) {
                    if body.get(*name).is_none() {
                        body.insert((*name).to_owned(), Value::Null);
                    }
                }
                let token = self.writer(subject, row, true);
                self.written(token, *face, "update", slug, Some(id), Some(body))
                    .await
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
                self.written(token, *face, "delete", slug, Some(id), None)
                    .await
            }
        }
    }

    async fn create(
        &self,
        story: &Story,
        subject: &mut Subject,
        face: Face,
        rows: &[usize],
    ) -> Result<(), String> {
        let first = |at: &usize| (*at, story.rows[*at].first());
        let bodies = || rows.iter().map(first).map(|(at, row)| body(&row, at));
        let slug = bodies().next().unwrap().0;
        let token = self.writer(subject, &story.rows[rows[0]], false);
        let about = |mut body: Map<String, Value>| {
            body.insert("animal".to_owned(), subject.id.into());
            Value::Object(body)
        };
        let whole = |status: u16, body: &Value| match status {
            200 | 201 => Ok(()),
            _ => Err(format!("{status} {body}")),
        };
        match face {
            Face::Rest | Face::GraphQl => {
                for (_, mut body) in bodies() {
                    body.insert("animal".to_owned(), subject.id.into());
                    self.written(token, face, "create", slug, None, Some(body))
                        .await?;
                }
                Ok(())
            }
            Face::RestMany => {
                let all: Vec<Value> = bodies().map(|(_, body)| about(body)).collect();
                let (status, _, answer) = self
                    .f
                    .post(&format!("/api/{slug}?depth=0"), token, all.into())
                    .await;
                whole(status, &answer)
            }
            Face::Import => {
                let dir = tempfile::tempdir().unwrap();
                let folder = dir.path().join("rows");
                std::fs::create_dir(&folder).unwrap();
                let lines = bodies().map(|(_, mut body)| {
                    body.insert("animal".to_owned(), subject.number.clone().into());
                    if let Some(Value::Number(bull)) = body.get("bull").cloned() {
                        let number = BULLS[usize::try_from(bull.as_i64().unwrap() - 901).unwrap()];
                        body.insert("bull".to_owned(), number.into());
                    }
                    for name in ["method", "result"] {
                        if let Some(Value::Number(id)) = body.get(name).cloned() {
                            body.insert(name.to_owned(), format!("id:{id}").into());
                        }
                    }
                    format!("{}\n", Value::Object(body))
                });
                std::fs::write(
                    folder.join(format!("{slug}.ndjson")),
                    lines.collect::<String>(),
                )
                .unwrap();
                let opened = Opened {
                    book: Arc::clone(&self.f.book),
                    exchange: self.f.exchange.clone(),
                };
                let report = dir.path().join("report.csv");
                let options = RowOptions {
                    report: report.clone(),
                    ..RowOptions::default()
                };
                let done = import_rows(&opened, &folder, &options)
                    .await
                    .map_err(|error| format!("{error:?}"))?;
                let total = done.total();
                match (total.created, total.refused) {
                    (created, 0) if created == rows.len() as u64 => Ok(()),
                    _ => Err(format!(
                        "{total:?} {}",
                        std::fs::read_to_string(report).unwrap_or_default()
                    )),
                }
            }
            Face::Ade | Face::AdeBatch | Face::AdePush => {
                let set = kind(&first(&rows[0]).1.fact);
                let documents: Vec<Value> = rows
                    .iter()
                    .map(first)
                    .map(|(at, row)| document(subject, at, &row, 1))
                    .collect();
                subject.exchanged.extend(rows);
                match face {
                    Face::Ade => {
                        for one in documents {
                            self.sent(subject, set, one).await?;
                        }
                        Ok(())
                    }
                    Face::AdeBatch => {
                        let path = subject.location().replace("/ade/v1/", "/ade/v1/batches/");
                        let (status, _, answer) = self
                            .f
                            .post(&format!("{path}/{set}"), token, documents.into())
                            .await;
                        let refused = answer
                            .as_array()
                            .is_none_or(|all| all.iter().any(|one| one["id"].is_null()));
                        if refused {
                            Err(format!("{status} {answer}"))
                        } else {
                            whole(status, &answer)
                        }
                    }
                    _ => {
                        let location = json!({"scheme": "org.herdbook.orgid", "id": (subject.zone + 1).to_string()});
                        let placed = documents.into_iter().map(|mut one| {
                            one["location"] = location.clone();
                            one
                        });
                        let path = format!("/ade/v1/datasets/{set}/resources");
                        let (status, _, answer) = self
                            .f
                            .post(&path, token, placed.collect::<Vec<_>>().into())
                            .await;
                        whole(status, &answer)
                    }
                }
            }
        }
    }

    /// Who writes a row: official tests come of the Association, which alone corrects movements.
    fn writer(&self, subject: &Subject, row: &Row, again: bool) -> &str {
        match row.fact {
            Fact::Test {
                source: Source::Official | Source::Laboratory,
                ..
            } => &self.expert,
            Fact::Leaving { .. } if again => &self.expert,
            _ => &self.farms[subject.zone],
        }
    }

    /// A document by itself.
    async fn sent(&self, subject: &Subject, set: &str, document: Value) -> Result<(), String> {
        let path = format!("{}/{set}", subject.location());
        let (status, _, answer) = self
            .f
            .post(&path, &self.farms[subject.zone], document)
            .await;
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
            let kind = if verb == "update" {
                "UpdateInput"
            } else {
                "Input"
            };
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
            let query = format!(
                "mutation({}){{{verb}{name}({}){{id}}}}",
                declared.join(","),
                given.join(",")
            );
            let asked = json!({"query": query, "variables": variables});
            let (status, _, answer) = self.f.post("/api/graphql", token, asked).await;
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

    /// The id of a row that came.
    async fn id_of(&self, subject: &Subject, slug: &str, at: usize) -> Result<i64, String> {
        let docs = self.rows(subject, slug).await;
        let own = docs
            .iter()
            .find(|doc| marker(slug, doc).is_some_and(|name| name == format!("r{at}")));
        own.and_then(|doc| doc["id"].as_i64())
            .ok_or_else(|| format!("r{at} is not among {docs:?}"))
    }

    /// All rows of a collection about an animal.
    pub(super) async fn rows(&self, subject: &Subject, slug: &str) -> Vec<Value> {
        let path = format!(
            "/api/{slug}?where[animal][equals]={}&limit=0&depth=0&sort=id",
            subject.id
        );
        let token = if slug == "check-findings" {
            &self.expert
        } else {
            &self.farms[subject.zone]
        };
        let (status, _, page) = self.f.get(&path, token).await;
        assert_eq!(status, 200, "{page}");
        page["docs"].as_array().unwrap().clone()
    }
}

/// The name of a row, which every row carries.
pub(super) fn marker(slug: &str, doc: &Value) -> Option<String> {
    let field = match slug {
        "milk-tests" => "sampleNumber",
        "milking-visits" => "device",
        "weighings" | "movements" => "note",
        _ => "comment",
    };
    let told = doc[field].as_str().map(str::to_owned);
    told.or_else(|| {
        Some(
            doc["ade"]["sourceId"]
                .as_str()?
                .rsplit('-')
                .next()?
                .to_owned(),
        )
    })
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

fn day(day: i64) -> String {
    to_iso(day * DAY_MS)[..10].to_owned()
}

fn written(when: When) -> String {
    match when {
        When::Day(of) => day(of),
        When::At(at) => to_iso(at),
    }
}

fn word(outcome: Outcome) -> (&'static str, i64) {
    match outcome {
        Outcome::Pregnant => ("pregnant", 1),
        Outcome::Empty => ("empty", 2),
        Outcome::Multiple => ("multiple", 3),
        Outcome::Unknown => ("unknown", 4),
    }
}

/// What a correction must clear when the right row has none.
fn clearable(fact: &Fact) -> &'static [&'static str] {
    match fact {
        Fact::Calving { .. } => &["number"],
        Fact::Leaving { .. } => &["deathMethod"],
        _ => &[],
    }
}

/// The collection and the body of a row.
pub(super) fn body(row: &Row, at: usize) -> (&'static str, Map<String, Value>) {
    let marker = format!("r{at}");
    let date = written(row.when);
    let (slug, body) = match &row.fact {
        Fact::Calving {
            event,
            number,
            opens,
        } => {
            let event = match event {
                Event::Calving => "calving",
                Event::Abortion => "abortion",
                Event::DryOff => "dryOff",
            };
            let body = json!({"date": date, "eventType": event, "number": number, "opensLactation": opens, "comment": marker});
            ("calvings", body)
        }
        Fact::Service {
            bull,
            embryo,
            result,
            number,
        } => {
            let text = (*bull == 2).then_some(BULLS[2]);
            let known = (*bull < 2).then_some(901 + bull);
            let body = json!({"date": date, "bull": known, "bullText": text, "method": if *embryo { 3 } else { 1 },
                "result": result.map(|(outcome, _)| word(outcome).1), "lactationNumber": number,
                "pregnancyCheckDate": result.map(|(_, on)| day(on)), "comment": marker});
            ("inseminations", body)
        }
        Fact::Check { outcome, age } => {
            let mut payload = json!({"method": "Blood"});
            if let Some(age) = age {
                payload["foetalAge"] = (*age).into();
            }
            let body = json!({"date": date, "type": "pregnancyCheck", "result": word(*outcome).0, "payload": payload, "comment": marker});
            ("events", body)
        }
        Fact::Test {
            source,
            milk,
            contents: [fat, protein, cells],
            code,
        } => {
            let code = code.map(|code| match code {
                Code::Dry => "dry",
                Code::Other => "sick",
            });
            let official = (*source == Source::Official).then_some(true);
            let source = match source {
                Source::Owner => "owner",
                Source::Other => "api",
                Source::Laboratory | Source::Official => "lab",
            };
            let body = json!({"date": date, "source": source, "official": official, "milkYield": milk, "fatPercent": fat,
                "proteinPercent": protein, "somaticCells": cells, "testCode": code, "sampleNumber": marker});
            ("milk-tests", body)
        }
        Fact::Visit { milk, shift } => {
            let body = json!({"startedAt": date, "milkYield": milk, "shiftDate": shift.map(day), "device": marker});
            ("milking-visits", body)
        }
        Fact::Weighing { kg } => (
            "weighings",
            json!({"date": date, "weight": kg, "note": marker}),
        ),
        Fact::Leaving { death } => {
            let kind = if *death { "death" } else { "cull" };
            (
                "movements",
                json!({"date": date, "kind": kind, "deathMethod": death.then_some("perished"), "note": marker}),
            )
        }
    };
    let Value::Object(mut body) = body else {
        unreachable!()
    };
    body.retain(|_, value| !value.is_null());
    (slug, body)
}

/// Whether the exchange can say all of a row.
pub(super) fn exchanged(row: &Row) -> bool {
    match &row.fact {
        Fact::Calving {
            event,
            number,
            opens,
        } => opens.is_none() && (*event == Event::Calving || number.is_none()),
        Fact::Service { result, number, .. } => result.is_none() && number.is_none(),
        Fact::Test { source, .. } => *source == Source::Other,
        _ => true,
    }
}

/// The document of a row.
fn document(subject: &Subject, at: usize, row: &Row, version: u32) -> Value {
    let date = match row.when {
        When::Day(of) => to_iso(of * DAY_MS),
        When::At(at) => to_iso(at),
    };
    let marker = format!("r{at}");
    let mut own = match &row.fact {
        Fact::Calving {
            event: Event::Calving,
            number,
            ..
        } => {
            json!({"resourceType": "icarReproParturitionEventResource", "remark": marker, "damParity": number})
        }
        Fact::Calving {
            event: Event::Abortion,
            ..
        } => {
            json!({"resourceType": "icarReproAbortionEventResource", "remark": marker})
        }
        Fact::Calving {
            event: Event::DryOff,
            ..
        } => {
            json!({"resourceType": "icarMilkingDryOffEventResource", "remark": marker})
        }
        Fact::Service { bull, embryo, .. } => {
            let sires =
                (*bull < 2).then(|| json!([{"scheme": "org.herdbook.animal", "id": BULLS[*bull]}]));
            let name = (*bull == 2).then_some(BULLS[2]);
            let kind = if *embryo {
                "Implantation"
            } else {
                "Insemination"
            };
            json!({"resourceType": "icarReproInseminationEventResource", "remark": marker, "inseminationType": kind,
                "sireIdentifiers": sires, "sireOfficialName": name})
        }
        Fact::Check { outcome, age } => {
            let mut result = word(*outcome).0.to_owned();
            result[..1].make_ascii_uppercase();
            json!({"resourceType": "icarReproPregnancyCheckEventResource", "remark": marker, "method": "Blood",
                "result": result, "foetalAge": age})
        }
        Fact::Test {
            milk,
            contents: [fat, protein, cells],
            code,
            ..
        } => {
            let milk = milk.map(|milk| json!({"value": milk, "unitCode": "KGM"}));
            let contents = [("FAT", fat), ("PROTEIN", protein), ("SCC", cells)];
            let contents = contents.into_iter().filter_map(|(name, value)| {
                let value = (*value)?;
                Some(json!({"characteristic": name, "value": value.to_string()}))
            });
            let contents: Vec<Value> = contents.collect();
            let code = code.map(|code| match code {
                Code::Dry => "Dry",
                Code::Other => "Sick",
            });
            json!({"resourceType": "icarTestDayResultEventResource", "milkWeight24Hours": milk,
                "milkCharacteristics": (!contents.is_empty()).then_some(contents), "testDayCode": code})
        }
        Fact::Visit { milk, shift } => {
            json!({"resourceType": "icarMilkingVisitEventResource", "milkingStartingDateTime": date,
                "milkingMilkWeight": {"value": milk, "unitCode": "KGM"}, "milkingDeviceId": marker,
                "milkingShiftLocalStartDate": shift.map(|shift| to_iso(shift * DAY_MS))})
        }
        Fact::Weighing { kg } => {
            json!({"resourceType": "icarWeightEventResource", "remark": marker,
                "weight": {"measurement": kg, "units": "KGM"}})
        }
        Fact::Leaving { death: true } => {
            json!({"resourceType": "icarMovementDeathEventResource", "explanation": marker, "deathReason": "Unknown",
                "deathMethod": "Perished"})
        }
        Fact::Leaving { .. } => {
            json!({"resourceType": "icarMovementDepartureEventResource", "remark": marker, "departureKind": "Slaughter"})
        }
    };
    own.as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    own["meta"] = json!({"source": "farm.example", "sourceId": format!("{}-r{at}", subject.number),
        "modified": format!("2026-02-0{version}T00:00:00Z")});
    own["animal"] = json!({"scheme": "org.herdbook.animal", "id": subject.number});
    own["eventDateTime"] = date.into();
    own
}

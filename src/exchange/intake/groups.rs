//! A group's event for the animals that it names: each gets a separate event where the book has
//! rows for it, through the intake of all documents and with the same checks. All are stored, or
//! the group's event is refused; corrections and retraction follow it.

use crate::documents::names::Names;
use crate::documents::raw_document::{Parts, RawDocument};
use crate::intake::DocumentIntake;
use crate::intake::delivery::{DocumentAnswer, State};
use crate::intake::last_states::LastStates;
use mapping::{Group, GroupPart, Mapping};
use model::error::{Issue, Result, Severity};
use model::registry::BookReader;
use model::registry::Principal;
use model::said;
use ops::WriteTransaction;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use store::{Sql, Ty};

/// Sets of animals of a location that are looked through for one.
const SETS: i64 = 1_000;

/// Why a group's event is refused.
pub(crate) struct GroupRefusal {
    issues: Vec<Issue>,
    forbidden: bool,
}

impl GroupRefusal {
    /// The answer, with what was found before.
    pub(crate) fn with(self, mut issues: Vec<Issue>) -> DocumentAnswer {
        issues.extend(self.issues);
        DocumentAnswer { forbidden: self.forbidden, ..DocumentAnswer::rejected(issues) }
    }
}

type HandOutResult = std::result::Result<(Parts, Vec<Issue>), GroupRefusal>;

impl DocumentIntake {
    /// Writes the events of a group's animals: of `doc`, or none when it is deleted. `had` is the
    /// document that was stored before.
    pub(crate) async fn hand_out(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        mapping: &Mapping,
        location: i64,
        doc: Option<&Json>,
        had: Option<&RawDocument>,
    ) -> Result<HandOutResult> {
        let before = had.map(RawDocument::parts).unwrap_or_default();
        let group = self.rules.mappings().group(mapping.dataset());
        let into = group.and_then(|group| self.rows_for(group.into_set()));
        let mut issues = Vec::new();
        let mut parts = Vec::new();
        if let (Some(group), Some(_), Some(doc)) = (group, into, doc) {
            match self.members(work, group, location, (doc, had)).await? {
                Ok((members, warnings)) => {
                    parts = members;
                    issues = warnings;
                }
                Err(refused) => return Ok(Err(refused)),
            }
        }
        if parts.is_empty() && before.keys.is_empty() {
            return Ok(Ok((Parts::default(), issues)));
        }
        let now = Parts {
            into: group.map_or_else(String::new, |g| g.into_set().to_owned()),
            keys: parts.iter().map(|p| p.source_id.clone()).collect(),
        };
        // What the animals get follows the group's event, which was judged by its time.
        let now_at = BookReader::now(work);
        let attempt = work.attempt().await?;
        let mut refused = GroupRefusal { issues: Vec::new(), forbidden: false };
        let left = |key: &&String| before.into != now.into || !now.keys.contains(*key);
        let gone: Vec<&String> = before.keys.iter().filter(left).collect();
        if let (Some(from), Some(had)) = (self.rows_for(&before.into), had) {
            let docs: Vec<Json> = gone.iter().map(|key| retraction(&had.source, key)).collect();
            let docs: Vec<&Json> = docs.iter().collect();
            let answers = (self.write_by_mapping(
                work,
                caller,
                (from, location),
                &docs,
                (&mut LastStates::default(), (now_at, i64::MAX)),
            ))
            .await?;
            for answer in answers {
                refused.add_answer(answer, None, |_| String::new(), &mut issues);
            }
        }
        if let (Some(group), Some(into)) = (group, into) {
            let docs: Vec<&Json> = parts.iter().map(|part| &part.doc).collect();
            let answers = (self.write_by_mapping(
                work,
                caller,
                (into, location),
                &docs,
                (&mut LastStates::default(), (now_at, i64::MAX)),
            ))
            .await?;
            for (answer, part) in answers.into_iter().zip(&parts) {
                let animal = part.animal();
                refused.add_answer(answer, animal, |at| group.origin(part, at), &mut issues);
            }
        }
        if refused.issues.is_empty() {
            work.keep_attempt(attempt).await?;
            Ok(Ok((now, issues)))
        } else {
            work.undo(attempt).await?;
            Ok(Err(refused))
        }
    }

    /// The mapping of a data set whose documents become rows.
    fn rows_for(&self, dataset: &str) -> Option<&Mapping> {
        let mapping = self.rules.mappings().get(dataset)?;
        (!mapping.keeps_sent() && mapping.can_push()).then_some(mapping)
    }

    /// The events of the animals.
    async fn members(
        &self,
        work: &mut WriteTransaction<'_>,
        group: &Group,
        location: i64,
        (doc, had): (&Json, Option<&RawDocument>),
    ) -> Result<std::result::Result<(Vec<GroupPart>, Vec<Issue>), GroupRefusal>> {
        let mut issues = Vec::new();
        let mut set = Vec::new();
        if let Some(before) = had.and_then(|had| as_it_was(group, doc, had)) {
            set = before;
        } else if let Some(name) = group.reference(doc) {
            match self.set_members(work, location, name).await? {
                Some(members) => set = members,
                None => issues.push(Issue::warning(
                    Group::reference_pointer(),
                    "unknown-relation",
                    "This location has no such set of animals; none of them gets the event.",
                )),
            }
        }
        let mut refused = GroupRefusal { issues: Vec::new(), forbidden: false };
        match group.parts(doc, &set) {
            Ok(parts) => {
                // What is null or of another unit than the animal's event allows.
                for part in &parts {
                    let resource = part.doc.get("resourceType").and_then(Json::as_str);
                    for fault in ade::validate(resource.unwrap_or_default(), &part.doc) {
                        let at = group.origin(part, &fault.pointer);
                        let issue = Issue::error(at, fault.code.as_str(), fault.message);
                        refused.issues.push(with_animal(issue, part.animal()));
                    }
                }
                if refused.issues.is_empty() {
                    return Ok(Ok((parts, issues)));
                }
            }
            Err(twice) => {
                let issue = |at| Issue::error(at, "field-value", "This animal is named here twice.");
                refused.issues.extend(twice.into_iter().map(issue));
            }
        }
        Ok(Err(refused))
    }

    /// The animals of a set of this location, by its id or its key.
    async fn set_members(
        &self,
        work: &mut WriteTransaction<'_>,
        location: i64,
        name: &str,
    ) -> Result<Option<Vec<Json>>> {
        let sql = Sql::new("SELECT body, record FROM exchange_documents WHERE location = ")
            .with(Ty::Int, location)
            .and(" AND dataset = ")
            .with_name(self.rules.mappings().sets())
            .and(" AND deleted = ")
            .with(Ty::Bool, false)
            .and(" ORDER BY id LIMIT ")
            .with(Ty::Int, SETS);
        let rows = work.tx().rows(sql).await?;
        let sets =
            (rows.iter()).filter_map(|r| Some((r.int(1), serde_json::from_str::<Json>(&r.compressed(0)?).ok()?)));
        for (record, set) in sets {
            let set_names = [set.get("id"), set.pointer("/meta/sourceId")];
            if set_names.iter().flatten().any(|n| n.as_str() == Some(name)) {
                return match record.filter(|id| *id > 0) {
                    Some(id) => self.numbers_of(work, id).await.map(Some),
                    None => Ok(set.get("member").and_then(Json::as_array).cloned()),
                };
            }
        }
        Ok(None)
    }

    /// The main numbers of the members of a set. A sender's document may name them otherwise, and more than once.
    async fn numbers_of(&self, work: &mut WriteTransaction<'_>, set: i64) -> Result<Vec<Json>> {
        let animals = self.rules.declared("animals")?;
        let main = self.rules.mappings().animal_schemes().first();
        let field = main.and_then(|scheme| Some((scheme, animals.field(&scheme.field)?)));
        let Some((scheme, field)) = field else { return Ok(Vec::new()) };
        let mut sql = Sql::new("SELECT a.");
        sql.name(&field.column).push(" FROM ").name(&animals.table);
        sql.push(" AS a JOIN exchange_members AS m ON m.animal = a.\"id\" WHERE m.animal_set = ");
        sql.bind(Ty::Int, set).push(" AND m.member = ").bind(Ty::Bool, true).push(" ORDER BY a.\"id\"");
        let rows = work.tx().rows(sql).await?;
        let number = |row: &store::Row| row.text(0).map(str::to_owned);
        Ok((rows.iter().filter_map(number)).map(|id| json!({"scheme": scheme.scheme, "id": id})).collect())
    }
}

impl GroupRefusal {
    /// Takes over the issues of the event of an animal.
    fn add_answer(
        &mut self,
        answer: DocumentAnswer,
        animal: Option<String>,
        origin: impl Fn(&str) -> String,
        issues: &mut Vec<Issue>,
    ) {
        let before = self.issues.len();
        self.forbidden |= answer.forbidden;
        for mut issue in answer.issues {
            issue.path = origin(&issue.path);
            if issue.severity == Severity::Error {
                self.issues.push(with_animal(issue, animal.clone()));
            } else if !issues.contains(&issue) {
                issues.push(issue);
            }
        }
        if answer.state == State::Rejected && self.issues.len() == before {
            let issue = Issue::error("", "field-value", "An animal's event was refused.");
            self.issues.push(with_animal(issue, animal));
        }
    }
}

/// A fault of the event of one animal says of which: its place may be one that all share.
fn with_animal(issue: Issue, animal: Option<String>) -> Issue {
    match animal {
        Some(animal) => {
            Issue { message: said!("{fault} (animal {animal})", fault = issue.message, animal = animal), ..issue }
        }
        None => issue,
    }
}

/// The animals that the set had when the event was first sent: a correction of what happened to
/// them concerns the same animals, regardless of later joins and leaves.
fn as_it_was(group: &Group, doc: &Json, had: &RawDocument) -> Option<Vec<Json>> {
    let before: Json = serde_json::from_str(&had.body).ok()?;
    let name = group.reference(doc)?;
    let parts = had.parts();
    let same = group.reference(&before) == Some(name) && !parts.keys.is_empty();
    same.then(|| Group::named_by(doc, parts.keys.iter()))
}

fn retraction(source: &str, key: &str) -> Json {
    json!({"meta": {"source": source, "sourceId": key, "isDeleted": true}})
}

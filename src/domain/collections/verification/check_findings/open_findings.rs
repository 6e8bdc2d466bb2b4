//! What stands against animals: the findings about them and their rows, and how others that decide about animals
//! dismiss them.

use super::{SLUG, Slots};
use crate::collections::dictionaries::lookups::CHUNK;
use checks::{Group, groups};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Class, Command, HookContext, ID, Lookup};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Notes that are read at once.
const NOTED: u8 = 50;
/// Notes that are counted, of as many animals as one statement asks for.
const COUNTED: i64 = 10_000;

/// A finding about an animal.
#[derive(Debug, Clone)]
pub(crate) struct OpenFinding {
    pub(crate) id: i64,
    /// The animal that it is about, itself or by a row.
    pub(crate) animal: i64,
    /// Code of the check.
    pub(crate) code: String,
    /// Whether it was dismissed.
    pub(crate) dismissed: bool,
    /// The organisation that reads it besides the Association.
    pub(crate) reader: Option<i64>,
    row: Record,
}

impl OpenFinding {
    fn of(row: Record) -> Option<Self> {
        let s = Slots::get();
        Some(Self {
            id: row.get(ID).int()?,
            animal: row.get(s.animal).int()?,
            code: row.get(s.code).text()?.to_owned(),
            dismissed: row.get(s.state).text() == Some("dismissed"),
            reader: row.get(s.organization).int(),
            row,
        })
    }

    /// The finding as people read it.
    pub(crate) fn json(&self) -> Json {
        let s = Slots::get();
        let text = |slot: usize| self.row.get(slot).text();
        json!({
            "id": self.id, "animal": self.animal, "code": self.code,
            "collection": text(s.collection), "recordId": self.row.get(s.record).int(),
            "path": text(s.path), "message": {"en": text(s.english), "ru": text(s.russian)},
        })
    }
}

/// The findings about some animals that must be corrected, those that were dismissed among them; by animal, code and
/// id.
pub(crate) async fn open_findings(context: &mut dyn BookReader, animals: &BTreeSet<i64>) -> Result<Vec<OpenFinding>> {
    let animals: Vec<i64> = animals.iter().copied().collect();
    let mut all = Vec::new();
    for part in animals.chunks(CHUNK) {
        let lookup = Lookup::by_ids("animal", part.iter().copied());
        let lookup = lookup.is_in("severity", vec!["fix".into()]);
        all.extend(context.find(SLUG, lookup).await?);
    }
    let mut all: Vec<OpenFinding> = all.into_iter().filter_map(OpenFinding::of).collect();
    all.sort_by(|a, b| (a.animal, &a.code, a.id).cmp(&(b.animal, &b.code, b.id)));
    Ok(all)
}

/// The first open findings about some animals that are worth a look and that the caller reads, and how many there are:
/// those that doubt a value before those of a pedigree, which mostly has gaps; by animal, code and id.
pub(crate) async fn noted_findings(
    context: &mut dyn BookReader,
    animals: &BTreeSet<i64>,
) -> Result<(Vec<OpenFinding>, i64)> {
    let animals: Vec<i64> = animals.iter().copied().collect();
    let reader = (!context.caller().sees_all()).then_some(context.caller().organization);
    let mut all = Vec::new();
    let mut total = 0;
    for gaps in [false, true] {
        let codes = groups().filter(|(group, _)| (*group == Group::Pedigree) == gaps);
        let codes: Vec<Value> = codes.map(|(_, check)| check.code.into()).collect();
        let mut some = Vec::new();
        for part in animals.chunks(CHUNK) {
            let mut lookup = Lookup::by_ids("animal", part.iter().copied())
                .is_in("severity", vec!["note".into()])
                .is_in("state", vec!["open".into()])
                .is_in("code", codes.clone());
            if let Some(reader) = reader {
                lookup = lookup.is_in("organization", reader.into_iter().map(Value::Int).collect());
            }
            total += context.count(SLUG, lookup.clone(), COUNTED).await?;
            if all.len() + some.len() < usize::from(NOTED) {
                let lookup = lookup.order(&["animal", "code"]).limit(NOTED.into());
                some.extend(context.find(SLUG, lookup).await?);
            }
        }
        all.extend(some.into_iter().filter_map(OpenFinding::of));
    }
    all.truncate(NOTED.into());
    let read = context.reads(SLUG, Class::Row, all.iter().map(|finding| finding.id).collect()).await?;
    all.retain(|finding| read.contains(&finding.id));
    Ok((all, total))
}

/// Of these animals those with an open finding that must be corrected and that their owner reads.
pub(crate) async fn open_fixes(context: &mut dyn BookReader, animals: &BTreeSet<i64>) -> Result<BTreeSet<i64>> {
    let all = open_findings(context, animals).await?;
    let open = all.iter().filter(|f| !f.dismissed && f.reader.is_some());
    Ok(open.map(|finding| finding.animal).collect())
}

/// Animal, code of the check, and why it does not hold.
pub(crate) type Dismissal = (i64, String, String);

/// Dismisses the open findings of animals by a user, and opens again what was dismissed for the reasons that are taken
/// back. Only findings that an organisation reads.
pub(crate) async fn dismiss(
    context: &mut dyn HookContext,
    reader: i64,
    user: Option<i64>,
    given: &BTreeSet<Dismissal>,
    taken_back: &BTreeSet<Dismissal>,
) -> Result<()> {
    let animals = given.iter().chain(taken_back).map(|(animal, ..)| *animal);
    let all = open_findings(context, &animals.collect()).await?;
    let mut reasons: BTreeMap<(i64, &str), &str> = BTreeMap::new();
    for (animal, code, reason) in given {
        reasons.entry((*animal, code)).or_insert(reason);
    }
    let reason = context.collection(SLUG)?.at("dismissed.reason");
    let now = context.now();
    let mut commands = Vec::new();
    for finding in all.iter().filter(|f| f.reader == Some(reader)) {
        let stored = finding.row.get(reason).text().unwrap_or_default();
        let undone = (finding.animal, finding.code.clone(), stored.to_owned());
        let state = |word: &str| ("state".to_owned(), Value::from(word));
        match reasons.get(&(finding.animal, finding.code.as_str())) {
            // Another reason takes the place of the one that is taken back.
            Some(why) if !finding.dismissed || taken_back.contains(&undone) => {
                let fields = vec![
                    state("dismissed"),
                    ("dismissed.reason".to_owned(), Value::from(*why)),
                    ("dismissed.by".to_owned(), Value::from(user)),
                    ("dismissed.at".to_owned(), Value::Time(now)),
                ];
                commands.push(Command::Update(finding.id, fields));
            }
            None if finding.dismissed && taken_back.contains(&undone) => {
                commands.push(Command::Update(finding.id, vec![state("open")]));
            }
            _ => {}
        }
    }
    context.write(SLUG, commands).await.map(drop)
}

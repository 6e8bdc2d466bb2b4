//! What the protocol of a package tells, with the names of persons and farms in place of ids
//! (docs/packages.md).

use super::{IntakeSlots, Organizations, Slots, Users, sign::day};
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::herd::animals::display_names;
use model::error::{Error, Result};
use model::record::{Record, Value, time};
use model::registry::{ASSOCIATION, BookReader, Class, Collection};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// A line of the protocol: the name of its label (`protocol-…` of the messages), and its value; none where nothing is
/// known.
pub type Line = (&'static str, Option<String>);

/// What stands in place of the name of a person whom the reader does not read, of the Association or of a farm: the
/// texts that pages have there.
pub const CLOSED_PERSONS: [&str; 2] = ["closed-of-association", "closed-of-farm"];

/// A finding of the review.
#[derive(Debug)]
pub struct ProtocolFinding {
    /// The animal: its number where the reader may read it, else its id.
    pub animal: String,
    /// The path of the field.
    pub field: String,
    /// `fix` or `note`.
    pub severity: String,
    /// What was found.
    pub text: String,
}

/// A step of the package.
#[derive(Debug)]
pub struct Step {
    /// When.
    pub at: String,
    /// The new state.
    pub status: String,
    /// Who did it; empty: the server.
    pub actor: String,
    /// Why.
    pub note: String,
}

/// The content of a protocol.
#[derive(Debug)]
pub struct Protocol {
    /// The number of the package.
    pub number: String,
    pub package: Vec<Line>,
    /// What its reading counted.
    pub intake: Vec<Line>,
    /// What its review counted.
    pub review: Vec<Line>,
    /// What the review found.
    pub findings: Vec<ProtocolFinding>,
    pub steps: Vec<Step>,
    pub signature: Vec<Line>,
}

/// The columns about which the sender must say something, with what is proposed and two values; none: there are none.
fn unconfirmed(sheets: &Value) -> Option<String> {
    let sheets = sheets.as_json()?.as_array()?.iter();
    let questions = sheets.filter_map(|sheet| sheet.get("questions")?.as_array());
    let lines = questions.flatten().filter_map(|question| {
        let samples = question.get("samples")?.as_array()?.iter();
        let samples: Vec<&str> = samples.filter_map(Json::as_str).collect();
        let unit = question.get("unit").and_then(Json::as_str);
        let unit = unit.map(|unit| format!(" → {unit}?")).unwrap_or_default();
        let title = question.get("title")?.as_str()?;
        Some(format!("{title}: {}{unit}", samples.join("; ")))
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join(". "))
}

/// The protocol of a package.
///
/// # Errors
/// [`Error::NotFound`] when there is no such package; those of the book.
pub async fn protocol(reader: &mut dyn BookReader, c: &'static Collection, id: i64) -> Result<Protocol> {
    let (s, n, o) = (Slots::get(), IntakeSlots::get(), Organizations::get());
    let mut rows = by_id(reader, c.slug, [id], &[]).await?;
    let row = rows.remove(&id).ok_or(Error::NotFound)?;
    let farm = row.get(s.organization).int();
    let farms = by_id(reader, "organizations", farm, &["name"]).await?;
    let farm = farm.and_then(|id| farms.get(&id)?.get(o.name).text().map(str::to_owned));
    let people = people(reader, &row).await?;
    let person = |slot: usize| row.get(slot).int().and_then(|id| people.get(&id).cloned());
    let text = |slot: usize| row.get(slot).text().map(str::to_owned);
    let count = |slot: usize| row.get(slot).int().map(|n| n.to_string());
    let at = |slot: usize| row.get(slot).time().map(minute);
    let days = |slot: usize| row.get(slot).time().map(day);
    let period = match (days(s.period_from), days(s.period_to)) {
        (None, None) => None,
        (from, to) => Some(format!("{} – {}", from.unwrap_or_default(), to.unwrap_or_default())),
    };
    let mut intake = vec![
        ("rows-of-file", count(s.intake_rows)),
        ("rows-created", count(s.intake_created)),
        ("rows-updated", count(s.intake_updated)),
        ("rows-skipped", count(s.intake_skipped)),
        ("rows-held", count(n.held)),
        ("rows-mended", count(s.intake_mended)),
    ];
    // What the checks find of a row that was tried again is not known yet.
    if row.get(n.unchecked).truth() {
        intake.push(("checks", Some("running".to_owned())));
    }
    if let Some(columns) = unconfirmed(row.get(s.intake_sheets)) {
        intake.push(("columns-unconfirmed", Some(columns)));
    }
    Ok(Protocol {
        number: text(s.number).unwrap_or_default(),
        package: vec![
            ("farm", farm),
            ("kind", text(s.kind)),
            ("dataset", text(s.dataset)),
            ("period", period),
            ("state", text(s.status)),
            ("sent-by", person(s.submitted_by)),
            ("sent-at", at(s.submitted_at)),
            ("file-hash", text(s.sha256)),
            ("checked-by", person(s.checked_by)),
            ("checked-at", at(s.checked_at)),
            ("agreed-at", at(s.agreed_at)),
            ("accepted-at", at(s.published_at)),
        ],
        intake,
        review: vec![
            ("rows-judged", count(s.review_total)),
            ("rows-accepted", count(s.review_accepted)),
            ("rows-rejected", count(s.review_rejected)),
            ("remark", text(s.comment)),
        ],
        findings: findings(reader, row.get(s.findings)).await?,
        steps: steps(row.get(s.history), &people),
        signature: vec![
            ("signed-by", person(s.signed_by)),
            ("signed-at", at(s.signed_at)),
            ("rows", count(s.signed_rows)),
            ("rows-hash", text(s.signed_hash)),
            ("algorithm", text(s.signed_algorithm)),
            ("key", text(s.signed_key)),
            ("signature", text(s.signed_value)),
        ],
    })
}

/// The names of everybody whom the package names, as far as the reader reads them; of others by side ([`CLOSED_PERSONS`]).
async fn people(reader: &mut dyn BookReader, row: &Record) -> Result<BTreeMap<i64, String>> {
    let s = Slots::get();
    let users_of_row = [s.submitted_by, s.checked_by, s.signed_by];
    let users_of_row = users_of_row.into_iter().filter_map(|slot| row.get(slot).int());
    let actors = row.get(s.history).rows().iter();
    let actors = actors.filter_map(|step| step.get("actor")?.as_i64());
    let ids: BTreeSet<i64> = users_of_row.chain(actors).collect();
    let read = reader.reads("users", Class::Row, ids.clone()).await?;
    let users = by_id(reader, "users", ids, &["lastName", "firstName", "role"]).await?;
    let role = Users::get().role;
    let name = |(id, user): (&i64, &Record)| {
        let officer = user.get(role).text().is_some_and(|role| ASSOCIATION.contains(&role));
        let name = match (read.contains(id), officer) {
            (true, _) => Users::name(user),
            (false, true) => CLOSED_PERSONS[0].to_owned(),
            (false, false) => CLOSED_PERSONS[1].to_owned(),
        };
        (*id, name)
    };
    Ok(users.iter().map(name).collect())
}

/// An animal that the reader may not read is shown as its id, which the package has anyway.
async fn findings(reader: &mut dyn BookReader, findings: &Value) -> Result<Vec<ProtocolFinding>> {
    let about = |row: &Json| row.get("animal").and_then(Json::as_i64);
    let ids: BTreeSet<i64> = findings.rows().iter().filter_map(about).collect();
    let animals = display_names(reader, ids).await?;
    let animal = |id: i64| animals.get(&id).cloned().unwrap_or_default();
    let lines = findings.rows().iter().map(|row| ProtocolFinding {
        animal: about(row).map(animal).unwrap_or_default(),
        field: member(row, "field"),
        severity: member(row, "severity"),
        text: member(row, "text"),
    });
    Ok(lines.collect())
}

fn steps(history: &Value, people: &BTreeMap<i64, String>) -> Vec<Step> {
    let step = |row: &Json| {
        let actor = row.get("actor").and_then(Json::as_i64);
        let at = member(row, "at");
        Step {
            at: time::parse(&at).map(minute).unwrap_or(at),
            status: member(row, "status"),
            actor: actor.and_then(|id| people.get(&id).cloned()).unwrap_or_default(),
            note: member(row, "note"),
        }
    };
    history.rows().iter().map(step).collect()
}

fn member(row: &Json, name: &str) -> String {
    let text = row.get(name).and_then(Json::as_str);
    text.unwrap_or_default().to_owned()
}

/// `2026-03-01 12:00 UTC`
fn minute(at: i64) -> String {
    let iso = time::to_iso(at);
    let (day, rest) = iso.split_once('T').unwrap_or((&iso, ""));
    let minute: String = rest.chars().take(5).collect();
    format!("{day} {minute} UTC")
}

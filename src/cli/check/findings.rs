//! `herdbook check --findings`: the checks of the book, over the whole book.

use super::check_runs::whole;
use crate::progress::{Unit, progress};
use crate::{Exit, announce, open};
use checks::{Finding, Herd, Language, Severity};
use config::Settings;
use domain::collections::Step;
use model::error::Result;
use ops::Book;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

/// The findings of one check: how many, and the first ones.
#[derive(Debug, Default)]
struct CheckSummary {
    fix: u64,
    note: u64,
    first: Vec<Value>,
}

/// Runs the checks and tells what they find, check by check, with the first findings of each.
pub(crate) async fn findings(settings: &Settings, first: usize, language: Language) -> Result<ExitCode> {
    let opened = open(settings, settings.passing_ring()?).await?;
    let bar = progress(0, Unit::Rows);
    let mut summaries: BTreeMap<&'static str, CheckSummary> = BTreeMap::new();
    let each = |finding: Finding| {
        let of = summaries.entry(finding.code).or_default();
        match finding.severity {
            Severity::Fix => of.fix += 1,
            Severity::Note => of.note += 1,
        }
        if of.first.len() < first {
            of.first.push(line(&finding, language));
        }
    };
    let done = survey(&opened.book, each, |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    });
    let done = done.await;
    bar.finish_and_clear();
    opened.book.store.close().await;
    let animals = done?;
    for check in checks::checks() {
        if let Some(summary) = summaries.get(check.code) {
            announce(&json!({
                "event": "check", "code": check.code, "fix": summary.fix, "note": summary.note, "first": summary.first,
            }));
        }
    }
    let sum = |of: fn(&CheckSummary) -> u64| summaries.values().map(of).sum::<u64>();
    let (fix, note) = (sum(|summary| summary.fix), sum(|summary| summary.note));
    announce(&json!({"event": "findings", "animals": animals, "fix": fix, "note": note}));
    Ok(if fix > 0 { Exit::Findings } else { Exit::Done }.into())
}

fn line(finding: &Finding, language: Language) -> Value {
    let severity = match finding.severity {
        Severity::Fix => "fix",
        Severity::Note => "note",
    };
    json!({
        "collection": finding.place.collection, "id": finding.place.row, "animal": finding.place.animal,
        "field": finding.place.path, "severity": severity, "message": finding.text(language),
    })
}

/// Runs the checks of rows, animals, herds and the book over a book, and hands out each finding; `went` hears how many
/// of the animals are done. Says how many animals there are. What is in memory at a time is the parents and numbers of
/// the book, and the animals of one herd.
///
/// The book is read in steps, each in a transaction of its own: rows that change meanwhile are seen as they are when
/// their step comes.
pub async fn survey(book: &Book, mut each: impl FnMut(Finding), mut went: impl FnMut(u64, u64)) -> Result<u64> {
    // Without a run that could be lost there is always one.
    let Some(survey) = whole(book, None).await? else {
        return Ok(0);
    };
    let survey = Arc::new(survey);
    let all = u64::try_from(survey.book.parents.len()).unwrap_or(u64::MAX);
    let mut done = 0;
    let mut findings = Vec::new();
    let herds = survey.herds.iter().copied().map(Some).chain([None]);
    for herd in herds {
        let (mut members, mut after) = (Vec::new(), Some(0));
        while let Some(from) = after {
            let reader = Arc::clone(&survey);
            let step = book.transact(move |work| Box::pin(async move { reader.step(work, herd, from).await }));
            let Step { animals, context, after: next } = step.await?;
            after = next;
            for animal in &animals {
                survey.run.animal(animal, &context, &mut findings);
            }
            done += u64::try_from(animals.len()).unwrap_or(u64::MAX);
            went(done, all);
            findings.drain(..).for_each(&mut each);
            if herd.is_some() {
                members.extend(animals);
            }
        }
        if let Some(id) = herd {
            let herd = Herd { id, animals: members.iter().collect() };
            survey.run.herd(&herd, &mut findings);
        }
        findings.drain(..).for_each(&mut each);
    }
    survey.run.book(&survey.book, &mut findings);
    findings.drain(..).for_each(&mut each);
    Ok(done)
}

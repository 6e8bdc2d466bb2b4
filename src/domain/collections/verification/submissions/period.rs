//! The check of a package as a whole: rows that are dated outside the period that the package states
//! (`row-outside-period`).

use super::Slots;
use crate::collections::verification::submission_rows;
use crate::collections::verification::survey::Survey;
use crate::derive::day_of;
use checks::{Day, Finding, Language, Package, PackageRow};
use model::error::Result;
use model::record::Record;
use model::registry::{BookReader, HookContext, ID};
use serde_json::json;

/// What the check finds in the rows of a package, under what the Association set; places are `submission-rows`.
pub(super) async fn findings(context: &mut dyn BookReader, package: &Record) -> Result<Vec<Finding>> {
    let s = Slots::get();
    let (from, to) = (package.get(s.period_from).time(), package.get(s.period_to).time());
    let Some(id) = package.get(ID).int().filter(|_| from.is_some() || to.is_some()) else {
        return Ok(Vec::new());
    };
    let outside = submission_rows::outside(context, id, from, to).await?;
    if outside.is_empty() {
        return Ok(Vec::new());
    }
    let day = |at: i64| Day(day_of(at));
    let rows = outside.into_iter().map(|(row, animal, at)| PackageRow {
        collection: submission_rows::SLUG,
        row,
        animal,
        day: Some(day(at)),
        foreign: false,
    });
    let whole = Package { id, from: from.map(day), to: to.map(day), rows: rows.collect(), ..Package::default() };
    let survey = Survey::begin(context).await?;
    let mut findings = Vec::new();
    survey.run.package(&whole, &mut findings);
    Ok(findings)
}

/// Rows of a package that are dated outside of its stated period have a fault.
///
/// # Errors
/// The errors of the context.
pub async fn note_outside(context: &mut dyn HookContext, package: &Record) -> Result<()> {
    let findings = findings(context, package).await?;
    let faults = findings.iter().map(|finding| {
        let message = finding.text(Language::English);
        let fault = json!({
            "column": "", "path": finding.place.path, "code": finding.code, "value": "", "message": message,
            "expected": "",
        });
        (finding.place.row, fault)
    });
    submission_rows::add_faults(context, faults.collect()).await
}

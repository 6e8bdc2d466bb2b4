//! The check of a package as a whole: what the columns of its rows say together (`unit-suspect`).
//! It reads part by part, so that no write waits long, and keeps numbers only.

use super::intake;
use super::rows::of;
use crate::collections::verification::check_findings::{Scope, SourcedFinding, store};
use crate::collections::verification::survey::Survey;
use checks::{Columns, Package, Thresholds};
use model::error::Result;
use model::record::Record;
use model::registry::{BookReader, Collection, HookContext, ID, Lookup};

/// A column of the checks: the field of the collection, and where its values go.
type Column = (&'static str, fn(&mut Columns) -> &mut Vec<f64>);

/// The collections with measured values.
const MEASURED: [(&str, &[Column]); 2] = [
    (
        "milk-tests",
        &[
            ("milkYield", |columns| &mut columns.milk),
            ("fatPercent", |columns| &mut columns.fat),
            ("proteinPercent", |columns| &mut columns.protein),
            ("somaticCells", |columns| &mut columns.cells),
            ("urea", |columns| &mut columns.urea),
        ],
    ),
    ("weighings", &[("weight", |columns| &mut columns.weight)]),
];

/// Further fields of whose unit a file may be asked: the check of a package does not look at them.
const ASKED: [(&str, &[&str]); 4] = [
    ("milk-tests", &["lactosePercent", "caseinPercent", "dryMatterPercent"]),
    ("weighings", &["hipHeight", "chestGirth"]),
    ("calvings", &["calfWeight"]),
    (
        "animals",
        &["bloodPercent", "improvers.share1", "improvers.share2", "summary.fatPercent", "summary.proteinPercent"],
    ),
];

/// Between what the middle of a column of a field lies, by the built-in limits of the checks; none of a field that
/// files are not asked about.
pub fn plausible(slug: &str, path: &str) -> Option<(f64, f64)> {
    let measured = |(of, columns): &(&str, &[Column])| *of == slug && columns.iter().any(|(column, _)| *column == path);
    let further = |(of, paths): &(&str, &[&str])| *of == slug && paths.contains(&path);
    let limits = Thresholds::default();
    let is_asked = MEASURED.iter().any(measured) || ASKED.iter().any(further);
    is_asked.then(|| checks::plausible(path, |key| limits.get(key))).flatten()
}

/// Checks a package as a whole.
#[derive(Debug, Default)]
pub struct PackageCheck {
    package: i64,
    collection: usize,
    after: i64,
    columns: Columns,
}

impl PackageCheck {
    pub fn of(package: i64) -> Self {
        Self { package, ..Self::default() }
    }

    /// Reads some more rows; false at the end.
    ///
    /// # Errors
    /// Those of the book.
    pub async fn step(&mut self, reader: &mut dyn BookReader) -> Result<bool> {
        let Some((slug, columns)) = MEASURED.get(self.collection) else {
            return Ok(false);
        };
        let c = reader.collection(slug)?;
        let fields: Vec<&str> = columns.iter().map(|(path, _)| *path).collect();
        let lookup = of(self.package, self.after).fields(&fields);
        let rows = reader.find(slug, lookup).await?;
        match rows.last().and_then(|row| row.get(ID).int()) {
            Some(last) => self.after = last,
            None => (self.collection, self.after) = (self.collection + 1, 0),
        }
        for row in &rows {
            self.keep(c, columns, row);
        }
        Ok(true)
    }

    fn keep(&mut self, c: &Collection, columns: &[Column], row: &Record) {
        for (path, values) in columns {
            values(&mut self.columns).extend(row.get(c.at(path)).num());
        }
    }

    /// Puts what is found in place of what was found before.
    ///
    /// # Errors
    /// Those of the context.
    pub async fn store(self, context: &mut dyn HookContext) -> Result<()> {
        let survey = Survey::begin(context).await?;
        let whole = Package { id: self.package, columns: self.columns, ..Package::default() };
        let mut findings = Vec::new();
        survey.run.package(&whole, &mut findings);
        let sourced = findings.into_iter().map(|finding| SourcedFinding { source: None, finding });
        let sourced: Vec<SourcedFinding> = sourced.collect();
        let scope = Scope::Package(self.package);
        store(context, &scope, &sourced).await.map(drop)
    }
}

/// Steps within a transaction: for each collection one with rows and one without, and the end.
const AT_ONCE: usize = MEASURED.len() * 2 + 1;

/// Checks a package as a whole within the transaction that runs, if it is short; a task does it for others, so that
/// nobody waits while all rows are read.
pub(super) async fn check(context: &mut dyn HookContext, package: i64) -> Result<()> {
    let mut whole = PackageCheck::of(package);
    for _ in 0..AT_ONCE {
        if !whole.step(context).await? {
            return whole.store(context).await;
        }
    }
    intake::put_off_check(context, package).await
}

/// Whether a check of the package as a whole found something that must be corrected and was not dismissed.
pub(super) async fn is_open(context: &mut dyn BookReader, package: i64) -> Result<bool> {
    let lookup = Lookup::by_ids("submission", [package])
        .is_in("severity", vec!["fix".into()])
        .is_in("state", vec!["open".into()])
        .fields(&["id"])
        .limit(1);
    Ok(!context.find("check-findings", lookup).await?.is_empty())
}

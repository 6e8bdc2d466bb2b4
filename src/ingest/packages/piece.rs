//! A piece of rows, written in one transaction under the rights of the sender, and what became of each.

use crate::Schemes;
use crate::files::book_rows;
use crate::files::sheet::{FileRow, OTHER_TABLE, PackageSheet, SetRow};
use crate::packages::changes::changed_values;
use crate::packages::rows::{PackageRow, RowFault, RowState, records};
use crate::values::notation::CONTRADICTS;
use crate::values::scales::SCALE_UNKNOWN;
use crate::values::units::{UNCONFIRMED, WRONG_UNIT};
use crate::write::{
    self, Conflict, ImportBatch, ImportRules, ImportedRow, PackageRules, Patience, RowIdSet, RowOutcome,
};
use model::error::{Issue, Result};
use model::record::Value;
use model::registry::{Caller, Class, Collection, PackageSet, Principal, Registry, Writer};
use ops::WriteTransaction;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Faults of the cells themselves, which nothing but another file mends.
const OF_CELLS: [&str; 16] = [
    "wrong-type",
    "not-an-option",
    "required",
    "cell-error",
    "columns",
    OTHER_TABLE,
    "duplicate-row",
    "too-early",
    "too-large",
    "too-small",
    "id-format",
    "resource-not-found",
    CONTRADICTS,
    UNCONFIRMED,
    WRONG_UNIT,
    SCALE_UNKNOWN,
];

/// What all pieces of a package need.
#[derive(Debug)]
pub(crate) struct Intake {
    pub(crate) caller: Arc<Principal>,
    pub(crate) organization: i64,
    pub(crate) sheets: Vec<PackageSheet>,
    rules: Vec<Arc<ImportRules>>,
}

/// Ids of the records that the rows of a package wrote or found so far, by collection.
pub(crate) type RecordIds = BTreeMap<&'static str, RowIdSet>;

/// The ids of the records of the first rows of a package, to a position.
pub(crate) async fn read_record_ids(
    work: &mut WriteTransaction<'_>,
    registry: &'static Registry,
    package: i64,
    last: i64,
) -> Result<RecordIds> {
    let mut record_ids = RecordIds::new();
    for (slug, id) in records(work, package, last).await? {
        if let Some(c) = registry.get(&slug) {
            record_ids.entry(c.slug).or_default().insert(id);
        }
    }
    Ok(record_ids)
}

impl Intake {
    /// For a package, or a file that none was made of (`package` is none).
    pub(crate) fn new(
        caller: Arc<Principal>,
        organization: i64,
        package: Option<i64>,
        sheets: Vec<PackageSheet>,
        schemes: &Schemes,
    ) -> Self {
        let rules = sheets.iter().map(|sheet| {
            // A row of any set may be one of a kind that has a set of its own.
            let kinds = (sheet.collection.package_sets.iter())
                .filter(|set| !set.constants.is_empty())
                .flat_map(PackageSet::decisive);
            let required = sheet.set.decisive().chain(kinds).map(str::to_owned);
            let members = |list: &str| {
                let below = |path: &&str| Some(path.strip_prefix(list)?.strip_prefix('.')?.to_owned());
                (sheet.set.required.iter()).filter_map(below).collect()
            };
            Arc::new(ImportRules {
                conflict: Conflict::Update,
                schemes: schemes.clone(),
                package: Some(PackageRules {
                    organization,
                    required: required.collect(),
                    stamps: package.map(|id| ("submission", Value::Int(id))).into_iter().collect(),
                    list: sheet.set.list.map(|list| (list, members(list))),
                }),
            })
        });
        let rules = rules.collect();
        Self { caller, organization, sheets, rules }
    }

    pub(crate) async fn write(
        &self,
        work: &mut WriteTransaction<'_>,
        rows: &[FileRow],
        record_ids: &mut RecordIds,
    ) -> Result<Vec<PackageRow>> {
        let mut written = Vec::with_capacity(rows.len());
        let mut rest = rows;
        while let Some(first) = rest.first() {
            let count = rest.iter().take_while(|row| row.sheet == first.sheet).count();
            let (run, remaining) = rest.split_at(count);
            rest = remaining;
            if let (Some(sheet), Some(rules)) = (self.sheets.get(first.sheet), self.rules.get(first.sheet)) {
                written.extend(self.write_run(work, sheet, rules, run, record_ids).await?);
            }
        }
        Ok(written)
    }

    async fn write_run(
        &self,
        work: &mut WriteTransaction<'_>,
        sheet: &PackageSheet,
        rules: &Arc<ImportRules>,
        run: &[FileRow],
        record_ids: &mut RecordIds,
    ) -> Result<Vec<PackageRow>> {
        let c = sheet.collection;
        let read: Vec<SetRow> = match sheet.id_column() {
            Some(ids) => book_rows::read(work, &self.caller, self.organization, (sheet, ids), run).await?,
            None => run.iter().map(|row| self.read(sheet, row)).collect(),
        };
        let unwritten = read.iter().filter(|row| row.passed.is_none());
        let batch = ImportBatch {
            collection: c,
            rows: unwritten.map(|row| row.row.clone()).collect(),
            rules: Arc::clone(rules),
            patience: Patience::None,
            coming: None,
            later: BTreeSet::new(),
            completes: false,
        };
        let outcomes = write::write(work, &self.caller, batch, record_ids.entry(c.slug).or_default()).await?;
        let mut outcomes = outcomes.into_iter();
        let rows = run.iter().zip(read).map(|(row, read)| {
            let outcome = if read.passed.is_some() { None } else { outcomes.next() };
            package_row(sheet, row, read, outcome)
        });
        Ok(rows.collect())
    }

    /// A row of the file as one of the book. What the session of a farm says of new rows, the package says for others.
    fn read(&self, sheet: &PackageSheet, row: &FileRow) -> SetRow {
        let mut read = sheet.read(&row.cells);
        if let Some(fault) = &row.broken {
            read.row.issues.push(Issue::error("", fault.code.clone(), fault.message.clone()));
        }
        if self.caller.caller != Caller::Farm
            && sheet.set.list.is_none()
            && let Some(path) = owner_of(sheet.collection)
        {
            read.row.body.entry(path.to_owned()).or_insert_with(|| Json::from(self.organization));
        }
        read
    }
}

/// The field that says whose a new row is, where a caller may send it.
fn owner_of(c: &'static Collection) -> Option<&'static str> {
    let path = c.access.subjects.first().copied()?;
    let field = c.field(path)?;
    (field.session && field.writer != Writer::Server && field.class != Class::Hidden).then_some(path)
}

fn package_row(sheet: &PackageSheet, row: &FileRow, read: SetRow, imported: Option<ImportedRow>) -> PackageRow {
    let fault = |issue: &Issue| sheet.fault(issue, &row.cells);
    let mut faults: Vec<RowFault> = Vec::new();
    let (mut record, mut waits, mut before) = (None, false, None);
    let state = match imported {
        None => {
            faults.extend(read.passed);
            RowState::Skipped
        }
        Some(imported) => {
            faults.extend(imported.left_out.iter().map(fault));
            before = imported.change.and_then(|change| changed_values(sheet.collection, &change.0, &change.1));
            match imported.outcome {
                RowOutcome::Created(id) => {
                    record = Some(id);
                    RowState::Created
                }
                RowOutcome::Updated(id) => {
                    record = Some(id);
                    RowState::Updated
                }
                RowOutcome::Unchanged(id) => {
                    // What is not the farm's does not become part of its package.
                    record = Some(id).filter(|_| !read.foreign);
                    RowState::Unchanged
                }
                RowOutcome::Skipped(id) => {
                    record = Some(id);
                    faults.push(RowFault::new("duplicate-row", "An earlier row of the file says the same."));
                    RowState::Skipped
                }
                RowOutcome::Refused(issues) => {
                    waits = issues.iter().all(|issue| !OF_CELLS.contains(&issue.code.as_ref()));
                    faults = issues.iter().map(fault).chain(faults).collect();
                    RowState::Held
                }
                RowOutcome::Waits => RowState::Held,
            }
        }
    };
    PackageRow {
        position: row.position,
        sheet: Some(sheet.name.clone()).filter(|name| !name.is_empty()),
        line: row.line,
        ident: read.ident,
        state,
        dataset: sheet.set.name,
        collection: sheet.collection.slug,
        record,
        animal: None,
        date: None,
        cells: row.cells.clone(),
        faults,
        waits,
        before,
    }
}

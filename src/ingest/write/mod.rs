//! Rows of files that another program wrote (docs/import.md): relations are named by what people have, rows are
//! recognised by their keys, and every row passes the pipeline of single writes. Must not know how files are read.

mod coming_names;
mod keys;
mod names;
mod numbers;
mod outcome;
mod references;
mod row_id_set;
mod shown_times;
mod states;
mod unique_numbers;
mod waves;

pub(crate) use coming_names::ComingNames;
use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::{Collection, Feature, Kind, Principal, Rule, Verb, Writer};
use ops::WriteTransaction;
pub(crate) use references::at;
pub(crate) use row_id_set::RowIdSet;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
pub(crate) use waves::{within, without_places};

/// What becomes of a row that the book has with other values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conflict {
    /// The values of the file are written.
    #[default]
    Update,
    /// The row of the book stays.
    Skip,
    /// The row of the file is refused.
    Refuse,
}

/// A row of a file: a body as in REST, whose relations may also be texts (the number, code or name
/// of the row, or `field:value`) or objects with one member (`{"identNumber": "…"}`).
#[derive(Debug, Clone, Default)]
pub(crate) struct ImportRow {
    /// The id in the book, if the file has one.
    pub(crate) id: Option<i64>,
    pub(crate) body: Map<String, Json>,
    /// Further numbers of the animal that the row is about: they must not be those of another one.
    pub(crate) other_numbers: Vec<Json>,
    /// Faults found while reading.
    pub(crate) issues: Vec<Issue>,
}

/// What holds for all rows of an import.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImportRules {
    /// What becomes of rows that the book has with other values.
    pub(crate) conflict: Conflict,
    /// Identifier schemes: collection and name, with the path of the field that they mean.
    pub(crate) schemes: BTreeMap<(String, String), String>,
    /// The rows are a package of a farm.
    pub(crate) package: Option<PackageRules>,
}

/// What holds for rows that a farm sends as a package.
#[derive(Debug, Clone, Default)]
pub(crate) struct PackageRules {
    /// The farm. Of several rows with a name, its own is meant; the rows are about its animals only.
    pub(crate) organization: i64,
    /// Paths whose values a row must have. Other values that cannot be read are left out, with a remark.
    pub(crate) required: Vec<String>,
    /// What the server adds to rows that are written: path and value, where the collection has the path.
    pub(crate) stamps: Vec<(&'static str, Value)>,
    /// The list whose rows these are, and the members by which one is recognised: they join those that the record has.
    pub(crate) list: Option<(&'static str, Vec<String>)>,
}

/// How long rows wait for rows of the same collection that they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Patience {
    /// For everything that the files bring.
    All,
    /// Only for relations: a text that names a row stays a text.
    Relations,
    /// For nothing: what is not there does not come.
    #[default]
    None,
}

/// Rows of one collection, written in one transaction.
#[derive(Debug)]
pub(crate) struct ImportBatch {
    pub(crate) collection: &'static Collection,
    /// The rows, in the order of the file.
    pub(crate) rows: Vec<ImportRow>,
    /// What holds for them.
    pub(crate) rules: Arc<ImportRules>,
    /// Which rows wait for rows of other batches.
    pub(crate) patience: Patience,
    /// The names of the rows of this collection that the files bring; none: any may come.
    pub(crate) coming: Option<Arc<ComingNames>>,
    /// Collections whose rows come only after all of this one: what names them is left out, and
    /// the row is to be completed.
    pub(crate) later: BTreeSet<&'static str>,
    /// The rows were written before, and are completed.
    pub(crate) completes: bool,
}

impl ImportBatch {
    /// The list that the rows join, and the members by which one of its rows is recognised.
    fn joins(&self) -> Option<(&'static str, &[String])> {
        let (list, members) = self.rules.package.as_ref()?.list.as_ref()?;
        Some((list, members))
    }
}

#[derive(Debug)]
pub(crate) enum RowOutcome {
    /// The book has a new row.
    Created(i64),
    /// A row of the book was changed.
    Updated(i64),
    /// The book has the row as it is.
    Unchanged(i64),
    /// The book has the row with other values, which stay.
    Skipped(i64),
    /// Nothing of it was written.
    Refused(Vec<Issue>),
    /// It names a row that may still come; nothing of it was written.
    Waits,
}

/// What became of a row, and whether relations to rows that come later are missing.
#[derive(Debug)]
pub(crate) struct ImportedRow {
    pub(crate) outcome: RowOutcome,
    /// Whether it is to be completed when all files are read.
    pub(crate) incomplete: bool,
    /// Values that were left out, with the reason, and remarks on what was written.
    pub(crate) left_out: Vec<Issue>,
    /// The row that was changed, before and after.
    pub(crate) change: Option<Box<(Record, Record)>>,
}

/// Why rows of a collection cannot be imported; none if they can.
pub fn closed_to_import(c: &Collection) -> Option<&'static str> {
    if c.auth {
        return Some("accounts are created by `herdbook user add` or by invitations");
    }
    if c.is(Feature::ApiKeys)
        || c.is(Feature::Invitations)
        || c.fields.iter().any(|f| f.shown_once || f.digest.is_some())
    {
        return Some("its tokens are shown once, to whoever creates the row");
    }
    if c.is(Feature::Webhooks) || c.fields.iter().any(|f| f.keyed.is_some()) {
        return Some("its keys are made by the server");
    }
    if c.upload.is_some() {
        return Some("its rows are files, which are uploaded");
    }
    if c.file.is_some_and(|path| c.field(path).is_some_and(|f| f.required)) {
        return Some("its rows need files, which are uploaded");
    }
    match c.access.rule(Verb::Create) {
        Rule::Nobody => Some("only the server writes it"),
        _ => None,
    }
}

/// Whether an import takes values of a field.
pub fn imports(c: &Collection, slot: usize) -> bool {
    c.fields.get(slot).is_some_and(|f| {
        let stamp = slot == c.created_slot() || slot == c.updated_slot();
        (f.writer != Writer::Server || stamp) && !matches!(f.kind, Kind::Password)
    })
}

/// Writes a batch. Refused rows leave no trace, the others are stored. Answers come in the order of the rows.
pub(crate) async fn write(
    work: &mut WriteTransaction<'_>,
    caller: &Arc<Principal>,
    batch: ImportBatch,
    record_ids: &mut RowIdSet,
) -> Result<Vec<ImportedRow>> {
    let before = work.begin_file(caller, batch.rules.package.as_ref().map(|package| package.organization));
    let done = waves::write_batch(work, caller, batch, record_ids).await;
    work.end_file(before, done).await
}

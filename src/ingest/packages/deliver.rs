//! Documents of the exchange as rows of a package: taken in as a batch of their sender is, and what became of each.

use crate::files::documents::{document, ident, taking};
use crate::files::sheet::FileRow;
use crate::packages::changes::changed_values;
use crate::packages::piece::RecordIds;
use crate::packages::rows::{PackageRow, RowFault, RowState};
use exchange::{Delivery, DocumentAnswer, Exchange, State};
use model::error::{Issue, Result, Severity};
use model::registry::{Collection, Principal, Registry};
use ops::{Changes, WriteTransaction};
use serde_json::Value as Json;
use std::sync::Arc;

/// What all pieces of a package of documents need.
#[derive(Debug)]
pub(crate) struct DocumentWriter {
    pub(crate) caller: Arc<Principal>,
    pub(crate) organization: i64,
    pub(crate) exchange: Exchange,
    pub(crate) registry: &'static Registry,
}

/// A document on its way: its data set, or why it is not taken.
struct ReadDocument {
    collection: Option<&'static Collection>,
    ident: Option<String>,
    delivery: std::result::Result<Delivery, (RowState, RowFault)>,
}

impl DocumentWriter {
    /// Takes documents in. What became of each, in their order.
    pub(crate) async fn write(
        &self,
        work: &mut WriteTransaction<'_>,
        rows: &[FileRow],
        record_ids: &mut RecordIds,
    ) -> Result<Vec<PackageRow>> {
        let intake = self.exchange.intake();
        let (mut deliveries, mut checked, mut package_rows) = (Vec::new(), Vec::new(), Vec::with_capacity(rows.len()));
        for row in rows {
            let read = self.read(row);
            let (mut state, mut faults) = (RowState::Held, Vec::new());
            let mut index = None;
            match read.delivery {
                Err((refused_as, fault)) => {
                    state = refused_as;
                    faults.push(fault);
                }
                Ok(mut delivery) => {
                    let issues = intake.checked(&mut delivery, false);
                    if issues.iter().any(|issue| issue.severity == Severity::Error) {
                        faults = issues.iter().map(|issue| fault(issue, &delivery.doc)).collect();
                    } else {
                        index = Some(deliveries.len());
                        deliveries.push(delivery);
                        checked.push(issues);
                    }
                }
            }
            let set = read.collection.and_then(|c| c.package_sets.first());
            let row = PackageRow {
                position: row.position,
                sheet: None,
                line: row.line,
                ident: read.ident,
                state,
                dataset: set.map_or("", |set| set.name),
                collection: read.collection.map_or("", |c| c.slug),
                record: None,
                animal: None,
                date: None,
                cells: row.cells.clone(),
                faults,
                waits: false,
                before: None,
            };
            package_rows.push((row, index));
        }
        let outer = work.package_of(Some(self.organization));
        work.keep_changes();
        let answers = match deliveries.is_empty() {
            true => Ok(Vec::new()),
            false => intake.deliver_within(work, &self.caller, &deliveries, checked).await,
        };
        work.package_of(outer);
        let changes = work.changes();
        let answers = answers?;
        let rows = package_rows.into_iter().map(|(mut row, index)| {
            if let Some((answer, delivery)) = index.and_then(|at| Some((answers.get(at)?, deliveries.get(at)?))) {
                become_of(&mut row, answer, &delivery.doc);
                self.was_before(&mut row, &changes, record_ids);
            }
            row
        });
        Ok(rows.collect())
    }

    fn was_before(&self, row: &mut PackageRow, changes: &Changes, record_ids: &mut RecordIds) {
        let Some((id, c)) = row.record.zip(self.registry.get(row.collection)) else { return };
        record_ids.entry(c.slug).or_default().insert(id);
        if row.state == RowState::Updated {
            row.before = changes.get(&(c.slug, id)).and_then(|(old, new)| changed_values(c, old, new));
        }
    }

    fn read(&self, row: &FileRow) -> ReadDocument {
        let refused = |state: RowState, fault: RowFault| ReadDocument {
            collection: None,
            ident: None,
            delivery: Err((state, fault)),
        };
        if let Some(fault) = &row.broken {
            return refused(RowState::Held, fault.clone());
        }
        let text = row.cells.first().map(String::as_str).unwrap_or_default();
        let doc = match document(text) {
            Ok(doc) => doc,
            Err(fault) => return refused(RowState::Held, *fault),
        };
        let resource = doc.get("resourceType").and_then(Json::as_str).unwrap_or_default();
        let ident = ident(&doc);
        let fault = |code: &str, path: &str, message: &str| RowFault {
            path: path.to_owned(),
            value: resource.chars().take(250).collect(),
            ..RowFault::new(code, message)
        };
        let Some(mapping) = taking(&self.exchange, resource) else {
            let message = "Documents of this type are not taken.";
            let read = refused(RowState::Held, fault("collection-unknown", "/resourceType", message));
            return ReadDocument { ident, ..read };
        };
        let collection = self.registry.get(mapping.collection());
        if doc.pointer("/meta/isDeleted").and_then(Json::as_bool) == Some(true) {
            let message = "A package retracts nothing: send the retraction over the exchange.";
            let read = refused(RowState::Skipped, fault("retraction", "/meta/isDeleted", message));
            return ReadDocument { ident, collection, ..read };
        }
        let delivery = Delivery {
            dataset: mapping.dataset().to_owned(),
            location: self.organization,
            sent: mapping.keeps_sent().then(|| doc.to_string()),
            doc,
        };
        ReadDocument { collection, ident, delivery: Ok(delivery) }
    }
}

fn become_of(row: &mut PackageRow, answer: &DocumentAnswer, doc: &Json) {
    row.state = match answer.state {
        State::Created => RowState::Created,
        State::Updated => RowState::Updated,
        State::Unchanged => RowState::Unchanged,
        State::Deleted => RowState::Skipped,
        State::Rejected => RowState::Held,
    };
    row.faults = answer.issues.iter().map(|issue| fault(issue, doc)).collect();
    row.record = answer.record.filter(|_| !answer.collection.is_empty());
    if row.record.is_some() {
        row.collection = answer.collection;
    }
    // What the standard finds stays so; the book may change.
    row.waits = answer.state == State::Rejected && !answer.forbidden;
}

/// A fault of a document, as the sender of the file reads it.
fn fault(issue: &Issue, doc: &Json) -> RowFault {
    let value = match doc.pointer(&issue.path) {
        Some(Json::String(text)) => text.clone(),
        Some(value @ (Json::Number(_) | Json::Bool(_))) => value.to_string(),
        _ => String::new(),
    };
    RowFault {
        path: issue.path.clone(),
        value: value.chars().take(250).collect(),
        ..RowFault::new(&issue.code, issue.message.to_string())
    }
}

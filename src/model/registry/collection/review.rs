//! How pages show the review of a record (docs/pages.md, *Packages*): its rows as they were sent, what is wrong with
//! them, and what the checks found. Must not know how pages are made.

use crate::registry::{Collection, Kind};

/// The review of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Review {
    /// The join to its rows, which say their fields by [`SentRows`].
    pub rows: &'static str,
    /// JSON with the names of its sheets and their columns.
    pub sheets: &'static str,
    /// JSON in which the sender answers questions about columns.
    pub mapping: &'static str,
    /// How far the file is read, and the words while it is not.
    pub reading: (&'static str, &'static [&'static str]),
    /// Where it stands that the file cannot be read.
    pub unread: UnreadFile,
    /// Whether the checks are still to be made.
    pub unchecked: &'static str,
    /// A state, and its words while rows may still be mended.
    pub open: (&'static str, &'static [&'static str]),
    /// The group with a count for each state of rows, named as the state.
    pub counts: &'static str,
    /// The animals that it is about.
    pub animals: &'static str,
    /// The rows by which the review tells findings, with these members.
    pub finding_members: FindingMembers,
}

/// How a record says that its file cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadFile {
    /// The word of how far the file is read.
    pub word: &'static str,
    /// The sentence: what is wrong, and what to do.
    pub message: &'static str,
    /// Its code.
    pub code: &'static str,
}

/// Members of the rows by which a review tells findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FindingMembers {
    /// The list.
    pub list: &'static str,
    /// The animal.
    pub animal: &'static str,
    /// Path of the field.
    pub path: &'static str,
    /// How grave it is.
    pub severity: &'static str,
    /// What was found.
    pub text: &'static str,
}

/// The fields of rows as they were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentRows {
    /// Row of the sheet.
    pub line: &'static str,
    /// Name of the sheet.
    pub sheet: &'static str,
    /// What became of it.
    pub state: &'static str,
    /// Number of the animal as written.
    pub ident: &'static str,
    /// The animal.
    pub animal: &'static str,
    /// Collection of its record.
    pub collection: &'static str,
    /// Id of its record.
    pub record: &'static str,
    /// The cells, in the order of the columns.
    pub cells: &'static str,
    /// What is wrong with it.
    pub faults: &'static str,
    /// Its cells that were mended: `place` of the column from 1, what it `was`, `at`, `by`.
    pub mended: &'static str,
}

/// The fields of what checks found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Findings {
    /// Code of the check.
    pub code: &'static str,
    /// How grave it is; the first option is what must be mended.
    pub severity: &'static str,
    /// Whether it counts; the first option is that it does.
    pub state: &'static str,
    /// Collection of the record that it is about.
    pub collection: &'static str,
    /// Id of that record.
    pub record: &'static str,
    /// Field of that record.
    pub path: &'static str,
    /// The animal that it is about.
    pub animal: &'static str,
    /// The package that it is about as a whole.
    pub package: &'static str,
    /// The group with its text in each language.
    pub message: &'static str,
}

impl Collection {
    /// Its records are reviewed.
    pub fn reviewed(mut self, review: Review) -> Self {
        self.ui.review = Some(review);
        self
    }
    /// Its records are rows as they were sent.
    pub fn sent_rows(mut self, rows: SentRows) -> Self {
        self.ui.sent_rows = Some(rows);
        self
    }
    /// Its records are what checks found.
    pub fn findings(mut self, findings: Findings) -> Self {
        self.ui.findings = Some(findings);
        self
    }
    /// The values of a field that has one of several values.
    pub fn options(&self, path: &str) -> &[String] {
        match self.field(path).map(|field| &field.kind) {
            Some(Kind::Select(words)) => words,
            _ => &[],
        }
    }
}

/// Every fault in what a declaration says of reviews.
pub(crate) fn check(c: &Collection, fault: &mut dyn FnMut(&str, &'static str, String)) {
    let mut paths: Vec<&str> = Vec::new();
    if let Some(review) = &c.ui.review {
        paths.extend([
            review.sheets,
            review.mapping,
            review.animals,
            review.finding_members.list,
        ]);
        paths.extend([review.reading.0, review.unchecked, review.open.0]);
        paths.extend([review.unread.message, review.unread.code]);
        if !c.joins.iter().any(|join| join.name == review.rows) {
            let message = "names no join to the rows of a review".to_owned();
            fault(review.rows, "no-such-relation", message);
        }
        let FindingMembers {
            animal,
            path,
            severity,
            text,
            ..
        } = review.finding_members;
        let members = match c
            .field(review.finding_members.list)
            .map(|field| &field.kind)
        {
            Some(Kind::Rows(members)) => members.as_slice(),
            _ => &[],
        };
        for member in [animal, path, severity, text] {
            if !members.iter().any(|own| own.path == member) {
                let message = "is no member of the findings of a review".to_owned();
                fault(member, "no-such-field", message);
            }
        }
    }
    if let Some(rows) = &c.ui.sent_rows {
        paths.extend([rows.line, rows.sheet, rows.state, rows.ident, rows.animal]);
        paths.extend([rows.collection, rows.record, rows.cells, rows.faults]);
        paths.push(rows.mended);
    }
    if let Some(found) = &c.ui.findings {
        paths.extend([found.severity, found.state, found.collection, found.record]);
        paths.extend([found.path, found.animal, found.package]);
    }
    for path in paths {
        if c.slot(path).is_none() {
            fault(path, "no-such-field", "is a field of a review".to_owned());
        }
    }
}

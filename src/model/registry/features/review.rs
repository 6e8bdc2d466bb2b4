//! Fields of packages, of their rows as they were sent, and of what checks found, by which faces and pages show the
//! review of a package (docs/pages.md, *Packages*). Must not know how pages are made.

/// Fields of packages.
pub mod package {
    /// The join to its rows.
    pub const ROWS: &str = "rows";
    /// JSON with the names of its sheets and their columns.
    pub const SHEETS: &str = "intake.sheets";
    /// JSON in which the sender answers questions about columns.
    pub const MAPPING: &str = "mapping";
    /// How far the file is read.
    pub const READING: &str = "intake.state";
    /// Its words while the file is not read.
    pub const IS_READING: [&str; 2] = ["waiting", "reading"];
    /// Its word once all rows are read.
    pub const READ: &str = "read";
    /// Its word where the file cannot be read.
    pub const UNREAD: &str = "failed";
    /// Why the file cannot be read, and what to do: a sentence.
    pub const UNREAD_MESSAGE: &str = "intake.message";
    /// The code of that sentence.
    pub const UNREAD_CODE: &str = "intake.fault";
    /// Whether the checks are still to be made.
    pub const UNCHECKED: &str = "intake.unchecked";
    /// Its state.
    pub const STATUS: &str = "status";
    /// The remark with which it is sent back, to the first of the states in which rows may be mended.
    pub const REMARK: &str = "review.comment";
    /// Rows that are held, with the reasons, which stand beside the rows, too.
    pub const ISSUES: &str = "intake.issues";
    /// The states in which rows may still be mended.
    pub const OPEN: [&str; 2] = ["uploaded", "checking"];
    /// The group with a count for each state of rows, named as the state.
    pub const COUNTS: &str = "intake";
    /// The states of rows that the book has.
    pub const TAKEN: [&str; 3] = ["created", "updated", "unchanged"];
    /// The animals that it is about.
    pub const ANIMALS: &str = "animals";
    /// The rows by which the review tells findings.
    pub const FINDINGS: &str = "review.findings";
    /// Members of these: animal, path of the field, severity, text.
    pub const FINDING: [&str; 4] = ["animal", "field", "severity", "text"];
}

/// The list in which a farm and the Association write to each other about a record, and its members.
pub mod comment {
    pub const LIST: &str = "comments";
    pub const TEXT: &str = "text";
    /// The side that wrote it.
    pub const ROLE: &str = "role";
    pub const AT: &str = "at";
}

/// Fields of rows as they were sent.
pub mod sent_row {
    /// Row of the sheet.
    pub const LINE: &str = "line";
    /// Name of the sheet.
    pub const SHEET: &str = "sheet";
    /// What became of it.
    pub const STATE: &str = "state";
    /// Number of the animal as written.
    pub const IDENT: &str = "ident";
    pub const ANIMAL: &str = "animal";
    /// Collection of its record.
    pub const COLLECTION: &str = "collection";
    /// Id of its record.
    pub const RECORD: &str = "record";
    /// The cells, in the order of the columns.
    pub const CELLS: &str = "cells";
    /// What is wrong with it.
    pub const FAULTS: &str = "faults";
    /// Its cells that were mended: `place` of the column from 1, what it `was`, `at`, `by`.
    pub const MENDED: &str = "mended";
}

/// Fields of what checks found.
pub mod finding {
    /// Code of the check.
    pub const CODE: &str = "code";
    /// How grave it is; the first option is what must be mended.
    pub const SEVERITY: &str = "severity";
    /// Whether it counts; the first option is that it does.
    pub const STATE: &str = "state";
    /// Collection of the record that it is about.
    pub const COLLECTION: &str = "collection";
    pub const RECORD: &str = "recordId";
    /// Field of that record.
    pub const PATH: &str = "path";
    /// The animal that it is about.
    pub const ANIMAL: &str = "animal";
    /// The package that it is about as a whole.
    pub const PACKAGE: &str = "submission";
    /// The group with its text in each language.
    pub const MESSAGE: &str = "message";
}

/// Where rows of events say what the checks found of them, for their owner and the Association.
pub mod checked_row {
    /// The gravest open finding.
    pub const STATUS: &str = "checkStatus";
    /// Its word where the row must be corrected.
    pub const FIX: &str = "fix";
    /// Its words where there is one.
    pub const FOUND: [&str; 2] = [FIX, "note"];
}

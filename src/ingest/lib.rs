//! Files of other programs as rows of the book: packages of farms (docs/packages.md), and folders that the operator of
//! the server imports (docs/import.md). What columns and cells mean, how rows enter the book under the rights of the
//! sender, and what became of each row. Must not know HTTP, nor how files are written.

mod blank;
mod book_header;
mod book_rows;
mod by_dialect;
mod cell_value;
mod cells;
mod changes;
mod column_samples;
mod columns;
mod constants;
mod deliver;
mod dialect_part;
mod documents;
mod export;
mod file;
mod file_column;
mod file_fault;
mod folder;
mod input_file;
mod intake;
mod known_columns;
mod mended;
mod mended_cells;
mod notation;
mod outcomes;
mod pending;
mod piece;
mod preview;
mod proposals;
mod queue;
mod read_ahead;
mod replacement;
mod rows;
mod sheet;
mod spelling;
mod subjects;
#[cfg(test)]
mod tests;
mod units;
mod unknown_values;
mod waiting;
mod whole_collection;
mod write;

pub use cells::value;
pub use columns::{Column, Meaning, Part, meaning};
pub use export::{TableLine, TableRows, table};
pub use folder::{Counts, FolderOptions, ImportSummary, Watch, import_folder};
pub use intake::Reader;
pub use mended::{MendedCells, MendedRow, mend};
pub use notation::{Notation, Profiles};
pub use preview::{Preview, PreviewFile, preview};
pub use proposals::proposals;
pub use queue::{OpenPackage, package};
pub use rows::RowState;
pub use write::{Conflict, closed_to_import, imports};

use std::collections::BTreeMap;

/// Identifier schemes: collection and name, with the path of the field that they mean.
pub type Schemes = BTreeMap<(String, String), String>;

//! Files of other programs as rows of the book: packages of farms (docs/packages.md), and folders that the operator of
//! the server imports (docs/import.md). What columns and cells mean, how rows enter the book under the rights of the
//! sender, and what became of each row. Must not know HTTP, nor how files are written.

mod files;
mod folder;
mod meanings;
mod packages;
#[cfg(test)]
mod tests;
mod values;
mod write;

pub use files::export::{TableLine, TableRows, table};
pub use files::preview::{Preview, PreviewFile, preview};
pub use folder::{Counts, FolderOptions, ImportSummary, Watch, import_folder};
pub use meanings::columns::{Column, Meaning, Part, meaning};
pub use meanings::proposals::proposals;
pub use meanings::templates::{TemplateColumn, template};
pub use packages::intake::Reader;
pub use packages::mended::{MendedCells, MendedRow, mend};
pub use packages::queue::{OpenPackage, package};
pub use packages::rows::RowState;
pub use values::cells::value;
pub use values::notation::{Notation, Profiles};
pub use write::{Conflict, closed_to_import, imports};

use std::collections::BTreeMap;

/// Identifier schemes: collection and name, with the path of the field that they mean.
pub type Schemes = BTreeMap<(String, String), String>;

//! Files as rows: which form and sheets they have, previews of them, and what became of their rows as a table.

pub(crate) mod book_rows;
pub(crate) mod documents;
pub(crate) mod export;
pub(crate) mod file;
pub(crate) mod file_fault;
pub(crate) mod headings;
pub(crate) mod input_file;
pub(crate) mod preview;
pub(crate) mod read_ahead;
pub(crate) mod sheet;

//! Limits against files that are made to harm. What is over them is refused with [`crate::Fault`]; memory stays under
//! about `shared_bytes` + 4 x `shared_texts` + 16 x `cell_bytes` x (`header_rows` + 20).

/// How much a file may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub file_bytes: u64,
    /// Bytes of all parts, unpacked.
    pub unpacked_bytes: u64,
    /// How many times its size a part of more than a megabyte may have unpacked.
    pub ratio: u64,
    pub parts: usize,
    pub sheets: usize,
    pub columns: usize,
    pub rows: u64,
    /// Bytes of a cell; a row may have sixteen times as many.
    pub cell_bytes: usize,
    /// Bytes of the texts that cells share (XLSX, XLS).
    pub shared_bytes: usize,
    /// Number of these texts, of cell formats, and of merged areas.
    pub shared_texts: usize,
    /// Rows with values in which the header is looked for.
    pub header_rows: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 128 << 20,
            unpacked_bytes: 1 << 30,
            ratio: 200,
            parts: 2_000,
            sheets: 64,
            columns: 512,
            rows: 1_000_000,
            cell_bytes: 32 << 10,
            shared_bytes: 32 << 20,
            shared_texts: 2_000_000,
            header_rows: 20,
        }
    }
}

impl Limits {
    /// Bytes of a row of a text file, and of a piece of XML.
    pub(crate) fn row_bytes(&self) -> usize {
        self.cell_bytes.saturating_mul(16)
    }
}

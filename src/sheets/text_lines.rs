//! The lines of a text file as UTF-8, one after another, with their numbers.

use crate::encoding::{Decoded, Encoding};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::source::Source;
use std::io::{BufRead, BufReader, Read};

/// A line.
pub(crate) struct TextLine {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// Its text, without the signs that end it.
    pub(crate) text: String,
}

/// The lines of a file.
pub(crate) struct TextLines {
    bytes: BufReader<Decoded>,
    number: u64,
    longest: usize,
}

impl TextLines {
    pub(crate) fn open(
        source: &Source,
        encoding: Encoding,
        limits: &Limits,
    ) -> Result<Self, Fault> {
        Ok(Self {
            bytes: BufReader::new(Decoded::open(source, encoding)?),
            number: 0,
            longest: limits.row_bytes(),
        })
    }

    /// The next line that is not blank.
    pub(crate) fn next(&mut self) -> Result<Option<TextLine>, Fault> {
        let limit = self.longest;
        loop {
            let mut bytes = Vec::new();
            let mut reader = (&mut self.bytes).take(limit as u64 + 1);
            let read = reader.read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            let number = self.number;
            if read > limit {
                return Err(Fault::CellTooLong { row: number, limit });
            }
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_end_matches(['\r', '\n']);
            if !text.trim().is_empty() {
                let text = text.to_owned();
                return Ok(Some(TextLine { number, text }));
            }
        }
    }
}

//! The lines of a text file as UTF-8, one after another, with their numbers.

use crate::Options;
use crate::fault::Fault;
use crate::limits::Limits;
use crate::source::Source;
use crate::texts::encoding::{Decoded, guess};
use std::io::{BufRead, BufReader, Read};

#[derive(Debug)]
pub struct TextLine {
    /// Its number, from 1.
    pub number: u64,
    /// Its text, without the signs that end it.
    pub text: String,
}

pub struct TextLines {
    bytes: BufReader<Decoded>,
    number: u64,
    longest: usize,
}

impl TextLines {
    /// Of a file whose encoding was said, or is seen.
    pub fn open(source: &Source, options: &Options) -> Result<Self, Fault> {
        let encoding = guess(source, options.encoding)?.encoding;
        let decoded = Decoded::open(source, encoding, options.replaces)?;
        Ok(Self::new(decoded, &options.limits))
    }

    pub(crate) fn new(decoded: Decoded, limits: &Limits) -> Self {
        Self { bytes: BufReader::new(decoded), number: 0, longest: limits.row_bytes() }
    }

    /// The next line that is not blank.
    ///
    /// # Errors
    /// [`Fault`], when it is too long, or the file is broken there. Nothing follows then.
    #[expect(clippy::should_implement_trait, reason = "a fault ends the lines")]
    pub fn next(&mut self) -> Result<Option<TextLine>, Fault> {
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
                return Ok(Some(TextLine { number, text: text.to_owned() }));
            }
        }
    }
}

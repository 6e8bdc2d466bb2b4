//! Records of XLS files ([MS-XLS], BIFF8), and the numbers and texts in them.

use crate::fault::Fault;
use crate::limits::Limits;
use crate::workbooks::compound::{Chain, Compound};
use crate::workbooks::zip::Fields;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// The longest record.
const RECORD: usize = 8_228;

/// Types of records.
pub(crate) mod kind {
    pub(crate) const FORMULA: u16 = 0x0006;
    pub(crate) const EOF: u16 = 0x000a;
    pub(crate) const DATE_MODE: u16 = 0x0022;
    pub(crate) const FILE_PASS: u16 = 0x002f;
    pub(crate) const CONTINUE: u16 = 0x003c;
    pub(crate) const BOUND_SHEET: u16 = 0x0085;
    pub(crate) const MUL_RK: u16 = 0x00bd;
    pub(crate) const RICH_STRING: u16 = 0x00d6;
    pub(crate) const XF: u16 = 0x00e0;
    pub(crate) const MERGED: u16 = 0x00e5;
    pub(crate) const SST: u16 = 0x00fc;
    pub(crate) const LABEL_SST: u16 = 0x00fd;
    pub(crate) const NUMBER: u16 = 0x0203;
    pub(crate) const LABEL: u16 = 0x0204;
    pub(crate) const BOOL_ERR: u16 = 0x0205;
    pub(crate) const STRING: u16 = 0x0207;
    pub(crate) const RK: u16 = 0x027e;
    pub(crate) const FORMAT: u16 = 0x041e;
    pub(crate) const BOF: u16 = 0x0809;
}

pub(crate) struct Records {
    bytes: BufReader<Chain>,
    pub(crate) kind: u16,
    pub(crate) data: Vec<u8>,
    /// The record after the one that is answered was read already.
    pub(crate) pushed_back: bool,
}

impl Records {
    pub(crate) fn open(compound: &Compound, at: u64) -> Result<Self, Fault> {
        let mut bytes = BufReader::with_capacity(32 << 10, compound.stream("Workbook")?);
        bytes.seek(SeekFrom::Start(at))?;
        Ok(Self { bytes, kind: 0, data: Vec::new(), pushed_back: false })
    }

    /// Reads the next record; answers whether there is one.
    pub(crate) fn next(&mut self) -> Result<bool, Fault> {
        if std::mem::take(&mut self.pushed_back) {
            return Ok(true);
        }
        let mut head = [0; 4];
        match self.bytes.read(&mut head)? {
            0 => return Ok(false),
            4 => {}
            some => self.bytes.read_exact(head.get_mut(some..).unwrap_or_default())?,
        }
        let mut fields = Fields(&head);
        self.kind = fields.u16()?;
        let length = usize::from(fields.u16()?);
        if length > RECORD {
            return Err(Fault::broken("a record is too long"));
        }
        self.data.resize(length, 0);
        self.bytes.read_exact(&mut self.data)?;
        Ok(true)
    }

    /// The next record, if it continues this one; it takes its place.
    pub(crate) fn continues(&mut self) -> Result<bool, Fault> {
        let more = self.next()?;
        if more && self.kind != kind::CONTINUE {
            self.pushed_back = true;
            return Ok(false);
        }
        Ok(more)
    }
}

/// Characters behind a byte of flags: one byte each, or two.
pub(crate) fn unicode(fields: &mut Fields<'_>, count: usize) -> Result<String, Fault> {
    let wide = fields.u8()? & 1 != 0;
    let mut text = String::new();
    letters(fields.bytes(count << usize::from(wide))?, wide, &mut text);
    Ok(text)
}

fn letters(bytes: &[u8], wide: bool, out: &mut String) {
    match wide {
        false => out.extend(bytes.iter().map(|b| char::from(*b))),
        true => {
            let units = bytes.chunks_exact(2).map(|two| match two {
                [low, high] => u16::from_le_bytes([*low, *high]),
                _ => 0,
            });
            out.extend(char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')));
        }
    }
}

/// Texts over the records that continue each other.
pub(crate) struct Texts<'r> {
    pub(crate) records: &'r mut Records,
    pub(crate) at: usize,
}

impl Texts<'_> {
    fn rest(&self) -> &[u8] {
        self.records.data.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn ended(&mut self) -> Result<bool, Fault> {
        while self.rest().is_empty() {
            if !self.records.continues()? {
                return Ok(true);
            }
            self.at = 0;
        }
        Ok(false)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        for byte in &mut bytes {
            if self.ended()? {
                return Err(Fault::Truncated);
            }
            *byte = self.rest().first().copied().unwrap_or_default();
            self.at += 1;
        }
        Ok(bytes)
    }

    fn skip(&mut self, mut count: usize) -> Result<(), Fault> {
        while count > 0 {
            if self.ended()? {
                return Err(Fault::Truncated);
            }
            let taken = count.min(self.rest().len());
            self.at += taken;
            count -= taken;
        }
        Ok(())
    }

    pub(crate) fn read(&mut self, text: &mut String, limits: &Limits) -> Result<(), Fault> {
        text.clear();
        let mut left = usize::from(u16::from_le_bytes(self.array()?));
        let [flags] = self.array()?;
        let runs = if flags & 8 != 0 { usize::from(u16::from_le_bytes(self.array()?)) } else { 0 };
        let aloud = if flags & 4 != 0 { u32::from_le_bytes(self.array()?) as usize } else { 0 };
        let mut wide = flags & 1 != 0;
        while left > 0 {
            if self.rest().is_empty() {
                if self.ended()? {
                    return Err(Fault::Truncated);
                }
                // A text that goes on says anew how wide its letters are.
                let [flags] = self.array()?;
                wide = flags & 1 != 0;
            }
            let width = 1 << usize::from(wide);
            let taken = left.min(self.rest().len() / width);
            if taken == 0 {
                return Err(Fault::broken("a letter is cut"));
            }
            letters(self.rest().get(..taken * width).unwrap_or_default(), wide, text);
            self.at += taken * width;
            left -= taken;
        }
        let limit = limits.cell_bytes;
        if text.len() > limit {
            return Err(Fault::CellTooLong { row: 0, limit });
        }
        self.skip(runs * 4)?;
        self.skip(aloud)
    }

    /// A text without anything beside.
    pub(crate) fn plain(&mut self, text: &mut String) -> Result<(), Fault> {
        let mut left = usize::from(u16::from_le_bytes(self.array()?));
        let [flags] = self.array()?;
        let mut wide = flags & 1 != 0;
        while left > 0 {
            if self.rest().is_empty() {
                if self.ended()? {
                    break;
                }
                let [flags] = self.array()?;
                wide = flags & 1 != 0;
            }
            let width = 1 << usize::from(wide);
            let taken = left.min(self.rest().len() / width);
            if taken == 0 {
                break;
            }
            letters(self.rest().get(..taken * width).unwrap_or_default(), wide, text);
            self.at += taken * width;
            left -= taken;
        }
        Ok(())
    }
}

/// A number in four bytes: a whole one of thirty bits, or the upper half of another, perhaps in hundredths.
pub(crate) fn rk(raw: u32) -> f64 {
    let number = match raw & 2 != 0 {
        true => f64::from(raw.cast_signed() >> 2),
        false => f64::from_bits(u64::from(raw & !3) << 32),
    };
    if raw & 1 != 0 { number / 100.0 } else { number }
}

pub(crate) fn error(code: u8) -> &'static str {
    match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0f => "#VALUE!",
        0x17 => "#REF!",
        0x1d => "#NAME?",
        0x24 => "#NUM!",
        _ => "#N/A",
    }
}

#[cfg(test)]
mod tests {
    use super::rk;

    #[test]
    fn numbers_of_four_bytes() {
        assert_eq!(rk((100 << 2) | 2), 100.0);
        assert_eq!(rk((3150 << 2) | 3), 31.5);
        assert_eq!(rk(0x3ff0_0000), 1.0);
        assert_eq!(rk((-4_i32 << 2).cast_unsigned() | 2), -4.0);
    }
}

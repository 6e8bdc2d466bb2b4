//! XLS of Excel 97 to 2003 ([MS-XLS], BIFF8): records one after another; shared texts are read first.
//! Formulas give the value that the program stored.

use crate::cell::{Cell, Epoch, Row};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::workbooks::biff::{Records, Texts, error, kind, rk, unicode};
use crate::workbooks::compound::Compound;
use crate::workbooks::merges::{Area, Merges};
use crate::workbooks::number_format::NumberFormat;
use crate::workbooks::xlsx::Shared;
use crate::workbooks::zip::Fields;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A workbook without its rows.
#[derive(Debug, Clone)]
pub(crate) struct Workbook {
    compound: Arc<Compound>,
    limits: Limits,
    /// Names of the sheets, and where their records begin.
    sheets: Vec<(String, u64)>,
    common: Arc<Common>,
}

#[derive(Debug, Default)]
struct Common {
    epoch: Epoch,
    /// How cells of each style show numbers.
    formats: Vec<NumberFormat>,
    shared: Shared,
}

impl Workbook {
    pub(crate) fn open(compound: Compound, limits: &Limits) -> Result<Self, Fault> {
        let mut records = Records::open(&compound, 0)?;
        let mut common = Common::default();
        let mut sheets = Vec::new();
        let mut own: BTreeMap<u32, NumberFormat> = BTreeMap::new();
        let mut begun = false;
        while records.next()? {
            let mut fields = Fields(records.data.as_slice());
            match records.kind {
                kind::BOF if !begun => {
                    begun = true;
                    if fields.u16()? != 0x0600 {
                        return Err(Fault::Unsupported("XLS of Excel 95 and before"));
                    }
                }
                kind::FILE_PASS => return Err(Fault::Encrypted),
                kind::DATE_MODE if fields.u16()? == 1 => common.epoch = Epoch::Y1904,
                kind::FORMAT => {
                    let id = u32::from(fields.u16()?);
                    let count = usize::from(fields.u16()?);
                    let format = unicode(&mut fields, count)?;
                    own.insert(id, NumberFormat::new(id, Some(&format)));
                }
                kind::XF => {
                    fields.bytes(2)?;
                    let id = u32::from(fields.u16()?);
                    common.formats.push(own.get(&id).cloned().unwrap_or_else(|| NumberFormat::new(id, None)));
                }
                kind::BOUND_SHEET => {
                    let at = fields.u32()?;
                    let (_, sort) = (fields.u8()?, fields.u8()?);
                    let count = usize::from(fields.u8()?);
                    let name = unicode(&mut fields, count)?;
                    // Charts and macros have no rows.
                    if sort == 0 {
                        sheets.push((name, u64::from(at)));
                    }
                    if sheets.len() > limits.sheets {
                        return Err(Fault::TooManySheets { limit: limits.sheets });
                    }
                }
                kind::SST => shared(&mut records, &mut common.shared, limits)?,
                kind::EOF => break,
                _ => {}
            }
        }
        Ok(Self { compound: Arc::new(compound), limits: limits.clone(), sheets, common: Arc::new(common) })
    }

    pub(crate) fn epoch(&self) -> Epoch {
        self.common.epoch
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.sheets.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn rows(&self, sheet: usize) -> Result<Rows, Fault> {
        let (_, at) = self.sheets.get(sheet).ok_or(Fault::NoSheet)?;
        let mut areas = Vec::new();
        let mut records = Records::open(&self.compound, *at)?;
        let mut depth = 0_usize;
        while records.next()? {
            match records.kind {
                kind::BOF => depth += 1,
                kind::EOF if depth <= 1 => break,
                kind::EOF => depth -= 1,
                kind::MERGED if depth == 1 => merged(&records.data, &mut areas)?,
                _ => {}
            }
            if areas.len() > 100_000 {
                return Err(Fault::broken("a sheet has too many merged areas"));
            }
        }
        Ok(Rows {
            records: Records::open(&self.compound, *at)?,
            limits: self.limits.clone(),
            common: Arc::clone(&self.common),
            merges: Merges::new(areas),
            depth: 0,
            row: Row::default(),
            last: 0,
            ended: false,
        })
    }
}

fn merged(data: &[u8], areas: &mut Vec<Area>) -> Result<(), Fault> {
    let mut fields = Fields(data);
    for _ in 0..fields.u16()? {
        let (first, last) = (u64::from(fields.u16()?), u64::from(fields.u16()?));
        let (column, _) = (usize::from(fields.u16()?), fields.u16()?);
        areas.push(Area { first: first + 1, last: last + 1, column });
    }
    Ok(())
}

/// The texts that cells share, over as many records as they take.
fn shared(records: &mut Records, shared: &mut Shared, limits: &Limits) -> Result<(), Fault> {
    let mut texts = Texts { records, at: 4 };
    let count = u32::from_le_bytes(texts.array()?);
    let mut text = String::new();
    for _ in 0..count {
        if texts.ended()? {
            break;
        }
        texts.read(&mut text, limits)?;
        shared.push(&text, limits)?;
    }
    Ok(())
}

pub(crate) struct Rows {
    records: Records,
    limits: Limits,
    common: Arc<Common>,
    merges: Merges,
    depth: usize,
    /// The row whose cells are being read.
    row: Row,
    last: u64,
    ended: bool,
}

impl Rows {
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Fault> {
        loop {
            let Some(mut row) = self.row()? else { return Ok(None) };
            self.merges.fill(&mut row, &self.limits)?;
            if !row.is_empty() {
                return Ok(Some(row));
            }
        }
    }

    /// The row before the one whose first cell was met.
    fn row(&mut self) -> Result<Option<Row>, Fault> {
        while !self.ended {
            if !self.records.next()? {
                return Err(Fault::Truncated);
            }
            match self.records.kind {
                kind::BOF => self.depth += 1,
                kind::EOF if self.depth > 1 => self.depth -= 1,
                kind::EOF => self.ended = true,
                _ if self.depth != 1 => {}
                _ => {
                    if let Some(done) = self.record()? {
                        return Ok(Some(done));
                    }
                }
            }
        }
        let last = std::mem::take(&mut self.row);
        Ok((last.number > 0).then_some(last))
    }

    /// A record of cells; answers the row that is complete.
    fn record(&mut self) -> Result<Option<Row>, Fault> {
        let is_cell = matches!(
            self.records.kind,
            kind::LABEL_SST
                | kind::NUMBER
                | kind::RK
                | kind::MUL_RK
                | kind::BOOL_ERR
                | kind::LABEL
                | kind::RICH_STRING
                | kind::FORMULA
        );
        if !is_cell {
            return Ok(None);
        }
        let common = Arc::clone(&self.common);
        let data = std::mem::take(&mut self.records.data);
        let mut fields = Fields(&data);
        let number = u64::from(fields.u16()?) + 1;
        let mut column = usize::from(fields.u16()?);
        let mut done = None;
        if number != self.row.number {
            if number <= self.last {
                return Err(Fault::Order { row: number });
            }
            done = Some(std::mem::replace(&mut self.row, Row::new(number))).filter(|row| row.number > 0);
            self.last = number;
        }
        match self.records.kind {
            kind::MUL_RK => {
                while fields.0.len() >= 6 + 2 {
                    let style = fields.u16()?;
                    self.row.put(column, common.number(rk(fields.u32()?), style), &self.limits)?;
                    column += 1;
                }
            }
            kind::FORMULA => {
                let style = fields.u16()?;
                let mut result = Fields(fields.bytes(8)?);
                let cell = match result.0 {
                    [0, _, _, _, _, _, 0xff, 0xff] => Cell::text(self.string()?),
                    [1, _, is, _, _, _, 0xff, 0xff] => Cell::truth(*is != 0),
                    [2, _, code, _, _, _, 0xff, 0xff] => Cell::error(error(*code)),
                    [3, _, _, _, _, _, 0xff, 0xff] => Cell::default(),
                    _ => common.number(result.f64()?, style),
                };
                self.row.put(column, cell, &self.limits)?;
            }
            other => {
                let style = fields.u16()?;
                let cell = match other {
                    kind::LABEL_SST => {
                        let text = common.shared.get(fields.u32()? as usize);
                        Cell::text(text.ok_or_else(|| Fault::broken("a cell names no shared text"))?)
                    }
                    kind::NUMBER => common.number(fields.f64()?, style),
                    kind::RK => common.number(rk(fields.u32()?), style),
                    kind::BOOL_ERR => match (fields.u8()?, fields.u8()?) {
                        (is, 0) => Cell::truth(is != 0),
                        (code, _) => Cell::error(error(code)),
                    },
                    _ => {
                        let count = usize::from(fields.u16()?);
                        Cell::text(unicode(&mut fields, count)?)
                    }
                };
                self.row.put(column, cell, &self.limits)?;
            }
        }
        // The memory is used again.
        if self.records.data.is_empty() && !self.records.pushed_back {
            self.records.data = data;
        }
        Ok(done)
    }

    /// The text of a formula, which follows it.
    fn string(&mut self) -> Result<String, Fault> {
        // What the formula shares with others may stand between.
        for _ in 0..4 {
            if !self.records.next()? {
                return Err(Fault::Truncated);
            }
            match self.records.kind {
                kind::STRING => {
                    let mut text = String::new();
                    let mut texts = Texts { records: &mut self.records, at: 0 };
                    texts.plain(&mut text)?;
                    return Ok(text);
                }
                // SHRFMLA, ARRAY, TABLE
                0x04bc | 0x0221 | 0x0236 | kind::CONTINUE => {}
                _ => break,
            }
        }
        self.records.pushed_back = true;
        Ok(String::new())
    }
}

impl Common {
    fn number(&self, number: f64, style: u16) -> Cell {
        if !number.is_finite() {
            return Cell::error("#NUM!");
        }
        let plain = NumberFormat::Plain;
        Cell::formatted(number, self.formats.get(usize::from(style)).unwrap_or(&plain), self.epoch)
    }
}

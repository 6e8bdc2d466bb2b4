//! Units and signs of measured values: behind and before the number of a cell, and what the sizes of a whole column say
//! of its unit (docs/import.md, *Units*).

use crate::meanings::columns::{Column, Part};
use crate::values::spelling::{WrittenNumber, plain};
use domain::collections::packages::{LEAST_VALUES, is_never_zero, plausible, possible};
use model::error::Issue;
use model::registry::{Collection, Field, Kind, Unit, is_unit};
use model::said;
use serde::{Deserialize, Serialize};
use sheets::Cell;

/// Code of the fault of a cell whose column the sender has yet to confirm.
pub(crate) const UNCONFIRMED: &str = "column-unconfirmed";
/// Code of the fault of a cell in a unit that is none of its field.
pub(crate) const WRONG_UNIT: &str = "wrong-unit";
/// Code of the fault of a cell with 0 where no animal has it.
pub(crate) const NOT_MEASURED: &str = "not-measured";
/// Signs before a number that make it a bound or an estimate.
const SIGNS: [char; 6] = ['<', '>', '≤', '≥', '~', '≈'];
/// Cells that are shown with a question.
const SAMPLES: usize = 2;
/// Longest of these, and of a unit in a message, characters.
const SAMPLE: usize = 40;

/// A column that may be in another unit than its heading says: the sender must confirm it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnitQuestion {
    /// The unit in which its values would be what values of the field are.
    pub(crate) proposed: String,
    pub(crate) samples: Vec<String>,
}

/// A column with numbers behind signs (`<10`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignQuestion {
    pub(crate) samples: Vec<String>,
    /// Whether such a number counts as it is; none: the sender must confirm it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) counts: Option<bool>,
}

/// The parts of a cell with a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured<'t> {
    pub(crate) sign: &'t str,
    pub(crate) number: &'t str,
    pub(crate) unit: &'t str,
}

impl<'t> Measured<'t> {
    /// None where there is no number.
    pub(crate) fn of(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let unsigned = text.trim_start_matches(SIGNS);
        let unsigned = match unsigned.strip_prefix('=') {
            Some(rest) if unsigned.len() < text.len() => rest,
            _ => unsigned,
        };
        let (sign, rest) = text.split_at_checked(text.len() - unsigned.len())?;
        let rest = rest.trim_start();
        let of_number = |c: char| c.is_ascii_digit() || c.is_whitespace() || ".,'’-+".contains(c);
        let end = rest.find(|c: char| !of_number(c)).unwrap_or(rest.len());
        let (number, unit) = rest.split_at_checked(end)?;
        let number = number.trim_end();
        number.contains(|c: char| c.is_ascii_digit()).then_some(Self { sign, number, unit })
    }

    /// To the unit of a field, under a heading of that factor; none where the unit is none of the field, or not that of
    /// the heading.
    fn factor(&self, field: &Field, heading: f64) -> Option<f64> {
        if self.unit.is_empty() {
            return Some(heading);
        }
        let size = field.written_unit(self.unit)?.size;
        (heading == 1.0 || heading == size).then_some(size)
    }
}

/// The text of a number, with the unit or sign that its workbook shows around it, or with letters that may be one.
pub(crate) fn with_shown_unit(cell: &Cell, text: String) -> String {
    let counts = |c: char| c.is_alphabetic() || SIGNS.contains(&c) || matches!(c, '%' | '‰');
    let is_shown = |part: &&str| part.contains(counts);
    let parts = [cell.prefix.as_deref(), cell.suffix.as_deref()].map(|part| part.filter(is_shown).map(str::trim));
    match parts {
        [None, None] => text,
        [before, behind] => [before, Some(text.as_str()), behind].into_iter().flatten().collect::<Vec<_>>().join(" "),
    }
}

/// Whether cells of a field may have units and signs.
pub(crate) fn is_measured(field: &Field) -> bool {
    matches!(field.kind, Kind::Int | Kind::Number) && field.unit().is_some()
}

/// The number of a cell, without a unit and with the sign before it if that counts, and its factor to the unit of the
/// field. A cell that is not understood stays as it is.
pub(crate) fn number_of<'t>(
    field: &Field,
    heading: f64,
    signs: Option<&SignQuestion>,
    text: &'t str,
) -> (&'t str, f64) {
    let read = Measured::of(text).filter(|_| is_measured(field));
    let read = read.and_then(|read| {
        let counts = signs.is_some_and(|signs| signs.counts == Some(true));
        let factor = read.factor(field, heading)?;
        (read.sign.is_empty() || counts).then_some((read.number, factor))
    });
    read.unwrap_or((text, heading))
}

/// A cell with a number, without its sign and unit; any other as it is.
pub(crate) fn without_unit(text: &str) -> &str {
    Measured::of(text).map_or(text, |read| read.number)
}

/// What is wrong with the unit or the sign of a cell, or with its column as a whole.
pub(crate) fn fault(
    field: &Field,
    heading: f64,
    (unit, signs): (Option<&UnitQuestion>, Option<&SignQuestion>),
    (path, cell): (&str, &str),
) -> Option<Issue> {
    let read = Measured::of(plain(cell)).filter(|_| is_measured(field))?;
    let number = WrittenNumber::of(read.number)?;
    if read.factor(field, heading).is_none() {
        if !is_unit(read.unit) {
            // No value at all: the reader of the row says so.
            return None;
        }
        let written: String = read.unit.trim().chars().take(SAMPLE).collect();
        let message = said!(
            "Values of this column are in {own}, and this one is in {unit}.",
            own = field.unit().unwrap_or_default(),
            unit = written
        );
        return Some(Issue::error(path, WRONG_UNIT, message));
    }
    if !read.sign.is_empty() {
        return match signs.and_then(|signs| signs.counts) {
            Some(true) => None,
            Some(false) => {
                Some(Issue::error(path, "wrong-type", "A sign stands before the number: it does not count."))
            }
            None => {
                let message = "A sign stands before the number: confirm for the column whether the number counts as it is (mapping.signs).";
                Some(Issue::error(path, UNCONFIRMED, message))
            }
        };
    }
    if is_never_zero(&field.path) && number.with_point(number.decimal).parse::<f64>() == Ok(0.0) {
        let message = "Nothing was measured where a file says 0: leave the cell empty.";
        return Some(Issue::error(path, NOT_MEASURED, message));
    }
    let question = unit.filter(|_| read.unit.is_empty())?;
    let message = said!(
        "The column may be in another unit ({unit}): confirm it, or say that the values are as they stand (mapping.units).",
        unit = question.proposed.as_str()
    );
    Some(Issue::error(path, UNCONFIRMED, message))
}

/// Whether a number of a measured field, whose sign may as well stand between thousands, may be one of the field then.
pub(crate) fn may_have_thousands(c: &Collection, column: &Column, text: &str) -> bool {
    let of_field = || {
        let field = column.field(c).filter(|field| is_measured(field))?;
        let (low, high) = plausible(c.slug, &field.path)?;
        let read = Measured::of(text)?;
        let number = WrittenNumber::of(read.number).filter(|number| number.is_doubtful)?;
        let thousands: f64 = number.with_point(None).parse().ok()?;
        let value = thousands * read.factor(field, column.factor)?;
        Some((low..=high).contains(&value))
    };
    of_field().unwrap_or_default()
}

/// What was seen of the values of a column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sizes {
    is_measured: bool,
    /// Lowest and highest that a value may be, where the unit of the column is not stated.
    bounds: Option<(f64, f64)>,
    possible: Option<(f64, f64)>,
    values: usize,
    /// Whether one of them is none that an animal can have.
    has_impossible: bool,
    /// By the unit of the field, and by each other that a file may have unsaid.
    units: Vec<UnitSizes>,
    outside: Vec<String>,
    signs: Vec<String>,
}

/// Values of a column, if they are in a unit.
#[derive(Debug, Clone)]
struct UnitSizes {
    unit: Option<&'static Unit>,
    below: usize,
    above: usize,
}

impl Sizes {
    pub(crate) fn new(c: &Collection, column: &Column) -> Self {
        let Some(field) = column.field(c).filter(|field| is_measured(field)) else { return Self::default() };
        let is_open = column.factor == 1.0 && column.part == Part::Whole;
        let others = field.usual_units().map(Some);
        let units = std::iter::once(None).chain(others).map(|unit| UnitSizes { unit, below: 0, above: 0 });
        Self {
            is_measured: true,
            bounds: plausible(c.slug, &field.path).filter(|_| is_open),
            possible: possible(&field.path),
            units: units.collect(),
            ..Self::default()
        }
    }

    /// Sees a cell. One with a unit of its own is beyond doubt, and says nothing of the others.
    pub(crate) fn see(&mut self, text: &str) {
        let Some(read) = Measured::of(text).filter(|_| self.is_measured) else { return };
        let Some(number) = WrittenNumber::of(read.number) else { return };
        if !read.sign.is_empty() {
            keep(&mut self.signs, text);
            return;
        }
        let value: Option<f64> = number.with_point(number.decimal).parse().ok();
        let (Some((low, high)), Some(value)) = (self.bounds, value) else { return };
        if !read.unit.is_empty() || number.is_doubtful {
            return;
        }
        self.values += 1;
        self.has_impossible |= self.possible.is_some_and(|(least, most)| !(least..=most).contains(&value));
        for of in &mut self.units {
            let value = value * of.unit.map_or(1.0, |unit| unit.size);
            of.below += usize::from(value < low);
            of.above += usize::from(value > high);
        }
        if !(low..=high).contains(&value) {
            keep(&mut self.outside, text);
        }
    }

    /// The question about the unit: the value in the middle is outside of what values are, and inside in another unit. Few
    /// values say so only if one of them is impossible.
    pub(crate) fn unit(&self) -> Option<UnitQuestion> {
        let middle = self.values / 2;
        let is_inside = |of: &UnitSizes| of.below <= middle && of.above < self.values - middle;
        let own = self.units.first()?;
        let is_enough = self.values >= LEAST_VALUES || self.has_impossible;
        if !is_enough || is_inside(own) {
            return None;
        }
        let other = self.units.iter().find(|of| is_inside(of))?;
        Some(UnitQuestion { proposed: other.unit?.name().to_owned(), samples: self.outside.clone() })
    }

    pub(crate) fn signs(&self) -> Option<SignQuestion> {
        (!self.signs.is_empty()).then(|| SignQuestion { samples: self.signs.clone(), counts: None })
    }
}

/// Keeps the first samples that differ.
pub(crate) fn keep(samples: &mut Vec<String>, text: &str) {
    let sample: String = text.trim().chars().take(SAMPLE).collect();
    if samples.len() < SAMPLES && !samples.contains(&sample) {
        samples.push(sample);
    }
}

#[cfg(test)]
mod tests;

//! Rows and cells as every form of file gives them.

use crate::fault::Fault;
use crate::limits::Limits;
use crate::workbooks::number_format::NumberFormat;
use jiff::civil::{Date, DateTime, date};
use std::sync::Arc;

/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;
/// Day numbers of spreadsheets: 0001-01-01 to 9999-12-31, counted from 1899-12-30.
const SERIALS: std::ops::Range<f64> = 0.0..2_958_466.0;

/// The error of a formula whose value is not in the file: no spreadsheet program saved it.
pub const NO_VALUE: &str = "#NO-VALUE!";

#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    #[default]
    Empty,
    /// A text. What begins with `=` in a text file is a text too.
    Text,
    Number(f64),
    Date(DateTime),
    Bool(bool),
    /// An error of a formula: `#N/A`.
    Error,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    pub value: Value,
    /// The text of the file; of a number of a spreadsheet the shortest text that is it, or what people see where
    /// this says more: `0800`, `4.1%`.
    pub text: String,
    /// What a spreadsheet shows before its number: `<`.
    pub prefix: Option<Arc<str>>,
    /// What a spreadsheet shows behind its number: ` lb`.
    pub suffix: Option<Arc<str>>,
}

impl Cell {
    /// A text; none is an empty cell.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        let value = if text.is_empty() { Value::Empty } else { Value::Text };
        Self::new(value, text)
    }

    pub fn new(value: Value, text: impl Into<String>) -> Self {
        Self { value, text: text.into(), prefix: None, suffix: None }
    }

    pub(crate) fn number(number: f64, text: impl Into<String>) -> Self {
        Self::new(Value::Number(number), text)
    }

    pub(crate) fn truth(is: bool) -> Self {
        Self::new(Value::Bool(is), if is { "true" } else { "false" })
    }

    pub(crate) fn error(text: impl Into<String>) -> Self {
        Self::new(Value::Error, text)
    }

    /// A day or a time of XML. One with an offset is a text, as in a text file: at other places it is of another day.
    pub(crate) fn of_time(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.parse::<jiff::Timestamp>().is_ok() {
            return Some(Self::text(text));
        }
        Some(Self::new(Value::Date(text.parse().ok()?), text))
    }

    /// A number of a spreadsheet as its format shows it.
    pub(crate) fn formatted(number: f64, format: &NumberFormat, epoch: Epoch) -> Self {
        let text = format.render(number);
        match format {
            NumberFormat::Date => Self::serial(number, epoch, &text),
            NumberFormat::Suffixed { before, text: behind, .. } => {
                let [prefix, suffix] = [before, behind].map(|shown| Some(Arc::clone(shown)));
                Self { prefix, suffix, ..Self::number(number, text) }
            }
            _ => Self::number(number, text),
        }
    }

    /// A number of a cell that shows dates: a date, or a time of day as text.
    fn serial(number: f64, epoch: Epoch, text: &str) -> Self {
        let Some(at) = epoch.at(number) else { return Self::number(number, text) };
        if number < 1.0 && epoch == Epoch::Y1900 {
            return Self::text(at.time().strftime("%H:%M:%S").to_string());
        }
        Self::new(Value::Date(at), text)
    }

    pub fn is_empty(&self) -> bool {
        match self.value {
            Value::Empty => true,
            Value::Text => self.text.trim().is_empty(),
            _ => false,
        }
    }

    /// The text as it stands for readers of text files: dates as ISO days, with the time if there is one.
    pub fn display_text(&self) -> String {
        match &self.value {
            Value::Date(at) if at.time() == jiff::civil::Time::midnight() => at.date().to_string(),
            Value::Date(at) => at.strftime("%Y-%m-%d %H:%M:%S").to_string(),
            _ => self.text.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// Its number as people see it: the row of a sheet, the line at which it begins in a text file. 0: the names of
    /// members of a file of JSON lines, which has no header.
    pub number: u64,
    /// Its cells, the last one not empty.
    pub cells: Vec<Cell>,
    /// How many cells a line of a table has, the empty ones at its end too; 0 in other forms.
    pub width: usize,
    /// Bytes of their texts.
    bytes: usize,
}

impl Row {
    /// A row without cells.
    pub(crate) fn new(number: u64) -> Self {
        Self { number, ..Self::default() }
    }

    /// Puts a cell at its place; empty ones may stand behind the last column that is allowed.
    pub(crate) fn put(&mut self, column: usize, cell: Cell, limits: &Limits) -> Result<(), Fault> {
        let row = self.number;
        if cell.value == Value::Empty {
            return Ok(());
        }
        if column >= limits.columns {
            return if cell.is_empty() { Ok(()) } else { Err(Fault::TooManyColumns { row, limit: limits.columns }) };
        }
        self.bytes = self.bytes.saturating_add(cell.text.len());
        let whole = limits.row_bytes();
        for (bytes, limit) in [(cell.text.len(), limits.cell_bytes), (self.bytes, whole)] {
            if bytes > limit {
                return Err(Fault::CellTooLong { row, limit });
            }
        }
        if self.cells.len() <= column {
            self.cells.resize_with(column + 1, Cell::default);
        }
        if let Some(place) = self.cells.get_mut(column) {
            *place = cell;
        }
        Ok(())
    }

    /// Whether no cell has anything.
    pub fn is_empty(&self) -> bool {
        self.cells.iter().all(Cell::is_empty)
    }
}

/// The day from which a spreadsheet counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Epoch {
    /// 1 is 1900-01-01.
    #[default]
    Y1900,
    /// 0 is 1904-01-01.
    Y1904,
}

impl Epoch {
    pub fn at(self, number: f64) -> Option<DateTime> {
        if !SERIALS.contains(&number) {
            return None;
        }
        // To seconds: the fraction of a day is not exact.
        let ms = (number.fract() * DAY / 1000.0).round() * 1000.0;
        let (mut days, mut ms) = (number.trunc(), ms);
        if ms >= DAY {
            (days, ms) = (days + 1.0, 0.0);
        }
        let start: Date = match self {
            // The 29th of February 1900, which spreadsheets have and the calendar has not, is day 60.
            Self::Y1900 if days < 60.0 => date(1899, 12, 31),
            Self::Y1900 => date(1899, 12, 30),
            Self::Y1904 => date(1904, 1, 1),
        };
        #[expect(clippy::cast_possible_truncation, reason = "both are within their ranges")]
        let (days, ms) = (days as i64, ms as i64);
        let day = start.checked_add(jiff::Span::new().try_days(days).ok()?).ok()?;
        let midnight = day.to_datetime(jiff::civil::Time::midnight());
        midnight.checked_add(jiff::Span::new().try_milliseconds(ms).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_count_from_both_epochs() {
        let read = |number, epoch: Epoch| epoch.at(number).map(|at| at.to_string());
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(read(1.0, Epoch::Y1900), is("1900-01-01T00:00:00"));
        assert_eq!(read(59.0, Epoch::Y1900), is("1900-02-28T00:00:00"));
        assert_eq!(read(61.0, Epoch::Y1900), is("1900-03-01T00:00:00"));
        assert_eq!(read(45_000.0, Epoch::Y1900), is("2023-03-15T00:00:00"));
        assert_eq!(read(43_538.0, Epoch::Y1904), is("2023-03-15T00:00:00"));
        assert_eq!(read(45_000.270_833_333_3, Epoch::Y1900), is("2023-03-15T06:30:00"));
        assert_eq!(read(45_000.999_999_99, Epoch::Y1900), is("2023-03-16T00:00:00"));
        for number in [-1.0, 3e6, f64::NAN, f64::INFINITY] {
            assert_eq!(read(number, Epoch::Y1900), None);
        }
    }

    #[test]
    fn a_time_without_a_day_is_a_text() {
        assert_eq!(Cell::serial(0.25, Epoch::Y1900, "0.25"), Cell::text("06:00:00"));
        let day = Cell::serial(45_000.0, Epoch::Y1900, "45000");
        assert_eq!((day.display_text().as_str(), day.text.as_str()), ("2023-03-15", "45000"));
    }
}

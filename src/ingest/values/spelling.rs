//! Dates, times and numbers as people and spreadsheets write them, part by part.

use model::record::time;
use sheets::{Cell, Epoch, Value};

/// Serial days that are taken for dates: 1920 to 2099.
const SERIALS: std::ops::RangeInclusive<f64> = 7_306.0..=73_050.999_999;

/// Characters before which an apostrophe says to spreadsheets that a text is no formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A text without what protects it from spreadsheets: an apostrophe before a formula, and the formula `="0800"`, by
/// which a number stays a text.
pub(crate) fn plain(cell: &str) -> &str {
    let cell = match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(FORMULA) => rest,
        _ => cell,
    };
    let text = cell.trim().strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"'));
    text.filter(|text| !text.contains('"')).unwrap_or(cell)
}

pub(crate) struct DateParts<'t> {
    pub(crate) sign: char,
    pub(crate) parts: [&'t str; 3],
}

impl<'t> DateParts<'t> {
    pub(crate) fn of(day: &'t str) -> Option<Self> {
        let sign = day.chars().find(|c| !c.is_ascii_digit())?;
        let mut all = day.split(sign);
        let parts = [all.next()?, all.next()?, all.next()?];
        let digits = |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        let is_date = matches!(sign, '.' | '/' | '-') && all.next().is_none();
        (is_date && parts.iter().all(digits)).then_some(Self { sign, parts })
    }

    pub(crate) fn has_year_last(&self) -> bool {
        let [first, _, year] = self.parts;
        first.len() <= 2 && (year.len() == 4 || self.is_short())
    }

    /// Whether the year has two digits. With hyphens it may as well stand first: it is not read then.
    pub(crate) fn is_short(&self) -> bool {
        let [first, _, year] = self.parts;
        self.sign != '-' && first.len() <= 2 && year.len() == 2
    }
}

pub(crate) struct WrittenNumber {
    /// Without blanks.
    pub(crate) text: String,
    pub(crate) decimal: Option<char>,
    pub(crate) thousands: Option<char>,
    /// Whether its sign can as well stand between thousands.
    pub(crate) is_doubtful: bool,
}

impl WrittenNumber {
    pub(crate) fn of(text: &str) -> Option<Self> {
        let of_group = |c: char| c.is_whitespace() || matches!(c, '\'' | '’');
        let mut groups = text.trim().split(of_group).skip(1);
        let thousands = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count() == 3;
        if !groups.all(thousands) {
            return None;
        }
        let text: String = text.chars().filter(|c| !of_group(*c)).collect();
        let whole = text.strip_prefix(['-', '+']).unwrap_or(&text);
        let in_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
        // Some programs leave out the zero before a sign: `.5`.
        let begin = whole.strip_prefix(['.', ',']).unwrap_or(whole);
        if !whole.chars().all(in_number) || !begin.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let Some((before, rest)) = whole.rfind(['.', ',']).and_then(|at| whole.split_at_checked(at)) else {
            return Some(Self::new(text, None, None));
        };
        let sign = if rest.starts_with(',') { ',' } else { '.' };
        let other = if sign == ',' { '.' } else { ',' };
        let decimals = rest.len() - 1;
        match (before.contains(sign), before.contains(other)) {
            (false, false) => {
                let is_doubtful = decimals == 3 && (1..=3).contains(&before.len()) && !before.starts_with('0');
                let number = Self::new(text, Some(sign), None);
                Some(Self { is_doubtful, ..number })
            }
            (false, true) if decimals > 0 && is_grouped(before, other) => {
                Some(Self::new(text, Some(sign), Some(other)))
            }
            (true, false) if is_grouped(whole, sign) => Some(Self::new(text, None, Some(sign))),
            _ => None,
        }
    }

    pub(crate) fn new(text: String, decimal: Option<char>, thousands: Option<char>) -> Self {
        Self { text, decimal, thousands, is_doubtful: false }
    }

    /// As programs write it, with that sign before its decimals.
    pub(crate) fn with_point(&self, decimal: Option<char>) -> String {
        let read = self.text.chars().filter_map(|c| match c {
            c if Some(c) == decimal => Some('.'),
            ',' | '.' => None,
            c => Some(c),
        });
        read.collect()
    }

    pub(crate) fn has_sign(&self) -> bool {
        self.decimal.is_some() || self.thousands.is_some()
    }
}

/// Whether a sign stands between thousands: `1.034.500`.
pub(crate) fn is_grouped(whole: &str, sign: char) -> bool {
    let mut groups = whole.split(sign);
    groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && !first.starts_with('0'))
        && groups.all(|group| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit()))
}

pub(crate) fn day_and_time(text: &str) -> (&str, &str) {
    match text.split_once(|c: char| c == 'T' || c.is_whitespace()) {
        Some((day, clock)) => (day, clock.trim()),
        None => (text, ""),
    }
}

pub(crate) fn iso(year: &str, month: &str, day: &str) -> Option<String> {
    if month.len() > 2 || day.len() > 2 {
        return None;
    }
    let text = format!("{year}-{month:0>2}-{day:0>2}");
    time::parse(&text).is_some().then_some(text)
}

/// The day of eight digits.
pub(crate) fn compact(text: &str) -> Option<String> {
    if text.len() != 8 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    iso(text.get(..4)?, text.get(4..6)?, text.get(6..)?)
}

/// The day of a day number that is written as a text.
pub(crate) fn serial(text: &str) -> Option<String> {
    let text = text.replace(',', ".");
    let (days, fraction) = text.split_once('.').unwrap_or((text.as_str(), "0"));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if days.len() != 5 || fraction.is_empty() || !digits(days) || !digits(fraction) {
        return None;
    }
    serial_day(text.parse().ok()?, Epoch::Y1900)
}

/// The day of a number of a workbook, by its calendar.
pub(crate) fn day_of(cell: &Cell, epoch: Option<Epoch>) -> Option<String> {
    match cell.value {
        Value::Number(number) => serial_day(number, epoch?),
        _ => None,
    }
}

pub(crate) fn serial_day(number: f64, epoch: Epoch) -> Option<String> {
    let at = epoch.at(number).filter(|_| SERIALS.contains(&number))?;
    let cell = Cell::new(Value::Date(at), "");
    Some(cell.display_text())
}

/// A day with the time behind it, and its offset if it has one; midnight alone is no time.
pub(crate) fn with_clock(day: String, clock: &str) -> String {
    match clock_of(clock) {
        Some((local, "")) if local == "00:00:00" => day,
        Some((local, offset)) => format!("{day}T{local}{offset}"),
        None => format!("{day}T{clock}"),
    }
}

/// The day of a time that has no offset.
pub(crate) fn local_day(date: &str) -> Option<&str> {
    let (day, clock) = date.split_once('T')?;
    clock_of(clock).filter(|(_, offset)| offset.is_empty()).map(|_| day)
}

/// A time of a day as ISO has it, and its offset.
pub(crate) fn clock_of(text: &str) -> Option<(String, &str)> {
    let end = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (local, offset) = text.split_at_checked(end)?;
    let local = local.trim().to_ascii_lowercase();
    let (local, half) = match (local.strip_suffix("am"), local.strip_suffix("pm")) {
        (Some(local), _) => (local, Some(0)),
        (_, Some(local)) => (local, Some(12)),
        _ => (local.as_str(), None),
    };
    let mut parts = local.trim_end().splitn(3, ':');
    let (hour, minute) = (parts.next()?, parts.next()?);
    let (second, fraction) = match parts.next() {
        Some(seconds) => seconds.split_once(['.', ',']).unwrap_or((seconds, "0")),
        None => ("00", "0"),
    };
    let below = |text: &str, end: u8| {
        let digits = !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u8>().ok().filter(|n| digits && *n < end)
    };
    let hour = match (below(hour, 24)?, half) {
        (hour, None) => hour,
        (hour @ 1..=12, Some(half)) => hour % 12 + half,
        _ => return None,
    };
    let (minutes, seconds) = (below(minute, 60)?, below(second, 60)?);
    let digits = fraction.bytes().all(|b| b.is_ascii_digit());
    if minute.len() != 2 || second.len() != 2 || fraction.is_empty() || !digits {
        return None;
    }
    let whole = format!("{hour:02}:{minutes:02}:{seconds:02}");
    Some(if fraction.bytes().all(|b| b == b'0') { (whole, offset) } else { (format!("{whole}.{fraction}"), offset) })
}

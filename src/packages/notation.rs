//! How the dates and numbers of a column are written. One cell may allow two readings (`06/05/2025`, `1.034`): the
//! cells of its column decide together, in whatever order they come (docs/import.md, *Cells*).

use crate::cells::says_nothing;
use crate::columns::{Column, Part};
use crate::sheet::is_error;
use model::error::Issue;
use model::record::time;
use model::registry::{Collection, Kind};
use serde::{Deserialize, Serialize};
use sheets::{Cell, Epoch, Value};

/// Code of the fault of a cell whose column contradicts itself.
pub(crate) const CONTRADICTS: &str = "notation-contradicts";
/// Serial days that are taken for dates: 1920 to 2099.
const SERIALS: std::ops::RangeInclusive<f64> = 7_306.0..=73_050.999_999;
/// Where a day begins first on Earth, milliseconds before it begins by UTC.
const FIRST_DAY: i64 = 14 * 3_600_000;

/// Which part of a date stands first, where the year stands last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// No value decides: the day, as in the region.
    Undecided,
    /// The day.
    DayFirst,
    /// The month.
    MonthFirst,
    /// Some values allow only the one, some only the other.
    Contradicts,
}

/// What digits alone are in a column of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Digits {
    /// Days: `20261021`.
    Days,
    /// Day numbers of a spreadsheet.
    Serials,
    /// Nothing that is known, since other values are written otherwise.
    Unread,
}

/// Which sign stands before the decimals of numbers; the other one stands between thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Decimal {
    /// No value decides: either, and none stands between thousands.
    Undecided,
    /// Either, as values show.
    Either,
    /// The comma.
    Comma,
    /// The point.
    Point,
    /// A sign stands before decimals and between thousands.
    Contradicts,
}

/// How a column is written, as far as there was anything to decide. The default reads a cell alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Notation {
    /// Dates with slashes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slash: Option<Order>,
    /// Dates with hyphens and the year last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hyphen: Option<Order>,
    /// Digits alone in dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digits: Option<Digits>,
    /// The last day that a year of two digits may give, as ISO has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) short_years_to: Option<String>,
    /// Signs of numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decimal: Option<Decimal>,
}

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Dates,
    Numbers,
}

impl Content {
    /// Of a column; none where cells are neither.
    pub(crate) fn of(c: &Collection, column: &Column) -> Option<Self> {
        if column.is_id() || matches!(column.part, Part::Through(_)) {
            return None;
        }
        match column.field(c)?.kind {
            Kind::Day | Kind::Instant => Some(Self::Dates),
            Kind::Int | Kind::Number => Some(Self::Numbers),
            _ => None,
        }
    }
}

impl Notation {
    /// A date as the body's reader knows it: a day, or a time in UTC or with its offset.
    pub(crate) fn date(&self, text: &str) -> Option<String> {
        let (written, clock) = day_and_time(text);
        let day = match DateParts::of(written) {
            Some(parts) => self.day(&parts)?,
            None => match self.digits {
                Some(Digits::Days) => compact(written)?,
                Some(Digits::Unread) => return None,
                _ if clock.is_empty() => return self.date(&serial(written)?),
                _ => return None,
            },
        };
        Some(match clock.is_empty() {
            true => day,
            false => with_clock(day, clock),
        })
    }

    fn day(&self, parts: &DateParts<'_>) -> Option<String> {
        let [first, second, third] = parts.parts;
        if first.len() == 4 {
            return iso(first, second, third);
        }
        let order = match parts.sign {
            '/' => self.slash,
            '-' => self.hyphen,
            _ => Some(Order::DayFirst),
        };
        match order {
            Some(Order::Contradicts) => None,
            Some(Order::MonthFirst) => self.in_order(parts, true),
            _ => self.in_order(parts, false),
        }
    }

    /// A date whose year stands last, by one of its two readings.
    fn in_order(&self, parts: &DateParts<'_>, month_first: bool) -> Option<String> {
        let [first, second, year] = parts.parts;
        let (day, month) = match month_first {
            true => (second, first),
            false => (first, second),
        };
        match year.len() {
            4 => iso(year, month, day),
            2 if parts.is_short() => {
                let last = self.short_years_to.as_deref()?;
                let century: u8 = last.get(..2)?.parse().ok()?;
                let of = |century: u8| iso(&format!("{century:02}{year}"), month, day);
                let here = of(century).filter(|day| day.as_str() <= last);
                here.or_else(|| of(century.checked_sub(1)?))
            }
            _ => None,
        }
    }

    /// A number with a point before its decimals and nothing between its thousands.
    pub(crate) fn number(&self, text: &str) -> Option<String> {
        let number = WrittenNumber::of(text)?;
        if self.decimal == Some(Decimal::Contradicts) && number.has_sign() {
            return None;
        }
        let decimal = match (number.is_doubtful, self.decimal) {
            (true, Some(Decimal::Comma)) => Some(','),
            (true, Some(Decimal::Point)) => Some('.'),
            _ => number.decimal,
        };
        let read = number.text.chars().filter_map(|c| match c {
            c if Some(c) == decimal => Some('.'),
            ',' | '.' => None,
            c => Some(c),
        });
        Some(read.collect())
    }

    /// Whether other cells of the column say that this one is written otherwise than it is.
    pub(crate) fn contradicts(&self, content: Content, text: &str) -> bool {
        match content {
            Content::Dates => DateParts::of(day_and_time(text).0).is_some_and(|parts| {
                let order = match parts.sign {
                    '/' => self.slash,
                    '-' => self.hyphen,
                    _ => None,
                };
                order == Some(Order::Contradicts) && parts.has_year_last()
            }),
            Content::Numbers => {
                self.decimal == Some(Decimal::Contradicts)
                    && WrittenNumber::of(text).is_some_and(|number| number.has_sign())
            }
        }
    }

    /// A cell as it is read among whatever other cells; none: it is so already, or cannot be.
    pub(crate) fn beyond_doubt(&self, content: Content, text: &str) -> Option<String> {
        let text = text.trim();
        match content {
            Content::Dates => {
                let doubtful = match DateParts::of(day_and_time(text).0) {
                    Some(parts) => parts.is_short() || (parts.sign != '.' && parts.has_year_last()),
                    None => text.starts_with(|c: char| c.is_ascii_digit()),
                };
                doubtful.then(|| self.date(text)).flatten()
            }
            Content::Numbers => {
                WrittenNumber::of(text).filter(|number| number.is_doubtful)?;
                let read = self.number(text)?;
                if !read.contains('.') {
                    return Some(read);
                }
                // Thousands have three digits: four can only be decimals.
                Some(match self.decimal {
                    Some(Decimal::Comma) => format!("{}0", read.replace('.', ",")),
                    _ => format!("{read}0"),
                })
            }
        }
    }

    /// The text of a cell. What a workbook knows is written as its column is read.
    pub(crate) fn text(
        &self,
        content: Option<Content>,
        cell: &Cell,
        epoch: Option<Epoch>,
    ) -> String {
        match (content, &cell.value) {
            (Some(Content::Dates), Value::Number(_)) => {
                day_of(cell, epoch).unwrap_or_else(|| cell.shown())
            }
            (Some(Content::Numbers), Value::Number(_)) if self.decimal == Some(Decimal::Comma) => {
                cell.shown().replace('.', ",")
            }
            _ => cell.shown(),
        }
    }
}

impl Notation {
    /// The text of a cell of a column. What a workbook knows is written as the column is read.
    pub fn text_of(
        &self,
        c: &Collection,
        column: &Column,
        cell: &Cell,
        epoch: Option<Epoch>,
    ) -> String {
        self.text(Content::of(c, column), cell, epoch)
    }

    /// What is wrong with a cell of a column that contradicts itself.
    pub fn fault(&self, c: &Collection, column: &Column, path: &str, cell: &str) -> Option<Issue> {
        let content = Content::of(c, column)?;
        let message = "The values of this column contradict each other: some are written one way, some the other.";
        self.contradicts(content, cell.trim())
            .then(|| Issue::error(path, CONTRADICTS, message))
    }
}

/// What was seen of the columns of a table.
#[derive(Debug)]
pub struct Profiles(Vec<Option<(Content, Profile)>>);

impl Profiles {
    /// Of columns that are read at a time; none is a column that is not read.
    pub fn new<'c>(
        c: &Collection,
        columns: impl Iterator<Item = Option<&'c Column>>,
        now: i64,
    ) -> Self {
        let profile = |column: Option<&Column>| {
            let column = column?;
            Some((Content::of(c, column)?, Profile::new(c, column, now)))
        };
        Self(columns.map(profile).collect())
    }

    /// Whether cells of any column decide anything.
    pub(crate) fn are_any(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// Sees a cell of a column, by its place.
    pub fn see(&mut self, place: usize, cell: &Cell, epoch: Option<Epoch>) {
        if let Some(Some((content, profile))) = self.0.get_mut(place)
            && says_something(&cell.text)
        {
            profile.see(*content, cell, epoch);
        }
    }

    /// Sees a cell of a text file.
    pub fn see_text(&mut self, place: usize, text: &str) {
        if let Some(Some((content, profile))) = self.0.get_mut(place)
            && says_something(text)
        {
            profile.see_text(*content, text.trim(), true);
        }
    }

    /// How the columns are written.
    pub fn decided(&self) -> Vec<Notation> {
        let decided = |profile: &Option<(Content, Profile)>| {
            profile
                .as_ref()
                .map(|(_, profile)| profile.decided())
                .unwrap_or_default()
        };
        self.0.iter().map(decided).collect()
    }
}

fn says_something(text: &str) -> bool {
    !text.trim().is_empty() && !says_nothing(text) && !is_error(text)
}

/// What was seen of a column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profile {
    /// With the last day of short years alone.
    plain: Notation,
    slash: Orders,
    hyphen: Orders,
    /// Digits alone, and values that are none.
    days: bool,
    serials: bool,
    others: bool,
    short_years: bool,
    comma: Uses,
    point: Uses,
    doubtful: bool,
}

/// What dates of one sign allow.
#[derive(Debug, Clone, Copy, Default)]
struct Orders {
    either: bool,
    day_first: bool,
    month_first: bool,
}

/// What a sign stands for in numbers.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    decimals: bool,
    thousands: bool,
}

impl Profile {
    /// Of a column that is read at a time: events lie at most a year ahead of it, and births not at all.
    pub(crate) fn new(c: &Collection, column: &Column, now: i64) -> Self {
        let today = time::to_iso(now.saturating_add(FIRST_DAY));
        let births = column
            .field(c)
            .is_some_and(|field| field.path.ends_with("birthDate"));
        let year: Option<u16> = today.get(..4).and_then(|year| year.parse().ok());
        let last = year.zip(today.get(4..10)).map(|(year, rest)| {
            let year = if births { year } else { year + 1 };
            format!("{year:04}{rest}")
        });
        Self {
            plain: Notation {
                short_years_to: last,
                ..Notation::default()
            },
            ..Self::default()
        }
    }

    /// Sees a cell. Numbers and dates of a workbook are beyond doubt and decide nothing.
    pub(crate) fn see(&mut self, content: Content, cell: &Cell, epoch: Option<Epoch>) {
        match (&cell.value, content) {
            (Value::Text, _) => self.see_text(content, cell.text.trim(), epoch.is_none()),
            (Value::Number(_), Content::Dates) if day_of(cell, epoch).is_none() => {
                self.see_text(content, cell.text.trim(), epoch.is_none());
            }
            _ => {}
        }
    }

    /// Sees a text; only without a calendar of its file (`serials`) it may be a day number.
    fn see_text(&mut self, content: Content, text: &str, serials: bool) {
        match content {
            Content::Dates => self.see_date(text, serials),
            Content::Numbers => self.see_number(text),
        }
    }

    fn see_date(&mut self, text: &str, serials: bool) {
        let (written, clock) = day_and_time(text);
        let Some(parts) = DateParts::of(written) else {
            let is_day = compact(written).is_some();
            let is_serial = serials && clock.is_empty() && serial(written).is_some();
            self.days |= is_day;
            self.serials |= is_serial;
            self.others |= !is_day && !is_serial;
            return;
        };
        self.others = true;
        self.short_years |= parts.is_short();
        let readings = [false, true].map(|month_first| self.plain.in_order(&parts, month_first));
        let orders = match parts.sign {
            '/' => &mut self.slash,
            '-' => &mut self.hyphen,
            _ => return,
        };
        match readings {
            [Some(day), Some(other)] => orders.either |= day != other,
            [Some(_), None] => orders.day_first = true,
            [None, Some(_)] => orders.month_first = true,
            [None, None] => {}
        }
    }

    fn see_number(&mut self, text: &str) {
        let bare = text.strip_suffix('%').unwrap_or(text).trim_end();
        let Some(number) = WrittenNumber::of(bare) else {
            return;
        };
        if number.is_doubtful {
            self.doubtful = true;
            return;
        }
        for (sign, uses) in [(',', &mut self.comma), ('.', &mut self.point)] {
            uses.decimals |= number.decimal == Some(sign);
            uses.thousands |= number.thousands == Some(sign);
        }
    }

    /// What the cells decide together.
    pub(crate) fn decided(&self) -> Notation {
        let digits = match (self.days, self.serials, self.others) {
            (false, false, _) => None,
            (true, false, false) => Some(Digits::Days),
            (false, true, false) => Some(Digits::Serials),
            _ => Some(Digits::Unread),
        };
        Notation {
            slash: self.slash.decided(),
            hyphen: self.hyphen.decided(),
            digits,
            short_years_to: (self.plain.short_years_to.clone()).filter(|_| self.short_years),
            decimal: self.decimal(),
        }
    }

    fn decimal(&self) -> Option<Decimal> {
        let (comma, point) = (self.comma, self.point);
        let both = |uses: Uses| uses.decimals && uses.thousands;
        if both(comma) || both(point) || (comma.thousands && point.thousands) {
            return Some(Decimal::Contradicts);
        }
        let by_comma = comma.decimals || point.thousands;
        let by_point = point.decimals || comma.thousands;
        self.doubtful.then_some(match (by_comma, by_point) {
            (true, true) => Decimal::Either,
            (true, false) => Decimal::Comma,
            (false, true) => Decimal::Point,
            (false, false) => Decimal::Undecided,
        })
    }
}

impl Orders {
    fn decided(self) -> Option<Order> {
        match (self.day_first, self.month_first) {
            (true, true) => Some(Order::Contradicts),
            (true, false) => Some(Order::DayFirst),
            (false, true) => Some(Order::MonthFirst),
            (false, false) => self.either.then_some(Order::Undecided),
        }
    }
}

/// A date in three parts.
struct DateParts<'t> {
    sign: char,
    parts: [&'t str; 3],
}

impl<'t> DateParts<'t> {
    fn of(day: &'t str) -> Option<Self> {
        let sign = day.chars().find(|c| !c.is_ascii_digit())?;
        let mut all = day.split(sign);
        let parts = [all.next()?, all.next()?, all.next()?];
        let digits =
            |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        let is_date = matches!(sign, '.' | '/' | '-') && all.next().is_none();
        (is_date && parts.iter().all(digits)).then_some(Self { sign, parts })
    }

    fn has_year_last(&self) -> bool {
        let [first, _, year] = self.parts;
        first.len() <= 2 && (year.len() == 4 || self.is_short())
    }

    /// Whether the year has two digits. With hyphens it may as well stand first: it is not read then.
    fn is_short(&self) -> bool {
        let [first, _, year] = self.parts;
        self.sign != '-' && first.len() <= 2 && year.len() == 2
    }
}

/// A number as it is written.
struct WrittenNumber {
    /// Without blanks.
    text: String,
    decimal: Option<char>,
    thousands: Option<char>,
    /// Whether its sign can as well stand between thousands.
    is_doubtful: bool,
}

impl WrittenNumber {
    fn of(text: &str) -> Option<Self> {
        let mut behind_apostrophes = text.split(['\'', '’']).skip(1);
        let thousands = |part: &str| part.bytes().take(3).filter(u8::is_ascii_digit).count() == 3;
        if !behind_apostrophes.all(thousands) {
            return None;
        }
        let text: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && !matches!(c, '\'' | '’'))
            .collect();
        let whole = text.strip_prefix('-').unwrap_or(&text);
        let known = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
        if !whole.chars().all(known) || !whole.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let last = whole
            .rfind(['.', ','])
            .and_then(|at| whole.split_at_checked(at));
        let Some((before, rest)) = last else {
            return Some(Self::new(text, None, None));
        };
        let sign = if rest.starts_with(',') { ',' } else { '.' };
        let other = if sign == ',' { '.' } else { ',' };
        let decimals = rest.len() - 1;
        match (before.contains(sign), before.contains(other)) {
            (false, false) => {
                let is_doubtful = decimals == 3 && before.len() <= 3 && !before.starts_with('0');
                let number = Self::new(text, Some(sign), None);
                Some(Self {
                    is_doubtful,
                    ..number
                })
            }
            (false, true) if decimals > 0 && is_grouped(before, other) => {
                Some(Self::new(text, Some(sign), Some(other)))
            }
            (true, false) if is_grouped(whole, sign) => Some(Self::new(text, None, Some(sign))),
            _ => None,
        }
    }

    fn new(text: String, decimal: Option<char>, thousands: Option<char>) -> Self {
        Self {
            text,
            decimal,
            thousands,
            is_doubtful: false,
        }
    }

    fn has_sign(&self) -> bool {
        self.decimal.is_some() || self.thousands.is_some()
    }
}

/// Whether a sign stands between thousands: `1.034.500`.
fn is_grouped(whole: &str, sign: char) -> bool {
    let mut groups = whole.split(sign);
    groups
        .next()
        .is_some_and(|first| (1..=3).contains(&first.len()) && !first.starts_with('0'))
        && groups.all(|group| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit()))
}

fn day_and_time(text: &str) -> (&str, &str) {
    match text.split_once(|c: char| c == 'T' || c.is_whitespace()) {
        Some((day, clock)) => (day, clock.trim()),
        None => (text, ""),
    }
}

/// A day of the calendar as ISO has it.
fn iso(year: &str, month: &str, day: &str) -> Option<String> {
    if month.len() > 2 || day.len() > 2 {
        return None;
    }
    let text = format!("{year}-{month:0>2}-{day:0>2}");
    time::parse(&text).is_some().then_some(text)
}

/// The day of eight digits.
fn compact(text: &str) -> Option<String> {
    if text.len() != 8 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    iso(text.get(..4)?, text.get(4..6)?, text.get(6..)?)
}

/// The day of a day number that is written as a text.
fn serial(text: &str) -> Option<String> {
    let text = text.replace(',', ".");
    let (days, fraction) = text.split_once('.').unwrap_or((text.as_str(), "0"));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if days.len() != 5 || fraction.is_empty() || !digits(days) || !digits(fraction) {
        return None;
    }
    serial_day(text.parse().ok()?, Epoch::Y1900)
}

/// The day of a number of a workbook, by its calendar.
fn day_of(cell: &Cell, epoch: Option<Epoch>) -> Option<String> {
    match cell.value {
        Value::Number(number) => serial_day(number, epoch?),
        _ => None,
    }
}

fn serial_day(number: f64, epoch: Epoch) -> Option<String> {
    let at = epoch.at(number).filter(|_| SERIALS.contains(&number))?;
    let cell = Cell {
        value: Value::Date(at),
        text: String::new(),
    };
    Some(cell.shown())
}

/// A day with the time behind it. Times without an offset are taken as UTC, as everything in the book is; midnight
/// alone is no time.
fn with_clock(day: String, clock: &str) -> String {
    match clock_of(clock) {
        Some((local, "")) if local == "00:00:00" => day,
        Some((local, "")) => format!("{day}T{local}Z"),
        Some((local, offset)) => format!("{day}T{local}{offset}"),
        None => format!("{day}T{clock}"),
    }
}

/// A time of a day as ISO has it, and its offset.
fn clock_of(text: &str) -> Option<(String, &str)> {
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
        let digits =
            !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
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
    Some(match fraction.bytes().all(|b| b == b'0') {
        true => (whole, offset),
        false => (format!("{whole}.{fraction}"), offset),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Meaning, meaning};
    use domain::collections::registry;
    use serde_json::json;

    const LAST: &str = "2027-11-29";

    fn profile() -> Profile {
        Profile {
            plain: Notation {
                short_years_to: Some(LAST.to_owned()),
                ..Notation::default()
            },
            ..Profile::default()
        }
    }

    fn decided(content: Content, values: &[&str]) -> Notation {
        let mut profile = profile();
        for value in values {
            profile.see_text(content, value, true);
        }
        profile.decided()
    }

    fn permutations<'t>(values: &[&'t str]) -> Vec<Vec<&'t str>> {
        if values.is_empty() {
            return vec![Vec::new()];
        }
        let first = |at: usize| {
            let mut rest = values.to_vec();
            let first = rest.remove(at);
            let rest = permutations(&rest).into_iter();
            rest.map(move |rest| [vec![first], rest].concat())
        };
        (0..values.len()).flat_map(first).collect()
    }

    /// Values of a column, what they decide, and what each of them is; `?` is nothing.
    type Line<'t> = (&'t [&'t str], serde_json::Value, &'t [&'t str]);

    fn holds(content: Content, lines: &[Line<'_>]) {
        for (values, notation, read) in lines {
            let decides = decided(content, values);
            assert_eq!(json!(decides), *notation, "{values:?}");
            let is: Vec<String> = values
                .iter()
                .map(|value| match content {
                    Content::Dates => decides.date(value),
                    Content::Numbers => decides.number(value),
                })
                .map(|read| read.unwrap_or_else(|| "?".to_owned()))
                .collect();
            assert_eq!(is, *read, "{values:?}");
            if values.len() <= 5 {
                for other in permutations(values) {
                    assert_eq!(decided(content, &other), decides, "{other:?}");
                }
            }
            let stored = serde_json::from_value::<Notation>(json!(decides));
            assert_eq!(stored.ok(), Some(decides), "it is stored with the package");
        }
    }

    #[test]
    fn the_dates_of_a_column_decide_together() {
        let slash = |order: &str| json!({"slash": order});
        let digits = |are: &str| json!({"digits": are});
        let lines: &[Line<'_>] = &[
            (
                &["06/05/2025", "06/25/2025"],
                slash("month-first"),
                &["2025-06-05", "2025-06-25"],
            ),
            (
                &["06/05/2025", "25/06/2025"],
                slash("day-first"),
                &["2025-05-06", "2025-06-25"],
            ),
            (
                &["06/05/2025", "07/05/2025"],
                slash("undecided"),
                &["2025-05-06", "2025-05-07"],
            ),
            (
                &["25/06/2025", "06/25/2025", "03/04/2025"],
                slash("contradicts"),
                &["?", "?", "?"],
            ),
            (
                &["25/06/2025", "06/25/2025", "03.04.2025"],
                slash("contradicts"),
                &["?", "?", "2025-04-03"],
            ),
            (&["05/05/2025"], json!({}), &["2025-05-05"]),
            (
                &["06.05.2025", "06/25/2025", "21-10-2026"],
                json!({"slash": "month-first", "hyphen": "day-first"}),
                &["2025-05-06", "2025-06-25", "2026-10-21"],
            ),
            (
                &["20.10.26", "20.10.25", "5.1.26", "20/10/26", "20.10.98"],
                json!({"slash": "day-first", "shortYearsTo": LAST}),
                &[
                    "2026-10-20",
                    "2025-10-20",
                    "2026-01-05",
                    "2026-10-20",
                    "1998-10-20",
                ],
            ),
            (
                &["29.11.27", "30.11.27"],
                json!({"shortYearsTo": LAST}),
                &["2027-11-29", "1927-11-30"],
            ),
            (
                &["20261021", "20261022"],
                digits("days"),
                &["2026-10-21", "2026-10-22"],
            ),
            (
                &["20261021", "21.10.2026"],
                digits("unread"),
                &["?", "2026-10-21"],
            ),
            (&["20261021", "20261032"], digits("unread"), &["?", "?"]),
            (
                &["46300", "46300,25", "46300.5"],
                digits("serials"),
                &["2026-10-05", "2026-10-05T06:00:00Z", "2026-10-05T12:00:00Z"],
            ),
            (
                &["46300", "05.02.2026"],
                digits("unread"),
                &["?", "2026-02-05"],
            ),
            (&["20261021", "46300"], digits("unread"), &["?", "?"]),
            (
                &["2026/10/21", "2026.10.21", "2026-1-5"],
                json!({}),
                &["2026-10-21", "2026-10-21", "2026-01-05"],
            ),
            // With hyphens, the first two digits may be the year.
            (
                &["20-10-26", "31.11.2025", "13/13/2025"],
                json!({}),
                &["?", "?", "?"],
            ),
            (
                &["yesterday", "12.2025", "1", "12345678"],
                json!({}),
                &["?", "?", "?", "?"],
            ),
        ];
        holds(Content::Dates, lines);
    }

    #[test]
    fn a_time_stands_behind_a_date_in_many_ways() {
        let lines: &[Line<'_>] = &[
            (
                &[
                    "22.10.2026 0:00:00",
                    "22.10.2026 6:30",
                    "22.10.2026 06:30:15.123",
                    "22.10.2026 00:00",
                ],
                json!({}),
                &[
                    "2026-10-22",
                    "2026-10-22T06:30:00Z",
                    "2026-10-22T06:30:15.123Z",
                    "2026-10-22",
                ],
            ),
            (
                &[
                    "10/22/2026 6:30 AM",
                    "10/22/2026 6:30:05 PM",
                    "10/22/2026 12:00:00 AM",
                    "10/22/2026 12:05pm",
                ],
                json!({"slash": "month-first"}),
                &[
                    "2026-10-22T06:30:00Z",
                    "2026-10-22T18:30:05Z",
                    "2026-10-22",
                    "2026-10-22T12:05:00Z",
                ],
            ),
            (
                &[
                    "2026-10-23T06:30:00.000",
                    "2025-12-31T06:30:00+03:00",
                    "2025-12-31T06:30:00Z",
                ],
                json!({}),
                &[
                    "2026-10-23T06:30:00Z",
                    "2025-12-31T06:30:00+03:00",
                    "2025-12-31T06:30:00Z",
                ],
            ),
            // What is no time is told by the body's reader.
            (
                &["22.10.2026 25:00", "22.10.2026 6", "22.10.2026 13:00 PM"],
                json!({}),
                &["2026-10-22T25:00", "2026-10-22T6", "2026-10-22T13:00 PM"],
            ),
        ];
        holds(Content::Dates, lines);
    }

    #[test]
    fn the_numbers_of_a_column_decide_together() {
        let decimal = |is: &str| json!({"decimal": is});
        let lines: &[Line<'_>] = &[
            (&["1.034,5", "1.034"], decimal("comma"), &["1034.5", "1034"]),
            (
                &["1,034.5", "1,034", "612.5"],
                decimal("point"),
                &["1034.5", "1034", "612.5"],
            ),
            (&["31,5", "1.034"], decimal("comma"), &["31.5", "1034"]),
            (
                &["1.034.567", "1.034"],
                decimal("comma"),
                &["1034567", "1034"],
            ),
            (
                &["1.034", "2.117"],
                decimal("undecided"),
                &["1.034", "2.117"],
            ),
            (&["1,034"], decimal("undecided"), &["1.034"]),
            (&["31,5", "30.5"], json!({}), &["31.5", "30.5"]),
            (
                &["31,5", "30.5", "1.034"],
                decimal("either"),
                &["31.5", "30.5", "1.034"],
            ),
            (
                &["1.034,5", "1,034.5", "12"],
                decimal("contradicts"),
                &["?", "?", "12"],
            ),
            (
                &["1.034,5", "30.5", "1.034"],
                decimal("contradicts"),
                &["?", "?", "?"],
            ),
            (
                &["1'034,5", "1\u{a0}034,5", "1\u{202f}034", "1 034"],
                json!({}),
                &["1034.5", "1034.5", "1034", "1034"],
            ),
            (
                &["0.034", "1034.500", "-3", "-1.034"],
                decimal("point"),
                &["0.034", "1034.500", "-3", "-1.034"],
            ),
            (
                &[
                    "1,234,5", "1e3", "NaN", "0x10", "-", "", ".5", "1.2.3", "31 кг", "5'",
                ],
                json!({}),
                &["?", "?", "?", "?", "?", "?", "?", "?", "?", "?"],
            ),
        ];
        holds(Content::Numbers, lines);
    }

    #[test]
    fn years_of_two_digits_are_not_ahead() {
        let registry = registry().unwrap();
        let now = time::parse("2026-11-29T09:00:00Z").unwrap();
        let read = |slug: &str, path: &str, text: &str| {
            let c = registry.get(slug).unwrap();
            let Meaning::Takes(column) = meaning(registry, c, path) else {
                panic!("{path} is a field");
            };
            let mut profile = Profile::new(c, &column, now);
            profile.see_text(Content::of(c, &column).unwrap(), text, true);
            profile.decided().date(text).unwrap()
        };
        assert_eq!(read("animals", "birthDate", "29.11.26"), "2026-11-29");
        assert_eq!(read("animals", "birthDate", "30.11.26"), "1926-11-30");
        assert_eq!(read("weighings", "date", "30.11.26"), "2026-11-30");
        assert_eq!(read("weighings", "date", "30.11.27"), "1927-11-30");
    }

    #[test]
    fn what_a_workbook_knows_is_written_as_its_column() {
        let number = |number: f64| Cell {
            value: Value::Number(number),
            text: number.to_string(),
        };
        let comma = decided(Content::Numbers, &["1.034,5", "1.034"]);
        let text = |notation: &Notation, content: Content, cell: Cell, epoch: Option<Epoch>| {
            notation.text(Some(content), &cell, epoch)
        };
        assert_eq!(text(&comma, Content::Numbers, number(1.034), None), "1,034");
        assert_eq!(comma.number("1,034").as_deref(), Some("1.034"));
        let plain = Notation::default();
        let (early, late) = (Some(Epoch::Y1900), Some(Epoch::Y1904));
        assert_eq!(
            text(&plain, Content::Dates, number(46_300.0), early),
            "2026-10-05"
        );
        assert_eq!(
            text(&plain, Content::Dates, number(44_838.0), late),
            "2026-10-05"
        );
        assert_eq!(
            text(&plain, Content::Dates, number(46_300.0), None),
            "46300"
        );
        let mut profile = profile();
        profile.see(Content::Dates, &number(46_300.0), early);
        profile.see(Content::Dates, &number(20_261_021.0), early);
        assert_eq!(json!(profile.decided()), json!({"digits": "days"}));
    }

    #[test]
    fn cells_of_a_table_are_read_among_whatever_others() {
        let alone = |content: Content, values: &[&str], text: &str| {
            decided(content, values).beyond_doubt(content, text)
        };
        let dates = ["06/05/2025", "06/25/2025"];
        assert_eq!(
            alone(Content::Dates, &dates, "06/05/2025").as_deref(),
            Some("2025-06-05")
        );
        assert_eq!(alone(Content::Dates, &dates, "06.05.2025"), None);
        assert_eq!(
            alone(Content::Dates, &["05.06.25"], "05.06.25").as_deref(),
            Some("2025-06-05")
        );
        assert_eq!(
            alone(Content::Dates, &["20261021"], "20261021").as_deref(),
            Some("2026-10-21")
        );
        assert_eq!(
            alone(Content::Dates, &["25/06/2025", "06/25/2025"], "25/06/2025"),
            None
        );
        let comma = ["1.034,5", "1.034"];
        assert_eq!(
            alone(Content::Numbers, &comma, "1.034").as_deref(),
            Some("1034")
        );
        assert_eq!(
            alone(Content::Numbers, &comma, "1,034").as_deref(),
            Some("1,0340")
        );
        assert_eq!(alone(Content::Numbers, &comma, "1.034,5"), None);
        assert_eq!(
            alone(Content::Numbers, &["1.034"], "1.034").as_deref(),
            Some("1.0340")
        );
        assert_eq!(alone(Content::Numbers, &["30,5"], "30,5"), None);
    }
}

//! How the dates and numbers of a column are written. One cell may allow two readings (`06/05/2025`, `1.034`): the
//! cells of its column decide together, in whatever order they come (docs/import.md, *Cells*).

use crate::meanings::columns::{Column, Part};
use crate::values::blank::{is_dash, is_error, is_no_date, says_nothing};
use crate::values::spelling::{
    DateParts, WrittenNumber, compact, day_and_time, day_of, iso, plain, serial, with_clock,
};
use crate::values::units::{
    self, SignQuestion, Sizes, UNCONFIRMED, UnitQuestion, is_measured, with_shown_unit, without_unit,
};
use model::error::Issue;
use model::record::time;
use model::registry::{Collection, Kind};
use serde::{Deserialize, Serialize};
use sheets::{Cell, Epoch, Value};

/// Code of the fault of a cell whose column contradicts itself.
pub(crate) const CONTRADICTS: &str = "notation-contradicts";
/// How columns of signs say no as a word.
pub(crate) const NO: &str = "0";
/// Whole numbers of a workbook below have all their digits.
const WHOLE: f64 = 1e15;
/// Where a day begins first on Earth, milliseconds before it begins by UTC.
const FIRST_DAY: i64 = 14 * 3_600_000;

/// Which part of a date stands first, where the year stands last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// No value decides: the day, as in the region.
    Undecided,
    DayFirst,
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
    Comma,
    Point,
    /// A sign stands before decimals and between thousands.
    Contradicts,
}

/// How a column is written, as far as there was anything to decide. The default reads a cell alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Notation {
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
    /// A lone `-` says no, since other cells say yes by `+`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) minus: bool,
    /// One of its cells is 0, which is none of its choices: what its numerals are is not known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) zero: bool,
    /// Its values are too large or too small for its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<UnitQuestion>,
    /// Signs stand before some of its numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signs: Option<SignQuestion>,
}

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
    /// A cell; in place of a lone `-` that says no, the word for it.
    pub(crate) fn no_sign<'t>(&self, cell: &'t str) -> &'t str {
        if self.minus && is_dash(cell) { NO } else { cell }
    }

    /// A date as ISO has it: a day, or a time with its offset if it has one.
    pub(crate) fn date(&self, text: &str) -> Option<String> {
        let (written, clock) = day_and_time(text);
        let day = match DateParts::of(written) {
            Some(parts) => self.day(&parts)?,
            None => match self.digits {
                Some(Digits::Days) => compact(written)?,
                Some(Digits::Serials) if clock.is_empty() => return self.date(&serial(written)?),
                // Texts of workbooks are no day numbers, whose cells are numbers.
                _ => return None,
            },
        };
        Some(if clock.is_empty() { day } else { with_clock(day, clock) })
    }

    /// The order of dates with a sign between their parts.
    fn order(&self, sign: char) -> Option<Order> {
        match sign {
            '/' => self.slash,
            '-' => self.hyphen,
            _ => None,
        }
    }

    fn day(&self, parts: &DateParts<'_>) -> Option<String> {
        let [first, second, third] = parts.parts;
        if first.len() == 4 {
            return iso(first, second, third);
        }
        match self.order(parts.sign) {
            Some(Order::Contradicts) => None,
            Some(Order::MonthFirst) => self.in_order(parts, true),
            _ => self.in_order(parts, false),
        }
    }

    /// A date whose year stands last, by one of its two readings.
    fn in_order(&self, parts: &DateParts<'_>, month_first: bool) -> Option<String> {
        let [first, second, year] = parts.parts;
        let (day, month) = if month_first { (second, first) } else { (first, second) };
        match year.len() {
            4 => iso(year, month, day),
            2 if parts.is_short() => {
                let last = self.short_years_to.as_deref()?;
                let century: u8 = last.get(..2)?.parse().ok()?;
                let of = |century: u8| iso(&format!("{century:02}{year}"), month, day);
                of(century).filter(|day| day.as_str() <= last).or_else(|| of(century.checked_sub(1)?))
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
        Some(number.with_point(decimal))
    }

    /// Whether other cells of the column say that this one is written otherwise than it is.
    pub(crate) fn contradicts(&self, content: Content, text: &str) -> bool {
        match content {
            Content::Dates => DateParts::of(day_and_time(text).0)
                .is_some_and(|parts| self.order(parts.sign) == Some(Order::Contradicts) && parts.has_year_last()),
            Content::Numbers => {
                self.decimal == Some(Decimal::Contradicts)
                    && WrittenNumber::of(without_unit(text)).is_some_and(|number| number.has_sign())
            }
        }
    }

    /// Whether a cell allows one reading alone and so decided for its column.
    pub(crate) fn decides(&self, content: Content, text: &str) -> bool {
        match content {
            Content::Dates => DateParts::of(day_and_time(text).0).is_some_and(|parts| {
                let order = self.order(parts.sign);
                let is_decided = matches!(order, Some(Order::DayFirst | Order::MonthFirst));
                let day_first = self.in_order(&parts, false).is_some();
                is_decided && day_first != self.in_order(&parts, true).is_some()
            }),
            Content::Numbers => {
                let decided = [Decimal::Comma, Decimal::Point, Decimal::Either];
                self.decimal.is_some_and(|sign| decided.contains(&sign))
                    && WrittenNumber::of(text).is_some_and(|number| !number.is_doubtful && number.has_sign())
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
                let bare = without_unit(text);
                WrittenNumber::of(bare).filter(|number| number.is_doubtful)?;
                let read = self.number(bare)?;
                // Thousands have three digits: four can only be decimals.
                let read = match self.decimal {
                    _ if !read.contains('.') => read,
                    Some(Decimal::Comma) => format!("{}0", read.replace('.', ",")),
                    _ => format!("{read}0"),
                };
                Some(text.replacen(bare, &read, 1))
            }
        }
    }

    /// The text of a cell. What a workbook knows is written as its column is read.
    pub(crate) fn text(&self, content: Option<Content>, cell: &Cell, epoch: Option<Epoch>) -> String {
        match (content, &cell.value) {
            (Some(Content::Dates), Value::Number(_)) => day_of(cell, epoch).unwrap_or_else(|| cell.display_text()),
            (Some(Content::Numbers), Value::Number(_)) if self.decimal == Some(Decimal::Comma) => {
                cell.display_text().replace('.', ",")
            }
            // It had other digits behind the fifteenth: what people see says so.
            (None, Value::Number(number)) if epoch.is_some() && number.abs() >= WHOLE => {
                format!("{number:.14E}").replace('E', "E+")
            }
            _ => cell.display_text(),
        }
    }

    /// The text of a cell of a column. What a workbook knows is written as the column is read.
    pub fn text_of(&self, c: &Collection, column: &Column, cell: &Cell, epoch: Option<Epoch>) -> String {
        let text = self.text(Content::of(c, column), cell, epoch);
        if column.field(c).is_some_and(is_measured) { with_shown_unit(cell, text) } else { text }
    }

    /// What is wrong with a cell of a column that contradicts itself, or that the sender has yet to confirm, and with the
    /// unit of a cell, or its form.
    pub fn fault(&self, c: &Collection, column: &Column, path: &str, cell: &str) -> Option<Issue> {
        let text = plain(cell).trim();
        if self.zero && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
            let message = "A 0 stands among the numbers of this column, so that nobody knows what they mean: write words in their place.";
            return Some(Issue::error(path, UNCONFIRMED, message));
        }
        let content = Content::of(c, column)?;
        let message = "The values of this column contradict each other: some are written one way, some the other.";
        if self.contradicts(content, cell.trim()) {
            return Some(Issue::error(path, CONTRADICTS, message));
        }
        // Nobody writes so by hand: it may be a number that a program changed, and the reader of bodies would take it.
        if content == Content::Numbers && WrittenNumber::of(text).is_none() && text.parse::<f64>().is_ok() {
            return Some(Issue::error(path, "wrong-type", "Please enter a valid number."));
        }
        if self.decimal == Some(Decimal::Undecided) && units::may_have_thousands(c, column, text) {
            let message = "The sign before three digits may stand between thousands: write the number without it (1034), or with another digit behind it (1.0340).";
            return Some(Issue::error(path, UNCONFIRMED, message));
        }
        units::fault(column.field(c)?, column.factor, (self.unit.as_ref(), self.signs.as_ref()), (path, cell))
    }
}

/// What was seen of the columns of a table.
#[derive(Debug)]
pub struct Profiles(Vec<Option<(Content, Profile)>>);

impl Profiles {
    /// Of columns that are read at a time; none is a column that is not read.
    pub fn new<'c>(c: &Collection, columns: impl Iterator<Item = Option<&'c Column>>, now: i64) -> Self {
        let columns: Vec<Option<&Column>> = columns.collect();
        // Tables with ids are of the book, and in its units.
        let is_own = columns.iter().flatten().any(|column| column.is_id());
        let profile = |column: &Option<&Column>| {
            let column = (*column)?;
            let mut profile = Profile::new(c, column, now);
            if is_own {
                profile.sizes = Sizes::default();
            }
            Some((Content::of(c, column)?, profile))
        };
        Self(columns.iter().map(profile).collect())
    }

    /// Whether cells of any column decide anything.
    pub(crate) fn are_any(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    pub fn see(&mut self, place: usize, cell: &Cell, epoch: Option<Epoch>) {
        if let Some(Some((content, profile))) = self.0.get_mut(place)
            && says_something(*content, &cell.text)
        {
            profile.see(*content, cell, epoch);
        }
    }

    /// Sees a text that stands in no file: a sample.
    pub(crate) fn see_text(&mut self, place: usize, text: &str) {
        if let Some(Some((content, profile))) = self.0.get_mut(place)
            && says_something(*content, text)
        {
            profile.see_text(*content, text.trim(), true);
        }
    }

    /// How the columns are written.
    pub fn decided(&self) -> Vec<Notation> {
        let decided = |profile: &Option<(Content, Profile)>| {
            profile.as_ref().map(|(_, profile)| profile.decided()).unwrap_or_default()
        };
        self.0.iter().map(decided).collect()
    }
}

fn says_something(content: Content, text: &str) -> bool {
    let no_date = content == Content::Dates && is_no_date(text);
    !text.trim().is_empty() && !says_nothing(text) && !is_error(text) && !no_date
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
    sizes: Sizes,
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
        let births = column.field(c).is_some_and(|field| field.path.ends_with("birthDate"));
        let year: Option<u16> = today.get(..4).and_then(|year| year.parse().ok());
        let last = year.zip(today.get(4..10)).map(|(year, rest)| {
            let year = if births { year } else { year + 1 };
            format!("{year:04}{rest}")
        });
        Self {
            plain: Notation { short_years_to: last, ..Notation::default() },
            sizes: Sizes::new(c, column),
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
            // Its size may be another one than the column has.
            (Value::Number(_), Content::Numbers) => self.sizes.see(&with_shown_unit(cell, cell.display_text())),
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
        self.sizes.see(plain(text));
        let Some(number) = WrittenNumber::of(without_unit(plain(text))) else { return };
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
            minus: false,
            zero: false,
            unit: self.sizes.unit(),
            signs: self.sizes.signs(),
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

#[cfg(test)]
mod tests;

//! Number formats of cells: which numbers people see as dates, as percentages, or with zeros before them.

use std::sync::Arc;

/// Longest pattern of digits; identifiers are shorter.
const PATTERN: usize = 32;
/// Whole numbers below have all their digits.
const WHOLE: f64 = 1e15;

/// How a cell shows its number.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum NumberFormat {
    /// As any number: decimals, thousands and currencies say nothing more than the number.
    #[default]
    Plain,
    Date,
    Percent,
    /// As a whole number with at least so many digits, and with characters among them. None is a digit.
    Digits(Arc<[Option<char>]>),
    /// As a number divided by so much, with a text before and one behind it.
    Suffixed {
        before: Arc<str>,
        text: Arc<str>,
        divisor: f64,
    },
}

impl NumberFormat {
    /// A format of a workbook of Excel; without a code it is one of those that Excel itself has.
    pub(crate) fn new(id: u32, code: Option<&str>) -> Self {
        match code {
            _ if shows_date(id, code) => Self::Date,
            Some(code) => of_code(code),
            None if matches!(id, 9 | 10) => Self::Percent,
            None => Self::Plain,
        }
    }

    /// A number as people see it. Decimals that the format does not show stay: they are part of the value.
    pub(crate) fn render(&self, number: f64) -> String {
        match self {
            Self::Percent => percentage(number),
            Self::Digits(pattern) => digits(pattern, number).unwrap_or_else(|| shortest(number)),
            Self::Suffixed { divisor, .. } => shortest(number / divisor),
            Self::Plain | Self::Date => shortest(number),
        }
    }

    /// The texts around the number.
    fn around(&self) -> Option<String> {
        match self {
            Self::Suffixed { before, text, .. } => Some(format!("{before}{text}")),
            _ => None,
        }
    }
}

/// A share as a percentage: 0.041 is 4.1%.
pub(crate) fn percentage(share: f64) -> String {
    format!("{}%", shortest(share * 100.0))
}

/// The shortest text that is the number, as people see it: 31.5, where the file has 31.500000000000004.
pub(crate) fn shortest(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    if rounded.abs() < WHOLE { rounded.to_string() } else { format!("{rounded:.0}") }
}

/// What a document shows of a number, where it is more than the number: zeros or letters before its digits.
pub(crate) fn more_than_number(number: f64, display: &str) -> Option<String> {
    let display = display.trim();
    let digits: String = display.chars().filter(char::is_ascii_digit).collect();
    let zeros = digits.len() > 1 && digits.starts_with('0');
    let more = zeros || display.starts_with(char::is_alphabetic);
    let whole = !display.contains(['.', ',']) && digits.parse::<f64>() == Ok(number);
    (more && whole && number < WHOLE).then(|| ungrouped(display))
}

/// What a document shows behind a number; none where it shows another one, as formats do that divide by thousands.
pub(crate) fn suffix_of(number: f64, display: &str) -> Option<Arc<str>> {
    let end = display.rfind(|c: char| c.is_ascii_digit())? + 1;
    let (shown, behind) = display.split_at_checked(end).filter(|(_, behind)| !behind.trim().is_empty())?;
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    let digits: f64 = digits.parse().ok()?;
    let decimals = shown.rfind(['.', ',']).map_or(0, |at| shown.len() - at - 1);
    let is_number = |decimals: usize| {
        let last = 0.1_f64.powi(i32::try_from(decimals).unwrap_or_default());
        (digits * last - number.abs()).abs() <= last * 0.501
    };
    // The sign may as well stand between thousands.
    (is_number(decimals) || is_number(0)).then(|| Arc::from(behind))
}

/// The digits of a number in the places of a pattern; the first place takes all that are more.
fn digits(pattern: &[Option<char>], number: f64) -> Option<String> {
    if number.fract() != 0.0 || !(0.0..WHOLE).contains(&number) {
        return None;
    }
    let places = pattern.iter().filter(|part| part.is_none()).count();
    let text = format!("{:0>places$}", shortest(number.abs()));
    let mut digits = text.chars();
    let mut count = text.len() + 1 - places;
    let mut display = String::new();
    for part in pattern {
        match part {
            Some(c) => display.push(*c),
            None => {
                display.extend(digits.by_ref().take(count));
                count = 1;
            }
        }
    }
    Some(ungrouped(&display))
}

/// A text without blanks between digits, which only group them.
fn ungrouped(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_digit(c) && out.trim_end().ends_with(is_digit) {
            out.truncate(out.trim_end().len());
        }
        out.push(c);
    }
    out
}

/// A format by the section of its code for positive numbers; by all where conditions choose among them.
fn of_code(code: &str) -> NumberFormat {
    let (mut quoted, mut escaped) = (false, false);
    let mut sections = code.split(|c: char| {
        let is_plain = !escaped;
        escaped = is_plain && !quoted && matches!(c, '\\' | '_' | '*');
        quoted ^= is_plain && c == '"';
        is_plain && !quoted && c == ';'
    });
    let section = sections.next().unwrap_or_default();
    let format = of_section(section);
    if !["[<", "[>", "[="].iter().any(|condition| section.contains(condition)) {
        return format;
    }
    let others: Vec<NumberFormat> = sections.map(of_section).collect();
    if others.iter().all(|other| *other == format) {
        return format;
    }
    let texts: Vec<String> = std::iter::once(&format).chain(&others).filter_map(NumberFormat::around).collect();
    if texts.is_empty() {
        return NumberFormat::Plain;
    }
    // All of them together are no unit.
    let text = format!(" | {}", texts.join(" | "));
    NumberFormat::Suffixed { before: "".into(), text: text.into(), divisor: 1.0 }
}

/// A format by a section of a code.
fn of_section(code: &str) -> NumberFormat {
    let mut pattern: Vec<Option<char>> = Vec::new();
    let (mut percents, mut optional, mut whole) = (0, false, true);
    // Where the first place begins and the last one ends, and commas behind it, each of which divides by a thousand.
    let (mut start, mut end, mut commas, mut thousands) = (None, 0, 0, 0);
    let mut quoted = false;
    let code = code.replace("General", "0");
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        let is_place = !quoted && matches!(c, '0' | '#' | '?');
        if is_place && start.is_none() {
            start = Some(pattern.len());
        }
        match c {
            '"' => quoted = !quoted,
            c if quoted => pattern.push(Some(c)),
            '0' => pattern.push(None),
            '%' => percents += 1,
            '#' if pattern.is_empty() => optional = true,
            '\\' => pattern.extend(chars.next().map(Some)),
            // Room as wide as the next character, or filled with it.
            '_' | '*' => {
                chars.next();
            }
            '[' => {
                let directive: String = chars.by_ref().take_while(|c| *c != ']').collect();
                // Colours, languages and conditions show nothing, currencies do.
                let currency = directive.strip_prefix('$').map_or("", |rest| rest.split('-').next().unwrap_or(rest));
                whole &= currency.is_empty();
                pattern.extend(currency.chars().map(Some));
            }
            ',' => (whole, commas) = (false, commas + 1),
            '.' => (whole, thousands, commas) = (false, thousands + commas, 0),
            '#' | '?' | '/' | '@' | 'E' | 'e' => whole = false,
            c => pattern.push(Some(c)),
        }
        if is_place {
            (end, commas) = (pattern.len(), 0);
        }
    }
    if percents > 0 {
        return match percents {
            1 => NumberFormat::Percent,
            _ => NumberFormat::Plain,
        };
    }
    let places = pattern.iter().filter(|part| part.is_none()).count();
    let before = pattern.iter().map_while(|part| *part);
    let letters = before.clone().any(char::is_alphabetic);
    // One place shows the number as it is, unless letters stand before it: behind it they are a unit.
    let more = places > 1 || (places == 1 && letters);
    // Characters behind `#` are shown within longer numbers only.
    let fixed = !optional || before.count() == 0;
    let front: String = pattern.iter().take(start.unwrap_or_default()).flatten().collect();
    let text: String = pattern.iter().skip(end).flatten().collect();
    let has_text = !front.trim().is_empty() || !text.trim().is_empty();
    let divisor = 1_000_f64.powi(thousands + commas);
    match whole && more && fixed && pattern.len() <= PATTERN {
        true => NumberFormat::Digits(pattern.into()),
        false if has_text || divisor > 1.0 => {
            NumberFormat::Suffixed { before: front.into(), text: text.into(), divisor }
        }
        false => NumberFormat::Plain,
    }
}

/// Whether a number format shows dates or times.
fn shows_date(id: u32, format: Option<&str>) -> bool {
    let Some(format) = format else { return matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58) };
    let mut quoted = false;
    let mut escaped = false;
    let mut bracket = String::new();
    let mut within = false;
    for c in format.chars() {
        match c {
            _ if escaped => escaped = false,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '\\' | '_' | '*' => escaped = true,
            '[' => (within, bracket) = (true, String::new()),
            ']' => {
                within = false;
                // [h], [mm], [ss]: hours that run on; colours, conditions and languages are none.
                let hours = !bracket.is_empty() && bracket.chars().all(|c| "hmsHMS".contains(c));
                if hours {
                    return true;
                }
            }
            _ if within => bracket.push(c),
            ';' => break,
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => {
                return !format.eq_ignore_ascii_case("general");
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_that_show_dates_are_known() {
        for format in ["dd.mm.yyyy", "[$-419]d mmmm yyyy", "[h]:mm", "m/d/yy", "yyyy\\-mm", "mm:ss"] {
            assert!(shows_date(164, Some(format)), "{format}");
        }
        for format in ["0.00", "General", "# ##0.0\" дней\"", "[Red]0", "\\d0", "0.0E+00", "@", "_d0"] {
            assert!(!shows_date(164, Some(format)), "{format}");
        }
        assert!(shows_date(14, None) && !shows_date(2, None));
    }

    #[test]
    fn zeros_letters_and_percentages_are_as_people_see_them() {
        for (code, number, display) in [
            ("0000", 800.0, "0800"),
            ("0000", 12_345.0, "12345"),
            ("0000;-0000", 7.0, "0007"),
            ("[Red]#0000_)", 800.0, "0800"),
            ("[$-419]0000", 0.0, "0000"),
            ("000 000 000 000", 96_000_200_077.0, "096000200077"),
            ("000\\ 000\\ 000\\ 000", 960_002_000_077.0, "960002000077"),
            ("0\" \"000", 1_234.0, "1234"),
            ("000-000", 96_077.0, "096-077"),
            ("\"RU\"0000", 800.0, "RU0800"),
            ("\"RU \"0", 800.0, "RU 800"),
            ("000\"-М\"", 1.0, "001-М"),
            ("0.00%", 0.041, "4.1%"),
            ("0%", 0.041, "4.1%"),
            // What the format does not show whole stays as it is.
            ("0000", 31.5, "31.5"),
            ("0000", -800.0, "-800"),
            ("0000", 1e15, "1000000000000000"),
            ("0", 800.0, "800"),
            ("0\" кг\"", 612.0, "612"),
            ("00.00", 5.2, "5.2"),
            ("#,##0", 1_234.0, "1234"),
            ("# 000", 34.0, "34"),
            ("[<100]000;0", 7.0, "7"),
            ("[$руб]00", 7.0, "7"),
            ("0.0\"%\"", 4.1, "4.1"),
            ("0%%", 0.041, "0.041"),
            ("00E+00", 800.0, "800"),
            ("General", 800.0, "800"),
            ("@", 800.0, "800"),
        ] {
            let format = NumberFormat::new(164, Some(code));
            assert_eq!(format.render(number), display, "{code}");
        }
        for (id, format) in [
            (0, NumberFormat::Plain),
            (1, NumberFormat::Plain),
            (9, NumberFormat::Percent),
            (10, NumberFormat::Percent),
            (14, NumberFormat::Date),
        ] {
            assert_eq!(NumberFormat::new(id, None), format, "{id}");
        }
        let long = "0".repeat(PATTERN + 1);
        assert_eq!(NumberFormat::new(164, Some(&long)), NumberFormat::Plain);
    }

    #[test]
    fn units_stand_behind_numbers_and_commas_divide_by_thousands() {
        for (code, number, display, behind) in [
            ("0.0\" lb\"", 62.0, "62", Some(" lb")),
            ("#,##0\\ \"кг\"", 1_300.0, "1300", Some(" кг")),
            ("General\" г\"", 612.5, "612.5", Some(" г")),
            ("0.0[$ lb-409]", 62.0, "62", Some(" lb")),
            ("[Red]General", 62.5, "62.5", None),
            ("[$-419]General\" г\"", 612.5, "612.5", Some(" г")),
            ("0.0\" lb/day\"", 62.0, "62", Some(" lb/day")),
            ("0.0\"‰\"", 41.0, "41", Some("‰")),
            ("[$lb] 0.0", 62.0, "62", Some("")),
            ("\"вес \"0.0", 62.0, "62", Some("")),
            ("0.0_);\\-0.0\" lb\"", 62.0, "62", None),
            ("#,##0,\" тыс\"", 250_500.0, "250.5", Some(" тыс")),
            ("0.0,,", 1_300_000.0, "1.3", Some("")),
            ("0,.0", 1_300.0, "1.3", Some("")),
        ] {
            let format = NumberFormat::new(164, Some(code));
            assert_eq!(format.render(number), display, "{code}");
            let shown = match &format {
                NumberFormat::Suffixed { text, .. } => Some(&**text),
                _ => None,
            };
            assert_eq!(shown, behind, "{code}");
        }
        for (number, display, behind) in [
            (62.25, "62,3 lb", Some(" lb")),
            (1_300.0, "1,300 lb", Some(" lb")),
            (1_300.0, "1 300,0 lb", Some(" lb")),
            (-3.0, "-3 кг", Some(" кг")),
            (250_500.0, "251 тыс", None),
            (62.0, "lb", None),
        ] {
            assert_eq!(suffix_of(number, display).as_deref(), behind, "{display}");
        }
    }

    #[test]
    fn texts_before_numbers_and_under_conditions_are_known() {
        for (code, around) in [
            ("\"lb \"0.0", Some(["lb ", ""])),
            ("[$lb] 0.0", Some(["lb ", ""])),
            ("\"<\"#.0\" lb\"", Some(["<", " lb"])),
            ("\"lb \"#,##0", Some(["lb ", ""])),
            ("#.#\" lb\"", Some(["", " lb"])),
            ("[>0]0.0\" lb\"", Some(["", " lb"])),
            ("[<9]0.0\" ;lb\";[<99]0.00\" ;lb\";0\\ \\;\\l\\b", Some(["", " ;lb"])),
            ("[<100]0.0;0.0\" lb\"", Some(["", " |  lb"])),
            ("[<100]0.0\" кг\";0.0\" lb\"", Some(["", " |  кг |  lb"])),
            ("[Red][<100]0.0;0.00", None),
        ] {
            let around = around.map(|around| around.map(str::to_owned));
            let found = match NumberFormat::new(164, Some(code)) {
                NumberFormat::Suffixed { before, text, .. } => Some([before, text].map(|text| text.to_string())),
                _ => None,
            };
            assert_eq!(found, around, "{code}");
        }
    }

    #[test]
    fn a_document_shows_more_than_a_number_where_zeros_or_letters_stand_before() {
        for (number, display, expected) in [
            (800.0, "0800", Some("0800")),
            (96_000_200_077.0, "096 000 200 077", Some("096000200077")),
            (960_002_000_077.0, "960 002 000 077", None),
            (800.0, "RU0800", Some("RU0800")),
            (0.0, "0", None),
            (0.0, "0,00", None),
            (5.2, "05.20", None),
            (800.5, "0801", None),
            (-800.0, "-0800", None),
            (612.0, "612 кг", None),
            (1_234.0, "1 234", None),
            (12.0, "", None),
        ] {
            let more = more_than_number(number, display);
            assert_eq!(more.as_deref(), expected, "{display}");
        }
    }

    #[test]
    fn numbers_are_as_people_see_them() {
        assert_eq!(shortest(31.500000000000004), "31.5");
        assert_eq!(shortest(643_000_000_000_123.0), "643000000000123");
        assert_eq!(shortest(0.1 + 0.2), "0.3");
        assert_eq!(shortest(1e20), "100000000000000000000");
        assert_eq!(shortest(-0.000_001), "-0.000001");
    }
}

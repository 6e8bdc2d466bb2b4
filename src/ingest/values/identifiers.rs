//! Numbers by which animals are known, in cells that a spreadsheet changed: nobody can tell what stood there
//! (docs/import.md, *Naming other rows*).

use crate::meanings::columns::{Column, Part};
use crate::values::notation::Notation;
use crate::values::spelling::{clock_of, plain};
use model::error::Issue;
use model::registry::{Collection, Field, Kind};
use model::said;

/// Longest number in a message, characters.
const SAMPLE: usize = 40;

/// The field of a column with numbers of the animal itself.
fn own<'c>(c: &'c Collection, column: &Column) -> Option<&'c Field> {
    let field = column.field(c).filter(|_| column.part == Part::Whole && c.naming.numbers.is_some())?;
    c.naming.known_as.contains(&field.path.as_str()).then_some(field)
}

/// Whether a cell of a column with numbers says that there is none.
pub(crate) fn says_nothing(c: &Collection, column: &Column, text: &str) -> bool {
    let zeros = text.contains('0') && text.chars().all(|c| matches!(c, '0' | '.' | ','));
    zeros && own(c, column).is_some()
}

/// What is wrong with a number that is none any more. Whether zeros behind a point are too much of a main number, or of
/// that of a parent, the book says: it may have the number before them.
pub(crate) fn fault(c: &Collection, column: &Column, path: &str, cell: &str) -> Option<Issue> {
    let own = own(c, column);
    let parent = column.field(c).filter(|field| field.names_parent && matches!(field.kind, Kind::Text(_)));
    let field = own.or(parent)?;
    let text = plain(cell).trim();
    let is_main = c.naming.known_as.first() == Some(&field.path.as_str());
    let decimals = own.and(c.naming.numbers).is_some_and(|numbers| !is_main && (numbers.is_spoiled)(text));
    if says_nothing(c, column, text) || !(decimals || is_spoiled(text)) {
        return None;
    }
    let number: String = text.chars().take(SAMPLE).collect();
    let message = said!(
        "A spreadsheet changed this number ({number}): write it as it stands on the tag or in the passport.",
        number = number
    );
    Some(Issue::error(path, "id-spoiled", message))
}

/// Whether a text is what spreadsheets make of numbers: a power of ten, a day, a time of day, a percentage, yes or no.
fn is_spoiled(text: &str) -> bool {
    let share = text.strip_suffix('%').is_some_and(|share| share.trim_end().ends_with(|c: char| c.is_ascii_digit()));
    let truth = ["true", "false", "истина", "ложь"].contains(&text.to_lowercase().as_str());
    let time = clock_of(text).is_some_and(|(_, offset)| offset.is_empty());
    share || truth || time || is_power(text) || Notation::default().date(text).is_some()
}

/// `6,43E+14`. Without a sign and a point (`6E14`) it may be a number.
fn is_power(text: &str) -> bool {
    let Some((number, power)) = text.split_once(['e', 'E']) else { return false };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let (whole, decimals) = number.split_once([',', '.']).unwrap_or((number, ""));
    let exponent = power.strip_prefix(['+', '-']);
    digits(whole)
        && (decimals.is_empty() || digits(decimals))
        && digits(exponent.unwrap_or(power))
        && (exponent.is_some() || whole != number)
}

#[cfg(test)]
mod tests {
    use super::is_spoiled;

    #[test]
    fn spreadsheets_change_numbers_in_a_few_ways() {
        for text in [
            "6,43096E+14",
            "6.43E+14",
            "1.2E+10",
            "1e+15",
            "6.43096002000137E+15",
            "6,43e14",
            "2026-05-12",
            "12.05.2026",
            "2026-05-12 06:30:00",
            "01:02:00",
            "50%",
            "4.1 %",
            "true",
            "ЛОЖЬ",
        ] {
            assert!(is_spoiled(text), "{text}");
        }
        for text in [
            "643096002000137",
            "6430960020001373",
            "RU10000WGPV",
            "HODEU000099000013",
            "7HO14454",
            "12E5",
            "E+14",
            "6,43E+",
            "203.5",
            "643 096002000137",
            "12-05",
            "12/345",
            "960001000189.1",
            "0f8fad5b-d9cb-469f-a165-70867728950e",
            "%",
            "",
        ] {
            assert!(!is_spoiled(text), "{text}");
        }
    }
}

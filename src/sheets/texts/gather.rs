//! Lines with fixed places of which several are one row: each says one trait of an animal, and others say what holds for
//! them (their day, their base). The whole file is read before its first row is known.

use super::layout::{Layout, LayoutGather, all_in, piece};
use super::text_lines::TextLines;
use crate::fault::Fault;
use crate::limits::Limits;
use std::collections::BTreeMap;

/// The rows of a file: number of the first line, and values. Lines without any field that only some lines have are rows of
/// their own, and so is a line that says once more, or otherwise, what another one of its row says.
pub(super) fn gather(
    open: impl Fn() -> Result<TextLines, Fault>,
    layout: &Layout,
    how: &LayoutGather,
    limits: &Limits,
) -> Result<Vec<(u64, Vec<String>)>, Fault> {
    let heads = heads(open()?, how)?;
    let mut rows: Vec<(u64, Vec<String>)> = Vec::new();
    // The row that lines with the same values of `by` belong to.
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut lines = open()?;
    while let Some(line) = lines.next()? {
        if all_in(&how.heads, &line.text) {
            continue;
        }
        let head = heads.get(&key(how, &line.text)).and_then(Option::as_deref);
        let width = how.head_at.saturating_sub(1);
        let whole = format!("{:width$}{}", line.text, head.unwrap_or_default());
        let values: Vec<String> = layout.fields.iter().map(|field| field.read(&whole)).collect();
        let is_part =
            layout.fields.iter().zip(&values).any(|(field, value)| !field.only.is_empty() && !value.is_empty());
        let by: Vec<String> = how.by.iter().filter_map(|place| values.get(*place).cloned()).collect();
        let place = places.get(&by).filter(|_| is_part).copied();
        let row = place.and_then(|place| rows.get_mut(place));
        let joins = |(_, row): &&mut (u64, Vec<String>)| {
            let mut fields = layout.fields.iter().zip(row.iter()).zip(&values);
            !fields.any(|((field, has), says)| !field.only.is_empty() && !has.is_empty() && !says.is_empty())
        };
        match row.filter(joins) {
            Some((_, row)) => {
                for (has, says) in row.iter_mut().zip(values).filter(|(has, _)| has.is_empty()) {
                    *has = says;
                }
            }
            None => {
                if is_part {
                    places.insert(by, rows.len());
                }
                rows.push((line.number, values));
            }
        }
        if rows.len() as u64 > limits.rows {
            return Err(Fault::TooManyRows { limit: limits.rows });
        }
    }
    Ok(rows)
}

/// Heads by what they share with their lines; none where two of them differ.
fn heads(mut lines: TextLines, how: &LayoutGather) -> Result<BTreeMap<Vec<String>, Option<String>>, Fault> {
    let mut heads: BTreeMap<Vec<String>, Option<String>> = BTreeMap::new();
    while let Some(line) = lines.next()? {
        if all_in(&how.heads, &line.text) {
            let before = heads.entry(key(how, &line.text)).or_insert_with(|| Some(line.text.clone()));
            if before.as_deref() != Some(line.text.as_str()) {
                *before = None;
            }
        }
    }
    Ok(heads)
}

fn key(how: &LayoutGather, line: &str) -> Vec<String> {
    how.same.iter().map(|(at, length)| piece(line, *at, *length)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::layout::{LayoutField, LayoutMark, LayoutPart};
    use super::*;
    use crate::tests::rows;
    use crate::{Book, Options};

    /// Lines `L`: trait and country (`same`), animal, value; heads `H`: trait and country, day.
    fn layout() -> Layout {
        let mark = |at, is: &[&str]| LayoutMark { at, is: is.iter().map(|text| (*text).to_owned()).collect() };
        let field = |name: &str, at, length, only| LayoutField {
            name: name.to_owned(),
            parts: vec![LayoutPart { at, length, codes: BTreeMap::new() }],
            only,
        };
        Layout {
            shortest: 5,
            longest: 8,
            marks: vec![mark(1, &["L", "H"])],
            fields: vec![
                field("animal", 4, 2, vec![]),
                field("day", 24, 2, vec![]),
                field("trait", 2, 1, vec![]),
                field("milk", 6, 3, vec![mark(2, &["m"])]),
                field("fat", 6, 3, vec![mark(2, &["f"])]),
            ],
            gather: Some(LayoutGather {
                heads: vec![mark(1, &["H"])],
                same: vec![(2, 2)],
                head_at: 21,
                by: vec![0, 1],
            }),
        }
    }

    fn read(text: &str, most: u64) -> Result<Vec<String>, Fault> {
        let limits = Limits { rows: most, ..Limits::default() };
        let options = Options { layouts: vec![layout()], limits, ..Options::default() };
        rows(&Book::open(text.as_bytes().to_vec(), &options).unwrap(), 0)
    }

    #[test]
    fn lines_of_an_animal_are_a_row_with_what_their_heads_say() {
        let text = "LmUa1  7\nLfUb1  2\nLfUa1 -3\nLsUa1  5\nHmU04\nHfU04\nHsU05\nLmUb1 +8\n";
        let expected = [
            "0: animal|day|trait|milk|fat",
            "1: a1|04|m|7|-3",
            "2: b1|04|f|+8|2",
            // No field has what it says.
            "4: a1|05|s",
        ];
        assert_eq!(read(text, 9).unwrap(), expected);
        assert_eq!(read(text, 2).unwrap_err(), Fault::TooManyRows { limit: 2 });
    }

    #[test]
    fn lines_that_do_not_agree_are_rows_of_their_own() {
        for (text, expected) in [
            // Another day for fat.
            ("HmU04\nHfU05\nLmUa1  7\nLfUa1 -3\n", ["3: a1|04|m|7", "4: a1|05|f||-3"]),
            // Another country.
            ("HmU04\nHmV04\nLmUa1  7\nLmVa1  8\n", ["3: a1|04|m|7", "4: a1|04|m|8"]),
            // Heads that differ are none, and so is one that is not there.
            ("HmU04\nHmU05\nHfV04\nLmUa1  7\nLmUa1  7\n", ["4: a1||m|7", "5: a1||m|7"]),
        ] {
            let read = read(text, 9).unwrap();
            assert_eq!(read.get(1..).unwrap(), expected, "{text}");
        }
    }
}

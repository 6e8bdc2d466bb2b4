//! What may stand in a cell of a field, in the language of the reader.

use crate::messages::{Language, labels, text};
use crate::registry::{Field, Kind};
use std::collections::BTreeMap;

/// Most values of a choice in a sentence.
const OPTIONS: usize = 12;

/// What may stand there; nothing where that goes without saying.
pub fn expected(language: Language, field: &Field) -> Option<String> {
    let (least, most) = field.bounds();
    let bounded = least.is_finite() && most.is_finite();
    let plain = |number: f64| crate::display::number(language, &number.to_string());
    let said = |name: &str, values: &[(&str, String)]| {
        let values = values.iter();
        let values: BTreeMap<String, String> =
            values.map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Some(text(language, name, &values))
    };
    let bounds = [("least", plain(least)), ("highest", plain(most))];
    match &field.kind {
        Kind::Int if bounded => said("page-expected-int-between", &bounds),
        Kind::Int => said("page-expected-int", &[]),
        Kind::Number if bounded => said("page-expected-number-between", &bounds),
        Kind::Number => said("page-expected-number", &[]),
        Kind::Day => said("page-expected-day", &[]),
        Kind::Instant => said("page-expected-instant", &[]),
        Kind::Bool => said("page-expected-bool", &[]),
        Kind::Select(words) | Kind::Selects(words) => {
            let more = if words.len() > OPTIONS { ", …" } else { "" };
            let options: Vec<&str> = words.iter().take(OPTIONS).map(String::as_str).collect();
            said("page-expected-option", &[("words", options.join(", ") + more)])
        }
        Kind::Relation(to) | Kind::Relations(to) => {
            let name = labels::collection(language, to);
            said("page-expected-related", &[("name", name)])
        }
        Kind::Text(most) => said("page-expected-text", &[("length", most.to_string())]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{day, json, number, select, text_n};

    #[test]
    fn expected_values_are_said_in_both_languages() {
        let all = [
            number("milkYield").range(0.0, 150.5),
            day("date"),
            select("sex", "female|male"),
            text_n("name", 20),
            json("extra"),
        ];
        let texts = |language| all.each_ref().map(|field| expected(language, field));
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            texts(Language::English),
            [
                text("A number from 0 to 150.5."),
                text("A day: 31.12.2025 or 2025-12-31."),
                text("One of female, male."),
                text("A text of at most 20 characters."),
                None,
            ]
        );
        let russian = texts(Language::Russian);
        assert_eq!(russian[0], text("Число от 0 до 150,5."));
        assert_eq!(russian[3], text("Текст не длиннее 20 знаков."));
    }
}
